"""How a sample shows that it is one of several generated answers, whatever file it came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tui_annotate.domain.samples import Sample, Side

ANSWER: Final = "answer"
"""The key of a source document that is the right answer to the sample's question."""
NORMAL: Final = "normal"
UNCERTAINTY: Final = "uncertainty"
"""The type of an answer whose model was asked to admit what it does not know."""
OTHERS: Final = "others"
"""Where a sample keeps answers of its group that are none: pairs of their place and fields."""


def is_answer(sample: Sample) -> bool:
    """Whether a sample is an answer to be held against the right one."""
    sources = sample.side(Side.SOURCE)
    return len(sources) == 1 and sources[0].key == ANSWER and bool(sample.side(Side.SUMMARY))


def extras(sample: Sample) -> list[Mapping[str, Any]]:
    """The fields of the uncertain answers of a group, in their order.

    They are kept with its first sample; any other has none.
    """
    others = [each for _, each in (sample.imported or {}).get(OTHERS, ())]
    return [each for each in others if each.get("type") == UNCERTAINTY]
