"""Where a reader sees one character end and the next begin; a cursor stands nowhere else.

Close to the grapheme clusters of Unicode (UAX 29), told by what `display` draws: a base with the
marks on it, a joined emoji, a flag, the two halves of a line end.
"""

from __future__ import annotations

from tui_annotate.domain.spans import Span
from tui_annotate.tui.text.display import FLAG_LETTERS, follows, is_flag_letter, joins_before

_FLAGS_COUNTED = 64  # letters of a row of flags that are paired; further on each stands alone


def is_edge(text: str, offset: int) -> bool:
    """Whether a cluster begins, or the text ends, at `offset`, in [0, length]."""
    if offset <= 0 or offset >= len(text):
        return True
    before, here = text[offset - 1], text[offset]
    if before == "\n" or here == "\n":
        return before != "\r"
    if here == "\r" and text[offset + 1 : offset + 2] == "\n":
        return True
    if follows(here):
        return False
    if is_flag_letter(here) and is_flag_letter(before):
        return _flag_letters_before(text, offset) % 2 == 0
    return not joins_before(text, offset)


def _flag_letters_before(text: str, offset: int) -> int:
    before = text[max(0, offset - _FLAGS_COUNTED) : offset]
    return len(before) - len(before.rstrip(FLAG_LETTERS))


def next_edge(text: str, offset: int) -> int:
    """The first edge after `offset`; the end of the text where there is none."""
    offset += 1
    while not is_edge(text, offset):
        offset += 1
    return min(offset, len(text))


def previous_edge(text: str, offset: int) -> int:
    """The last edge before `offset`; 0 where there is none."""
    offset -= 1
    while not is_edge(text, offset):
        offset -= 1
    return max(offset, 0)


def cluster_start(text: str, offset: int) -> int:
    """The edge at or before `offset`."""
    return offset if is_edge(text, offset) else previous_edge(text, offset)


def snap(text: str, span: Span) -> Span:
    """The smallest span of whole clusters that contains `span`, cut to the text.

    Raises:
        InvalidSpan: nothing of the span lies in the text.
    """
    end = min(span.end, len(text))
    return Span(
        cluster_start(text, min(span.start, len(text))),
        end if is_edge(text, end) else next_edge(text, end),
    )
