"""Texts in a few cells: quotes with their middle left out, names with their end left out."""

from __future__ import annotations

from typing import Final
from unicodedata import east_asian_width

QUOTE_CELLS: Final = 36


def quoted(text: str, *, cells: int = QUOTE_CELLS) -> str:
    """The text in quotes on one line, its middle left out where it is wider than `cells`."""
    if len(text) > 8 * cells:
        text = f"{text[: 4 * cells]}…{text[-4 * cells :]}"
    text = " ".join(text.split())
    if cells_of(text) <= cells:
        return f'"{text}"'
    half = (cells - 1) // 2
    return f'"{_head(text, half)}…{_head(text[::-1], half)[::-1]}"'


def cut(name: str, cells: int) -> str:
    """The start of a name that is wider than `cells`, with an ellipsis."""
    return name if cells_of(name) <= cells else f"{_head(name, cells - 1)}…"


def _head(text: str, cells: int) -> str:
    used = 0
    for at, character in enumerate(text):
        used += cells_of(character)
        if used > cells:
            return text[:at].rstrip()
    return text


def cells_of(text: str) -> int:
    """Cells of a text, as far as wide characters tell."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)
