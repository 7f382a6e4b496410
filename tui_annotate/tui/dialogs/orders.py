"""Choosing the order of the queue: as the samples came, or by what machines say of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.orders import (
    BY_SOURCE,
    CONFLICTS,
    DISAGREE,
    INGESTED,
    Sense,
    by_score,
    contradicted,
)
from tui_annotate.tui.dialogs.asked import AskedDialog
from tui_annotate.tui.dialogs.frame import CLOSING, PickList
from tui_annotate.tui.lines import Run, cut, shown
from tui_annotate.tui.palette import CHOSEN, FOCUS_BAR

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
    if order == CONFLICTS:
        return "most conflicts first"
    if order.startswith(DISAGREE):
        return f"{contradicted(order)}: where people contradict it most"
    if scored := by_score(order):
        return f"{scored.score}: {_SENSES[scored.sense]}"
    return f"shuffled ({order})"


class _Orders(PickList):
    """One line an order; the one in use is marked."""

    _orders: tuple[str, ...] = ()
    _used = ""
    _words = ""

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


class OrderDialog(AskedDialog[str, Sequence[str]]):
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
        super().__init__("Order of the queue", orders)
        self._used = used
        self._found: tuple[str, ...] = ()

    def body(self) -> ComposeResult:
        """The orders."""
        yield _Orders()

    def on_mount(self) -> None:
        """Says that they are looked for."""
        self.query_one(_Orders).tell("looking for scores ...")

    def keys(self) -> Sequence[tuple[str, str]]:
        """Enter chooses."""
        return [("↑↓", "move"), ("Enter", "choose"), ("q", "close")]

    def refused(self, error: TuiAnnotateError) -> None:
        """Why there is nothing to choose from."""
        self.query_one(_Orders).tell(f"✗ {error.message}")

    def arrived(self, found: Sequence[str]) -> None:
        """The one in use is always among them."""
        self._found = tuple(found if self._used in found else (self._used, *found))
        self.query_one(_Orders).show(self._found, self._used)

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
