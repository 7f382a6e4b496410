"""Updates of the open sample after the store has saved or refused a change.

What the store refuses stays in the draft, or in its pending saves, until it is saved or dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.labels import Requirement
from tui_annotate.domain.samples import Side
from tui_annotate.editor import cursor_actions, notes
from tui_annotate.editor.effects import Effects, Focus, GoTo, Select
from tui_annotate.editor.messages import (
    AnyMessage,
    LineText,
    MessageCode,
    StatusMessage,
    combine_messages,
)
from tui_annotate.editor.navigation import show_annotation
from tui_annotate.editor.pending_saves import PendingSave
from tui_annotate.editor.state import Draft
from tui_annotate.editor.words import ERROR, HINT, SAVED, WARNING, describe_labels

_ACTIONS = {
    "add": LineText.ANNOTATION,
    "edit": LineText.EDIT,
    "remove": LineText.DELETION,
    "rate": LineText.RATING,
    "comment": LineText.SAMPLE_COMMENT,
    "accept": LineText.ACCEPTANCE,
    "refuse": LineText.REJECTION,
    "done": LineText.COMPLETION,
    "skip": LineText.SKIP,
    "flag": LineText.FLAGGING,
    "reopen": LineText.REOPENING,
    "clear": LineText.DELETION_OF_ALL,
}


def apply_saved(draft: Draft, annotation: Annotation, annotations: Sequence[Annotation]) -> Effects:
    """Show an annotation after its save; open the note line if its label requires a note."""
    saved = draft.saves.end(annotation)
    draft.annotations = tuple(annotations)
    is_idle = not draft.open and draft.selection is None and draft.side is Side.SUMMARY
    if draft.saves.refused and is_idle:
        return restore_refused(draft, draft.saves.refused[0])
    if saved.new and wants_note(draft, annotation) and draft.focused == annotation.id:
        return [] if draft.writing else notes.write(draft)
    return []


def wants_note(draft: Draft, annotation: Annotation) -> bool:
    """Return whether an annotation lacks a note that one of its labels requires."""
    labels = [found for path in annotation.labels if (found := draft.tree.find(path))]
    return any(found.note is Requirement.REQUIRED for found in labels) and not annotation.note


def apply_refused_save(
    draft: Draft, annotation: Annotation, message: StatusMessage | str
) -> Effects:
    """Restore an annotation that the store refused to save, so that the user can save it again.

    If the user has begun other work, only show a message; the annotation is restored later.
    """
    refused = draft.saves.refuse(annotation)
    if draft.focused == annotation.id and refused.new:
        draft.drop_focus()
    if draft.open or draft.selection or draft.writing:
        label = describe_labels(refused.annotation.labels)
        draft.say(MessageCode.NOT_SAVED_COMES_BACK, ERROR, label=label, reason=message)
        return []
    effects = restore_refused(draft, refused)
    draft.say(MessageCode.NOT_SAVED, ERROR, reason=message)
    return effects


def restore_first_refused(draft: Draft) -> Effects:
    """Put the oldest refused annotation into the draft of a sample that was just opened.

    If the draft has other work, or there is none, only the message changes. A message about the
    opening of the sample stays.
    """
    waiting = draft.saves.refused
    if not waiting:
        return []
    before = draft.message
    if draft.open or draft.selection:
        more = StatusMessage(MessageCode.MORE_NOT_SAVED, {"count": len(waiting)})
        draft.message = combine_messages(before, more, WARNING)
        return []
    not_saved = StatusMessage(MessageCode.NOT_SAVED_TRY_AGAIN)
    draft.message = combine_messages(before, not_saved, WARNING)
    return restore_refused(draft, waiting[0])


def restore_refused(draft: Draft, refused: PendingSave) -> Effects:
    """Restore an annotation that the store refused; the user must save or drop it."""
    draft.save_failed = True
    return _restore_draft(draft, refused.annotation, new=refused.new)


def _restore_draft(draft: Draft, annotation: Annotation, *, new: bool) -> Effects:
    draft.enable_digits()
    draft.evidence = list(annotation.evidence)
    draft.note = annotation.note
    draft.saves.take_back(annotation)
    stored = next((one for one in draft.annotations if one.id == annotation.id), None)
    if not new and stored:
        draft.editing = stored
        draft.labels = list(annotation.labels)
    if new and not annotation.claim and annotation.evidence:
        return _restore_passage(draft, annotation.evidence)
    draft.side = Side.SUMMARY
    effects: Effects = [Focus(Side.SUMMARY)]
    if annotation.claim:
        anchor = annotation.claim[0]
        effects.append(GoTo(anchor.side, anchor.index, anchor.span.start))
        # An edit that kept the claim needs no selection.
        if new or stored is None or stored.claim != annotation.claim:
            effects.append(Select(anchor.side, anchor.span))
    return effects


def _restore_passage(draft: Draft, evidence: Sequence[Anchor]) -> Effects:
    first, *more = evidence
    draft.side = Side.SOURCE
    draft.evidence = more
    return [
        Select(Side.SUMMARY, None),
        Focus(Side.SOURCE),
        GoTo(first.side, first.index, first.span.start),
        Select(first.side, first.span),
    ]


def replace_annotations(
    draft: Draft,
    annotations: Sequence[Annotation],
    text: AnyMessage,
    *,
    gone: Annotation | None = None,
) -> Effects:
    """Update the sample's list of annotations after a deletion, an undo or a redo.

    A restored annotation gets the focus. If an undo made it the draft, the draft is emptied.

    Args:
        gone: annotation that an undo removed; it becomes the draft (annotation not yet saved), so
            that the user can choose another label.
    """
    before = {annotation.id for annotation in draft.annotations}
    draft.annotations = tuple(annotations)
    known = {annotation.id for annotation in annotations}
    if draft.focused not in known and not draft.focused_suggestion:
        draft.enable_digits()
    fresh = [annotation for annotation in annotations if annotation.id not in before]
    effects: Effects = []
    is_idle = not (draft.open or draft.selection)
    if gone:
        if gone.id not in known and is_idle:
            effects = _restore_draft(draft, gone, new=True)
            # The user has just undone it, so Enter need not ask whether it is dropped.
            draft.selection_warned = next((anchor.span for anchor in gone.claim), None)
    elif len(fresh) == 1:
        if _is_same_as_draft(draft, fresh[0]):
            draft.evidence = []
            draft.note = ""
            if draft.side is Side.SOURCE:
                effects = cursor_actions.go_to_summary(draft)
            effects += [Select(Side.SUMMARY, None), *show_annotation(draft, fresh[0].id)]
        elif is_idle:
            effects = show_annotation(draft, fresh[0].id)
    draft.say(text, HINT if gone else SAVED)
    return effects


def _is_same_as_draft(draft: Draft, known: Annotation) -> bool:
    unsaved = (*draft.anchors_to_save(), draft.note)
    return not draft.editing and unsaved == (known.claim, known.evidence, known.note)


def describe_undone(verb: str, labels: str = "", *, redo: bool = False) -> StatusMessage:
    """Return the message of an undo or a redo; `verb` is the event verb of the undone action."""
    what = _ACTIONS[verb].text() if verb in _ACTIONS else verb
    if labels:
        code = LineText.ADDED_ANNOTATION if verb == "add" else LineText.ACTION_OF
        what = code.text(action=what, labels=labels)
    message = MessageCode.DONE_AGAIN if redo else MessageCode.TAKEN_BACK
    return StatusMessage(message, {"what": what, "label": labels})


def describe_rating(word: str) -> StatusMessage:
    """Return the message after a rating was stored; an empty word for a removed rating."""
    code = MessageCode.RATED if word else MessageCode.NOT_RATED_ANY_MORE
    return StatusMessage(code, {"rating": word})
