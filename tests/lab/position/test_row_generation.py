"""Rows that are made: the gold where it was asked for, and the same again for the same seed."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.position_rows import golden, lookup, question
from tests.helpers.printed_numbers import printed_numbers
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.lab.position.row_generation import (
    build_key_value_row,
    build_oracle_row,
    build_question_rows,
    holds_answer,
    is_reordered,
    move_key_value,
    row_random,
    shuffle,
)
from tui_annotate.lab.position.study_rows import gold_position, parse_positions, question_id

COUNTS = st.integers(2, 9)


def made(row: dict[str, Any], count: int, at: int, **how: Any) -> dict[str, Any]:
    """One row with its gold at a place."""
    (found,) = build_question_rows(row, count=count, places=[at], **how)
    return found


def test_rows_of_the_original() -> None:
    """L7, L8: each row that the original's own program made, field by field."""
    found = golden("make_qa.json")
    (row,) = found["input"]
    for case in found["cases"]:
        if case["exit"] == 0:
            made_row = made(row, case["num_total_documents"], case["gold_index"])
            assert made_row["ctxs"] == case["ctxs"]
            if "row_keys" in case:
                assert list(made_row) == case["row_keys"]


def test_as_many_distractors_as_are_needed_are_enough() -> None:
    """L9: five passages with four distractors; six are refused, with the number that would do."""
    assert len(made(question(), 5, 0)["ctxs"]) == 5
    with pytest.raises(InvalidInput, match=r"4.*5") as refused:
        made(question(), 6, 0)
    assert printed_numbers(refused.value.hint) == [["5"]]


@given(st.integers(2, 5).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1))))
def test_the_gold_stands_where_it_was_asked_for(case: tuple[int, int]) -> None:
    """At i, whatever the order of the others, which are a permutation of the first ones."""
    count, at = case
    plain = made(question(), count, at)
    other = made(question(), count, at, order=row_random(3, "x"))
    for row in (plain, other):
        assert gold_position(row) == at
        assert len(row["ctxs"]) == count
        assert question_id(row) == question_id(question())
    ids = [sorted(each.get("id", "") for each in row["ctxs"]) for row in (plain, other)]
    assert ids[0] == ids[1]
    assert [row["ctxs"][at]["title"] for row in (plain, other)] == ["Gold", "Gold"]


@given(st.lists(st.integers()), st.integers())
def test_a_seed_repeats_its_order(items: list[int], seed: int) -> None:
    """The same seed shuffles the same way, and loses nothing."""
    found = shuffle(items, row_random(seed, "a"))
    assert found == shuffle(items, row_random(seed, "a"))
    assert sorted(found) == sorted(items)


def test_a_seed_means_the_same_on_every_machine() -> None:
    """What a seed draws is written down here, so that a change of it is seen."""
    row = build_key_value_row(2, row_random(1, "0"))
    assert row == build_key_value_row(2, row_random(1, "0"))
    assert row != build_key_value_row(2, row_random(2, "0"))
    assert shuffle(range(8), row_random(0, "0")) == [0, 5, 3, 7, 1, 6, 4, 2]
    assert row["key"] == "71fac308-707f-4463-a19b-c7dee80e87f5"


def test_a_gold_passage_may_be_marked_in_the_passages() -> None:
    """A row that was made can be made again, with the ranks of its first making."""
    first = made(question(), 4, 1)
    first.pop("nq_annotated_gold")
    again = made(first, 3, 2)
    assert [each["title"] for each in again["ctxs"]] == ["P0", "P1", "Gold"]
    assert [each.get("original_retrieval_index") for each in again["ctxs"]] == [0, 1, None]


def test_an_oracle_row_has_the_gold_alone() -> None:
    """One passage, and all other fields."""
    row = build_oracle_row(question(extra=1))
    assert ([each["title"] for each in row["ctxs"]], row["extra"]) == (["Gold"], 1)


@pytest.mark.parametrize(
    "row",
    [
        question(question=" "),
        question(nq_annotated_gold={"title": "x"}),
        question(nq_annotated_gold=None),
        {"question": "a", "ctxs": [{"text": "b"}]},
        {"question": "a", "ctxs": "b"},
    ],
)
def test_a_row_without_what_is_needed_is_refused(row: dict[str, Any]) -> None:
    """The question, the gold passage with its text, passages in a list."""
    with pytest.raises(InvalidInput):
        build_oracle_row(row)


def test_another_order_than_the_retrievers_is_seen() -> None:
    """By the ranks that the distractors tell."""
    assert not is_reordered(made(question(), 5, 2))
    orders = [made(question(), 5, 2, order=row_random(seed, "x")) for seed in range(3)]
    assert any(map(is_reordered, orders))


@given(COUNTS, st.integers(0, 9))
def test_keys_are_many_and_one_is_asked_for(count: int, seed: int) -> None:
    """As many pairs as asked for, of ids in the form of UUIDs, and one of them is the one."""
    row = build_key_value_row(count, row_random(seed, "0"))
    pairs = row["ordered_kv_records"]
    assert len({key for key, _ in pairs}) == count
    assert [row["key"], row["value"]] in pairs
    assert all(
        UUID(each).version == 4 and str(UUID(each)) == each for pair in pairs for each in pair
    )


@given(
    COUNTS.flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1), st.integers(0, n - 1)))
)
def test_a_pair_moves_and_the_others_stay(case: tuple[int, int, int]) -> None:
    """The pair that is asked for stands at i; without it the order is what it was."""
    count, before, at = case
    row = lookup(before, count=count)
    moved = move_key_value(row, at)
    assert gold_position(moved) == at
    rest = [
        [pair for pair in each["ordered_kv_records"] if pair[0] != "key"] for each in (row, moved)
    ]
    assert rest[0] == rest[1]


def test_a_key_in_no_pair_is_refused() -> None:
    """Also where its value is another."""
    with pytest.raises(InvalidInput, match="'key'"):
        move_key_value(lookup(0, value="other"), 0)


@pytest.mark.parametrize(
    ("asked", "count", "found"),
    [
        ("0,4,9", 10, (0, 4, 9)),
        (" 2, 2,0", 3, (2, 0)),
        ("all", 3, (0, 1, 2)),
        ("even:3", 10, (0, 4, 9)),
        ("even:5", 20, (0, 4, 9, 14, 19)),
        ("even:7", 30, (0, 4, 9, 14, 19, 24, 29)),
        ("even:5", 140, (0, 34, 69, 104, 139)),
    ],
)
def test_positions_are_named(asked: str, count: int, found: tuple[int, ...]) -> None:
    """One by one, all, or evenly from end to end, as in the settings of the paper."""
    assert parse_positions(asked, count) == found


@pytest.mark.parametrize(
    "asked",
    [
        "3",
        "-1",
        "",
        "x",
        "0,,1",
        "even:1",
        "even:4",
        "even:",
        "odd:2",
        "²",
        "9" * 5000,
        "even:" + "9" * 5000,
    ],
)
def test_what_is_no_position_is_refused(asked: str) -> None:
    """L10: outside the prompt, below none, and words."""
    with pytest.raises(InvalidInput):
        parse_positions(asked, 3)


def test_a_passage_holds_an_answer_in_the_normal_form() -> None:
    """An answer that is nothing there is in none."""
    assert holds_answer("The Sea-Star!", ["seastar"])
    assert not holds_answer("The Sea-Star!", ["the", "kelp"])
