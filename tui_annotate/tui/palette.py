"""What painters paint with: one style a role, one glyph a state, the same for every widget.

Nothing is told apart by colour alone: beside every colour stands a glyph, a letter or an attribute,
and the palette of the theme `mono` holds no colour at all. Colours are numbers of the xterm-256
table, as most terminals over ssh show no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rich.style import Style

from tui_annotate.domain.labels import COLORS

if TYPE_CHECKING:
    from textual.app import App
import colorsys
from collections.abc import Sequence

from rich.color import Color, ColorParseError

DARK, LIGHT, HIGH_CONTRAST, MONO = NAMES = ("dark", "light", "high-contrast", "mono")

STRENGTH_GLYPHS = " ▁▃▅▆█"
"""One glyph a strength, 0 to 5: for a gutter or a list."""

STATE_GLYPHS: Mapping[str, str] = {
    "new": "·",
    "draft": "○",
    "done": "✓",
    "skipped": "»",
    "flagged": "⚑",
    "reopened": "↺",
}
"""One glyph a state of an assignment, by its name."""

CHOSEN, FOCUS_BAR, OPENS_MORE = "✓", "▌", "▸"

CONFLICT, LACKING = "≠", "?"
"""Beside what may contradict the other text, and beside words that the other text has nowhere."""

FORMER, SUGGESTED = "°", "~"
"""Beside what was one's own evidence before, with the same text; and what a machine proposes."""

CURRENT, FOUND, SEVERAL = "▶", "/", "+"
"""Beside a line: the sentence under the cursor, a search hit, several annotations (no number)."""

GOLD = "★"
"""Of a question: the passage that holds the answer, and beside a line with the answer in it."""

REVIEW_GLYPHS = REFUSED, NEARLY, AGREED, OWN = "✗", "≈", "=", "+"
"""Beside what people said of one place: refused, alike, the same; and what a reviewer added."""

PLACES, NOTED = "⇄", "✎"
"""In lists: in front of places that stand as evidence or of their number, and of a note."""

_ROLES: Mapping[str, tuple[str, str, str, str, str]] = {
    # role: dark, light, high-contrast (256 colours each); 16 colours; none
    "text": ("color(252)", "color(235)", "color(231)", "", ""),
    "quiet": ("color(247)", "color(241)", "color(252)", "", "dim"),
    "strong": ("bold color(255)", "bold color(16)", "bold color(231)", "bold", "bold"),
    "rule": ("color(241)", "color(246)", "color(250)", "", "dim"),
    "rule_focused": ("color(74)", "color(25)", "bold color(226)", "cyan", "bold"),
    "title": ("bold color(250)", "bold color(238)", "bold color(231)", "bold", ""),
    "title_focused": ("bold color(117)", "bold color(25)", "bold color(226)", "bold cyan", "bold"),
    "key": ("bold color(180)", "bold color(94)", "bold color(226)", "bold", "bold"),
    "accent": ("color(117)", "color(25)", "color(123)", "cyan", "bold"),
    "good": ("color(114)", "color(22)", "bold color(120)", "green", ""),
    "warning": ("color(221)", "color(94)", "bold color(226)", "bold yellow", "bold"),
    "error": ("bold color(210)", "bold color(160)", "bold color(217)", "bold red", "bold reverse"),
    "row": ("on color(236)", "on color(254)", "on color(238)", "bold", "bold"),
    "asleep": ("color(244)", "color(243)", "color(248)", "dim", "dim"),
    "selection": (
        "color(255) on color(58)",
        "color(16) on color(229)",
        "color(16) on color(226)",
        "reverse",
        "reverse",
    ),
    "cursor": (
        "bold color(16) on color(255)",
        "bold color(231) on color(16)",
        "bold color(16) on color(231)",
        "bold reverse",
        "bold reverse",
    ),
    "evidence": (
        "bold color(231) on color(22)",
        "bold color(16) on color(157)",
        "bold color(16) on color(46)",
        "bold black on green",
        "bold underline2",
    ),
    "search": (
        "underline color(221)",
        "underline color(94)",
        "bold underline",
        "underline",
        "underline",
    ),
    "search_focused": (
        "bold color(16) on color(221)",
        "bold color(16) on color(221)",
        "bold color(16) on color(226)",
        "bold black on yellow",
        "bold reverse",
    ),
    "hint": (
        "bold color(16) on color(180)",
        "bold color(231) on color(94)",
        "bold color(16) on color(123)",
        "bold black on yellow",
        "bold reverse",
    ),
    "conflict": (
        "bold color(231) on color(124)",
        "bold color(231) on color(124)",
        "bold color(231) on color(160)",
        "bold white on red",
        "bold reverse underline",
    ),
    "lacking": (
        "italic underline color(216)",
        "italic underline color(124)",
        "italic underline color(217)",
        "italic underline",
        "italic underline",
    ),
    "suggested": (
        "italic color(255) on color(54)",
        "italic color(16) on color(189)",
        "italic color(231) on color(54)",
        "italic white on magenta",
        "italic dim",
    ),
    "cap": ("bold reverse",) * 5,
    "underlined": ("underline",) * 5,
    "overlap": ("underline2",) * 5,
    "chosen": ("bold underline",) * 5,
    "letter": ("bold",) * 5,
}

_MATCHES: Mapping[str, tuple[str, str, str, str, str, str]] = {
    # strengths 0 to 5: on dark ground ever lighter, on light ground ever darker, even in grey
    DARK: (
        "",
        "color(252) on color(236)",
        "color(255) on color(24)",
        "bold color(16) on color(30)",
        "color(16) on color(73)",
        "color(16) on color(186)",
    ),
    LIGHT: (
        "",
        "color(235) on color(254)",
        "color(16) on color(152)",
        "color(16) on color(73)",
        "bold color(231) on color(24)",
        "bold color(230) on color(53)",
    ),
    HIGH_CONTRAST: (
        "",
        "color(231) on color(236)",
        "bold color(231) on color(25)",
        "bold color(16) on color(37)",
        "bold color(16) on color(123)",
        "bold color(16) on color(229)",
    ),
    "16": ("", "", "white on blue", "white on blue", "black on cyan", "bold black on cyan"),
    MONO: ("", "dim", "", "", "bold", "bold"),
}

_GLYPHS: Mapping[str, tuple[str, ...]] = {
    # in the hue of the strength's ground, as light or dark as a thin sign needs
    DARK: ("", *(f"color({n})" for n in (247, 31, 37, 73, 186))),
    LIGHT: ("", *(f"color({n})" for n in (241, 67, 30, 24, 53))),
    HIGH_CONTRAST: ("", *(f"color({n})" for n in (252, 33, 37, 123, 229))),
    "16": ("", "", "cyan", "cyan", "cyan", "bold cyan"),
    MONO: _MATCHES[MONO],
}

_LABELS: Mapping[str, tuple[str, ...]] = {
    # in the order of COLORS, so that a colour looks like its name; green and cyan lean to blue and
    # are lighter or darker than red and orange, for colour-blind readers
    DARK: tuple(f"color({n})" for n in (208, 80, 35, 220, 111, 210, 176)),
    LIGHT: tuple(f"color({n})" for n in (130, 23, 28, 58, 26, 160, 127)),
    HIGH_CONTRAST: tuple(f"color({n})" for n in (215, 123, 84, 227, 111, 210, 213)),
    "16": (
        "yellow",  # brown or orange where it is not plain dark yellow
        "bright_cyan",
        "bright_green",
        "bright_yellow",
        "bright_blue",
        "bright_red",
        "bright_magenta",
    ),
    "16-light": ("bright_red", "cyan", "green", "yellow", "blue", "red", "magenta"),
    MONO: ("",),
}

SLOTS = len(COLORS)
"""Colours that labels may take; a slot beyond them begins again."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The styles that painters use, by role; build one with `palette`.

    Attributes:
        matches: strength 0 to 5 of a match: text on ground.
        labels: underline-ready colours of labels; take them by `label`.
        conflict: laid over whatever ground the words have.
        lacking: words that the other side does not have, on plain ground.
        suggested: words that a machine proposes to mark, on a ground of its own.
        row: laid over the focused row of a list.
        cap: laid over a label's colour: the digit that stands for it.
        chosen: laid over an option that is chosen.
        letter: laid over a label's colour: the letter of an annotation.
        rule, rule_focused: lines between panes.
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
    asleep: Style
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
        """The style of a role: a name of those here, or "match 3", "glyph 3", "label 0"."""
        name, _, number = role.partition(" ")
        found = getattr(self, name)
        style: Style = found(int(number)) if number else found
        return style

    def label(self, slot: int) -> Style:
        """The foreground of a colour slot, counted from 0."""
        return self.labels[slot % len(self.labels)]

    def match(self, strength: int) -> Style:
        """Text on ground for a strength, 0 (plain) to 5."""
        return self.matches[strength]

    def glyph(self, strength: int) -> Style:
        """The style of a strength's glyph, on plain ground."""
        return self.glyphs[strength]


@cache
def palette(theme: str, *, native: bool = False) -> Palette:
    """The palette of a theme; a name that is not ours gives the dark one.

    Args:
        native: only the terminal's own 16 colours may be used.
    """
    name = theme if theme in NAMES else DARK
    column = 4 if name == MONO else 3 if native else NAMES.index(name)
    kind = MONO if name == MONO else "16" if native else name
    labels = "16-light" if kind == "16" and name == LIGHT else kind
    return Palette(
        **{role: Style.parse(row[column]) for role, row in _ROLES.items()},
        matches=tuple(map(Style.parse, _MATCHES[kind])),
        glyphs=tuple(map(Style.parse, _GLYPHS[kind])),
        labels=tuple(map(Style.parse, _LABELS[labels])),
    )


def palette_of(app: App[object]) -> Palette:
    """The palette of a running app, by its theme and by whether it sends native colours."""
    return palette(app.theme, native=app.native_ansi_color)


_HUES = (28, 180, 130, 50, 220, 0, 300)  # of COLORS, in degrees


def label_slots(colors: Sequence[str]) -> tuple[int, ...]:
    """A colour slot for each label, parallel to `colors`.

    One of `COLORS` has its own slot and "#d55e00" gets the nearest hue, so that every label is
    readable in every theme; the others get the next slot that nobody asked for.
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
    hue = 360 * colorsys.rgb_to_hsv(red, green, blue)[0]
    return min(range(SLOTS), key=lambda slot: abs((hue - _HUES[slot] + 180) % 360 - 180))
