"""Offsets of another program to code points, by the texts that they are said to cover.

A text is looked at with all of its spans at once, never span by span: programs count in one way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput, InvalidSpan
from tui_annotate.domain.offsets import OffsetMap, utf16_map
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.admission import covered

CODE_POINTS: Final = "code points"
UTF16: Final = "UTF-16 units"

_MARK = "\ufeff"

Translation = Callable[[int], int]


class Quoted(NamedTuple):
    """A span as a file gives it.

    Attributes:
        quote: the text that it covers; None where the file does not say.
        what: what it is, for messages.
    """

    start: Any
    end: Any
    quote: str | None
    what: str


class Reading(NamedTuple):
    """The spans of a text in code points, in the order asked, and how they had been counted."""

    spans: tuple[Span, ...]
    unit: str


def reading(text: str, quoted: Sequence[Quoted], *, unit: str = CODE_POINTS) -> Reading:
    """The one way of counting in which every span of a text covers what it is said to cover.

    Args:
        unit: what the format counts in: taken where it fits; empty where the format's programs
            differ, so that one way alone must fit.

    Raises:
        InvalidInput: no way of counting fits all, or several do and they differ.
    """
    if not quoted:
        return Reading((), unit)
    _check_kinds(quoted)
    found: dict[tuple[Span, ...], str] = {}
    for name, translation in _ways(text):
        spans = _read(text, quoted, translation)
        if spans is not None:
            if name == unit:
                return Reading(spans, name)
            found.setdefault(spans, name)
    if not found:
        return Reading(_as_they_are(text, quoted), "code points of a trimmed quote")
    if len(found) > 1:
        raise InvalidInput(
            f"{quoted[0].what} and the others fit as {' and as '.join(found.values())}",
            "the file does not say which it is",
        )
    ((spans, name),) = found.items()
    return Reading(spans, name)


def _check_kinds(quoted: Sequence[Quoted]) -> None:
    for start, end, _, what in quoted:
        if not all(isinstance(at, int) and not isinstance(at, bool) for at in (start, end)):
            raise InvalidInput(f"{what} {start!r}:{end!r} is no pair of integers")


def _ways(text: str) -> Iterator[tuple[str, Translation]]:
    """The ways of counting in which this text can differ from code points, and that one."""
    yield CODE_POINTS, lambda offset: offset
    yield UTF16, utf16_map(text).to_code_points
    if "\n" in text:
        yield "code points with line ends as two", _line_ends(text, lone=2, after_return=1)
    if "\r\n" in text:
        yield "code points with line ends as one", _line_ends(text, lone=1, after_return=0)
    yield "code points with a byte order mark", lambda offset: offset - 1
    if text.startswith(_MARK):
        yield "code points without the byte order mark", lambda offset: offset + 1
    if trimmed := len(text) - len(text.lstrip()):
        yield "code points of the trimmed text", lambda offset: offset + trimmed


def _line_ends(text: str, *, lone: int, after_return: int) -> Translation:
    """Offsets in a text whose line ends took another number of characters.

    Args:
        lone: what a line feed counts, a carriage return before it included.
        after_return: what the carriage return of a pair counts by itself.
    """
    widths = [1] * len(text)
    for place, character in enumerate(text):
        if character == "\n":
            if place and text[place - 1] == "\r":
                widths[place - 1] = after_return
            else:
                widths[place] = lone
    return OffsetMap(tuple(accumulate(widths)), len(text)).to_code_points


def _read(text: str, quoted: Sequence[Quoted], translation: Translation) -> tuple[Span, ...] | None:
    spans = []
    for start, end, quote, _ in quoted:
        try:
            span = Span(translation(start), translation(end))
            if span.of(text) != quote and quote is not None:
                return None
        except InvalidSpan:
            return None
        spans.append(span)
    return tuple(spans)


def _as_they_are(text: str, quoted: Sequence[Quoted]) -> tuple[Span, ...]:
    """Spans whose quotes lack white space at their edges, and nothing else."""
    spans = []
    for start, end, quote, what in quoted:
        span = covered(text, start, end, quote=None, what=what)
        if quote is not None and (not quote.strip() or span.of(text).strip() != quote.strip()):
            covered(text, start, end, quote=quote, what=what)
        spans.append(span)
    return tuple(spans)
