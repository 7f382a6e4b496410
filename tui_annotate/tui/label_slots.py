"""Which colour slot each label of a set gets: the one it names, the nearest hue, or a free one."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence

from rich.color import Color, ColorParseError

from tui_annotate.domain.labels import COLORS
from tui_annotate.tui.palette import SLOTS

_HUES = (28, 180, 130, 50, 220, 0, 300)  # of COLORS, in degrees


def slots(colors: Sequence[str]) -> tuple[int, ...]:
    """A colour slot for each label, parallel to `colors`.

    One of `COLORS` has its own slot and "#d55e00" gets the nearest hue, so that every label is
    readable in every theme; the others get the next slot that nobody asked for.
    """
    wanted = [_nearest(color) for color in colors]
    free = [slot for slot in range(SLOTS) if slot not in wanted] or list(range(SLOTS))
    unnamed = iter(range(len(colors)))
    return tuple(free[next(unnamed) % len(free)] if slot is None else slot for slot in wanted)


def _nearest(color: str) -> int | None:
    if color in COLORS:
        return COLORS.index(color)
    try:
        red, green, blue = Color.parse(color.strip().lower()).get_truecolor()
    except ColorParseError:
        return None
    hue = 360 * colorsys.rgb_to_hsv(red, green, blue)[0]
    return min(range(SLOTS), key=lambda slot: abs((hue - _HUES[slot] + 180) % 360 - 180))
