"""Finds shared words and possible contradictions of two texts by rules, without a model.

Each result is a hint for a reader, not a proof. A possible contradiction is a number, date or name
of one text, where the other text has a different one in a similar context, and no equal one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, Self, TypeVar

from tui_annotate.domain.spans import Span, merge
from tui_annotate.methods.dates import Date
from tui_annotate.methods.lexical import (
    FUNCTION_CHARACTERS,
    FUNCTION_WORDS,
    Word,
    find_words,
    is_content_word,
    is_unspaced_script,
    stem,
)
from tui_annotate.methods.numerals import LETTERS
from tui_annotate.methods.quantities import Quantity, find_quantities

_CAPITAL = "A-Z\u00c0-\u00d6\u00d8-\u00de"
_WORD = rf"[{_CAPITAL}][{LETTERS}\d\u2019'-]*"
_BETWEEN = rf"(?: |(?<=\b[{_CAPITAL}])\. |(?<=\b(?:[MD]r|St|Jr))\. | of | of the | de | van | von )"
_RUN = re.compile(rf"(?<![{LETTERS}\d'\u2019-]){_WORD}(?:{_BETWEEN}{_WORD})*")
_OPENING = re.compile(r"(?:\A|[.!?:;。！？：；\n•–—|])[\s\"'“”‘’(\[*-]*\Z|[\"“‘]\Z")
_TITLE = re.compile(
    r"《([^《》\n]{1,40})》|〈([^〈〉\n]{1,40})〉|[“「『]([^“”「」『』，。！？；：,.!?\n]{1,12})[”」』]"
)
_LOOK_BACK = 8
_STEM = 3
_MOST_CAPITALS = 0.75
"""Maximum fraction of capitalized words in ordinary text; a headline has more."""
_FEWEST_WORDS = 5
_BEFORE_NAMES = frozenset(word for word in FUNCTION_WORDS if len(word) > 1 or word in ("a", "i"))
"""Function words that never begin a name; single letters except a and i may be initials."""


@dataclass(frozen=True, slots=True)
class ProperName:
    """A proper name in a text, with its words in lower case; a quoted title is one word."""

    span: Span
    words: tuple[str, ...]
    title: bool = False

    def agrees(self, other: ProperName) -> bool:
        """Return whether two names in texts may refer to the same person or thing.

        One name must contain the other, be another form of it, or consist of its initials.
        """
        if self.title or other.title:
            return self.words[0] in other.words[0] or other.words[0] in self.words[0]
        own = set(self.words)
        its = set(other.words)
        if own <= its or its <= own:
            return True
        # Forms of one name: France, French; Norway, Norwegian.
        prefixes = {word[:_STEM] for word in own - its} & {word[:_STEM] for word in its - own}
        alike = any(len(prefix) == _STEM for prefix in prefixes)
        return alike or self._is_short_for(other) or other._is_short_for(self)

    def _is_short_for(self, other: ProperName) -> bool:
        if len(self.words) != 1 or len(other.words) < 2:
            return False
        initials = "".join(word[0] for word in other.words)
        return self.words[0].startswith(initials)


def find_names(text: str, *, known: frozenset[str] = frozenset()) -> Iterator[ProperName]:
    """Find the names in a text: sequences of capitalized words, and quoted titles: 《》."""
    for match in _TITLE.finditer(text):
        yield ProperName(
            Span(*match.span(match.lastindex or 0)), (match[match.lastindex or 0],), title=True
        )
    if _is_headline(text):
        return
    for match in _RUN.finditer(text):
        found = list(find_words(match.group()))
        if begins_sentence(text, match.start()) and _is_only_sentence_start(
            match.group(), found, known
        ):
            continue
        while found and found[0].text in _BEFORE_NAMES:
            del found[0]
        if found:
            span = Span(match.start() + found[0].start, match.start() + found[-1].end)
            named = tuple(word.text for word in found if word.text not in FUNCTION_WORDS)
            yield ProperName(span, named or (found[0].text,))


def _is_only_sentence_start(run: str, found: Sequence[Word], known: frozenset[str]) -> bool:
    """Return whether a word is capitalized only because it is the first of a sentence."""
    return len(found) == 1 and found[0].text not in known and not run[1:2].isupper()


def find_known_words(text: str) -> frozenset[str]:
    """Return, in lower case, the words of a text that are capitalized inside a sentence."""
    if _is_headline(text):
        return frozenset()
    return frozenset(
        word.text
        for match in _RUN.finditer(text)
        for word in find_words(match.group())
        if match.start() + word.start and not begins_sentence(text, match.start() + word.start)
    )


def begins_sentence(text: str, at: int) -> bool:
    """Return whether an offset is at the start of a text or sentence, or of a quotation."""
    return bool(_OPENING.search(text[max(0, at - _LOOK_BACK) : at])) or not text[:at].strip()


def _is_headline(text: str) -> bool:
    found = [word for word in re.findall(r"[^\W\d_]+", text) if word.lower() not in FUNCTION_WORDS]
    capitals = sum(word[0].isupper() for word in found)
    return len(found) >= _FEWEST_WORDS and capitals > _MOST_CAPITALS * len(found)


Kind = Literal["number", "date", "name"]
_Fact = TypeVar("_Fact", Date, Quantity, ProperName)

_FREQUENT = frozenset(("ordinal", "clock", "time"))
"""Groups of units, such as times; two numbers with such units in a sentence are often unrelated."""
_NUMBER_CONTEXT = 3
"""Number of content words to compare on each side of a number."""
_NAME_CONTEXT = 2
"""Number of content words to compare on each side of a name."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Parts of a claim and of its evidence that state different values of one thing."""

    claim: Span
    evidence: Span
    kind: Kind


def find_shared_words(selection: str, segment: str) -> list[Span]:
    """Find the words of a selected text in a sentence; return disjoint spans in order.

    Words are compared as in the lexical ranking. In scripts without spaces, sequences of two or
    more characters count. Single characters, and then function words such as "the", count only if
    nothing else is shared.
    """
    said = {word.text for word in find_words(selection)}
    both = [word for word in find_words(segment) if word.text in said]
    single = [
        word
        for word in both
        if is_unspaced_script(word.text) and word.text not in FUNCTION_CHARACTERS
    ]
    telling = [word for word in both if _is_telling(word, segment)]
    return list(merge(Span(word.start, word.end) for word in telling or single or both))


def find_contradictions(
    selection: str,
    segment: str,
    *,
    unsaid: Sequence[Span] | None = None,
    unheard: Sequence[Span] | None = None,
) -> list[Contradiction]:
    """Find numbers, dates and names of a selected text that a sentence may contradict.

    Values that are equal in another notation, unit or rounding are no contradiction. Each fact of
    the selection has at most one.

    `unsaid`, `unheard`: spans of `find_unsupported_words` in the selection and in the sentence; if
    given, only facts in these spans can contradict.
    """
    known = find_known_words(selection) | find_known_words(segment)
    pair = _FactPair(_TextFacts.of(selection, known), _TextFacts.of(segment, known))
    found = [
        *_pair_up("date", pair.claim.dates, pair.evidence.dates, likeness=pair.like_dates),
        *_pair_up("number", pair.claim.numbers, pair.evidence.numbers, likeness=pair.like_numbers),
        *_pair_up("name", pair.claim.names, pair.evidence.names, likeness=pair.like_names),
    ]
    found = [
        each
        for each in found
        if (unsaid is None or _is_marked(each.claim, unsaid))
        and (unheard is None or _is_marked(each.evidence, unheard))
    ]
    return sorted(found, key=lambda conflict: (conflict.claim, conflict.kind))


def _is_marked(span: Span, marks: Sequence[Span]) -> bool:
    return any(span.overlap(mark) for mark in marks)


def _is_telling(word: Word, text: str) -> bool:
    if is_content_word(word.text):
        return True
    return (
        len(word.text) > 1 and text[word.start].isupper() and not begins_sentence(text, word.start)
    )


@dataclass(frozen=True, slots=True)
class _TextFacts:
    dates: Sequence[Date]
    numbers: Sequence[Quantity]
    names: Sequence[ProperName]
    content: Sequence[Word]

    @classmethod
    def of(cls, text: str, known: frozenset[str]) -> Self:
        days, numbers = find_quantities(text)
        named = [
            name
            for name in find_names(text, known=known)
            if not _is_marked(name.span, [day.span for day in days])
        ]
        content = [
            Word(stem(word.text), word.start, word.end)
            for word in find_words(text)
            if _is_telling(word, text)
        ]
        return cls(days, numbers, named, content)

    def around(self, span: Span, *, before: int, after: int) -> set[str]:
        """Return the stems of at most `before` content words before a span and `after` after it."""
        first = bisect_left(self.content, span.start, key=lambda word: word.start)
        behind = bisect_left(self.content, span.end, key=lambda word: word.start)
        near = chain(
            self.content[max(0, first - before) : first], self.content[behind : behind + after]
        )
        return {word.text for word in near}


@dataclass(frozen=True, slots=True)
class _FactPair:
    claim: _TextFacts
    evidence: _TextFacts

    def like_dates(self, own: Date, its: Date) -> int:
        """Count the equal parts of two dates that contradict each other; 0 for other dates."""
        if own.alike(its) >= 0:
            return 0
        pairs = list(zip(own.parts(), its.parts(), strict=True))
        equal = sum(one == two for one, two in pairs if one)
        both_have_same_parts = all(bool(one) == bool(two) for one, two in pairs)
        return equal + 1 if both_have_same_parts else equal

    def like_numbers(self, own: Quantity, its: Quantity) -> int:
        """Score how likely two numbers mean the same thing, by unit, scale and nearby words."""
        if not own.comparable(its):
            return 0
        near = self._near(own.span, its.span, before=_NUMBER_CONTEXT, after=_NUMBER_CONTEXT)
        counted = self._near(own.span, its.span, before=0, after=_NAME_CONTEXT)
        have_units = own.unit is not None and its.unit is not None
        same_scale = own.scale != 0 and own.scale == its.scale
        same_kind = have_units or same_scale
        if not same_kind and not counted:
            return 0
        frequent = own.unit is not None and own.unit.group in _FREQUENT
        if (own.plain or its.plain or frequent) and not near:
            return 0
        score = len(near - counted)
        if same_kind:
            score += 2
        if counted:
            score += 2
        if own.value == its.value:
            score += 1
        return score

    def like_names(self, own: ProperName, its: ProperName) -> int:
        """Score how likely two names refer to the same thing, by the words around the names.

        If a name is a title in quotation marks, the score is 1 if both are, else 0.
        """
        if own.title or its.title:
            return int(own.title and its.title)
        if self._stands(own, self.evidence) or self._stands(its, self.claim):
            return 0
        score = len(self._near(own.span, its.span, before=_NAME_CONTEXT, after=_NAME_CONTEXT))
        if not score:
            return 0
        if set(own.words) & set(its.words):
            score += 1
        return score if score >= _NAME_CONTEXT else 0

    def _near(self, own: Span, its: Span, *, before: int, after: int) -> set[str]:
        return self.claim.around(own, before=before, after=after) & self.evidence.around(
            its, before=before, after=after
        )

    @staticmethod
    def _stands(name: ProperName, text: _TextFacts) -> bool:
        return {stem(word) for word in name.words} <= {word.text for word in text.content}


def _pair_up(
    kind: Kind,
    claims: Sequence[_Fact],
    evidence: Sequence[_Fact],
    *,
    likeness: Callable[[_Fact, _Fact], int],
) -> Iterator[Contradiction]:
    """Yield a possible contradiction for each fact of the claim that no evidence confirms."""
    free = [its for its in evidence if not any(own.agrees(its) for own in claims)]
    for own in claims:
        if any(own.agrees(its) for its in evidence):
            continue
        scored = [(likeness(own, its), -its.span.start, its) for its in free]
        score, _, best = max(scored, key=lambda each: each[:2], default=(0, 0, None))
        if score and best:
            yield Contradiction(own.span, best.span, kind)
