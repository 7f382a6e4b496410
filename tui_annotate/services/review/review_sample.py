"""A sample as reviewers see it: annotations of all people without names, and the adjudication."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from functools import cached_property
from typing import Any

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
from tui_annotate.storage.log.log import EventLog, EventStream


@unique
class ReviewRefusal(StrEnum):
    """Why a reviewer can not adjudicate a sample."""

    NOT_DONE = "nobody is done with this sample yet"
    OWN_WORK = "you annotated this sample yourself: somebody else settles it"


@dataclass(frozen=True, slots=True)
class AnnotationLayer:
    """One annotator's anonymous work on a sample, without origins, which would bias the reviewer.

    Attributes:
        letter: another person's in the next sample.
    """

    letter: str
    annotations: tuple[Annotation, ...]
    comment: str
    rating: str = ""


@dataclass(frozen=True, slots=True)
class ReviewSample:
    """A sample as a reviewer sees it.

    Attributes:
        segments: parallel to `sample.documents`.
        settled: results and refusals, in reading order.
        position: in the queue, from 1; 0 outside.
        refused: why this reviewer may not adjudicate it; else empty.
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

    @property
    def ratings(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The ratings with the letters of who gave each: in order of the scale, then others."""
        given = {layer.rating for layer in self.layers if layer.rating}
        words = [*self.scale, *sorted(given.difference(self.scale))]
        return tuple(
            (word, tuple(layer.letter for layer in self.layers if layer.rating == word))
            for word in words
            if word in given
        )

    @property
    def has_rating_conflict(self) -> bool:
        """Whether people rated differently, and no rating was chosen."""
        given = [layer.rating for layer in self.layers]
        return not self.assignment.rating and has_rating_conflict(given)

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """The results so far, as `OpenSample` has annotations."""
        return tuple(one for one in self.settled if one.origin != REJECTED)

    @property
    def practice(self) -> bool:
        """Always False."""
        return False

    @property
    def place(self) -> Mapping[str, Any]:
        """Always empty: positions in review are not stored."""
        return {}


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """The stored state after an action."""

    key: SampleKey
    verb: str
    settled: tuple[Annotation, ...]
    assignment: Assignment
    seen: str


@dataclass(frozen=True, slots=True)
class QueuedSample:
    """A sample in the review queue, with counts of its groups; differing ratings are a conflict.

    Attributes:
        own: whether the reviewer annotated it.
        against: contradiction to a machine in [0, 1]; None without one.
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

    @property
    def settled(self) -> bool:
        """Whether the adjudication is complete."""
        return self.state is State.DONE


@dataclass(frozen=True, slots=True)
class AnnotationOutcome:
    """The outcome of one annotation: the result that replaced it, or the refusal, or None."""

    annotation: Annotation
    result: Annotation | None
    refusal: Annotation | None


@dataclass(frozen=True, slots=True)
class SampleOutcome:
    """The adjudication of a sample for one annotator, without other names.

    Attributes:
        added: results that they did not mark.
        rated: their own rating; `rating` is the adjudicated one.
    """

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
    """The streams of review (`settled`) and of annotators, by their letters."""

    sample: Sample
    settled: EventStream
    people: Mapping[str, EventStream]

    @cached_property
    def layers(self) -> tuple[AnnotationLayer, ...]:
        """The work of each annotator."""
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
        """The candidates of all annotators, grouped."""
        return group_candidates(
            self.sample, {layer.letter: layer.annotations for layer in self.layers}
        )

    def seen_under(self, label_set: str) -> str:
        """Return a token of the state, with the version of the label set that it is shown under."""
        return f"{self.seen}{_SEPARATOR}{label_set}"

    def check(self, seen: str, *, same: Callable[[str], bool]) -> None:
        """Refuse an action on another state than `seen`; `same` compares versions of the labels.

        Raises:
            Conflict: the sample or its labels changed.
        """
        state, _, under = seen.partition(_SEPARATOR)
        if not same(under):
            raise Conflict(
                "the labels changed since this sample was opened",
                "look at it under the labels as they are now, and do it again",
            )
        if state != self.seen:
            raise Conflict(
                "somebody else worked on this sample since it was opened",
                "look at it as it is now, and do it again",
            )

    @cached_property
    def seen(self) -> str:
        """A hash of all work on the sample; time spent does not count."""
        states = {
            stream.person: [dict(stream.state.annotations), dict(stream.state.assignment)]
            for stream in (self.settled, *self.people.values())
        }
        return hashlib.sha256(canonical_json(states).encode()).hexdigest()

    @property
    def ratings(self) -> dict[str, str]:
        """Ratings by letter; empty for none."""
        return {layer.letter: layer.rating for layer in self.layers}

    @property
    def adjudicated(self) -> tuple[Annotation, ...]:
        """Results and refusals so far."""
        return self.settled.annotations

    def candidate(self, sources: Sequence[str]) -> CandidateAnnotation:
        """Return the candidate made of these annotations.

        Raises:
            Conflict: there is none.
        """
        wanted = tuple(sorted(sources))
        for group in self.groups:
            for candidate in group.candidates:
                if candidate.sources == wanted:
                    return candidate
        raise Conflict(
            f"nobody says that any more: {', '.join(wanted) or 'nothing'}",
            "look at the sample as it is now, and do it again",
        )


def read_sample_work(log: EventLog, sample: Sample) -> SampleWork:
    """Read the work on a sample, as the transaction sees it."""
    key = sample.key
    names = assign_letters(key, log.finished(key))
    people = {letter: log.stream(person, key) for letter, person in names.items()}
    return SampleWork(sample, log.stream(SETTLED, key), people)


def assign_letters(key: SampleKey, people: Sequence[str]) -> dict[str, str]:
    """Assign letters to people, in an order that differs between samples."""

    def place(person: str) -> str:
        return hashlib.sha256("\0".join((*key, person)).encode()).hexdigest()

    return {_letter(at): person for at, person in enumerate(sorted(people, key=place))}


def _letter(at: int) -> str:
    """A to Z, then A2 to Z2, and so on."""
    turn, place = divmod(at, _ALPHABET_SIZE)
    return chr(ord("A") + place) + (str(turn + 1) if turn else "")
