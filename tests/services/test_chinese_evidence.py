"""A gold set of Chinese claims by reference to rows of UHGEval, and the lexical ranking of it."""

from __future__ import annotations

import pytest

from benchmarks.bench_chinese import Choices, rank_choices, reading_kappa
from tests.helpers.chinese_evidence import SOURCES, make_choices, read_claims
from tests.helpers.ranking_figures import compute_figures
from tui_annotate.domain.samples import Side


@pytest.fixture(scope="module")
def choices() -> Choices:
    found = make_choices()
    if not found:
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with UHGEval")
    return found


def test_the_gold_set_has_enough_claims_of_different_rows() -> None:
    """A claim is gold if two readings chose the same sentences; each row has one claim."""
    claims = read_claims()
    assert len({claim.row for claim in claims}) == len(claims) == 150
    assert sum(claim.is_gold for claim in claims) == 112


def test_spans_of_the_gold_set_lie_in_the_texts_of_their_rows(choices: Choices) -> None:
    """A reference to a row names existing text without white space at its ends."""
    for choice, claim in choices:
        selected = choice.sample.document(Side.SUMMARY, 0).text
        spans = [claim.claim.of(selected)]
        assert claim.claim.end <= len(selected)
        for name, start, end in claim.accepted:
            text = choice.sample.document(Side.SOURCE, SOURCES.index(name)).text
            assert end <= len(text)
            spans.append(text[start:end])
        assert all(span and span == span.strip() for span in spans)


def test_the_two_readings_agree(choices: Choices) -> None:
    """The kappa that the documentation states is recomputed from the readings."""
    assert choices
    assert reading_kappa() == pytest.approx(0.89, abs=0.005)


def test_words_find_the_evidence_of_real_chinese_claims(choices: Choices) -> None:
    """The lexical ranking of Chinese does not get worse than documented."""
    figures = compute_figures(rank_choices(choices, None))
    assert figures.recall_at_1 >= 0.56
    assert figures.recall_at_5 >= 0.91
    assert figures.mrr >= 0.70
