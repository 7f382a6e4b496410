"""The resume state of a sample as JSON: cursors, unsaved work, seen sentences.

Unsaved work is the claim, evidence and notes of the draft, and the annotations that the store has
not confirmed, so that a refused annotation is not lost when the program ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from tui_annotate.domain.annotations import (
    Anchor,
    Annotation,
    annotation_from_json,
    annotation_to_json,
)
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.pending_saves import PendingSave, PendingSaves
from tui_annotate.editor.state import Draft, Note, SideCursor

_DRAFT_ID: Final = "draft"
"""Id of the annotation that keeps the content of a refused draft; saving it creates a new id."""


def dump_state(draft: Draft) -> dict[str, Any]:
    """Return the cursors and unsaved work of a sample as values for JSON.

    An open edit is left out, unless the store has refused to save it.
    """
    failed = _find_failed_draft(draft)
    is_plain = failed is None and draft.editing is None
    claim = draft.pointers[Side.SUMMARY].selection if is_plain else None
    evidence = draft.evidence if is_plain else []
    unsaved = [_save_to_json(save) for save in (*filter(None, [failed]), *draft.saves)]
    unsaved += [
        _save_to_json(PendingSave(annotation, new=True), suggested=True)
        for annotation in draft.answering.values()
        if annotation
    ]
    return {
        "cursors": {
            side.value: [pointer.document, pointer.offset]
            for side, pointer in draft.pointers.items()
        },
        "claim": [claim.start, claim.end] if claim else None,
        "evidence": [[each.index, each.span.start, each.span.end] for each in evidence],
        "note": draft.note if is_plain else "",
        "kept": [[note.kind, note.id, text] for note, text in draft.kept_notes.items()],
        "unsaved": unsaved,
        "visited": sorted(draft.visited),
        "regarded": sorted(draft.seen_suggestions & {one.id for one in draft.suggestions}),
    }


def omit_stored(kept: Mapping[str, Any], saves: PendingSaves) -> dict[str, Any]:
    """Return what `dump_state` returned without the annotations that the store has saved since.

    May be called in the store's thread.
    """
    unsaved = [
        item
        for item in kept["unsaved"]
        if (item["annotation"]["id"], item["annotation"]["version"], item["new"])
        not in saves.stored
    ]
    return {**kept, "unsaved": unsaved}


def restore(draft: Draft, kept: Mapping[str, Any], *, locked: bool = False) -> None:
    """Restore the cursors and unsaved work from `dump_state`, except what does not fit the text.

    Annotations that were not saved become refused saves of the draft; if the work is `locked`, so
    that nothing can be saved, they are only kept for the next time.
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
        if locked:
            draft.saves.set_aside(save)
        else:
            draft.saves.keep(save)
    known = range(len(draft.sentences(Side.SUMMARY, 0)))
    draft.visited |= {at for at in _as_list(kept.get("visited")) if at in known}
    seen = _as_list(kept.get("regarded"))
    draft.seen_suggestions |= {one.id for one in draft.suggestions if one.id in seen}


def _find_failed_draft(draft: Draft) -> PendingSave | None:
    """Return the draft as the annotation that the store refused to save; None if it is another."""
    if not draft.save_failed:
        return None
    if edited := draft.edited_annotation():
        if draft.changing:  # of a suggestion: comes back as a new annotation
            return PendingSave(replace(edited, id=_DRAFT_ID), new=True)
        return PendingSave(edited, new=False)
    claim, evidence = draft.anchors_to_save()
    if draft.editing or not (draft.selection or evidence):
        return None
    return PendingSave(Annotation(_DRAFT_ID, claim, evidence, note=draft.note), new=True)


def _save_to_json(save: PendingSave, *, suggested: bool = False) -> dict[str, Any]:
    annotation = annotation_to_json(save.annotation)
    return {"annotation": annotation, "new": save.new, "suggested": suggested}


def _parse_unsaved(value: Any, draft: Draft) -> Iterator[PendingSave]:
    """Yield the annotations that fit the sample and are not stored.

    The process may have ended after the store saved an annotation and before it could say so.
    """
    stored = {annotation.id: annotation for annotation in draft.annotations}
    suggestions = {one.id for one in draft.suggestions}
    for item in _as_list(value):
        annotation = _parse_annotation(item)
        if annotation is None or not all(_fits(anchor, draft) for anchor in annotation.anchors):
            continue
        known = stored.get(annotation.id)
        if item.get("suggested"):
            if annotation.id in suggestions:  # else the answer was stored
                yield PendingSave(replace(annotation, id=draft.new_id()), new=True)
        elif item.get("new") or known is None:
            if known is None:
                yield PendingSave(annotation, new=True)
        elif not _have_same_content(known, annotation):
            yield PendingSave(_with_valid_labels(annotation, known, draft.tree), new=False)


def _with_valid_labels(annotation: Annotation, known: Annotation, tree: LabelTree) -> Annotation:
    """Return an edit with those labels that can still be saved; without any, the stored ones."""
    found = {path: tree.find(path) for path in annotation.labels}
    valid = [
        path for path, label in found.items() if label and (label.offered or path in known.labels)
    ]
    return replace(annotation, labels=tuple(valid) or known.labels)


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
