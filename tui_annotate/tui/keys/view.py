"""The keys of looking at a file: what those of annotating mean there, none of which writes.

A key keeps its meaning: what walks annotations walks everybody's, digits are options of the bar.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tui_annotate.tui.keys.annotate import Action
from tui_annotate.tui.keys.review import ALL_ACTIONS as ALL_BEFORE

VIEWING: Final = "F"
"""The state of a file that is looked at, beside those of annotating and of review."""

_MOVING: Final = frozenset({"Move", "Select"})
_SHARED: Final[Mapping[str, str]] = {
    "pane.other": "to the other text",
    "match.next": "next match, or search hit",
    "match.previous": "previous match, or search hit",
    "option.choose": "one person's annotations; again: everybody's",
    "option.list": "everybody's annotations",
    "back": "drop the search, the selection, what is in hand",
    "annotation.next": "next annotation",
    "annotation.previous": "previous annotation",
    "sample.next": "next sample",
    "sample.previous": "previous sample",
    "sample.go": "go to a sample by its id",
    "text.find": "find in this text",
    "text.lacking": "mark words that the source has nowhere; off",
    "item.next": "next word that i marks",
    "item.previous": "previous word that i marks",
    "request.show": "all about annotation, people, request, fields",
    "layout.next": "both texts, one, stacked",
    "help.show": "the keys, and what the marks mean",
    "palette.show": "all actions, by name",
    "app.back": "to the list of samples; leaves where there is one",
    "app.quit": "leave",
}
"""What actions of annotating do here."""

OWN: Final[tuple[Action, ...]] = (
    Action("person.next", ("p",), "next person of the sample alone", "Annotations", VIEWING),
    Action("person.previous", ("P",), "previous person of the sample", "Annotations", VIEWING),
)


def _shared(action: Action) -> Action:
    words = _SHARED.get(action.id, action.help if action.group in _MOVING else "")
    if not words:
        return action
    return replace(action, states=action.states + VIEWING, at={**action.at, VIEWING: words})


ALL_ACTIONS: Final = (*map(_shared, ALL_BEFORE), *OWN)
"""Those of annotating and of review, with what they do here, and those of looking alone."""

LINE: Final[tuple[tuple[str, str], ...]] = (
    ("annotation.next", "annotation"),
    ("sample.next", "sample"),
    ("person.next", "person"),
    ("request.show", "all about it"),
    ("text.find", "find"),
    ("pane.other", "other text"),
    ("match.next", "match"),
    ("sample.go", "go to id"),
    ("app.back", "list"),
    ("sentence.next", "sentence"),
    ("palette.show", "all actions"),
)
"""The most useful actions in order, with their names on the key line."""
