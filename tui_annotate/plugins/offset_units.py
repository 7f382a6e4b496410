"""Converts the offsets of another program to code points, by comparing spans with quoted texts.

All spans of a text are converted together, because a program uses one unit for a whole text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Any, Final, NamedTuple

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidInput, InvalidSpan, NotFound
from tui_annotate.domain.offsets import OffsetMap, utf16_map
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.record_validation import check_span

CODE_POINTS: Final = "code points"
UTF16: Final = "UTF-16 units"

_MARK = "\ufeff"
_LARGEST_OFFSET: Final = 2**53
_CARRIAGE_RETURNS: Final = re.compile(r"\r+\n")

Translation = Callable[[int], int]


class QuotedSpan(NamedTuple):
    """A span of a file: its offsets, its quoted text (or None), and its name in messages."""

    start: Any
    end: Any
    quote: str | None
    what: str


class ConvertedSpans(NamedTuple):
    """The spans of a text in code points, and the unit of their original offsets."""

    spans: tuple[Span, ...]
    unit: str


class _Unit(NamedTuple):
    """A unit in which a file may count offsets, with a function that converts to code points."""

    name: str
    to_code_points: Translation
    feeds: bool = False


def convert_offsets(
    text: str, quoted: Sequence[QuotedSpan], *, unit: str = CODE_POINTS
) -> ConvertedSpans:
    """Convert offsets to code points; find the unit in which all spans cover their quoted texts.

    Args:
        unit: the preferred unit, taken if it fits; empty if exactly one unit must fit.

    Raises:
        InvalidInput: no unit fits all spans, or several units fit and give different spans.
    """
    if not quoted:
        return ConvertedSpans((), unit)
    _check_types(quoted)
    found: dict[tuple[Span, ...], str] = {}
    # No file states its unit reliably: only the quotes show which unit fits.
    for way in _list_units(text):
        spans = _read_in_unit(text, quoted, way)
        if spans is not None:
            if way.name == unit:
                return ConvertedSpans(spans, unit)
            found.setdefault(spans, way.name)
    if not found:
        return ConvertedSpans(
            _trimmed_quotes(text, quoted),
            "code points (white space around the quoted texts is ignored)",
        )
    if len(found) > 1:
        raise InvalidInput(
            f"the unit of the offsets of {quoted[0].what} is ambiguous:"
            f" {' or '.join(found.values())}",
            "add the quoted texts to the file, or use offsets in code points",
        )
    ((spans, name),) = found.items()
    return ConvertedSpans(spans, name)


def _check_types(quoted: Sequence[QuotedSpan]) -> None:
    for start, end, _, what in quoted:
        if not all(isinstance(at, int) and not isinstance(at, bool) for at in (start, end)):
            raise InvalidInput(f"the offsets {start!r}:{end!r} of the {what} are not integers")
        if max(abs(start), abs(end)) > _LARGEST_OFFSET:
            raise InvalidSpan(f"{what} has an offset above 2^53")


def _list_units(text: str) -> Iterator[_Unit]:
    """Yield the units in which a file may count offsets of this text, simplest first."""
    plain: dict[str, Translation] = {CODE_POINTS: int}
    yield _Unit(CODE_POINTS, int)
    yield _Unit(UTF16, utf16_map(text).to_code_points)
    if not text.isascii() and max(text) > "\uffff":
        plain[UTF16] = utf16_map(text).to_code_points
    for unit in plain:
        astral = 2 if unit == UTF16 else 1
        if "\n" in text:
            two = _count_line_ends(text, astral, lone=2, after_return=1)
            yield _Unit(f"{unit} (each line end counts as two characters)", two, feeds=True)
        if "\r\n" in text:
            one = _count_line_ends(text, astral, lone=1, after_return=0)
            yield _Unit(f"{unit} (each line end counts as one character)", one, feeds=True)
    shifts = {"a byte order mark before the text is counted": -1}
    if text.startswith(_MARK):
        shifts["the text's byte order mark is not counted"] = 1
    if trimmed := len(text) - len(text.lstrip()):
        shifts["white space before the text is not counted"] = trimmed
    for name, shift in shifts.items():
        for unit, translation in plain.items():
            yield _Unit(f"{unit} ({name})", partial(_shift_offset, translation, shift))


def _shift_offset(translation: Translation, shift: int, offset: int) -> int:
    return translation(offset + shift)


def _count_line_ends(text: str, astral: int, *, lone: int, after_return: int) -> Translation:
    """Return a converter of offsets that counts line ends as given numbers of characters."""
    widths = [astral if character > "\uffff" else 1 for character in text]
    for place, character in enumerate(text):
        if character == "\n":
            if place and text[place - 1] == "\r":
                widths[place - 1] = after_return
            else:
                widths[place] = lone
    return OffsetMap(tuple(accumulate(widths)), len(text)).to_code_points


def _read_in_unit(text: str, quoted: Sequence[QuotedSpan], way: _Unit) -> tuple[Span, ...] | None:
    spans = []
    for start, end, quote, _ in quoted:
        try:
            span = Span(way.to_code_points(start), way.to_code_points(end))
            found = span.of(text)
        except InvalidSpan:
            return None
        expected = quote
        if way.feeds and expected is not None:
            found, expected = (_CARRIAGE_RETURNS.sub("\n", one) for one in (found, expected))
        if expected not in (None, found):
            return None
        spans.append(span)
    return tuple(spans)


def _trimmed_quotes(text: str, quoted: Sequence[QuotedSpan]) -> tuple[Span, ...]:
    """Compare spans in code points with the quoted texts, ignoring white space at the edges."""
    spans = []
    for start, end, quote, what in quoted:
        span = check_span(text, start, end, quote=None, what=what)
        if quote is not None and (not quote.strip() or span.of(text).strip() != quote.strip()):
            check_span(text, start, end, quote=quote, what=what)
        spans.append(span)
    return tuple(spans)


class CountedAnnotation(NamedTuple):
    """An annotation with offsets in a file's unit, and the texts that the file quotes for it."""

    annotation: Annotation
    quotes: Sequence[str | None]
    name: str


def convert_annotations(
    counted: Sequence[CountedAnnotation], sample: Sample
) -> tuple[list[Annotation], list[str]]:
    """Convert annotations' offsets to code points; return a warning per converted text.

    Raises:
        InvalidInput: the unit is unclear, see `convert_offsets`; or a document is unknown.
    """
    quoted: dict[tuple[Side, int], list[QuotedSpan]] = {}
    for annotation, quotes, name in counted:
        for (side, index, span), quote in zip(annotation.anchors, quotes, strict=True):
            one = QuotedSpan(span.start, span.end, quote, f"{side} span of {name}")
            quoted.setdefault((side, index), []).append(one)
    doubts: list[str] = []
    found: dict[tuple[Side, int], Iterator[Span]] = {}
    for (side, index), spans in quoted.items():
        try:
            text = sample.document(side, index).text
        except NotFound as error:
            raise InvalidInput(f"{spans[0].what}: {error.message}") from error
        read = convert_offsets(text, spans)
        found[side, index] = iter(read.spans)
        if read.unit != CODE_POINTS:
            doubts.append(f"the offsets of the {side} are counted in {read.unit}")

    def moved(anchors: Sequence[Anchor]) -> tuple[Anchor, ...]:
        return tuple(Anchor(side, index, next(found[side, index])) for side, index, _ in anchors)

    annotations = [one.annotation for one in counted]
    if not doubts:
        return annotations, doubts
    return [
        replace(one, claim=moved(one.claim), evidence=moved(one.evidence)) for one in annotations
    ], doubts
