"""Commands of position studies: generate rows, put them to a model; registers all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import (
    DryOption,
    JsonOption,
    WorkspaceOption,
    argument,
    dataset_option,
    examples,
    flag,
    open_workspace,
    option,
    parse_target,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Permission
from tui_annotate.domain.progress import time_phase
from tui_annotate.lab.position.evaluate_commands import evaluate, show
from tui_annotate.lab.position.prompts import PromptStyle

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tui_annotate.lab.position.model_runs import ModelRunOptions, ModelRunReport
    from tui_annotate.lab.position.row_files import LocatedRow
    from tui_annotate.lab.position.row_generation import GenerationReport
    from tui_annotate.plugins.judges import Judge

InputArgument = Annotated[Path | None, argument("IN", "Rows, plain or packed.")]
GoldOption = Annotated[
    str,
    option(
        "--gold-at",
        "PLACES",
        "Where the answer stands, from 0: 0,4,9, all, or even:K for K of them end to end.",
    ),
]
TargetOption = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="PLACE",
        help="A folder, for a file each place; or one file: .jsonl, .jsonl.gz, .jsonl.zst.",
        show_default=False,
    ),
]
SeedOption = Annotated[
    int, option("--seed", "S", "Of all that is drawn; the same one gives the same bytes.")
]


def make_qa(
    source: InputArgument = None,
    *,
    documents: Annotated[
        int | None, option("--documents", "N", "Passages in all, at least 2.")
    ] = None,
    gold_at: GoldOption = "",
    target: TargetOption,
    oracle: Annotated[bool, flag("--oracle", "The gold passage alone, as the best case.")] = False,
    random_order: Annotated[
        bool, flag("--random-order", "Shuffle the distractors; else as retrieved.")
    ] = False,
    seed: SeedOption = 0,
    from_workspace: Annotated[
        bool, flag("--from-workspace", "The workspace's own samples in place of IN.")
    ] = False,
    dataset: Annotated[str, dataset_option("Of the workspace: this one alone.")] = "",
    question: Annotated[
        str, option("--question", "TEXT", "Asked of samples without a question of their own.")
    ] = "",
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Put the passage that answers at each place among other ones.

    Distractors are the first that a retriever found without an answer. From a workspace they are
    sources of other samples.
    """
    if (source is None) != from_workspace:
        raise InvalidInput("rows come from IN, or from the workspace", "IN, or --from-workspace")
    if oracle and (documents is not None or gold_at):
        raise InvalidInput("--oracle has one passage alone", "leave out --documents and --gold-at")
    if not oracle and (documents is None or not gold_at):
        raise InvalidInput(
            "how many passages, and where the answer?", "--documents 20 --gold-at even:5"
        )
    from tui_annotate.lab.position import row_generation as making

    wanted = making.GenerationOptions(
        documents=making.MIN_PASSAGES if documents is None else documents,
        gold_at=gold_at or "0",
        oracle=oracle,
        seed=seed if random_order else None,
    )
    if source is not None:
        from tui_annotate.lab.position.row_files import read_rows

        _print_files(
            making.write_questions(read_rows(source), target, wanted, name=source), as_json=as_json
        )
        return
    with _open_workspace_rows(
        workspace, dataset, question, count=documents or 1, seed=seed
    ) as rows:
        name = Path(f"{dataset or 'workspace'}.jsonl")
        _print_files(making.write_questions(rows, target, wanted, name=name), as_json=as_json)


@contextmanager
def _open_workspace_rows(
    workspace: Path | None, dataset: str, question: str, *, count: int, seed: int
) -> Iterator[Iterable[LocatedRow]]:
    from tui_annotate.lab.position.workspace_rows import WorkspaceRowOptions, build_workspace_rows

    with open_workspace(workspace, needs=Permission.REPORT) as space:
        if dataset and not space.corpus.keys(dataset):
            there = ", ".join(each.name for each in space.corpus.datasets())
            raise InvalidInput(f"no dataset is named {dataset!r}", f"there are: {there or 'none'}")
        wanted = WorkspaceRowOptions(documents=count, seed=seed, dataset=dataset, question=question)
        yield build_workspace_rows(space.corpus, wanted)


def make_kv(
    source: InputArgument = None,
    *,
    keys: Annotated[int | None, option("--keys", "N", "Pairs of a row, at least 2.")] = None,
    examples: Annotated[int | None, option("--examples", "M", "Rows.")] = None,
    gold_at: GoldOption = "",
    seed: SeedOption = 0,
    target: TargetOption,
    as_json: JsonOption = False,
) -> None:
    """Make rows of random keys and values; one key is asked for.

    With IN, its pairs are moved instead. Without --gold-at the pair stands where it was drawn.
    """
    from tui_annotate.lab.position import row_generation as making

    if (source is None) == (keys is None and examples is None):
        raise InvalidInput(
            "rows are drawn, or come from IN", "--keys 75 --examples 500, or IN with --gold-at"
        )
    if source is not None:
        from tui_annotate.lab.position.row_files import read_rows

        if not gold_at:
            raise InvalidInput("where shall the pairs stand?", "--gold-at 0,37,74")
        found, name = read_rows(source), source
    else:
        if keys is None or examples is None:
            raise InvalidInput("how many keys, and how many rows?", "--keys 75 --examples 500")
        found = making.generate_lookups(keys, examples, seed=seed)
        name = Path(f"kv-{keys}-keys.jsonl")
    _print_files(making.write_lookups(found, target, gold_at, name=name), as_json=as_json)


def _print_files(made: GenerationReport, *, as_json: bool) -> None:
    if as_json:
        output.print_json({"files": [str(path) for path in made.files], "rows": made.rows})
        return
    for path in made.files:
        output.print_line(str(path))
    output.print_message(
        f"{output.many(made.rows, 'row')} in {output.many(len(made.files), 'file')}"
    )


PARTIAL_EXIT_CODE = 3
MAX_MISSING_SHOWN = 5

RowsArgument = Annotated[list[Path], argument("FILE", "Rows, plain or packed.")]
StyleOption = Annotated[
    PromptStyle,
    typer.Option(
        help="plain; random-note: told that the order is random; query-aware: the question before"
        " the passages too; closed-book: without passages."
    ),
]
TemplateOption = Annotated[
    Path | None,
    option(
        "--template",
        "FILE",
        "Your own wording, with {search_results} and {question}, or {kv} and {key}.",
    ),
]


def prompts(
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
            help="A file, or a new folder; appears whole or not at all; else standard output (-).",
        ),
    ] = None,
) -> None:
    """Write each row with its prompt, for a model that runs elsewhere.

    Put what it says into model_answer, and `position evaluate` scores it.
    """
    from tui_annotate.lab.position import model_runs as asking
    from tui_annotate.plugins.files.targets import open_output as written

    options = asking.ModelRunOptions(style=style, template=_read_template(template, style))
    with written(parse_target(target)) as opened_file:
        count = asking.write_prompts(files, opened_file, options)
    output.print_message(output.many(count, "prompt"))


def _read_template(path: Path | None, style: PromptStyle) -> str:
    from tui_annotate.plugins.files.small_text import read_text

    if path is None:
        return ""
    if style is not PromptStyle.PLAIN:
        raise InvalidInput("a template is a style of its own", "leave out --style")
    return read_text(path).removesuffix("\n")


BaseUrlOption = Annotated[
    str,
    option(
        "--base-url",
        "URL",
        "Where it is, as far as /v1; its key stands in $TUI_ANNOTATE_API_KEY.",
    ),
]
RunTargetOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Predictions; packed where it ends in .gz or .zst; else standard output.",
    ),
]
LongestOption = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, help="Characters of a prompt that is still sent; 0 for any number."
    ),
]


def run(
    files: RowsArgument,
    *,
    model: Annotated[str, option("--model", "NAME", "As its endpoint calls it.")],
    base_url: BaseUrlOption,
    target: RunTargetOption = None,
    style: StyleOption = PromptStyle.PLAIN,
    template: TemplateOption = None,
    max_tokens: Annotated[
        int, typer.Option(metavar="N", min=1, help="Of an answer, at most.")
    ] = 100,
    temperature: Annotated[
        float, typer.Option(metavar="T", min=0.0, max=2.0, help="How freely words are drawn.")
    ] = 0.0,
    top_p: Annotated[
        float,
        typer.Option(metavar="P", min=0.0, max=1.0, help="The share that they are drawn from."),
    ] = 1.0,
    longest: LongestOption = 0,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Requests at a time.")
    ] = 4,
    dry_run: DryOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Put each row to a model, and write its answers beside the rows.

    What was answered is kept in the workspace, so a run that stopped goes on where it was. A prompt
    that is too long, or refused, keeps its row, without an answer, and is told.

    Exit code: 0 each row has an answer, 3 some have none.
    """
    from tui_annotate.lab.position import model_runs as asking
    from tui_annotate.plugins import registry

    options = asking.ModelRunOptions(
        style=style,
        template=_read_template(template, style),
        longest=longest,
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
    )
    with open_workspace(workspace, needs=Permission.MANAGE) as space:
        judge = registry.load_judge(
            f"llm:{model}",
            base_url=base_url,
            replies=space.machines.replies,
            concurrency=concurrency,
        )
        # Every prompt is built before one is sent, so that a bad row is found before it costs.
        rows = sum(1 for _ in asking.read_prompts(files, options))
        if dry_run:
            _print_run(asking.estimate_run(files, judge, options), judge, as_json=as_json, dry=True)
            return
        done = _ask_model(files, judge, options, target=target, rows=rows)
    _print_run(done, judge, as_json=as_json and target is not None, dry=False)
    if done.unanswered:
        raise typer.Exit(PARTIAL_EXIT_CODE)


def _ask_model(
    files: list[Path], judge: Judge, options: ModelRunOptions, *, target: Path | None, rows: int
) -> ModelRunReport:
    from tui_annotate.lab.position import model_runs as asking
    from tui_annotate.plugins.files.targets import open_output as written

    numbers = count(1)

    def show_missing(where: str, why: str) -> None:
        if next(numbers) <= MAX_MISSING_SHOWN:
            output.print_message(f"{where}: no answer: {why}")

    with written(parse_target(target)) as file, output.show_progress("rows") as show_progress:
        return asking.run_model(
            files,
            judge,
            options,
            target=file,
            on_missing=show_missing,
            on_progress=time_phase(show_progress, "asking", total=rows),
        )


def _print_run(done: ModelRunReport, judge: Judge, *, as_json: bool, dry: bool) -> None:
    missed = {str(place): count for place, count in sorted(done.unanswered.items(), key=str)}
    if as_json:
        output.print_json(
            {
                "rows": done.rows,
                "cached": done.cached,
                "unanswered": missed,
                "characters": done.characters,
                "model": judge.model,
                "host": judge.host,
            }
        )
        return
    sent = "would be sent" if dry else "in prompts"
    output.print_message(
        f"{output.many(done.rows, 'row')}, {done.cached:,} known already,"
        f" {done.characters:,} characters {sent} to {judge.host}"
    )
    if missed:
        places = ", ".join(f"{place}: {count:,}" for place, count in missed.items())
        output.print_message(
            f"{sum(missed.values()):,} without an answer, by gold position {places}"
        )


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    position = typer.Typer(
        help="Does a model use a fact wherever it stands in a prompt?", no_args_is_help=True
    )
    position.command(
        "make-qa",
        epilog=examples(
            "tui-annotate position make-qa nq.jsonl.gz --documents 20 --gold-at even:5 -o qa/",
            "tui-annotate position make-qa nq.jsonl.gz --documents 10 --gold-at 0,4,9 -o qa.jsonl",
            "tui-annotate position make-qa nq.jsonl.gz --oracle -o oracle.jsonl.gz",
            "tui-annotate position make-qa --from-workspace --documents 5 --gold-at all -o own/",
        ),
    )(make_qa)
    position.command(
        "make-kv",
        epilog=examples(
            "tui-annotate position make-kv --keys 75 --examples 500 --seed 0 -o kv.jsonl.gz",
            "tui-annotate position make-kv --keys 140 --examples 500 --gold-at even:5 -o kv/",
            "tui-annotate position make-kv kv.jsonl.gz --gold-at 0,37,74 -o moved/",
        ),
    )(make_kv)
    position.command(
        "prompts",
        epilog=examples(
            "tui-annotate position prompts qa.jsonl -o prompts.jsonl",
            "tui-annotate position prompts qa.jsonl --style query-aware",
            "tui-annotate position prompts qa.jsonl --template mine.txt -o prompts.jsonl.gz",
        ),
    )(prompts)
    position.command(
        "run",
        epilog=examples(
            "tui-annotate position run qa.jsonl --model llama3 --base-url"
            " http://localhost:11434/v1 -o predictions.jsonl.gz",
            "tui-annotate position run qa/*.jsonl.gz --model llama3 --base-url"
            " http://localhost:11434/v1 -o predictions.jsonl.gz --dry-run",
        ),
    )(run)
    position.command(
        "evaluate",
        epilog=examples(
            "tui-annotate position evaluate predictions.jsonl.gz",
            "tui-annotate position evaluate a.jsonl b.jsonl --by model,gold-position --shared",
            "tui-annotate position evaluate predictions.jsonl.gz --whole-words -o scored.jsonl.gz",
            "tui-annotate position evaluate --dataset study --json",
        ),
    )(evaluate)
    position.command(
        "show",
        epilog=examples("tui-annotate position show", "tui-annotate position show study"),
    )(show)
    app.add_typer(position, name="position")
