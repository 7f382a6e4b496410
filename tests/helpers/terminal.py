"""A real terminal for tests and benchmarks: a pty, a screen that understands what it gets, a clock.

It waits for what the program shows, never for time to pass.
"""

from __future__ import annotations

import os
import re
import selectors
import signal
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte
from ptyprocess import PtyProcess

ROOT = Path(__file__).parents[2]
_COLOURS = re.compile(rb"\x1b\[[\d;:]*m")
READ_SIZE = 1 << 16
PATIENCE = 60.0  # seconds; far more than anything needs, so that a busy machine changes nothing

_FRAME_QUERY, _FRAME_ANSWER = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
_REPORT_QUERY = re.compile(rb"\x1b\[(\d+);(\d+)H\x1b\[6n")
_LONGEST_QUERY = 16  # bytes
_FRAME_START, _FRAME_END = b"\x1b[?2026h", b"\x1b[?2026l"
"""Synchronized output: the terminal says that it knows it, then each frame comes in brackets."""


class Terminal:
    """A program in a pty of its own, and what it has drawn so far.

    The screen never shows a part of a frame, so all that one frame draws is there at once.

    Attributes:
        columns, rows: in cells.
        raw: every byte that came from the program.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        folder: Path | None = None,
        columns: int = 120,
        rows: int = 40,
    ) -> None:
        self.columns, self.rows = columns, rows
        self.raw = bytearray()
        self._answered = 0  # index in `raw` behind the last query that was answered
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._fed = 0
        self._drawn: list[str] = []
        self._process = PtyProcess.spawn(
            list(command),
            cwd=str(folder or ROOT),
            env=environment() | dict(env or {}),
            dimensions=(rows, columns),
        )

    @property
    def pid(self) -> int:
        """The process's id."""
        return int(self._process.pid)

    @property
    def lines(self) -> list[str]:
        """The rows of the screen as text; a wide character is followed by an empty cell."""
        complete = self._end_of_frames()
        self._stream.feed(_understood(bytes(self.raw[self._fed : complete])))
        self._fed = complete
        self._drawn += [""] * (self.rows - len(self._drawn))
        for row in self._screen.dirty & set(
            range(self.rows)
        ):  # few, mostly; pyte's own way would do all anew
            line = self._screen.buffer[row]
            self._drawn[row] = "".join(line[column].data for column in range(self.columns))
        self._screen.dirty.clear()
        return self._drawn[: self.rows]

    def _end_of_frames(self) -> int:
        """The index in `raw` behind all complete frames; the rest of an open one is yet to come."""
        start = self.raw.rfind(_FRAME_START, self._fed)
        return start if start > self.raw.rfind(_FRAME_END, self._fed) else len(self.raw)

    @property
    def text(self) -> str:
        """The whole screen."""
        return "\n".join(self.lines)

    def press(self, keys: str | bytes) -> None:
        """Sends bytes as a keyboard would."""
        self._process.write(keys.encode() if isinstance(keys, str) else keys)

    def read(self, timeout: float = 0.0) -> bytes:
        """What arrives within a time, in seconds; empty where nothing does or the program ended."""
        new = self.receive(timeout)
        self.raw += new
        self._answer_queries()
        return new

    def receive(self, timeout: float) -> bytes:
        """What the program has written, as `read`, but neither drawn nor answered."""
        if not readable(self._process.fd, timeout):
            return b""
        try:
            return os.read(self._process.fd, READ_SIZE)
        except OSError:
            return b""

    def _answer_queries(self) -> None:
        """Answers as a terminal does: that it knows frames, and where the cursor is."""
        before = max(self._answered, len(self.raw) - READ_SIZE - _LONGEST_QUERY)
        answers = b""
        if (found := self.raw.find(_FRAME_QUERY, before)) >= 0:
            answers += _FRAME_ANSWER
            self._answered = found + len(_FRAME_QUERY)
        for query in _REPORT_QUERY.finditer(self.raw, before):
            answers += b"\x1b[%b;%bR" % query.groups()
            self._answered = max(self._answered, query.end())
        if answers:
            with suppress(OSError):  # it ended meanwhile
                self.press(answers)

    def wait(self, until: str | Callable[[str], bool], *, patience: float = PATIENCE) -> str:
        """Reads until the screen shows a text, or fulfils a condition; gives the screen.

        Raises:
            AssertionError: it did not in time, or the program ended; with the screen as it was.
        """
        condition = until if callable(until) else lambda screen: until in screen
        deadline = time.monotonic() + patience
        while not condition(self.text):
            self._read_more(until, deadline)
            while self.read():  # all that is there at once: looking at the screen is the slow part
                pass
        return self.text

    def wait_bytes(self, wanted: bytes, *, patience: float = PATIENCE) -> None:
        """Reads until the program has written some bytes; cheaper than a screen.

        Raises:
            AssertionError: it did not in time, or the program ended.
        """
        deadline = time.monotonic() + patience
        while wanted not in self.raw:
            self._read_more(wanted, deadline)

    def read_for(self, seconds: float) -> None:
        """Read for a time: when a person has seen a frame is a matter of time alone."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.read(min(left, 0.02))

    def _read_more(self, wanted: object, deadline: float) -> None:
        was_alive = self.alive  # asked first: its last words may come while it is being read
        if time.monotonic() > deadline or not (self.read(0.2) or was_alive):
            raise AssertionError(f"waited in vain for {wanted!r}:\n{self.text}")

    def resize(self, columns: int, rows: int) -> None:
        """Gives the terminal another size."""
        self.columns, self.rows = columns, rows
        self._screen.resize(rows, columns)
        self._process.setwinsize(rows, columns)

    @property
    def alive(self) -> bool:
        """Whether the program still runs."""
        return bool(self._process.isalive())

    def set_line_mode(self) -> None:
        """Gives the terminal the mode in which a shell leaves it: lines, echo, signals."""
        mode = termios.tcgetattr(self._process.fd)
        mode[3] |= termios.ISIG | termios.ICANON | termios.ECHO
        termios.tcsetattr(self._process.fd, termios.TCSANOW, mode)

    @property
    def is_raw(self) -> bool:
        """Whether keys reach the program as they are, none of them a signal."""
        return not termios.tcgetattr(self._process.fd)[3] & termios.ISIG

    def cpu(self) -> float:
        """Seconds of processor time that the process used so far, children left out (Linux)."""
        return time.clock_gettime(~self.pid << 3 | 2)  # clock_getcpuclockid(3) of that process

    def kill(self) -> None:
        """SIGKILL: the process gets no chance to tidy up."""
        if self.alive:
            os.kill(self.pid, signal.SIGKILL)
        self._process.wait()

    def end(self, *, patience: float = PATIENCE) -> int:
        """Waits until the program ends by itself, and gives its exit code.

        Raises:
            AssertionError: it still runs.
        """
        deadline = time.monotonic() + patience
        while self.alive:
            self.read(0.1)
            if time.monotonic() > deadline:
                raise AssertionError(f"still running:\n{self.text}")
        while self.read():
            pass
        return int(self._process.exitstatus or 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()
        self._process.close(force=True)


def readable(file: int, timeout: float) -> bool:
    """Whether a file of any number can be read within some seconds, or has come to its end."""
    with selectors.DefaultSelector() as selector:
        selector.register(file, selectors.EVENT_READ)
        return bool(selector.select(timeout))


def program(*arguments: str) -> list[str]:
    """The command line of tui-annotate with this interpreter; see `seen_frames` for its screens."""
    has_samples = arguments[:1] in {("annotate",), ("review",)} or "--demo" in arguments
    module = "tests.helpers.seen_frames" if has_samples else "tui_annotate"
    return [sys.executable, "-m", module, *arguments]


def environment() -> dict[str, str]:
    """A terminal's usual environment: 256 colours, UTF-8, nothing that the caller's terminal set.

    The files that the test's fixture names for settings and memory stay.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in {"TUI_ANNOTATE_CONFIG", "TUI_ANNOTATE_EMBEDDER", "TUI_ANNOTATE_STATE"}
        or not name.startswith(("TEXTUAL", "TUI_ANNOTATE"))
    }
    for name in ("COLORTERM", "NO_COLOR", "COLUMNS", "LINES", "TMUX", "STY", "ZELLIJ"):
        kept.pop(name, None)
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    return kept | {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONPATH": path}


def _understood(data: bytes) -> bytes:
    """The bytes without the queries whose private parameters pyte would print as text.

    Nor with colours, which are most of what is sent, and nothing here looks at.
    """
    for query in (b"\x1b[>1u", b"\x1b[<u", b"\x1b[?u", b"\x1b[>q", b"\x1b[14t", b"\x1b[18t"):
        data = data.replace(query, b"")
    return _COLOURS.sub(b"", data)
