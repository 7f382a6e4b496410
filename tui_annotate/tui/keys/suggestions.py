"""The keys of what machines say, beside those that walk, change and refuse as of annotations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tui_annotate.tui.keys.annotate import READING, Action

ACTIONS: Final[tuple[Action, ...]] = (
    Action("suggestion.accept", ("y",), "accept the suggestion", "Suggestions", READING),
    Action("suggestion.hide", ("Y",), "hide all suggestions, or show them", "Suggestions"),
    Action("document.order", ("O",), "documents in the judge's order, or as found", "View"),
)
"""What is there for every sample; where nothing is suggested they say so."""

QUESTIONS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "decline": (
        ("option.choose", "refuse so"),
        ("option.list", "own words"),
        ("sample.done", "refuse"),
        ("back", "keep it"),
    ),
}
"""The key line while the reason of a refusal is asked."""

LINE: Final[tuple[tuple[str, str], ...]] = (
    ("suggestion.accept", "accept"),
    ("annotation.edit", "change"),
    ("annotation.delete", "refuse"),
    ("item.next", "next"),
    ("request.show", "all of it"),
    ("suggestion.hide", "hide"),
    ("undo", "undo"),
    ("sample.done", "done"),
    ("palette.show", "all actions"),
)
"""The most useful actions while a suggestion is in focus, in order; the first needs a label."""

CITING_LINE: Final = tuple(
    ("annotation.next", short) if name == "item.next" else (name, short) for name, short in LINE
)
"""The same where the key for open items walks citations."""
