"""Answers to suggestions that are sent to the store: acceptances and rejections."""

from __future__ import annotations

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.editor import cursor_actions
from tui_annotate.editor.effects import Accept, Blink, Decline, Effects
from tui_annotate.editor.state import DECLINE, Draft, Note


def to_annotation(draft: Draft, suggestion: Suggestion) -> Annotation:
    """Return the annotation of an accepted suggestion, with its id, which the store replaces."""
    marked = (suggestion.claim, suggestion.evidence, suggestion.labels)
    return Annotation(suggestion.id, *marked, label_set=draft.tree.version)


def send_acceptance(draft: Draft, suggestion: Suggestion, annotation: Annotation) -> Effects:
    """Send a suggestion to the store as an annotation, which the user may have changed."""
    draft.answering[suggestion.id] = annotation
    draft.begin_save(suggestion.id, just_saved=False)
    changed = annotation != to_annotation(draft, suggestion)
    accepted = Accept(suggestion, annotation, changed=changed)
    return [*cursor_actions.drop_selections(draft), accepted]


def send_refusal(draft: Draft, reason: str = "") -> Effects:
    """Send the rejection of the suggestion in focus to the store, and disable the digit keys."""
    one = draft.focused_suggestion
    draft.pending = None
    if one is None:
        return [Blink()]
    draft.answering[one.id] = None
    draft.focus_annotation("")
    return [Decline(one, reason)]


def decline_note(draft: Draft) -> Note:
    """Close the question, and return the note that a typed reason for the rejection belongs to."""
    draft.pending = None
    return Note(DECLINE, draft.focused)
