"""What an annotator has in hand: claim, evidence, labels, note, and what a digit may do with it.

Values and questions about them only; what keys change is in `deeds`, words for it in `words`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.labels import Label, LabelTree, numbered
from tui_annotate.domain.samples import Match, Sample, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft.counting import letter, segment_at
from tui_annotate.tui.draft.hints import Hints
from tui_annotate.tui.draft.looking import Looking
from tui_annotate.tui.palette import slots

Kind = Literal["hint", "draft", "saved", "warning", "error"]
"""Of the words in the draft line."""

REASONS: Final = ("unsure", "not a pair", "broken text", "harmful")
"""Why a sample is flagged, in the order of the digits; 0 asks for own words."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where a side's cursor is: document on that side, offset and selection in code points."""

    document: int = 0
    offset: int = 0
    selection: Span | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """A digit of the bar. `path` is a label, or one of `REASONS`; `opens` leads to children."""

    digit: str
    text: str
    path: LabelPath
    opens: bool = False
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Pending:
    """What waits for one more key: `child` of a label, `evidence` it asks for, or `reason`."""

    kind: str
    path: LabelPath = ()


SAMPLE, DRAFT, ANNOTATION, REASON = "sample", "draft", "annotation", "reason"
"""What a note can be on: the sample, the claim in hand, an annotation, a flag."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a note is on, with the annotation's id where it is on one."""

    kind: str
    id: str = ""


@dataclass
class Draft:
    """One sample on one annotator's screen.

    Attributes:
        segments: parallel to `sample.documents`.
        annotations: this person's, in reading order.
        side: which side has the keys.
        pointers: where the cursors are.
        evidence: what was taken, in the order of taking.
        note: the text for the annotation in hand.
        matches: what is lit on a side, best first; `lit` the rank in focus there, 0 for none.
        looking: which of those in the source were looked at.
        asleep: digits do nothing until the cursor moves or something is selected.
        focused: id of the annotation in focus; empty for none.
        editing: the annotation that is being changed; `labels` are the ones it has so far.
        saving: what was sent to the store and has not come back, by id.
        owed: what is in hand was refused by the store, and is to be saved or dropped by hand.
        unsaved: what the store refused, oldest first: (annotation, whether it is new).
        kept: note texts left with Esc.
        nowhere: words of the summary that the sources have nowhere, while they are marked.
        former: own evidence of other samples, by the index of the source document it lies in.
        visited: summary segments that the cursor has been in.
        message: (text, kind) that stands in the draft line until the next key.
    """

    sample: Sample
    segments: Sequence[Sequence[Segment]]
    tree: LabelTree
    annotations: tuple[Annotation, ...] = ()
    last_label: LabelPath = ()
    new_id: Callable[[], str] = lambda: str(uuid.uuid4())
    side: Side = Side.SUMMARY
    pointers: dict[Side, Pointer] = field(
        default_factory=lambda: {Side.SUMMARY: Pointer(), Side.SOURCE: Pointer()}
    )
    evidence: list[Anchor] = field(default_factory=list)
    note: str = ""
    matches: dict[Side, tuple[Match, ...]] = field(
        default_factory=lambda: {Side.SUMMARY: (), Side.SOURCE: ()}
    )
    looking: Looking = field(default_factory=Looking)
    lit: dict[Side, int] = field(default_factory=lambda: {Side.SUMMARY: 0, Side.SOURCE: 0})
    asleep: bool = False
    focused: str = ""
    pending: Pending | None = None
    writing: Note | None = None
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
    visited: set[int] = field(default_factory=set)
    warned: bool = False
    message: tuple[str, Kind] = ("", "hint")
    just_saved: str = ""

    # where we are

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

    @property
    def pointer(self) -> Pointer:
        """Of the side that has the keys."""
        return self.pointers[self.side]

    @property
    def selection(self) -> Span | None:
        """Of the side that has the keys."""
        return self.pointer.selection

    def text(self, side: Side, index: int | None = None) -> str:
        """A document's text, that of the one on screen by default; empty where there is none."""
        documents = self.sample.side(side)
        index = self.pointers[side].document if index is None else index
        return documents[index].text if index < len(documents) else ""

    def sentences(self, side: Side, index: int | None = None) -> Sequence[Segment]:
        """A document's segments; none where there is no document."""
        index = self.pointers[side].document if index is None else index
        places = [at for at, doc in enumerate(self.sample.documents) if doc.side is side]
        return self.segments[places[index]] if index < len(places) else ()

    def segment(self, side: Side) -> int:
        """The index of the segment that a side's cursor is in; 0 for an empty text."""
        return segment_at(self.sentences(side), self.pointers[side].offset)

    def sentence(self, side: Side) -> Span | None:
        """The segment under a side's cursor without white space; None where only that is there."""
        segments = self.sentences(side)
        if not segments:
            return None
        return segments[self.segment(side)].span.trim(self.text(side))

    # what is in hand

    def here(self, side: Side) -> Anchor | None:
        """The selection of a side, else its sentence, trimmed: what matches are looked for."""
        pointer = self.pointers[side]
        if pointer.selection is None:
            annotation = self.editing or self.focused_annotation
            for anchor in annotation.anchors if annotation else ():
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
    def focused_annotation(self) -> Annotation | None:
        """The annotation in focus."""
        return next((known for known in self.annotations if known.id == self.focused), None)

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
            return tuple(self._option(digit, label) for digit, label in self.tree.bar())
        if self.pending.kind == "reason":
            return tuple(
                Option(str(number), text, (text,)) for number, text in enumerate(REASONS, 1)
            )
        label = self.tree.find(self.pending.path)
        if self.pending.kind == "child" and label:
            return tuple(self._option(digit, child) for digit, child in numbered(label.children))
        return ()

    def _option(self, digit: str, label: Label) -> Option:
        chosen = bool(self.editing) and label.path in self.labels
        return Option(digit, label.name, label.path, bool(label.children), chosen)

    def slot(self, path: LabelPath) -> int:
        """The colour slot of a label; for a parent that asks for none that of its first leaf."""
        own = self._slots.get(path)
        below = (slot for known, slot in self._slots.items() if known[: len(path)] == path)
        return next(below, 0) if own is None else own

    @cached_property
    def _slots(self) -> dict[LabelPath, int]:
        asking = [label for label in self.tree.walk() if label.color or not label.children]
        given = slots([label.color for label in asking])
        return {label.path: slot for label, slot in zip(asking, given, strict=True)}

    def letter(self, annotation_id: str) -> str:
        """The letter an annotation is shown under: A for the first in reading order."""
        at = next((at for at, known in enumerate(self.annotations) if known.id == annotation_id), 0)
        return letter(at)

    def lacking(self) -> tuple[tuple[Annotation, tuple[str, ...]], ...]:
        """Annotations that miss something their labels ask for, with what; in reading order."""
        pairs = ((known, self.tree.lacks(known)) for known in self.annotations)
        return tuple((known, lacks) for known, lacks in pairs if lacks)

    def unvisited(self) -> tuple[int, ...]:
        """Summary sentences never visited, white space alone left out; in order."""
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
