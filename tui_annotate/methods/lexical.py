"""Words of any script, and how well the segments of some texts answer a bag of them (BM25).

A score is bounded by itself: the sum that a segment reaches, over the most that the query could
reach in any segment. So it does not depend on what the other segments scored. No stop words, no
stemming: neither was worth anything in our measurements. Source: S. Robertson and H. Zaragoza, "The
Probabilistic Relevance Framework: BM25 and Beyond", 2009, equation 3.15, with the inverse document
frequency of Lucene, which is never negative.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log1p
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui_annotate.methods.boundaries import HAN

K1 = 1.2
B = 0.5

_UNSPACED = f"{HAN}\u3005\u3007\u3040-\u30ff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u0670\u0900-\u0963\u0966-\u0dff"
_TOKEN = re.compile(
    r"(?P<number>\d+(?:[.,]\d+)*)"
    f"|(?P<signs>[{_UNSPACED}]+)"
    rf"|[^\W{_UNSPACED}]+(?:[{_MARKS}]+[^\W{_UNSPACED}]*)*"
)

_SIGNS = re.compile(f"[{_UNSPACED}]")


class Word(NamedTuple):
    """A word as it is compared, and the code points `[start, end)` where it stands."""

    text: str
    start: int
    end: int


def words(text: str) -> Iterator[Word]:
    """The words of a text, in order; lower case, compatibility forms made equal.

    Numbers are kept whole and lose their commas. Of scripts without spaces between words, each
    sign is a word, and so is each pair of neighbours.
    """
    for match in _TOKEN.finditer(text):
        token, start, end = match.group(), match.start(), match.end()
        if match.lastgroup == "signs":
            for at, sign in enumerate(token, start):
                yield Word(sign, at, at + 1)
                if at + 1 < end:
                    yield Word(token[at - start : at - start + 2], at, at + 2)
            continue
        word = token.lower() if token.isascii() else unicodedata.normalize("NFKC", token).lower()
        yield Word(word.replace(",", "") if match.lastgroup == "number" else word, start, end)


def is_signs(word: str) -> bool:
    """Whether a word is a sign, or a pair of signs, of a script without spaces."""
    return _SIGNS.match(word) is not None


class LexicalIndex:
    """BM25 over segments, each given as its words; frequencies come from these segments alone."""

    def __init__(self, segments: Iterable[Sequence[str]]) -> None:
        self._places: dict[str, list[int]] = {}
        lengths: list[int] = []
        for index, segment in enumerate(segments):
            lengths.append(len(segment))
            for word in segment:
                self._places.setdefault(word, []).append(index)
        self.size = len(lengths)
        mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
        self._norms = np.array([K1 * (1 - B + B * own / mean) for own in lengths], np.float32)
        self._postings: dict[str, tuple[NDArray[np.intp], NDArray[np.float32], float]] = {}

    def scores(self, query: Mapping[str, float]) -> NDArray[np.float32]:
        """(segments,), each in [0, 1): how much of the query a segment answers.

        Args:
            query: weight by word, above 0. A word that no segment holds lowers every score; an
                empty query gives zeros.
        """
        reached = np.zeros(self.size, np.float32)
        most = 0.0
        for word, weight in query.items():
            places, gains, rarity = self._posting(word)
            most += weight * rarity
            reached[places] += gains * np.float32(weight)
        return reached / np.float32(most) if most else reached

    def rarity(self, word: str) -> float:
        """The inverse document frequency of a word, above 0: the most that it could gain."""
        return self._posting(word)[2]

    def _posting(self, word: str) -> tuple[NDArray[np.intp], NDArray[np.float32], float]:
        """Where a word stands, what it gains there with weight 1, and the most it could gain."""
        if (known := self._postings.get(word)) is not None:
            return known
        found = self._places.get(word)
        if found is None:
            return (
                np.empty(0, np.intp),
                np.empty(0, np.float32),
                log1p((self.size + 0.5) / 0.5),
            )
        places, counts = np.unique(np.array(found, np.intp), return_counts=True)
        rarity = log1p((self.size - len(places) + 0.5) / (len(places) + 0.5))
        frequency = counts.astype(np.float32)
        gains = np.asarray(rarity * frequency / (frequency + self._norms[places]), np.float32)
        self._postings[word] = places, gains, rarity
        return self._postings[word]
