"""Driver of the terminal on Linux and macOS that survives stop signals and invalid bytes.

Textual's driver starts a second reader of the terminal after each SIGCONT, and two readers take the
keys from each other. Its reader ends at the first byte that is not UTF-8. It takes an escape
sequence that arrives in two parts for keys, and digits save annotations.
"""

from __future__ import annotations

import codecs
import logging
import os
import re
import selectors
import termios
import tty
from collections.abc import Generator, Iterator

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Paste
from textual.message import Message

_log = logging.getLogger(__name__)

READ_SIZE = 4096  # bytes
TICK = 0.05
"""Seconds without input until a lone Esc goes to Textual, and between checks for the app's end."""


_PASTE_TICKS = 200
"""Number of waits (each `TICK` seconds) without input after which a paste has ended.

A slow connection may pause.
"""
_PASTE_START = "\x1b[200~"
_PASTE_END = "\x1b[201~"

_SEQUENCE_TICKS = 20
"""Number of waits without input after which the rest of an escape sequence is not expected."""

_MARKER = re.compile(r"\x1b\[(?:200~|(\d+);(\d+)R)")
"""The start of a paste, or a report of the cursor's row and column."""

_INCOMPLETE = re.compile(r"\x1b(?:\[[\d;:<=>?]*)?\Z")
_LATE_REPORT = re.compile(r"\[\d+;(\d+)R")
"""A report whose Esc character was already passed on, because the rest of it came late."""

_REPORT_ROW = 2  # a report of the first row would be the same sequence as F3 with Shift
_REPORT_COLUMNS = 20  # fewer than the smallest window on which work is stored


class InputEnded(Message):
    """Message that no more keys can be read from the terminal."""


class TerminalContinued(Message):
    """Message that the process was stopped and continued, so that the screen must be repainted."""


class FrameReported(Message):
    """Message that the terminal has received all that was written before a request for a report."""

    def __init__(self, column: int) -> None:
        super().__init__()
        self._column = column

    def answers(self, number: int) -> bool:
        """Return whether this is the report for the request with a number."""
        return self._column == _report_column(number)


def _report_column(number: int) -> int:
    return _REPORT_ROW + number % _REPORT_COLUMNS


class TerminalDriver(LinuxDriver):
    """Textual driver that reads keys in one thread and replaces invalid bytes by U+FFFD."""

    _is_suspended = False

    def request_report(self, number: int) -> None:
        """Ask the terminal to report that it has received all that was written so far.

        The report is the position of the cursor, which is moved for it: the column names the
        request that is answered. The cursor is hidden, and moved back.
        """
        self.write(f"\x1b7\x1b[{_REPORT_ROW};{_report_column(number)}H\x1b[6n\x1b8")

    def _sigtstp_application(self, *arguments: object) -> None:
        self._is_suspended = True
        super()._sigtstp_application(*arguments)

    def _sigcont_application(self, *arguments: object) -> None:
        # Nothing was suspended before a SIGSTOP, as no process can catch that signal.
        if self._is_reading():
            # A write here could wait for a lock that the interrupted code holds.
            self._loop.call_soon_threadsafe(self._continue)
        elif self._is_suspended:  # and not ended
            super()._sigcont_application(*arguments)

    def start_application_mode(self) -> None:
        """Override Textual's hook: a start that fails in the background is repeated later."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._is_suspended = self._is_suspended and not self._is_reading()

    def _is_reading(self) -> bool:
        thread = self._key_thread
        return thread is not None and thread.is_alive() and not self.exit_event.is_set()

    def _continue(self) -> None:
        """Restore the terminal's modes after a stop, and ask for a repaint."""
        if self._is_reading() and self._is_in_foreground():
            self._restore_modes()
            self.send_message(TerminalContinued())

    def _is_in_foreground(self) -> bool:
        try:
            return os.tcgetpgrp(self.fileno) == os.getpgrp()
        except OSError:
            return False

    def _restore_modes(self) -> None:
        """Set the terminal's modes again, which a shell may have changed during the stop."""
        try:
            mode = termios.tcgetattr(self.fileno)
            mode[tty.LFLAG] = self._patch_lflag(mode[tty.LFLAG])
            mode[tty.IFLAG] = self._patch_iflag(mode[tty.IFLAG])
            termios.tcsetattr(self.fileno, termios.TCSANOW, mode)
        except termios.error:
            return
        self.write("\x1b[?1049h\x1b[?25l\x1b[?1004h")  # other screen, no cursor, focus events
        self._enable_mouse_support()
        self._enable_bracketed_paste()
        self._disable_line_wrap()

    def run_input_thread(self) -> None:
        """Override Textual's hook: read keys until the app or the input ends."""
        try:
            self._read_keys()
        except Exception as error:  # noqa: BLE001  the app must not go on without keys
            _log.critical("keys cannot be read from the terminal", exc_info=error)
            self.send_message(InputEnded())

    def _read_keys(self) -> None:
        """Read input until the app or the input ends, and post its events."""
        parser = XTermParser(self._debug)
        splitter = _InputSplitter()
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(TICK):
                    data = os.read(self.fileno, READ_SIZE)
                    if not data:
                        self.send_message(InputEnded())
                        return
                    parts = splitter.split(decode(data))
                else:
                    parts = splitter.flush()
                for part in parts:
                    events = parser.feed(part) if isinstance(part, str) else [part]
                    for event in events:
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)


class _InputSplitter:
    """Separator of pasted text and the terminal's reports from keys.

    Textual's parser takes escape codes in a paste for keys, which terminals that do not filter
    pastes send. It also takes the parts of an escape sequence that arrives slowly for keys.
    """

    def __init__(self) -> None:
        self._pasted: list[str] | None = None  # None: outside a paste
        self._kept = ""  # the beginning of a sequence that may continue in the next read
        self._idle = 0  # calls of `flush` since something was read
        self._passed_escape = False  # whether `flush` passed on an Esc after the last read

    def split(self, text: str) -> Iterator[str | Paste | FrameReported]:
        """Yield the input that was read: keys, pastes and reports; only a paste can be empty."""
        if self._passed_escape and (late := _LATE_REPORT.match(text)):
            yield FrameReported(int(late[1]))
            text = text[late.end() :]
        text = self._kept + text
        self._kept = ""
        self._idle = 0
        self._passed_escape = False
        while text:
            if self._pasted is not None:
                text = yield from self._split_paste(text, self._pasted)
                continue
            found = _MARKER.search(text)
            if found is None:
                if rest := _INCOMPLETE.search(text):
                    text = text[: rest.start()]
                    self._kept = rest[0]
                if text:
                    yield text
                return
            is_report = found[1] is not None and int(found[1]) >= _REPORT_ROW
            is_key = found[1] is not None and not is_report
            keys = text[: found.end() if is_key else found.start()]
            if keys:
                yield keys
            if is_report:
                yield FrameReported(int(found[2]))
            elif not is_key:
                self._pasted = []
            text = text[found.end() :]

    def _split_paste(self, text: str, pasted: list[str]) -> Generator[Paste, None, str]:
        """Yield the paste if it ends in `text`; return the text after the paste."""
        part, found, rest = text.partition(_PASTE_END)
        if not found:
            part, self._kept = _divide_marker(text, _PASTE_END)
        pasted.append(part)
        if found:
            yield Paste("".join(pasted))
            self._pasted = None
        return rest

    def flush(self) -> Iterator[str | Paste]:
        """Yield the input that waited for more characters, after a pause of one `TICK`.

        It is Esc, or a paste without end, which would otherwise take all later keys. The beginning
        of an escape sequence waits longer, and is dropped then, as its characters are no keys.
        """
        self._idle += 1
        if self._pasted is not None:
            if self._idle > _PASTE_TICKS:
                yield Paste("".join([*self._pasted, self._kept]))
                self._pasted = None
                self._kept = ""
        elif self._kept == "\x1b":
            self._kept = ""
            self._passed_escape = True
            yield "\x1b"
        elif self._kept and self._idle > _SEQUENCE_TICKS:
            self._kept = ""


def _divide_marker(text: str, marker: str) -> tuple[str, str]:
    """Split `text` if it ends with the beginning of `marker`; else the second part is empty."""
    for size in range(len(marker) - 1, 0, -1):
        if text.endswith(marker[:size]):
            return text[:-size], text[-size:]
    return text, ""
