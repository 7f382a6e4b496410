"""Terminal styles of displayed text, by a number that encodes background, label and state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich.style import Style

from tui_annotate.tui.palette import SLOTS, PaintStyles

PLAIN: Final = 0
EVIDENCE, HIT, FOCUSED_HIT, SELECTED, HINT = range(6, 11)
"""Codes of background colours. Code 0 is no background, and 1 to 5 are strengths of matches."""

_GROUND_BITS = 4
_SLOT_BITS = 4
_SLOT_SHIFT = _GROUND_BITS
_FLAG_SHIFT = _GROUND_BITS + _SLOT_BITS


class StyleFlag:
    """Style flags of a piece of text, such as `CURSOR`, which can be combined with `|`.

    The flags are plain numbers, because combining two flags of `enum` costs a microsecond.
    """

    NONE: Final = 0
    OVERLAP: Final = 1 << _FLAG_SHIFT  # two annotations or more
    FOCUSED: Final = 2 << _FLAG_SHIFT  # keys act on this annotation
    DRAFT: Final = 4 << _FLAG_SHIFT  # the annotation is incomplete
    CURRENT: Final = 8 << _FLAG_SHIFT  # in the sentence under the cursor
    STAND_IN: Final = 16 << _FLAG_SHIFT  # substitute for an undisplayable code point
    CURSOR: Final = 32 << _FLAG_SHIFT  # the character under the cursor
    SIGN: Final = 64 << _FLAG_SHIFT  # in the gutter
    SHARED: Final = 128 << _FLAG_SHIFT  # a word that is also in the selection
    CONFLICT: Final = 256 << _FLAG_SHIFT  # a word that may contradict the other text
    LACKING: Final = 512 << _FLAG_SHIFT  # a word not found in the other text
    SUGGESTED: Final = 1024 << _FLAG_SHIFT  # suggested by a machine


def style_key(ground: int, slot: int | None, traits: int) -> int:
    """Return the number that encodes a background, an annotation's colour (or None) and flags."""
    label = 0 if slot is None else slot % SLOTS + 1
    return ground | label << _SLOT_SHIFT | traits


_PLAIN = Style.null()
_UNDERLINE = Style(underline=True)
_OVERLAP = Style(underline2=True)
_BOLD = Style(bold=True)
_ITALIC = Style(italic=True)
_DIM = Style(dim=True)
_NOT_DIM = Style(dim=False)
_SLANTED = Style(italic=True, underline=True)
_HOLE = Style(bold=True, underline=True)
_GAP = Style(bold=True, underline2=True, reverse=False)


class PieceStyles(dict[int, Style | None]):
    """A cache of text styles, by the number that encodes a style (see `style_key`).

    The value None is the default style, for which no escape codes are sent to the terminal.

    All styles are based on `ground`, the theme's own colours. Otherwise a light terminal would show
    the labels of a dark theme on white. In a reversed selection, a cursor or a conflict is not
    reversed, because it would be invisible on a terminal without colours.
    """

    def __init__(
        self,
        palette: PaintStyles,
        *,
        ground: Style = _PLAIN,
        sent: Callable[[Style], Style | None] = lambda style: style,
    ) -> None:
        """Create an empty cache of text styles; the function `sent` adapts them to a terminal."""
        super().__init__()
        self.palette = palette
        self.ground = ground
        self._convert = sent

    def __missing__(self, key: int) -> Style | None:
        style = self.ground + self._build(key)
        sent = None
        if style:
            sent = self._convert(style) or None
        self[key] = sent
        return sent

    def _build(self, key: int) -> Style:
        """Return the style that a key encodes, without the theme's own colours."""
        ground = key & (1 << _GROUND_BITS) - 1
        label = key >> _SLOT_SHIFT & (1 << _SLOT_BITS) - 1
        sign = bool(key & StyleFlag.SIGN)
        style = self.palette.glyph(ground) if sign and ground else self._ground_style(ground)
        if label and not ground:
            style += self.palette.label(label - 1)
        if label and not sign:
            style += _OVERLAP if key & StyleFlag.OVERLAP else _UNDERLINE
        style = self._add_suggestion(style, key)
        if key & (StyleFlag.FOCUSED | StyleFlag.CURRENT):
            style += _BOLD
        if key & StyleFlag.DRAFT:
            style += _ITALIC
        if key & StyleFlag.SHARED:
            style += _UNDERLINE
        if key & StyleFlag.LACKING:
            style += _SLANTED if ground or label else self.palette.lacking
        if key & StyleFlag.CONFLICT:
            conflict = self.palette.conflict
            style += _GAP if style.reverse and conflict.reverse else conflict
        if key & StyleFlag.STAND_IN:
            style += _DIM if ground else self.palette.quiet
        if key & StyleFlag.CURSOR:
            style = self._add_cursor(style, ground)
        return style

    def _add_suggestion(self, style: Style, key: int) -> Style:
        """Add the mark of a suggestion; on another background, as italics only."""
        if not key & StyleFlag.SUGGESTED:
            return style
        style += _ITALIC if key & (1 << _GROUND_BITS) - 1 else self.palette.suggested
        if key & (StyleFlag.FOCUSED | StyleFlag.CURRENT):
            style += _NOT_DIM  # some terminals do not distinguish bold and dim
        return style

    def _ground_style(self, ground: int) -> Style:
        palette = self.palette
        if ground < EVIDENCE:
            return palette.match(ground)
        return {
            EVIDENCE: palette.evidence,
            HIT: palette.search,
            FOCUSED_HIT: palette.search_focused,
            SELECTED: palette.selection,
            HINT: palette.hint,
        }[ground]

    def _add_cursor(self, style: Style, ground: int) -> Style:
        cursor = self.palette.cursor
        if ground in (SELECTED, FOCUSED_HIT) and style.reverse and cursor.reverse:
            return _HOLE
        return style + cursor
