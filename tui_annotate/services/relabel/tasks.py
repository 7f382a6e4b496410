"""Computes the effect of a label change on one annotator's work on a sample; stores nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from tui_annotate.domain import event_builders
from tui_annotate.domain.annotations import REJECTED, Annotation, LabelPath
from tui_annotate.domain.assignments import State
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.history import RELABEL, Change, Event, PendingEvent
from tui_annotate.domain.label_changes import (
    Renames,
    find_broken_rules,
    find_duplicate_pairs,
    rename_labels,
)
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import SETTLED

RATING: Final = "rating"


class LabelMapping(NamedTuple):
    """Path of a label before and after a label change; an empty new path means a lost label."""

    old: LabelPath
    new: LabelPath


class StreamFinding(NamedTuple):
    """Problem that a label change causes in an annotator's annotations of one sample.

    Attributes:
        what: kind of problem: an annotation `breaks` a rule, `lacks` what its label requires now,
            duplicates another one (`alike`), is `left` unchanged, or has `lost` its label; or a
            completed sample is `unrated`, although its kind has a rating scale.
        `says`: the broken rule: `evidence`, `note` or `alone`, or the missing part, which can also
            be `rating`; else empty.
    """

    what: str
    numbers: tuple[int, ...]
    label: LabelPath
    says: str = ""


@dataclass(slots=True)
class StreamOutcome:
    """Effect of a label change on a person's work.

    Attributes:
        gold: whether the sample checks the person's accuracy.
        locked: whether the sample lacks a rating, but stays complete because the work is locked.
    """

    action: PendingEvent | None = None
    kinds: Counter[LabelMapping] = field(default_factory=Counter)
    annotations: int = 0
    findings: list[StreamFinding] = field(default_factory=list)
    reopens: bool = False
    closes: bool = False
    gold: bool = False
    locked: bool = False

    @property
    def nothing(self) -> bool:
        return self.action is None and not self.kinds and not self.findings

    def keep_state(self) -> None:
        """Keep the state of the sample, if the outcome would reopen it."""
        if not self.reopens or self.action is None:
            return
        before, after = self.action.before.annotations, self.action.after.annotations
        self.action = replace(self.action, before=Change(before), after=Change(after))
        if not after:
            self.action = None
        self.reopens = False


Task = Callable[[EventStream], StreamOutcome]


Before = Callable[[EventStream], State | None]


def renaming_task(
    renames: Renames,
    *,
    before: LabelTree,
    after: LabelTree,
    at: str,
    was: Before,
    reopen_lacking: bool = False,
) -> Task:
    """Return a function that renames labels in an annotator's annotations of a sample.

    A sample that was reopened only for a choice of labels returns to its former state.

    Args:
        reopen_lacking: whether to reopen a completed sample if an annotation gets a label that
            requires what the annotation lacks.
    """
    wanted = frozenset(renames)

    def task(stream: EventStream) -> StreamOutcome:
        if not _has_any_label(stream, wanted):
            return StreamOutcome()
        old = stream.annotations
        changed = {one.id: rename_labels(one.labels, renames) for one in old}
        changed = {one.id: changed[one.id] for one in old if changed[one.id] != one.labels}
        if not changed:
            return StreamOutcome()
        new = [replace(one, labels=changed.get(one.id, one.labels)) for one in old]
        opened = stream.assignment.state is State.REOPENED
        chosen = opened and _has_open_choice(old, before) and not _has_open_choice(new, after)
        to = was(stream) if chosen else None
        lacking = list(_find_lacking(old, new, before=before, after=after))
        reopens = None
        if lacking and reopen_lacking:
            to, reopens = None, event_builders.reopened_state(stream.state)
        return StreamOutcome(
            event_builders.relabel(stream.state, changed, at=at, to=reopens or to),
            Counter(
                LabelMapping(path, renames[path])
                for one in old
                if one.id in changed
                for path in one.labels
                if renames.get(path, path) != path
            ),
            len(changed),
            [
                *_find_broken_rules(old, new, before=before, after=after),
                *lacking,
                *_find_duplicates(old, new),
            ],
            reopens=reopens is not None,
            closes=to is not None,
        )

    return task


def retiring_task(gone: Collection[LabelPath]) -> Task:
    def task(stream: EventStream) -> StreamOutcome:
        if not _has_any_label(stream, gone):
            return StreamOutcome()
        mine = [one for one in stream.annotations if not set(gone).isdisjoint(one.labels)]
        kinds = Counter(
            LabelMapping(path, path) for one in mine for path in one.labels if path in gone
        )
        return StreamOutcome(None, kinds, len(mine))

    return task


def splitting_task(labels: Collection[LabelPath], *, at: str) -> Task:
    """Return a function that reopens samples with annotations whose label was split into others."""

    def task(stream: EventStream) -> StreamOutcome:
        if not _has_any_label(stream, labels):
            return StreamOutcome()
        found = _without_rejected(stream.annotations)
        kinds = Counter(
            LabelMapping(path, path) for one in found for path in one.labels if path in labels
        )
        mine = [one for one in found if not set(labels).isdisjoint(one.labels)]
        if not mine:
            return StreamOutcome()
        to = event_builders.reopened_state(stream.state)
        action = event_builders.relabel(stream.state, {}, at=at, to=to)
        return StreamOutcome(action if to else None, kinds, len(mine), reopens=to is not None)

    return task


def apply_label_set(
    before: LabelTree, after: LabelTree, *, at: str, reopen_lacking: bool = False
) -> Task:
    """Return a function that adapts an annotator's work on a sample to a new label set.

    It reopens a sample with labels that are now split, and reports labels that the set lacks. It
    also reports annotations that lack what their labels require only in the new set, and reopens
    their completed samples with `reopen_lacking`. If both sets have the same rules, it reopens with
    `reopen_lacking` all completed samples with annotations that lack something.
    """
    kept = before.means(after) and reopen_lacking  # completed samples that an earlier change kept
    known = {label.path for label in before.walk() if label.split}
    split = {label.path for label in after.walk() if label.split} - known
    waiting = splitting_task(split, at=at)

    def task(stream: EventStream) -> StreamOutcome:
        outcome = waiting(stream)
        found = stream.annotations
        outcome.findings += _find_lost_labels(found, before=before, after=after)
        outcome.kinds.update(LabelMapping(finding.label, ()) for finding in outcome.findings)
        outcome.findings += _find_broken_rules(found, found, before=before, after=after)
        known = None if kept and stream.assignment.state is State.DONE else before
        lacking = list(_find_lacking(found, found, before=known, after=after))
        outcome.findings += lacking
        if lacking and reopen_lacking and outcome.action is None:
            to = event_builders.reopened_state(stream.state)
            outcome.reopens = to is not None
            if to is not None:
                outcome.action = event_builders.relabel(stream.state, {}, at=at, to=to)
        numbers = {number for finding in outcome.findings for number in finding.numbers}
        outcome.annotations = max(outcome.annotations, len(numbers))
        return outcome

    return task


def reopen_unrated(
    task: Task, rated: Collection[int], *, locked: Collection[tuple[str, int]], at: str
) -> Task:
    """Return a function that does a task, and reopens completed samples without a rating.

    Args:
        rated: row ids of the samples whose kind has a rating scale.
        locked: person and row id of the sample, of work that is counted, but stays complete.
    """

    def extended(stream: EventStream) -> StreamOutcome:
        outcome, work = task(stream), stream.assignment
        unrated = work.state is State.DONE and not work.rating and stream.sample_id in rated
        if not unrated or stream.person == SETTLED:
            return outcome
        outcome.findings.append(StreamFinding("unrated", (), (), RATING))
        if (stream.person, stream.sample_id) in locked:
            outcome.locked = outcome.action is None
        elif outcome.action is None:
            to = event_builders.reopened_state(stream.state)
            outcome.action = event_builders.relabel(stream.state, {}, at=at, to=to)
            outcome.reopens = True
        return outcome

    return extended


def undoing(
    event_in: Callable[[EventStream], Event | None],
    renames: Renames,
    *,
    before: LabelTree,
    after: LabelTree,
    at: str,
    is_later: Callable[[EventStream, int], bool],
) -> Task:
    """Return a function that undoes a label change in an annotator's annotations of a sample.

    `renames` apply to labels given since; `after` is the label set that is restored.
    """

    def task(stream: EventStream) -> StreamOutcome:
        action, left = _restore(stream, event_in(stream), is_later)
        old = stream.annotations
        rest = {one.id: rename_labels(one.labels, renames) for one in old}
        rest = {
            one.id: rest[one.id]
            for one in old
            if one.id not in action.after.annotations and rest[one.id] != one.labels
        }
        if rest:
            action = _combine_actions(action, event_builders.relabel(stream.state, rest, at=at))
        touched = set(action.after.annotations)
        new = replace(stream, state=stream.state.applied(action)).annotations
        kinds = Counter(
            LabelMapping(one, other)
            for was, now in zip(_by_id(old), _by_id(new), strict=True)
            for one, other in _pair_labels(was.labels, now.labels)
        )
        findings = [
            StreamFinding("left", (one.number,), one.labels[0] if one.labels else ())
            for one in old
            if one.id in left - touched
        ]
        findings += _find_lost_labels(new, before=before, after=after)
        to = action.after.assignment.get("state")
        reopens, closes = to == State.REOPENED, to not in (None, State.REOPENED)
        done = action if touched or to else None
        return StreamOutcome(done, kinds, len(touched), findings, reopens=reopens, closes=closes)

    return task


def _restore(
    stream: EventStream, event: Event | None, is_later: Callable[[EventStream, int], bool]
) -> tuple[PendingEvent, set[str]]:
    """Return the action that undoes a label change, and the annotations it cannot restore."""
    if event is None:
        return PendingEvent(RELABEL, Change(), Change()), set()
    states = bool(event.action.after.assignment) and not is_later(stream, event.seq)
    action = event_builders.undo_relabel(stream.state, event.action, event.id, states=states)
    return action, set(event.action.after.annotations.keys() - action.after.annotations.keys())


def _combine_actions(one: PendingEvent, other: PendingEvent) -> PendingEvent:
    return replace(
        one,
        before=Change(
            {**one.before.annotations, **other.before.annotations}, one.before.assignment
        ),
        after=Change({**one.after.annotations, **other.after.annotations}, one.after.assignment),
    )


def _pair_labels(
    old: tuple[LabelPath, ...], new: tuple[LabelPath, ...]
) -> Iterator[tuple[LabelPath, LabelPath]]:
    if old != new:
        gone = [path for path in old if path not in new]
        came = [path for path in new if path not in old]
        for place in range(max(len(gone), len(came))):
            one = gone[place] if place < len(gone) else ()
            yield one, came[place] if place < len(came) else ()


def _by_id(annotations: Iterable[Annotation]) -> list[Annotation]:
    return sorted(annotations, key=lambda one: one.id)


def _has_any_label(stream: EventStream, wanted: Collection[LabelPath]) -> bool:
    return any(
        tuple(path) in wanted
        for payload in stream.state.annotations.values()
        for path in payload["labels"]
    )


def _find_broken_rules(
    old: Iterable[Annotation], new: Iterable[Annotation], *, before: LabelTree, after: LabelTree
) -> Iterator[StreamFinding]:
    for was, now in zip(old, new, strict=True):
        known = {says for _, says in find_broken_rules(was, before)}
        for path, says in find_broken_rules(now, after):
            if says not in known:
                yield StreamFinding("breaks", (now.number,), path, says)


def _find_lacking(
    old: Iterable[Annotation],
    new: Iterable[Annotation],
    *,
    before: LabelTree | None,
    after: LabelTree,
) -> Iterator[StreamFinding]:
    """Find annotations that lack evidence or a note that a label requires now, but did not.

    If `before` is None, it does not matter what the annotations lacked before.
    """
    for was, now in zip(old, new, strict=True):
        if now.origin == REJECTED:
            continue
        for part in set(after.lacks(now)).difference(
            before.lacks(was) if before else (), ("label",)
        ):
            path = next(path for path in now.labels if after.requires(path, part))
            yield StreamFinding("lacks", (now.number,), path, part)


def _find_duplicates(
    old: Iterable[Annotation], new: Iterable[Annotation]
) -> Iterator[StreamFinding]:
    known = {(one.id, other.id) for one, other in find_duplicate_pairs(_without_rejected(old))}
    for one, other in find_duplicate_pairs(_without_rejected(new)):
        if (one.id, other.id) not in known:
            shared = next(path for path in one.labels if path in other.labels)
            yield StreamFinding("alike", (one.number, other.number), shared)


def _has_open_choice(annotations: Iterable[Annotation], labels: LabelTree) -> bool:
    return any(labels.split(one.labels) for one in _without_rejected(annotations))


def _without_rejected(annotations: Iterable[Annotation]) -> list[Annotation]:
    return [one for one in annotations if one.origin != REJECTED]


def _find_lost_labels(
    annotations: Iterable[Annotation], *, before: LabelTree, after: LabelTree
) -> Iterator[StreamFinding]:
    for one in annotations:
        for path in one.labels:
            if before.find(path) is not None and after.find(path) is None:
                yield StreamFinding("lost", (one.number,), path)
