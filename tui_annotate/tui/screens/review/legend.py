"""What the keys and marks of review mean; imported when somebody asks."""

from __future__ import annotations

from typing import Final

from tui_annotate.tui.dialogs.help import CLOSED, CURSOR, LISTED, STATES, HelpGroup, Mark
from tui_annotate.tui.keys.map import KeyMap, shown_keys
from tui_annotate.tui.keys.review import REVIEWING
from tui_annotate.tui.palette import CHOSEN, CONFLICT, OPENS_MORE, SEVERAL
from tui_annotate.tui.screens.review.rows import AGREED, NEARLY, OWN, REFUSED

LEGEND: Final[tuple[Mark, ...]] = (
    Mark((("1 ", "label 0"), ("text", "underlined")), "rival 1 of the place in hand"),
    Mark((("0 ", "label 0"), ("text", "underlined")), "one of further rivals: 0 shows these"),
    Mark(((f"{OPENS_MORE} ", "text"), ("Label A B", "text")), "the rival that was chosen"),
    Mark(((f"{CHOSEN} ", "good"), ("Label A B", "text")), "a rival of which something stands"),
    Mark(((f"{REFUSED} ", "text"), ("Label A B", "text")), "a rival that was refused"),
    Mark(((f"{CONFLICT} ", "label 0"), ("text", "underlined")), "a conflict: labels, or not all"),
    Mark(((f"{NEARLY} ", "label 0"), ("text", "underlined")), "the same label, of other extents"),
    Mark(((f"{AGREED} ", "label 0"), ("text", "underlined")), "all agree: taken with the sample"),
    Mark(((f"{CHOSEN} ", "label 0"), ("text", "underlined")), "what you made of a place"),
    Mark(((f"{REFUSED} ", "label 0"), ("text", "underlined")), "a place that you refused"),
    Mark(((f"{OWN} ", "label 0"), ("text", "underlined")), "what you added"),
    Mark((("[id]", "quiet"),), "behind a sentence of a report: what it cites"),
    CLOSED,
    *LISTED,
    Mark(((SEVERAL, "label 1"),), "several places on one line; a walks through them"),
    Mark(((f"{CHOSEN} ", "text"), ("text", "evidence")), "evidence of what is in hand"),
    *CURSOR,
    *STATES,
)
"""The marks of texts, of the bar and of the queue."""

_DAILY: Final = (
    "item.next", "item.previous", "option.choose", "option.list", "proposal.take",
    "rivals.merge", "annotation.edit", "annotation.delete", "own.add", "sample.rate",
    "note.write", "sample.done", "undo", "redo", "annotation.next", "annotation.previous",
    "names.show", "request.show",
)  # fmt: skip
"""What a reviewer does all day, in the order of the work."""


def groups(keys: KeyMap) -> list[HelpGroup]:
    """The keys that act in review: those of each day first, walking through texts last."""
    daily = [action for action in map(keys.get, _DAILY) if action.keys]
    first = [(shown_keys(action.keys), action.words(REVIEWING)) for action in daily]
    others: dict[str, list[tuple[str, str]]] = {}
    for name, rows in keys.help(REVIEWING):
        # The next hit of a search has the key of the next match.
        others.setdefault("View" if name == "Evidence" else name, []).extend(
            row for row in rows if row not in first
        )
    rest = sorted(others.items(), key=lambda each: each[0] == "Move")
    return [
        HelpGroup(name, [(shown, words, "") for shown, words in rows])
        for name, rows in (("Review", first), *rest)
        if rows
    ]
