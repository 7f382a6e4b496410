"""Commands `lab judge sort`, `generate`, `evaluate`, `suggest` and `export-prompts`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from tui_annotate.cli import output
from tui_annotate.cli.earlier_suggestions import print_earlier_suggestions
from tui_annotate.cli.endpoint_trust import require_trust
from tui_annotate.cli.help_format import RESEARCH
from tui_annotate.cli.options import (
    CommonOptions,
    DryOption,
    JsonOption,
    YesOption,
    add_command,
    add_group,
    argument,
    choose_dataset,
    dataset_option,
    flag,
    open_workspace,
    option,
)
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.report_parts import Facts, MessagePart, NotePart, Part, ResultPart
from tui_annotate.domain.errors import Conflict, InvalidInput, Unavailable
from tui_annotate.domain.people import Permission
from tui_annotate.domain.workspace_files import PROMPTS
from tui_annotate.lab.chat.command_options import (
    KeepThinkingOption,
    LimitOption,
    MaxUnclearOption,
    check_unclear,
    describe_replies,
    exit_if_partial,
)
from tui_annotate.lab.judge.command_options import (
    AnswerOptions,
    ChosenJudge,
    ChosenJudgeAndCache,
    JudgeInputOptions,
    JudgeRunOptions,
    MetricOptions,
    SortingOptions,
)
from tui_annotate.lab.judge.command_runs import (
    check_value,
    check_values,
    describe_sorted,
    open_setup,
    print_tally,
    show_evaluated,
    show_generated,
    show_plan,
)
from tui_annotate.lab.judge.options import GenerateOptions
from tui_annotate.plugins.files.output_paths import require_output_path
from tui_annotate.plugins.files.targets import explain_unwritten

if TYPE_CHECKING:
    from tui_annotate.lab.judge.proposals import ProposalPlan, ProposalReport
    from tui_annotate.services.suggestions import EarlierSuggestions

_MAX_MISSING_SHOWN: Final = 20

SuggestMaxCharsOption = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        help="Maximum number of characters to send from a sample's sources. The same maximum"
        " applies separately to the sample's summary.",
    ),
]


def suggest(
    *,
    dataset: Annotated[
        str, dataset_option("Dataset to search for unsupported spans (default: the only dataset).")
    ] = "",
    chosen: ChosenJudge,
    max_unclear: MaxUnclearOption = 0.0,
    max_chars: SuggestMaxCharsOption = 24_000,
    limit: LimitOption = 0,
    dry_run: DryOption = False,
    common: CommonOptions,
) -> None:
    """Suggest unsupported spans with an LLM.

    The model proposes spans of summaries with labels, evidence and a reason. Each quote of a
    proposal must occur once in the texts, and each label in the label set; other proposals are
    refused and counted. If all proposals for a sample are refused, the model is asked again, and
    then the sample has no value. A suggestion becomes an annotation only when an annotator accepts
    the suggestion. Replies are cached: a repeated run sends no request.

    Exit code: 3 if more samples than --max-unclear allows have no usable reply (default: any
    sample), or if no sample has one.
    """
    from tui_annotate.lab.chat.judge_config import load_named_judge, prompt_folders
    from tui_annotate.lab.judge.proposals import ProposalOptions, ProposalService

    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        machines = space.machines
        options = ProposalOptions(
            dataset=choose_dataset(space, dataset),
            language=chosen.language,
            folders=prompt_folders(space, chosen.prompts),
            max_chars=max_chars,
            limit=limit,
        )
        judge = load_named_judge(space, chosen, unasked=dry_run)
        if dry_run:
            planned = ProposalService(machines).plan(options, judge)
            _show_proposal_plan(planned, judge.host, as_json=common.as_json)
            return
        with output.show_progress("samples") as show_progress:
            done = ProposalService(machines).run(options, judge, progress=show_progress)
    check_unclear(done.tally, max_unclear)
    if len(done.missing) == done.samples:  # whatever --max-unclear allows
        output.set_exit_code(DONE_IN_PART)
    text = _describe_proposals(done, no_cache=chosen.no_cache)
    output.show(_proposals_as_json(done), text, as_json=common.as_json)
    print_earlier_suggestions(done.earlier)
    exit_if_partial()


class PrintedProposalPlan(TypedDict):
    """What a judge would be asked for suggestions, with `--dry-run`."""

    samples: int
    calls: int
    cached: int
    characters: int


class UnusableSample(TypedDict):
    """A sample without a usable reply; `kind` is `unclear`, `refused` or `failed`."""

    dataset: str
    sample: str
    kind: str
    reason: str


class PrintedProposals(TypedDict):
    """Suggestions of a model.

    Attributes:
        run: run of the suggestions; null if there are no new suggestions.
        samples: samples that were judged.
        suggestions: suggestions found in the texts, and `new` the new ones of these.
        refused: numbers of refused proposals by reason.
        truncated: samples whose text was cut.
        skipped: samples without a source or a summary.
        requested, cached: numbers of replies.
        unclear: samples without a usable reply after three requests.
        unusable: those of these for which all proposals were refused.
        refused_by_endpoint: samples that the endpoint refused.
        failed: samples that the endpoint failed to answer.
        nothing_found: samples for which the model proposes nothing.
        missing: all samples without a usable reply.
        earlier: suggestions of earlier runs that the model no longer proposes.
    """

    run: str | None
    samples: int
    suggestions: int
    new: int
    refused: dict[str, int]
    truncated: int
    skipped: int
    requested: int
    cached: int
    unclear: int
    refused_by_endpoint: int
    failed: int
    nothing_found: int
    unusable: int
    missing: list[UnusableSample]
    earlier: Sequence[EarlierSuggestions]


class WrittenPrompts(TypedDict):
    """The folder of prompts, and the number of new files."""

    folder: str
    written: int


class PrintedReplyCache(TypedDict):
    """The cache of model replies.

    Attributes:
        unreadable: number of lines that are no replies.
        deleted: whether the file or, with `--keep`, its oldest replies were deleted.
    """

    file: str
    replies: int
    unreadable: int
    bytes: int
    deleted: bool
    deleted_replies: int


def _show_proposal_plan(planned: ProposalPlan, host: str, *, as_json: bool) -> None:
    calls = planned.samples - planned.cached
    where = f" to {host}" if host else ""
    line = (
        f"samples: {planned.samples:,}; calls: {calls:,}, with {planned.characters:,} characters"
        f" to send{where}; replies already cached: {planned.cached:,}"
    )
    values: PrintedProposalPlan = {
        "samples": planned.samples,
        "calls": calls,
        "cached": planned.cached,
        "characters": planned.characters,
    }
    output.show(values, [line], as_json=as_json)


def _describe_proposals(done: ProposalReport, *, no_cache: bool) -> Iterator[Part]:
    replies = describe_replies(done.tally, "the model", no_cache=no_cache)
    yield ResultPart(
        f"samples: {done.samples:,}; suggestions: {done.proposals:,}, of these new: {done.new:,};"
        f" {replies}"
    )
    yield ResultPart(
        f"samples with nothing found: {done.nothing_found:,}; samples without a usable reply:"
        f" {len(done.missing):,}"
    )
    for reason, count in done.refused.items():
        yield MessagePart(f"rejected {reason}: {count:,}")
    if done.cut:
        yield MessagePart(
            f"samples longer than --max-chars, of which only the start was sent: {done.cut:,}"
        )
    if done.skipped:
        yield MessagePart(f"skipped samples without a source or a summary: {done.skipped:,}")
    for key, each in islice(done.missing.items(), _MAX_MISSING_SHOWN):
        yield MessagePart(f"{key}: no usable reply: {each}")
    more = len(done.missing) - _MAX_MISSING_SHOWN
    if more > 0:
        yield MessagePart(f"no usable reply: {more:,} more samples (--json lists all)")
    if done.new:
        yield NotePart("answer the suggestions on the screen: tui-annotate annotate")


def _proposals_as_json(done: ProposalReport) -> PrintedProposals:
    tally = done.tally
    return {
        "run": done.run or None,
        "samples": done.samples,
        "suggestions": done.proposals,
        "new": done.new,
        "refused": dict(done.refused),
        "truncated": done.cut,
        "skipped": done.skipped,
        "requested": tally.asked,
        "cached": tally.cached,
        "unclear": tally.unclear,
        "refused_by_endpoint": tally.refused,
        "failed": tally.failed,
        "nothing_found": done.nothing_found,
        "unusable": sum(each.unusable for each in done.missing.values()),
        "missing": [
            {
                "dataset": key.dataset,
                "sample": key.id,
                "kind": each.missing.kind,
                "reason": each.reason,
            }
            for key, each in done.missing.items()
        ],
        "earlier": done.earlier,
    }


_ENDPOINT = "--model M --base-url http://localhost:11434/v1"


def register(app: typer.Typer) -> None:
    judge = add_group(app, "judge", "Judge contexts, answers and summaries.", panel=RESEARCH)
    add_command(
        judge,
        sort,
        f"lab judge sort rag.jsonl {_ENDPOINT} -o sorted.json",
        f"lab judge sort --dataset rag {_ENDPOINT} --dry-run",
        f"lab judge sort rag.jsonl {_ENDPOINT} -k 5 --bottom --both-orders -o sorted.json",
    )
    add_command(
        judge,
        generate,
        f"lab judge generate rag.jsonl {_ENDPOINT} -o truths.jsonl",
        f"lab judge generate --dataset rag {_ENDPOINT} --answers-dir gt",
    )
    add_command(
        judge,
        evaluate,
        f"lab judge evaluate rag.jsonl {_ENDPOINT} -o result.xlsx",
        f"lab judge evaluate --dataset rag {_ENDPOINT} --metric faithfulness --json",
    )
    add_command(
        judge,
        suggest,
        "lab judge suggest --model MODEL --base-url http://127.0.0.1:8000/v1 --dry-run",
        "lab judge suggest --dataset news --model MODEL --limit 20",
        "lab scores compare --dataset news --score unsupported_spans",
    )
    add_command(judge, cache, "lab judge cache", "lab judge cache --delete --keep 100000 --yes")
    add_command(judge, export_prompts, "lab judge export-prompts mine", name="export-prompts")


def sort(
    source: JudgeInputOptions,
    *,
    options: SortingOptions,
    judge: ChosenJudgeAndCache,
    chosen: JudgeRunOptions,
) -> None:
    """Sort contexts by relevance with an LLM judge.

    The judge first selects the contexts that help to answer, then compares them in pairs. The
    result contains Spearman's rank correlation of the judge's order and the retriever's order, and
    the fraction of the first k contexts that both orders share. With --max-chars, only the start of
    a context longer than half of the maximum is sent.

    Exit code: 3 if no question has a rank correlation, or none has such a fraction.
    """
    from tui_annotate.lab.judge.context_order import estimate_sorting_cost, sort_row
    from tui_annotate.lab.judge.result_files import write_sorted
    from tui_annotate.lab.judge.runner import plan_cost

    with open_setup(source, judge, chosen) as setup:
        if chosen.dry_run:
            cost = plan_cost(
                setup.rows, setup.runner, options, work=sort_row, estimate=estimate_sorting_cost
            )
            show_plan(cost, setup, judge, as_json=chosen.as_json)
            return
        found = setup.runner.run(sort_row, setup.rows, options)
        if setup.dataset_judge:
            setup.dataset_judge.store_sorted(found, setup.runner, options)
        if chosen.target:
            with explain_unwritten(setup.describe_stored()):
                write_sorted(found, chosen.target)
    print_tally(setup.runner, judge, max_unclear=chosen.max_unclear)
    texts = [text for row in setup.rows for text in row.texts]
    if cut := sum(options.cut_context(text) != text for text in texts):
        output.print_message(f"contexts of which only the start was sent (--max-chars): {cut:,}")
    shown = [each.as_json() for each in found]
    output.show(shown, describe_sorted(found), as_json=chosen.as_json)
    for name, values in (
        ("spearman", [each.spearman for each in found]),
        ("overlap", [each.sim for each in found]),
    ):
        results = zip(found, values, strict=True)
        check_value(name, [each.reason if value is None else None for each, value in results])
    exit_if_partial()


AnswersDirOption = Annotated[
    Path | None,
    option(
        "--answers-dir",
        "DIR",
        "Also write one file for each answer to this folder, in the format of RagSGE.",
    ),
]


def generate(
    source: JudgeInputOptions,
    *,
    options: AnswerOptions,
    answers_dir: AnswersDirOption = None,
    judge: ChosenJudgeAndCache,
    chosen: JudgeRunOptions,
) -> None:
    """Generate reference answers with an LLM judge.

    The judge answers each question from groups of its contexts, then merges these partial answers.
    A question has no reference answer if no context answers the question. With --max-chars, groups
    are smaller, and a longer context is read in parts.

    Exit code: 3 if no question has a reference answer.
    """
    from tui_annotate.lab.judge.reference_answers import (
        estimate_answer_cost,
        generate_row,
    )
    from tui_annotate.lab.judge.result_files import write_generated, write_truths
    from tui_annotate.lab.judge.runner import plan_cost

    if answers_dir:  # before the first request, not after the last one
        require_output_path(answers_dir)
    with open_setup(source, judge, chosen) as setup:
        if chosen.dry_run:
            cost = plan_cost(
                setup.rows, setup.runner, options, work=generate_row, estimate=estimate_answer_cost
            )
            show_plan(cost, setup, judge, as_json=chosen.as_json)
            return
        found = setup.runner.run(generate_row, setup.rows, options)
        if setup.dataset_judge:
            setup.dataset_judge.store_generated(found, setup.runner, options)
        if chosen.target:
            with explain_unwritten(setup.describe_stored()):
                write_generated(found, chosen.target)
        if answers_dir:
            with explain_unwritten("the results before this file are stored or written"):
                write_truths(found, answers_dir)
    print_tally(setup.runner, judge, max_unclear=chosen.max_unclear)
    show_generated(found, as_json=chosen.as_json)
    check_value(
        "ground_truth", [each.reason if each.ground_truth is None else None for each in found]
    )
    exit_if_partial()


EmbedderOption = Annotated[
    str,
    option(
        "--embedder",
        "NAME",
        "Embedder for answer relevancy, or none (default: the workspace's embedder, with FILE that"
        " of its settings, else the best installed one).",
    ),
]


BackendOption = Annotated[
    str,
    option(
        "--backend",
        "NAME",
        "Implementation of the metrics: builtin, or the library ragas if installed.",
    ),
]


def evaluate(
    source: JudgeInputOptions,
    *,
    measured: MetricOptions,
    embedder: EmbedderOption = "",
    backend: BackendOption = "builtin",
    keep_thinking: KeepThinkingOption = False,
    judge: ChosenJudgeAndCache,
    chosen: JudgeRunOptions,
) -> None:
    """Evaluate answers and contexts by RAG metrics.

    The metrics are faithfulness, answer relevancy, context precision and context recall.

    The judge first generates missing answers and ground truths. Questions without a score are
    counted, but excluded from the mean.

    Exit code: 3 if a metric has no value for any question.
    """
    from tui_annotate.lab.judge.api import choose_scale, embedder_url, plan_evaluate
    from tui_annotate.lab.judge.evaluation import BuiltInScale, evaluate_row
    from tui_annotate.lab.judge.result_files import write_evaluated

    metrics = measured.metrics
    similarity = measured.similarity
    truth = GenerateOptions(keep_thinking=keep_thinking, max_chars=measured.max_chars)
    options = replace(measured, truth=truth)
    with open_setup(source, judge, chosen) as setup:
        if chosen.dry_run:
            cost = plan_evaluate(setup.rows, setup.runner, options)
            show_plan(cost, setup, judge, as_json=chosen.as_json)
            return
        if "answer_relevancy" in metrics:
            require_trust(
                setup.settings.endpoints, embedder_url(embedder, setup.settings, setup.vector_set)
            )
        how = choose_scale(
            setup.config,
            metrics,
            setup.settings,
            embedder=embedder,
            backend=backend,
            similarity=similarity,
            vector_set=setup.vector_set,
        )
        built_in = BuiltInScale(
            setup.runner, how.embed, similarity=similarity, knows_chinese=how.knows_chinese
        )
        scale = how.ragas.score if how.ragas else built_in.score
        found = setup.runner.run(partial(evaluate_row, scale=scale), setup.rows, options)
        if setup.dataset_judge:
            setup.dataset_judge.store_evaluated(
                found, setup.runner, options, backend=backend, embedder=how.embedder
            )
        if chosen.target:
            with explain_unwritten(setup.describe_stored()):
                write_evaluated(found, metrics, chosen.target)
    print_tally(
        setup.runner,
        judge,
        max_unclear=chosen.max_unclear,
        ragas_requests=how.ragas.requests if how.ragas else None,
    )
    pairs = zip(setup.rows, found, strict=True)
    if cut := sum(row.contexts != each.row.contexts for row, each in pairs):
        output.print_message(
            f"questions of which only the first contexts were read (--top-k, --max-chars): {cut:,}"
        )
    show_evaluated(found, metrics, embedder=how.embedder, as_json=chosen.as_json)
    check_values(found, metrics)
    exit_if_partial()


def export_prompts(
    folder: Annotated[Path, argument("DIR", "Target folder; created if it is missing.")],
    *,
    as_json: JsonOption = False,
) -> None:
    """Write the built-in prompts to a folder for editing.

    The program fills in the placeholders in braces; do not remove them. Existing files are not
    changed.
    """
    from tui_annotate.lab.chat import prompts as chat_prompts

    if folder.is_file():
        raise Conflict(f"{folder} is a file, not a folder", "pass the path of a folder")
    require_output_path(folder, allow=PROMPTS)
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for name in chat_prompts.prompt_names():
        for language in chat_prompts.LANGUAGES:
            place = folder / f"{name}.{language}.txt"
            if not place.exists():
                place.write_text(chat_prompts.built_in_text(name, language) + "\n", "utf-8")
                written += 1
    output.print_note(f"wrote {output.many(written, 'prompt')} to {folder}")
    output.print_note(
        "use the prompts with --prompts DIR, or copy them to the folder prompts of a workspace"
    )
    if as_json:
        output.print_json(WrittenPrompts(folder=str(folder), written=written))


def cache(
    *,
    delete: Annotated[bool, flag("--delete", "Delete the cache.")] = False,
    keep: Annotated[
        int,
        typer.Option(
            "--keep", min=0, metavar="N", help="Delete only older replies than the newest N."
        ),
    ] = 0,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show or delete your cache of model replies.

    All commands that send requests to a chat model store the replies there, so that no reply is
    paid for twice. Replies may quote your texts. The API key is not stored. The cache has no
    maximum size: delete the oldest replies with --delete --keep N.
    """
    from tui_annotate.settings import reply_cache_file
    from tui_annotate.storage.reply_file import delete_oldest_replies, measure_replies

    if keep and not delete:
        raise InvalidInput(
            f"--keep {keep:,} keeps replies, but none are to be deleted", "pass --delete, too"
        )
    path = reply_cache_file()
    if path is None:
        raise Unavailable(
            "the user has no home folder, so there is no cache of replies",
            "set TUI_ANNOTATE_STATE to a folder for the cache",
        )
    found = measure_replies(path)
    oldest = max(found.replies - keep, 0)
    deleted = delete and path.exists() and (not keep or oldest > 0)
    if deleted:
        output.ask(f"delete {output.many(oldest, 'cached reply', 'cached replies')}?", yes=yes)
        if keep:
            oldest = delete_oldest_replies(path, keep=keep)
        else:
            path.unlink(missing_ok=True)
    values: PrintedReplyCache = {
        "file": str(path),
        "replies": found.replies,
        "unreadable": found.unreadable,
        "bytes": found.size,
        "deleted": deleted,
        "deleted_replies": oldest if deleted else 0,
    }
    text: list[Part] = [
        Facts(
            {
                "file": str(path),
                "replies": found.replies,
                "unreadable lines": found.unreadable,
                "size in bytes": found.size,
            }
        )
    ]
    if deleted:
        replies = output.many(oldest, "cached reply", "cached replies")
        text.append(NotePart(f"deleted {replies}" if keep else "deleted the cache"))
    elif delete and keep:
        text.append(NotePart(f"the cache has no more than {keep:,} replies"))
    elif delete:
        text.append(NotePart("there is no cache to delete"))
    output.show(values, text, as_json=as_json)
