"""Another label set comes into force under what is in hand: nothing that was typed is lost.

Labels that are called otherwise now, or are gone, are so in the draft too; the words for it say
which, those in hand first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.labels import Label, LabelTree
from tui_annotate.tui.draft.messages import NO_MESSAGE, MessageCode, StatusMessage
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.draft.words import names

_MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class DraftLabelSetChange:
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

    def changes(self, first: Collection[LabelPath] = ()) -> list[StatusMessage]:
        """What happened to labels, each label once; none where none was touched.

        Args:
            first: labels of the former set that are in hand.
        """
        touched = {
            label.path: change
            for label in self.before.walk()
            if (change := self._describe_change(label.path))
        }
        in_hand = [touched[path] for path in first if path in touched]
        found = (*in_hand, *touched.values(), *self._describe_new())
        return list({change.text: change for change in found}.values())

    def told(self, first: Collection[LabelPath]) -> str:
        """What happened to labels, in words; empty where none was touched.

        Args:
            first: labels of the former set that are in hand.
        """
        parts = [change.text for change in self.changes(first)]
        more = len(parts) - _MOST_NAMED
        return ", ".join([*parts[:_MOST_NAMED], *([f"{more} more"] if more > 0 else [])])

    def _describe_change(self, path: LabelPath) -> StatusMessage | None:
        before, now, name = self.before.find(path), self.now.find(self.path(path)), path[-1]
        if now is None:
            return StatusMessage(MessageCode.LABEL_REMOVED, {"label": name})
        along = (*self.path(path[:-1]), name)  # with its parent, of which it is told
        if now.path not in (path, along):
            called = now.name if now.name != name else " › ".join(now.path)
            return StatusMessage(MessageCode.LABEL_RENAMED, {"label": name, "name": called})
        if before is None or before.offered == now.offered:
            return None
        if now.offered:
            return StatusMessage(MessageCode.LABEL_GIVEN_AGAIN, {"label": name})
        if now.split:
            return describe_split(self.now, now)
        return StatusMessage(MessageCode.LABEL_RETIRED_NOW, {"label": name})

    def _describe_new(self) -> Iterator[StatusMessage]:
        known = {self.path(label.path) for label in self.before.walk()}
        parts = {path for label in self.now.walk() for path in label.split}
        for label in self.now.offered():
            if label.path not in known | parts:
                yield StatusMessage(MessageCode.LABEL_NEW, {"label": label.name})


def describe_split(tree: LabelTree, label: Label) -> StatusMessage:
    """Which labels are given now instead of one that was split."""
    parts = names(tree.parts(label), last=" and ")
    return StatusMessage(MessageCode.LABEL_SPLIT_INTO, {"label": label.name, "parts": parts})


def take_over(
    draft: Draft, change: DraftLabelSetChange, annotations: tuple[Annotation, ...]
) -> None:
    """The label set in force, and what the store has, come under what is in hand."""
    stored = {known.id: known for known in annotations}

    def convert(pair: tuple[Annotation, bool]) -> tuple[Annotation, bool]:
        known = stored.get(pair[0].id)
        return change.of(pair[0], known.labels if known else ()), pair[1]

    draft.saving = {name: convert(pair) for name, pair in draft.saving.items()}
    draft.unsaved = [convert(pair) for pair in draft.unsaved]
    draft.last_label = next(iter(change.labels([draft.last_label])), ())
    if edited := draft.editing:
        held = [change.path(path) for path in edited.labels]
        now = stored.get(edited.id) or change.of(edited, held)
        draft.labels = change.labels(draft.labels, now.labels)
        if _has_same_content(edited, now):
            draft.editing = now
    if draft.pending and draft.pending.path:
        left = change.labels([draft.pending.path])
        draft.pending = replace(draft.pending, path=left[0]) if left else None
    draft.relabel(change.now)
    draft.annotations = annotations


def describe_reopened(draft: Draft) -> StatusMessage:
    """Why finished work is open again; empty where no label on it was split."""
    split = {
        label.path: describe_split(draft.tree, label).text
        for known in draft.annotations
        for label in draft.tree.split(known.labels)
    }
    told = list(split.values())
    more = f", {len(told) - _MOST_NAMED} more" if len(told) > _MOST_NAMED else ""
    if not told:
        return NO_MESSAGE
    changes = f"{', '.join(told[:_MOST_NAMED])}{more}"
    return StatusMessage(MessageCode.REOPENED, {"changes": changes})


def in_hand(draft: Draft) -> list[LabelPath]:
    """The labels that what is in hand, or on its way to the store, has."""
    pending = [draft.pending.path] if draft.pending else []
    pairs = (*draft.saving.values(), *draft.unsaved)
    return [*draft.labels, *pending, *(path for one, _ in pairs for path in one.labels)]


def _has_same_content(one: Annotation, other: Annotation) -> bool:
    return (one.claim, one.evidence, one.note) == (other.claim, other.evidence, other.note)
