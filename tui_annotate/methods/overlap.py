"""Words that texts share: unigram scores of generated answers, and of sentences by their source.

Words come in as a language's library cuts them; nothing here knows one.

Source: the unigram scorers of the project Dreamcatcher, formulas 4.1 and 4.2 of its readme and
code, with its epsilon; what they give was held against the scores that the project published.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from math import log
from typing import Final

EPSILON: Final = 1e-6
"""What the project adds to each number that it divides by."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of an answer.

    Attributes:
        found: those in which the words of the right answer are looked for.
        counted: those that are counted over all answers to a question, with repeats if the
            language's rule keeps them.
    """

    found: Collection[str]
    counted: Sequence[str]


def overlap(answer: Sequence[str], words: Collection[str]) -> float:
    """The share of an answer's words, with repeats, that another text has; in [0, 1).

    Of an answer without words, 0.
    """
    return sum(word in words for word in answer) / (len(answer) + EPSILON)


def surprises(
    answer: Iterable[str], texts: Sequence[Words], *, top: int, others: Iterable[Words] = ()
) -> list[float]:
    """How rare the commonest words of each text are among all of them; low where it says the same.

    The mean of the `top` least values of -ln(count of a word / count of all words) over a text's
    words, counted over the right answer, the texts and the others. Of a text without words, 0.

    Args:
        answer: words of the right answer, as they are counted.
        top: how many words of each text are taken, 1 or more.
        others: texts that are counted and given no value.
    """
    counts = Counter(answer)
    for words in (*texts, *others):
        counts.update(words.counted)
    total = counts.total() + EPSILON
    return [_mean(nsmallest(top, (-log(counts[word] / total) for word in words.counted)))
            for words in texts]  # fmt: skip


def _mean(values: Sequence[float]) -> float:
    return sum(values) / (len(values) + EPSILON)


def best_overlaps(claims: Sequence[Sequence[str]], source: Sequence[Iterable[str]]) -> list[float]:
    """For each sentence of a summary, the largest share of its words that one sentence has.

    Args:
        claims: the words of each sentence of the summary, with repeats.
        source: those of each sentence of the source, in any order.

    Returns:
        As `overlap`, one a claim; 0 where the source has no sentence. A claim without words asks
        for no support: 1.
    """
    places: dict[str, list[int]] = {}
    asked = {word for claim in claims for word in claim}
    for place, words in enumerate(source):
        for word in asked.intersection(words):
            places.setdefault(word, []).append(place)
    return [_best(claim, places) if claim else 1.0 for claim in claims]


def _best(claim: Sequence[str], places: dict[str, list[int]]) -> float:
    hits: Counter[int] = Counter()
    for word in claim:
        hits.update(places.get(word, ()))
    return max(hits.values(), default=0) / (len(claim) + EPSILON)
