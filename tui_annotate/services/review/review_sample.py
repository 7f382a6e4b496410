"""Samples as reviewers see them: all annotators' work without names, and the adjudication."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from functools import cached_property
from typing import Any, Final

from tui_annotate.domain.annotations import REJECTED, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.history import canonical_json
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.report_collections import has_rating_conflict
from tui_annotate.domain.samples import Sample, SampleKey, Segment
from tui_annotate.methods.adjudication import (
    CandidateAnnotation,
    CandidateGroup,
    DifferenceKind,
    group_candidates,
)
from tui_annotate.storage.log.adjudications import WorkLock
from tui_annotate.storage.log.log import EventLog, EventStream


@unique
class ReviewRefusal(StrEnum):
    NOT_DONE = "no annotator has completed this sample yet"
    WAITS = "not all assigned annotators have completed this sample yet"
    PRACTICE = "this is a practice sample, and practice is not reviewed"
    OWN_WORK = "you annotated this sample: another reviewer must adjudicate it"


_UNLOCKED: Final = WorkLock()


@dataclass(frozen=True, slots=True)
class AnnotationLayer:
    """Work of one annotator on a sample as reviewers see it, without name and origin."""

    letter: str
    annotations: tuple[Annotation, ...]
    comment: str
    rating: str = ""


@dataclass(frozen=True, slots=True)
class ReviewSample:
    """Sample as a reviewer sees it: texts, annotators' anonymous work, and the adjudication.

    Attributes:
        `settled`: adjudicated and rejected annotations, in reading order.
        position: position in the queue, from 1; 0 if the sample is not in the queue.
        refused: why this reviewer may not adjudicate the sample; else empty.
        seen: token of the displayed state, which later actions must give.
        edited: letters of the annotators who edited their work after the first adjudication.
        reopened: number of annotators whose work is reopened and not completed again.
        lock: always open, as a reviewer changes no annotator's work.
    """

    sample: Sample
    segments: tuple[tuple[Segment, ...], ...]
    layers: tuple[AnnotationLayer, ...]
    groups: tuple[CandidateGroup, ...]
    settled: tuple[Annotation, ...]
    assignment: Assignment
    pending: int
    position: int
    total: int
    finished: int
    labels: LabelTree
    guidelines: str
    refused: str
    seen: str
    scale: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    reopened: int = 0
    lock: WorkLock = _UNLOCKED

    @property
    def ratings(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Ratings of the sample, each with letters that stand for its annotators."""
        given = {layer.rating for layer in self.layers if layer.rating}
        words = [*self.scale, *sorted(given.difference(self.scale))]
        return tuple(
            (word, tuple(layer.letter for layer in self.layers if layer.rating == word))
            for word in words
            if word in given
        )

    @property
    def has_rating_conflict(self) -> bool:
        """Whether the annotators' ratings differ and no rating is adjudicated yet."""
        given = [layer.rating for layer in self.layers]
        return not self.assignment.rating and has_rating_conflict(given)

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        return tuple(one for one in self.settled if one.origin != REJECTED)

    @property
    def practice(self) -> bool:
        return False

    @property
    def completed(self) -> int:
        return self.finished

    @property
    def skipped(self) -> int:
        return 0  # a reviewer skips and flags no samples

    @property
    def flagged(self) -> int:
        return 0

    @property
    def locked(self) -> int:
        return 0  # only annotators' work is locked

    @property
    def possible(self) -> int:
        return self.total

    @property
    def place(self) -> Mapping[str, Any]:
        return {}


@dataclass(frozen=True, slots=True)
class ReviewResult:
    key: SampleKey
    verb: str
    settled: tuple[Annotation, ...]
    assignment: Assignment
    seen: str


@dataclass(frozen=True, slots=True)
class QueuedSample:
    """A sample in the review queue, with counts of its annotations and conflicts.

    Attributes:
        conflicts: number of conflicts; annotators' ratings that differ are one conflict.
        pending: people who are still to complete the sample, including free slots in a pool.
        against: disagreement with a machine in [0, 1]; None without a machine's estimate.
        ready: whether the sample can be adjudicated; if not, the counts of annotations,
            agreements and conflicts are 0, because its work is not read.
        edited: number of people who edited their work after the first adjudication.
        reopened: number of people whose work is reopened and not completed again.
    """

    key: SampleKey
    group: str
    summary: str
    annotators: int
    annotations: int
    pending: int
    state: State
    agreed: int
    nearly: int
    conflicts: int
    kinds: tuple[tuple[DifferenceKind, int], ...]
    own: bool
    against: float | None = None
    ready: bool = True
    edited: int = 0
    reopened: int = 0

    @property
    def settled(self) -> bool:
        return self.state is State.DONE


@dataclass(frozen=True, slots=True)
class AnnotationOutcome:
    annotation: Annotation
    result: Annotation | None
    refusal: Annotation | None


@dataclass(frozen=True, slots=True)
class SampleOutcome:
    """Adjudication of a sample as shown to one of its annotators, without names of other users."""

    key: SampleKey
    outcomes: tuple[AnnotationOutcome, ...]
    added: tuple[Annotation, ...]
    rated: str = ""
    rating: str = ""
    comment: str = ""


_ALPHABET_SIZE = 26
_SEPARATOR = "."


@dataclass(frozen=True)
class SampleWork:
    """Work of all annotators and decisions of reviewers on a sample."""

    sample: Sample
    settled: EventStream
    people: Mapping[str, EventStream]

    @cached_property
    def layers(self) -> tuple[AnnotationLayer, ...]:
        return tuple(
            AnnotationLayer(
                letter,
                tuple(replace(one, imported=None, suggested=None) for one in stream.annotations),
                stream.assignment.comment,
                stream.assignment.rating,
            )
            for letter, stream in self.people.items()
        )

    @cached_property
    def groups(self) -> tuple[CandidateGroup, ...]:
        """Annotations of a sample, in groups of annotations that overlap."""
        return group_candidates(
            self.sample, {layer.letter: layer.annotations for layer in self.layers}
        )

    def seen_under(self, label_set: str) -> str:
        """Return a token that changes when the work on a sample or the label set changes."""
        return f"{self.seen}{_SEPARATOR}{label_set}"

    def check(self, seen: str, *, same: Callable[[str], bool]) -> None:
        """Raise Conflict if the sample or the label set has changed since it was displayed."""
        state, _, under = seen.partition(_SEPARATOR)
        if not same(under):
            raise Conflict(
                "the labels changed since this sample was opened",
                "check the sample with the current labels, then repeat the action",
            )
        if state != self.seen:
            raise Conflict(
                "another user changed this sample since it was opened",
                "check the current state of the sample, then repeat the action",
            )

    @cached_property
    def seen(self) -> str:
        """Hash of all work on the sample except times, to detect changes."""
        states = {
            stream.person: [dict(stream.state.annotations), dict(stream.state.assignment)]
            for stream in (self.settled, *self.people.values())
        }
        return hashlib.sha256(canonical_json(states).encode()).hexdigest()

    @property
    def ratings(self) -> dict[str, str]:
        return {layer.letter: layer.rating for layer in self.layers}

    @property
    def adjudicated(self) -> tuple[Annotation, ...]:
        return self.settled.annotations

    def candidate(self, sources: Sequence[str]) -> CandidateAnnotation:
        """Return equal annotations of the given annotators as one; Conflict if there are none."""
        wanted = tuple(sorted(sources))
        for group in self.groups:
            for candidate in group.candidates:
                if candidate.sources == wanted:
                    return candidate
        raise Conflict(
            f"the candidate no longer exists: {', '.join(wanted) or 'no annotation given'}",
            "check the current state of the sample, then repeat the action",
        )


def read_sample_work(log: EventLog, sample: Sample) -> SampleWork:
    key = sample.key
    names = assign_letters(key, log.finished(key))
    people = {letter: log.stream(person, key) for letter, person in names.items()}
    return SampleWork(sample, log.stream(SETTLED, key), people)


def assign_letters(
    key: SampleKey, people: Sequence[str], *, others: Iterable[str] = ()
) -> dict[str, str]:
    """Return the annotators of a sample by letters, which hide their names from reviewers."""

    def place(person: str) -> str:
        return hashlib.sha256("\0".join((*key, person)).encode()).hexdigest()

    later = sorted(set(others).difference(people), key=place)
    return {_letter(at): who for at, who in enumerate([*sorted(people, key=place), *later])}


def _letter(at: int) -> str:
    """Return the letter that hides the name of an annotator: A to Z, then A2 to Z2, and so on."""
    turn, place = divmod(at, _ALPHABET_SIZE)
    return chr(ord("A") + place) + (str(turn + 1) if turn else "")
