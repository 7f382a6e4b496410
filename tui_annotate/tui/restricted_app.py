"""What our apps share: without Textual's ways out, no screenshot, shell, clipboard or address.

A paste is one harmless line, and a page that waits for its answer is taken away by nothing else.
A closed terminal ends the app as its key does, and an error of ours in words.
"""

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
from textual.screen import Screen

from tui_annotate.domain.terminal_text import visible
from tui_annotate.tui.key_queue import SerialKeysApp
from tui_annotate.tui.line_input import clean_line
from tui_annotate.tui.theme import Look, themes

_log = logging.getLogger(__name__)


class RestrictedApp(SerialKeysApp):
    """What annotation must not have is not offered.

    Attributes:
        problem: what ended the app, where it did not end by its own will; empty otherwise.
    """

    CSS_PATH = "app.tcss"
    ALLOW_SELECT: ClassVar[bool] = False
    ENABLE_COMMAND_PALETTE = False
    ESCAPE_TO_MINIMIZE: ClassVar[bool] = False

    def __init__(self, look: Look) -> None:
        super().__init__(ansi_color=look.native or None)  # None: as the theme says
        self.animation_level = "none"
        self.problem = ""
        for theme in themes(native=look.native):
            self.register_theme(theme)
        self.theme = look.theme

    def listen(self, leave: Callable[[], object]) -> None:
        """A closed terminal and a polite kill end the app as `leave` does."""
        loop = asyncio.get_running_loop()
        if not self.is_headless and sys.__stdin__ is not None:
            watch(sys.__stdin__.fileno(), partial(_call_in_loop, loop, leave))
        for name in ("SIGHUP", "SIGTERM"):
            try:
                loop.add_signal_handler(getattr(signal, name), leave)
            except (AttributeError, NotImplementedError, RuntimeError, ValueError):
                return  # no such thing on this system, or the app runs beside the main thread

    def _fatal_error(self) -> None:
        """What nobody expected: told after the end, logged without the values of variables."""
        _, error, _ = sys.exc_info()
        _log.critical("the app ended: %s", type(error).__name__, exc_info=error)
        self.problem = f"{type(error).__name__}: {visible(str(error))[:200]}"
        self._close_messages_no_wait()

    def print_problem(self, words: str) -> None:
        """Prints on standard error what ended the app, and what that means."""
        sys.stderr.write(
            f"tui-annotate ended by an error of its own: {self.problem}\n{visible(words)}\n"
        )

    async def on_event(self, event: events.Event) -> None:
        """Textual's hook: a paste is one harmless line, in Textual's own inputs too."""
        if isinstance(event, events.Paste):
            event.text = clean_line(event.text)
        if isinstance(event, events.Key | events.Paste | events.MouseDown | events.MouseScrollDown):
            self.note_activity()
        await super().on_event(event)

    def note_activity(self) -> None:
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


def _call_in_loop(loop: asyncio.AbstractEventLoop, leave: Callable[[], object]) -> None:
    """From another thread; where the app ended meanwhile there is nobody to tell."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(leave)


def watch(number: int, gone: Callable[[], object]) -> None:
    """Calls a function, in a thread of its own, once the terminal behind a file is closed.

    The signal that should say so does not come where the terminal is not that of the session, and
    Textual then reads the end of its input without a pause. Nothing is done where a system has no
    poll; an idle watch costs nothing.
    """
    if not hasattr(select, "poll"):
        return
    end = select.poll()
    end.register(number, 0)  # being closed is told without being asked for

    def wait() -> None:
        if any(told & select.POLLHUP for _, told in end.poll()):
            gone()

    threading.Thread(target=wait, name="terminal", daemon=True).start()
