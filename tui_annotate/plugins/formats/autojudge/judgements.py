"""Judgements of reports, documents and citations: parsed from a file, added to samples."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, InvalidSpan
from tui_annotate.domain.offsets import grapheme_map, utf16_map
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.records import SPAN_REFUSED, OwnedAnnotation, Problem, Record
from tui_annotate.domain.report_collections import NOT_RATED, PASSAGE
from tui_annotate.domain.samples import Sample, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.formats.autojudge.reports import (
    FORMAT,
    ReportDocument,
    RunReport,
    bad_field,
    object_of,
    read_exported_report,
    read_page,
    text_of,
)
from tui_annotate.plugins.incomplete_work import mark_incomplete, name_people_in_progress
from tui_annotate.plugins.json_records import Doubt, enum_field, keep_field, make_row_id
from tui_annotate.plugins.protocols import CODEPOINT, UTF16
from tui_annotate.plugins.record_validation import (
    describe_value,
    imported_person,
    parse_identifier,
)

_LINE_FIELDS: Final = ("rating", "comment", "spans")
"""Fields that every line with a judgement has and that no line with a report has."""
_WORK_FIELD: Final = "worked"
"""Field of a judgement in a shared table: time of the last change, and the sample's state."""
_REPORT_FIELDS: Final = frozenset({"metadata", "responses", "answer"})


def is_line(value: Any) -> bool:
    """Return whether a JSON value is a judgement, even an incomplete one, and not a report."""
    if not isinstance(value, dict):
        return False
    there = [name in value for name in _LINE_FIELDS]
    return all(there) or (any(there) and not is_report(value))


def is_report(value: Any) -> bool:
    """Return whether a JSON value has a field of reports."""
    return isinstance(value, dict) and not _REPORT_FIELDS.isdisjoint(value)


class PersonJudgement(NamedTuple):
    """One person's judgement of a report, document or citation; offsets are in the file's unit."""

    person: str
    where: str
    rating: str
    comment: str
    spans: Mapping[str, list[Any]]
    state: str = State.DONE.value
    is_incomplete: bool = False
    """Whether a part of the line is refused."""


@dataclass(frozen=True, slots=True)
class ItemJudgement:
    """One person's judgement of a report, document or citation.

    `doubts`: warnings, and the errors of spans and fields that the judgement is without.
    """

    dataset: str
    topic: str
    item: str
    judgement: PersonJudgement
    report: RunReport | None = None
    pages: Mapping[str, ReportDocument] = field(default_factory=dict)
    doubts: Sequence[Doubt] = ()


def item_identity(sample: Sample) -> str:
    """Return a key of a judged report, document or citation that is unique within its topic."""
    names = ("team_id", "run_id", "sentence_idx", "docid")
    return json.dumps([sample.kind.value, *map(sample.meta.get, names)])


def parse_judgement(line: Mapping[str, Any], where: str) -> ItemJudgement:
    """Parse one person's judgement of an item; raise InvalidInput for invalid fields."""
    for name in _LINE_FIELDS:
        if name not in line:
            raise bad_field(line, name)
    if "citation" in line or "report_spans" in line:
        return _parse_citation(line, where)
    if "docid" in line or "document" in line:
        key = text_of(line, "docid")
        sides = {"document": "spans"}
        item: tuple[Any, ...] = (SampleKind.DOCUMENT, None, None, None, key)
        page = _read_document(line)
        return _make_judgement(line, item, sides, where=where, pages={key: page})
    report = read_exported_report(line)
    run, team = report.run
    item = (SampleKind.REPORT, team, run, None, None)
    return _make_judgement(line, item, {"report": "spans"}, where=where, report=report)


def _parse_citation(line: Mapping[str, Any], where: str) -> ItemJudgement:
    cited = object_of(line, "citation")
    report = read_exported_report(cited, of="citation")
    place = cited.get("sentence_idx")
    if isinstance(place, bool) or not isinstance(place, int):
        raise bad_field(cited, "sentence_idx", "a whole number", of="citation")
    if not 0 <= place < len(report.sentences):
        raise InvalidInput(
            f"'sentence_idx' is {place}, but the report has {len(report.sentences)} sentences"
        )
    sentence = report.sentences[place]
    key = text_of(cited, "docid") if cited.get("docid") is not None else None
    if key not in (sentence.citations or (None,)):
        raise InvalidInput(
            f"sentence {place} of the report does not cite document {key!r}",
            "check its 'citations'",
        )
    if not sentence.text.strip():
        raise InvalidInput(
            f"sentence {place} of the report is blank: its citations cannot be judged"
        )
    run, team = report.run
    sides = {"document": "spans", "report": "report_spans"}
    item = (SampleKind.CITATION, team, run, place, key)
    return _make_judgement(line, item, sides, where=where, report=report)


def _make_judgement(
    line: Mapping[str, Any],
    item: tuple[Any, ...],
    sides: Mapping[str, str],
    *,
    where: str,
    report: RunReport | None = None,
    pages: Mapping[str, ReportDocument] | None = None,
) -> ItemJudgement:
    topic = text_of(line, "topic_id")
    if report is not None and report.topic != topic:
        raise InvalidInput(
            f"'topic_id' is {topic!r}, but the judged report has the topic {report.topic!r}"
        )
    name = _read_optional(line, "username")
    doubts: list[Doubt] = []
    rating = keep_field(lambda: _read_optional(line, "rating"), "", doubts)
    comment = keep_field(lambda: _read_optional(line, "comment"), "", doubts)
    state = keep_field(lambda: _read_state(line), State.DONE.value, doubts)
    spans = {side: _read_spans(line, key, doubts) for side, key in sides.items()}
    person = parse_identifier(name, what="username") if name else FORMAT
    if state in (State.DONE, State.NEW):
        name_people_in_progress([person], doubts)
    dataset = parse_identifier(text_of(line, "dataset"), what="dataset")
    checked = parse_identifier(topic, what="topic_id")
    judgement = PersonJudgement(
        person,
        where,
        "" if rating == NOT_RATED else rating,
        comment.strip(),
        spans,
        state,
        any(isinstance(doubt, InvalidInput) for doubt in doubts),
    )
    key = json.dumps([item[0].value, *item[1:]])
    return ItemJudgement(dataset, checked, key, judgement, report, pages or {}, doubts)


def _read_document(line: Mapping[str, Any]) -> ReportDocument:
    page = object_of(line, "document")
    try:
        return read_page(page)
    except InvalidInput as error:
        raise InvalidInput(f"'document': {error.message}") from error


def _read_optional(line: Mapping[str, Any], name: str) -> str:
    return "" if line.get(name) is None else text_of(line, name)


def _read_state(line: Mapping[str, Any]) -> str:
    if line.get(_WORK_FIELD) is None:
        return State.DONE.value
    return enum_field(State, object_of(line, _WORK_FIELD).get("state"), what="state").value


def _read_spans(line: Mapping[str, Any], name: str, doubts: list[Doubt]) -> list[Any]:
    def list_spans() -> list[Any]:
        if not isinstance(line.get(name), list):
            raise bad_field(line, name, "a list of spans")
        return list(line[name])

    found = []
    spans: list[Any] = keep_field(list_spans, [], doubts)
    for place, each in enumerate(spans):
        try:
            found.append(_read_span(each))
        except InvalidInput as error:
            doubts.append(InvalidInput(f"span {place} of {name!r}: {error.message}", error.hint))
    return found


def _read_span(value: Any) -> list[Any]:
    if not isinstance(value, dict):
        raise InvalidInput(f"the span is {describe_value(value)}, not a JSON object")
    for name in ("start", "end"):
        if isinstance(value.get(name), bool) or not isinstance(value.get(name), int):
            raise bad_field(value, name, "a whole number")
    start = value["start"]
    end = value["end"]
    if not isinstance(text := value.get("text"), str | None):
        raise bad_field(value, "text")
    if not 0 <= start < end < 2**53:
        raise InvalidInput(f"the span {start}:{end} is empty or out of range")
    return [start, end, text]


_SIDES = {"report": Side.SUMMARY, "document": Side.SOURCE}
_OFFSET_HINT = (
    "check that the offsets belong to this text, and that their unit (code points or UTF-16 units)"
    " is correct"
)
_LIKELY_UNITS: Final = (CODEPOINT, UTF16)
_BYTE_ORDER_MARK = "\ufeff"
"""Unicode's byte order mark, which other programs treat as white space."""


def add_judgements(
    record: Record, judgements: Iterable[PersonJudgement], *, offsets: str = ""
) -> Iterator[Record | Problem]:
    """Yield a sample with its judgements, then a problem for each span that it is without.

    `offsets` is the unit that the user states for the spans; see `convert_spans`.
    """
    annotations: list[OwnedAnnotation] = []
    works: list[Assignment] = []
    problems: list[Problem] = []
    places: list[str] = []
    refused: list[str] = []
    for one in judgements:
        found, doubts, warnings = _make_annotations(record.sample, one, offsets)
        annotations += found
        works.append(Assignment(one.person, State(one.state), one.rating, one.comment))
        places.append(one.where)
        if doubts or one.is_incomplete:
            refused.append(one.person)
        problems += (
            Problem(one.where, *doubt, refused=False, code=SPAN_REFUSED) for doubt in doubts
        )
        problems += (Problem(one.where, warning, refused=False) for warning in warnings)
    people = tuple(imported_person(work.person) for work in works)
    where = places[0] if len(places) == 1 else ""
    if len(places) > 1:
        named = zip(places, works, strict=True)
        where = ", ".join(f"{place} ({work.person})" for place, work in named)
    where = where or record.where
    found_record = Record(record.sample, tuple(annotations), tuple(works), people, where)
    yield mark_incomplete(found_record, refused, problems)
    yield from problems


def _make_annotations(
    sample: Sample, judgement: PersonJudgement, offsets: str
) -> tuple[list[OwnedAnnotation], list[tuple[str, str]], list[str]]:
    """Return a judgement's annotations, the message and hint of each refused span, and warnings."""
    found: list[OwnedAnnotation] = []
    doubts: list[tuple[str, str]] = []
    warnings: list[str] = []
    blank = 0
    for name, spans in judgement.spans.items():
        side = _SIDES[name]
        if not spans:
            continue
        if not sample.side(side):
            doubts.append((f"skipped {format_count(len(spans), 'span')} of a missing {name}", ""))
            continue
        text = sample.document(side).text
        try:
            fitting, others, unit = convert_spans(text, spans, offsets=offsets)
        except InvalidInput as error:
            skipped = f"skipped {format_count(len(spans), 'span')} of the {name}: {error.message}"
            doubts.append((skipped, error.hint))
            continue
        if offsets and unit != offsets:
            warnings.append(describe_other_unit(name, stated=offsets, used=unit))
        for start, end, quote in others:
            what = f"span {start}:{end} of the {name} is skipped: it is outside the text"
            if quote is not None:
                what = f"span {start}:{end} of the {name} is skipped: its text is not {quote!r:.60}"
            doubts.append((what, _OFFSET_HINT))
        for span in fitting:
            trimmed = span.trim(text)
            if trimmed is None:
                blank += 1
            else:
                anchor = Anchor(side, 0, trimmed)
                found.append(_make_annotation(sample, judgement.person, anchor))
    if blank:
        doubts.append((f"skipped {format_count(blank, 'span')} that contain only white space", ""))
    return list(dict.fromkeys(found)), doubts, warnings


def _make_annotation(sample: Sample, person: str, anchor: Anchor) -> OwnedAnnotation:
    side, _, span = anchor
    key = make_row_id((sample.dataset, sample.id), 0, [person, side.value, span.start, span.end])
    claim, evidence = ((anchor,), ()) if side is Side.SUMMARY else ((), (anchor,))
    origin = f"imported:{FORMAT}"
    return OwnedAnnotation(
        person, Annotation(key, claim, evidence, labels=(PASSAGE,), origin=origin)
    )


class JudgedSpans(NamedTuple):
    """Spans in code points, the given spans that match in no way, and the unit that was used."""

    spans: list[Span]
    refused: list[Sequence[Any]]
    unit: str


def convert_spans(text: str, spans: Sequence[Any], *, offsets: str = "") -> JudgedSpans:
    """Convert spans (start, end, quote) to code points.

    `offsets` is the unit that the user states. It decides unless more spans match their quotes in
    another unit. If it is empty, the unit is chosen in which most spans match.

    Raises:
        InvalidInput: no unit is stated, and in both units equally many spans match, with different
            results.
    """
    units = dict.fromkeys([offsets, *_LIKELY_UNITS] if offsets else _LIKELY_UNITS)
    ways = {unit: _read_in_unit(text, spans, unit) for unit in units}
    if offsets:
        matches = {unit: _count_quotes(spans, found) for unit, found in ways.items()}
        most = max(matches.values())
        shown = [offsets] if matches[offsets] == most else list(ways)
        ways = {unit: ways[unit] for unit in shown if matches[unit] == most}
    fewest = min(found.count(None) for found in ways.values())
    best = {unit: found for unit, found in ways.items() if found.count(None) == fewest}
    unit, *others = best
    if any(best[other] != best[unit] for other in others):
        every = (
            "the unit of the offsets is unclear: all spans match the text, both with offsets in"
            " code points and with offsets in UTF-16 units"
        )
        some = (
            "the unit of the offsets is unclear: equally many spans match the text with offsets in"
            " code points and with offsets in UTF-16 units"
        )
        raise InvalidInput(
            some if fewest else every,
            "choose the unit with --offsets codepoint or --offsets utf16",
        )
    refused = [given for given, span in zip(spans, best[unit], strict=True) if span is None]
    return JudgedSpans([span for span in best[unit] if span is not None], refused, unit)


def _count_quotes(spans: Sequence[Any], found: Sequence[Span | None]) -> int:
    """Return how many spans match the texts that the file quotes for them."""
    pairs = zip(spans, found, strict=True)
    return sum(given[2] is not None and span is not None for given, span in pairs)


def describe_other_unit(what: str, *, stated: str, used: str) -> str:
    """Return the warning that the quotes of a text's spans show another unit than the stated."""
    return (
        f"the offsets of the {what} are counted in {used}, as the quoted texts show, and not in"
        f" {stated}"
    )


def _read_in_unit(text: str, spans: Sequence[Any], way: str) -> list[Span | None]:
    to_code_points: Callable[[int], int] = int
    if way != CODEPOINT:
        units = utf16_map(text) if way == UTF16 else grapheme_map(text)
        to_code_points = units.to_code_points
    found: list[Span | None] = []
    for start, end, quote in spans:
        try:
            span = Span(to_code_points(start), to_code_points(end))
            covered = span.of(text)
        except InvalidSpan:
            found.append(None)
            continue
        fits = quote is None or _strip_marks(covered) == _strip_marks(quote)
        found.append(span if fits else None)
    return found


def _strip_marks(text: str) -> str:
    return text.strip().strip(_BYTE_ORDER_MARK).strip()
