"""Similarity scores, and the formulas behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.dreamcatcher import golden, question, rows
from tests.helpers.printed_numbers import printed_numbers
from tui_annotate.domain.errors import Unavailable
from tui_annotate.lab.score.ranking import TO_ANSWER, TO_OTHERS
from tui_annotate.lab.score.scorers.similarity import (
    answer_similarities,
    best_similarities,
    mean_similarities,
)
from tui_annotate.methods.term_vectors import character_vectors
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


class Multilingual(Letters):
    """An embedder with a vector for each text, also for Chinese ones."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed`."""
        made = super().embed(texts)
        made[~made.any(axis=1), 0] = 1
        return made


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
    for with_question, expected in ((True, joined), (False, "pool")):
        letters = Multilingual()
        asked = GeneratedAnswers(
            question="Where?", answer="pool", texts=("reef",), language=language
        )
        list(_made(letters, with_question=with_question).of_answers([asked]))
        assert letters.asked[-1][0] == expected


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


CHINESE = GeneratedAnswers(
    question="桥在哪里？",
    answer="上海大桥",
    texts=("上海大桥", "大桥", "北京"),
    language="zh",
)


def test_chinese_is_compared_by_characters_if_the_embedder_does_not_know_it() -> None:
    """Equal texts give 1, texts without a common character 0; the report names the method."""
    scorer = _made(Letters())
    (found,) = scorer.of_answers([CHINESE])
    values = _values(found)
    # 4 characters and 3 pairs, against 2 characters and 1 pair that are all among them
    assert values[TO_ANSWER] == pytest.approx((1, 3 / (7 * 3) ** 0.5, 0))
    assert values[TO_OTHERS] == pytest.approx((0.3273268, 0.3273268, 0), abs=1e-6)
    assert getattr(scorer, "embedder", "") == "characters"
    notes: tuple[str, ...] = getattr(scorer, "notes", ())
    assert [printed_numbers(note)[0] for note in notes] == [["3"]]
    assert scorer.parameters["by_characters"] == 3


@pytest.mark.parametrize("by_characters", [True, False])
def test_characters_of_the_question_do_not_make_answers_similar(by_characters: bool) -> None:
    """By characters, an unrelated answer gives 0 however long the question is; a note says so."""
    asked = GeneratedAnswers(
        question="请问长江上的第一座大桥是在哪一年由谁建成通车的？",
        answer="武汉",
        texts=("武汉", "北京", "？！"),
        language="zh",
    )
    options = ScorerOptions(embedder=Letters, by_characters=by_characters, with_question=True)
    scorer = registry.load_scorer("similarity", options)
    to_answer, to_others = next(iter(scorer.of_answers([asked])))
    assert to_answer.values[:2] == pytest.approx((1, 0))
    assert to_others.values[:2] == pytest.approx((0, 0), abs=1e-6)
    assert (to_answer.values[2], to_others.values[2]) == (None, None)
    for opinion in (to_answer, to_others):
        assert [bool(reason) for reason in opinion.words] == [False, False, True]
    assert scorer.parameters == {"with_question": False, "by_characters": 3}
    assert "without their question" in getattr(scorer, "notes", ("",))[0]


def test_a_missing_similarity_has_a_reason() -> None:
    """Also if the right answer has no vector, and if there is no other answer."""
    asked = [
        GeneratedAnswers(question="?", answer="1", texts=("a", "2")),
        GeneratedAnswers(question="?", answer="a", texts=("a",)),
    ]
    (first, _), (_, second) = _made(Letters()).of_answers(asked)
    assert first.values == (None, None)
    assert all("right answer" in reason for reason in first.words)
    assert (second.values, len(second.words)) == ((None,), 1)


def test_two_languages_are_each_compared_in_one_way() -> None:
    """English keeps its vectors, and the report says that the scales differ."""
    scorer = _made(Letters())
    english, chinese = scorer.of_answers([ASKED, CHINESE])
    assert _values(english)[TO_ANSWER] == (1.0, 0.0)
    assert None not in _values(chinese)[TO_ANSWER]
    assert getattr(scorer, "embedder", "") == "first letters 1; Chinese: characters"
    assert len(getattr(scorer, "notes", ())) == 2


def test_an_embedder_that_knows_chinese_compares_chinese() -> None:
    """Vectors come first; characters are only for texts that would get no value."""
    scorer = _made(Multilingual())
    list(scorer.of_answers([CHINESE]))
    assert getattr(scorer, "embedder", "") == "first letters 1"
    assert getattr(scorer, "notes", ()) == ()


def test_chinese_sentences_are_compared_by_characters_too() -> None:
    """A sentence of the source that shares nothing gives 0; without a source sentence it is -1."""
    scorer = _made(Letters())
    assert isinstance(scorer, SentenceScorer)
    samples = [
        SampleSentences(
            source=("北京", "上海大桥很长。" * 3), summary=("上海大桥很长。",), language="zh"
        ),
        SampleSentences(source=("北京",), summary=("上海", "？"), language="zh"),
        SampleSentences(source=(), summary=("上海",), language="zh"),
    ]
    first, second, third = ([*each.values] for (each,) in scorer.of_sentences(samples))
    assert first[0] is not None
    assert 0.9 < first[0] < 1
    assert second == [0, None]
    assert third == [-1]


def test_columns_of_a_long_source_change_no_cosine() -> None:
    """With the columns of the first texts alone, their cosines with all texts are the same."""
    texts = ["上海大桥", "北京", "大桥在上海，不在北京。", "长江很长", "?!"]
    whole, short = character_vectors(texts), character_vectors(texts, exact=2)
    assert short.shape[1] < whole.shape[1]
    assert (short[:2] @ short.T) == pytest.approx(whole[:2] @ whole.T, abs=1e-6)
    assert np.linalg.norm(short, axis=1) == pytest.approx([1, 1, 1, 1, 0])


def test_without_an_embedder_all_texts_are_compared_by_characters() -> None:
    """`--embedder none` needs no vectors, in any language."""
    scorer = registry.load_scorer("similarity", ScorerOptions(by_characters=True))
    english, chinese = scorer.of_answers([ASKED, CHINESE])
    assert None not in (*_values(english)[TO_ANSWER], *_values(chinese)[TO_ANSWER])
    assert getattr(scorer, "embedder", "") == "characters"


def test_all_answers_of_the_published_chinese_file_have_values() -> None:
    """With the built-in vectors, which know no Chinese: 1,000 of 1,000 answers."""
    embedder = registry.load_embedder("static")
    scorer = registry.load_scorer("similarity", ScorerOptions(embedder=lambda: embedder))
    asked = [question(row, "zh") for row in rows("test_generated")]
    values = [each for found in scorer.of_answers(asked) for each in _values(found)[TO_ANSWER]]
    assert len(values) == 1000
    assert None not in values
