"""Recipes: the keys of the original and ours, and each wrong one told by its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugins.record_reader import file
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.lab.score.recipes import Recipe, ScorerStep, read_recipe

SCORERS = ("unigram", "similarity")
ORIGINAL = """\
data:
  input_data_path: in.jsonl
  output_data_path: out.jsonl
  output_rank_data_path: ranked.jsonl
scorer:
  similarity_scorer:
    embedding_model_path: bge
    embedding_tokenizer_path: bge
    use_answer_only: false
  unigram_scorer_en:
    unigram_top_k: 3
  unigram_scorer:
  probe_scorer: {probe_model_path: probe.json, model_path: ziya, hidden_size: 5120}
ranker:
  ranker_name: SimpleRanker
  up_percentile: 55
  down_percentile: 45.5
"""


def _read(folder: Path, text: str) -> Recipe:
    return read_recipe(file(folder, "a.yml", text), scorers=SCORERS)


def test_the_keys_of_the_original_are_read_in_the_order_of_the_file(tmp_path: Path) -> None:
    """A switch that says false means false; what only loads a model is told as not used."""
    recipe = _read(tmp_path, ORIGINAL)
    assert (recipe.source, recipe.labelled) == (Path("in.jsonl"), Path("out.jsonl"))
    assert (recipe.ranked, recipe.dataset) == (Path("ranked.jsonl"), "")
    assert recipe.steps == (
        ScorerStep(scorer="similarity", options={"embedder": "neural:bge", "with_question": True}),
        ScorerStep(scorer="unigram", options={"language": "en", "top_k": 3}),
        ScorerStep(scorer="unigram", options={"language": "zh"}),
        ScorerStep(scorer="probe:probe.json", options={"folder": "ziya"}),
    )
    assert recipe.ranker == {
        "ranker": "SimpleRanker",
        "upper_percentile": 55,
        "lower_percentile": 45.5,
    }
    assert [each.partition(":")[0] for each in recipe.unused] == [
        "similarity_scorer.embedding_tokenizer_path",
        "probe_scorer.hidden_size",
    ]


def test_our_own_keys_are_read(tmp_path: Path) -> None:
    """Data that is stored is named by its dataset."""
    text = "data: {dataset: d}\nscorer:\n  unigram: {top_k: 2, lang: zh}\n  similarity: null\n"
    recipe = _read(tmp_path, text + "ranker: {name: length, short_diff: 9}\n")
    assert recipe.steps[0] == ScorerStep(scorer="unigram", options={"top_k": 2, "language": "zh"})
    assert recipe.steps[1] == ScorerStep(scorer="similarity")
    assert recipe == Recipe(
        dataset="d", steps=recipe.steps, ranker={"ranker": "length", "short_diff": 9}
    )
    used = _read(tmp_path, "data: {dataset: d}\nranker: {use: [a, b]}\n")
    assert used.ranker == {"scores": ["a", "b"]}


@pytest.mark.parametrize("nothing", ["", "scorer:\nranker:\n", "scorer: null\nranker: ~\n"])
def test_nothing_is_scored_or_ranked_where_nothing_is_said(tmp_path: Path, nothing: str) -> None:
    """An empty key is none."""
    assert _read(tmp_path, f"data: {{dataset: d}}\n{nothing}") == Recipe(dataset="d")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dat: {}\n", "a.yml:1: 'dat'"),
        ("data:\n  dataset: d\n  input: x\n", "a.yml:3: 'input'"),
        ("data: {dataset: d}\nscorer:\n  bleu:\n", "a.yml:3: 'bleu'"),
        ("data: {dataset: d}\nranker:\n  upp: 3\n", "a.yml:3: 'upp'"),
        ("data: {dataset: d}\nranker: {up: 101}\n", "ranker.up 101 100"),
        ("data: {dataset: d}\nranker: {up: true}\n", "ranker.up True"),
        ("data: {dataset: d}\nranker:\n  up: 1\n  up_percentile: 2\n", "a.yml:4: ranker up"),
        ("data: {dataset: d}\ndata: {dataset: e}\n", "a.yml:2: 'data'"),
        ("data: {dataset: [d]}\n", "data.dataset ['d']"),
        ("data: {dataset: {a: b}}\n", "data.dataset None"),
        ("data: {dataset: d}\nscorer:\n  unigram: {top_k: 0}\n", "top_k 0"),
        ("data: {dataset: d}\nscorer: unigram\n", "a.yml:2:"),
        ("data: {dataset: d}\nscorer:\n  unigram:\n    lang: fr\n", "a.yml:4: 'fr'"),
        ("data: {dataset: d}\nranker: {use: []}\n", "ranker.use []"),
        ("data: {dataset: d}\nranker: {use: a}\n", "ranker.use"),
        ("data: {dataset: d}\nranker:\n  name: combined\n", "a.yml:3: ranker 'combined'"),
        ("data: {dataset: d}\nranker:\n  down: 80\n", "a.yml:3: 80 70"),
        ("data: {dataset: d}\nranker: {name: length, use: [a]}\n", "a.yml:2: 'length'"),
        ("data:\n  output_data_path: x\n", "a.yml:1:"),
        ("scorer:\n  unigram:\n", "a.yml"),
        ("- data\n", "a.yml"),
        ("data: [\n", "a.yml:2:"),
        ("\ta: \x00\n", "a.yml"),
        (
            "data: {dataset: d}\nscorer:\n  similarity_scorer: {use_answer_only: 1}\n",
            "use_answer_only",
        ),
    ],
)
def test_each_wrong_key_is_told_by_its_line(tmp_path: Path, text: str, said: str) -> None:
    """And what it may be."""
    with pytest.raises(InvalidInput) as caught:
        _read(tmp_path, text)
    assert [value for value in said.split() if value not in caught.value.message] == []


def test_a_near_name_is_proposed(tmp_path: Path) -> None:
    """As for options of commands."""
    with pytest.raises(InvalidInput) as caught:
        _read(tmp_path, "data: {dataset: d}\nranker: {up_percentil: 3}\n")
    assert "up_percentile" in caught.value.hint
