"""Samples with known answers that check annotators' accuracy: the rule, and who gets them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, TextClause, text

from tui_annotate.domain.annotations import annotation_from_json
from tui_annotate.domain.assignment_plan import draw
from tui_annotate.domain.assignment_rules import AssignmentCause, Gold, Practice
from tui_annotate.domain.gold_checks import count_gold, is_gold_slot, sort_gold
from tui_annotate.domain.people import SETTLED, PersonKind
from tui_annotate.domain.practice_feedback import PracticeAnswer
from tui_annotate.storage.assignments.assignment_rows import AssignedRow
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.statements import dataset_setting, worked_on_condition

_OF_FREE: Final = (
    # A person is not checked with a sample that the person has, worked on or adjudicated before.
    # CROSS JOIN: the rule has few of the dataset's samples.
    " FROM json_each(:samples) n CROSS JOIN samples s"  # noqa: S608  constants
    " WHERE s.dataset_id = :dataset AND s.external = n.value"
    " AND NOT EXISTS (SELECT 1 FROM allotments a WHERE a.person = :person AND a.sample_id = s.id)"
    " AND NOT EXISTS (SELECT 1 FROM assignments w WHERE w.person = :person"
    f"   AND w.sample_id = s.id AND {worked_on_condition('w')})"
    f" AND NOT EXISTS (SELECT 1 FROM annotations r WHERE r.person = '{SETTLED}'"
    "   AND r.sample_id = s.id AND json_extract(r.payload, '$.settled.by') = :person)"
)
_FREE: Final = text(f"SELECT s.external, s.id {_OF_FREE}")
_COUNT_FREE: Final = text(f"SELECT count(*) {_OF_FREE}")
_HELD: Final = text(
    # CROSS JOIN: a person has few of the dataset's samples.
    "SELECT count(*) FROM allotments a CROSS JOIN samples s"
    " WHERE s.id = a.sample_id AND a.person = :person AND s.dataset_id = :dataset"
)
_IMPORTED: Final = "imported"
_OF_ORIGIN: Final = "(a.origin = :origin OR a.origin LIKE :origin || ':%')"
"""SQL: whether the annotation `a` has the origin of the known answers, or an origin below it."""
_ANSWERED: Final = text(
    "SELECT s.external FROM samples s WHERE s.dataset_id = :dataset AND ("  # noqa: S608  constants
    " (:person <> '' AND EXISTS (SELECT 1 FROM assignments w"
    "   WHERE w.sample_id = s.id AND w.person = :person AND w.state = 'done'))"
    " OR (:origin <> '' AND EXISTS (SELECT 1 FROM annotations a WHERE a.sample_id = s.id"
    f"   AND {_OF_ORIGIN}))"
    # An imported sample that was completed without an annotation has the answer "nothing".
    " OR (:imported AND EXISTS (SELECT 1 FROM assignments w JOIN people p ON p.id = w.person"
    f"   WHERE w.sample_id = s.id AND w.state = 'done' AND p.kind = '{PersonKind.IMPORTED}')))"
    " ORDER BY s.id"
)
_ANSWERS: Final = text(
    "SELECT a.payload FROM annotations a JOIN samples s ON s.id = a.sample_id"  # noqa: S608  constants
    " WHERE (:sample = 0 OR s.id = :sample) AND (:dataset = 0 OR s.dataset_id = :dataset)"
    " AND a.person <> :reader"
    " AND ((:person <> '' AND a.person = :person AND a.origin NOT LIKE 'rejected%')"
    f"   OR (:origin <> '' AND {_OF_ORIGIN}))"
    " ORDER BY a.number, a.id"
)
_RATINGS: Final = text(
    "SELECT DISTINCT w.rating FROM assignments w"  # noqa: S608  constants
    " WHERE w.sample_id = :sample AND w.person <> :reader AND w.rating <> ''"
    " AND ((:person <> '' AND w.person = :person)"
    "   OR (:origin <> '' AND EXISTS (SELECT 1 FROM annotations a"
    f"     WHERE a.sample_id = w.sample_id AND a.person = w.person AND {_OF_ORIGIN})))"
)
_WORKED: Final = text(
    "SELECT count(*) FROM handouts h JOIN allotments g ON g.handout = h.id"  # noqa: S608  constants
    " JOIN assignments w ON w.person = g.person AND w.sample_id = g.sample_id"
    f" WHERE h.kind = 'gold' AND {worked_on_condition('w')}"
)
_THRESHOLDS: Final = text(
    "SELECT d.name, t.value FROM dataset_settings t JOIN datasets d ON d.id = t.dataset_id"
    " WHERE t.name = 'gold'"
)


@dataclass(frozen=True, slots=True)
class GoldSource:
    """Samples with known answers that a person can still get from a dataset."""

    connection: Connection
    dataset_id: int
    rule: Gold
    person: str
    start: int

    def rows(self) -> list[AssignedRow]:
        """Return these samples in the order in which the person gets them, none assigned yet."""
        free = dict(self._execute(_FREE).all())
        names = sort_gold(self.rule, self.person, free)
        batches = self.rule.promoted
        return [
            AssignedRow(self.person, free[name], handout=batches.get(name, self.rule.handout))
            for name in names
        ]

    def next(self) -> AssignedRow | None:
        """Return a person's next sample if it is one with known answers, otherwise None."""
        due = is_gold_slot(self.rule, self.person, self.start)
        return next(iter(self.rows()), None) if due else None

    def draw_value(self, bits: int) -> int:
        """Return the random number of `bits` bits that decides a person's next other sample."""
        return int.from_bytes(draw(self.rule.seed, self.person, "pool", self.start)[:8]) >> (
            64 - bits
        )

    def count_ahead(self, items: int) -> int:
        """Return how many samples with known answers come with a person's next `items` samples."""
        free = int(self._execute(_COUNT_FREE).scalar_one())
        return count_gold(self.rule, self.person, items, gold=free, start=self.start)

    def _execute(self, query: TextClause) -> Any:
        known = list(self.rule.samples)
        if self.person == self.rule.person:
            known = [name for name in known if name in self.rule.promoted]
        scope = {"dataset": self.dataset_id, "person": self.person, "samples": to_json(known)}
        return self.connection.execute(query, scope)


def gold_of(connection: Connection, dataset_id: int) -> Gold | None:
    """Return a dataset's rule for samples with known answers; None if it has no such rule."""
    found = dataset_setting(connection, dataset_id, AssignmentCause.GOLD)
    return Gold(**found) if found else None


def find_gold(connection: Connection, dataset_id: int, *, person: str) -> GoldSource | None:
    """Return a person's accuracy checks still to come; None if the dataset has no such checks."""
    rule = gold_of(connection, dataset_id)
    if rule is None:
        return None
    scope = {"dataset": dataset_id, "person": person}
    start = int(connection.execute(_HELD, scope).scalar_one())
    return GoldSource(connection, dataset_id, rule=rule, person=person, start=start)


def count_gold_checks(connection: Connection, seen: Collection[str] | None) -> int:
    """Count the accuracy checks that annotators worked on and that exports exclude."""
    return 0 if seen is not None else int(connection.execute(_WORKED).scalar_one())


def list_answered(connection: Connection, dataset_id: int, rule: Gold) -> list[str]:
    """Return the ids of a dataset's samples that have correct answers, as defined by a rule."""
    imported = rule.origin.partition(":")[0] == _IMPORTED
    scope = {"dataset": dataset_id, "person": rule.person, "origin": rule.origin}
    scope |= {"imported": imported}
    return list(connection.execute(_ANSWERED, scope).scalars())


def count_answers(connection: Connection, dataset_id: int, rule: Practice) -> int:
    """Return the number of a dataset's annotations with which practice work is compared."""
    scope = {"reader": "", "sample": 0, "dataset": dataset_id}
    scope |= {"person": rule.person, "origin": rule.origin}
    return len(connection.execute(_ANSWERS, scope).all())


def read_answer(
    connection: Connection, rule: Practice, *, sample_id: int, reader: str
) -> PracticeAnswer:
    """Return the correct answer to a practice sample, without the work of its reader.

    It has a rating only if all ratings of those who gave the answer are equal.
    """
    scope = {"reader": reader, "sample": sample_id, "person": rule.person, "origin": rule.origin}
    payloads = connection.execute(_ANSWERS, {**scope, "dataset": 0}).scalars()
    annotations = tuple(annotation_from_json(from_json(payload)) for payload in payloads)
    ratings = connection.execute(_RATINGS, scope).scalars().all()
    return PracticeAnswer(annotations, ratings[0] if len(ratings) == 1 else "")


def describe_request(rule: Gold) -> dict[str, Any]:
    """Return a rule for accuracy checks as it is stored with its assignment, without sample ids."""
    answers = {"gold": rule.person or rule.origin}
    if rule.origin:
        answers["origin"] = rule.origin
    options = {"every": rule.every, "seed": rule.seed, "threshold": rule.threshold}
    return {**answers, **options, "count": len(rule.samples)}


def read_thresholds(connection: Connection) -> dict[str, float]:
    """Return by dataset the accuracy, in [0, 1], below which an annotator causes an alert."""
    rows = connection.execute(_THRESHOLDS)
    return {name: Gold(**from_json(value)).threshold / 100 for name, value in rows}
