"""Samples as reviewers see them: all annotators' work without names, and the adjudication."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from functools import cached_property
from typing import Any, Final

from tui_annotate.domain.adjudication import OpenKind, OpenParts
from tui_annotate.domain.annotations import REJECTED, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.history import canonical_json
from tui_annotate.domain.labels import JOINER, LabelTree
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.report_collections import NOT_RATED, has_rating_conflict
from tui_annotate.domain.samples import Sample, SampleKey, Segment
from tui_annotate.domain.suggestions import SuggestionStatus
from tui_annotate.domain.work_changes import WorkChanges
from tui_annotate.methods.adjudication import (
    CandidateAnnotation,
    CandidateGroup,
    DifferenceKind,
    GroupDecision,
    find_decision,
    find_orphans,
    group_candidates,
)
from tui_annotate.services.review.open_items import OpenItem
from tui_annotate.storage.log.adjudications import WorkLock
from tui_annotate.storage.log.event_log import EventLog


@unique
class ReviewRefusal(StrEnum):
    """Why a sample cannot be adjudicated now."""

    NOT_DONE = "no annotator has completed this sample yet"
    WAITS = "not all assigned annotators have completed this sample yet"
    PRACTICE = "this is a practice sample, and practice is not reviewed"
    OWN_WORK = "you annotated this sample: another reviewer must adjudicate it"


_UNLOCKED: Final = WorkLock()


_NOTHING_OPEN: Final = OpenParts()


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
        position: number of the sample in the order of the reviewer's work, from 1: adjudicated
            samples come before open ones; 0 if the sample is not in the queue.
        refused: why this reviewer may not adjudicate the sample; else empty.
        seen: token of the displayed state, which later actions must give.
        edited: letters of the annotators who edited their work after the first adjudication.
        reopened: number of annotators whose work is reopened and not completed again.
        open: what is undecided, or changed after its decision.
        locked_people: letters of the annotators whose work is locked: of an adjudicated sample, or
            with other samples of a dataset with gold samples.
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
    open: OpenParts = _NOTHING_OPEN
    lock: WorkLock = _UNLOCKED
    locked_people: tuple[str, ...] = ()

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
        """Whether the annotators' ratings differ, without a decision."""
        return self.open.rating

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """The accepted annotations, in reading order, without the rejected ones."""
        return tuple(one for one in self.settled if one.origin != REJECTED)

    @property
    def is_settled(self) -> bool:
        """Whether the adjudication is complete, and about the annotators' present work."""
        return self.assignment.state is State.DONE and not self.open.changed

    @property
    def practice(self) -> bool:
        """False: practice is not reviewed."""
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
        """Number of samples in the queue, all of which the reviewer can complete."""
        return self.total

    @property
    def place(self) -> Mapping[str, Any]:
        """Empty: no cursor position is stored for reviewers."""
        return {}

    @property
    def suggestions(self) -> tuple[SuggestionStatus, ...]:
        return ()  # they are for annotators


@dataclass(frozen=True, slots=True)
class ReviewResult:
    """Result of an action of a review.

    Attributes:
        verb: verb of the stored event.
        `settled`: the adjudicated annotations after it.
        seen: token of the work that the reviewer saw; the next action sends it back.
    """

    key: SampleKey
    verb: str
    settled: tuple[Annotation, ...]
    assignment: Assignment
    seen: str
    open: OpenParts


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
        changed: number of people whose work is no longer the work that was adjudicated.
        open_decisions: number of conflicts, ratings and changed decisions that are to be decided.
        unanswered_questions: number of annotators' questions without an answer, also later ones.
    """

    key: SampleKey
    group: str
    summary: str
    annotators: int
    annotations: int
    pending: int
    state: State
    agreed: int
    nearly_agreed: int
    conflicts: int
    conflicts_by_kind: tuple[tuple[DifferenceKind, int], ...]
    annotated_by_reviewer: bool
    against: float | None = None
    ready: bool = True
    edited: int = 0
    reopened: int = 0
    changed: int = 0
    open_decisions: int = 0
    unanswered_questions: int = 0

    @property
    def settled(self) -> bool:
        """Whether the adjudication is complete, and about the annotators' present work."""
        return self.state is State.DONE and not self.changed


@dataclass(frozen=True, slots=True)
class AnnotationOutcome:
    """An annotator's annotation with what the review made of it; None where there is nothing."""

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
_NO_CHANGES: Final = WorkChanges()


@dataclass(frozen=True)
class SampleWork:
    """Work of all annotators and decisions of reviewers on a sample.

    Attributes:
        people: work of those whose work is complete, by letter.
        letters: all who ever completed the sample, by letter.
    """

    sample: Sample
    settled: EventStream
    people: Mapping[str, EventStream]
    letters: Mapping[str, str]
    changes: WorkChanges = _NO_CHANGES
    questions: int = 0

    @cached_property
    def layers(self) -> tuple[AnnotationLayer, ...]:
        """The work of each annotator, by letter, as reviewers see it."""
        return tuple(
            AnnotationLayer(
                letter=letter,
                annotations=tuple(
                    replace(one, imported=None, suggested=None) for one in stream.annotations
                ),
                comment=stream.assignment.comment,
                rating=stream.assignment.rating,
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
                code="labels-changed",
            )
        if state != self.seen:
            raise Conflict(
                "another user changed this sample since it was opened",
                "check the current state of the sample, then repeat the action",
                code="sample-changed",
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
        """Rating of each annotator by letter; empty for an annotator who did not rate."""
        return {layer.letter: layer.rating for layer in self.layers}

    @cached_property
    def stale(self) -> frozenset[str]:
        """Ids of annotators' annotations whose group changed after the decisions on it."""
        found: set[str] = set()
        made_from: dict[str, list[Annotation]] = defaultdict(list)
        for one in self.adjudicated:
            sources = one.settled.sources if one.settled else ()
            for name in sources:
                made_from[name].append(one)
        for group in self.groups:
            made = [one for name in group.sources for one in made_from.get(name, ())]
            if made and self.changes.is_stale(group.sources, made, claims=group.anchors):
                found |= group.sources
        for one in find_orphans(self.groups, self.adjudicated):
            if one.settled and self.changes.is_stale((), [one]):
                found |= set(one.settled.sources)
        return frozenset(found)

    def decision(self, group: CandidateGroup) -> GroupDecision:
        """Return the reviewer's decision on a group, or that it changed since."""
        return find_decision(group, self.adjudicated, stale=self.stale)

    @property
    def changed(self) -> tuple[str, ...]:
        """Letters of the annotators whose work is no longer the work that was adjudicated.

        Those who skipped or flagged the sample after its adjudication are included.
        """
        people = self.changes.changed_people()
        return tuple(letter for letter, person in self.letters.items() if person in people)

    @property
    def has_stale_rating(self) -> bool:
        """Whether annotators changed their ratings after the decision, away from its result."""
        rating = self.settled.assignment.rating
        differs = any(given != rating for given in self.ratings.values())
        return bool(rating) and differs and self.changes.is_rating_stale()

    @property
    def has_open_rating(self) -> bool:
        """Whether ratings differ, and no rating and no reason for its absence is adjudicated."""
        assignment = self.settled.assignment
        if assignment.rating or not has_rating_conflict(self.ratings.values()):
            return False
        left_out = assignment.state is State.DONE and not self.changes.is_rating_stale()
        return not left_out

    @property
    def open_comments(self) -> tuple[str, ...]:
        """Letters of the annotators whose sample comments are not adjudicated."""
        comments = {layer.letter: layer.comment for layer in self.layers}
        if self.settled.assignment.comment or len(set(comments.values())) < 2:
            return ()
        return tuple(letter for letter, comment in comments.items() if comment)

    @property
    def agreed_comment(self) -> str:
        """The comment that all annotators wrote; empty if there is none."""
        comments = {layer.comment for layer in self.layers}
        return comments.pop() if len(comments) == 1 else ""

    @property
    def open_parts(self) -> OpenParts:
        """What is undecided or changed, apart from open conflicts."""
        return OpenParts(
            changed=self.changed,
            stale=self.stale,
            stale_rating=self.has_stale_rating,
            rating=self.has_open_rating,
            comments=self.open_comments,
            questions=self.questions,
        )

    def open_items(self) -> tuple[OpenItem, ...]:
        """Return what a reviewer must still decide, in the order in which it is asked."""
        return tuple(self._find_open())

    def count_open(self) -> int:
        """Return the number of undecided conflicts, changed decisions and ratings."""
        counted = (OpenKind.CONFLICTS, OpenKind.CHANGED, OpenKind.RATING)
        return sum(item.count for item in self.open_items() if item.kind in counted)

    def _find_open(self) -> Iterator[OpenItem]:
        decisions = [(group, self.decision(group)) for group in self.groups]
        undecided = [group for group, what in decisions if what is GroupDecision.OPEN]
        if undecided:
            count = format_count(len(undecided), "conflict")
            text = f"{count} ({'; '.join(map(_name_candidates, undecided))})"
            yield OpenItem(OpenKind.CONFLICTS, text, len(undecided))
        changed = [group for group, what in decisions if what is GroupDecision.CHANGED]
        orphans = [
            one
            for one in find_orphans(self.groups, self.adjudicated)
            if one.settled and not self.stale.isdisjoint(one.settled.sources)
        ]
        names = [*map(_name_candidates, changed), *(_name_labels(one.labels) for one in orphans)]
        if self.has_stale_rating:
            names.append(f"rating {self.settled.assignment.rating} ({self._name_ratings()})")
        if names:
            count = format_count(len(names), "decision")
            text = f"{count} before a change of annotators' work ({'; '.join(names)})"
            yield OpenItem(OpenKind.CHANGED, text, len(names))
        if self.has_open_rating:
            yield OpenItem(OpenKind.RATING, f"rating ({self._name_ratings()})")
        if letters := self.open_comments:
            text = f"{format_count(len(letters), 'sample comment')} ({', '.join(letters)})"
            yield OpenItem(OpenKind.COMMENTS, text, len(letters))
        if self.questions:
            text = format_count(self.questions, "unanswered question")
            yield OpenItem(OpenKind.QUESTIONS, text, self.questions)

    def _name_ratings(self) -> str:
        return ", ".join(f"{letter} {word or NOT_RATED}" for letter, word in self.ratings.items())

    @property
    def adjudicated(self) -> tuple[Annotation, ...]:
        """The adjudicated annotations, and the rejected ones."""
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
            code="candidate-gone",
        )


def _name_candidates(group: CandidateGroup) -> str:
    return ", ".join(
        f"{_name_labels(candidate.labels)} {' '.join(candidate.people)}"
        for candidate in group.candidates
    )


def _name_labels(labels: Iterable[LabelPath]) -> str:
    return " + ".join(map(JOINER.join, labels)) or "no label"


def read_sample_work(log: EventLog, sample: Sample) -> SampleWork:
    """Read the completed work of all annotators on a sample, and the decisions of reviewers."""
    key = sample.key
    letters = read_letters(log, key)
    finished = set(log.finished(key))
    people = {
        letter: log.stream(person, key) for letter, person in letters.items() if person in finished
    }
    settled = log.stream(SETTLED, key)
    changes = _NO_CHANGES
    if settled.head:
        changes = log.work_changes(key, list(letters.values()))
    return SampleWork(
        sample=sample,
        settled=settled,
        people=people,
        letters=letters,
        changes=changes,
        questions=log.count_waiting_questions(key),
    )


def read_letters(log: EventLog, key: SampleKey, *, others: Iterable[str] = ()) -> dict[str, str]:
    """Return the annotators of a sample by letters, which hide their names from reviewers.

    A person who ever completed the sample keeps the letter, also while the work is reopened; who
    completes it later gets an unused letter. `others`: further people, who come last.
    """
    completed = log.ever_completed(key)
    people = [*completed, *(each for each in log.finished(key) if each not in completed)]
    return assign_letters(key, people, others=others)


def assign_letters(
    key: SampleKey, people: Sequence[str], *, others: Iterable[str] = ()
) -> dict[str, str]:
    """Return people by letters; `people` are in the order of their first completion.

    The first three have A, B and C in a random order, the next three D, E and F, and so on. The
    order depends on the sample alone, so that no letter changes when more people complete it.
    """

    def digest(*words: str) -> str:
        return hashlib.sha256("\0".join((*key, *words)).encode()).hexdigest()

    def place(at: int) -> int:
        block, within = divmod(at, _BLOCK_SIZE)
        places = range(block * _BLOCK_SIZE, (block + 1) * _BLOCK_SIZE)
        return sorted(places, key=lambda each: digest(str(each)))[within]

    letters = [_letter(place(at)) for at in range(len(people))]
    # One letter comes before two: Z before AA.
    by_letter = sorted(zip(letters, people, strict=True), key=lambda each: (len(each[0]), each[0]))
    named = dict(by_letter)
    first = math.ceil(len(people) / _BLOCK_SIZE) * _BLOCK_SIZE
    later = sorted(set(others).difference(people), key=digest)
    return named | {_letter(at): who for at, who in enumerate(later, first)}


_BLOCK_SIZE: Final = 3
"""Number of letters in a random order, so that a letter does not show who was first or last."""


def _letter(at: int) -> str:
    """Return the letter that hides the name of an annotator: A to Z, then A2 to Z2, and so on."""
    turn, place = divmod(at, _ALPHABET_SIZE)
    return chr(ord("A") + place) + (str(turn + 1) if turn else "")
