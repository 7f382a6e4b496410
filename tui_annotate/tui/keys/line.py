"""The key line of the annotating screen: which actions it names, where, and in which words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

LINE: Final[tuple[tuple[str, str], ...]] = (
    ("sentence.next", "sentence"),
    ("word.hint", "words"),
    ("select.grow", "select"),
    ("match.next", "match"),
    ("evidence.take", "evidence"),
    ("sample.done", "done"),
    ("undo", "undo"),
    ("pane.other", "source"),
    ("annotation.next", "annotation"),
    ("note.write", "note"),
    ("option.choose", "label"),
    ("back", "back"),
    ("app.back", "queue"),
    ("palette.show", "all actions"),
    ("note.save", "save"),
    ("note.suggest", "suggestion"),
    ("note.past", "earlier notes"),
    ("note.keep", "keep for later"),
)
"""The most useful actions in order, with their names on the key line; empty: not everywhere."""

EDIT_LINE: Final = (
    ("sample.done", "save"),
    ("annotation.edit", "leave"),
    *(pair for pair in LINE if pair[0] != "sample.done"),
)
"""The same while an annotation is edited: the ways out of it first."""

LINE_AT: Final[Mapping[tuple[str, str], str]] = {
    ("sample.done", "V"): "back",
    ("pane.other", "V"): "back",
    ("back", "R"): "",
    ("option.choose", "R"): "",
    ("sample.done", "S"): "",
}
"""Other names in a state; an empty one leaves the action out there."""

QUESTIONS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "child": (
        ("option.choose", "choose"),
        ("sample.done", "the parent itself"),
        ("back", "cancel"),
    ),
    "evidence": (
        ("evidence.take", "save with it"),
        ("match.next", "other match"),
        ("sample.done", "save a draft"),
        ("back", "cancel"),
    ),
    "evidence by hand": (
        ("sample.done", "save a draft"),
        ("back", "cancel, then"),
        ("pane.other", "take some by hand"),
    ),
    "reason": (
        ("option.choose", "choose"),
        ("option.list", "own words"),
        ("sample.done", "no reason"),
        ("back", "cancel"),
    ),
}
"""The key line while a question waits for its answer, by what is asked."""
