"""The key of an endpoint: read from the environment when it is needed, and kept nowhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

from tui_annotate.domain.errors import Unavailable

KEYS: Final = ("TUI_ANNOTATE_API_KEY", "OPENAI_API_KEY")
"""The variables that may hold the key, in the order of looking."""

_PART: Final = 6
"""Characters of a key in a row that must not be shown; endpoints quote its ends."""
_LIKE_A_KEY: Final = re.compile(r"\bsk-[\w*.-]+")


def key() -> str:
    """The key of the environment; empty without one.

    Raises:
        Unavailable: it holds signs that no key has, and that would break a request.
    """
    return next(filter(None, map(read_key, KEYS)), "")


def read_key(name: str) -> str:
    """The key in a variable of the environment; else as `key`."""
    found = os.environ.get(name, "").strip()
    if not found.isascii() or (found and not found.isprintable()) or " " in found:
        raise Unavailable(f"{name} holds something that is no key", "set it anew")
    return found


def authorization_header() -> dict[str, str]:
    """The header that carries the key; none without one."""
    return {"Authorization": f"Bearer {found}"} if (found := key()) else {}


def redact_key(text: str) -> str:
    """Words without those that hold a part of the key, or of another that looks like one."""
    return _LIKE_A_KEY.sub("[key]", redact_words(text, KEYS))


def redact_words(text: str, names: Iterable[str]) -> str:
    """Words without those that hold a part of a key in these variables of the environment."""
    keys = [os.environ.get(name, "").strip() for name in names]
    parts = {own[at : at + _PART] for own in keys for at in range(max(len(own) - _PART + 1, 1))}
    parts.discard("")
    words = text.split()
    return " ".join("[key]" if any(part in word for part in parts) else word for word in words)
