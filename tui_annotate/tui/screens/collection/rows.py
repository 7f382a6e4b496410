"""Rows of the tree that shows a report collection: the loaded rows, and the widget of the tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.domain.report_collections import TreeBranch, TreeLeaf
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.glyphs import CHOSEN, FOCUS_BAR
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.tui.line_text import Run, align_both_ends
from tui_annotate.tui.row_widgets import RowList

Path = tuple[str, ...]
"""Path of names in the collection tree: request, run, item; empty for the whole collection."""

_DEPTH: Final = 3  # topic, run, leaf


class CollectionMessage(ScreenMessage):
    """Texts of the collection screen, and the names of its kinds of item."""

    HELP_TITLE = "Keys of the collection screen"
    LOADING = "Loading…"
    NO_ITEMS = "No items of this kind are assigned to you"
    ALL_ANNOTATED = "All {items} are annotated"
    TITLE = "COLLECTION {dataset}"
    PROGRESS = "{done}/{total} {items}"
    REPORTS = "reports"
    DOCUMENTS = "documents"
    CITATIONS = "citations"
    SENTENCES = "sentences"


class TreeRow(NamedTuple):
    """A row of the tree that shows a report collection.

    Attributes:
        done, total: numbers of complete items and of all items below the row; for a leaf, its
            citations, or the document.
        keys: keys of the samples that the row opens: one sample, or a sentence's citations in
            order.
        ticks: for each key, whether its sample is annotated.
    """

    path: Path
    text: str
    done: int
    total: int
    keys: tuple[SampleKey, ...] = ()
    ticks: tuple[bool, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all items below the row are complete; True without items."""
        return self.done >= self.total


@dataclass
class CollectionTree:
    """The rows of the collection tree for one kind of item, such as documents."""

    below: dict[Path, tuple[TreeRow, ...]] = field(default_factory=dict)
    unfolded: set[Path] = field(default_factory=set)
    focused: Path = ()

    def rows(self) -> tuple[TreeRow, ...]:
        """Return the visible rows from top to bottom: child rows only of unfolded rows."""
        return tuple(self._under(()))

    def _under(self, path: Path) -> Iterator[TreeRow]:
        for row in self.below.get(path, ()):
            yield row
            if row.path in self.unfolded:
                yield from self._under(row.path)

    def unread(self) -> Path | None:
        """Return the path of an unfolded row whose child rows were not read yet; None for none."""
        known = {row.path for rows in self.below.values() for row in rows}
        # Parents come first, as only their rows show which child rows exist.
        return min((self.unfolded & known) - self.below.keys(), key=len, default=None)


def has_rows_below(row: TreeRow, *, reports: bool) -> bool:
    """Return whether a row can be unfolded; the tree of reports is one level less deep."""
    return len(row.path) < (_DEPTH - 1 if reports else _DEPTH)


def branch_rows(path: Path, branches: Sequence[TreeBranch]) -> tuple[TreeRow, ...]:
    """Return the child rows of a request or run at `path`, in the order of `branches`."""
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
    """Return the child rows of a run at `path`: its documents or sentences."""
    return tuple(
        TreeRow(
            (*path, leaf.name), leaf.start, sum(leaf.ticks), len(leaf.ticks), leaf.keys, leaf.ticks
        )
        for leaf in leaves
    )


def sample_to_open(row: TreeRow) -> SampleKey | None:
    """Return the sample that a row opens: its first incomplete sample, else its first sample."""
    pairs = zip(row.keys, row.ticks, strict=True)
    return next((key for key, tick in pairs if not tick), next(iter(row.keys), None))


def path_of(meta: Mapping[str, object], sample_id: str, group: str) -> Path:
    """Return the path of a sample's row in the tree, found from the sample's id and metadata."""
    topic = str(meta.get("topic_id") or "")
    name = group if group.count("|") > 1 else sample_id.partition("|")[2]
    parts = name.removeprefix(f"{topic}|")
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
"""Glyphs before a row of the tree: `▾` unfolded, `·` not complete, a blank without items."""

_INDENT: Final = 2  # cells per level
_NAME: Final = 32  # cells of an id at most


class TreeRows(RowList):
    """Widget with the visible rows of the collection tree."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[TreeRow] = ()
        self._signs: Sequence[str] = ()
        self._message = CollectionMessage.LOADING.text()

    def show(
        self, rows: Sequence[TreeRow], signs: Sequence[str], *, focused: int, empty: str
    ) -> None:
        """Replace the tree's rows, after `signs`; show the message `empty` if there are no rows."""
        self._rows = rows
        self._signs = signs
        self._message = "" if rows else empty
        self.set_rows(max(len(rows), 1), focused=focused)
        self.refresh()

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        palette = self.palette
        if self._message:
            return [(f"  {self._message}", palette.quiet)]
        row = self._rows[index]
        style = palette.quiet if row.complete else palette.text
        if not row.total:
            tick = (NOTHING, style)
        elif row.complete:
            tick = (CHOSEN, palette.good)
        else:
            tick = (OPEN, palette.accent)
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
        if index < len(self._rows):
            self.post_message(self.Picked(index))


def describe_counts(row: TreeRow) -> str:
    """Return "done/total" of a row; empty for a row that is one sample."""
    return f"{row.done}/{row.total}" if row.total > 1 or not row.keys else ""
