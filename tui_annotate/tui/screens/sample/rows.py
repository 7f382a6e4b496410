"""Pure functions that turn a sample and its unsaved work into the values of the widgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.report_collections import RATED_KINDS
from tui_annotate.domain.samples import Match, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.editor import key_lines
from tui_annotate.editor.actions import action_of
from tui_annotate.editor.contrast import Place, TextContrast, match_pair
from tui_annotate.editor.glyphs import SUGGESTED
from tui_annotate.editor.key_map import KeyMap
from tui_annotate.editor.screen_message import Plural, ScreenMessage
from tui_annotate.editor.state import DECLINE, RATING, REASON, Draft, letter
from tui_annotate.editor.words import (
    describe_anchor,
    describe_labels,
    describe_maker,
    describe_origin,
    digit_range,
    join_label_names,
)
from tui_annotate.tui.label_colors import label_slot
from tui_annotate.tui.screens.sample.signals import SignalsStatus
from tui_annotate.tui.widgets.annotation_list import ListedAnnotation
from tui_annotate.tui.widgets.document_pane import AnnotationMark
from tui_annotate.tui.widgets.label_bar import Option
from tui_annotate.tui.widgets.match_list import MatchRow

_LONGEST: Final = 400  # maximum characters of a text in a row


class SampleMessage(ScreenMessage):
    """Texts of the screen of a sample, except those of the status line."""

    SUGGESTIONS_HIDDEN = "{count} hidden"
    READ_ONLY = "read-only"
    LOCKED = "locked"
    PRACTICE = "practice"
    SECOND_READING = "2nd reading"
    OWN_WORDS = "other reason"
    NOT_RATED = "not rated"
    PARENT_ITSELF = "parent label"
    SENTENCE = "sentence {number}/{count}"
    NO_TEXT = "no text"
    MATCH = "match {rank}/{count} · {score:.2f}"
    NO_MATCH = "no match"
    SIDE_HIDDEN = "{side} hidden"
    TO_RELABEL = "{count} to relabel"
    MATCHES_FOR = "for {claim}"
    ONE_OF = "{labels}?"
    MISSING = "missing: {fields}"
    MATCHES_TITLE = "MATCHES"
    ANNOTATIONS_TITLE = "ANNOTATIONS"
    FOUND = "{count} found"
    THEME = "theme {name}"
    THEME_OF_ACCOUNT = "View settings · saved for your account"
    THEME_UNTIL_QUIT = "View settings · kept until you quit"
    FIND_IN = "Find in {side}"
    FIND_ACTION = "Search for an action…"
    NO_ACTION = "No such action"
    SUGGESTIONS = Plural("{count:,} suggestion", "{count:,} suggestions")
    ANNOTATIONS = Plural("{count:,} annotation", "{count:,} annotations")
    LETTERS_KEY = "letters"
    WORD_KEY = "word"
    ONE_WORD_KEY = "one word"
    CANCEL_KEY = "cancel"
    TOO_SMALL = "Too small: {columns} x {rows} needed"


def describe_open_suggestions(draft: Draft) -> str:
    """Return the number of suggestions that wait or are hidden; empty for none."""
    if draft.suggestions_hidden:
        if not draft.suggestions:
            return ""
        return SampleMessage.SUGGESTIONS_HIDDEN.text(count=len(draft.suggestions))
    number = len(draft.offered)
    return SampleMessage.SUGGESTIONS.text(count=number) if number else ""


def _suggestion_rows(
    draft: Draft, cache: dict[str, ListedAnnotation]
) -> Iterator[ListedAnnotation]:
    """Return the list rows of the shown suggestions, in reading order; `cache` keeps rows by id."""
    for one in draft.offered:
        if one.id not in cache:  # building 200 rows would take half a frame at each key
            cache[one.id] = _suggestion_row(draft, one)
        row = cache[one.id]
        yield replace(row, focused=True) if one.id == draft.focused else row


def _suggestion_row(draft: Draft, one: Suggestion) -> ListedAnnotation:
    return ListedAnnotation(
        letter=SUGGESTED,
        labels=draft.label_names(one.labels),
        claim=quote_anchors(draft, one.claim or one.evidence),
        evidence=len(one.evidence),
        note=" ".join(one.note[:_LONGEST].split()),
        draft_reason="",
        focused=False,
        colour_slot=0,
        maker=describe_maker(one),
    )


def quote_anchors(draft: Draft, anchors: Sequence[Anchor]) -> str:
    """Quote the text of some spans on one line, joined by ellipses."""
    texts = (
        draft.text(anchor.side, anchor.index)[anchor.span.start : anchor.span.end][:_LONGEST]
        for anchor in anchors
    )
    return " … ".join(" ".join(text.split()) for text in texts)


class SuggestionMarks:
    """The highlights of suggestions; unchanged ones are the same objects, which are found fast."""

    def __init__(self) -> None:
        self._last: dict[Side, tuple[Sequence[Suggestion], int, str]] = {}
        self._marks: dict[Side, tuple[AnnotationMark, ...]] = {}

    def find(self, draft: Draft, side: Side) -> Sequence[AnnotationMark]:
        """Return the highlights of suggestions in the displayed document of a side.

        In the summary, the claims of all suggestions are marked. In the source, only the evidence
        of the focused suggestion is marked.
        """
        at = draft.pointers[side].document
        offered = draft.offered
        here = draft.focused_suggestion
        focused = here.id if here else ""
        last = self._last.get(side)
        if last and last[0] is offered and last[1:] == (at, focused):
            return self._marks[side]
        shown: Sequence[Suggestion] = ()
        if side is Side.SUMMARY:
            shown = offered
        elif here:
            shown = (here,)
        self._last[side] = (offered, at, focused)
        self._marks[side] = tuple(
            AnnotationMark(anchor.span, SUGGESTED, focused=one.id == focused, suggested=True)
            for one in shown
            for anchor in (one.claim if side is Side.SUMMARY else one.evidence)
            if anchor.index == at
        )
        return self._marks[side]


_REASON = 28  # maximum cells of the names of labels to choose from
_NAME = 16  # maximum cells of a side's name before a document's number
_ZERO_WORDS = {  # the meaning of the digit 0, by the kind of the pending question
    "reason": SampleMessage.OWN_WORDS,
    DECLINE: SampleMessage.OWN_WORDS,
    RATING: SampleMessage.NOT_RATED,
}


def describe_reading(person: Person | None, *, practice: bool) -> str:
    """Describe a practice sample or a second reading, for the header; empty for other samples."""
    if practice:
        return SampleMessage.PRACTICE.text()
    again = person is not None and person.kind is PersonKind.AGAIN
    return SampleMessage.SECOND_READING.text() if again else ""


def bar(draft: Draft) -> tuple[list[Option], str, bool]:
    """Return the label bar's content: options, title, and whether digit keys do nothing."""
    pending = draft.pending
    has_colours = pending is None or pending.kind not in _ZERO_WORDS
    options: list[Option] = []
    for option in draft.options():
        slot = label_slot(draft.tree, option.path) if has_colours else -1
        options.append((option.digit, option.text, option.opens, option.chosen, slot))
    if pending is None and (split := draft.split_label):
        return options, f"{split.name}:", False
    if pending is None:
        return options, "", draft.digits_off or not draft.claim
    if pending.kind == "child":
        options.append(("0", SampleMessage.PARENT_ITSELF.text(), False, False, -1))
    elif pending.kind in _ZERO_WORDS:
        options.append(("0", _ZERO_WORDS[pending.kind].text(), False, False, -1))
    return options, describe_labels([pending.path]) if pending.path else "", False


def key_pairs(
    keys: KeyMap, draft: Draft, usual: key_lines.Names = key_lines.READING_LINE
) -> tuple[tuple[str, str], ...]:
    """Return (key, name) of the actions on the key line, in the state of the draft."""
    if draft.hints:
        return (
            (SampleMessage.LETTERS_KEY.text(), SampleMessage.WORD_KEY.text()),
            ("Enter", SampleMessage.ONE_WORD_KEY.text()),
            ("Backspace", SampleMessage.CANCEL_KEY.text()),
        )
    question = draft.pending.kind if draft.pending else ""
    if question == "evidence" and draft.focused_match is None:
        question = "evidence by hand"
    if draft.writing and draft.writing.kind in (REASON, DECLINE):
        question = key_lines.TYPED_REASON
    named = usual
    if (one := draft.focused_suggestion) and draft.digits_off:
        named = key_lines.CITING_SUGGESTION_LINE if draft.cites else key_lines.SUGGESTION_LINE
        if not one.labels:
            named = named[1:]
    elif draft.sample.kind in RATED_KINDS:
        alone = not draft.sample.side(Side.SOURCE) and draft.sample.kind is SampleKind.DOCUMENT
        named = tuple(
            (name, short)
            for name, short in key_lines.ITEM_LINE
            if not (alone and action_of(name).needs_source)
        )
    digits = digit_range(draft.options())
    return keys.line(draft.state, question=question, digits=digits, named=named)


class Title(NamedTuple):
    """The title over a pane: name, notes next to it, position at the right, and the signals.

    `extra` describes the signals where no list of matches shows them.
    """

    name: str
    notes: tuple[str, ...]
    right: str
    extra: str = ""


def title(draft: Draft, side: Side, *, signals: SignalsStatus, conflict: str = "") -> Title:
    """Return the title of the summary or source.

    `conflict` describes a possible contradiction; missing vectors are named if there is none.
    """
    sentences = draft.sentences(side)
    at = SampleMessage.SENTENCE if sentences else SampleMessage.NO_TEXT
    right = at.text(number=draft.segment(side) + 1, count=len(sentences))
    if side is Side.SUMMARY:
        number = len(draft.annotations)
        count = SampleMessage.ANNOTATIONS.text(count=number) if number else ""
        notes = (count, describe_open_suggestions(draft), describe_split(draft))
        return Title(draft.tree.summary_title.upper(), notes, right)
    documents = draft.sample.side(side)
    name = draft.tree.source_title.upper()
    if len(documents) > 1:
        index = draft.pointers[side].document
        document = documents[index]
        name = cut(line_text(name), _NAME)  # so that the number is never cut
        name = f"{name} {index + 1}/{len(documents)} {document.title or document.key}"
    if not sentences:
        return Title(name, (), right)
    match = draft.focused_match
    matches = draft.matches[Side.SOURCE]
    note = "" if signals.searching else SampleMessage.NO_MATCH.text()
    if match:
        note = SampleMessage.MATCH.text(rank=match.rank, count=len(matches), score=match.score)
    if conflict or not signals.limited:
        return Title(name, (note, conflict), right, signals.text)
    return Title(name, (note, signals.text), right)


def describe_hidden_side(draft: Draft, side: Side) -> str:
    """Return that a text is hidden, for the layout with one text."""
    titles = {Side.SOURCE: draft.tree.source_title, Side.SUMMARY: draft.tree.summary_title}
    return SampleMessage.SIDE_HIDDEN.text(side=cut(line_text(titles[side]), _NAME))


def describe_split(draft: Draft) -> str:
    """Return how many annotations need a new label because their label was split."""
    if not any(label.split for label in draft.tree.walk()):
        return ""  # quick exit at each key, as most label sets have no split label
    number = sum(bool(draft.tree.split(known.labels)) for known in draft.annotations)
    return SampleMessage.TO_RELABEL.text(count=number) if number else ""


def contrasted(
    draft: Draft, place: Place, found: TextContrast
) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return the spans of shared words, and of possible contradictions, in one document."""
    now = match_pair(draft)
    if now is None:
        return (), ()
    if place == now.match_document:
        return found.shared, found.evidence
    if place == now.anchor_document:
        return (), found.claims
    return (), ()


def describe_match_source(draft: Draft) -> str:
    """Describe the selection to which the listed matches belong; empty if there is none."""
    anchor = draft.current_anchor(draft.side)
    if anchor is None:
        return ""
    return SampleMessage.MATCHES_FOR.text(claim=describe_anchor(draft, anchor))


def match_rows(draft: Draft) -> tuple[MatchRow, ...]:
    """Return the list rows of the matches in the other text, best first."""
    side = draft.side.other
    return tuple(_match_row(draft, side, match) for match in draft.matches[side])


def _match_row(draft: Draft, side: Side, match: Match) -> MatchRow:
    several = len(draft.sample.side(side)) > 1
    place = f"{match.document + 1}:" if several else ""
    start = match.span.start
    text = draft.text(side, match.document)[start : min(match.span.end, start + _LONGEST)]
    return MatchRow(
        rank=match.rank,
        score=match.score,
        strength=match.strength,
        position=f"{place}s{match.segment + 1}",
        text=" ".join(text.split()),
        taken=side is Side.SOURCE and draft.taken(match),
        former=side is Side.SOURCE and draft.is_former_evidence(match),
    )


def annotation_rows(
    draft: Draft, cache: dict[str, ListedAnnotation] | None = None
) -> tuple[ListedAnnotation, ...]:
    """Return the list rows of the annotations in reading order, then of the suggestions."""
    own = (
        _annotation_row(draft, annotation, letter(at))
        for at, annotation in enumerate(draft.annotations)
    )
    return (*own, *_suggestion_rows(draft, {} if cache is None else cache))


def _annotation_row(draft: Draft, annotation: Annotation, name: str) -> ListedAnnotation:
    lacks = draft.tree.lacks(annotation)
    return ListedAnnotation(
        letter=name,
        labels=draft.label_names(annotation.labels),
        claim=quote_anchors(draft, annotation.claim or annotation.evidence),
        evidence=len(annotation.evidence),
        note=" ".join(annotation.note.split()),
        draft_reason=_describe_missing(draft, annotation, lacks),
        focused=_is_focused(draft, annotation),
        colour_slot=slot_of(draft, annotation.labels),
        maker=describe_origin(annotation.suggested),
    )


def _describe_missing(draft: Draft, annotation: Annotation, lacks: Sequence[str]) -> str:
    """Describe what an incomplete annotation lacks; empty for a complete one."""
    for split in draft.tree.split(annotation.labels):
        if parts := draft.tree.parts(split):
            names = join_label_names(parts, last=" or ")
            return cut(line_text(SampleMessage.ONE_OF.text(labels=names)), _REASON)
    return SampleMessage.MISSING.text(fields=" and ".join(lacks)) if lacks else ""


def _is_focused(draft: Draft, annotation: Annotation) -> bool:
    is_edited = draft.editing is not None and draft.editing.id == annotation.id
    return is_edited or draft.focused == annotation.id


def slot_of(draft: Draft, labels: Sequence[LabelPath]) -> int:
    """Return the colour number of the first label; 0 without labels."""
    return label_slot(draft.tree, labels[0]) if labels else 0


def marks(draft: Draft, side: Side) -> tuple[AnnotationMark, ...]:
    """Return the highlights of annotations in a displayed document."""
    at = draft.pointers[side].document
    return tuple(
        AnnotationMark(
            span=anchor.span,
            letter=letter(place),
            slot=slot_of(draft, annotation.labels),
            focused=_is_focused(draft, annotation),
            draft=bool(draft.tree.lacks(annotation)),
        )
        for place, annotation in enumerate(draft.annotations)
        for anchor in annotation.anchors
        if (anchor.side, anchor.index) == (side, at)
    )
