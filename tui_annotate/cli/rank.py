"""The command that ranks the answers to questions by their scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, meant_dataset, opened
from tui_annotate.cli.score import ScoredOption
from tui_annotate.cli.score_telling import parameters_as_json
from tui_annotate.domain.people import Verb

if TYPE_CHECKING:
    from tui_annotate.services.rank import Ranked

PERCENTILE, LENGTH = "percentile", "length"


def register(app: typer.Typer) -> None:
    """Adds this command to the app."""
    app.command(
        epilog=examples(
            "tui-annotate rank --dataset answers --up 70 --down 30",
            "tui-annotate rank --ranker length --short-diff 80",
            "tui-annotate rank --dataset news --use source_overlap --use source_similarity",
            "tui-annotate export --format preferences --dataset answers -o ranked.jsonl",
        )
    )(rank)


RankerOption = Annotated[
    str,
    typer.Option(
        "--ranker",
        metavar="NAME",
        help="percentile, or length.",
        autocompletion=completion.one_of(PERCENTILE, LENGTH),
    ),
]
UpOption = Annotated[
    float,
    typer.Option(
        "--up",
        "--up-percentile",
        metavar="P",
        help="An answer is right above the sum of these percentiles of its scores.",
    ),
]
DownOption = Annotated[
    float,
    typer.Option(
        "--down", "--down-percentile", metavar="P", help="It is wrong below the sum of these."
    ),
]
ShortOption = Annotated[
    int,
    typer.Option(
        "--short-diff",
        metavar="N",
        help="With length: an answer that is fewer characters longer than the right one is short.",
    ),
]
UseOption = Annotated[
    list[str] | None,
    typer.Option(
        "--use",
        metavar="SCORE",
        help="With percentile: a score to add up, in place of the published four; may be given"
        " again.",
        show_default=False,
    ),
]


def rank(
    *,
    dataset: ScoredOption = "",
    ranker: RankerOption = PERCENTILE,
    up: UpOption = 70.0,
    down: DownOption = 30.0,
    short_diff: ShortOption = 80,
    use: UseOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Say by their scores which answers are right or wrong.

    What can not be decided has a word of its own.
    """
    from tui_annotate.services.rank import Asked, chosen_ranker

    with opened(workspace, needs=Verb.MANAGE) as space, output.progress("answers") as tell:
        asked = Asked(
            dataset=meant_dataset(space, dataset),
            ranker=chosen_ranker(ranker),
            up=up,
            down=down,
            short=short_diff,
            use=tuple(use or ()),
        )
        ranked = space.machines.ranking.run(asked, progress=tell)
    if as_json:
        output.as_json(ranked_as_json(ranked))
    else:
        show_ranked(ranked)


def ranked_as_json(ranked: Ranked) -> dict[str, Any]:
    """What came of a ranking, as the commands print it."""
    return parameters_as_json(ranked.run) | {
        "labels": dict(ranked.labels),
        "categories": dict(ranked.categories),
    }


def show_ranked(ranked: Ranked) -> None:
    """How many answers and questions got each label, and by which scores."""
    rows: list[tuple[str | float, ...]] = [
        ("answers", label, count) for label, count in ranked.labels.items()
    ]
    rows += [("questions", name, count) for name, count in ranked.categories.items()]
    columns = (output.Column(""), output.Column("are"), output.Column("number", number=True))
    output.table(columns, rows)
    output.say(f"{ranked.run.maker} of {ranked.run.dataset}, by {', '.join(ranked.used)}")
