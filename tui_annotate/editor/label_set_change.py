"""A change of the label set while a user works on a sample; no typed text is lost.

Renamed and removed labels change in unsaved work, too. A message names them, the labels of unsaved
work first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.labels import Label, LabelTree
from tui_annotate.editor.messages import NO_MESSAGE, MessageCode, StatusMessage
from tui_annotate.editor.state import Draft
from tui_annotate.editor.words import describe_kind, join_first, join_label_names

_MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class DraftLabelSetChange:
    """A change of the label set while a sample is open; `became` maps former to current paths."""

    before: LabelTree
    now: LabelTree
    became: Mapping[LabelPath, LabelPath]

    def path(self, path: LabelPath) -> LabelPath:
        """Return the current path of a label, also if the label was removed."""
        return self.became.get(path, path)

    def of(self, annotation: Annotation, held: Collection[LabelPath]) -> Annotation:
        """Return an unsaved annotation with its remaining labels; `held` are those in the store."""
        return replace(annotation, labels=tuple(self.labels(annotation.labels, held)))

    def labels(
        self, labels: Collection[LabelPath], held: Collection[LabelPath] = ()
    ) -> list[LabelPath]:
        """Return new paths of labels; omit removed labels, and split or retired ones not `held`."""
        moved = dict.fromkeys(map(self.path, labels))
        found = {path: self.now.find(path) for path in moved}
        return [path for path, label in found.items() if label and (label.offered or path in held)]

    def changes(self, first: Collection[LabelPath] = ()) -> list[StatusMessage]:
        """Return messages on changed labels; those whose former paths are in `first` come first."""
        touched = {
            label.path: change
            for label in self.before.walk()
            if (change := self._describe_change(label.path))
        }
        in_hand = [touched[path] for path in first if path in touched]
        found = (*in_hand, *touched.values(), *self._describe_new())
        return list({change.text: change for change in found}.values())

    def describe(self, first: Collection[LabelPath]) -> str:
        """Describe the first changes of the label set in one line; empty if there is none."""
        return join_first([change.text for change in self.changes(first)], _MOST_NAMED)

    def _describe_change(self, path: LabelPath) -> StatusMessage | None:
        before = self.before.find(path)
        now = self.now.find(self.path(path))
        name = path[-1]
        if now is None:
            return StatusMessage(MessageCode.LABEL_REMOVED, {"label": name})
        along = (*self.path(path[:-1]), name)  # only its parent was renamed, which has a message
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
    """Return the message that a label was split, with the names of its parts."""
    parts = join_label_names(tree.parts(label), last=" and ")
    return StatusMessage(MessageCode.LABEL_SPLIT_INTO, {"label": label.name, "parts": parts})


def apply_change(
    draft: Draft, change: DraftLabelSetChange, annotations: tuple[Annotation, ...]
) -> None:
    """Update the sample on screen and its unsaved work after a change of the label set."""
    stored = {known.id: known for known in annotations}

    def relabel(annotation: Annotation) -> Annotation:
        known = stored.get(annotation.id)
        return change.of(annotation, known.labels if known else ())

    draft.saves.relabel(relabel)
    draft.last_label = next(iter(change.labels([draft.last_label])), ())
    if edited := draft.editing:
        held = [change.path(path) for path in edited.labels]
        now = stored.get(edited.id) or change.of(edited, held)
        draft.labels = change.labels(draft.labels, now.labels)
        content = (now.claim, now.evidence, now.note)
        if (edited.claim, edited.evidence, edited.note) == content:
            draft.editing = now
    if draft.pending and draft.pending.path:
        left = change.labels([draft.pending.path])
        draft.pending = replace(draft.pending, path=left[0]) if left else None
    draft.tree = change.now
    draft.annotations = annotations


def describe_reopened(draft: Draft) -> StatusMessage:
    """Return why a completed sample is open again; empty if its work does not show why.

    It does if a label was split, or requires a note or evidence that an annotation lacks, or if the
    sample has no rating, although its kind has a rating scale.
    """
    split = {
        label.path: describe_split(draft.tree, label).text
        for known in draft.annotations
        for label in draft.tree.split(known.labels)
    }
    if split:
        changes = join_first(list(split.values()), _MOST_NAMED)
        return StatusMessage(MessageCode.REOPENED, {"changes": changes})
    lacking = dict.fromkeys(
        message.text
        for known in draft.annotations
        for message in _describe_lacking(draft.tree, known)
    )
    if lacking:
        changes = join_first(list(lacking), _MOST_NAMED)
        return StatusMessage(MessageCode.REOPENED_LACKING, {"changes": changes})
    if draft.scale and not draft.rating:
        return StatusMessage(MessageCode.REOPENED_UNRATED, {"item": describe_kind(draft.sample)})
    return NO_MESSAGE


def _describe_lacking(tree: LabelTree, annotation: Annotation) -> Iterator[StatusMessage]:
    missing = tree.lacks(annotation)
    for path in annotation.labels:
        parts = [part for part in missing if part != "label" and tree.requires(path, part)]
        if parts:
            fields = {"label": path[-1], "parts": " and ".join(parts)}
            yield StatusMessage(MessageCode.LABEL_REQUIRES, fields)


def in_hand(draft: Draft) -> list[LabelPath]:
    """Return the labels of unsaved work: of the edit first, then of the question and of saves."""
    pending = [draft.pending.path] if draft.pending else []
    unsaved = (path for save in draft.saves for path in save.annotation.labels)
    return [*draft.labels, *pending, *unsaved]
