"""Makes text safe for a terminal: replaces each unsafe code point by one visible code point.

Escape sequences, C1 controls, bidi controls and other invisible characters of a document could move
the cursor, set the clipboard or reorder a line. Nothing is removed, so offsets stay valid.
"""

from __future__ import annotations

import unicodedata

_C0 = 0x2400  # the block of control pictures follows C0 code by code
_DELETE = "\u2421"
_BOX = "\u25ab"  # one cell in every terminal measured
_REPLACEMENT = "\ufffd"
_KEPT_FORMAT = frozenset("\u200d")  # zero width joiner: the layout decides how a cluster is drawn


def _visible_table(character: str) -> str:
    code = ord(character)
    if character == "\n":
        return character
    if code < 0x20:
        return chr(_C0 + code)
    if code == 0x7F:
        return _DELETE
    if 0x80 <= code < 0xA0 or 0xD800 <= code <= 0xDFFF:
        return _REPLACEMENT
    if character in _KEPT_FORMAT:
        return character
    category = unicodedata.category(character)
    if category in ("Cf", "Zl", "Zp"):
        return _BOX
    if category in ("Cn", "Co"):
        return _REPLACEMENT
    return character


class _VisibleTable(dict[int, str]):
    def __missing__(self, code: int) -> str:
        shown = _visible_table(chr(code))
        self[code] = shown
        return shown


_TABLE = _VisibleTable()


def make_visible(text: str) -> str:
    """Return a text of equal length that is safe for a terminal: controls become symbols."""
    if text.isascii() and text.replace("\n", " ").isprintable():
        return text
    return text.translate(_TABLE)


def make_line_visible(text: str) -> str:
    """Return a text safe for one terminal line: controls and newlines become symbols."""
    return make_visible(text).replace("\n", "\u240a")
