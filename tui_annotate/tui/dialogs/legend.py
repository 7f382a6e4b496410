"""What the marks of texts, lists and bars mean, for each kind of screen."""

from __future__ import annotations

from typing import Final, NamedTuple

from tui_annotate.tui import palette
from tui_annotate.tui.row_widgets import Words


class LegendEntry(NamedTuple):
    """A mark as it is drawn, in pieces with roles, and what it means."""

    pieces: tuple[Words, ...]
    meaning: str


def _mark(sign: str, meaning: str, role: str = "quiet") -> LegendEntry:
    return LegendEntry(((sign, role),), meaning)


def _on_text(
    sign: str, role: str, meaning: str, *, sign_role: str = "text", word: str = "text"
) -> LegendEntry:
    """A sign in front of words that have a look of their own."""
    return LegendEntry(((f"{sign} ", sign_role), (word, role)), meaning)


def _letter(sign: str, meaning: str) -> LegendEntry:
    return _on_text(sign, "underlined", meaning, sign_role="label 0")


_STRENGTHS = (
    "a match: about one in ten of these holds the evidence",
    "one in four",
    "every other one",
    "two in three",
    "four in five",
)

STATE_MARKS: Final = tuple(
    _mark(glyph, f"a sample: {state}", "accent") for state, glyph in palette.STATE_GLYPHS.items()
)
_CURSOR: Final = (
    _mark(palette.CURRENT, "the sentence the cursor is in", "text"),
    _on_text(palette.FOCUS_BAR, "selection", "selected, or focused"),
    _on_text(palette.FOUND, "search", "found by a search"),
    _mark("␛ ▫", "a character of the text that can not be shown"),
)
_LISTED: Final = (
    _mark(f"{palette.PLACES}2", "an annotation with two places as evidence"),
    _mark(palette.NOTED, "an annotation with a note"),
)
_CLOSED_LABEL: Final = _mark("(…)", "behind a label: retired, or split and to be chosen anew")
_CITED: Final = "behind a sentence of a report: what it cites"
_MATCHES: Final = (
    *(
        _on_text(palette.STRENGTH_GLYPHS[at], f"match {at}", meaning, sign_role=f"glyph {at}")
        for at, meaning in enumerate(_STRENGTHS, 1)
    ),
    _mark("2", "a digit is a rank: match 2 starts here; n and N walk them", "text"),
)
_ON_TEXTS: Final = (
    _mark("text", "in the focused match: a word that the selection has too", "underlined"),
    _on_text(palette.CONFLICT, "conflict", "a number, date or name that may differ", word="12"),
    _on_text(palette.LACKING, "lacking", "after i: words the source has nowhere"),
)
_CITATIONS: Final = (
    _mark("[id]", f"{_CITED}; c walks through it"),
    _mark("[id]", "the citation that was walked to", "underlined"),
    _on_text(
        palette.SUGGESTED, "suggested", "suggested by a machine; c walks, where [id] stands a"
    ),
    _mark("text", "several annotations on the same words", "overlap"),
    _mark(palette.SEVERAL, "several of these on one line; a and c walk through them", "label 1"),
    *_LISTED,
    _mark(palette.GOLD, "a right answer; over a passage: which one holds it", "label 0"),
    _CLOSED_LABEL,
)

ANNOTATE_MARKS: Final[tuple[LegendEntry, ...]] = (
    *_MATCHES,
    _on_text(palette.CHOSEN, "evidence", "taken as evidence of the draft"),
    _mark(f"{palette.CHOSEN}2", "match 2, taken", "text"),
    _mark(palette.FORMER, "your evidence before, beside another summary of this text"),
    *_ON_TEXTS,
    _letter("A", "an annotation; a small letter: a draft"),
    *_CITATIONS,
    _mark(palette.OPENS_MORE, "behind a label: it has labels of its own"),
    *_CURSOR,
    *STATE_MARKS,
)
"""The marks of annotating: of documents, of the bar and of the queue."""

VIEW_MARKS: Final[tuple[LegendEntry, ...]] = (
    _letter("A", "an annotation, in the colour of its label"),
    _on_text(palette.CHOSEN, "evidence", "evidence of the annotation in hand"),
    *_MATCHES,
    *_ON_TEXTS,
    *_CITATIONS,
    *_CURSOR,
)
"""The marks of a file that is looked at."""

REVIEW_MARKS: Final[tuple[LegendEntry, ...]] = (
    _letter("1", "rival 1 of the place in hand"),
    _letter("0", "one of further rivals: 0 shows these"),
    _on_text(palette.OPENS_MORE, "text", "the rival that was chosen", word="Label A B"),
    _on_text(
        palette.CHOSEN,
        "text",
        "a rival of which something stands",
        sign_role="good",
        word="Label A B",
    ),
    _on_text(palette.REFUSED, "text", "a rival that was refused", word="Label A B"),
    _letter(palette.CONFLICT, "a conflict: labels, or not all"),
    _letter(palette.NEARLY, "the same label, of other extents"),
    _letter(palette.AGREED, "all agree: taken with the sample"),
    _letter(palette.CHOSEN, "what you made of a place"),
    _letter(palette.REFUSED, "a place that you refused"),
    _letter(palette.OWN, "what you added"),
    _mark("[id]", _CITED),
    _CLOSED_LABEL,
    *_LISTED,
    _mark(palette.SEVERAL, "several places on one line; a walks through them", "label 1"),
    _on_text(palette.CHOSEN, "evidence", "evidence of what is in hand"),
    *_CURSOR,
    *STATE_MARKS,
)
"""The marks of review: of texts, of the bar and of the queue."""
