"""What is settled between the app and its terminal before Textual is imported, and around a run.

Textual reads its environment when it is imported, and draws on standard error. Neither suits a tool
that people work in for hours: variables that open files, import classes or save screens are taken
away, and standard error becomes the log, so that no library writes over the text.
"""

from __future__ import annotations

import errno
import io
import logging
import os
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.tui.theme import Look, detect

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_KEPT_VARIABLES: Final = frozenset({"TEXTUAL_COLOR_SYSTEM", "TEXTUAL_FPS"})
_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def prepare(environ: MutableMapping[str, str]) -> Look:
    """Sets what Textual will read, and says what the terminal can show."""
    look = detect(environ)
    if environ.get("NO_COLOR") == "":
        del environ["NO_COLOR"]  # set but empty means unset; Textual takes its mere presence
    for name in [
        name for name in environ if name.startswith("TEXTUAL") and name not in _KEPT_VARIABLES
    ]:
        del environ[name]
    # The protocol swallows what input methods write, in several terminals; no key here needs it.
    environ["TEXTUAL_DISABLE_KITTY_KEY"] = "1"
    environ["TEXTUAL_ANIMATIONS"] = "none"
    if look.colors:
        environ["TEXTUAL_COLOR_SYSTEM"] = look.colors
    return look


class _TerminalFile(io.FileIO):
    """What is drawn on; once the terminal is closed it takes everything, and shows nothing.

    Textual writes in a thread that dies of an error, and then waits for it without end.
    """

    def write(self, data: ReadableBuffer, /) -> int | None:  # type: ignore[override]  # None: later
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in {errno.EIO, errno.EPIPE}:
                raise
            return memoryview(data).nbytes


@contextmanager
def redirect_stderr(log: Path) -> Iterator[None]:
    """While it lasts, standard error is the log, and Textual draws where standard output goes.

    It draws in UTF-8 whatever the locale; the log is made with mode 0600.

    Raises:
        OSError: the log can not be written.
    """
    log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    handler = logging.FileHandler(log, encoding="utf-8")
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    sys.stderr.flush()
    kept, original = os.dup(2), sys.__stderr__
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
        handler.close()
