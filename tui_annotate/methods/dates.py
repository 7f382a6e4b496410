"""Finds dates in English and Chinese text: the written year, month, day and weekday.

Ambiguous dates are skipped: 5/6/2020, and "may" or "march" without a day or a year.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui_annotate.domain.spans import Span
from tui_annotate.methods.measurement_units import SIGNS, UNITS
from tui_annotate.methods.numerals import LETTERS, parse_chinese_numeral, to_lower_case
from tui_annotate.methods.numerals import SIGNS as NUMERAL_SIGNS

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_AMBIGUOUS = frozenset(("may", "march", "august", "mar", "sept", "sep", "jan", "dec", "nov", "oct"))
_YEARS = range(1700, 2100)
_MOST_DAYS = 31
_LOOK_BACK = 12

_MONTH = "|".join([*_MONTHS, *(name[:3] for name in _MONTHS if name != "may"), "sept"])
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?![\d%])"
_YEAR = r"(?:1\d|2[01])\d\d(?!\d)"
_FEW = rf"(?:\d{{1,2}}|[{NUMERAL_SIGNS}]{{1,3}})"
_ENGLISH = re.compile(
    rf"""(?=[1-3jfmasondtw])(?<![{LETTERS}\d])(?<!\d[.,/-])(?:
    (?P<iso>{_YEAR}-[01]\d-[0-3]\d)(?!\d)
    | (?:(?P<day>{_DAY})(?:\ of)?\ )? (?P<month>{_MONTH})(?![{LETTERS}])
      (?:\.?(?:\ |\ the\ )(?P<after>{_DAY})(?!\ (?:{_MONTH})))?
      (?:\.?,?\ (?:of\ )?(?P<with>{_YEAR}))?
    | (?P<weekday>{"|".join(_WEEKDAYS)})(?![{LETTERS}])
    | (?P<year>{_YEAR})(?P<decade>'?s)?(?![{LETTERS}%°]|[.,/:]\d|\ ?年)
    )""",
    re.VERBOSE,
)
_CHINESE = re.compile(
    rf"""(?<![\d{NUMERAL_SIGNS}])(?P<year>\d{{4}}|[〇零一二三四五六七八九]{{4}})\ ?年(?!代)
        (?:\ ?(?P<month>{_FEW})\ ?月(?!球|饼|亮)(?:\ ?(?P<day>{_FEW})\ ?[日号])?)?
    | (?<![\d{NUMERAL_SIGNS}个])(?P<of>{_FEW})\ ?月(?!球|饼|亮)(?:\ ?(?P<on>{_FEW})\ ?[日号])?
    | (?<![\d{NUMERAL_SIGNS}.,])(?P<alone>{_FEW})\ ?(?:日|号(?![线楼院店机]))
    | (?:星期|周|礼拜)(?P<weekday>[一二三四五六日天])""",
    re.VERBOSE,
)
_BEFORE = re.compile(
    r"\b(?:[Ii]n|of|by|[Ss]ince|until|till|from|[Ll]ast|[Nn]ext|this|[Ee]arly|mid|[Ll]ate|and"
    r"|to|before|after|during)[ -]\Z"
)
_NEXT = re.compile(r"[ -]?([a-zA-Z]+)")
_NO_DIGIT = re.compile(r"\D")


@dataclass(frozen=True, slots=True)
class Date:
    """A date in a text; missing parts are 0, and Monday is weekday 1."""

    span: Span
    year: int = 0
    month: int = 0
    day: int = 0
    weekday: int = 0

    def parts(self) -> tuple[int, int, int, int]:
        """Return year, month, day and weekday; a missing part is 0."""
        return self.year, self.month, self.day, self.weekday

    def alike(self, other: Date) -> int:
        """Return how many parts, such as the year, two dates share; -1 if any part contradicts."""
        both = [
            own == its for own, its in zip(self.parts(), other.parts(), strict=True) if own and its
        ]
        return sum(both) if all(both) else -1

    def agrees(self, other: Date) -> bool:
        """Return whether two dates may mean the same: they share a part, and none contradicts."""
        return self.alike(other) > 0


def find_dates(text: str) -> list[Date]:
    """Find the dates of a text without full-width characters, in order, without overlaps."""
    found = [_parse_english(match, text) for match in _ENGLISH.finditer(to_lower_case(text))]
    if not text.isascii():
        found += map(_parse_chinese, _CHINESE.finditer(text))
    kept: list[Date] = []
    for date in sorted(filter(None, found), key=lambda date: date.span):
        if not kept or not kept[-1].span.overlap(date.span):
            kept.append(date)
    return kept


def _parse_english(match: re.Match[str], text: str) -> Date | None:
    span = Span(*match.span())
    if match["iso"]:
        return Date(span, *map(int, match["iso"].split("-")))
    if match["weekday"]:
        return Date(span, weekday=_WEEKDAYS.index(match["weekday"]) + 1)
    if match["year"]:
        return _parse_year(match, text)
    start = match.start("month")
    year = match["with"]
    day = match["day"] or match["after"]
    if not day and not year and match["month"] in _AMBIGUOUS:
        before = _BEFORE.search(text, max(0, start - _LOOK_BACK), start)
        if not before or not text[start].isupper():
            return None
    month = next(at for at, name in enumerate(_MONTHS, 1) if name[:3] == match["month"][:3])
    return Date(span, int(year or 0), month, int(_NO_DIGIT.sub("", day or "0")))


def _parse_year(match: re.Match[str], text: str) -> Date | None:
    start = match.start("year")
    year = int(match["year"])
    follows = _NEXT.match(text, match.end())
    if year not in _YEARS or (follows and follows[1].lower() in UNITS):
        return None
    return None if text[start - 1 : start] in SIGNS else Date(Span(start, match.end()), year)


def _parse_chinese(match: re.Match[str]) -> Date | None:
    parts = {
        name: parse_chinese_numeral(value)
        for name, value in match.groupdict("").items()
        if value and name != "weekday"
    }
    month = parts.get("month", parts.get("of", 0))
    day = parts.get("day", parts.get("on", parts.get("alone", 0)))
    if month > len(_MONTHS) or day > _MOST_DAYS or 0 in parts.values():
        return None
    weekday = "一二三四五六日".find(match["weekday"] or "_") + 1
    if match["weekday"] == "天":
        weekday = len(_WEEKDAYS)
    return Date(Span(*match.span()), parts.get("year", 0), month, day, weekday)
