"""Reference answers from all contexts of a question: by groups that are joined, or read slowly."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.methods.judging import GROUP, groups, reductions
from tui_annotate.methods.replies import UNKNOWN, answer
from tui_annotate.plugins.asking import Question
from tui_annotate.services.judge.planning import Expected
from tui_annotate.services.judge.rows import Row
from tui_annotate.services.judge.sitting import Sitting

PART: Final = 6_000
"""Code points of a context that the slow variant reads at a time: about 2,000 tokens."""
WINDOW: Final = 24_000
"""Code points of a context that it sees at a time, with those before: about 8,000 tokens."""
_ANSWER: Final = 600
"""Code points that an answer is expected to have, where calls are told beforehand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateOptions:
    """How a reference answer is made.

    Attributes:
        group_size: contexts, and answers, of one call; at least 2.
        seed: of the order in which contexts are put in groups; the same gives the same.
        slow: each context is read by itself, part after part.
    """

    group_size: int = GROUP
    seed: int = 0
    slow: bool = False

    def __post_init__(self) -> None:
        if self.group_size < 2:
            raise InvalidInput(
                f"groups of {self.group_size} never become one", "--group-size is at least 2"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """A reference answer.

    Attributes:
        ground_truth: None with a reason, where there is none.
        reason: empty where there is an answer.
        calls: replies that it was made of.
    """

    row: Row
    ground_truth: str | None
    reason: str = ""
    calls: int = 0

    def as_json(self) -> dict[str, Any]:
        """Values of JSON, as a row that is read again; a reason where there is no answer."""
        told: dict[str, Any] = {} if self.row.key is None else {"id": self.row.key.id}
        told |= {
            "question": self.row.question,
            "contexts": list(self.row.contexts),
            "ground_truth": self.ground_truth,
        }
        return told | ({"reason": self.reason} if self.reason else {})


def generate_row(row: Row, sitting: Sitting, options: GenerateOptions) -> Generated:
    """Makes the reference answer of one question.

    Raises:
        Unavailable, InvalidInput: as `Clearly.all`.
    """
    if not row.contexts:
        return Generated(row=row, ground_truth=None, reason="there are no contexts")
    replies, calls = (
        _read_slowly(row, sitting) if options.slow else _gathered(row, sitting, options)
    )
    there = [reply for reply in replies if reply]
    if not there:
        silent = all(reply is None for reply in replies)
        why = "the judge gave no answer" if silent else "the contexts do not tell, says the judge"
        return Generated(row=row, ground_truth=None, reason=why, calls=calls)
    while len(there) > 1:
        there, joined = _joined(there, row, sitting, size=options.group_size)
        calls += joined
    if not there:
        return Generated(row=row, ground_truth=None, reason="the judge gave no answer", calls=calls)
    return Generated(row=row, ground_truth=there[0], calls=calls)


def _gathered(row: Row, sitting: Sitting, options: GenerateOptions) -> tuple[list[str | None], int]:
    """An answer for each group of contexts, and how many were asked for."""
    asked = [
        sitting.put(
            "gather",
            row.language,
            question=row.question,
            contexts=numbered(group),
            unknown=_unknown(sitting, row),
        )
        for group in _groups(row, options)
    ]
    return sitting.clearly(row.language).all(asked, answer), len(asked)


def _groups(row: Row, options: GenerateOptions) -> list[Sequence[str]]:
    """The contexts in an order of chance, so that no group holds the retriever's best alone."""
    shuffled = list(row.contexts)
    random.Random(f"{options.seed}\n{row.question}").shuffle(shuffled)  # noqa: S311  no secret
    return groups(shuffled, options.group_size)


def _joined(
    there: Sequence[str], row: Row, sitting: Sitting, *, size: int
) -> tuple[list[str], int]:
    """One answer for each group of answers, and calls; one that is alone stays as it is."""
    parts = groups(there, size)
    asked = [
        sitting.put("join", row.language, question=row.question, answers=numbered(part))
        for part in parts
        if len(part) > 1
    ]
    said = iter(sitting.clearly(row.language).all(asked, answer))
    fewer = [part[0] if len(part) == 1 else next(said) for part in parts]
    return [each for each in fewer if each], len(asked)


def _read_slowly(row: Row, sitting: Sitting) -> tuple[list[str | None], int]:
    """An answer for each part of each context, seen with the parts before it."""
    asked: list[Question] = []
    for context in row.contexts:
        parts = [context[at : at + PART] for at in range(0, len(context), PART)]
        for place, part in enumerate(parts):
            before = "".join(parts[max(0, place - WINDOW // PART + 1) : place])
            asked.append(
                sitting.put(
                    "read",
                    row.language,
                    question=row.question,
                    before=before or "-",
                    part=part,
                    unknown=_unknown(sitting, row),
                )
            )
    return sitting.clearly(row.language).all(asked, answer), len(asked)


def _unknown(sitting: Sitting, row: Row) -> str:
    return UNKNOWN[sitting.prompt("gather", row.language).language]


def numbered(texts: Sequence[str]) -> str:
    """Texts with their numbers from 1, a blank line between two."""
    return "\n\n".join(f"[{number}] {text.strip()}" for number, text in enumerate(texts, 1))


def expected(row: Row, sitting: Sitting, options: GenerateOptions) -> Expected:
    """What a reference answer takes at most; the length of what is not there yet is guessed."""
    sizes = [len(context) for context in row.contexts]
    if options.slow:
        first = sum(-(-size // PART) for size in sizes)
        texts = sum(min(at + PART, WINDOW) for size in sizes for at in range(0, size, PART))
        told = Expected.of(sitting, "read", row, calls=first, texts=texts)
    else:
        first = len(groups(sizes, options.group_size))
        told = Expected.of(sitting, "gather", row, calls=first, texts=sum(sizes))
    calls = reductions(first, options.group_size)
    joined = min(first, calls * options.group_size)
    return told + Expected.of(sitting, "join", row, calls=calls, texts=joined * _ANSWER)


def file_name(question: str, *, taken: set[str]) -> str:
    """The name of a question's file, as the project RagSGE calls it, fit for every file system.

    Args:
        taken: names that are used already, in lower case; the new one is added.
    """
    kept = (
        re.sub(r"[^\w .()（），。？！、-]+|\.{2,}", "_", question).strip(" ._")[:60] or "question"
    )
    number = 1
    while True:
        name = f"GT_{kept}.json" if number == 1 else f"GT_{kept}-{number}.json"
        if name.casefold() not in taken:
            taken.add(name.casefold())
            return name
        number += 1
