"""Rows for judges: a question with its contexts, and answer and ground truth if any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.methods.segmentation import guess_language

GROUND_TRUTH: Final = "ground_truth"
"""Of a sample's meta and of a run's scores: the answer that is held to be right."""
ORDER: Final = "judge_order"
USEFUL: Final = "judge_useful"
"""The scores of contexts in their order: a judge's rank, and whether one helps to answer."""


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question with its contexts in retrieved order; `key` of its sample, if any."""

    question: str
    contexts: tuple[str, ...]
    answer: str = ""
    ground_truth: str = ""
    key: SampleKey | None = None

    @property
    def language(self) -> str:
        """The language of the question: "zh" or "en"."""
        return guess_language(self.question)


def sample_row(sample: Sample, *, ground_truth: str = "") -> QuestionRow:
    """Return a sample as a row. `ground_truth`: where the sample holds none."""
    summary = sample.side(Side.SUMMARY)
    held = sample.meta.get(GROUND_TRUTH)
    return QuestionRow(
        question=sample.request.question or sample.request.problem or sample.request.title,
        contexts=tuple(document.text for document in sample.side(Side.SOURCE)),
        answer=summary[0].text if summary else "",
        ground_truth=held if isinstance(held, str) and held else ground_truth,
        key=sample.key,
    )


def rows_of_lists(
    questions: Sequence[str],
    contexts: Sequence[Sequence[str]],
    *,
    answers: Sequence[str | None] | None = None,
    ground_truths: Sequence[str | None] | None = None,
) -> list[QuestionRow]:
    """Return rows of parallel lists.

    Raises:
        InvalidInput: they are of different lengths, or a question or context is no text.
    """
    blank: Sequence[str | None] = [None] * len(questions)
    given = (contexts, answers or blank, ground_truths or blank)
    for name, each in zip(("contexts", "answers", "ground truths"), given, strict=True):
        if len(each) != len(questions):
            raise InvalidInput(
                f"{len(questions):,} questions, and {len(each):,} {name}",
                "they belong together by position",
            )
    rows = []
    for question, own, answer, truth in zip(questions, *given, strict=True):
        if isinstance(own, str) or not all(isinstance(each, str) for each in (question, *own)):
            raise InvalidInput(
                f"the contexts of {question!r} are no list of texts",
                "give a list for each question",
            )
        rows.append(QuestionRow(question, tuple(own), answer or "", truth or ""))
    return check_rows(rows)


def read_rows(path: Path) -> list[QuestionRow]:
    """Read the rows of a file; an error names the first line that can not be read."""
    from tui_annotate.plugins.format_detection import detect
    from tui_annotate.plugins.protocols import ImportOptions
    from tui_annotate.plugins.reader_guard import read_guarded

    options = ImportOptions()
    rows = []
    for item in read_guarded(detect(path, options), options, path):
        if not isinstance(item, Problem):
            rows.append(sample_row(item.sample))
        elif item.refused:
            raise InvalidInput(str(item), item.hint)
    return check_rows(rows)


def check_rows(rows: list[QuestionRow]) -> list[QuestionRow]:
    """Return the same rows if they are valid.

    Raises:
        InvalidInput: there are none, or one has no question.
    """
    if not rows:
        raise InvalidInput("there are no questions", "a line for each: question, contexts")
    for place, row in enumerate(rows, 1):
        if not row.question.strip():
            which = str(row.key) if row.key else f"number {place}"
            raise InvalidInput(
                f"{which} has no question",
                "judges compare texts by a question; read with: ingest --format rag",
            )
    return rows
