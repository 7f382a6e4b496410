"""Commands `lab scores compute`, `import`, `list`, `delete` and `train-probe`."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

import typer

from tui_annotate.cli import completion, output
from tui_annotate.cli.endpoint_trust import require_trust
from tui_annotate.cli.option_groups import OptionGroup
from tui_annotate.cli.options import (
    ChosenQueryEmbedder,
    CommonOptions,
    DryOption,
    YesOption,
    argument,
    choose_dataset,
    dataset_option,
    flag,
    open_workspace,
    option,
)
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    Grid,
    MessagePart,
    NotePart,
    Part,
    ResultPart,
    Table,
    flexible_column,
    number_column,
    whole_column,
)
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, NoScoreValues, NotFound
from tui_annotate.domain.people import Permission
from tui_annotate.domain.plural import format_count
from tui_annotate.lab.chat.command_options import (
    MAX_UNCLEAR,
    EndpointOptions,
    KeepThinkingOption,
    MaxUnclearOption,
    check_unclear,
    exit_if_partial,
    print_missing_replies,
)
from tui_annotate.plugins.files.output_names import check_json_name
from tui_annotate.plugins.scoring import ScorerOptions

if TYPE_CHECKING:
    from tui_annotate.domain.scores import ScoreRun
    from tui_annotate.lab.score.probe_training import ProbeOptions, TrainingQuestions
    from tui_annotate.lab.score.probes import TrainedProbe
    from tui_annotate.lab.score.scoring import ScoreOptions, ScoreReport, ScoreService
    from tui_annotate.plugins.protocols import EmbeddingCost

_ID_LENGTH: Final = 8
NO_EMBEDDER: Final = "none"


class PrintedRun(TypedDict):
    """A run: the stored results of one scoring, ranking or judging.

    Attributes:
        run: id of the run.
        kind: `score`, `rank`, `judge` or `suggest`.
        low: names of scores of which low values are better.
    """

    run: str
    dataset: str
    kind: str
    maker: str
    parameters: dict[str, Any]
    embedder: str
    low: list[str]
    at: str
    by: str


class PrintedScoring(PrintedRun):
    """A run of a scorer, with counts.

    Attributes:
        samples: samples with a value of at least one score.
        scores: scores that were stored.
        values: stored scores with a value.
        without: samples without any value.
        missing: number of texts without a value, by score.
        unclear: answers for which a judge gave no readable reply.
        refused: answers whose prompt the endpoint refused.
        failed: answers whose prompt the endpoint failed to answer.
    """

    samples: int
    scores: int
    values: int
    without: int
    missing: dict[str, int]
    notes: list[str]
    unclear: int
    refused: int
    failed: int


class ScorerWithoutValues(TypedDict):
    """A scorer without any value, and why."""

    run: None
    maker: str
    dataset: str
    samples: int
    scores: int
    values: int
    error: str


class ScoringPlan(TypedDict):
    """What a scorer would send, with `--dry-run`."""

    scorer: str
    samples: int
    calls: int
    characters: int


class ListedRun(PrintedRun):
    """A run.

    Attributes:
        newest: whether the run is the newest of its maker.
    """

    newest: bool


class PrintedProbe(TypedDict):
    """A trained probe.

    Attributes:
        probe: file of the probe.
        model: hash of the model.
        layer: the selected layer.
        known: number of questions that the model can answer.
        training, test: numbers of questions in each of the two sets.
        layers: measures by layer.
        left_out: numbers of excluded questions by reason.
    """

    probe: str
    model: str
    layer: int
    questions: int
    known: int
    training: int
    test: int
    seed: int
    layers: dict[str, Any]
    left_out: dict[str, int]


def run_as_json(run: ScoreRun) -> PrintedRun:
    """Return a run as JSON; `low` holds the names of scores whose low values are better."""
    return {
        "run": run.id,
        "dataset": run.dataset,
        "kind": run.kind.value,
        "maker": run.maker,
        "parameters": dict(run.parameters),
        "embedder": run.embedder,
        "low": sorted(run.low),
        "at": run.at,
        "by": run.by,
    }


def report_as_json(scored: ScoreReport) -> PrintedScoring:
    """Return the run with the counts of a report as JSON; `without`: samples without a score."""
    return {
        **run_as_json(scored.run),
        "samples": scored.samples,
        "scores": scored.scores,
        "values": scored.values,
        "without": scored.skipped,
        "missing": dict(scored.missing),
        "notes": list(scored.notes),
        "unclear": scored.tally.unclear if scored.tally else 0,
        "refused": scored.tally.refused if scored.tally else 0,
        "failed": scored.tally.failed if scored.tally else scored.failed,
    }


def check_complete(scored: ScoreReport, max_unclear: float = MAX_UNCLEAR) -> None:
    """Set the exit code for `exit_if_partial` if a judge or an embedder failed for a text."""
    if scored.tally:
        check_unclear(scored.tally, max_unclear)
    if scored.failed:
        texts = format_count(scored.failed, "text")
        output.print_problem(
            f"warning: {scored.run.maker} failed for {texts}, which may have no score",
            "run the command again to score them",
        )
        output.set_exit_code(DONE_IN_PART)


def describe_report(scored: ScoreReport) -> Iterator[Part]:
    """Describe how much a scorer scored, its notes, and the questions without a reply."""
    run = scored.run
    line = f"{run.maker}: {format_count(scored.samples, 'sample')} of {run.dataset}"
    line += f", {format_count(scored.values, 'score')}"
    if scored.skipped:
        line += f"; {format_count(scored.skipped, 'sample')} without a score"
    yield ResultPart(line)
    for note in scored.notes:
        yield MessagePart(note)
    if scored.tally:
        yield partial(print_missing_replies, scored.tally)


def format_cost(scorer: str, samples: int, cost: EmbeddingCost | None) -> str:
    """Return in words what `--dry-run` found: the number of samples, and what would be sent."""
    line = f"{scorer}: {format_count(samples, 'sample')}"
    if cost is None or not (cost.calls or cost.characters):
        return f"{line}; nothing is sent from this machine"
    calls = format_count(cost.calls, "call")
    characters = format_count(cost.characters, "character")
    return f"{line}; to send: {calls}, {characters}"


_AUTO = "auto"
_DIGITS = 9
_LABELS = ("human", "machine")


LabelsOption = Annotated[
    str,
    option(
        "--label-source",
        "SOURCE",
        "Use labels of the dataset instead of a file: human (by annotators) or machine (by a"
        " ranker).",
        complete=completion.complete_words(*_LABELS),
    ),
]
LayerOption = Annotated[
    str,
    option(
        "--layer",
        "N",
        "Layer whose hidden states the probe reads, counted from 1; auto chooses the best layer.",
    ),
]


def train_probe(
    file: Annotated[
        Path | None,
        argument(
            "[FILE]",
            "JSON lines with the fields `question` and `category`, from `export --to preferences`.",
        ),
    ] = None,
    *,
    model: Annotated[
        str, option("--model-folder", "DIR", "Folder of the local model, with config.json.")
    ],
    target: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="Output file for the probe (JSON)."),
    ],
    labels: LabelsOption = "",
    dataset: Annotated[
        str,
        dataset_option("Dataset for --label-source (default: the only dataset)."),
    ] = "",
    layer: LayerOption = _AUTO,
    seed: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Random seed of the 70/30 train/test split of questions."
        ),
    ] = 0,
    common: CommonOptions,
) -> None:
    """Train a probe on hidden states of a local model.

    The probe predicts whether the model knows the answer to a question. A question counts as known
    if all its answers are right, and as unknown if all are wrong. The probe is trained on 70 % of
    the questions. The printed measures are those of the other 30 %.
    """
    from tui_annotate.lab.score.probe_training import read_questions, train_on

    check_json_name(target, what="probes", hint="name a file that ends in .json")
    if (file is None) == (not labels) or labels not in {"", *_LABELS}:
        raise InvalidInput(
            "exactly one source of labels is required: a file or --label-source",
            "pass FILE, --label-source human or --label-source machine",
        )
    if file is not None:
        with output.show_progress("questions") as show_progress:
            taken = read_questions(file)
            options = _probe_options(model, layer, seed=seed)
            found = train_on(options, taken, progress=show_progress)
    else:
        found, taken = _train_on_dataset(
            dataset,
            _probe_options(model, layer, seed=seed, whose=labels),
            workspace=common.workspace,
        )
    found.probe.write(target)
    output.show(
        _probe_as_json(found, taken, target),
        _describe_probe(found, taken, target),
        as_json=common.as_json,
    )


def _train_on_dataset(dataset: str, options: ProbeOptions, *, workspace: Path | None) -> Any:
    from tui_annotate.lab.score.probe_training import ProbeTrainingService

    with (
        open_workspace(workspace, needs=Permission.MANAGE) as space,
        output.show_progress("questions") as show_progress,
    ):
        chosen = replace(options, dataset=choose_dataset(space, dataset))
        return ProbeTrainingService(space.machines).run(chosen, progress=show_progress)


def _probe_options(model: str, layer: str, *, seed: int, whose: str = "human") -> ProbeOptions:
    from tui_annotate.lab.score.probe_training import LabelSource, ProbeOptions

    sound = layer.isascii() and layer.isdecimal() and len(layer) <= _DIGITS
    if layer != _AUTO and not (sound and int(layer)):
        raise InvalidInput(f"invalid layer {layer!r}", "pass a number from 1, or auto")
    number = 0 if layer == _AUTO else int(layer)
    return ProbeOptions(
        model_folder=model, layer=number, seed=seed, label_source=LabelSource(whose)
    )


def _describe_probe(found: TrainedProbe, taken: TrainingQuestions, target: Path) -> Iterator[Part]:
    known = sum(taken.known)
    yield (
        f"{output.many(len(taken.known), 'question')}: the model can answer {known:,} and cannot "
        f"answer {len(taken.known) - known:,}; the probe was trained on {found.training:,} "
        f"questions and tested on {found.held_out:,}"
    )
    yield ""
    titles = ("layer", "accuracy", "precision", "recall", "specificity")
    rows = [
        (
            str(layer),
            each.accuracy,
            each.precision,
            each.recall,
            each.specificity,
            "kept" if layer == found.probe.layer else "",
        )
        for layer, each in found.layers.items()
    ]
    yield Grid([*map(number_column, titles), ""], rows)
    for why, count in sorted(taken.unused.items()):
        yield MessagePart(f"excluded: {output.many(count, 'question')}: {why}")
    yield NotePart(f"wrote the probe of layer {found.probe.layer} to {target}")


def _probe_as_json(found: TrainedProbe, taken: TrainingQuestions, target: Path) -> PrintedProbe:
    return {
        "probe": str(target),
        "model": found.probe.model,
        "layer": found.probe.layer,
        "questions": found.probe.trained["questions"],
        "known": found.probe.trained["known"],
        "training": found.probe.trained["learnt"],
        "test": found.probe.trained["apart"],
        "seed": found.probe.trained["seed"],
        "layers": found.probe.trained["layers"],
        "left_out": dict(sorted(taken.unused.items())),
    }


DatasetOption = Annotated[str, dataset_option("Dataset to use (default: the only dataset).")]


ScorersOption = Annotated[
    list[str] | None,
    option(
        "--scorer",
        "NAME",
        "Scorer: unigram, similarity, judge, probe:FILE, reward:DIR, or a plug-in; repeatable.",
        complete=completion.complete_plugins("scorers"),
    ),
]
LanguageOption = Annotated[
    str,
    option(
        "--language",
        "CODE",
        "Language by which texts are split into words: zh, en, or auto (each text's own).",
        complete=completion.complete_words("auto", "zh", "en"),
    ),
]
ScoringOptions = Annotated[
    ScorerOptions,
    OptionGroup(
        top_k=typer.Option(
            "--top-k",
            metavar="K",
            min=1,
            help="Scorer unigram: average the rarity of an answer's K most frequent words.",
        ),
        with_question=flag(
            "--with-question/--answer-only",
            "Embed each answer together with its question, or without the question.",
        ),
    ),
]
JudgeOption = Annotated[
    str, option("--judge", "MODEL", "Name of the chat model for the scorer judge.")
]
ModelFolderOption = Annotated[
    str,
    option("--model-folder", "DIR", "Folder of the probe's local model, if the model was moved."),
]


def compute(
    *,
    dataset: DatasetOption = "",
    scorers: ScorersOption = None,
    language: LanguageOption = "auto",
    scoring: ScoringOptions,
    vectors: ChosenQueryEmbedder,
    judge: JudgeOption = "",
    model_folder: ModelFolderOption = "",
    max_unclear: MaxUnclearOption = MAX_UNCLEAR,
    endpoint: EndpointOptions,
    keep_thinking: KeepThinkingOption = False,
    dry_run: DryOption = False,
    common: CommonOptions,
) -> None:
    """Compute scores for the samples of a dataset.

    Answers to questions are compared with the right answer and with each other. For other samples,
    each sentence of the summary is compared with the source; the worst sentence gives the sample's
    score.

    The scorer similarity compares Chinese texts by their characters if the embedder has no vectors
    for Chinese, and all texts with --embedder none; the report names this.

    With --limit, the first N questions with all of their answers are scored, or the first N
    samples. Replies of a chat model are cached: a repeated run sends no request.

    Exit code: 3 if a scorer has no value for any sample, or its embedder failed for a text.
    """
    from tui_annotate.lab.chat.judge_config import load_named_judge, prompt_folders
    from tui_annotate.lab.score.scoring import ScoreOptions, ScoreService

    if not scorers:
        raise InvalidInput("no scorer is named", "pass --scorer unigram or --scorer similarity")
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        loaded_judge = None
        if "judge" in scorers and (judge or space.settings.judge_model):
            asked = replace(endpoint, model=judge, base_url=vectors.base_url)
            loaded_judge = load_named_judge(space, asked, unasked=dry_run)
        if "similarity" in scorers and not (vectors.base_url or dry_run):
            require_trust(space.settings.endpoints, space.machines.embedder_url(vectors.embedder))
        load = partial(
            space.machines.embedder,
            vectors.embedder,
            base_url=vectors.base_url,
            timeout=endpoint.timeout,
            max_retries=endpoint.max_retries,
        )
        options = replace(
            scoring,
            judge=loaded_judge,
            prompts=str(prompt_folders(space, None)[0]),
            embedder=load,
            by_characters=vectors.embedder == NO_EMBEDDER,
            folder=model_folder,
        )
        chosen = ScoreOptions(
            dataset=choose_dataset(space, dataset),
            scorer="",
            language=language,
            keep_thinking=keep_thinking,
            limit=endpoint.limit,
            options=options,
        )
        # Without this, each garbage collection scans all objects of the loaded libraries.
        gc.freeze()
        run = partial(
            _run_scorer, ScoreService(space.machines), dry_run=dry_run, as_json=common.as_json
        )
        reports: list[PrintedScoring | ScoringPlan | ScorerWithoutValues] = []
        for each in scorers:
            try:
                reports.append(run(replace(chosen, scorer=each), max_unclear=max_unclear))
            except NoScoreValues as error:  # the other scorers may have values
                output.print_error(error)
                output.set_exit_code(error.exit_code)
                reports.append(
                    {
                        "run": None,
                        "maker": each,
                        "dataset": chosen.dataset,
                        "samples": 0,
                        "scores": 0,
                        "values": 0,
                        "error": error.message,
                    }
                )
    if common.as_json:
        output.print_json(reports)
    exit_if_partial()


def _run_scorer(
    service: ScoreService,
    wanted: ScoreOptions,
    *,
    max_unclear: float,
    dry_run: bool,
    as_json: bool,
) -> PrintedScoring | ScoringPlan:
    """Run a scorer or estimate its cost; return the result. Without --json, print it."""
    if dry_run:
        samples, cost = service.cost(wanted)
        if not as_json:
            output.print_line(format_cost(wanted.scorer, samples, cost))
        return {
            "scorer": wanted.scorer,
            "samples": samples,
            "calls": cost.calls if cost else 0,
            "characters": cost.characters if cost else 0,
        }
    with output.show_progress("samples") as show_progress:
        scored = service.run(wanted, progress=show_progress)
    if not as_json:
        output.print_parts(describe_report(scored))
    check_complete(scored, max_unclear)
    return report_as_json(scored)


def import_scores(
    file: Annotated[
        Path | None, argument("[FILE]", "File with scores: JSON lines, a JSON array, CSV or TSV.")
    ] = None,
    *,
    dataset: DatasetOption = "",
    name: Annotated[str, option("--score", "NAME", "Name of the imported score.")] = "",
    id_column: Annotated[str, option("--id-column", "NAME", "Column with the sample ids.")] = "id",
    score_column: Annotated[
        str,
        option(
            "--score-column",
            "NAME",
            "Column with the scores (default: the score's name, else `score`).",
        ),
    ] = "",
    low: Annotated[
        bool, flag("--lower-is-better", "Low values of this score are better than high values.")
    ] = False,
    columns: Annotated[
        str,
        option(
            "--sample-columns",
            "NAMES",
            "Instead of a file: import these columns of samples' metadata, separated by commas;"
            " `all` for all score columns of generated answers.",
        ),
    ] = "",
    common: CommonOptions,
) -> None:
    """Import scores that were computed elsewhere.

    The whole file is refused if any row has an unknown id, a duplicate id, or a value that is not a
    number.
    """
    from tui_annotate.lab.score.score_import import ColumnNames
    from tui_annotate.lab.score.scoring import ScoreService

    if (file is None) == (not columns):
        raise InvalidInput(
            "exactly one input is required: a file, or columns of samples' metadata",
            "pass FILE with --name NAME, or --sample-columns all",
        )
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        chosen = choose_dataset(space, dataset)
        scoring = ScoreService(space.machines)
        if file is None:
            named = [] if columns == "all" else [each.strip() for each in columns.split(",")]
            scored = scoring.from_columns(chosen, sample_columns=[each for each in named if each])
        else:
            options = ColumnNames(
                id_column=id_column, score_column=score_column, lower_is_better=low
            )
            scored = scoring.from_file(file, score=name, dataset=chosen, options=options)
    output.show(report_as_json(scored), describe_report(scored), as_json=common.as_json)


def list_runs(*, dataset: DatasetOption = "", common: CommonOptions) -> None:
    """List runs of scorers, judges and rankers.

    The runs are in the order in which they ended. The newest run of each maker is in use; older
    runs are kept until a user deletes them.
    """
    with open_workspace(common.workspace, needs=Permission.REPORT) as space:
        runs = space.machines.scores.runs(dataset)
        newest = {(run.dataset, run.kind, run.maker): run.id for run in runs}
    newest_ids = set(newest.values())
    columns: Columns[ScoreRun] = (
        whole_column("run", lambda run: run.id[:_ID_LENGTH]),
        whole_column("dataset"),
        Column("kind", lambda run: run.kind.value),
        whole_column("maker"),
        Column("ended", lambda run: output.format_time(run.at)),
        flexible_column("embedder"),
        flexible_column("state", lambda run: "" if run.id in newest_ids else "older"),
    )
    values: list[ListedRun] = [{**run_as_json(run), "newest": run.id in newest_ids} for run in runs]
    output.show(values, [Table(runs, columns)], as_json=common.as_json)


def delete(
    run: Annotated[
        str,
        argument(
            "RUN",
            "Id of the run, or the start of the id. The name of a scorer, judge or ranker selects"
            " its newest run.",
        ),
    ],
    *,
    yes: YesOption = False,
    common: CommonOptions,
) -> None:
    """Delete a run with its scores.

    The previous run of the same scorer, judge or ranker is in use again.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        store = space.machines.scores
        runs = store.runs()
        there = [each for each in runs if each.maker == run][-1:]
        there = there or [each for each in runs if each.id.startswith(run)]
        if len(there) != 1:
            several = f"the ids of several runs begin with {run!r}"
            makers = "" if there else suggest_word(run, {each.maker for each in runs})
            raise NotFound(
                several if there else f"no run has an id that begins with {run!r}",
                f"{makers}List all runs with: tui-annotate lab scores list",
            )
        (found,) = there
        output.ask(
            f"Delete the run of {found.maker} on dataset {found.dataset} at {found.at[:19]}?",
            yes=yes,
        )
        store.forget(found.id)
    output.print_note(f"deleted the run of {found.maker} on dataset {found.dataset}")
    if common.as_json:
        output.print_json(run_as_json(found))
