"""Merges people's work from another workspace into this one, each sample whole or not at all."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, select, text

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.comments import PersonComment
from tui_annotate.domain.errors import Conflict, InvalidInput, NotReady
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.history import DISCARD, RETURN, Event, Payload, StreamState
from tui_annotate.domain.label_changes import Renames, rename_payload
from tui_annotate.domain.people import (
    OPERATOR,
    SETTLED,
    Actor,
    Permission,
    Person,
    base_person,
    require_permission,
    second_reader,
)
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.domain.stream_merge import (
    Adapt,
    Fork,
    StreamCopy,
    merge_streams,
    transition_event,
)
from tui_annotate.domain.work_rules import WorkRules, find_broken_rule
from tui_annotate.storage.assignments.escalation import Disabled, no_disabled_people
from tui_annotate.storage.assignments.pauses import list_pauses, pause_if_inaccurate
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.columns import DATASETS, EVENTS
from tui_annotate.storage.database import Database
from tui_annotate.storage.log import events
from tui_annotate.storage.log.adjudications import read_adjudicated_sample
from tui_annotate.storage.log.comments import CommentStore
from tui_annotate.storage.log.event_log import EventLog, LogStore
from tui_annotate.storage.log.held_work import list_held_work
from tui_annotate.storage.people.store import add_person
from tui_annotate.storage.queue import is_practising
from tui_annotate.storage.second_readings import list_hidden
from tui_annotate.storage.statements import known_digests, text_list

KnownLabels = Callable[[str], Collection[LabelPath] | None]
"""Function that returns all labels that a dataset ever permitted; None if it permits any label."""

DIFFERENT_TEXTS: Final = "the sample has different texts in this workspace"
"""Reason why work on a sample cannot be exchanged: its spans would not fit the texts."""

_AT_ONCE: Final = 20
"""Maximum number of samples whose work one transaction merges, as other writers wait."""

_OWN: Final = text(
    "SELECT e.person, d.name, s.external, s.digest FROM events e"
    " JOIN datasets d ON d.name = e.dataset"
    " JOIN samples s ON s.dataset_id = d.id AND s.external = e.sample"
    " WHERE e.seq = 1 AND e.person IN :people ORDER BY e.person, d.name, s.external"
).bindparams(text_list("people"))
_KNOWN_IDS: Final = select(EVENTS.c.id).where(EVENTS.c.id.in_(text_list("names")))


@dataclass(frozen=True, slots=True)
class MergedStream:
    """The result of merging one person's work on one sample from another workspace.

    `fork` has the states that differ between both workspaces; `refused` is the reason why nothing
    was merged; empty otherwise. `finished` is whether the new events finished the sample, also if
    later ones reopened it.
    """

    person: str
    key: SampleKey
    events: int = 0
    fork: Fork | None = None
    refused: str = ""
    finished: bool = False


@dataclass(slots=True)
class StreamMergeReport:
    """The result of merging all of a person's work from another workspace into this one.

    Attributes:
        streams, events: number of samples with new events, and of new events.
        known: number of samples without new events.
        forks: samples on which both workspaces differ; the newest state is used.
        refused: samples of which nothing was merged.
        questions: number of new questions and replies.
        damaged: parts of the file that are not valid.
        held: all readings that the person completed elsewhere while their work was paused here or
            their practice was not finished, with those of earlier merges.
        finished_in: names of the datasets in which new events finished samples.
    """

    person: Person
    streams: int = 0
    events: int = 0
    known: int = 0
    forks: list[Fork] = field(default_factory=list)
    refused: list[MergedStream] = field(default_factory=list)
    damaged: list[Problem] = field(default_factory=list)
    questions: int = 0
    held: int = 0
    finished_in: set[str] = field(default_factory=set)

    def take(self, taken: MergedStream) -> None:
        """Count the result of one sample."""
        if taken.refused:
            self.refused.append(taken)
        elif taken.events:
            self.streams += 1
            self.events += taken.events
        else:
            self.known += 1
        if taken.fork:
            self.forks.append(taken.fork)
        if taken.finished:
            self.finished_in.add(taken.key.dataset)


class MergeStore(LogStore):
    """Exchange of a person's work with another workspace; NotAllowed without permission."""

    def __init__(
        self,
        database: Database,
        sample: Callable[[SampleKey], Sample],
        labels: KnownLabels,
        *,
        actor: Actor = OPERATOR,
        disabled: Disabled = no_disabled_people,
        clock: Callable[[], str] = utc_now,
        has_accounts: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(database, actor=actor, disabled=disabled)
        self._has_accounts = has_accounts
        self._sample = sample
        self._labels = labels
        self._clock = clock

    def datasets(self) -> frozenset[str]:
        """Return the names of all datasets of the workspace."""
        with self._database.reading() as connection:
            return frozenset(connection.execute(select(DATASETS.c.name)).scalars())

    def hidden(self, person: str) -> set[SampleKey]:
        """Return the samples whose first reading a person must not see: no file may have it."""
        require_permission(self._actor, Permission.READ, person)
        with self._database.reading() as connection:
            return list_hidden(connection, person)

    def copies(self, person: str) -> Iterator[StreamCopy]:
        """Yield copies of a person's work on each sample, for another workspace.

        They include first readings that the person must not see; see `hidden`.
        """
        require_permission(self._actor, Permission.READ, person)
        people = {"people": [person, second_reader(Person(person, "")).id]}
        with self._database.reading() as connection:
            for who, dataset, sample, texts in connection.execute(_OWN, people).all():
                key = SampleKey(dataset, sample)
                history = tuple(events.read_stream(connection, who, key))
                if history[-1].action.verb != DISCARD:
                    yield StreamCopy(who, key, texts, history)

    def questions(
        self, person: str, *, sample: SampleKey | None = None, written: bool = False
    ) -> list[PersonComment]:
        """Return a person's questions with the replies, for a file of the person's work.

        `written` adds the replies that the person, or the owner of this workspace, wrote to others.
        """
        store = CommentStore(self._database, actor=self._actor)
        return store.exchanged(person, sample=sample, written=written)

    def merge_questions(
        self, done: StreamMergeReport, comments: Iterable[PersonComment], *, replies: bool = True
    ) -> None:
        """Store new questions of the report's person and, with `replies`, the replies to them.

        Replies are never taken from a file in a workspace with accounts: reviewers reply there by
        themselves, and anyone could have written the file.
        """
        store = CommentStore(self._database, actor=self._actor)
        replies = replies and not self._has_accounts()
        merged = store.merge(comments, person=done.person.id, replies=replies)
        done.questions += merged.added
        done.refused += [
            MergedStream(done.person.id, key, refused=reason) for key, reason in merged.refused
        ]

    def take(self, person: Person, copies: Iterable[StreamCopy]) -> Iterator[MergedStream]:
        """Merge a person's work from another workspace; yield the committed result per sample.

        The hash chains of the copies must be valid. A repeated merge changes nothing. Work that
        does not fit the samples here, or breaks a rule of `domain.work_rules`, is refused, the
        other is merged.
        """
        require_permission(self._actor, Permission.WRITE, person.id)
        labels: dict[str, Collection[LabelPath] | None] = {}
        for some in split_batches(copies, _AT_ONCE):
            for copy in some:
                if copy.key.dataset not in labels:
                    labels[copy.key.dataset] = self._labels(copy.key.dataset)
            with self._database.writing() as connection:
                add_person(connection, person)
                log = EventLog(connection, self._actor, disabled=self._disabled, arriving=True)
                merger = _Merger(connection, log, person, self._rules(labels))
                done = [merger.merge(copy) for copy in some]
            yield from done  # once they are committed

    def _rules(
        self, labels: Mapping[str, Collection[LabelPath] | None]
    ) -> Callable[[SampleKey], WorkRules]:
        now = datetime.fromisoformat(self._clock())
        return lambda key: WorkRules(self._sample(key), labels[key.dataset], now)

    def merge(self, person: Person, copies: Iterable[StreamCopy]) -> StreamMergeReport:
        """Merge a person's work on all samples of another workspace; see `take`."""
        done = StreamMergeReport(person)
        try:
            for taken in self.take(person, copies):
                done.take(taken)
        finally:
            self.pause_after_merge(done)  # what was merged before an error stays merged
        done.held = self.count_held(person.id)
        return done

    def pause_after_merge(self, done: StreamMergeReport) -> None:
        """Pause the person whose work was merged if their accuracy in gold checks is too low.

        Call this after the last sample: a pause before it would leave out gold checks of the merge,
        which could then pause the person again after the end of this pause.
        """
        if not done.finished_in:
            return
        require_permission(self._actor, Permission.WRITE, done.person.id)
        with self._database.writing() as connection:
            for dataset in sorted(done.finished_in):
                pause_if_inaccurate(connection, done.person.id, dataset, at_block_end_only=False)

    def count_held(self, person: str) -> int:
        """Return how many readings a person completed elsewhere while they were held back here."""
        require_permission(self._actor, Permission.READ, person)
        with self._database.reading() as connection:
            return len(list_held_work(connection, seen=[person]).get(person, ()))

    def require_not_held_back(self, person: Person) -> None:
        """Raise NotReady if a person's work is paused, or their practice is not finished.

        Another workspace knows neither, so the person must not get samples for it.
        """
        require_permission(self._actor, Permission.READ, person.id)
        with self._database.reading() as connection:
            if pauses := list_pauses(connection, person.id):
                names = ", ".join(sorted({pause.dataset for pause in pauses}))
                resume = f"tui-annotate assignments resume {shlex.quote(person.name)}"
                raise NotReady(
                    f"the work of {person.name!r} is paused because of: {names}",
                    f"end the pause first: {resume}",
                )
            if is_practising(connection, person.id):
                raise NotReady(
                    f"{person.name!r} has not finished practice",
                    "practice is possible only in this workspace: wait until it is finished",
                )

    def apply_state(
        self,
        person: str,
        key: SampleKey,
        other: Callable[[EventStream], StreamState],
        *,
        head: str,
        at: str,
        stays: bool,
    ) -> bool:
        """Change a person's work on a sample to its state in another workspace.

        Returns whether the state was applied. After the last sample, call `pause_after_merge`.

        Args:
            other: returns the other state for the local stream; annotation numbers are ignored.
            head: hash of the last event that the caller knows; nothing is done if the stream has
                another.
            stays: False restores the local state afterwards, so that the log has both states.

        Raises:
            Conflict: a local annotation in another stream has the same id.
            InvalidInput: the work breaks a rule of `domain.work_rules`.
        """
        require_permission(self._actor, Permission.WRITE, person)
        rules = self._rules({key.dataset: self._labels(key.dataset)})(key)
        with self._database.writing() as connection:
            log = EventLog(connection, self._actor, disabled=self._disabled, arriving=True)
            stream = log.stream(person, key)
            if stream.head != head:
                return False
            steps = [(_renumber(log, stream, other(stream)), at)]
            if not stays:
                steps.append((stream.state, stream.updated))
            for to, when in steps:
                if not stream.state.alike(to):
                    name = (person, *key)
                    event = transition_event(name, stream.state, to, head=stream.head, at=when)
                    here = tuple(log.events(person, key))
                    if problem := find_broken_rule([event], here, rules):
                        raise InvalidInput(problem, "check which program wrote the imported work")
                    stream = log.append(stream, event)
        return True


@dataclass(frozen=True, slots=True)
class _Merger:
    """Merges one person's work from another workspace in one transaction."""

    connection: Connection
    log: EventLog
    person: Person
    rules: Callable[[SampleKey], WorkRules]

    def merge(self, copy: StreamCopy) -> MergedStream:
        """Merge a person's work on a sample from another workspace, or return why it is refused."""
        nothing = MergedStream(copy.person, copy.key)
        if problem := self._find_problem(copy):
            return replace(nothing, refused=problem)
        here = tuple(self.log.events(copy.person, copy.key))
        known = here[: len(copy.events)]
        if len(known) == len(copy.events) and known[-1].hash == copy.events[-1].hash:
            return nothing
        stream = self.log.stream(copy.person, copy.key)
        if problem := self._find_foreign_annotation(copy, stream):
            return replace(nothing, refused=problem)
        merge = merge_streams(here, copy.events, own=_adapt_payloads(self.log, here, copy))
        if problem := find_broken_rule(merge.events, here, self.rules(copy.key)):
            return replace(nothing, refused=problem)
        if self._reopens_locked_work(merge.events, stream):
            return replace(nothing, refused=_FOREIGN_REOPENING)
        ids = {"names": [event.id for event in merge.events]}
        if (taken := self.connection.execute(_KNOWN_IDS, ids).scalar()) is not None:
            return replace(nothing, refused=_describe_used_id("event", taken))
        if copy.person != self.person.id:
            add_person(self.connection, second_reader(self.person))
        finished = False
        for event in merge.events:
            was_finished = stream.assignment.state.finished
            stream = self.log.append(stream, event)
            finished = finished or (stream.assignment.state.finished and not was_finished)
        return replace(nothing, events=len(merge.events), fork=merge.fork, finished=finished)

    def _find_problem(self, copy: StreamCopy) -> str:
        texts = known_digests(self.connection, [copy.key]).get(copy.key)
        if texts is None:
            return "this workspace does not have the sample"
        if texts != copy.texts:
            return DIFFERENT_TEXTS
        if base_person(copy.person) == SETTLED:
            return "an adjudication cannot be merged as an annotator's work"
        return ""

    def _reopens_locked_work(self, new: Iterable[Event], stream: EventStream) -> bool:
        """Return whether events would unlock work that only a reviewer here may reopen."""
        if all(event.action.verb != RETURN for event in new):
            return False
        sample = read_adjudicated_sample(self.connection, stream.person, stream.key)
        return sample is not None and sample.closed

    def _find_foreign_annotation(self, copy: StreamCopy, stream: EventStream) -> str:
        names = {name for event in copy.events for name in event.action.after.annotations}
        for name, owner in self.log.owners(sorted(names)).items():
            if owner != (copy.person, stream.sample_id):
                return _describe_used_id("annotation", name)
        return ""


_FOREIGN_REOPENING: Final = (
    "the sample is adjudicated here, but the work was reopened in another workspace; a reviewer of"
    " this workspace must first reopen the sample: tui-annotate review reopen SAMPLE --reason TEXT"
)


def _describe_used_id(kind: str, name: str) -> str:
    return (
        f"another sample or person in this workspace already has the {kind} id {name}; if two names"
        " mean one person, run: tui-annotate users merge"
    )


def _renumber(log: EventLog, stream: EventStream, to: StreamState) -> StreamState:
    """Give annotations from another workspace numbers that are free in this workspace."""
    for name, place in log.owners(sorted(to.annotations)).items():
        if place != (stream.person, stream.sample_id):
            raise Conflict(
                _describe_used_id("annotation", name),
                "check who wrote this row of the shared table",
            )
    had = {name: each["number"] for name, each in stream.state.annotations.items()}
    fresh = [name for name in to.annotations if name not in had]
    numbers = had | dict(zip(fresh, log.numbers([0] * len(fresh)), strict=True))
    payloads = {name: {**each, "number": numbers[name]} for name, each in to.annotations.items()}
    return replace(to, annotations=payloads)


def _adapt_payloads(log: EventLog, here: Sequence[Event], copy: StreamCopy) -> Adapt:
    """Return a function that gives foreign annotations the numbers and label names used here."""
    had = _read_numbers(here)
    wanted = _read_numbers(copy.events)
    fresh = [name for name in wanted if name not in had]
    given = log.numbers([wanted[name] for name in fresh])
    numbers = had | dict(zip(fresh, given, strict=True))
    became: dict[str, Renames] = {}

    def own(payload: Payload) -> Payload:
        version = payload["label_set"]
        if version not in became:
            became[version] = log.label_renames(copy.key.dataset, version) if version else {}
        found = rename_payload(payload, became[version])
        number = numbers[payload["id"]]
        return found if found["number"] == number else {**found, "number": number}

    return own


def _read_numbers(history: Sequence[Event]) -> dict[str, int]:
    return {
        name: payload["number"]
        for event in history
        for name, payload in event.action.after.annotations.items()
        if payload is not None
    }
