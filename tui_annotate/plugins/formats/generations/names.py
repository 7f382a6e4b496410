"""What the reader and the writers of generated answers must call the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tui_annotate.domain.samples import Sample
from tui_annotate.plugins.traits import OWN, About, Trait, plainly

FORMAT: Final = "generations"
OF_ROWS: Final = ("question", "answer", "type", "generation")
OF_RANKED: Final = ("category", "rank")
"""What ranking adds to a row."""
OF_GENERATIONS: Final = ("text", "type")
JUDGEMENT: Final = "gpt_judgement"
"""What a judge said of an answer, in a word."""

ABOUT: Final = About(
    title="questions with a right answer and generated ones, a line each",
    carried=plainly(
        Trait.TEXTS,
        Trait.META,
        Trait.UNREAD,
        group="by line",
        request="question",
        kind="question",
        title="answer",
        imported=OWN,
    ),
)
PREFERENCES: Final = About(
    title="preferred answers to questions, a line each, for training",
    carried=plainly(Trait.UNREAD),
)


def kept(sample: Sample) -> Mapping[str, Any]:
    """What the reader kept of a row and its generation; empty for what came from elsewhere."""
    found = sample.imported or {}
    return found if found.get("format") == FORMAT else {}
