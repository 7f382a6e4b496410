"""Offsets of another program to code points, by the texts that they are said to cover.

A text is looked at with all of its spans at once, never span by span: programs count in one way.
"""

from __future__ import annotations

import re
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
_FARTHEST: Final = 2**53
_RETURNS: Final = re.compile(r"\r+\n")

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


class _Way(NamedTuple):
    """A way of counting.

    Attributes:
        feeds: whether line ends were changed, in the text and so in what it quotes.
    """

    name: str
    to_code_points: Translation
    feeds: bool = False


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
    for way in _ways(text):
        spans = _read(text, quoted, way)
        if spans is not None:
            if way.name == unit:
                return Reading(spans, unit)
            found.setdefault(spans, way.name)
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
        if max(abs(start), abs(end)) > _FARTHEST:
            raise InvalidSpan(f"{what} ends outside of any text")


def _ways(text: str) -> Iterator[_Way]:
    """The ways of counting in which this text can differ from code points, and that one.

    The plainer come first: where several give the same spans, it has the plainest one's name.
    """
    plain: dict[str, Translation] = {CODE_POINTS: _same}
    yield _Way(CODE_POINTS, _same)
    yield _Way(UTF16, utf16_map(text).to_code_points)
    if not text.isascii() and max(text) > "\uffff":
        plain[UTF16] = utf16_map(text).to_code_points
    for unit in plain:
        astral = 2 if unit == UTF16 else 1
        if "\n" in text:
            two = _line_ends(text, astral, lone=2, after_return=1)
            yield _Way(f"{unit} with line ends as two", two, feeds=True)
        if "\r\n" in text:
            one = _line_ends(text, astral, lone=1, after_return=0)
            yield _Way(f"{unit} with line ends as one", one, feeds=True)
    for name, shift in _shifts(text).items():
        for unit, translation in plain.items():
            yield _Way(f"{unit} {name}", _shifted(translation, shift))


def _same(offset: int) -> int:
    return offset


def _shifts(text: str) -> dict[str, int]:
    """How many signs before the first one a program saw, or did not see."""
    shifts = {"with a byte order mark": -1}
    if text.startswith(_MARK):
        shifts["without the byte order mark"] = 1
    if trimmed := len(text) - len(text.lstrip()):
        shifts["of the trimmed text"] = trimmed
    return shifts


def _shifted(plain: Translation, shift: int) -> Translation:
    return lambda offset: plain(offset + shift)


def _line_ends(text: str, astral: int, *, lone: int, after_return: int) -> Translation:
    """Offsets in a text whose line ends took another number of characters.

    Args:
        astral: what a sign beyond U+FFFF counts.
        lone: what a line feed counts, a carriage return before it included.
        after_return: what the carriage return of a pair counts by itself.
    """
    widths = [astral if sign > "\uffff" else 1 for sign in text]
    for place, character in enumerate(text):
        if character == "\n":
            if place and text[place - 1] == "\r":
                widths[place - 1] = after_return
            else:
                widths[place] = lone
    return OffsetMap(tuple(accumulate(widths)), len(text)).to_code_points


def _read(text: str, quoted: Sequence[Quoted], way: _Way) -> tuple[Span, ...] | None:
    spans = []
    for start, end, quote, _ in quoted:
        try:
            span = Span(way.to_code_points(start), way.to_code_points(end))
            found = span.of(text)
        except InvalidSpan:
            return None
        alike = quote in (None, found) or (way.feeds and _fed(found) == _fed(quote or ""))
        if not alike:
            return None
        spans.append(span)
    return tuple(spans)


def _fed(text: str) -> str:
    """The text with all its line ends alike."""
    return _RETURNS.sub("\n", text)


def _as_they_are(text: str, quoted: Sequence[Quoted]) -> tuple[Span, ...]:
    """Spans whose quotes lack white space at their edges, and nothing else."""
    spans = []
    for start, end, quote, what in quoted:
        span = covered(text, start, end, quote=None, what=what)
        if quote is not None and (not quote.strip() or span.of(text).strip() != quote.strip()):
            covered(text, start, end, quote=quote, what=what)
        spans.append(span)
    return tuple(spans)
