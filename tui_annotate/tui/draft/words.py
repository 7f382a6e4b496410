"""The draft line in words: what a digit would save, what was saved, what is waited for.

Where cells are few, it gives up what matters least: the middle of quotes first, then words of
courtesy, then the ends of names; never a key that acts on what is asked, and never that evidence
is there or is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.items import JUDGED
from tui_annotate.domain.labels import Label
from tui_annotate.domain.samples import Kind as SampleKind
from tui_annotate.domain.samples import Request, Sample, Side
from tui_annotate.tui.draft import passages, state
from tui_annotate.tui.draft.counting import segment_at
from tui_annotate.tui.draft.makers import origin_words
from tui_annotate.tui.draft.quoting import QUOTE_CELLS, cells_of, cut, quoted
from tui_annotate.tui.draft.state import Draft, Kind, Option
from tui_annotate.tui.palette import SUGGESTED

HINT: Final = "hint"
DRAFT: Final = "draft"
SAVED: Final = "saved"
WARNING: Final = "warning"
ERROR: Final = "error"


@dataclass(frozen=True, slots=True)
class _Room:
    """How much is said: cells of a quote, cells of names, every word of courtesy or not."""

    quote: int = QUOTE_CELLS
    names: int = 200
    full: bool = True


_ROOMS: Final = (
    _Room(),
    _Room(24, 60),
    _Room(24, 40, full=False),
    _Room(16, 20, full=False),
    _Room(10, 12, full=False),
    _Room(6, 6, full=False),
)
_MOST_EVIDENCE = 2  # places that are named where room is short


def line(draft: Draft, cells: int = 1000) -> tuple[str, Kind]:
    """(text, kind) of the draft line; kinds are the constants of this module.

    Args:
        cells: that it should fit in; a message is given as it is, whatever its length.
    """
    if draft.message[0]:
        return draft.message
    text, kind = _line(draft, _ROOMS[0])
    for room in _ROOMS[1:]:
        if cells_of(text) <= cells:
            break
        text, kind = _line(draft, room)
    return text, kind


def _line(draft: Draft, room: _Room) -> tuple[str, Kind]:
    if draft.writing:
        return f"{note_title(draft, room)}:", DRAFT
    if draft.hints:
        return _hinting(draft, room), HINT
    if draft.pending:
        return _pending(draft, room), DRAFT
    return _in_hand(draft, room)


def _in_hand(draft: Draft, room: _Room) -> tuple[str, Kind]:
    if draft.side is Side.SOURCE:
        return _source(draft, room), DRAFT
    if draft.editing:
        return _editing(draft, room), DRAFT
    if draft.saving and draft.asleep:
        return "saving ...", HINT
    if draft.asleep and draft.focused_annotation:
        return _focused(draft, draft.focused_annotation, room)
    return _would_save(draft, room), DRAFT


def _would_save(draft: Draft, room: _Room) -> str:
    if not draft.claim:
        return "no words here to label · Enter done · s skip"
    digits, claim = digit_range(draft.options()), _claim(draft, room)
    if draft.asleep:
        return f"{claim} · move or select, then {digits} saves"
    return f"{digits} save: {claim}{_with_evidence(draft, room)}{' + note' if draft.note else ''}"


def _focused(draft: Draft, annotation: Annotation, room: _Room) -> tuple[str, Kind]:
    named = cut(draft.label_names(annotation.labels), room.names)
    if draft.just_saved == annotation.id:
        told = f"{named} + note" if annotation.note else named
        return f"saved {told} · u undo · {_next(draft)}m note · e edit", SAVED
    note = f" · {quoted(annotation.note, cells=room.quote)}" if annotation.note else ""
    if split := draft.waiting:
        was, digits = cut(split.name, room.names), digit_range(draft.options())
        name = f"{draft.letter(annotation.id)} {was} was split"
        more = " · c next" if len(draft.lacking()) > 1 else ""
        return f"{name}: {digits} choose{note} · e edit{more} · x delete", DRAFT
    origin = cut(origin_words(annotation.suggested), room.names)
    name = f"{draft.letter(annotation.id)} {named}{f' · from {origin}' if origin else ''}"
    return f"{name}{note} · e edit · m note · x delete", HINT


def _next(draft: Draft) -> str:
    """The way on, while suggestions are open or other annotations have a label that was split."""
    split = any(draft.tree.split(one.labels) for one in draft.annotations)
    return "c next · " if split else f"{draft.to_offers} next · " if draft.offered else ""


def _hinting(draft: Draft, room: _Room) -> str:
    stop = " · Backspace stops" if room.full else ""
    if draft.hints and draft.hints.in_pairs:
        stop = f" · capital: the one behind{stop}"
    if draft.hints and draft.hints.first:
        return f"last word: its letters · Enter takes the one word{stop}"
    return f"first word: its letters{stop}"


def _pending(draft: Draft, room: _Room) -> str:
    pending = draft.pending
    if pending is None:
        return ""
    digits = digit_range(draft.options())
    cancel = " · Backspace cancel" if room.full else ""
    if pending.kind == state.RATING:
        keep = " · Enter leaves it as it is" if room.full else ""
        return f"rate the {item_word(draft.sample)}: {digits} choose · 0 not rated{keep}"
    if pending.kind == "reason":
        return f"flag: why? {digits} choose · 0 own words · Enter no reason{cancel}"
    name = cut(pending.path[-1] if pending.path else "", room.names)
    if pending.kind == "child":
        itself = f"{name} itself" if room.full else "itself"
        return f"{name}: {digits} choose · Enter {itself}{cancel}"
    return _wanted(draft, f"{name} wants evidence", room)


def _wanted(draft: Draft, start: str, room: _Room) -> str:
    """What a label that wants evidence leaves to do."""
    match = draft.focused_match
    if match and room.full:
        take = f"Space saves with match {match.rank}"
        return f"{start}: {take} · Enter saves a draft without any · Backspace cancel"
    if match:
        return f"{start}: Space saves with match {match.rank} · Enter saves a draft"
    if room.full:
        return f"{start}: Enter saves a draft without any · Backspace, Tab: take some by hand"
    return f"{start}: Enter saves a draft · Backspace, Tab: by hand"


def _editing(draft: Draft, room: _Room) -> str:
    edited = draft.editing
    if edited is None:
        return ""
    names = cut(draft.label_names(draft.labels), room.names) if draft.labels else "no label"
    what = f"{_claim(draft, room)}{_with_evidence(draft, room)}"
    leave = " · e leave" if room.full else ""
    letter = SUGGESTED if draft.changing else draft.letter(edited.id)
    return f"editing {letter}: {names} · {what} · Enter save{leave}"


def _source(draft: Draft, room: _Room) -> str:
    selected = draft.selection
    what = "this sentence"
    if selected:
        what = quoted(selected.of(draft.text(Side.SOURCE)), cells=room.quote)
    if passages.passage(draft) and not draft.editing:
        return _passage(draft, what, room)
    claim = f" for {_claim(draft, room)}" if draft.claim else ""
    back = " · Tab back" if room.full else ""
    if draft.here(Side.SOURCE) in draft.evidence:
        return f"{what} is evidence{claim}: Space gives it back{back}"
    return f"Space takes {what} as evidence{claim}{back}"


def _passage(draft: Draft, what: str, room: _Room) -> str:
    """What a digit saves with the passage that is selected, and what Space would do with it."""
    claim, evidence = passages.hand(draft)
    about = f"{_claim(draft, room)}{_with_evidence(draft, room, evidence)}" if claim else what
    saves = f"{digit_range(draft.options())} save: {about}{' + note' if draft.note else ''}"
    if draft.here(Side.SOURCE) in draft.evidence:
        takes = "Space gives it back"
    else:
        takes = "Space takes it" if claim else f"Space takes it for {_claim(draft, room)}"
    return f"{saves} · {takes}{' · Tab back' if room.full else ''}"


def item_word(sample: Sample) -> str:
    """What a sample is called as a whole: a report, a document or a citation, else a sample."""
    return str(sample.kind) if sample.kind in JUDGED else "sample"


def note_title(draft: Draft, room: _Room) -> str:
    """What the open note is on; empty where none is open."""
    note = draft.writing
    if note is None:
        return ""
    if note.kind == state.REASON:
        return "flagged because"
    if note.kind == state.SAMPLE:
        return f"comment on the {item_word(draft.sample)}"
    if note.kind == state.DRAFT:
        return f"note for {'this passage' if passages.alone(draft) else _claim(draft, room)}"
    known = next((known for known in draft.annotations if known.id == note.id), None)
    if known is None:
        return "note"
    return f"note on {draft.letter(note.id)} {cut(labels_words(known.labels), room.names)}"


def _claim(draft: Draft, room: _Room) -> str:
    """The claim in hand: quoted, or `sentence 3` where it is one whole sentence."""
    claim = draft.claim
    if not claim:
        return "no claim"
    more = f" and {len(claim) - 1} more" if len(claim) > 1 else ""
    return anchor_words(draft, claim[0], cells=room.quote) + more


def anchor_words(draft: Draft, anchor: Anchor, *, cells: int = QUOTE_CELLS) -> str:
    """`sentence 3` for exactly one sentence, else the words in quotes."""
    words = sentence_words(draft, anchor)
    return words or quoted(anchor.span.of(_text(draft, anchor)), cells=cells)


def _with_evidence(draft: Draft, room: _Room, evidence: Sequence[Anchor] = ()) -> str:
    """The evidence in hand, or that which is given; `no evidence` for none, where any is wanted."""
    evidence = evidence or draft.evidence
    if not evidence:
        bare = draft.sample.kind is SampleKind.REPORT or not draft.sample.side(Side.SOURCE)
        return "" if bare else ", no evidence"
    most = len(evidence) if room.full else _MOST_EVIDENCE
    return f" + evidence {places(draft, evidence, cells=room.quote // 3, most=most)} ✓"


def places(draft: Draft, evidence: Sequence[Anchor], *, cells: int, most: int) -> str:
    """Places of the source: ranks of the lit, `sentence 12` for others, else quotes; so many."""
    ranks = {draft.anchor_of(match): str(match.rank) for match in draft.matches[Side.SOURCE]}
    names = [
        ranks.get(anchor)
        or sentence_words(draft, anchor)
        or quoted(anchor.span.of(_text(draft, anchor)), cells=cells)
        for anchor in evidence[:most]
    ]
    return ", ".join([*names, *([f"{len(evidence) - most} more"] if evidence[most:] else [])])


def sentence_words(draft: Draft, anchor: Anchor) -> str:
    """`sentence 3` for an anchor that is exactly one sentence; empty for any other."""
    segments = draft.sentences(anchor.side, anchor.index)
    if not segments:
        return ""
    at = segment_at(segments, anchor.span.start)
    whole = segments[at].span.trim(_text(draft, anchor)) == anchor.span
    return f"sentence {at + 1}" if whole else ""


def request_words(request: Request) -> str:
    """What was asked of whoever wrote the summary, each part under its name; empty for nothing."""
    named = ("problem", "background", "question")
    parts = [f"# {name.title()}\n{part}" for name in named if (part := getattr(request, name))]
    return "\n\n".join(filter(None, [request.title, *parts]))


def labels_words(labels: tuple[LabelPath, ...] | list[LabelPath]) -> str:
    """The last names of label paths, joined."""
    return ", ".join(path[-1] for path in labels if path) or "no label"


def names(labels: Iterable[Label], *, last: str = ", ") -> str:
    """The last names of labels, joined; the last two by `last`."""
    found = [label.name for label in labels]
    return last.join(filter(None, [", ".join(found[:-1]), *found[-1:]]))


def digit_range(options: tuple[Option, ...]) -> str:
    """The digits that save at once, as `1-4`, or `1,3`; those that open, where none saves."""
    digits = [option.digit for option in options if not option.opens] or [
        option.digit for option in options
    ]
    if not digits:
        return "0"
    if len(digits) > 1 and int(digits[-1]) - int(digits[0]) == len(digits) - 1:
        return f"{digits[0]}-{digits[-1]}"
    return ",".join(digits)


def _text(draft: Draft, anchor: Anchor) -> str:
    return draft.text(anchor.side, anchor.index)
