"""The draft line in words: what a digit would save, what was saved, what is waited for."""

from __future__ import annotations

from typing import Final
from unicodedata import east_asian_width

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft import state
from tui_annotate.tui.draft.state import Draft, Kind, Option, segment_at

QUOTE_CELLS = 36
HINT: Final = "hint"
DRAFT: Final = "draft"
SAVED: Final = "saved"
WARNING: Final = "warning"
ERROR: Final = "error"


def line(draft: Draft) -> tuple[str, Kind]:
    """(text, kind) of the draft line; kinds are the constants of this module."""
    if draft.message[0]:
        return draft.message
    if draft.writing:
        return f"{note_title(draft)}:", DRAFT
    if draft.hints:
        return _hinting(draft), HINT
    if draft.pending:
        return _pending(draft), DRAFT
    return _in_hand(draft)


def _in_hand(draft: Draft) -> tuple[str, Kind]:
    if draft.editing:
        return _editing(draft), DRAFT
    if draft.side is Side.SOURCE:
        return _source(draft), DRAFT
    if draft.saving and draft.asleep:
        return "saving ...", HINT
    if draft.asleep and draft.focused_annotation:
        return _focused(draft, draft.focused_annotation)
    return _would_save(draft), DRAFT


def _would_save(draft: Draft) -> str:
    if not draft.claim:
        return "no words here to label"
    digits = digit_range(draft.options())
    if draft.asleep:
        return f"{claim_words(draft)} · move or select, then {digits} saves"
    evidence = evidence_words(draft)
    joint = "," if evidence == "no evidence" else " +"
    note = " + note" if draft.note else ""
    return f"{digits} save: {claim_words(draft)}{joint} {evidence}{note}"


def _focused(draft: Draft, annotation: Annotation) -> tuple[str, Kind]:
    names = labels_words(annotation.labels)
    if draft.just_saved == annotation.id:
        return f"saved {names} · u undo · m note · e edit", SAVED
    note = f" · {quoted(annotation.note)}" if annotation.note else ""
    name = f"{draft.letter(annotation.id)} {names}"
    return f"{name}{note} · e edit · m note · x delete", HINT


def _hinting(draft: Draft) -> str:
    if draft.hints and draft.hints.first:
        return "last word: its letters · Enter takes the one word · Backspace stops"
    return "first word: its letters · Backspace stops"


def _pending(draft: Draft) -> str:
    pending = draft.pending
    if pending is None:
        return ""
    name = pending.path[-1] if pending.path else ""
    digits = digit_range(draft.options())
    if pending.kind == "child":
        return f"{name}: {digits} choose · Enter {name} itself · Backspace cancel"
    if pending.kind == "reason":
        return f"flag: why? {digits} choose · 0 own words · Enter no reason · Backspace cancel"
    match = draft.focused_match
    if match:
        take = f"Space takes match {match.rank} and saves"
        return f"{name} wants evidence: {take} · Enter none found, a draft · Backspace cancel"
    return f"{name} wants evidence: Enter none found, a draft · Backspace, Tab: take some by hand"


def _editing(draft: Draft) -> str:
    edited = draft.editing
    if edited is None:
        return ""
    names = labels_words(draft.labels) if draft.labels else "no label"
    name = draft.letter(edited.id)
    evidence = evidence_words(draft)
    return f"editing {name}: {names} · {claim_words(draft)} + {evidence} · Enter save · e leave"


def _source(draft: Draft) -> str:
    selected = draft.selection
    what = quoted(selected.of(draft.text(Side.SOURCE))) if selected else "this sentence"
    claim = f" for {claim_words(draft)}" if draft.claim else ""
    return f"Space takes {what} as evidence{claim} · Tab back"


def note_title(draft: Draft) -> str:
    """What the open note is on; empty where none is open."""
    note = draft.writing
    if note is None:
        return ""
    if note.kind == state.REASON:
        return "flagged because"
    if note.kind == state.SAMPLE:
        return "note on the sample"
    if note.kind == state.DRAFT:
        return f"note for {claim_words(draft)}"
    known = next((known for known in draft.annotations if known.id == note.id), None)
    return f"note on {draft.letter(note.id)} {labels_words(known.labels)}" if known else "note"


def claim_words(draft: Draft) -> str:
    """The claim in hand: quoted, or `sentence 3` where it is one whole sentence."""
    claim = draft.claim
    if not claim:
        return "no claim"
    more = f" and {len(claim) - 1} more" if len(claim) > 1 else ""
    return anchor_words(draft, claim[0]) + more


def anchor_words(draft: Draft, anchor: Anchor) -> str:
    """`sentence 3` for exactly one sentence, else the words in quotes."""
    return sentence_words(draft, anchor) or quoted(anchor.span.of(_text(draft, anchor)))


def evidence_words(draft: Draft) -> str:
    """The evidence in hand: ranks of the lit, `sentence 12` for others; `no evidence` for none."""
    if not draft.evidence:
        return "no evidence"
    ranks = {draft.anchor_of(match): str(match.rank) for match in draft.matches[Side.SOURCE]}
    names = [
        ranks.get(anchor)
        or sentence_words(draft, anchor)
        or quoted(anchor.span.of(_text(draft, anchor)), cells=QUOTE_CELLS // 3)
        for anchor in draft.evidence
    ]
    return f"evidence {', '.join(names)} ✓"


def sentence_words(draft: Draft, anchor: Anchor) -> str:
    """`sentence 3` for an anchor that is exactly one sentence; empty for any other."""
    segments = draft.sentences(anchor.side, anchor.index)
    if not segments:
        return ""
    at = segment_at(segments, anchor.span.start)
    whole = segments[at].span.trim(_text(draft, anchor)) == anchor.span
    return f"sentence {at + 1}" if whole else ""


def labels_words(labels: tuple[LabelPath, ...] | list[LabelPath]) -> str:
    """The last names of label paths, joined."""
    return ", ".join(path[-1] for path in labels if path) or "no label"


def quoted(text: str, *, cells: int = QUOTE_CELLS) -> str:
    """The text in quotes on one line, its middle left out where it is wider than `cells`."""
    if len(text) > 8 * cells:
        text = f"{text[: 4 * cells]}…{text[-4 * cells :]}"
    text = " ".join(text.split())
    if _cells(text) <= cells:
        return f'"{text}"'
    half = (cells - 1) // 2
    return f'"{_head(text, half)}…{_head(text[::-1], half)[::-1]}"'


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


def _head(text: str, cells: int) -> str:
    used = 0
    for at, character in enumerate(text):
        used += _cells(character)
        if used > cells:
            return text[:at].rstrip()
    return text


def _cells(text: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _text(draft: Draft, anchor: Anchor) -> str:
    return draft.text(anchor.side, anchor.index)
