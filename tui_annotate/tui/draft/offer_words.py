"""The draft line of a suggestion: what a key would save, who proposes it, and why."""

from __future__ import annotations

from typing import Final, NamedTuple

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.tui.draft.makers import maker_words, origin_words
from tui_annotate.tui.draft.offered import DECLINE
from tui_annotate.tui.draft.quoting import cells_of, cut, quoted
from tui_annotate.tui.draft.state import Draft, Kind
from tui_annotate.tui.draft.words import anchor_words, digit_range, labels_words, places

OFFER: Final = "offer"


class _Room(NamedTuple):
    """Cells of quotes, labels and the maker; how many places of the source are named."""

    quote: int
    labels: int
    maker: int
    places: int = 1


_ROOMS: Final = (
    _Room(200, 60, 60, 99),
    _Room(60, 60, 60, 99),
    _Room(36, 40, 40),
    _Room(24, 24, 24),
    _Room(16, 16, 14),
    _Room(10, 14, 10),
    _Room(6, 10, 6),
    _Room(6, 6, 6),
)
_REFUSE: Final = " · x refuse"
_KEYS: Final = f" · e change{_REFUSE}"
_REASON: Final = 24
"""Cells of a reason that the text is cut shorter for."""
_PLACE: Final = 6
"""Cells in which a quote of the source still tells something."""
_LEAST: Final = 8
"""Cells in which a reason still tells something."""


def line(draft: Draft, cells: int = 1000) -> tuple[str, Kind] | None:
    """(text, kind) of the draft line; None where it has nothing to do with a suggestion.

    Args:
        cells: that it should fit in.
    """
    if draft.message[0] or draft.hints:
        return None
    if draft.writing:
        return ("refused because:", OFFER) if draft.writing.kind == DECLINE else None
    if draft.pending:
        return (_asking(draft, cells), OFFER) if draft.pending.kind == DECLINE else None
    if draft.answering and draft.asleep and draft.focused in ("", *draft.answering):
        return "saving ...", OFFER
    one = draft.focused_suggestion if draft.asleep and draft.state == "R" else None
    return (_offer(draft, one, cells), OFFER) if one else None


def _asking(draft: Draft, cells: int) -> str:
    digits = digit_range(draft.options())
    text = f"refuse it: why? {digits} choose · 0 own words · Enter no reason"
    keep = " · Backspace keeps it"
    return f"{text}{keep}" if cells_of(text + keep) <= cells else text


def _offer(draft: Draft, one: Suggestion, cells: int) -> str:
    """What it is and by whom first; then the reason, as much as goes in; keys where all does."""
    why = " ".join(one.note.split())
    least = min(cells_of(why) + len(': ""'), _REASON) if why else 0
    rooms = (room for room in _ROOMS if room.quote <= max(cells, _ROOMS[-1].quote))
    told = (_proposed(draft, one, room) for room in rooms)
    text = next((each for each in told if cells_of(each) + least <= cells), "")
    text = text or _proposed(draft, one, _ROOMS[-1])
    room = cells - cells_of(text) - len(': ""')
    if why and room >= _LEAST:
        text += f": {quoted(why, cells=room)}"
    keys = _KEYS if one.labels else _REFUSE
    return f"{text}{keys}" if cells_of(text + keys) <= cells else text


def _proposed(draft: Draft, one: Suggestion, room: _Room) -> str:
    names = f" {cut(draft.label_names(one.labels), room.labels)}" if one.labels else ""
    deed = "y saves" if one.labels else "e, a digit, Enter save"
    claim = anchor_words(draft, one.claim[0], cells=room.quote) if one.claim else "no claim"
    more = f" and {len(one.claim) - 1} more" if len(one.claim) > 1 else ""
    evidence = ""
    if one.evidence:
        cells = room.quote // 3
        where = places(draft, one.evidence, cells=cells, most=room.places)
        # The words are marked in the source anyway.
        evidence = f" + evidence {where}" if cells >= _PLACE or '"' not in where else " + evidence"
    score = "" if one.score is None else f" {one.score:.2f}"
    return f"{deed} {claim}{more}{names}{evidence} · {cut(one.maker, room.maker)}{score}"


def page(draft: Draft) -> str:
    """All of the suggestion in focus, or of the one that one's annotation was made from.

    Returns:
        Lines with headings; empty without either.
    """
    one, known = draft.changing or draft.focused_suggestion, draft.focused_annotation
    if one is None:
        return _made(known) if known else ""
    parts = [f"# {labels_words(one.labels)}\n{maker_words(one)}"]
    parts += [f"# Reason\n{one.note}"] if one.note else []
    for title, anchors in (("Claim", one.claim), ("Evidence", one.evidence)):
        texts = [at.span.of(draft.text(at.side, at.index)) for at in anchors]
        parts += [f"# {title}\n" + "\n\n".join(texts)] if texts else []
    return "\n\n".join(parts)


def _made(known: Annotation) -> str:
    told = origin_words(known.suggested)
    return f"# {labels_words(known.labels)}\nmade from a suggestion of {told}" if told else ""
