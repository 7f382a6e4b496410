"""What an annotator has in hand: claim, evidence, labels, note, and what a digit may do with it.

Values and questions about them only; what keys change is in `deeds`, words for it in `words`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.labels import Label, numbered
from tui_annotate.domain.samples import Match, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft.contexts import Contexts
from tui_annotate.tui.draft.hints import Hints
from tui_annotate.tui.draft.looking import Looking
from tui_annotate.tui.draft.offered import DECLINE, DECLINING, Offered
from tui_annotate.tui.keys.annotate import DIGITS

if TYPE_CHECKING:
    from tui_annotate.tui.draft.citations import Citation

Kind = Literal["hint", "draft", "offer", "saved", "warning", "error"]
"""Of the words in the draft line."""

REASONS: Final = ("unsure", "not a pair", "broken text", "harmful")
"""Why a sample is flagged, in the order of the digits; 0 asks for own words."""


@dataclass(frozen=True, slots=True)
class Option:
    """A digit of the bar. `path` is a label, or a reason of `WHY`; `opens` leads to children."""

    digit: str
    text: str
    path: LabelPath
    opens: bool = False
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Pending:
    """What waits for one more key.

    A label's `child` or `evidence`, a `reason`, a `rating`, why to `decline` a suggestion.
    """

    kind: str
    path: LabelPath = ()


RATING: Final = "rating"
"""What is asked while the bar holds the scale."""

WHY: Final[Mapping[str, tuple[str, ...]]] = {"reason": REASONS, DECLINE: DECLINING}
"""Reasons, by what they are asked for."""

SAMPLE, DRAFT, ANNOTATION, REASON = "sample", "draft", "annotation", "reason"
"""What a note can be on: the sample, the claim in hand, an annotation, a flag."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a note is on, with the annotation's id where it is on one."""

    kind: str
    id: str = ""


@dataclass
class Draft(Offered):
    """One sample on one annotator's screen.

    Attributes:
        evidence: what was taken, in the order of taking.
        note: the text for the annotation in hand.
        matches: what is lit on a side, best first; `lit` the rank in focus there, 0 for none.
        looking: which of those in the source were looked at.
        asleep: digits do nothing until the cursor moves or something is selected.
        stored: what the note that is written on says now.
        editing: the annotation that is being changed; `labels` are the ones it has so far.
        saving: what was sent to the store and has not come back, by id.
        owed: what is in hand was refused by the store, and is to be saved or dropped by hand.
        unsaved: what the store refused, oldest first: (annotation, whether it is new).
        kept: note texts left with Esc.
        nowhere: words of the summary that the sources have nowhere, while they are marked.
        former: own evidence of other samples, by the index of the source document it lies in.
        scale: words for rating the sample as a whole, in the order of the digits; none: no rating.
        rating: the one that was given; empty for none.
        citations: what the sentences of a report cite, in reading order.
        citation: the one that was walked to, by its number from 0; -1 for none.
        tabs: how many documents the sentence of a citation cites; 0 while that is not known.
        contexts: what is known of the documents that an answer was retrieved from.
        visited: summary segments that were painted when a key came, from end to end or with the
            cursor in them.
        message: (text, kind) that stands in the draft line until the next key.
    """

    evidence: list[Anchor] = field(default_factory=list)
    note: str = ""
    matches: dict[Side, tuple[Match, ...]] = field(
        default_factory=lambda: {Side.SUMMARY: (), Side.SOURCE: ()}
    )
    looking: Looking = field(default_factory=Looking)
    lit: dict[Side, int] = field(default_factory=lambda: {Side.SUMMARY: 0, Side.SOURCE: 0})
    asleep: bool = False
    pending: Pending | None = None
    writing: Note | None = None
    stored: str = ""
    editing: Annotation | None = None
    labels: list[LabelPath] = field(default_factory=list)
    hints: Hints | None = None
    hits: tuple[Span, ...] = ()
    hit: int = 0
    searched: tuple[str, Side] = ("", Side.SUMMARY)
    saving: dict[str, tuple[Annotation, bool]] = field(default_factory=dict)
    owed: bool = False
    unsaved: list[tuple[Annotation, bool]] = field(default_factory=list)
    kept: dict[Note, str] = field(default_factory=dict)
    nowhere: tuple[Span, ...] = ()
    former: Mapping[int, tuple[Span, ...]] = field(default_factory=dict)
    scale: tuple[str, ...] = ()
    rating: str = ""
    citations: tuple[Citation, ...] = ()
    citation: int = -1
    tabs: int = 0
    contexts: Contexts = field(default_factory=Contexts)
    visited: set[int] = field(default_factory=set)
    warned: bool = False
    message: tuple[str, Kind] = ("", "hint")
    just_saved: str = ""

    # where we are

    @property
    def cites(self) -> bool:
        """Whether the key for open items walks citations, and the one for annotations the rest."""
        return bool(self.citations or self.tabs)

    @property
    def to_offers(self) -> str:
        """The key that walks the suggestions of this sample."""
        return "a" if self.cites else "c"

    @property
    def state(self) -> str:
        """Which keys act: a letter of `keys.STATES`."""
        if self.pending:
            return "L"
        if self.writing:
            return "N"
        if self.side is Side.SOURCE:
            return "V"
        if self.editing:
            return "E"
        return "S" if self.selection else "R"

    # what is in hand

    def here(self, side: Side) -> Anchor | None:
        """The selection of a side, else its sentence, trimmed: what matches are looked for."""
        pointer = self.pointers[side]
        if pointer.selection is None:
            known = self.editing or self.in_focus
            for anchor in (*known.claim, *known.evidence) if known else ():
                inside = anchor.span.start <= pointer.offset <= anchor.span.end
                if anchor.side is side and anchor.index == pointer.document and inside:
                    return anchor
        span = pointer.selection or self.sentence(side)
        trimmed = span.trim(self.text(side)) if span else None
        return Anchor(side, pointer.document, trimmed) if trimmed else None

    @property
    def claim(self) -> tuple[Anchor, ...]:
        """What the next save would be about; empty where the summary holds nothing to claim."""
        if self.editing and self.pointers[Side.SUMMARY].selection is None:
            return self.editing.claim
        pointer = self.pointers[Side.SUMMARY]
        span = pointer.selection or self.sentence(Side.SUMMARY)
        trimmed = span.trim(self.text(Side.SUMMARY)) if span else None
        return (Anchor(Side.SUMMARY, pointer.document, trimmed),) if trimmed else ()

    @property
    def focused_match(self) -> Match | None:
        """The lit segment in focus, of the source side."""
        rank = self.lit[Side.SOURCE]
        return next((match for match in self.matches[Side.SOURCE] if match.rank == rank), None)

    def anchor_of(self, match: Match) -> Anchor | None:
        """A source match as evidence: its segment without white space at the edges."""
        span = match.span.trim(self.text(Side.SOURCE, match.document))
        return Anchor(Side.SOURCE, match.document, span) if span else None

    def taken(self, match: Match) -> bool:
        """Whether a source match is among the evidence."""
        return self.anchor_of(match) in self.evidence

    def formerly(self, match: Match) -> bool:
        """Whether a source match holds own evidence of other samples."""
        spans = self.former.get(match.document, ())
        return any(span.overlap(match.span) for span in spans)

    @property
    def open(self) -> bool:
        """Whether something is in hand that a save has not taken yet (a selection alone is not)."""
        return bool(self.evidence or self.note or self.editing)

    # what the bar shows

    def options(self) -> tuple[Option, ...]:
        """The bar's digits, in order; none while evidence is asked for."""
        if self.pending is None:
            return tuple(self._option(digit, label) for digit, label in self._shown())
        if reasons := WHY.get(self.pending.kind):
            return tuple(
                Option(str(number), text, (text,)) for number, text in enumerate(reasons, 1)
            )
        if self.pending.kind == RATING:
            return tuple(
                Option(str(number), word, (word,), chosen=word == self.rating)
                for number, word in enumerate(self.scale[: len(DIGITS) - 1], 1)
            )
        label = self.tree.find(self.pending.path)
        if self.pending.kind == "child" and label:
            return tuple(self._option(digit, child) for digit, child in numbered(label.children))
        return ()

    def _shown(self) -> Sequence[tuple[str, Label]]:
        """(digit, label) while nothing is asked, in the order of the digits."""
        if split := self.waiting:
            return numbered(self.tree.parts(split))
        bar = self.tree.bar()
        if self.editing is None:
            return bar
        free = (digit for digit in DIGITS[:9] if digit not in dict(bar))
        found = map(self.tree.find, self.editing.labels)
        closed = (label for label in found if label and not label.offered)
        return sorted([*bar, *zip(free, closed, strict=False)], key=lambda pair: pair[0])

    def _option(self, digit: str, label: Label) -> Option:
        chosen = bool(self.editing) and label.path in self.labels
        opens = bool(label.choices) and self.waiting is None
        return Option(digit, self.label_name(label.path), label.path, opens, chosen)

    @property
    def waiting(self) -> Label | None:
        """What was split of the annotation in focus: the digits choose a part in its place."""
        annotation = self.focused_annotation
        if annotation is None or self.editing or self.pending or annotation.id in self.saving:
            return None
        split = self.tree.split(annotation.labels)
        return next((label for label in split if self.tree.parts(label)), None)

    def unvisited(self) -> tuple[int, ...]:
        """Summary sentences that were never on screen, white space left out; in order."""
        text = self.text(Side.SUMMARY, 0)
        return tuple(
            at
            for at, segment in enumerate(self.sentences(Side.SUMMARY, 0))
            if at not in self.visited and segment.span.trim(text)
        )

    def wake(self) -> None:
        """Something moved or was selected: digits act again, no annotation is in focus."""
        self.asleep = False
        self.focused = self.just_saved = ""

    def say(self, text: str, kind: Kind = "hint") -> None:
        """Puts words into the draft line, until the next key."""
        self.message = (text, kind)
