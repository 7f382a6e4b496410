"""A record to a collection of web annotations, with the texts that they are about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Document, Sample
from tui_annotate.plugins.formats.webanno.names import (
    CLAIM,
    CONTEXT,
    EVIDENCE,
    HASH,
    REQUEST,
    iri,
)

_AROUND: Final = 32
"""Code points before and after a quote that help to find it again."""


def collection(record: Record) -> dict[str, Any]:
    """The sample with all that was said of it."""
    sample = record.sample
    people = {person.id: person for person in record.people}
    items = [
        *(_annotation(owned, sample, people) for owned in record.annotations),
        *(_work(work, sample, people) for work in record.assignments),
    ]
    request = {name: getattr(sample.request, name) for name in REQUEST}
    place = iri("sample", sample.dataset, sample.id)
    told = {
        "tui:group": sample.group,
        "tui:request": {f"tui:{name}": text for name, text in request.items() if text},
        "tui:meta": dict(sample.meta),
    }
    return {
        "@context": CONTEXT,
        "id": place,
        "type": "AnnotationCollection",
        "label": f"{sample.dataset} / {sample.id}",
        "tui:dataset": sample.dataset,
        "tui:sample": sample.id,
        "tui:kind": sample.kind.value,
        **{name: value for name, value in told.items() if value},
        "tui:documents": [_document(document) for document in sample.documents],
        "total": len(items),
        "first": {"type": "AnnotationPage", "partOf": place, "startIndex": 0, "items": items},
    }


def _document(document: Document) -> dict[str, Any]:
    told = {"tui:key": document.key, "tui:title": document.title}
    return {
        "id": HASH + document.sha256,
        "format": "text/plain",
        "language": document.language,
        "tui:side": document.side.value,
        **{name: value for name, value in told.items() if value},
        "value": document.text,
    }


def _annotation(owned: Owned, sample: Sample, people: Mapping[str, Person]) -> dict[str, Any]:
    one = owned.annotation
    bodies = [_label(path) for path in one.labels]
    if one.note:
        bodies.append(_text(one.note, "commenting"))
    told = {
        "created": one.created,
        "modified": one.updated,
        "tui:labels": one.label_set,
        "tui:guidelines": one.guidelines,
        "body": bodies,
    }
    return {
        "id": iri("annotation", one.id),
        "type": "Annotation",
        "motivation": _motivation(one),
        "creator": _creator(owned.person, people),
        "tui:origin": one.origin,
        "tui:version": one.version,
        **{name: value for name, value in told.items() if value},
        "target": [
            *(_target(anchor, sample, CLAIM) for anchor in one.claim),
            *(_target(anchor, sample, EVIDENCE) for anchor in one.evidence),
        ],
    }


def _motivation(one: Annotation) -> list[str]:
    parts = {
        "classifying": one.labels,
        "commenting": one.note,
        "linking": one.claim and one.evidence,
    }
    return [name for name, part in parts.items() if part] or ["highlighting"]


def _label(path: tuple[str, ...]) -> dict[str, Any]:
    return {**_text("/".join(path), "classifying"), "tui:path": list(path)}


def _text(value: str, purpose: str) -> dict[str, Any]:
    return {"type": "TextualBody", "purpose": purpose, "format": "text/plain", "value": value}


def _creator(person: str, people: Mapping[str, Person]) -> dict[str, Any]:
    found = people.get(person) or Person(person, person)
    return {
        "id": iri("person", found.id),
        "type": "Person",
        "name": found.name,
        "tui:kind": found.kind.value,
    }


def _target(anchor: Anchor, sample: Sample, role: str) -> dict[str, Any]:
    side, index, span = anchor
    document = sample.document(side, index)
    text = document.text
    several = {"tui:index": index} if len(sample.side(side)) > 1 else {}
    return {
        "type": "SpecificResource",
        "source": HASH + document.sha256,
        "tui:role": role,
        **several,
        "selector": [
            {"type": "TextPositionSelector", "start": span.start, "end": span.end},
            {
                "type": "TextQuoteSelector",
                "exact": span.of(text),
                "prefix": text[max(span.start - _AROUND, 0) : span.start],
                "suffix": text[span.end : span.end + _AROUND],
            },
        ],
    }


def _work(work: Assignment, sample: Sample, people: Mapping[str, Person]) -> dict[str, Any]:
    """What somebody made of a sample as a whole: how far they are, a rating, a comment."""
    parts = {"assessing": work.rating, "commenting": work.comment}
    told = {
        "modified": work.updated,
        "body": [_text(value, purpose) for purpose, value in parts.items() if value],
    }
    return {
        "id": iri("work", sample.dataset, sample.id, work.person),
        "type": "Annotation",
        "motivation": ["assessing"],
        "creator": _creator(work.person, people),
        "tui:state": work.state.value,
        "tui:seconds": work.seconds,
        **{name: value for name, value in told.items() if value},
        "target": list(dict.fromkeys(HASH + each.sha256 for each in sample.documents)),
    }
