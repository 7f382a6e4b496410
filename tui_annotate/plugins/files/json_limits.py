"""What JSON allows and a store can not hold: half of a surrogate pair, and endless nesting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput

DEEPEST: Final = 100
"""How deep containers may stand in one another."""
SURROGATE: Final = re.compile("[\ud800-\udfff]")

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def check_text(value: Any, raw: str) -> None:
    r"""Looks for what JSON allows and a store can not hold; `raw` is the text of the value.

    Raises:
        InvalidInput: nesting beyond 100, or a string with half of a `\ud83d\ude00`, with its place.
    """
    if raw.count("[") + raw.count("{") > DEEPEST and _depth(value) > DEEPEST:
        raise InvalidInput(f"JSON nested more than {DEEPEST} deep", "flatten it")
    if _ESCAPED_SURROGATE.search(raw):
        for place, text in _strings(value, ""):
            if found := SURROGATE.search(text):
                raise InvalidInput(
                    f"lone surrogate U+{ord(found[0]):04X} at offset {found.start()} of {place}",
                    "the text was cut inside a character; mend it where it was written",
                )


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, dict | list)
        ]
        if depth > DEEPEST:
            break
    return depth


def _strings(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place or "the value", value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _strings(item, f"{place}[{index}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            name = key.encode("ascii", "backslashreplace").decode()
            yield f"the name {name}", key
            yield from _strings(item, f"{place}.{name}" if place else name)
