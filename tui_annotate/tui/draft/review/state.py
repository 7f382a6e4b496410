"""The draft of a reviewer: candidate annotations by position, and what review made of them.

Values and questions about them; `key_handlers` says what keys change, `words` describes it. While
something is edited, a reviewer has the keys of an annotator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from tui_annotate.domain.adjudication import Reason
from tui_annotate.domain.annotations import REJECTED, Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.labels import MOST_OPTIONS
from tui_annotate.domain.samples import Side
from tui_annotate.methods.adjudication import (
    CandidateAnnotation,
    CandidateGroup,
    Decision,
    adjudicated_of,
    decision,
    rejections_of,
)
from tui_annotate.tui.draft.state import Draft, Option
from tui_annotate.tui.keys.actions import REVIEWING
from tui_annotate.tui.keys.key_lines import LEAVING, REFUSING
from tui_annotate.tui.palette import CHOSEN

WHY: Final[Mapping[Reason, str]] = {
    Reason.SLIP: "annotator's slip",
    Reason.GUIDELINE: "guideline gap",
    Reason.AMBIGUOUS: "ambiguous text",
}
"""Reasons in words, in the order of the digits."""


@dataclass(frozen=True, slots=True)
class ReviewPosition:
    """A position in the text: what was said of it, or what the reviewer added there.

    Attributes:
        group: None where only the reviewer marked anything.
        own: the reviewer's own annotation; None where there is a group.
    """

    group: CandidateGroup | None = None
    own: Annotation | None = None

    @property
    def claims(self) -> tuple[Anchor, ...]:
        """All that was claimed there."""
        if self.group:
            return tuple(
                anchor for candidate in self.group.candidates for anchor in candidate.claim
            )
        return self.own.claim if self.own else ()


@dataclass(frozen=True, slots=True)
class _Known:
    """What follows from what was said and what was adjudicated; found once, asked for at each key.

    Attributes:
        decided: what became of each group, by its identity: hashing one takes its time.
        of: what was made and refused, by the id of an annotation that it is of.
    """

    groups: tuple[CandidateGroup, ...]
    settled: tuple[Annotation, ...]
    positions: tuple[ReviewPosition, ...]
    decided: Mapping[int, Decision]
    of: Mapping[str, Sequence[Annotation]]

    @classmethod
    def found(cls, groups: tuple[CandidateGroup, ...], settled: tuple[Annotation, ...]) -> Self:
        """Looks at all of it."""
        of: dict[str, list[Annotation]] = defaultdict(list)
        own = []
        for one in settled:
            for name in one.settled.sources if one.settled else ():
                of[name].append(one)
            if one.settled and not one.settled.sources and one.origin != REJECTED:
                own.append(ReviewPosition(own=one))
        positions = [*map(ReviewPosition, groups), *own]
        decided = {
            id(group): decision(group, [one for name in group.sources for one in of.get(name, ())])
            for group in groups
        }
        ordered = sorted(
            positions, key=lambda position: (not position.claims, sorted(position.claims))
        )
        return cls(groups, settled, tuple(ordered), decided, of)


@dataclass
class ReviewDraft(Draft):
    """One sample on a reviewer's screen; `annotations` are what was made so far.

    Attributes:
        groups: what people said, by their letters.
        settled: what was made and what was refused.
        people: letters of all whose work counts.
        names: of people by their letters, while they are shown.
        progress: how far review is with the sample.
        has_rating_conflict: people rated it otherwise, and no rating is adjudicated.
        blocked_reason: why this reviewer can not adjudicate it; empty where they can.
        at: the current position; -1 for none.
        candidate: the candidate of it that was chosen; -1 for none.
        page: which nine candidates the digits mean.
        sources: by id, what an annotation that is edited is made of.
        originals: by id, annotations as they were when their edit began.
        asked: which question the reason in own words answers.
    """

    groups: tuple[CandidateGroup, ...] = ()
    settled: tuple[Annotation, ...] = ()
    people: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    progress: State = State.NEW
    has_rating_conflict: bool = False
    blocked_reason: str = ""
    at: int = -1
    candidate: int = -1
    page: int = 0
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    originals: dict[str, Annotation] = field(default_factory=dict)
    asked: str = REFUSING
    _kept: _Known | None = None

    @property
    def state(self) -> str:
        """Which keys act: those of review, unless something is edited, asked for or written."""
        state = super().state
        return REVIEWING if state in "RSV" and not self.editing else state

    def letter(self, annotation_id: str) -> str:
        """What an annotation is called: letters are people here."""
        known = any(one.id == annotation_id for one in self.annotations)
        return CHOSEN if known else "it"

    # positions

    @property
    def _known(self) -> _Known:
        kept = self._kept
        if kept is None or kept.groups is not self.groups or kept.settled is not self.settled:
            kept = self._kept = _Known.found(self.groups, self.settled)
        return kept

    @property
    def positions(self) -> tuple[ReviewPosition, ...]:
        """All positions, in reading order."""
        return self._known.positions

    @property
    def position(self) -> ReviewPosition | None:
        """The current position."""
        positions = self.positions
        return positions[self.at] if 0 <= self.at < len(positions) else None

    @property
    def group(self) -> CandidateGroup | None:
        """What was said in the current position."""
        return self.position.group if self.position else None

    @property
    def candidates(self) -> tuple[CandidateAnnotation, ...]:
        """What the digits choose from, all pages."""
        return self.group.candidates if self.group else ()

    @property
    def chosen(self) -> CandidateAnnotation | None:
        """The candidate that was chosen."""
        return (
            self.candidates[self.candidate] if 0 <= self.candidate < len(self.candidates) else None
        )

    @property
    def in_hand(self) -> tuple[CandidateAnnotation, ...]:
        """What `y` takes: the candidate that was chosen or is alone, else what most said."""
        if self.chosen:
            return (self.chosen,)
        if len(self.candidates) == 1:
            return self.candidates
        return self.group.proposal if self.group else ()

    def what(self, group: CandidateGroup) -> Decision:
        """What became of a position."""
        return self._known.decided[id(group)]

    def undecided(self) -> tuple[CandidateGroup, ...]:
        """The positions that are still open, in reading order."""
        return tuple(group for group in self.groups if self.what(group) is Decision.OPEN)

    def waits(self, position: ReviewPosition) -> bool:
        """Whether something stands of a position under a label that was split."""
        made = [position.own] if position.own else []
        for candidate in position.group.candidates if position.group else ():
            made += self.made_of(candidate)
        return any(self.tree.split(one.labels) for one in made)

    def made_of(self, candidate: CandidateAnnotation) -> tuple[Annotation, ...]:
        """What stands of a candidate."""
        return adjudicated_of(candidate, self._of(candidate))

    def refusal_of(self, candidate: CandidateAnnotation) -> Annotation | None:
        """The refusal of a candidate; None where it was not refused."""
        return next(iter(rejections_of(candidate, self._of(candidate))), None)

    def _of(self, candidate: CandidateAnnotation) -> tuple[Annotation, ...]:
        of = self._known.of
        return tuple(
            {one.id: one for name in candidate.sources for one in of.get(name, ())}.values()
        )

    def standing(self) -> tuple[Annotation, ...]:
        """What was made, of the current position."""
        if self.position and self.position.own:
            return (self.position.own,)
        found = (one for candidate in self.candidates for one in self.made_of(candidate))
        return tuple({one.id: one for one in found}.values())

    def shown_evidence(self) -> tuple[Anchor, ...]:
        """The evidence on screen: of the candidate, of what was adjudicated, or of the proposal."""
        if self.editing:
            return tuple(self.evidence)
        if self.chosen:
            return self.chosen.evidence
        of: Sequence[Annotation | CandidateAnnotation] = (
            self.standing() or self.in_hand or self.candidates
        )
        return tuple(sorted({anchor for one in of for anchor in one.evidence}))

    def position_at(self, offset: int) -> int:
        """The position whose claims hold an offset of the summary; -1 for none.

        Of several it is the one in hand, else the first.
        """
        index = self.pointers[Side.SUMMARY].document
        for at, position in sorted(enumerate(self.positions), key=lambda each: each[0] != self.at):
            for side, number, span in position.claims:
                inside = span.start <= offset < span.end
                if inside and (side, number) == (Side.SUMMARY, index):
                    return at
        return -1

    # what the bar shows

    def options(self) -> tuple[Option, ...]:
        """The bar's digits: candidates, reasons, or, while editing, labels."""
        if self.pending and self.pending.kind in (REFUSING, LEAVING):
            return tuple(
                Option(str(at), words, (words,)) for at, words in enumerate(WHY.values(), 1)
            )
        if self.state != REVIEWING:
            return super().options()
        first = self.page * MOST_OPTIONS
        return tuple(
            Option(
                str(at - first + 1),
                self.candidate_words(at),
                candidate.labels[0] if candidate.labels else (),
                chosen=bool(self.made_of(candidate)),
            )
            for at, candidate in enumerate(self.candidates)
            if first <= at < first + MOST_OPTIONS
        )

    def digit(self, at: int) -> str:
        """The key that a candidate has: its digit, or 0 where that leads to the page it is on."""
        page, place = divmod(at, MOST_OPTIONS)
        return str(place + 1) if page == self.page else "0"

    def candidate_words(self, at: int) -> str:
        """A candidate in a few words: its labels and who said it."""
        candidate = self.candidates[at]
        return f"{self.label_names(candidate.labels)} {self.describe_people(candidate.people)}"

    def describe_people(self, letters: Sequence[str]) -> str:
        """Letters, or names while these are shown."""
        if not self.names:
            return " ".join(letters)
        return ", ".join(self.names.get(letter, letter) for letter in letters)
