"""Converts the offsets of another program to code points, by comparing spans with quoted texts.

All spans of a text are converted together, because a program uses one unit for a whole text. A span
that does not fit is refused alone: the other spans of the text are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import cache, partial
from itertools import accumulate
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidInput, InvalidSpan, NotFound
from tui_annotate.domain.offsets import OffsetMap, grapheme_map, utf16_map
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.json_records import Doubt
from tui_annotate.plugins.protocols import CODEPOINT, GRAPHEME
from tui_annotate.plugins.protocols import UTF16 as UTF16_OPTION
from tui_annotate.plugins.record_validation import check_span, shorten_quote

CODE_POINTS: Final = "code points"
UTF16: Final = "UTF-16 units"
GRAPHEMES: Final = "grapheme clusters"
DIFFERENCES_IGNORED: Final = (
    " (differences in white space and in the Unicode form of quoted texts are ignored)"
)
_PLAIN: Final = (CODE_POINTS, UTF16)
_UNIT_OF_OPTION: Final[Mapping[str, str]] = {
    CODEPOINT: CODE_POINTS,
    UTF16_OPTION: UTF16,
    GRAPHEME: GRAPHEMES,
}

_MARK = "\ufeff"
_LARGEST_OFFSET: Final = 2**53
_CARRIAGE_RETURNS: Final = re.compile(r"\r+\n")
_ESCAPED_SPACE: Final = re.compile(r"\\[nrt]")
_ELLIPSES: Final = ("...", "\u2026")
_SHORTEST_START: Final = 10
"""Characters after which the start of a quote identifies the span; after an ellipsis, 3 do."""

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


class FittedSpans(NamedTuple):
    """The spans of a text in code points; None for each span that is refused.

    Attributes:
        unit: unit of the original offsets.
        doubts: the error of each refused span, and a warning for each inexact quote.
    """

    spans: tuple[Span | None, ...]
    unit: str
    doubts: tuple[Doubt, ...] = ()


class _Unit(NamedTuple):
    """A unit in which a file may count offsets, with a function that converts to code points."""

    name: str
    to_code_points: Translation
    feeds: bool = False


class _Fit(IntEnum):
    """How well the text at a span agrees with the text that the file quotes."""

    NONE = 0
    UNQUOTED = 1
    INEXACT = 2
    EXACT = 3


class _Reading(NamedTuple):
    """All spans of a text, read in one unit."""

    unit: _Unit
    fits: tuple[tuple[Span | None, _Fit], ...]
    rank: int
    """0 for the units that a file is most likely to use."""

    @property
    def spans(self) -> tuple[Span | None, ...]:
        return tuple(span for span, _ in self.fits)

    @property
    def is_complete(self) -> bool:
        """Whether no span is refused, and no quote is inexact."""
        return all(fit in (_Fit.EXACT, _Fit.UNQUOTED) for _, fit in self.fits)

    @property
    def exact_spans(self) -> tuple[Span | None, ...]:
        return tuple(None if fit is _Fit.INEXACT else span for span, fit in self.fits)

    def score(self, quoted: Sequence[QuotedSpan]) -> tuple[int, int, int]:
        """Rate the unit by the lengths of the quotes that fit: a long quote fits no other text."""
        lengths = dict.fromkeys(_Fit, 0)
        for (_, fit), one in zip(self.fits, quoted, strict=True):
            lengths[fit] += len(one.quote or " ")
        return lengths[_Fit.EXACT], lengths[_Fit.INEXACT], lengths[_Fit.UNQUOTED]


def fit_offsets(
    text: str, quoted: Sequence[QuotedSpan], *, unit: str = CODE_POINTS, stated: str = ""
) -> FittedSpans:
    """Convert offsets to code points in the unit in which most of the quoted texts fit.

    A span is refused if its offsets do not fit in this unit, or if several units fit equally well
    and give it different positions.

    Args:
        unit: the preferred unit, taken if no unit fits better; empty if none is preferred.
        stated: `codepoint`, `utf16` or `grapheme`: the unit that the user states (`--offsets`). It
            decides unless another unit fits more of the quoted texts exactly, with a warning.
    """
    wanted = _UNIT_OF_OPTION.get(stated, unit)
    if not quoted:
        return FittedSpans((), wanted)
    errors = [_check_type(one) for one in quoted]
    checked = [one for one, error in zip(quoted, errors, strict=True) if error is None]
    chosen = _choose_readings(text, checked, wanted, is_stated=bool(stated))
    agreed = iter(zip(*(reading.fits for reading in chosen), strict=True))
    names = list(dict.fromkeys(reading.unit.name for reading in chosen))
    spans: list[Span | None] = []
    doubts: list[Doubt] = []
    # "code points (each line end counts as ...)" is the stated unit too.
    if stated and not any(name == wanted or name.startswith(f"{wanted} (") for name in names):
        doubts.append(
            f"the stated unit of the offsets, {wanted}, is not used: the quoted texts show that"
            f" they are counted in {' or '.join(names)}"
        )
    for one, error in zip(quoted, errors, strict=True):
        fits = next(agreed) if error is None else ((None, _Fit.NONE),)
        span, fit = fits[0]
        ambiguous = len({each for each, _ in fits}) > 1
        spans.append(None if ambiguous else span)
        if error is not None:
            doubts.append(error)
        elif ambiguous:
            doubts.append(_ambiguous(one, names))
        elif span is None:
            doubts.append(_unfitting(text, one, chosen[0].unit))
        elif fit is _Fit.INEXACT:
            doubts.append(
                f"the {one.what} is kept although the file quotes {shorten_quote(one.quote or '')}"
                f" and its offsets cover {shorten_quote(span.of(text))}"
            )
    return FittedSpans(tuple(spans), names[0], tuple(doubts))


def _choose_readings(
    text: str, quoted: Sequence[QuotedSpan], wanted: str, *, is_stated: bool
) -> list[_Reading]:
    """Return the readings of all spans that fit best; they differ only if the unit is unclear."""
    units = list(_list_units(text))
    if not any(one.quote is not None for one in quoted):
        # Without quotes nothing shows the unit: a span outside the text must not move the others.
        usual = {wanted} if wanted else {CODE_POINTS, UTF16}
        units = [unit for unit in units if unit.name in usual]
    readings: list[_Reading] = []
    for unit in units:
        is_wanted = unit.name == wanted
        is_spare = unit.name == GRAPHEMES and not is_wanted
        if is_spare and any(reading.is_complete for reading in readings):
            break
        fits = tuple(_read_in_unit(text, one, unit) for one in quoted)
        is_usual = is_wanted or unit.name in _PLAIN
        if not is_usual and all(fit is not _Fit.EXACT for _, fit in fits):
            # Inexact quotes fit at many offsets: they alone never show an unusual way to count.
            fits = tuple(
                (None, _Fit.NONE) if fit is _Fit.INEXACT else (span, fit) for span, fit in fits
            )
        is_likely = is_wanted if wanted else unit.name != GRAPHEMES
        reading = _Reading(unit, fits, rank=0 if is_likely else 1)
        if is_wanted and reading.is_complete:
            return [reading]
        readings.append(reading)
    return _choose_best(readings, quoted, stated=wanted if is_stated else "")


def _choose_best(
    readings: list[_Reading], quoted: Sequence[QuotedSpan], *, stated: str
) -> list[_Reading]:
    """Return the readings of which no other one is better; `stated` is the user's unit, if any."""
    best = max(reading.score(quoted) for reading in readings)
    of_user = [reading for reading in readings if stated and reading.unit.name == stated]
    if of_user and of_user[0].score(quoted)[0] == best[0]:
        return of_user  # no quote shows another unit
    readings = [reading for reading in readings if reading.score(quoted) == best]
    rank = min(reading.rank for reading in readings)
    readings = [reading for reading in readings if reading.rank == rank]
    plain = [reading for reading in readings if reading.unit.name in _PLAIN]
    if plain and len({reading.exact_spans for reading in readings}) == 1:
        return plain  # all give the same spans, so the simplest unit is named
    return readings


def _ambiguous(one: QuotedSpan, names: Sequence[str]) -> InvalidInput:
    options = {unit: f"--offsets {option}" for option, unit in _UNIT_OF_OPTION.items()}
    possible = [options[name] for name in names if name in options]
    if len(possible) > 1:
        names = [name for name in names if name in options]  # only these can be stated
    message = f"the unit of the offsets of the {one.what} is ambiguous: {' or '.join(names)}"
    choice = f"choose the unit with {' or '.join(possible)}"
    if not possible:
        choice = "correct the offsets in the file"
    if one.quote is None:
        choice = f"add the quoted texts to the file, or {choice}"
    return InvalidInput(message, choice)


def _unfitting(text: str, one: QuotedSpan, unit: _Unit) -> InvalidInput:
    start, end, quote, what = one
    try:
        start = unit.to_code_points(start)
        end = unit.to_code_points(end)
        check_span(text, start, end, quote=quote, what=what)
    except InvalidSpan as error:
        message = error.message if what in error.message else f"{what}: {error.message}"
        return InvalidSpan(message, error.hint)
    except InvalidInput as error:
        return error
    return InvalidInput(f"the offsets {one.start}:{one.end} of the {what} do not fit the text")


def convert_offsets(
    text: str, quoted: Sequence[QuotedSpan], *, unit: str = CODE_POINTS
) -> ConvertedSpans:
    """Convert offsets to code points, or refuse all spans of a text if one does not fit.

    Args:
        unit: the preferred unit, taken if it fits; empty if exactly one unit must fit.

    Raises:
        InvalidInput: no unit fits all spans, or several units fit and give different spans.
    """
    found = fit_offsets(text, quoted, unit=unit)
    for doubt in found.doubts:
        if isinstance(doubt, InvalidInput):
            raise doubt
    spans = tuple(span for span in found.spans if span is not None)
    return ConvertedSpans(spans, found.unit + (DIFFERENCES_IGNORED if found.doubts else ""))


def _check_type(one: QuotedSpan) -> InvalidInput | None:
    start, end, _, what = one
    if not all(isinstance(at, int) and not isinstance(at, bool) for at in (start, end)):
        return InvalidInput(f"the offsets {start!r}:{end!r} of the {what} are not integers")
    if max(abs(start), abs(end)) > _LARGEST_OFFSET:
        return InvalidSpan(f"{what} has an offset above 2^53")
    return None


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
    clusters = cache(partial(grapheme_map, text))  # finding clusters takes long: only if needed
    yield _Unit(GRAPHEMES, lambda offset: clusters().to_code_points(offset))


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


def _read_in_unit(text: str, one: QuotedSpan, way: _Unit) -> tuple[Span | None, _Fit]:
    try:
        span = Span(way.to_code_points(one.start), way.to_code_points(one.end))
        found = span.of(text)
    except InvalidSpan:
        return None, _Fit.NONE
    if one.quote is None:
        return span, _Fit.UNQUOTED
    expected = one.quote
    if way.feeds:
        found, expected = (_CARRIAGE_RETURNS.sub("\n", each) for each in (found, expected))
    if found == expected:
        return span, _Fit.EXACT
    if _is_nearly(found, expected):
        return span, _Fit.INEXACT
    return None, _Fit.NONE


def _is_nearly(found: str, quote: str) -> bool:
    """Return whether a quote is the text, but for white space, Unicode form and its cut end.

    Label Studio, for example, quotes texts without line ends, or with escaped ones.
    """
    whole = _condense(found)
    for each in (quote, _ESCAPED_SPACE.sub("", quote)):
        wanted = _condense(each)
        if wanted and wanted == whole:
            return True
        start = each.rstrip()
        shortest = _SHORTEST_START
        for ellipsis in _ELLIPSES:
            if start.endswith(ellipsis):
                start = start.removesuffix(ellipsis)
                shortest = len(_ELLIPSES[0])
        start = _condense(start)
        if len(start) >= shortest and whole.startswith(start):
            return True
    return False


def _condense(text: str) -> str:
    return "".join(normalize("NFKC", text).split())


class CountedAnnotation(NamedTuple):
    """An annotation with offsets in a file's unit, and the texts that the file quotes for it."""

    annotation: Annotation
    quotes: Sequence[str | None]
    name: str


def convert_annotations(
    counted: Sequence[CountedAnnotation], sample: Sample, *, stated: str = ""
) -> tuple[list[Annotation | None], list[Doubt]]:
    """Convert annotations' offsets to code points; None for an annotation with a refused span.

    Also return the errors of refused spans, and a warning per converted text; see `fit_offsets`.
    """
    quoted: dict[tuple[Side, int], list[QuotedSpan]] = {}
    for annotation, quotes, name in counted:
        for (side, index, span), quote in zip(annotation.anchors, quotes, strict=True):
            one = QuotedSpan(span.start, span.end, quote, f"{side} span of {name}")
            quoted.setdefault((side, index), []).append(one)
    doubts: list[Doubt] = []
    found: dict[tuple[Side, int], Iterator[Span | None]] = {}
    for (side, index), spans in quoted.items():
        try:
            text = sample.document(side, index).text
        except NotFound as error:
            doubts += [InvalidInput(f"{one.what}: {error.message}") for one in spans]
            found[side, index] = iter([None] * len(spans))
            continue
        read = fit_offsets(text, spans, stated=stated)
        found[side, index] = iter(read.spans)
        doubts += read.doubts
        if read.unit != CODE_POINTS:
            doubts.append(f"the offsets of the {side} are counted in {read.unit}")
    return [_move(one.annotation, found) for one in counted], doubts


def _move(
    annotation: Annotation, found: Mapping[tuple[Side, int], Iterator[Span | None]]
) -> Annotation | None:
    spans = [next(found[side, index]) for side, index, _ in annotation.anchors]
    if None in spans:
        return None
    anchors = tuple(
        Anchor(side, index, span)
        for (side, index, _), span in zip(annotation.anchors, spans, strict=True)
        if span is not None
    )
    count = len(annotation.claim)
    return replace(annotation, claim=anchors[:count], evidence=anchors[count:])
