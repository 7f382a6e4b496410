"""Commands of judges, chat models that are asked: sort, generate, evaluate, annotate, prompts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import judge_annotate, output
from tui_annotate.cli.judge_bench import Chosen, bench, tell_plan, tell_tally
from tui_annotate.cli.judge_options import (
    AtOnceOption,
    BackendOption,
    BottomOption,
    CacheOption,
    FileArgument,
    GroupSizeOption,
    JudgeUrlOption,
    KOption,
    MetricOption,
    ModelOption,
    MostOption,
    NoScreenOption,
    PlanOption,
    PromptsOption,
    SeedOption,
    SetOption,
    SlowOption,
    SpokenOption,
    SwapOption,
    TargetOption,
    TopOption,
    TruthsOption,
    VectorsOption,
)
from tui_annotate.cli.judge_telling import show_evaluated, show_generated, show_sorted
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples
from tui_annotate.domain.errors import Conflict

_AT = "--model M --base-url http://localhost:11434/v1"


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    judge = typer.Typer(help="Chat models that judge contexts, answers and summaries.")
    judge.command(
        epilog=examples(
            f"tui-annotate judge sort rag.jsonl {_AT} -o sorted.json",
            f"tui-annotate judge sort --dataset rag {_AT} --dry-run",
            f"tui-annotate judge sort rag.jsonl {_AT} -k 5 --bottom --swap -o sorted.json",
        )
    )(sort)
    judge.command(
        epilog=examples(
            f"tui-annotate judge generate rag.jsonl {_AT} -o truths.jsonl",
            f"tui-annotate judge generate --dataset rag {_AT} --gt-dir gt",
        )
    )(generate)
    judge.command(
        epilog=examples(
            f"tui-annotate judge evaluate rag.jsonl {_AT} -o result.xlsx",
            f"tui-annotate judge evaluate --dataset rag {_AT} --metric faithfulness --json",
        )
    )(evaluate)
    judge.command(epilog=judge_annotate.EXAMPLES)(judge_annotate.annotate)
    judge.command(epilog=examples("tui-annotate judge prompts mine"))(prompts)
    app.add_typer(judge, name="judge", no_args_is_help=True)


def sort(
    file: FileArgument = None,
    *,
    dataset: SetOption = "",
    k: KOption = 10,
    bottom: BottomOption = False,
    no_screen: NoScreenOption = False,
    swap: SwapOption = False,
    model: ModelOption = "",
    base_url: JudgeUrlOption = "",
    language: SpokenOption = "",
    prompts: PromptsOption = None,
    concurrency: AtOnceOption = 4,
    cache: CacheOption = None,
    target: TargetOption = None,
    dry_run: PlanOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Let a judge put the contexts of questions in its own order.

    First those that help at all, then by pairs; and tell how far the retriever's order is from it:
    Spearman's rank correlation, and the share of the first k that both have in common.
    """
    from tui_annotate.services.judge import SortOptions, plan_sort, sort_rows
    from tui_annotate.services.judge.writing import write_sorted

    options = SortOptions(k=k, bottom=bottom, screen=not no_screen, swap=swap)
    chosen = Chosen.of(locals())
    with bench(chosen) as at:
        if dry_run:
            tell_plan(plan_sort(at.rows, at.sitting, options), at, chosen)
            return
        found = sort_rows(at.rows, at.sitting, options)
        if at.judging:
            at.judging.keep_sorted(found, at.sitting, options)
        if target:
            write_sorted(found, target)
    tell_tally(at.sitting)
    if as_json:
        output.as_json([each.as_json() for each in found])
    else:
        show_sorted(found)


def generate(
    file: FileArgument = None,
    *,
    dataset: SetOption = "",
    group_size: GroupSizeOption = 20,
    seed: SeedOption = 0,
    slow: SlowOption = False,
    gt_dir: TruthsOption = None,
    model: ModelOption = "",
    base_url: JudgeUrlOption = "",
    language: SpokenOption = "",
    prompts: PromptsOption = None,
    concurrency: AtOnceOption = 4,
    cache: CacheOption = None,
    target: TargetOption = None,
    dry_run: PlanOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Let a judge answer questions from all of their contexts.

    In groups, whose answers are joined; a question that no context answers has none.
    """
    from tui_annotate.services.judge import GenerateOptions, generate_rows, plan_generate
    from tui_annotate.services.judge.writing import write_generated, write_truths

    options = GenerateOptions(group_size=group_size, seed=seed, slow=slow)
    chosen = Chosen.of(locals())
    with bench(chosen) as at:
        if dry_run:
            tell_plan(plan_generate(at.rows, at.sitting, options), at, chosen)
            return
        found = generate_rows(at.rows, at.sitting, options)
        if at.judging:
            at.judging.keep_generated(found, at.sitting, options)
        if target:
            write_generated(found, target)
        if gt_dir:
            write_truths(found, gt_dir)
    tell_tally(at.sitting)
    show_generated(found, as_json=as_json)


def evaluate(
    file: FileArgument = None,
    *,
    dataset: SetOption = "",
    metric: MetricOption = None,
    top_k: TopOption = 10,
    max_chars: MostOption = 13_000,
    embedder: VectorsOption = "",
    backend: BackendOption = "builtin",
    model: ModelOption = "",
    base_url: JudgeUrlOption = "",
    language: SpokenOption = "",
    prompts: PromptsOption = None,
    concurrency: AtOnceOption = 4,
    cache: CacheOption = None,
    target: TargetOption = None,
    dry_run: PlanOption = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Score answers and contexts by the measures of RAG.

    They are faithfulness, answer relevancy, context precision and context recall.

    An answer or a ground truth that is missing is made first. Questions without a score are left
    out of the mean, and counted. The output is a table by its ending: .xlsx, .csv, else lines of
    JSON.
    """
    from tui_annotate.services.judge import EvaluateOptions, evaluate_rows, plan_evaluate
    from tui_annotate.services.judge.scale import METRICS
    from tui_annotate.services.judge.writing import write_evaluated
    from tui_annotate.workspace.judging import scales

    chosen = Chosen.of(locals())
    metrics = tuple(metric or METRICS)
    options = EvaluateOptions(metrics=metrics, top_k=top_k, max_chars=max_chars)
    with bench(chosen) as at:
        if dry_run:
            tell_plan(plan_evaluate(at.rows, at.sitting, options), at, chosen)
            return
        how = scales(
            at.asked, metrics, at.settings, embedder=embedder, backend=backend, used=at.used
        )
        found = evaluate_rows(at.rows, at.sitting, options, scale=how.scale, embed=how.embed)
        if at.judging:
            label = how.label
            at.judging.keep_evaluated(found, at.sitting, options, backend=backend, embedder=label)
        if target:
            write_evaluated(found, metrics, target)
    tell_tally(at.sitting)
    show_evaluated(found, metrics, as_json=as_json)


def prompts(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Made where it is missing.")],
) -> None:
    """Write the prompts of judges to a folder, to be changed there.

    What stands in braces is filled in, and must stay. Files that are there stay as they are.
    """
    from tui_annotate.plugins import prompts as ours

    if folder.is_file():
        raise Conflict(f"{folder} is a file", "name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for name in ours.names():
        for language in ours.LANGUAGES:
            place = folder / f"{name}.{language}.txt"
            if not place.exists():
                place.write_text(ours.built_in(name, language) + "\n", "utf-8")
                written += 1
    output.line(f"prompts written to {folder}: {written:,}")
    output.say("they count with --prompts DIR, or in the folder prompts of a workspace")
