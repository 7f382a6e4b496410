"""Counts in words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.plural import format_count


@given(st.integers(0, 10**9))
def test_one_is_one_and_all_else_are_several(count: int) -> None:
    """Also none; the number is there in full."""
    number, _, noun = format_count(count, "event").partition(" ")
    assert int(number.replace(",", "")) == count
    assert noun == ("event" if count == 1 else "events")


def test_other_plurals_are_given() -> None:
    """With a verb, where one follows."""
    assert format_count(1, "person", "people") == "1 person"
    assert format_count(1200, "person", "people") == "1,200 people"
    assert format_count(2, "place is", "places are") == "2 places are"
