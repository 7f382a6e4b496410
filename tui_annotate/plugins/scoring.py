"""What a scorer is given and gives back, and the promise that one keeps; nothing of how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from tui_annotate.plugins.judges import Judge
from tui_annotate.plugins.protocols import Embedder, EmbeddingCost


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedAnswers:
    """A question with its right answer, and what models answered.

    Attributes:
        answer: the right one.
        texts: the answers that are scored, in their order; one at least.
        extras: others to the same question, in which a model was asked to admit what it does not
            know ("uncertainty"): they are counted with the rest, and scored by few scorers.
        language: "en" or "zh".
        subject: what the question is about, as its file says; may be empty.
    """

    question: str
    answer: str
    texts: tuple[str, ...]
    extras: tuple[str, ...] = ()
    language: str = "en"
    subject: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSentences:
    """A sample by its segments, in reading order.

    Attributes:
        source: of all documents on the source side.
        summary: of the summary; one at least.
        language: of the summary: "en" or "zh".
    """

    source: tuple[str, ...]
    summary: tuple[str, ...]
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What a scorer says under one name.

    Attributes:
        name: of the score, as published.
        values: raw ones. Of answers: one for each text, then for each extra; extras may be left
            out. Of sentences: one for each segment of the summary. None where nothing can be said.
        words: what is said beside each value, as a reason; in the order of the values, or none.
    """

    name: str
    values: tuple[float | None, ...]
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerOptions:
    """What a user may say about a scorer; each takes what concerns it.

    Attributes:
        model: what follows the colon of its name: a model's name, or a folder or file.
        top_k: rarest words of an answer that are averaged.
        with_question: answers are embedded with their question before them.
        embedder: loads the workspace's; None where it has none, and who needs one refuses.
        judge: the chat model that was named; None for none, and who needs one refuses.
        prompts: the folder in which a user keeps prompts of their own; empty for none.
        folder: of a local model, for scorers whose `model` is something else.
    """

    model: str = ""
    top_k: int = 5
    with_question: bool = True
    embedder: Callable[[], Embedder] | None = None
    judge: Judge | None = None
    prompts: str = ""
    folder: str = ""


@runtime_checkable
class Scorer(Protocol):
    """Gives answers to questions scores. It is made with ScorerOptions.

    One may also have a `maker`, where its name does not say enough of whose opinion a run holds,
    and an `embedder`: the label and version of the one that it uses.

    Attributes:
        parameters: values of JSON that a run keeps: options, versions of libraries, what a model
            is called; never a key.
        low: the names of those of its scores of which a low value is the better one.
    """

    name: str
    parameters: Mapping[str, Any]
    low: frozenset[str]

    def of_answers(self, questions: Iterable[GeneratedAnswers]) -> Iterator[tuple[Opinion, ...]]:
        """What it says of each question's answers, in their order, in constant memory.

        Raises:
            Unavailable: something that it needs is missing, broken or out of reach.
        """
        ...


@runtime_checkable
class SentenceScorer(Scorer, Protocol):
    """A scorer that also says how far a source supports each sentence of its summary."""

    def of_sentences(self, samples: Iterable[SampleSentences]) -> Iterator[tuple[Opinion, ...]]:
        """What it says of each sample's summary, in their order; else as `of_answers`."""
        ...


@runtime_checkable
class CostlyScorer(Scorer, Protocol):
    """A scorer that asks an endpoint, or computes for long."""

    def cost(self, questions: Iterable[GeneratedAnswers]) -> EmbeddingCost:
        """What it would take to score them; asks nobody."""
        ...
