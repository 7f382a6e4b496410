"""What is known to be right about the samples of a practice dataset."""

from __future__ import annotations

import json
from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.annotations import Annotation, annotation_from_json
from tui_annotate.domain.handouts import HandoutKind, Practice
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.allotments import setting
from tui_annotate.storage.codec import from_json

_GIVEN: Final = text(
    "SELECT t.value, s.id FROM allotments a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id JOIN dataset_settings t"
    "   ON t.dataset_id = d.id AND t.name = 'practice'"
    " WHERE a.person = :person AND a.practice AND d.name = :dataset AND s.external = :sample"
)
_KNOWN: Final = text(
    "SELECT a.payload FROM annotations a JOIN samples s ON s.id = a.sample_id"
    " WHERE (:sample = 0 OR s.id = :sample) AND (:dataset = 0 OR s.dataset_id = :dataset)"
    " AND ((:person <> '' AND a.person = :person AND a.origin NOT LIKE 'rejected%')"
    "   OR (:origin <> '' AND (a.origin = :origin OR a.origin LIKE :origin || ':%')))"
    " ORDER BY a.number, a.id"
)


def gold(connection: Connection, person: str, key: SampleKey) -> tuple[Annotation, ...] | None:
    """The right answers of a sample that somebody has for practice; None where they have not."""
    scope = {"person": person, "dataset": key.dataset, "sample": key.id}
    found = connection.execute(_GIVEN, scope).first()
    if found is None:
        return None
    return known(connection, Practice(**from_json(found[0])), sample_id=found[1])


def known(
    connection: Connection, rule: Practice, *, sample_id: int = 0, dataset_id: int = 0
) -> tuple[Annotation, ...]:
    """The annotations that a rule takes as right, of a sample or of a dataset."""
    scope = {
        "sample": sample_id,
        "dataset": dataset_id,
        "person": rule.person,
        "origin": rule.origin,
    }
    payloads = connection.execute(_KNOWN, scope).scalars()
    return tuple(annotation_from_json(json.loads(payload)) for payload in payloads)


def rule_of(connection: Connection, dataset_id: int) -> Practice | None:
    """A dataset's rule of practice; None where it has none."""
    found = setting(connection, dataset_id, HandoutKind.PRACTICE)
    return Practice(**found) if found else None
