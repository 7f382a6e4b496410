"""The keys of review: what those of annotating mean there, and the few that it has of its own.

A key keeps its meaning: what walks annotations walks what was said, what deletes one refuses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tui_annotate.tui.keys import items, suggestions, sync
from tui_annotate.tui.keys.annotate import ACTIONS, STATES, Action
from tui_annotate.tui.keys.line import QUESTIONS

REVIEWING: Final = "J"
ALL_STATES: Final = STATES + REVIEWING

_MOVING: Final = frozenset({"Move", "Select"})
_SHARED: Final[Mapping[str, str]] = {
    "pane.other": "to the other text",
    "match.next": "next search hit",
    "match.previous": "previous search hit",
    "option.choose": "choose a rival",
    "option.list": "further rivals",
    "back": "drop the selection, or the choice",
    "annotation.next": "next place where anything was said",
    "annotation.previous": "previous place",
    "annotation.edit": "edit the rival, or what was made of it",
    "annotation.delete": "refuse the rival, or all; a reason is asked",
    "note.write": "settle the comment on the sample",
    "undo": "undo what you settled, in any sample",
    "redo": "redo",
    "sample.done": "settle the sample, to the next",
    "sample.rate": "settle the rating: a digit, 0 for none",
    "sample.next": "next sample of review, this one stays",
    "sample.previous": "previous sample of review",
    "sample.go": "go to a sample by its id",
    "item.next": "next conflict",
    "item.previous": "previous conflict",
    "text.find": "find in this text",
    "request.show": "notes of annotators, request, guidelines",
    "layout.next": "both texts, one, stacked; remembered",
    "help.show": "the keys for where you are",
    "palette.show": "all actions, by name",
    "app.back": "to the queue of review",
    "app.quit": "leave; all is saved",
    "talk.write": "answer what was asked about the sample",
    "account.password": "change my password",
    "account.leave": "sign out and leave",
}
"""What actions of annotating do in review."""

OWN: Final[tuple[Action, ...]] = (
    Action("proposal.take", ("y",), "take the rival, else what most said", "Review", REVIEWING),
    Action("rivals.merge", ("M",), "merge: all words, all evidence", "Review", REVIEWING),
    Action("own.add", ("+",), "add the selection as your own", "Review", REVIEWING),
    Action("names.show", ("W",), "who A, B, C are; hide them again", "Review", REVIEWING),
    Action("sample.reopen", (), "open a settled sample again", "Review", REVIEWING),
)


def _shared(action: Action) -> Action:
    words = _SHARED.get(action.id, action.help if action.group in _MOVING else "")
    if not words:
        return action
    at = {**action.at, REVIEWING: words}
    return replace(action, states=action.states + REVIEWING, at=at)


_BEFORE: Final = (*ACTIONS, *items.ACTIONS, *suggestions.ACTIONS, *sync.ACTIONS)
ALL_ACTIONS: Final = (*map(_shared, _BEFORE), *OWN)
"""Those of annotating, with what they do in review, and review's own."""

LINE: Final[tuple[tuple[str, str], ...]] = (
    ("item.next", "conflict"),
    ("proposal.take", "take"),
    ("option.choose", "rival"),
    ("annotation.delete", "refuse"),
    ("sample.rate", "rating"),
    ("sample.done", "settle"),
    ("undo", "undo"),
    ("annotation.edit", "edit"),
    ("rivals.merge", "merge"),
    ("annotation.next", "place"),
    ("own.add", "your own"),
    ("pane.other", "other text"),
    ("names.show", "names"),
    ("app.back", "queue"),
    ("palette.show", "all actions"),
)
"""The most useful actions of review in order, with their names on the key line."""

REFUSING: Final = "refuse"
"""Why a rival is refused, is asked."""
LEAVING: Final = "rest"
"""Why nothing is taken of what is open when the sample is settled, is asked."""

ALL_QUESTIONS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    **QUESTIONS,
    **items.QUESTIONS,
    **suggestions.QUESTIONS,
    **dict.fromkeys(
        (REFUSING, LEAVING),
        (("option.choose", "choose"), ("option.list", "own words"), ("back", "cancel")),
    ),
}
"""The key line while a question waits for its answer, by what is asked."""
