"""What each key does in each state: one function an action, one table, nothing hidden between.

`press` changes the draft and returns what the screen is to do, in order. No screen is known here:
whoever drives it tells the draft where the cursors are (`moving.pointed`) and what is lit
(`lighting.lit`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft import (
    choosing,
    finishing,
    items,
    lighting,
    moving,
    notes,
    passages,
    rating,
    suggesting,
    walking,
)
from tui_annotate.tui.draft.effects import (
    Blink,
    Effects,
    Open,
    Remove,
    Select,
    Undo,
)
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.draft.words import WARNING

ONLY_IN_OPTION: Final = frozenset(
    {
        "match.next",
        "match.previous",
        "evidence.take",
        "back",
        "sample.done",
        "undo",
        "redo",
        "app.quit",
    }
)


def press(draft: Draft, action: str, *, digit: str = "", comment: str = "") -> Effects:
    """An action of the key table, in whatever state the draft is.

    Args:
        digit: which option, for `option.choose`.
        comment: the sample's note as it is stored, for `note.write`.
    """
    draft.message = ("", "hint")
    if draft.writing:
        return []
    if action in ("option.choose", "option.list"):
        return choosing.choose(draft, digit or "0")
    if draft.pending and action not in ONLY_IN_OPTION:
        return [Blink()]
    if action == "note.write":
        return notes.write(draft, comment)
    if action == "comment.write":
        return notes.on_sample(draft, comment)
    deed = DEEDS.get(action)
    return deed(draft) if deed else [Blink()]


# annotations


def _edit(draft: Draft) -> Effects:
    if draft.editing:
        choosing.leave_edit(draft)
        return [Select(Side.SUMMARY, None)]
    annotation, suggestion = draft.focused_annotation, draft.focused_suggestion
    if not (annotation or suggestion):
        draft.say("a walks to an annotation, e edits it then")
        return [Blink()]
    if problem := finishing.in_hand(draft):
        draft.say(problem)
        return [Blink()]
    if annotation is None:
        return suggesting.change(draft, suggestion) if suggestion else []
    draft.editing, draft.asleep, draft.just_saved = annotation, False, ""
    draft.labels = list(annotation.labels)
    draft.evidence = list(annotation.evidence)
    draft.note = annotation.note
    return [Select(Side.SUMMARY, None)]


def _delete(draft: Draft) -> Effects:
    if draft.changing:
        choosing.leave_edit(draft)
        return [Select(Side.SUMMARY, None), *suggesting.refuse(draft)]
    if draft.focused_suggestion and not draft.editing:
        return suggesting.refuse(draft)
    annotation = draft.editing or draft.focused_annotation
    if annotation is None:
        draft.say("a walks to an annotation, x deletes it then")
        return [Blink()]
    if draft.editing:
        choosing.leave_edit(draft)
    return [Remove(annotation)]


# leaving and taking back


def _back(draft: Draft) -> Effects:
    if draft.pending:
        return choosing.cancel(draft)
    if draft.hits:  # before all else, as the draft line promises while a search is on
        draft.hits = ()
        return []
    if draft.side is Side.SOURCE:
        draft.owed = draft.owed and not passages.alone(draft)
        return moving.to_summary(draft)
    if draft.selection:
        draft.wake()
        draft.owed = False
        return [Select(draft.side, None)]
    if draft.evidence:
        draft.evidence.pop()
    elif draft.editing:
        return _edit(draft)
    elif draft.note:
        draft.note = ""
    elif draft.focused:
        draft.wake()
    return []


def _undo(draft: Draft, *, redo: bool = False) -> Effects:
    if draft.pending:
        return choosing.cancel(draft)
    if draft.editing:
        choosing.leave_edit(draft)
        return [Select(Side.SUMMARY, None)]
    return [Undo(redo=redo)]


def _enter(draft: Draft) -> Effects:
    if draft.pending:
        return choosing.accept(draft)
    if draft.side is Side.SOURCE:
        return moving.leave_source(draft)
    if draft.editing:
        return choosing.save_edit(draft)
    return finishing.done(draft)


def _leave(what: str, step: int, draft: Draft) -> Effects:
    if problem := finishing.kept_back(draft):
        draft.say(problem, WARNING)
        return [Blink()]
    return [Open(what, step)]


def _former(draft: Draft) -> Effects:
    if notes.in_question(draft)[0] is None:
        draft.say("no words here to look for")
        return [Blink()]
    return [Open("former")]


def _open(what: str, draft: Draft) -> Effects:  # noqa: ARG001  every deed takes the draft
    return [Open(what)]


DEEDS: Final[Mapping[str, Callable[[Draft], Effects]]] = {
    **moving.DEEDS,
    "document.next": partial(items.document, 1),
    "document.previous": partial(items.document, -1),
    "match.next": partial(lighting.walk_lit, 1),
    "match.previous": partial(lighting.walk_lit, -1),
    "evidence.take": lighting.take,
    "signals.next": partial(_open, "signals"),
    "label.repeat": choosing.repeat,
    "label.former": _former,
    "back": _back,
    "annotation.next": partial(walking.annotation, 1),
    "annotation.previous": partial(walking.annotation, -1),
    "annotation.edit": _edit,
    "annotation.delete": _delete,
    "document.order": items.reorder,
    "suggestion.accept": suggesting.take,
    "suggestion.hide": suggesting.hide,
    "undo": _undo,
    "redo": partial(_undo, redo=True),
    "sample.done": _enter,
    "sample.skip": partial(finishing.leave, "skip"),
    "sample.flag": finishing.flag,
    "sample.next": partial(_leave, "sample", 1),
    "sample.previous": partial(_leave, "sample", -1),
    "reading.other": partial(_leave, "reading", 0),
    "sample.go": partial(_leave, "go", 0),
    "sample.rivals": partial(_leave, "rivals", 0),
    "queue.order": partial(_leave, "order", 0),
    "app.back": partial(_leave, "queue", 0),
    "text.find": partial(_open, "find"),
    "text.lacking": partial(_open, "lacking"),
    "item.next": partial(items.walk, 1),
    "item.previous": partial(items.walk, -1),
    "sample.rate": rating.ask,
    "incomplete.next": partial(_leave, "incomplete", 1),
    "collection.show": partial(_leave, "collection", 0),
    "gold.show": partial(_open, "gold"),
    "positions.show": partial(_leave, "positions", 0),
    "request.show": partial(_open, "request"),
    "layout.next": partial(_open, "layout"),
    "lesson.show": partial(_open, "lesson"),
    "help.show": partial(_open, "help"),
    "palette.show": partial(_open, "palette"),
    "app.quit": partial(_open, "quit"),
    "work.print": partial(_leave, "print", 0),
    "talk.write": partial(_open, "talk"),
    "figures.show": partial(_open, "figures"),
    "sync.toggle": partial(_open, "sync"),
    "account.password": partial(_open, "password"),
    "account.leave": partial(_leave, "sign out", 0),
}
