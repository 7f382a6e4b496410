"""Orders, groups and scores of judges: the published numbers, and laws that hold for all input."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.lab.judge.metrics import (
    average_precision,
    count_reductions,
    insert_by_rank,
    max_comparisons,
    mean_relevancy,
    mean_verdict,
    overlap,
    select_contexts,
    spearman,
    split_groups,
)
from tui_annotate.lab.judge.options import GROUP_SIZE
from tui_annotate.methods.term_vectors import word_vectors

_ROOT = Path(__file__).parents[2]
_GOLDEN = Path(os.environ.get("TUI_ANNOTATE_SHARED", _ROOT.parent / "shared")) / "golden/ragsge"
_ORDERS = st.integers(1, 40).flatmap(lambda count: st.permutations(range(count)))


def _golden(name: str) -> Any:
    if not _GOLDEN.is_dir():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with golden values")
    return json.loads((_GOLDEN / name).read_text("utf-8"))


class Relevant:
    """A judge that knows how relevant each item is; it counts."""

    def __init__(self, relevance: list[int]) -> None:
        self.relevance = relevance
        self.pairs: list[list[str]] = []

    def __call__(self, item: int, other: int) -> bool:
        """Whether the first is better."""
        self.pairs.append([f"c{item}", f"c{other}"])
        return self.relevance[item] > self.relevance[other]


@pytest.mark.parametrize(
    ("relevance", "screened", "order", "rho", "calls"),
    [
        ([5, 0, 9, 1, 0, 7, 3, 2], True, [2, 5, 0, 6, 7, 3], 0.429, 11),  # S1
        ([5, 0, 9, 1, 0, 7, 3, 2], False, [2, 5, 0, 6, 7, 3, 1, 4], 0.048, 16),  # S2
        ([1, 2, 3, 4, 5], False, [4, 3, 2, 1, 0], -1.0, 6),  # S4
        ([4, 4, 4, 4], False, [0, 1, 2, 3], 1.0, 5),  # S5
    ],
)
def test_published_orders(
    relevance: list[int], screened: bool, order: list[int], rho: float, calls: int
) -> None:
    """The published cases give the published orders with as many comparisons."""
    first = [at for at, value in enumerate(relevance) if value or not screened]
    judge = Relevant(relevance)
    found = insert_by_rank(first, judge)
    report = spearman(found, first)
    assert report is not None
    assert (found, round(report, 3), len(judge.pairs)) == (order, rho, calls)


def test_golden_orders() -> None:
    """Each golden question has the same order, pairs, correlation and overlap."""
    for case in _golden("sort.json")["cases"]:
        if case["name"] == "none_good":
            continue
        pairs = []
        for relevance, wanted in zip(case["relevance"], case["results"], strict=True):
            first = wanted["good"] or [*range(len(relevance))]
            judge = Relevant(relevance)
            found = insert_by_rank(first, judge)
            rho = spearman(found, first)
            pairs += judge.pairs
            assert found == wanted["sorted"]
            assert (None if rho is None else round(rho, 3)) == wanted["spearman"]
            if case["name"] not in {"k_leaks_to_next_question", "k12_with_11_good"}:
                part, common = overlap(found, first, k=case["k"], bottom=not case["top"])
                assert part is not None
                assert (round(part, 3), common) == (wanted["sim"], wanted["overlap"])
        assert pairs == case["pairs"]


@given(_ORDERS)
def test_insertion_sorts(order: list[int]) -> None:
    """A judge with an opinion of its own gets it back, within the bound of comparisons."""
    judge = Relevant(order)
    found = insert_by_rank(range(len(order)), judge)
    assert [order[item] for item in found] == sorted(order, reverse=True)
    assert len(judge.pairs) <= max_comparisons(len(order))


@pytest.mark.parametrize(
    ("count", "calls"), [(0, 0), (1, 0), (2, 1), (10, 25), (30, 119), (78, 419), (200, 1345)]
)
def test_bound(count: int, calls: int) -> None:
    """The bound of comparisons is the published one."""
    assert max_comparisons(count) == calls


@given(_ORDERS)
def test_spearman_is_scipys(order: list[int]) -> None:
    """For two items and more the correlation is that of scipy; for fewer there is none."""
    stats = pytest.importorskip("scipy.stats")
    reference = sorted(order)
    found = spearman(order, reference)
    if len(order) < 2:
        assert found is None
    else:
        assert found == pytest.approx(stats.spearmanr(order, reference).statistic)


def test_overlap() -> None:
    """The last k are compared where asked for, k is cut to what is there, and nothing has none."""
    assert overlap([2, 5, 0, 6, 7, 3], [0, 2, 3, 5, 6, 7], k=2, bottom=True) == (0.5, [7])
    assert overlap([1, 0], [0, 1], k=10) == (1.0, [1, 0])
    assert overlap([], [], k=3) == (None, [])


@given(st.lists(st.integers()), st.integers(1, 30))
def test_groups(items: list[int], size: int) -> None:
    """Groups join to the items, and only the last one may be shorter."""
    found = split_groups(items, size)
    assert [item for group in found for item in group] == items
    assert all(len(group) == size for group in found[:-1])
    assert all(found)


def test_reductions() -> None:
    """45 contexts take 3 groups and one reduction; 500 take 25 and three."""
    assert len(split_groups(range(45))) + count_reductions(3) == 4
    assert len(split_groups(range(500))) + count_reductions(25) == 28
    assert [count_reductions(count) for count in (0, 1, 2, GROUP_SIZE, GROUP_SIZE + 1)] == [
        0,
        0,
        1,
        1,
        2,
    ]


def test_within() -> None:
    """As many contexts are kept as the published rule keeps, but never none of some."""
    assert len(select_contexts(["x" * 2000] * 10, k=10)) == 6  # M1
    assert [len(each or "") for each in select_contexts(["x" * 13_000, "y" * 5], k=10)] == [
        12_999
    ]  # M2
    assert select_contexts([], k=10) == ()
    assert select_contexts(["a", "b", "c"], k=2) == ("a", "b")


def test_golden_within() -> None:
    """The golden cases keep as many, but for the one that kept nothing at all."""
    for case in _golden("max_k.json")["cases"]:
        contexts = ["x" * length for length in case["context_lengths"]]
        kept = select_contexts(contexts, k=case["k"])
        assert len(kept) == (case["kept"] or min(len(contexts), 1))


@pytest.mark.parametrize(
    ("verdicts", "score"),
    [
        ([0, 1, 0, 1], 0.5),  # R1
        ([1, 0, 1, 0, 0, 1], 0.7222),  # R2
        ([0, 0, 0], 0.0),
        ([1, 1, 1], 1.0),
    ],
)
def test_precision(verdicts: list[int], score: float) -> None:
    """Average precision of verdicts is the published one."""
    assert average_precision(verdicts) == pytest.approx(score, abs=5e-5)


def test_no_verdicts() -> None:
    """Of nothing there is neither a share nor a precision."""
    assert mean_verdict([]) is None
    assert average_precision([]) is None
    assert mean_verdict([1, 1, 0]) == pytest.approx(2 / 3)  # R4


def test_relevancy() -> None:
    """The mean cosine; 0 where all evade, nothing was invented, or a text means nothing."""
    invented = [(1, 0), (0, 1), (1, 1)]
    assert mean_relevancy((1, 0), invented, [1, 0, 0]) == pytest.approx(0.5690, abs=5e-5)  # R3
    assert mean_relevancy((1, 0), invented, [1, 1, 1]) == 0
    assert mean_relevancy((1, 0), [], []) == 0
    assert mean_relevancy((1, 0), [(-1, 0)], [0]) == -1
    assert mean_relevancy((0, 0), [(1, 0)], [0]) is None
    assert mean_relevancy((1, 0), [(1, 0), (0, 0)], [0, 0]) is None


def test_golden_scores() -> None:
    """The golden verdicts and vectors give the golden scores."""
    golden = _golden("ragas_formulas.json")
    for case in golden["context_precision"]:
        assert average_precision(case["verdicts"]) == pytest.approx(case["score"], abs=1e-12)
    for name, field in (("faithfulness", "verdicts"), ("context_recall", "attributed")):
        for case in golden[name]:
            assert mean_verdict(case[field]) == case["score"]
    for case in golden["answer_relevancy"]:
        vectors = (case["question_vec"], case["generated"])
        found = mean_relevancy(*vectors, case["noncommittal"])
        assert found == pytest.approx(case["score"], abs=1e-6)


def test_relevancy_by_words() -> None:
    """Equal texts have the cosine 1 in any language; a text without words has none."""
    for text in ("谁建造了这座桥？", "Who built it?", "GDP 增长多少？"):
        assert _by_words(text, [text] * 3, [0, 0, 1]) == pytest.approx(1)
    assert _by_words("谁建造了这座桥？", ["今天天气好吗？"], [0]) == 0
    some = _by_words("谁建造了这座桥？", ["这座桥是谁建造的？"], [0])
    assert some is not None
    assert 0.5 < some < 1
    assert _by_words("？", ["谁？"], [0]) is None
    assert _by_words("？", ["谁？"], [1]) == 0


def _by_words(question: str, invented: list[str], noncommittal: list[int]) -> float | None:
    rows = word_vectors([question, *invented])
    return mean_relevancy(rows[0].tolist(), rows[1:].tolist(), noncommittal)
