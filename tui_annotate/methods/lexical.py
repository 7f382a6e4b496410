"""Ranks sentences by the words that they share with a query (BM25), and splits text into words.

A score is the segment's BM25 sum divided by the maximum that the query could reach in any segment,
so it does not depend on the scores of other segments. There are no stop words and no stemming:
neither improved our measurements. Source: S. Robertson and H. Zaragoza, "The Probabilistic
Relevance Framework: BM25 and Beyond", 2009, equation 3.15, with the inverse document frequency of
Lucene, which is never negative.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log1p
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui_annotate.methods.sentence_boundaries import HAN

_FUNCTION_WORDS_TEXT: Final = """
    a about above across after again against ago all almost along already also although always am
    among an and another any anyone anything are aren around as at away b back be became because
    become been before behind being below between beyond both but by c came can cannot come could d
    despite did didn do does doesn doing don done down during e each either else enough etc even
    ever every everyone f for from further g gave get gets getting give given go goes going gone got
    h had has hasn have haven having he hence her here hers herself him himself his how however i if
    in instead into is isn it its itself j just k keep kept l largely later least less let like ll m
    made mainly make makes making many may me might mine more moreover most mostly much must my
    myself n near nearly neither never nevertheless no nobody none nor not nothing now o of off
    often on once one ones only onto or other others our ours ourselves out over own p per perhaps
    put q quite r rather re really s said same say says shall she should since so some somebody
    someone something soon still such t take taken takes than that the their theirs them themselves
    then there therefore these they thing things this those though through throughout thus till to
    together too took toward towards u under unless until up upon us v ve very via w was wasn way we
    well went were weren what whatever when where whether which while who whole whom whose why will
    with within without won would wouldn x y yes yet you your yours yourself yourselves z
    according addition additionally overall
"""
FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS_TEXT.split())
"""English function words in lower case, split as `find_words` splits them."""
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
    """A word as searches compare it, with its span in the text.

    Attributes:
        text: normalised form.
        start, end: half-open range of code points.
    """

    text: str
    start: int
    end: int


def find_words(text: str) -> Iterator[Word]:
    """Find the words of a text in order, in lower case and in Unicode form NFKC.

    Numbers are kept whole and lose their commas. In scripts without spaces between words, each
    character is a word, and so is each pair of adjacent characters.
    """
    for match in _TOKEN.finditer(text):
        token = match.group()
        start = match.start()
        end = match.end()
        if match.lastgroup == "signs":
            for at, sign in enumerate(token, start):
                yield Word(sign, at, at + 1)
                if at + 1 < end:
                    yield Word(token[at - start : at - start + 2], at, at + 2)
            continue
        word = token.lower() if token.isascii() else unicodedata.normalize("NFKC", token).lower()
        yield Word(word.replace(",", "") if match.lastgroup == "number" else word, start, end)


def is_unspaced_script(word: str) -> bool:
    """Return whether a word begins with a character of a script without spaces, such as Chinese."""
    return _SIGNS.match(word) is not None


class LexicalIndex:
    """An index that ranks sentences by the words that they share with a query (BM25)."""

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
        """Score each sentence for a query; returns (segments,), each in [0, 1).

        `query`: weight above 0 by word. A word that no segment has lowers every score; an empty
        query gives zeros.
        """
        reached = np.zeros(self.size, np.float32)
        most = 0.0
        for word, weight in query.items():
            places, gains, rarity = self._build_posting(word)
            most += weight * rarity
            reached[places] += gains * np.float32(weight)
        return reached / np.float32(most) if most else reached

    def rarity(self, word: str) -> float:
        """Return the inverse document frequency of a word, which is high for a rare word."""
        return self._build_posting(word)[2]

    def _build_posting(self, word: str) -> tuple[NDArray[np.intp], NDArray[np.float32], float]:
        if (known := self._postings.get(word)) is not None:
            return known
        found = self._places.get(word)
        if found is None:
            rarity = log1p((self.size + 0.5) / 0.5)
            return np.empty(0, np.intp), np.empty(0, np.float32), rarity
        places, counts = np.unique(np.array(found, np.intp), return_counts=True)
        rarity = log1p((self.size - len(places) + 0.5) / (len(places) + 0.5))
        frequency = counts.astype(np.float32)
        gains = np.asarray(rarity * frequency / (frequency + self._norms[places]), np.float32)
        posting = (places, gains, rarity)
        self._postings[word] = posting
        return posting


FUNCTION_CHARACTERS: Final = frozenset(
    "的了是在和与及或也都而且但就还又被把将对从向到为以于之其这那此该个们着过得地很更最不没有无"
    "因所由则如若时会能可要应须并即已曾仍再只才便让使给等上下中内外前后里间他她它我你您谁什么怎"
    "吗呢吧啊嘛之者说称来去出起后年月日一二三四五六七八九十几多些每各某"
)


def is_content_word(word: str) -> bool:
    """Return whether a word has a meaning of its own; single Chinese characters do not count."""
    if is_unspaced_script(word):
        return len(word) > 1 and not set(word) <= FUNCTION_CHARACTERS
    return word not in FUNCTION_WORDS


_ENDINGS = {"ies": "y", "ied": "y", "ying": "y"} | dict.fromkeys(
    ("ing", "ed", "es", "ly", "s", "e"), ""
)
_SHORTEST = 4


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return a rough stem of a lower-case English word; other words are unchanged."""
    for ending, left in _ENDINGS.items():
        if word.endswith(ending) and len(word) - len(ending) + len(left) >= _SHORTEST - 1:
            if ending == "s" and word.endswith("ss"):
                return word
            root = word[: len(word) - len(ending)] + left
            if len(root) > _SHORTEST - 1 and root[-1] == root[-2] and root[-1] not in "lsz":
                root = root[:-1]
            return root[:-1] if root.endswith("e") and len(root) >= _SHORTEST else root
    return word
