"""Notes: typing the note of an annotation or claim, a sample comment, or a reason."""

from __future__ import annotations

from dataclasses import replace

from tui_annotate.domain.annotations import Anchor, PastAnnotation
from tui_annotate.domain.labels import Requirement
from tui_annotate.domain.samples import Side
from tui_annotate.editor import suggestion_answers
from tui_annotate.editor.effects import Comment, Effects, Finish, OpenNote, Save
from tui_annotate.editor.messages import MessageCode, StatusMessage
from tui_annotate.editor.state import ANNOTATION, DECLINE, DRAFT, REASON, SAMPLE, Draft, Note
from tui_annotate.editor.words import WARNING, describe_labels


def write(draft: Draft) -> Effects:
    """Open the note line for the focused annotation, else the unsaved claim, else the sample."""
    annotation = draft.focused_annotation
    if draft.editing or draft.selection or draft.side is Side.SOURCE or draft.open:
        return _open_line(draft, Note(DRAFT), draft.note)
    if annotation is None and draft.focused in draft.saves.sent:
        annotation = draft.saves.sent[draft.focused].annotation
    if draft.focused_suggestion:
        return draft.refuse_key(MessageCode.NO_NOTE_ON_SUGGESTION)
    if annotation is not None:
        labels = [found for path in annotation.labels if (found := draft.tree.find(path))]
        if any(found.note is Requirement.NONE for found in labels):
            label = describe_labels(annotation.labels)
            draft.say(MessageCode.NO_NOTE_UNDER_LABEL, WARNING, label=label)
            return []
        return _open_line(draft, Note(ANNOTATION, annotation.id), annotation.note)
    return write_comment(draft)


def write_comment(draft: Draft) -> Effects:
    """Open the note line with the comment on the sample."""
    return _open_line(draft, Note(SAMPLE), draft.comment)


def claim_to_search(draft: Draft) -> tuple[Anchor | None, str]:
    """Return the claim to search for in past annotations, and the id of the focused annotation."""
    annotation = draft.editing or draft.focused_annotation
    claim = annotation.claim if annotation and not draft.editing else ()
    return next(iter(claim or draft.claim), None), annotation.id if annotation else ""


def take(draft: Draft, former: PastAnnotation) -> Effects:
    """Copy the note of a similar past annotation to the annotation that is not saved yet.

    Key `r` then applies that annotation's label. If an annotation is in focus, the note line opens
    with the note instead.
    """
    given = {label.path for label in draft.tree.offered()}
    known = [path for path in former.labels if path in given]
    if known:
        draft.last_label = known[0]
    if draft.focused_annotation and not (draft.editing or draft.selection or draft.open):
        if not former.note:
            draft.say(MessageCode.FORMER_HAS_NO_NOTE_FOR_THIS)
            return []
        effects = write(draft)
        return [OpenNote(former.note) if isinstance(one, OpenNote) else one for one in effects]
    if not former.note:
        code = MessageCode.FORMER_HAS_NO_NOTE
    elif draft.note not in ("", former.note):
        code = MessageCode.NOTE_IN_HAND_ALREADY
    else:
        draft.note = former.note
        code = MessageCode.NOTE_TAKEN
    message = StatusMessage(code)
    if known:
        repeat = MessageCode.REPEAT_TOGGLES if draft.editing else MessageCode.REPEAT_SAVES
        then = StatusMessage(repeat, {"label": describe_labels(known[:1])})
        message = StatusMessage(MessageCode.WITH_MORE, {"first": message, "more": then})
    draft.say(message)
    return []


_FLAG_REASON = Note(REASON)


def open_reason(draft: Draft, note: Note = _FLAG_REASON) -> Effects:
    """Open an empty note line for a typed reason: by default, why the sample is flagged."""
    return _open_line(draft, note, "")


def _open_line(draft: Draft, note: Note, text: str) -> Effects:
    draft.writing = note
    draft.stored = text
    return [OpenNote(draft.kept_notes.get(note, text))]


def finish_note(draft: Draft, text: str) -> Effects:
    """Handle Enter in the note line: store the typed text as a note, comment or reason."""
    note = draft.writing
    draft.writing = None
    if note is None:
        return []
    draft.kept_notes.pop(note, None)
    text = text.strip()
    if note.kind == REASON:
        return [Finish("flag", text)]
    if note.kind == DECLINE:
        return suggestion_answers.send_refusal(draft, text)
    if note.kind == SAMPLE:
        return [Comment(text)]
    if note.kind == DRAFT:
        draft.note = text
        return []
    known = next((known for known in draft.annotations if known.id == note.id), None)
    if known is None:
        draft.kept_notes[note] = text
        draft.say(MessageCode.ANNOTATION_OF_NOTE_GONE, WARNING)
        return []
    if known.note == text:
        return []
    changed = replace(known, note=text)
    draft.saves.send(changed, new=False)
    if draft.focused == known.id:
        draft.focus_annotation(known.id, just_saved=True)
    return [Save(changed, new=False)]


def keep_note_text(draft: Draft, text: str) -> Effects:
    """Close the note line (Esc), but keep its text until the same note is opened again."""
    if keep_unsaved_text(draft, text):
        of_sample = draft.writing is not None and draft.writing.kind == SAMPLE
        draft.say(MessageCode.COMMENT_KEPT if of_sample else MessageCode.NOTE_KEPT)
    draft.writing = None
    return []


def keep_unsaved_text(draft: Draft, text: str) -> bool:
    """Keep the text typed into the note line for later; return whether the text was kept.

    The text is not kept if it is empty, unchanged, or the reason for a flag or a rejection.
    """
    note = draft.writing
    if note is None or note.kind in (REASON, DECLINE):
        return False
    if text.strip() and text.strip() != draft.stored:
        draft.kept_notes[note] = text
        return True
    draft.kept_notes.pop(note, None)
    return False
