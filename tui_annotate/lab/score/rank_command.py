"""Commands `rank` (rank answers by scores) and `automate run` (run the steps of a recipe file)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.options import (
    DryOption,
    JsonOption,
    WorkspaceOption,
    argument,
    choose_dataset,
    examples,
    open_workspace,
    option,
)
from tui_annotate.domain.people import Permission
from tui_annotate.lab.score.commands import DatasetOption, print_report, report_as_json, run_as_json

if TYPE_CHECKING:
    from tui_annotate.lab.score.ranking_service import RankReport
    from tui_annotate.lab.score.recipes import Recipe, RecipeReport

PERCENTILE, LENGTH = "percentile", "length"


def register(app: typer.Typer) -> None:
    """Add the command `rank` to the app."""
    app.command(
        epilog=examples(
            "tui-annotate rank --dataset answers --up 70 --down 30",
            "tui-annotate rank --ranker length --short-diff 80",
            "tui-annotate rank --dataset news --use source_overlap --use source_similarity",
            "tui-annotate export --to preferences --dataset answers -o ranked.jsonl",
        )
    )(rank)


RankerOption = Annotated[
    str,
    option(
        "--ranker",
        "NAME",
        "Rule that labels answers: percentile or length.",
        complete=completion.complete_words(PERCENTILE, LENGTH),
    ),
]
UseOption = Annotated[
    list[str] | None,
    option(
        "--use",
        "SCORE",
        "With percentile: score to add up instead of the four published scores; repeatable.",
    ),
]


def rank(
    *,
    dataset: DatasetOption = "",
    ranker: RankerOption = PERCENTILE,
    up: Annotated[
        float,
        typer.Option(
            "--up",
            "--up-percentile",
            metavar="P",
            help="Percentile of each score; answers above the sum of these values are right.",
        ),
    ] = 70.0,
    down: Annotated[
        float,
        typer.Option(
            "--down",
            "--down-percentile",
            metavar="P",
            help="Percentile of each score; answers below the sum of these values are wrong.",
        ),
    ] = 30.0,
    short_diff: Annotated[
        int,
        option(
            "--short-diff",
            "N",
            "With length: an answer is short if it has fewer than N characters more than the right"
            " answer.",
        ),
    ] = 80,
    use: UseOption = None,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Label answers as right, wrong or undecided by their scores.

    An answer that the scores can not decide is labelled undecided.
    """
    from tui_annotate.lab.score.ranking_service import RankOptions, RankService, parse_ranker

    with (
        open_workspace(workspace, needs=Permission.MANAGE) as space,
        output.show_progress("answers") as show_progress,
    ):
        options = RankOptions(
            dataset=choose_dataset(space, dataset),
            ranker=parse_ranker(ranker),
            up=up,
            down=down,
            short=short_diff,
            use=tuple(use or ()),
        )
        ranked = RankService(space.machines).run(options, progress=show_progress)
    if as_json:
        output.print_json(ranked_as_json(ranked))
    else:
        show_ranked(ranked)


def ranked_as_json(ranked: RankReport) -> dict[str, Any]:
    """Return the JSON description of a ranking."""
    return run_as_json(ranked.run) | {
        "labels": dict(ranked.labels),
        "categories": dict(ranked.categories),
    }


def show_ranked(ranked: RankReport) -> None:
    """Print the number of answers and questions with each label, and the scores in use."""
    rows: list[tuple[str | float, ...]] = [
        ("answers", label, count) for label, count in ranked.labels.items()
    ]
    rows += [("questions", name, count) for name, count in ranked.categories.items()]
    columns = (output.Column(""), output.Column("are"), output.Column("number", number=True))
    output.print_table(columns, rows)
    output.print_message(
        f"ranker {ranked.run.maker} on dataset {ranked.run.dataset},"
        f" by scores: {', '.join(ranked.used)}"
    )


def register_automate(app: typer.Typer) -> None:
    """Add the command `automate run` to the app."""
    automate = typer.Typer(help="Run several steps that a file lists.", no_args_is_help=True)
    automate.callback()(lambda: None)  # Typer would drop the group, as it holds one command only
    automate.command(
        epilog=examples(
            "tui-annotate automate run labels.yml --dry-run", "tui-annotate automate run labels.yml"
        )
    )(run)
    app.add_typer(automate, name="automate")


def run(
    file: Annotated[
        Path, argument("FILE", "YAML file with data, scorer and ranker; see docs/machines.")
    ],
    *,
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Read, score, rank and write data, as a recipe file specifies.

    The keys of Dreamcatcher's files are supported. Paths are relative to the current folder.
    """
    from tui_annotate.lab.score.recipes import read_recipe
    from tui_annotate.plugins import registry

    recipe = read_recipe(file, scorers=registry.plugin_names("scorers"))
    for unused in recipe.unused:
        output.print_message(f"ignored key: {unused}")
    if dry_run:
        _print_plan(recipe, as_json=as_json)
        return
    from tui_annotate.lab.score.recipes import run_recipe

    with (
        open_workspace(workspace, needs=Permission.MANAGE) as space,
        output.show_progress("samples") as show_progress,
    ):
        done = run_recipe(space, recipe, progress=show_progress)
    if as_json:
        output.print_json(_report_as_json(done))
    else:
        _print_report(done)


def _print_plan(recipe: Recipe, *, as_json: bool) -> None:
    steps = [{"scorer": step.scorer, **step.options} for step in recipe.steps]
    values: dict[str, Any] = {
        "dataset": recipe.dataset,
        "input": str(recipe.source or ""),
        "scorers": steps,
        "ranker": None if recipe.ranker is None else dict(recipe.ranker),
        "outputs": [str(path) for path in (recipe.labelled, recipe.ranked) if path],
    }
    if as_json:
        output.print_json(values)
        return
    output.print_facts(
        {
            "data": values["input"] or recipe.dataset,
            "scorers": ", ".join(step.scorer for step in recipe.steps)
            or "none: the scores in the input are used",
            "ranker": "none" if recipe.ranker is None else recipe.ranker.get("ranker", PERCENTILE),
            "outputs": ", ".join(values["outputs"]) or "none",
        }
    )


def _report_as_json(done: RecipeReport) -> dict[str, Any]:
    return {
        "dataset": done.dataset,
        "added": done.ingested.added if done.ingested else 0,
        "runs": [report_as_json(each) for each in done.scored],
        "ranking": ranked_as_json(done.ranked) if done.ranked else None,
        "written": {path: report.records for path, report in done.written.items()},
    }


def _print_report(done: RecipeReport) -> None:
    if done.ingested is not None:
        output.print_line(f"{done.dataset}: {output.many(done.ingested.added, 'new sample')}")
    for scored in done.scored:
        print_report(scored)
    if done.ranked is not None:
        show_ranked(done.ranked)
    for path, report in done.written.items():
        output.print_line(f"written: {path} with {output.many(report.records, 'sample')}")
