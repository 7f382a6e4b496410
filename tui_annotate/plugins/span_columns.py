"""Spans that a column of a table holds: quoted texts, offsets, or lists of them, with labels."""

from __future__ import annotations

import ast
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final, NamedTuple

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.provenance import parse_score
from tui_annotate.domain.records import SPAN_REFUSED, OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.methods.quote_location import list_occurrences
from tui_annotate.plugins.files.json_values import SURROGATE
from tui_annotate.plugins.json_records import make_row_id, number_repeated, parse_label
from tui_annotate.plugins.protocols import ImportOptions, SpanUse
from tui_annotate.plugins.record_validation import (
    check_span,
    describe_value,
    get_field,
    imported_person,
    make_problem,
    shorten_quote,
)

ANNOTATOR: Final = "pairs"
"""Annotator id and format name of all annotations that are read from columns of spans."""
SPAN_MISSING: Final = "span-missing"
SPAN_AMBIGUOUS: Final = "span-ambiguous"
_JUDGEMENT: Final = "<sep>"
"""Text between a quote and its label in UHGEval; a note can follow the label after a comma."""
_COMMA: Final = re.compile("[,，]")
_OFFSETS: Final = re.compile(r"(\d{1,15}):(\d{1,15})")
_NUMBERED: Final = re.compile(r"(.+)#(\d{1,9})", re.DOTALL)
_FORMS: Final = "write a quote, [quote, number of its occurrence], or [start, end]"


class _Cell(NamedTuple):
    """A span as a column gives it; `occurrence` is the number of the quote's occurrence, from 1."""

    quote: Any = None
    occurrence: Any = None
    start: Any = None
    end: Any = None
    label: Any = None
    note: Any = None
    score: Any = None


_SCORES: Final = ("prob", "probability", "score", "confidence")
"""Names of the field with a machine's probability; Mu-SHROOM has the first one."""
_READ_FIELDS: Final = frozenset({*_Cell._fields, "text"})


class _Found(NamedTuple):
    anchor: Anchor
    labels: tuple[LabelPath, ...]
    note: str
    score: float | None = None


def add_spans(
    record: Record, fields: Mapping[str, Any], options: ImportOptions
) -> Iterator[Record | Problem]:
    """Yield a sample with the spans of its row, then a warning for each span that is not found.

    Spans that become suggestions are checked, but the sample does not contain them.

    Raises:
        InvalidInput: the row lacks one of the columns.
    """
    if not options.span_column:
        yield record
        return
    reader = _SpanReader(record.sample, options.span_side)
    found = list(reader.read(fields, options))
    if options.spans_as is SpanUse.ANNOTATIONS:
        record = replace(
            record,
            annotations=tuple(reader.annotations(found)),
            assignments=(Assignment(ANNOTATOR, State.DONE),),
            people=(imported_person(ANNOTATOR),),
        )
    yield record
    for error in reader.errors:
        problem = make_problem(record.where, error)
        yield replace(
            problem,
            message=f"column {options.span_column!r}: {problem.message}",
            refused=False,
            code=problem.code or SPAN_REFUSED,
        )
    suggested = options.spans_as is SpanUse.SUGGESTIONS
    for name, count in reader.unread.items():
        if not (suggested and name in reader.scores):
            message = f"skipped the field {name!r} of {format_count(count, 'span')}"
            hint = ""
            if name in reader.scores:
                hint = "to import the scores of spans, pass --spans-as suggestions"
            what = f"column {options.span_column!r}: {message}"
            yield Problem(record.where, what, hint, refused=False)


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

    def read(self, fields: Mapping[str, Any], options: ImportOptions) -> Iterator[_Found]:
        groups = _list_groups(get_field(fields, options.span_column, option="--span-column"))
        labels: list[Any] = [None] * len(groups)
        if options.span_label_column:
            labels = self._align_labels(fields, options.span_label_column, len(groups))
        for group, label in zip(groups, labels, strict=True):
            for value in group:
                try:
                    yield self._find(value, label)
                except InvalidInput as error:
                    self.errors.append(error)

    def _align_labels(self, fields: Mapping[str, Any], column: str, count: int) -> list[Any]:
        value = _parse_literal(get_field(fields, column, option="--span-label-column"))
        labels = value if isinstance(value, list) else [value]
        if count and len(labels) not in {0, 1, count}:
            self.errors.append(
                InvalidInput(
                    "the spans have no label, because the column"
                    f" {column!r} has {len(labels)} labels for {count} spans",
                    "give one label for all spans, or one label for each span",
                    code="labels-unequal",
                )
            )
            labels = []
        return labels if len(labels) == count else (labels or [None]) * count

    def _find(self, value: Any, label: Any) -> _Found:
        texts = [document.text for document in self.sample.side(self.side)]
        cell = _read_cell(value, "\0".join(texts))
        score = self._read_score(value)
        if cell.start is not None or cell.end is not None:
            span = check_span(texts[0], cell.start, cell.end, quote=cell.quote, what="span")
            anchor = Anchor(self.side, 0, span)
        else:
            anchor = _find_quote(cell, texts, self.side)
        note = cell.note or ""
        if not isinstance(note, str):
            raise InvalidInput(f"the note of a span is {describe_value(note)}, not text")
        labels = _parse_labels(cell.label or label)
        if SURROGATE.search(" ".join([note, *chain.from_iterable(labels)])):
            raise InvalidInput(
                "the label or note of a span contains a lone surrogate",
                "correct the program that wrote the text",
            )
        return _Found(anchor, labels, note, score)

    def _read_score(self, value: Any) -> float | None:
        """Return the score of a span, and count the fields of its object that are not read."""
        if not isinstance(value, dict):
            return None
        self.unread.update(value.keys() - _READ_FIELDS | ({"score"} & value.keys()))
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
                "span": [self.side, span.start, span.end, *filter(None, [one.anchor.index])],
                "labels": one.labels,
                "note": one.note,
            }
            for one in found
            for span in [one.anchor.span]
        )
        for (times, row), one in zip(number_repeated(rows), found, strict=True):
            anchors = (one.anchor,)
            yield OwnedAnnotation(
                ANNOTATOR,
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


def _parse_literal(value: Any) -> Any:
    """Return the list or object that a text contains as JSON or as Python's text of a list."""
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        for parse in (json.loads, ast.literal_eval):
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                found = parse(value.strip())
                if isinstance(found, list | dict):
                    return found
    return value


def _list_groups(cell: Any) -> list[list[Any]]:
    """Return the spans of a cell in groups; the spans of a nested list form one group."""
    value = _parse_literal(cell)
    if _is_missing(value) or (isinstance(value, str) and not value.strip()):
        return []
    if not isinstance(value, list) or _is_pair(value):
        return [[value]]
    return [each if isinstance(each, list) and not _is_pair(each) else [each] for each in value]


def _is_missing(value: Any) -> bool:
    """Return whether a value is null, or NaN, as pandas writes a missing value."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _is_pair(value: list[Any]) -> bool:
    return len(value) == 2 and type(value[1]) is int and type(value[0]) in (int, str)


def _read_cell(value: Any, text: str) -> _Cell:
    if isinstance(value, dict):
        given = {name: value.get(name) for name in _Cell._fields}
        return _Cell(**given | {"quote": value.get("quote", value.get("text"))})
    if isinstance(value, list) and _is_pair(value):
        first, second = value
        if isinstance(first, str):
            return _Cell(first, second)
        return _Cell(start=first, end=second)
    if not isinstance(value, str):
        raise InvalidInput(f"a span is {describe_value(value)}", _FORMS)
    quote, _, judgement = value.partition(_JUDGEMENT)
    label, note = [*_COMMA.split(judgement, maxsplit=1), ""][:2]
    if quote not in text and (offsets := _OFFSETS.fullmatch(quote.strip())):
        return _Cell(start=int(offsets[1]), end=int(offsets[2]), label=label, note=note)
    if quote not in text and (numbered := _NUMBERED.fullmatch(quote)):
        return _Cell(numbered[1], int(numbered[2]), label=label, note=note)
    return _Cell(quote, label=label, note=note)


def _find_quote(cell: _Cell, texts: list[str], side: Side) -> Anchor:
    quote, number = cell.quote, cell.occurrence
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


def _parse_labels(value: Any) -> tuple[LabelPath, ...]:
    names = value if isinstance(value, list) else [] if _is_missing(value) else [value]
    if not all(isinstance(name, str) for name in names):
        raise InvalidInput(f"the label of a span is {describe_value(value)}, not text")
    return tuple(dict.fromkeys(parse_label(name.strip()) for name in names if name.strip()))
