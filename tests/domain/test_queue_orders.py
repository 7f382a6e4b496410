"""Orders of the queue by their names."""

from __future__ import annotations

import pytest

from tests.helpers.errors import has_code
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.queue_orders import (
    ByScore,
    ScoreDirection,
    by_score,
    check_order,
    score_of_order,
)


def test_an_order_by_a_score_bears_its_sense_and_its_score() -> None:
    """What stands behind the first colon is the score's name, whatever is in it."""
    assert by_score("worst:unigram") == ByScore(ScoreDirection.WORST, "unigram")
    assert by_score("uncertain:judge:a b") == ByScore(ScoreDirection.UNCERTAIN, "judge:a b")
    assert str(by_score("best:x")) == "best:x"
    assert by_score("uncertain:p=.5") == ByScore(ScoreDirection.UNCERTAIN, "p", 0.5)
    assert str(by_score("uncertain:p=.50")) == check_order("uncertain:p=.5") == "uncertain:p=0.5"
    assert by_score("uncertain:a=b") == ByScore(ScoreDirection.UNCERTAIN, "a=b")
    assert by_score("worst:p=1") == ByScore(ScoreDirection.WORST, "p=1")
    assert by_score("uncertain:p=nan") is None
    for other in ("random:7", "worst", "worst:", "by-source", "odd:x"):
        assert by_score(other) is None


@pytest.mark.parametrize("name", ["by-source", "ingested", "random:7", "best:x", "worst:x:y"])
def test_known_orders_pass(name: str) -> None:
    """A name that is in full stays as it is; `random` alone gets a seed."""
    assert check_order(name) == name
    assert check_order("random") == "random:1"


@pytest.mark.parametrize("name", ["", "random:", "worst", "worst:", "WORST:x"])
def test_others_are_refused_with_those_that_there_are(name: str) -> None:
    """The hint names each kind."""
    with pytest.raises(InvalidInput, check=has_code("order-unknown")) as caught:
        check_order(name)
    assert "random:SEED, worst:SCORE, best:SCORE, uncertain:SCORE" in caught.value.hint


def test_an_order_of_review_is_nobody_elses() -> None:
    """It tells of others' work; who asks for it elsewhere is told where it is."""
    assert [score_of_order(name) for name in ("", "conflicts", "disagree:a:b")] == [
        "",
        "",
        "a:b",
    ]
    with pytest.raises(InvalidInput, match="'disagree:q'") as caught:
        check_order("disagree:q")
    assert "review list --order disagree:q" in caught.value.hint
    with pytest.raises(InvalidInput) as caught:
        check_order("disagree:my score")
    assert "review list --order 'disagree:my score'" in caught.value.hint
    for name in ("disagree:", "worst:q"):
        with pytest.raises(InvalidInput, match="review order"):
            score_of_order(name)
