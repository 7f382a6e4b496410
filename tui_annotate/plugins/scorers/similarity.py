"""Similarity scores: how like an answer is to the right one, and to the others, by vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tui_annotate.domain.errors import Unavailable
from tui_annotate.methods.ranking import AMONG, TO_ANSWER
from tui_annotate.methods.similarity import among, best_likenesses, to_answer
from tui_annotate.plugins.protocols import Cost
from tui_annotate.plugins.scoring import Answers, Opinion, ScorerOptions, Sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SENTENCES = "source_similarity"

_AT_ONCE: Final = 200
"""Questions, or samples, whose texts are embedded together."""
_TEMPLATES: Final = {"en": "Question: {}\nAnswer: {}", "zh": "问题：{}\n回答：{}"}
"""How a question and its answer are joined, in the languages in which that was published."""
_Asked = TypeVar("_Asked")


class SimilarityScorer:
    """Cosines of answers with the right one, and with the others to the question.

    Of sentences: the largest cosine of a sentence with one of the source.

    Raises:
        Unavailable: there is no embedder.
    """

    name = "similarity"
    low: frozenset[str] = frozenset()

    def __init__(self, options: ScorerOptions) -> None:
        if options.embedder is None:
            raise Unavailable(
                "similarity needs vectors, and this workspace has no embedder",
                "name one: --embedder static, or neural:FOLDER",
            )
        self._embedder = options.embedder()
        self.embedder = f"{self._embedder.label} {self._embedder.version}"
        self._with_question = options.with_question
        self.parameters: Mapping[str, Any] = {"with_question": options.with_question}

    def of_answers(self, questions: Iterable[Answers]) -> Iterator[tuple[Opinion, ...]]:
        """See `Scorer.of_answers`; extras play no part."""
        for rows in self._embedded(questions, self._texts):
            yield (
                Opinion(name=TO_ANSWER, values=tuple(to_answer(rows[0], rows[1:]))),
                Opinion(name=AMONG, values=tuple(among(rows[1:]))),
            )

    def of_sentences(self, samples: Iterable[Sentences]) -> Iterator[tuple[Opinion, ...]]:
        """See `SentenceScorer.of_sentences`."""
        taken: list[int] = []

        def texts(each: Sentences) -> Sequence[str]:
            taken.append(len(each.summary))
            return (*each.summary, *each.source)

        for rows in self._embedded(samples, texts):
            parted = taken.pop(0)
            likenesses = best_likenesses(rows[:parted], rows[parted:])
            yield (Opinion(name=SENTENCES, values=tuple(likenesses)),)

    def cost(self, questions: Iterable[Answers]) -> Cost:
        """What the embedder says that the texts cost; nothing where it says nothing."""
        told = getattr(self._embedder, "cost", None)
        if told is None:
            return Cost()
        cost: Cost = told(text for each in questions for text in self._texts(each))
        return cost

    def _texts(self, each: Answers) -> Sequence[str]:
        both = (each.answer, *each.texts)
        if not self._with_question:
            return both
        join = partial(_TEMPLATES[each.language].format, each.question)
        return [join(text) for text in both]

    def _embedded(
        self, asked: Iterable[_Asked], texts: Callable[[_Asked], Sequence[str]]
    ) -> Iterator[NDArray[np.float32]]:
        """The vectors of the texts of each; a text that comes again soon is embedded once."""
        waiting = iter(asked)
        while some := [texts(each) for each in islice(waiting, _AT_ONCE)]:
            places = {text: 0 for each in some for text in each}
            places = {text: place for place, text in enumerate(places)}
            vectors = self._embedder.embed(list(places))
            for each in some:
                yield vectors[[places[text] for text in each]]
