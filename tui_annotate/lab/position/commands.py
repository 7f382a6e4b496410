"""Commands of position studies: generate rows, build prompts, run a model, evaluate, show."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from tui_annotate.cli import output
from tui_annotate.cli.help_format import RESEARCH
from tui_annotate.cli.options import (
    DryOption,
    JsonOption,
    WorkspaceOption,
    add_command,
    add_group,
    argument,
    dataset_option,
    flag,
    open_workspace,
    option,
    parse_target,
    refuse_nan,
)
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.report_parts import MessagePart, NotePart, Part
from tui_annotate.domain.did_you_mean import unknown_dataset
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Permission
from tui_annotate.domain.progress import replies_from, time_phase
from tui_annotate.lab.chat.command_options import (
    BaseUrlOption,
    EndpointOptions,
    KeepThinkingOption,
    note_continuation,
)
from tui_annotate.lab.position.evaluate_commands import evaluate, show
from tui_annotate.lab.position.prompts import PromptStyle
from tui_annotate.plugins.files.output_names import check_json_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tui_annotate.lab.position.model_runs import ModelRunOptions, ModelRunReport
    from tui_annotate.lab.position.row_files import LocatedRow
    from tui_annotate.lab.position.row_generation import GenerationReport
    from tui_annotate.plugins.judges import Judge

InputArgument = Annotated[
    Path | None,
    argument("IN", "Input file with rows of a position study, uncompressed or compressed."),
]
GoldOption = Annotated[
    str,
    option(
        "--gold-position",
        "POSITIONS",
        "Positions of the answer, counted from 0: a list such as 0,4,9; or all; or even:K for K"
        " evenly spaced positions from first to last.",
    ),
]
TargetOption = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="Output folder, with one file per position; or a file: .jsonl, .jsonl.gz, .jsonl.zst.",
        show_default=False,
    ),
]
SeedOption = Annotated[
    int,
    option("--seed", "S", "Random seed of all random choices; the same seed gives the same bytes."),
]


PassagesOption = Annotated[
    int | None,
    option("--passages", "N", "Number of passages in each output row, at least 2."),
]
OracleOption = Annotated[
    bool,
    flag(
        "--oracle",
        "Write only the gold passage (which has the answer) of each row, for the best case.",
    ),
]
ShuffleOption = Annotated[
    bool,
    flag(
        "--shuffle",
        "Shuffle the distractors (passages without the answer); do not keep their order.",
    ),
]
FromWorkspaceOption = Annotated[
    bool,
    flag("--from-workspace", "Use the samples of the workspace instead of an input file."),
]


def create_qa(
    source: InputArgument = None,
    *,
    passages: PassagesOption = None,
    gold_at: GoldOption = "",
    target: TargetOption,
    oracle: OracleOption = False,
    shuffle: ShuffleOption = False,
    seed: SeedOption = 0,
    from_workspace: FromWorkspaceOption = False,
    dataset: Annotated[str, dataset_option("Use only this dataset of the workspace.")] = "",
    question: Annotated[
        str,
        option(
            "--question", "TEXT", "Question to use for samples that have no question of their own."
        ),
    ] = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Create question rows with the answer at chosen positions.

    A row has one passage with the answer among distractors. Distractors are the first retrieved
    passages without an answer. With --from-workspace, distractors are sources of other samples.
    """
    check_json_name(target, what="rows of a position study")
    if (source is None) != from_workspace:
        raise InvalidInput(
            "exactly one input is required: a file or the workspace",
            "pass the file IN, or --from-workspace",
        )
    if oracle and (passages is not None or gold_at):
        raise InvalidInput(
            "--oracle writes only one passage per row", "remove --passages and --gold-position"
        )
    if not oracle and (passages is None or not gold_at):
        raise InvalidInput(
            "the number of passages or the answer positions are missing",
            "pass both options, for example: --passages 20 --gold-position even:5",
        )
    from tui_annotate.lab.position import row_generation as making

    wanted = making.GenerationOptions(
        passages=making.MIN_PASSAGES if passages is None else passages,
        gold_position=gold_at or "0",
        oracle=oracle,
        seed=seed if shuffle else None,
    )
    if source is not None:
        from tui_annotate.lab.position.row_files import read_rows

        _show_files(
            making.write_questions(read_rows(source), target, wanted, name=source), as_json=as_json
        )
        return
    with _open_workspace_rows(workspace, dataset, question, count=passages or 1, seed=seed) as rows:
        name = Path(f"{dataset or 'workspace'}.jsonl")
        _show_files(making.write_questions(rows, target, wanted, name=name), as_json=as_json)


@contextmanager
def _open_workspace_rows(
    workspace: Path | None, dataset: str, question: str, *, count: int, seed: int
) -> Iterator[Iterable[LocatedRow]]:
    from tui_annotate.lab.position.workspace_rows import WorkspaceRowOptions, build_workspace_rows

    with open_workspace(workspace, needs=Permission.REPORT) as space:
        if dataset and not space.corpus.keys(dataset):
            raise unknown_dataset(dataset, [each.name for each in space.corpus.datasets()])
        wanted = WorkspaceRowOptions(documents=count, seed=seed, dataset=dataset, question=question)
        yield build_workspace_rows(space.corpus, wanted)


def create_kv(
    source: InputArgument = None,
    *,
    keys: Annotated[
        int | None,
        option("--keys", "N", "Number of key-value pairs in each generated row, at least 2."),
    ] = None,
    examples: Annotated[
        int | None, option("--examples", "M", "Number of rows to generate.")
    ] = None,
    gold_at: GoldOption = "",
    seed: SeedOption = 0,
    target: TargetOption,
    as_json: JsonOption = False,
) -> None:
    """Create rows that ask for the value of a given key.

    Each row has random key-value pairs. With IN, the requested pairs in the rows of
    IN are moved instead. Without --gold-position, the requested pair stays at its random position.
    """
    from tui_annotate.lab.position import row_generation as making

    check_json_name(target, what="rows of a position study")
    if (source is None) == (keys is None and examples is None):
        raise InvalidInput(
            "exactly one source of rows is required: random key-value pairs or a file",
            "pass --keys 75 --examples 500, or the file IN with --gold-position",
        )
    if source is not None:
        from tui_annotate.lab.position.row_files import read_rows

        if not gold_at:
            raise InvalidInput(
                "no new positions are given for the requested key-value pairs of the file IN",
                "pass --gold-position with positions such as 0,37,74",
            )
        found = read_rows(source)
        name = source
    else:
        if keys is None or examples is None:
            raise InvalidInput(
                "the number of keys or the number of rows is missing",
                "pass both options, for example: --keys 75 --examples 500",
            )
        found = making.generate_lookups(keys, examples, seed=seed)
        name = Path(f"kv-{keys}-keys.jsonl")
    _show_files(making.write_lookups(found, target, gold_at, name=name), as_json=as_json)


def _show_files(made: GenerationReport, *, as_json: bool) -> None:
    output.print_non_finite(made.not_finite)
    counts = f"{output.many(made.rows, 'row')} in {output.many(len(made.files), 'file')}"
    output.show(made, [*map(str, made.files), NotePart(counts)], as_json=as_json)


MAX_MISSING_SHOWN = 5

RowsArgument = Annotated[
    list[Path], argument("FILE", "Files with rows of a position study, uncompressed or compressed.")
]
StyleOption = Annotated[
    PromptStyle,
    typer.Option(
        help="Style of the prompt: plain; random-note: with a note that the order is random;"
        " query-aware: with the question before and after the passages; closed-book: without"
        " passages."
    ),
]
TemplateOption = Annotated[
    Path | None,
    option(
        "--template",
        "FILE",
        "Prompt template file, with {search_results} and {question}, or with {kv} and {key}; with"
        " --style closed-book only with {question}.",
    ),
]


class WrittenStudyPrompts(TypedDict):
    """A file of prompts; `not_finite` is the number of NaN and infinities, which are null in it."""

    file: str
    prompts: int
    not_finite: int


class PrintedModelRun(TypedDict):
    """Answers of a model.

    Attributes:
        unanswered: number of rows without an answer, by gold position.
        refused, failed: prompts that the endpoint refused, and that it failed to answer.
        not_finite: number of NaN and infinities of the input, which are null in the output.
    """

    rows: int
    cached: int
    unanswered: dict[str, int]
    refused: int
    failed: int
    characters: int
    not_finite: int
    model: str
    host: str


def build_prompts(
    files: RowsArgument,
    *,
    style: StyleOption = PromptStyle.PLAIN,
    template: TemplateOption = None,
    target: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Output file or new folder, written completely or not at all (default: standard"
            " output).",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the prompt of each row.

    The prompts are for a model that runs elsewhere. Write the model's answers into the field
    model_answer; then `lab position evaluate` scores the rows.
    """
    from tui_annotate.lab.position import model_runs as asking
    from tui_annotate.plugins.files.targets import open_output as written

    target = parse_target(target)
    check_json_name(target, what="rows with prompts")
    _refuse_two_outputs(target, "prompts", as_json=as_json)
    options = asking.ModelRunOptions(style=style, template=_read_template(template, style))
    with written(target) as opened_file:
        done = asking.write_prompts(files, opened_file, options)
    output.print_non_finite(done.not_finite)
    where = f" to {target}" if target else ""
    value: WrittenStudyPrompts = {
        "file": str(target),
        "prompts": done.rows,
        "not_finite": done.not_finite,
    }
    output.show(
        value,
        [NotePart(f"wrote {output.many(done.rows, 'prompt')}{where}")],
        as_json=as_json,
    )


def _refuse_two_outputs(target: Path | None, what: str, *, as_json: bool) -> None:
    if as_json and target is None:
        raise InvalidInput(
            f"--json and the {what} would both be written to standard output",
            f"write the {what} to a file: -o FILE",
        )


def _read_template(path: Path | None, style: PromptStyle) -> str:
    from tui_annotate.lab.chat.placeholders import check_placeholders
    from tui_annotate.lab.position.prompts import PAIR_PLACEHOLDERS, QUESTION_PLACEHOLDERS
    from tui_annotate.plugins.files.small_text import read_text

    if path is None:
        return ""
    if style not in {PromptStyle.PLAIN, PromptStyle.CLOSED_BOOK}:
        raise InvalidInput(
            f"--template and --style {style} exclude each other",
            f"remove --style {style}, or write its text into the template",
        )
    template = read_text(path).removesuffix("\n")
    if not template:
        raise InvalidInput(
            f"template {path} is empty",
            "write a prompt with the placeholders that the help of --template lists",
        )
    # Which placeholders are required depends on the task of each row: the prompts check that.
    known = (*QUESTION_PLACEHOLDERS, *PAIR_PLACEHOLDERS)
    check_placeholders(template, allowed=known, required=(), file=path)
    return template


RunTargetOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Output file with predictions; compressed if its name ends in .gz or .zst (default:"
        " standard output).",
        callback=parse_target,
    ),
]
MaxCharsOption = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, help="Maximum number of characters of a prompt; 0 for no maximum."
    ),
]
MaxTokensOption = Annotated[
    int, typer.Option(metavar="N", min=1, help="Maximum number of tokens of an answer.")
]


TemperatureOption = Annotated[
    float,
    typer.Option(metavar="T", min=0.0, max=2.0, callback=refuse_nan, help="Sampling temperature."),
]
TopPOption = Annotated[
    float,
    typer.Option(
        metavar="P",
        min=0.0,
        max=1.0,
        callback=refuse_nan,
        help="Nucleus sampling probability (top-p).",
    ),
]


def run(
    files: RowsArgument,
    *,
    model: Annotated[str, option("--model", "NAME", "Name of the model at its endpoint.")],
    base_url: BaseUrlOption,
    target: RunTargetOption = None,
    style: StyleOption = PromptStyle.PLAIN,
    template: TemplateOption = None,
    max_tokens: MaxTokensOption = 100,
    temperature: TemperatureOption = 0.0,
    top_p: TopPOption = 1.0,
    max_chars: MaxCharsOption = 0,
    keep_thinking: KeepThinkingOption = False,
    endpoint: EndpointOptions,
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Send the prompt of each row to a model.

    The rows are written with the model's answers.

    Answers are cached: an interrupted run continues. A row whose prompt is too
    long, or is refused by the model, is written without an answer and reported. The thinking of a
    model is not a part of its answer.

    Exit code: 0 if each row has an answer, 3 if some rows have none.
    """
    from tui_annotate.lab.chat.reply_cache import open_replies
    from tui_annotate.lab.position import model_runs as asking
    from tui_annotate.plugins import registry
    from tui_annotate.plugins.judges import JudgeOptions

    check_json_name(target, what="rows with answers")
    _refuse_two_outputs(target, "rows", as_json=as_json and not dry_run)
    options = asking.ModelRunOptions(
        style=style,
        template=_read_template(template, style),
        max_chars=max_chars,
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        keep_thinking=keep_thinking,
        limit=endpoint.limit,
    )
    with open_workspace(workspace, needs=Permission.MANAGE) as space:
        replies = open_replies(space.machines.replies, no_cache=endpoint.no_cache)
        note_continuation(replies)
        judge_options = JudgeOptions(
            base_url=base_url,
            replies=replies,
            concurrency=endpoint.concurrency,
            timeout=endpoint.timeout,
            max_retries=endpoint.max_retries,
            trust=space.settings.endpoints.naming(base_url),
        )
        judge = registry.load_judge(f"llm:{model}", judge_options)
        # Every prompt is built before the first one is sent, so that an invalid row costs nothing.
        rows = sum(1 for _ in asking.read_prompts(files, options))
        if dry_run:
            _show_run(asking.estimate_run(files, judge, options), judge, as_json=as_json, dry=True)
            return
        done = _ask_model(files, judge, options, target=target, rows=rows)
    _show_run(done, judge, as_json=as_json, dry=False)
    if done.unanswered:
        raise typer.Exit(DONE_IN_PART)


def _ask_model(
    files: list[Path], judge: Judge, options: ModelRunOptions, *, target: Path | None, rows: int
) -> ModelRunReport:
    from tui_annotate.lab.position import model_runs as asking
    from tui_annotate.plugins.files.targets import open_output as written

    numbers = count(1)

    def show_missing(where: str, why: str) -> None:
        if next(numbers) <= MAX_MISSING_SHOWN:
            output.print_message(f"{where}: no answer: {why}")

    with written(target) as file, output.show_progress("rows") as show_progress:
        return asking.run_model(
            files,
            judge,
            options,
            target=file,
            on_missing=show_missing,
            on_progress=time_phase(
                show_progress, "asking", total=rows, waiting=replies_from(judge.host)
            ),
        )


def _show_run(done: ModelRunReport, judge: Judge, *, as_json: bool, dry: bool) -> None:
    output.print_non_finite(done.not_finite)
    missed = {str(place): count for place, count in sorted(done.unanswered.items(), key=str)}
    sent = "to send" if dry else "sent"
    line = (
        f"rows: {done.rows:,}; answers already cached: {done.cached:,};"
        f" characters {sent}: {done.characters:,} (host: {judge.host})"
    )
    text: list[Part] = [line if dry else NotePart(line)]
    if missed:
        places = ", ".join(f"{place}: {count:,}" for place, count in missed.items())
        rows = f"{sum(missed.values()):,} (for each gold position: {places})"
        text.append(MessagePart(f"rows without an answer: {rows}"))
    if done.refused:
        text.append(MessagePart(f"prompts that the endpoint refused: {done.refused:,}"))
    if done.failed:
        text.append(MessagePart(f"prompts that the endpoint failed to answer: {done.failed:,}"))
    value: PrintedModelRun = {
        "rows": done.rows,
        "cached": done.cached,
        "unanswered": missed,
        "refused": done.refused,
        "failed": done.failed,
        "characters": done.characters,
        "not_finite": done.not_finite,
        "model": judge.model,
        "host": judge.host,
    }
    output.show(value, text, as_json=as_json)


_ENDPOINT = "--model llama3 --base-url http://localhost:11434/v1"


def register(app: typer.Typer) -> None:
    position = add_group(
        app,
        "position",
        "Study how a fact's position in a prompt affects answers.",
        panel=RESEARCH,
    )
    add_command(
        position,
        create_qa,
        "lab position create-qa nq.jsonl.gz --passages 20 --gold-position even:5 -o qa/",
        "lab position create-qa nq.jsonl.gz --passages 10 --gold-position 0,4,9 -o qa.jsonl",
        "lab position create-qa nq.jsonl.gz --oracle -o oracle.jsonl.gz",
        "lab position create-qa --from-workspace --passages 5 --gold-position all -o own/",
        name="create-qa",
    )
    add_command(
        position,
        create_kv,
        "lab position create-kv --keys 75 --examples 500 --seed 0 -o kv.jsonl.gz",
        "lab position create-kv --keys 140 --examples 500 --gold-position even:5 -o kv/",
        "lab position create-kv kv.jsonl.gz --gold-position 0,37,74 -o moved/",
        name="create-kv",
    )
    add_command(
        position,
        build_prompts,
        "lab position build-prompts qa.jsonl -o prompts.jsonl",
        "lab position build-prompts qa.jsonl --style query-aware",
        "lab position build-prompts qa.jsonl --template mine.txt -o prompts.jsonl.gz",
        name="build-prompts",
    )
    add_command(
        position,
        run,
        f"lab position run qa.jsonl {_ENDPOINT} -o predictions.jsonl.gz",
        f"lab position run qa/*.jsonl.gz {_ENDPOINT} -o predictions.jsonl.gz --dry-run",
    )
    add_command(
        position,
        evaluate,
        "lab position evaluate predictions.jsonl.gz",
        "lab position evaluate a.jsonl b.jsonl --by model,gold-position --shared-questions",
        "lab position evaluate predictions.jsonl.gz --whole-words -o scored.jsonl.gz",
        "lab position evaluate predictions.jsonl.gz --csv > means.csv",
        "lab position evaluate --dataset study --json",
    )
    add_command(position, show, "lab position show", "lab position show study")
