"""A sample in review as the values that widgets show: pure functions, one a widget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.samples import Side
from tui_annotate.methods.adjudication import GroupDecision, GroupStatus
from tui_annotate.tui.draft.review.state import ReviewDraft, ReviewPosition
from tui_annotate.tui.draft.review.words import describe_group_status, describe_refusal
from tui_annotate.tui.draft.words import quote_text
from tui_annotate.tui.line_text import cut, line_text, text_width
from tui_annotate.tui.palette import (
    AGREED,
    CHOSEN,
    CONFLICT,
    FOCUS_BAR,
    NEARLY,
    NOTED,
    OPENS_MORE,
    OWN,
    PLACES,
    REFUSED,
)
from tui_annotate.tui.row_widgets import Words, wrap_words
from tui_annotate.tui.screens.sample import item_rows
from tui_annotate.tui.screens.sample.rows import Title, slot_of, title
from tui_annotate.tui.screens.sample.signals import SignalsStatus
from tui_annotate.tui.widgets.document_pane import AnnotationMark
from tui_annotate.tui.widgets.label_bar import Option

_QUOTE = 12  # cells that a claim in the bar needs at least
_AROUND = 9  # cells of an option in addition to its words: digit, sign, space
_LEAST_CELLS = 10  # cells of a candidate's words; with fewer, the bar takes another row
_DECISION_SIGNS = {GroupDecision.REJECTED: REFUSED, GroupDecision.KEPT: CHOSEN}
_STATUS_SIGNS = {
    GroupStatus.AGREED: AGREED,
    GroupStatus.NEARLY: NEARLY,
    GroupStatus.CONFLICT: CONFLICT,
}
_FURTHER = "further"
_FURTHER_CELLS = len(_FURTHER) + 7  # with its digit, and the space behind
LONGEST: Final = 44
"""Cells of a candidate in the bar."""
_LONGEST = 400  # characters of a text that a list is given


def bar(draft: ReviewDraft, cells: int, *, rows: int = 2) -> tuple[list[Option], str, bool]:
    """(options, title, digits_off) of the bar: at most nine candidates of the place in focus.

    Labels give way to letters of people; claims are quoted where they differ and there is room.

    Args:
        rows: that it may take; a third only where nine would leave too little of their labels.
    """
    first = draft.page * 9
    options: list[Option] = []
    candidates = draft.candidates[first : first + 9]
    several = len({candidate.claim for candidate in draft.candidates}) > 1
    further = len(draft.candidates) > 9
    in_a_row = max((len(candidates) + further + 1) // 2, 1)
    available = min((cells - 1) // in_a_row - _AROUND, LONGEST)
    if available < _LEAST_CELLS and rows > 2:
        available = (cells - 1 - further * _FURTHER_CELLS) // -(-len(candidates) // rows) - _AROUND
    for at, (option, candidate) in enumerate(zip(draft.options(), candidates, strict=True), first):
        front = OPENS_MORE if at == draft.candidate else ""
        front += REFUSED if draft.refusal_of(candidate) else ""
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
        options.append(("0", _FURTHER, False, False, -1))
    return options, "", False


def titles(
    draft: ReviewDraft,
    side: Side,
    *,
    ratings: Sequence[tuple[str, Sequence[str]]] = (),
    commented: bool = False,
) -> Title:
    """The title of a text: the place in focus and its state; the evidence in focus.

    Args:
        ratings: of the sample as a whole, with the letters of who gave each.
        commented: whether there is an adjudicated comment.
    """
    name, _, right, _ = title(draft, side, signals=SignalsStatus())
    positions = draft.positions
    if side is Side.SOURCE:
        count = len(draft.shown_evidence())
        return Title(name, (f"{count} evidence" if count else "no evidence",), right)
    rated = [draft.rating] if draft.rating else [f"{''.join(by)} {word}" for word, by in ratings]
    rating = f"rated {', '.join(rated)}" if rated else ""
    rating = f"{rating} {NOTED}".strip() if commented else rating
    name = item_rows.name(draft, name)
    if draft.position is None:
        open_ = len(draft.undecided())
        places = f"{format_count(len(positions), 'place')}, {open_} open" if positions else ""
        return Title(name, (places, rating), right)
    words = describe_group_status(draft, draft.group) if draft.group else "your own"
    return Title(name, (f"place {draft.at + 1}/{len(positions)}", rating, words), right)


def marks(draft: ReviewDraft, side: Side) -> tuple[AnnotationMark, ...]:
    """Places as marks on the document of a side that is on screen.

    At the place in focus each candidate has its digit; other places have one sign for their state.
    """
    at = draft.pointers[side].document
    return tuple(
        mark
        for number, position in enumerate(draft.positions)
        for anchor, mark in _spot_marks(draft, position, here=number == draft.at)
        if (anchor.side, anchor.index) == (side, at)
    )


def edited_claim(draft: ReviewDraft, side: Side) -> Iterator[AnnotationMark]:
    """The claim that is edited, where it is not stored yet."""
    at, known = draft.pointers[side].document, {one.id for one in draft.annotations}
    if draft.editing and draft.editing.id not in known:
        for anchor in draft.claim:
            if (anchor.side, anchor.index) == (side, at):
                yield AnnotationMark(anchor.span, OWN, slot_of(draft, draft.labels), focused=True)


def _spot_marks(
    draft: ReviewDraft, position: ReviewPosition, *, here: bool
) -> Iterator[tuple[Anchor, AnnotationMark]]:
    if position.own:
        slot = slot_of(draft, position.own.labels)
        yield from _anchor_marks(position.own.claim, OWN, slot, here=here)
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
                letter = REFUSED if draft.refusal_of(candidate) else letter
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
    """The candidates of the place in focus, each with its words, its note and its evidence.

    Returns:
        The lines, and which of them begins the chosen candidate, else the page that the digits
        mean; -1 for neither.
    """
    position, focused = draft.position, -1
    if position is None:
        return [[("   nothing was marked here", "quiet")]], focused
    lines: list[list[Words]] = []
    for at in range(len(draft.candidates)):
        if at == (draft.candidate if draft.chosen else draft.page * 9 or -1):
            focused = len(lines)
        lines += _candidate_lines(draft, at, cells=cells)
    if position.group:
        for one in draft.adjudicated_here():
            lines += _text_block("settled: " + draft.label_names(one.labels), one.note, cells)
        if refused := list(filter(None, map(draft.refusal_of, draft.candidates))):
            reason = line_text(describe_refusal(refused[0]))
            lines.append([(f"  {REFUSED} refused: {reason}", "warning")])
    elif own := position.own:
        lines += _text_block("your own: " + draft.label_names(own.labels), own.note, cells)
    return lines, focused


def _candidate_lines(draft: ReviewDraft, at: int, *, cells: int) -> list[list[Words]]:
    candidate = draft.candidates[at]
    chosen = at == draft.candidate
    sign = (
        CHOSEN
        if draft.adjudicated_from(candidate)
        else REFUSED
        if draft.refusal_of(candidate)
        else " "
    )
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
    return wrap_words([("     ", "text")], (line_text(note), "text"), cells - 1) if note else []
