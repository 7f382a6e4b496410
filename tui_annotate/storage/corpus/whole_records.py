"""A record as JSON values of its own, without its key and its texts, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui_annotate.domain.annotations import annotation_from_json, annotation_to_json
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Document, Kind, Sample, SampleKey, Side
from tui_annotate.storage.codec import request_from_json, request_to_json


def packed(record: Record) -> dict[str, Any]:
    """All but the key and the texts; what the sample's own format wants back is left out."""
    sample = record.sample
    return {
        "kind": sample.kind.value,
        "group": sample.group,
        "request": request_to_json(sample.request),
        "meta": dict(sample.meta),
        "documents": [
            [one.sha256, one.side.value, one.key, one.title, one.language]
            for one in sample.documents
        ],
        "annotations": [
            [owned.person, annotation_to_json(owned.annotation)] for owned in record.annotations
        ],
        "assignments": [
            [one.person, one.state.value, one.rating, one.comment, one.seconds, one.updated]
            for one in record.assignments
        ],
    }


def unpacked(
    key: SampleKey,
    value: Mapping[str, Any],
    *,
    texts: Mapping[str, str],
    people: Mapping[str, Person],
) -> Record:
    """The record that `packed` gave `value` for.

    Args:
        texts: by hash, those of its documents.
        people: by id, those that it names.
    """
    sample = Sample(
        *key,
        tuple(
            Document(Side(side), texts[name], document, title, language)
            for name, side, document, title, language in value["documents"]
        ),
        Kind(value["kind"]),
        value["group"],
        request_from_json(value["request"]),
        value["meta"],
    )
    owned = tuple(Owned(who, annotation_from_json(one)) for who, one in value["annotations"])
    assigned = tuple(Assignment(one[0], State(one[1]), *one[2:]) for one in value["assignments"])
    names = dict.fromkeys([*(one.person for one in owned), *(one.person for one in assigned)])
    return Record(sample, owned, assigned, tuple(people[name] for name in names))
