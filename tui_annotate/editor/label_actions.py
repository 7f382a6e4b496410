"""Choosing labels, reasons and ratings by digit, and saving annotations."""

from __future__ import annotations

from dataclasses import replace

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.labels import Label, Requirement
from tui_annotate.domain.samples import Side
from tui_annotate.editor import cursor_actions, notes, suggestion_answers
from tui_annotate.editor.effects import (
    Blink,
    Effects,
    Finish,
    Open,
    Page,
    Rate,
    Save,
    Select,
)
from tui_annotate.editor.messages import NO_MESSAGE, LineText, MessageCode, StatusMessage
from tui_annotate.editor.state import DECLINE, RATING, WHY, Draft, PendingQuestion
from tui_annotate.editor.words import HINT, WARNING, describe_labels, join_label_names


def choose(draft: Draft, digit: str) -> Effects:
    """Apply the label, or another option, that a typed digit stands for."""
    if digit == "0":
        return _choose_zero(draft)
    option = next((known for known in draft.options() if known.digit == digit), None)
    if option is None:
        return _refuse_unused_digit(draft, digit)
    if draft.digits_off and not (draft.pending or draft.split_label):
        return _refuse_digit(draft)
    if draft.pending and draft.asks_reason:
        reason = WHY[draft.pending.kind][int(option.digit) - 1]
        return _send_reason(draft, draft.pending, str(reason.value))
    if draft.pending and draft.pending.kind == RATING:
        return _give_rating(draft, option.text)
    if option.opens:
        draft.pending = PendingQuestion("child", option.path)
        return []
    return label(draft, option.path)


def _refuse_unused_digit(draft: Draft, digit: str) -> Effects:
    digits = [known.digit for known in draft.options() if known.digit]
    if draft.pending or not digits:
        return [Blink()]  # the status line shows the question
    if len(digits) == 1:
        return draft.refuse_key(MessageCode.ONLY_LABEL_DIGIT, digit=digit, only=digits[0])
    return draft.refuse_key(
        MessageCode.NO_LABEL_OF_DIGIT, digit=digit, first=digits[0], last=digits[-1]
    )


def pick(draft: Draft, path: LabelPath) -> Effects:
    """Apply a label from the list of all labels, unless the label set has lost it meanwhile."""
    if draft.tree.find(path) is None:
        return draft.refuse_key(MessageCode.LABEL_GONE, WARNING, label=describe_labels([path]))
    return label(draft, path)


def repeat(draft: Draft) -> Effects:
    """Apply the label that was used last (key `r`)."""
    if draft.tree.find(draft.last_label) is None:
        return draft.refuse_key(MessageCode.NO_LABEL_TO_REPEAT)
    if draft.digits_off:
        return draft.refuse_key(MessageCode.NO_CLAIM_TO_REPEAT_ON)
    return label(draft, draft.last_label)


def accept(draft: Draft) -> Effects:
    """Accept the default answer (Enter): the parent label, no evidence, or no reason."""
    pending = draft.pending
    draft.pending = None
    if pending is None:
        return [Blink()]
    if pending.kind in WHY:
        return _send_reason(draft, pending, "")
    if pending.kind == RATING:
        return []
    if pending.kind == "evidence":
        return save(draft, pending.path)
    return label(draft, pending.path)


def _send_reason(draft: Draft, pending: PendingQuestion, text: str) -> Effects:
    draft.pending = None
    if pending.kind == DECLINE:
        return suggestion_answers.send_refusal(draft, text)
    return [Finish("flag", text)]


def cancel(draft: Draft) -> Effects:
    """Close the open question without an answer."""
    draft.pending = None
    return []


def save_taken_match(draft: Draft) -> Effects:
    """Save the annotation if evidence was added that the chosen label requires (key Space)."""
    pending = draft.pending
    if not (pending and pending.kind == "evidence" and draft.evidence):
        return []
    draft.pending = None
    return save(draft, pending.path)


def _refuse_digit(draft: Draft) -> Effects:
    if draft.focused_suggestion:
        return draft.refuse_key(MessageCode.DIGITS_OFF_ON_SUGGESTION)
    return draft.refuse_key(MessageCode.DIGITS_OFF_AFTER_SAVE)


def _choose_zero(draft: Draft) -> Effects:
    if draft.pending is None:
        if draft.digits_off and not draft.split_label:
            return _refuse_digit(draft)
        return [Open(Page.LABELS)]
    if draft.pending.kind == "reason":
        draft.pending = None
        return notes.open_reason(draft)
    if draft.pending.kind == DECLINE:
        return notes.open_reason(draft, suggestion_answers.decline_note(draft))
    if draft.pending.kind == RATING:
        return _give_rating(draft, "")
    return accept(draft) if draft.pending.kind == "child" else [Blink()]


def ask_rating(draft: Draft) -> Effects:
    """Ask for the rating of the sample, if there is a rating scale for it."""
    if not draft.scale:
        return draft.refuse_key(MessageCode.NO_SCALE)
    draft.pending = PendingQuestion(RATING)
    return []


def _give_rating(draft: Draft, word: str) -> Effects:
    draft.pending = None
    if word == draft.rating:
        code = MessageCode.ALREADY_RATED if word else MessageCode.ALREADY_NOT_RATED
        draft.say(code, rating=word)
        return []
    return [Rate(word)]


def label(draft: Draft, path: LabelPath) -> Effects:
    """Apply a label: toggle the label while editing, else save the current claim with the label.

    If the focused annotation has a split label, the new label replaces the split label.
    """
    draft.pending = None
    if draft.editing:
        return [*_take_passage(draft), *_toggle_label(draft, path)]
    if split := draft.split_label:
        return _replace_split_label(draft, split, path)
    found = draft.tree.find(path)
    if not draft.claim and not draft.is_passage_alone:
        return draft.refuse_key(MessageCode.NO_WORDS_TO_LABEL, WARNING)
    if found is None:
        return draft.refuse_key(MessageCode.UNKNOWN_LABEL, WARNING)
    if problem := _find_problem(draft, found):
        return draft.refuse_key(problem, WARNING)
    if found.evidence is Requirement.REQUIRED and not draft.anchors_to_save()[1]:
        draft.pending = PendingQuestion("evidence", path)
        return []
    return save(draft, path)


def _take_passage(draft: Draft) -> Effects:
    found = draft.passage
    if found is None:
        return []
    if found not in draft.evidence:
        draft.evidence.append(found)
    return cursor_actions.go_to_summary(draft)


def _find_problem(draft: Draft, found: Label) -> StatusMessage:
    claim, evidence = draft.anchors_to_save()
    if problem := closed_label_reason(draft, found):
        return problem
    if found.evidence is Requirement.NONE and evidence:
        return StatusMessage(MessageCode.TAKES_NO_EVIDENCE, {"label": found.name})
    if found.note is Requirement.NONE and draft.note:
        return StatusMessage(MessageCode.TAKES_NO_NOTE, {"label": found.name})
    return conflicting_label_reason(draft, found, claim or evidence)


def closed_label_reason(draft: Draft, found: Label | None) -> StatusMessage:
    """Return why a retired or split label cannot be chosen; empty for other labels and for None."""
    if found is None or found.offered:
        return NO_MESSAGE
    if not found.split:
        return StatusMessage(MessageCode.LABEL_RETIRED, {"label": found.name})
    parts = join_label_names(draft.tree.parts(found), last=" or ")
    code = MessageCode.LABEL_SPLIT if parts else MessageCode.LABEL_SPLIT_INTO_NOTHING
    return StatusMessage(code, {"label": found.name, "parts": parts})


def conflicting_label_reason(
    draft: Draft, found: Label, of: tuple[Anchor, ...], *, but: str = ""
) -> StatusMessage:
    """Return why a label conflicts with other labels of the same claim; empty for no conflict.

    Args:
        of: anchors of the claim, or of the evidence if the annotation has no claim.
        but: id of an annotation to ignore.
    """
    for known in draft.annotations:
        if (known.claim or known.evidence) != of or known.id == but:
            continue
        what = LineText.CLAIM_NAME if known.claim else LineText.PASSAGE_NAME
        fields = {"letter": draft.letter(known.id), "label": found.name, "what": what.text()}
        if found.path in known.labels:
            return StatusMessage(MessageCode.HAS_LABEL_ALREADY, fields)
        others = [other for path in known.labels if (other := draft.tree.find(path))]
        if found.exclusive or any(other.exclusive for other in others):
            fields["label"] = describe_labels(known.labels)
            return StatusMessage(MessageCode.HAS_EXCLUSIVE_LABEL, fields)
    return NO_MESSAGE


def _replace_split_label(draft: Draft, split: Label, path: LabelPath) -> Effects:
    known = draft.focused_annotation
    found = draft.tree.find(path)
    if known is None or found is None:
        return [Blink()]
    labels = tuple(dict.fromkeys(path if one == split.path else one for one in known.labels))
    of = known.claim or known.evidence
    problem = closed_label_reason(draft, found) or conflicting_label_reason(
        draft, found, of, but=known.id
    )
    if found.exclusive and len(labels) > 1:
        problem = StatusMessage(MessageCode.PART_IS_EXCLUSIVE, {"label": found.name})
    elif found.evidence is Requirement.NONE and known.evidence:
        problem = StatusMessage(MessageCode.PART_TAKES_NO_EVIDENCE, {"label": found.name})
    elif found.note is Requirement.NONE and known.note:
        problem = StatusMessage(MessageCode.PART_TAKES_NO_NOTE, {"label": found.name})
    if problem:
        return draft.refuse_key(problem, WARNING)
    changed = replace(known, labels=labels)
    draft.saves.send(changed, new=False)
    draft.last_label = path
    draft.focus_annotation(known.id, just_saved=True)
    return [Save(changed, new=False)]


def _toggle_label(draft: Draft, path: LabelPath) -> Effects:
    """Add a label to the edited annotation, or remove the label if the annotation has it.

    Exclusive labels replace the other labels. A label that was split is replaced by an added label
    into which it was split.
    """
    if path in draft.labels:
        draft.labels.remove(path)
        return []
    found = draft.tree.find(path)
    held = draft.editing is not None and path in draft.editing.labels
    if not held and (problem := closed_label_reason(draft, found)):
        return draft.refuse_key(problem, WARNING)
    others = [other for known in draft.labels if (other := draft.tree.find(known))]
    if (found and found.exclusive) or any(other.exclusive for other in others):
        draft.labels.clear()
        draft.say(MessageCode.OTHER_LABELS_OFF, HINT)
    for other in others:
        if found in draft.tree.parts(other) and other.path in draft.labels:
            draft.labels.remove(other.path)
    draft.labels.append(path)
    return []


def save(draft: Draft, path: LabelPath) -> Effects:
    """Save the current claim and evidence as a new annotation with one label."""
    claim, evidence = draft.anchors_to_save()
    annotation = Annotation(
        id=draft.new_id(),
        claim=claim,
        evidence=evidence,
        labels=(path,),
        note=draft.note,
        label_set=draft.tree.version,
    )
    draft.last_label = path
    return _send(draft, annotation, new=True)


def save_edit(draft: Draft) -> Effects:
    """Save an edit (Enter), unless no label or no span is left; close an edit without changes."""
    edited = draft.editing
    if edited is None:
        return [Blink()]
    if not draft.labels:
        return draft.refuse_key(MessageCode.NO_LABEL_LEFT, WARNING)
    changed = draft.edited_annotation()
    if changed is None:
        return draft.refuse_key(MessageCode.NO_ANCHOR_LEFT, WARNING)
    if draft.changing:
        return suggestion_answers.send_acceptance(draft, draft.changing, changed)
    if changed == edited:
        draft.end_edit()
        draft.say(MessageCode.NOTHING_CHANGED)
        return [Select(Side.SUMMARY, None)]
    return _send(draft, changed, new=False)


def _send(draft: Draft, annotation: Annotation, *, new: bool) -> Effects:
    draft.saves.send(annotation, new=new)
    draft.begin_save(annotation.id, just_saved=True)
    offer = draft.viewed_matches.offer(annotation.claim, draft.matches[Side.SOURCE])
    return [*cursor_actions.drop_selections(draft), Save(annotation, new, offer)]
