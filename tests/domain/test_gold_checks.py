"""Gold checks: where gold samples are among a person's samples, and what counts as right."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.stores import claim
from tui_annotate.domain.assignment_rules import Gold
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.gold_checks import (
    GoldCheck,
    count_gold,
    is_gold_slot,
    measure_accuracy,
    mix_gold,
    score_check,
    sort_gold,
)
from tui_annotate.domain.practice_feedback import PracticeAnswer

RULES = st.builds(
    Gold, samples=st.just(()), every=st.integers(2, 12), seed=st.text("abc", max_size=3)
)


@given(RULES, st.integers(0, 50))
def test_each_block_has_one_gold_sample(rule: Gold, block: int) -> None:
    """At a place that the seed and the person decide."""
    places = [block * rule.every + each for each in range(rule.every)]
    assert sum(is_gold_slot(rule, "ana", place) for place in places) == 1


def test_the_places_depend_on_seed_and_person() -> None:
    """The same seed and person give the same places; others give others."""

    def places(rule: Gold, person: str) -> list[bool]:
        return [is_gold_slot(rule, person, index) for index in range(100)]

    rule = Gold((), every=10)
    assert places(rule, "ana") == places(replace(rule), "ana")
    assert places(rule, "ana") != places(rule, "ben")
    assert places(rule, "ana") != places(replace(rule, seed="2"), "ana")
    names = [str(number) for number in range(20)]
    assert sort_gold(rule, "ana", names) == sort_gold(rule, "ana", reversed(names))
    assert sort_gold(rule, "ana", names) != sort_gold(rule, "ben", names)


@given(RULES, st.integers(0, 60), st.integers(0, 9), st.integers(0, 40))
def test_samples_are_mixed_as_they_are_counted(
    rule: Gold, items: int, gold: int, start: int
) -> None:
    """No sample is lost or moved, and no gold sample comes after the last other one."""
    real, known = [f"r{number}" for number in range(items)], [f"g{each}" for each in range(gold)]
    mixed = mix_gold(rule, "ana", real, gold=known, start=start)
    assert [name for name, is_gold in mixed if not is_gold] == real
    placed = [name for name, is_gold in mixed if is_gold]
    assert placed == known[: len(placed)]
    assert len(placed) == count_gold(rule, "ana", items, gold=gold, start=start)
    assert not (mixed and mixed[-1][1])
    for place, (_, is_gold) in enumerate(mixed, start):
        assert not is_gold or is_gold_slot(rule, "ana", place)


def test_what_is_right() -> None:
    """An annotation of the same passage with the same top-level labels; all items count."""
    known = PracticeAnswer((claim("k1", 0, 10), claim("k2", 20, 30)))
    right, other_label = claim("a", 4, 10), claim("b", 20, 28, label="Alone")
    assert score_check((), known) == 0
    assert score_check((right,), known) == 0.5
    assert score_check((right, other_label), known) == 0.5
    assert score_check((right, claim("c", 22, 30)), known) == 1
    assert score_check((right, claim("c", 12, 15)), known) == pytest.approx(1 / 3)
    assert score_check((), PracticeAnswer(())) == 1
    assert score_check((right,), PracticeAnswer(())) == 0


def test_marks_on_everything_and_marks_of_one_character_fail() -> None:
    """A mark over the whole text, over each part of it, in each label, or repeated."""
    known = PracticeAnswer((claim("k1", 10, 30), claim("k2", 60, 75)))
    whole = [claim("w", 0, 100)]
    parts = [claim(str(at), at, at + 10) for at in range(0, 100, 10)]
    labelled = [claim(name, 10, 30, label=name) for name in ("Fine", "Odd", "Wrong", "Alone")]
    repeated = [claim(str(at), 10, 30) for at in range(5)]
    touched = [claim("t1", 10, 11), claim("t2", 74, 75)]
    assert score_check(whole, known) == 0
    assert score_check(touched, known) == 0
    assert score_check(parts, known) <= 0.2
    assert score_check(labelled, known) == 0.2
    assert score_check(repeated, known) == pytest.approx(1 / 6)


def test_a_known_rating_is_one_item() -> None:
    """An unknown one is none."""
    assert score_check((), PracticeAnswer((), "good"), rated="good") == 1
    assert score_check((), PracticeAnswer((), "good"), rated="bad") == 0
    assert score_check((), PracticeAnswer(()), rated="bad") == 1


def test_accuracy_over_time() -> None:
    """By week, of all checks and of the last ten; the alert needs three checks."""
    days = ["2026-05-04"] * 10 + ["2026-05-11"] * 8
    scores = [1.0] * 10 + [0.5] * 8
    checks = [
        GoldCheck("d", "a", str(number), day, score)
        for number, (day, score) in enumerate(zip(days, scores, strict=True))
    ]
    few = [GoldCheck("d", "b", str(number), "2026-05-04", 0.0) for number in range(2)]
    one, two = measure_accuracy([*checks, *few], names={"a": "Ana"}, thresholds={"d": 0.7})
    assert (one.name, one.checks, one.recent_accuracy) == ("Ana", 18, 0.6)
    assert one.accuracy == pytest.approx(14 / 18)
    assert [(week.week, week.checks, week.accuracy) for week in one.weeks] == [
        ("2026-W19", 10, 1.0),
        ("2026-W20", 8, 0.5),
    ]
    assert one.alert
    assert not two.alert
    assert not measure_accuracy(checks, names={}, thresholds={"d": 0.6})[0].alert
    assert not measure_accuracy(checks, names={}, thresholds={})[0].alert


@pytest.mark.parametrize(("every", "threshold"), [(1, 70), (10, 101), (10, -1)])
def test_a_rule_without_sense_is_refused(every: int, threshold: int) -> None:
    """At most every second sample, and a percentage."""
    with pytest.raises(InvalidInput):
        Gold((), every=every, threshold=threshold)
