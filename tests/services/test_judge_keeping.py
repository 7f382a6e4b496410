"""Judges at work on a dataset: its samples as rows, what is said as runs that screens can show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.plugins.chat_server import FakeChat, chatting
from tests.services.scripted_judge import Script, contexts
from tests.stores import SEGMENTER, new
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.samples import Document, Kind, Request, Sample, SampleKey, Side
from tui_annotate.domain.scores import RunKind, Score
from tui_annotate.services.judge import (
    Asked,
    EvaluateOptions,
    GenerateOptions,
    Judging,
    Sitting,
    SortOptions,
    evaluate_rows,
    generate_rows,
    seated,
    sort_rows,
)
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.replies import ReplyStore
from tui_annotate.storage.scores.store import ScoreStore


@pytest.fixture
def scores(database: Database) -> ScoreStore:
    """The scores of an empty store."""
    return ScoreStore(database)


@pytest.fixture
def judging(database: Database, scores: ScoreStore) -> Judging:
    """Judges on a dataset of two questions."""
    corpus = CorpusStore(database)
    samples = [
        sample("a", *contexts(1, 0, 2), answer="An answer."),
        sample("b", *contexts(0), meta={"ground_truth": "It is so."}),
    ]
    corpus.add([new(each) for each in samples], segmenter=SEGMENTER)
    return Judging(corpus, scores, ReplyStore(database))


def sample(name: str, *sources: str, answer: str = "", **more: Any) -> Sample:
    """A question with its contexts."""
    documents = [
        Document(Side.SOURCE, text, key=str(place)) for place, text in enumerate(sources, 1)
    ]
    documents += [Document(Side.SUMMARY, answer)] if answer else []
    kind = Kind.PAIR if answer else Kind.QUESTION
    request = Request(question=f"Question {name}?")
    return Sample("d", name, tuple(documents), kind=kind, request=request, **more)


@pytest.fixture
def chat() -> Iterator[FakeChat]:
    """An endpoint that knows how relevant each text is."""
    with chatting(Script()) as there:
        yield there


def seat(chat: FakeChat, judging: Judging) -> Sitting:
    """A judge whose replies the store keeps."""
    return seated(Asked(judge="llm:m", base_url=chat.url), judging.replies)


def kept(scores: ScoreStore) -> dict[tuple[str, str], Score]:
    """What stands, by sample and name."""
    return {(key.id, each.name): each for key, own in scores.scores("d") for each in own}


def test_rows_of_a_dataset(judging: Judging) -> None:
    """Sources are contexts, the summary is the answer, the ground truth is in the meta."""
    first, second = judging.rows("d")
    assert (first.question, len(first.contexts), first.answer, first.ground_truth) == (
        "Question a?", 3, "An answer.", "",
    )  # fmt: skip
    assert (second.answer, second.ground_truth) == ("", "It is so.")
    assert second.key == SampleKey("d", "b")


def test_a_dataset_that_is_none(judging: Judging, database: Database) -> None:
    """One that is not there, and one whose samples ask nothing."""
    with pytest.raises(NotFound, match="no dataset 'x'"):
        judging.rows("x")
    pair = Sample("p", "1", (Document(Side.SOURCE, "a"), Document(Side.SUMMARY, "b")))
    CorpusStore(database).add([new(pair)], segmenter=SEGMENTER)
    with pytest.raises(InvalidInput, match="p/1 has no question"):
        judging.rows("p")


def test_orders_are_kept(chat: FakeChat, judging: Judging, scores: ScoreStore) -> None:
    """Places from 1 by document, what helps, and both figures; a missing one says why."""
    sitting = seat(chat, judging)
    found = sort_rows(judging.rows("d"), sitting, SortOptions(k=1))
    run = judging.keep_sorted(found, sitting, SortOptions(k=1))
    assert (run.kind, run.maker, run.dataset) == (RunKind.JUDGE, "judge-sort:m", "d")
    assert run.parameters["k"] == 1
    assert run.parameters["host"] == chat.url[7:-3]
    assert set(run.parameters["prompts"]) == {"screen.en", "pair.en", "again.en"}
    told = kept(scores)
    assert told["a", "judge_order"].parts == (2.0, None, 1.0)
    assert told["a", "judge_useful"].parts == (1.0, 0.0, 1.0)
    assert told["a", "judge_order"].of == "documents"
    assert (told["a", "judge_spearman"].raw, told["a", "judge_overlap"].raw) == (-1.0, 0.0)
    assert told["b", "judge_spearman"].raw is None
    assert "no context helps" in told["b", "judge_spearman"].text
    unscreened = sort_rows(judging.rows("d"), sitting, SortOptions(screen=False))
    judging.keep_sorted(unscreened, sitting, SortOptions(screen=False))
    assert ("a", "judge_useful") not in kept(scores)


def test_replies_are_kept_in_the_store(chat: FakeChat, judging: Judging) -> None:
    """The same again asks nobody."""
    for _ in range(2):
        sort_rows(judging.rows("d"), seat(chat, judging), SortOptions())
    assert len(chat.asked) == 5


def test_ground_truths_are_kept_and_used(
    chat: FakeChat, judging: Judging, scores: ScoreStore
) -> None:
    """A sample has the one that was written last, unless it came with its own."""
    sitting, options = seat(chat, judging), GenerateOptions()
    found = generate_rows(judging.rows("d"), sitting, options)
    judging.keep_generated(found, sitting, options)
    assert kept(scores)["a", "ground_truth"].text == "found"
    assert [row.ground_truth for row in judging.rows("d")] == ["found", "It is so."]
    chat.answer = lambda _: "unknown"
    other = GenerateOptions(seed=1)
    fresh = seated(Asked(judge="llm:n", base_url=chat.url))
    judging.keep_generated(generate_rows(judging.rows("d"), fresh, other), fresh, other)
    missing = [
        each
        for _, own in scores.scores("d", names=("ground_truth",))
        for each in own
        if each.raw == 0.0
    ]
    assert [each.text for each in missing] == ["", ""]


def test_scores_are_kept(chat: FakeChat, judging: Judging, scores: ScoreStore) -> None:
    """As computed, and within the run; verdicts by document; a missing one says why."""
    sitting, options = seat(chat, judging), EvaluateOptions()
    found = evaluate_rows(
        judging.rows("d"), sitting, options, embed=lambda texts: np.ones((len(texts), 2))
    )
    run = judging.keep_evaluated(found, sitting, options, backend="builtin", embedder="static 1")
    assert (run.maker, run.embedder) == ("judge-evaluate:m", "static 1")
    told = kept(scores)
    assert told["a", "context_precision"].parts == (1.0, 0.0, 1.0)
    assert told["a", "context_precision"].raw == pytest.approx(5 / 6)
    assert (told["a", "context_precision"].value, told["b", "context_precision"].value) == (1, 0)
    assert told["a", "faithfulness"].value == 0.5
    by_ragas = judging.keep_evaluated(found, sitting, options, backend="ragas", embedder="")
    assert by_ragas.maker == "ragas:m"


def test_a_score_that_is_missing_says_why(
    chat: FakeChat, judging: Judging, scores: ScoreStore
) -> None:
    """In its text, without a number."""
    sitting, options = seat(chat, judging), EvaluateOptions(metrics=("answer_relevancy",))
    found = evaluate_rows(judging.rows("d"), sitting, options)
    judging.keep_evaluated(found, sitting, options, backend="builtin", embedder="")
    score = kept(scores)["a", "answer_relevancy"]
    assert (score.raw, score.value, score.text) == (None, None, "there are no vectors: no embedder")
