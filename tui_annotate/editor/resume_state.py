"""The resume state of a sample as JSON: cursors, unsaved claim, notes, seen sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.state import Draft, Note, SideCursor


def dump_state(draft: Draft) -> dict[str, Any]:
    """Return the cursors and unsaved work of a sample (except an open edit) as values for JSON."""
    claim = draft.pointers[Side.SUMMARY].selection
    evidence = [] if draft.editing else draft.evidence
    return {
        "cursors": {
            side.value: [pointer.document, pointer.offset]
            for side, pointer in draft.pointers.items()
        },
        "claim": [claim.start, claim.end] if claim and not draft.editing else None,
        "evidence": [[each.index, each.span.start, each.span.end] for each in evidence],
        "note": "" if draft.editing else draft.note,
        "kept": [[note.kind, note.id, text] for note, text in draft.kept_notes.items()],
        "visited": sorted(draft.visited),
        "regarded": sorted(draft.seen_suggestions & {one.id for one in draft.suggestions}),
    }


def restore(draft: Draft, kept: Mapping[str, Any]) -> None:
    """Restore the cursors and unsaved work from `dump_state`, except what does not fit the text."""
    claim = _parse_span(kept.get("claim"), draft.text(Side.SUMMARY, 0))
    for side in Side:
        document, offset = _parse_cursor(kept.get("cursors"), side, draft)
        chosen = claim if side is Side.SUMMARY else None
        draft.pointers[side] = SideCursor(document, offset, chosen)
    for index, start, end in _parse_lists(kept.get("evidence"), 3):
        document = index if isinstance(index, int) and index >= 0 else len(draft.sample.documents)
        span = _parse_span([start, end], draft.text(Side.SOURCE, document))
        if span:
            draft.evidence.append(Anchor(Side.SOURCE, document, span))
    draft.note = str(kept.get("note") or "")
    for kind, name, text in _parse_lists(kept.get("kept"), 3):
        draft.kept_notes[Note(str(kind), str(name))] = str(text)
    known = range(len(draft.sentences(Side.SUMMARY, 0)))
    draft.visited |= {at for at in _as_list(kept.get("visited")) if at in known}
    seen = _as_list(kept.get("regarded"))
    draft.seen_suggestions |= {one.id for one in draft.suggestions if one.id in seen}


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _parse_lists(value: Any, size: int) -> list[list[Any]]:
    return [item for item in _as_list(value) if isinstance(item, list) and len(item) == size]


def _parse_cursor(value: Any, side: Side, draft: Draft) -> tuple[int, int]:
    found = _parse_lists([value.get(side.value)], 2) if isinstance(value, Mapping) else []
    document, offset = found[0] if found else (0, 0)
    if not isinstance(document, int) or not isinstance(offset, int):
        return 0, 0
    if not 0 <= document < len(draft.sample.side(side)):
        return 0, 0
    return document, min(max(offset, 0), len(draft.text(side, document)))


def _parse_span(value: Any, text: str) -> Span | None:
    if not isinstance(value, list) or len(value) != 2:
        return None
    start, end = value
    fits = isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)
    return Span(start, end) if fits else None
