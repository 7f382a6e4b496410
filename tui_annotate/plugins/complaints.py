"""What an endpoint complains of, in words that are short, harmless, and without the key."""

from __future__ import annotations

import json
from typing import Final

from tui_annotate.domain.visible import visible_line
from tui_annotate.plugins.api_key import without_key

_QUOTED: Final = 200


def complaint(body: bytes) -> str:
    """What an endpoint says of a request, in the places where the known ones say it."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = body.decode("utf-8", "replace")
    for name in ("error", "message", "detail", "msg"):
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict) and value.get(name):
            value = value[name]
    told = value if isinstance(value, str) else body.decode("utf-8", "replace")
    return fit(told) or "it does not say why"


def fit(told: str) -> str:
    """A stranger's words on one line, short, harmless, and without anything of the key."""
    line = visible_line(without_key(told[: 20 * _QUOTED]))
    return line if len(line) <= _QUOTED else line[: _QUOTED - 1] + "…"
