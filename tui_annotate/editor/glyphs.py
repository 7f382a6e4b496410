"""The glyphs that mark samples, annotations, matches and text on all screens."""

from __future__ import annotations

from collections.abc import Mapping

from tui_annotate.domain.assignments import State
from tui_annotate.editor.screen_message import ScreenMessage

STRENGTH_GLYPHS = " ▁▃▅▆█"
"""One glyph per strength of a match, 0 to 5, for the margin of a text and for lists."""

STATE_GLYPHS: Mapping[str, str] = {
    "new": "·",
    "draft": "○",
    "done": "✓",
    "skipped": "»",
    "flagged": "⚑",
    "reopened": "↺",
}
"""One glyph per assignment state, by the stored name of the state."""


class StateName(ScreenMessage):
    """Names of assignment states on screens, which are those of `State.display_name`."""

    NEW = "new"
    DRAFT = "in progress"
    DONE = "completed"
    SKIPPED = "skipped"
    FLAGGED = "flagged"
    REOPENED = "reopened"


STATE_NAMES: Mapping[str, StateName] = {state.value: StateName[state.name] for state in State}

CHOSEN, FOCUS_BAR, OPENS_MORE = "✓", "▌", "▸"

CONFLICT, LACKING = "≠", "?"
"""Symbols of a possible contradiction of summary and source, and of a word in only one of both."""

FORMER, SUGGESTED = "°", "~"
"""Glyphs of the annotator's own evidence in other samples, and of suggestions."""

CURRENT, FOUND, SEVERAL = "▶", "/", "+"
"""Three glyphs next to lines: for the cursor's sentence, found text, several annotations."""

GOLD = "★"
"""Glyph of a correct answer in a text, and of the passage that contains the answer."""

REVIEW_GLYPHS = REFUSED, NEARLY, AGREED, OWN = "✗", "≈", "=", "+"
"""Glyphs of candidate annotations (rejected, similar, equal) and of the reviewer's annotations."""

PLACES, NOTED = "⇄", "✎"
"""Glyphs in lists of annotations: the first stands for evidence, the second for a note."""
