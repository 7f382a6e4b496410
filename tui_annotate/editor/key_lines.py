"""Which keys and actions the last line of the screen lists in each situation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tui_annotate.editor.actions import action_of
from tui_annotate.editor.key_state import EDITING, REVIEWING, VIEWING, KeyState
from tui_annotate.editor.review.questions import CONFIRMING, LEAVING, REFUSING, REOPENING

Names = tuple[tuple[str, str], ...]
"""Pairs of (action id, short name), in the order in which a key line lists the actions."""


def _with_names(*entries: str | tuple[str, str]) -> Names:
    return tuple(
        (entry, action_of(entry).short) if isinstance(entry, str) else entry for entry in entries
    )


READING_LINE: Final = _with_names(
    "sentence.next", "word.hint", "select.grow", "match.next", "evidence.take", "sample.done",
    "undo", "pane.other", "annotation.next", "note.write", "option.choose", "back", "app.back",
    "palette.show", "note.save", "note.suggest", "note.past", "note.keep",
)  # fmt: skip

ITEM_LINE: Final = _with_names(
    "sentence.next", "sample.rate", "comment.write", "item.next", "sample.done", "undo",
    "document.next", "pane.other", "collection.show", "word.hint", "select.grow", "request.show",
    "palette.show",
)  # fmt: skip

QUESTION_LINE: Final = _with_names(
    ("sample.rate", "verdict"), ("gold.show", "gold passage"), "sample.done",
    ("document.next", "passage"), ("request.show", "question"), "undo",
    ("positions.show", "chart"), "pane.other", "collection.show", "word.hint", "select.grow",
    "request.show", "palette.show",
)  # fmt: skip
"""Keys shown for a question of which the answer passages are known."""

SUGGESTION_LINE: Final = _with_names(
    "suggestion.accept", "annotation.edit", "annotation.delete", ("item.next", "next"),
    ("request.show", "details"), "suggestion.hide", "undo", "sample.done", "palette.show",
)  # fmt: skip
"""Keys shown while a suggestion is focused. Only a suggestion with a label can be accepted."""

CITING_SUGGESTION_LINE: Final = tuple(
    ("annotation.next", short) if name == "item.next" else (name, short)
    for name, short in SUGGESTION_LINE
)
"""Keys shown while a suggestion is focused in a sample with citations.

In such a sample key `c` goes to the next citation, and another key to the next suggestion.
"""

STATE_LINES: Final[Mapping[KeyState, Names]] = {
    EDITING: (
        *_with_names(("sample.done", "save"), ("annotation.edit", "cancel")),
        *(pair for pair in READING_LINE if pair[0] != "sample.done"),
    ),
    REVIEWING: _with_names(
        ("item.next", "conflict"), "proposal.take", ("option.choose", "choose"),
        "annotation.delete", ("sample.rate", "rating"), ("sample.done", "complete"), "undo",
        ("annotation.edit", "edit"), "rivals.merge", ("annotation.next", "next"), "own.add",
        ("pane.other", "other text"), "names.show", "app.back", "palette.show",
    ),
    VIEWING: _with_names(
        "annotation.next", "sample.next", "person.next", ("request.show", "details"),
        "text.find", ("pane.other", "other text"), "match.next", "sample.go",
        ("app.back", "list"), "sentence.next", "palette.show",
    ),
}  # fmt: skip

TYPED_REASON: Final = "typed reason"
"""The line for a reason in the user's own words, whose text is not kept if it is closed."""

_REVIEW_REASON: Final = _with_names(
    ("option.choose", "choose"), ("option.list", "other reason"), ("back", "cancel")
)
QUESTIONS: Final[Mapping[str, Names]] = {
    "child": _with_names(
        ("option.choose", "choose"), ("sample.done", "parent label"), ("back", "cancel")
    ),
    "evidence": _with_names(
        ("evidence.take", "save with it"), ("match.next", "other match"),
        ("sample.done", "save without"), ("back", "cancel"),
    ),
    "evidence by hand": _with_names(
        ("sample.done", "save without"), ("back", "cancel, then"),
        ("pane.other", "select evidence"),
    ),
    "reason": _with_names(
        ("option.choose", "choose"), ("option.list", "other reason"), ("sample.done", "no reason"),
        ("back", "cancel"),
    ),
    "rating": _with_names(
        ("option.choose", "rate"), ("option.list", "not rated"), ("back", "keep rating")
    ),
    "decline": _with_names(
        ("option.choose", "choose reason"), ("option.list", "other reason"),
        ("sample.done", "no reason"), ("back", "cancel"),
    ),
    TYPED_REASON: _with_names(
        "note.save", "note.suggest", "note.past", ("note.keep", "cancel")
    ),
    REFUSING: _REVIEW_REASON,
    LEAVING: _REVIEW_REASON,
    CONFIRMING: _with_names(("option.choose", "choose"), ("back", "cancel")),
    REOPENING: _with_names(("option.choose", "choose"), ("back", "cancel")),
}  # fmt: skip
