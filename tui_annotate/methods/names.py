"""Names as capitals and title marks show them; knows no list of names, and can be wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tui_annotate.domain.spans import Span
from tui_annotate.methods.function_words import FUNCTION_WORDS
from tui_annotate.methods.lexical import Word, words
from tui_annotate.methods.numerals import LETTERS

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
"""First letters that forms of a name share: Polish, Poland."""
_MOST_CAPITALS = 0.75
"""Share of words with a capital from which on a capital says nothing: a headline."""
_FEWEST_WORDS = 5
_BEFORE_NAMES = frozenset(word for word in FUNCTION_WORDS if len(word) > 1 or word in ("a", "i"))
"""What is no part of the name behind it; an initial is."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name and its words, lower case, in order; those of a title are its signs as they stand."""

    span: Span
    words: tuple[str, ...]
    title: bool = False

    def agrees(self, other: Name) -> bool:
        """Whether the two can name the same: one in the other, forms of a word, or initials."""
        if self.title or other.title:
            return self.words[0] in other.words[0] or other.words[0] in self.words[0]
        own, its = set(self.words), set(other.words)
        if own <= its or its <= own:
            return True
        alike = any(_alike(one, two) for one in own - its for two in its - own)
        return alike or self._is_short_for(other) or other._is_short_for(self)

    def _is_short_for(self, other: Name) -> bool:
        initials = "".join(word[0] for word in other.words)
        return len(self.words) == 1 < len(initials) and self.words[0].startswith(initials)


def names(text: str, *, known: frozenset[str] = frozenset()) -> Iterator[Name]:
    """The names of a text: runs of words with a capital, and what stands in title marks.

    Args:
        known: words that are names also where a sentence begins with one, as `known_words` tells.
    """
    for match in _TITLE.finditer(text):
        yield Name(
            Span(*match.span(match.lastindex or 0)), (match[match.lastindex or 0],), title=True
        )
    if _shouts(text):
        return
    for match in _RUN.finditer(text):
        found = list(words(match.group()))
        if opens(text, match.start()) and _says_nothing(match.group(), found, known):
            continue
        while found and found[0].text in _BEFORE_NAMES:
            del found[0]
        if found:
            span = Span(match.start() + found[0].start, match.start() + found[-1].end)
            named = tuple(word.text for word in found if word.text not in FUNCTION_WORDS)
            yield Name(span, named or (found[0].text,))


def _says_nothing(run: str, found: Sequence[Word], known: frozenset[str]) -> bool:
    """Whether a run that opens a sentence has its capital from there."""
    return len(found) == 1 and found[0].text not in known and not run[1:2].isupper()


def known_words(text: str) -> frozenset[str]:
    """The words, lower case, that have a capital where no sentence begins."""
    if _shouts(text):
        return frozenset()
    return frozenset(
        word.text
        for match in _RUN.finditer(text)
        for word in words(match.group())
        if match.start() + word.start and not opens(text, match.start() + word.start)
    )


def opens(text: str, at: int) -> bool:
    """Whether a sentence or a quotation begins at a place, where a capital says nothing."""
    return bool(_OPENING.search(text[max(0, at - _LOOK_BACK) : at])) or not text[:at].strip()


def _shouts(text: str) -> bool:
    """Whether most words have a capital, so that it tells no name."""
    found = [word for word in re.findall(r"[^\W\d_]+", text) if word.lower() not in FUNCTION_WORDS]
    capitals = sum(word[0].isupper() for word in found)
    return len(found) >= _FEWEST_WORDS and capitals > _MOST_CAPITALS * len(found)


def _alike(one: str, other: str) -> bool:
    """Whether two words are one name or forms of one: France, French; Norway, Norwegian."""
    return min(len(one), len(other)) >= _STEM and one[:_STEM] == other[:_STEM]
