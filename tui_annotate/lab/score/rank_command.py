"""Command `lab scores rank`: labels answers right or wrong by their scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.options import (
    CommonOptions,
    choose_dataset,
    open_workspace,
    option,
)
from tui_annotate.cli.report_parts import Cell, Grid, MessagePart, NotePart, Part, number_column
from tui_annotate.domain.people import Permission
from tui_annotate.lab.score.commands import DatasetOption, PrintedRun, run_as_json

if TYPE_CHECKING:
    from tui_annotate.lab.score.ranking_service import RankReport

PERCENTILE = "percentile"
LENGTH = "length"

RankerOption = Annotated[
    str,
    option(
        "--ranker",
        "NAME",
        "Rule that labels answers: percentile or length.",
        complete=completion.complete_words(PERCENTILE, LENGTH),
    ),
]
ScoreOption = Annotated[
    list[str] | None,
    option(
        "--score",
        "SCORE",
        "For --ranker percentile: score to use instead of the four scores of the project"
        " Dreamcatcher; repeatable.",
    ),
]


class PrintedRanking(PrintedRun):
    """A run of a ranker, with counts.

    Attributes:
        labels: number of answers by label.
        categories: number of questions by category.
        without: answers without a score, which are undecided.
        partial: answers that were labelled without some of the scores, which are missing.
    """

    labels: dict[str, int]
    categories: dict[str, int]
    without: int
    partial: int


def rank(
    *,
    dataset: DatasetOption = "",
    ranker: RankerOption = PERCENTILE,
    up: Annotated[
        float,
        typer.Option(
            "--upper-percentile",
            metavar="P",
            help="An answer is right if the sum of its scores is above the sum of the scores' P-th"
            " percentiles in the dataset.",
        ),
    ] = 70.0,
    down: Annotated[
        float,
        typer.Option(
            "--lower-percentile",
            metavar="P",
            help="An answer is wrong if the sum of its scores is below the sum of the scores' P-th"
            " percentiles in the dataset.",
        ),
    ] = 30.0,
    short_diff: Annotated[
        int,
        option(
            "--short-diff",
            "N",
            "For --ranker length: an answer counts as short unless it is at least N characters"
            " longer than the right answer.",
        ),
    ] = 80,
    score: ScoreOption = None,
    common: CommonOptions,
) -> None:
    """Label answers right or wrong by their scores.

    An answer without scores is labelled undecided. With percentile, so is an answer whose
    sum of scores is between the sums of the lower and the upper percentiles.
    """
    from tui_annotate.lab.score.ranking_service import RankOptions, RankService, parse_ranker

    with (
        open_workspace(common.workspace, needs=Permission.MANAGE) as space,
        output.show_progress("answers") as show_progress,
    ):
        options = RankOptions(
            dataset=choose_dataset(space, dataset),
            ranker=parse_ranker(ranker),
            upper_percentile=up,
            lower_percentile=down,
            short_diff=short_diff,
            scores=tuple(score or ()),
        )
        ranked = RankService(space.machines).run(options, progress=show_progress)
    output.show(ranked_as_json(ranked), describe_ranked(ranked), as_json=common.as_json)


def ranked_as_json(ranked: RankReport) -> PrintedRanking:
    """Return the run with the number of answers by label and of questions by category, as JSON."""
    return {
        **run_as_json(ranked.run),
        "labels": dict(ranked.labels),
        "categories": dict(ranked.categories),
        "without": ranked.without,
        "partial": ranked.partial,
    }


def describe_ranked(ranked: RankReport) -> Iterator[Part]:
    """Describe the numbers of answers by label, and of questions by category."""
    rows: list[tuple[Cell, ...]] = [
        ("answers", label, count) for label, count in ranked.labels.items()
    ]
    rows += [("questions", name, count) for name, count in ranked.categories.items()]
    yield Grid(("", "label", number_column("number")), rows)
    yield NotePart(
        f"the ranker {ranked.run.maker} labelled the answers of dataset {ranked.run.dataset}"
        f" by the scores: {', '.join(ranked.used)}"
    )
    if ranked.without:
        yield MessagePart(f"undecided, because they have no score: {ranked.without:,} answers")
    if ranked.partial:
        yield MessagePart(
            f"labelled by fewer scores, because some are missing: {ranked.partial:,} answers"
        )
