"""Assignments of samples to annotators: what is assigned, by which rules, and undo."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, select, text, update

from tui_annotate.domain.assignment_plan import AllocationItem
from tui_annotate.domain.assignment_rules import (
    AssignmentCause,
    Escalation,
    Gold,
    Pool,
    Practice,
)
from tui_annotate.domain.errors import Conflict, NotFound, NotReady
from tui_annotate.domain.gold_checks import GoldCheck, mix_gold
from tui_annotate.domain.people import SETTLED, Person
from tui_annotate.domain.practice_feedback import PracticeAnswer
from tui_annotate.domain.queue_orders import by_score
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.adjudication_lock import (
    adjudicated_condition,
    list_gold_datasets,
    list_group_locked,
    locked_condition,
)
from tui_annotate.storage.assignments import (
    assignment_rows,
    escalation,
    gold,
    gold_results,
    pauses,
    pools,
    practice_rounds,
)
from tui_annotate.storage.assignments.assignment_rows import AssignedRow
from tui_annotate.storage.assignments.escalation import (
    Disabled,
    escalate_dataset,
    no_disabled_people,
)
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.columns import DATASETS, HANDOUTS, PEOPLE
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.store import add_person
from tui_annotate.storage.queue_orders import HANDED_OUT
from tui_annotate.storage.scores.orders import read_positions
from tui_annotate.storage.statements import (
    DECODED_TEXT,
    dataset_row,
    dataset_setting,
    set_dataset_setting,
    worked_on_condition,
)

_PRACTICE_RULE: Final = text(
    "SELECT t.value, s.id FROM allotments a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id JOIN dataset_settings t"
    "   ON t.dataset_id = d.id AND t.name = 'practice'"
    " WHERE a.person = :person AND a.practice AND d.name = :dataset AND s.external = :sample"
)
_PRACTISED: Final = text(
    "SELECT a.person, count(*) FROM handouts h JOIN allotments a ON a.handout = h.id AND a.practice"
    " JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id"
    " WHERE h.kind = 'practice' GROUP BY a.person"
)
_ITEMS: Final = {
    dialect: text(
        "SELECT s.id, s.external, s.source, s.meta,"  # noqa: S608  constants
        f"  (SELECT coalesce(sum(length({decoded})), 0) FROM sample_documents p"
        "   JOIN documents u ON u.id = p.document_id"
        "   WHERE p.sample_id = s.id AND p.side = 'summary')"
        "  AS length FROM samples s WHERE s.dataset_id = :dataset ORDER BY s.id"
    )
    for dialect, decoded in DECODED_TEXT.items()
}
_LOCKED_WORK: Final = locked_condition("a.sample_id", person="a.person", state="o.state")
_ASSIGNED: Final = text(
    "SELECT a.sample_id, a.person,"  # noqa: S608  constants
    f"  coalesce(o.finished, false) OR {_LOCKED_WORK}, h.kind = 'gold'"
    " FROM samples s JOIN allotments a ON a.sample_id = s.id"
    " JOIN handouts h ON h.id = a.handout"
    " JOIN people p ON p.id = a.person AND p.kind <> 'again'"
    " LEFT JOIN assignments o ON o.person = a.person AND o.sample_id = a.sample_id"
    " WHERE s.dataset_id = :dataset"
)
_STARTED: Final = text(
    "SELECT o.sample_id, o.person,"  # noqa: S608  constants
    f"  o.finished OR {locked_condition('o.sample_id', person='o.person', state='o.state')}, false"
    " FROM samples s JOIN assignments o ON o.sample_id = s.id"
    " JOIN people p ON p.id = o.person AND p.kind IN ('local', 'account')"
    f" WHERE s.dataset_id = :dataset AND {worked_on_condition('o')}"
)
_HELD_SAMPLES: Final = text(
    "SELECT a.person, a.sample_id, a.practice, a.handout, d.name, s.external,"  # noqa: S608  constants
    f"  coalesce(o.finished, false), coalesce({worked_on_condition('o')}, false), h.kind = 'gold',"
    f"  NOT coalesce(o.finished, false) AND {_LOCKED_WORK}"
    " FROM allotments a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id JOIN handouts h ON h.id = a.handout"
    " LEFT JOIN assignments o ON o.person = a.person AND o.sample_id = a.sample_id"
    " WHERE (:person = '' OR a.person = :person) AND (:handout = 0 OR a.handout = :handout)"
    " ORDER BY a.rank"
)


_PROGRESS: Final = text(
    "SELECT d.name AS dataset, p.id AS person, count(*), count(*) FILTER (WHERE o.finished),"  # noqa: S608  constants
    "  count(*) FILTER (WHERE NOT o.finished"
    f"    AND {worked_on_condition('o')} AND NOT {_LOCKED_WORK}),"
    "  count(*) FILTER (WHERE h.kind = 'pool'), count(*) FILTER (WHERE a.practice),"
    "  count(*) FILTER (WHERE h.kind = 'gold'),"
    f"  count(*) FILTER (WHERE NOT coalesce(o.finished, false) AND {_LOCKED_WORK}),"
    "  count(*) FILTER (WHERE o.state = 'skipped'), count(*) FILTER (WHERE o.state = 'flagged')"
    " FROM allotments a JOIN samples s ON s.id = a.sample_id JOIN datasets d"
    "   ON d.id = s.dataset_id JOIN people p ON p.id = a.person"
    " JOIN handouts h ON h.id = a.handout LEFT JOIN assignments o"
    "   ON o.person = a.person AND o.sample_id = a.sample_id"
    " WHERE :dataset IN ('', d.name) GROUP BY d.id, p.id ORDER BY d.name, p.name, p.id"
)
_RULES: Final = text(
    "SELECT d.name, t.name, t.value FROM dataset_settings t JOIN datasets d"
    " ON d.id = t.dataset_id WHERE t.name IN ('pool', 'escalate', 'practice', 'gold')"
    " AND :dataset IN ('', d.name) ORDER BY d.name, t.name"
)
_POOL_SIZE: Final = text(
    "SELECT count(*) FROM pool p JOIN datasets d ON d.id = p.dataset_id"  # noqa: S608  constants
    f" WHERE d.name = :dataset AND p.room > 0 AND NOT {adjudicated_condition('p.sample_id')}"
)
_ITEM_BATCH: Final = 1000
Rule = Pool | Escalation | Practice | Gold
"""A rule by which samples of a dataset are assigned; a dataset has at most one of each kind."""
_KINDS: Final[dict[str, type[Rule]]] = {
    AssignmentCause.POOL: Pool,
    AssignmentCause.ESCALATE: Escalation,
    AssignmentCause.PRACTICE: Practice,
    AssignmentCause.GOLD: Gold,
}
_RECORDS: Final = {
    AssignmentCause.PAUSE: "a pause",
    AssignmentCause.RESUME: "the end of a pause, or of another attempt at practice",
    AssignmentCause.RESULT: "a result of practice",
}
"""Batches that record what happened; they assign nothing, and undo leaves them alone."""


@dataclass(frozen=True, slots=True)
class HeldSample:
    """A sample that is assigned to a person.

    Attributes:
        gold: whether it checks the person's accuracy.
        locked: whether it was adjudicated before the person finished it.
    """

    allotted: AssignedRow
    handout: int
    key: SampleKey
    finished: bool
    begun: bool
    gold: bool
    locked: bool = False


_ADJUDICATED: Final = text(
    "SELECT s.id FROM samples s WHERE s.dataset_id = :dataset"  # noqa: S608  constants
    f" AND {adjudicated_condition('s.id')}"
)


@dataclass(frozen=True, slots=True)
class AssignableDataset:
    """A dataset whose samples can be assigned, and the samples that are assigned to each person.

    Attributes:
        items: all samples of the dataset, including those that check accuracy (`gold`).
        has: the keys of each person's samples, without second readings.
        open: the number of unfinished samples of each person, without second readings, gold
            samples and locked samples.
        locked: the keys of adjudicated samples, on which no one can begin work.
        gold: ids of the gold samples; `secret`: the seed of their rule, or empty without gold.
    """

    dataset: str
    dataset_id: int
    items: tuple[AllocationItem, ...]
    has: Mapping[str, frozenset[SampleKey]]
    open: Mapping[str, int]
    gold: frozenset[str] = frozenset()
    locked: frozenset[SampleKey] = frozenset()
    secret: str = ""

    @property
    def real_items(self) -> tuple[AllocationItem, ...]:
        """The samples without gold samples, in the order of `items`."""
        return tuple(item for item in self.items if item.key.id not in self.gold)


@dataclass(frozen=True, slots=True)
class StoredAssignment:
    """A recorded assignment of samples; `undone`: time of the undo, or an empty string."""

    id: int
    at: str
    by: str
    kind: AssignmentCause
    dataset: str
    parameters: Mapping[str, Any]
    undone: str


@dataclass(frozen=True, slots=True)
class WithdrawalResult:
    """Result of undoing an assignment; `open_datasets` names datasets that all annotators now see.

    Attributes:
        kept: samples that stay assigned, of which `completed` are completed, skipped or flagged.
        unreturned: moved samples whose former assignee no longer works here; they are unassigned.
    """

    batch: StoredAssignment
    withdrawn: int
    kept: int
    open_datasets: tuple[str, ...]
    completed: int = 0
    unreturned: int = 0


class AssignmentProgress(NamedTuple):
    """Numbers of a person's samples in a dataset.

    Attributes:
        samples: assigned ones, of which `finished` are completed, skipped or flagged.
        from_pool: samples taken from a pool.
        practice, gold: samples for practice, and with known answers.
        locked: samples that an adjudication closed before the person completed them.
        locked_completed: completed samples that are locked in groups, in datasets with gold ones.
    """

    dataset: str
    person: str
    samples: int
    finished: int
    in_progress: int
    from_pool: int
    practice: int
    gold: int
    locked: int
    skipped: int
    flagged: int
    locked_completed: int = 0


class AssignmentStore:
    """Opens transactions on assignments, pools and rules."""

    def __init__(self, database: Database, *, clock: Callable[[], str] = utc_now) -> None:
        self._database = database
        self._clock = clock

    @contextmanager
    def reading(self) -> Iterator[AssignmentTransaction]:
        """Open a transaction in which assignments are only read."""
        with self._database.reading() as connection:
            yield AssignmentTransaction(connection, "", "")

    @contextmanager
    def writing(self, by: str) -> Iterator[AssignmentTransaction]:
        """Open a transaction in which the user `by` (empty: the store's owner) assigns samples."""
        with self._database.writing() as connection:
            yield AssignmentTransaction(connection, by, self._clock())


@dataclass(frozen=True, slots=True)
class AssignmentTransaction:
    """Reads and changes assignments inside one transaction; NotFound for an unknown dataset."""

    connection: Connection
    by: str
    at: str

    # reading -----------------------------------------------------------------------------------

    def load_dataset(self, dataset: str, *, score: str = "") -> AssignableDataset:
        """Load a dataset to assign; `score`: a `meta` field, a score or empty; or InvalidInput."""
        dataset_id = self.dataset_row(dataset)
        scope = {"dataset": dataset_id}
        handed = dataset_setting(self.connection, dataset_id, HANDED_OUT)
        held = self.connection.execute(_STARTED if handed is None else _ASSIGNED, scope).all()
        adjudicated = set(self.connection.execute(_ADJUDICATED, scope).scalars())
        has: defaultdict[str, set[SampleKey]] = defaultdict(set)
        still_open: defaultdict[str, int] = defaultdict(int)
        people: defaultdict[int, int] = defaultdict(int)
        for sample_id, person, finished, is_gold in held:
            if not is_gold:
                still_open[person] += not finished
                people[sample_id] += 1
        items = tuple(self._load_items(dataset, dataset_id, people=people, score=score))
        used = {sample_id for sample_id, *_ in held} | adjudicated
        keys = {item.place: item.key for item in items if item.place in used}
        for sample_id, person, *_ in held:
            has[person].add(keys[sample_id])
        own = {person: frozenset(mine) for person, mine in has.items()}
        rule = gold.gold_of(self.connection, dataset_id)
        known = frozenset(rule.samples if rule else ())
        locked = {keys[row] for row in adjudicated}
        return AssignableDataset(
            dataset,
            dataset_id,
            items=items,
            has=own,
            open=still_open,
            gold=known,
            locked=frozenset(locked),
            secret=rule.seed if rule else "",
        )

    def _load_items(
        self, dataset: str, dataset_id: int, *, people: Mapping[int, int], score: str
    ) -> Iterator[AllocationItem]:
        """Yield the samples of a dataset in order of import; `people`: assignees by row id."""
        order = by_score(score)
        positions = read_positions(self.connection, order, dataset_id) if order else {}
        scope = {"dataset": dataset_id}
        query = _ITEMS[self.connection.dialect.name]
        rows = self.connection.execute(query, scope, execution_options={"yield_per": _ITEM_BATCH})
        for row in rows:
            yield AllocationItem(
                SampleKey(dataset, row.external),
                place=row.id,
                source=row.source,
                length=row.length,
                score=positions.get(row.id) if order else _parse_score(row.meta, score),
                held=people.get(row.id, 0),
            )

    def dataset_row(self, dataset: str) -> int:
        """Return the row id of a dataset."""
        return dataset_row(self.connection, dataset)

    def held(self, *, person: str = "", handout: int = 0) -> list[HeldSample]:
        """Return the assigned samples in the order in which they were assigned.

        Only those of a person, and of the assignment with the row id `handout`, if they are given.
        """
        rows = self.connection.execute(_HELD_SAMPLES, {"person": person, "handout": handout}).all()
        return [
            HeldSample(
                AssignedRow(who, row, bool(practice)),
                given,
                SampleKey(dataset, sample),
                *map(bool, states),
            )
            for who, row, practice, given, dataset, sample, *states in rows
        ]

    def hides_outcomes(self, dataset: str) -> bool:
        """Return whether the dataset has gold samples, so that no one sees what is adjudicated."""
        return dataset in list_gold_datasets(self.connection)

    def group_locked(self, person: str, dataset: str) -> set[SampleKey]:
        """Return a person's samples that are locked with their group, in a dataset with gold."""
        locked = list_group_locked(self.connection, person, dataset)
        held = self.held(person=person) if locked else []
        return {each.key for each in held if each.allotted.sample_id in locked}

    def handouts(self) -> list[StoredAssignment]:
        """Return all recorded assignments of samples in the order in which they were made."""
        query = select(HANDOUTS).where(HANDOUTS.c.kind != AssignmentCause.FOUND.value)
        return [
            StoredAssignment(
                id=row.id,
                at=row.at,
                by=row.by,
                kind=AssignmentCause(row.kind),
                dataset=row.dataset,
                parameters=from_json(row.request),
                undone=row.undone,
            )
            for row in self.connection.execute(query.order_by(HANDOUTS.c.id))
        ]

    def rule(self, dataset_id: int, name: str) -> Any:
        """Return a dataset's rule for assigning samples as JSON; None if it has no such rule."""
        return dataset_setting(self.connection, dataset_id, name)

    def known(self, dataset_id: int, rule: Practice) -> int:
        """Return the number of a dataset's annotations with which practice work is compared."""
        return gold.count_answers(self.connection, dataset_id, rule)

    def answered(self, dataset_id: int, rule: Gold) -> list[str]:
        """Return the ids of a dataset's samples for which a rule finds correct answers."""
        return gold.list_answered(self.connection, dataset_id, rule)

    def mix_gold(
        self, dataset_id: int, person: str, rows: Sequence[AssignedRow]
    ) -> list[AssignedRow]:
        """Mix samples with known answers into a person's new samples, if the dataset has a rule."""
        found = gold.find_gold(self.connection, dataset_id, person=person)
        if found is None:
            return list(rows)
        mixed = mix_gold(found.rule, person, rows, gold=found.rows(), start=found.start)
        return [row for row, _ in mixed]

    def read_progress(self, dataset: str) -> list[AssignmentProgress]:
        """Return how much of the assigned work is done, by dataset and person's name."""
        rows = self.connection.execute(_PROGRESS, {"dataset": dataset}).all()
        return [
            AssignmentProgress(*row)._replace(
                locked_completed=len(list_group_locked(self.connection, row.person, row.dataset))
            )
            for row in rows
        ]

    def rules(self, dataset: str) -> list[tuple[str, Rule]]:
        """Return the current rules for assigning samples of one or all datasets, by dataset."""
        rows = self.connection.execute(_RULES, {"dataset": dataset})
        return [(name, _KINDS[kind](**from_json(rule))) for name, kind, rule in rows]

    def count_waiting(self, dataset: str, rule: Rule) -> int:
        """Return the number of a dataset's samples that need another annotator under a rule."""
        if isinstance(rule, Pool):
            return int(self.connection.execute(_POOL_SIZE, {"dataset": dataset}).scalar_one())
        if isinstance(rule, Escalation):
            return escalation.count_due_samples(self.connection, dataset)
        return 0

    # assigning ---------------------------------------------------------------------------------

    def keep(self, person: Person) -> None:
        """Store a person, if the workspace does not know them yet."""
        add_person(self.connection, person)

    def apply(
        self,
        kind: AssignmentCause,
        dataset: str,
        *,
        rows: Sequence[AssignedRow],
        request: Mapping[str, Any],
    ) -> int:
        """Store an assignment of samples; return the id of the assignment.

        An empty `dataset` means that the assignment is for several datasets.

        Raises:
            Conflict: the dataset is for practice and this assignment is not, or the reverse.
        """
        if kind not in (AssignmentCause.MOVE, AssignmentCause.REPEAT):
            self._prepare_dataset(self.dataset_row(dataset), kind)
        number = self.record_assignment(kind, dataset, request)
        assignment_rows.assign_samples(self.connection, rows, handout=number)
        return number

    def record_assignment(
        self, kind: AssignmentCause, dataset: str, request: Mapping[str, Any]
    ) -> int:
        """Record an assignment with its request; return its row id, to which samples refer."""
        return assignment_rows.record_handout(
            self.connection, kind, dataset=dataset, by=self.by, at=self.at, request=request
        )

    def _prepare_dataset(self, dataset_id: int, kind: AssignmentCause) -> None:
        practised = self.rule(dataset_id, AssignmentCause.PRACTICE) is not None
        wanted = kind is AssignmentCause.PRACTICE
        if wanted and self.rule(dataset_id, AssignmentCause.GOLD) is not None:
            raise Conflict("the dataset has gold samples", "use a separate dataset for practice")
        if practised and not wanted:
            raise Conflict("the dataset is for practice", "choose a different dataset")
        if wanted and not practised and self.rule(dataset_id, HANDED_OUT) is not None:
            raise Conflict(
                "the dataset is already assigned, and its samples are not practice samples",
                "use a different dataset for practice",
            )
        assignment_rows.restrict_to_assigned(self.connection, dataset_id, by=self.by, at=self.at)

    # rules ---------------------------------------------------------------------------------------

    def set_pool(self, dataset: str, pool: Pool) -> int:
        """Let annotators take a dataset's samples one by one; refuse a practice dataset."""
        request = {"overlap": pool.overlap, "order": pool.order}
        number = self.apply(AssignmentCause.POOL, dataset, rows=(), request=request)
        self._keep_rule(dataset, AssignmentCause.POOL, pool, handout=number)
        pools.fill(self.connection, self.dataset_row(dataset), replace(pool, handout=number))
        return number

    def set_escalation(self, dataset: str, rule: Escalation) -> int:
        """Store a rule that adds annotators to samples with disagreement; return the rule's id."""
        self.dataset_row(dataset)
        request = {"when": rule.when.value, "add": rule.add}
        number = self.record_assignment(AssignmentCause.ESCALATE, dataset, request)
        self._keep_rule(dataset, AssignmentCause.ESCALATE, rule, handout=number)
        return number

    def set_practice(
        self, dataset: str, rule: Practice, *, rows: Sequence[AssignedRow], to: Sequence[str]
    ) -> int:
        """Use a dataset as practice; return the rule's id. Conflict if it is assigned for real."""
        request: dict[str, Any] = {"to": list(to), "gold": rule.person or rule.origin}
        if rule.pass_score:
            request |= {"pass": rule.pass_score, "attempts": rule.attempts, "hold": rule.hold}
        number = self.apply(AssignmentCause.PRACTICE, dataset, rows=rows, request=request)
        self._keep_rule(dataset, AssignmentCause.PRACTICE, rule, handout=number)
        return number

    def set_gold(self, dataset: str, rule: Gold) -> int:
        """Store which of a dataset's samples have known answers; refuse a practice dataset."""
        dataset_id = self.dataset_row(dataset)
        if self.rule(dataset_id, AssignmentCause.PRACTICE) is not None:
            raise Conflict("the dataset is for practice", "choose a different dataset")
        request = gold.describe_request(rule)
        number = self.record_assignment(AssignmentCause.GOLD, dataset, request)
        self._keep_rule(dataset, AssignmentCause.GOLD, rule, handout=number)
        self._refill_pool(dataset_id)
        return number

    def promote(self, dataset: str, samples: Sequence[str]) -> int:
        """Add adjudicated samples to a dataset's gold samples; return the id of the batch."""
        dataset_id = self.dataset_row(dataset)
        request = {"gold": SETTLED, "promoted": len(samples)}
        number = self.record_assignment(AssignmentCause.GOLD, dataset, request)
        rule = Gold(**self.rule(dataset_id, AssignmentCause.GOLD))
        added = dict.fromkeys(samples, number)
        rule = replace(rule, samples=[*rule.samples, *samples], promoted={**rule.promoted, **added})
        self._keep_rule(dataset, AssignmentCause.GOLD, rule, handout=rule.handout)
        self._refill_pool(dataset_id)
        return number

    def _undo_promotion(self, dataset_id: int, handout: int) -> None:
        """Take the samples that a batch promoted out of the dataset's gold samples."""
        found = self.rule(dataset_id, AssignmentCause.GOLD)
        if found is None:
            return
        rule = Gold(**found)
        gone = {name for name, batch in rule.promoted.items() if batch == handout}
        if gone:
            left = [name for name in rule.samples if name not in gone]
            kept = {name: batch for name, batch in rule.promoted.items() if name not in gone}
            value = asdict(replace(rule, samples=left, promoted=kept))
            set_dataset_setting(self.connection, dataset_id, AssignmentCause.GOLD, value=value)
            self._refill_pool(dataset_id)

    def recompute_gold(self, dataset: str) -> int:
        """Compare the completed gold samples with the present answers; return the record's id."""
        self.dataset_row(dataset)
        request = {"arrival": gold_results.last_arrival(self.connection)}
        return self.record_assignment(AssignmentCause.RECOMPUTE, dataset, request)

    def end_pauses(self, person: str, dataset: str) -> list[pauses.Pause]:
        """End a person's pauses in a dataset, or in all if it is empty; return those pauses."""
        found = [
            each
            for each in pauses.list_pauses(self.connection, person)
            if dataset in ("", each.dataset)
        ]
        pauses.end_pauses(self.connection, found, by=self.by, at=self.at)
        return found

    def give_attempt(self, person: str, dataset: str) -> dict[str, tuple[SampleKey, ...]]:
        """Give one more attempt at failed practice; see `practice_rounds.give_attempt`."""
        return practice_rounds.give_attempt(
            self.connection, person, dataset=dataset, by=self.by, at=self.at
        )

    def read_gold_checks(self, dataset: str) -> list[GoldCheck]:
        """Return a dataset's completed gold samples with their scores, oldest first."""
        checks = gold_results.read_checks(self.connection)
        return [each for each in checks if each.dataset == dataset]

    def _refill_pool(self, dataset_id: int) -> None:
        if (pool := pools.pool_of(self.connection, dataset_id)) is not None:
            pools.fill(self.connection, dataset_id, pool)

    def escalate_now(
        self, dataset: str, *, disabled: Disabled = no_disabled_people
    ) -> tuple[int, int]:
        """Escalate by the dataset's rule; return extended and waiting samples, or NotFound."""
        if self.rule(self.dataset_row(dataset), AssignmentCause.ESCALATE) is None:
            raise NotReady(
                f"dataset {dataset!r} has no rule that adds annotators on disagreement",
                "create a rule: tui-annotate assignments escalate --dataset NAME --when differ",
            )
        return escalate_dataset(self.connection, dataset, disabled=disabled)

    def _keep_rule(self, dataset: str, kind: AssignmentCause, rule: Rule, *, handout: int) -> None:
        value = asdict(rule) | {"handout": handout}
        set_dataset_setting(self.connection, self.dataset_row(dataset), kind, value=value)

    # undoing -----------------------------------------------------------------------------------

    def undo(
        self, number: int = 0, *, begun: bool = False, former: Collection[str] = ()
    ) -> WithdrawalResult:
        """Undo an assignment: unassign its samples, and remove a rule that it created.

        A practice rule is replaced by that of the last practice batch that is not undone.

        Samples that the assignment moved return to their former assignees, unless these no longer
        work here (`former`: their ids).

        Args:
            number: number of the assignment; 0 for the last one that is not undone.
            begun: also unassign samples in progress; the work on them stays stored. Gold and
                practice samples in progress stay assigned, so that the work on them stays apart.

        Raises:
            NotFound: there is no such assignment, or none that is not undone.
            Conflict: the assignment was undone already.
        """
        handout = self._find_handout(number)
        held = self.held(handout=handout.id)
        apart = [each for each in held if each.gold or each.allotted.practice]
        gone = [each for each in held if not each.begun or (begun and each not in apart)]
        datasets = {each.key.dataset for each in held} | {handout.dataset} - {""}
        assignment_rows.unassign_samples(self.connection, [each.allotted for each in gone])
        self._withdraw_gold(gone)
        unreturned = 0
        if handout.kind is AssignmentCause.MOVE:
            moved = {each.key: each for each in gone}
            unreturned = self._return_moved(handout, moved, former=former)
        values = update(HANDOUTS).where(HANDOUTS.c.id == handout.id).values(undone=self.at)
        self.connection.execute(values)
        free = tuple(name for name in sorted(datasets) if self._lift_rule(name, handout))
        completed = sum(each.finished for each in held if each not in gone)
        kept = len(held) - len(gone)
        return WithdrawalResult(
            handout,
            withdrawn=len(gone),
            kept=kept,
            open_datasets=free,
            completed=completed,
            unreturned=unreturned,
        )

    def _withdraw_gold(self, gone: Sequence[HeldSample]) -> None:
        """Unassign gold samples (known answers) that no other new sample of the person follows."""
        # A person who keeps only gold samples at the end would know that they are gold samples.
        lost = {(each.allotted.person, each.key.dataset) for each in gone}
        for person in {who for who, _ in lost}:
            still = [each for each in self.held(person=person) if not each.begun]
            last = {each.key.dataset: at for at, each in enumerate(still) if not each.gold}
            open_gold = [
                each.allotted
                for at, each in enumerate(still)
                if each.gold
                and (person, each.key.dataset) in lost
                and at > last.get(each.key.dataset, -1)
            ]
            assignment_rows.unassign_samples(self.connection, open_gold)

    def _find_handout(self, number: int) -> StoredAssignment:
        holding = [
            each
            for each in self.handouts()
            if each.id == number or not (each.undone or each.kind in _RECORDS)
        ]
        meant = [each for each in holding if number in (0, each.id)]
        if not meant:
            hint = "list all assignments with: tui-annotate assignments list"
            if number:
                raise NotFound(f"there is no batch of assignments {number}", hint)
            raise NotReady("nothing to undo: no samples are assigned", hint)
        if what := _RECORDS.get(meant[-1].kind):
            raise Conflict(
                f"batch {number} is the record of {what}, not of assignments",
                "undo assignments and rules only; to end a pause: tui-annotate assignments resume"
                " PERSON",
            )
        if meant[-1].undone:
            raise Conflict(
                f"the assignments of batch {number} are already undone",
                "list all assignments with: tui-annotate assignments list",
            )
        return meant[-1]

    def _return_moved(
        self,
        moved: StoredAssignment,
        gone: Mapping[SampleKey, HeldSample],
        *,
        former: Collection[str],
    ) -> int:
        """Assign moved samples to their former assignees; return how many had none left."""
        unreturned = 0
        for dataset, sample, person, handout in moved.parameters["rows"]:
            each = gone.get(SampleKey(dataset, sample))
            if each is None:
                continue
            if person in former:
                unreturned += 1
                continue
            row = AssignedRow(person, each.allotted.sample_id)
            assignment_rows.assign_samples(self.connection, [row], handout=handout)
        return unreturned

    def _lift_rule(self, dataset: str, handout: StoredAssignment) -> bool:
        query = select(DATASETS.c.id).where(DATASETS.c.name == dataset)
        dataset_id = self.connection.execute(query).scalar()
        if dataset_id is None:
            return False
        if handout.kind is AssignmentCause.GOLD:
            self._undo_promotion(dataset_id, handout.id)
        rule = self.rule(dataset_id, handout.kind) if handout.kind in _KINDS else None
        if rule is not None and rule["handout"] == handout.id:
            set_dataset_setting(self.connection, dataset_id, handout.kind, value=None)
            if handout.kind is AssignmentCause.POOL:
                pools.fill(self.connection, dataset_id, None)
            elif handout.kind is AssignmentCause.PRACTICE:
                self._restore_practice(dataset)
            elif handout.kind is AssignmentCause.GOLD:
                self._refill_pool(dataset_id)
        return assignment_rows.free_dataset(self.connection, dataset_id)

    def _restore_practice(self, dataset: str) -> None:
        """Set the rule of the last practice batch that is not undone; if none, forget results."""
        left = [
            each
            for each in self.handouts()
            if each.kind is AssignmentCause.PRACTICE and each.dataset == dataset and not each.undone
        ]
        if not left:
            practice_rounds.forget_results(self.connection, dataset, at=self.at)
            return
        last = left[-1]
        rule = self._practice_from_request(last.parameters)
        self._keep_rule(dataset, AssignmentCause.PRACTICE, rule, handout=last.id)

    def _practice_from_request(self, request: Mapping[str, Any]) -> Practice:
        # A batch stores one name for the answers; what is no person's id is an origin.
        name = request["gold"]
        known = select(PEOPLE.c.id).where(PEOPLE.c.id == name)
        of_person = name == SETTLED or self.connection.execute(known).first() is not None
        return Practice(
            person=name if of_person else "",
            origin="" if of_person else name,
            pass_score=request.get("pass", 0),
            attempts=request.get("attempts", 0),
            hold=request.get("hold", False),
        )

    def move(
        self, given: Mapping[str, Sequence[HeldSample]], *, giver: Person, to: Sequence[str]
    ) -> int:
        """Move samples from one person to other people; return the id of the new assignment."""
        moved = [each for own in given.values() for each in own]
        rows = [[*each.key, giver.id, each.handout] for each in moved]
        request = {"from": giver.id, "to": list(to), "rows": rows}
        assignment_rows.unassign_samples(self.connection, [each.allotted for each in moved])
        self._withdraw_gold(moved)
        new = [
            AssignedRow(who, each.allotted.sample_id) for who, own in given.items() for each in own
        ]
        return self.apply(AssignmentCause.MOVE, "", rows=new, request=request)

    def return_to_pool(self, held: Sequence[HeldSample]) -> None:
        """Move a person's samples to the pool, from which any annotator takes free samples."""
        for each in held:
            dataset_id = self.dataset_row(each.key.dataset)
            if pools.pool_of(self.connection, dataset_id) is None:
                raise Conflict(
                    f"dataset {each.key.dataset!r} has no pool from which annotators take samples",
                    "move the samples to an annotator with: --to NAME",
                )
        assignment_rows.unassign_samples(self.connection, [each.allotted for each in held])
        self._withdraw_gold(held)


def _parse_score(meta: str, field: str) -> float | None:
    value = from_json(meta).get(field) if field and meta else None
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return float(value)


def find_practice_answer(
    connection: Connection, person: str, key: SampleKey
) -> PracticeAnswer | None:
    """Return the correct answer to a practice sample; None if the person has no such sample."""
    scope = {"person": person, "dataset": key.dataset, "sample": key.id}
    found = connection.execute(_PRACTICE_RULE, scope).first()
    if found is None:
        return None
    return gold.read_answer(
        connection, Practice(**from_json(found[0])), sample_id=found[1], reader=person
    )


def count_practice_samples(connection: Connection, seen: Collection[str] | None) -> int:
    """Return how many practice samples people worked on; a sample counts once per person."""
    people = connection.execute(_PRACTISED)
    return sum(count for person, count in people if seen is None or person in seen)
