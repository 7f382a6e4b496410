"""The base of our apps: no screenshot, shell, clipboard or URL, and only harmless pastes."""

from __future__ import annotations

import asyncio
import logging
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

from textual import events
from textual.app import SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.screen import Screen

from tui_annotate.domain.terminal_text import make_visible
from tui_annotate.tui.key_queue import SerialKeysApp
from tui_annotate.tui.line_input import clean_line
from tui_annotate.tui.theme import TerminalLook, themes

_log = logging.getLogger(__name__)


class RestrictedApp(SerialKeysApp):
    """An app without Textual's exports of text.

    Attributes:
        problem: the unexpected error that ended the app; empty for none.
    """

    TITLE = "tui-annotate"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q,ctrl+c", "quit", "quit", show=False, priority=True)
    ]
    ALLOW_SELECT: ClassVar[bool] = False
    ENABLE_COMMAND_PALETTE = False
    ESCAPE_TO_MINIMIZE: ClassVar[bool] = False

    def __init__(self, look: TerminalLook) -> None:
        super().__init__(ansi_color=look.native or None)  # None: as the theme says
        self.animation_level = "none"
        self.problem = ""
        for theme in themes(native=look.native):
            self.register_theme(theme)
        self.theme = look.theme

    def listen(self, leave: Callable[[], object]) -> None:
        """Call `leave` if the terminal is closed, or on SIGHUP and SIGTERM."""
        loop = asyncio.get_running_loop()
        if not self.is_headless and sys.__stdin__ is not None:
            watch(sys.__stdin__.fileno(), partial(_call_in_loop, loop, leave))
        for name in ("SIGHUP", "SIGTERM"):
            try:
                loop.add_signal_handler(getattr(signal, name), leave)
            except (AttributeError, NotImplementedError, RuntimeError, ValueError):
                return  # not on this system, or not in the main thread

    def _fatal_error(self) -> None:
        """Log an unexpected error without the values of variables, and end the app."""
        _, error, _ = sys.exc_info()
        _log.critical("the app ended: %s", type(error).__name__, exc_info=error)
        self.problem = f"{type(error).__name__}: {make_visible(str(error))[:200]}"
        self._close_messages_no_wait()

    def print_problem(self, words: str) -> None:
        """Print on standard error what ended the app, and `words` about it."""
        sys.stderr.write(
            f"tui-annotate ended by an error of its own: {self.problem}\n{make_visible(words)}\n"
        )

    async def on_event(self, event: events.Event) -> None:
        """Textual's hook: a paste is one harmless line, in Textual's own inputs too."""
        if isinstance(event, events.Paste):
            event.text = clean_line(event.text)
        if isinstance(event, events.Key | events.Paste | events.MouseDown | events.MouseScrollDown):
            self.note_activity()
        await super().on_event(event)

    def note_activity(self) -> None:
        """Called on keys, clicks and pastes."""

    def pop_screen(self) -> AwaitComplete:
        """Close the top screen, unless it is a page that still waits for its answer."""
        if getattr(self.screen, "finished", True):
            return super().pop_screen()
        return AwaitComplete()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """None: the command palette has only our actions."""
        del screen
        return ()

    def action_suspend_process(self) -> None:
        """Refused: no shell."""

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Refused: texts under annotation are not written to files."""

    def copy_to_clipboard(self, text: str) -> None:
        """Refused: texts under annotation do not go to the terminal's clipboard."""

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        """Refused."""


def _call_in_loop(loop: asyncio.AbstractEventLoop, leave: Callable[[], object]) -> None:
    with suppress(RuntimeError):  # the app has ended meanwhile
        loop.call_soon_threadsafe(leave)


def watch(number: int, gone: Callable[[], object]) -> None:
    """Call a function, in a thread, once the terminal of a file descriptor is closed.

    There is no SIGHUP if the terminal is not that of the session, and Textual then reads the end of
    its input without a pause. Does nothing on a system without `poll`.
    """
    if not hasattr(select, "poll"):
        return
    end = select.poll()
    end.register(number, 0)  # POLLHUP needs no registration

    def wait() -> None:
        if any(event & select.POLLHUP for _, event in end.poll()):
            gone()

    threading.Thread(target=wait, name="terminal", daemon=True).start()
