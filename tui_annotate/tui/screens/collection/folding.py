"""The tree of a collection as rows: what is read of it, what is open, and where one is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tui_annotate.domain.items import Branch, Leaf
from tui_annotate.domain.samples import SampleKey

Path = tuple[str, ...]
"""Names from the topic down; empty for the collection."""

TOPIC, RUN, LEAF = range(3)
_DEEPEST: Final = 3


class Row(NamedTuple):
    """A line of the tree.

    Attributes:
        path: the names above it and its own.
        text: how it goes on: a request's title, a team, the start of a text.
        done, total: what is counted under it; of a leaf its citations, or the document.
        keys: of what opens as a sample: the sample, or a sentence's citations in order.
        ticks: for each of them, whether it is annotated.
    """

    path: Path
    text: str
    done: int
    total: int
    keys: tuple[SampleKey, ...] = ()
    ticks: tuple[bool, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether nothing is left under it."""
        return self.done >= self.total


@dataclass
class Tree:
    """What was read of a collection in one mode.

    Attributes:
        below: the rows under a path, as far as they were read.
        unfolded: paths whose rows are shown.
        focused: the path of the row that keys act on.
    """

    below: dict[Path, tuple[Row, ...]] = field(default_factory=dict)
    unfolded: set[Path] = field(default_factory=set)
    focused: Path = ()

    def rows(self) -> tuple[Row, ...]:
        """All rows that are shown, in order."""
        return tuple(self._under(()))

    def _under(self, path: Path) -> Iterator[Row]:
        for row in self.below.get(path, ()):
            yield row
            if row.path in self.unfolded:
                yield from self._under(row.path)

    def unread(self) -> Path | None:
        """A path that is unfolded and whose rows were not read; None for none."""
        wanted = sorted(self.unfolded, key=len)
        return next((path for path in wanted if path not in self.below and self._seen(path)), None)

    def _seen(self, path: Path) -> bool:
        above = self.below.get(path[:-1], ())
        return any(row.path == path for row in above)


def folds(row: Row, *, reports: bool) -> bool:
    """Whether a row has rows of its own; of reports a run is the item itself."""
    return len(row.path) < (_DEEPEST - 1 if reports else _DEEPEST)


def of_branches(path: Path, branches: Sequence[Branch]) -> tuple[Row, ...]:
    """Topics or runs as rows."""
    return tuple(
        Row(
            (*path, branch.name),
            branch.title,
            branch.done,
            branch.total,
            (branch.key,) if branch.key else (),
            (branch.done >= branch.total,) if branch.key else (),
        )
        for branch in branches
    )


def of_leaves(path: Path, leaves: Sequence[Leaf]) -> tuple[Row, ...]:
    """Documents or sentences as rows."""
    return tuple(
        Row((*path, leaf.name), leaf.start, sum(leaf.ticks), len(leaf.ticks), leaf.keys, leaf.ticks)
        for leaf in leaves
    )


def opens(row: Row) -> SampleKey | None:
    """The sample that a row opens: of a sentence its first citation that is not annotated."""
    pairs = zip(row.keys, row.ticks, strict=True)
    return next((key for key, tick in pairs if not tick), next(iter(row.keys), None))


def path_of(meta: Mapping[str, object], sample_id: str, group: str) -> Path:
    """Where a sample stands in the tree, as far as its id and record tell; the topic at least."""
    topic = str(meta.get("topic_id") or "")
    parts = (group if group.count("|") > 1 else sample_id.partition("|")[2]).removeprefix(
        f"{topic}|"
    )
    if sample_id.startswith("c|"):
        run, _, index = parts.rpartition("|")
        return (topic, run, f"s{index}")
    if sample_id.startswith("d|"):
        runs = meta.get("runs")
        first = str(runs[0]) if isinstance(runs, list) and runs else ""
        return (topic, first, parts)
    return (topic, parts)
