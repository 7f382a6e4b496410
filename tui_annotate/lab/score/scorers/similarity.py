"""Scores by vectors: how similar an answer is to the right answer and to the other answers.

Source: the similarity scorer of the project Dreamcatcher, formula 4.3 of its code. That project
uses vectors of the first token; here any embedder provides the vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, tee
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from tui_annotate.domain.errors import Unavailable
from tui_annotate.lab.score.ranking import TO_ANSWER, TO_OTHERS
from tui_annotate.plugins.protocols import EmbeddingCost
from tui_annotate.plugins.scoring import GeneratedAnswers, Opinion, SampleSentences, ScorerOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def answer_similarities(
    answer: NDArray[np.float32], texts: NDArray[np.float32]
) -> list[float | None]:
    """Return the cosine of each text's and the right answer's vector; None for a zero vector."""
    known = _is_known(texts) if answer.any() else [False] * len(texts)
    return _clip_known(texts @ answer, known)


def mean_similarities(texts: NDArray[np.float32]) -> list[float | None]:
    """Return each text's mean cosine with the other texts, in [-1, 1]; None for a zero vector."""
    known = _is_known(texts)
    count = known.count(True)
    if count < 2:
        return [None] * len(texts)
    sums = texts @ texts.sum(axis=0)
    return _clip_known((sums - 1) / (count - 1), known)


def best_similarities(
    claims: NDArray[np.float32], source: NDArray[np.float32]
) -> list[float | None]:
    """Return the largest cosine of each claim with any source sentence, in [-1, 1].

    Rows have unit length. A row of zeros is unknown: an unknown claim gives None, unknown sentences
    are
    ignored. Without source sentences, the result is -1.
    """
    kept = source[source.any(axis=1)]
    known = _is_known(claims)
    if not len(kept):
        return [-1.0 if each else None for each in known]
    return _clip_known((claims @ kept.T).max(axis=1), known)


def _is_known(texts: NDArray[np.float32]) -> list[bool]:
    return list(map(bool, cast("NDArray[np.bool_]", texts.any(axis=1))))


def _clip_known(values: NDArray[np.float32], known: Sequence[bool]) -> list[float | None]:
    pairs = zip(values.tolist(), known, strict=True)
    return [min(max(value, -1.0), 1.0) if sure else None for value, sure in pairs]


SENTENCES = "source_similarity"

_BATCH: Final = 200
_TEMPLATES: Final = {"en": "Question: {}\nAnswer: {}", "zh": "问题：{}\n回答：{}"}
"""Templates, by language, that join a question and its answer into one text."""
_Item = TypeVar("_Item")


class SimilarityScorer:
    """Scores an answer by its similarity to the right answer and to the other answers.

    For sentences, the score is the largest cosine of a summary sentence with a source sentence.

    Raises:
        Unavailable: no embedder is available.
    """

    name = "similarity"
    low: frozenset[str] = frozenset()

    def __init__(self, options: ScorerOptions) -> None:
        if options.embedder is None:
            raise Unavailable(
                "the scorer similarity needs an embedder, and this workspace has none",
                "pass an embedder: --embedder static, or --embedder neural:FOLDER",
            )
        self._embedder = options.embedder()
        self.host = str(getattr(self._embedder, "host", ""))
        self.embedder = f"{self._embedder.label} {self._embedder.version}"
        self._with_question = options.with_question
        self.parameters: Mapping[str, Any] = {"with_question": options.with_question}

    def of_answers(self, questions: Iterable[GeneratedAnswers]) -> Iterator[tuple[Opinion, ...]]:
        """Yield how similar each question's answers are to the right answer and to each other."""
        for rows in self._embed(questions, self._texts):
            yield (
                Opinion(name=TO_ANSWER, values=tuple(answer_similarities(rows[0], rows[1:]))),
                Opinion(name=TO_OTHERS, values=tuple(mean_similarities(rows[1:]))),
            )

    def of_sentences(self, samples: Iterable[SampleSentences]) -> Iterator[tuple[Opinion, ...]]:
        ahead, embedded = tee(samples)
        for rows in self._embed(ahead, lambda each: (*each.summary, *each.source)):
            claims = len(next(embedded).summary)
            likenesses = best_similarities(rows[:claims], rows[claims:])
            yield (Opinion(name=SENTENCES, values=tuple(likenesses)),)

    def cost(self, questions: Iterable[GeneratedAnswers]) -> EmbeddingCost:
        """Return the cost of embedding the texts; zero for an embedder without a cost."""
        embedding_cost = getattr(self._embedder, "cost", None)
        if embedding_cost is None:
            return EmbeddingCost()
        cost: EmbeddingCost = embedding_cost(
            text for each in questions for text in self._texts(each)
        )
        return cost

    def _texts(self, each: GeneratedAnswers) -> Sequence[str]:
        both = (each.answer, *each.texts)
        if not self._with_question:
            return both
        join = partial(_TEMPLATES[each.language].format, each.question)
        return [join(text) for text in both]

    def _embed(
        self, asked: Iterable[_Item], texts: Callable[[_Item], Sequence[str]]
    ) -> Iterator[NDArray[np.float32]]:
        """Yield the vectors of the texts of each item; embed repeated texts only once."""
        waiting = iter(asked)
        while some := [texts(each) for each in islice(waiting, _BATCH)]:
            places = {text: 0 for each in some for text in each}
            places = {text: place for place, text in enumerate(places)}
            vectors = self._embedder.embed(list(places))
            for each in some:
                yield vectors[[places[text] for text in each]]
