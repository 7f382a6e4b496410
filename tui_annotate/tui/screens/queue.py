"""The queue: all samples with their state; of a hundred thousand only those seen are read.

Rows come in pages from a callable that runs in a thread, one page at a time; what comes into the
window meanwhile is read afterwards, so holding a key never piles up work.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import ClassVar, NamedTuple, Protocol

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.samples import SampleKey
from tui_annotate.tui.dialogs.help import HelpDialog
from tui_annotate.tui.dialogs.jump import JumpDialog
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.lines import cut, shown
from tui_annotate.tui.screens.queue_keys import BINDINGS, KEYS, QUEUE, Listing
from tui_annotate.tui.turns import Pressed, free, is_text
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.key_line import KeyLine
from tui_annotate.tui.widgets.label_bar import LabelBar
from tui_annotate.tui.widgets.pane_title import PaneTitle
from tui_annotate.tui.widgets.queue_rows import PAGE, QueueEntry, QueueHeads, QueueRows

_SEARCH_CELLS = 24  # of the title; what was typed stands in its own line


class Page(Protocol):
    """Reads rows; called in a thread."""

    def __call__(
        self, search: str, states: Collection[State], *, offset: int, limit: int
    ) -> tuple[Sequence[QueueEntry], int]:
        """Up to `limit` rows from `offset` on, and how many there are in all; no states: all."""


class _Asked(NamedTuple):
    """What is asked of the page reader, apart from the offset."""

    search: str
    filter: int
    focused: int


class _Read(NamedTuple):
    """A page as it was read."""

    asked: _Asked
    offset: int
    rows: Sequence[QueueEntry]
    total: int


class QueueScreen(Screen[SampleKey | None]):
    """Dismisses with the key of the sample to open, or None, which leaves what was open too.

    Args:
        page: reads rows; see `Page`.
        find: from what was typed to a key, for "go to"; raises NotFound.
        position: the row to begin on, from 1; 0 for the first.
        current: the sample that Escape goes back to; None where none is open.
        leave: what q does, in a word.
        listing: what the list is of.
    """

    DEFAULT_CSS = """
    QueueScreen { layout: vertical; }
    QueueScreen LineInput { display: none; &, &:focus { padding: 0 3; } }
    QueueScreen.-searching LineInput { display: block; }
    QueueScreen.-searching DraftLine { display: none; }
    """
    AUTO_FOCUS: ClassVar[str | None] = ""  # the hidden input must not get the keys
    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

    def __init__(
        self,
        page: Page,
        *,
        find: Callable[[str], SampleKey] | None = None,
        position: int = 0,
        current: SampleKey | None = None,
        leave: str = "back",
        listing: Listing = QUEUE,
    ) -> None:
        super().__init__()
        self._leave, self._listing, self._current = leave, listing, current
        self._page, self._find = page, find
        self._wanted = _Asked("", 0, max(position - 1, 0))
        self._held: _Asked | None = None
        self._awaited, self._reading = True, False
        self._total = 0
        self._progress = ""

    def compose(self) -> ComposeResult:
        """Title, heads, rows, what is focused or searched, filters, keys."""
        yield PaneTitle()
        yield QueueHeads(self._listing.group)
        yield QueueRows(self._listing.group)
        yield DraftLine()
        yield LineInput(placeholder="search: part of an id or of a summary")
        yield LabelBar()
        yield KeyLine()

    def on_mount(self) -> None:
        """Reads the first page and counts what is finished."""
        back = [("Esc", "back")] if self._current else []
        self.query_one(KeyLine).show([*KEYS, *back, ("q", self._leave)])
        self._tell()
        self._read()
        self._count()

    def holds(self, event: Pressed) -> bool:
        """Whether a key waits: it is not for rows that others come in the place of."""
        return self._awaited and not is_text(self.focused, event)

    def _read(self) -> None:
        """Reads what is wanted or missing, unless a page is on its way: then that is done first."""
        if self._reading or not self.is_mounted:
            return
        rows = self.query_one(QueueRows)
        if self._wanted != self._held:
            offset: int | None = self._wanted.focused - self._wanted.focused % PAGE
        else:
            offset = rows.missing() if self._total else None
        if offset is not None:
            self._reading = True
            self._read_page(self._wanted, offset)

    @work(thread=True)
    def _read_page(self, asked: _Asked, offset: int) -> None:
        try:
            rows, total = self._page(
                asked.search, self._listing.filters[asked.filter][1], offset=offset, limit=PAGE
            )
        except TuiAnnotateError as error:
            self.app.call_from_thread(self._refuse, error)
        else:
            self.app.call_from_thread(self._arrived, _Read(asked, offset, rows, total))

    def _arrived(self, page: _Read) -> None:
        """A page came; it is dropped where something else is wanted by now."""
        self._reading = False
        listed = self.query_one(QueueRows)
        if page.asked == self._wanted == self._held and page.total == self._total:
            listed.take(page.rows, offset=page.offset)
        elif page.asked == self._wanted:
            self._held, self._total = page.asked, page.total
            self._awaited = False
            focused = page.asked.focused
            listed.restart(page.rows, offset=page.offset, total=page.total, focused=focused)
        self._tell()
        self._read()
        free(self)

    @work(thread=True)
    def _count(self) -> None:
        try:
            finished = self._page("", self._listing.of, offset=0, limit=1)[1]
            total = self._page("", frozenset(), offset=0, limit=1)[1]
        except TuiAnnotateError as error:
            self.app.call_from_thread(self._refuse, error)
        else:
            self.app.call_from_thread(self._counted, finished, total)

    def _counted(self, finished: int, total: int) -> None:
        self._progress = f"{finished}/{total} {self._listing.counted}"
        self._tell()

    def _refuse(self, error: TuiAnnotateError) -> None:
        self._reading = self._awaited = False
        free(self)
        hint = f"; {error.hint}" if error.hint else ""
        self.query_one(DraftLine).show(f"{error.message}{hint}", kind="error")

    @on(QueueRows.Moved)
    def _moved(self) -> None:
        self._read()

    def _tell(self) -> None:
        """Title, filters, and the focused row in full."""
        filters, listed = self._listing.filters, self.query_one(QueueRows)
        row = listed.focused_row + 1 if self._total else 0
        search = cut(shown(self._wanted.search), _SEARCH_CELLS)
        searched = f'"{search}" · ' if search else ""
        where = f"{searched}{filters[self._wanted.filter][0]} · {row}/{self._total}"
        title = self.query_one(PaneTitle)
        title.show(self._listing.title, [self._progress], where, focused=True)
        self.query_one(LabelBar).show(
            [
                (str(digit), text, False, digit == self._wanted.filter + 1, -1)
                for digit, (text, _) in enumerate(filters, 1)
            ]
        )
        entry = listed.entry(listed.focused_row) if self._total else None
        self.query_one(DraftLine).show(self._listing.told(entry) if entry else "", kind="hint")

    def action_move(self, step: int) -> None:
        """Up and Down."""
        if self._total:
            listed = self.query_one(QueueRows)
            listed.focus_row(listed.focused_row + step)
            self._tell()

    def action_turn(self, pages: int) -> None:
        """A page, with one row of it kept."""
        self.action_move(pages * max(self.query_one(QueueRows).window.height - 1, 1))

    def action_edge(self, edge: int) -> None:
        """Home and End."""
        self.action_move(edge * self._total)

    def action_open(self) -> None:
        """Enter."""
        listed = self.query_one(QueueRows)
        if entry := listed.entry(listed.focused_row):
            self.dismiss(entry.key)

    def action_filter(self, number: int) -> None:
        """A digit; `number` counts from 0."""
        if number != self._wanted.filter and number < len(self._listing.filters):
            self._want(self._wanted.search, number)

    def action_next_filter(self) -> None:
        """The filters in a circle."""
        self.action_filter((self._wanted.filter + 1) % len(self._listing.filters))

    def action_search(self) -> None:
        """The input comes up."""
        self.add_class("-searching")
        self.query_one(LineInput).focus()

    def action_help(self) -> None:
        """All keys of the queue."""
        self.app.push_screen(HelpDialog(self._listing.help, legend=self._listing.legend))

    def action_jump(self) -> None:
        """Go to an id, and open it."""
        if self._find is not None:
            self.app.push_screen(JumpDialog(self._find), self._jumped)

    def _jumped(self, key: SampleKey | None) -> None:
        if key is not None:
            self.dismiss(key)

    def action_close(self) -> None:
        """Without a sample."""
        self.dismiss(None)

    def action_unsearch(self) -> None:
        """Takes the search off; it never closes, as who deletes may hold the key too long."""
        self.query_one(LineInput).value = ""
        self._end_search()

    def action_back(self) -> None:
        """Takes the search off; where there is none, goes back to the sample that is open."""
        if self.has_class("-searching") or self._wanted.search or self._current is None:
            self.action_unsearch()
        else:
            self.dismiss(self._current)

    def _end_search(self) -> None:
        self.set_focus(None)
        self.remove_class("-searching")

    def on_input_changed(self, event: LineInput.Changed) -> None:
        """Searches while one types."""
        event.stop()
        text = event.value.strip()
        if text != self._wanted.search:
            self._want(text, self._wanted.filter)

    def _want(self, search: str, number: int) -> None:
        self._wanted, self._awaited = _Asked(search, number, 0), True
        self._tell()
        self._read()

    @on(LineInput.Submitted)
    @on(LineInput.LeftEmpty)
    def _left(self, message: Message) -> None:
        """Enter, or Backspace with nothing left to delete: the list has the keys again."""
        message.stop()
        self._end_search()

    def on_label_bar_picked(self, message: LabelBar.Picked) -> None:
        """A filter was clicked."""
        message.stop()
        self.action_filter(int(message.digit) - 1)

    @on(QueueRows.Opened)
    def _opened(self, message: QueueRows.Opened) -> None:
        message.stop()
        self.dismiss(message.key)
