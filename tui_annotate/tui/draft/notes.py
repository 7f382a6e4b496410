"""Notes: what the note line writes on, and what becomes of its text."""

from __future__ import annotations

from dataclasses import replace

from tui_annotate.domain.labels import Need
from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft.effects import Comment, Effects, Finish, OpenNote, Save
from tui_annotate.tui.draft.state import ANNOTATION, DRAFT, REASON, SAMPLE, Draft, Note
from tui_annotate.tui.draft.words import WARNING, labels_words


def write(draft: Draft, comment: str = "") -> Effects:
    """Opens the note line: on the annotation in focus, else the claim in hand, else the sample.

    Args:
        comment: what the sample's note says now.
    """
    annotation = draft.focused_annotation
    if draft.editing or draft.selection or draft.side is Side.SOURCE or draft.open:
        return _open(draft, Note(DRAFT), draft.note)
    if annotation is None and draft.focused in draft.saving:
        annotation = draft.saving[draft.focused][0]
    if annotation is not None:
        labels = [found for path in annotation.labels if (found := draft.tree.find(path))]
        if any(found.note is Need.NONE for found in labels):
            draft.say(f"{labels_words(annotation.labels)} takes no note", WARNING)
            return []
        return _open(draft, Note(ANNOTATION, annotation.id), annotation.note)
    return _open(draft, Note(SAMPLE), comment)


def open_reason(draft: Draft) -> Effects:
    """Opens the note line for a reason in own words."""
    return _open(draft, Note(REASON), "")


def _open(draft: Draft, note: Note, text: str) -> Effects:
    draft.writing = note
    return [OpenNote(draft.kept.get(note, text))]


def done(draft: Draft, text: str) -> Effects:
    """Enter in the note line: the text goes where it belongs."""
    note, draft.writing = draft.writing, None
    if note is None:
        return []
    draft.kept.pop(note, None)
    text = text.strip()
    if note.kind == REASON:
        return [Finish("flag", text)]
    if note.kind == SAMPLE:
        return [Comment(text)]
    if note.kind == DRAFT:
        draft.note = text
        return []
    known = next((known for known in draft.annotations if known.id == note.id), None)
    if known is None:
        draft.kept[note] = text
        draft.say("the annotation of this note is gone; the text is kept", WARNING)
        return []
    if known.note == text:
        return []
    changed = replace(known, note=text)
    draft.saving[known.id] = (changed, False)
    draft.just_saved = known.id if draft.focused == known.id else draft.just_saved
    return [Save(changed, new=False)]


def kept(draft: Draft, text: str) -> Effects:
    """Esc in the note line: the text waits for the next time the same note is opened."""
    note, draft.writing = draft.writing, None
    if note is None or note.kind == REASON:
        return []
    known = next((known for known in draft.annotations if known.id == note.id), None)
    before = draft.note if note.kind == DRAFT else known.note if known else ""
    if text.strip() and text.strip() != before:
        draft.kept[note] = text
        draft.say("the note is kept, not saved: m opens it again")
    else:
        draft.kept.pop(note, None)
    return []
