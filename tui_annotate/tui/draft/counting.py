"""The place of an offset among segments, and the letters that annotations are shown under."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from tui_annotate.domain.samples import Segment


def segment_at(segments: Sequence[Segment], offset: int) -> int:
    """The index of the segment that holds an offset; the last for the end of the text."""
    return max(0, bisect_right(segments, offset, key=lambda segment: segment.start) - 1)


def letter(index: int) -> str:
    """A, B, ... Z, AA, AB, ... for 0, 1, ... as columns of a sheet are named."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(65 + rest) + name
    return name
