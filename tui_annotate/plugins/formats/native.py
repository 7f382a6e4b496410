"""The native format `tui-annotate/1`: JSON lines with one sample per line, without any loss."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.annotations import Annotation, annotation_from_json, annotation_to_json
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.comments import PersonComment, comment_from_json, comment_to_json
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import DatasetDescription, OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side
from tui_annotate.plugins.files.json_values import JsonValue
from tui_annotate.plugins.incomplete_work import list_people_with_less, mark_incomplete
from tui_annotate.plugins.json_records import (
    Doubt,
    Fields,
    check_object,
    description_fields,
    enum_field,
    keep_field,
    keep_list,
    keep_readable,
    list_field,
    object_field,
    read_description,
    read_json_records,
    text_field,
    whole_number_field,
    write_json_line,
)
from tui_annotate.plugins.offset_units import CountedAnnotation, convert_annotations
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions
from tui_annotate.plugins.record_validation import (
    describe_value,
    get_field,
    imported_person,
    parse_document,
    parse_identifier,
)
from tui_annotate.plugins.traits import FormatTraits, carry_all_but

FORMAT = "tui-annotate/1"
_UNNAMEABLE = re.compile("[\x00\ud800-\udfff]")
_KEYS = {
    "format", "dataset", "id", "kind", "group", "request", "meta", "imported", "documents",
    "annotations", "assignments", "people", "about", "questions",
}  # fmt: skip
_LATER_EDITS = "edited_after_adjudication"
_DOCUMENT_KEYS = ("side", "key", "title", "language", "text", "sha256")


class NativeFormat:
    """Importer and exporter of the native format: one JSON object per line and sample.

    A person is described on the first line that names the person, and a dataset on its first line.
    On import, a dataset in the options replaces the dataset in the file.
    """

    name = "native"
    about = FormatTraits(
        title="JSON lines with all data of each sample",
        carried=carry_all_but(),
        marks_later_edits=True,
        carries_questions=True,
    )

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        people: dict[str, Person] = {}
        descriptions: dict[str, DatasetDescription] = {}

        def read(fields: dict[str, Any], value: JsonValue) -> tuple[Record, list[Doubt]]:
            record, doubts = _read_record(fields, people, options.dataset, where=value.where)
            dataset = record.sample.dataset
            if about := read_description(fields):
                descriptions[dataset] = about
            if dataset in descriptions:
                record = replace(record, about=descriptions[dataset])
            if unknown := sorted(set(fields) - _KEYS):
                doubts.append(f"unknown fields skipped: {', '.join(map(repr, unknown))}")
            return record, doubts

        parts = frozenset({"annotations", "assignments"})
        return read_json_records(path, options, read, what="record", parts=parts)

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        del options
        report = ExportReport()
        described: dict[str, Person] = {}
        abouts: dict[str, DatasetDescription] = {}
        for record in records:
            new = [person for person in record.people if described.get(person.id) != person]
            described.update((person.id, person) for person in new)
            line = _record_to_json(record)
            if new:
                line["people"] = [_fields_of(person) for person in new]
            if record.about and abouts.get(record.sample.dataset) != record.about:
                abouts[record.sample.dataset] = record.about
                line |= description_fields(record)
            write_json_line(target, line, report)
            report.records += 1
            report.annotations += len(record.annotations)
        return report


def _record_to_json(record: Record) -> dict[str, Any]:
    sample = record.sample
    texts = {side: [document.text for document in sample.side(side)] for side in Side}
    questions = [comment_to_json(each) for each in record.questions]
    for question in questions:
        del question["dataset"], question["sample"]
    value = {
        "format": FORMAT,
        "dataset": sample.dataset,
        "id": sample.id,
        "kind": sample.kind.value,
        "group": sample.group,
        "request": _fields_of(sample.request),
        "meta": dict(sample.meta),
        "imported": None if sample.imported is None else dict(sample.imported),
        "documents": [
            {name: getattr(one, name) for name in _DOCUMENT_KEYS} for one in sample.documents
        ],
        "annotations": [_owned_to_json(owned, texts) for owned in record.annotations],
        "assignments": [_assignment_to_json(assignment) for assignment in record.assignments],
    }
    if questions:  # files without questions keep the form of older versions
        value["questions"] = questions
    return value


def _owned_to_json(owned: OwnedAnnotation, texts: Mapping[Side, Sequence[str]]) -> dict[str, Any]:
    quotes = [
        texts[side][index][span.start : span.end] for side, index, span in owned.annotation.anchors
    ]
    return {"person": owned.person, **annotation_to_json(owned.annotation), "quotes": quotes}


def _assignment_to_json(assignment: Assignment) -> dict[str, Any]:
    fields = _fields_of(assignment)
    if not assignment.edited_after_adjudication:
        del fields[_LATER_EDITS]  # files without such edits keep the form of older versions
    return fields


def _fields_of(value: Person | Request | Assignment) -> dict[str, Any]:
    """Return a flat dataclass's fields as a dict; `dataclasses.asdict` copies deeply: too slow."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _read_record(
    value: Fields, people: dict[str, Person], dataset: str, *, where: str
) -> tuple[Record, list[Doubt]]:
    if value.get("format") != FORMAT:
        raise InvalidInput(f"the field 'format' is {value.get('format')!r}, not {FORMAT!r}")
    sample = _read_sample(value, dataset)
    doubts: list[Doubt] = []
    listed = keep_readable(_read_person, keep_list(value, "people", doubts), doubts)
    people.update((person.id, person) for person in listed)
    # A refused entry of the list names nobody: it does not refuse that person's work.
    is_list_whole = not doubts

    def find_person(key: str, what: str) -> Person:
        if key in people:
            return people[key]
        if is_list_whole:
            raise InvalidInput(
                f"person {key!r} of the {what} is not in the list 'people'",
                "add the person to the list 'people'",
            )
        return imported_person(parse_identifier(key, what=f"person of the {what}"))

    def read_annotation(item: Any) -> tuple[str, CountedAnnotation]:
        person, counted = _read_annotation(check_object(item, what="annotation"))
        people[person] = find_person(person, f"annotation {counted.annotation.id}")
        return person, counted

    def read_assignment(item: Any) -> Assignment:
        work = _read_assignment(check_object(item, what="assignment"), doubts)
        people[work.person] = find_person(work.person, "assignment")
        return work

    items = keep_list(value, "annotations", doubts)
    read = keep_readable(read_annotation, items, doubts)
    found, converted = convert_annotations([each for _, each in read], sample)
    doubts += converted
    annotations = tuple(
        OwnedAnnotation(person, one)
        for (person, _), one in zip(read, found, strict=True)
        if one is not None
    )
    assignments = tuple(
        keep_readable(read_assignment, keep_list(value, "assignments", doubts), doubts)
    )
    questions = tuple(
        keep_readable(
            lambda item: _read_question(item, sample), keep_list(value, "questions", doubts), doubts
        )
    )
    named = [owned.person for owned in annotations] + [one.person for one in assignments]
    keys = dict.fromkeys([*named, *(person.id for person in listed)])
    mentioned = tuple(people[key] for key in keys)
    record = Record(sample, annotations, assignments, mentioned, where, questions=questions)
    given = [item.get("person") for item in items if isinstance(item, dict)]
    refused = [people[key] for key in list_people_with_less(given, record) if key in people]
    return mark_incomplete(record, refused, doubts), doubts


def _read_question(item: Any, sample: Sample) -> PersonComment:
    fields = check_object(item, what="question")
    return comment_from_json({**fields, "dataset": sample.dataset, "sample": sample.id})


def _objects(value: Fields, name: str) -> list[dict[str, Any]]:
    items = list_field(value, name, [])
    if not all(isinstance(item, dict) for item in items):
        raise InvalidInput(f"{name!r} contains a value that is not a JSON object")
    return items


def _mapping(value: Fields, name: str) -> dict[str, Any]:
    return object_field(value, name) if value.get(name) else {}


def _name(value: Fields, name: str) -> str:
    word = text_field(value, name)
    if found := _UNNAMEABLE.search(word):
        what = f"U+{ord(found.group()):04X} at offset {found.start()}"
        raise InvalidInput(f"{name!r} {word[:40]!r} contains {what}", "remove the character")
    return word


def _read_sample(value: Fields, dataset: str) -> Sample:
    request = _mapping(value, "request")
    documents = tuple(_read_document(item) for item in _objects(value, "documents"))
    if sum(one.side is Side.SUMMARY for one in documents) > 1:
        raise InvalidInput("the sample has more than one summary document")
    if not documents:
        raise InvalidInput("the sample has no documents")
    return Sample(
        parse_identifier(dataset or get_field(value, "dataset", option=""), what="dataset"),
        parse_identifier(get_field(value, "id", option=""), what="id"),
        tuple(sorted(documents, key=lambda one: one.side is Side.SUMMARY)),
        kind=enum_field(SampleKind, text_field(value, "kind", "pair"), what="kind of sample"),
        group=_name(value, "group"),
        request=Request(
            **{name: text_field(request, name) for name in Request.__dataclass_fields__}
        ),
        meta=_mapping(value, "meta"),
        imported=None if value.get("imported") is None else _mapping(value, "imported"),
    )


def _read_document(value: Fields) -> Document:
    word = text_field(value, "side")
    if word not in list(Side):
        raise InvalidInput(f"a document's field 'side' is {word!r}", "use 'source' or 'summary'")
    language = _name(value, "language")
    plain = parse_document(
        value.get("text"), side=Side(word), column=f"{word} text", language=language
    )
    if (expected := value.get("sha256", plain.sha256)) != plain.sha256:
        raise InvalidInput(
            f"the {word} text has SHA-256 {plain.sha256[:12]}..., but the file states {expected!r}",
            "restore the text: it was changed after the export",
        )
    return replace(plain, key=_name(value, "key"), title=text_field(value, "title"))


def _read_person(item: Any) -> Person:
    value = check_object(item, what="person")
    kind = text_field(value, "kind", PersonKind.IMPORTED.value)
    checked = enum_field(PersonKind, kind, what="kind of person")
    key = parse_identifier(value.get("id"), what="id of a person")
    return Person(key, text_field(value, "name", key), checked)


def _read_annotation(value: Fields) -> tuple[str, CountedAnnotation]:
    for name in ("id", "note", "origin", "label_set", "guidelines", "created", "updated"):
        text_field(value, name)
    for name in ("version", "number"):
        whole_number_field(value, name, 0)
    for path in list_field(value, "labels", []):
        if not isinstance(path, list) or not path or not all(isinstance(n, str) for n in path):
            raise InvalidInput(f"label {path!r} is not a list of names")
    if value.get("imported") is not None:
        object_field(value, "imported")
    annotation = annotation_from_json(value)
    parse_identifier(annotation.id, what="id of an annotation")
    quotes = _read_quotes(annotation, value.get("quotes"))
    counted = CountedAnnotation(annotation, quotes, f"annotation {annotation.id}")
    return text_field(value, "person"), counted


def _read_quotes(annotation: Annotation, quotes: Any) -> list[str | None]:
    anchors = annotation.anchors
    name = f"annotation {annotation.id}"
    if quotes is not None and (not isinstance(quotes, list) or len(quotes) != len(anchors)):
        raise InvalidInput(f"{name} must have one quote for each span")
    if not all(isinstance(quote, str | None) for quote in quotes or ()):
        raise InvalidInput(f"{name} has a quote that is not text")
    sides = [Side.SUMMARY] * len(annotation.claim) + [Side.SOURCE] * len(annotation.evidence)
    if [anchor.side for anchor in anchors] != sides:
        raise InvalidInput(f"{name} has a claim outside the summary or evidence outside the source")
    return quotes or [None] * len(anchors)


def _read_assignment(value: Fields, doubts: list[Doubt]) -> Assignment:
    state = text_field(value, "state", State.NEW.value)
    checked = enum_field(State, state, what="state")
    return Assignment(
        text_field(value, "person"),
        checked,
        rating=keep_field(lambda: text_field(value, "rating"), "", doubts),
        comment=keep_field(lambda: text_field(value, "comment"), "", doubts),
        seconds=keep_field(lambda: _read_seconds(value), 0.0, doubts),
        updated=text_field(value, "updated"),
        edited_after_adjudication=value.get(_LATER_EDITS) is True,
    )


def _read_seconds(value: Fields) -> float:
    seconds = value.get("seconds", 0.0)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise InvalidInput(f"'seconds' is {describe_value(seconds)}, not a number")
    if not 0 <= seconds < 1e12:
        raise InvalidInput(f"'seconds' is {seconds!r}, not a duration from 0 to below 1e12")
    return float(seconds)
