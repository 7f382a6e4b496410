"""Carries a change of labels out: looked at without the lock, written with it, or not at all."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.history import Action, Event
from tui_annotate.domain.label_files import WRITE, stored_labels
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import OPERATOR, Actor
from tui_annotate.domain.relabelling import Renames
from tui_annotate.domain.version import VERSION
from tui_annotate.services.relabel.report import Figures, Report
from tui_annotate.services.relabel.tasks import Outcome, Task
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.guidance.label_changes import LabelChange, Request
from tui_annotate.storage.guidance.store import Guidance, GuidanceStore
from tui_annotate.storage.work.events import BY
from tui_annotate.storage.work.plans import Plan, Stream, planned
from tui_annotate.storage.work.relabelling import Moment, Relabelling, RelabelStore, StreamName


class File(Protocol):
    """The `labels.yaml` of a workspace."""

    def take_up(self) -> None:
        """Makes it a version of the store, where no work loses anything by it."""

    def text(self) -> str:
        """The text of the set that is in force once it was taken up."""

    def pending(self) -> bool:
        """Whether it says something else than the set in force."""

    def follow(self, before: str, after: str) -> str:
        """Writes a text where another one stands; says `written`, or `left`."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A change, before anybody's work was looked at.

    Attributes:
        kind: the command's word.
        told: what was asked for, in words.
        text: of the set afterwards; None where it stays.
        task: what becomes of work.
        renames: what becomes of labels, for deeds that are undone later.
    """

    kind: str
    told: str
    text: str | None
    task: Task
    renames: Renames = field(default_factory=dict)


Ask = Callable[[str, LabelTree, str], Asked]
"""Makes a change out of the text in force, the same as a tree, and this moment."""


@dataclass(slots=True)
class Work:
    """What becomes of all streams.

    Attributes:
        task: says it of one.
        event: makes the event of an action on a stream.
    """

    task: Task
    event: Callable[[Stream, Action], Event]
    outcomes: dict[StreamName, Outcome] = field(default_factory=dict)
    _plans: dict[StreamName, Plan] = field(default_factory=dict)

    def take(self, stream: Stream) -> None:
        """Looks at a stream."""
        outcome, name = self.task(stream), (stream.person, stream.key)
        if outcome.nothing:
            return
        if outcome.action is not None:
            event = self.event(stream, outcome.action)
            self._plans[name], _ = planned(stream, event)
            outcome.action = None  # the plan holds it, in a tenth of the memory
        self.outcomes[name] = outcome

    def again(self, name: StreamName, stream: Stream | None) -> None:
        """Looks at a stream that moved on; None for one that is gone."""
        self.outcomes.pop(name, None)
        self._plans.pop(name, None)
        if stream is not None:
            self.take(stream)

    @property
    def plans(self) -> list[Plan]:
        """What is to be written."""
        return list(self._plans.values())


@dataclass(frozen=True, slots=True)
class Prepared:
    """A change with what it does, ready to be written.

    Attributes:
        begun: what it was made from.
        undoes: the number of the change that it takes back; 0 for none.
    """

    begun: Moment
    change: LabelChange
    text: str
    old_text: str
    work: Work
    undoes: int = 0

    @property
    def nothing(self) -> bool:
        """Whether all stays as it is."""
        return self.change.after == self.change.before and not self.work.plans


@dataclass(frozen=True, slots=True)
class Carrying:
    """What all changes have in common.

    Attributes:
        file: the workspace's `labels.yaml`.
        names: of people, by id.
        clock: gives this moment, ISO 8601.
        new_id: gives a new id for an event or a batch.
    """

    store: RelabelStore
    guidance: GuidanceStore
    file: File
    names: Callable[[], dict[str, str]]
    actor: Actor = OPERATOR
    clock: Callable[[], str] = utc_now
    new_id: Callable[[], str] = lambda: str(uuid.uuid4())

    def prepared(self, seen: Relabelling, ask: Ask, *, dataset: str, text: str = "") -> Prepared:
        """A change as it would be now.

        Args:
            dataset: whose own set; empty for the workspace's.
            text: of the set that changes; empty for the one in force.

        Raises:
            TuiAnnotateError: as `ask`.
            NotFound: there is no such dataset, or no label set.
        """
        begun, at, batch = seen.moment(dataset), self.clock(), self.new_id()
        old = text or self.in_force(begun.version)
        what = ask(old, stored_labels(old), at)
        after = begun.version if what.text is None else self.guidance.hash_of(what.text)
        work = Work(what.task, self._events(after or self.in_force_hash(), at, batch=batch))
        for stream in seen.streams(begun.datasets):
            work.take(stream)
        change = LabelChange(
            dataset,
            what.kind,
            Request(what.told, what.renames, begun.datasets),
            begun.version,
            after,
            at,
            self.actor.person,
            batch if work.plans else "",
            begun.arrival,
        )
        return Prepared(begun, change, old if what.text is None else what.text, old, work)

    def carry_out(self, made: Prepared, *, check: Callable[[Report], None] | None = None) -> Report:
        """Writes a change, with streams that moved on since looked at again.

        Args:
            check: refuses what must not be; asked with the lock held.

        Raises:
            Conflict: labels or datasets changed meanwhile.
            Unavailable: `labels.yaml` can not be written; then nothing is.
        """
        change, begun = made.change, made.begun
        with self.store.writing() as now:
            current = now.moment(change.dataset)
            if (current.version, current.datasets) != (begun.version, begun.datasets):
                raise Conflict("labels or datasets changed meanwhile", "do it again")
            for name in now.touched(begun):
                made.work.again(name, now.stream(name))
            change = replace(change, arrival=current.arrival)
            if check is not None:
                check(self.report(made))
            now.keep(change, made.text, made.work.plans, undoes=made.undoes)
            # Last, so that a file that can not be written leaves the store as it was.
            wanted = not change.dataset and change.after != change.before
            file = self.file.follow(made.old_text, made.text) if wanted else ""
        return self.report(made, done=True, file=file)

    def report(self, made: Prepared, *, done: bool = False, file: str = "") -> Report:
        """What a change does, in figures."""
        change, figures = made.change, Figures(self.names())
        figures.take(made.work.outcomes.items())
        return figures.report(
            kind=change.kind,
            told=change.request.told,
            dataset=change.dataset,
            before=change.before,
            after=change.after,
            done=done,
            file=file,
        )

    def in_force(self, version: str) -> str:
        """The text of a version; of the workspace's in force for none.

        Raises:
            NotFound: the workspace has no label set.
        """
        known = version or self.in_force_hash()
        if not known:
            raise NotFound("the workspace has no labels.yaml", f"make it; {WRITE}")
        return self.guidance.text(Guidance.LABELS, known)

    def in_force_hash(self) -> str:
        """The version of the workspace's set."""
        return self.guidance.version(Guidance.LABELS)

    def _events(self, labels: str, at: str, *, batch: str) -> Callable[[Stream, Action], Event]:
        guidelines: dict[str, str] = {}

        def event(stream: Stream, action: Action) -> Event:
            dataset = stream.key.dataset
            if dataset not in guidelines:
                guidelines[dataset] = self.guidance.version(Guidance.GUIDELINES, dataset=dataset)
            versions = {"labels": labels, "guidelines": guidelines[dataset], BY: self.actor.person}
            return Event(
                id=self.new_id(),
                seq=0,
                person=stream.person,
                dataset=dataset,
                sample=stream.key.id,
                action=replace(action, batch=batch),
                at=at,
                versions={name: value for name, value in versions.items() if value},
                app=VERSION,
            )

        return event
