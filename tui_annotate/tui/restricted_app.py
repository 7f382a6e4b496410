"""Base class of the apps: disables screenshots, shell, clipboard and URLs, and cleans pastes."""

from __future__ import annotations

import asyncio
import logging
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import events
from textual.app import SystemCommand
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import Screen

from tui_annotate.domain.errors import error_message
from tui_annotate.domain.terminal_text import make_visible
from tui_annotate.editor.screen_message import screen_text
from tui_annotate.tui.key_queue import SerialKeysApp
from tui_annotate.tui.line_input import clean_line
from tui_annotate.tui.theme import TerminalLook, themes
from tui_annotate.tui.workspace_texts import WorkspaceText

if TYPE_CHECKING:
    from tui_annotate.tui.terminal_driver import FrameReported

_log = logging.getLogger(__name__)


LONGEST_PASTE: Final = 20_000
"""Maximum length of a paste in code points: with more, each later key press would wait."""


_REPORT_PATIENCE: Final = 3.0
"""Seconds after which a report is requested again; a connection may have lost it."""


@dataclass(frozen=True, slots=True)
class _ReportRequest:
    is_drawn: Callable[[], bool]
    reported: Callable[[float], None]


class RestrictedApp(SerialKeysApp):
    """Textual app without the features that export text, such as screenshots and the clipboard."""

    TITLE = "tui-annotate"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q,ctrl+c", "quit", "quit", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", "suspend", show=False, priority=True),
    ]
    ALLOW_SELECT: ClassVar[bool] = False
    ENABLE_COMMAND_PALETTE = False
    ESCAPE_TO_MINIMIZE: ClassVar[bool] = False

    def __init__(self, look: TerminalLook) -> None:
        super().__init__(ansi_color=look.native or None)  # None: the theme decides
        self.animation_level = "none"
        self.problem = ""
        self.input_ended = False
        self._leave: Callable[[], object] = self.exit
        self._report_request: _ReportRequest | None = None  # not yet sent
        self._awaited_report: Callable[[float], None] | None = None
        self._report_number = 0
        self._is_reporting = False  # whether the terminal has ever sent a report
        self._may_suspend = has_job_control()  # before the driver sets its own signal handlers
        for theme in themes(native=look.native):
            self.register_theme(theme)
        self.theme = look.theme

    def get_driver_class(self) -> type[Driver]:
        """Override Textual's hook: use our driver of the terminal, except on Windows."""
        if sys.platform == "win32":
            return super().get_driver_class()
        from tui_annotate.tui.terminal_driver import TerminalDriver

        return TerminalDriver

    def on_terminal_continued(self) -> None:
        """Paint the screen again after the process was continued."""
        self.refresh()

    def report_frame(self, is_drawn: Callable[[], bool], reported: Callable[[float], None]) -> None:
        """Call `reported` with the time at which the terminal had received a frame.

        The frame is the first one that is written while `is_drawn` holds. A terminal that sends no
        reports never calls `reported`; a headless app has no terminal to wait for. A terminal that
        has sent a report before is asked again until it answers.
        """
        if self.is_headless:
            reported(events.Event().time)
            return
        self._report_request = _ReportRequest(is_drawn, reported)
        self.screen.call_after_refresh(self._send_report_request)  # if no frame was necessary

    def _end_update(self) -> None:
        """Override Textual's hook: ask for the report within the frame, before its end."""
        self._send_report_request()
        super()._end_update()

    def _send_report_request(self) -> None:
        """Ask the terminal for a report, once the requested frame is drawn."""
        ask = getattr(self._driver, "request_report", None)  # Windows has another driver
        request = self._report_request
        if ask and request and request.is_drawn():
            self._report_request = None
            self._awaited_report = request.reported
            self._report_number += 1
            ask(self._report_number)
            self.set_timer(_REPORT_PATIENCE, partial(self._repeat_request, self._report_number))

    def _repeat_request(self, number: int) -> None:
        """Send a request again that has no answer yet; an answer to either is the report."""
        ask = getattr(self._driver, "request_report", None)
        if ask and self._is_reporting and self._awaited_report and number == self._report_number:
            ask(number)
            self.set_timer(_REPORT_PATIENCE, partial(self._repeat_request, number))

    def on_frame_reported(self, message: FrameReported) -> None:
        """Pass the time of a report on, if it answers the last request."""
        message.stop()
        self._is_reporting = True
        reported = self._awaited_report
        if reported and message.answers(self._report_number):
            self._awaited_report = None
            reported(message.time)

    def listen(self, leave: Callable[[], object]) -> None:
        """Call `leave` when the terminal's input ends, and on SIGHUP and SIGTERM."""
        loop = asyncio.get_running_loop()
        self._leave = leave
        if not self.is_headless and sys.__stdin__ is not None:
            watch(sys.__stdin__.fileno(), partial(_call_in_loop, loop, self.on_input_ended))
        for name in ("SIGHUP", "SIGTERM"):
            try:
                loop.add_signal_handler(getattr(signal, name), leave)
            except (AttributeError, NotImplementedError, RuntimeError, ValueError):
                return  # not on this system, or not in the main thread

    def on_input_ended(self) -> None:
        """End the app, because no more keys can be read."""
        if not self.input_ended:
            self.input_ended = True
            self._leave()

    def _fatal_error(self) -> None:
        """Override Textual's hook: log the error, and end without its traceback."""
        _, error, _ = sys.exc_info()
        _log.critical("the app ended: %s", type(error).__name__, exc_info=error)
        message = make_visible(error_message(error)) if error else ""
        self.problem = f"{type(error).__name__}: {message[:200]}"
        self._close_messages_no_wait()

    def print_input_ended(self, words: str) -> None:
        """Print a text to standard error after the terminal was closed."""
        with suppress(OSError):  # the terminal may be closed
            sys.stderr.write(f"{words}\n")

    def print_problem(self, words: str) -> None:
        """Print the error that ended the app to standard error, and then a text."""
        # The program's name begins no command here.
        message = screen_text(WorkspaceText.INTERNAL_ERROR.value, error=self.problem)
        sys.stderr.write(f"{message}\n{make_visible(words)}\n")

    async def on_event(self, event: events.Event) -> None:
        """Override Textual's hook: clean pasted text, and record that the user is active."""
        if isinstance(event, events.Paste):
            if len(event.text) > LONGEST_PASTE:
                self.notify(
                    WorkspaceText.PASTE_TOO_LONG.text(count=len(event.text), most=LONGEST_PASTE),
                    severity="warning",
                )
                return
            event.text = clean_line(event.text)
        if isinstance(event, events.Key | events.Paste | events.MouseDown | events.MouseScrollDown):
            self.note_activity()
        await super().on_event(event)

    def note_activity(self) -> None:
        """Record that the user pressed a key, clicked or pasted; subclasses override this."""

    def pop_screen(self) -> AwaitComplete:
        """Close the top screen, unless it is a form that still waits for an answer."""
        if getattr(self.screen, "finished", True):
            return super().pop_screen()
        return AwaitComplete()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Return no commands, so that the palette lists only the actions of tui-annotate."""
        del screen
        return ()

    def action_suspend_process(self) -> None:
        """Return to the shell that started the app (ctrl+z), or show that there is none.

        Keys that were typed for the shell, such as `fg`, are dropped. The dialog takes them if the
        app goes on.
        """
        if self.is_headless or not self._may_suspend:
            from tui_annotate.tui.dialogs.message import MessageDialog

            if not isinstance(self.screen, MessageDialog):
                page = (WorkspaceText.NOT_SUSPENDED.text(), WorkspaceText.NO_SHELL.text())
                self.push_screen(MessageDialog([page]))
            return
        os.killpg(os.getpgrp(), signal.SIGTSTP)  # like a terminal: the shell may wait for a parent
        self.forget_keys(events.Event().time, but_text=False)
        self.refresh(layout=True)

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        """Do nothing, because texts under annotation are not written to files."""

    def copy_to_clipboard(self, text: str) -> None:
        """Do nothing, because texts under annotation do not go to the terminal's clipboard."""

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        """Do nothing, because the app opens no URLs."""


def has_job_control() -> bool:
    """Return whether a shell runs in this terminal that can continue a suspended process.

    Without one, a suspended process would keep the terminal forever. An SSH session ignores the
    signal, because it must not lead to a shell.
    """
    try:
        is_ignored = signal.getsignal(signal.SIGTSTP) is signal.SIG_IGN
        # Only a shell with job control puts a command in a process group of its own.
        return not is_ignored and os.getpgrp() != os.getsid(0)
    except (AttributeError, OSError):  # not on Windows
        return False


def _call_in_loop(loop: asyncio.AbstractEventLoop, leave: Callable[[], object]) -> None:
    with suppress(RuntimeError):  # the app has ended meanwhile
        loop.call_soon_threadsafe(leave)


def watch(number: int, gone: Callable[[], object]) -> None:
    """Call a function in a thread once the terminal of a file descriptor is closed.

    A terminal that is not the session's terminal sends no SIGHUP, and Textual would then read the
    end of its input in an endless loop. On a system without `poll`, this function does nothing.
    """
    if not hasattr(select, "poll"):
        return
    end = select.poll()
    end.register(number, 0)  # POLLHUP needs no registration

    def wait() -> None:
        if any(event & select.POLLHUP for _, event in end.poll()):
            gone()

    threading.Thread(target=wait, name="terminal", daemon=True).start()
