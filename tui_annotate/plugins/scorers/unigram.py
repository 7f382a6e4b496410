"""Unigram scores: the words that answers share with the right one, and with one another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.methods.overlap import best_overlaps, overlap, surprises
from tui_annotate.methods.ranking import OVERLAP, SURPRISE
from tui_annotate.plugins.scorers.words import Cutters
from tui_annotate.plugins.scoring import Answers, Opinion, ScorerOptions, Sentences

SENTENCES = "source_overlap"


class UnigramScorer:
    """Overlap with the right answer, and the mean surprise of an answer's commonest words.

    Of sentences: the share of a sentence's words that one sentence of the source has.

    Raises:
        InvalidInput: fewer than one word is to be averaged.
    """

    name = "unigram"
    low = frozenset({SURPRISE})

    def __init__(self, options: ScorerOptions) -> None:
        if options.top_k < 1:
            raise InvalidInput(f"top-k is {options.top_k}", "1 or more")
        self._top = options.top_k
        self._cutters = Cutters()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """How many words are averaged, and the libraries that were needed so far."""
        return {"top_k": self._top, **self._cutters.libraries()}

    def of_answers(self, questions: Iterable[Answers]) -> Iterator[tuple[Opinion, ...]]:
        """See `Scorer.of_answers`; extras are counted, and get no value."""
        for each in questions:
            cutter = self._cutters.of(each.language)
            texts = [cutter.words(text) for text in each.texts]
            others = [cutter.words(text) for text in each.extras]
            asked = cutter.looked_for(each.answer)
            rare = surprises(cutter.counted(each.answer), texts, top=self._top, others=others)
            yield (
                Opinion(name=OVERLAP, values=tuple(overlap(asked, words.found) for words in texts)),
                Opinion(name=SURPRISE, values=tuple(rare)),
            )

    def of_sentences(self, samples: Iterable[Sentences]) -> Iterator[tuple[Opinion, ...]]:
        """See `SentenceScorer.of_sentences`."""
        for each in samples:
            cutter = self._cutters.of(each.language)
            claims = [cutter.content(text) for text in each.summary]
            source = [cutter.content(text) for text in each.source]
            yield (Opinion(name=SENTENCES, values=tuple(best_overlaps(claims, source))),)
