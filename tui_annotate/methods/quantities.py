"""Finds numbers with their units in a text, and checks whether two numbers may mean the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import NamedTuple

from tui_annotate.domain.spans import Span
from tui_annotate.methods.dates import Date, find_dates
from tui_annotate.methods.measurement_units import LONGEST_SIGNED, UNITS, Unit
from tui_annotate.methods.numerals import (
    LETTERS,
    Numeral,
    find_numerals,
    to_half_width,
    to_lower_case,
)

ORDINAL = Unit("ordinal", "one", Decimal(1))
SHARE = Unit("share", "one", Decimal(1))
CLOCK = Unit("clock", "minute", Decimal(1))

_ROUGH = Decimal("0.1")
"""Relative tolerance with which an approximate number equals another one."""
_CONVERTED = Decimal("0.02")
"""Relative tolerance with which numbers in different units are equal."""

_ABOUT = re.compile(
    r"(?:about|approx\.?|approximately|around|roughly|nearly|almost|some|over|under|more than|less"
    r" than|fewer than|up to|at least|at most|close to|just|~|约|近|大约|约为|超过|超|不到|逾|接近"
    r"|至少|最多|多达|将近)\s?(?:[$£€¥]\s?)?\Z",
    re.IGNORECASE,
)
_OR_MORE = re.compile(r" ?(?:or so|余|多|左右|以上|以下)")
_LOOK_BACK = 16
_FEWEST_DIGITS = 2
_VAGUE = ("几", "数", "上", "好几")
_BELOW = re.compile(r"(?:minus |零下)\Z")
_HALVES = {"下午": "p", "晚上": "p", "傍晚": "p", "上午": "a", "凌晨": "a", "早上": "a"}
_CURRENCY = re.compile(r"(?:us|hk)?[$£€¥円₹₩]\s?\Z|(?:eur|usd|gbp|rmb|cny|chf) \Z")
_UNIT = re.compile(rf"[ -]?(?:(?:us|u\.s\.) )?(per cent|°[cf]|[%℃]|[{LETTERS}]+)(?![{LETTERS}])")
_CLOCK = re.compile(
    rf"""(?<![{LETTERS}\d.,:$£€¥-])(?:
    (?P<hour>2[0-4]|[01]?\d):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])
      (?:\ ?(?P<half>[ap])\.?m\b\.?)?
    | (?P<hour12>1[0-2]|0?[1-9])(?:[.:](?P<past>[0-5]\d))?\ ?(?P<of>[ap])\.?\ ?m\b\.?
    | (?P<noon>noon|midnight)\b
    | (?P<part>上午|下午|晚上|凌晨|早上|中午|傍晚|夜里)?(?P<shi>2[0-4]|[01]?\d)\ ?[时時點点]
      (?!间|段|代|候|期)(?:\ ?(?P<fen>[0-5]?\d)\ ?分|(?P<ban>半))?)""",
    re.VERBOSE,
)
_COUNTED = re.compile(
    r" ?[余多来几]?"
    r"[个個名位家座条辆艘只头次所张项部台届件户轮场枚颗株棵片套级层倍种起例人字批组份亩]"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text with its unit, and the span that contains both."""

    span: Span
    value: Decimal
    unit: Unit | None = None
    about: bool = False
    plain: bool = False
    scale: int = 0

    def base(self) -> Decimal:
        """Return the value in the base of its unit; without a unit, the value."""
        return self.value * self.unit.factor if self.unit else self.value

    def comparable(self, other: Quantity) -> bool:
        """Return whether two numbers have comparable units, or one of the numbers has no unit."""
        return not self.unit or not other.unit or self.unit.group == other.unit.group

    def agrees(self, other: Quantity) -> bool:
        """Return whether two numbers may mean the same, after rounding and unit conversion."""
        if not self.comparable(other):
            return False
        if not self.unit or not other.unit:
            near = _is_within(self.value, other.value, self._tolerance(other))
            return near or self.base() == other.base() or self._is_rounded(other)
        if self.unit.base != other.unit.base:
            return False
        slack = max(self._tolerance(other), _CONVERTED if self.unit != other.unit else Decimal(0))
        return _is_within(self.base(), other.base(), slack) or self._is_rounded(other)

    def _tolerance(self, other: Quantity) -> Decimal:
        return _ROUGH if self.about or other.about else Decimal(0)

    def _is_rounded(self, other: Quantity) -> bool:
        """Return whether one number is the other one rounded: 12 million for 12.3 million."""
        coarse, fine = sorted((self, other), key=lambda each: _count_digits(each.value))
        digits = _count_digits(coarse.value)
        if digits < _FEWEST_DIGITS or not (coarse.scale or fine.value % 1):
            return False
        return Context(prec=digits).plus(fine.base()) == coarse.base()


class Quantities(NamedTuple):
    """The dates and the numbers of a text, each in order; no two of their spans overlap."""

    dates: list[Date]
    numbers: list[Quantity]


def find_quantities(text: str) -> Quantities:
    """Find the dates and the numbers of a text; the digits of a date are not numbers."""
    plain = to_half_width(text)
    lower = to_lower_case(plain)
    found = find_dates(plain)
    clocks = list(_without_overlaps(_find_clocks(lower), [date.span for date in found]))
    taken = sorted([*(date.span for date in found), *(clock.span for clock in clocks)])
    counts = filter(None, (_to_quantity(lower, numeral) for numeral in find_numerals(plain)))
    kept: list[Quantity] = []
    for count in _without_overlaps(counts, taken):
        if not kept or kept[-1].span.end <= count.span.start:
            kept.append(count)
    return Quantities(found, sorted((*clocks, *kept), key=lambda each: each.span))


def _without_overlaps(found: Iterable[Quantity], taken: Sequence[Span]) -> Iterator[Quantity]:
    at = 0
    for each in found:
        while at < len(taken) and taken[at].end <= each.span.start:
            at += 1
        if at == len(taken) or each.span.end <= taken[at].start:
            yield each


def _find_clocks(lower: str) -> Iterator[Quantity]:
    for match in _CLOCK.finditer(lower):
        yield Quantity(Span(*match.span()), Decimal(_to_minutes(match)), CLOCK)


def _to_minutes(match: re.Match[str]) -> int:
    if match["noon"]:
        return 12 * 60 if match["noon"] == "noon" else 0
    hour = int(match["hour"] or match["hour12"] or match["shi"])
    minute = int(match["minute"] or match["past"] or match["fen"] or (30 if match["ban"] else 0))
    half = match["half"] or match["of"] or _HALVES.get(match["part"] or "", "")
    if half and hour <= 12:
        hour %= 12
        if half == "p":
            hour += 12
    return hour % 24 * 60 + minute


def _to_quantity(lower: str, numeral: Numeral) -> Quantity | None:
    """Return a number with its unit; None for a Chinese digit that counts nothing: 一直."""
    start = numeral.start
    end = numeral.end
    value = numeral.value
    unit = None
    before = lower[max(0, start - _LOOK_BACK) : start]
    money = _CURRENCY.search(before)
    if numeral.form != "number":
        unit = SHARE if numeral.form == "share" else ORDINAL
    elif money:
        start -= len(money.group())
        unit = UNITS[money.group().strip()]
        if lower[end : end + 1] == "m" and not lower[end + 1 : end + 2].isalpha():
            value = value.scaleb(6)
            end = end + 1
    else:
        unit, end = _find_unit(lower, end)
    counted = _COUNTED.match(lower, numeral.end)
    signs = not lower[numeral.start].isascii() and numeral.form == "number"
    if signs and numeral.plain and not unit and not counted:
        return None
    if signs and before.endswith(_VAGUE):
        return None
    if _BELOW.search(before) or (before.endswith("-") and not before[-2:-1].isalnum()):
        value = -value
    about = bool(_ABOUT.search(before.removesuffix(money.group()) if money else before))
    about = about or bool(_OR_MORE.match(lower, numeral.end) or _OR_MORE.match(lower, end))
    plain = numeral.plain and value == 1 and not (unit and unit is not ORDINAL)
    return Quantity(
        span=Span(start, end),
        value=value,
        unit=unit,
        about=about,
        plain=plain,
        scale=numeral.scale,
    )


def _find_unit(lower: str, at: int) -> tuple[Unit | None, int]:
    at_signs = at
    if lower[at : at + 1] in (" ", "余", "多", "来", "几"):
        at_signs += 1
    for length in range(LONGEST_SIGNED, 0, -1):
        name = lower[at_signs : at_signs + length]
        if len(name) == length and not name[0].isascii() and name in UNITS:
            return UNITS[name], at_signs + length
    if found := _UNIT.match(lower, at):
        unit = UNITS.get(found[1].replace("per cent", "percent"))
        if unit:
            return unit, found.end()
    return None, at


def _is_within(one: Decimal, other: Decimal, slack: Decimal) -> bool:
    return abs(one - other) <= slack * max(abs(one), abs(other))


def _count_digits(value: Decimal) -> int:
    return len(value.normalize().as_tuple().digits)
