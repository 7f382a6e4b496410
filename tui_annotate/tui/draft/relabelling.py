"""Another label set comes into force under what is in hand: nothing that was typed is lost.

Labels that are called otherwise now, or are gone, are so in the draft too; the words for it say
which, those in hand first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.labels import LabelTree
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.draft.words import names

_MOST_TOLD: Final = 3


@dataclass(frozen=True, slots=True)
class Relabelling:
    """From one label set to another.

    Attributes:
        became: what labels of the former set are called now, where that is otherwise.
    """

    before: LabelTree
    now: LabelTree
    became: Mapping[LabelPath, LabelPath]

    def path(self, path: LabelPath) -> LabelPath:
        """What a label of the former set is called now."""
        return self.became.get(path, path)

    def of(self, annotation: Annotation, held: Collection[LabelPath]) -> Annotation:
        """Work that the store refused, under the labels that it may have now.

        Args:
            held: the labels that it has in the store, by their names of now.
        """
        return replace(annotation, labels=tuple(self.labels(annotation.labels, held)))

    def labels(
        self, labels: Collection[LabelPath], held: Collection[LabelPath] = ()
    ) -> list[LabelPath]:
        """Labels as they are called now; those that are gone, or no longer given, are left out.

        Args:
            held: these stay, also where they are no longer given.
        """
        moved = dict.fromkeys(map(self.path, labels))
        found = {path: self.now.find(path) for path in moved}
        return [path for path, label in found.items() if label and (label.offered or path in held)]

    def told(self, first: Collection[LabelPath]) -> str:
        """What happened to labels, in words; empty where none was touched.

        Args:
            first: labels of the former set that are in hand.
        """
        touched = {
            label.path: words for label in self.before.walk() if (words := self._says(label.path))
        }
        said = [*filter(None, map(touched.get, first)), *touched.values(), *self._new()]
        parts = list(dict.fromkeys(said))
        more = len(parts) - _MOST_TOLD
        return ", ".join([*parts[:_MOST_TOLD], *([f"{more} more"] if more > 0 else [])])

    def _says(self, path: LabelPath) -> str:
        before, now, name = self.before.find(path), self.now.find(self.path(path)), path[-1]
        if now is None:
            return f"{name} is gone"
        along = (*self.path(path[:-1]), name)  # with its parent, of which it is told
        if now.path not in (path, along):
            called = now.name if now.name != name else " › ".join(now.path)
            return f"{name} is {called} now"
        if before is None or before.offered == now.offered:
            return ""
        if now.offered:
            return f"{name} is given again"
        if now.split:
            return f"{name} was split into {names(self.now.parts(now), last=' and ')}"
        return f"{name} is retired"

    def _new(self) -> Iterator[str]:
        known = {self.path(label.path) for label in self.before.walk()}
        parts = {path for label in self.now.walk() for path in label.split}
        for label in self.now.offered():
            if label.path not in known | parts:
                yield f"{label.name} is new"


def take_over(draft: Draft, change: Relabelling, annotations: tuple[Annotation, ...]) -> None:
    """The label set in force, and what the store has, come under what is in hand."""
    stored = {known.id: known for known in annotations}

    def renewed(pair: tuple[Annotation, bool]) -> tuple[Annotation, bool]:
        known = stored.get(pair[0].id)
        return change.of(pair[0], known.labels if known else ()), pair[1]

    draft.saving = {name: renewed(pair) for name, pair in draft.saving.items()}
    draft.unsaved = [renewed(pair) for pair in draft.unsaved]
    draft.last_label = next(iter(change.labels([draft.last_label])), ())
    if edited := draft.editing:
        held = [change.path(path) for path in edited.labels]
        now = stored.get(edited.id) or change.of(edited, held)
        draft.labels = change.labels(draft.labels, now.labels)
        if _same_but_labels(edited, now):
            draft.editing = now
    if draft.pending and draft.pending.path:
        left = change.labels([draft.pending.path])
        draft.pending = replace(draft.pending, path=left[0]) if left else None
    draft.relabel(change.now)
    draft.annotations = annotations


def reopened(draft: Draft) -> str:
    """Why finished work is open again, in words; empty where no label on it was split."""
    split = {
        label.path: f"{label.name} was split into {names(draft.tree.parts(label), last=' and ')}"
        for known in draft.annotations
        for label in draft.tree.split(known.labels)
    }
    told = list(split.values())
    more = f", {len(told) - _MOST_TOLD} more" if len(told) > _MOST_TOLD else ""
    return f"reopened: {', '.join(told[:_MOST_TOLD])}{more} · c next" if told else ""


def in_hand(draft: Draft) -> list[LabelPath]:
    """The labels that what is in hand, or on its way to the store, has."""
    pending = [draft.pending.path] if draft.pending else []
    pairs = (*draft.saving.values(), *draft.unsaved)
    return [*draft.labels, *pending, *(path for one, _ in pairs for path in one.labels)]


def _same_but_labels(one: Annotation, other: Annotation) -> bool:
    return (one.claim, one.evidence, one.note) == (other.claim, other.evidence, other.note)
