"""Input of judges: a question and its retrieved texts, with an optional answer and reference."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import Sample, SampleKey, Side
from tui_annotate.domain.scores import GROUND_TRUTH
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.methods.segmentation import guess_language

ORDER: Final = "judge_order"
USEFUL: Final = "judge_useful"
"""Names of two scores by a judge: the rank of a retrieved text, and its usefulness."""

RAG_FORMAT: Final = "rag"
"""Name of the import format that keeps the empty contexts of a line with its sample."""
_MAX_WARNINGS: Final = 5
_FILE_HINT: Final = (
    'write one line of JSON per question: {"question": "...", "contexts": ["...", "..."]}'
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question with its texts in retrieved order.

    Attributes:
        contexts: the retrieved texts, as given: an empty or null one keeps its index, and is not
            sent.
        key: key of the stored sample, if any.
        where: line of the file, for messages.
    """

    question: str
    contexts: tuple[str | None, ...]
    answer: str = ""
    ground_truth: str = ""
    key: SampleKey | None = None
    where: str = field(default="", compare=False)

    @property
    def language(self) -> str:
        """Code of the question's language, guessed from its characters."""
        return guess_language(self.question)

    @property
    def places(self) -> tuple[int, ...]:
        """Indices of the contexts with a text; only these are documents of a stored sample."""
        return tuple(at for at, text in enumerate(self.contexts) if text and text.strip())

    @property
    def texts(self) -> tuple[str, ...]:
        """The contexts with a text, in retrieved order."""
        return tuple(text for text in self.contexts if text and text.strip())


def sample_row(sample: Sample, *, ground_truth: str = "", where: str = "") -> QuestionRow:
    """Return a sample as a question for a judge; `ground_truth`: used if the sample has none."""
    summary = sample.side(Side.SUMMARY)
    held = sample.meta.get(GROUND_TRUTH)
    texts = [document.text for document in sample.side(Side.SOURCE)]
    blank = empty_contexts(sample.imported or {})
    return QuestionRow(
        question=sample.request.question or sample.request.problem or sample.request.title,
        contexts=tuple(insert_contexts(texts, blank)),
        answer=summary[0].text if summary else "",
        ground_truth=held if isinstance(held, str) and held.strip() else ground_truth,
        key=sample.key,
        where=where,
    )


def empty_contexts(imported: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
    """Return (index, value) of each empty or null context of the line that a sample comes from."""
    found = imported.get("blank", ()) if imported.get("format") == RAG_FORMAT else ()
    return found if isinstance(found, list) else ()


def insert_contexts(texts: Sequence[str], blank: Sequence[Sequence[Any]]) -> list[str | None]:
    """Return the contexts of a line as given: its texts, with the empty contexts between them."""
    given: list[str | None] = list(texts)
    for place, value in blank:
        given.insert(place, value)
    return given


def rows_of_lists(
    questions: Sequence[str],
    contexts: Sequence[Sequence[str | None]],
    *,
    answers: Sequence[str | None] | None = None,
    ground_truths: Sequence[str | None] | None = None,
) -> list[QuestionRow]:
    """Build questions for a judge from lists of questions, texts and answers.

    A blank or missing (None) answer or ground truth is generated later; a blank or missing context
    keeps its index.

    Raises:
        InvalidInput: the lists have different lengths, or an item is not text.
    """
    blank: Sequence[str | None] = [None] * len(questions)
    given = (
        contexts,
        blank if answers is None else answers,
        blank if ground_truths is None else ground_truths,
    )
    for name, each in zip(("contexts", "answers", "ground truths"), given, strict=True):
        if len(each) != len(questions):
            raise InvalidInput(
                f"lists of different lengths: {len(questions):,} questions, {len(each):,} {name}",
                "pass lists of equal length: items belong together by position",
            )
    rows = []
    for place, (question, own, answer, truth) in enumerate(zip(questions, *given, strict=True)):
        if isinstance(own, str) or not all(isinstance(each, str | None) for each in own):
            raise InvalidInput(
                f"the contexts of question {question!r} are not a list of texts",
                "pass one list of texts for each question",
            )
        texts: tuple[tuple[str, Any], ...] = (
            ("question", question),
            ("answer", answer or ""),
            ("ground truth", truth or ""),
        )
        for name, value in texts:
            if not isinstance(value, str):
                raise InvalidInput(
                    f"the {name} at index {place} is {value!r}, not text",
                    "pass each question, answer and ground truth as text",
                )
        rows.append(
            QuestionRow(
                question=question,
                contexts=tuple(own),
                answer=answer if answer and answer.strip() else "",
                ground_truth=truth if truth and truth.strip() else "",
            )
        )
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
    try:
        for item in read_guarded(detect(path, options), options, path):
            if not isinstance(item, Problem):
                rows.append(sample_row(item.sample, where=item.where))
            elif item.refused:
                raise InvalidInput(str(item), item.hint)
    except InvalidInput as error:
        # The hints of importers name their options, such as --source-column, which judges lack.
        hint = _FILE_HINT if "--" in error.hint or not error.hint else error.hint
        raise InvalidInput(error.message, hint, code=error.code) from error
    return check_rows(rows)


def check_rows(rows: list[QuestionRow]) -> list[QuestionRow]:
    """Return the rows unchanged, and log a warning for empty contexts.

    Raises:
        InvalidInput: there are no rows, or one has no question.
    """
    if not rows:
        raise InvalidInput(
            "the input contains no questions", "write one line per question, with its contexts"
        )
    for place, row in enumerate(rows, 1):
        if not row.question.strip():
            raise InvalidInput(
                f"{_name_row(row, place)} has no question",
                "give each line a question, in the field question",
            )
    _warn_of_empty_contexts(rows)
    return rows


def _warn_of_empty_contexts(rows: Sequence[QuestionRow]) -> None:
    lacking = [
        (place, row) for place, row in enumerate(rows, 1) if len(row.places) < len(row.contexts)
    ]
    for place, row in lacking[:_MAX_WARNINGS]:
        empty = sorted({*range(len(row.contexts))} - {*row.places})
        _log.warning(
            "%s: skipped the empty contexts at these indices, from 0: %s",
            make_line_visible(_name_row(row, place)),
            ", ".join(map(str, empty)),
        )
    if (more := len(lacking) - _MAX_WARNINGS) > 0:
        _log.warning("more questions with empty contexts: %s", f"{more:,}")


def _name_row(row: QuestionRow, place: int) -> str:
    if row.where:
        return row.where
    return f"sample {row.key}" if row.key else f"question {place}"
