"""A sample in review as the values that widgets show: pure functions, one a widget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tui_annotate.domain.annotations import Anchor, LabelPath
from tui_annotate.domain.nouns import many
from tui_annotate.domain.samples import Side
from tui_annotate.methods.adjudication import Group, Standing
from tui_annotate.methods.decisions import Decision
from tui_annotate.tui.draft.judging.state import Judging, Spot
from tui_annotate.tui.draft.judging.words import standing, why
from tui_annotate.tui.draft.quoting import quoted
from tui_annotate.tui.lines import cut, shown, width, wrapped
from tui_annotate.tui.palette import CHOSEN, CONFLICT, FOCUS_BAR, NOTED, OPENS_MORE, PLACES
from tui_annotate.tui.screens.annotate import item_rows
from tui_annotate.tui.screens.annotate.rows import Title, title
from tui_annotate.tui.widgets.document_pane import Mark
from tui_annotate.tui.widgets.label_bar import Option
from tui_annotate.tui.words import Words

_QUOTE = 12  # cells that a claim in the bar needs at least
_AROUND = 9  # cells of an option beside its words: digit, sign, space
_LEAST_ROOM = 10  # cells of a rival's words, below which a row more is better than shorter words
_FURTHER = "further"
_FURTHER_CELLS = len(_FURTHER) + 7  # with its digit, and the space behind
LONGEST: Final = 44
"""Cells of a rival in the bar."""
_LONGEST = 400  # characters of a text that a list is given
REFUSED: Final = "✗"
NEARLY: Final = "≈"
AGREED: Final = "="
OWN: Final = "+"
"""Beside places that are not in hand, with `CHOSEN` and `CONFLICT` of the palette."""


def bar(draft: Judging, cells: int, *, rows: int = 2) -> tuple[list[Option], str, bool]:
    """(options, title, asleep) of the bar: the rivals of the place in hand, nine at most.

    Labels give way to letters of people; claims are quoted where they differ and there is room.

    Args:
        rows: that it may take; a third only where nine would leave too little of their labels.
    """
    first = draft.page * 9
    options: list[Option] = []
    rivals = draft.rivals[first : first + 9]
    several = len({rival.claim for rival in draft.rivals}) > 1
    further = len(draft.rivals) > 9
    room = min(_room(len(rivals), cells, further=further), LONGEST)
    if room < _LEAST_ROOM and rows > 2:
        room = (cells - 1 - further * _FURTHER_CELLS) // -(-len(rivals) // rows) - _AROUND
    for at, (option, rival) in enumerate(zip(draft.options(), rivals, strict=True), first):
        front = OPENS_MORE if at == draft.rival else ""
        front += REFUSED if draft.refusal_of(rival) else ""
        people = draft.people_words(rival.people)
        least = max(room - width(f"{front}  {people}"), 4)
        text = f"{front} {cut(draft.label_names(rival.labels), least)} {people}".strip()
        left = room - width(text) - 3
        if several and rival.claim and left >= _QUOTE:
            anchor = rival.claim[0]
            words = anchor.span.of(draft.text(anchor.side, anchor.index))
            text = f"{text} {quoted(words, cells=left)}"
        options.append((option.digit, text, False, option.chosen, _slot(draft, rival.labels)))
    if further:
        options.append(("0", _FURTHER, False, False, -1))
    return options, "", False


def _room(rivals: int, cells: int, *, further: bool) -> int:
    """The cells that each rival's words have in two rows."""
    in_a_row = max((rivals + further + 1) // 2, 1)
    return (cells - 1) // in_a_row - _AROUND


def _slot(draft: Judging, labels: Sequence[LabelPath]) -> int:
    return draft.slot(labels[0]) if labels else 0


def titles(
    draft: Judging,
    side: Side,
    *,
    ratings: Sequence[tuple[str, Sequence[str]]] = (),
    said: bool = False,
) -> Title:
    """What stands over a text: the place in hand and how it stands; the evidence in hand.

    Args:
        ratings: of the sample as a whole, with the letters of who gave each.
        said: whether a comment is settled.
    """
    name, _, right, _ = title(draft, side, signals="")
    spots = draft.spots
    if side is Side.SOURCE:
        count = len(draft.shown_evidence())
        return Title(name, (f"{count} evidence" if count else "no evidence",), right)
    rated = [draft.rating] if draft.rating else [f"{''.join(by)} {word}" for word, by in ratings]
    told = f"rated {', '.join(rated)}" if rated else ""
    told = f"{told} {NOTED}".strip() if said else told
    name = item_rows.name(draft, name)
    if draft.spot is None:
        open_ = len(draft.undecided())
        places = f"{many(len(spots), 'place')}, {open_} open" if spots else ""
        return Title(name, (places, told), right)
    words = standing(draft, draft.group) if draft.group else "your own"
    return Title(name, (f"place {draft.at + 1}/{len(spots)}", told, words), right)


def marks(draft: Judging, side: Side) -> tuple[Mark, ...]:
    """Places as marks on the document of a side that is on screen.

    Of the place in hand each rival has its digit; any other has one sign for how it stands.
    """
    at = draft.pointers[side].document
    return tuple(
        mark
        for number, spot in enumerate(draft.spots)
        for anchor, mark in _marks(draft, spot, here=number == draft.at)
        if (anchor.side, anchor.index) == (side, at)
    )


def edited(draft: Judging, side: Side) -> Iterator[Mark]:
    """The claim that is edited, where it does not stand yet."""
    at, known = draft.pointers[side].document, {one.id for one in draft.annotations}
    if draft.editing and draft.editing.id not in known:
        for anchor in draft.claim:
            if (anchor.side, anchor.index) == (side, at):
                yield Mark(anchor.span, OWN, _slot(draft, draft.labels), focused=True)


def _marks(draft: Judging, spot: Spot, *, here: bool) -> Iterator[tuple[Anchor, Mark]]:
    if spot.own:
        slot = _slot(draft, spot.own.labels)
        yield from _each(spot.own.claim, OWN, slot, here=here)
    elif spot.group:
        made = {one.id: one for rival in spot.group.rivals for one in draft.made_of(rival)}
        for one in made.values():
            yield from _each(one.claim, CHOSEN, _slot(draft, one.labels), here=here)
        sign = _sign(draft, spot.group)
        for at, rival in enumerate(spot.group.rivals):
            if here or not made:
                focused = here and rival in (draft.in_hand or (rival,)) and not made
                letter = draft.digit(at) if here else sign
                letter = REFUSED if draft.refusal_of(rival) else letter
                anchors = rival.claim or rival.evidence
                yield from _each(anchors, letter, _slot(draft, rival.labels), here=focused)


def _each(
    anchors: Sequence[Anchor], letter: str, slot: int, *, here: bool
) -> Iterator[tuple[Anchor, Mark]]:
    for anchor in anchors:
        yield anchor, Mark(anchor.span, letter, slot, focused=here)


def _sign(draft: Judging, group: Group) -> str:
    match draft.what(group):
        case Decision.REJECTED:
            return REFUSED
        case Decision.KEPT:
            return CHOSEN
    return {Standing.AGREED: AGREED, Standing.NEARLY: NEARLY, Standing.CONFLICT: CONFLICT}[
        group.standing
    ]


def rivals(draft: Judging, cells: int) -> tuple[list[list[Words]], int]:
    """The rivals of the place in hand, each with its words, its note and its evidence.

    Returns:
        The lines, and which of them begins the rival that was chosen, else those of the page that
        the digits mean; -1 for neither.
    """
    spot, focused = draft.spot, -1
    if spot is None:
        return [[("   nothing was marked here", "quiet")]], focused
    lines: list[list[Words]] = []
    for at in range(len(draft.rivals)):
        if at == (draft.rival if draft.chosen else draft.page * 9 or -1):
            focused = len(lines)
        lines += _rival(draft, at, cells=cells)
    if spot.group:
        for one in draft.standing():
            lines += _block("settled: " + draft.label_names(one.labels), one.note, cells)
        if refused := list(filter(None, map(draft.refusal_of, draft.rivals))):
            lines.append([(f"  {REFUSED} refused: {shown(why(refused[0]))}", "warning")])
    elif spot.own:
        lines += _block("your own: " + draft.label_names(spot.own.labels), spot.own.note, cells)
    return lines, focused


def _rival(draft: Judging, at: int, *, cells: int) -> list[list[Words]]:
    rival = draft.rivals[at]
    chosen = at == draft.rival
    sign = CHOSEN if draft.made_of(rival) else REFUSED if draft.refusal_of(rival) else " "
    slot = _slot(draft, rival.labels)
    head: list[Words] = [
        (FOCUS_BAR if chosen else " ", "accent"),
        (f"{draft.digit(at)} ", f"label {slot}"),
        (f"{sign} ", "good"),
        (shown(draft.label_names(rival.labels)), "strong" if chosen else "text"),
        (f"  {shown(draft.people_words(rival.people))}", "accent"),
    ]
    lines = [head]
    lines += _quotes(draft, rival.claim, cells=cells)
    if rival.note:
        lines += [[(f"     {piece}", "text")] for piece in wrapped(shown(rival.note), cells - 6)]
    lines += _quotes(draft, rival.evidence, cells=cells, front=f"{PLACES} ")
    return lines


def _quotes(
    draft: Judging, anchors: Sequence[Anchor], *, cells: int, front: str = ""
) -> list[list[Words]]:
    lines = []
    for anchor in anchors:
        text = draft.text(anchor.side, anchor.index)[anchor.span.start : anchor.span.end]
        words = quoted(text[:_LONGEST], cells=max(cells - 8 - width(front), 8))
        lines.append([(f"     {front}{shown(words)}", "quiet")])
    return lines


def _block(head: str, note: str, cells: int) -> list[list[Words]]:
    lines: list[list[Words]] = [[(f"  {CHOSEN} {shown(head)}", "good")]]
    if note:
        lines += [[(f"     {piece}", "text")] for piece in wrapped(shown(note), cells - 6)]
    return lines
