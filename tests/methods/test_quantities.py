"""Numbers with their units, and which of them can mean the same."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.methods.quantities import Quantity, find_quantities


def only(text: str) -> Quantity:
    """The one number of a text."""
    (found,) = find_quantities(text).numbers
    return found


@pytest.mark.parametrize(
    ("text", "number", "base", "group"),
    [
        ("cost 15 million pounds.", "15 million pounds", "15000000", "money"),
        ("for £29.1m", "£29.1m", "29100000", "money"),
        ("for £29.1million", "£29.1million", "29100000", "money"),
        ("US$ 15", "US$ 15", "15", "money"),
        ("15 US dollars", "15 US dollars", "15", "money"),
        ("4.2p a share", "4.2p", "0.042", "money"),
        ("40 per cent of", "40 per cent", "0.4", "share"),
        ("two thirds of", "two thirds", "0.6666666666666666666666666667", "share"),
        ("三成", "三成", "0.3", "share"),
        ("a 30-second delay", "30-second", "30", "time"),
        ("37 °C", "37 °C", "37", "heat"),
        ("零下2℃", "2℃", "-2", "heat"),
        ("730万元", "730万元", "7300000", "money"),
        ("六十五岁", "六十五岁", "780", "time"),
        ("10多公里", "10多公里", "10000", "length"),
        ("at 7.20 p.m. sharp", "7.20 p.m.", "1160", "clock"),
        ("at 12 a.m.", "12 a.m.", "0", "clock"),
        ("22:41 UTC", "22:41", "1361", "clock"),
        ("at noon", "noon", "720", "clock"),
        ("at midnight", "midnight", "0", "clock"),
        ("下午3点半", "下午3点半", "930", "clock"),
        ("下午15时", "下午15时", "900", "clock"),
        ("22时40分", "22时40分", "1360", "clock"),
        ("the third pier", "third", "3", "ordinal"),
        ("64 sensors", "64", "64", ""),
        ("minus 8", "8", "-8", ""),
        ("at -5 or so", "-5"[1:], "-5", ""),
        ("三个人", "三", "3", ""),
    ],
)
def test_units(text: str, number: str, base: str, group: str) -> None:
    """A number is read with its unit, and brought to the base of it."""
    found = only(text)
    assert found.span.of(text) == number
    assert f"{found.base().normalize():f}" == base
    assert (found.unit.group if found.unit else "") == group


@pytest.mark.parametrize(
    "text", ["一直", "十分重要", "几十个", "数百人", "每一", "14 May 2020", ""]
)
def test_no_number(text: str) -> None:
    """A sign that counts nothing, a vague number and a date are no numbers."""
    assert find_quantities(text).numbers == []


@pytest.mark.parametrize(
    "text", ["about 40", "up to £40", "约40", "40 or so", "40多人", "40米以上"]
)
def test_about(text: str) -> None:
    """What is told as not exact is known as such."""
    assert only(text).about
    assert not only("40").about


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("15 million", "15,000,000"),
        ("twelve", "12"),
        ("3.0", "3"),
        ("1 km", "1,000 metres"),
        ("90 minutes", "1.5 hours"),
        ("5 miles", "8 km"),
        ("two thirds of", "2/3 is 66.67%"[6:]),
        ("£61m", "61 million"),
        ("50 per cent", "half of it"),
        ("about 3,000 people", "2,987 people"),
        ("12 million", "12.3 million"),
        ("1.2万人", "12,000"),
        ("两年", "2 years"),
        ("十二", "12"),
        ("noon", "12:00"),
    ],
)
def test_agree(one: str, other: str) -> None:
    """Equal values in another writing, unit or rounding agree, both ways."""
    first, second = only(one), only(other)
    assert first.agrees(second)
    assert second.agrees(first)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("15 million pounds", "12 million pounds"),
        ("14 years", "14 months"),
        ("30 yards", "30 metres"),
        ("£61 billion", "£61m"),
        ("$10", "£10"),
        ("40%", "40 km"),
        ("64", "46"),
        ("3 km", "3.4 km"),
        ("the third", "3 metres"),
        ("10%", "10 million"),
    ],
)
def test_disagree(one: str, other: str) -> None:
    """Another value, or the same in another unit, does not agree."""
    assert not only(one).agrees(only(other))
    assert not only(other).agrees(only(one))


@given(st.text(max_size=60) | st.text("0123456789 年月日:km%£.amp一二三个半-", max_size=60))
def test_all_that_is_told_is_disjoint(text: str) -> None:
    """Dates and numbers never touch one code point, and each agrees with itself."""
    days, numbers = find_quantities(text)
    spans = sorted([*(day.span for day in days), *(each.span for each in numbers)])
    assert all(one.end <= two.start for one, two in pairwise(spans))
    assert numbers == sorted(numbers, key=lambda each: each.span)
    assert all(each.agrees(each) for each in numbers)
    assert all(day.agrees(day) for day in days)
