"""The event log and the tables derived from it, read and written in one transaction.

No other code writes the tables `events`, `annotations`, `assignments`, `answers`, `tombstones` and
the tallies of completed samples, so that they always change together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, bindparam, select, text

from tui_annotate.domain.adjudication_history import AdjudicatedSample
from tui_annotate.domain.errors import NotAllowed, WorkPaused
from tui_annotate.domain.event_streams import EventStream, build_stream
from tui_annotate.domain.history import Event, LoggedAction, PendingEvent, StreamState
from tui_annotate.domain.label_changes import FormerNames, Renames, rename_change
from tui_annotate.domain.people import (
    OPERATOR,
    SETTLED,
    Actor,
    Permission,
    require_permission,
    visible_people,
)
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.suggestions import Suggestion, SuggestionStatus
from tui_annotate.domain.work_changes import WorkChanges
from tui_annotate.storage import suggestions
from tui_annotate.storage.assignments.escalation import Disabled, no_disabled_people
from tui_annotate.storage.assignments.pauses import list_pauses
from tui_annotate.storage.assignments.practice_rounds import find_final_result_time
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.columns import (
    ANNOTATIONS,
    ASSIGNMENTS,
    DATASETS,
    SAMPLES,
    SETTINGS,
    TOMBSTONES,
)
from tui_annotate.storage.database import Database, Store
from tui_annotate.storage.labels.changes import (
    LabelChangeRequest,
    changes_since,
    current_label_names,
    find_former_names,
)
from tui_annotate.storage.log import events
from tui_annotate.storage.log.adjudications import (
    WorkLock,
    locked_error,
    read_adjudicated_sample,
    read_lock,
)
from tui_annotate.storage.log.comments import count_waiting
from tui_annotate.storage.log.review_candidates import (
    SampleReaders,
    list_completed,
    list_ever_completed,
    read_readers,
)
from tui_annotate.storage.log.write_plans import WritePlan, plan_event, write_planned_events
from tui_annotate.storage.queue import waits_for_practice
from tui_annotate.storage.second_readings import hidden_first_reading, require_visible
from tui_annotate.storage.statements import (
    SAMPLE_KEY,
    gold_condition,
    sample_row,
    text_list,
    upsert,
    worked_on_condition,
)

_NUMBER: Final = "last_number"

_MINE: Final = ASSIGNMENTS.c.person == bindparam("person")
_ASSIGNMENT: Final = text(
    "SELECT * FROM assignments WHERE person = :person AND sample_id = :sample_id"
)
_PAYLOADS: Final = text(
    "SELECT id, payload FROM annotations WHERE sample_id = :sample_id AND person = :person"
)
_ANSWERS: Final = text(
    "SELECT suggestion, payload FROM answers WHERE person = :person AND sample_id = :sample_id"
)
WORKED_ON: Final = (
    SAMPLE_KEY.join(ASSIGNMENTS, ASSIGNMENTS.c.sample_id == SAMPLES.c.id)
    .where(_MINE)
    .order_by(DATASETS.c.name, SAMPLES.c.external)
)
_ALL_ASSIGNMENTS: Final = WORKED_ON.add_columns(ASSIGNMENTS)
_ALL_PAYLOADS: Final = text("SELECT sample_id, id, payload FROM annotations WHERE person = :person")
_ALL_ANSWERS: Final = text(
    "SELECT sample_id, suggestion, payload FROM answers WHERE person = :person"
)
_ALL_SHOWN_ASSIGNMENTS: Final = _ALL_ASSIGNMENTS.where(
    text(f"NOT {hidden_first_reading('assignments')}")
)
_ANNOTATED: Final = WORKED_ON.where(ASSIGNMENTS.c.annotations > 0)
_RATED_OR_COMMENTED: Final = WORKED_ON.where(
    (ASSIGNMENTS.c.rating != "") | (ASSIGNMENTS.c.comment != "")
)
REMOVED_IDS: Final = select(TOMBSTONES.c.id).where(TOMBSTONES.c.id.in_(text_list("names")))
_HEADS: Final = select(ASSIGNMENTS.c.sample_id, ASSIGNMENTS.c.head).where(_MINE)
_SETTING: Final = select(SETTINGS.c.value).where(SETTINGS.c.name == _NUMBER)
_SET: Final = upsert(SETTINGS, "name")
_OWNERS: Final = select(ANNOTATIONS.c.id, ANNOTATIONS.c.person, ANNOTATIONS.c.sample_id).where(
    ANNOTATIONS.c.id.in_(text_list("names"))
)
_TAKEN: Final = select(ANNOTATIONS.c.number).where(
    ANNOTATIONS.c.number.in_(bindparam("numbers", expanding=True))
)


_WORKED: Final = text(
    "SELECT person FROM assignments a WHERE sample_id = :sample_id AND person <> :settled"  # noqa: S608  constants
    f" AND {worked_on_condition('a')} AND NOT {gold_condition('a')}"
    " AND NOT EXISTS (SELECT 1 FROM allotments t"
    "   WHERE t.person = a.person AND t.sample_id = a.sample_id AND t.practice) ORDER BY person"
)
_ASSIGNED_OR_WORKED: Final = text(
    "SELECT person FROM assignments WHERE sample_id = :sample_id AND person <> :settled"
    " UNION SELECT person FROM allotments WHERE sample_id = :sample_id ORDER BY person"
)


class LogStore(Store):
    """Base class for access to a part of a database whose changes are events of the event log."""

    def __init__(
        self,
        database: Database,
        *,
        actor: Actor = OPERATOR,
        disabled: Disabled = no_disabled_people,
    ) -> None:
        super().__init__(database, actor=actor)
        self._disabled = disabled


@dataclass(frozen=True, slots=True)
class EventLog:
    """The event log in one transaction, limited to what the actor may read and write.

    Attributes:
        arriving: whether written events are copies from another workspace (see `write_plans`).
        blind: whether annotators' own first readings are hidden until the second reading is
            complete; copies between workspaces need all work.

    Raises:
        NotAllowed: every method, if the actor may not read or write the work; every write of an
            annotator's action, if the sample is adjudicated.
        NotFound: every method with a key, if there is no such sample.
    """

    _connection: Connection
    _actor: Actor = OPERATOR
    disabled: Disabled = no_disabled_people
    arriving: bool = False
    blind: bool = False
    _label_changes: dict[str, list[LabelChangeRequest]] = field(default_factory=dict, init=False)
    _rows: dict[SampleKey, int] = field(default_factory=dict, init=False)

    # reading -----------------------------------------------------------------------------------

    def stream(self, person: str, key: SampleKey) -> EventStream:
        """Return a person's work on a sample; empty if the person did no work on it."""
        require_permission(self._actor, Permission.READ, person)
        sample_id = self._sample_row(key)
        self._require_shown(person, key)
        scope = {"person": person, "sample_id": sample_id}
        row = self._connection.execute(_ASSIGNMENT, scope).mappings().first()
        if row is None:
            # The sample is new, or was ingested again after its removal.
            history = list(self.events(person, key))
            return build_stream(person, key, sample_id=sample_id, history=history)
        payloads, answers = (
            {name: from_json(payload) for name, payload in self._connection.execute(each, scope)}
            for each in (_PAYLOADS, _ANSWERS)
        )
        return _make_stream(row, key, payloads=payloads, answers=answers)

    def streams(self, person: str) -> dict[SampleKey, EventStream]:
        """Return all of a person's work, sorted by dataset and sample id, with few queries."""
        require_permission(self._actor, Permission.READ, person)
        scope = {"person": person}
        parts: list[dict[int, dict[str, Any]]] = [{}, {}]
        for query, part in zip((_ALL_PAYLOADS, _ALL_ANSWERS), parts, strict=True):
            for sample_id, name, payload in self._connection.execute(query, scope):
                part.setdefault(sample_id, {})[name] = from_json(payload)
        found = {}
        assignments = _ALL_SHOWN_ASSIGNMENTS if self._hides_own else _ALL_ASSIGNMENTS
        for row in self._connection.execute(assignments, scope).mappings():
            key = SampleKey(row["name"], row["external"])
            payloads, answers = (part.get(row["sample_id"], {}) for part in parts)
            found[key] = _make_stream(row, key, payloads=payloads, answers=answers)
        return found

    def require_not_paused(self, person: str) -> None:
        """Raise WorkPaused if a person's work is paused because of a low accuracy."""
        require_permission(self._actor, Permission.READ, person)
        if pauses := list_pauses(self._connection, person):
            admin = pauses[0].admin or "an admin of this workspace"
            raise WorkPaused(
                "your work is paused; everything that you saved is kept",
                f"ask {admin} to go on",
            )

    def require_practice_done(self, person: str, key: SampleKey) -> None:
        """Raise NotAllowed if a sample comes after a person's practice, which is not finished."""
        if waits_for_practice(self._connection, person, key):
            raise NotAllowed(
                f"sample {key} comes after your practice, which is not finished",
                "complete the practice samples first: the queue shows them",
                code="after-practice",
            )

    def finished(self, key: SampleKey) -> list[str]:
        """Return the sorted ids of the people whose work on a sample is ready for review."""
        require_permission(self._actor, Permission.REVIEW)
        return list_completed(self._connection, self._sample_row(key))

    def ever_completed(self, key: SampleKey) -> list[str]:
        """Return the people who ever completed a sample, in the order of their first completion.

        People whose work is reopened now are included.
        """
        require_permission(self._actor, Permission.REVIEW)
        return list_ever_completed(self._connection, self._sample_row(key), key)

    def work_changes(self, key: SampleKey, people: Sequence[str]) -> WorkChanges:
        """Return what of the people's work on a sample changed after reviewers decided on it."""
        require_permission(self._actor, Permission.REVIEW)
        found = events.read_arrivals(self._connection, [SETTLED, *people], key)
        return WorkChanges.read(found, reason=events.REASON)

    def list_changed(self, people: Mapping[SampleKey, Collection[str]]) -> set[SampleKey]:
        """Return the samples on which a person's work is no longer the adjudicated work.

        `people`: those whose work is complete, skipped or flagged, by sample.
        """
        require_permission(self._actor, Permission.REVIEW)
        wanted = {key: [SETTLED, *completed] for key, completed in people.items()}
        return {
            key
            for key, found in events.read_arrivals_by_sample(self._connection, wanted)
            if WorkChanges.read(found, reason=events.REASON).changed_people()
        }

    def count_waiting_questions(self, key: SampleKey) -> int:
        """Return the number of annotators' questions about a sample without an answer."""
        require_permission(self._actor, Permission.REVIEW)
        return count_waiting(self._connection, sample=key).get(key, 0)

    def waiting_questions(self) -> Mapping[SampleKey, int]:
        """Return the numbers of annotators' questions without an answer, by sample."""
        require_permission(self._actor, Permission.REVIEW)
        return count_waiting(self._connection)

    def readers(self, key: SampleKey) -> SampleReaders:
        """Return how many people annotate a sample; NotAllowed if the actor is no reviewer."""
        require_permission(self._actor, Permission.REVIEW)
        return read_readers(self._connection, self._sample_row(key))

    def annotated(self, person: str) -> list[SampleKey]:
        """Return the samples on which a person has annotations."""
        require_permission(self._actor, Permission.READ, person)
        rows = self._connection.execute(_ANNOTATED, {"person": person})
        return [SampleKey(*row) for row in rows]

    def rated_or_commented(self, person: str) -> list[SampleKey]:
        """Return the samples that a person rated or commented on."""
        require_permission(self._actor, Permission.READ, person)
        rows = self._connection.execute(_RATED_OR_COMMENTED, {"person": person})
        return [SampleKey(*row) for row in rows]

    def events(self, person: str, key: SampleKey) -> Iterator[Event]:
        """Yield a person's events on a sample, in order; the sample may have been removed."""
        require_permission(self._actor, Permission.READ, person)
        self._require_shown(person, key)
        return events.read_stream(self._connection, person, key)

    def event(self, name: str) -> Event:
        """Return the event with an id, which must exist."""
        found = events.read_event(self._connection, name)
        require_permission(self._actor, Permission.READ, found.person)
        self._require_shown(found.person, SampleKey(found.dataset, found.sample))
        return found

    def batch(self, event: Event) -> Iterator[Event]:
        """Yield the events of the action that wrote a given event, except on removed samples."""
        require_permission(self._actor, Permission.READ, event.person)
        for each in events.read_batch_of(self._connection, event):
            self._require_shown(each.person, SampleKey(each.dataset, each.sample))
            yield each

    def with_current_labels(self, event: Event, action: PendingEvent) -> PendingEvent:
        """Return an action made from an old event, with the current names of renamed labels."""
        # The events of a batch arrived together, so one query serves all of them.
        moment = event.action.batch or event.id
        if moment not in self._label_changes:
            self._label_changes[moment] = list(changes_since(self._connection, event))
        for request in self._label_changes[moment]:
            if event.dataset in request.datasets:
                action = replace(
                    action,
                    before=rename_change(action.before, request.renames),
                    after=rename_change(action.after, request.renames),
                )
        return action

    def label_renames(self, dataset: str, version: str) -> Renames:
        """Return the current paths of the labels that were renamed since a label set version."""
        return current_label_names(self._connection, dataset, version)

    def former_label_names(self, dataset: str) -> FormerNames:
        """Return the former names of a dataset's labels."""
        return find_former_names(self._connection, dataset)

    def read_actions(self, person: str, *, by: str = "") -> Iterator[LoggedAction]:
        """Yield the actions and undos on a person's work, newest first; `by` limits the users."""
        require_permission(self._actor, Permission.READ, person)
        return events.read_actions(self._connection, person, by=by)

    def find_removed(self, names: Sequence[str]) -> set[str]:
        """Return those of some annotation ids whose annotations were deleted."""
        return set(self._connection.execute(REMOVED_IDS, {"names": list(names)}).scalars())

    def owners(self, names: Sequence[str]) -> dict[str, tuple[str, int]]:
        """Return (person, sample row) by id, of those annotations that exist and are visible."""
        seen = visible_people(self._actor)
        query = _OWNERS if seen is None else _OWNERS.where(ANNOTATIONS.c.person.in_(seen))
        rows = self._connection.execute(query, {"names": list(names)})
        return {name: (who, row) for name, who, row in rows}

    def suggestion(self, key: SampleKey, name: str) -> Suggestion:
        """Return a model's suggestion on a sample, unless the dataset hides suggestions."""
        return suggestions.load_suggestion(self._connection, key, name)

    def suggestion_statuses(self, person: str, key: SampleKey) -> tuple[SuggestionStatus, ...]:
        """Return the suggestions on a sample, if shown, with a person's answers."""
        require_permission(self._actor, Permission.READ, person)
        row = self._sample_row(key)
        return suggestions.read_statuses(self._connection, person, key, row=row)

    def workers(self, key: SampleKey, *, assigned: bool = False) -> list[str]:
        """Return the sorted ids of the people who annotated a sample, in either reading.

        Those who have it as practice or to check their accuracy are left out, because an event on
        their work would show them that. With `assigned`, all people with work on the sample, and
        all to whom it is assigned.
        """
        require_permission(self._actor, Permission.REVIEW)
        query = _ASSIGNED_OR_WORKED if assigned else _WORKED
        scope = {"sample_id": self._sample_row(key), "settled": SETTLED}
        return list(self._connection.execute(query, scope).scalars())

    def adjudicated_sample(self, key: SampleKey, person: str) -> AdjudicatedSample | None:
        """Return the history of a sample and of one person's work on it; None if never adjudicated.

        An empty `person` returns the history of the adjudication alone.
        """
        require_permission(self._actor, Permission.REVIEW)
        return read_adjudicated_sample(self._connection, person, key)

    def list_returned(self, key: SampleKey) -> list[str]:
        """Return the sorted ids of the people who have not completed what a reviewer reopened.

        Those without whom an admin allowed the next adjudication are left out.
        """
        found = []
        for person in self.workers(key, assigned=True):
            sample = self.adjudicated_sample(key, person)
            if sample and person in sample.returned - sample.excused:
                found.append(person)
        return found

    def work_lock(self, stream: EventStream) -> WorkLock:
        """Return whether a person's work on a sample is locked, or was reopened by a reviewer."""
        state = stream.assignment.state
        return read_lock(
            self._connection, stream.person, stream.key, sample_id=stream.sample_id, state=state
        )

    def is_locked(self, person: str, key: SampleKey) -> bool:
        """Return whether a person's work on a sample is locked by its adjudication."""
        return self.work_lock(self.stream(person, key)).locked

    def require_visible(self, person: str, key: SampleKey) -> None:
        """Raise NotAllowed if a person must not see their first reading of a sample."""
        require_visible(self._connection, person, key)

    def require_open(self, person: str, key: SampleKey) -> None:
        """Raise NotAllowed if a person's work on a sample is hidden or locked now."""
        self.require_visible(person, key)
        lock = self.work_lock(self.stream(person, key))
        if lock.locked:
            raise locked_error([key], 1, hidden=lock.hidden)

    def practice_result_time(self, person: str, key: SampleKey) -> str:
        """Return when the final result of practice on a sample was stored; empty if never."""
        return find_final_result_time(self._connection, person, key)

    @property
    def _hides_own(self) -> bool:
        return self.blind and visible_people(self._actor) is not None

    def _sample_row(self, key: SampleKey) -> int:
        """Return the row id of a sample, which is the same during the whole transaction."""
        if key not in self._rows:
            self._rows[key] = sample_row(self._connection, key)
        return self._rows[key]

    def _require_shown(self, person: str, key: SampleKey) -> None:
        if self._hides_own:
            require_visible(self._connection, person, key)

    # writing -----------------------------------------------------------------------------------

    def append(self, stream: EventStream, event: Event) -> EventStream:
        """Append an event to work that was read in this transaction; return the new state.

        Raises:
            Conflict: the event changes another state than that of `stream`, or an annotation's id
                is in use; the latter is raised where the transaction ends.
        """
        plan, after = plan_event(stream, event)
        self.write([plan])
        return after

    def holds(self, person: str, plans: Sequence[WritePlan]) -> bool:
        """Return whether a person's work has no new events since `plans` were made."""
        require_permission(self._actor, Permission.READ, person)
        heads = {row[0]: row[1] for row in self._connection.execute(_HEADS, {"person": person})}
        return all(heads.get(plan.sample_id, "") == plan.head for plan in plans)

    def write(self, plans: Sequence[WritePlan]) -> None:
        """Write planned events and table rows; raise Conflict if an annotation's id is in use."""
        for person in {plan.assignment["person"] for plan in plans}:
            require_permission(self._actor, Permission.WRITE, person)
        write_planned_events(
            self._connection, plans, disabled=self.disabled, arriving=self.arriving
        )

    def return_work(self, stream: EventStream, event: Event) -> EventStream:
        """Append a reviewer's event that reopens a person's work; return the new state."""
        require_permission(self._actor, Permission.REVIEW)
        plan, after = plan_event(stream, event)
        write_planned_events(self._connection, [plan], disabled=self.disabled)
        return after

    def numbers(self, wanted: Sequence[int]) -> list[int]:
        """Return numbers for new annotations: the wanted number if free (0: any), else the next."""
        last = highest = int(self._connection.execute(_SETTING).scalar() or 0)
        requested = {"numbers": [number for number in wanted if number > 0]}
        taken = set(self._connection.execute(_TAKEN, requested).scalars())
        given = []
        for number in wanted:
            if number <= 0 or number in taken:
                number = highest + 1  # noqa: PLW2901  that is the point
            taken.add(number)
            highest = max(highest, number)
            given.append(number)
        if highest > last:
            self._connection.execute(_SET, {"name": _NUMBER, "value": str(highest)})
        return given


def _make_stream(
    row: RowMapping, key: SampleKey, *, payloads: dict[str, Any], answers: dict[str, Any]
) -> EventStream:
    assignment = {name: row[name] for name in ("state", "rating", "comment")}
    state = StreamState(payloads, assignment, row["seconds"], answers)
    place = (row["seq"], row["head"], row["updated"])
    return EventStream(row["person"], key, row["sample_id"], state, *place)
