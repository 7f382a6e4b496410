"""Commands about scores: compute them, take them from elsewhere, list and remove them."""

from __future__ import annotations

import gc
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import completion, output, score_probe
from tui_annotate.cli.options import (
    DryOption,
    EmbedderOption,
    JsonOption,
    UrlOption,
    WorkspaceOption,
    YesOption,
    examples,
    meant_dataset,
    opened,
)
from tui_annotate.cli.score_probe import FolderOption, JudgeNameOption
from tui_annotate.cli.score_telling import RUN_COLUMNS, cost_line, run_as_json, run_row, tell_run
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Verb

if TYPE_CHECKING:
    from tui_annotate.services.score import Asked
    from tui_annotate.workspace import Workspace

ScoredOption = Annotated[
    str,
    typer.Option(
        "--dataset",
        metavar="NAME",
        help="Whose samples; may be left out where there is one dataset alone.",
        autocompletion=completion.datasets,
        show_default=False,
    ),
]
MakersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scorer",
        metavar="NAME",
        help="unigram, similarity, judge, probe:FILE, reward:DIR, or a plug-in; may be repeated.",
        autocompletion=completion.plugged("scorers"),
        show_default=False,
    ),
]
LangOption = Annotated[
    str,
    typer.Option(
        "--lang",
        metavar="CODE",
        help="How words are cut: zh, en, or auto: as the language of each text was told.",
        autocompletion=completion.one_of("auto", "zh", "en"),
    ),
]
TopOption = Annotated[
    int, typer.Option("--top-k", metavar="K", min=1, help="Words of an answer that are averaged.")
]
QuestionOption = Annotated[
    bool,
    typer.Option(
        "--with-question/--answer-only",
        help="Whether vectors are those of an answer with its question, or of the answer alone.",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    score = typer.Typer(
        help="What machines say of samples in numbers.",
        epilog=examples(
            "tui-annotate score --scorer unigram --scorer similarity",
            "tui-annotate score --dataset answers --scorer unigram --lang zh --top-k 5",
            "tui-annotate score --dataset news --scorer similarity --embedder static --dry-run",
            "tui-annotate annotate --order worst:source_overlap",
        ),
    )
    score.callback(invoke_without_command=True)(score_dataset)
    score.command(
        "import",
        epilog=examples(
            "tui-annotate score import probe.jsonl --name probe_score --dataset answers",
            "tui-annotate score import minicheck.csv --name minicheck --score-column p --low",
            "tui-annotate score import --columns all --dataset answers",
        ),
    )(import_scores)
    score.command("train-probe", epilog=score_probe.EXAMPLES)(score_probe.train_probe)
    score.command("list", epilog=examples("tui-annotate score list --dataset answers"))(list_runs)
    score.command("remove", epilog=examples("tui-annotate score remove RUN --yes"))(remove)
    app.add_typer(score, name="score")


def score_dataset(
    context: typer.Context,
    *,
    dataset: ScoredOption = "",
    scorers: MakersOption = None,
    lang: LangOption = "auto",
    top_k: TopOption = 5,
    with_question: QuestionOption = True,
    embedder: EmbedderOption = "",
    base_url: UrlOption = "",
    judge: JudgeNameOption = "",
    model_folder: FolderOption = "",
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Score the samples of a dataset.

    Answers to questions are held against the right answer and one another; of other samples each
    sentence of the summary is held against the source, and the worst one speaks for the sample.
    """
    if context.invoked_subcommand is not None:
        return
    if not scorers:
        raise InvalidInput("no scorer is named", "--scorer unigram, or --scorer similarity")
    with opened(workspace, needs=Verb.MANAGE) as space:
        embeds = partial(space.machines.embedder, embedder, base_url=base_url)
        told = {"top_k": top_k, "with_question": with_question, "folder": model_folder}
        options = score_probe.scorer_options(
            space, scorers, judge=judge, base_url=base_url, unasked=dry_run, embedder=embeds, **told
        )
        chosen = meant_dataset(space, dataset)
        run_scorers(space, scorers, partial(_asked, chosen, lang, options), dry_run=dry_run,
                    as_json=as_json)  # fmt: skip


def _asked(dataset: str, language: str, options: Any, *, scorer: str) -> Asked:
    from tui_annotate.services.score import Asked

    return Asked(dataset=dataset, scorer=scorer, language=language, options=options)


def run_scorers(
    space: Workspace, scorers: list[str], asked: Any, *, dry_run: bool, as_json: bool
) -> None:
    """Runs scorers one after the other, each a run of its own; or says what they would cost."""
    gc.freeze()  # else the collector walks all that the libraries keep, again and again
    told = []
    for scorer in scorers:
        wanted = asked(scorer=scorer)
        if dry_run:
            samples, cost = space.machines.scoring.cost(wanted)
            told.append({"scorer": scorer, "samples": samples, **_cost_as_json(cost)})
            if not as_json:
                output.line(cost_line(scorer, samples, cost))
            continue
        with output.progress("samples") as tell:
            scored = space.machines.scoring.run(wanted, progress=tell)
        told.append(run_as_json(scored))
        if not as_json:
            tell_run(scored)
    if as_json:
        output.as_json(told)


def _cost_as_json(cost: Any) -> dict[str, int]:
    if cost is None:
        return {"calls": 0, "characters": 0}
    return {"calls": cost.calls, "characters": cost.characters}


def import_scores(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]", help="JSON lines, a JSON array, CSV or TSV.", show_default=False
        ),
    ] = None,
    *,
    dataset: ScoredOption = "",
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="What the score is called.")
    ] = "",
    id_column: Annotated[
        str, typer.Option("--id-column", metavar="NAME", help="The column of the samples' ids.")
    ] = "id",
    score_column: Annotated[
        str,
        typer.Option(
            "--score-column",
            metavar="NAME",
            help="The column of the numbers; else that of the score's name, else `score`.",
        ),
    ] = "",
    low: Annotated[bool, typer.Option("--low", help="A low score is the better one.")] = False,
    columns: Annotated[
        str,
        typer.Option(
            "--columns",
            metavar="NAMES",
            help="No file: columns that the samples came with, parted by commas; all for those of"
            " generated answers.",
        ),
    ] = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Take in scores that were made elsewhere.

    One wrong row refuses the file: an id that is not there, or comes twice, or no number.
    """
    from tui_annotate.services.score import Columns

    if (file is None) == (not columns):
        raise InvalidInput(
            "name either a file, or columns that the samples came with",
            "score import FILE --name NAME, or score import --columns all",
        )
    with opened(workspace, needs=Verb.MANAGE) as space:
        chosen = meant_dataset(space, dataset)
        scoring = space.machines.scoring
        if file is None:
            named = [] if columns == "all" else [each.strip() for each in columns.split(",")]
            scored = scoring.from_columns(chosen, names=[each for each in named if each])
        else:
            options = Columns(id=id_column, score=score_column, low=low)
            scored = scoring.from_file(file, name=name, dataset=chosen, options=options)
    if as_json:
        output.as_json(run_as_json(scored))
    else:
        tell_run(scored)


def list_runs(
    *, dataset: ScoredOption = "", as_json: JsonOption = False, workspace: WorkspaceOption = None
) -> None:
    """List the runs of machines, in the order in which they ended.

    Of each maker the newest run stands; older ones are kept until they are removed.
    """
    with opened(workspace, needs=Verb.REPORT) as space:
        runs = space.machines.scores.runs(dataset and meant_dataset(space, dataset))
        newest = {(run.dataset, run.kind, run.maker): run.id for run in runs}
    stands = set(newest.values())
    if as_json:
        output.as_json([_listed(run, stands) for run in runs])
    else:
        output.table(RUN_COLUMNS, [run_row(run, run.id in stands) for run in runs])


def _listed(run: Any, stands: set[str]) -> dict[str, Any]:
    from tui_annotate.cli.score_telling import parameters_as_json

    return parameters_as_json(run) | {"stands": run.id in stands}


def remove(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="Its id or the start of it; or a maker: the newest of its runs."
        ),
    ],
    *,
    yes: YesOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Remove a run with its scores; the one before it stands again."""
    with opened(workspace, needs=Verb.MANAGE) as space:
        store = space.machines.scores
        runs = store.runs()
        there = [each for each in runs if each.maker == run][-1:]
        there = there or [each for each in runs if each.id.startswith(run)]
        if len(there) != 1:
            what = "several runs begin" if there else "no run begins"
            raise NotFound(f"{what} with {run!r}", "see: tui-annotate score list")
        (found,) = there
        output.ask(f"remove {found.maker} of {found.dataset}, {found.at[:19]}?", yes=yes)
        store.forget(found.id)
    output.say(f"removed {found.maker} of {found.dataset}")
