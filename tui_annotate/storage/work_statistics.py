"""Work statistics that SQLite computes: progress, daily work, flagged samples, open work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from sqlalchemy import Connection, text

from tui_annotate.domain.assignments import State
from tui_annotate.domain.gold_checks import GoldCheck
from tui_annotate.domain.people import SETTLED, Permission, is_allowed, visible_people
from tui_annotate.domain.work_statistics import (
    AnsweredSuggestions,
    FlaggedSample,
    PracticeResult,
)
from tui_annotate.storage.adjudication_lock import (
    LOCKING_ADJUDICATION,
    adjudicated_condition,
    locked_condition,
)
from tui_annotate.storage.assignments.gold import read_thresholds
from tui_annotate.storage.assignments.gold_results import count_skipped, read_checks
from tui_annotate.storage.assignments.pauses import list_pauses
from tui_annotate.storage.assignments.pools import fixed_condition, pool_of
from tui_annotate.storage.assignments.practice_rounds import read_results
from tui_annotate.storage.blind_datasets import hidden_datasets
from tui_annotate.storage.corpus.store import DatasetProgress, read_progress
from tui_annotate.storage.database import Store
from tui_annotate.storage.statements import seen_scope, text_list
from tui_annotate.storage.suggestion_use import PASSED_READINGS, UNDONE_ACCEPTANCES

LockedWork = dict[tuple[str, str], Counter[State]]
"""Numbers of locked samples by dataset and person, and by the state of the person's work."""

_SEEN: Final[Any] = text_list("seen")


@dataclass(frozen=True, slots=True)
class AssignedCount:
    """Samples assigned to a person in a dataset, without practice.

    Attributes:
        fixed: whether an admin assigned them.
        locked: those of them that were adjudicated before the person finished them.
    """

    dataset: str
    person: str
    count: int
    finished: int
    fixed: bool
    locked: int = 0


@dataclass(frozen=True, slots=True)
class WorkDay:
    """One person's work in a dataset on one UTC day: seconds of work and completed samples."""

    dataset: str
    person: str
    day: str
    seconds: float
    finished: int


@dataclass(frozen=True, slots=True)
class DatasetWorkload:
    """The size of a dataset, how the dataset is assigned, and how many annotators it still needs.

    `handed_out`: whether only assignees see the samples. `undrawn`: number of annotators that the
    dataset's pool still needs, summed over samples that are not adjudicated; None if the dataset
    has no pool.
    """

    dataset: str
    samples: int
    handed_out: bool
    practice: bool
    undrawn: int | None


_LOCKED: Final = locked_condition("g.sample_id", person="g.person", state="a.state")
_LOCKED_BEGUN: Final = locked_condition("a.sample_id", person="a.person", state="a.state")
_ASSIGNED: Final = text(
    "SELECT d.name, g.person, count(*), count(*) FILTER (WHERE a.finished),"  # noqa: S608  constants
    f"  count(*) FILTER (WHERE {fixed_condition('h', 'd')}) > 0,"
    f"  count(*) FILTER (WHERE NOT coalesce(a.finished, false) AND {_LOCKED})"
    " FROM allotments g JOIN handouts h ON h.id = g.handout"
    " JOIN samples s ON s.id = g.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " LEFT JOIN assignments a ON a.person = g.person AND a.sample_id = g.sample_id"
    " WHERE NOT g.practice AND g.person <> :settled AND (:everybody OR g.person IN :seen)"
    " GROUP BY 1, 2"
).bindparams(_SEEN)
_WORKED: Final = text(
    "SELECT dataset, person, substr(at, 1, 10), sum(seconds), 0 FROM events w"
    " WHERE w.person <> :settled AND (:everybody OR w.person IN :seen)"
    " AND w.person NOT IN (SELECT id FROM people WHERE kind = 'merged')"
    " GROUP BY person, dataset, substr(at, 1, 10)"
).bindparams(_SEEN)
_FINISHED: Final = text(
    "SELECT d.name, w.person, substr(w.updated, 1, 10), 0.0, count(*) FROM assignments w"
    " JOIN samples s ON s.id = w.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE w.finished AND w.person <> :settled AND (:everybody OR w.person IN :seen)"
    " GROUP BY 1, 2, 3"
).bindparams(_SEEN)
_LOCKED_FOR_NEW: Final = text(
    "SELECT d.name, count(*) FROM assignments j JOIN samples s ON s.id = j.sample_id"  # noqa: S608
    f" JOIN datasets d ON d.id = s.dataset_id WHERE j.person = '{SETTLED}'"
    f" AND {locked_condition('j.sample_id', person='NULL', state='NULL')} GROUP BY 1"
)
_BEGUN_OF_ADJUDICATED: Final = text(
    "SELECT d.name, a.person, a.state, count(*),"  # noqa: S608  constants
    f"  count(*) FILTER (WHERE a.state <> 'done' AND {_LOCKED_BEGUN})"
    " FROM assignments a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    " WHERE EXISTS (SELECT 1 FROM assignments w"
    f"   WHERE w.sample_id = a.sample_id AND {LOCKING_ADJUDICATION})"
    " AND a.person <> :settled AND (:everybody OR a.person IN :seen) GROUP BY 1, 2, 3"
).bindparams(_SEEN)
_LOCKED_ASSIGNED: Final = text(
    "SELECT d.name, g.person, count(*) FROM allotments g JOIN samples s ON s.id = g.sample_id"  # noqa: S608  constants
    " JOIN datasets d ON d.id = s.dataset_id"
    " LEFT JOIN assignments a ON a.person = g.person AND a.sample_id = g.sample_id"
    f" WHERE a.person IS NULL AND NOT g.practice AND {_LOCKED}"
    " AND (:everybody OR g.person IN :seen) GROUP BY 1, 2"
).bindparams(_SEEN)
_FLAGS: Final = text(
    "SELECT d.name, s.external, w.person, w.comment, w.updated FROM assignments w"
    " JOIN samples s ON s.id = w.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE w.state = 'flagged' AND w.person <> :settled AND (:everybody OR w.person IN :seen)"
    " ORDER BY 1, w.updated, 2"
).bindparams(_SEEN)
_SEGMENTERS: Final = text("SELECT segmenter, count(*) FROM documents GROUP BY segmenter")
_WORKLOADS: Final = text(
    "SELECT d.id, d.name, (SELECT count(*) FROM samples s WHERE s.dataset_id = d.id),"
    " EXISTS (SELECT 1 FROM allotments g JOIN samples s ON s.id = g.sample_id"
    "   WHERE s.dataset_id = d.id),"
    # The author of the answers began the samples before they were for practice.
    " (SELECT count(*) > 0 AND count(*) = count(*) FILTER (WHERE g.practice)"
    "   FROM allotments g JOIN samples s ON s.id = g.sample_id"
    "   LEFT JOIN handouts h ON h.id = g.handout"
    "   WHERE s.dataset_id = d.id AND coalesce(h.kind, '') <> 'found')"
    " FROM datasets d ORDER BY d.name"
)
_PRACTISING: Final = text(
    "SELECT DISTINCT d.name, a.person FROM allotments a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id WHERE a.practice"
)
_LEFT_IN_POOL: Final = text(
    "SELECT coalesce(sum(room), 0) FROM pool p WHERE dataset_id = :id AND room > 0"  # noqa: S608  constants
    f" AND NOT {adjudicated_condition('p.sample_id')}"
)


_ANSWERS: Final = text(
    "SELECT d.name, a.person, "
    "  count(*) FILTER (WHERE n.id IS NOT NULL AND a.kind = 'accepted'),"
    "  count(*) FILTER (WHERE n.id IS NOT NULL AND a.kind = 'changed'),"
    "  count(*) FILTER (WHERE a.kind = 'refused'),"
    "  count(*) FILTER (WHERE n.id IS NULL AND a.kind <> 'refused'), 0"
    " FROM (SELECT person, sample_id, json_extract(payload, '$.answer') AS kind,"
    "    json_extract(payload, '$.annotation') AS annotation FROM answers) a"
    " JOIN samples s ON s.id = a.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " LEFT JOIN annotations n ON n.id = a.annotation AND n.person = a.person"
    "   AND n.sample_id = a.sample_id"
    " WHERE a.person <> :settled AND (:everybody OR a.person IN :seen) GROUP BY 1, 2"
).bindparams(_SEEN)
_BEGUN: Final = text(
    # SQLite rejects NaN, which an imported annotation may have, as JSON.
    "SELECT d.name, a.person, 0, 0, 0, 0, count(*) FROM annotations a"
    " JOIN samples s ON s.id = a.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE CASE WHEN json_valid(a.payload)"
    "   THEN json_extract(a.payload, '$.suggested.maker') IS NOT NULL ELSE false END"
    " AND a.person <> :settled AND (:everybody OR a.person IN :seen) GROUP BY 1, 2"
).bindparams(_SEEN)
_PASSED: Final = text(
    f"SELECT d.name, a.person, count(*) FROM ({PASSED_READINGS}) a"  # noqa: S608  constants
    " JOIN samples s ON s.id = a.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE a.person <> :settled AND (:everybody OR a.person IN :seen) GROUP BY 1, 2"
).bindparams(_SEEN)
_UNDONE: Final = text(
    f"SELECT d.name, a.person, count(*) FROM ({UNDONE_ACCEPTANCES}) a"  # noqa: S608  constants
    " JOIN samples s ON s.id = a.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE a.state = 'done' AND a.person <> :settled AND (:everybody OR a.person IN :seen)"
    " GROUP BY 1, 2"
).bindparams(_SEEN)


class WorkStatisticsStore(Store):
    """Work statistics of all people, or of the actor's own work only, depending on permissions."""

    def progress(self) -> list[DatasetProgress]:
        """Return the progress of each visible person in each dataset."""
        with self._database.reading() as connection:
            return read_progress(connection, visible_people(self._actor))

    def assigned(self) -> list[AssignedCount]:
        """Return the samples assigned to each visible person, by dataset."""
        rows = self._fetch(_ASSIGNED)
        return [
            AssignedCount(dataset, person, count, finished, bool(fixed), locked)
            for dataset, person, count, finished, fixed, locked in rows
        ]

    def locked(self) -> LockedWork:
        """Return the samples that were adjudicated before people completed them.

        Counted are states of people's work. `new` is a sample that is assigned to the person, or of
        a dataset that is not assigned and in which the person worked.
        """
        adjudicated = dict(self._fetch(_LOCKED_FOR_NEW))
        found: LockedWork = {}
        if not adjudicated:
            return found
        begun: Counter[tuple[str, str]] = Counter()
        for dataset, person, state, count, locked in self._fetch(_BEGUN_OF_ADJUDICATED):
            begun[dataset, person] += count
            found.setdefault((dataset, person), Counter())[State(state)] += locked
        for dataset, person, count in self._fetch(_LOCKED_ASSIGNED):
            found.setdefault((dataset, person), Counter())[State.NEW] += count
        shared = {each.dataset for each in self.list_workloads() if not each.handed_out}
        for each in self.progress():
            pair = (each.dataset, each.person)
            if each.dataset in shared and each.dataset in adjudicated:
                new = adjudicated[each.dataset] - begun[pair]
                found.setdefault(pair, Counter())[State.NEW] += new
        return found

    def days(self) -> list[WorkDay]:
        """Return each day's seconds of work and completed samples; undated imports are excluded."""
        days = (WorkDay(*row) for query in (_WORKED, _FINISHED) for row in self._fetch(query))
        return [each for each in days if _is_day(each.day)]

    def flags(self) -> list[FlaggedSample]:
        """Return the flagged samples, by dataset, then by the time of the last change."""
        return [FlaggedSample(*row) for row in self._fetch(_FLAGS)]

    def gold_checks(self) -> tuple[list[GoldCheck], dict[str, float]]:
        """Return the completed accuracy checks in order of time, and the alert thresholds.

        Only people who may manage the workspace see them; for all others both are empty.
        """
        if not is_allowed(self._actor, Permission.MANAGE):
            return [], {}
        with self._database.reading() as connection:
            checks = [each for each in read_checks(connection) if _is_day(each.day)]
            return checks, read_thresholds(connection)

    def skipped_checks(self, checks: Sequence[GoldCheck]) -> dict[tuple[str, str], int]:
        """Return how many gold samples each person skipped or flagged, by dataset and person.

        Empty for all but admins. `checks` is the result of `gold_checks`.
        """
        if not is_allowed(self._actor, Permission.MANAGE):
            return {}
        with self._database.reading() as connection:
            return count_skipped(connection, checks)

    def pauses(self) -> set[tuple[str, str]]:
        """Return the dataset and the person of each pause of work; empty for all but admins."""
        if not is_allowed(self._actor, Permission.MANAGE):
            return set()
        with self._database.reading() as connection:
            return {(each.dataset, each.person) for each in list_pauses(connection)}

    def practice_results(self) -> list[PracticeResult]:
        """Return the last results of practice of the people whose work the user may see."""
        seen = visible_people(self._actor)
        with self._database.reading() as connection:
            found = read_results(connection)
        return [each for each in found if seen is None or each.person in seen]

    def practising(self) -> set[tuple[str, str]]:
        """Return (dataset, person) for all people to whom practice samples are assigned."""
        with self._database.reading() as connection:
            return {(dataset, person) for dataset, person in connection.execute(_PRACTISING)}

    def suggestion_answers(self) -> list[AnsweredSuggestions]:
        """Return people's answers to suggestions, by dataset and person.

        Who may not report gets only their own answers, and none where suggestions are hidden.
        """
        found: dict[tuple[str, str], AnsweredSuggestions] = {}
        for row in (*self._fetch(_ANSWERS), *self._fetch(_BEGUN)):
            one = AnsweredSuggestions(*row)
            known = found.setdefault((one.dataset, one.person), one)
            found[one.dataset, one.person] = replace(
                known, began_as_suggestions=one.began_as_suggestions
            )
        with self._database.reading() as connection:
            hidden = hidden_datasets(connection)
        passed = {
            (dataset, person): count
            for dataset, person, count in self._fetch(_PASSED)
            if dataset not in hidden
        }
        undone = {(dataset, person): count for dataset, person, count in self._fetch(_UNDONE)}
        for key in passed.keys() | undone.keys():
            known = found.get(key) or AnsweredSuggestions(*key, 0, 0, 0, 0, 0)
            found[key] = replace(known, passed=passed.get(key, 0), undone=undone.get(key, 0))
        found = {key: found[key] for key in sorted(found)}
        if is_allowed(self._actor, Permission.REPORT):
            return list(found.values())
        return [each for each in found.values() if each.dataset not in hidden]

    def list_workloads(self) -> list[DatasetWorkload]:
        """Return the workload of each dataset, sorted by name."""
        with self._database.reading() as connection:
            return [
                _build_workload(connection, *row) for row in connection.execute(_WORKLOADS).all()
            ]

    def segmenters(self) -> dict[str, int]:
        """Return the number of documents by the name of their segmenter."""
        with self._database.reading() as connection:
            return {row[0]: row[1] for row in connection.execute(_SEGMENTERS)}

    def _fetch(self, query: Any) -> Sequence[Any]:
        scope = seen_scope(visible_people(self._actor))
        with self._database.reading() as connection:
            return connection.execute(query, scope).all()


def _build_workload(connection: Connection, dataset_id: int, *found: Any) -> DatasetWorkload:
    name, samples, handed_out, practice = found
    undrawn = None
    if pool_of(connection, dataset_id):
        undrawn = int(connection.execute(_LEFT_IN_POOL, {"id": dataset_id}).scalar_one())
    return DatasetWorkload(name, samples, bool(handed_out), bool(practice), undrawn)


def _is_day(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True
