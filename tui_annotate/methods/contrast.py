"""What two texts share and where they may differ, word by word: offline, by rules, no model.

Every mark is a hint for a reader. A possible conflict is a number, date or name of the one text
where the other has another of its kind in a like place, and nothing equal; it is no proof.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, Self, TypeVar

from tui_annotate.domain.spans import Span, merge
from tui_annotate.methods.dates import Date
from tui_annotate.methods.function_words import FUNCTION_SIGNS, FUNCTION_WORDS, stem
from tui_annotate.methods.lexical import Word, is_signs, words
from tui_annotate.methods.names import Name, known_words, names, opens
from tui_annotate.methods.quantities import Quantity, told
from tui_annotate.methods.support import unsupported

__all__ = ["Conflict", "Kind", "conflicts", "shared", "unsupported"]

Kind = Literal["number", "date", "name"]
_Fact = TypeVar("_Fact", Date, Quantity, Name)

_OFTEN = frozenset(("ordinal", "clock", "time"))
"""Groups of units of which one sentence tells several, of different things."""
_FAR = 3
"""Telling words on either side that are near a number."""
_NEAR = 2
"""The same for a name, and for what a number counts."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two things of a kind that may contradict each other.

    Attributes:
        claim: in the selection.
        evidence: in the segment.
    """

    claim: Span
    evidence: Span
    kind: Kind


def shared(selection: str, segment: str) -> list[Span]:
    """Where words of the selection stand in the segment; disjoint, in order.

    Words are compared as the ranking compares them. Of scripts without spaces, runs of two signs
    and more count; a single sign, and then a word like "the", only where there is nothing else.
    """
    said = {word.text for word in words(selection)}
    both = [word for word in words(segment) if word.text in said]
    single = [word for word in both if is_signs(word.text) and word.text not in FUNCTION_SIGNS]
    telling = [word for word in both if _tells(word, segment)]
    return list(merge(Span(word.start, word.end) for word in telling or single or both))


def conflicts(
    selection: str,
    segment: str,
    *,
    unsaid: Sequence[Span] | None = None,
    unheard: Sequence[Span] | None = None,
) -> list[Conflict]:
    """Numbers, dates and names of the selection that the segment may contradict; in order.

    What is equal in another writing, unit or rounding is no conflict, and nothing has two.

    Args:
        unsaid, unheard: the marks of `unsupported` in the selection and in the segment. Where they
            are known, nothing else conflicts: what stands elsewhere in the other texts may be
            said of something else here. Known of a summary, they make most marks right.
    """
    known = known_words(selection) | known_words(segment)
    pair = _Pair(_Read.of(selection, known), _Read.of(segment, known))
    found = [
        *_rivals("date", pair.claim.dates, pair.evidence.dates, likeness=pair.like_dates),
        *_rivals("number", pair.claim.numbers, pair.evidence.numbers, likeness=pair.like_numbers),
        *_rivals("name", pair.claim.names, pair.evidence.names, likeness=pair.like_names),
    ]
    found = [
        each
        for each in found
        if (unsaid is None or _marked(each.claim, unsaid))
        and (unheard is None or _marked(each.evidence, unheard))
    ]
    return sorted(found, key=lambda conflict: (conflict.claim, conflict.kind))


def _marked(span: Span, marks: Sequence[Span]) -> bool:
    return any(span.overlap(mark) for mark in marks)


def _tells(word: Word, text: str) -> bool:
    """Whether a word says something by itself; a single sign does not, "May" does."""
    if is_signs(word.text):
        return len(word.text) > 1 and not set(word.text) <= FUNCTION_SIGNS
    if word.text not in FUNCTION_WORDS:
        return True
    return len(word.text) > 1 and text[word.start].isupper() and not opens(text, word.start)


@dataclass(frozen=True, slots=True)
class _Read:
    """A text as it is held against another.

    Attributes:
        content: the stems of its telling words, and where they stand.
    """

    dates: Sequence[Date]
    numbers: Sequence[Quantity]
    names: Sequence[Name]
    content: Sequence[Word]

    @classmethod
    def of(cls, text: str, known: frozenset[str]) -> Self:
        days, numbers = told(text)
        named = [
            name
            for name in names(text, known=known)
            if not _marked(name.span, [day.span for day in days])
        ]
        content = [
            Word(stem(word.text), word.start, word.end)
            for word in words(text)
            if _tells(word, text)
        ]
        return cls(days, numbers, named, content)

    def around(self, span: Span, *, before: int, after: int) -> set[str]:
        """So many telling words next to a span, without those in it."""
        first = bisect_left(self.content, span.start, key=lambda word: word.start)
        behind = bisect_left(self.content, span.end, key=lambda word: word.start)
        near = chain(
            self.content[max(0, first - before) : first], self.content[behind : behind + after]
        )
        return {word.text for word in near}


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two texts, and how much speaks for two of their facts telling of one thing; 0 for nothing."""

    claim: _Read
    evidence: _Read

    def like_dates(self, own: Date, its: Date) -> int:
        """Dates tell the same parts, or have one in common and differ in another."""
        equal = sum(one == two != 0 for one, two in zip(own.parts(), its.parts(), strict=True))
        same = list(map(bool, own.parts())) == list(map(bool, its.parts()))
        return equal + same if own.alike(its) < 0 else 0

    def like_numbers(self, own: Quantity, its: Quantity) -> int:
        """Numbers have comparable units, an equal scale, or count things of one name."""
        if not own.comparable(its):
            return 0
        near = self._near(own.span, its.span, before=_FAR, after=_FAR)
        counted = self._near(own.span, its.span, before=0, after=_NEAR)
        units = own.unit is not None and its.unit is not None
        kind = units or bool(own.scale and own.scale == its.scale)
        weak = own.plain or its.plain or (own.unit is not None and own.unit.group in _OFTEN)
        if not (kind or counted) or (weak and not near):
            return 0
        return 2 * kind + 2 * bool(counted) + len(near - counted) + (own.value == its.value)

    def like_names(self, own: Name, its: Name) -> int:
        """Titles are titles; names have two neighbours in common, or one and a word."""
        if own.title or its.title:
            return int(own.title and its.title)
        if self._stands(own, self.evidence) or self._stands(its, self.claim):
            return 0
        near = len(self._near(own.span, its.span, before=_NEAR, after=_NEAR))
        score = near + bool(set(own.words) & set(its.words))
        return score if near and score >= _NEAR else 0

    def _near(self, own: Span, its: Span, *, before: int, after: int) -> set[str]:
        return self.claim.around(own, before=before, after=after) & self.evidence.around(
            its, before=before, after=after
        )

    @staticmethod
    def _stands(name: Name, text: _Read) -> bool:
        """Whether all words of a name stand somewhere in a text."""
        return {stem(word) for word in name.words} <= {word.text for word in text.content}


def _rivals(
    kind: Kind,
    claims: Sequence[_Fact],
    evidence: Sequence[_Fact],
    *,
    likeness: Callable[[_Fact, _Fact], int],
) -> Iterator[Conflict]:
    """For each claim that nothing agrees with, what is most like it and agrees with no claim."""
    free = [its for its in evidence if not any(own.agrees(its) for own in claims)]
    for own in claims:
        if any(own.agrees(its) for its in evidence):
            continue
        scored = [(likeness(own, its), -its.span.start, its) for its in free]
        score, _, best = max(scored, key=lambda each: each[:2], default=(0, 0, None))
        if score and best:
            yield Conflict(own.span, best.span, kind)
