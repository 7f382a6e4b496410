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
    """Cells of quotes and of names; how many places of the source are named."""

    quote: int
    names: int
    places: int = 1


_ROOMS: Final = (
    _Room(200, 60, 99),
    _Room(60, 60, 99),
    _Room(36, 40),
    _Room(24, 24),
    _Room(16, 14),
    _Room(10, 10),
    _Room(6, 6),
)
_KEYS: Final = " · e change · x refuse"
_REASON: Final = 24
"""Cells of a reason that the text is cut shorter for."""
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
    return f"{text}{_KEYS}" if cells_of(text + _KEYS) <= cells else text


def _proposed(draft: Draft, one: Suggestion, room: _Room) -> str:
    names = cut(draft.label_names(one.labels), room.names)
    claim = anchor_words(draft, one.claim[0], cells=room.quote) if one.claim else "no claim"
    more = f" and {len(one.claim) - 1} more" if len(one.claim) > 1 else ""
    evidence = ""
    if one.evidence:
        cells = room.quote // 3
        evidence = f" + evidence {places(draft, one.evidence, cells=cells, most=room.places)}"
    score = "" if one.score is None else f" {one.score:.2f}"
    return f"y saves {claim}{more} {names}{evidence} · {cut(one.maker, room.names)}{score}"


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
