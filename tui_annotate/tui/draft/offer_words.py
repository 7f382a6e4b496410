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
    """Cells of quotes of the text, of names, of the reason; and whether all keys are named."""

    quote: int
    names: int
    reason: int
    keys: bool = True


_ROOMS: Final = (
    _Room(60, 60, 300),
    _Room(60, 60, 120),
    _Room(48, 60, 60),
    _Room(36, 40, 40),
    _Room(28, 30, 30),
    _Room(24, 24, 24, keys=False),
    _Room(20, 18, 16, keys=False),
    _Room(16, 14, 0, keys=False),
    _Room(10, 10, 0, keys=False),
    _Room(6, 6, 0, keys=False),
)


def line(draft: Draft, cells: int = 1000) -> tuple[str, Kind] | None:
    """(text, kind) of the draft line; None where it has nothing to do with a suggestion.

    Args:
        cells: that it should fit in.
    """
    if draft.message[0] or draft.hints:
        return None
    text = ""
    for room in _ROOMS:
        text = _line(draft, room)
        if cells_of(text) <= cells:
            break
    return (text, OFFER) if text else None


def _line(draft: Draft, room: _Room) -> str:
    if draft.writing:
        return "refused because:" if draft.writing.kind == DECLINE else ""
    if draft.pending:
        return _asking(draft, room) if draft.pending.kind == DECLINE else ""
    if draft.answering and draft.asleep and draft.focused in ("", *draft.answering):
        return "saving ..."
    one = draft.focused_suggestion
    return _offer(draft, one, room) if one and draft.asleep and draft.state == "R" else ""


def _asking(draft: Draft, room: _Room) -> str:
    keep = " · Backspace keeps it" if room.keys else ""
    digits = digit_range(draft.options())
    return f"refuse it: why? {digits} choose · 0 own words · Enter no reason{keep}"


def _offer(draft: Draft, one: Suggestion, room: _Room) -> str:
    names = cut(draft.label_names(one.labels), room.names)
    claim = anchor_words(draft, one.claim[0], cells=room.quote) if one.claim else "no claim"
    more = f" and {len(one.claim) - 1} more" if len(one.claim) > 1 else ""
    what = f"{claim}{more} {names}"
    if one.evidence:
        most = len(one.evidence) if room.keys else 1
        what += f" + evidence {places(draft, one.evidence, cells=room.quote // 3, most=most)}"
    score = "" if one.score is None else f" {one.score:.2f}"
    by = cut(one.maker, room.names) + score
    why = f": {quoted(one.note, cells=room.reason)}" if one.note and room.reason else ""
    keys = " · e change · x refuse" if room.keys else " · e x"
    return f"y saves {what} · {by}{why}{keys}"


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
