"""The legends of marks in texts, lists and bars, for each kind of screen."""

from __future__ import annotations

from typing import Final, NamedTuple

from tui_annotate.tui import palette
from tui_annotate.tui.row_widgets import Words


class LegendEntry(NamedTuple):
    """An entry of a legend: a mark, as pieces of text with roles, and its meaning."""

    pieces: tuple[Words, ...]
    meaning: str


def _mark(sign: str, meaning: str, role: str = "quiet") -> LegendEntry:
    return LegendEntry(((sign, role),), meaning)


def _on_text(
    sign: str, role: str, meaning: str, *, sign_role: str = "text", word: str = "text"
) -> LegendEntry:
    """Create an entry for a glyph in front of a word with a style."""
    return LegendEntry(((f"{sign} ", sign_role), (word, role)), meaning)


def _letter(sign: str, meaning: str) -> LegendEntry:
    return _on_text(sign, "underlined", meaning, sign_role="label 0")


_STRENGTHS = (
    "a match: about 1 in 10 of these is evidence",
    "a match: about 1 in 4 is evidence",
    "a match: about 1 in 2 is evidence",
    "a match: about 2 in 3 are evidence",
    "a match: about 4 in 5 are evidence",
)

STATE_MARKS: Final = tuple(
    _mark(glyph, f"a sample: {palette.STATE_NAMES[state]}", "accent")
    for state, glyph in palette.STATE_GLYPHS.items()
)
_CURSOR: Final = (
    _mark(palette.CURRENT, "the sentence under the cursor", "text"),
    _on_text(palette.FOCUS_BAR, "selection", "selected, or focused"),
    _on_text(palette.FOUND, "search", "found by a search"),
    _mark("␛ ▫", "a character that cannot be displayed"),
)
_LISTED: Final = (
    _mark(f"{palette.PLACES}2", "an annotation with two spans of evidence"),
    _mark(palette.NOTED, "an annotation with a note"),
)
_CLOSED_LABEL: Final = _mark("(…)", "after a label: retired, or split (choose again)")
_CITED: Final = "after a sentence of a report: its citation"
_MATCHES: Final = (
    *(
        _on_text(palette.STRENGTH_GLYPHS[at], f"match {at}", meaning, sign_role=f"glyph {at}")
        for at, meaning in enumerate(_STRENGTHS, 1)
    ),
    _mark("2", "a digit is a rank: match 2 starts here; n N next, previous", "text"),
)
_ON_TEXTS: Final = (
    _mark("text", "in the focused match: a word of the selection", "underlined"),
    _on_text(palette.CONFLICT, "conflict", "a number, date or name that may differ", word="12"),
    _on_text(palette.LACKING, "lacking", "words not found in the source (key i)"),
)
_CITATIONS: Final = (
    _mark("[id]", f"{_CITED}; c next"),
    _mark("[id]", "the citation in focus", "underlined"),
    _on_text(palette.SUGGESTED, "suggested", "suggested by a machine; c next (a in a report)"),
    _mark("text", "several annotations on the same words", "overlap"),
    _mark(palette.SEVERAL, "several annotations on one line; a and c next", "label 1"),
    *_LISTED,
    _mark(palette.GOLD, "a correct answer, or a passage with the answer", "label 0"),
    _CLOSED_LABEL,
)

ANNOTATE_MARKS: Final[tuple[LegendEntry, ...]] = (
    *_MATCHES,
    _on_text(palette.CHOSEN, "evidence", "taken as evidence of the draft"),
    _mark(f"{palette.CHOSEN}2", "match 2, taken as evidence", "text"),
    _mark(palette.FORMER, "your evidence for another summary of this source"),
    *_ON_TEXTS,
    _letter("A", "an annotation; a small letter: incomplete"),
    *_CITATIONS,
    _mark(palette.OPENS_MORE, "after a label: the label has sublabels"),
    *_CURSOR,
    *STATE_MARKS,
)
"""Legend of annotating: marks of documents, label bar and queue."""

VIEW_MARKS: Final[tuple[LegendEntry, ...]] = (
    _letter("A", "an annotation, in the colour of its label"),
    _on_text(palette.CHOSEN, "evidence", "evidence of the focused annotation"),
    *_MATCHES,
    *_ON_TEXTS,
    *_CITATIONS,
    *_CURSOR,
)
"""Legend of the viewer."""

REVIEW_MARKS: Final[tuple[LegendEntry, ...]] = (
    _letter("1", "candidate 1 of the current group"),
    _letter("0", "one of the further candidates: 0 shows them"),
    _on_text(palette.OPENS_MORE, "text", "the chosen candidate", word="Label A B"),
    _on_text(
        palette.CHOSEN,
        "text",
        "a candidate that was accepted or edited",
        sign_role="good",
        word="Label A B",
    ),
    _on_text(palette.REFUSED, "text", "a candidate that was rejected", word="Label A B"),
    _letter(palette.CONFLICT, "a conflict: other labels, or not annotated by all"),
    _letter(palette.NEARLY, "the same label with different spans"),
    _letter(palette.AGREED, "all annotators agree: Enter accepts"),
    _letter(palette.CHOSEN, "your adjudicated annotation"),
    _letter(palette.REFUSED, "a group that you rejected"),
    _letter(palette.OWN, "an annotation that you added"),
    _mark("[id]", _CITED),
    _CLOSED_LABEL,
    *_LISTED,
    _mark(palette.SEVERAL, "several groups on one line; a next", "label 1"),
    _on_text(palette.CHOSEN, "evidence", "evidence of the current candidate"),
    *_CURSOR,
    *STATE_MARKS,
)
"""Legend of review: marks of texts, label bar and queue."""
