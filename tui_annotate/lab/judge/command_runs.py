"""Helpers of the judge commands, which load the input and the judge and print the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NotRequired, TypedDict

from tui_annotate.cli import output
from tui_annotate.cli.endpoint_trust import require_trust
from tui_annotate.cli.options import find_settings_folder, open_workspace
from tui_annotate.cli.output import DONE_IN_PART
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    MessagePart,
    Part,
    Row,
    Table,
    flexible_column,
    number_column,
)
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Permission
from tui_annotate.lab.chat.command_options import (
    check_unclear,
    describe_replies,
    note_continuation,
    print_missing_replies,
)

if TYPE_CHECKING:
    from tui_annotate.domain.vector_sets import VectorSet
    from tui_annotate.lab.chat.judge_choice import JudgeChoice
    from tui_annotate.lab.chat.judge_config import JudgeConfig
    from tui_annotate.lab.judge.command_options import JudgeInputOptions, JudgeRunOptions
    from tui_annotate.lab.judge.context_order import ContextOrderResult
    from tui_annotate.lab.judge.dataset_runs import DatasetJudge
    from tui_annotate.lab.judge.evaluation import EvaluationResult, MetricMean
    from tui_annotate.lab.judge.reference_answers import ReferenceAnswer
    from tui_annotate.lab.judge.rows import QuestionRow
    from tui_annotate.lab.judge.runner import JudgePlan, JudgeRunner
    from tui_annotate.plugins.judges import ReplyCache
    from tui_annotate.settings import Settings

_FORMER_SUFFIX = ".replies.jsonl"
"""Suffix of the file next to an output in which earlier versions stored the replies."""


class SimilarityMean(TypedDict):
    """Mean of `answer_relevancy` for one way of comparing questions."""

    mean: float | None
    count: int


class PrintedMean(SimilarityMean):
    """Mean of a metric.

    Attributes:
        mean: null without values.
        reasons: number of questions without a value, by reason.
    """

    missing: int
    reasons: dict[str, int]


class PrintedEvaluation(TypedDict):
    """Scores of all questions, and their means by metric.

    Attributes:
        similarities: by similarity; only if questions were compared, as `embedder`.
    """

    means: dict[str, PrintedMean]
    rows: list[dict[str, Any]]
    similarities: NotRequired[dict[str, SimilarityMean]]
    embedder: NotRequired[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSetup:
    """What a judge command needs: questions with texts, a judge, and settings."""

    rows: list[QuestionRow]
    runner: JudgeRunner
    config: JudgeConfig
    settings: Settings
    dataset_judge: DatasetJudge | None = None
    vector_set: VectorSet | None = None

    def describe_stored(self) -> str:
        """Return where the results of a dataset are stored; empty for the results of a file."""
        return "the results are stored in the workspace" if self.dataset_judge else ""


@contextmanager
def open_setup(
    source: JudgeInputOptions, judge: JudgeChoice, chosen: JudgeRunOptions
) -> Iterator[JudgeSetup]:
    """Read the questions, prepare the judge that the options name, and show a progress bar.

    For a file, the workspace gives its settings and prompts only, and its store is not opened.

    Raises:
        InvalidInput: the options name neither a file nor a dataset, or both, or no question is
        found.
    """
    from tui_annotate.domain.workspace_files import PROMPTS
    from tui_annotate.lab.judge.dataset_runs import DatasetJudge
    from tui_annotate.lab.judge.result_files import ResultFormat, choose_format
    from tui_annotate.plugins.files.targets import check_target

    if chosen.target is not None:  # before the first request, not after the last one
        choose_format(chosen.target, ResultFormat.LINES)
        check_target(chosen.target)
    if source.file is not None and not source.dataset:
        from tui_annotate.lab.judge.rows import read_rows
        from tui_annotate.settings import load

        if not source.file.exists():
            raise InvalidInput(f"file {source.file} does not exist", "check the file's path")
        rows = _first_rows(read_rows(source.file), chosen)
        folder = find_settings_folder(chosen.workspace)
        settings = load(folder)
        own = (folder / PROMPTS,) if folder else ()
        replies = _open_replies(judge, chosen)
        opened = _open_runner(judge, settings, replies, dry_run=chosen.dry_run, own=own)
        with opened as (config, runner):
            yield JudgeSetup(rows=rows, runner=runner, config=config, settings=settings)
    elif source.dataset and source.file is None:
        with open_workspace(chosen.workspace, needs=Permission.MANAGE) as space:
            judging = DatasetJudge(space.machines)
            rows = _first_rows(judging.rows(source.dataset), chosen)
            replies = _open_replies(judge, chosen, space.machines.replies)
            own = (space.path / PROMPTS,)
            opened = _open_runner(judge, space.settings, replies, dry_run=chosen.dry_run, own=own)
            with opened as (config, runner):
                yield JudgeSetup(
                    rows=rows,
                    runner=runner,
                    config=config,
                    settings=space.settings,
                    dataset_judge=judging,
                    vector_set=space.corpus.vector_set(),
                )
    else:
        raise InvalidInput(
            "exactly one input is required: a file or a dataset", "pass FILE or --dataset NAME"
        )


@contextmanager
def _open_runner(
    judge: JudgeChoice,
    settings: Settings,
    replies: ReplyCache | None,
    *,
    dry_run: bool,
    own: tuple[Path, ...] = (),
) -> Iterator[tuple[JudgeConfig, JudgeRunner]]:
    from tui_annotate.lab.chat.judge_config import choose_judge
    from tui_annotate.lab.judge.api import make_runner

    if judge.language not in {"", "en", "zh"}:
        raise InvalidInput(
            f"there are no prompts in the language {judge.language!r}",
            "pass --language en or --language zh",
        )
    if judge.prompts and not judge.prompts.is_dir():
        raise InvalidInput(
            f"folder {judge.prompts} does not exist",
            "create a folder with prompts: tui-annotate lab judge export-prompts DIR",
        )
    folders = (judge.prompts, *own) if judge.prompts else own
    config = choose_judge(settings, judge, folders=folders, unasked=dry_run)
    if not dry_run and config.trust is not None:
        require_trust(config.trust, config.base_url)
    with output.show_progress("replies") as show_progress:
        yield (
            config,
            make_runner(config, replies, progress=None if dry_run else show_progress),
        )


def _first_rows(rows: list[QuestionRow], chosen: JudgeRunOptions) -> list[QuestionRow]:
    return rows[: chosen.limit] if chosen.limit else rows


def _open_replies(
    judge: JudgeChoice, chosen: JudgeRunOptions, workspace: ReplyCache | None = None
) -> ReplyCache | None:
    from tui_annotate.lab.chat.reply_cache import open_replies

    target = chosen.target
    replies = open_replies(
        workspace,
        file=judge.cache,
        former=target.with_name(target.name + _FORMER_SUFFIX) if target else None,
        no_cache=judge.no_cache,
    )
    note_continuation(replies)
    return replies


def show_plan(found: JudgePlan, setup: JudgeSetup, judge: JudgeChoice, *, as_json: bool) -> None:
    """Show how many calls and characters a run would send, and to which host."""
    named = judge.base_url or setup.settings.judge_url
    to = f" to {setup.runner.judge.host}" if named else " (no endpoint is named: pass --base-url)"
    left = found.calls - found.cached
    line = (
        f"questions: {found.rows:,}; calls of the model: at most {found.calls:,}; replies already "
        f"cached: {found.cached:,}; calls to send{to}: {left:,}, with about "
        f"{found.characters:,} characters"
    )
    output.show(found.as_json(), [line], as_json=as_json)


def print_tally(
    runner: JudgeRunner,
    judge: JudgeChoice,
    *,
    max_unclear: float,
    ragas_requests: int | None = None,
) -> None:
    """Print the counts of the model's replies to standard error, and set the exit code.

    Args:
        max_unclear: maximum share of questions without a readable reply.
        ragas_requests: number of requests of the library RAGAS; None without it.
    """
    tally = runner.tally
    if ragas_requests is not None:
        output.print_note(
            f"requests of ragas: {ragas_requests:,} to {runner.judge.host}; ragas does not use the"
            " cache"
        )
    if ragas_requests is None or tally.asked + tally.cached:
        output.print_note(describe_replies(tally, runner.judge.host, no_cache=judge.no_cache))
    print_missing_replies(tally)
    check_unclear(tally, max_unclear)


_MAX_ROWS = 20


_ORDERS: Final[Columns[ContextOrderResult]] = (
    flexible_column("question", lambda each: each.row.question),
    number_column("contexts", lambda each: len(each.row.contexts)),
    number_column("useful", lambda each: "" if each.good is None else len(each.good)),
    number_column("spearman"),
    number_column("overlap", "sim"),
    flexible_column("judge's order", lambda each: each.reason or " ".join(map(str, each.sorted))),
)


def describe_sorted(found: Sequence[ContextOrderResult]) -> Iterator[Part]:
    """Describe each question's contexts in the judge's order, then means of the rank measures."""
    yield from _first_questions(found, _ORDERS)
    compared = [each.sim for each in found if not each.covered]
    for name, values in (
        ("spearman", [each.spearman for each in found]),
        # An overlap that is 1 by construction would hide how much the orders differ.
        ("overlap", compared),
    ):
        there = [value for value in values if value is not None]
        mean = f"{sum(there) / len(there):.3f}" if there else "-"
        yield (
            f"mean {name}: {mean}; questions with a value: {len(there):,}; "
            f"questions without a value: {len(values) - len(there):,}"
        )
    if covered := len(found) - len(compared):
        known = [each.sim for each in found if each.sim is not None]
        yield (
            f"questions whose contexts are all among the first k (-k), so that their overlap is 1"
            f" for every order: {covered:,}; mean overlap with them: {sum(known) / len(known):.3f}"
        )


_ANSWERS: Final[Columns[ReferenceAnswer]] = (
    flexible_column("question", lambda each: each.row.question),
    flexible_column("ground truth", lambda each: each.ground_truth or f"- ({each.reason})"),
)


def show_generated(found: Sequence[ReferenceAnswer], *, as_json: bool) -> None:
    """Print the reference answers, or why a question has none."""
    if missing := sum(each.ground_truth is None for each in found):
        output.print_message(f"questions without a reference answer: {missing:,}")
    values = [each.as_json() for each in found]
    output.show(values, _first_questions(found, _ANSWERS), as_json=as_json)


def show_evaluated(
    found: Sequence[EvaluationResult], metrics: Sequence[str], *, embedder: str, as_json: bool
) -> None:
    """Show the scores of all questions, their means, and how relevancy compared questions.

    Args:
        embedder: name of the embedder whose vectors compared questions.
    """
    from tui_annotate.lab.judge.evaluation import mean_metrics, mean_similarities

    for what in ("answer", "ground_truth"):
        if made := sum(what in each.generated for each in found):
            output.print_message(
                f"generated before scoring: {output.many(made, what.replace('_', ' '))}"
            )
    means = mean_metrics(found, metrics)
    similarities = mean_similarities(found)
    values: PrintedEvaluation = {
        "means": {
            name: {
                "mean": each.mean,
                "count": each.count,
                "missing": each.missing,
                "reasons": Counter(row.reasons[name] for row in found if name in row.reasons),
            }
            for name, each in means.items()
        },
        "rows": [each.as_json() for each in found],
    }
    if similarities:
        values["similarities"] = {
            name: {"mean": each.mean, "count": each.count} for name, each in similarities.items()
        }
        values["embedder"] = embedder
    output.show(
        values, _describe_evaluated(found, means, similarities, embedder=embedder), as_json=as_json
    )


def _describe_evaluated(
    found: Sequence[EvaluationResult],
    means: Mapping[str, MetricMean],
    similarities: Mapping[str, MetricMean],
    *,
    embedder: str,
) -> Iterator[Part]:
    from tui_annotate.lab.judge.options import VECTORS

    columns: list[Column[EvaluationResult]] = [
        flexible_column("question", lambda each: each.row.question)
    ]
    columns += [number_column(name, partial(_score_of, metric=name)) for name in means]
    yield from _first_questions(found, columns)
    for name, each in means.items():
        yield (
            f"mean {name}: {_format_figure(each.mean)}; questions with a score: {each.count:,}; "
            f"questions without a score: {each.missing:,}"
        )
    for name, each in similarities.items():
        compared = f"vectors of {embedder}" if name == VECTORS else name
        yield (
            f"answer_relevancy by the similarity of {compared}: mean {_format_figure(each.mean)};"
            f" questions: {each.count:,}"
        )
    if len(similarities) > 1:
        yield MessagePart(
            "cosines of vectors and of words are not comparable; compare all questions in one way"
            " with --similarity words"
        )


def _score_of(result: EvaluationResult, *, metric: str) -> float | None:
    return result.scores[metric]


def check_values(found: Sequence[EvaluationResult], metrics: Sequence[str]) -> None:
    """Check each metric as `check_value` does."""
    for metric in metrics:
        check_value(metric, [each.reasons.get(metric) for each in found])


def check_value(name: str, missing: Sequence[str | None]) -> None:
    """Set the exit code for `exit_if_partial` if no question has a value of this name.

    `missing`: for each question, the reason why its value is missing; None for a value.
    """
    reasons = Counter(reason for reason in missing if reason is not None)
    if reasons.total() < len(missing):
        return
    output.set_exit_code(DONE_IN_PART)
    reason, count = reasons.most_common(1)[0]
    output.print_message(
        f"{name} has no value for any question; most frequent reason: {reason}"
        f" ({output.many(count, 'question')})"
    )


def _format_figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _first_questions(found: Sequence[Row], columns: Columns[Row]) -> Iterator[Part]:
    yield Table(found[:_MAX_ROWS], columns)
    if (more := len(found) - _MAX_ROWS) > 0:
        yield MessagePart(f"questions not shown: {more:,}; use -o or --json to get all questions")
