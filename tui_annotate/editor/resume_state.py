"""The resume state of a sample as JSON: cursors, unsaved work, seen sentences.

Unsaved work is the claim, evidence and notes of the draft, and the annotations that the store has
not confirmed, so that a refused annotation is not lost when the program ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tui_annotate.domain.annotations import (
    Anchor,
    Annotation,
    annotation_from_json,
    annotation_to_json,
)
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.pending_saves import PendingSave
from tui_annotate.editor.state import Draft, Note, SideCursor


def dump_state(draft: Draft) -> dict[str, Any]:
    """Return the cursors and unsaved work of a sample as values for JSON.

    An open edit is left out, unless the store has refused to save it.
    """
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
        "unsaved": [
            {"annotation": annotation_to_json(save.annotation), "new": save.new}
            for save in _find_unsaved(draft)
        ],
        "visited": sorted(draft.visited),
        "regarded": sorted(draft.seen_suggestions & {one.id for one in draft.suggestions}),
    }


def restore(draft: Draft, kept: Mapping[str, Any]) -> None:
    """Restore the cursors and unsaved work from `dump_state`, except what does not fit the text.

    Annotations that were not saved become refused saves of the draft.
    """
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
    for save in _parse_unsaved(kept.get("unsaved"), draft):
        draft.saves.keep(save)
    known = range(len(draft.sentences(Side.SUMMARY, 0)))
    draft.visited |= {at for at in _as_list(kept.get("visited")) if at in known}
    seen = _as_list(kept.get("regarded"))
    draft.seen_suggestions |= {one.id for one in draft.suggestions if one.id in seen}


def _find_unsaved(draft: Draft) -> Iterator[PendingSave]:
    """Yield the annotations that the store has not confirmed, and a refused edit in the draft."""
    edited = draft.edited_annotation()
    if draft.save_failed and edited and not draft.changing:
        yield PendingSave(edited, new=False)
    yield from draft.saves


def _parse_unsaved(value: Any, draft: Draft) -> Iterator[PendingSave]:
    """Yield the annotations that fit the sample and are not stored, with labels that still exist.

    The process may have ended after the store saved an annotation and before it could say so.
    """
    stored = {annotation.id: annotation for annotation in draft.annotations}
    for item in _as_list(value):
        annotation = _parse_annotation(item)
        if annotation is None or not all(_fits(anchor, draft) for anchor in annotation.anchors):
            continue
        labels = tuple(path for path in annotation.labels if draft.tree.find(path))
        annotation = replace(annotation, labels=labels)
        known = stored.get(annotation.id)
        is_new = bool(item.get("new"))
        if known and (is_new or _have_same_content(known, annotation)):
            continue
        yield PendingSave(annotation, new=is_new or known is None)


def _parse_annotation(value: Any) -> Annotation | None:
    kept = value.get("annotation") if isinstance(value, Mapping) else None
    if not isinstance(kept, Mapping) or not isinstance(kept.get("id"), str):
        return None
    try:
        annotation = annotation_from_json(kept)
    except TuiAnnotateError:
        return None
    return replace(annotation, note=str(annotation.note))


def _fits(anchor: Anchor, draft: Draft) -> bool:
    return anchor.index >= 0 and anchor.span.end <= len(draft.text(anchor.side, anchor.index))


def _have_same_content(one: Annotation, other: Annotation) -> bool:
    return (one.claim, one.evidence, one.labels, one.note) == (
        other.claim,
        other.evidence,
        other.labels,
        other.note,
    )


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
