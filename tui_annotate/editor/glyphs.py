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
    ADJUDICATED = "adjudicated"  # of a review that is done


STATE_NAMES: Mapping[str, StateName] = {state.value: StateName[state.name] for state in State}
REVIEW_STATE_NAMES: Mapping[str, StateName] = {
    **STATE_NAMES,
    State.DONE.value: StateName.ADJUDICATED,
}
"""Names of the states of a review, by the stored name of the state."""

CHOSEN = "✓"
"""Glyph of a chosen option, of evidence, and of an adjudicated annotation."""

FOCUS_BAR = "▌"
"""Glyph of selected or focused words, and of the focused entry of a list."""

OPENS_MORE = "▸"
"""Glyph after a label that has sublabels."""

CONFLICT = "≠"
"""Symbol of a possible contradiction of summary and source."""

LACKING = "?"
"""Symbol of a word that occurs only in the summary or only in the source."""

CURRENT_CHOICE = "▸"
"""Glyph before the one choice that is in use, such as a filter, a page or a candidate."""

FORMER = "°"
"""Glyph of the annotator's own evidence in other samples."""

SUGGESTED = "~"
"""Glyph of a suggestion."""

CURRENT = "▶"
"""Glyph next to the line of the cursor's sentence."""

FOUND = "/"
"""Glyph next to a line with found text."""

SEVERAL = "+"
"""Glyph next to a line with several annotations."""

GOLD = "★"
"""Glyph of a correct answer in a text, and of the passage that contains the answer."""

REVIEW_GLYPHS = REFUSED, NEARLY, AGREED, OWN = "✗", "≈", "=", "+"
"""Glyphs of candidate annotations (rejected, similar, equal) and of the reviewer's annotations."""

PLACES = "⇄"
"""Glyph of evidence in lists of annotations."""

NOTED = "✎"
"""Glyph of a note in lists of annotations."""
