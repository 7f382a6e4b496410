"""Finds numbers in English and Chinese text, in digits or words, with their exact values.

Ambiguous numbers (12,5; 3/4; 1.2.3; 三四个) are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Final, Literal, NamedTuple

Form = Literal["number", "share", "ordinal"]


class Numeral(NamedTuple):
    """A number in a text at code points `[start, end)`.

    Attributes:
        scale: the power of ten that is written as a word: 6 for "15 million", 0 for "15,000,000".
        plain: whether the number is a word that often is not a count: one, first, 一.
    """

    value: Decimal
    start: int
    end: int
    form: Form = "number"
    scale: int = 0
    plain: bool = False


def _enumerate_words(words: str, first: int, step: int = 1) -> dict[str, int]:
    return {word: first + step * at for at, word in enumerate(words.split())}


_ONES = _enumerate_words("one two three four five six seven eight nine", 1)
_TEENS = _enumerate_words(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 10
)
_TENS = _enumerate_words("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
_SMALL = {"a": 1, "an": 1, **_ONES, **_TEENS, **_TENS}
_BIG = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_SCALES = {"hundred": 2, **_BIG, "k": 3, "mn": 6, "mln": 6, "bn": 9, "tn": 12}
_ORDINALS = _enumerate_words(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    1,
)
_PARTS = {
    "half": 2,
    "quarter": 4,
    **{word: value for word, value in _ORDINALS.items() if 2 < value < 11},
}
_DIGIT_SIGNS = _enumerate_words("〇 一 二 三 四 五 六 七 八 九", 0) | {"零": 0, "两": 2, "兩": 2}
_POWERS = {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8}

SIGNS: Final = "".join((*_DIGIT_SIGNS, *_POWERS))
LETTERS: Final = "A-Za-z\u00c0-\u024f"

_WIDE = {0xFF01 + at: 0x21 + at for at in range(94)} | {0x2212: 0x2D, 0xA0: 0x20, 0x202F: 0x20}
_FEWEST_SIGNS = 3
"""Minimum length of a row of Chinese digits that is a number; 三四 means "three or four"."""


def _any_of(words: Iterator[str] | dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_LOW = rf"(?:(?:{_any_of(_TENS)})(?:[- ](?:{_any_of(_ONES)}))?|{_any_of(_TEENS)}|{_any_of(_ONES)})"
_HUNDREDS = rf"(?:{_LOW}|an?(?= hundred))(?:[ -]hundred(?:(?: and)? {_LOW})?)?"
_WORDS = (
    rf"(?:{_HUNDREDS}|an?(?= (?:{_any_of(_BIG)})))"
    rf"(?:[ -](?:{_any_of(_BIG)})(?:,?(?: and)? {_HUNDREDS})?)*"
)
_PART = rf"(?:halves|(?:{_any_of(_PARTS)})s?)"
_MARK = rf"[{''.join(_POWERS)}]"
_RUN = f"[{SIGNS}]{{1,24}}"
_FIRST = "".join({word[0] for word in (*_SMALL, *_ORDINALS, *_PARTS)})
_PATTERN = re.compile(
    rf"(?P<whole>(?<!\d)\d{{1,9}}|{_RUN})分之(?P<piece>{_DIGITS}|{_RUN})"
    rf"|(?P<tenths>(?<!\d){_DIGITS}|[{''.join(_DIGIT_SIGNS)}])成(?![为立功员本长果绩人年都熟])"
    rf"|(?=[{_FIRST}\d])(?<![{LETTERS}\d])(?<![{LETTERS}]-)(?<!\d[.,/])(?:"
    rf"(?P<digits>{_DIGITS})(?![.,/]?\d)(?:"
    rf"(?P<th>st|nd|rd|th)(?![{LETTERS}])"
    rf"|(?: ?|-)(?P<scale>{_any_of(_SCALES)})(?![{LETTERS}])"
    rf"|(?P<mixed>{_MARK}{{1,3}}(?:{_DIGITS}{_MARK}{{1,3}}){{0,3}}))?"
    rf"|(?P<part>(?:(?:{_any_of(_ONES)})[ -]{_PART}|(?:an? )?{_PART}(?= of ))(?![{LETTERS}]))"
    rf"|(?P<dozen>(?:an?|{_any_of(_ONES)}|{_any_of(_TEENS)}) dozen(?![{LETTERS}]))"
    rf"|(?P<words>{_WORDS})(?![{LETTERS}])"
    rf"|(?P<ordinal>{_any_of(_ORDINALS)})(?![{LETTERS}]))"
    rf"|第(?P<nth>\d+|{_RUN})"
    rf"|(?P<characters>{_RUN})"
)


def to_half_width(text: str) -> str:
    """Convert full-width characters of a text to ASCII, without a change of its length."""
    return text if text.isascii() else text.translate(_WIDE)


def to_lower_case(text: str) -> str:
    """Convert a text to lower case, without a change of its length in code points."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(sign if len(sign.lower()) > 1 else sign.lower() for sign in text)


def parse_chinese_numeral(signs: str) -> int:
    """Return the value of a whole number in Chinese characters or in digits, such as 二十 or 20."""
    return int(_parse_characters(signs))


def find_numerals(text: str) -> Iterator[Numeral]:
    """Find the numbers in a text without full-width characters, in order."""
    for match in _PATTERN.finditer(to_lower_case(text)):
        name = next(name for name in _READERS if match[name])
        found = _READERS[name](match)
        if found is not None:
            yield found._replace(start=match.start(), end=match.end())


def _read_digits(match: re.Match[str]) -> Numeral:
    if match["mixed"]:
        return _number(_parse_characters(match["digits"] + match["mixed"]), len(match["mixed"]))
    value = Decimal(match["digits"].replace(",", ""))
    if match["th"]:
        return Numeral(value, 0, 0, "ordinal")
    scale = _SCALES[match["scale"]] if match["scale"] else 0
    return _number(value.scaleb(scale), scale)


def _number(value: Decimal, scale: int = 0) -> Numeral:
    return Numeral(value, 0, 0, scale=scale)


def _read_part(match: re.Match[str]) -> Numeral:
    *count, part = re.split("[ -]", match["part"])
    part = "half" if part == "halves" else part.removesuffix("s")
    return Numeral(Decimal(_SMALL[count[0]] if count else 1) / _PARTS[part], 0, 0, "share")


def _read_words(match: re.Match[str]) -> Numeral:
    total = part = scale = 0
    for word in re.split(r"[ ,-]+", match["words"]):
        if word == "hundred":
            part = part * 100
            scale = 2
        elif word in _BIG:
            scale = _BIG[word]
            total = total + part * 10**scale
            part = 0
        elif word != "and":
            part += _SMALL[word]
    return Numeral(Decimal(total + part), 0, 0, scale=scale, plain=total + part == 1)


def _read_ordinal(match: re.Match[str]) -> Numeral:
    value = _ORDINALS[match["ordinal"]]
    return Numeral(Decimal(value), 0, 0, "ordinal", plain=value <= 2)


def _read_fraction(match: re.Match[str]) -> Numeral | None:
    whole = 100 if match["whole"] == "百" else _parse_characters(match["whole"])
    return Numeral(_parse_characters(match["piece"]) / whole, 0, 0, "share") if whole else None


def _read_characters(match: re.Match[str]) -> Numeral | None:
    signs = match["characters"]
    if signs[0] in "百千万萬亿億":
        return None
    if len(signs) > 1 and not set(signs) & set(_POWERS):
        zero = set(signs) & {"〇", "零"}
        if len(signs) < _FEWEST_SIGNS or len(set(signs)) == 1 or not (zero or len(signs) == 4):
            return None
    return Numeral(_parse_characters(signs), 0, 0, scale=len(signs) - 1, plain=len(signs) == 1)


_READERS: dict[str, Callable[[re.Match[str]], Numeral | None]] = {
    "digits": _read_digits,
    "part": _read_part,
    "dozen": lambda match: _number(Decimal(12 * _SMALL[match["dozen"].split()[0]])),
    "words": _read_words,
    "ordinal": _read_ordinal,
    "whole": _read_fraction,
    "tenths": lambda match: Numeral(_parse_characters(match["tenths"]) / 10, 0, 0, "share"),
    "nth": lambda match: Numeral(
        _parse_characters(match["nth"]), 0, 0, "ordinal", plain=match["nth"] == "一"
    ),
    "characters": _read_characters,
}


def _parse_characters(signs: str) -> Decimal:
    """Parse a numeral of Chinese characters, digits or both: 1亿2000万, 三千五百, 二〇二四."""
    if signs.replace(",", "").replace(".", "").isdecimal():
        return Decimal(signs.replace(",", ""))
    if not set(signs) & set(_POWERS):
        return Decimal("".join(str(_DIGIT_SIGNS[sign]) for sign in signs))
    total = Decimal(0)
    section = Decimal(0)
    part = Decimal(0)
    for token in re.findall(rf"{_DIGITS}|.", signs):
        if token not in _POWERS:
            part = Decimal(_DIGIT_SIGNS.get(token, token.replace(",", "")))
        elif _POWERS[token] < _POWERS["万"]:
            section = section + (part or 1) * 10 ** _POWERS[token]
            part = Decimal(0)
        else:
            factor = 10 ** _POWERS[token]
            if _POWERS[token] > _POWERS["万"]:  # 亿 multiplies all before it: 一万亿
                total = (total + section + part) * factor
            else:
                total += (section + part) * factor
            section = Decimal(0)
            part = Decimal(0)
    return total + section + part
