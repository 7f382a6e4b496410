"""What the sentences of a report cite, and the marks that hang behind them.

A mark is no part of the text: no offset counts it, no selection takes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain import items
from tui_annotate.domain.samples import Kind, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.lines import shown, width

_LONGEST: Final = 10  # characters of an id that a mark shows whole
_KEPT: Final = 4  # of a longer one
_MARKS: Final = 36  # cells of all marks behind a sentence


@dataclass(frozen=True, slots=True)
class Citation:
    """A sentence cites a document.

    Attributes:
        sentence: the sentence's index in the report.
        span: its extent.
        id: the document's.
        document: its index on the source side; None where the report came without it.
    """

    sentence: int
    span: Span
    id: str
    document: int | None


def citations(sample: Sample) -> tuple[Citation, ...]:
    """Those of a report in reading order; none for any other sample."""
    if sample.kind is not Kind.REPORT or not sample.side(Side.SUMMARY):
        return ()
    length = len(sample.document(Side.SUMMARY).text)
    places = {document.key: at for at, document in enumerate(sample.side(Side.SOURCE))}
    return tuple(
        Citation(at, Span(sentence.start, sentence.end), name, places.get(name))
        for at, sentence in enumerate(items.sentences(sample))
        if 0 <= sentence.start < sentence.end <= length
        for name in map(str, sentence.citations)
    )


def short(name: str) -> str:
    """An id as a mark shows it."""
    name = shown(name)
    return name if len(name) <= _LONGEST else f"{name[:_KEPT]}…"


def tags(found: Sequence[Citation]) -> dict[int, str]:
    """By the last code point of a sentence: its citations in brackets, as many as are readable."""
    by_end: dict[int, list[str]] = {}
    for citation in found:
        by_end.setdefault(citation.span.end - 1, []).append(f"[{short(citation.id)}]")
    return {end: _joined(marks) for end, marks in by_end.items()}


def mark(found: Sequence[Citation], number: int) -> tuple[int, Span] | None:
    """The offset that a citation's mark hangs behind, and the mark's extent in all that hang there.

    Args:
        number: from 0; None for one that no citation has.
    """
    if not 0 <= number < len(found):
        return None
    end = found[number].span.end - 1
    marks = [f"[{short(one.id)}]" for one in found if one.span.end - 1 == end]
    at = sum(one.span.end - 1 == end for one in found[:number])
    told, start = _joined(marks), sum(len(one) + 1 for one in marks[:at])
    if at >= _readable(marks):  # it is one of those that "+2" stands for
        return end, Span(told.rindex("+"), len(told))
    return end, Span(start, start + len(marks[at]))


def at_cell(found: Sequence[Citation], offset: int, cell: int) -> int | None:
    """The number of the citation whose mark is at a cell of all that hang behind an offset.

    Args:
        cell: from 0; None for a cell behind the last one.
    """
    end = 0
    for at, citation in enumerate(found):
        if citation.span.start <= offset < citation.span.end:
            end += width(f" [{short(citation.id)}]")
            if cell < end:
                return at
    return None


def _joined(marks: Sequence[str]) -> str:
    count = _readable(marks)
    more = [f"+{len(marks) - count}"] if count < len(marks) else []
    return " ".join([*marks[:count], *more])


def _readable(marks: Sequence[str]) -> int:
    """How many of them there is room for; the first always."""
    taken = -1
    for at, one in enumerate(marks):
        taken += 1 + width(one)
        if at and taken > _MARKS:
            return at
    return len(marks)
