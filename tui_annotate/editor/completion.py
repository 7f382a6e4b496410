"""Completing, skipping and flagging a sample; updates of the open sample after a save."""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.labels import Requirement
from tui_annotate.domain.samples import Side
from tui_annotate.editor import cursor_actions, notes
from tui_annotate.editor.effects import Blink, Effects, Finish, Focus, GoTo, Select, go_to_first
from tui_annotate.editor.messages import (
    NO_MESSAGE,
    AnyMessage,
    LineText,
    MessageCode,
    StatusMessage,
)
from tui_annotate.editor.navigation import show_annotation
from tui_annotate.editor.pending_saves import PendingSave
from tui_annotate.editor.state import DRAFT, SAMPLE, Draft, PendingQuestion, SideCursor
from tui_annotate.editor.words import (
    ERROR,
    HINT,
    SAVED,
    WARNING,
    describe_kind,
    describe_labels,
    digit_range,
    with_more,
)

_MOST_NAMED = 6
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


def finish_sample(draft: Draft) -> Effects:
    """Complete the sample, unless work is unsaved or a required part is missing (Enter)."""
    if draft.saves.refused and not draft.open:
        draft.say(MessageCode.NOT_SAVED_TRY_AGAIN, WARNING)
        return _restore_refused(draft, draft.saves.refused[0])
    if problem := find_leave_problem(draft) or find_unsaved_work(draft):
        return draft.refuse_key(problem, WARNING)
    if (effects := _show_kept_note(draft)) is not None:
        return effects
    if lacking := draft.lacking():
        return _show_lacking(draft, *lacking[0])
    if draft.asks_rating and not draft.rating:
        draft.asks_rating = False
        return draft.refuse_key(
            MessageCode.NOT_RATED_YET, WARNING, item=describe_kind(draft.sample)
        )
    drops_selection = draft.selection and draft.selection != draft.selection_warned
    unseen = "" if draft.warned else _describe_unseen(draft)
    if drops_selection:
        draft.selection_warned = draft.selection
        if not unseen:
            return draft.refuse_key(MessageCode.SELECTION_NOT_SAVED, WARNING)
    if unseen:
        draft.warned = True
        both = MessageCode.SELECTION_NOT_SAVED_NOT_ALL_SEEN
        return draft.refuse_key(
            both if drops_selection else MessageCode.NOT_ALL_SEEN,
            WARNING,
            unseen=unseen,
            sentences=[at + 1 for at in draft.unvisited()],
            suggestions=_count_unseen_suggestions(draft),
        )
    return [Select(Side.SUMMARY, None), Finish("done")]


def _show_lacking(draft: Draft, annotation: Annotation, lacks: Sequence[str]) -> Effects:
    draft.focus_annotation(annotation.id)
    letter = draft.letter(annotation.id)
    if split := draft.split_label:
        digits = digit_range(draft.options())
        code = MessageCode.LABEL_TO_CHOOSE
        draft.say(code, WARNING, letter=letter, label=split.name, digits=digits)
    else:
        label = describe_labels(annotation.labels)
        lacking = " and ".join(lacks)
        draft.say(MessageCode.LABEL_LACKS, WARNING, letter=letter, label=label, lacks=lacking)
    return go_to_first(annotation.claim)


def leave(verb: str, draft: Draft) -> Effects:
    """Skip the sample on screen, unless an annotation is being edited or a save was refused."""
    if problem := find_leave_problem(draft):
        return draft.refuse_key(problem, WARNING)
    return [Finish(verb)]


def ask_flag_reason(draft: Draft) -> Effects:
    """Ask why the sample is flagged, unless unsaved work prevents leaving it."""
    if problem := find_leave_problem(draft):
        return draft.refuse_key(problem, WARNING)
    draft.pending = PendingQuestion("reason")
    return []


def find_leave_problem(draft: Draft) -> StatusMessage:
    """Return a message if unsaved work prevents opening another sample, else an empty message."""
    if draft.editing:
        return StatusMessage(MessageCode.FINISH_EDIT_BEFORE_LEAVING)
    if draft.saves.refused:
        return StatusMessage(MessageCode.MORE_NOT_SAVED, {"count": len(draft.saves.refused)})
    if draft.save_failed and draft.selection:
        return StatusMessage(MessageCode.CLAIM_NOT_SAVED)
    return NO_MESSAGE


def find_unsaved_work(draft: Draft) -> StatusMessage:
    """Return a message if evidence or a note is not saved yet, else an empty message."""
    if draft.evidence:
        return StatusMessage(MessageCode.EVIDENCE_IN_HAND)
    if draft.note:
        return StatusMessage(MessageCode.NOTE_IN_HAND)
    return NO_MESSAGE


def _show_kept_note(draft: Draft) -> Effects | None:
    """Show which annotation, sample or claim has an unsaved note; None if no note is unsaved."""
    for note in draft.kept_notes:
        known = next((known for known in draft.annotations if known.id == note.id), None)
        if known is not None:
            draft.focus_annotation(known.id)
            letter = draft.letter(known.id)
            label = describe_labels(known.labels)
            draft.say(MessageCode.NOTE_KEPT_ON, WARNING, letter=letter, label=label)
            return go_to_first(known.claim) or [Blink()]
        if note.kind == SAMPLE:
            draft.drop_focus()
            draft.say(MessageCode.COMMENT_KEPT_ON, WARNING, item=describe_kind(draft.sample))
            return [Select(Side.SUMMARY, None), Blink()]
        if note.kind == DRAFT:
            return draft.refuse_key(MessageCode.NOTE_KEPT_FOR_CLAIM, WARNING)
    return None


def _describe_unseen(draft: Draft) -> str:
    parts = []
    if unvisited := draft.unvisited():
        parts.append(_describe_sentences(unvisited))
    if number := _count_unseen_suggestions(draft):
        parts.append(LineText.UNSEEN.text(count=number))
    return ", ".join(parts)


def _count_unseen_suggestions(draft: Draft) -> int:
    return sum(one.id not in draft.seen_suggestions for one in draft.offered)


def _describe_sentences(numbers: Sequence[int]) -> str:
    named = ", ".join(str(at + 1) for at in numbers[:_MOST_NAMED])
    shown = with_more(named, numbers, _MOST_NAMED)
    return LineText.NEVER_SHOWN.text(count=len(numbers), numbers=shown)


def apply_saved(draft: Draft, annotation: Annotation, annotations: Sequence[Annotation]) -> Effects:
    """Show an annotation after its save; open the note line if its label requires a note."""
    saved = draft.saves.end(annotation)
    draft.annotations = tuple(annotations)
    is_idle = not draft.open and draft.selection is None and draft.side is Side.SUMMARY
    if draft.saves.refused and is_idle:
        return _restore_refused(draft, draft.saves.refused[0])
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
    effects = _restore_refused(draft, refused)
    draft.say(MessageCode.NOT_SAVED, ERROR, reason=message)
    return effects


def _restore_refused(draft: Draft, refused: PendingSave) -> Effects:
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


def move_to_first_unmarked(draft: Draft) -> None:
    """Move the cursor of a newly opened sample to the first sentence without an annotation."""
    text = draft.text(Side.SUMMARY, 0)
    for segment in draft.sentences(Side.SUMMARY, 0):
        sentence = segment.span.trim(text)
        marked = any(
            anchor.span.overlap(segment.span)
            for annotation in draft.annotations
            for anchor in annotation.claim
        )
        if sentence and not marked:
            draft.pointers[Side.SUMMARY] = SideCursor(0, sentence.start)
            return
