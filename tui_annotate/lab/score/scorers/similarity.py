"""Scores by vectors: how similar an answer is to the right answer and to the other answers.

Source: the similarity scorer of the project Dreamcatcher, formula 4.3 of its code. That project
uses vectors of the first token; here any embedder provides the vectors. Chinese texts are compared
by their characters if the embedder does not know Chinese. Vectors are those of the question and the
answer together, as in that project; by characters, the answers alone are compared, because the
characters of the question would make all answers to it similar.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.plural import format_count
from tui_annotate.lab.score.ranking import TO_ANSWER, TO_OTHERS
from tui_annotate.methods.term_vectors import character_vectors, knows_chinese
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
    # In single precision, a row's product with itself is not exactly 1. The remainder would be
    # noise, which the normalisation of otherwise equal values stretches to 0 and 1.
    exact = texts.astype("float64")
    others = exact @ exact.sum(axis=0) - (exact * exact).sum(axis=1)
    return _clip_known(others / (count - 1), known)


def best_similarities(
    claims: NDArray[np.float32], source: NDArray[np.float32]
) -> list[float | None]:
    """Return the largest cosine of each claim with any source sentence, in [-1, 1].

    Rows have unit length. A row of zeros is unknown: an unknown claim gives None, unknown sentences
    are ignored. Without source sentences, the result is -1.
    """
    kept = source[source.any(axis=1)]
    known = _is_known(claims)
    if not len(kept):
        return [-1.0 if each else None for each in known]
    return _clip_known((claims @ kept.T).max(axis=1), known)


def _is_known(texts: NDArray[np.float32]) -> list[bool]:
    return list(map(bool, cast("NDArray[np.bool_]", texts.any(axis=1))))


def _clip_known(values: NDArray[np.floating[Any]], known: Sequence[bool]) -> list[float | None]:
    pairs = zip(values.tolist(), known, strict=True)
    return [min(max(value, -1.0), 1.0) if sure else None for value, sure in pairs]


SENTENCES = "source_similarity"
CHARACTERS: Final = "characters"
"""Name of the method that compares texts by characters and pairs, where an embedder has no use."""

_BATCH: Final = 200
_TEMPLATES: Final = {"en": "Question: {}\nAnswer: {}", "zh": "问题：{}\n回答：{}"}
"""Templates, by language, that join a question and its answer into one text."""
_NO_VECTOR: Final = "the embedder has no vector for the text"
_NO_CHARACTERS: Final = "the text has no letters or digits to compare"
_NO_OTHERS: Final = "there is no other answer to compare with"
_Item = GeneratedAnswers | SampleSentences


class SimilarityScorer:
    """Scores an answer by its similarity to the right answer and to the other answers.

    For sentences, the score is the largest cosine of a summary sentence with a source sentence.

    All texts of a language are compared in the same way: by the embedder's vectors, or by
    characters if the language is Chinese and the embedder has no vectors for it.

    Raises:
        Unavailable: no embedder is available.
    """

    name = "similarity"
    low: frozenset[str] = frozenset()

    def __init__(self, options: ScorerOptions) -> None:
        self._embedder = None
        self.host = ""
        if not options.by_characters:
            if options.embedder is None:
                raise Unavailable(
                    "the scorer similarity needs an embedder, and this workspace has none",
                    "pass an embedder: --embedder static, or --embedder neural:FOLDER; or compare"
                    " texts by characters: --embedder none",
                )
            self._embedder = options.embedder()
            self.host = str(getattr(self._embedder, "host", ""))
        self._with_question = options.with_question
        self._by_vectors = 0
        self._by_characters = 0
        self._failed: dict[str, str] = {}
        """Hashes of the texts for which the embedder failed, with the error."""
        self._answers_alone = False
        """Whether the question of an answer was ignored, as answers were compared by characters."""

    @property
    def embedder(self) -> str:
        """What compared the texts so far: the embedder with its version, characters, or both."""
        label = f"{self._embedder.label} {self._embedder.version}" if self._embedder else ""
        if not self._by_characters:
            return label
        return f"{label}; Chinese: {CHARACTERS}" if self._by_vectors else CHARACTERS

    @property
    def maker(self) -> str:
        """The scorer's name, with the embedder whose vectors were compared."""
        if self._embedder is None or self.embedder == CHARACTERS:
            return self.name
        return f"{self.name}:{self._embedder.label}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameters stored with the scores; complete after the last text was compared."""
        if not self._by_characters:
            return {"with_question": self._with_question}
        # By characters, answers are compared without their question, whatever the option is.
        with_question = self._with_question and self._by_vectors > 0
        return {"with_question": with_question, "by_characters": self._by_characters}

    @property
    def failed(self) -> int:
        """Number of different texts so far for which the embedder failed."""
        return len(self._failed)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the texts so far that were compared by characters, or failed."""
        return (*self._describe_failed(), *self._describe_characters())

    def _describe_failed(self) -> Iterator[str]:
        if self._failed:
            reason, _ = Counter(self._failed.values()).most_common(1)[0]
            texts = format_count(self.failed, "text")
            yield f"the embedder failed for {texts}; most frequent error: {reason}"

    def _describe_characters(self) -> tuple[str, ...]:
        if not self._by_characters:
            return ()
        texts = format_count(self._by_characters, "text")
        how = f"{texts} compared by characters and pairs of characters"
        if self._answers_alone:
            how += " of the answers alone, without their question"
        if self._embedder is None:
            return (how,)
        first = (
            f"Chinese: {how}, because the embedder ({self._embedder.label}) has no vectors for"
            " Chinese (to use a multilingual model, pass --embedder neural:FOLDER or"
            " --embedder remote:MODEL)"
        )
        if not self._by_vectors:
            return (first,)
        second = (
            "similarities by characters and by vectors are on different scales: compare them only"
            " within one language"
        )
        return (first, second)

    def of_answers(self, questions: Iterable[GeneratedAnswers]) -> Iterator[tuple[Opinion, ...]]:
        """Yield how similar each question's answers are to the right answer and to each other."""
        for question, rows in self._vectors(questions):
            unknown = self._unknown_reason(question.language)
            right_unknown = (
                "" if rows[0].any() else f"the right answer cannot be compared: {unknown}"
            )
            to_answer = answer_similarities(rows[0], rows[1:])
            to_others = mean_similarities(rows[1:])
            answer_reasons = [right_unknown or unknown] * len(to_answer)
            others_reasons = [_NO_OTHERS if row.any() else unknown for row in rows[1:]]
            yield (
                _build_opinion(TO_ANSWER, to_answer, answer_reasons),
                _build_opinion(TO_OTHERS, to_others, others_reasons),
            )

    def of_sentences(self, samples: Iterable[SampleSentences]) -> Iterator[tuple[Opinion, ...]]:
        """Yield how similar each summary sentence is to the most similar source sentence."""
        for sample, rows in self._vectors(samples):
            claims = _count_compared(sample)
            likenesses = best_similarities(rows[:claims], rows[claims:])
            reasons = [self._unknown_reason(sample.language)] * claims
            yield (_build_opinion(SENTENCES, likenesses, reasons),)

    def cost(self, questions: Iterable[GeneratedAnswers]) -> EmbeddingCost:
        """Return the cost of embedding the texts; zero for an embedder without a cost."""
        embedding_cost = getattr(self._embedder, "cost", None)
        if embedding_cost is None:
            return EmbeddingCost()
        cost: EmbeddingCost = embedding_cost(
            text for each in questions for text in self._embedded_texts(each)
        )
        return cost

    def _embedded_texts(self, each: _Item) -> Sequence[str]:
        """Return the texts of an item for an embedder, answers with their question if wanted."""
        texts = _compared_texts(each)
        if isinstance(each, SampleSentences) or not self._with_question:
            return texts
        join = partial(_TEMPLATES[each.language].format, each.question)
        return [join(text) for text in texts]

    def _vectors(self, items: Iterable[_Item]) -> Iterator[tuple[_Item, NDArray[np.float32]]]:
        """Yield each item with the vectors of its texts; embed repeated texts only once."""
        waiting = iter(items)
        while some := list(islice(waiting, _BATCH)):
            texts = {
                at: self._embedded_texts(each)
                for at, each in enumerate(some)
                if self._has_vectors(each.language)
            }
            distinct = dict.fromkeys(text for own in texts.values() for text in own)
            places = {text: place for place, text in enumerate(distinct)}
            vectors = self._embed(list(places)) if places else None
            for at, each in enumerate(some):
                if vectors is None or at not in texts:
                    self._by_characters += _count_compared(each)
                    exact = None
                    if isinstance(each, SampleSentences):
                        exact = len(each.summary)
                    elif self._with_question:
                        self._answers_alone = True
                    yield each, character_vectors(_compared_texts(each), exact=exact)
                else:
                    self._by_vectors += _count_compared(each)
                    yield each, vectors[[places[text] for text in texts[at]]]

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        if self._embedder is None:
            return None
        vectors = self._embedder.embed(texts)
        for text, reason in (getattr(self._embedder, "failed", None) or {}).items():
            name = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            self._failed[name] = str(reason)
        return vectors

    def _unknown_reason(self, language: str) -> str:
        return _NO_VECTOR if self._has_vectors(language) else _NO_CHARACTERS

    def _has_vectors(self, language: str) -> bool:
        return self._embedder is not None and (language != "zh" or self._knows_chinese)

    @cached_property
    def _knows_chinese(self) -> bool:
        if self._embedder is None or self.host:
            return self._embedder is not None  # an endpoint has a vector for each text
        return knows_chinese(self._embedder.embed)


def _compared_texts(each: _Item) -> Sequence[str]:
    if isinstance(each, SampleSentences):
        return (*each.summary, *each.source)
    return (each.answer, *each.texts)


def _build_opinion(name: str, values: Sequence[float | None], reasons: Sequence[str]) -> Opinion:
    """Return values with the reason of each value that is missing."""
    if None not in values:
        return Opinion(name=name, values=tuple(values))
    words = (reason if value is None else "" for value, reason in zip(values, reasons, strict=True))
    return Opinion(name=name, values=tuple(values), words=tuple(words))


def _count_compared(each: _Item) -> int:
    """Return how many texts get a value: answers, or sentences of the summary."""
    return len(each.summary if isinstance(each, SampleSentences) else each.texts)
