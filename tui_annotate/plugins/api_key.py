"""The key of an endpoint: read from the environment when it is needed, and kept nowhere."""

from __future__ import annotations

import os
import re
from typing import Final

from tui_annotate.domain.errors import Unavailable

KEYS: Final = ("TUI_ANNOTATE_API_KEY", "OPENAI_API_KEY")
"""The variables that may hold the key, in the order of looking."""

_PART: Final = 6
"""Signs of a key in a row that are too many to be told; endpoints quote its ends."""
_LIKE_A_KEY: Final = re.compile(r"\bsk-[\w*.-]+")


def key() -> str:
    """The key of the environment; empty without one.

    Raises:
        Unavailable: it holds signs that no key has, and that would break a request.
    """
    for name in KEYS:
        if found := os.environ.get(name, "").strip():
            if not found.isascii() or not found.isprintable() or " " in found:
                raise Unavailable(f"{name} holds something that is no key", "set it anew")
            return found
    return ""


def authorization() -> dict[str, str]:
    """The header that carries the key; none without one."""
    found = key()
    return {"Authorization": f"Bearer {found}"} if found else {}


def without_key(text: str) -> str:
    """Words without those that hold a part of the key, or of another that looks like one."""
    keys = [os.environ.get(name, "").strip() for name in KEYS]
    parts = {own[at : at + _PART] for own in keys for at in range(max(len(own) - _PART + 1, 1))}
    words = (
        "[key]" if any(part and part in word for part in parts) else word for word in text.split()
    )
    return _LIKE_A_KEY.sub("[key]", " ".join(words))
