"""Similarity scores, and the formulas behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.dreamcatcher import golden
from tui_annotate.domain.errors import Unavailable
from tui_annotate.lab.score.ranking import TO_ANSWER, TO_OTHERS
from tui_annotate.lab.score.scorers.similarity import (
    answer_similarities,
    best_similarities,
    mean_similarities,
)
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import EmbeddingCost
from tui_annotate.plugins.scoring import (
    CostlyScorer,
    GeneratedAnswers,
    Opinion,
    SampleSentences,
    Scorer,
    ScorerOptions,
    SentenceScorer,
)


def _rows(*angles: float) -> np.ndarray:
    return np.array([[np.cos(a), np.sin(a)] for a in angles], np.float32)


def test_the_published_scores_come_out_of_their_cosines() -> None:
    """Of three generations, the first of which is the answer: the mean over all others."""
    report = golden("similarity_minilm")["output"]["question_and_answer"][:3]
    first, second, third = (each["sim2gen_score"] for each in report)
    one, two = (report[place]["sim2answer_score"] for place in (1, 2))
    cosines = np.array([[1, one, two], [one, 1, 2 * second - one], [two, 2 * third - two, 1]])
    rows = np.linalg.cholesky((cosines + cosines.T) / 2).astype(np.float32)
    assert answer_similarities(rows[0], rows) == pytest.approx([1, one, two], abs=1e-5)
    assert mean_similarities(rows) == pytest.approx([first, second, third], abs=1e-5)


def test_one_answer_alone_agrees_with_nobody() -> None:
    """There is nothing to say of it, and no division by zero."""
    assert mean_similarities(_rows(0.3)) == [None]
    assert answer_similarities(_rows(0.3)[0], _rows(0.3)) == pytest.approx([1])


def test_unknown_texts_get_nothing_and_change_nothing() -> None:
    """A row of zeros is no text that is unlike all others."""
    rows = np.concatenate([_rows(0, 0.5), np.zeros((1, 2), np.float32)])
    assert mean_similarities(rows)[:2] == mean_similarities(rows[:2])
    assert mean_similarities(rows)[2] is None
    assert answer_similarities(rows[0], rows)[2] is None
    assert answer_similarities(rows[2], rows) == [None, None, None]


def test_the_nearest_sentence_of_the_source_speaks_for_a_claim() -> None:
    """Unknown sentences support nothing; of an unknown claim nothing is said."""
    zero = np.zeros((1, 2), np.float32)
    claims, source = np.concatenate([_rows(0, np.pi), zero]), _rows(0.2, 1.0)
    found = best_similarities(claims, source)
    assert found[:2] == pytest.approx([np.cos(0.2), np.cos(np.pi - 1)], abs=1e-6)
    assert found[2] is None
    assert best_similarities(claims, zero) == [-1, -1, None]


ASKED = GeneratedAnswers(
    question="Where?", answer="pool", texts=("pool", "reef"), extras=("who knows",)
)


class Letters:
    """An embedder by the first letters of a text; it remembers what it was asked."""

    name = "letters"
    label = "first letters"
    version = "1"
    dimensions = 26
    instant = True

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed`."""
        self.asked.append(list(texts))
        made = np.zeros((len(texts), 26), np.float32)
        for row, text in zip(made, texts, strict=True):
            if text[:1].isascii() and text[:1].isalpha():
                row[ord(text[0].lower()) - ord("a")] = 1
        return made

    def cost(self, texts: Iterable[str]) -> EmbeddingCost:
        """See `Costly.cost`."""
        return EmbeddingCost(1, sum(map(len, texts)))


def _made(letters: Letters, *, with_question: bool = False) -> Scorer:
    options = ScorerOptions(embedder=lambda: letters, with_question=with_question)
    return registry.load_scorer("similarity", options)


def _values(opinions: tuple[Opinion, ...]) -> dict[str, tuple[float | None, ...]]:
    return {each.name: each.values for each in opinions}


def test_answers_are_held_against_the_right_one_and_one_another() -> None:
    """Uncertain ones play no part, wherever they stand among the rest."""
    (found,) = _made(Letters()).of_answers([ASKED])
    assert _values(found) == {TO_ANSWER: (1.0, 0.0), TO_OTHERS: (0.0, 0.0)}


def test_one_answer_has_no_others() -> None:
    """Nothing is said of its agreement, and the rest is fine."""
    (found,) = _made(Letters()).of_answers(
        [GeneratedAnswers(question="?", answer="a", texts=("a",))]
    )
    assert _values(found) == {TO_ANSWER: (1.0,), TO_OTHERS: (None,)}


@pytest.mark.parametrize(
    ("language", "joined"),
    [("en", "Question: Where?\nAnswer: pool"), ("zh", "问题：Where?\n回答：pool")],
)
def test_a_question_stands_before_its_answers_where_that_is_asked_for(
    language: str, joined: str
) -> None:
    """In the language of the texts; without it, an answer stands alone."""
    letters = Letters()
    asked = GeneratedAnswers(question="Where?", answer="pool", texts=("reef",), language=language)
    list(_made(letters, with_question=True).of_answers([asked]))
    list(_made(letters, with_question=False).of_answers([asked]))
    assert letters.asked[0][0] == joined
    assert letters.asked[1] == ["pool", "reef"]


def test_the_same_text_is_embedded_once_in_a_batch() -> None:
    """Answers that are alike cost nothing more, and stand where they stood."""
    letters = Letters()
    twice = [ASKED, GeneratedAnswers(question="?", answer="reef", texts=("pool", "pool", "sea"))]
    first, second = _made(letters).of_answers(twice)
    assert letters.asked == [["pool", "reef", "sea"]]
    assert _values(second)[TO_ANSWER] == (0.0, 0.0, 0.0)
    assert _values(second)[TO_OTHERS] == (0.5, 0.5, 0.0)
    assert _values(first)[TO_ANSWER] == (1.0, 0.0)


def test_each_sentence_is_held_against_the_nearest_of_the_source() -> None:
    """Of what the embedder does not know, nothing is said."""
    scorer = _made(Letters())
    assert isinstance(scorer, SentenceScorer)
    asked = [
        SampleSentences(source=("apple", "bee"), summary=("bear", "cat", "1")),
        SampleSentences(source=("cow",), summary=("cat",)),
    ]
    assert [each.values for (each,) in scorer.of_sentences(asked)] == [(1, 0, None), (1,)]


def test_what_an_endpoint_would_be_sent_is_told() -> None:
    """As the embedder prices it; one that is here costs nothing."""
    scorer = _made(Letters())
    assert isinstance(scorer, CostlyScorer)
    assert scorer.cost([ASKED]) == EmbeddingCost(1, len("poolpoolreef"))
    free = Letters()
    free.cost = None  # type: ignore[assignment,method-assign]
    made = _made(free)
    assert isinstance(made, CostlyScorer)
    assert made.cost([ASKED]) == EmbeddingCost()


def test_the_run_names_the_embedder_and_how_it_was_asked() -> None:
    """Scores of two embedders are not the same scores."""
    scorer = _made(Letters())
    assert getattr(scorer, "embedder", "") == "first letters 1"
    assert scorer.parameters == {"with_question": False}


def test_without_an_embedder_it_refuses() -> None:
    """The hint says how one is named."""
    with pytest.raises(Unavailable) as caught:
        registry.load_scorer("similarity", ScorerOptions())
    assert "--embedder" in caught.value.hint
