"""Reads stored samples for scorers one by one: answers by question, or sentences by sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Document, Sample, SampleKey, Segment, Side
from tui_annotate.lab.chat.thinking import remove_thinking
from tui_annotate.plugins.scoring import GeneratedAnswers, SampleSentences

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore, SegmentStore

AUTO: Final = "auto"
LANGUAGES: Final = (AUTO, "zh", "en")
ANSWER: Final = "answer"
"""Key of the source document that contains the right answer to a sample's question."""
NORMAL: Final = "normal"
UNCERTAINTY: Final = "uncertainty"
"""Type of a generated answer whose prompt asked the model to admit what it does not know."""
OTHERS: Final = "others"
"""Key, in a sample's imported data, of the question's further answers, as (index, fields)."""


def check_language(language: str) -> None:
    """Raise InvalidInput unless a scorer can be run for the language."""
    if language not in LANGUAGES:
        raise InvalidInput(
            f"unknown language {language!r}", f"choose one of: {', '.join(LANGUAGES)}"
        )


def is_answer(sample: Sample) -> bool:
    """Return whether a sample is a model's answer: its only source is the right answer."""
    sources = sample.side(Side.SOURCE)
    return len(sources) == 1 and sources[0].key == ANSWER and bool(sample.side(Side.SUMMARY))


def uncertain_answers(sample: Sample) -> list[Mapping[str, Any]]:
    """Return the uncertain answers, which only the first sample of a question's group stores."""
    others = [each for _, each in (sample.imported or {}).get(OTHERS, ())]
    return [each for each in others if each.get("type") == UNCERTAINTY]


_PAGE: Final = 100
_SUBJECT_COLUMN: Final = "type"
"""Name of the column with the subject of a row's question."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question with its answers, and the keys of the answers' samples in the same order."""

    keys: tuple[SampleKey, ...]
    answers: GeneratedAnswers


@dataclass(frozen=True, slots=True)
class SegmentedSample:
    """A sample with its texts as sentences."""

    key: SampleKey
    sentences: SampleSentences


@dataclass(slots=True)
class DatasetReader:
    """Reads the samples of a dataset for a scorer, one by one.

    `limit`: number of questions, or of samples with sentences, to read; 0 for all.
    """

    corpus: CorpusStore
    segments: SegmentStore
    dataset: str
    language: str = AUTO
    keep_thinking: bool = False
    limit: int = 0
    skipped: int = 0

    def has_answers(self) -> bool:
        """Return whether the dataset's first sample holds a model's answer and the right answer."""
        first = next(self.samples(), None)
        return first is not None and is_answer(first)

    def questions(self, on_read: Callable[[int], None]) -> Iterator[AnsweredQuestion]:
        """Yield each question with its answers; `on_read` receives the number of samples read."""
        return islice(self._all_questions(on_read), self.limit or None)

    def _all_questions(self, on_read: Callable[[int], None]) -> Iterator[AnsweredQuestion]:
        read = 0
        for group, found in groupby(self.samples(), key=lambda sample: sample.group):
            samples = list(found)
            read += len(samples)
            on_read(read)
            fit = [sample for sample in samples if is_answer(sample)]
            self.skipped += len(samples) - len(fit)
            # Without a group, each answer belongs to a question of its own.
            questions = [fit] if group else [[each] for each in fit]
            for own in questions:
                if own:
                    keys = tuple(each.key for each in own)
                    yield AnsweredQuestion(keys=keys, answers=self._build_answers(own))

    def segmented_samples(self, on_read: Callable[[int], None]) -> Iterator[SegmentedSample]:
        """Yield samples with their sentences; skip samples without a source or a summary."""
        return islice(self._all_segmented_samples(on_read), self.limit or None)

    def _all_segmented_samples(self, on_read: Callable[[int], None]) -> Iterator[SegmentedSample]:
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
                    yield SegmentedSample(sample.key, self._build_sentences(sample, cut))
                else:
                    self.skipped += 1
            read += len(page)
            on_read(read)

    def samples(self) -> Iterator[Sample]:
        """Yield all samples of the dataset in their order; `limit` does not apply."""
        return self.corpus.samples(self.dataset)

    def _build_answers(self, samples: Sequence[Sample]) -> GeneratedAnswers:
        first = samples[0]
        right = first.document(Side.SOURCE)
        subject = first.meta.get(_SUBJECT_COLUMN)
        return GeneratedAnswers(
            question=first.request.question,
            answer=right.text,
            texts=tuple(self._answer_of(each.document(Side.SUMMARY).text) for each in samples),
            extras=tuple(self._answer_of(str(each["text"])) for each in uncertain_answers(first)),
            language=self._language_of(right),
            subject=subject if isinstance(subject, str) else "",
        )

    def _answer_of(self, text: str) -> str:
        return text if self.keep_thinking else remove_thinking(text)

    def _build_sentences(
        self, sample: Sample, cut: Mapping[str, Sequence[Segment]]
    ) -> SampleSentences:
        summary = sample.document(Side.SUMMARY)
        return SampleSentences(
            source=tuple(
                text for each in sample.side(Side.SOURCE) for text in _sentence_texts(each, cut)
            ),
            summary=tuple(_sentence_texts(summary, cut)),
            language=self._language_of(summary),
        )

    def _language_of(self, document: Document) -> str:
        if self.language != AUTO:
            return self.language
        return "zh" if document.language == "zh" else "en"


def _sentence_texts(document: Document, cut: Mapping[str, Sequence[Segment]]) -> Iterator[str]:
    for start, end in cut.get(document.sha256, ()):
        yield document.text[start:end].strip()
