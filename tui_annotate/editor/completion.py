"""Completing, skipping and flagging a sample, and what prevents leaving it."""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.samples import Side
from tui_annotate.editor import save_results
from tui_annotate.editor.effects import Blink, Effects, Finish, Select, go_to_first
from tui_annotate.editor.messages import (
    NO_MESSAGE,
    LineText,
    MessageCode,
    StatusMessage,
)
from tui_annotate.editor.state import DRAFT, SAMPLE, Draft, PendingQuestion, SideCursor
from tui_annotate.editor.words import (
    WARNING,
    describe_kind,
    describe_labels,
    digit_range,
    with_more,
)

_MOST_NAMED = 6


def finish_sample(draft: Draft) -> Effects:
    """Complete the sample, unless work is unsaved or a required part is missing (Enter)."""
    if draft.saves.refused and not draft.open:
        draft.say(MessageCode.NOT_SAVED_TRY_AGAIN, WARNING)
        return save_results.restore_refused(draft, draft.saves.refused[0])
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
        code = MessageCode.LABEL_LACKS
        if "note" in lacks:
            code = MessageCode.LABEL_LACKS_NOTE if len(lacks) == 1 else MessageCode.LABEL_LACKS_BOTH
        draft.say(code, WARNING, letter=letter, label=label, lacks=lacking)
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
