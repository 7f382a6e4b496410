"""Choosing the order of the queue: as the samples came, or by what machines say of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from tui_annotate.domain.queue_orders import (
    BY_SOURCE,
    CONFLICTS,
    DISAGREE,
    INGESTED,
    ScoreDirection,
    by_score,
    score_of_order,
)
from tui_annotate.tui.dialogs.frame import Keys
from tui_annotate.tui.dialogs.item_list import ItemDialog
from tui_annotate.tui.line_text import Run, cut, line_text
from tui_annotate.tui.palette import CHOSEN, FOCUS_BAR

_ORDERS = {
    BY_SOURCE: "by source: all texts of one source together",
    INGESTED: "as they came",
    CONFLICTS: "most conflicts first",
}
_DIRECTIONS = {
    ScoreDirection.WORST: "worst first",
    ScoreDirection.BEST: "best first",
    ScoreDirection.UNCERTAIN: "most uncertain first",
}


def order_words(order: str) -> str:
    """An order as people read it; raw."""
    if order in _ORDERS:
        return _ORDERS[order]
    if order.startswith(DISAGREE):
        return f"{score_of_order(order)}: where people contradict it most"
    if scored := by_score(order):
        return f"{scored.score}: {_DIRECTIONS[scored.sense]}"
    return f"shuffled ({order})"


class OrderDialog(ItemDialog[str, Sequence[str]]):
    """Dismisses with the name of the order that was chosen.

    Args:
        orders: gives those to choose from; called in a thread.
        used: the one in use.
    """

    DEFAULT_CSS = "OrderDialog ItemList { margin-top: 1; max-height: 16; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("o", "move(1)", "down", show=False)]
    waiting = "looking for scores ..."
    keys: Keys = (("↑↓", "move"), ("Enter", "choose"), ("q", "close"))

    def __init__(self, orders: Callable[[], Sequence[str]], *, used: str) -> None:
        super().__init__("Order of the queue", orders)
        self._used = used

    def head(self, item: str, cells: int, *, focused: bool) -> Sequence[Run]:
        """An order in words; the one in use is marked."""
        palette = self.rows.palette
        return [
            (FOCUS_BAR if focused else " ", palette.accent),
            (f"{CHOSEN if item == self._used else ' '} ", palette.good),
            (cut(line_text(order_words(item)), cells - 3), palette.text),
        ]

    def show_items(self, found: Sequence[str]) -> None:
        """The one in use is always among them."""
        orders = found if self._used in found else (self._used, *found)
        self.rows.show(orders, focused=orders.index(self._used))
