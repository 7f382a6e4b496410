"""What lies before an annotator: texts, labels, what was marked, and where the cursors are."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.samples import Sample, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft.counting import letter, segment_at
from tui_annotate.tui.label_slots import slots


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where a side's cursor is: document on that side, offset and selection in code points."""

    document: int = 0
    offset: int = 0
    selection: Span | None = None


@dataclass
class Sheet:
    """One sample with its labels, as far as nothing is in hand.

    Attributes:
        segments: parallel to `sample.documents`.
        annotations: this person's, in reading order.
        side: which side has the keys.
        pointers: where the cursors are.
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

    # labels

    def relabel(self, tree: LabelTree) -> None:
        """Another label set is in force."""
        self.tree = tree
        self.__dict__.pop("_slots", None)

    def label_name(self, path: LabelPath) -> str:
        """The last name of a label's path; of one that is no longer given, also why."""
        label, name = self.tree.find(path), path[-1] if path else ""
        if label is None or label.offered:
            return name
        return f"{name} ({'split' if label.split else 'retired'})"

    def label_names(self, paths: Sequence[LabelPath]) -> str:
        """The names of an annotation's labels, joined."""
        return ", ".join(map(self.label_name, filter(None, paths))) or "no label"

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
