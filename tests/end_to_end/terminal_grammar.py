"""The grammar of what may reach a terminal; everything else that a program wrote is foreign.

Only what draws: colours, places of the cursor, the modes that a full screen needs, and characters
that have a shape. No sequence that sets a title or a clipboard, draws pictures, or resets, and of
those that ask, only three constant ones.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_COLOUR: Final = rb"[345]8;5;\d{1,3}|[34]8;2;\d{1,3};\d{1,3};\d{1,3}"
_LOOK: Final = rb"(?:0|1|2|3|4|7|9|21|3[0-7]|39|4[0-7]|49|9[0-7]|10[0-7]|" + _COLOUR + rb")"
_MODES: Final = rb"7|25|1000|1003|1004|1006|1015|1049|2004|2026|2048"

SCREEN: Final = re.compile(
    rb"\x1b7\x1b\[2;\d{1,2}H\x1b\[6n\x1b8"  # whether the frame has arrived; the cursor stays
    rb"|\x1b\[(?:"
    rb"(?:%(look)s(?:;%(look)s)*)?m"  # colours and weights; no blinking, no hidden text
    rb"|(?P<row>\d+);(?P<column>\d+)H"  # to a place
    rb"|\?(?:%(modes)s)[hl]"  # alternate screen, mouse, focus, paste, wrapping, one frame at a time
    rb"|\?(?:2026|2048)\$p"  # which of these the terminal knows
    rb"|<u)"  # the keyboard as it was
    rb"|\x1b\]22;default\x07"  # the mouse pointer's shape
    rb"|\r\n" % {b"look": _LOOK, b"modes": _MODES}
)
"""What the app may send: Textual's own sequences, with constants in them."""

LINES: Final = re.compile(
    rb"\x1b\[(?:(?:%(look)s(?:;%(look)s)*)?m|2K|1A|\?25[hl])|\r\n|\r" % {b"look": _LOOK}
)
"""What a command may send that prints lines and draws a bar."""

_SHAPELESS: Final = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_MOST_MARKS: Final = 8  # zero-width marks on one cell
_CONTEXT: Final = 40  # bytes or characters shown around what is foreign


def foreign(
    raw: bytes, *, columns: int, rows: int, allowed: re.Pattern[bytes] = SCREEN
) -> list[str]:
    """Everything in a program's output that is outside the grammar, each with what is around it.

    Args:
        columns, rows: of the terminal; a cursor sent outside of it is foreign.
        allowed: `SCREEN` or `LINES`; lines may carry as many marks as the text does.
    """
    found = [
        _around(raw, at.start())
        for at in allowed.finditer(raw)
        if (at.groupdict().get("row") or b"").isdigit()
        and not (0 < int(at["row"]) <= rows and 0 < int(at["column"]) <= columns)
    ]
    plain = allowed.sub(b"\n", raw)
    try:
        text = plain.decode("utf-8")
    except UnicodeDecodeError as error:
        return [*found, _around(plain, error.start)]
    found += [
        repr(text[max(0, at - _CONTEXT) : at + _CONTEXT])
        for at, character in enumerate(text)
        if character != "\n" and unicodedata.category(character) in _SHAPELESS
    ]
    return found if allowed is LINES else found + _towers(text)


def _around(raw: bytes, at: int) -> str:
    return repr(raw[max(0, at - _CONTEXT) : at + _CONTEXT])


def _towers(text: str) -> list[str]:
    """Bases that carry more marks than a terminal can be asked to draw."""
    found, marks = [], 0
    for at, character in enumerate(text):
        marks = marks + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        if marks == _MOST_MARKS + 1:
            found.append(repr(text[max(0, at - _CONTEXT) : at]))
    return found
