"""Unigram scores, and the formulas behind them."""

from __future__ import annotations

import sys
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.dreamcatcher import golden, question, rows
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.lab.score.ranking import OVERLAP, SURPRISE, normalise_values
from tui_annotate.lab.score.scorers.unigram import (
    EPSILON,
    AnswerWords,
    ChineseTokenizer,
    Tokenizers,
    best_overlaps,
    mean_surprises,
    overlap,
)
from tui_annotate.plugins import registry
from tui_annotate.plugins.scoring import (
    GeneratedAnswers,
    SampleSentences,
    Scorer,
    ScorerOptions,
    SentenceScorer,
)

WORDS = st.lists(st.sampled_from("abcdef"), max_size=8)


def test_the_share_of_the_answers_words_that_a_text_has() -> None:
    """Words count as often as they stand in the answer; a full share is just under 1."""
    assert overlap(["a", "b", "a"], {"a"}) == pytest.approx(2 / 3, abs=1e-6)
    assert overlap(["1901"], {"1901"}) == 1 / (1 + EPSILON)
    assert overlap([], {"a"}) == 0


def test_the_surprise_of_the_commonest_words() -> None:
    """Counted over the answer, the texts and the others; the least values of each are averaged."""
    both = [AnswerWords({"a", "b"}, ["a", "b"]), AnswerWords({"a"}, ["a", "a"])]
    found = mean_surprises(["a"], both, top=1, others=[AnswerWords({"c"}, ["c"])])
    rarity = -log(4 / (6 + EPSILON))
    assert found == [pytest.approx(rarity / (1 + EPSILON))] * 2


def test_a_text_without_words_is_no_surprise() -> None:
    """Its value is 0, as published, and it changes nothing for the others."""
    none, one = AnswerWords((), ()), AnswerWords({"a"}, ["a"])
    assert mean_surprises(["a"], [none, one], top=5)[0] == 0
    assert mean_surprises(["a"], [none, one], top=5)[1] == mean_surprises(["a"], [one], top=5)[0]


@given(st.lists(WORDS, min_size=1, max_size=4), st.integers(1, 9))
def test_what_says_the_same_is_least_surprising(texts: list[list[str]], top: int) -> None:
    """No value is below 0, and more words in the mean never make it less."""
    some = [AnswerWords(set(each), each) for each in texts]
    found = mean_surprises(texts[0], some, top=top)
    more = mean_surprises(texts[0], some, top=top + 1)
    assert all(value >= 0 for value in found)
    assert all(b >= a * (1 - 1e-5) for a, b in zip(found, more, strict=True))


def test_the_best_sentence_of_the_source_speaks_for_a_claim() -> None:
    """Not all of them together: words from two sentences support less than those of one."""
    claims = [["bridge", "cost"], ["bridge", "opened"], ["loved"], []]
    source = [["bridge", "cost", "twelve"], ["opened", "mayor"]]
    assert best_overlaps(claims, source) == pytest.approx([1, 0.5, 0, 1], abs=1e-5)
    assert best_overlaps(claims, []) == [0, 0, 0, 1]


@given(st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=4))
def test_the_best_is_that_of_every_sentence_by_itself(
    claims: list[list[str]], source: list[list[str]]
) -> None:
    """What the index of words finds is what one comparison after the other finds."""
    alone = [
        max((overlap(claim, set(words)) for words in source), default=0.0) if claim else 1.0
        for claim in claims
    ]
    assert best_overlaps(claims, source) == alone


@pytest.fixture(scope="module")
def scorer() -> SentenceScorer:
    """One for all, as jieba's dictionary takes a second."""
    made = registry.load_scorer("unigram", ScorerOptions())
    assert isinstance(made, SentenceScorer)
    return made


def _of(scorer: Scorer, asked: GeneratedAnswers) -> dict[str, tuple[float | None, ...]]:
    (opinions,) = scorer.of_answers([asked])
    return {each.name: each.values for each in opinions}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_published_scores_come_out(scorer: SentenceScorer, language: str) -> None:
    """Of the worked questions, an answer that is a number and one of stop words among them."""
    found = golden(f"unigram_{language}")
    asked = [question(row, language) for row in found["input"]]
    for opinions, row in zip(scorer.of_answers(asked), found["output"], strict=True):
        normal = [each for each in row["generation"] if each["type"] == "normal"]
        for opinion in opinions:
            report = [each[opinion.name] for each in normal]
            assert opinion.values == pytest.approx(report, abs=1e-12)


def test_all_scores_of_the_published_file_come_out(scorer: SentenceScorer) -> None:
    """A thousand answers, brought between their least and largest."""
    found = rows("test_autolabeled")
    report = list(scorer.of_answers(question(row, "zh") for row in found))
    ranges = {OVERLAP: (0, 0.99999950000025), SURPRISE: (2.012799722929802, 4.910175281071556)}
    for place, (name, (low, high)) in enumerate(ranges.items()):
        raw = [value for opinions in report for value in opinions[place].values]
        stored = [
            each[name] for row in found for each in row["generation"] if each["type"] == "normal"
        ]
        assert [min(raw), max(raw)] == pytest.approx([low, high])  # type: ignore[type-var]
        assert normalise_values(raw) == pytest.approx(stored, abs=1e-9)
        assert len(stored) == 1000


def test_uncertain_answers_are_counted_and_get_no_value(scorer: SentenceScorer) -> None:
    """What they say makes the words of the others commoner."""
    plain = GeneratedAnswers(
        question="?", answer="tide pools", texts=("In tide pools.", "In the sea.")
    )
    more = GeneratedAnswers(
        question="?", answer="tide pools", texts=plain.texts, extras=("Perhaps tide pools.",)
    )
    alone, counted = _of(scorer, plain), _of(scorer, more)
    assert {len(values) for values in counted.values()} == {2}
    assert counted[OVERLAP] == alone[OVERLAP]
    assert counted[SURPRISE][0] < alone[SURPRISE][0]  # type: ignore[operator]


def test_each_sentence_is_held_against_the_best_of_the_source(scorer: SentenceScorer) -> None:
    """Function words and punctuation support nothing; a sentence of them asks for no support."""
    english = SampleSentences(
        source=("The bridge cost 12 million.", "It was opened by the mayor."),
        summary=("The mayor opened it.", "The bridge was loved.", "It was."),
    )
    chinese = SampleSentences(
        source=("茶厂去年加工鲜叶。",), summary=("茶厂去年倒闭。",), language="zh"
    )
    (first,), (second,) = scorer.of_sentences([english, chinese])
    assert first.name == "source_overlap"
    assert first.values == pytest.approx((1, 0.5, 1), abs=1e-5)
    assert second.values == pytest.approx((2 / 3,), abs=1e-5)


def test_a_run_says_what_cut_the_words(scorer: SentenceScorer) -> None:
    """Only the libraries that were needed are loaded."""
    new = registry.load_scorer("unigram", ScorerOptions(top_k=3))
    assert new.parameters == {"top_k": 3}
    list(new.of_answers([GeneratedAnswers(question="?", answer="a", texts=("b",))]))
    assert set(new.parameters) == {"top_k", "spacy"}
    assert scorer.low == {SURPRISE}


def test_fewer_than_one_word_can_not_be_averaged() -> None:
    """It is refused before anything is read."""
    with pytest.raises(InvalidInput, match="top-k is 0"):
        registry.load_scorer("unigram", ScorerOptions(top_k=0))


@pytest.mark.parametrize(("language", "package"), [("zh", "jieba"), ("en", "spacy")])
def test_a_missing_library_is_told_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch, language: str, package: str
) -> None:
    """And only where a text of its language comes."""
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Unavailable, match=package) as caught:
        Tokenizers().of(language)
    assert "tui-annotate[score]" in caught.value.hint


def test_no_dictionary_is_taken_from_a_folder_that_others_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What jieba keeps in the folder of temporary files is code to whoever reads it."""
    import jieba

    def never(*_: object) -> None:
        raise AssertionError("it was asked for its cache")

    monkeypatch.setattr(jieba.Tokenizer, "initialize", never)
    assert ChineseTokenizer().answer_words("海葵住在潮池里") == ["海葵", "住", "在", "潮", "池里"]
