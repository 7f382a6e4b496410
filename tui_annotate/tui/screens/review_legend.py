"""What the marks of review mean; imported when somebody asks."""

from __future__ import annotations

from typing import Final

from tui_annotate.tui.dialogs.help import Mark
from tui_annotate.tui.palette import CHOSEN, CONFLICT, OPENS_MORE, STATE_GLYPHS, UNVISITED
from tui_annotate.tui.screens.review_rows import AGREED, NEARLY, OWN, REFUSED

LEGEND: Final[tuple[Mark, ...]] = (
    Mark((("1 ", "label 0"), ("text", "underlined")), "rival 1 of the place in hand"),
    Mark(((f"{OPENS_MORE} ", "text"), ("Label A B", "text")), "the rival that was chosen"),
    Mark(((f"{CHOSEN} ", "good"), ("Label A B", "text")), "a rival of which something stands"),
    Mark(((f"{REFUSED} ", "text"), ("Label A B", "text")), "a rival that was refused"),
    Mark(((f"{CONFLICT} ", "label 0"), ("text", "underlined")), "a conflict: labels, or not all"),
    Mark(((f"{NEARLY} ", "label 0"), ("text", "underlined")), "the same label, of other extents"),
    Mark(((f"{AGREED} ", "label 0"), ("text", "underlined")), "all agree: taken with the sample"),
    Mark(((f"{CHOSEN} ", "label 0"), ("text", "underlined")), "what you made of a place"),
    Mark(((f"{REFUSED} ", "label 0"), ("text", "underlined")), "a place that you refused"),
    Mark(((f"{OWN} ", "label 0"), ("text", "underlined")), "what you added"),
    Mark((("+", "label 1"),), "several places on one line; a walks through them"),
    Mark(((f"{CHOSEN} ", "text"), ("text", "evidence")), "evidence of what is in hand"),
    Mark(((UNVISITED, "quiet"),), "a sentence begins here that was never visited"),
    *(Mark(((glyph, "accent"),), f"a sample: {state}") for state, glyph in STATE_GLYPHS.items()),
)
"""The marks of texts, of the bar and of the queue."""
