"""Vectors of counts of words or characters, by which texts are compared without an embedder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHINESE: Final = (
    "今天的天气很好，我们去公园散步。",
    "科学家在深海发现了一种会发光的鱼。",
    "这家医院的护士获得了劳动模范称号。",
)
"""Chinese sentences; an embedder knows Chinese if it has a vector for each."""


def knows_chinese(embed: Callable[[Sequence[str]], NDArray[np.float32]]) -> bool:
    """Return whether an embedder has vectors for Chinese.

    One without may have a vector for a Chinese text with a foreign word, such as a name, but only
    of this word: texts about the same name would count as similar.
    """
    return bool(embed(_CHINESE).any(axis=1).all())


def word_vectors(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return a vector of unit length for each text, with the counts of its words.

    In scripts without spaces, characters and pairs of neighbours are words. A text without any word
    has a row of zeros.
    """
    return _count_vectors(texts, _count_words, exact=None)


def character_vectors(texts: Sequence[str], *, exact: int | None = None) -> NDArray[np.float32]:
    """Return a vector of unit length for each text, with the counts of its characters and pairs.

    Only letters and digits count, in lower case; a pair is two neighbours among them. A text
    without any has a row of zeros. The cosine of two rows is 1 for texts with the same characters
    and pairs, and 0 for texts that share no character.

    `exact`: only the cosines with one of the first `exact` texts are needed. Everything that occurs
    only in other texts then shares one column, which keeps the rows of a long source short.
    """
    return _count_vectors(texts, _count_characters, exact=exact)


def _count_vectors(
    texts: Sequence[str], count: Callable[[str], Counter[str]], *, exact: int | None
) -> NDArray[np.float32]:
    import numpy as np

    counted = [count(text) for text in texts]
    columns: dict[str, int] = {}
    for counts in counted[:exact]:
        for each in counts:
            columns.setdefault(each, len(columns))
    rest = len(columns)
    rows = np.zeros((len(texts), rest + 1), np.float32)
    for row, counts in zip(rows, counted, strict=True):
        other = 0
        for each, number in counts.items():
            if each in columns:
                row[columns[each]] = number
            else:
                other += number * number
        row[rest] = other**0.5
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    np.divide(rows, lengths, out=rows, where=lengths > 0)
    return rows


def _count_words(text: str) -> Counter[str]:
    from tui_annotate.methods.lexical import find_words

    return Counter(word.text for word in find_words(text))


def _count_characters(text: str) -> Counter[str]:
    characters = [each for each in text.lower() if each.isalnum()]
    return Counter(characters) + Counter(map("".join, pairwise(characters)))
