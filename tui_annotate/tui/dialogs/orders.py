"""Dialog to choose the order of the queue: by source, as imported, or by a score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.domain.queue_orders import (
    BY_SOURCE,
    CONFLICTS,
    DISAGREE,
    INGESTED,
    RANDOM,
    ScoreDirection,
    by_score,
    score_of_order,
)
from tui_annotate.editor.glyphs import CHOSEN, FOCUS_BAR
from tui_annotate.tui.dialogs.frame import Keys
from tui_annotate.tui.dialogs.item_list import ItemDialog
from tui_annotate.tui.dialogs.texts import DialogText, KeyName
from tui_annotate.tui.line_text import Run

_ORDERS = {
    BY_SOURCE: DialogText.BY_SOURCE,
    INGESTED: DialogText.AS_IMPORTED,
    CONFLICTS: DialogText.BY_CONFLICTS,
}
_DIRECTIONS = {
    ScoreDirection.WORST: DialogText.WORST_FIRST,
    ScoreDirection.BEST: DialogText.BEST_FIRST,
    ScoreDirection.UNCERTAIN: DialogText.UNCERTAIN_FIRST,
}
_DIRECTIONS_NEXT_TO = {
    ScoreDirection.WORST: DialogText.WORST_FIRST_NEXT_TO,
    ScoreDirection.BEST: DialogText.BEST_FIRST_NEXT_TO,
    ScoreDirection.UNCERTAIN: DialogText.UNCERTAIN_FIRST_NEXT_TO,
}


def order_words(order: str) -> str:
    """Return the display name of a queue's order, not sanitized for a terminal."""
    if order in _ORDERS:
        return _ORDERS[order].text()
    if order.startswith(DISAGREE):
        return DialogText.BY_CONTRADICTIONS.text(score=score_of_order(order))
    if scored := by_score(order):
        if scored.middle is None:
            return _DIRECTIONS[scored.sense].text(score=scored.score)
        words = _DIRECTIONS_NEXT_TO[scored.sense]
        return words.text(score=scored.score, middle=scored.middle)
    return DialogText.SHUFFLED.text(seed=order.removeprefix(RANDOM))


class OrderDialog(ItemDialog[str, Sequence[str]]):
    """A dialog that returns the name of the queue order that the user chose."""

    DEFAULT_CSS = "OrderDialog ItemList { margin-top: 1; max-height: 16; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("o", "move(1)", "down", show=False)]
    waiting = DialogText.ORDERS_LOADING
    keys: Keys = (("↑↓", KeyName.MOVE), ("Enter", KeyName.CHOOSE), ("q", KeyName.CLOSE))

    def __init__(self, orders: Callable[[], Sequence[str]], *, used: str) -> None:
        super().__init__(DialogText.ORDERS_TITLE.text(), orders)
        self._used = used

    def head(self, item: str, cells: int, *, focused: bool) -> Sequence[Run]:
        palette = self.rows.palette
        return [
            (FOCUS_BAR if focused else " ", palette.accent),
            (f"{CHOSEN if item == self._used else ' '} ", palette.good),
            (cut(line_text(order_words(item)), cells - 3), palette.text),
        ]

    def show_items(self, found: Sequence[str]) -> None:
        """Show the orders, with the used one in focus even if it is not among them."""
        orders = found if self._used in found else (self._used, *found)
        self.rows.show(orders, focused=orders.index(self._used))
