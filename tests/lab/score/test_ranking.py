"""Rankers: the published decisions, and what the original decides without a reason to."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.dreamcatcher import golden
from tui_annotate.lab.score.ranking import (
    JUDGED,
    OVERLAP,
    PROBE,
    REWARD,
    SUMMED,
    SURPRISE,
    TO_ANSWER,
    TO_OTHERS,
    AnswerCategory,
    AnswerLabel,
    categorise,
    choose_preference,
    choose_unsure_answer,
    compute_medians,
    compute_thresholds,
    label_by_length,
    label_by_percentile,
    normalise_values,
    relative_position,
)

RIGHT, WRONG, UNDECIDED = AnswerLabel


def _worked() -> tuple[Any, list[list[dict[str, Any]]]]:
    found = golden("simple_ranker")
    return found, found["normalised"]


def test_thresholds_are_percentiles_over_all_answers_that_have_a_score() -> None:
    """Uncertain answers that have one count as well; a score that none has is no threshold."""
    found, rows = _worked()
    answers = [each for row in rows for each in row]
    up, down = compute_thresholds(answers, (*SUMMED, "elsewhere"), up=70, down=30)
    assert up == pytest.approx(found["threshold_up"])
    assert down == pytest.approx(found["threshold_down"])


def test_the_worked_example_is_ranked_as_published() -> None:
    """But for the question of which nothing is known: it is undecided, not all-right."""
    found, rows = _worked()
    up, down = compute_thresholds([each for row in rows for each in row], SUMMED, up=70, down=30)
    ranks, categories = [], []
    for row in rows:
        normal = [each for each in row if each["type"] == "normal"]
        others = [each for each in row if each["type"] != "normal"]
        verdicts = label_by_percentile(normal, up=up, down=down)
        labels = [each.label for each in verdicts]
        best, worst = choose_preference(
            labels,
            as_right=[each.as_right for each in verdicts],
            as_wrong=[each.as_wrong for each in verdicts],
        )
        between = choose_unsure_answer([each.get("rm_score") for each in others])
        chosen = [normal[best]] if best is not None else []
        chosen += [others[between]] if between is not None else []
        chosen += [normal[worst]] if worst is not None else []
        ranks.append([each["text"] for each in chosen])
        categories.append(categorise(labels).value)
    assert ranks == found["rank_texts"]
    assert categories == ["all-right", "all-wrong", "partial-right", "undecided"]
    assert found["category"][3] == "all-right"


def test_a_score_that_an_answer_lacks_is_left_out_for_its_question() -> None:
    """Without a probe the others decide; without any score nothing does."""
    up, down = {OVERLAP: 0.6, PROBE: 0.9}, {OVERLAP: 0.4, PROBE: 0.1}
    (one, two) = label_by_percentile([{OVERLAP: 0.7, PROBE: 0.0}, {OVERLAP: 0.3}], up=up, down=down)
    assert (one.label, two.label) == (RIGHT, WRONG)
    (none,) = label_by_percentile([{}], up=up, down=down)
    assert (none.label, none.margin, none.value) == (UNDECIDED, None, None)


def test_the_margin_tells_how_far_an_answer_is_from_the_middle() -> None:
    """It is 0, and the value 0.5, where both thresholds are equally far; values stay in [0, 1]."""
    up, down = {OVERLAP: 0.7, TO_ANSWER: 0.9}, {OVERLAP: 0.3, TO_ANSWER: 0.1}
    report = [{OVERLAP: x, TO_ANSWER: y} for x, y in ((0.5, 0.5), (1, 1), (0, 0), (0.6, 0.6))]
    found = label_by_percentile(report, up=up, down=down)
    assert [each.margin for each in found] == pytest.approx([0, 1, -1, 0.2])
    assert [each.value for each in found] == pytest.approx([0.5, 0.75, 0.25, 0.55])
    assert [each.label for each in found] == [UNDECIDED, RIGHT, WRONG, UNDECIDED]


def test_short_answers_are_right_by_their_overlap_alone() -> None:
    """Above the median; the other scores do not help a short one, and decide on a long one."""
    medians = compute_medians([{OVERLAP: 0.2, TO_ANSWER: 0.4}, {OVERLAP: 0.6, TO_ANSWER: 0.8}])
    assert medians == pytest.approx({OVERLAP: 0.4, TO_ANSWER: 0.6, JUDGED: 0.5})
    scores = {OVERLAP: 0.3, TO_ANSWER: 0.9, REWARD: 1.0}
    short, long = label_by_length([scores, scores], [79, 80], medians=medians, short=80)
    assert (short.label, long.label) == (WRONG, RIGHT)
    assert (long.as_right, long.as_wrong) == pytest.approx((1.9, 0.1))


def test_length_ranks_without_a_judge_and_without_anything() -> None:
    """The original stops with an error there."""
    (none, some) = label_by_length([{}, {OVERLAP: 1.0}], [0, 0], medians={OVERLAP: 0.5}, short=80)
    assert (none.label, none.value) == (UNDECIDED, None)
    assert some.label is RIGHT
    assert some.value == pytest.approx(0.75)


def test_a_consistent_answer_is_the_better_one() -> None:
    """Scores come in with the high one as the better; then agreement speaks for an answer."""
    medians = {OVERLAP: 0.5, SURPRISE: 0.5}
    report = [{OVERLAP: 0.5, SURPRISE: 0.9}, {OVERLAP: 0.5, SURPRISE: 0.1}]
    found = label_by_length(report, [100, 100], medians=medians, short=80)
    assert [each.label for each in found] == [RIGHT, WRONG]


def test_of_equal_answers_the_first_is_preferred() -> None:
    """And none where none has the label."""
    labels = [UNDECIDED, RIGHT, RIGHT, WRONG]
    assert choose_preference(labels, as_right=[9, 1, 1, 0], as_wrong=[9, 9, 9, 0]) == (1, 3)
    assert choose_preference([UNDECIDED], as_right=[1], as_wrong=[1]) == (None, None)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([RIGHT, UNDECIDED], AnswerCategory.ALL_RIGHT),
        ([WRONG, UNDECIDED], AnswerCategory.ALL_WRONG),
        ([RIGHT, WRONG], AnswerCategory.PARTIAL),
        ([UNDECIDED], AnswerCategory.UNDECIDED),
        ([], AnswerCategory.UNDECIDED),
    ],
)
def test_what_is_undecided_is_neither_right_nor_wrong(
    labels: list[AnswerLabel], expected: AnswerCategory
) -> None:
    """A question of which nothing is known has a category of its own."""
    assert categorise(labels) is expected


def test_the_unsure_answer_is_the_one_with_the_highest_reward() -> None:
    """The first where no reward is known, and none where there is no such answer."""
    assert choose_unsure_answer([-1.0, None, 0.4, 0.4]) == 2
    assert choose_unsure_answer([-2.0, -1.0]) == 1
    assert choose_unsure_answer([None, None]) == 0
    assert choose_unsure_answer([]) is None


def test_equal_values_lie_in_the_middle() -> None:
    """There is nothing to divide by, and no value is no number."""
    assert relative_position(3, 3, high=3) == 0.5
    assert relative_position(3, 2, high=6) == 0.25


def test_bounds_that_differ_only_by_rounding_are_equal() -> None:
    """But small scores keep their differences, as the tolerance is relative."""
    assert relative_position(0.5000001, 0.5, high=0.5000001) == 0.5
    assert relative_position(-2e-17, -2e-17, high=0) == 0.5
    assert relative_position(2e-9, 2e-9, high=6e-9) == 0
    assert relative_position(6e-9, 2e-9, high=6e-9) == 1


def test_values_are_brought_between_their_least_and_largest() -> None:
    """What is not known stays so, and constant values are no error."""
    assert normalise_values([1, None, 3, 2]) == [0, None, 1, 0.5]
    assert normalise_values([7, 7, None]) == [0.5, 0.5, None]
    assert normalise_values([None]) == [None]
    assert normalise_values([]) == []


def test_the_names_are_those_under_which_scores_were_published() -> None:
    """Files of others are read by them."""
    assert SUMMED == (OVERLAP, TO_ANSWER, PROBE, TO_OTHERS)
    assert set(golden("repo_data_decisions")["threshold_up"]) == set(SUMMED)


def test_a_missing_reward_is_not_zero() -> None:
    """Of two right answers, the one with a negative reward does not come after one without any."""
    answers = [{OVERLAP: 1.0, REWARD: -3.0, TO_ANSWER: 0.9}, {OVERLAP: 1.0, TO_ANSWER: 0.1}]
    medians = {OVERLAP: 0.5}
    first, second = label_by_length(answers, [0, 0], medians=medians, short=80)
    assert (first.as_right, second.as_right) == (0.9, 0.1)
    whole = [answers[0], answers[1] | {REWARD: -4.0}]
    first, second = label_by_length(whole, [0, 0], medians=medians, short=80)
    assert (first.as_right, second.as_right) == pytest.approx((-2.1, -3.9))


def test_missing_scores_are_counted() -> None:
    """By percentile for the whole question, by length for each answer; a judge is optional."""
    up, down = {OVERLAP: 0.7, TO_ANSWER: 0.7}, {OVERLAP: 0.3, TO_ANSWER: 0.3}
    answers = [{OVERLAP: 1.0, TO_ANSWER: 1.0}, {OVERLAP: 0.0}]
    assert [each.unused for each in label_by_percentile(answers, up=up, down=down)] == [1, 1]
    assert [each.unused for each in label_by_percentile(answers[:1], up=up, down=down)] == [0]
    assert [each.unused for each in label_by_percentile([{}], up=up, down=down)] == [2]
    medians = {OVERLAP: 0.5, TO_ANSWER: 0.5, JUDGED: 0.5}
    found = label_by_length(answers, [100, 100], medians=medians, short=80)
    assert [each.unused for each in found] == [0, 1]
    found = label_by_length(answers, [0, 0], medians=medians, short=80)
    assert [each.unused for each in found] == [0, 0]
