"""Notes: what the note line writes on, and what becomes of its text."""

from __future__ import annotations

from dataclasses import replace

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.former import Former
from tui_annotate.domain.labels import Need
from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft import answering
from tui_annotate.tui.draft.effects import Blink, Comment, Effects, Finish, OpenNote, Save
from tui_annotate.tui.draft.offered import DECLINE
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
    if draft.focused_suggestion:
        draft.say("e takes the suggestion for changes, m writes its note then")
        return [Blink()]
    if annotation is not None:
        labels = [found for path in annotation.labels if (found := draft.tree.find(path))]
        if any(found.note is Need.NONE for found in labels):
            draft.say(f"{labels_words(annotation.labels)} takes no note", WARNING)
            return []
        return _open(draft, Note(ANNOTATION, annotation.id), annotation.note)
    return _open(draft, Note(SAMPLE), comment)


def on_sample(draft: Draft, comment: str = "") -> Effects:
    """Opens the note line on the sample, whatever is in focus; what is in hand stays there."""
    return _open(draft, Note(SAMPLE), comment)


def in_question(draft: Draft) -> tuple[Anchor | None, str]:
    """(claim, annotation's id) that former annotations are looked for by; empty for a new one."""
    annotation = draft.editing or draft.focused_annotation
    claim = annotation.claim if annotation and not draft.editing else ()
    return next(iter(claim or draft.claim), None), annotation.id if annotation else ""


def take(draft: Draft, former: Former) -> Effects:
    """A former annotation was chosen: its note is in hand, and `r` gives its label.

    Where an annotation is in focus the note line opens with the note, to be saved or left.
    """
    given = {label.path for label in draft.tree.offered()}
    known = [path for path in former.labels if path in given]
    if known:
        draft.last_label = known[0]
    if draft.focused_annotation and not (draft.editing or draft.selection or draft.open):
        effects = write(draft) if former.note else []
        if not former.note:
            draft.say("that one has no note · e changes the labels of this one")
        return [OpenNote(former.note) if isinstance(one, OpenNote) else one for one in effects]
    if not former.note:
        said = "that one has no note"
    elif draft.note not in ("", former.note):
        said = "a note is in hand already, Backspace drops it"
    else:
        draft.note = former.note
        said = "the note is taken"
    name = labels_words(known[:1])
    offer = f"r puts {name} on, or takes it off" if draft.editing else f"r saves as {name}"
    draft.say(f"{said} · {offer}" if known else said)
    return []


_FLAGGED = Note(REASON)


def open_reason(draft: Draft, note: Note = _FLAGGED) -> Effects:
    """Opens the note line for a reason in own words."""
    return _open(draft, note, "")


def _open(draft: Draft, note: Note, text: str) -> Effects:
    draft.writing, draft.stored = note, text
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
    if note.kind == DECLINE:
        return answering.decline(draft, text)
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
    if half(draft, text):
        of_sample = draft.writing is not None and draft.writing.kind == SAMPLE
        what, again = ("comment", "M") if of_sample else ("note", "m")
        draft.say(f"the {what} is kept, not saved: {again} opens it again")
    draft.writing = None
    return []


def half(draft: Draft, text: str) -> bool:
    """Keeps what stands in the note line; False where it is a reason, or nothing was altered."""
    note = draft.writing
    if note is None or note.kind in (REASON, DECLINE):
        return False
    if text.strip() and text.strip() != draft.stored:
        draft.kept[note] = text
        return True
    draft.kept.pop(note, None)
    return False
