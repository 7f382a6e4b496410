"""Navigation between annotations of a sample, and between the items that still need work."""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.samples import SampleKind, Side
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.editor import highlights
from tui_annotate.editor.effects import Effects, go_to_first, reveal_first
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.state import Draft


def go_to_annotation(step: int, draft: Draft) -> Effects:
    """Focus the next or previous annotation; in a report, the next annotation or suggestion."""
    known: Sequence[Annotation | Suggestion] = draft.annotations
    if draft.cites:
        known = _sort_by_position([*draft.annotations, *draft.offered])
    if not known and not draft.editing:
        draft.say(MessageCode.NO_ANNOTATIONS)
        return []
    return _walk(draft, known, step)


def go_to_item(step: int, draft: Draft) -> Effects:
    """Go to the next or previous item to check in the sample.

    These items are the highlighted words that do not occur in the source. If no words are
    highlighted, the items are incomplete annotations and unanswered suggestions.
    """
    if draft.missing_words:
        return highlights.walk_missing_words(step, draft)
    found: list[Annotation | Suggestion] = [known for known, _ in draft.lacking()]
    if not draft.cites:
        found = _sort_by_position([*found, *draft.offered])
    if not found:
        hidden = draft.suggestions_hidden and draft.suggestions
        if draft.sample.kind is SampleKind.REPORT and not (draft.citations or hidden):
            return draft.refuse_key(MessageCode.NO_CITATIONS)
        nothing = MessageCode.NOTHING_OPEN_BUT_HIDDEN if hidden else MessageCode.NOTHING_OPEN
        return draft.refuse_key(nothing)
    return _walk(draft, found, step)


def _sort_by_position(known: list[Annotation | Suggestion]) -> list[Annotation | Suggestion]:
    return sorted(known, key=lambda one: one.claim or one.evidence)


def _walk(draft: Draft, known: Sequence[Annotation | Suggestion], step: int) -> Effects:
    if draft.editing:
        return draft.refuse_key(MessageCode.FINISH_EDIT_FIRST)
    return show(draft, known[neighbour_index(draft, known, step)])


def show_annotation(draft: Draft, annotation_id: str) -> Effects:
    """Focus an annotation, scroll to its claim and evidence, and disable label keys (digits)."""
    found = next((known for known in draft.annotations if known.id == annotation_id), None)
    return show(draft, found) if found else []


def show(draft: Draft, one: Annotation | Suggestion) -> Effects:
    """Focus an annotation or suggestion, go to its claim, and scroll to its evidence."""
    draft.focus_annotation(one.id)
    if isinstance(one, Suggestion):
        draft.seen_suggestions.add(one.id)
    show_evidence = go_to_first if draft.side is Side.SOURCE else reveal_first
    return [*go_to_first(one.claim), *show_evidence(one.evidence)]


def neighbour_index(draft: Draft, known: Sequence[Annotation | Suggestion], step: int) -> int:
    """Return the index of the item after (or before) the focused one, else after the cursor."""
    at = next((at for at, one in enumerate(known) if one.id == draft.focused), None)
    if at is not None:
        return (at + step) % len(known)
    offset = draft.pointers[Side.SUMMARY].offset
    later = [at for at, one in enumerate(known) if one.claim and one.claim[0].span.end > offset]
    first = later[0] if later else 0
    return first if step > 0 else (first - 1) % len(known)
