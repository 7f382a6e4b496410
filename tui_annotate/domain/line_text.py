"""Functions that clean, measure and cut a text for one terminal line.

Characters are displayed as in documents; see `text_display`.
"""

from __future__ import annotations

import re

from tui_annotate.domain.text_display import ZERO_WIDTH_JOINER, character_width, display_characters

ELLIPSIS = "…"

_joined = re.compile(f"{ZERO_WIDTH_JOINER}.?", re.DOTALL)
_LONGEST = 600  # code points of a text that are used; no terminal line has so many cells


def line_text(text: str) -> str:
    """Return a text as one line without control characters and characters of uncertain width.

    Only the first 600 code points are used. Runs of white space become one blank.
    """
    return "".join(display_characters(" ".join(text[:_LONGEST].split())))


def text_width(text: str) -> int:
    """Return the width in terminal cells of a text that `line_text` has cleaned."""
    if text.isascii() and text.isprintable():
        return len(text)
    if ZERO_WIDTH_JOINER in text:  # the part of an emoji after a joiner takes no cell
        text = _joined.sub("", text)
    return sum(map(character_width, text))


def cut(text: str, cells: int) -> str:
    """Cut a text to at most `cells` terminal cells, with an ellipsis if it was cut."""
    if text_width(text) <= cells:
        return text
    if cells < 1:
        return ""
    return first_cells(text, cells - 1).rstrip() + ELLIPSIS


def first_cells(text: str, cells: int) -> str:
    """Return the longest start of a text that takes at most `cells` terminal cells."""
    used = 0
    for at, character in enumerate(text):
        used += character_width(character)
        if used > cells:
            return text[:at]
    return text
