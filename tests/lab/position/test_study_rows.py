"""What a row of a position study is, and what of it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.position_rows import lookup, placed
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import SETTLED
from tui_annotate.lab.position.study_rows import (
    ScoredAnswer,
    StudyTask,
    expected_answers,
    gold_position,
    human_verdict,
    parse_answers,
    parse_task,
    prompt_size,
    question_id,
    question_text,
)


def test_a_row_tells_what_it_asks() -> None:
    """Its task, its question, the right answers, how much there is, and where the answer stands."""
    found = [
        (
            parse_task(row),
            question_text(row),
            expected_answers(row),
            prompt_size(row),
            gold_position(row),
            parse_task(row).metric,
        )
        for row in (placed(1), lookup(2))
    ]
    assert found == [
        (StudyTask.QA, "who?", ("sea star",), 3, 1, "metric_best_subspan_em"),
        (StudyTask.KV, "key", ("Value-1",), 3, 2, "metric_accuracy"),
    ]


def test_what_the_model_was_shown_counts() -> None:
    """Its order of pairs or passages, where the row tells of it; nothing was shown closed book."""
    moved = lookup(0) | {"model_ordered_kv_records": lookup(2)["ordered_kv_records"]}
    assert gold_position(moved) == 2
    assert gold_position(placed(0) | {"model_documents": placed(2)["ctxs"]}) == 2
    assert gold_position(placed(0) | {"model_documents": []}) == 0


def test_a_gold_that_is_not_marked_stands_nowhere() -> None:
    """A retriever's row has none."""
    assert gold_position({"question": "q", "ctxs": [{"text": "t"}]}) is None


def test_a_question_is_the_same_wherever_its_answer_stands() -> None:
    """Other answers make it another."""
    assert question_id(placed(0)) == question_id(placed(2, "x"))
    assert question_id(placed(0)) != question_id(placed(0, answers=["kelp"]))
    assert question_id(lookup(0)) == question_id(lookup(1))


@pytest.mark.parametrize("found", ["sea star", [1], None])
def test_answers_are_a_list_of_texts(found: Any) -> None:
    """None at all is allowed: nothing is right then."""
    with pytest.raises(InvalidInput):
        parse_answers({"answers": found})
    assert parse_answers({}) == ()


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ({"ana": "Correct", "ben": "Correct", "li": "Unclear"}, "Correct"),
        ({"ana": "Correct", "ben": "Incorrect"}, None),
        ({"ana": "Correct", SETTLED: "Incorrect"}, "Incorrect"),
        ({"ana": ""}, None),
        ({}, None),
    ],
)
def test_a_verdict_is_what_most_say(words: dict[str, str], verdict: str | None) -> None:
    """Review's word goes before all; a tie is none."""
    assert human_verdict([Assignment(name, rating=word) for name, word in words.items()]) == verdict


@pytest.mark.parametrize(
    ("score", "verdict", "fails"),
    [
        (1.0, None, False),
        (0.0, None, True),
        (None, None, True),
        (0.0, "Correct", False),
        (1.0, "Unclear", True),
        (1.0, "Perfect", False),
    ],
)
def test_peoples_word_goes_before_a_score(
    score: float | None, verdict: str | None, *, fails: bool
) -> None:
    """A word of another scale says nothing."""
    case = ScoredAnswer(
        task=StudyTask.QA, position=0, size=1, identity="x", score=score, verdict=verdict
    )
    assert case.fails is fails
