"""Driver of the terminal on Linux and macOS that survives stop signals and invalid bytes.

Textual's driver starts a second reader of the terminal after each SIGCONT, and two readers take the
keys from each other. Its reader ends at the first byte that is not UTF-8.
"""

from __future__ import annotations

import codecs
import logging
import os
import selectors
import termios
import tty
from collections.abc import Iterator

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
_PASTE_START, _PASTE_END = "\x1b[200~", "\x1b[201~"


class InputEnded(Message):
    """Message that no more keys can be read from the terminal."""


class TerminalContinued(Message):
    """Message that the process was stopped and continued, so that the screen must be repainted."""


class TerminalDriver(LinuxDriver):
    """Textual driver that reads keys in one thread and replaces invalid bytes by U+FFFD."""

    _is_suspended = False

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
        parser = XTermParser(self._debug)
        pastes = _PasteSplitter()
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(TICK):
                    data = os.read(self.fileno, READ_SIZE)
                    if not data:
                        self.send_message(InputEnded())
                        return
                    parts = pastes.split(decode(data))
                else:
                    parts = pastes.flush()
                for text, is_pasted in parts:
                    events = [Paste(text)] if is_pasted else parser.feed(text)
                    for event in events:
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)


class _PasteSplitter:
    """Separator of pasted text from keys, so that an escape code in a paste is text and no key.

    Textual's parser takes escape codes in a paste for keys, which terminals that do not filter
    pastes send.
    """

    def __init__(self) -> None:
        self._pasted: list[str] | None = None  # None: outside a paste
        self._kept = ""  # the beginning of a marker that may continue in the next read
        self._idle = 0  # calls of `flush` since something was read

    def split(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield (text, is pasted) of the input that was read; only a paste can be empty."""
        text, self._kept, self._idle = self._kept + text, "", 0
        while text:
            marker = _PASTE_START if self._pasted is None else _PASTE_END
            part, found, rest = text.partition(marker)
            if not found:
                part, self._kept = _divide_marker(text, marker)
            if self._pasted is not None:
                self._pasted.append(part)
            elif part:
                yield part, False
            if not found:
                return
            if self._pasted is not None:
                yield "".join(self._pasted), True
            self._pasted, text = ([], rest) if self._pasted is None else (None, rest)

    def flush(self) -> Iterator[tuple[str, bool]]:
        """Yield the input that waited for more characters, after a pause of one `TICK`.

        It is Esc, or a paste without end, which would otherwise take all later keys.
        """
        self._idle += 1
        if self._pasted is None and self._kept:
            yield self._kept, False
            self._kept = ""
        elif self._pasted is not None and self._idle > _PASTE_TICKS:
            yield "".join([*self._pasted, self._kept]), True
            self._pasted, self._kept = None, ""


def _divide_marker(text: str, marker: str) -> tuple[str, str]:
    """Split `text` if it ends with the beginning of `marker`; else the second part is empty."""
    for size in range(len(marker) - 1, 0, -1):
        if text.endswith(marker[:size]):
            return text[:-size], text[-size:]
    return text, ""
