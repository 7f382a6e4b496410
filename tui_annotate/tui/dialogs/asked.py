"""A dialog of what is read in a thread first: nothing is chosen before, and it closes meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from textual import events, work

from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.tui.dialogs.frame import Dialog, Result
from tui_annotate.tui.turns import Pressed, free

Found = TypeVar("Found")

_CLOSING = frozenset({"q", "backspace", "escape", "ctrl+q", "ctrl+c"})


class AskedDialog(Dialog[Result], Generic[Result, Found]):
    """Asks once it is there; a subclass shows what came, or why nothing did.

    Args:
        find: gives it; called in a thread.
    """

    def __init__(self, title: str, find: Callable[[], Found]) -> None:
        super().__init__(title)
        self._find = find
        self._asking = True

    def arrived(self, found: Found) -> None:
        """Shows what came."""
        raise NotImplementedError

    def refused(self, error: TuiAnnotateError) -> None:
        """Tells why nothing came."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Asks."""
        self._ask()

    def holds(self, event: Pressed) -> bool:
        """Also: until there is something to choose from; what closes does not wait for that."""
        closing = isinstance(event, events.Key) and event.key in _CLOSING
        return (self._asking and not closing) or super().holds(event)

    @work(thread=True)
    def _ask(self) -> None:
        try:
            found = self._find()
        except TuiAnnotateError as error:
            self.app.call_from_thread(self._answer, self.refused, error)
        else:
            self.app.call_from_thread(self._answer, self.arrived, found)

    def _answer(self, show: Callable[..., None], what: object) -> None:
        if self.is_attached:  # it may have been closed meanwhile
            self._asking = False
            show(what)
            free(self)
