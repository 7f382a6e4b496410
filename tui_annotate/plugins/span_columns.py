"""Spans that a column of a table holds: quoted texts, offsets, or lists of them, with labels."""

from __future__ import annotations

import ast
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.offsets import OffsetMap, grapheme_map, utf16_map
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.provenance import parse_score
from tui_annotate.domain.records import SPAN_REFUSED, OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.quote_location import list_occurrences
from tui_annotate.plugins.files.json_values import SURROGATE
from tui_annotate.plugins.incomplete_work import mark_incomplete
from tui_annotate.plugins.json_records import make_row_id, number_repeated, parse_label
from tui_annotate.plugins.offset_units import CODE_POINTS, GRAPHEMES
from tui_annotate.plugins.offset_units import UTF16 as UTF16_UNITS
from tui_annotate.plugins.protocols import CODEPOINT, GRAPHEME, UTF16, ImportOptions, SpanUse
from tui_annotate.plugins.record_validation import (
    check_span,
    describe_value,
    get_field,
    imported_person,
    make_problem,
    parse_identifier,
    shorten_quote,
)
from tui_annotate.plugins.row_groups import GroupedRow
from tui_annotate.plugins.text_lists import parse_text_list

ANNOTATOR: Final = "pairs"
"""Annotator id and format name of all annotations that are read from columns of spans."""
SPAN_MISSING: Final = "span-missing"
SPAN_AMBIGUOUS: Final = "span-ambiguous"
_JUDGEMENT: Final = "<sep>"
"""Text between a quote and its label in UHGEval; a note can follow the label after a comma."""
_COMMA: Final = re.compile("[,，]")
_OFFSETS: Final = re.compile(r"(\d{1,15}):(\d{1,15})")
_NUMBERED: Final = re.compile(r"(.+)#(\d{1,9})", re.DOTALL)
_SPANS: Final = re.compile(
    r"""\s*\[\s*(?:\{\s*["'].*["'](?:start|end)(?:_offset)?["']\s*:|\[\s*\d+\s*,\s*\d+)""",
    re.DOTALL,
)
"""Start of a cell with a list of spans that have offsets."""
_QUOTED: Final = re.compile(r""""(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?""", re.DOTALL)
"""Text in quotes, perhaps cut."""
CUT_HINT: Final = (
    "a spreadsheet program cuts long cells: import the file from which the table was made"
)
_FORMS: Final = "write a quote, [quote, number of its occurrence], or [start, end]"


_EMPTY_MARKERS: Final = frozenset({"", "null", "none", "nan", "na", "n/a", "#n/a", "<na>"})
"""Cells without a value, as databases and pandas write them, in lower case."""
_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "quote": ("quote", "text", "span"),
    "occurrence": ("occurrence",),
    "start": ("start", "start_offset"),
    "end": ("end", "end_offset"),
    "label": ("label", "labels", "label_type", "annotation"),
    "note": ("note", "meta"),
}
"""Names of the fields of a span object: our own first, then those of other programs."""
_SCORES: Final = ("prob", "probability", "score", "confidence")
"""Names of the field with a machine's probability; Mu-SHROOM has the first one."""


class _Cell(NamedTuple):
    """A span as a column gives it; `occurrence` is the number of the quote's occurrence, from 1."""

    quote: Any = None
    occurrence: Any = None
    start: Any = None
    end: Any = None
    label: Any = None
    note: Any = None


class _Found(NamedTuple):
    anchor: Anchor
    labels: tuple[LabelPath, ...]
    note: str
    score: float | None = None
    person: str = ANNOTATOR


def add_spans(
    record: Record, rows: Sequence[GroupedRow], options: ImportOptions
) -> Iterator[Record | Problem]:
    """Yield a sample with the spans of its rows, then a warning for each span that is not found.

    Each person of a row completed the sample, also without a span, unless the table has no column
    of spans; people with a refused span are in progress. Spans that become suggestions are checked,
    but the sample does not contain them.

    Raises:
        InvalidInput: a row lacks one of the columns, or the name of a person is invalid.
    """
    if not (options.has_spans or options.person_column):
        yield record
        return
    reader = _SpanReader(record.sample, options.span_side)
    found: list[_Found] = []
    people: dict[str, None] = {}
    problems: list[Problem] = []
    refused: dict[str, None] = {}
    for row in rows:
        person = _read_person(row.fields, options)
        if options.person_column and person == ANNOTATOR:
            message = (
                f"the column {options.person_column!r} has no person: the row counts as work of"
                f" {ANNOTATOR!r}"
            )
            hint = "fill the cell, or remove the row"
            problems.append(Problem(row.where, message, hint, refused=False))
        people[person] = None
        found += [one._replace(person=person) for one in reader.read(row.fields, options)]
        if reader.errors:
            refused[person] = None
        problems += reader.take_problems(row.where, options)
    # Without a column of spans, nothing is known of what a person marked.
    if options.has_spans and options.spans_as is SpanUse.ANNOTATIONS:
        record = replace(
            record,
            annotations=tuple(reader.annotations(found)),
            assignments=tuple(Assignment(person, State.DONE) for person in people),
            people=tuple(imported_person(person) for person in people),
        )
        record = mark_incomplete(record, refused, problems)
    yield record
    yield from problems


def _read_person(fields: Mapping[str, Any], options: ImportOptions) -> str:
    if not options.person_column:
        return ANNOTATOR
    value = get_field(fields, options.person_column, option="--person-column")
    if _is_blank(value, options):
        return ANNOTATOR
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    # Spaces around a name would make a second person, who looks like the first.
    return parse_identifier(value.strip() if isinstance(value, str) else value, what="person")


@dataclass(frozen=True, slots=True)
class _SpanReader:
    """Reader of the spans of one row; `errors` are those of spans that were not found.

    Attributes:
        unread: numbers of spans with fields that annotations cannot hold.
        scores: those of these fields that were read as scores.
    """

    sample: Sample
    side: Side
    errors: list[InvalidInput] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)
    scores: set[str] = field(default_factory=set)

    def take_problems(self, where: str, options: ImportOptions) -> Iterator[Problem]:
        """Yield a warning for each span that was not found, and for each field that is not read."""
        for error in self.errors:
            problem = make_problem(where, error)
            yield replace(problem, refused=False, code=problem.code or SPAN_REFUSED)
        column = options.span_column
        for name, count in self.unread.items():
            is_score = name in self.scores
            if is_score and options.spans_as is SpanUse.SUGGESTIONS:
                continue
            message = (
                f"column {column!r}: skipped the field {name!r} of {format_count(count, 'span')}"
            )
            hint = "to import the scores of spans, pass --spans-as suggestions" if is_score else ""
            yield Problem(where, message, hint, refused=False, code="fields-dropped")
        self.errors.clear()
        self.unread.clear()
        self.scores.clear()

    def read(self, fields: Mapping[str, Any], options: ImportOptions) -> Iterator[_Found]:
        if options.start_column:
            yield from self._read_offsets(fields, options)
            return
        if not options.span_column:
            return
        cell = get_field(fields, options.span_column, option="--span-column")
        groups = [] if self._is_empty(cell, options) else _list_groups(cell)
        labels: list[Any] = [None] * len(groups)
        if options.span_label_column:
            labels = self._align_labels(fields, options.span_label_column, len(groups))
        for group, label in zip(groups, labels, strict=True):
            for value in group:
                try:
                    yield self._find(value, label, options)
                except InvalidInput as error:
                    self.errors.append(error)

    def _is_empty(self, cell: Any, options: ImportOptions) -> bool:
        """Return whether a cell has no span; a word such as `None` in the text is a quote."""
        if cell == options.empty_marker:
            return True
        texts = (document.text for document in self.sample.side(self.side))
        return _is_blank(cell, options) and not (
            isinstance(cell, str) and cell.strip() and any(cell in text for text in texts)
        )

    def _read_offsets(self, fields: Mapping[str, Any], options: ImportOptions) -> Iterator[_Found]:
        """Yield the span of a row with its offsets in two columns, and perhaps its quote."""
        first = get_field(fields, options.start_column, option="--start-column")
        last = get_field(fields, options.end_column, option="--end-column")
        quote = label = None
        if options.span_column:
            quote = get_field(fields, options.span_column, option="--span-column")
            quote = None if self._is_empty(quote, options) else number_as_text(quote)
        if options.span_label_column:
            label = get_field(fields, options.span_label_column, option="--span-label-column")
            label = None if _is_blank(label, options) else label
        both = (options.start_column, options.end_column)
        try:
            with _name_columns(options.start_column):
                start = None if _is_blank(first, options) else _parse_offset(first)
            with _name_columns(options.end_column):
                end = None if _is_blank(last, options) else _parse_offset(last)
            is_nothing = start is None or end is None or max(start, end) < 0
            if is_nothing and quote is not None:
                yield self._find(quote, label, options)
            elif start is None or end is None:
                if start is not None or end is not None:
                    with _name_columns(*both):
                        raise InvalidInput(f"the span has only one offset: {first!r}, {last!r}")
            elif not is_nothing:
                text = self.sample.side(self.side)[0].text
                with _name_columns(*both):
                    span = _convert_offsets(text, start, end, quote=quote, options=options)
                with _name_columns(options.span_label_column):
                    labels = _parse_labels(label)
                yield _Found(Anchor(self.side, 0, span), labels, "")
        except InvalidInput as error:
            self.errors.append(error)

    def _align_labels(self, fields: Mapping[str, Any], column: str, count: int) -> list[Any]:
        value = parse_literal(get_field(fields, column, option="--span-label-column"))
        labels = value if isinstance(value, list) else [value]
        if count and len(labels) not in {0, 1, count}:
            self.errors.append(
                InvalidInput(
                    f"column {column!r}: the spans have no label, because the column has"
                    f" {len(labels)} labels for {count} spans",
                    "give one label for all spans, or one label for each span",
                    code="labels-unequal",
                )
            )
            labels = []
        if len(labels) == count:
            return labels
        return (labels or [None]) * count  # one label is that of all spans

    def _find(self, value: Any, label: Any, options: ImportOptions) -> _Found:
        """Return the span of a value of the column of spans; `label` is that of another column."""
        texts = [document.text for document in self.sample.side(self.side)]
        with _name_columns(options.span_column):
            cell = _read_cell(value, "\0".join(texts))
            score = self._read_score(value)
            if cell.start is not None or cell.end is not None:
                anchor = Anchor(self.side, 0, _find_span(texts[0], cell, options))
            else:
                anchor = _find_quote(cell, texts, self.side)
            note = cell.note or ""
            if not isinstance(note, str):
                raise InvalidInput(f"the note of a span is {describe_value(note)}, not text")
            _refuse_surrogates([note])
        with _name_columns(options.span_column if cell.label else options.span_label_column):
            labels = _parse_labels(cell.label or label)
        return _Found(anchor, labels, note, score)

    def _read_score(self, value: Any) -> float | None:
        """Return the score of a span, and count the fields of its object that are not read."""
        if not isinstance(value, dict):
            return None
        known = {name for names in _FIELDS.values() for name in names}
        self.unread.update(str(name) for name in value if name not in known)
        for name in _SCORES:
            if value.get(name) is None:
                continue
            with suppress(ValueError):
                score = parse_score(value[name])
                self.scores.add(name)
                return score
        return None

    def annotations(self, found: list[_Found]) -> Iterator[OwnedAnnotation]:
        rows = (
            {
                "span": _row_of_anchor(one.anchor),
                "labels": one.labels,
                "note": one.note,
                **({} if one.person == ANNOTATOR else {"person": one.person}),
            }
            for one in found
        )
        for (times, row), one in zip(number_repeated(rows), found, strict=True):
            anchors = (one.anchor,)
            yield OwnedAnnotation(
                one.person,
                Annotation(
                    make_row_id(self.sample.key, times, row),
                    claim=anchors if self.side is Side.SUMMARY else (),
                    evidence=anchors if self.side is Side.SOURCE else (),
                    labels=one.labels,
                    note=one.note,
                    origin=f"imported:{ANNOTATOR}",
                ),
                one.score,
            )


def parse_literal(value: Any) -> Any:
    """Return the list or object that a text contains as JSON or as Python's text of a list."""
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        for parse in (json.loads, ast.literal_eval):
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                found = parse(value.strip())
                if isinstance(found, list | dict):
                    return found
    return value


def is_cut_span_list(value: Any) -> bool:
    """Return whether a cell begins as a list of spans with offsets, but is no list.

    A text whose brackets are closed before its end only begins like a list.
    """
    if not isinstance(value, str) or not _SPANS.match(value):
        return False
    if value.rstrip().endswith("]"):
        return not isinstance(parse_literal(value), list)
    bare = _QUOTED.sub("", value)
    return bare.count("[") > bare.count("]")


def describe_cut_spans(cell: str) -> str:
    """Return the message for a cell for which `is_cut_span_list` is true."""
    return f"the list of spans {shorten_quote(cell)} is cut or invalid"


def _list_groups(cell: Any) -> list[list[Any]]:
    """Return the spans of a cell in groups; the spans of a nested list form one group."""
    value = parse_literal(cell)
    if _is_missing(value) or (isinstance(value, str) and not value.strip()):
        return []
    if not isinstance(value, list) or _is_pair(value):
        return [[value]]
    return [each if isinstance(each, list) and not _is_pair(each) else [each] for each in value]


def _is_missing(value: Any) -> bool:
    """Return whether a value is null, or NaN, as pandas writes a missing value."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _is_blank(value: Any, options: ImportOptions) -> bool:
    """Return whether a cell is empty, or has a marker such as `NULL` for no value."""
    if _is_missing(value) or value == options.empty_marker:
        return True
    return isinstance(value, str) and value.strip().casefold() in _EMPTY_MARKERS


def _parse_offset(value: Any) -> int:
    """Return an offset of a cell, which a spreadsheet or pandas may have made a float or text."""
    try:
        number = float(value) if isinstance(value, str) else value
        if isinstance(number, float) and number.is_integer():
            number = int(number)
    except ValueError:
        number = None
    if not isinstance(number, int) or isinstance(number, bool):
        raise InvalidInput(
            f"the offset of a span is {value!r}, not an integer",
            "write the offset as a whole number, counted in code points",
        )
    return number


class _CountedSpan(NamedTuple):
    """Offsets of a span as a file counts them from 0, and its quote; None without a quote."""

    start: int
    end: int
    quote: str | None


_UNIT_NAMES: Final[Mapping[str, str]] = {
    CODEPOINT: CODE_POINTS,
    UTF16: UTF16_UNITS,
    GRAPHEME: GRAPHEMES,
}


@dataclass(slots=True)
class OffsetEvidence:
    """Counts how the quotes of a table show that offsets are counted.

    Quotes show whether the end of a span is its last character, and in which unit offsets are
    counted. A span with a quote that fits in one way needs no other evidence; a span without a
    quote is read as the quotes show.
    """

    _inclusive: int = 0
    _exclusive: int = 0
    _units: Counter[frozenset[str]] = field(default_factory=Counter)
    """Numbers of quotes by the units that they fit."""
    _without_quote: int = 0
    _unclear_units: int = 0
    """Number of spans without a quote to which the units give different positions."""
    _where: str = ""
    _where_unit: str = ""

    def add(self, fields: Mapping[str, Any], options: ImportOptions, *, where: str) -> bool:
        """Count the offsets of a row; ignore invalid ones.

        Return whether the row has a span that is read as the quotes of other rows show: it has no
        quote, or its quote fits in several ways with different positions.
        """
        texts = _list_side_texts(fields, options)
        if not texts:
            return False
        depends = False
        for span in _list_counted_spans(fields, texts, options):
            depends |= self._add_span(texts[0], span, options, where=where)
        return depends

    def _add_span(
        self, text: str, given: _CountedSpan, options: ImportOptions, *, where: str
    ) -> bool:
        if not given.quote:
            self._without_quote += 1
            self._unclear_units += _has_several_units(text, options)
            return True
        units = {CODEPOINT, UTF16, options.offsets or CODEPOINT}
        shown = {
            (unit, is_inclusive): span
            for unit in units
            for is_inclusive in (False, True)
            if (span := _locate(text, given.start, given.end + is_inclusive, unit=unit))
            and span.of(text) == given.quote
        }
        if not shown:
            return False
        ends = {is_inclusive for _, is_inclusive in shown}
        fitting = frozenset(unit for unit, _ in shown)
        self._exclusive += ends == {False}
        self._inclusive += ends == {True}
        if fitting != units:
            self._units[fitting] += 1
        if ends == {True}:
            self._where = self._where or where
        if (options.offsets or CODEPOINT) not in fitting:
            self._where_unit = self._where_unit or where
        return len({*shown.values()}) > 1

    def decide(self, options: ImportOptions) -> ImportOptions:
        """Return the options with what the quotes show; spans without a quote follow them.

        What the user states decides. If the quotes disagree and the user states nothing, spans
        without a quote are refused.
        """
        if options.end_inclusive is None and self._inclusive:
            if self._exclusive:
                options = replace(options, ends_unclear=self._describe_ends(options))
            else:
                options = replace(options, end_inclusive=True)
        others = self._other_units(options)
        if options.offsets or not others:
            return options
        if self._fitting(CODEPOINT):
            return replace(options, units_unclear=self._describe_units(options))
        return replace(options, offsets=others[0])

    def _other_units(self, options: ImportOptions) -> list[str]:
        """Return the units of quotes that do not fit the stated or usual unit, the best first."""
        usual = options.offsets or CODEPOINT
        others = Counter(
            unit
            for units, count in self._units.items()
            if usual not in units
            for unit in sorted(units)
            for _ in range(count)
        )
        return [unit for unit, _ in others.most_common()]

    def _fitting(self, unit: str) -> int:
        """Return the number of quotes that fit a unit, and not every unit."""
        return sum(count for units, count in self._units.items() if unit in units)

    def _describe_ends(self, options: ImportOptions) -> str:
        return (
            f"the end of a span without a quote is unclear: quotes of column"
            f" {options.span_column!r} end at the offset of the end ({self._inclusive:,}) or"
            f" before it ({self._exclusive:,})"
        )

    def _describe_units(self, options: ImportOptions) -> str:
        return (
            f"the unit of the offsets of a span without a quote is unclear: quotes of column"
            f" {options.span_column!r} fit UTF-16 units ({self._fitting(UTF16):,}) or code points"
            f" ({self._fitting(CODEPOINT):,})"
        )

    def warn(self, options: ImportOptions) -> Iterator[Problem]:
        """Yield a warning for each choice that the quotes made in place of the user.

        `options` are those of the user. A choice that agrees with them, or that concerns only spans
        with a quote and that the user did not state, has no warning.
        """
        is_stated = options.end_inclusive is not None
        if not is_stated and self._inclusive and not self._exclusive and self._without_quote:
            message = (
                f"quotes of the column {options.span_column!r} end at the offset of the end"
                f" ({self._inclusive:,}): so do spans without a quote ({self._without_quote:,})"
            )
            hint = "if the offset of the end is the one after the last character: --end-exclusive"
            yield Problem(self._where, message, hint, refused=False)
        yield from self._warn_of_units(options)

    def _warn_of_units(self, options: ImportOptions) -> Iterator[Problem]:
        others = self._other_units(options)
        if not others:
            return
        usual = options.offsets or CODEPOINT
        shown = _UNIT_NAMES[others[0]]
        against = sum(count for units, count in self._units.items() if usual not in units)
        follow = 0 if self._fitting(usual) else self._unclear_units
        if options.offsets:
            message = (
                f"the stated unit of the offsets, {_UNIT_NAMES[usual]}, is not used where quotes of"
                f" the column {options.span_column!r} show {shown} ({against:,})"
            )
            if follow:
                message += f"; it is used for spans without a quote ({follow:,})"
            hint = f"if all offsets have the unit of these quotes, state it: --offsets {others[0]}"
            yield Problem(self._where_unit, message, hint, refused=False)
        elif follow:
            message = (
                f"quotes of the column {options.span_column!r} show offsets in {shown}"
                f" ({against:,}): so are spans without a quote counted ({follow:,})"
            )
            hint = f"if this is right, state the unit: --offsets {others[0]}"
            yield Problem(self._where_unit, message, hint, refused=False)


def _list_side_texts(fields: Mapping[str, Any], options: ImportOptions) -> list[str]:
    """Return the texts of a row in which its spans are; offsets count in the first one."""
    names = [options.summary_column]
    if options.span_side is Side.SOURCE:
        names = [options.source_column, options.second_source_column]
    values: list[Any] = []
    for name in filter(None, names):
        value = fields.get(name)
        items = None
        if isinstance(value, list) or (options.list_source and name == options.source_column):
            with suppress(InvalidInput):
                items = parse_text_list(value)
        values += [value] if items is None else items
    return [value for value in values if isinstance(value, str) and value.strip()]


def _list_counted_spans(
    fields: Mapping[str, Any], texts: Sequence[str], options: ImportOptions
) -> Iterator[_CountedSpan]:
    """Yield the spans of a row that have offsets; omit invalid ones."""
    base = options.offset_base
    quote = fields.get(options.span_column) if options.span_column else None
    if options.start_column:
        cells = (fields.get(options.start_column), fields.get(options.end_column))
        if any(_is_blank(cell, options) for cell in cells):
            return
        with suppress(InvalidInput):
            start, end = (_parse_offset(cell) - base for cell in cells)
            if min(start, end) >= 0:  # otherwise, there is no span
                is_blank = _is_blank(quote, options)
                yield _CountedSpan(start, end, None if is_blank else number_as_text(quote))
        return
    if not options.span_column or _is_blank(quote, options):
        return
    for value in chain.from_iterable(_list_groups(quote)):
        with suppress(InvalidInput):
            cell = _read_cell(value, "\0".join(texts))
            if type(cell.start) is int and type(cell.end) is int:
                quoted = number_as_text(cell.quote)
                yield _CountedSpan(
                    cell.start - base, cell.end - base, quoted if isinstance(quoted, str) else None
                )


def _has_several_units(text: str, options: ImportOptions) -> bool:
    """Return whether offsets in a text depend on their unit."""
    units = {UTF16, options.offsets or UTF16} - {CODEPOINT}
    return any(_map_units(text, unit).ends is not None for unit in units)


def _to_code_points(text: str, start: int, end: int, *, unit: str) -> tuple[int, int]:
    """Convert offsets from `CODEPOINT`, `UTF16` or `GRAPHEME` to code points.

    Raises:
        InvalidSpan: an offset in another unit is outside the text, or in a character.
    """
    if unit == CODEPOINT:
        return start, end
    units = _map_units(text, unit)
    return units.to_code_points(start), units.to_code_points(end)


@lru_cache(maxsize=4)
def _map_units(text: str, unit: str) -> OffsetMap:
    """Return the mapping of a text, which all of its spans use."""
    return utf16_map(text) if unit == UTF16 else grapheme_map(text)


def _locate(text: str, start: int, end: int, *, unit: str) -> Span | None:
    """Return the span between two offsets in a unit; None if they are no span of the text."""
    try:
        span = Span(*_to_code_points(text, start, end, unit=unit))
        span.of(text)
    except InvalidInput:
        return None
    return span


def _convert_offsets(
    text: str, start: int, end: int, *, quote: str | None, options: ImportOptions
) -> Span:
    """Return a span of offsets as the options count them.

    Where a quote shows that the end is counted in the other way (with or without the last
    character), or that offsets are counted in the other unit, the quote decides.

    Raises:
        InvalidInput: the offsets do not fit the text, or nothing shows how they are counted.
    """
    if not quote:
        _refuse_unclear(text, options)
    first = start - options.offset_base
    ends = [end - options.offset_base, end - options.offset_base + 1]
    if options.end_inclusive:
        ends.reverse()
    stated = options.offsets or CODEPOINT
    if quote:
        for unit in dict.fromkeys([stated, CODEPOINT, UTF16]):
            for last in ends:
                span = _locate(text, first, last, unit=unit)
                if span and span.of(text) == quote:
                    return span
    try:
        found = _to_code_points(text, first, ends[0], unit=stated)
        return check_span(text, *found, quote=quote, what="span")
    except InvalidInput as error:
        for base in (0, 1):
            fits = quote and text[start - base :].startswith(quote)
            if fits and start >= base != options.offset_base:
                hint = f"the quote fits offsets that are counted from {base}: --offset-base {base}"
                raise InvalidInput(error.message, hint) from error
        raise


def _refuse_unclear(text: str, options: ImportOptions) -> None:
    """Raise InvalidInput if the quotes of the table disagree on how its offsets are counted."""
    if options.ends_unclear:
        raise InvalidInput(
            options.ends_unclear,
            "if the offset of the end is that of the last character, pass --end-inclusive; if it is"
            " the one after it, pass --end-exclusive",
        )
    if options.units_unclear and _has_several_units(text, options):
        raise InvalidInput(
            options.units_unclear,
            "to state the unit of offsets, pass --offsets codepoint or --offsets utf16",
        )


def _find_span(text: str, cell: _Cell, options: ImportOptions) -> Span:
    """Return the span of a cell with offsets.

    Raises:
        InvalidInput: the offsets are not integers, or do not fit the text or the quote.
    """
    if type(cell.start) is not int or type(cell.end) is not int:
        return check_span(text, cell.start, cell.end, quote=cell.quote, what="span")
    quote = number_as_text(cell.quote)
    if quote is not None and not isinstance(quote, str):
        raise InvalidInput(f"the quote of a span is {describe_value(quote)}, not text", _FORMS)
    return _convert_offsets(text, cell.start, cell.end, quote=quote, options=options)


def _is_pair(value: list[Any]) -> bool:
    """Return whether a list is one span: [start, end] or [quote, number], perhaps with a label."""
    has_label = len(value) == 3 and isinstance(value[2], str)
    is_short = len(value) == 2 or has_label
    return is_short and type(value[1]) is int and type(value[0]) in (int, str)


def _read_cell(value: Any, text: str) -> _Cell:
    if isinstance(value, dict):
        given = {
            meaning: next((value[name] for name in names if value.get(name) is not None), None)
            for meaning, names in _FIELDS.items()
        }
        return _Cell(**given)
    if isinstance(value, list) and _is_pair(value):
        first, second, *labels = value
        label = labels[0] if labels else None
        if isinstance(first, str):
            return _Cell(first, second, label=label)
        return _Cell(start=first, end=second, label=label)
    words = number_as_text(value)
    if not isinstance(words, str) or (words is not value and words not in text):
        raise InvalidInput(f"a span is {describe_value(value)}", _FORMS)
    if words not in text and is_cut_span_list(words):
        raise InvalidInput(describe_cut_spans(words), CUT_HINT)
    quote, _, judgement = words.partition(_JUDGEMENT)
    label, note = [*_COMMA.split(judgement, maxsplit=1), ""][:2]  # without a comma, no note
    if quote not in text and (offsets := _OFFSETS.fullmatch(quote.strip())):
        return _Cell(start=int(offsets[1]), end=int(offsets[2]), label=label, note=note)
    if quote not in text and (numbered := _NUMBERED.fullmatch(quote)):
        return _Cell(numbered[1], int(numbered[2]), label=label, note=note)
    return _Cell(quote, label=label, note=note)


def number_as_text(value: Any) -> Any:
    """Return a number as a text, as a spreadsheet shows it; other values as they are."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if is_whole else value)


def _find_quote(cell: _Cell, texts: list[str], side: Side) -> Anchor:
    quote = cell.quote
    number = cell.occurrence
    if not isinstance(quote, str):
        raise InvalidInput(f"the quote of a span is {describe_value(quote)}, not text", _FORMS)
    places = [
        Anchor(side, index, span)
        for index, text in enumerate(texts)
        for span in list_occurrences(quote, text)
    ]
    if not places:
        raise InvalidInput(
            f"the {side} does not contain the text {shorten_quote(quote)}",
            "quote the text exactly, or give offsets: [start, end]",
            code=SPAN_MISSING,
        )
    if number is None and len(places) > 1:
        raise InvalidInput(
            f"the {side} contains {shorten_quote(quote)} {len(places)} times",
            f"add the number of the occurrence, from 1 to {len(places)}: [quote, number]",
            code=SPAN_AMBIGUOUS,
        )
    number = 1 if number is None else number
    if type(number) is not int or not 1 <= number <= len(places):
        raise InvalidInput(
            f"the {side} has no occurrence number {number!r} of {shorten_quote(quote)}",
            f"give a number from 1 to {len(places)}",
            code=SPAN_MISSING,
        )
    return places[number - 1]


def _row_of_anchor(anchor: Anchor) -> list[Any]:
    """Return the part of an annotation's id that names its span; ids of old imports must stay."""
    row = [anchor.side, anchor.span.start, anchor.span.end]
    return [*row, anchor.index] if anchor.index else row


def _parse_labels(value: Any) -> tuple[LabelPath, ...]:
    if not isinstance(value, list) and _is_missing(value):
        return ()
    names = value if isinstance(value, list) else [value]
    if not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"the label of a span is {describe_value(value)}, not text")
    labels = dict.fromkeys(parse_label(name.strip()) for name in names if name.strip())
    _refuse_surrogates(chain.from_iterable(labels))
    return tuple(labels)


def _refuse_surrogates(texts: Iterable[str]) -> None:
    if SURROGATE.search(" ".join(texts)):
        raise InvalidInput(
            "the label or note of a span contains a lone surrogate",
            "correct the program that wrote the text",
        )


@contextmanager
def _name_columns(*columns: str) -> Iterator[None]:
    """Begin the message of an error with the columns whose cells are wrong."""
    try:
        yield
    except InvalidInput as error:
        start = "column " if len(columns) == 1 else "columns "
        named = start + " and ".join(map(repr, columns))
        raise InvalidInput(f"{named}: {error.message}", error.hint, code=error.code) from error
