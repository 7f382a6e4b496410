"""What a reviewer has in hand: the places where anything was said, rivals, and what was made.

Values and questions about them only; what keys change is in `deeds`, words for it in
`words`. While something is edited, a reviewer has the keys of an annotator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from tui_annotate.domain.annotations import REJECTED, Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.labels import MOST_OPTIONS
from tui_annotate.domain.samples import Side
from tui_annotate.domain.settlements import Reason
from tui_annotate.methods.adjudication import Group, Rival
from tui_annotate.methods.decisions import Decision, decision, kept_of, refused_of
from tui_annotate.tui.draft.state import Draft, Option
from tui_annotate.tui.keys.review import LEAVING, REFUSING, REVIEWING
from tui_annotate.tui.palette import CHOSEN

WHY: Final[Mapping[Reason, str]] = {
    Reason.SLIP: "annotator's slip",
    Reason.GUIDELINE: "guideline gap",
    Reason.AMBIGUOUS: "ambiguous text",
}
"""Reasons in words, in the order of the digits."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the text: what was said of it, or what the reviewer added there.

    Attributes:
        group: None where nobody but the reviewer marked anything.
        own: the reviewer's own annotation; None where there is a group.
    """

    group: Group | None = None
    own: Annotation | None = None

    @property
    def claims(self) -> tuple[Anchor, ...]:
        """All that was claimed there."""
        if self.group:
            return tuple(anchor for rival in self.group.rivals for anchor in rival.claim)
        return self.own.claim if self.own else ()


@dataclass(frozen=True, slots=True)
class _Known:
    """What follows from what was said and what was settled; found once, asked for at each key.

    Attributes:
        decided: what became of each group, by its identity: hashing one takes its time.
        of: what was made and refused, by the id of an annotation that it is of.
    """

    groups: tuple[Group, ...]
    settled: tuple[Annotation, ...]
    spots: tuple[Spot, ...]
    decided: Mapping[int, Decision]
    of: Mapping[str, Sequence[Annotation]]

    @classmethod
    def found(cls, groups: tuple[Group, ...], settled: tuple[Annotation, ...]) -> Self:
        """Looks at all of it."""
        of: dict[str, list[Annotation]] = defaultdict(list)
        own = []
        for one in settled:
            for name in one.settled.sources if one.settled else ():
                of[name].append(one)
            if one.settled and not one.settled.sources and one.origin != REJECTED:
                own.append(Spot(own=one))
        spots = [*map(Spot, groups), *own]
        decided = {
            id(group): decision(group, [one for name in group.sources for one in of.get(name, ())])
            for group in groups
        }
        ordered = sorted(spots, key=lambda spot: (not spot.claims, sorted(spot.claims)))
        return cls(groups, settled, tuple(ordered), decided, of)


@dataclass
class Judging(Draft):
    """One sample on a reviewer's screen; `annotations` are what was made so far.

    Attributes:
        groups: what people said, by their letters.
        settled: what was made and what was refused.
        people: letters of all whose work counts.
        names: of people by their letters, while they are shown.
        progress: how far review is with the sample.
        rated_apart: people rated it otherwise, and no rating is settled.
        barred: why this reviewer can not settle it; empty where they can.
        at: the place in hand; -1 for none.
        rival: the rival of it that was chosen; -1 for none.
        page: which nine rivals the digits mean.
        sources: by id, what an annotation that is edited is made of.
        originals: by id, annotations as they were when their edit began.
        asked: which question the reason in own words answers.
    """

    groups: tuple[Group, ...] = ()
    settled: tuple[Annotation, ...] = ()
    people: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    progress: State = State.NEW
    rated_apart: bool = False
    barred: str = ""
    at: int = -1
    rival: int = -1
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

    # places

    @property
    def _known(self) -> _Known:
        kept = self._kept
        if kept is None or kept.groups is not self.groups or kept.settled is not self.settled:
            kept = self._kept = _Known.found(self.groups, self.settled)
        return kept

    @property
    def spots(self) -> tuple[Spot, ...]:
        """All places, in reading order."""
        return self._known.spots

    @property
    def spot(self) -> Spot | None:
        """The place in hand."""
        spots = self.spots
        return spots[self.at] if 0 <= self.at < len(spots) else None

    @property
    def group(self) -> Group | None:
        """What was said in the place in hand."""
        return self.spot.group if self.spot else None

    @property
    def rivals(self) -> tuple[Rival, ...]:
        """What the digits choose from, all pages."""
        return self.group.rivals if self.group else ()

    @property
    def chosen(self) -> Rival | None:
        """The rival that was chosen."""
        return self.rivals[self.rival] if 0 <= self.rival < len(self.rivals) else None

    @property
    def in_hand(self) -> tuple[Rival, ...]:
        """What `y` takes: the rival that was chosen or is alone, else what most said."""
        if self.chosen:
            return (self.chosen,)
        if len(self.rivals) == 1:
            return self.rivals
        return self.group.proposal if self.group else ()

    def what(self, group: Group) -> Decision:
        """What became of a place."""
        return self._known.decided[id(group)]

    def undecided(self) -> tuple[Group, ...]:
        """The places that are still open, in reading order."""
        return tuple(group for group in self.groups if self.what(group) is Decision.OPEN)

    def waits(self, spot: Spot) -> bool:
        """Whether something stands of a place under a label that was split."""
        made = [spot.own] if spot.own else []
        for rival in spot.group.rivals if spot.group else ():
            made += self.made_of(rival)
        return any(self.tree.split(one.labels) for one in made)

    def made_of(self, rival: Rival) -> tuple[Annotation, ...]:
        """What stands of a rival."""
        return kept_of(rival, self._of(rival))

    def refusal_of(self, rival: Rival) -> Annotation | None:
        """The refusal of a rival; None where it was not refused."""
        return next(iter(refused_of(rival, self._of(rival))), None)

    def _of(self, rival: Rival) -> tuple[Annotation, ...]:
        of = self._known.of
        return tuple({one.id: one for name in rival.sources for one in of.get(name, ())}.values())

    def standing(self) -> tuple[Annotation, ...]:
        """What was made, of the place in hand."""
        if self.spot and self.spot.own:
            return (self.spot.own,)
        found = (one for rival in self.rivals for one in self.made_of(rival))
        return tuple({one.id: one for one in found}.values())

    def shown_evidence(self) -> tuple[Anchor, ...]:
        """The evidence of what is in hand: a rival's, else what was made's, else a proposal's."""
        if self.editing:
            return tuple(self.evidence)
        if self.chosen:
            return self.chosen.evidence
        of: Sequence[Annotation | Rival] = self.standing() or self.in_hand or self.rivals
        return tuple(sorted({anchor for one in of for anchor in one.evidence}))

    def spot_at(self, offset: int) -> int:
        """The place whose claims hold an offset of the summary; -1 for none.

        Of several it is the one in hand, else the first.
        """
        index = self.pointers[Side.SUMMARY].document
        for at, spot in sorted(enumerate(self.spots), key=lambda each: each[0] != self.at):
            for side, number, span in spot.claims:
                inside = span.start <= offset < span.end
                if inside and (side, number) == (Side.SUMMARY, index):
                    return at
        return -1

    # what the bar shows

    def options(self) -> tuple[Option, ...]:
        """The bar's digits: rivals, reasons, or, while editing, labels."""
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
                self.rival_words(at),
                rival.labels[0] if rival.labels else (),
                chosen=bool(self.made_of(rival)),
            )
            for at, rival in enumerate(self.rivals)
            if first <= at < first + MOST_OPTIONS
        )

    def digit(self, at: int) -> str:
        """The key that a rival has: its digit, or 0 where that leads to the page it is on."""
        page, place = divmod(at, MOST_OPTIONS)
        return str(place + 1) if page == self.page else "0"

    def rival_words(self, at: int) -> str:
        """A rival in a few words: its labels and who said it."""
        rival = self.rivals[at]
        return f"{self.label_names(rival.labels)} {self.people_words(rival.people)}"

    def people_words(self, letters: Sequence[str]) -> str:
        """Letters, or names while these are shown."""
        if not self.names:
            return " ".join(letters)
        return ", ".join(self.names.get(letter, letter) for letter in letters)
