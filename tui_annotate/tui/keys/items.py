"""The keys of judging samples as a whole: rating, comment, and the way through a collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tui_annotate.tui.keys.annotate import Action

ACTIONS: Final[tuple[Action, ...]] = (
    Action("sample.rate", ("*",), "rate the sample: a digit, 0 for not rated", "Sample"),
    Action("comment.write", ("M",), "comment on the sample", "Sample"),
    Action("incomplete.next", ("J",), "next report, document, sentence to do", "Sample"),
    Action("collection.show", ("T",), "topics, runs, documents; what is done", "View"),
    Action("gold.show", ("=",), "to the passage that holds the answer", "View"),
    Action("positions.show", (), "chart: right answers by where they stand", "View"),
)
"""What is there for every sample; where there is nothing of the kind the last four say so."""

QUESTIONS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "rating": (
        ("option.choose", "rate"),
        ("option.list", "not rated"),
        ("back", "as it was"),
    ),
}
"""The key line while the scale is shown."""

NEEDS_SOURCE: Final = frozenset({"item.next", "document.next", "pane.other"})
"""Of these, what means nothing where a document is alone."""

LINE: Final[tuple[tuple[str, str], ...]] = (
    ("sentence.next", "sentence"),
    ("sample.rate", "rate"),
    ("comment.write", "comment"),
    ("item.next", "citation"),
    ("sample.done", "done"),
    ("undo", "undo"),
    ("document.next", "document"),
    ("pane.other", "source"),
    ("collection.show", "collection"),
    ("word.hint", "words"),
    ("select.grow", "select"),
    ("request.show", "request"),
    ("palette.show", "all actions"),
)
"""The most useful actions on a report, a document or a citation while reading, in order."""

QUESTION_LINE: Final[tuple[tuple[str, str], ...]] = (
    ("sample.rate", "verdict"),
    ("gold.show", "gold passage"),
    ("sample.done", "done"),
    ("document.next", "passage"),
    ("request.show", "question"),
    ("undo", "undo"),
    ("positions.show", "chart"),
    *LINE[-6:],
)
"""The most useful ones on a question whose passages are known, while reading."""
