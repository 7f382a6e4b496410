"""Python API of the LLM judges: lists of questions and texts in, typed results out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, partial, wraps
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    NamedTuple,
    ParamSpec,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    get_type_hints,
)

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidArgument, InvalidInput
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.lab.argument_types import check_types
from tui_annotate.lab.chat.judge_choice import JudgeChoice
from tui_annotate.lab.chat.judge_config import JudgeConfig, choose_judge
from tui_annotate.lab.chat.prompts import check_folders
from tui_annotate.lab.chat.reply_cache import open_replies
from tui_annotate.lab.judge.context_order import ContextOrderResult, sort_row
from tui_annotate.lab.judge.evaluation import (
    BuiltInScale,
    EvaluationResult,
    estimate_evaluation_cost,
    evaluate_row,
)
from tui_annotate.lab.judge.options import (
    METRICS,
    WORDS,
    EvaluateOptions,
    GenerateOptions,
    SortOptions,
)
from tui_annotate.lab.judge.reference_answers import ReferenceAnswer, generate_row
from tui_annotate.lab.judge.rows import QuestionRow, rows_of_lists
from tui_annotate.lab.judge.runner import JudgePlan, JudgeRunner, plan_cost
from tui_annotate.methods.term_vectors import knows_chinese
from tui_annotate.plugins import registry
from tui_annotate.plugins.judges import ReplyCache
from tui_annotate.settings import Settings, load

if TYPE_CHECKING:
    from tui_annotate.domain.vector_sets import VectorSet
    from tui_annotate.lab.judge.ragas_scale import RagasScale
    from tui_annotate.plugins.protocols import Embedder


def make_runner(
    config: JudgeConfig,
    replies: ReplyCache | None = None,
    *,
    progress: Callable[[TaskProgress], None] | None = None,
) -> JudgeRunner:
    """Create a runner that can later ask a judge about many questions.

    Without `replies`, replies are stored in memory only.

    Raises:
        InvalidInput: a prompt in the folders of `config` is invalid.
    """
    check_folders(config.folders)
    return JudgeRunner(
        config.load(replies),
        language=config.language,
        folders=config.folders,
        at_once=config.concurrency,
        progress=progress,
    )


def plan_evaluate(
    rows: Sequence[QuestionRow], runner: JudgeRunner, options: EvaluateOptions
) -> JudgePlan:
    """Estimate the cost of an evaluation with the built-in metrics, without sending texts."""

    def embed(texts: Sequence[str]) -> Any:
        import numpy as np

        return np.zeros((len(texts), 1))

    def work(row: QuestionRow, known: JudgeRunner, chosen: EvaluateOptions) -> object:
        return evaluate_row(row, known, chosen, scale=BuiltInScale(known, embed).score)

    return plan_cost(rows, runner, options, work=work, estimate=estimate_evaluation_cost)


BACKENDS = ("builtin", "ragas")


class JudgeApiOptions(TypedDict, total=False):
    """Options that all functions of this module share: judge model, prompts and stored replies.

    Attributes:
        base_url: address of the endpoint (default: `TUI_ANNOTATE_JUDGE_URL`). Texts are sent to no
            other address.
        language: language of the prompts, "en" or "zh" (default: the language of each question).
        concurrency: requests at a time, 1 to 64 (default: 4).
        timeout: time limit of a request in seconds (default: 300).
        cache: file that caches the replies, instead of the user's cache.
        no_cache: neither use nor store cached replies.
        max_retries: maximum number of repetitions of a request after temporary failures (default:
            5).
    """

    model: str
    base_url: str
    language: str
    prompts: Path | str | None
    cache: Path | str | None
    no_cache: bool
    concurrency: int
    timeout: float | None
    max_retries: int | None
    progress: Callable[[TaskProgress], None] | None


class SortApiOptions(JudgeApiOptions, total=False):
    """Options of `sort_contexts`, as those of `lab judge sort`."""

    k: int
    bottom: bool
    screen: bool
    swap: bool
    max_chars: int


class GenerateApiOptions(JudgeApiOptions, total=False):
    """Options of `generate_answers`, as those of `lab judge generate`."""

    group_size: int
    seed: int
    slow: bool
    keep_thinking: bool
    max_chars: int


class EvaluateApiOptions(JudgeApiOptions, total=False):
    """Options of `evaluate`, which scores answers.

    Attributes:
        metrics: names of the metrics to compute (default: all).
        embedder: embedder for answer relevancy, named as for the import command; "auto" is the best
            available embedder.
        backend: "builtin", or "ragas" if that library is installed.
        similarity: how answer relevancy compares questions: "vectors"; "words"; or "auto", the
            default: by words if there is no embedder, or if it has no vector for a text.
    """

    metrics: Sequence[str] | set[str] | frozenset[str]
    top_k: int
    max_chars: int
    embedder: str
    backend: str
    similarity: str
    keep_thinking: bool


_RAGSGE_NAMES: Final[Mapping[str, str]] = {
    "question_list": "questions",
    "contexts_list": "contexts",
    "answer_list": "answers",
    "ground_truth_list": "ground_truths",
    "chat_model": "model",
    "fast": "screen",
    "top": "bottom",
}
"""Our name of an argument by its name in the project RagSGE; `top` is the opposite of `bottom`."""

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def _check_arguments(
    options: type,
) -> Callable[[Callable[_Parameters, _Result]], Callable[_Parameters, _Result]]:
    """Decorate a function so that it checks its arguments, and accepts the names of RagSGE.

    `options` is the TypedDict of the function's keyword arguments, which Python does not check.
    """

    def decorate(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
        lists = [
            name
            for name, each in inspect.signature(function).parameters.items()
            if each.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        known = (*lists, *options.__annotations__)

        @wraps(function)
        def checked(*given: Any, **how: Any) -> _Result:
            names = _match_names(function.__name__, [*lists[: len(given)], *how], known)
            if len(given) > len(lists):
                raise InvalidArgument(
                    f"{function.__name__}() got {len(given)} lists, but takes at most {len(lists)}:"
                    f" {', '.join(lists)}",
                    "pass each option by its name",
                )
            # An option that is None has its default; a list that is None is checked by its type.
            chosen = {
                name: value
                for name, value in {**dict(zip(lists, given, strict=False)), **how}.items()
                if value is not None or names[name] in lists
            }
            types = get_type_hints(function) | get_type_hints(options)
            values = check_types(
                function.__name__, chosen, {name: types[names[name]] for name in chosen}
            )
            arguments = {names[name]: value for name, value in values.items()}
            if "top" in values:
                arguments["bottom"] = not values["top"]
            return cast("Callable[..., _Result]", function)(**arguments)

        return checked

    return decorate


def _match_names(function: str, given: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """Return our name of each given argument; InvalidArgument for an unknown or repeated one."""
    ours: dict[str, str] = {}
    for name in given:
        own = name if name in known else _RAGSGE_NAMES.get(name, "")
        if own not in known:
            raise InvalidArgument(
                f"{function}() got an unknown argument {name!r};"
                f" {suggest_word(name, known)}arguments: {', '.join(known)}"
            )
        taken = next((each for each, other in ours.items() if other == own), "")
        if taken:
            same = f"{own!r} twice" if taken == name else f"both {taken!r} and {name!r}"
            raise InvalidArgument(f"{function}() got {same}", f"pass only {own!r}, once")
        ours[name] = own
    return ours


@_check_arguments(SortApiOptions)
def sort(
    questions: Sequence[str],
    contexts: Sequence[Sequence[str | None]],
    **how: Unpack[SortApiOptions],
) -> list[ContextOrderResult]:
    """Rank each question's contexts with a judge, and compare this order with the given order.

    An empty or missing (None) context keeps its index, is not sent, and does not help to answer.

    Raises:
        InvalidArgument: an argument has an unknown name or a wrong type; it is a TypeError, too.
        InvalidInput: the lists have different lengths, or an option is invalid.
        Unavailable: the endpoint cannot be reached.
    """
    rows = rows_of_lists(questions, contexts)
    options = SortOptions(**_pick(how, SortOptions))
    return _open_runner(how).run(sort_row, rows, options)


@_check_arguments(GenerateApiOptions)
def generate(
    questions: Sequence[str],
    contexts: Sequence[Sequence[str | None]],
    **how: Unpack[GenerateApiOptions],
) -> list[ReferenceAnswer]:
    """Return a reference answer to each question, from all of its contexts.

    Raises:
        InvalidArgument: an argument has an unknown name or a wrong type; it is a TypeError, too.
        InvalidInput: the lists have different lengths, or an option is invalid.
        Unavailable: the endpoint cannot be reached.
    """
    rows = rows_of_lists(questions, contexts)
    options = GenerateOptions(**_pick(how, GenerateOptions))
    return _open_runner(how).run(generate_row, rows, options)


@_check_arguments(EvaluateApiOptions)
def evaluate(  # noqa: PLR0917  four lists, in the argument order of the project RagSGE
    questions: Sequence[str],
    contexts: Sequence[Sequence[str | None]],
    answers: Sequence[str | None] | None = None,
    ground_truths: Sequence[str | None] | None = None,
    **how: Unpack[EvaluateApiOptions],
) -> list[EvaluationResult]:
    """Return faithfulness, answer relevancy, context precision and recall of each question.

    The judge first generates missing answers and ground truths; the result names what it generated.

    Raises:
        InvalidArgument: an argument has an unknown name or a wrong type; it is a TypeError, too.
        InvalidInput: the lists have different lengths, or an option is invalid.
        Unavailable: the endpoint cannot be reached, or the embedder or back end is not installed.
    """
    rows = rows_of_lists(questions, contexts, answers=answers, ground_truths=ground_truths)
    given = _pick(how, EvaluateOptions)
    given["metrics"] = tuple(how.get("metrics") or METRICS)
    options = EvaluateOptions(**given)
    truth = GenerateOptions(
        keep_thinking=how.get("keep_thinking", False), max_chars=options.max_chars
    )
    options = replace(options, truth=truth)
    made = choose_scale(
        choose_judge(load(), _choose_judge(how)),
        options.metrics,
        load(),
        embedder=how.get("embedder", ""),
        backend=how.get("backend", "builtin"),
        similarity=options.similarity,
    )
    runner = _open_runner(how)
    built_in = BuiltInScale(
        runner, made.embed, similarity=options.similarity, knows_chinese=made.knows_chinese
    )
    scale = made.ragas.score if made.ragas else built_in.score
    return runner.run(partial(evaluate_row, scale=scale), rows, options)


def _pick(how: Any, options: type) -> dict[str, Any]:
    """Return the arguments that are fields of a dataclass of options."""
    return {each.name: how[each.name] for each in fields(options) if each.name in how}


def _choose_judge(how: Any) -> JudgeChoice:
    given = _pick(how, JudgeChoice)
    for name in ("prompts", "cache"):
        if given.get(name):
            given[name] = Path(given[name])
    return JudgeChoice(**given)


def _open_runner(how: Any) -> JudgeRunner:
    chosen = _choose_judge(how)
    replies = open_replies(file=chosen.cache, no_cache=chosen.no_cache)
    return make_runner(choose_judge(load(), chosen), replies, progress=how.get("progress"))


class ScaleSetup(NamedTuple):
    """The backend that computes the metrics of answers, and the embedding model for a metric.

    `ragas` is None for the built-in metrics. `knows_chinese` returns whether `embed` has vectors
    for Chinese.
    """

    ragas: RagasScale | None
    embed: Callable[[Sequence[str]], Any] | None
    embedder: str
    knows_chinese: Callable[[], bool] = lambda: True


def choose_scale(
    config: JudgeConfig,
    metrics: Sequence[str],
    settings: Settings,
    *,
    embedder: str = "",
    backend: str = "builtin",
    similarity: str = "auto",
    vector_set: VectorSet | None = None,
) -> ScaleSetup:
    """Choose the backend for the metrics; load an embedding model only if a metric needs one.

    Without a name, load the workspace's embedder, else that of the settings, else the best one.

    Raises:
        InvalidInput: no such back end or embedder exists, or the back end cannot compare words.
        Unavailable: the back end or embedder is not installed.
    """
    if backend not in BACKENDS:
        raise InvalidInput(f"unknown back end {backend!r}", f"choose one of: {', '.join(BACKENDS)}")
    if backend != "builtin" and similarity == WORDS:
        raise InvalidInput(
            f"the back end {backend} compares questions by vectors only",
            "use the built-in metrics, or another similarity than words",
        )
    needed = "answer_relevancy" in metrics and similarity != WORDS
    load = partial(_load_embedder, timeout=config.timeout, max_retries=config.max_retries)
    made = load(embedder, settings, vector_set) if needed else None
    embed = made.embed if made else None
    label = f"{made.label} {made.version}" if made else ""
    if backend == "builtin":
        remote = getattr(made, "host", "")
        if made is None or remote:  # an endpoint has a vector for each text
            return ScaleSetup(None, embed, label)
        return ScaleSetup(None, embed, label, cache(partial(knows_chinese, made.embed)))
    from tui_annotate.lab.judge.ragas_scale import RagasScale

    ragas = RagasScale(
        config.judge.partition(":")[2],
        base_url=config.base_url,
        embed=embed,
        concurrency=config.concurrency,
        timeout=config.timeout,
        max_retries=config.max_retries,
        trust=config.trust,
    )
    return ScaleSetup(ragas, embed, label)


def embedder_url(chosen: str, settings: Settings, used: VectorSet | None) -> str:
    """Return the URL to which the embedder of `choose_scale` sends texts; empty if to none."""
    if not chosen and used is not None:
        return used.base_url
    name = chosen or settings.embedder
    costs = name not in {"auto", "none"} and registry.has_cost(name)
    return settings.base_url if costs else ""


def _load_embedder(
    chosen: str,
    settings: Settings,
    used: VectorSet | None,
    *,
    timeout: float | None,
    max_retries: int | None,
) -> Embedder | None:
    if not chosen and used is not None:
        return registry.load_embedder(
            used.embedder,
            base_url=used.base_url,
            dimensions=used.asked_dimensions,
            timeout=timeout,
            max_retries=max_retries,
            keeps_vectors=False,
            trust=settings.endpoints,
        )
    name = chosen or settings.embedder
    if name == "none":
        return None
    if name.startswith("remote") and not settings.base_url:
        # The option --base-url of this command is the address of the judge.
        raise InvalidInput(
            f"the embedder {name!r} has no endpoint",
            "set base_url in the settings, or the variable TUI_ANNOTATE_BASE_URL",
        )
    return registry.load_embedder(
        registry.best_embedder() if name == "auto" else name,
        base_url=settings.base_url,
        dimensions=settings.dimensions,
        timeout=timeout,
        max_retries=max_retries,
        keeps_vectors=False,
        trust=settings.endpoints,
    )
