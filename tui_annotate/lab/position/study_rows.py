"""Rows of position studies: a question with text passages, or a key with key-value pairs.

One passage or pair of a row has the answer; a study varies its position in the prompt. A row stays
the JSON object of its file, because unknown fields must be written back. The functions here read
and check its fields.

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
from tui_annotate.domain.report_collections import VERDICTS

Row = Mapping[str, Any]
"""A row of a position study file: a JSON object, which may have further fields."""

CORRECT, INCORRECT, UNCLEAR = VERDICTS
_DIGITS: Final = 9
"""Maximum number of digits of a position in a prompt; longer numbers are rejected."""
VERDICT: Final = "human_verdict"
"""Name of the field for a person's verdict on the model's answer."""
ERROR: Final = "model_error"
"""Name of the field that states why the model gave no answer, such as a prompt that is too long."""
ANSWER: Final = "model_answer"


class StudyTask(StrEnum):
    """The task of a row: answer a question from one of several passages, or find a key's value."""

    QA = "qa"
    KV = "kv"

    @property
    def metric(self) -> str:
        """Name of the field for whether the model's answer contains a correct one: 1.0 or 0.0."""
        return "metric_best_subspan_em" if self is StudyTask.QA else "metric_accuracy"


def parse_task(row: Any) -> StudyTask:
    """Return whether a row asks a question or looks up a key; InvalidInput if neither."""
    if isinstance(row, Mapping):
        if "ordered_kv_records" in row and "key" in row:
            return StudyTask.KV
        if "question" in row and "ctxs" in row:
            return StudyTask.QA
    raise InvalidInput(
        "the row is neither a question with passages nor a key with key-value pairs",
        "give each row the fields question, answers and ctxs, or ordered_kv_records, key and value",
    )


def parse_text(row: Row, name: str) -> str:
    """Return a field's text, which must not be blank; InvalidInput otherwise."""
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(
            f"the field {name!r} is missing"
            if name not in row
            else f"the field {name!r} is blank or not text",
            "write this field as non-blank text in each row",
        )
    return value


def parse_answers(row: Row) -> tuple[str, ...]:
    """Return the correct answers of a row, if any; InvalidInput if they are no list of texts."""
    found = row.get("answers", [])
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise InvalidInput("'answers' is not a list of texts", 'write answers as ["sea star"]')
    return tuple(found)


def expected_answers(row: Row) -> tuple[str, ...]:
    """Return the gold answers of a question, or the one value of a key; InvalidInput if invalid."""
    return parse_answers(row) if parse_task(row) is StudyTask.QA else (parse_text(row, "value"),)


def question_text(row: Row) -> str:
    """Return the question of a row, or the key whose value the model must find; or InvalidInput."""
    return parse_text(row, "question" if parse_task(row) is StudyTask.QA else "key")


def list_passages(row: Row, *, shown: bool = True) -> tuple[Row, ...]:
    """Return a row's passages in prompt order, the `shown` ones if it has them; or InvalidInput."""
    found = (shown and row.get("model_documents")) or row.get("ctxs")
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise InvalidInput(
            "'ctxs' is not a list of objects",
            "write each passage as an object with title, text and isgold",
        )
    return tuple(found)


def list_pairs(row: Row, *, shown: bool = True) -> tuple[tuple[str, str], ...]:
    """Return a row's (key, value) pairs in prompt order, `shown` ones if any; or InvalidInput."""
    found = (shown and row.get("model_ordered_kv_records")) or row["ordered_kv_records"]
    if not isinstance(found, list):
        raise InvalidInput(
            "'ordered_kv_records' is not a list of pairs", 'write a list such as [["key", "value"]]'
        )
    return tuple(_parse_pair(each, place) for place, each in enumerate(found))


def _parse_pair(value: Any, place: int) -> tuple[str, str]:
    if (
        isinstance(value, Sequence)
        and len(value) == 2
        and all(isinstance(each, str) for each in value)
    ):
        return value[0], value[1]
    raise InvalidInput(
        f"pair {place} of 'ordered_kv_records' is not a pair of texts",
        'write each pair as a list such as ["key", "value"]',
    )


def prompt_size(row: Row) -> int:
    """Return the number of passages or pairs in a row's prompt; InvalidInput if invalid."""
    return len(list_passages(row) if parse_task(row) is StudyTask.QA else list_pairs(row))


def gold_position(row: Row) -> int | None:
    """Return the position, from 0, of the passage or pair with the answer; None if unknown."""
    if parse_task(row) is StudyTask.QA:
        marks = [each.get("isgold") is True for each in list_passages(row)]
    else:
        marks = [key == row["key"] for key, _ in list_pairs(row)]
    return marks.index(True) if any(marks) else None


def question_id(row: Row) -> str:
    """Return an id of 12 hex digits for a row's question, the same for all positions and models."""
    return digest([question_text(row), *expected_answers(row)])


def prompt_id(row: Row) -> str:
    """Return an id for a row's question with its passages or pairs in their order."""
    if parse_task(row) is StudyTask.QA:
        parts: list[Any] = [[each.get("title"), each.get("text")] for each in list_passages(row)]
    else:
        parts = [list(pair) for pair in list_pairs(row)]
    return digest([question_id(row), parts])


def digest(value: Any) -> str:
    """Return 12 hex digits of the SHA-256 hash of a JSON value."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:12]


def parse_positions(asked_for: str, count: int) -> tuple[int, ...]:
    """Parse positions in a prompt of `count` parts: `0,4,9`, `all`, or `even:K` (K, evenly spread).

    Returns distinct positions in [0, count) in the given order.

    Raises:
        InvalidInput: the text has another form, or a position is outside the prompt.
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
            f"even:{number} does not name a valid number of positions",
            f"pass a number of positions from 2 to {count}, such as even:2",
        )
    steps = int(number) - 1
    return (step * (count - 1) // steps for step in range(steps + 1))


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= _DIGITS


def _parse_position(word: str, count: int) -> int:
    if not _is_number(word):
        raise InvalidInput(
            f"{word!r} is not a position", "pass positions such as 0,4,9, or all, or even:5"
        )
    if int(word) >= count:
        raise InvalidInput(
            f"position {word} is outside a prompt of {count} passages or pairs",
            f"pass positions from 0 to {count - 1}",
        )
    return int(word)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredAnswer:
    """A model's answer to a row of a position study, with its score and the human verdict.

    Attributes:
        position: position of the gold passage, from 0, or None.
        identity: id of the question, as `question_id` returns.
        verdict: human verdict; None on a tie or without ratings.
        empty_golds: number of gold answers whose normalized form is empty.
        prompt: id of the question with its passages, as `prompt_id` returns; or empty.
        reply: digest of the model's answer; or empty.
        where: location of the row in its file; empty for an answer that is stored in a workspace.
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
    prompt: str = ""
    reply: str = ""
    where: str = ""

    @property
    def fails(self) -> bool:
        """Whether the answer is wrong or missing; a person's verdict overrules the score."""
        if self.verdict in VERDICTS:
            return self.verdict != CORRECT
        return self.score is None or self.score < 1


def human_verdict(work: Iterable[Assignment]) -> str | None:
    """Return the adjudicated, else the most frequent rating; None on a tie or without ratings."""
    said = [each for each in work if each.rating]
    settled = next((each.rating for each in said if each.person == SETTLED), None)
    if settled is not None:
        return settled
    counts = Counter(each.rating for each in said).most_common(2)
    if not counts or (len(counts) > 1 and counts[0][1] == counts[1][1]):
        return None
    return counts[0][0]
