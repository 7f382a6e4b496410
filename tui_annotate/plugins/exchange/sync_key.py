"""Where a shared table is, and its key: read from the environment when needed, kept nowhere."""

from __future__ import annotations

import os
from typing import Final

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.visible import visible_line

URL, KEY, FOLDER = "TUI_ANNOTATE_SYNC_URL", "TUI_ANNOTATE_SYNC_KEY", "TUI_ANNOTATE_SYNC_DIR"
_PART: Final = 6
"""Signs of a key in a row that are too many to be told."""
_LONGEST: Final = 300


def address() -> str:
    """The address of the environment; empty without one."""
    return os.environ.get(URL, "").strip()


def folder() -> str:
    """The shared folder of the environment; empty without one."""
    return os.environ.get(FOLDER, "").strip()


def key() -> str:
    """The key of the environment.

    Raises:
        InvalidInput: there is none.
        Unavailable: it holds signs that no key has, and that would break a request.
    """
    found = os.environ.get(KEY, "").strip()
    if not found:
        raise InvalidInput("the table has a key, and none is given", f"set {KEY}")
    if not found.isascii() or not found.isprintable() or " " in found:
        raise Unavailable(f"{KEY} holds something that is no key", "set it anew")
    return found


def harmless(told: str) -> str:
    """A stranger's words on one line, short, fit for a terminal, and without any of the key."""
    own = os.environ.get(KEY, "").strip()
    parts = {own[at : at + _PART] for at in range(max(len(own) - _PART + 1, 1))} - {""}
    words = told[: 20 * _LONGEST].split()
    line = " ".join("[key]" if any(part in word for part in parts) else word for word in words)
    shown = visible_line(line)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
