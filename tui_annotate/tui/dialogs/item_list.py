"""Dialog with a list of items that a thread loads; keys wait until the list is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from rich.style import Style
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.editor.screen_message import ScreenMessage, error_texts
from tui_annotate.tui.dialogs.frame import CLOSING, Dialog
from tui_annotate.tui.key_queue import KeyOrPaste, free
from tui_annotate.tui.line_text import Run
from tui_annotate.tui.palette import PaintStyles
from tui_annotate.tui.row_widgets import RowList

Item = TypeVar("Item")
Found = TypeVar("Found")

_CLOSING = frozenset({"q", "backspace", "escape", "ctrl+q", "ctrl+c"})


class ItemList(RowList, Generic[Item]):
    """A list of items with one or more rows each; a click on any row picks the item."""

    def __init__(self, dialog: ItemDialog[Item, Any]) -> None:
        super().__init__()
        self.items: tuple[Item, ...] = ()
        self.focused = 0  # index of an item
        self._dialog = dialog
        # For each row the index of its item, and its text; None for the item's first row.
        self._rows: list[tuple[int, str | None]] = []
        self._words: tuple[str, ...] = ()

    def show_text(self, *words: str) -> None:
        """Show lines of text in place of items, such as an error."""
        self._words = tuple(map(line_text, words))
        self.set_rows(len(words))

    def show(self, items: Sequence[Item], *, focused: int = 0) -> None:
        """Replace the items, and focus one by its index."""
        self.items = tuple(items)
        self.focused = focused
        self.lay_out()

    def lay_out(self) -> None:
        """Compute the rows of all items, whose number depends on the width."""
        self._rows = [
            (at, text)
            for at, item in enumerate(self.items)
            for text in (None, *self._dialog.details(item, self.window.width))
        ]
        if self._rows:
            self.set_rows(len(self._rows), focused=self._rows.index((self.focused, None)))
            self.move(0)

    def move(self, step: int) -> None:
        """Move the focus of the list by `step` items, at most to the first or last item."""
        if self.items:
            self.focused = max(0, min(self.focused + step, len(self.items) - 1))
            rows = [at for at, (index, _) in enumerate(self._rows) if index == self.focused]
            self.focus_row(rows[0])
            self.refresh()  # the rows of the focused item may be highlighted
            if rows[-1] not in self.seen:  # show as many of its rows as fit
                self.scroll_to(y=rows[0], animate=False, immediate=True)

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        if not self.items:
            return [(cut(f"  {self._words[index]}", cells), self.palette.quiet)]
        at, text = self._rows[index]
        if text is None:
            focused = index == self.focused_row
            return self._dialog.head(self.items[at], cells, focused=focused)
        style = self._dialog.detail_style(self.palette, focused=at == self.focused)
        return [(cut(text, cells), style)]

    def clicked(self, index: int) -> None:
        if self.items:
            self.post_message(self.Picked(self._rows[index][0]))

    def on_resize(self) -> None:
        self.lay_out()


class ItemDialog(Dialog[Any], Generic[Item, Found]):
    """A dialog that returns `result_of` the chosen item of a list, which a thread loads."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *CLOSING,
        Binding("down,j", "move(1)", "down", show=False),
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("enter", "choose", "choose", show=False),
    ]
    waiting: ClassVar[ScreenMessage]

    def __init__(self, title: str, find: Callable[[], Found]) -> None:
        super().__init__(title)
        self._find = find
        self.rows = ItemList(self)
        self._reading = True

    def show_items(self, found: Found) -> None:
        """Show what `find` returned; called in the screen's thread."""
        raise NotImplementedError

    def head(self, item: Item, cells: int, *, focused: bool) -> Sequence[Run]:
        """Return the styled pieces of an item's first row."""
        raise NotImplementedError

    def details(self, item: Item, cells: int) -> Sequence[str]:
        """Return the texts of an item's further rows; by default, none."""
        del item, cells
        return ()

    def detail_style(self, palette: PaintStyles, *, focused: bool) -> Style:
        """Return the style of an item's further rows."""
        del focused
        return palette.text

    def result_of(self, item: Item) -> Any:
        """Return the dialog's result for a chosen item; by default, the item."""
        return item

    def body(self) -> ComposeResult:
        yield self.rows

    def on_mount(self) -> None:
        """Start to load the items in a thread."""
        self.rows.show_text(self.waiting.text())
        self._read()

    def holds(self, event: KeyOrPaste) -> bool:
        """Return whether a key press must be queued until the items of the dialog are loaded."""
        closing = isinstance(event, events.Key) and event.key in _CLOSING
        return (self._reading and not closing) or super().holds(event)

    @work(thread=True)
    def _read(self) -> None:
        try:
            found = self._find()
        except TuiAnnotateError as error:
            self.app.call_from_thread(self._show, self.refused, error)
        else:
            self.app.call_from_thread(self._show, self.show_items, found)

    def _show(self, show: Callable[..., None], what: object) -> None:
        if self.is_attached:  # the dialog may have been closed meanwhile
            self._reading = False
            show(what)
            free(self)

    def refused(self, error: TuiAnnotateError) -> None:
        """Show the error of `find` in place of items."""
        message, _ = error_texts(error)
        self.rows.show_text(f"✗ {message}")

    def action_move(self, step: int) -> None:
        self.rows.move(step)

    def action_choose(self) -> None:
        if self.rows.items:
            self.dismiss(self.result_of(self.rows.items[self.rows.focused]))

    @on(RowList.Picked)
    def _choose_clicked(self, message: RowList.Picked) -> None:
        message.stop()
        self.dismiss(self.result_of(self.rows.items[message.index]))
