"""What of the annotators' work on a sample changed after a reviewer decided on it, from the log.

A decision is about the work that the store had when the decision arrived. Events in the order in
which this store received them decide; the clock of another machine does not.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath, anchor_from_json
from tui_annotate.domain.assignments import State
from tui_annotate.domain.history import (
    DONE,
    IMPORT,
    READ,
    REDO,
    RELABEL,
    UNDO,
    Event,
    Payload,
    PendingEvent,
    canonical_json,
)
from tui_annotate.domain.people import SETTLED

CONTENT: Final = ("claim", "evidence", "labels", "note")
"""What of an annotation a reviewer decides on; its other fields are set by the program."""
_NOW: Final = sys.maxsize
"""Arrival of an event that was just written, and of every later one."""


class _Versions:
    """The values that one thing had, by the arrival of the events that set them."""

    def __init__(self) -> None:
        self._values: list[tuple[int, str]] = []

    def set(self, arrival: int, value: str) -> None:
        self._values.append((arrival, value))

    def rename(self, value: str) -> None:
        """Replace the latest value, as if it had always been this one."""
        if self._values:
            self._values[-1] = (self._values[-1][0], value)

    def at(self, arrival: int) -> str:
        """Return the value after an event had arrived; empty before the first value."""
        before = (value for since, value in reversed(self._values) if since <= arrival)
        return next(before, "")


class _PersonWork:
    """One annotator's work on a sample at each time."""

    def __init__(self) -> None:
        self.annotations: defaultdict[str, _Versions] = defaultdict(_Versions)
        self.words: defaultdict[str, _Versions] = defaultdict(_Versions)

    def take(self, event: Event, arrival: int) -> None:
        """Add an event; events must come in order of arrival. RELABEL changes all versions."""
        action = event.action
        for name, payload in action.after.annotations.items():
            if action.verb == RELABEL:  # the decisions got the same new labels
                self.annotations[name].rename(_content(payload))
            else:
                self.annotations[name].set(arrival, _content(payload))
        for name, word in action.after.assignment.items():
            self.words[name].set(arrival, word)

    def counts(self, arrival: int) -> bool:
        """Return whether review showed the work; imported work may have no state."""
        state = self.words["state"].at(arrival) or State.NEW
        if state == State.NEW:
            marked = any(each.at(arrival) for each in self.annotations.values())
            return marked or bool(self.words["rating"].at(arrival))
        return state == State.DONE

    def is_compared(self) -> bool:
        """Return whether the person has ended the work for now: completed, skipped or flagged."""
        return self.counts(_NOW) or self.words["state"].at(_NOW) in (State.SKIPPED, State.FLAGGED)

    def annotation(self, name: str, arrival: int) -> str:
        """Return the content of an annotation as review showed it; empty if it did not."""
        shown = name in self.annotations and self.counts(arrival)
        return self.annotations[name].at(arrival) if shown else ""

    def word(self, name: str, arrival: int) -> str:
        """Return the state, rating or comment that review showed; empty if it did not."""
        return self.words[name].at(arrival) if self.counts(arrival) else ""

    def content(self, arrival: int) -> tuple[object, ...]:
        """Return everything that review showed of the work at a time."""
        if not self.counts(arrival):
            return ()
        annotations = {name: self.annotation(name, arrival) for name in self.annotations}
        there = tuple(sorted(each for each in annotations.items() if each[1]))
        return there, self.word("rating", arrival), self.word("comment", arrival)


def _content(payload: Payload | None) -> str:
    if payload is None:
        return ""
    return canonical_json({name: payload.get(name) for name in CONTENT})


class _Decided(NamedTuple):
    """When a reviewer decided on what; 0 for never.

    Attributes:
        annotations: arrival of the last decision, by the id of the adjudicated annotation.
        completed: arrival of the last completion of the adjudication.
        unrated: the reason why that completion accepted no rating.
    """

    annotations: Mapping[str, int] = MappingProxyType({})
    rating: int = 0
    completed: int = 0
    unrated: str = ""


_UNDECIDED: Final = _Decided()


@dataclass(frozen=True)
class WorkChanges:
    """Compares annotators' work on a sample with the work on which a reviewer decided.

    Work that its annotator has reopened and not completed again is not compared: it may still
    become what it was. Work that was then skipped or flagged is compared, as work that is gone.
    """

    decided: _Decided = _UNDECIDED
    works: Mapping[str, _PersonWork] = field(default_factory=dict)

    @classmethod
    def read(cls, events: Iterable[tuple[int, Event]], *, reason: str) -> Self:
        """Build from the events of all people on one sample, in order, with their arrivals.

        `reason`: key of the reason for an action in the versions of its event.
        """
        decided = _UNDECIDED
        before = dict[str, _Decided]()
        works: dict[str, _PersonWork] = defaultdict(_PersonWork)
        known = list(events)
        imported = any(
            event.person == SETTLED and event.action.verb == IMPORT for _, event in known
        )
        for arrival, event in known:
            if event.action.verb == READ:
                continue
            if event.person == SETTLED:
                before[event.id] = decided
                step = _Decision(event.action, arrival, event.versions.get(reason, ""))
                restored = before.get(event.action.undoes, _UNDECIDED)
                decided = _decide(decided, step, restored)
                continue
            # Merging people moves old work; a file may bring work and its adjudication at once.
            old = event.action.batch or (imported and event.seq == 1)
            moved = event.action.verb == IMPORT and old
            works[event.person].take(event, 0 if moved else arrival)
        return cls(decided, dict(works))

    @property
    def unrated(self) -> str:
        """The reason why the completed adjudication accepted no rating; empty for none."""
        return self.decided.unrated

    @property
    def owners(self) -> Mapping[str, str]:
        """The person of each annotation that annotators ever had on the sample, by its id."""
        return {name: person for person, work in self.works.items() for name in work.annotations}

    def find_labels(self, source: str, *, decision: str) -> frozenset[LabelPath]:
        """Return the labels that an annotation had when a reviewer decided on it.

        An annotation that arrived after the decision, from another store, counts with its present
        labels; an unknown one has none.

        Args:
            source: id of the annotator's annotation.
            decision: id of the adjudicated annotation that was made from it.
        """
        decided = self.decided.annotations.get(decision, 0)
        known = [
            work.annotations[source] for work in self.works.values() if source in work.annotations
        ]
        for arrival in (decided, _NOW):
            for versions in known:
                if content := versions.at(arrival):
                    return frozenset(tuple(path) for path in json.loads(content)["labels"])
        return frozenset()

    def changed_people(self) -> tuple[str, ...]:
        """Return the sorted ids of those whose work is not the work that was adjudicated.

        Empty if the adjudication was never completed.
        """
        since = self.decided.completed
        if not since:
            return ()
        return tuple(
            sorted(
                person
                for person, work in self.works.items()
                if work.is_compared() and work.content(since) != work.content(_NOW)
            )
        )

    def is_stale(
        self,
        sources: Collection[str],
        decisions: Iterable[Annotation],
        *,
        claims: Collection[Anchor] = (),
    ) -> bool:
        """Return whether a group of candidates changed after the decisions on it.

        A person who completed the sample afterwards, or skipped or flagged it after completion, is
        a change too, with or without a candidate, and so is a former candidate that was deleted or
        moved to other words.

        Args:
            sources: ids of the annotations that are candidates now.
            decisions: adjudicated and rejected annotations that were made from candidates.
            claims: the words of the candidates now; those of evidence if there is no claim.
        """
        made = tuple(decisions)
        last = max((self.decided.annotations.get(one.id, 0) for one in made), default=0)
        since = max(last, self.decided.completed)
        former = {name for one in made if one.settled for name in one.settled.sources}
        if not since:
            return False
        moved = any(
            work.is_compared() and work.counts(_NOW) != work.counts(since)
            for work in self.works.values()
        )
        former |= {name for name, there in self._find_edited(since) if _overlap(there, claims)}
        return moved or any(self._has_changed(name, since) for name in {*sources, *former})

    def is_rating_stale(self) -> bool:
        """Return whether annotators' ratings changed after the decision on the rating."""
        since = max(self.decided.rating, self.decided.completed)
        if not since:
            return False
        return any(
            work.word("rating", since) != work.word("rating", _NOW)
            for work in self.works.values()
            if work.is_compared()
        )

    def _find_edited(self, since: int) -> Iterator[tuple[str, tuple[Anchor, ...]]]:
        """Yield the annotations that were edited or deleted, with the words they were about."""
        for work in self.works.values():
            if not work.is_compared():
                continue
            for name in work.annotations:
                before = work.annotation(name, since)
                if before and before != work.annotation(name, _NOW):
                    content = json.loads(before)
                    words = content["claim"] or content["evidence"]
                    yield name, tuple(anchor_from_json(anchor) for anchor in words)

    def _has_changed(self, name: str, since: int) -> bool:
        return any(
            work.annotation(name, since) != work.annotation(name, _NOW)
            for work in self.works.values()
            if name in work.annotations and work.is_compared()
        )

    def with_action(self, names: Iterable[str], *, rated: bool, completed: bool) -> WorkChanges:
        """Return the changes after a reviewer's action that was just written.

        Args:
            names: ids of the adjudicated annotations that it made.
            rated, completed: whether it decided the rating, and completed the adjudication.
        """
        annotations = {**self.decided.annotations, **dict.fromkeys(names, _NOW)}
        decided = self.decided._replace(annotations=annotations)
        if rated:
            decided = decided._replace(rating=_NOW)
        if completed:
            decided = decided._replace(completed=_NOW)
        return replace(self, decided=decided)


def _overlap(some: Iterable[Anchor], others: Collection[Anchor]) -> bool:
    return any(
        (one.side, one.index) == (other.side, other.index) and one.span.overlap(other.span)
        for one in some
        for other in others
    )


class _Decision(NamedTuple):
    action: PendingEvent
    arrival: int
    reason: str


def _decide(decided: _Decided, step: _Decision, restored: _Decided) -> _Decided:
    """Return the decisions after an event of review.

    `restored`: the decisions before the event that an undo or redo reverses; it restores the times
    of these, because the reviewer has not seen later changes.
    """
    action = step.action
    undone = action.verb in (UNDO, REDO)
    annotations = dict(decided.annotations)
    for name, payload in action.after.annotations.items():
        annotations.pop(name, None)
        if payload is not None:
            annotations[name] = restored.annotations.get(name, 0) if undone else step.arrival
    decided = decided._replace(annotations=annotations)
    if "rating" in action.after.assignment:
        decided = decided._replace(rating=restored.rating if undone else step.arrival)
    state = action.after.assignment.get("state")
    if undone and state is not None:
        return decided._replace(completed=restored.completed, unrated=restored.unrated)
    if action.verb == DONE or (action.verb == IMPORT and state == State.DONE):
        return decided._replace(completed=step.arrival, unrated=step.reason)
    return decided
