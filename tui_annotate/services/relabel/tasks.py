"""What a change of labels does to one person's work on one sample; nothing is stored here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tui_annotate.domain import deeds
from tui_annotate.domain.annotations import REJECTED, Annotation, LabelPath
from tui_annotate.domain.assignments import State
from tui_annotate.domain.history import RELABEL, Action, Change, Event
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.relabelling import Renames, alike, refused, renamed
from tui_annotate.storage.work.plans import Stream


class Kind(NamedTuple):
    """What a label of an annotation becomes: the same where it stays, empty where it is lost."""

    old: LabelPath
    new: LabelPath


class Remark(NamedTuple):
    """Something to look at.

    Attributes:
        what: `breaks` a rule, says something `alike` another one, is `left` as it is, has a label
            that is `lost` to its set.
        numbers: of the annotations.
        label: what it is about.
        says: the rule: `evidence`, `note` or `alone`; empty for all else.
    """

    what: str
    numbers: tuple[int, ...]
    label: LabelPath
    says: str = ""


@dataclass(slots=True)
class Outcome:
    """What becomes of a stream.

    Attributes:
        action: None where its work stays as it is; taken off once it is planned.
        reopens: whether work is to be looked at again; `closes` whether work that a change opened
            is as far as before it.
        kinds: how many annotations, by what their labels become.
        annotations: how many of them are concerned.
    """

    action: Action | None = None
    kinds: Counter[Kind] = field(default_factory=Counter)
    annotations: int = 0
    remarks: list[Remark] = field(default_factory=list)
    reopens: bool = False
    closes: bool = False

    @property
    def nothing(self) -> bool:
        """Whether there is nothing to do, and nothing to say."""
        return self.action is None and not self.kinds and not self.remarks


Task = Callable[[Stream], Outcome]


Before = Callable[[Stream], State | None]
"""How far work was that a change of labels opened; None where it stays open."""


def renaming(
    renames: Renames, *, before: LabelTree, after: LabelTree, at: str, was: Before
) -> Task:
    """Work gets other labels; where nothing waits for a choice any more, it is as far as it was.

    Args:
        before, after: the label sets.
        at: this moment.
    """
    wanted = frozenset(renames)

    def task(stream: Stream) -> Outcome:
        if not _has(stream, wanted):
            return Outcome()
        old = stream.annotations
        changed = {one.id: renamed(one.labels, renames) for one in old}
        changed = {one.id: changed[one.id] for one in old if changed[one.id] != one.labels}
        if not changed:
            return Outcome()
        new = [replace(one, labels=changed.get(one.id, one.labels)) for one in old]
        opened = stream.assignment.state is State.REOPENED
        chosen = opened and _waits(old, before) and not _waits(new, after)
        to = was(stream) if chosen else None
        return Outcome(
            deeds.relabel(stream.state, changed, at=at, to=to),
            _kinds((one for one in old if one.id in changed), renames),
            len(changed),
            [*_broken(old, new, before=before, after=after), *_alike(old, new)],
            closes=to is not None,
        )

    return task


def retiring(gone: Collection[LabelPath]) -> Task:
    """Work keeps labels that are no longer given."""

    def task(stream: Stream) -> Outcome:
        if not _has(stream, gone):
            return Outcome()
        mine = [one for one in stream.annotations if not set(gone).isdisjoint(one.labels)]
        kinds = Counter(Kind(path, path) for one in mine for path in one.labels if path in gone)
        return Outcome(None, kinds, len(mine))

    return task


def splitting(labels: Collection[LabelPath], *, at: str) -> Task:
    """Work waits for a choice: what was finished, or came in whole, is to be looked at again."""

    def task(stream: Stream) -> Outcome:
        if not _has(stream, labels):
            return Outcome()
        found = _standing(stream.annotations)
        kinds = Counter(Kind(path, path) for one in found for path in one.labels if path in labels)
        mine = [one for one in found if not set(labels).isdisjoint(one.labels)]
        if not mine:
            return Outcome()
        to = deeds.reopened(stream.state)
        action = deeds.relabel(stream.state, {}, at=at, to=to)
        return Outcome(action if to else None, kinds, len(mine), reopens=to is not None)

    return task


def applying(before: LabelTree, after: LabelTree, *, at: str) -> Task:
    """Work waits where a label is split now; what its set loses, and rules it breaks, are told."""
    known = {label.path for label in before.walk() if label.split}
    split = {label.path for label in after.walk() if label.split} - known
    waiting = splitting(split, at=at)

    def task(stream: Stream) -> Outcome:
        outcome = waiting(stream)
        found = stream.annotations
        outcome.remarks += _lost(found, before=before, after=after)
        outcome.kinds.update(Kind(remark.label, ()) for remark in outcome.remarks)
        outcome.remarks += _broken(found, found, before=before, after=after)
        numbers = {number for remark in outcome.remarks for number in remark.numbers}
        outcome.annotations = max(outcome.annotations, len(numbers))
        return outcome

    return task


@dataclass(frozen=True, slots=True)
class Undoing:
    """Takes a change back.

    Attributes:
        event: what the change did in a stream; None where it did nothing.
        renames: of all else that has one of its labels since; empty where there is no way back.
        before, after: the label sets; `after` is the one of before the change.
        later: whether somebody worked on a stream after the number of an event.
    """

    event: Callable[[Stream], Event | None]
    renames: Renames
    before: LabelTree
    after: LabelTree
    at: str
    later: Callable[[Stream, int], bool]

    def __call__(self, stream: Stream) -> Outcome:
        """What becomes of a stream."""
        action, left = self._restored(stream)
        kept = set(action.after.annotations)
        old = stream.annotations
        rest = {one.id: renamed(one.labels, self.renames) for one in old if one.id not in kept}
        rest = {one.id: rest[one.id] for one in old if rest.get(one.id, one.labels) != one.labels}
        if rest:
            action = _both(action, deeds.relabel(stream.state, rest, at=self.at))
        touched = set(action.after.annotations)
        after = replace(stream, state=stream.state.applied(action)).annotations
        kinds = Counter(
            Kind(one, other)
            for was, now in zip(_by_id(old), _by_id(after), strict=True)
            for one, other in _pairs(was.labels, now.labels)
        )
        remarks = [
            Remark("left", (one.number,), one.labels[0] if one.labels else ())
            for one in old
            if one.id in left - touched
        ]
        remarks += _lost(after, before=self.before, after=self.after)
        to = action.after.assignment.get("state")
        reopens, closes = to == State.REOPENED, to not in (None, State.REOPENED)
        done = action if touched or to else None
        return Outcome(done, kinds, len(touched), remarks, reopens=reopens, closes=closes)

    def _restored(self, stream: Stream) -> tuple[Action, set[str]]:
        event = self.event(stream)
        if event is None:
            return Action(RELABEL, Change(), Change()), set()
        states = bool(event.action.after.assignment) and not self.later(stream, event.seq)
        action = deeds.restore(stream.state, event.action, event.id, states=states)
        left = event.action.after.annotations.keys() - action.after.annotations.keys()
        return action, set(left)


def _both(one: Action, other: Action) -> Action:
    """Two actions on different annotations as one."""
    return replace(
        one,
        before=Change(
            {**one.before.annotations, **other.before.annotations}, one.before.assignment
        ),
        after=Change({**one.after.annotations, **other.after.annotations}, one.after.assignment),
    )


def _pairs(
    old: tuple[LabelPath, ...], new: tuple[LabelPath, ...]
) -> Iterator[tuple[LabelPath, LabelPath]]:
    """What labels became, by their places; what only one side has is told with nothing beside."""
    if old != new:
        gone = [path for path in old if path not in new]
        came = [path for path in new if path not in old]
        for place in range(max(len(gone), len(came))):
            one = gone[place] if place < len(gone) else ()
            yield one, came[place] if place < len(came) else ()


def _by_id(annotations: Iterable[Annotation]) -> list[Annotation]:
    return sorted(annotations, key=lambda one: one.id)


def _has(stream: Stream, wanted: Collection[LabelPath]) -> bool:
    """Whether any annotation has one of some labels; looked at before much is made of it."""
    return any(
        tuple(path) in wanted
        for payload in stream.state.annotations.values()
        for path in payload["labels"]
    )


def _kinds(annotations: Iterable[Annotation], renames: Renames) -> Counter[Kind]:
    return Counter(
        Kind(path, renames[path])
        for one in annotations
        for path in one.labels
        if path in renames and renames[path] != path
    )


def _broken(
    old: Iterable[Annotation], new: Iterable[Annotation], *, before: LabelTree, after: LabelTree
) -> Iterator[Remark]:
    """Rules that annotations break afterwards, and did not before."""
    for was, now in zip(old, new, strict=True):
        known = {says for _, says in refused(was, before)}
        for path, says in refused(now, after):
            if says not in known:
                yield Remark("breaks", (now.number,), path, says)


def _alike(old: Iterable[Annotation], new: Iterable[Annotation]) -> Iterator[Remark]:
    """Pairs that say the same afterwards, and did not before."""
    known = {(one.id, other.id) for one, other in alike(_standing(old))}
    for one, other in alike(_standing(new)):
        if (one.id, other.id) not in known:
            shared = next(path for path in one.labels if path in other.labels)
            yield Remark("alike", (one.number, other.number), shared)


def _waits(annotations: Iterable[Annotation], labels: LabelTree) -> bool:
    """Whether a choice is to be made anywhere."""
    return any(labels.split(one.labels) for one in _standing(annotations))


def _standing(annotations: Iterable[Annotation]) -> list[Annotation]:
    return [one for one in annotations if one.origin != REJECTED]


def _lost(
    annotations: Iterable[Annotation], *, before: LabelTree, after: LabelTree
) -> Iterator[Remark]:
    """Labels that the set knew and does not know any more."""
    for one in annotations:
        for path in one.labels:
            if before.find(path) is not None and after.find(path) is None:
                yield Remark("lost", (one.number,), path)
