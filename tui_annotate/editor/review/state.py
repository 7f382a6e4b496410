"""The state of a sample in review: groups of candidate annotations, and their adjudication.

`key_handlers` changes a draft by keys, `words` describes a draft in text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from tui_annotate.domain.adjudication import OpenKind, OpenParts, RejectionReason
from tui_annotate.domain.annotations import REJECTED, Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.labels import MOST_OPTIONS
from tui_annotate.domain.samples import Side
from tui_annotate.editor.glyphs import CHOSEN
from tui_annotate.editor.key_state import OPTION, READING, REVIEWING, SELECTING, SOURCE, KeyState
from tui_annotate.editor.review.questions import (
    CONFIRMATIONS,
    CONFIRMING,
    LEAVING,
    REFUSING,
    REOPENING,
    WHY,
    AnswerText,
)
from tui_annotate.editor.state import Draft, LabelOption, reason_options
from tui_annotate.methods.adjudication import (
    CandidateAnnotation,
    CandidateGroup,
    GroupDecision,
    find_adjudicated,
    find_decision,
    find_orphans,
    find_rejections,
)

_NOTHING_OPEN: Final = OpenParts()


@dataclass(frozen=True, slots=True)
class ReviewPosition:
    """One entry to review: a group of candidates, or an adjudicated annotation without candidates.

    Such an annotation is the reviewer's own, or its annotators deleted or reopened what it was made
    from.
    """

    group: CandidateGroup | None = None
    own: Annotation | None = None

    @property
    def candidates(self) -> tuple[CandidateAnnotation, ...]:
        """The candidates of the group; empty for an annotation without candidates."""
        return self.group.candidates if self.group else ()

    @property
    def claims(self) -> tuple[Anchor, ...]:
        """Spans of the claims of all candidates, or of the annotation; equal spans repeat."""
        if self.group:
            return tuple(anchor for each in self.group.candidates for anchor in each.claim)
        return self.own.claim if self.own else ()


@dataclass(frozen=True, slots=True)
class _ReviewIndex:
    """Tables of groups of candidates, built once because they are needed at each key press.

    Attributes:
        decided: decision on each group, by `id()` of the group, because hashing a group is slow.
        of: adjudicated and rejected annotations, by the id of each source annotation.
    """

    groups: tuple[CandidateGroup, ...]
    settled: tuple[Annotation, ...]
    positions: tuple[ReviewPosition, ...]
    decided: Mapping[int, GroupDecision]
    of: Mapping[str, Sequence[Annotation]]
    stale: frozenset[str]

    @classmethod
    def build(
        cls,
        groups: tuple[CandidateGroup, ...],
        settled: tuple[Annotation, ...],
        stale: frozenset[str],
    ) -> Self:
        of: dict[str, list[Annotation]] = defaultdict(list)
        own = []
        for one in settled:
            for name in one.settled.sources if one.settled else ():
                of[name].append(one)
            if one.settled and not one.settled.sources and one.origin != REJECTED:
                own.append(ReviewPosition(own=one))
        own += [ReviewPosition(own=one) for one in find_orphans(groups, settled)]
        positions = [*map(ReviewPosition, groups), *own]
        decided = {
            id(group): find_decision(
                group, [one for name in group.sources for one in of.get(name, ())], stale=stale
            )
            for group in groups
        }
        ordered = sorted(
            positions, key=lambda position: (not position.claims, sorted(position.claims))
        )
        return cls(groups, settled, tuple(ordered), decided, of, stale)


@dataclass
class ReviewDraft(Draft):
    """One sample on a reviewer's screen, with all decisions and unsaved edits.

    Attributes:
        settled: adjudicated and rejected annotations; `annotations` are only the adjudicated ones.
        people: letters of all annotators whose work counts.
        locked_people: letters of those whose work is locked.
        edited: letters of those who edited their work after the first adjudication.
        reopened: number of people whose work is reopened and not completed again.
        names: names of annotators by letter, while names are shown.
        open_parts: what is undecided or changed, apart from open conflicts.
        ratings: annotators' ratings, each with their letters.
        answers: reason and note for each kind of open work, while the completion asks for them.
        asked_kind: the kind of open work that the completion asks for.
        blocked_reason: why this reviewer may not adjudicate the sample; empty if they may.
        at: index in `positions` of the entry now under review; -1 for none.
        candidate: index of the chosen candidate in this entry; -1 for none.
        page: index of the nine candidates that the digits choose from.
        sources: ids of the source annotations of an edited annotation, by its id.
        originals: annotations before their edit, by id.
        reopening: letter of the annotator whose work is to be reopened; empty for all of them.
    """

    groups: tuple[CandidateGroup, ...] = ()
    settled: tuple[Annotation, ...] = ()
    people: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    reopened: int = 0
    locked_people: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    progress: State = State.NEW
    open_parts: OpenParts = _NOTHING_OPEN
    ratings: tuple[tuple[str, tuple[str, ...]], ...] = ()
    answers: dict[OpenKind, tuple[RejectionReason, str]] = field(default_factory=dict)
    asked_kind: OpenKind = OpenKind.CONFLICTS
    blocked_reason: str = ""
    at: int = -1
    candidate: int = -1
    page: int = 0
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    originals: dict[str, Annotation] = field(default_factory=dict)
    asked: str = REFUSING
    reopening: str = ""
    _index: _ReviewIndex | None = None

    @property
    def state(self) -> KeyState:
        """What the reviewer does: `REVIEWING`, unless a question, a note or an edit is open."""
        state = super().state
        looks = state in READING | SELECTING | SOURCE and not self.editing
        return REVIEWING if looks else state

    @property
    def key_states(self) -> KeyState:
        """The states whose keys act; during questions about open work, those of review, too."""
        return OPTION | REVIEWING if self.asks_open_work else super().key_states

    @property
    def asks_reviewer(self) -> bool:
        """Whether a question of the review is open, which no annotator is asked."""
        kinds = (REFUSING, LEAVING, CONFIRMING, REOPENING)
        return self.pending is not None and self.pending.kind in kinds

    @property
    def asks_open_work(self) -> bool:
        """Whether `Enter` asks about open work, which can also be decided instead of answered."""
        return self.pending is not None and self.pending.kind in (LEAVING, CONFIRMING)

    @property
    def asks_reason(self) -> bool:
        """Whether the reason of a flag, of a rejection, or of open work is asked for."""
        asked = self.pending is not None and self.pending.kind in (REFUSING, LEAVING)
        return asked or super().asks_reason

    def begins_reason(self, action: str) -> bool:
        """Whether a letter starts a typed reason: not if it decides the open work asked about."""
        # Letters such as y decide open work, and must not become the reason of a rejection.
        return super().begins_reason(action) and not (self.asks_open_work and action)

    @property
    def shown_work(self) -> tuple[object, ...]:
        """What of the stored work is on screen, with the groups of candidates and the decisions."""
        return *super().shown_work, self.groups, self.settled, self.progress

    def letter(self, annotation_id: str) -> str:
        """Return how the screen names an annotation: `✓` if adjudicated, `new` if not stored."""
        return CHOSEN if any(one.id == annotation_id for one in self.annotations) else "new"

    # positions

    @property
    def index(self) -> _ReviewIndex:
        """Tables of the current groups and decisions, built again after a change of them."""
        index = self._index
        stale = self.open_parts.stale
        if (
            index is None
            or index.groups is not self.groups
            or index.settled is not self.settled
            or index.stale != stale
        ):
            index = self._index = _ReviewIndex.build(self.groups, self.settled, stale)
        return index

    @property
    def positions(self) -> tuple[ReviewPosition, ...]:
        """All groups of candidates and all annotations of the reviewer, in reading order."""
        return self.index.positions

    @property
    def position(self) -> ReviewPosition | None:
        """The entry under review; None for none."""
        positions = self.positions
        return positions[self.at] if 0 <= self.at < len(positions) else None

    @property
    def group(self) -> CandidateGroup | None:
        """The group of candidates under review; None if the entry has none."""
        return self.position.group if self.position else None

    @property
    def candidates(self) -> tuple[CandidateAnnotation, ...]:
        """The candidate annotations in the group now under review, also those not on screen."""
        return self.group.candidates if self.group else ()

    @property
    def chosen(self) -> CandidateAnnotation | None:
        """The chosen candidate of the group under review; None for none."""
        candidates = self.candidates
        return candidates[self.candidate] if 0 <= self.candidate < len(candidates) else None

    @property
    def refusable(self) -> tuple[CandidateAnnotation, ...]:
        """Candidate annotations that key `x` rejects: the chosen one, else the whole group."""
        return (self.chosen,) if self.chosen else self.candidates

    @property
    def in_hand(self) -> tuple[CandidateAnnotation, ...]:
        """Candidates that key `y` accepts: the chosen one, the single one, or the majority's."""
        if self.chosen:
            return (self.chosen,)
        if len(self.candidates) == 1:
            return self.candidates
        return self.group.proposal if self.group else ()

    def decision_on(self, group: CandidateGroup) -> GroupDecision:
        """Return the decision on a group, which must be an element of `groups`, and not a copy."""
        return self.index.decided[id(group)]

    def undecided(self) -> tuple[CandidateGroup, ...]:
        """Return the groups that the completion asks about: those with an open conflict."""
        return tuple(
            group for group in self.groups if self.decision_on(group) is GroupDecision.OPEN
        )

    def changed_positions(self) -> tuple[ReviewPosition, ...]:
        """Return the entries that were decided before an annotator changed their candidates."""
        return tuple(position for position in self.positions if self.is_changed(position))

    def is_changed(self, position: ReviewPosition) -> bool:
        """Return whether annotators changed an entry's candidates or sources after the decision."""
        if position.group:
            return self.decision_on(position.group) is GroupDecision.CHANGED
        settled = position.own.settled if position.own else None
        return settled is not None and not self.open_parts.stale.isdisjoint(settled.sources)

    def has_lost_sources(self, position: ReviewPosition) -> bool:
        """Whether an entry was made from annotations that are deleted or not complete now."""
        settled = position.own.settled if position.own else None
        return settled is not None and bool(settled.sources)

    @property
    def has_rating_conflict(self) -> bool:
        """Whether ratings differ, without a decision."""
        return self.open_parts.rating

    def open_kinds(self) -> tuple[OpenKind, ...]:
        """Return the kinds of undecided work, in the order in which the completion asks."""
        parts = self.open_parts
        found = {
            OpenKind.CONFLICTS: bool(self.undecided()),
            OpenKind.CHANGED: bool(self.changed_positions()) or parts.stale_rating,
            OpenKind.RATING: parts.rating,
            OpenKind.COMMENTS: bool(parts.comments),
            OpenKind.QUESTIONS: bool(parts.questions),
        }
        return tuple(kind for kind in OpenKind if found[kind])

    def count_open(self) -> int:
        """Return the number of undecided conflicts, changed decisions and ratings."""
        parts = self.open_parts
        ratings = parts.rating + parts.stale_rating
        return len(self.undecided()) + len(self.changed_positions()) + ratings

    def has_split_label(self, position: ReviewPosition) -> bool:
        """Return whether an adjudicated annotation of an entry has a label that was split."""
        made = [position.own] if position.own else []
        for candidate in position.candidates:
            made += self.adjudicated_from(candidate)
        return any(self.tree.split(one.labels) for one in made)

    def missing_parts(self, position: ReviewPosition) -> tuple[str, ...]:
        """Return what the label set requires, and the result of an entry lacks: note, evidence."""
        made: list[Annotation] = [position.own] if position.own else []
        for candidate in position.candidates:
            made += self.adjudicated_from(candidate)
        if position.group and self.decision_on(position.group) is GroupDecision.AGREED:
            # These candidates become annotations when the sample is completed.
            made += [
                Annotation("", one.claim, one.evidence, one.labels, one.note)
                for one in position.candidates
            ]
        lacking = {part for one in made for part in self.tree.lacks(one)} - {"label"}
        return tuple(sorted(lacking))

    def incomplete_positions(self) -> tuple[ReviewPosition, ...]:
        """Return the entries that must be edited before the sample can be completed."""
        return tuple(
            position
            for position in self.positions
            if self.has_split_label(position) or self.missing_parts(position)
        )

    def adjudicated_from(self, candidate: CandidateAnnotation) -> tuple[Annotation, ...]:
        """Return the annotations that the reviewer kept from a candidate; empty for none."""
        return find_adjudicated(candidate, self._of(candidate))

    def refusal_of(self, candidate: CandidateAnnotation) -> Annotation | None:
        """Return the annotation that records the rejection of a candidate; None if not rejected."""
        return next(iter(find_rejections(candidate, self._of(candidate))), None)

    def _of(self, candidate: CandidateAnnotation) -> tuple[Annotation, ...]:
        found = (one for name in candidate.sources for one in self.index.of.get(name, ()))
        return tuple({one.id: one for one in found}.values())

    def adjudicated_here(self) -> tuple[Annotation, ...]:
        """Return the adjudicated annotations of the entry under review, each once."""
        if self.position and self.position.own:
            return (self.position.own,)
        found = (one for candidate in self.candidates for one in self.adjudicated_from(candidate))
        return tuple({one.id: one for one in found}.values())

    def shown_evidence(self) -> tuple[Anchor, ...]:
        """Return the evidence to highlight in the source for the annotation under review.

        This is the evidence of the first of these that exists: the open edit, the chosen
        candidate, the adjudicated annotations, the candidates that key `y` accepts, all candidates.
        """
        if self.editing:
            return tuple(self.evidence)
        if self.chosen:
            return self.chosen.evidence
        of: Sequence[Annotation | CandidateAnnotation] = (
            self.adjudicated_here() or self.in_hand or self.candidates
        )
        return tuple(sorted({anchor for one in of for anchor in one.evidence}))

    def position_at(self, offset: int) -> int:
        """Return the index in `positions` of a claim at an offset, at best the current; or -1."""
        index = self.pointers[Side.SUMMARY].document
        # The current entry is looked at first, the others in reading order.
        for at, position in sorted(enumerate(self.positions), key=lambda each: each[0] != self.at):
            for side, number, span in position.claims:
                inside = span.start <= offset < span.end
                if inside and (side, number) == (Side.SUMMARY, index):
                    return at
        return -1

    @property
    def reopenable(self) -> tuple[str, ...]:
        """Whose work can be reopened: everyone's (an empty letter), or that of one annotator.

        Before the adjudication, only work that other samples lock, in a dataset with gold samples.
        """
        if self.progress not in (State.DONE, State.REOPENED):
            return self.locked_people[:MOST_OPTIONS]
        return ("", *self.people[: MOST_OPTIONS - 1])

    # the options of the label bar

    def options(self) -> tuple[LabelOption, ...]:
        """Return what the digit keys choose from: reasons, labels during an edit, or candidates."""
        if self.pending and self.pending.kind in (REFUSING, LEAVING):
            return reason_options([each.text() for each in WHY.values()])
        if self.pending and self.pending.kind == CONFIRMING:
            return reason_options([CONFIRMATIONS[self.asked_kind].text()])
        if self.pending and self.pending.kind == REOPENING:
            everyone = AnswerText.EVERYONE.text()
            return reason_options(
                [self.describe_people([one] if one else []) or everyone for one in self.reopenable]
            )
        if self.state != REVIEWING:
            return super().options()
        first = self.page * MOST_OPTIONS
        return tuple(
            LabelOption(
                str(at - first + 1),
                self.candidate_words(at),
                candidate.labels[0] if candidate.labels else (),
                chosen=bool(self.adjudicated_from(candidate)),
            )
            for at, candidate in enumerate(self.candidates)
            if first <= at < first + MOST_OPTIONS
        )

    def digit(self, at: int) -> str:
        """Return the key for a candidate annotation: 1 to 9, or 0 if it is not on screen."""
        page, index = divmod(at, MOST_OPTIONS)
        return str(index + 1) if page == self.page else "0"

    def candidate_words(self, at: int) -> str:
        """Return the labels and the annotators of a candidate under review, by its index."""
        candidate = self.candidates[at]
        return f"{self.label_names(candidate.labels)} {self.describe_people(candidate.people)}"

    def describe_people(self, letters: Sequence[str]) -> str:
        """Return annotators by their letters, or by their names while names are shown."""
        if not self.names:
            return " ".join(letters)
        return ", ".join(self.names.get(letter, letter) for letter in letters)
