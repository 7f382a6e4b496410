"""The styles of text that all widgets use; the glyphs are in `editor/glyphs.py`.

Colour alone never carries meaning: a glyph, a letter or an attribute goes with it, and the theme
`mono` has no colour at all. Colours are those of the xterm-256 table, as most terminals over ssh
show no more.
"""

from __future__ import annotations

import colorsys
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rich.color import Color, ColorParseError
from rich.style import Style

from tui_annotate.domain.labels import COLORS

if TYPE_CHECKING:
    from textual.app import App

DARK, LIGHT, HIGH_CONTRAST, MONO = NAMES = ("dark", "light", "high-contrast", "mono")

_ROLES: Mapping[str, tuple[str, str, str, str, str]] = {
    # role: dark, light, high-contrast (numbers of the xterm-256 table); 16 colours; none
    "text": ("252", "235", "231", "", ""),
    "quiet": ("247", "241", "252", "", "dim"),
    "strong": ("bold 255", "bold 16", "bold 231", "bold", "bold"),
    "rule": ("241", "246", "250", "", "dim"),
    "rule_focused": ("74", "25", "bold 226", "cyan", "bold"),
    "title": ("bold 250", "bold 238", "bold 231", "bold", ""),
    "title_focused": ("bold 117", "bold 25", "bold 226", "bold cyan", "bold"),
    "key": ("bold 180", "bold 94", "bold 226", "bold", "bold"),
    "accent": ("117", "25", "123", "cyan", "bold"),
    "good": ("114", "22", "bold 120", "green", ""),
    "warning": ("221", "94", "bold 226", "bold yellow", "bold"),
    "error": ("bold 210", "bold 160", "bold 217", "bold red", "bold reverse"),
    "row": ("on 236", "on 254", "on 238", "bold", "bold"),
    "disabled": ("244", "243", "248", "dim", "dim"),
    "selection": ("255 on 58", "16 on 229", "16 on 226", "reverse", "reverse"),
    "cursor": ("bold 16 on 255", "bold 231 on 16", "bold 16 on 231",
               "bold reverse", "bold reverse"),
    "evidence": ("bold 231 on 22", "bold 16 on 157", "bold 16 on 46",
                 "bold black on green", "bold underline2"),
    "search": ("underline 221", "underline 94", "bold underline", "underline", "underline"),
    "search_focused": ("bold 16 on 221", "bold 16 on 221", "bold 16 on 226",
                       "bold black on yellow", "bold reverse"),
    "hint": ("bold 16 on 180", "bold 231 on 94", "bold 16 on 123",
             "bold black on yellow", "bold reverse"),
    "conflict": ("bold 231 on 124", "bold 231 on 124", "bold 231 on 160",
                 "bold white on red", "bold reverse underline"),
    "lacking": ("italic underline 216", "italic underline 124", "italic underline 217",
                "italic underline", "italic underline"),
    "suggested": ("italic 255 on 54", "italic 16 on 189", "italic 231 on 54",
                  "italic white on magenta", "italic dim"),
    "cap": ("bold reverse",) * 5,
    "underlined": ("underline",) * 5,
    "overlap": ("underline2",) * 5,
    "chosen": ("bold underline",) * 5,
    "letter": ("bold",) * 5,
}  # fmt: skip

_MATCHES: Mapping[str, tuple[str, str, str, str, str, str]] = {
    # strengths 0 to 5: on dark ground ever lighter, on light ground ever darker, even in grey
    DARK: ("", "252 on 236", "255 on 24", "bold 16 on 30", "16 on 73", "16 on 186"),
    LIGHT: ("", "235 on 254", "16 on 152", "16 on 73", "bold 231 on 24", "bold 230 on 53"),
    HIGH_CONTRAST: ("", "231 on 236", "bold 231 on 25", "bold 16 on 37",
                    "bold 16 on 123", "bold 16 on 229"),
    "16": ("", "", "white on blue", "white on blue", "black on cyan", "bold black on cyan"),
    MONO: ("", "dim", "", "", "bold", "bold"),
}  # fmt: skip

_GLYPHS: Mapping[str, tuple[str, ...]] = {
    # in the hue of the strength's background, as light or dark as a thin glyph needs
    DARK: ("", "247", "31", "37", "73", "186"),
    LIGHT: ("", "241", "67", "30", "24", "53"),
    HIGH_CONTRAST: ("", "252", "33", "37", "123", "229"),
    "16": ("", "", "cyan", "cyan", "cyan", "bold cyan"),
    MONO: _MATCHES[MONO],
}

_LABELS: Mapping[str, tuple[str, ...]] = {
    # in the order of COLORS, so that a colour looks like its name; green and cyan lean to blue and
    # are lighter or darker than red and orange, for colour-blind readers
    DARK: ("208", "80", "35", "220", "111", "210", "176"),
    LIGHT: ("130", "23", "28", "58", "26", "160", "127"),
    HIGH_CONTRAST: ("215", "123", "84", "227", "111", "210", "213"),
    "16": ("yellow",  # brown or orange where it is not plain dark yellow
           "bright_cyan", "bright_green", "bright_yellow", "bright_blue", "bright_red",
           "bright_magenta"),
    "16-light": ("bright_red", "cyan", "green", "yellow", "blue", "red", "magenta"),
    MONO: ("",),
}  # fmt: skip

SLOTS = len(COLORS)


@dataclass(frozen=True, slots=True)
class PaintStyles:
    """The styles that widgets use to draw text, by name; `make_palette` builds them for a theme.

    Attributes:
        matches: strength 0 to 5 of a match: text on ground.
        row: laid over the focused row of a list.
        cap: laid over a label's colour: the digit of the label.
        letter: laid over a label's colour: the letter of an annotation.
    """

    text: Style
    quiet: Style
    strong: Style
    rule: Style
    rule_focused: Style
    title: Style
    title_focused: Style
    key: Style
    accent: Style
    good: Style
    warning: Style
    error: Style
    row: Style
    disabled: Style
    selection: Style
    cursor: Style
    evidence: Style
    search: Style
    search_focused: Style
    hint: Style
    conflict: Style
    lacking: Style
    suggested: Style
    cap: Style
    underlined: Style
    overlap: Style
    chosen: Style
    letter: Style
    matches: tuple[Style, ...]
    glyphs: tuple[Style, ...]
    labels: tuple[Style, ...]

    def style(self, role: str) -> Style:
        """Return a style by its name, such as "title", or "match 3" for a match of strength 3."""
        name, _, number = role.partition(" ")
        style: Style = getattr(self, name)(int(number)) if number else getattr(self, name)
        return style

    def label(self, slot: int) -> Style:
        """Return the style of a label's colour, by its number from 0; numbers are cyclic."""
        return self.labels[slot % len(self.labels)]

    def match(self, strength: int) -> Style:
        """Return the style of a match's text, by its strength from 0 to 5."""
        return self.matches[strength]

    def glyph(self, strength: int) -> Style:
        """Return the style of a match's glyph, by its strength from 0 to 5."""
        return self.glyphs[strength]


@cache
def make_palette(theme: str, *, native: bool = False) -> PaintStyles:
    """Build a theme's styles, by default the dark ones; `native`: of the terminal's 16 colours."""
    name = theme if theme in NAMES else DARK
    if name == MONO:
        column = 4
        kind = MONO
    elif native:
        column = 3
        kind = "16"
    else:
        column = NAMES.index(name)
        kind = name
    labels = "16-light" if kind == "16" and name == LIGHT else kind
    return PaintStyles(
        **{role: _parse_style(row[column]) for role, row in _ROLES.items()},
        matches=tuple(map(_parse_style, _MATCHES[kind])),
        glyphs=tuple(map(_parse_style, _GLYPHS[kind])),
        labels=tuple(map(_parse_style, _LABELS[labels])),
    )


def _parse_style(words: str) -> Style:
    return Style.parse(re.sub(r"\b\d+\b", r"color(\g<0>)", words))


def styles_of(app: App[object]) -> PaintStyles:
    """Return the styles for the theme and the colours of an app."""
    return make_palette(app.theme, native=app.native_ansi_color)


_HUES = (28, 180, 130, 50, 220, 0, 300)  # of COLORS, in degrees


def label_slots(colors: Sequence[str]) -> tuple[int, ...]:
    """Return the index in `COLORS` of the colour of each label of the label set.

    A value such as "#d55e00" becomes the colour with the nearest hue, so that every label is
    readable in every theme. Labels without a colour (an empty value) get the next unused colour.
    """
    wanted = [_nearest_slot(color) for color in colors]
    free = [slot for slot in range(SLOTS) if slot not in wanted] or list(range(SLOTS))
    unnamed = iter(range(len(colors)))
    return tuple(free[next(unnamed) % len(free)] if slot is None else slot for slot in wanted)


def _nearest_slot(color: str) -> int | None:
    if color in COLORS:
        return COLORS.index(color)
    try:
        red, green, blue = Color.parse(color.strip().lower()).get_truecolor()
    except ColorParseError:
        return None
    # Hues are cyclic, so no two of them are more than 180 degrees apart.
    hue = 360 * colorsys.rgb_to_hsv(red, green, blue)[0]
    return min(range(SLOTS), key=lambda slot: abs((hue - _HUES[slot] + 180) % 360 - 180))
