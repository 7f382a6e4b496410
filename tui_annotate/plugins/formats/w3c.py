"""W3C web annotations as JSON-LD: a list with one collection per sample, including the texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TextIO, TypeVar
from urllib.parse import quote, unquote

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, InvalidSpan, NotFound
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import DatasetDescription, OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.files.json_values import JsonValue
from tui_annotate.plugins.incomplete_work import list_people_with_less, mark_incomplete
from tui_annotate.plugins.json_records import (
    Doubt,
    Fields,
    check_object,
    check_objects,
    keep_readable,
    list_field,
    object_field,
    read_json_records,
    text_field,
    whole_number_field,
    write_json_array,
)
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.offset_units import CountedAnnotation, convert_annotations
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions
from tui_annotate.plugins.record_validation import describe_value, parse_document, parse_identifier
from tui_annotate.plugins.traits import FormatTraits, RecordTrait, carry_all_but

FORMAT: Final = "w3c"
_TRAITS: Final = FormatTraits(
    title="W3C web annotations (JSON-LD), one collection per sample",
    carried=carry_all_but(
        RecordTrait.TRACE,
        RecordTrait.SETTLED,
        RecordTrait.SUGGESTED,
        RecordTrait.IMPORTED,
    ),
)
_CONTEXT: Final[list[Any]] = [
    "http://www.w3.org/ns/anno.jsonld",
    {
        "tui": "urn:tui-annotate:",
        "tui:meta": {"@type": "@json"},
        "tui:path": {"@container": "@list"},
        "tui:documents": {"@container": "@list"},
    },
]
_CLAIM: Final = "claim"
_EVIDENCE: Final = "evidence"
_SIDES: Final = {_CLAIM: Side.SUMMARY, _EVIDENCE: Side.SOURCE}
"""Maps the role of an annotation's target to the side of the sample that contains the target."""
_SHA256_URN: Final = "urn:sha256:"
_DESCRIPTION: Final = {
    "license": "dc:rights",
    "origin": "dc:source",
    "citation": "dcterms:bibliographicCitation",
}
"""Dublin Core's terms, which the context of web annotations defines. `rights` must be an IRI."""
_REQUEST: Final = ("title", "problem", "background", "question")
_CONTEXT_LENGTH: Final = 32
"""Number of code points stored before and after a quoted span, which help to find the span."""
_MAX_SECONDS: Final = 1e12
"""Bound of a working time, as in the event log."""
_Enum = TypeVar("_Enum", bound=StrEnum)


def _make_iri(kind: str, *names: str) -> str:
    parts = [quote(name, safe="", errors="surrogatepass") for name in names]
    return ":".join(["urn:tui-annotate", kind, *parts])


def _parse_iri(value: Any, kind: str) -> str:
    """Return the name at the end of an IRI that this program made; refuse all other IRIs."""
    before = _make_iri(kind) + ":"
    if not isinstance(value, str) or not value.startswith(before):
        raise InvalidInput(
            f"{str(value)[:60]!r} is not a valid {kind} IRI", f"the IRI must begin with {before}"
        )
    return unquote(value.removeprefix(before), errors="surrogatepass")


class WebAnnotationFormat:
    """Importer and exporter of W3C web annotations, with claims and evidence as targets.

    Targets have positions and quotes. Bodies are labels and the note. Fields without a term in the
    W3C model begin with `tui:`.
    """

    name = FORMAT
    about = _TRAITS

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        def read_collection(fields: Fields, value: JsonValue) -> tuple[Record, Sequence[Doubt]]:
            reader = _CollectionReader(fields, dataset=options.dataset, language=options.language)
            return reader.record(value.where), reader.doubts

        parts = frozenset({"items"})
        return read_json_records(path, options, read_collection, what="record", parts=parts)

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        del options
        report = ExportReport()
        losses = LossCounter(_TRAITS, report)

        def collections() -> Iterator[dict[str, Any]]:
            for record in records:
                losses.count(record)
                report.records += 1
                report.annotations += len(record.annotations)
                yield _collection_to_json(record)

        write_json_array(target, collections(), report=report)
        return report


class _CollectionReader:
    """Reader of one collection of web annotations; `dataset` replaces the collection's dataset."""

    def __init__(self, fields: Fields, *, dataset: str, language: str) -> None:
        if fields.get("type") != "AnnotationCollection":
            raise InvalidInput(
                f"the object's type is {str(fields.get('type'))[:40]!r}, not 'AnnotationCollection'"
            )
        self._fields = fields
        self.doubts: list[Doubt] = []
        self._seen_work: set[str] = set()
        self._people: dict[str, Person] = {}
        self._sample = _read_sample(fields, dataset=dataset, language=language)

    def record(self, where: str) -> Record:
        values = list_field(_mapping(self._fields, "first"), "items", [])
        items = keep_readable(lambda each: check_object(each, what="item"), values, self.doubts)
        own = [item for item in items if "tui:state" not in item]
        counted = keep_readable(self._read_annotation, own, self.doubts)
        found, doubts = convert_annotations([each for _, each in counted], self._sample)
        self.doubts += doubts
        annotations = tuple(
            OwnedAnnotation(person, one)
            for (person, _), one in zip(counted, found, strict=True)
            if one is not None
        )
        work = (item for item in items if "tui:state" in item)
        assignments = tuple(keep_readable(self._read_assignment, work, self.doubts))
        named = {each.person for each in annotations} | {each.person for each in assignments}
        people = tuple(person for key, person in self._people.items() if key in named)
        terms = {name: text_field(self._fields, term) for name, term in _DESCRIPTION.items()}
        about = DatasetDescription(**terms)
        record = Record(self._sample, annotations, assignments, people, where, about)
        # Reading the annotations already added doubts about creators that cannot be read.
        given = keep_readable(self._read_creator, own, [])
        refused = [self._people[key] for key in list_people_with_less(given, record)]
        return mark_incomplete(record, refused, self.doubts)

    def _read_creator(self, item: Fields) -> str:
        fields = _mapping(item, "creator")
        key = parse_identifier(_parse_iri(fields.get("id"), "person"), what="id of a person")
        kind = _read_enum(
            PersonKind, fields.get("tui:kind", PersonKind.IMPORTED.value), field="tui:kind"
        )
        self._people.setdefault(key, Person(key, text_field(fields, "name") or key, kind))
        return key

    def _read_annotation(self, item: Fields) -> tuple[str, CountedAnnotation]:
        key = parse_identifier(_parse_iri(item.get("id"), "annotation"), what="id of an annotation")
        targets: dict[str, list[tuple[Anchor, str | None]]] = {_CLAIM: [], _EVIDENCE: []}
        for target in _objects(item, "target"):
            role = target.get("tui:role")
            if role not in (_CLAIM, _EVIDENCE):
                raise InvalidInput(f"a target of annotation {key} has the unknown role {role!r}")
            targets[role].append(
                self._read_anchor(target, role, what=f"{role} of annotation {key}")
            )
        claim, evidence = targets[_CLAIM], targets[_EVIDENCE]
        bodies = _objects(item, "body")
        labels = (body for body in bodies if body.get("purpose") == "classifying")
        notes = (body for body in bodies if body.get("purpose") == "commenting")
        annotation = Annotation(
            key,
            tuple(anchor for anchor, _ in claim),
            tuple(anchor for anchor, _ in evidence),
            labels=tuple(map(_read_label, labels)),
            note="\n".join(text_field(body, "value") for body in notes),
            origin=text_field(item, "tui:origin") or f"imported:{FORMAT}",
            version=whole_number_field(item, "tui:version", 1),
            label_set=text_field(item, "tui:labels"),
            guidelines=text_field(item, "tui:guidelines"),
            created=text_field(item, "created"),
            updated=text_field(item, "modified"),
        )
        exact = [text for _, text in (*claim, *evidence)]
        return self._read_creator(item), CountedAnnotation(annotation, exact, f"annotation {key}")

    def _read_anchor(self, target: Fields, role: str, *, what: str) -> tuple[Anchor, str | None]:
        """Return the anchor of a target and its quoted text; None without a quote."""
        side = _SIDES[role]
        index = whole_number_field(target, "tui:index", 0)
        try:
            document = self._sample.document(side, index)
        except NotFound as error:
            raise InvalidInput(f"{what}: {error.message}") from error
        if target.get("source") != _SHA256_URN + document.sha256:
            raise InvalidInput(f"{what} refers to a text that the sample does not contain")
        span, exact = _read_span(target, what)
        return Anchor(side, index, span), exact

    def _read_assignment(self, item: Fields) -> Assignment:
        values = {body.get("purpose"): text_field(body, "value") for body in _objects(item, "body")}
        person = self._read_creator(item)
        if person in self._seen_work:
            raise InvalidInput(f"annotator {person!r} has two states for the same sample")
        self._seen_work.add(person)
        return Assignment(
            person,
            _read_enum(State, item.get("tui:state"), field="tui:state"),
            rating=values.get("assessing", ""),
            comment=values.get("commenting", ""),
            seconds=_read_seconds(item, "tui:seconds"),
            updated=text_field(item, "modified"),
        )


def _read_span(target: Fields, what: str) -> tuple[Span, str | None]:
    selectors = {str(each.get("type")): each for each in _objects(target, "selector")}
    position = selectors.get("TextPositionSelector")
    if position is None:
        raise InvalidInput(f"{what} has no position", "add a TextPositionSelector")
    quoting = selectors.get("TextQuoteSelector", {})
    try:
        span = Span(whole_number_field(position, "start"), whole_number_field(position, "end"))
    except InvalidSpan as error:
        raise InvalidSpan(f"{what}: {error.message}", error.hint) from error
    return span, text_field(quoting, "exact") if "exact" in quoting else None


def _read_label(body: Fields) -> LabelPath:
    path = body.get("tui:path")
    if not isinstance(path, list) or not path or not all(isinstance(each, str) for each in path):
        raise InvalidInput(f"label {str(path)[:40]!r} is not a list of names")
    return tuple(path)


def _read_enum(kind: type[_Enum], value: Any, *, field: str) -> _Enum:
    if value not in list(kind):  # unlike `in kind`, also for values of other types
        raise InvalidInput(
            f"unknown value {str(value)[:40]!r} of {field}", f"use one of: {', '.join(kind)}"
        )
    return kind(value)


def _read_sample(fields: Fields, *, dataset: str, language: str) -> Sample:
    documents = [_read_document(each, language) for each in _objects(fields, "tui:documents")]
    if not documents or sum(each.side is Side.SUMMARY for each in documents) > 1:
        raise InvalidInput("the sample has no documents or more than one summary")
    request = _mapping(fields, "tui:request")
    return Sample(
        parse_identifier(dataset or fields.get("tui:dataset"), what="dataset"),
        parse_identifier(fields.get("tui:sample"), what="id"),
        tuple(sorted(documents, key=lambda each: each.side is Side.SUMMARY)),
        kind=_read_enum(
            SampleKind, fields.get("tui:kind", SampleKind.PAIR.value), field="tui:kind"
        ),
        group=_text_without_nul(fields, "tui:group"),
        request=Request(**{name: text_field(request, f"tui:{name}") for name in _REQUEST}),
        meta=_mapping(fields, "tui:meta"),
    )


def _read_document(fields: Fields, language: str) -> Document:
    side = _read_enum(Side, fields.get("tui:side"), field="tui:side")
    language = language or _text_without_nul(fields, "language")
    plain = parse_document(fields.get("value"), side=side, column=f"{side} text", language=language)
    if fields.get("id") != _SHA256_URN + plain.sha256:
        raise InvalidInput(
            f"the {side} text has SHA-256 {plain.sha256[:12]}..., not the SHA-256 in the file",
            "restore the text: it was changed after the export",
        )
    return replace(
        plain, key=_text_without_nul(fields, "tui:key"), title=text_field(fields, "tui:title")
    )


def _text_without_nul(fields: Fields, name: str) -> str:
    value = text_field(fields, name)
    if "\0" in value:
        raise InvalidInput(f"{name!r} {value[:40]!r} contains U+0000", "remove the character")
    return value


def _mapping(fields: Fields, name: str) -> dict[str, Any]:
    return object_field(fields, name) if name in fields else {}


def _read_seconds(fields: Fields, name: str) -> float:
    value = fields.get(name, 0.0)
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value < _MAX_SECONDS
    ):
        raise InvalidInput(f"{name!r} is {describe_value(value)}, not a duration in seconds")
    return float(value)


def _objects(fields: Fields, name: str) -> list[dict[str, Any]]:
    return check_objects(fields.get(name, []), name)


def _collection_to_json(record: Record) -> dict[str, Any]:
    sample = record.sample
    people = {person.id: person for person in record.people}
    items = [
        *(_annotation_to_json(owned, sample, people=people) for owned in record.annotations),
        *(_assignment_to_json(work, sample, people=people) for work in record.assignments),
    ]
    request = {name: getattr(sample.request, name) for name in _REQUEST}
    iri = _make_iri("sample", sample.dataset, sample.id)
    optional = {
        "tui:group": sample.group,
        "tui:request": {f"tui:{name}": text for name, text in request.items() if text},
        "tui:meta": dict(sample.meta),
        **{term: getattr(record.about, name) for name, term in _DESCRIPTION.items()},
    }
    return {
        "@context": _CONTEXT,
        "id": iri,
        "type": "AnnotationCollection",
        "label": f"{sample.dataset} / {sample.id}",
        "tui:dataset": sample.dataset,
        "tui:sample": sample.id,
        "tui:kind": sample.kind.value,
        **{name: value for name, value in optional.items() if value},
        "tui:documents": [_document_to_json(document) for document in sample.documents],
        "total": len(items),
        "first": {"type": "AnnotationPage", "partOf": iri, "startIndex": 0, "items": items},
    }


def _document_to_json(document: Document) -> dict[str, Any]:
    optional = {"tui:key": document.key, "tui:title": document.title}
    return {
        "id": _SHA256_URN + document.sha256,
        "format": "text/plain",
        "language": document.language,
        "tui:side": document.side.value,
        **{name: value for name, value in optional.items() if value},
        "value": document.text,
    }


def _annotation_to_json(
    owned: OwnedAnnotation, sample: Sample, *, people: Mapping[str, Person]
) -> dict[str, Any]:
    one = owned.annotation
    bodies = [
        {**_text_to_json("/".join(path), "classifying"), "tui:path": list(path)}
        for path in one.labels
    ]
    if one.note:
        bodies.append(_text_to_json(one.note, "commenting"))
    optional = {
        "created": one.created,
        "modified": one.updated,
        "tui:labels": one.label_set,
        "tui:guidelines": one.guidelines,
        "body": bodies,
    }
    return {
        "id": _make_iri("annotation", one.id),
        "type": "Annotation",
        "motivation": _list_motivations(one),
        "creator": _person_to_json(owned.person, people),
        "tui:origin": one.origin,
        "tui:version": one.version,
        **{name: value for name, value in optional.items() if value},
        "target": [
            *(_anchor_to_json(anchor, sample, role=_CLAIM) for anchor in one.claim),
            *(_anchor_to_json(anchor, sample, role=_EVIDENCE) for anchor in one.evidence),
        ],
    }


def _list_motivations(one: Annotation) -> list[str]:
    parts = {
        "classifying": one.labels,
        "commenting": one.note,
        "linking": one.claim and one.evidence,
    }
    return [name for name, part in parts.items() if part] or ["highlighting"]


def _text_to_json(value: str, purpose: str) -> dict[str, Any]:
    return {"type": "TextualBody", "purpose": purpose, "format": "text/plain", "value": value}


def _person_to_json(person: str, people: Mapping[str, Person]) -> dict[str, Any]:
    found = people.get(person) or Person(person, person)
    return {
        "id": _make_iri("person", found.id),
        "type": "Person",
        "name": found.name,
        "tui:kind": found.kind.value,
    }


def _anchor_to_json(anchor: Anchor, sample: Sample, *, role: str) -> dict[str, Any]:
    side, index, span = anchor
    document = sample.document(side, index)
    text = document.text
    several = {"tui:index": index} if len(sample.side(side)) > 1 else {}
    return {
        "type": "SpecificResource",
        "source": _SHA256_URN + document.sha256,
        "tui:role": role,
        **several,
        "selector": [
            {"type": "TextPositionSelector", "start": span.start, "end": span.end},
            {
                "type": "TextQuoteSelector",
                "exact": span.of(text),
                "prefix": text[max(span.start - _CONTEXT_LENGTH, 0) : span.start],
                "suffix": text[span.end : span.end + _CONTEXT_LENGTH],
            },
        ],
    }


def _assignment_to_json(
    work: Assignment, sample: Sample, *, people: Mapping[str, Person]
) -> dict[str, Any]:
    parts = {"assessing": work.rating, "commenting": work.comment}
    optional = {
        "modified": work.updated,
        "body": [_text_to_json(value, purpose) for purpose, value in parts.items() if value],
    }
    return {
        "id": _make_iri("work", sample.dataset, sample.id, work.person),
        "type": "Annotation",
        "motivation": ["assessing"],
        "creator": _person_to_json(work.person, people),
        "tui:state": work.state.value,
        "tui:seconds": work.seconds,
        **{name: value for name, value in optional.items() if value},
        "target": list(dict.fromkeys(_SHA256_URN + each.sha256 for each in sample.documents)),
    }
