"""Judges without a workspace: lists in, typed results out; and what commands share with that.

import tui_annotate

found = tui_annotate.sort(
["Who built the bridge?"],
[["Eiffel built it.", "It is red."]],
model="qwen3",
base_url="http://localhost:11434/v1",
cache="replies.jsonl",
)
print(found[0].sorted, found[0].spearman)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.progress import Progress
from tui_annotate.plugins.asking import Replies
from tui_annotate.services.judge import (
    Asked,
    Evaluated,
    EvaluateOptions,
    Generated,
    GenerateOptions,
    Sitting,
    Sorted,
    SortOptions,
    evaluate_rows,
    generate_rows,
    lists,
    seated,
    sort_rows,
)
from tui_annotate.settings import Settings, load
from tui_annotate.storage.reply_file import ReplyFile

if TYPE_CHECKING:
    from tui_annotate.domain.vector_sets import VectorSet
    from tui_annotate.plugins.protocols import Embedder
    from tui_annotate.services.judge.scale import Scale

BACKENDS = ("builtin", "ragas")
PROMPTS = "prompts"
"""The folder of a workspace that holds a user's own prompts."""


class How(TypedDict, total=False):
    """Who is asked, and how.

    Attributes:
        model: that is asked; else `TUI_ANNOTATE_JUDGE_MODEL`.
        base_url: where it is; else `TUI_ANNOTATE_JUDGE_URL`. Texts go nowhere else.
        language: of the prompts, "en" or "zh"; else as each question is written.
        prompts: a folder with prompts of one's own.
        cache: a file that keeps the replies, so that nothing is asked twice.
        concurrency: requests at a time, 1 to 64; 4 without it.
        progress: is told how far it is.
    """

    model: str
    base_url: str
    language: str
    prompts: Path | str | None
    cache: Path | str | None
    concurrency: int
    progress: Callable[[Progress], None] | None


class Sorting(How, total=False):
    """How contexts are sorted: as `services.judge.SortOptions`."""

    k: int
    bottom: bool
    screen: bool
    swap: bool


class Generating(How, total=False):
    """How reference answers are made: as `services.judge.GenerateOptions`."""

    group_size: int
    seed: int
    slow: bool


class Evaluating(How, total=False):
    """How answers are scored: as `services.judge.EvaluateOptions`.

    Attributes:
        embedder: of answer relevancy: a name as at ingest; "auto" is the best that there is.
        backend: "builtin", or "ragas" where that is installed.
    """

    metrics: Sequence[str]
    top_k: int
    max_chars: int
    embedder: str
    backend: str


def sort(
    questions: Sequence[str], contexts: Sequence[Sequence[str]], **how: Unpack[Sorting]
) -> list[Sorted]:
    """A judge's own order of each question's contexts, and how far the given one is from it.

    Args:
        questions, contexts: belong together by position.
        how: see `Sorting`.

    Raises:
        InvalidInput: the lists do not fit, or an option can not be.
        Unavailable: the endpoint can not be reached.
    """
    rows = lists(questions, contexts)
    options = SortOptions(**_only(how, "k", "bottom", "screen", "swap"))
    return sort_rows(rows, _seated(how), options)


def generate(
    questions: Sequence[str], contexts: Sequence[Sequence[str]], **how: Unpack[Generating]
) -> list[Generated]:
    """A reference answer to each question, from all of its contexts.

    Args:
        questions, contexts: belong together by position.
        how: see `Generating`.

    Raises:
        InvalidInput, Unavailable: as `sort`.
    """
    rows = lists(questions, contexts)
    options = GenerateOptions(**_only(how, "group_size", "seed", "slow"))
    return generate_rows(rows, _seated(how), options)


def evaluate(  # noqa: PLR0917  four lists, in the order that the project RagSGE has them
    questions: Sequence[str],
    contexts: Sequence[Sequence[str]],
    answers: Sequence[str | None] | None = None,
    ground_truths: Sequence[str | None] | None = None,
    **how: Unpack[Evaluating],
) -> list[Evaluated]:
    """Faithfulness, answer relevancy, context precision and context recall of each question.

    An answer or ground truth that is missing is made first; the result says which were.

    Args:
        questions, contexts, answers, ground_truths: belong together by position.
        how: see `Evaluating`.

    Raises:
        InvalidInput, Unavailable: as `sort`; also an embedder or back end that can not be had.
    """
    rows = lists(questions, contexts, answers=answers, ground_truths=ground_truths)
    options = EvaluateOptions(
        **_only(how, "top_k", "max_chars"), **_metrics(how.get("metrics", ()))
    )
    made = scales(
        _asked(how),
        options.metrics,
        load(),
        embedder=how.get("embedder", ""),
        backend=how.get("backend", "builtin"),
    )
    return evaluate_rows(rows, _seated(how), options, scale=made.scale, embed=made.embed)


def _metrics(named: Sequence[str]) -> dict[str, Any]:
    return {"metrics": tuple(named)} if named else {}


def _only(how: Any, *names: str) -> dict[str, Any]:
    return {name: how[name] for name in names if name in how}


def _asked(how: Any) -> Asked:
    """Who is asked, by what was said, else by the settings."""
    folder = how.get("prompts")
    return asked_by(
        load(),
        model=how.get("model", ""),
        base_url=how.get("base_url", ""),
        language=how.get("language", ""),
        folders=(Path(folder),) if folder else (),
        concurrency=how.get("concurrency", 4),
    )


def _seated(how: Any) -> Sitting:
    cache = how.get("cache")
    replies: Replies | None = ReplyFile(Path(cache)) if cache else None
    return seated(_asked(how), replies, progress=how.get("progress"))


def asked_by(settings: Settings, *, model: str = "", base_url: str = "", **others: Any) -> Asked:
    """Who is asked: what was said goes before the settings.

    Args:
        others: further fields of `Asked`.
    """
    named = model or settings.judge_model
    return Asked(judge=f"llm:{named}", base_url=base_url or settings.judge_url, **others)


@dataclass(frozen=True, slots=True)
class Scales:
    """What scores.

    Attributes:
        scale: None for our own formulas.
        embedder: of answer relevancy; None where no vectors are wanted.
    """

    scale: Scale | None
    embedder: Embedder | None

    @property
    def embed(self) -> Callable[[Sequence[str]], Any] | None:
        """(n, dimensions) of n texts."""
        return self.embedder.embed if self.embedder else None

    @property
    def label(self) -> str:
        """Of the embedder, for the record of a run."""
        return f"{self.embedder.label} {self.embedder.version}" if self.embedder else ""


def scales(
    asked: Asked,
    metrics: Sequence[str],
    settings: Settings,
    *,
    embedder: str = "",
    backend: str = "builtin",
    used: VectorSet | None = None,
) -> Scales:
    """What scores some metrics; an embedder is loaded only where one is needed.

    Args:
        embedder: its name; empty: the workspace's own, else the settings', else the best.
        backend: of `BACKENDS`.
        used: what the workspace's vectors were made with.

    Raises:
        InvalidInput: there is no such back end or embedder.
        Unavailable: it is not installed, or can not be had.
    """
    if backend not in BACKENDS:
        raise InvalidInput(f"there is no back end {backend!r}", f"there are: {', '.join(BACKENDS)}")
    made = _embedder(embedder, settings, used) if "answer_relevancy" in metrics else None
    if backend == "builtin":
        return Scales(None, made)
    from tui_annotate.plugins.ragas_scale import RagasScale

    scale = RagasScale(
        asked.judge.partition(":")[2],
        base_url=asked.base_url,
        embed=made.embed if made else None,
        concurrency=asked.concurrency,
    )
    return Scales(scale, made)


def _embedder(asked: str, settings: Settings, used: VectorSet | None) -> Embedder | None:
    from tui_annotate.plugins import registry

    if not asked and used is not None:
        return registry.load_embedder(
            used.embedder, base_url=used.base_url, dimensions=used.asked_dimensions
        )
    name = asked or settings.embedder
    if name == "none":
        return None
    best = registry.best_embedder() if name == "auto" else name
    return registry.load_embedder(best, base_url=settings.base_url, dimensions=settings.dimensions)
