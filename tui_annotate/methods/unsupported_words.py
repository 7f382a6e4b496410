"""Finds the numbers, dates and words of a text that other texts do not contain.

The time is linear in the length of all texts. A result is only a hint: other words can have the
same meaning, and the same words another meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Self

from tui_annotate.domain.spans import Span, merge
from tui_annotate.methods.dates import Date
from tui_annotate.methods.lexical import (
    FUNCTION_CHARACTERS,
    FUNCTION_WORDS,
    Word,
    find_words,
    is_unspaced_script,
    stem,
)
from tui_annotate.methods.quantities import Quantity, find_quantities

_FEWEST_SIGNS = 2
_MOST_LOOSE = 3
"""Number words up to this value, such as "two", are never reported as unsupported."""
_ITEM = re.compile(r"(?<![^\n ])(?<![^\n] )\d{1,2}[.)] ")
"""Pattern of the number that begins an item of a list, such as `1.` or `2)`."""


@dataclass(frozen=True, slots=True)
class _Facts:
    """The stems of words, the numbers and the parts of dates of several texts.

    Attributes:
        plain: numbers as written, without their units.
        values: numbers in their base unit, with the name of the unit.
    """

    words: frozenset[str]
    plain: frozenset[Decimal]
    values: frozenset[tuple[Decimal, str]]
    dates: frozenset[tuple[str, int, int]]

    @classmethod
    def by(cls, texts: Iterable[str]) -> Self:
        found: set[str] = set()
        plain: set[Decimal] = set()
        values: set[tuple[Decimal, str]] = set()
        parts: set[tuple[str, int, int]] = set()
        for text in texts:
            found.update(word.text for word in find_words(text))
            own = find_quantities(text)
            plain.update(one.value for one in own.numbers)
            values.update(_base_value(one) for one in own.numbers)
            parts.update(part for date in own.dates for part in _parts(date))
        return cls(
            frozenset(map(stem, found)), frozenset(plain), frozenset(values), frozenset(parts)
        )

    def has_number(self, found: Quantity) -> bool:
        if _base_value(found) in self.values or (found.value, "") in self.values:
            return True
        year = int(found.value) if found.value % 1 == 0 else 0
        return not found.unit and (found.value in self.plain or ("year", year, 0) in self.dates)

    def has_date(self, date: Date) -> bool:
        return all(part in self.dates or Decimal(part[1]) in self.plain for part in _parts(date))


def find_unsupported_words(text: str, others: Sequence[str]) -> list[Span]:
    """Find numbers, dates and content words of a text that are missing from all other texts.

    The spans are disjoint and in order; words separated by one space form one span. In scripts
    without spaces, a sequence of two or more characters is marked if no other text contains any
    pair of its adjacent characters.
    """
    said = _Facts.by(others)
    own = find_quantities(text)
    marked = [
        one.span
        for one in own.numbers
        if not (said.has_number(one) or _is_vague(one, text) or _ITEM.match(text, one.span.start))
    ]
    marked += [date.span for date in own.dates if not said.has_date(date)]
    taken = sorted([*(date.span for date in own.dates), *(one.span for one in own.numbers)])
    marked += _find_missing_words(_without_overlaps(find_words(text), taken), said.words)
    return _join_spaced(text, merge(marked))


def _is_vague(found: Quantity, text: str) -> bool:
    counts = found.unit is None or found.unit.group == "ordinal"
    return counts and found.value <= _MOST_LOOSE and not text[found.span.start].isdecimal()


def _base_value(found: Quantity) -> tuple[Decimal, str]:
    return found.base(), found.unit.base if found.unit else ""


def _parts(date: Date) -> list[tuple[str, int, int]]:
    day = [("day", date.day, date.month)] if date.day else []
    month = [("month", date.month, 0)] if date.month else []
    year = [("year", date.year, 0)] if date.year else []
    weekday = [("weekday", date.weekday, 0)] if date.weekday else []
    return [*day, *month, *year, *weekday]


def _without_overlaps(found: Iterable[Word], taken: Sequence[Span]) -> Iterator[Word]:
    at = 0
    for word in found:
        while at < len(taken) and taken[at].end <= word.start:
            at += 1
        if at == len(taken) or word.end <= taken[at].start:
            yield word


def _find_missing_words(found: Iterable[Word], said: frozenset[str]) -> Iterator[Span]:
    signs: list[Word] = []
    held: set[int] = set()
    for word in found:
        if word.text.isascii() or not is_unspaced_script(word.text):
            if word.text not in FUNCTION_WORDS and stem(word.text) not in said:
                yield Span(word.start, word.end)
        elif len(word.text) == 1:
            signs.append(word)
        elif word.text in said:
            held.update(range(word.start, word.end))
    yield from _join_neighbours(word for word in signs if word.start not in held)


def _join_neighbours(signs: Iterable[Word]) -> Iterator[Span]:
    run: list[Word] = []
    for word in [*signs, None]:
        if word and run and run[-1].end == word.start:
            run.append(word)
            continue
        while run and run[-1].text in FUNCTION_CHARACTERS:
            run.pop()
        if len(run) >= _FEWEST_SIGNS:
            yield Span(run[0].start, run[-1].end)
        run = [word] if word and word.text not in FUNCTION_CHARACTERS else []


def _join_spaced(text: str, spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in spans:
        if joined and text[joined[-1].end : span.start] == " ":
            joined[-1] = joined[-1].union(span)
        else:
            joined.append(span)
    return joined
