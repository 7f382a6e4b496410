"""An app without Textual's ways out: no screenshot, no shell, no clipboard, no address is opened.

A paste is one harmless line, and a page that waits for its answer is taken away by nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.await_complete import AwaitComplete
from textual.screen import Screen

from tui_annotate.tui.line_input import typed


class ClosedApp(App[None]):
    """What annotation must not have is not offered."""

    ALLOW_SELECT: ClassVar[bool] = False
    ENABLE_COMMAND_PALETTE = False
    ESCAPE_TO_MINIMIZE: ClassVar[bool] = False

    async def on_event(self, event: events.Event) -> None:
        """Textual's hook: a paste is one harmless line, in Textual's own inputs too."""
        if isinstance(event, events.Paste):
            event.text = typed(event.text)
        if isinstance(event, events.Key | events.Paste | events.MouseDown | events.MouseScrollDown):
            self.touched()
        await super().on_event(event)

    def touched(self) -> None:
        """Somebody is there: a key, a click, a paste."""

    def pop_screen(self) -> AwaitComplete:
        """A page goes when it is answered; what closes itself under it takes nothing away."""
        if getattr(self.screen, "finished", True):
            return super().pop_screen()
        return AwaitComplete()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """None: the palette lists actions of annotators alone."""
        del screen
        return ()

    def action_suspend_process(self) -> None:
        """Refused: no shell behind the screen."""

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Refused: texts under annotation are not written to files."""

    def copy_to_clipboard(self, text: str) -> None:
        """Refused: texts under annotation do not go to the terminal's clipboard."""

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        """Refused."""
