"""Input of judges: a question and its retrieved texts, with an optional answer and reference."""

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
"""Name under which a reference answer is stored with a sample or its scores."""
ORDER: Final = "judge_order"
USEFUL: Final = "judge_useful"
"""Names of two scores by a judge: the rank of a retrieved text, and its usefulness."""


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question with its texts in retrieved order; `key` names the stored sample, if any."""

    question: str
    contexts: tuple[str, ...]
    answer: str = ""
    ground_truth: str = ""
    key: SampleKey | None = None

    @property
    def language(self) -> str:
        return guess_language(self.question)


def sample_row(sample: Sample, *, ground_truth: str = "") -> QuestionRow:
    """Return a sample as a question for a judge; `ground_truth`: used if the sample has none."""
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
    """Build questions for a judge from lists of questions, texts and answers.

    Raises:
        InvalidInput: the lists have different lengths, or a question or context is not text.
    """
    blank: Sequence[str | None] = [None] * len(questions)
    given = (contexts, answers or blank, ground_truths or blank)
    for name, each in zip(("contexts", "answers", "ground truths"), given, strict=True):
        if len(each) != len(questions):
            raise InvalidInput(
                f"lists of different lengths: {len(questions):,} questions, {len(each):,} {name}",
                "pass lists of equal length: items belong together by position",
            )
    rows = []
    for question, own, answer, truth in zip(questions, *given, strict=True):
        if isinstance(own, str) or not all(isinstance(each, str) for each in (question, *own)):
            raise InvalidInput(
                f"the contexts of question {question!r} are not a list of texts",
                "pass one list of texts for each question",
            )
        rows.append(QuestionRow(question, tuple(own), answer or "", truth or ""))
    return check_rows(rows)


def read_rows(path: Path) -> list[QuestionRow]:
    """Read questions for a judge from a file; an error names the first line that is unreadable.

    A question without contexts is a row: the results have a reason in place of its values.
    """
    from tui_annotate.plugins.format_detection import detect
    from tui_annotate.plugins.protocols import ImportOptions
    from tui_annotate.plugins.reader_guard import read_guarded

    options = ImportOptions(textless=True)
    rows = []
    for item in read_guarded(detect(path, options), options, path):
        if not isinstance(item, Problem):
            rows.append(sample_row(item.sample))
        elif item.refused:
            raise InvalidInput(str(item), item.hint)
    return check_rows(rows)


def check_rows(rows: list[QuestionRow]) -> list[QuestionRow]:
    """Return the rows unchanged; raise InvalidInput if there are none, or one has no question."""
    if not rows:
        raise InvalidInput(
            "the input contains no questions", "write one line per question, with its contexts"
        )
    for place, row in enumerate(rows, 1):
        if not row.question.strip():
            which = f"sample {row.key}" if row.key else f"line {place}"
            raise InvalidInput(
                f"{which} has no question",
                "judges need a question; import questions with: tui-annotate ingest --from rag",
            )
    return rows
