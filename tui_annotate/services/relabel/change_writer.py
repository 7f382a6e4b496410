"""Prepares a label change without a lock, then writes the change in one locked transaction.

The steps of a change, in this order: an `Ask` reads the label set in force and returns a
`RelabelRequest`, which holds a `Task`. The task gives a `StreamOutcome` for the work of one person
on one sample; `RelabelWork` collects all outcomes. `PreparedChange` is that work with the new label
set. Once it is written, or in a dry run, a `RelabelReport` counts it.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from operator import attrgetter
from typing import Any, Protocol

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.history import Event, PendingEvent, new_event
from tui_annotate.domain.label_changes import Renames, is_stricter
from tui_annotate.domain.label_files import WRITE, parse_stored_labels
from tui_annotate.domain.labels import JOINER, LabelTree
from tui_annotate.domain.people import OPERATOR, Actor
from tui_annotate.services.relabel.tasks import RATING, StreamOutcome, Task, apply_label_set
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.labels.changes import LabelChange, LabelChangeRequest
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.log.events import BY
from tui_annotate.storage.log.label_set_change import (
    LabelChangeStore,
    LabelSetChange,
    LabelSetSnapshot,
    StreamName,
)
from tui_annotate.storage.log.write_plans import WritePlan, plan_event


@dataclass(frozen=True, slots=True)
class RelabelCount:
    """Number of annotations whose label changes to `becomes`; empty: the label is lost."""

    person: str
    dataset: str
    label: str
    becomes: str
    annotations: int


@dataclass(frozen=True, slots=True)
class RelabelFinding:
    """Annotations for which a change of labels is refused, or needs a decision.

    Attributes:
        kind: kind of the finding, for example `lacks`.
        numbers: numbers of the annotations in the sample.
        `detail`: what was found.
    """

    kind: str
    person: str
    dataset: str
    sample: str
    numbers: tuple[int, ...]
    label: str
    detail: str


@dataclass(frozen=True, slots=True)
class LackingCount:
    """How much completed or begun work of a person lacks a part.

    Attributes:
        part: `note`, `evidence` or `rating`.
        samples: samples with these annotations, or without a rating.
        reopened: those of them that the change reopens.
        practice: those of them that stay as they are, because they are practice.
        gold: those of them that check the person's accuracy. They are reopened like the others,
            because an annotator could recognise samples that stay complete.
        locked: those of them without a rating that stay complete, because the work is locked by an
            adjudication.
    """

    person: str
    dataset: str
    part: str
    annotations: int
    samples: int
    reopened: int
    practice: int
    gold: int
    locked: int = 0


@dataclass(frozen=True, slots=True)
class RelabelReport:
    """Effect of a label change on annotations and samples, done or planned.

    Attributes:
        samples: number of (annotator, sample) pairs; `reopened` and `closed` count the same pairs.
        file: `written` or `left` (because it differs) for `labels.yaml`; empty if not affected.
    """

    kind: str
    change: str
    dataset: str
    before: str
    after: str
    applied: bool
    annotations: int
    samples: int
    reopened: int
    closed: int
    file: str
    counts: tuple[RelabelCount, ...]
    problems: tuple[RelabelFinding, ...]
    missing_parts: tuple[LackingCount, ...] = ()

    def of(self, what: str) -> list[RelabelFinding]:
        """Return the problems of one kind that a label change causes, for example lost labels."""
        return [place for place in self.problems if place.kind == what]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class RelabelConflict(Conflict):
    """A change of labels needs decisions; `report` lists them."""

    def __init__(self, message: str, hint: str, report: RelabelReport) -> None:
        super().__init__(message, hint)
        self.report = report


class LabelsFile(Protocol):
    """The file `labels.yaml`, as changes of labels use it."""

    def take_up(self) -> None:
        """Put an edited `labels.yaml` in use, unless annotations would lose labels."""

    def text(self) -> str:
        """Return the text of the label set that is in use."""

    def pending(self) -> bool:
        """Return whether `labels.yaml` differs from the label set in use."""

    def follow(self, before: str, after: str) -> str:
        """Write a changed label set to `labels.yaml`, unless a user has edited the file."""


@dataclass(frozen=True, slots=True)
class RelabelRequest:
    """Requested change of a label set; `text` is the new label set, None if unchanged.

    `unmarked`: work that is changed, too, if it has no annotations.
    """

    kind: str
    description: str
    text: str | None
    task: Task
    renames: Renames = field(default_factory=dict)
    unmarked: Collection[StreamName] = ()


Ask = Callable[[str, LabelTree, str], RelabelRequest]
"""Function that returns a label change for the current label set and time."""


@dataclass(slots=True)
class RelabelWork:
    """The effect of a label change on everyone's work.

    Attributes:
        practice: datasets for practice, whose samples no change reopens: the answers were shown,
            and the person would do practice again instead of real work.
        gold: person and sample of each check of accuracy.
    """

    task: Task
    event: Callable[[EventStream, PendingEvent], Event]
    practice: Collection[str] = ()
    gold: Collection[tuple[str, int]] = ()
    outcomes: dict[StreamName, StreamOutcome] = field(default_factory=dict)
    _plans: dict[StreamName, WritePlan] = field(default_factory=dict)

    def take(self, stream: EventStream) -> None:
        """Plan how a label change affects one annotator's annotations of a sample."""
        outcome = self.task(stream)
        name = (stream.person, stream.key)
        if stream.key.dataset in self.practice:
            outcome.keep_state()
        outcome.gold = (stream.person, stream.sample_id) in self.gold
        if outcome.nothing:
            return
        if outcome.action is not None:
            event = self.event(stream, outcome.action)
            self._plans[name], _ = plan_event(stream, event)
            outcome.action = None  # the plan has the same data in a tenth of the memory
        self.outcomes[name] = outcome

    def reload_stream(self, name: StreamName, stream: EventStream | None) -> None:
        """Plan again how a person's work on a sample changes, because the work has new events."""
        self.outcomes.pop(name, None)
        self._plans.pop(name, None)
        if stream is not None:
            self.take(stream)

    @property
    def plans(self) -> list[WritePlan]:
        return list(self._plans.values())


@dataclass(frozen=True, slots=True)
class PreparedChange:
    """Change of labels that is ready to be written (`undoes`: number of an undone change, or 0)."""

    begun: LabelSetSnapshot
    change: LabelChange
    text: str
    old_text: str
    work: RelabelWork
    undoes: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether the change alters neither the label set nor any annotation."""
        return self.change.after == self.change.before and not self.work.plans


@dataclass(frozen=True, slots=True)
class LabelChangeWriter:
    """Prepares changes of label sets and annotations, and writes them to the store."""

    store: LabelChangeStore
    guidance: GuidanceStore
    file: LabelsFile
    names: Callable[[], dict[str, str]]
    actor: Actor = OPERATOR
    clock: Callable[[], str] = utc_now
    new_id: Callable[[], str] = lambda: str(uuid.uuid4())

    def prepared(
        self, seen: LabelSetChange, ask: Ask, *, dataset: str, text: str = ""
    ) -> PreparedChange:
        """Prepare a change of a label set and of the annotations with its labels.

        `text` is the old label set; if `text` is empty, the current label set is changed.

        Raises:
            TuiAnnotateError: same as for `ask`.
            NotFound: the dataset does not exist, or there is no label set.
        """
        begun = seen.moment(dataset)
        at = self.clock()
        batch = self.new_id()
        old = text or self.in_force(begun.version)
        what = ask(old, parse_stored_labels(old), at)
        after = begun.version if what.text is None else self.guidance.hash_of(what.text)
        work = RelabelWork(
            task=what.task,
            event=self._event_maker(after or self.in_force_hash(), at, batch=batch),
            practice=seen.practice_datasets(),
            gold=seen.gold_checks(),
        )
        for stream in seen.streams(begun.datasets):
            work.take(stream)
        for name in what.unmarked:
            unmarked = seen.stream(name)
            if unmarked is not None and not unmarked.annotations:
                work.take(unmarked)
        change = LabelChange(
            dataset=dataset,
            kind=what.kind,
            request=LabelChangeRequest(what.description, what.renames, begun.datasets),
            before=begun.version,
            after=after,
            at=at,
            by=self.actor.person,
            batch=batch if work.plans else "",
            arrival=begun.arrival,
        )
        return PreparedChange(
            begun=begun,
            change=change,
            text=old if what.text is None else what.text,
            old_text=old,
            work=work,
        )

    def carry_out(
        self, made: PreparedChange, *, check: Callable[[RelabelReport], None] | None = None
    ) -> RelabelReport:
        """Write a prepared label change, also for annotations that changed meanwhile.

        `check` is called with the report, under the lock.

        Raises:
            Conflict: labels or datasets changed meanwhile.
            Unavailable: `labels.yaml` cannot be written; then nothing is written.
        """
        change = made.change
        begun = made.begun
        with self.store.writing() as now:
            current = now.moment(change.dataset)
            if (current.version, current.datasets) != (begun.version, begun.datasets):
                raise Conflict(
                    "labels or datasets changed while this change was prepared",
                    "repeat the command",
                )
            # Plans were made without the lock: plan the streams again that changed since.
            for name in now.touched(begun):
                made.work.reload_stream(name, now.stream(name))
            change = replace(change, arrival=current.arrival)
            if check is not None:
                check(self.report(made))
            now.keep(change, made.text, made.work.plans, undoes=made.undoes)
            # Write the file last: if that fails, the transaction rolls back.
            wanted = not change.dataset and change.after != change.before
            file = self.file.follow(made.old_text, made.text) if wanted else ""
        return self.report(made, done=True, file=file)

    def report(self, made: PreparedChange, *, done: bool = False, file: str = "") -> RelabelReport:
        """Return the effect of a prepared change; `done` and `file` are about what was written."""
        change = made.change
        names = self.names()
        outcomes = made.work.outcomes
        counts: Counter[tuple[str, str, LabelPath, LabelPath]] = Counter()
        findings = []
        for (person, key), outcome in outcomes.items():
            name = names.get(person, person)
            for kind, count in outcome.kinds.items():
                counts[name, key.dataset, kind.old, kind.new] += count
            findings += [
                RelabelFinding(
                    kind=each.what,
                    person=name,
                    dataset=key.dataset,
                    sample=key.id,
                    numbers=each.numbers,
                    label=JOINER.join(each.label),
                    detail=each.says,
                )
                for each in outcome.findings
            ]
        all_of = outcomes.values()
        return RelabelReport(
            kind=change.kind,
            change=change.request.description,
            dataset=change.dataset,
            before=change.before,
            after=change.after,
            applied=done,
            annotations=sum(each.annotations for each in all_of),
            samples=sum(bool(each.annotations or each.reopens or each.closes) for each in all_of),
            reopened=sum(each.reopens for each in all_of),
            closed=sum(each.closes for each in all_of),
            file=file,
            counts=tuple(
                RelabelCount(name, dataset, JOINER.join(old), JOINER.join(new), count)
                for (name, dataset, old, new), count in sorted(counts.items())
            ),
            problems=tuple(
                sorted(
                    findings,
                    key=attrgetter("kind", "dataset", "sample", "person", "numbers", "label"),
                )
            ),
            missing_parts=_count_lacking(outcomes, names, made.work.practice),
        )

    def in_force(self, version: str) -> str:
        """Return the text of a label set version, by default the workspace's own; or NotFound."""
        known = version or self.in_force_hash()
        if not known:
            raise NotFound("the workspace has no labels.yaml", f"create the file; {WRITE}")
        return self.guidance.text(GuidanceKind.LABELS, known)

    def in_force_hash(self) -> str:
        """Return the hash of the workspace's own label set in use; empty without one."""
        return self.guidance.version(GuidanceKind.LABELS)

    def _event_maker(
        self, labels: str, at: str, *, batch: str
    ) -> Callable[[EventStream, PendingEvent], Event]:
        guidelines: dict[str, str] = {}

        def event(stream: EventStream, action: PendingEvent) -> Event:
            dataset = stream.key.dataset
            if dataset not in guidelines:
                guidelines[dataset] = self.guidance.version(
                    GuidanceKind.GUIDELINES, dataset=dataset
                )
            versions = {"labels": labels, "guidelines": guidelines[dataset], BY: self.actor.person}
            return new_event(
                stream.name,
                replace(action, batch=batch),
                at=at,
                event_id=self.new_id(),
                versions={name: value for name, value in versions.items() if value},
            )

        return event


def _count_lacking(
    outcomes: Mapping[StreamName, StreamOutcome],
    names: Mapping[str, str],
    practice: Collection[str],
) -> tuple[LackingCount, ...]:
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for (person, key), outcome in outcomes.items():
        lacking = [each for each in outcome.findings if each.what in ("lacks", "unrated")]
        for part in {each.says for each in lacking}:
            numbers = {number for each in lacking if each.says == part for number in each.numbers}
            count = counts.setdefault((names.get(person, person), key.dataset, part), Counter())
            count["annotations"] += len(numbers)
            count["samples"] += 1
            if outcome.reopens:
                count["reopened"] += 1
            if key.dataset in practice:
                count["practice"] += 1
            if outcome.gold:
                count["gold"] += 1
            if outcome.locked and part == RATING:
                count["locked"] += 1
    return tuple(
        LackingCount(
            person=person,
            dataset=dataset,
            part=part,
            annotations=count["annotations"],
            samples=count["samples"],
            reopened=count["reopened"],
            practice=count["practice"],
            gold=count["gold"],
            locked=count["locked"],
        )
        for (person, dataset, part), count in sorted(counts.items())
    )


def count_losses(
    store: LabelChangeStore, before: LabelTree, after: LabelTree
) -> Counter[LabelPath]:
    """Count, by label, the annotations that a stricter label set would change or make invalid."""
    lost: Counter[LabelPath] = Counter()
    if not is_stricter(before, after):
        return lost
    task = apply_label_set(before, after, at="")
    with store.reading() as seen:
        for stream in seen.streams(seen.moment().datasets):
            outcome = task(stream)
            lost.update(
                finding.label for finding in outcome.findings if finding.what in ("breaks", "lacks")
            )
            lost.update({kind.old: count for kind, count in outcome.kinds.items()})
    return lost
