"""What is asked of a scorer, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tui_annotate.domain.progress import Progress
from tui_annotate.domain.scores import Run
from tui_annotate.plugins.scoring import ScorerOptions

AUTO = "auto"
"""The language that ingest told of each text."""
LANGUAGES = (AUTO, "zh", "en")

Told = Callable[[Progress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a user asks for.

    Attributes:
        dataset: whose samples are scored.
        scorer: its name, which a colon and a model may follow.
        language: one of `LANGUAGES`.
    """

    dataset: str
    scorer: str
    language: str = AUTO
    options: ScorerOptions = field(default_factory=ScorerOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What came of a run.

    Attributes:
        samples: that got a score.
        scores: that were stored.
        passed: samples of which nothing can be said, as one without a source.
        notes: what a reader of the scores should know, a sentence each.
    """

    run: Run
    samples: int
    scores: int
    passed: int = 0
    notes: tuple[str, ...] = ()
