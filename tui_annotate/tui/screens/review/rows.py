"""Pure functions that turn a sample in review into the values of the widgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.line_text import cut, line_text, text_width
from tui_annotate.domain.samples import Side
from tui_annotate.editor.glyphs import (
    AGREED,
    CHOSEN,
    CONFLICT,
    CURRENT_CHOICE,
    FOCUS_BAR,
    NEARLY,
    NOTED,
    OWN,
    PLACES,
    REFUSED,
)
from tui_annotate.editor.review.state import ReviewDraft, ReviewPosition
from tui_annotate.editor.review.words import describe_group_status, describe_refusal
from tui_annotate.editor.screen_message import Plural, ScreenMessage
from tui_annotate.editor.words import quote_text
from tui_annotate.methods.adjudication import GroupDecision, GroupStatus
from tui_annotate.tui.row_widgets import Words, wrap_words
from tui_annotate.tui.screens.sample import item_rows
from tui_annotate.tui.screens.sample.rows import Title, slot_of, title
from tui_annotate.tui.screens.sample.signals import SignalsStatus
from tui_annotate.tui.widgets.document_pane import AnnotationMark
from tui_annotate.tui.widgets.label_bar import Option


class ReviewMessage(ScreenMessage):
    """Texts of the review screen, except the texts of the status line (see `ReviewText`)."""

    CANDIDATES_TITLE = "CANDIDATES"
    NO_ANNOTATIONS = "No annotations here"
    ANNOTATION = "annotation"
    ANNOTATION_GONE = "deleted since, or not completed yet"
    ADJUDICATED = "adjudicated: {labels}"
    REFUSED = "rejected: {reason}"
    OWN = "your own: {labels}"
    SOURCES_LOST = "its candidate was deleted, or is not complete now"
    POSITION = "group {number}/{count}"
    POSITIONS = Plural("{count:,} group, {open} undecided", "{count:,} groups, {open} undecided")
    OWN_ANNOTATION = "your own"
    ACCEPTED_BEFORE = "accepted, no candidate now"
    EVIDENCE = Plural("{count:,} evidence span", "{count:,} evidence spans")
    NO_EVIDENCE = "no evidence"
    RATED = "rated {ratings}"
    NOT_COMPLETED = "{count} not completed"
    REOPENED = "{count} reopened"
    CHANGED = "changed since adjudication: {people}"
    EDITED = "edited after adjudication: {people}"
    OWN_WORDS = "other reason"
    NOTES_PAGE = "Notes"
    NOTE_OF = "{people}: {note}"
    AN_ANNOTATOR = "an annotator"
    A_REVIEWER = "a reviewer"
    NEXT_CANDIDATES = "more"
    THREAD_TITLE = "Annotator's question about this sample"
    THREAD_TITLE_ONE_MORE = "Annotator's question about this sample · 1 more question is unanswered"
    THREAD_TITLE_MORE = (
        "Annotator's question about this sample · {count} more questions are unanswered"
    )
    ANSWER_HINT = "your answer"
    NO_SAMPLE = (
        "No samples to review (q quits): two annotators must complete a sample before its review"
    )


_QUOTE = 12  # minimum cells of a claim in the bar
_AROUND = 9  # cells of an option in addition to its words: digit, glyph, space
_LEAST_CELLS = 10  # cells of a candidate's words; with fewer, the bar takes another row
_DECISION_SIGNS = {GroupDecision.REJECTED: REFUSED, GroupDecision.KEPT: CHOSEN}
_STATUS_SIGNS = {
    GroupStatus.AGREED: AGREED,
    GroupStatus.NEARLY: NEARLY,
    GroupStatus.CONFLICT: CONFLICT,
}
_FURTHER_CELLS = 7  # cells of the option for further candidates without its text
LONGEST: Final = 44
"""Maximum width of a candidate annotation in the label bar, in cells."""
_LONGEST = 400  # maximum characters of a text in a list


def bar(draft: ReviewDraft, cells: int, *, rows: int = 2) -> tuple[list[Option], str, bool]:
    """Return the label bar's content in review: candidates, title, and whether digits do nothing.

    Labels are cut so that the letters of the annotators fit. Claims are quoted if they differ and
    there is room. Of the `rows`, the third is used only if nine candidates would leave too little
    room for their labels.
    """
    first = draft.page * 9
    options: list[Option] = []
    candidates = draft.candidates[first : first + 9]
    several = len({candidate.claim for candidate in draft.candidates}) > 1
    further = len(draft.candidates) > 9
    further_text = ReviewMessage.NEXT_CANDIDATES.text()
    # Room for the text of an option in two rows, or in more if that were too little.
    in_a_row = max((len(candidates) + further + 1) // 2, 1)
    available = min((cells - 1) // in_a_row - _AROUND, LONGEST)
    if available < _LEAST_CELLS and rows > 2:
        further_cells = text_width(further_text) + _FURTHER_CELLS if further else 0
        available = (cells - 1 - further_cells) // -(-len(candidates) // rows) - _AROUND
    for at, (option, candidate) in enumerate(zip(draft.options(), candidates, strict=True), first):
        front = ""
        if at == draft.candidate:
            front += CURRENT_CHOICE
        if draft.refusal_of(candidate):
            front += REFUSED
        people = draft.describe_people(candidate.people)
        least = max(available - text_width(f"{front}  {people}"), 4)
        text = f"{front} {cut(draft.label_names(candidate.labels), least)} {people}".strip()
        left = available - text_width(text) - 3
        if several and candidate.claim and left >= _QUOTE:
            anchor = candidate.claim[0]
            words = anchor.span.of(draft.text(anchor.side, anchor.index))
            text = f"{text} {quote_text(words, cells=left)}"
        options.append((option.digit, text, False, option.chosen, slot_of(draft, candidate.labels)))
    if further:
        options.append(("0", further_text, False, False, -1))
    return options, "", False


def titles(
    draft: ReviewDraft,
    side: Side,
    *,
    ratings: Sequence[tuple[str, Sequence[str]]] = (),
    commented: bool = False,
) -> Title:
    """Return the title of the summary or the source during review.

    The summary's title has the number and the state of the candidate group under review, the
    source's title the number of evidence spans.
    """
    name, _, right, _ = title(draft, side, signals=SignalsStatus())
    positions = draft.positions
    if side is Side.SOURCE:
        count = len(draft.shown_evidence())
        message = ReviewMessage.EVIDENCE if count else ReviewMessage.NO_EVIDENCE
        return Title(name, (message.text(count=count),), right)
    rated = [draft.rating] if draft.rating else [f"{''.join(by)} {word}" for word, by in ratings]
    rating = ReviewMessage.RATED.text(ratings=", ".join(rated)) if rated else ""
    if commented:
        rating = f"{rating} {NOTED}".strip()
    name = item_rows.name(draft, name)
    if draft.position is None:
        counts = ReviewMessage.POSITIONS.text(count=len(positions), open=draft.count_open())
        return Title(name, (counts if positions else "", rating), right)
    if draft.group:
        words = describe_group_status(draft, draft.group)
    elif draft.has_lost_sources(draft.position):
        words = ReviewMessage.ACCEPTED_BEFORE.text()
    else:
        words = ReviewMessage.OWN_ANNOTATION.text()
    position = ReviewMessage.POSITION.text(number=draft.at + 1, count=len(positions))
    return Title(name, (position, rating, words), right)


def marks(draft: ReviewDraft, side: Side) -> tuple[AnnotationMark, ...]:
    """Return the highlights of all candidate annotations in the document that a pane shows.

    In the candidate group under review, each candidate is marked by its digit. Other groups are
    marked by a glyph for their state.
    """
    at = draft.pointers[side].document
    return tuple(
        mark
        for number, position in enumerate(draft.positions)
        for anchor, mark in _spot_marks(draft, position, here=number == draft.at)
        if (anchor.side, anchor.index) == (side, at)
    )


def edited_claim(draft: ReviewDraft, side: Side) -> Iterator[AnnotationMark]:
    """Yield the highlights of the claim of an annotation that is being made from candidates."""
    at = draft.pointers[side].document
    known = {one.id for one in draft.annotations}
    if draft.editing and draft.editing.id not in known:
        for anchor in draft.claim:
            if (anchor.side, anchor.index) == (side, at):
                yield AnnotationMark(anchor.span, OWN, slot_of(draft, draft.labels), focused=True)


def _spot_marks(
    draft: ReviewDraft, position: ReviewPosition, *, here: bool
) -> Iterator[tuple[Anchor, AnnotationMark]]:
    """Yield the highlights of one group or own annotation; `here`: it is under review."""
    if position.own:
        slot = slot_of(draft, position.own.labels)
        sign = CHOSEN if draft.has_lost_sources(position) else OWN
        anchors = position.own.claim or position.own.evidence
        yield from _anchor_marks(anchors, sign, slot, here=here)
    elif position.group:
        made = {
            one.id: one
            for candidate in position.group.candidates
            for one in draft.adjudicated_from(candidate)
        }
        for one in made.values():
            yield from _anchor_marks(one.claim, CHOSEN, slot_of(draft, one.labels), here=here)
        sign = _DECISION_SIGNS.get(
            draft.decision_on(position.group), _STATUS_SIGNS[position.group.status]
        )
        for at, candidate in enumerate(position.group.candidates):
            if here or not made:
                focused = here and candidate in (draft.in_hand or (candidate,)) and not made
                letter = draft.digit(at) if here else sign
                if draft.refusal_of(candidate):
                    letter = REFUSED
                anchors = candidate.claim or candidate.evidence
                yield from _anchor_marks(
                    anchors, letter, slot_of(draft, candidate.labels), here=focused
                )


def _anchor_marks(
    anchors: Sequence[Anchor], letter: str, slot: int, *, here: bool
) -> Iterator[tuple[Anchor, AnnotationMark]]:
    for anchor in anchors:
        yield anchor, AnnotationMark(anchor.span, letter, slot, focused=here)


def candidates(draft: ReviewDraft, cells: int) -> tuple[list[list[Words]], int]:
    """Return the lines with the candidate annotations under review, and the focused line's index.

    The index is that of the first line of the chosen candidate, else of the first candidate that a
    digit can choose; -1 for neither.
    """
    position = draft.position
    focused = -1
    if position is None:
        return [[(f"   {ReviewMessage.NO_ANNOTATIONS.text()}", "quiet")]], focused
    # The first page of candidates needs no scrolling, so none of its lines is focused.
    shown = draft.candidate if draft.chosen else draft.page * 9 or -1
    lines: list[list[Words]] = []
    for at in range(len(draft.candidates)):
        if at == shown:
            focused = len(lines)
        lines += _candidate_lines(draft, at, cells=cells)
    if position.group:
        for one in draft.adjudicated_here():
            head = ReviewMessage.ADJUDICATED.text(labels=draft.label_names(one.labels))
            lines += _text_block(head, one.note, cells)
        if refused := list(filter(None, map(draft.refusal_of, draft.candidates))):
            reason = line_text(describe_refusal(refused[0]))
            message = ReviewMessage.REFUSED.text(reason=reason)
            lines.append([(f"  {REFUSED} {message}", "warning")])
    elif own := position.own:
        lost = draft.has_lost_sources(position)
        code = ReviewMessage.ADJUDICATED if lost else ReviewMessage.OWN
        lines += _text_block(code.text(labels=draft.label_names(own.labels)), own.note, cells)
        if lost:
            lines.append([(f"    {ReviewMessage.SOURCES_LOST.text()}", "warning")])
    return lines, focused


def _candidate_lines(draft: ReviewDraft, at: int, *, cells: int) -> list[list[Words]]:
    candidate = draft.candidates[at]
    chosen = at == draft.candidate
    sign = " "
    if draft.adjudicated_from(candidate):
        sign = CHOSEN
    elif draft.refusal_of(candidate):
        sign = REFUSED
    slot = slot_of(draft, candidate.labels)
    head: list[Words] = [
        (FOCUS_BAR if chosen else " ", "accent"),
        (f"{draft.digit(at)} ", f"label {slot}"),
        (f"{sign} ", "good"),
        (line_text(draft.label_names(candidate.labels)), "strong" if chosen else "text"),
        (f"  {line_text(draft.describe_people(candidate.people))}", "accent"),
    ]
    lines = [head, *_quote_lines(draft, candidate.claim, cells=cells)]
    lines += _note_lines(candidate.note, cells)
    lines += _quote_lines(draft, candidate.evidence, cells=cells, front=f"{PLACES} ")
    return lines


def _quote_lines(
    draft: ReviewDraft, anchors: Sequence[Anchor], *, cells: int, front: str = ""
) -> list[list[Words]]:
    lines = []
    for anchor in anchors:
        text = draft.text(anchor.side, anchor.index)[anchor.span.start : anchor.span.end]
        words = quote_text(text[:_LONGEST], cells=max(cells - 8 - text_width(front), 8))
        lines.append([(f"     {front}{line_text(words)}", "quiet")])
    return lines


def _text_block(head: str, note: str, cells: int) -> list[list[Words]]:
    return [[(f"  {CHOSEN} {line_text(head)}", "good")], *_note_lines(note, cells)]


def _note_lines(note: str, cells: int) -> list[list[Words]]:
    if not note:
        return []
    return wrap_words([("     ", "text")], (line_text(note), "text"), cells - 1)
