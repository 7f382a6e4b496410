"""What is known to be right about the samples of a practice dataset."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.annotations import Annotation, annotation_from_json
from tui_annotate.domain.handouts import Practice
from tui_annotate.domain.practising import Right
from tui_annotate.domain.samples import SampleKey
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
    " AND a.person <> :reader"
    " AND ((:person <> '' AND a.person = :person AND a.origin NOT LIKE 'rejected%')"
    "   OR (:origin <> '' AND (a.origin = :origin OR a.origin LIKE :origin || ':%')))"
    " ORDER BY a.number, a.id"
)

_RATINGS: Final = text(
    "SELECT DISTINCT w.rating FROM assignments w"
    " WHERE w.sample_id = :sample AND w.person <> :reader AND w.rating <> ''"
    " AND ((:person <> '' AND w.person = :person)"
    "   OR (:origin <> '' AND EXISTS (SELECT 1 FROM annotations a"
    "     WHERE a.sample_id = w.sample_id AND a.person = w.person"
    "     AND (a.origin = :origin OR a.origin LIKE :origin || ':%'))))"
)
_PRACTISED: Final = text(
    "SELECT a.person, count(*) FROM handouts h JOIN allotments a ON a.handout = h.id AND a.practice"
    " JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id"
    " WHERE h.kind = 'practice' GROUP BY a.person"
)


def gold(connection: Connection, person: str, key: SampleKey) -> Right | None:
    """What is right about a sample that somebody has for practice; None where they have it not.

    A rating is right where all who rated it, of those whose answers count, rated it so.
    """
    scope = {"person": person, "dataset": key.dataset, "sample": key.id}
    found = connection.execute(_GIVEN, scope).first()
    if found is None:
        return None
    rule = Practice(**from_json(found[0]))
    answers = known(connection, rule, sample_id=found[1], reader=person)
    scope = {"reader": person, "sample": found[1], "person": rule.person, "origin": rule.origin}
    ratings = connection.execute(_RATINGS, scope).scalars().all()
    return Right(answers, ratings[0] if len(ratings) == 1 else "")


def known(
    connection: Connection,
    rule: Practice,
    *,
    sample_id: int = 0,
    dataset_id: int = 0,
    reader: str = "",
) -> tuple[Annotation, ...]:
    """The annotations that a rule takes as right, of a sample or of a dataset.

    Args:
        reader: whose own are none of them.
    """
    scope = {
        "reader": reader,
        "sample": sample_id,
        "dataset": dataset_id,
        "person": rule.person,
        "origin": rule.origin,
    }
    payloads = connection.execute(_KNOWN, scope).scalars()
    return tuple(annotation_from_json(json.loads(payload)) for payload in payloads)


def practised(connection: Connection, seen: Collection[str] | None) -> int:
    """How many samples people worked on for practice, counted for each of them.

    Args:
        seen: whose alone are counted; None for everybody's.
    """
    people = connection.execute(_PRACTISED)
    return sum(count for person, count in people if seen is None or person in seen)
