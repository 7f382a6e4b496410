"""The labels of people's work in the order of the label set, the first one the worst.

A parent stands behind its children: it says less. So does what the set does not have: an unknown
child after its known kin, an unknown root after all roots; then work without a label; then nothing
marked at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.labels import JOINER, Label, LabelTree

NOTHING: Final[LabelPath] = ()
"""What stands for a sample or a sentence in which somebody marked nothing."""

UNLABELLED: Final[LabelPath] = ("",)
"""What stands for work that has no label; no label is called so."""

_Key = tuple[int, int, LabelPath]


class Order:
    """Which of several labels is the worst.

    Attributes:
        strangers: labels that were asked for and are in none of the sets.
    """

    def __init__(self, trees: Iterable[LabelTree], *, level: int = 0) -> None:
        """What two sets order differently stands as the first has it.

        Args:
            level: how many names of a path count; 0 for all.
        """
        paths = dict.fromkeys(
            path for tree in trees for root in tree.roots for path in _from_below(root)
        )
        self._level = level or None
        self._places = {path: place for place, path in enumerate(paths)}
        self._keys: dict[LabelPath, _Key] = {}
        self.strangers: set[LabelPath] = set()

    def worst(self, labels: Iterable[LabelPath]) -> LabelPath:
        """The worst of an annotation's labels, cut to the level; `UNLABELLED` for none."""
        cut = [path[: self._level] for path in labels]
        return min(cut, key=self._key) if cut else UNLABELLED

    def worse(self, found: Iterable[LabelPath]) -> LabelPath:
        """The worst of what `worst` gave; `NOTHING` for none."""
        return min(found, key=self._key, default=NOTHING)

    def sorted(self, found: Iterable[LabelPath]) -> list[LabelPath]:
        """Distinct values of `worst` and `worse`, the worst first."""
        return sorted(set(found), key=self._key)

    def _key(self, path: LabelPath) -> _Key:
        known = self._keys.get(path)
        if known is None:
            known = self._keys[path] = self._made(path)
        return known

    def _made(self, path: LabelPath) -> _Key:
        beyond = len(self._places)
        if path in (NOTHING, UNLABELLED):
            return beyond + 1 + (path == NOTHING), 0, path
        if path in self._places:
            return self._places[path], 1, path
        self.strangers.add(path)
        kin = (path[:depth] for depth in range(len(path) - 1, 0, -1))
        return (
            next((self._places[above] for above in kin if above in self._places), beyond),
            0,
            path,
        )


def _from_below(label: Label) -> Iterator[LabelPath]:
    for child in label.children:
        yield from _from_below(child)
    yield label.path


def named(path: LabelPath) -> str:
    """A label as people read it."""
    if path in (NOTHING, UNLABELLED):
        return "nothing" if path == NOTHING else "(no label)"
    return JOINER.join(path)


def all_named(paths: Sequence[LabelPath]) -> list[str]:
    """Labels as people read them, in their order."""
    return [named(path) for path in paths]
