"""The command that does all that one file names: read, score, rank, write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import DryOption, JsonOption, WorkspaceOption, examples, opened
from tui_annotate.cli.rank import ranked_as_json, show_ranked
from tui_annotate.cli.score_telling import run_as_json, tell_run
from tui_annotate.domain.people import Verb

if TYPE_CHECKING:
    from tui_annotate.plugins.recipes import Recipe
    from tui_annotate.workspace.automating import Done


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    automate = typer.Typer(help="Several steps that one file names.", no_args_is_help=True)
    automate.callback()(_group)
    automate.command(
        epilog=examples(
            "tui-annotate automate run labels.yml --dry-run", "tui-annotate automate run labels.yml"
        )
    )(run)
    app.add_typer(automate, name="automate")


def _group() -> None:
    """Keeps a group a group, also while it holds one command."""


def run(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="YAML: data, scorer, ranker; see docs/machines.")
    ],
    *,
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Read, score, rank and write data, as one file says.

    The keys of Dreamcatcher's files are read. Paths are taken from the folder you are in.
    """
    from tui_annotate.plugins import registry
    from tui_annotate.plugins.recipes import read_recipe

    recipe = read_recipe(file, scorers=registry.names("scorers"))
    for unused in recipe.unused:
        output.say(f"not used: {unused}")
    if dry_run:
        _show_plan(recipe, as_json=as_json)
        return
    from tui_annotate.workspace.automating import automate

    with opened(workspace, needs=Verb.MANAGE) as space, output.progress("samples") as tell:
        done = automate(space, recipe, progress=tell)
    if as_json:
        output.as_json(_as_json(done))
    else:
        _show(done)


def _show_plan(recipe: Recipe, *, as_json: bool) -> None:
    steps = [{"scorer": step.scorer, **step.options} for step in recipe.steps]
    told: dict[str, Any] = {
        "dataset": recipe.dataset,
        "input": str(recipe.source or ""),
        "scorers": steps,
        "ranker": None if recipe.ranker is None else dict(recipe.ranker),
        "outputs": [str(path) for path in (recipe.labelled, recipe.ranked) if path],
    }
    if as_json:
        output.as_json(told)
        return
    said = {name: ", ".join(map(str, value)) for name, value in told.items() if name == "outputs"}
    scorers = ", ".join(step.scorer for step in recipe.steps) or "none: those in the input"
    ranker = "none" if recipe.ranker is None else str(recipe.ranker.get("ranker", "percentile"))
    output.facts(
        {
            "data": told["input"] or recipe.dataset,
            "scorers": scorers,
            "ranker": ranker,
            "outputs": said["outputs"] or "none",
        }
    )


def _as_json(done: Done) -> dict[str, Any]:
    return {
        "dataset": done.dataset,
        "added": done.ingested.added if done.ingested else 0,
        "runs": [run_as_json(each) for each in done.scored],
        "ranking": ranked_as_json(done.ranked) if done.ranked else None,
        "written": {path: report.records for path, report in done.written.items()},
    }


def _show(done: Done) -> None:
    if done.ingested is not None:
        output.line(f"{done.dataset}: {output.many(done.ingested.added, 'new sample')}")
    for scored in done.scored:
        tell_run(scored)
    if done.ranked is not None:
        show_ranked(done.ranked)
    for path, report in done.written.items():
        output.line(f"written: {path}, of {output.many(report.records, 'sample')}")
