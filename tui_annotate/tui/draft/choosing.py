"""Digits: options become labels, labels become annotations; what is missing is asked for."""

from __future__ import annotations

from dataclasses import replace

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.labels import Label, Need
from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft import answering, moving, notes, passages, rating
from tui_annotate.tui.draft.effects import Blink, Effects, Finish, Focus, Open, Save, Select
from tui_annotate.tui.draft.offered import DECLINE
from tui_annotate.tui.draft.state import RATING, Draft, Option, Pending
from tui_annotate.tui.draft.words import HINT, WARNING, labels_words, names


def choose(draft: Draft, digit: str) -> Effects:
    """A digit, in any state but N: saves, opens, toggles, or blinks where it means nothing."""
    if digit == "0":
        return _zero(draft)
    option = next((known for known in draft.options() if known.digit == digit), None)
    if option is None:
        return [Blink()]
    if draft.asleep and not (draft.pending or draft.waiting):
        return _sleeping(draft)
    if draft.pending and draft.pending.kind == "reason":
        return _flag(draft, option.text)
    if draft.pending and draft.pending.kind == DECLINE:
        return answering.decline(draft, option.text)
    if draft.pending and draft.pending.kind == RATING:
        return rating.give(draft, option.text)
    return _take(draft, option)


def pick(draft: Draft, path: LabelPath) -> Effects:
    """A label chosen from the list, taken as it is: a parent means itself."""
    if draft.tree.find(path) is None:
        draft.say(f"{labels_words([path])} is no label any more", WARNING)
        return [Blink()]
    return label(draft, path)


def repeat(draft: Draft) -> Effects:
    """The last label again."""
    if draft.tree.find(draft.last_label) is None:
        draft.say("no label to repeat yet")
        return [Blink()]
    if draft.asleep:
        draft.say("move or select first, then r repeats the label")
        return [Blink()]
    return label(draft, draft.last_label)


def accept(draft: Draft) -> Effects:
    """Enter while a choice is pending: the parent itself, no evidence found, no reason."""
    pending, draft.pending = draft.pending, None
    if pending is None:
        return [Blink()]
    if pending.kind == "reason":
        return [Finish("flag")]
    if pending.kind == DECLINE:
        return answering.decline(draft)
    if pending.kind == RATING:
        return []
    if pending.kind == "evidence":
        return save(draft, pending.path)
    return label(draft, pending.path)


def cancel(draft: Draft) -> Effects:
    """Leaves a pending choice; nothing is saved."""
    draft.pending = None
    return []


def took(draft: Draft) -> Effects:
    """After Space took a match while a choice is pending: saves if only evidence was missing."""
    if draft.pending and draft.pending.kind == "evidence" and draft.evidence:
        path = draft.pending.path
        draft.pending = None
        return save(draft, path)
    return []


def _sleeping(draft: Draft) -> Effects:
    """Says which key comes before a digit."""
    suggested = "e first: then digits are labels of the suggestion"
    saved = "digits sleep after a save: move or select first"
    draft.say(suggested if draft.focused_suggestion else saved)
    return [Blink()]


def _zero(draft: Draft) -> Effects:
    if draft.pending is None:
        if draft.asleep and not draft.waiting:
            return _sleeping(draft)
        return [Open("labels")]
    if draft.pending.kind == "reason":
        draft.pending = None
        return notes.open_reason(draft)
    if draft.pending.kind == DECLINE:
        return notes.open_reason(draft, answering.in_own_words(draft))
    if draft.pending.kind == RATING:
        return rating.give(draft, "")
    return accept(draft) if draft.pending.kind == "child" else [Blink()]


def _flag(draft: Draft, reason: str) -> Effects:
    draft.pending = None
    return [Finish("flag", reason)]


def _take(draft: Draft, option: Option) -> Effects:
    if option.opens:
        draft.pending = Pending("child", option.path)
        return []
    draft.pending = None
    return label(draft, option.path)


def label(draft: Draft, path: LabelPath) -> Effects:
    """Puts a label to use: toggles it while editing, else saves the claim in hand under it.

    Where the annotation in focus has a label that was split, it stands in the place of that one.
    """
    draft.pending = None
    if draft.editing:
        return [*_took_passage(draft), *_toggle(draft, path)]
    if split := draft.waiting:
        return _decide(draft, split, path)
    found = draft.tree.find(path)
    hand = passages.hand(draft)
    empty = not draft.claim and not passages.alone(draft)
    problem = "no words here to label" if empty else _refusal(draft, found, hand)
    if problem:
        draft.say(problem, WARNING)
        return [Blink()]
    if found and found.evidence is Need.REQUIRED and not hand.evidence:
        draft.pending = Pending("evidence", path)
        return []
    return save(draft, path)


def _took_passage(draft: Draft) -> Effects:
    """The selection of a source that is judged is evidence of what is edited."""
    if (found := passages.passage(draft)) is None:
        return []
    draft.evidence += [found] if found not in draft.evidence else []
    return moving.to_summary(draft)


def _refusal(draft: Draft, found: Label | None, hand: passages.Hand) -> str:
    """Why what is in hand can not be saved under a label; empty where it can."""
    if found is None:
        return "no such label"
    if problem := closed(draft, found):
        return problem
    if found.evidence is Need.NONE and hand.evidence:
        return f"{found.name} takes no evidence: Backspace gives it back"
    if found.note is Need.NONE and draft.note:
        return f"{found.name} takes no note: Backspace drops it"
    return beside(draft, found, hand.claim or hand.evidence)


def closed(draft: Draft, found: Label | None) -> str:
    """Why a label is no longer given; empty where it is."""
    if found is None or found.offered:
        return ""
    if not found.split:
        return f"{found.name} is retired: choose another label"
    parts = names(draft.tree.parts(found), last=" or ") or "another label"
    return f"{found.name} was split: choose {parts}"


def beside(draft: Draft, found: Label, of: tuple[Anchor, ...], *, but: str = "") -> str:
    """Why a label can not stand beside others of the same claim, of the same evidence without one.

    Args:
        but: the id of one that is passed over.
    """
    for known in draft.annotations:
        if (known.claim or known.evidence) != of or known.id == but:
            continue
        name, what = draft.letter(known.id), "claim" if known.claim else "passage"
        if found.path in known.labels:
            return f"{name} says {found.name} of this {what} already: a then e edits it"
        others = [other for path in known.labels if (other := draft.tree.find(path))]
        if found.exclusive or any(other.exclusive for other in others):
            return f"{name} says {labels_words(known.labels)} of this {what}, one must stand alone"
    return ""


def _decide(draft: Draft, split: Label, path: LabelPath) -> Effects:
    """The annotation in focus gets a label in the place of one that was split."""
    known, found = draft.focused_annotation, draft.tree.find(path)
    if known is None or found is None:
        return [Blink()]
    labels = tuple(dict.fromkeys(path if one == split.path else one for one in known.labels))
    of = known.claim or known.evidence
    problem = closed(draft, found) or beside(draft, found, of, but=known.id)
    if found.exclusive and len(labels) > 1:
        problem = f"{found.name} must stand alone: e edits the labels"
    elif found.evidence is Need.NONE and known.evidence:
        problem = f"{found.name} takes no evidence: e edits it"
    elif found.note is Need.NONE and known.note:
        problem = f"{found.name} takes no note: e edits it"
    if problem:
        draft.say(problem, WARNING)
        return [Blink()]
    changed = replace(known, labels=labels)
    draft.saving[known.id] = (changed, False)
    draft.last_label, draft.just_saved = path, known.id
    return [Save(changed, new=False)]


def _toggle(draft: Draft, path: LabelPath) -> Effects:
    """A label more or less on what is edited; a part takes the one that was split away."""
    if path in draft.labels:
        draft.labels.remove(path)
        return []
    found = draft.tree.find(path)
    held = draft.editing is not None and path in draft.editing.labels
    if problem := "" if held else closed(draft, found):
        draft.say(problem, WARNING)
        return [Blink()]
    others = [other for known in draft.labels if (other := draft.tree.find(known))]
    if (found and found.exclusive) or any(other.exclusive for other in others):
        draft.labels.clear()
        draft.say("one of the two must stand alone: the other is off", HINT)
    for other in others:
        if found in draft.tree.parts(other) and other.path in draft.labels:
            draft.labels.remove(other.path)
    draft.labels.append(path)
    return []


def save(draft: Draft, path: LabelPath) -> Effects:
    """Sends what is in hand to the store under a label; the draft is empty from then on."""
    claim, evidence = passages.hand(draft)
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
    """Enter while editing: a new version, where something changed."""
    edited = draft.editing
    if edited is None:
        return [Blink()]
    if not draft.labels:
        draft.say("no label is left: a digit puts one on, e leaves, x deletes", WARNING)
        return [Blink()]
    if not (draft.claim or draft.evidence):
        draft.say("nothing is left of it: select a claim, or e leaves, x deletes", WARNING)
        return [Blink()]
    changed = replace(
        edited,
        claim=draft.claim or edited.claim,
        evidence=tuple(sorted(set(draft.evidence))),
        labels=tuple(draft.labels),
        note=draft.note,
    )
    if draft.changing:
        return answering.accept(draft, draft.changing, changed)
    if changed == edited:
        leave_edit(draft)
        draft.say("nothing was changed")
        return [Select(Side.SUMMARY, None)]
    return _send(draft, changed, new=False)


def leave_edit(draft: Draft) -> None:
    """Drops what was changed; the annotation stays in focus."""
    if draft.editing:
        draft.focused = draft.editing.id
    draft.editing, draft.changing, draft.asleep = None, None, bool(draft.focused)
    draft.labels.clear()
    draft.evidence.clear()
    draft.note = ""


def _send(draft: Draft, annotation: Annotation, *, new: bool) -> Effects:
    draft.saving[annotation.id] = (annotation, new)
    draft.owed = False
    leave_edit(draft)
    draft.asleep, draft.focused, draft.just_saved = True, annotation.id, annotation.id
    effects: Effects = [Select(Side.SUMMARY, None)]
    if draft.side is Side.SOURCE:
        draft.side = Side.SUMMARY
        effects += [Select(Side.SOURCE, None), Focus(Side.SUMMARY)]
    offer = draft.looking.offer(annotation.claim, draft.matches[Side.SOURCE])
    return [*effects, Save(annotation, new, offer)]
