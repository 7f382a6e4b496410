"""The order of labels by severity, in which agreement statistics compare and print them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.label_changes import Renames
from tui_annotate.domain.labels import JOINER, Label, LabelTree

NOTHING: Final[LabelPath] = ()
"""Substitute label for a sample or sentence in which an annotator marked nothing."""
UNLABELLED: Final[LabelPath] = ("",)
"""Substitute label for annotations that have no label; no real label has this name."""

_Key = tuple[int, int, LabelPath]


class LabelOrder:
    """Order of labels by severity: that of label sets.

    `renames`: changes of labels since an old label set, one for each compared dataset. A label that
    was renamed keeps its rank; a label into which others were merged has the most severe rank.

    Attributes:
        unlisted: labels that were compared and are in no label set. Each ranks directly
            before its nearest listed ancestor, or after all listed labels.
    """

    def __init__(
        self, trees: Iterable[LabelTree], *, level: int = 0, renames: Sequence[Renames] = ()
    ) -> None:
        paths = dict.fromkeys(
            changed.get(path, path)
            for tree in trees
            for root in tree.roots
            for path in _walk_leaves_first(root)
            for changed in renames or ({},)
        )
        self._level = level or None
        self._places = {path: place for place, path in enumerate(paths)}
        self._key = cache(self._compute_key)
        self.unlisted: set[LabelPath] = set()

    def label_of_annotation(self, labels: Iterable[LabelPath]) -> LabelPath:
        """Return the most severe of an annotation's labels, cut to the compared level.

        `UNLABELLED` for an annotation without labels.
        """
        cut = [path[: self._level] for path in labels]
        return min(cut, key=self._key) if cut else UNLABELLED

    def most_severe(self, found: Iterable[LabelPath]) -> LabelPath:
        """Return the most severe of several annotations' labels; `NOTHING` without annotations.

        The labels are those that `label_of_annotation` returned.
        """
        return min(found, key=self._key, default=NOTHING)

    def sorted(self, found: Iterable[LabelPath]) -> list[LabelPath]:
        """Return the distinct labels, most severe first."""
        return sorted(set(found), key=self._key)

    def _compute_key(self, path: LabelPath) -> _Key:
        after_all = len(self._places)
        if path == UNLABELLED:
            return after_all + 1, 0, path
        if path == NOTHING:
            return after_all + 2, 0, path
        if path in self._places:
            return self._places[path], 1, path
        self.unlisted.add(path)
        ancestors = (path[:depth] for depth in range(len(path) - 1, 0, -1))
        listed = (self._places[each] for each in ancestors if each in self._places)
        return next(listed, after_all), 0, path


def _walk_leaves_first(label: Label) -> Iterator[LabelPath]:
    for child in label.children:
        yield from _walk_leaves_first(child)
    yield label.path


def format_labels(paths: Sequence[LabelPath]) -> list[str]:
    """Return labels as text with dots, and words for a missing label and for nothing marked."""
    special = {NOTHING: "nothing", UNLABELLED: "(no label)"}
    return [special.get(path, JOINER.join(path)) for path in paths]
