"""Dates in English and Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.spans import Span
from tui_annotate.methods.dates import Date, find_dates
from tui_annotate.methods.numerals import to_half_width


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Saturday, 14 May", [("Saturday", (0, 0, 0, 6)), ("14 May", (0, 5, 14, 0))]),
        ("March 2020", [("March 2020", (2020, 3, 0, 0))]),
        ("May 14th, 2021", [("May 14th, 2021", (2021, 5, 14, 0))]),
        ("the 14th of June 2020", [("14th of June 2020", (2020, 6, 14, 0))]),
        ("Sept. 3", [("Sept. 3", (0, 9, 3, 0))]),
        ("2020-05-14", [("2020-05-14", (2020, 5, 14, 0))]),
        ("in 1889, the 1990s", [("1889", (1889, 0, 0, 0)), ("1990s", (1990, 0, 0, 0))]),
        ("in May, it may, the march", [("May", (0, 5, 0, 0))]),
        ("september", [("september", (0, 9, 0, 0))]),
        ("£1900, 1999 metres, 1850%, 1.2020", []),
        ("room 1101 and 2500", []),
        ("a 1936 fire engine", [("1936", (1936, 0, 0, 0))]),
        ("２０２４年3月5日", [("2024年3月5日", (2024, 3, 5, 0))]),
        ("二〇二四年三月", [("二〇二四年三月", (2024, 3, 0, 0))]),
        ("12月", [("12月", (0, 12, 0, 0))]),
        ("十五日", [("十五日", (0, 0, 15, 0))]),
        ("14 May 2020年", [("14 May 2020", (2020, 5, 14, 0))]),
        ("周三，星期天", [("周三", (0, 0, 0, 3)), ("星期天", (0, 0, 0, 7))]),
        ("3个月，3号线，13月，45日", []),
        ("", []),
    ],
)
def test_dates(text: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    """The parts that are told, and no others."""
    plain = to_half_width(text)
    assert [(each.span.of(plain), each.parts()) for each in find_dates(plain)] == expected


def date(year: int = 0, month: int = 0, day: int = 0, weekday: int = 0) -> Date:
    """A date that stands anywhere."""
    return Date(Span(0, 1), year, month, day, weekday)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (date(2020, 3), date(2020), 1),
        (date(2020, 3), date(2020, 3, 5), 2),
        (date(2020, 3), date(2019, 3), -1),
        (date(month=3), date(2019), 0),
        (date(weekday=1), date(weekday=2), -1),
    ],
)
def test_alike(one: Date, other: Date, alike: int) -> None:
    """Dates are alike as far as both tell the same parts."""
    assert one.alike(other) == other.alike(one) == alike
    assert one.agrees(other) == (alike > 0)


@given(st.text(max_size=60) | st.text("0123456789年月日一二十May March, of-", max_size=60))
def test_dates_are_disjoint_and_in_order(text: str) -> None:
    """Whatever the text, dates stand in it one behind the other and tell something."""
    found = find_dates(to_half_width(text))
    ends = [0, *(each.span.end for each in found)]
    assert all(end <= each.span.start for end, each in zip(ends, found, strict=False))
    assert all(each.span.end <= len(text) and any(each.parts()) for each in found)
