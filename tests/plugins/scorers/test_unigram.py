"""Unigram scores: what was published for Chinese and English, digit by digit."""

from __future__ import annotations

import sys

import pytest

from tests.dreamcatcher import golden, question, rows
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.methods.ranking import OVERLAP, SURPRISE, normalised
from tui_annotate.plugins import registry
from tui_annotate.plugins.scorers.words import Chinese, Cutters
from tui_annotate.plugins.scoring import Answers, Scorer, ScorerOptions, Sentences, SentenceScorer


@pytest.fixture(scope="module")
def scorer() -> SentenceScorer:
    """One for all, as jieba's dictionary takes a second."""
    made = registry.load_scorer("unigram", ScorerOptions())
    assert isinstance(made, SentenceScorer)
    return made


def _of(scorer: Scorer, asked: Answers) -> dict[str, tuple[float | None, ...]]:
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
            told = [each[opinion.name] for each in normal]
            assert opinion.values == pytest.approx(told, abs=1e-12)


def test_all_scores_of_the_published_file_come_out(scorer: SentenceScorer) -> None:
    """A thousand answers, brought between their least and largest."""
    found = rows("test_autolabeled")
    told = list(scorer.of_answers(question(row, "zh") for row in found))
    ranges = {OVERLAP: (0, 0.99999950000025), SURPRISE: (2.012799722929802, 4.910175281071556)}
    for place, (name, (low, high)) in enumerate(ranges.items()):
        raw = [value for opinions in told for value in opinions[place].values]
        stored = [
            each[name] for row in found for each in row["generation"] if each["type"] == "normal"
        ]
        assert [min(raw), max(raw)] == pytest.approx([low, high])  # type: ignore[type-var]
        assert normalised(raw) == pytest.approx(stored, abs=1e-9)
        assert len(stored) == 1000


def test_uncertain_answers_are_counted_and_get_no_value(scorer: SentenceScorer) -> None:
    """What they say makes the words of the others commoner."""
    plain = Answers(question="?", answer="tide pools", texts=("In tide pools.", "In the sea."))
    more = Answers(
        question="?", answer="tide pools", texts=plain.texts, extras=("Perhaps tide pools.",)
    )
    alone, counted = _of(scorer, plain), _of(scorer, more)
    assert {len(values) for values in counted.values()} == {2}
    assert counted[OVERLAP] == alone[OVERLAP]
    assert counted[SURPRISE][0] < alone[SURPRISE][0]  # type: ignore[operator]


def test_each_sentence_is_held_against_the_best_of_the_source(scorer: SentenceScorer) -> None:
    """Function words and punctuation support nothing; a sentence of them asks for no support."""
    english = Sentences(
        source=("The bridge cost 12 million.", "It was opened by the mayor."),
        summary=("The mayor opened it.", "The bridge was loved.", "It was."),
    )
    chinese = Sentences(source=("茶厂去年加工鲜叶。",), summary=("茶厂去年倒闭。",), language="zh")
    (first,), (second,) = scorer.of_sentences([english, chinese])
    assert first.name == "source_overlap"
    assert first.values == pytest.approx((1, 0.5, 1), abs=1e-5)
    assert second.values == pytest.approx((2 / 3,), abs=1e-5)


def test_a_run_says_what_cut_the_words(scorer: SentenceScorer) -> None:
    """Only the libraries that were needed are loaded."""
    new = registry.load_scorer("unigram", ScorerOptions(top_k=3))
    assert new.parameters == {"top_k": 3}
    list(new.of_answers([Answers(question="?", answer="a", texts=("b",))]))
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
        Cutters().of(language)
    assert "tui-annotate[score]" in caught.value.hint


def test_no_dictionary_is_taken_from_a_folder_that_others_write(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What jieba keeps in the folder of temporary files is code to whoever reads it."""
    import jieba

    def never(*_: object) -> None:
        raise AssertionError("it was asked for its cache")

    monkeypatch.setattr(jieba.Tokenizer, "initialize", never)
    assert Chinese().looked_for("海葵住在潮池里") == ["海葵", "住", "在", "潮", "池里"]
