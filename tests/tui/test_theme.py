"""Themes, palettes, and what a terminal can show."""

from __future__ import annotations

from colorsys import rgb_to_hls
from itertools import pairwise, product

import pytest
from rich.color import Color
from rich.style import Style

from tests.tui.stage import run_stage
from tui_annotate.domain.labels import COLORS
from tui_annotate.editor.glyphs import STRENGTH_GLYPHS
from tui_annotate.tui.line_input import LineInput
from tui_annotate.tui.palette import (
    DARK,
    HIGH_CONTRAST,
    LIGHT,
    MONO,
    NAMES,
    SLOTS,
    PaintStyles,
    label_slots,
    make_palette,
)
from tui_annotate.tui.theme import TerminalLook, detect, themes
from tui_annotate.tui.widgets.match_list import MatchList, MatchRow

HUES = {
    "red": 0, "orange": 30, "yellow": 55, "green": 130, "cyan": 180, "blue": 222, "magenta": 300,
}  # fmt: skip
SIXTEEN = {"orange": {"yellow", "bright_red"}}  # none of the sixteen is called orange


def _styles(colors: PaintStyles) -> list[Style]:
    named = [getattr(colors, name) for name in PaintStyles.__slots__]
    return [style for style in named if isinstance(style, Style)] + [
        *colors.matches,
        *colors.labels,
    ]


def _luminance(color: Color) -> float:
    parts = [value / 255 for value in color.get_truecolor()]
    red, green, blue = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: Color, other: Color) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("environ", "look"),
    [
        ({"TERM": "xterm-256color"}, TerminalLook(DARK, "256", native=False)),
        (
            {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
            TerminalLook(DARK, "truecolor", native=False),
        ),
        (
            {"TERM": "xterm-256color", "COLORTERM": "truecolor", "SSH_CONNECTION": "a b c d"},
            TerminalLook(DARK, "256", native=False),
        ),
        ({"TERM": "screen"}, TerminalLook(DARK, "standard", native=True)),
        ({}, TerminalLook(DARK, "standard", native=True)),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, TerminalLook(MONO, "", native=True)),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, TerminalLook(DARK, "256", native=False)),
        ({"TERM": "dumb"}, TerminalLook(MONO, "", native=True)),
        (
            {"TERM": "screen", "TEXTUAL_COLOR_SYSTEM": "256", "SSH_CONNECTION": "x"},
            TerminalLook(DARK, "256", native=False),
        ),
    ],
)
def test_a_terminal_gets_what_it_can_show(environ: dict[str, str], look: TerminalLook) -> None:
    """The environment decides; ssh means 256 colours, NO_COLOR none."""
    assert detect(environ) == look


def test_a_known_color_system_goes_before_the_environment() -> None:
    """A caller that asked the terminal is believed."""
    assert detect({"TERM": "screen"}, "256").colors == "256"


@pytest.mark.parametrize("name", [DARK, LIGHT, HIGH_CONTRAST])
def test_matches_and_labels_can_be_read(name: str) -> None:
    """Any text has contrast 4.5 on its ground, a thin sign or a rule 3 on the theme's ground."""
    colors = make_palette(name)
    theme = next(theme for theme in themes() if theme.name == name)
    ground, surface = Color.parse(theme.background or ""), Color.parse(theme.surface or "")
    for style in (*_styles(colors), *colors.labels):
        if style.color:
            thin = style in (colors.rule, colors.rule_focused, *colors.glyphs)
            least = 3 if thin else 4.5
            assert _contrast(style.color, style.bgcolor or ground) > least, style
    row, panel = colors.row.bgcolor, Color.parse(theme.panel or "")
    assert row
    for style in (colors.text, colors.quiet, colors.strong, colors.accent, colors.good):
        assert style.color
        assert all(_contrast(style.color, other) > 4.5 for other in (surface, panel, row)), style
    for style in (colors.warning, colors.error, colors.key):
        assert style.color
        assert _contrast(style.color, surface) > 4.5, style
    assert _contrast(Color.parse(theme.variables["scrollbar"]), ground) > 3
    assert theme.variables["text-muted"] == colors.quiet.color.get_truecolor().hex  # type: ignore[union-attr]


@pytest.mark.parametrize("name", [DARK, LIGHT, HIGH_CONTRAST])
def test_strengths_are_in_order_without_hue(name: str) -> None:
    """The grounds of the strengths go one way in lightness."""
    light = [_luminance(style.bgcolor) for style in make_palette(name).matches[1:] if style.bgcolor]
    assert len(light) == 5
    assert light in (sorted(light), sorted(light, reverse=True))
    assert all(abs(one - other) > 0.02 for one, other in pairwise(light))


def test_mono_has_no_colour_and_sixteen_has_only_those() -> None:
    """No style of mono names a colour; native styles name the terminal's own."""
    assert not [style for style in _styles(make_palette(MONO)) if style.color or style.bgcolor]
    for name in NAMES:
        for style in _styles(make_palette(name, native=True)):
            for color in (style.color, style.bgcolor):
                assert color is None or (color.number is not None and color.number < 16)


def test_every_strength_has_its_own_glyph() -> None:
    """Strength can be told without colour."""
    assert len(set(STRENGTH_GLYPHS)) == len(STRENGTH_GLYPHS) == 6


def test_labels_that_name_a_colour_get_the_nearest_slot() -> None:
    """Named and hex colours map to slots; the others fill what is left; nothing is refused."""
    orange, unnamed, green, odd = label_slots(["#ff8700", "", "#00af5f", "no colour"])
    assert (orange, green) == (0, 2)
    assert unnamed == 1
    assert odd == 3
    assert label_slots([]) == ()
    assert set(label_slots([""] * 20)) == set(range(SLOTS))


def test_every_name_of_a_colour_has_a_slot_of_its_own() -> None:
    """The names that a label set may use stand in the order of the palette's slots."""
    assert label_slots(COLORS) == tuple(range(SLOTS))
    for name, native in product((DARK, LIGHT, HIGH_CONTRAST), (False, True)):
        assert len(set(make_palette(name, native=native).labels)) == SLOTS


@pytest.mark.parametrize("name", [DARK, LIGHT, HIGH_CONTRAST])
def test_a_label_has_the_colour_that_it_asks_for(name: str) -> None:
    """No other name has a hue as near to what is shown; 16 colours go by their own names."""
    for wanted, style in zip(COLORS, make_palette(name).labels, strict=True):
        assert style.color
        hue = 360 * rgb_to_hls(*(part / 255 for part in style.color.get_truecolor()))[0]
        near = {known: abs((hue - HUES[known] + 180) % 360 - 180) for known in COLORS}
        assert min(COLORS, key=near.__getitem__) == wanted
    for wanted, style in zip(COLORS, make_palette(name, native=True).labels, strict=True):
        assert style.color
        assert style.color.name in SIXTEEN.get(wanted, {wanted, f"bright_{wanted}"})


def test_an_unknown_theme_is_dark() -> None:
    """A widget in a foreign app is still painted."""
    assert make_palette("textual-dark") == make_palette(DARK)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("native", [False, True])
async def test_every_theme_runs(name: str, native: bool) -> None:
    """All themes can be shown, and mono writes attributes only."""
    widget = MatchList()
    async with run_stage(widget, theme=name, native=native) as (stage, pilot):
        widget.show([MatchRow(1, 0.86, 5, "l.1", "text")], focused=1, status="")
        await stage.mount(LineInput("typed"))
        await pilot.pause()
        styles = [
            segment.style
            for strip in stage.screen._compositor.render_strips()
            for segment in strip
            if segment.style
        ]
        if name == MONO:
            colors = [c for style in styles for c in (style.color, style.bgcolor) if c]
            assert all(color.is_default for color in colors)
