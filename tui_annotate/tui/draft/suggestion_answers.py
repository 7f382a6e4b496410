"""A suggestion's answer on its way to the store: what is made of it, or why it is refused."""

from __future__ import annotations

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.samples import Side
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.tui.draft.effects import Accept, Blink, Decline, Effects, Focus, Select
from tui_annotate.tui.draft.state import DECLINE, Draft, Note


def to_annotation(draft: Draft, suggestion: Suggestion) -> Annotation:
    """The annotation that a suggestion becomes as it is; the machine's reason is nobody's note.

    It has the suggestion's id: the store gives it another.
    """
    marked = (suggestion.claim, suggestion.evidence, suggestion.labels)
    return Annotation(suggestion.id, *marked, label_set=draft.tree.version)


def send_acceptance(draft: Draft, suggestion: Suggestion, annotation: Annotation) -> Effects:
    """Sends what is made of a suggestion; nothing of it is in hand from then on."""
    draft.answering[suggestion.id] = annotation
    draft.save_failed, draft.changing, draft.editing = False, None, None
    draft.labels.clear()
    draft.evidence.clear()
    draft.note, draft.just_saved = "", ""
    draft.asleep, draft.focused = True, suggestion.id
    effects: Effects = [Select(Side.SUMMARY, None)]
    if draft.side is Side.SOURCE:
        draft.side = Side.SUMMARY
        effects += [Select(Side.SOURCE, None), Focus(Side.SUMMARY)]
    changed = annotation != to_annotation(draft, suggestion)
    return [*effects, Accept(suggestion, annotation, changed=changed)]


def send_refusal(draft: Draft, reason: str = "") -> Effects:
    """Sends a refusal of the suggestion in focus; digits sleep, as after a save."""
    draft.pending, one = None, draft.focused_suggestion
    if one is None:
        return [Blink()]
    draft.answering[one.id] = None
    draft.asleep, draft.focused, draft.just_saved = True, "", ""
    return [Decline(one, reason)]


def decline_note(draft: Draft) -> Note:
    """What a note is on that says why the suggestion in focus is refused."""
    draft.pending = None
    return Note(DECLINE, draft.focused)
