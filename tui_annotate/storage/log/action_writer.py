"""Actions in the event log: write, undo and redo, each in one transaction."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tui_annotate.domain import event_builders
from tui_annotate.domain.adjudication_history import LOCKED_CODE
from tui_annotate.domain.assignments import working_seconds
from tui_annotate.domain.errors import NotAllowed
from tui_annotate.domain.event_streams import EventStream, SaveResult
from tui_annotate.domain.history import (
    READ,
    REDO,
    UNDO,
    Event,
    LoggedAction,
    PendingEvent,
    find_redo_target,
    find_undo_target,
    new_event,
)
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.event_log import EventLog
from tui_annotate.storage.log.events import BY, REASON
from tui_annotate.storage.log.write_plans import WritePlan, plan_event

Prepare = Callable[[EventLog, EventStream], PendingEvent]
"""Function that checks an action on a sample and builds its event; called in the transaction."""

FindTarget = Callable[[Iterable[LoggedAction], Callable[[LoggedAction], bool]], LoggedAction | None]
"""Function that finds the action to reverse; its second argument returns whether work is closed."""


def new_id() -> str:
    """Return a new random id for an event or a batch of events."""
    return str(uuid.uuid4())


class ClearedCounts(NamedTuple):
    """Number of annotations, ratings and comments that an action removed."""

    annotations: int
    ratings: int
    comments: int


@dataclass(frozen=True, slots=True)
class ActionWriter:
    """A writer of annotators' and reviewers' actions to the event log of one workspace.

    While a person's work is paused, their actions raise WorkPaused. Until they have finished
    practice, actions on other samples raise NotAllowed. Working time is still stored.

    `by` is the id of the acting person, if several people write to one person's work; undo then
    reverses only this person's actions.
    """

    store: AnnotationStore
    guidance: GuidanceStore
    clock: Callable[[], str] = utc_now
    new_id: Callable[[], str] = new_id
    by: str = ""

    def do(
        self,
        person: str,
        key: SampleKey,
        prepare: Prepare,
        *,
        seconds: float,
        about: str = "",
        reason: str = "",
    ) -> SaveResult:
        """Write one action on one sample to the event log.

        Args:
            seconds: time since the person's last action, counted up to one minute.
            about: id of the annotation that the action changes; empty for none.
            reason: why the action was taken, if the event records it; else empty.
        """
        self._end_practice(person)
        with self.store.writing() as log:
            log.require_visible(person, key)
            stream = log.stream(person, key)
            action = prepare(log, stream)
            if action.verb != READ:
                log.require_not_paused(person)
                log.require_practice_done(person, key)
            event = self._build_event(stream, action, seconds=seconds, versions={})
            if reason:
                event = replace(event, versions={**event.versions, REASON: reason})
            after = log.append(stream, event)
        return SaveResult.of(after, action.verb, about=about)

    def return_work(
        self,
        key: SampleKey,
        choose: Callable[[EventLog], Sequence[str]],
        *,
        adjudication: Prepare | None,
        reason: str,
    ) -> tuple[str, ...]:
        """Reopen people's work on an adjudicated sample, in one transaction; return their ids.

        Args:
            choose: returns whose work is reopened, or raises an error; called in the transaction.
            adjudication: builds the event of the adjudication, if it is reopened too; else None.
        """
        with self.store.writing() as log:
            people = tuple(choose(log))
            if adjudication:
                settled = log.stream(SETTLED, key)
                action = adjudication(log, settled)
                log.append(settled, self._build_reasoned(settled, action, reason))
            for person in people:
                stream = log.stream(person, key)
                action = event_builders.return_work(stream.state)
                log.return_work(stream, self._build_reasoned(stream, action, reason))
        return people

    def _build_reasoned(self, stream: EventStream, action: PendingEvent, reason: str) -> Event:
        event = self._build_event(stream, action, versions={})
        return replace(event, versions={**event.versions, REASON: reason})

    def clear(
        self, person: str, wanted: Callable[[SampleKey], bool], *, words: bool = False
    ) -> ClearedCounts:
        """Remove a person's annotations on selected samples; return how many were removed.

        The removal is one action, which undo reverses as a whole. With `words`, ratings and sample
        comments are removed too.
        """
        batch = self.new_id()
        removed: Counter[str] = Counter()

        def prepare(log: EventLog) -> BatchPlan:
            made = BatchPlan()
            removed.clear()
            found = set(log.annotated(person))
            if words:
                found.update(log.rated_or_commented(person))
            for key in filter(wanted, sorted(found)):
                log.require_practice_done(person, key)
                stream = log.stream(person, key)
                action = event_builders.clear(stream.state, batch=batch, words=words)
                removed.update(action.before.assignment.keys())
                made.take(stream, self._build_event(stream, action, versions=made.versions))
            return made

        gone = sum(len(plan.dropped) for plan in self._write_as_one(person, prepare).plans)
        return ClearedCounts(gone, removed["rating"], removed["comment"])

    def undo(self, person: str) -> SaveResult | None:
        """Undo a person's last action that is not undone; return None if there is no action.

        Work that is locked or hidden stays, and so does practice as it was when its result was
        stored; the last action on other samples is undone. Of an action on several samples, the
        part on such work stays.

        Raises:
            NotAllowed: there are only actions on such work.
        """
        return self._reverse(person, UNDO, find_undo_target)

    def redo(self, person: str) -> SaveResult | None:
        """Redo the action that a person undid last, as `undo`; return None if there is none."""
        return self._reverse(person, REDO, find_redo_target)

    def _reverse(self, person: str, verb: str, find: FindTarget) -> SaveResult | None:
        def prepare(log: EventLog) -> BatchPlan:
            made = BatchPlan()
            work = _OpenWork(log, person)
            target = find(
                log.read_actions(person, by=self.by),
                lambda action: work.is_closed(SampleKey(*action.stream[1:]), action.at),
            )
            if target is None:
                work.raise_first()
                return made
            event = log.event(target.id)
            made.undone = log.event(event.action.undoes) if verb == REDO else event
            batch = self.new_id() if event.action.batch else ""
            for mate in log.batch(event):
                key = SampleKey(mate.dataset, mate.sample)
                if work.is_closed(key, mate.at):
                    continue
                log.require_practice_done(person, key)
                stream = log.stream(person, key)
                inverse = mate.action.inverse(mate.id, verb=verb, batch=batch)
                action = log.with_current_labels(mate, inverse)
                made.take(stream, self._build_event(stream, action, versions=made.versions))
            made.passed = work.locked()
            return made

        made = self._write_as_one(person, prepare)
        if made.undone is None or made.last is None:
            return None
        about = next(iter(made.touched)) if len(made.touched) == 1 else ""
        return SaveResult.of(
            made.last,
            verb,
            about=about,
            undone=made.undone.action.verb,
            passed=made.passed,
        )

    def _write_as_one(self, person: str, prepare: Callable[[EventLog], BatchPlan]) -> BatchPlan:
        """Prepare events without the write lock, then write all events in one transaction.

        The events are prepared again, with the lock, if the event log changed meanwhile.
        """
        self._end_practice(person)
        with self.store.reading() as log:
            log.require_not_paused(person)
            made = prepare(log)
            newest = next(log.read_actions(person, by=self.by), None)
        if not made.plans:
            return made
        with self.store.writing() as log:
            log.require_not_paused(person)
            moved = next(log.read_actions(person, by=self.by), None) != newest
            if moved or not log.holds(person, made.plans):
                made = prepare(log)
            log.write(made.plans)
        return made

    def _end_practice(self, person: str) -> None:
        """Store the result of practice that the person has finished; usually, this only reads.

        It writes only if all samples of a round are complete and the result is not stored yet. The
        screen stores it after the last practice sample; other programs may not.
        """
        self.store.end_practice(person)

    def _build_event(
        self,
        stream: EventStream,
        action: PendingEvent,
        *,
        seconds: float = 0.0,
        versions: dict[str, dict[str, str]],
    ) -> Event:
        dataset = stream.key.dataset
        if dataset not in versions:
            found = {
                kind.value: self.guidance.version(kind, dataset=dataset) for kind in GuidanceKind
            }
            versions[dataset] = {name: version for name, version in found.items() if version}
            if self.by:
                versions[dataset][BY] = self.by
        return new_event(
            stream.name,
            action,
            at=self.clock(),
            event_id=self.new_id(),
            seconds=working_seconds(seconds),
            versions=versions[dataset],
        )


@dataclass(frozen=True, slots=True)
class _OpenWork:
    """Finds out which of a person's work undo must leave as it is, and why.

    Closed work is locked or hidden, or was done in practice before its result was stored.
    """

    log: EventLog
    person: str
    _errors: dict[SampleKey, NotAllowed | None] = field(default_factory=dict, init=False)
    _results: dict[SampleKey, str] = field(default_factory=dict, init=False)

    def is_closed(self, key: SampleKey, at: str) -> bool:
        """Return whether an action on a sample at a time cannot be reversed."""
        if key not in self._errors:
            try:
                self.log.require_open(self.person, key)
            except NotAllowed as error:
                self._errors[key] = error
            else:
                self._errors[key] = None
                self._results[key] = self.log.practice_result_time(self.person, key)
        if self._errors[key] is not None:
            return True
        result = self._results[key]
        return bool(result) and at <= result

    def locked(self) -> tuple[SampleKey, ...]:
        """Return the locked samples that were asked for, in this order."""
        return tuple(
            key for key, error in self._errors.items() if error and error.code == LOCKED_CODE
        )

    def raise_first(self) -> None:
        """Raise an error about the first closed work that was found, if any."""
        for key, error in self._errors.items():
            if error is not None:
                raise error
            if self._results[key]:
                raise NotAllowed(
                    f"your practice in {key.dataset} is finished, and its result is stored",
                    "undo only what you did later",
                    code="practice-finished",
                )


@dataclass(slots=True)
class BatchPlan:
    """The writes of one action on several samples, collected before the first is executed.

    Attributes:
        last: stream of the event that was planned last.
        touched: ids of the annotations in it.
        passed: samples that the action passes over because they are locked.
    """

    plans: list[WritePlan] = field(default_factory=list)
    last: EventStream | None = None
    touched: Collection[str] = ()
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    undone: Event | None = None
    passed: tuple[SampleKey, ...] = ()

    def take(self, stream: EventStream, event: Event) -> None:
        """Plan how to store an event; Conflict if what it reverses has been changed since."""
        plan, self.last = plan_event(stream, event)
        self.plans.append(plan)
        self.touched = event.action.after.annotations.keys()
