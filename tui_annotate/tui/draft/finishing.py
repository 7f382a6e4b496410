"""Done, skip, flag: only what was seen, with nothing left in hand; and what the store answers."""

from __future__ import annotations

from collections.abc import Sequence

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.labels import Need
from tui_annotate.domain.nouns import many
from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft import moving, notes, passages
from tui_annotate.tui.draft.effects import Blink, Effects, Finish, Focus, GoTo, Select
from tui_annotate.tui.draft.sheet import Pointer
from tui_annotate.tui.draft.state import DRAFT, SAMPLE, Draft, Pending
from tui_annotate.tui.draft.walking import show_annotation
from tui_annotate.tui.draft.words import (
    ERROR,
    HINT,
    SAVED,
    WARNING,
    digit_range,
    item_word,
    labels_words,
)

MOST_NAMED = 6
_UNDONE = {
    "add": "the annotation",
    "edit": "the edit",
    "remove": "the deletion",
    "rate": "the rating",
    "comment": "the comment",
    "accept": "the acceptance",
    "refuse": "the refusal",
    "done": "finished",
    "skip": "skipped",
    "flag": "flagged",
    "reopen": "opened again",
    "clear": "all annotations deleted",
}


def done(draft: Draft) -> Effects:
    """Enter on the summary side: finishes the sample, unless something stands against it."""
    if draft.unsaved and not draft.open:
        known, new = draft.unsaved[0]
        draft.owed = True
        draft.say("this one is not saved yet: a digit tries again", WARNING)
        return _give_back(draft, known, new=new)
    problem = _unfinished(draft)
    if problem:
        draft.say(problem, WARNING)
        return [Blink()]
    left = _kept_note(draft)
    if left is not None:
        return left
    lacking = draft.lacking()
    if lacking:
        annotation, lacks = lacking[0]
        draft.focused, draft.asleep, draft.just_saved = annotation.id, True, ""
        name = f"{draft.letter(annotation.id)} {labels_words(annotation.labels)}"
        if split := draft.waiting:
            name = f"{draft.letter(annotation.id)} {split.name}"
            choose = f"{digit_range(draft.options())} choose"
            draft.say(f"not done: {name} was split · {choose} · e edit", WARNING)
        else:
            draft.say(f"not done: {name} wants {' and '.join(lacks)} · e edit · m note", WARNING)
        return [
            GoTo(anchor.side, anchor.index, anchor.span.start) for anchor in annotation.claim[:1]
        ]
    if not draft.warned and (unseen := _unseen(draft)):
        draft.warned = True
        draft.say(f"{unseen} · Enter again: done", WARNING)
        return [Blink()]
    return [Select(Side.SUMMARY, None), Finish("done")]


def leave(verb: str, draft: Draft) -> Effects:
    """Skips at once, unless an edit is open or a save was refused."""
    problem = kept_back(draft)
    if problem:
        draft.say(problem, WARNING)
        return [Blink()]
    return [Finish(verb)]


def flag(draft: Draft) -> Effects:
    """Asks for the reason of a flag."""
    problem = kept_back(draft)
    if problem:
        draft.say(problem, WARNING)
        return [Blink()]
    draft.pending = Pending("reason")
    return []


def kept_back(draft: Draft) -> str:
    """Why the sample can not be left just now; empty where it can."""
    if draft.editing:
        return "Enter saves the edit first, e leaves it"
    if draft.unsaved:
        return f"{len(draft.unsaved)} more not saved yet: finish this one, it comes back next"
    if draft.owed and draft.selection:
        return "this claim is not saved yet: a digit tries again, Backspace drops it"
    return ""


def _unfinished(draft: Draft) -> str:
    """What is in hand and would be left behind; empty for nothing."""
    return kept_back(draft) or in_hand(draft)


def in_hand(draft: Draft) -> str:
    """What was taken or written for a claim that is not saved; empty for nothing."""
    if draft.evidence:
        return "evidence is taken: a digit saves it, Backspace gives it back"
    if draft.note:
        return "a note waits for its label: a digit saves it, Backspace drops it"
    return ""


def _kept_note(draft: Draft) -> Effects | None:
    """Brings what a kept note is on into focus, so that `m` opens it; None where nothing waits.

    A note on an annotation that is gone waits for its return, and is in nobody's way.
    """
    for note in draft.kept:
        known = next((known for known in draft.annotations if known.id == note.id), None)
        if known is not None:
            draft.focused, draft.asleep, draft.just_saved = known.id, True, ""
            name = f"{draft.letter(known.id)} {labels_words(known.labels)}"
            draft.say(f"a note is kept on {name}, not saved: m opens it", WARNING)
            return [GoTo(at.side, at.index, at.span.start) for at in known.claim[:1]] or [Blink()]
        if note.kind == SAMPLE:
            draft.focused = draft.just_saved = ""
            of = item_word(draft.sample)
            draft.say(f"a comment is kept on the {of}, not saved: M opens it", WARNING)
            return [Select(Side.SUMMARY, None), Blink()]
        if note.kind == DRAFT:
            draft.say("a note is kept for a claim, not saved: v then m opens it", WARNING)
            return [Blink()]
    return None


def _unseen(draft: Draft) -> str:
    """What of the sample nobody can have seen, in words; empty for nothing."""
    parts = []
    if unvisited := draft.unvisited():
        parts.append(f"{_sentences(unvisited)} never on screen")
    if number := sum(one.id not in draft.regarded for one in draft.offered):
        was = "was" if number == 1 else "were"
        parts.append(f"{many(number, 'suggestion')} {was} never looked at")
    return ", ".join(parts)


def _sentences(numbers: Sequence[int]) -> str:
    named = ", ".join(str(at + 1) for at in numbers[:MOST_NAMED])
    more = f" and {len(numbers) - MOST_NAMED} more" if len(numbers) > MOST_NAMED else ""
    one = len(numbers) == 1
    return f"{'sentence' if one else 'sentences'} {named}{more} {'was' if one else 'were'}"


def saved(draft: Draft, annotation: Annotation, annotations: Sequence[Annotation]) -> Effects:
    """The store has the annotation: it gets its place, and its note line where one is required."""
    _, new = draft.saving.pop(annotation.id, (annotation, False))
    draft.annotations = tuple(annotations)
    draft.unsaved = [pair for pair in draft.unsaved if pair[0].id != annotation.id]
    for known, fresh in draft.unsaved[:1]:
        if not draft.open and draft.selection is None and draft.side is Side.SUMMARY:
            draft.owed = True
            return _give_back(draft, known, new=fresh)
    if new and wants_note(draft, annotation) and draft.focused == annotation.id:
        return [] if draft.writing else notes.write(draft)
    return []


def wants_note(draft: Draft, annotation: Annotation) -> bool:
    """Whether a label asks for the note that is not there yet."""
    labels = [found for path in annotation.labels if (found := draft.tree.find(path))]
    return any(found.note is Need.REQUIRED for found in labels) and not annotation.note


def refused(draft: Draft, annotation: Annotation, message: str) -> Effects:
    """The store has it not: it comes back into hand, at once or as soon as the hand is free."""
    known, new = draft.saving.pop(annotation.id, (annotation, True))
    draft.unsaved = [pair for pair in draft.unsaved if pair[0].id != known.id]
    draft.unsaved.append((known, new))
    if draft.focused == known.id and new:
        draft.focused = draft.just_saved = ""
    if draft.open or draft.selection or draft.writing:
        draft.say(f"not saved: {labels_words(known.labels)}, it comes back next: {message}", ERROR)
        return []
    effects = _give_back(draft, known, new=new)
    draft.owed = True
    draft.say(f"not saved: {message}", ERROR)
    return effects


def _give_back(draft: Draft, annotation: Annotation, *, new: bool) -> Effects:
    draft.asleep, draft.focused, draft.just_saved = False, "", ""
    draft.evidence, draft.note = list(annotation.evidence), annotation.note
    draft.unsaved = [pair for pair in draft.unsaved if pair[0].id != annotation.id]
    stored = next((one for one in draft.annotations if one.id == annotation.id), None)
    if not new and stored:
        draft.editing, draft.labels = stored, list(annotation.labels)
    if new and not annotation.claim and annotation.evidence:
        return _give_passage_back(draft, annotation.evidence)
    draft.side = Side.SUMMARY
    effects: Effects = [Focus(Side.SUMMARY)]
    for anchor in annotation.claim[:1]:
        effects.append(GoTo(anchor.side, anchor.index, anchor.span.start))
        if new or stored is None or stored.claim != annotation.claim:
            effects.append(Select(anchor.side, anchor.span))
    return effects


def _give_passage_back(draft: Draft, evidence: Sequence[Anchor]) -> Effects:
    """A passage that was saved without a claim is selected again, for another digit."""
    first, *more = evidence
    draft.side, draft.evidence = Side.SOURCE, more
    return [
        Select(Side.SUMMARY, None),
        Focus(Side.SOURCE),
        GoTo(first.side, first.index, first.span.start),
        Select(first.side, first.span),
    ]


def replaced(
    draft: Draft, annotations: Sequence[Annotation], text: str, *, gone: Annotation | None = None
) -> Effects:
    """The store changed the annotations otherwise: removed one, took one back, did one again.

    One that is there again comes into focus; what an undo gave back into hand of it is put down.

    Args:
        text: what happened, for the draft line.
        gone: an annotation that an undo took away; it comes back into hand, for another digit.
    """
    before = {annotation.id for annotation in draft.annotations}
    draft.annotations = tuple(annotations)
    known = {annotation.id for annotation in annotations}
    if draft.focused not in known and not draft.focused_suggestion:
        draft.focused, draft.asleep = "", False
    effects: Effects = []
    fresh = [annotation for annotation in annotations if annotation.id not in before]
    back = fresh[0] if len(fresh) == 1 and not gone else None
    if back and _in_hand(draft, back):
        draft.evidence, draft.note = [], ""
        leave = moving.to_summary(draft) if draft.side is Side.SOURCE else []
        effects = [*leave, Select(Side.SUMMARY, None), *show_annotation(draft, back.id)]
    elif back and not (draft.open or draft.selection):
        effects = show_annotation(draft, back.id)
    if gone and gone.id not in known and not draft.open and not draft.selection:
        effects = _give_back(draft, gone, new=True)
    draft.say(text, SAVED if not gone else HINT)
    return effects


def _in_hand(draft: Draft, known: Annotation) -> bool:
    """Whether what the next digit would save is an annotation that is there, but for its label."""
    hand = (*passages.hand(draft), draft.note)
    return not draft.editing and hand == (known.claim, known.evidence, known.note)


def undone(verb: str, labels: str = "", *, redo: bool = False) -> str:
    """What undo took back, or redo did again, in words; `labels` are those of the annotation."""
    what = f"{_UNDONE.get(verb, verb)}{' of' if labels and verb != 'add' else ''} {labels}".strip()
    return f"{'done again' if redo else 'taken back'}: {what}"


def first_place(draft: Draft) -> None:
    """Puts the cursor of a sample never opened before on its first sentence without annotation."""
    text = draft.text(Side.SUMMARY, 0)
    for segment in draft.sentences(Side.SUMMARY, 0):
        sentence = segment.span.trim(text)
        marked = any(
            anchor.span.overlap(segment.span)
            for annotation in draft.annotations
            for anchor in annotation.claim
        )
        if sentence and not marked:
            draft.pointers[Side.SUMMARY] = Pointer(0, sentence.start)
            return
