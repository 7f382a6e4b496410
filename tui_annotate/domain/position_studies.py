"""Rows of position studies: a question over passages, or a key over pairs, one of which answers.

A row stays the object that it is in its file, as fields that nothing here knows must go out again;
these functions say what it is, and refuse one that is neither by naming the field.

Source: the files of "Lost in the Middle" (N. F. Liu et al., 2023).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import SETTLED

Row = Mapping[str, Any]
"""An object of a file, with the fields that are named below and any others."""

CORRECT, INCORRECT, UNCLEAR = "Correct", "Incorrect", "Unclear"
VERDICTS: Final = (CORRECT, INCORRECT, UNCLEAR)
"""What a person may say of an answer, as the rating of its sample."""
_DIGITS: Final = 9
"""Of a position; no prompt has so many passages."""
VERDICT: Final = "human_verdict"
"""The field of a scored row that holds what people said of it."""
ERROR: Final = "model_error"
"""The field that says why a row has no answer: its prompt was refused, or too long."""
ANSWER: Final = "model_answer"


class StudyTask(StrEnum):
    """What is asked: a question that one of several passages answers, or the value of a key."""

    QA = "qa"
    KV = "kv"

    @property
    def metric(self) -> str:
        """The field of a scored row that holds the metric's verdict, 1.0 or 0.0."""
        return "metric_best_subspan_em" if self is StudyTask.QA else "metric_accuracy"


def parse_task(row: Any) -> StudyTask:
    """What a row asks, by its fields.

    Raises:
        InvalidInput: it is neither, or a field is not what it must be.
    """
    if isinstance(row, Mapping):
        if "ordered_kv_records" in row and "key" in row:
            return StudyTask.KV
        if "question" in row and "ctxs" in row:
            return StudyTask.QA
    raise InvalidInput(
        "the row is neither a question over passages nor a key over pairs",
        "the first has question, answers and ctxs, the other ordered_kv_records, key and value",
    )


def parse_text(row: Row, name: str) -> str:
    """A field that must be text with something in it.

    Raises:
        InvalidInput: it is missing, no text, or blank.
    """
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        what = "is missing" if name not in row else "is no text, or blank"
        raise InvalidInput(f"{name!r} {what}", "each row needs it")
    return value


def parse_answers(row: Row) -> tuple[str, ...]:
    """The gold answers of a question; none where the row has none.

    Raises:
        InvalidInput: they are no list of texts.
    """
    found = row.get("answers", [])
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise InvalidInput("'answers' is no list of texts", 'as ["sea star", "starfish"]')
    return tuple(found)


def expected_answers(row: Row) -> tuple[str, ...]:
    """What a right answer says: the gold answers of a question, or the value of a key."""
    return parse_answers(row) if parse_task(row) is StudyTask.QA else (parse_text(row, "value"),)


def question_text(row: Row) -> str:
    """The question, or the key."""
    return parse_text(row, "question" if parse_task(row) is StudyTask.QA else "key")


def list_passages(row: Row, *, shown: bool = True) -> tuple[Row, ...]:
    """Return the passages of a question in prompt order; `shown` ones where the row has them.

    Raises:
        InvalidInput: they are no list of objects.
    """
    found = (shown and row.get("model_documents")) or row.get("ctxs")
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise InvalidInput("'ctxs' is no list of objects", "each has title, text and isgold")
    return tuple(found)


def list_pairs(row: Row, *, shown: bool = True) -> tuple[tuple[str, str], ...]:
    """The pairs of a key-value row in the order of the prompt; `shown` as for passages.

    Raises:
        InvalidInput: they are no list of pairs of texts.
    """
    found = (shown and row.get("model_ordered_kv_records")) or row["ordered_kv_records"]
    if not isinstance(found, list):
        raise InvalidInput("'ordered_kv_records' is no list of pairs", 'as [["key", "value"]]')
    return tuple(_parse_pair(each, place) for place, each in enumerate(found))


def _parse_pair(value: Any, place: int) -> tuple[str, str]:
    if (
        isinstance(value, Sequence)
        and len(value) == 2
        and all(isinstance(each, str) for each in value)
    ):
        return value[0], value[1]
    raise InvalidInput(
        f"pair {place} of 'ordered_kv_records' is no pair of texts", 'as ["key", "value"]'
    )


def prompt_size(row: Row) -> int:
    """How many passages or pairs the prompt holds."""
    return len(list_passages(row) if parse_task(row) is StudyTask.QA else list_pairs(row))


def gold_position(row: Row) -> int | None:
    """Where the passage or the pair stands that answers, from 0; None where none is marked."""
    if parse_task(row) is StudyTask.QA:
        marks = [each.get("isgold") is True for each in list_passages(row)]
    else:
        marks = [key == row["key"] for key, _ in list_pairs(row)]
    return marks.index(True) if any(marks) else None


def question_id(row: Row) -> str:
    """What names the question of a row wherever its answer stands: 12 hex digits.

    Rows of one question at several positions, or by several models, share it.
    """
    what = [question_text(row), *expected_answers(row)]
    return hashlib.sha256(json.dumps(what, ensure_ascii=False).encode()).hexdigest()[:12]


def parse_positions(asked_for: str, count: int) -> tuple[int, ...]:
    """Parse `0,4,9`, `all` or `even:K` (K positions, evenly spread) among `count` passages.

    Returns distinct positions in [0, count) in the given order.

    Raises:
        InvalidInput: it is none of the three, or a position is outside the prompt.
    """
    if asked_for == "all":
        return tuple(range(count))
    kind, colon, number = asked_for.partition(":")
    if kind == "even" and colon:
        return tuple(_spread_evenly(number, count))
    found = [_parse_position(each.strip(), count) for each in asked_for.split(",")]
    return tuple(dict.fromkeys(found))


def _spread_evenly(number: str, count: int) -> Iterator[int]:
    if not _is_number(number) or not 2 <= int(number) <= count:
        raise InvalidInput(
            f"even:{number} is no number of positions", f"between 2 and {count}, as even:2"
        )
    steps = int(number) - 1
    return (step * (count - 1) // steps for step in range(steps + 1))


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= _DIGITS


def _parse_position(word: str, count: int) -> int:
    if not _is_number(word):
        raise InvalidInput(f"{word!r} is no position", "as 0,4,9, all, or even:5")
    if int(word) >= count:
        raise InvalidInput(f"there is no position {word} of {count}", f"from 0 to {count - 1}")
    return int(word)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredAnswer:
    """An answer to a row.

    Attributes:
        position: of the gold passage, from 0, or None.
        score: 1.0, 0.0 or None.
        verdict: of people; None on a tie or without any, `judged` says which.
        empty_golds: gold answers with an empty normal form.
    """

    task: StudyTask
    position: int | None
    size: int
    identity: str
    score: float | None
    answered: bool = True
    model: str = ""
    verdict: str | None = None
    judged: bool = False
    empty_golds: int = 0
    file: str = ""

    @property
    def fails(self) -> bool:
        """Whether the answer is not right, or there is none: people's word goes before a score."""
        if self.verdict in VERDICTS:
            return self.verdict != CORRECT
        return self.score is None or self.score < 1


def human_verdict(work: Iterable[Assignment]) -> str | None:
    """What people say of an answer: what review settled, else what more of them say than anything.

    None for a tie, and where nobody gave a word.
    """
    said = [each for each in work if each.rating]
    settled = next((each.rating for each in said if each.person == SETTLED), None)
    if settled is not None:
        return settled
    counts = Counter(each.rating for each in said).most_common(2)
    if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]
