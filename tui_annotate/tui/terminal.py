"""Prepares the environment variables and standard error of the process for Textual.

Textual reads environment variables when it is imported. Variables that open files, import classes
or save screens are removed. Standard error is redirected to the log while the app runs, so that no
library writes over the screen.
"""

from __future__ import annotations

import errno
import io
import logging
import os
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.terminal_text import make_visible
from tui_annotate.tui.theme import TerminalLook, detect

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_KEPT_VARIABLES: Final = frozenset({"TEXTUAL_COLOR_SYSTEM", "TEXTUAL_FPS"})
_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def prepare(environ: MutableMapping[str, str]) -> TerminalLook:
    """Set the environment variables for Textual; return the theme and colours for the terminal."""
    look = detect(environ)
    if environ.get("NO_COLOR") == "":
        del environ["NO_COLOR"]  # empty means unset, but not for Textual
    for name in list(environ):
        if name.startswith("TEXTUAL") and name not in _KEPT_VARIABLES:
            del environ[name]
    # In several terminals the protocol swallows text of input methods; no key here needs it.
    environ["TEXTUAL_DISABLE_KITTY_KEY"] = "1"
    environ["TEXTUAL_ANIMATIONS"] = "none"
    environ["RUST_LOG_STYLE"] = "never"  # no colours in LanceDB's messages, which go to the log
    if look.colors:
        environ["TEXTUAL_COLOR_SYSTEM"] = look.colors
    return look


_MULTIPLEXER_VARIABLES: Final = ("TMUX", "STY", "ZELLIJ")
_MULTIPLEXER_TERMS: Final = ("tmux", "screen")
_MULTIPLEXERS: Final = frozenset(
    {"tmux: server", "tmux", "tmate", "screen", "mosh-server", "zellij", "dtach", "abduco"}
)
_LINES_TO_TERMINALS: Final = frozenset({"sshd", "sshd-session", "dropbear", "SessionLeader"})
"""Programs behind which the user's terminal is: servers of SSH, and WSL."""


def is_multiplexed(environ: Mapping[str, str], processes: Path = Path("/proc")) -> bool:
    """Return whether a multiplexer such as tmux may answer the app in place of the user's terminal.

    `sudo -i` and mosh leave no trace in the environment, so the ancestors of the process are looked
    up too. Ancestors that cannot be read, as those outside a container, may be a multiplexer.
    """
    if any(environ.get(name) for name in _MULTIPLEXER_VARIABLES):
        return True
    if environ.get("TERM", "").startswith(_MULTIPLEXER_TERMS):
        return True
    if not processes.is_dir():
        return False  # macOS and Windows
    try:
        return _may_have_multiplexer(processes)
    except (OSError, IndexError):
        return True


def _may_have_multiplexer(processes: Path) -> bool:
    """Look for the nearest ancestor that decides; `script` and `sudo` do not."""
    process = str(os.getpid())
    oldest = ""
    while process != "0":
        stat = (processes / process / "stat").read_text("utf-8", "replace")
        start, _, values = stat.rpartition(")")
        name = start.partition("(")[2]
        if name in _MULTIPLEXERS:
            return True
        if name in _LINES_TO_TERMINALS:
            return False
        oldest = process
        process = values.split()[1]
    # Only outside containers do the ancestors end at process 1, and is 2 a thread of the kernel.
    return oldest != "1" or (processes / "2" / "comm").read_text("utf-8").strip() != "kthreadd"


class _TerminalFile(io.FileIO):
    """The file on which Textual draws; writes after the terminal is closed are ignored.

    Textual writes in a thread. An error would end that thread, and Textual would wait for the
    thread forever.
    """

    def write(self, data: ReadableBuffer, /) -> int | None:  # type: ignore[override]  # None: later
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in {errno.EIO, errno.EPIPE}:
                raise
            return memoryview(data).nbytes


class _LogFormatter(logging.Formatter):
    """Formatter that replaces control characters, so that `cat` of the log is harmless."""

    def format(self, record: logging.LogRecord) -> str:
        return make_visible(super().format(record))


def find_usable_log(log: Path) -> Path:
    """Return a log that can be written: the given file, a temporary file, or the null device."""
    with suppress(OSError):
        os.close(_open_log(log))
        return log
    from tempfile import mkstemp

    with suppress(OSError):
        handle, name = mkstemp(prefix="tui-annotate-", suffix=".log")
        os.close(handle)
        return Path(name)
    return Path(os.devnull)


def _open_log(log: Path) -> int:
    """Open a log for appending; create it with mode 0600."""
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


@contextmanager
def redirect_stderr(log: Path) -> Iterator[None]:
    """Write standard error into the log (mode 0600) while Textual draws on standard output.

    Textual draws in UTF-8 with any locale.

    Raises:
        OSError: the log cannot be written.
    """
    target = _open_log(log)
    handler = logging.FileHandler(log, encoding="utf-8")
    handler.setFormatter(_LogFormatter(_FORMAT))
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    sys.stderr.flush()
    kept = os.dup(2)
    original = sys.__stderr__
    os.dup2(target, 2)
    try:
        surface = io.BufferedWriter(_TerminalFile(os.dup(1), "w"))
        with io.TextIOWrapper(surface, encoding="utf-8") as terminal:
            sys.__stderr__ = terminal  # type: ignore[misc]  # Textual's driver takes its file here
            yield
    finally:
        sys.__stderr__ = original  # type: ignore[misc]
        os.dup2(kept, 2)
        os.close(kept)
        os.close(target)
        root.removeHandler(handler)
        root.setLevel(before)
        with suppress(OSError):  # a full disk, on which the last records are lost
            handler.close()
