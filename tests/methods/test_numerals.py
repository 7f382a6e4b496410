"""Numbers in English and Chinese, as values."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.methods.numerals import find_numerals, to_half_width, to_lower_case

ONES = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TEENS = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
    "eighteen", "nineteen",
)  # fmt: skip
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SIGNS = "零一二三四五六七八九"


def values(text: str) -> list[str]:
    """The values as they are printed plainly."""
    return [f"{found.value.normalize():f}" for found in find_numerals(to_half_width(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("15 million, 15,000,000 and 15m", ["15000000", "15000000", "15"]),
        ("3.0 or 3", ["3", "3"]),
        ("２０２４ and １２．５", ["2024", "12.5"]),
        ("15k, 2.5bn, 3-million", ["15000", "2500000000", "3000000"]),
        ("Two thousand three hundred and five", ["2305"]),
        ("one million two hundred thousand", ["1200000"]),
        ("a hundred, a million, a dozen, two dozen", ["100", "1000000", "12", "24"]),
        ("two three", ["2", "3"]),
        ("half of it, a quarter of it", ["0.5", "0.25"]),
        ("two halves", ["1"]),
        ("V-12, db-2, COVID19", []),
        ("12,5 and 3/4 and 1.2.3 and 1,234,56", []),
        ("someone often listened", []),
        ("三千五百", ["3500"]),
        ("1亿2000万", ["120000000"]),
        ("三万亿，三亿五千万", ["3000000000000", "350000000"]),
        ("12.5万", ["125000"]),
        ("二〇二四", ["2024"]),
        ("一九五六", ["1956"]),
        ("三四个，一一说明，一二三", []),
        ("百分之三十，三分之一百，零分之一", ["0.3", "33.33333333333333333333333333"]),
        ("三成，2.5成，三成为", ["0.3", "0.25", "3"]),
        ("第三，第12", ["3", "12"]),
        ("万一，千万，百", []),
        ("十", ["10"]),
        ("", []),
    ],
)
def test_values(text: str, expected: list[str]) -> None:
    """Digits, words and signs are read; what can be read in two ways is not."""
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "form", "plain"),
    [
        ("one", "number", True),
        ("two", "number", False),
        ("first", "ordinal", True),
        ("third", "ordinal", False),
        ("3rd", "ordinal", False),
        ("two thirds", "share", False),
        ("第一", "ordinal", True),
        ("一", "number", True),
        ("十二", "number", False),
    ],
)
def test_forms(text: str, form: str, *, plain: bool) -> None:
    """What is a share, what an order, and what often counts nothing."""
    (found,) = find_numerals(text)
    assert (found.form, found.plain) == (form, plain)
    assert (found.start, found.end) == (0, len(text))


def in_words(value: int) -> str:
    """A number under a million in English."""
    if value >= 1000:
        rest = value % 1000
        return f"{in_words(value // 1000)} thousand" + (f" {in_words(rest)}" if rest else "")
    if value >= 100:
        rest = value % 100
        return f"{ONES[value // 100]} hundred" + (f" and {in_words(rest)}" if rest else "")
    if value >= 20:
        return TENS[value // 10] + (f"-{ONES[value % 10]}" if value % 10 else "")
    return TEENS[value - 10] if value >= 10 else ONES[value]


@given(st.integers(1, 999_999))
def test_words_and_digits_say_the_same(value: int) -> None:
    """In words, with commas, and in full-width digits, a number is the same."""
    wide = str(value).translate({ord("0") + at: 0xFF10 + at for at in range(10)})
    assert values(in_words(value)) == values(f"{value:,}") == values(wide) == [str(value)]


def in_signs(value: int) -> str:
    """A number under ten thousand in Chinese."""
    text = ""
    for power, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // power % 10
        if digit:
            text += SIGNS[digit] + sign
        elif text and value % power:
            text += "零"
    return text.replace("零零", "零")


@given(st.integers(10, 9_999))
def test_signs_and_digits_say_the_same(value: int) -> None:
    """A numeral of signs is the number of its digits, also times ten thousand."""
    assert values(in_signs(value)) == [str(value)]
    assert values(in_signs(value) + "万") == [str(value * 10_000)]


@given(st.text(max_size=60) | st.text("0123456789,.一二十百千万亿两 -/%of", max_size=60))
def test_numerals_are_disjoint_and_in_order(text: str) -> None:
    """Whatever the text, numbers stand in it one behind the other, and are finite."""
    found = list(find_numerals(to_half_width(text)))
    ends = [0, *(each.end for each in found)]
    assert all(end <= each.start < each.end for end, each in zip(ends, found, strict=False))
    assert all(each.end <= len(text) and each.value.is_finite() for each in found)


@given(st.text(max_size=60))
def test_narrow_and_lowered_keep_places(text: str) -> None:
    """Each code point stays where it is."""
    assert len(to_half_width(text)) == len(to_lower_case(text)) == len(text)
    assert to_lower_case("İ一A") == "İ一a"


def test_a_share_is_a_part_of_one() -> None:
    """Two thirds are two of three."""
    (found,) = find_numerals("two thirds")
    assert found.value == Decimal(2) / 3
