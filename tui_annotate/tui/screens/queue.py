"""The queue: all samples with their state; of a hundred thousand only those seen are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message

from tui_annotate.domain.samples import SampleKey
from tui_annotate.tui.dialogs.help import HelpDialog, HelpGroup
from tui_annotate.tui.dialogs.jump import JumpDialog
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.lines import cut, shown
from tui_annotate.tui.screens.queue_keys import (
    BINDINGS,
    KEYS,
    MACHINES,
    ORDERED,
    QUEUE,
    SAID,
    Listing,
)
from tui_annotate.tui.screens.queue_reading import Asked, Opinions, Page, QueueReading
from tui_annotate.tui.widgets.draft_line import DraftLine
from tui_annotate.tui.widgets.key_line import KeyLine
from tui_annotate.tui.widgets.label_bar import LabelBar
from tui_annotate.tui.widgets.pane_title import PaneTitle
from tui_annotate.tui.widgets.queue_rows import QueueHeads, QueueRows

_Told = TypeVar("_Told", tuple[str, str], tuple[str, str, str])

_SEARCH_CELLS = 24  # of the title; what was typed stands in its own line


class QueueScreen(QueueReading):
    """Dismisses with the key of the sample to open, or None, which leaves what was open too.

    Args:
        page: reads rows; see `Page`.
        find: from what was typed to a key, for "go to"; raises NotFound.
        position: the row to begin on, from 1; 0 for the first.
        current: the sample that Escape goes back to; None where none is open.
        leave: what q does, in a word.
        listing: what the list is of.
        opinions: what machines say of its samples; None where nobody asks them.
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
        opinions: Opinions | None = None,
    ) -> None:
        super().__init__(page, listing=listing, position=position, opinions=opinions)
        self._leave, self._current = leave, current
        self._find = find

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
        keys = _told(ORDERED, self._opinions) if self._opinions else KEYS
        spare = [each for each in KEYS if each not in keys]  # told where there is room
        self.query_one(KeyLine).show([*keys, *back, ("q", self._leave), *spare])
        self._tell()
        self._read()
        self._count()

    def _tell(self) -> None:
        """Title, filters, and the focused row in full."""
        filters, listed = self._listing.filters, self.query_one(QueueRows)
        row = listed.focused_row + 1 if self._total else 0
        search = cut(shown(self._wanted.search), _SEARCH_CELLS)
        searched = f'"{search}" · ' if search else ""
        where = f"{searched}{filters[self._wanted.filter][0]} · {row}/{self._total}"
        title = self.query_one(PaneTitle)
        order = self.order if ":" in self.order else ""  # one that a score or a seed is of
        title.show(self._listing.title, [self._progress, order], where, focused=True)
        self.query_one(LabelBar).show(
            [
                (str(digit), text, False, digit == self._wanted.filter + 1, -1)
                for digit, (text, _) in enumerate(filters, 1)
            ]
        )
        entry = listed.entry(listed.focused_row) if self._total else None
        told = self._listing.told(entry) if entry else ""
        if said := listed.said_of(entry) if entry else "":
            told = f"{said} · {told}"
        self.query_one(DraftLine).show(told, kind="hint")

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
        keys, marks = self._listing.help, self._listing.legend
        if self._opinions:
            own = HelpGroup(MACHINES.title, _told(MACHINES.rows, self._opinions))
            keys, marks = (*keys, own), (*marks, *SAID)
        self.app.push_screen(HelpDialog(keys, legend=marks))

    def action_jump(self) -> None:
        """Go to an id, and open it."""
        if self._find is not None:
            self.app.push_screen(JumpDialog(self._find), self._jumped)

    def _jumped(self, key: SampleKey | None) -> None:
        if key is not None:
            self.dismiss(key)

    def action_order(self) -> None:
        """Another order, where there are some to choose from."""
        if self._opinions is not None:
            from tui_annotate.tui.dialogs.orders import OrderDialog

            dialog = OrderDialog(self._opinions.orders, used=self.order)
            self.app.push_screen(dialog, self._reordered)

    def _reordered(self, order: str | None) -> None:
        if order and order != self.order and self._opinions is not None:
            self._opinions.reorder(order)
            self._want(self._wanted.search, self._wanted.filter)

    def action_rivals(self) -> None:
        """The samples of the group that is focused."""
        listed = self.query_one(QueueRows)
        entry = listed.entry(listed.focused_row)
        if entry and self._opinions and self._opinions.rivals:
            from tui_annotate.tui.dialogs.siblings import SiblingsDialog

            find = partial(self._opinions.rivals, entry.key)
            self.app.push_screen(SiblingsDialog(find, current=entry.key), self._jumped)

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
        self._wanted, self._awaited = Asked(search, number, 0, self.order), True
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


def _told(keys: Sequence[_Told], opinions: Opinions) -> list[_Told]:
    """The keys of a list that do something in it."""
    return [each for each in keys if each[0] != "s" or opinions.rivals]
