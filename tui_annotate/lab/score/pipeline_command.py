"""Command `lab pipeline`, which runs the steps of a pipeline file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

import typer

from tui_annotate.cli import output
from tui_annotate.cli.endpoint_trust import require_trust
from tui_annotate.cli.help_format import RESEARCH
from tui_annotate.cli.options import (
    CommonOptions,
    DryOption,
    TimeoutOption,
    add_command,
    argument,
    open_workspace,
)
from tui_annotate.cli.report_parts import Facts, Part, ResultPart
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.people import Permission
from tui_annotate.lab.chat.command_options import LimitOption, MaxRetriesOption, exit_if_partial
from tui_annotate.lab.score.commands import check_complete, describe_report, report_as_json
from tui_annotate.lab.score.rank_command import PERCENTILE, describe_ranked, ranked_as_json

if TYPE_CHECKING:
    from tui_annotate.lab.score.commands import PrintedScoring
    from tui_annotate.lab.score.rank_command import PrintedRanking
    from tui_annotate.lab.score.recipes import Recipe, RecipeReport


def register(app: typer.Typer) -> None:
    add_command(
        app,
        pipeline,
        "lab pipeline labels.yml --dry-run",
        "lab pipeline labels.yml",
        panel=RESEARCH,
    )


def pipeline(
    file: Annotated[Path, argument("FILE", "Recipe (YAML) with data, scorers and a ranker.")],
    *,
    timeout: TimeoutOption = None,
    max_retries: MaxRetriesOption = None,
    limit: LimitOption = 0,
    dry_run: DryOption = False,
    common: CommonOptions,
) -> None:
    """Run the scorers and the ranker that a pipeline file names.

    The steps import data, score and rank the samples, and write the results.

    The file may have the keys of Dreamcatcher's files. Paths are relative to the current folder.
    With --limit, the scorers score the first N questions with all of their answers, or the first N
    samples.

    Exit code: 3 if a judge or an embedder failed for a text.
    """
    from tui_annotate.lab.score.recipes import read_recipe
    from tui_annotate.plugins import registry

    with _hint_at_keys():
        recipe = read_recipe(file, scorers=registry.plugin_names("scorers"))
    for unused in recipe.unused:
        output.print_message(unused)
    if dry_run:
        _show_plan(recipe, as_json=common.as_json)
        return
    from tui_annotate.lab.score.recipes import list_urls, run_recipe

    with open_workspace(common.workspace, needs=Permission.MANAGE) as space, _hint_at_keys():
        for url in list_urls(space, recipe):
            require_trust(space.settings.endpoints, url, source=f"the file {file} or the workspace")
        with output.show_progress("samples") as show_progress:
            done = run_recipe(
                space,
                recipe,
                timeout=timeout,
                max_retries=max_retries,
                limit=limit,
                progress=show_progress,
            )
    output.show(_report_as_json(done), _describe_report(done), as_json=common.as_json)
    for scored in done.scored:
        check_complete(scored)
    exit_if_partial()


_KEY_OF_OPTION: Final = {
    "--embedder": "embedder",
    "--base-url": "base_url",
    "--top-k": "top_k",
    "--language": "lang",
    "--model-folder": "model_path",
    "--score": "use",
    "--upper-percentile": "up_percentile",
    "--lower-percentile": "down_percentile",
    "--short-diff": "short_diff",
}
"""Key of a pipeline file that stands for an option of `lab scores compute` or `lab scores rank`."""


class PrintedPipeline(TypedDict):
    """What a pipeline did.

    Attributes:
        added: number of imported samples.
        ranking: null without a ranker.
        written: number of samples by the file to which they were written.
    """

    dataset: str
    added: int
    runs: list[PrintedScoring]
    ranking: PrintedRanking | None
    written: dict[str, int]


class PipelinePlan(TypedDict):
    """What a pipeline would do, with `--dry-run`.

    Attributes:
        scorers: the scorers and their options.
        ranker: options of the ranker; null without one.
    """

    dataset: str
    input: str
    scorers: list[dict[str, Any]]
    ranker: dict[str, Any] | None
    outputs: list[str]


@contextmanager
def _hint_at_keys() -> Iterator[None]:
    """Let the hints of scorers and rankers name keys of the file, not options of other commands."""
    try:
        yield
    except TuiAnnotateError as error:
        own, command, rest = error.hint.partition("tui-annotate ")
        for option, key in _KEY_OF_OPTION.items():
            own = own.replace(f"the option {option}", f"the key {key}")
            own = re.sub(rf"{option} (?=\w)", f"{key}: ", own)
        error.hint = f"{own}{command}{rest}"
        raise


def _show_plan(recipe: Recipe, *, as_json: bool) -> None:
    steps = [{"scorer": step.scorer, **step.options} for step in recipe.steps]
    values: PipelinePlan = {
        "dataset": recipe.dataset,
        "input": str(recipe.source or ""),
        "scorers": steps,
        "ranker": None if recipe.ranker is None else dict(recipe.ranker),
        "outputs": [str(path) for path in (recipe.labelled, recipe.ranked) if path],
    }
    facts = {
        "data": values["input"] or recipe.dataset,
        "scorers": ", ".join(step.scorer for step in recipe.steps)
        or "no scorers: the scores in the input are used",
        "ranker": "none" if recipe.ranker is None else recipe.ranker.get("ranker", PERCENTILE),
        "outputs": ", ".join(values["outputs"]) or "none",
    }
    output.show(values, [Facts(facts)], as_json=as_json)


def _report_as_json(done: RecipeReport) -> PrintedPipeline:
    return {
        "dataset": done.dataset,
        "added": done.ingested.added if done.ingested else 0,
        "runs": [report_as_json(each) for each in done.scored],
        "ranking": ranked_as_json(done.ranked) if done.ranked else None,
        "written": {path: report.records for path, report in done.written.items()},
    }


def _describe_report(done: RecipeReport) -> Iterator[Part]:
    if done.ingested is not None:
        yield ResultPart(f"{done.dataset}: {output.many(done.ingested.added, 'new sample')}")
    for scored in done.scored:
        yield from describe_report(scored)
    if done.ranked is not None:
        yield from describe_ranked(done.ranked)
    for path, report in done.written.items():
        yield ResultPart(f"written: {path} with {output.many(report.records, 'sample')}")
