"""The metrics of position studies: the values of the original, and each rule that mends one."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.position_rows import golden, lookup, placed, real
from tui_annotate.lab.position.metric import (
    MatchRules,
    PositionScore,
    best_subspan_em,
    combine_scores,
    count_empty_golds,
    key_value_accuracy,
    normalise_answer,
    score_row,
    scored_line,
)
from tui_annotate.lab.position.study_rows import (
    StudyTask,
    expected_answers,
    gold_position,
    parse_task,
)

WORDS = MatchRules(whole_words=True)
FILLED = MatchRules(skip_empty=True)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("The  Quick, brown-Fox!", "quick brownfox"),
        ("A.N. Other", "other"),
        ("U.S.A.", "usa"),
        ("don't", "dont"),
        ("3,000 km", "3000 km"),
        ("“quoted” – dash", "“quoted” – dash"),
        ("the", ""),
        (" \t\nA B ", "b"),
    ],
)
def test_the_normal_form_is_that_of_the_original(text: str, form: str) -> None:
    """L1, L2: signs of ASCII go, articles go, and letters with points may become an article."""
    assert normalise_answer(text) == form


@pytest.mark.parametrize(
    ("answer", "gold", "score"),
    [
        (scored_line("It was in 1901\nActually Paris"), ["Paris"], 0.0),
        ("It was in 1901\nActually Paris", ["Paris"], 1.0),
        ("wilhelm conrad rontgen", ["Wilhelm Conrad Röntgen"], 0.0),
        ("Paris", ["London", "paris!"], 1.0),
        ("answer", [], 0.0),
        ("category", ["cat"], 1.0),
        ("brown fox", ["brown-fox"], 0.0),
        ("I do not know", ["the"], 1.0),
        ("", ["x"], 0.0),
    ],
)
def test_the_metric_is_that_of_the_original(answer: str, gold: list[str], score: float) -> None:
    """L3 to L6, and where it errs."""
    assert best_subspan_em(answer, gold) == score


def test_golden_values_of_the_metric() -> None:
    """Each value that the original's own program gave."""
    found = golden("metrics.json")
    for each in found["normalize"]:
        assert normalise_answer(each["in"]) == each["out"]
    for each in found["best_subspan_em"]:
        whole, answers = each["model_answer"], each["answers"]
        assert best_subspan_em(whole, answers) == each["score_whole"]
        assert best_subspan_em(scored_line(whole), answers) == each["score_first_line"]


def test_scored_files_of_the_original() -> None:
    """L11, L12: each row's score, and where its answer stands."""
    found = golden("evaluate.json")
    for kind in ("qa", "kv"):
        hits: dict[int, list[float]] = {}
        for row in found[f"{kind}_output"]:
            answer = row["model_answer"]
            if parse_task(row) is StudyTask.QA:
                score = best_subspan_em(scored_line(answer), expected_answers(row))
            else:
                score = key_value_accuracy(answer, *expected_answers(row))
            assert score == row[parse_task(row).metric]
            place = gold_position(row)
            assert place is not None
            hits.setdefault(place, []).append(score)
        shown = {str(at): {"n": len(of), "mean": sum(of) / len(of)} for at, of in hits.items()}
        assert shown == found[f"{kind}_by_gold_position"]


def test_stock_predictions_on_real_rows() -> None:
    """L13, of the first 200 rows: gold answer, gold passage, its title, the question."""
    path = real("data", "lost-in-the-middle", "nq-open-oracle-200.jsonl.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    stock: dict[str, Callable[[Any], str]] = {
        "first_gold": lambda row: row["answers"][0],
        "gold_passage": lambda row: row["ctxs"][0]["text"],
        "gold_title": lambda row: row["ctxs"][0]["title"],
        "question": lambda row: row["question"],
    }
    scores = {
        name: sum(best_subspan_em(scored_line(say(row)), row["answers"]) for row in rows)
        / len(rows)
        for name, say in stock.items()
    }
    found = golden("oracle_200_scores.json")
    assert (len(rows), scores) == (found["n"], found["scores"])


@pytest.mark.parametrize(
    ("answer", "gold", "score"),
    [
        ("category", "cat", 0.0),
        ("bobcat", "cat", 0.0),
        ("13,000 people", "3000", 0.0),
        ("a category of cat", "cat", 1.0),
        ("in 3,000 years", "3000", 1.0),
        ("大桥在苏州河上", "苏州", 1.0),
        ("苏州A", "苏州", 1.0),
        ("dog", "cat", 0.0),
    ],
)
def test_borders_of_words(answer: str, gold: str, score: float) -> None:
    """A word that goes on is another word; a Han character is a word of its own."""
    assert best_subspan_em(answer, [gold], rules=WORDS) == score


def test_answers_that_are_nothing_are_passed_over() -> None:
    """What is in every answer counts for none, where that is asked for."""
    assert best_subspan_em("anything", ["", "the", "..."], rules=FILLED) == 0.0
    assert best_subspan_em("anything", ["the", "thing"], rules=FILLED) == 1.0
    assert count_empty_golds(["", "the", "thing"]) == 2


def test_the_line_that_is_read() -> None:
    """The first, as the original has it; or the first with something in it."""
    assert scored_line("\n \n x y \nz") == ""
    assert scored_line("\n \n x y \nz", filled=True) == "x y"
    assert scored_line("", filled=True) == ""


def test_a_value_is_looked_for_in_all_of_the_answer() -> None:
    """Case aside; on any line; and with nothing else taken out."""
    assert key_value_accuracy("well:\nab-1", "AB-1") == 1.0
    assert key_value_accuracy("ab1", "AB-1") == 0.0


@given(st.text(), st.lists(st.text()))
def test_stricter_rules_find_no_more(answer: str, gold: list[str]) -> None:
    """What counts within borders, and without empty golds, counts as it is."""
    plain = best_subspan_em(answer, gold)
    for rules in (WORDS, FILLED):
        assert best_subspan_em(answer, gold, rules=rules) <= plain


@given(st.text())
def test_a_text_holds_itself(text: str) -> None:
    """The normal form is normal, and each answer is right about itself."""
    assert best_subspan_em(text, [text], rules=WORDS) == 1.0 or not normalise_answer(text).strip()
    assert best_subspan_em(text, [text]) == 1.0


def test_bars_are_counted() -> None:
    """A mean with its interval; nothing of no rows; all together."""
    bar = PositionScore(4, 1, 2)
    assert bar.mean == 0.25
    assert bar.interval == pytest.approx((0.0456, 0.6994), abs=1e-4)
    assert (PositionScore(0, 0).mean, PositionScore(0, 0).interval) == (None, None)
    assert combine_scores([bar, PositionScore(1, 1, 0, 1)]) == PositionScore(5, 2, 2, 1)


def test_a_row_is_scored_by_its_task() -> None:
    """The first line of an answer to a question, all of one to a key; nothing without an answer."""
    assert score_row(placed(0, "kelp\nsea star")) == 0.0
    assert score_row(placed(0, "\nsea star"), rules=MatchRules(first_line=True)) == 1.0
    assert score_row(lookup(0, "well\nvalue-1")) == 1.0
    assert score_row(placed(0)) is None


def test_a_question_without_an_answer_that_is_left_is_not_scored() -> None:
    """Where empty ones are passed over; one without any is wrong, as in the original."""
    assert score_row(placed(0, "kelp", answers=["the"])) == 1.0
    assert score_row(placed(0, "kelp", answers=["the"]), rules=FILLED) is None
    assert score_row(placed(0, "kelp", answers=[]), rules=FILLED) == 0.0
