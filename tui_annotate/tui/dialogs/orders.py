"""Choosing the order of the queue: as the samples came, or by what machines say of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.orders import BY_SOURCE, INGESTED, Sense, by_score
from tui_annotate.tui.dialogs.frame import CLOSING, Dialog, PickList
from tui_annotate.tui.lines import Run, cut, shown
from tui_annotate.tui.palette import CHOSEN, FOCUS_BAR
from tui_annotate.tui.turns import Pressed, free

_SENSES = {
    Sense.WORST: "worst first",
    Sense.BEST: "best first",
    Sense.UNCERTAIN: "most uncertain first",
}


def order_words(order: str) -> str:
    """An order as people read it; raw."""
    if order == BY_SOURCE:
        return "by source: all texts of one source together"
    if order == INGESTED:
        return "as they came"
    if scored := by_score(order):
        return f"{scored.score}: {_SENSES[scored.sense]}"
    return f"shuffled ({order})"


class _Orders(PickList):
    """One line an order; the one in use is marked."""

    _orders: tuple[str, ...] = ()
    _used = ""
    _words = "looking for scores ..."

    def tell(self, words: str) -> None:
        self._words = shown(words)
        self.set_rows(1)

    def show(self, orders: Sequence[str], used: str) -> None:
        self._orders, self._used = tuple(orders), used
        self.set_rows(len(orders), focused=orders.index(used) if used in orders else 0)

    def runs_of_row(self, index: int, cells: int) -> Sequence[Run]:
        palette = self.palette
        if not self._orders:
            return [(cut(f"  {self._words}", cells), palette.quiet)]
        order = self._orders[index]
        return [
            (FOCUS_BAR if index == self.focused_row else " ", palette.accent),
            (f"{CHOSEN if order == self._used else ' '} ", palette.good),
            (cut(shown(order_words(order)), cells - 3), palette.text),
        ]

    def clicked(self, index: int) -> None:
        if self._orders:
            self.post_message(self.Picked(index))


class OrderDialog(Dialog[str]):
    """Dismisses with the name of the order that was chosen.

    Args:
        orders: gives those to choose from; called in a thread.
        used: the one in use.
    """

    DEFAULT_CSS = "OrderDialog _Orders { margin-top: 1; max-height: 16; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        *CLOSING,
        Binding("down,j,o", "move(1)", "down", show=False),
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("enter", "take", "take", show=False),
    ]

    def __init__(self, orders: Callable[[], Sequence[str]], *, used: str) -> None:
        super().__init__("Order of the queue")
        self._find, self._used = orders, used
        self._found: tuple[str, ...] = ()
        self._looking = True

    def body(self) -> ComposeResult:
        """The orders."""
        yield _Orders()

    def on_mount(self) -> None:
        """Looks for them."""
        self.query_one(_Orders).tell("looking for scores ...")
        self._look()

    def keys(self) -> Sequence[tuple[str, str]]:
        """Enter chooses."""
        return [("↑↓", "move"), ("Enter", "choose"), ("q", "close")]

    def holds(self, event: Pressed) -> bool:
        """Also: until there is something to choose from."""
        return self._looking or super().holds(event)

    @work(thread=True)
    def _look(self) -> None:
        try:
            found = tuple(self._find())
        except TuiAnnotateError as error:
            self.app.call_from_thread(self._refuse, error)
        else:
            self.app.call_from_thread(self._arrived, found)

    def _refuse(self, error: TuiAnnotateError) -> None:
        self._looking = False
        self.query_one(_Orders).tell(f"✗ {error.message}")
        free(self)

    def _arrived(self, found: tuple[str, ...]) -> None:
        self._looking = False
        orders = found if self._used in found else (self._used, *found)
        self._found = orders
        self.query_one(_Orders).show(orders, self._used)
        free(self)

    def action_move(self, step: int) -> None:
        """Up and Down."""
        listed = self.query_one(_Orders)
        if self._found:
            listed.focus_row(listed.focused_row + step)

    def action_take(self) -> None:
        """Enter."""
        if self._found:
            self.dismiss(self._found[self.query_one(_Orders).focused_row])

    @on(PickList.Picked)
    def _clicked(self, message: PickList.Picked) -> None:
        """A click chooses."""
        message.stop()
        self.dismiss(self._found[message.index])
