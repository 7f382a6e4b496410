"""Colour themes, and detection of the colours that a terminal supports.

Only `themes` imports Textual. `detect` runs earlier, because Textual reads environment variables
on import.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tui_annotate.tui.palette import DARK, HIGH_CONTRAST, LIGHT, MONO, NAMES

if TYPE_CHECKING:
    from textual.theme import Theme


@dataclass(frozen=True, slots=True)
class TerminalLook:
    """The theme and the number of colours that the app uses in a terminal.

    Attributes:
        colors: "truecolor", "256", "standard" (16), or "" for none.
        native: use the terminal's own colours (Textual's `ansi_color`); under NO_COLOR this sends
            no colour at all, instead of greys.
    """

    theme: str
    colors: str
    native: bool


def detect(environ: Mapping[str, str], color_system: str | None = None) -> TerminalLook:
    """Choose the theme and the number of colours for a terminal from environment variables.

    Args:
        color_system: overrides TERM and COLORTERM. Over ssh at most 256 colours are sent, which
            saves a third of the bytes.
    """
    colors = environ.get("TEXTUAL_COLOR_SYSTEM", "auto")
    if colors not in ("truecolor", "256", "standard"):
        colors = color_system or _detect_colors(environ)
        if colors == "truecolor" and environ.get("SSH_CONNECTION"):
            colors = "256"
    if environ.get("NO_COLOR") or environ.get("TERM") in ("dumb", "unknown"):
        colors = ""
    if not colors:
        return TerminalLook(MONO, "", native=True)
    return TerminalLook(DARK, colors, native=colors == "standard")


def _detect_colors(environ: Mapping[str, str]) -> str:
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return "truecolor"
    name = environ.get("TERM", "").strip().lower()
    if name.endswith(("-256color", "-direct")) or name in ("xterm-kitty", "alacritty"):
        return "256"
    return "standard"


_FIELDS = (
    "background", "foreground", "surface", "panel", "primary", "accent", "warning", "error",
    "success",
)  # fmt: skip
_COLORS: Mapping[str, str] = {  # one colour per field, in the order of `_FIELDS`
    DARK: "#121212 #d0d0d0 #1c1c1c #262626 #5fafd7 #d7af87 #ffd75f #ff8787 #87d787",
    LIGHT: "#ffffff #262626 #f4f4f4 #e4e4e4 #005faf #875f00 #875f00 #d70000 #005f00",
    HIGH_CONTRAST: "#000000 #ffffff #000000 #262626 #ffff00 #87ffff #ffff00 #ffafaf #87ff87",
}

_QUIET: Mapping[str, str] = {DARK: "#9e9e9e", LIGHT: "#626262", HIGH_CONTRAST: "#d0d0d0"}
"""Colour of input placeholders and scroll bars by theme: the palette's colour `quiet`."""


def themes(*, native: bool = False) -> tuple[Theme, ...]:
    """Build the themes in the order of `NAMES`; `native`: for terminals of 16 or no colours."""
    return tuple(_build_theme(name, native=native or name == MONO) for name in NAMES)


def _build_theme(name: str, *, native: bool) -> Theme:
    from textual.theme import BUILTIN_THEMES, Theme

    named = ["ansi_default"] * len(_FIELDS) if native else _COLORS[name].split()
    colors: dict[str, Any] = dict(zip(_FIELDS, named, strict=True))
    ansi = BUILTIN_THEMES["ansi-light" if name == LIGHT else "ansi-dark"]
    variables = (ansi.variables if native else {}) | {
        "scrollbar": colors["primary"] if native else _QUIET[name],
        "scrollbar-background": colors["background"],
    }
    if not native:
        variables["text-disabled"] = variables["text-muted"] = _QUIET[name]
        variables["input-cursor-background"] = colors["foreground"]
        variables["input-cursor-foreground"] = colors["background"]
    return Theme(
        name=name,
        **colors,
        boost=colors["panel"],
        secondary=colors["primary"],
        dark=name != LIGHT,
        ansi=native,
        variables=variables,
    )
