"""The scorer `copied`: how many words of a sentence or an answer also occur in a known text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tui_annotate.plugins.scoring import GeneratedAnswers, Opinion, SampleSentences, ScorerOptions

SCORE = "copied_words"
_WORD = re.compile(r"\w+")


class CopiedScorer:
    """Scores in [0, 1]: the fraction of words that the source, or the right answer, contains.

    A text without words has no score.
    """

    name = "copied"
    low: frozenset[str] = frozenset()  # a higher value is better

    def __init__(self, options: ScorerOptions) -> None:
        """Store what a run depends on; `parameters` is stored with each run."""
        self.parameters: Mapping[str, Any] = {"words": _WORD.pattern}

    def of_answers(self, questions: Iterable[GeneratedAnswers]) -> Iterator[tuple[Opinion, ...]]:
        """Yield the scores of each question's answers against the right answer."""
        for question in questions:
            known = _words(question.answer)
            texts = (*question.texts, *question.extras)
            yield (Opinion(name=SCORE, values=tuple(_share(text, known) for text in texts)),)

    def of_sentences(self, samples: Iterable[SampleSentences]) -> Iterator[tuple[Opinion, ...]]:
        """Yield the scores of each summary's sentences against the whole source."""
        for sample in samples:
            known = _words(" ".join(sample.source))
            values = tuple(_share(sentence, known) for sentence in sample.summary)
            yield (Opinion(name=SCORE, values=values),)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _share(text: str, known: set[str]) -> float | None:
    words = _words(text)
    return len(words & known) / len(words) if words else None
