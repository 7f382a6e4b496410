"""Which samples are ready for review: who completed them, and who is still to annotate them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, text

from tui_annotate.domain.assignments import State
from tui_annotate.domain.history import DONE, IMPORT, JOIN
from tui_annotate.domain.people import SETTLED, PersonKind, base_person
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.statements import gold_condition, worked_on_condition

ENOUGH: Final = 2
"""Number of people who must complete a sample before review, unless only one person is assigned."""

_COUNTED: Final = f"""
    a.person <> '{SETTLED}' AND p.kind <> '{PersonKind.AGAIN}'
    AND NOT EXISTS (SELECT 1 FROM allotments t
      WHERE t.person = a.person AND t.sample_id = a.sample_id AND t.practice)
    AND NOT {gold_condition("a")}
"""  # noqa: S608  constants alone
_COUNTS: Final = f"""
    FROM assignments a JOIN people p ON p.id = a.person
    WHERE {_COUNTED}
    AND (a.state = '{State.DONE}'
      OR (a.state = '{State.NEW}' AND (a.annotations > 0 OR a.rating <> '')))
"""
_COMPLETED: Final = text(
    f"SELECT a.person {_COUNTS} AND a.sample_id = :sample_id ORDER BY a.person"
)
_ALL_COMPLETED: Final = text(f"SELECT a.sample_id, a.person, a.head {_COUNTS}")
_SET_ASIDE: Final = text(
    "SELECT a.sample_id, a.person FROM assignments a JOIN people p ON p.id = a.person"  # noqa: S608  constants
    f" WHERE {_COUNTED} AND a.state IN ('{State.SKIPPED}', '{State.FLAGGED}')"
)
_FIRST_COMPLETION: Final = (
    "(SELECT min(e.arrival) FROM events e WHERE e.person = a.person AND e.dataset = :dataset"  # noqa: S608  constants
    f" AND e.sample = :sample AND e.verb IN ('{DONE}', '{IMPORT}', '{JOIN}'))"
)
_EVER_COMPLETED: Final = text(
    "SELECT a.person FROM"  # noqa: S608  constants
    " (SELECT id AS person, CAST(:sample_id AS BIGINT) AS sample_id FROM people) a"
    f" JOIN people p ON p.id = a.person WHERE {_COUNTED}"
    f" AND {_FIRST_COMPLETION} IS NOT NULL ORDER BY {_FIRST_COMPLETION}"
)
_TOUCHED: Final = text(
    f"SELECT sample_id, person FROM assignments a WHERE {worked_on_condition('a')}"  # noqa: S608  constants
)
_ASSIGNED: Final = (
    "SELECT a.sample_id, a.person, coalesce(w.finished, false) FROM allotments a"  # noqa: S608  constants
    f" JOIN people p ON p.id = a.person AND p.kind <> '{PersonKind.AGAIN}'"
    " LEFT JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id"
    f" WHERE NOT a.practice AND NOT {gold_condition('a')}"
)
_FREE_SLOTS: Final = "SELECT a.sample_id, a.room FROM pool a WHERE a.room > 0"
_OF_SAMPLE: Final = " AND a.sample_id = :sample_id"
_SETTLED: Final = text("SELECT sample_id, state, head FROM assignments WHERE person = :settled")
_NO_PRACTICE: Final = (
    "NOT EXISTS (SELECT 1 FROM dataset_settings t"
    "   WHERE t.dataset_id = s.dataset_id AND t.name = 'practice')"
)
_SAMPLES: Final = text(
    'SELECT s.id, d.name, s.external, s."group", s.summary'  # noqa: S608  constants
    f" FROM samples s JOIN datasets d ON d.id = s.dataset_id WHERE {_NO_PRACTICE} ORDER BY s.id"
)
_GOLD: Final = text(
    "SELECT s.id FROM dataset_settings t CROSS JOIN json_each(t.value, '$.samples') n"
    " CROSS JOIN samples s WHERE s.dataset_id = t.dataset_id AND s.external = n.value"
    " AND t.name = 'gold'"
)
_IS_REAL_WORK: Final = text(
    f"SELECT 1 FROM samples s WHERE s.id = :sample_id AND {_NO_PRACTICE}"  # noqa: S608  constants
)


@dataclass(frozen=True, slots=True)
class SampleReaders:
    """Numbers of people who annotate a sample; people who read it a second time do not count.

    Attributes:
        planned: people who completed it or are assigned to it, and free slots in a pool; 0 if no
            person is assigned to the sample and no pool has it.
        awaited: those planned who did not finish the sample, and free slots in a pool. A person
            who skipped or flagged the sample has finished it.
    """

    completed: int
    planned: int
    awaited: int
    practice: bool = False

    @property
    def ready(self) -> bool:
        """Whether enough people completed the sample, and none of those planned is awaited."""
        if not self.planned:
            return self.completed >= ENOUGH
        return not self.awaited and self.completed >= min(ENOUGH, self.planned)

    @property
    def pending(self) -> int:
        """Number of planned people who have not completed the sample."""
        return max(self.planned - self.completed, 0)


@dataclass(frozen=True, slots=True)
class ReviewCandidate:
    """A sample that is ready for review, in review, or waits for annotators.

    Attributes:
        finished: (person, hash of their last event) of those whose work counts, sorted.
        set_aside: those who skipped or flagged the sample, perhaps after they had completed it.
        workers: all people who worked on the sample, in either reading.
        state: state of the adjudication.
        head: hash of the last event of the adjudication; empty if it has not begun.
    """

    key: SampleKey
    group: str
    summary: str
    finished: tuple[tuple[str, str], ...]
    readers: SampleReaders
    workers: frozenset[str]
    state: State
    head: str = ""
    set_aside: frozenset[str] = frozenset()

    @property
    def ready(self) -> bool:
        """Whether the sample can be reviewed, or its review has begun."""
        return self.state is not State.NEW or self.readers.ready


def list_completed(connection: Connection, sample_id: int) -> list[str]:
    """Return the sorted ids of the annotators whose work on a sample is complete and counts."""
    return list(connection.execute(_COMPLETED, {"sample_id": sample_id}).scalars())


def list_ever_completed(connection: Connection, sample_id: int, key: SampleKey) -> list[str]:
    """Return the people who ever completed a sample, in the order of their first completion.

    It includes people whose work is reopened now, or was merged into another person's, but only
    those whose work review shows once it is complete.
    """
    scope = {"sample_id": sample_id, "dataset": key.dataset, "sample": key.id}
    return list(connection.execute(_EVER_COMPLETED, scope).scalars())


def read_readers(connection: Connection, sample_id: int) -> SampleReaders:
    """Return how many people annotate a sample, completed it, or are awaited."""
    done = set(list_completed(connection, sample_id))
    plans = _Plans(connection, sample_id)
    real = connection.execute(_IS_REAL_WORK, {"sample_id": sample_id}).first()
    return plans.readers(sample_id, done, practice=real is None)


def list_candidates(connection: Connection) -> Iterator[ReviewCandidate]:
    """Yield the samples that are ready for review, in review, or wait for annotators.

    They come in the order of import. Practice samples are not yielded, and samples that check
    accuracy only if their adjudication has begun.
    """
    counted: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for sample_id, person, head in connection.execute(_ALL_COMPLETED):
        counted[sample_id].append((person, head))
    plans = _Plans(connection)
    workers = _group_by_sample(connection.execute(_TOUCHED))
    set_aside = _group_by_sample(connection.execute(_SET_ASIDE))
    reviews = {row[0]: row for row in connection.execute(_SETTLED, {"settled": SETTLED})}
    gold = set(connection.execute(_GOLD).scalars())
    for sample_id, dataset, external, group, summary in connection.execute(_SAMPLES):
        if sample_id not in counted and sample_id not in reviews:
            continue
        finished = tuple(sorted(counted.get(sample_id, ())))
        counts = plans.readers(sample_id, {person for person, _ in finished})
        _, stored_state, head = reviews.get(sample_id, (sample_id, State.NEW, ""))
        state = State(stored_state)
        touched = frozenset(map(base_person, workers.get(sample_id, ())))
        key = SampleKey(dataset, external)
        left = frozenset(set_aside.get(sample_id, ()))
        found = ReviewCandidate(key, group, summary, finished, counts, touched, state, head, left)
        listed = found.ready or (counts.completed and counts.planned)
        if listed and not (sample_id in gold and state is State.NEW):
            yield found


class _Plans:
    """The people assigned to one sample or to every sample, and the free slots of samples."""

    def __init__(self, connection: Connection, sample_id: int | None = None) -> None:
        scope = {} if sample_id is None else {"sample_id": sample_id}
        only = _OF_SAMPLE if scope else ""
        self._assigned: dict[int, dict[str, bool]] = defaultdict(dict)
        for row, person, finished in connection.execute(text(_ASSIGNED + only), scope):
            self._assigned[row][person] = bool(finished)
        free = connection.execute(text(_FREE_SLOTS + only), scope)
        self._free = {row[0]: int(row[1]) for row in free}

    def readers(
        self, sample_id: int, done: Collection[str], *, practice: bool = False
    ) -> SampleReaders:
        assigned = self._assigned.get(sample_id, {})
        free = self._free.get(sample_id, 0)
        planned = 0
        if assigned or free:
            planned = len({*assigned, *done}) + free
        open_ = [who for who, finished in assigned.items() if not finished and who not in done]
        return SampleReaders(len(done), planned, len(open_) + free, practice)


def _group_by_sample(rows: Iterable[Any]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for sample_id, person in rows:
        found[sample_id].add(person)
    return found
