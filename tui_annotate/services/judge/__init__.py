"""What a judge says of questions and their contexts: sorts them, answers, scores; and keeps it.

Rows come from files, lists or a dataset; of a dataset, `Judging` stores what is said as a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui_annotate.domain.progress import Progress
from tui_annotate.plugins import registry
from tui_annotate.plugins.asking import Replies
from tui_annotate.services.judge import evaluate, generate, sort
from tui_annotate.services.judge.evaluate import Evaluated, EvaluateOptions, evaluate_row
from tui_annotate.services.judge.generate import Generated, GenerateOptions, generate_row
from tui_annotate.services.judge.keeping import Judging
from tui_annotate.services.judge.planning import Plan, plan
from tui_annotate.services.judge.rows import Row, lists, read
from tui_annotate.services.judge.scale import OwnScale, Scale
from tui_annotate.services.judge.sitting import Sitting
from tui_annotate.services.judge.sort import Sorted, SortOptions, sort_row

__all__ = [
    "Asked",
    "EvaluateOptions",
    "Evaluated",
    "GenerateOptions",
    "Generated",
    "Judging",
    "Plan",
    "Row",
    "Sitting",
    "SortOptions",
    "Sorted",
    "evaluate_rows",
    "generate_rows",
    "lists",
    "plan_evaluate",
    "plan_generate",
    "plan_sort",
    "read",
    "seated",
    "sort_rows",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which judge is asked, and how.

    Attributes:
        judge: its name, a colon and the model: `llm:MODEL`.
        base_url: of the endpoint.
        language: of the prompts; empty: as each question is written.
        folders: of a user's own prompts; the first that holds one counts.
        concurrency: requests at a time.
    """

    judge: str
    base_url: str
    language: str = ""
    folders: tuple[Path, ...] = ()
    concurrency: int = 4


def seated(
    asked: Asked,
    replies: Replies | None = None,
    *,
    progress: Callable[[Progress], None] | None = None,
) -> Sitting:
    """A judge that is ready to be asked; nobody is asked yet.

    Args:
        replies: the cache; None keeps them for as long as the judge lives.

    Raises:
        InvalidInput, Unavailable: as `registry.load_judge`.
    """
    judge = registry.load_judge(
        asked.judge, base_url=asked.base_url, replies=replies, concurrency=asked.concurrency
    )
    return Sitting(
        judge,
        language=asked.language,
        folders=asked.folders,
        at_once=asked.concurrency,
        progress=progress,
    )


def sort_rows(rows: Sequence[Row], sitting: Sitting, options: SortOptions) -> list[Sorted]:
    """Each row's contexts in the judge's order; in the rows' order."""
    return list(sitting.each(rows, lambda row: sort_row(row, sitting, options)))


def generate_rows(
    rows: Sequence[Row], sitting: Sitting, options: GenerateOptions
) -> list[Generated]:
    """A reference answer for each row, in their order."""
    return list(sitting.each(rows, lambda row: generate_row(row, sitting, options)))


def evaluate_rows(
    rows: Sequence[Row],
    sitting: Sitting,
    options: EvaluateOptions,
    *,
    scale: Scale | None = None,
    embed: Callable[[Sequence[str]], Any] | None = None,
) -> list[Evaluated]:
    """The scores of each row, in their order.

    Args:
        scale: what scores; default: our own.
        embed: as `OwnScale` says.
    """
    measure = scale or OwnScale(sitting, embed)
    return list(sitting.each(rows, lambda row: evaluate_row(row, sitting, options, scale=measure)))


def plan_sort(rows: Sequence[Row], sitting: Sitting, options: SortOptions) -> Plan:
    """What `sort_rows` would take; asks nobody."""
    return plan(
        rows,
        sitting,
        deed=lambda row, known: sort_row(row, known, options),
        bound=lambda row, known: sort.expected(row, known, options),
    )


def plan_generate(rows: Sequence[Row], sitting: Sitting, options: GenerateOptions) -> Plan:
    """What `generate_rows` would take; asks nobody."""
    return plan(
        rows,
        sitting,
        deed=lambda row, known: generate_row(row, known, options),
        bound=lambda row, known: generate.expected(row, known, options),
    )


def plan_evaluate(rows: Sequence[Row], sitting: Sitting, options: EvaluateOptions) -> Plan:
    """What `evaluate_rows` would take on our own scale; asks nobody, and embeds nothing."""
    return plan(
        rows,
        sitting,
        deed=lambda row, known: evaluate_row(
            row, known, options, scale=OwnScale(known, _no_vectors)
        ),
        bound=lambda row, known: evaluate.expected(row, known, options),
    )


def _no_vectors(texts: Sequence[str]) -> Any:
    import numpy as np

    return np.zeros((len(texts), 1))
