"""The rows of a collection tree: what is read of it, what is unfolded, and how a row is painted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from textual.message import Message

from tui_annotate.domain.report_collections import TreeBranch, TreeLeaf
from tui_annotate.domain.samples import SampleKey
from tui_annotate.tui.line_text import Run, align_both_ends, cut, line_text
from tui_annotate.tui.palette import CHOSEN, FOCUS_BAR
from tui_annotate.tui.row_widgets import RowList

Path = tuple[str, ...]
"""Names from the topic down; empty for the collection."""

_DEPTH: Final = 3  # topic, run, leaf


class TreeRow(NamedTuple):
    """A line of the tree.

    Attributes:
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
class CollectionTree:
    """What was read of a collection in one mode.

    Attributes:
        below: the rows under a path, as far as they were read.
        unfolded: paths whose rows are shown.
    """

    below: dict[Path, tuple[TreeRow, ...]] = field(default_factory=dict)
    unfolded: set[Path] = field(default_factory=set)
    focused: Path = ()

    def rows(self) -> tuple[TreeRow, ...]:
        """All rows that are shown, in order."""
        return tuple(self._under(()))

    def _under(self, path: Path) -> Iterator[TreeRow]:
        for row in self.below.get(path, ()):
            yield row
            if row.path in self.unfolded:
                yield from self._under(row.path)

    def unread(self) -> Path | None:
        """A path that is unfolded and whose rows were not read; None for none."""
        known = {row.path for rows in self.below.values() for row in rows}
        return min((self.unfolded & known) - self.below.keys(), key=len, default=None)


def has_rows_below(row: TreeRow, *, reports: bool) -> bool:
    """Whether a row has rows of its own; of reports a run is the item itself."""
    return len(row.path) < (_DEPTH - 1 if reports else _DEPTH)


def branch_rows(path: Path, branches: Sequence[TreeBranch]) -> tuple[TreeRow, ...]:
    """Topics or runs as rows."""
    return tuple(
        TreeRow(
            (*path, branch.name),
            branch.title,
            branch.done,
            branch.total,
            (branch.key,) if branch.key else (),
            (branch.done >= branch.total,) if branch.key else (),
        )
        for branch in branches
    )


def leaf_rows(path: Path, leaves: Sequence[TreeLeaf]) -> tuple[TreeRow, ...]:
    """Documents or sentences as rows."""
    return tuple(
        TreeRow(
            (*path, leaf.name), leaf.start, sum(leaf.ticks), len(leaf.ticks), leaf.keys, leaf.ticks
        )
        for leaf in leaves
    )


def sample_to_open(row: TreeRow) -> SampleKey | None:
    """The sample that a row opens: of a sentence its first citation that is not annotated."""
    pairs = zip(row.keys, row.ticks, strict=True)
    return next((key for key, tick in pairs if not tick), next(iter(row.keys), None))


def path_of(meta: Mapping[str, object], sample_id: str, group: str) -> Path:
    """The path of a sample in the tree, as far as its id and record show it; at least the topic."""
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


UNFOLDED: Final = "▾"
OPEN: Final = "·"
NOTHING: Final = " "
"""In front of a row whose rows are shown; of what is not complete; of what has nothing to do."""

_INDENT: Final = 2  # cells a level
_NAME: Final = 32  # cells of an id at most


class TreeRows(RowList):
    """The rows that are unfolded."""

    @dataclass
    class Clicked(Message):
        """A row was clicked."""

        index: int

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[TreeRow] = ()
        self._signs: Sequence[str] = ()
        self._message = "reading…"

    def show(
        self, rows: Sequence[TreeRow], signs: Sequence[str], *, focused: int, empty: str
    ) -> None:
        """Other rows.

        Args:
            signs: in front of each: folded, unfolded, or nothing below it.
            empty: shown where there are none.
        """
        self._rows, self._signs, self._message = rows, signs, "" if rows else empty
        self.set_rows(max(len(rows), 1), focused=focused)
        self.refresh()

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        """Bar, tick, name, how it goes on, and at the right edge what is counted."""
        palette = self.palette
        if self._message:
            return [(f"  {self._message}", palette.quiet)]
        row = self._rows[index]
        style = palette.quiet if row.complete else palette.text
        tick = (CHOSEN, palette.good) if row.complete else (OPEN, palette.accent)
        tick = tick if row.total else (NOTHING, style)
        left: list[Run] = [
            (FOCUS_BAR if index == self.focused_row else " ", palette.accent),
            (" " * (_INDENT * (len(row.path) - 1) + 1), style),
            (f"{self._signs[index]} ", palette.key),
            (f"{tick[0]} ", tick[1]),
            (cut(line_text(row.path[-1]), _NAME), style if row.complete else palette.strong),
            (f"  {line_text(row.text)}", palette.quiet),
        ]
        return align_both_ends(left, [(f" {describe_counts(row)} ", style)], cells)

    def clicked(self, index: int) -> None:
        """Acts on the row."""
        if index < len(self._rows):
            self.post_message(self.Clicked(index))


def describe_counts(row: TreeRow) -> str:
    """How much is done under a row; nothing for what is one item."""
    return f"{row.done}/{row.total}" if row.total > 1 or not row.keys else ""
