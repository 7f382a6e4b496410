"""Protocols of scorers, with their inputs, options and results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from tui_annotate.plugins.judges import Judge
from tui_annotate.plugins.protocols import Embedder, EmbeddingCost


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedAnswers:
    """A question with its right answer, and the answers that models generated.

    Attributes:
        texts: the model answers to score, in order; at least one.
        extras: further answers to the same question, for which a model was asked to admit what
            the model does not know ("uncertainty"). They are counted with the other answers, and
            only a few scorers score them.
    """

    question: str
    answer: str
    texts: tuple[str, ...]
    extras: tuple[str, ...] = ()
    language: str = "en"
    subject: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSentences:
    """The sentences of a sample's source and summary, in reading order; `language`: en or zh."""

    source: tuple[str, ...]
    summary: tuple[str, ...]
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """Values of one score for one question or one sample, computed by a scorer.

    `plugins.plugin_results.OpinionChecker` checks each one. Values may be numbers of any library;
    NaN and infinity count as None.

    Attributes:
        values: raw values. For a question: one for each text, then one for each extra; values of
            extras may be missing. For a sample: one for each sentence of the summary. None means
            that the scorer has no value.
        words: a text for each value, for example the reason, parallel to the values; or empty.
    """

    name: str
    values: tuple[float | None, ...]
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerOptions:
    """User options of a scorer; each scorer ignores the options that it does not need.

    Attributes:
        model: the text after the colon of the scorer's name: a model name, a folder or a file.
        top_k: number of the most frequent words of an answer to average.
        with_question: whether answers are embedded with the question in front.
        embedder: loads the workspace's embedder; None if the workspace has none. A scorer that
            needs an embedder then raises an error.
        by_characters: whether texts are compared by their characters instead of an embedder's
            vectors.
        judge: the named chat model; None if no model was named. A scorer that needs a judge then
            raises an error.
        folder: folder of a local model, for scorers whose `model` means something else.
    """

    model: str = ""
    top_k: int = 5
    with_question: bool = True
    embedder: Callable[[], Embedder] | None = None
    by_characters: bool = False
    judge: Judge | None = None
    prompts: str = ""
    folder: str = ""


@runtime_checkable
class Scorer(Protocol):
    """Protocol of scorers, which score answers to questions. The constructor takes ScorerOptions.

    A scorer may also have an attribute `maker`, if the scorer's name does not identify the model
    behind the scores, an attribute `embedder`: the label and version of the embedder in use, an
    attribute `host`: the host to which texts are sent. Three more attributes are read after
    scoring: `notes`, a sequence of texts to print with the scores; `failed`, the number of texts
    that have no score because of an error, for exit code 3; and `tally`, the counts of a judge's
    replies, which only scorers of `tui_annotate.lab` have.

    Attributes:
        parameters: JSON values to store with a run: options, library versions, model names; never
            an API key.
        low: names of the scorer's scores for which lower values are better.
    """

    name: str
    parameters: Mapping[str, Any]
    low: frozenset[str]

    def of_answers(self, questions: Iterable[GeneratedAnswers]) -> Iterator[tuple[Opinion, ...]]:
        """Yield the scores of each question's answers, in order, in constant memory.

        Raises:
            Unavailable: a model, library or endpoint is missing, broken or cannot be reached.
        """
        ...


@runtime_checkable
class SentenceScorer(Scorer, Protocol):
    """Protocol of scorers that also score how well the source supports each summary sentence."""

    def of_sentences(self, samples: Iterable[SampleSentences]) -> Iterator[tuple[Opinion, ...]]:
        """Yield the sentence scores of each sample's summary, in order, in constant memory.

        Raises:
            Unavailable: a model, library or endpoint is missing, broken or cannot be reached.
        """
        ...


@runtime_checkable
class CostlyScorer(Scorer, Protocol):
    """Protocol of scorers that send requests to an endpoint or compute for a long time."""

    def cost(self, questions: Iterable[GeneratedAnswers]) -> EmbeddingCost:
        """Estimate the cost of scoring the questions, without sending any request."""
        ...
