"""Judges at work on a dataset: its samples as rows, what is said as runs that screens can show."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.helpers.stores import SEGMENTER, new
from tests.lab.chat.scripted_judge import Script, contexts
from tests.plugins.chat_server import FakeChat, chatting
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import OPERATOR
from tui_annotate.domain.samples import Document, Request, Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.scores import RunKind, Score
from tui_annotate.lab.chat.judge_config import JudgeConfig
from tui_annotate.lab.judge.api import make_runner
from tui_annotate.lab.judge.context_order import sort_row
from tui_annotate.lab.judge.dataset_runs import DatasetJudge
from tui_annotate.lab.judge.evaluation import BuiltInScale, evaluate_row
from tui_annotate.lab.judge.metrics import MissingReason
from tui_annotate.lab.judge.options import EvaluateOptions, GenerateOptions, SortOptions
from tui_annotate.lab.judge.reference_answers import generate_row
from tui_annotate.lab.judge.runner import JudgeRunner
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.reply_file import ReplyStore
from tui_annotate.storage.scores.store import ScoreStore


@pytest.fixture
def scores(database: Database) -> ScoreStore:
    """The scores of an empty store."""
    return ScoreStore(database)


@pytest.fixture
def judging(database: Database, scores: ScoreStore) -> DatasetJudge:
    """Judges on a dataset of two questions."""
    corpus = CorpusStore(database)
    samples = [
        sample("a", *contexts(1, 0, 2), answer="An answer."),
        sample("b", *contexts(0), meta={"ground_truth": "It is so."}),
    ]
    corpus.add([new(each) for each in samples], segmenter=SEGMENTER)
    machines: Any = SimpleNamespace(
        corpus=corpus, scores=scores, replies=ReplyStore(database), actor=OPERATOR
    )
    return DatasetJudge(machines)


def sample(name: str, *sources: str, answer: str = "", **more: Any) -> Sample:
    """A question with its contexts."""
    documents = [
        Document(Side.SOURCE, text, key=str(place)) for place, text in enumerate(sources, 1)
    ]
    documents += [Document(Side.SUMMARY, answer)] if answer else []
    kind = SampleKind.PAIR if answer else SampleKind.QUESTION
    request = Request(question=f"Question {name}?")
    return Sample("d", name, tuple(documents), kind=kind, request=request, **more)


@pytest.fixture
def chat() -> Iterator[FakeChat]:
    """An endpoint that knows how relevant each text is."""
    with chatting(Script()) as there:
        yield there


def seat(chat: FakeChat, judging: DatasetJudge) -> JudgeRunner:
    """A judge whose replies the store keeps."""
    return make_runner(JudgeConfig(judge="llm:m", base_url=chat.url), judging.machines.replies)


def kept(scores: ScoreStore) -> dict[tuple[str, str], Score]:
    """What stands, by sample and name."""
    return {(key.id, each.name): each for key, own in scores.scores("d") for each in own}


def test_rows_of_a_dataset(judging: DatasetJudge) -> None:
    """Sources are contexts, the summary is the answer, the ground truth is in the meta."""
    first, second = judging.rows("d")
    assert (first.question, len(first.contexts), first.answer, first.ground_truth) == (
        "Question a?", 3, "An answer.", "",
    )  # fmt: skip
    assert (second.answer, second.ground_truth) == ("", "It is so.")
    assert second.key == SampleKey("d", "b")


def test_a_dataset_that_is_none(judging: DatasetJudge, database: Database) -> None:
    """One that is not there, and one whose samples ask nothing."""
    with pytest.raises(NotFound, match="'x'"):
        judging.rows("x")
    pair = Sample("p", "1", (Document(Side.SOURCE, "a"), Document(Side.SUMMARY, "b")))
    CorpusStore(database).add([new(pair)], segmenter=SEGMENTER)
    with pytest.raises(InvalidInput, match="p/1"):
        judging.rows("p")


def test_orders_are_kept(chat: FakeChat, judging: DatasetJudge, scores: ScoreStore) -> None:
    """Places from 1 by document, what helps, and both figures; a missing one says why."""
    runner = seat(chat, judging)
    found = runner.run(sort_row, judging.rows("d"), SortOptions(k=1))
    run = judging.store_sorted(found, runner, SortOptions(k=1))
    assert (run.kind, run.maker, run.dataset) == (RunKind.JUDGE, "judge-sort:m", "d")
    assert run.parameters["k"] == 1
    assert run.parameters["host"] == chat.url[7:-3]
    assert set(run.parameters["prompts"]) == {"screen.en", "pair.en", "again.en"}
    report = kept(scores)
    assert report["a", "judge_order"].parts == (2.0, None, 1.0)
    assert report["a", "judge_useful"].parts == (1.0, 0.0, 1.0)
    assert report["a", "judge_order"].of == "documents"
    assert (report["a", "judge_spearman"].raw, report["a", "judge_overlap"].raw) == (-1.0, 0.0)
    assert report["b", "judge_spearman"].raw is None
    assert report["b", "judge_spearman"].text == MissingReason.NO_USEFUL_CONTEXT
    unscreened = runner.run(sort_row, judging.rows("d"), SortOptions(screen=False))
    judging.store_sorted(unscreened, runner, SortOptions(screen=False))
    assert ("a", "judge_useful") not in kept(scores)


def test_an_order_without_readable_replies_is_none(
    chat: FakeChat, judging: DatasetJudge, scores: ScoreStore
) -> None:
    """No context gets a rank or a usefulness from unreadable replies; the reason is stored."""
    chat.answer = lambda _: "perhaps"
    for options in (SortOptions(), SortOptions(screen=False)):
        runner = seat(chat, judging)
        judging.store_sorted(runner.run(sort_row, judging.rows("d"), options), runner, options)
        report = kept(scores)
        assert report["a", "judge_order"].parts == (None, None, None)
        assert report["a", "judge_spearman"].text == MissingReason.UNCLEAR_JUDGE
        if options.screen:
            assert report["a", "judge_useful"].parts == (None, None, None)


def test_replies_are_kept_in_the_store(chat: FakeChat, judging: DatasetJudge) -> None:
    """The same again asks nobody."""
    for _ in range(2):
        seat(chat, judging).run(sort_row, judging.rows("d"), SortOptions())
    assert len(chat.asked) == 5


def test_ground_truths_are_kept_and_used(
    chat: FakeChat, judging: DatasetJudge, scores: ScoreStore
) -> None:
    """A sample has the one that was written last, unless it came with its own."""
    runner, options = seat(chat, judging), GenerateOptions()
    found = runner.run(generate_row, judging.rows("d"), options)
    judging.store_generated(found, runner, options)
    assert kept(scores)["a", "ground_truth"].text == "found"
    assert [row.ground_truth for row in judging.rows("d")] == ["found", "It is so."]
    chat.answer = lambda _: "unknown"
    other = GenerateOptions(seed=1)
    fresh = make_runner(JudgeConfig(judge="llm:n", base_url=chat.url))
    judging.store_generated(fresh.run(generate_row, judging.rows("d"), other), fresh, other)
    missing = [
        each
        for _, own in scores.scores("d", names=("ground_truth",))
        for each in own
        if each.raw == 0.0
    ]
    assert [each.text for each in missing] == ["", ""]


def test_scores_are_kept(chat: FakeChat, judging: DatasetJudge, scores: ScoreStore) -> None:
    """As computed, and within the run; verdicts by document; a missing one says why."""
    runner, options = seat(chat, judging), EvaluateOptions()
    found = runner.run(
        partial(
            evaluate_row, scale=BuiltInScale(runner, lambda texts: np.ones((len(texts), 2))).score
        ),
        judging.rows("d"),
        options,
    )
    run = judging.store_evaluated(found, runner, options, backend="builtin", embedder="static 1")
    assert (run.maker, run.embedder) == ("judge-evaluate:m", "static 1")
    report = kept(scores)
    assert report["a", "context_precision"].parts == (1.0, 0.0, 1.0)
    assert report["a", "context_precision"].raw == pytest.approx(5 / 6)
    assert (report["a", "context_precision"].value, report["b", "context_precision"].value) == (
        1,
        0,
    )
    assert report["a", "faithfulness"].value == 0.5
    others = [
        judging.store_evaluated(found, runner, options, backend="builtin", embedder=embedder)
        for embedder in ("other 1", "static 1", "other 1")
    ]
    makers = [each.maker for each in others]
    assert makers[1] == run.maker  # vectors of another embedder give other values
    assert makers[0] == makers[2] != run.maker
    assert makers[0].startswith(f"{run.maker}@")
    by_ragas = judging.store_evaluated(found, runner, options, backend="ragas", embedder="")
    assert by_ragas.maker == "ragas:m"


def test_a_score_that_is_missing_says_why(
    chat: FakeChat, judging: DatasetJudge, scores: ScoreStore
) -> None:
    """In its text, without a number."""
    runner, options = seat(chat, judging), EvaluateOptions(metrics=("answer_relevancy",))
    scale = BuiltInScale(runner, None, similarity="vectors").score
    found = runner.run(partial(evaluate_row, scale=scale), judging.rows("d"), options)
    judging.store_evaluated(found, runner, options, backend="builtin", embedder="")
    score = kept(scores)["a", "answer_relevancy"]
    assert (score.raw, score.value, score.text) == (None, None, MissingReason.NO_VECTORS)
