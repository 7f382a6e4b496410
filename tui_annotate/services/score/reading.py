"""Stored samples as scorers take them: answers by question, or sentences by sample; streamed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.samples import Document, Sample, SampleKey, Segment, Side
from tui_annotate.plugins.generated import extras, is_answer
from tui_annotate.plugins.scoring import Answers, Sentences
from tui_annotate.services.score.asked import AUTO

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.segments import SegmentStore
    from tui_annotate.storage.corpus.store import CorpusStore

_PAGE: Final = 100
_SUBJECT: Final = "type"
"""The column in which a row says what its question is about."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the keys of its answers in their order."""

    keys: tuple[SampleKey, ...]
    answers: Answers


@dataclass(frozen=True, slots=True)
class Parted:
    """A sample by its sentences."""

    key: SampleKey
    sentences: Sentences


@dataclass(slots=True)
class Reader:
    """Reads a dataset once.

    Attributes:
        language: `auto`, or what all texts are taken for.
        passed: samples that were not given, as they are of another kind; grows while it reads.
    """

    corpus: CorpusStore
    segments: SegmentStore
    dataset: str
    language: str = AUTO
    passed: int = 0

    def has_answers(self) -> bool:
        """Whether the first sample of the dataset is an answer to be held against the right one."""
        first = next(self.samples(), None)
        return first is not None and is_answer(first)

    def questions(self, told: Callable[[int], None]) -> Iterator[Question]:
        """Questions in their order.

        Args:
            told: is given how many samples were read.
        """
        read = 0
        for group, found in groupby(self.samples(), key=lambda sample: sample.group):
            samples = list(found)
            read += len(samples)
            told(read)
            fit = [sample for sample in samples if is_answer(sample)]
            self.passed += len(samples) - len(fit)
            for own in [fit] if group else [[each] for each in fit]:
                if own:
                    yield Question(tuple(each.key for each in own), self._answers(own))

    def parted(self, told: Callable[[int], None]) -> Iterator[Parted]:
        """Samples with sentences on both sides, in their order; otherwise as `questions`."""
        samples = self.samples()
        read = 0
        while page := list(islice(samples, _PAGE)):
            lengths = {
                document.sha256: len(document.text)
                for sample in page
                for document in sample.documents
            }
            cut = self.segments.of(lengths)
            for sample in page:
                if sample.side(Side.SOURCE) and sample.side(Side.SUMMARY):
                    yield Parted(sample.key, self._sentences(sample, cut))
                else:
                    self.passed += 1
            read += len(page)
            told(read)

    def samples(self) -> Iterator[Sample]:
        """All samples of the dataset, in their order."""
        return self.corpus.samples(self.dataset)

    def _answers(self, samples: Sequence[Sample]) -> Answers:
        first = samples[0]
        right = first.document(Side.SOURCE)
        subject = first.meta.get(_SUBJECT)
        return Answers(
            question=first.request.question,
            answer=right.text,
            texts=tuple(each.document(Side.SUMMARY).text for each in samples),
            extras=tuple(str(each["text"]) for each in extras(first)),
            language=self._language(right),
            subject=subject if isinstance(subject, str) else "",
        )

    def _sentences(self, sample: Sample, cut: Mapping[str, Sequence[Segment]]) -> Sentences:
        summary = sample.document(Side.SUMMARY)
        return Sentences(
            source=tuple(text for each in sample.side(Side.SOURCE) for text in _texts(each, cut)),
            summary=tuple(_texts(summary, cut)),
            language=self._language(summary),
        )

    def _language(self, document: Document) -> str:
        if self.language != AUTO:
            return self.language
        return "zh" if document.language == "zh" else "en"


def _texts(document: Document, cut: Mapping[str, Sequence[Segment]]) -> Iterator[str]:
    """The sentences of a document, without the white space about them."""
    for start, end in cut.get(document.sha256, ()):
        yield document.text[start:end].strip()
