"""The rows and the column headings of the queue of samples."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from textual.message import Message

from tui_annotate.domain.assignments import State
from tui_annotate.domain.line_text import line_text, text_width
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import ScoreSummaries, ScoreSummary
from tui_annotate.editor.glyphs import FOCUS_BAR, STATE_GLYPHS, STATE_NAMES, StateName
from tui_annotate.editor.screen_message import Plural, ScreenMessage
from tui_annotate.tui.line_text import Run, clip, fit
from tui_annotate.tui.row_widgets import FixedRows, RowList
from tui_annotate.tui.score_cells import ScoreCells

PAGE = 200
"""Number of rows of the queue that are loaded at a time."""

_PAGES_KEPT = 25
_ID_SHARE = 0.3  # maximum fraction of the screen for ids
_LONGEST_ID = 32
_COUNT_CELLS = 4
_WIDE = 100  # minimum screen width for a group column


class RowText(ScreenMessage):
    """Heads of columns and texts of the list of samples."""

    SAMPLE = "sample"
    ANNOTATIONS = "annotations"
    GROUP = "group"
    SUMMARY = "summary"
    READING = "reading…"
    NO_SAMPLES = "No samples found: press 1 to show all, / to search again"
    DESCRIPTION = "Sample {sample}: {details}"
    COUNT = Plural("{count:,} annotation", "{count:,} annotations")


class GroupColumn(NamedTuple):
    """The column of groups: its head, and its width in cells."""

    head: ScreenMessage = RowText.GROUP
    cells: int = 16


class _ColumnCells(NamedTuple):
    id: int
    group: int


def _columns(width: int, group: GroupColumn, *, shown: bool) -> _ColumnCells:
    cells_of_id = min(max(int(width * _ID_SHARE), 12), _LONGEST_ID)
    return _ColumnCells(cells_of_id, group.cells if shown and width >= _WIDE else 0)


class QueueEntry(Protocol):
    """One sample in the queue, with the state and the number of the annotator's annotations."""

    @property
    def key(self) -> SampleKey:
        """Key of the sample."""

    @property
    def group(self) -> str:
        """What the column of groups shows, such as the group of the sample; may be empty."""

    @property
    def state(self) -> State:
        """State of the work on the sample."""

    @property
    def annotations(self) -> int:
        """Number of annotations."""

    @property
    def summary_start(self) -> str:
        """Start of the summary; empty without one."""


class QueueHeads(FixedRows):
    """The heads of the columns of the queue."""

    def __init__(self, group: GroupColumn) -> None:
        super().__init__()
        self._group = group
        self._score_cells = ScoreCells()
        self._groups = False

    def set_columns(self, scores: ScoreCells, *, groups: bool) -> None:
        """Show the heads of other score columns; `groups`: whether any sample has a group."""
        if (scores, groups) != (self._score_cells, self._groups):
            self._score_cells = scores
            self._groups = groups
            self.repaint()

    def paint(self, cells: int) -> list[list[Run]]:
        """Paint the heads; the column of groups needs a wide screen, and a sample with a group."""
        columns = _columns(self.app.size.width, self._group, shown=self._groups)
        cells_of_id = columns.id + _COUNT_CELLS
        words = [_sample_head(cells_of_id)]
        if columns.group:
            words.append(fit(self._group.head.text(), columns.group))
        words.append(f"{self._score_cells.head(self.app.size.width)}{RowText.SUMMARY.text()}")
        return [clip([(f"    {'  '.join(words)}", self.palette.quiet)], cells)]


def _sample_head(cells: int) -> str:
    """Return the heads of the columns of ids and of numbers; the second only if both fit."""
    head = RowText.SAMPLE.text()
    count = RowText.ANNOTATIONS.text()
    gap = cells - text_width(head) - text_width(count)
    return f"{head}{' ' * gap}{count}" if gap >= 0 else fit(head, cells)


class QueueList(RowList):
    """The list of samples in the queue. It posts `Moved` after it was scrolled or resized."""

    class Moved(Message):
        """Message that the queue was scrolled or resized, so that other rows may be in view."""

    @dataclass
    class Opened(Message):
        """Message that a row of the queue was clicked."""

        key: SampleKey

    def __init__(self, group: GroupColumn) -> None:
        super().__init__()
        self._group = group
        self._pages: OrderedDict[int, Sequence[QueueEntry]] = OrderedDict()
        self._message = RowText.READING.text()
        self._cells = ScoreCells()
        self._scores = dict[SampleKey, ScoreSummary]()
        self.has_groups = False  # whether a row that was loaded has a group

    @property
    def score_cells(self) -> ScoreCells:
        """The columns with scores that are shown."""
        return self._cells

    def set_scores(self, scores: ScoreSummaries) -> None:
        """Add the scores of loaded rows; other score columns replace all known scores."""
        cells = ScoreCells.of(scores)
        if cells != self._cells:
            self._cells = cells
            self._scores.clear()
        self._scores.update(scores.of)
        self.refresh()

    def describe_scores(self, entry: QueueEntry) -> str:
        """Return the label and scores of a sample as a line, not cleaned for a terminal."""
        return self._cells.describe(self._scores.get(entry.key))

    def entry(self, index: int) -> QueueEntry | None:
        """Return the sample at an index of the queue, or None if its row is not loaded."""
        page = self._pages.get(index - index % PAGE, ())
        return page[index % PAGE] if 0 <= index % PAGE < len(page) else None

    def missing(self) -> int | None:
        """Return the offset of queue rows that are in view but not loaded, or None."""
        offsets = {index - index % PAGE for index in self.seen}
        return min(offsets - self._pages.keys(), default=None)

    def restart(self, rows: Sequence[QueueEntry], *, offset: int, total: int, focused: int) -> None:
        """Replace all loaded rows of the queue by `rows`; the first one's index is `offset`."""
        self._scores.clear()
        self._pages.clear()
        self._pages[offset] = rows
        self.has_groups = self.has_groups or any(row.group for row in rows)
        self._message = "" if total else RowText.NO_SAMPLES.text()
        self.set_rows(max(total, 1), focused=min(focused, max(total, 1) - 1))

    def take(self, rows: Sequence[QueueEntry], *, offset: int) -> None:
        """Add loaded rows to the queue; if too many are loaded, drop the oldest."""
        self._pages[offset] = rows
        self.has_groups = self.has_groups or any(row.group for row in rows)
        if len(self._pages) > _PAGES_KEPT:
            for gone in self._pages.popitem(last=False)[1]:
                self._scores.pop(gone.key, None)
        self.refresh()

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        palette = self.palette
        if self._message:
            return [(f"  {self._message}", palette.quiet)]
        entry = self.entry(index)
        if entry is None:
            return [(f"    {index + 1} …", palette.disabled)]
        completed = entry.state is State.DONE
        quiet = palette.quiet
        columns = _columns(self.app.size.width, self._group, shown=self.has_groups)
        runs: list[Run] = [
            (FOCUS_BAR if index == self.focused_row else " ", palette.accent),
            (f" {STATE_GLYPHS[entry.state]} ", palette.good if completed else palette.accent),
            (fit(line_text(entry.key.id), columns.id), quiet if completed else palette.strong),
            (f"{entry.annotations or '':>{_COUNT_CELLS}}  ", palette.key),
        ]
        if columns.group:
            runs.append((f"{fit(line_text(entry.group), columns.group)}  ", quiet))
        runs += self._cells.runs(self._scores.get(entry.key), self.app.size.width, palette)
        runs.append((line_text(entry.summary_start), quiet if completed else palette.text))
        return clip(runs, cells)

    def clicked(self, index: int) -> None:
        """Post the key of the clicked sample; a row that is not loaded is ignored."""
        entry = self.entry(index)
        if entry is not None:
            self.post_message(self.Opened(entry.key))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Post the message `Moved`, because other rows are in view."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        """Post the message `Moved`, because more rows may be in view after a resize."""
        self.post_message(self.Moved())


def describe_entry(
    entry: QueueEntry, *, names: Mapping[str, StateName] | None = STATE_NAMES
) -> str:
    """Describe a sample for the line below the queue. The returned text is not sanitized.

    `names` are the names of states; None leaves out the state.
    """
    state = names[entry.state].text() if names else ""
    count = RowText.COUNT.text(count=entry.annotations)
    details = ", ".join(filter(None, (state, count, entry.group)))
    return RowText.DESCRIPTION.text(sample=entry.key, details=details)
