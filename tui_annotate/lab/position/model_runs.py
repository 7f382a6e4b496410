"""Prompts of a position study for a model, and rows with the model's answers.

The output keeps the order of the rows. A row is reported and keeps no answer if its prompt is too
long, or if the model refuses the prompt or fails to answer it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, TextIO

from tui_annotate.domain.errors import InvalidInput, RequestFailed, Unavailable
from tui_annotate.domain.keyword_names import check_field_names
from tui_annotate.lab.chat.thinking import remove_thinking
from tui_annotate.lab.position.prompts import PromptStyle, build_prompt
from tui_annotate.lab.position.row_files import LocatedRow, locate_row, read_rows
from tui_annotate.lab.position.row_generation import is_reordered
from tui_annotate.lab.position.study_rows import (
    ANSWER,
    ERROR,
    Row,
    StudyTask,
    gold_position,
    list_passages,
    parse_task,
)
from tui_annotate.plugins.json_records import write_json_line
from tui_annotate.plugins.judges import Judge, ModelReply, Question

_BATCH: Final = 64
_PASSAGE_FIELDS: Final = (
    "title",
    "text",
    "id",
    "score",
    "hasanswer",
    "isgold",
    "original_retrieval_index",
)
"""Order in which a passage's fields are written to a row with a model's answer."""

_Outcome = ModelReply | InvalidInput | RequestFailed
"""The result of one prompt: the reply, or why it has none."""

_REFUSED: Final = "prompt-refused"
"""Code of the error for a prompt that the endpoint refused."""

OnMissing = Callable[[str, str], None]
"""Function that receives the location of a row, and the reason why it has no answer."""


@check_field_names(longest="max_chars")
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRunOptions:
    """Options with which a model answers the rows of a position study.

    Attributes:
        max_chars: maximum code points of a prompt to send; 0 for no maximum.
        temperature, top_p, max_tokens: as in `Question`.
        limit: number of rows to use, the first ones of the files; 0 for all.
    """

    style: PromptStyle = PromptStyle.PLAIN
    template: str = ""
    max_chars: int = 0
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 100
    keep_thinking: bool = False
    limit: int = 0

    def read_answer(self, reply: str) -> str | None:
        """Return the answer in a reply; None if the reply ends before the answer begins."""
        answer = reply if self.keep_thinking else remove_thinking(reply)
        return answer if answer.strip() or not reply.strip() else None


@dataclass(slots=True)
class ModelRunReport:
    """Counts of a model's answers to the rows of a position study.

    Attributes:
        unanswered: number of rows without an answer, by the position of the gold passage.
        refused, failed: numbers of rows whose prompt the endpoint refused, or failed to answer,
            among those without an answer.
    """

    rows: int = 0
    cached: int = 0
    unanswered: Counter[int | None] = field(default_factory=Counter)
    refused: int = 0
    failed: int = 0
    characters: int = 0
    not_finite: int = 0


def read_prompts(
    paths: Iterable[Path], options: ModelRunOptions
) -> Iterator[tuple[LocatedRow, str]]:
    """Yield each row of files with its prompt; raise InvalidRecord for a row without one."""
    rows = (located for path in paths for located in read_rows(path))
    for located in islice(rows, options.limit or None):
        with locate_row(located.where):
            prompt = build_prompt(located.row, style=options.style, template=options.template)
        yield located, prompt


def write_prompts(
    paths: Iterable[Path | str], target: TextIO, options: ModelRunOptions
) -> ModelRunReport:
    """Write each row of a position study with its prompt, and count the rows.

    Raises:
        InvalidRecord: a row cannot be read, or no prompt can be built from it.
    """
    report = ModelRunReport()
    for located, prompt in read_prompts(map(Path, paths), options):
        with locate_row(located.where):
            fields = _prompt_fields(located.row, prompt, options)
        report.not_finite += write_json_line(target, {**located.row, **fields})
        report.rows += 1
    return report


def estimate_run(paths: Iterable[Path], judge: Judge, options: ModelRunOptions) -> ModelRunReport:
    """Count the rows, stored answers and characters of a run; nothing is sent."""
    report = ModelRunReport()
    for located, prompt in read_prompts(paths, options):
        report.rows += 1
        if _is_too_long(prompt, options):
            report.unanswered[gold_position(located.row)] += 1
        elif judge.cached(_build_question(prompt, options)):
            report.cached += 1
        else:
            report.characters += len(prompt)
    return report


def run_model(
    paths: Iterable[Path | str],
    judge: Judge,
    options: ModelRunOptions,
    *,
    target: TextIO,
    on_missing: OnMissing,
    on_progress: Callable[[int], None],
) -> ModelRunReport:
    """Write each row with the model's answer; stored replies are not requested again.

    `on_missing` receives each row without an answer, `on_progress` the number of rows.

    Raises:
        Unavailable: the model cannot be reached, or answers no prompt; replies so far are cached.
        InvalidRecord: a row cannot be read, or no prompt can be built from it.
    """
    report = ModelRunReport()
    about = {
        "model": judge.model,
        "model_temperature": options.temperature,
        "model_top_p": options.top_p,
    }
    missing: list[InvalidInput | RequestFailed] = []
    stream = read_prompts(map(Path, paths), options)
    while batch := list(islice(stream, _BATCH)):
        on_progress(report.rows)
        outcomes = _ask_batch([prompt for _, prompt in batch], judge, options)
        for (located, prompt), outcome in zip(batch, outcomes, strict=True):
            row = {**located.row, **_prompt_fields(located.row, prompt, options), **about}
            if isinstance(outcome, ModelReply):
                row[ANSWER] = outcome.text
                if outcome.cached:
                    report.cached += 1
                else:
                    report.characters += len(prompt)
            else:
                if not _is_too_long(prompt, options):
                    missing.append(outcome)
                row |= {ANSWER: None, ERROR: outcome.message}
                report.unanswered[gold_position(located.row)] += 1
                if outcome.code == _REFUSED:
                    report.refused += 1
                if isinstance(outcome, RequestFailed):
                    report.failed += 1
                on_missing(located.where, outcome.message)
            report.not_finite += write_json_line(target, row)
        report.rows += len(batch)
        on_progress(report.rows)
    if missing and len(missing) == report.rows:
        raise Unavailable(
            f"no prompt has an answer; prompts: {report.rows:,}; first error: {missing[0].message}",
            missing[0].hint or "check the model, and the limits and rules of the endpoint",
        )
    return report


def _ask_batch(prompts: Sequence[str], judge: Judge, options: ModelRunOptions) -> list[_Outcome]:
    outcomes: dict[int, _Outcome] = {}
    sent = []
    for at, prompt in enumerate(prompts):
        if _is_too_long(prompt, options):
            message = (
                f"the prompt has {len(prompt):,} characters; the maximum is {options.max_chars:,}"
            )
            outcomes[at] = InvalidInput(message)
        else:
            sent.append(at)
    questions = [_build_question(prompts[at], options) for at in sent]
    replies = judge.ask_all(questions) if questions else ()
    for index, outcome in replies:
        if not isinstance(outcome, _Outcome):
            raise outcome  # it concerns all questions, so the run ends
        if isinstance(outcome, InvalidInput):
            outcome.code = _REFUSED
        outcomes[sent[index]] = _without_thinking(outcome, options)
    return [outcomes[at] for at in range(len(prompts))]


def _without_thinking(outcome: _Outcome, options: ModelRunOptions) -> _Outcome:
    if not isinstance(outcome, ModelReply):
        return outcome
    answer = options.read_answer(outcome.text)
    if answer is None:
        return InvalidInput(
            "the reply contains only the model's thinking; --max-tokens may be too small:"
            f" {options.max_tokens:,}"
        )
    return replace(outcome, text=answer)


def _is_too_long(prompt: str, options: ModelRunOptions) -> bool:
    return 0 < options.max_chars < len(prompt)


def _build_question(prompt: str, options: ModelRunOptions) -> Question:
    return Question(
        user=prompt,
        temperature=options.temperature,
        top_p=options.top_p,
        max_tokens=options.max_tokens,
        readable=lambda reply: options.read_answer(reply) is not None,
    )


def _prompt_fields(row: Row, prompt: str, options: ModelRunOptions) -> dict[str, Any]:
    if parse_task(row) is StudyTask.KV:
        return {"model_prompt": prompt, "model_ordered_kv_records": row["ordered_kv_records"]}
    shown = () if options.style is PromptStyle.CLOSED_BOOK else list_passages(row, shown=False)
    return {
        "model_prompt": prompt,
        "model_documents": [
            {name: each.get(name) for name in _PASSAGE_FIELDS}
            | {"score": _parse_float(each.get("score"))}
            for each in shown
        ],
        "model_prompt_mention_random_ordering": options.style is PromptStyle.RANDOM_NOTE,
        "model_use_random_ordering": is_reordered(row),
    }


def _parse_float(score: Any) -> Any:
    try:
        return float(score)
    except (TypeError, ValueError):
        return None
