"""The legends that explain symbols in texts, lists and bars, for each kind of screen."""

from __future__ import annotations

from typing import Final, NamedTuple

from tui_annotate.editor import glyphs
from tui_annotate.tui.row_widgets import Words


class LegendEntry(NamedTuple):
    """An entry of a legend: a symbol, as pieces of text with their styles, and its meaning.

    The meaning is a text that `screen_text` looks up.
    """

    pieces: tuple[Words, ...]
    meaning: str


def _mark(sign: str, meaning: str, role: str = "quiet") -> LegendEntry:
    return LegendEntry(((sign, role),), meaning)


def _on_text(
    sign: str, role: str, meaning: str, *, sign_role: str = "text", word: str = "text"
) -> LegendEntry:
    return LegendEntry(((f"{sign} ", sign_role), (word, role)), meaning)


def _letter(sign: str, meaning: str) -> LegendEntry:
    return _on_text(sign, "underlined", meaning, sign_role="label 0")


def _match(strength: int, meaning: str) -> LegendEntry:
    glyph = glyphs.STRENGTH_GLYPHS[strength]
    return _on_text(glyph, f"match {strength}", meaning, sign_role=f"glyph {strength}")


STATE_MARKS: Final = (
    _mark(glyphs.STATE_GLYPHS["new"], "a new sample", "accent"),
    _mark(glyphs.STATE_GLYPHS["draft"], "a sample in progress", "accent"),
    _mark(glyphs.STATE_GLYPHS["done"], "a completed sample", "accent"),
    _mark(glyphs.STATE_GLYPHS["skipped"], "a skipped sample", "accent"),
    _mark(glyphs.STATE_GLYPHS["flagged"], "a flagged sample", "accent"),
    _mark(glyphs.STATE_GLYPHS["reopened"], "a reopened sample", "accent"),
)
REVIEW_STATE_MARKS: Final = (
    _mark(glyphs.STATE_GLYPHS["new"], "a sample without decisions", "accent"),
    _mark(glyphs.STATE_GLYPHS["draft"], "a sample with decisions, not adjudicated yet", "accent"),
    _mark(glyphs.STATE_GLYPHS["done"], "an adjudicated sample", "accent"),
    _mark(
        glyphs.STATE_GLYPHS["reopened"],
        "a sample that was reopened, or changed since its adjudication",
        "accent",
    ),
)
_CURSOR: Final = (
    _mark(glyphs.CURRENT, "the sentence under the cursor", "text"),
    _on_text(glyphs.FOCUS_BAR, "selection", "selected or focused words"),
    _on_text(glyphs.FOUND, "search", "words that a search found"),
    _mark("␛ ▫", "a character that cannot be displayed"),
)
_LISTED: Final = (
    _mark(f"{glyphs.PLACES}2", "an annotation with two spans of evidence"),
    _mark(glyphs.NOTED, "an annotation with a note"),
)
_CLOSED_LABEL: Final = _mark("(…)", "a label that is retired or was split: choose another one")
_MATCHES: Final = (
    _match(1, "match, strength 1 of 5: about 10 % are evidence"),
    _match(2, "match, strength 2 of 5: about 25 % are evidence"),
    _match(3, "match, strength 3 of 5: about 50 % are evidence"),
    _match(4, "match, strength 4 of 5: about 67 % are evidence"),
    _match(5, "match, strength 5 of 5: about 80 % are evidence"),
    _mark("2", "match 2 begins here; key n goes to the next match, N to the previous", "text"),
)
_ON_TEXTS: Final = (
    _mark("text", "in the focused match: a word that also occurs in the selection", "underlined"),
    _on_text(glyphs.CONFLICT, "conflict", "a number, date or name that may be wrong", word="12"),
    _on_text(
        glyphs.LACKING,
        "lacking",
        "words not found in the source; key i shows or hides these marks",
    ),
)
_CITATIONS: Final = (
    _mark(
        "[id]", "the sentence before this mark cites a document; key c goes to the next citation"
    ),
    _mark("[id]", "the focused citation", "underlined"),
    _on_text(
        glyphs.SUGGESTED,
        "suggested",
        "a suggestion of a machine; key c (in a report: a) goes to the next",
    ),
    _mark("text", "several annotations on the same words", "overlap"),
    _mark(glyphs.SEVERAL, "several annotations on one line; key a goes to the next", "label 1"),
    *_LISTED,
    _mark(glyphs.GOLD, "a correct answer, or a passage with the answer", "label 0"),
    _CLOSED_LABEL,
)

ANNOTATE_MARKS: Final[tuple[LegendEntry, ...]] = (
    *_MATCHES,
    _on_text(glyphs.CHOSEN, "evidence", "words chosen as evidence of the unsaved annotation"),
    _mark(f"{glyphs.CHOSEN}2", "match 2, chosen as evidence of the unsaved annotation", "text"),
    _mark(glyphs.FORMER, "evidence that you took for another summary of this source"),
    *_ON_TEXTS,
    _letter("A", "annotation A"),
    _letter("a", "annotation A, which is incomplete: it lacks a required part"),
    *_CITATIONS,
    _mark(glyphs.OPENS_MORE, "after a label that has sublabels"),
    *_CURSOR,
    *STATE_MARKS,
)

VIEW_MARKS: Final[tuple[LegendEntry, ...]] = (
    _letter("A", "an annotation, in the colour of its label"),
    _on_text(glyphs.CHOSEN, "evidence", "evidence of the focused annotation"),
    *_MATCHES,
    *_ON_TEXTS,
    *_CITATIONS,
    *_CURSOR,
)

REVIEW_MARKS: Final[tuple[LegendEntry, ...]] = (
    _letter("1", "candidate annotation 1 of the current group"),
    _letter(
        "0", "a further candidate annotation; key 0 shows the next candidates with their digits"
    ),
    _on_text(
        glyphs.CURRENT_CHOICE,
        "text",
        "the chosen candidate annotation; A and B are its annotators (key W shows names)",
        word="Label A B",
    ),
    _on_text(
        glyphs.CHOSEN,
        "text",
        "a candidate annotation that was accepted or edited",
        sign_role="good",
        word="Label A B",
    ),
    _on_text(glyphs.REFUSED, "text", "a candidate annotation that was rejected", word="Label A B"),
    _letter(glyphs.CONFLICT, "conflict: labels differ, or not all annotators marked the words"),
    _letter(glyphs.NEARLY, "partly agreed: annotators gave the same labels to different spans"),
    _letter(
        glyphs.AGREED,
        "agreed: same words and label, perhaps other evidence; Enter accepts all of it",
    ),
    _letter(glyphs.CHOSEN, "your adjudicated annotation"),
    _letter(glyphs.REFUSED, "a group of candidate annotations that you rejected"),
    _letter(glyphs.OWN, "an annotation that you added"),
    _mark("[id]", "the sentence before this mark cites a document"),
    _CLOSED_LABEL,
    *_LISTED,
    _mark(
        glyphs.SEVERAL,
        "several groups of candidates on one line; key a goes to the next",
        "label 1",
    ),
    _on_text(glyphs.CHOSEN, "evidence", "evidence of the current candidate annotation"),
    *_CURSOR,
    *REVIEW_STATE_MARKS,
)
