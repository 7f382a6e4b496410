"""The colours of labels, as numbers of the palette's label styles."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.labels import LabelTree
from tui_annotate.tui.palette import label_slots


def label_slot(tree: LabelTree, path: LabelPath) -> int:
    """Return the number of a label's colour; without one, that of the first sublabel, or 0."""
    slots = _slots_of(tree)
    own = slots.get(path)
    if own is not None:
        return own
    below = (slot for known, slot in slots.items() if known[: len(path)] == path)
    return next(below, 0)


@lru_cache(maxsize=4)
def _slots_of(tree: LabelTree) -> Mapping[LabelPath, int]:
    asking = [label for label in tree.walk() if label.color or not label.children]
    given = label_slots([label.color for label in asking])
    return {label.path: slot for label, slot in zip(asking, given, strict=True)}
