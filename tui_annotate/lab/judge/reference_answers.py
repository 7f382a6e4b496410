"""Reference answers that a judge writes from all retrieved texts (contexts) of a question.

The judge reads either groups of contexts, or each context in parts.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final, NotRequired, TypedDict

from tui_annotate.lab.chat.replies import (
    UNKNOWN_MARKERS,
    MissingReplies,
    NoReply,
)
from tui_annotate.lab.judge.metrics import (
    MissingReason,
    count_reductions,
    pack_texts,
    split_groups,
)
from tui_annotate.lab.judge.options import GenerateOptions
from tui_annotate.lab.judge.rows import QuestionRow
from tui_annotate.lab.judge.runner import ExpectedCalls, JudgeRunner

EXPECTED_ANSWER: Final = 600
"""Expected length of an answer in code points, for estimates of cost."""


class PrintedReferenceAnswer(TypedDict):
    """A question with the answer that a judge wrote from its contexts.

    Attributes:
        id: id of the sample; only for a stored sample.
        contexts: the retrieved texts; null for an empty or null context of the file, so that the
            others keep their indices.
        unclear, refused, failed: numbers of questions to the judge with unclear replies only, of
            those that the endpoint refused, and of those that it failed to answer.
        reason: why `ground_truth` is null; only then.
    """

    id: NotRequired[str]
    question: str
    contexts: list[str | None]
    ground_truth: str | None
    unclear: int
    refused: int
    failed: int
    reason: NotRequired[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceAnswer:
    """The reference answer to one question, or the reason why it is missing.

    Attributes:
        calls: number of questions to the judge.
        unclear, refused, failed: how many of these have unclear replies only, were refused by the
            endpoint, or were not answered because the endpoint failed.
    """

    row: QuestionRow
    ground_truth: str | None
    reason: str = ""
    calls: int = 0
    unclear: int = 0
    refused: int = 0
    failed: int = 0

    def as_json(self) -> PrintedReferenceAnswer:
        """Return the values of the row and the proposed answer; `id` only for a stored sample."""
        values: PrintedReferenceAnswer = {
            "question": self.row.question,
            "contexts": list(self.row.contexts),
            "ground_truth": self.ground_truth,
            "unclear": self.unclear,
            "refused": self.refused,
            "failed": self.failed,
        }
        if self.reason:
            values["reason"] = self.reason
        return values if self.row.key is None else {"id": self.row.key.id, **values}


def generate_row(
    row: QuestionRow, runner: JudgeRunner, options: GenerateOptions
) -> ReferenceAnswer:
    """Write the reference answer to a question from all its contexts.

    Partial answers are joined until one is left. The answer is missing if no context answers the
    question, or if no reply is readable.
    """
    if not row.texts:
        return ReferenceAnswer(row=row, ground_truth=None, reason=MissingReason.NO_CONTEXTS)
    if options.slow:
        replies, calls = _read_slowly(row, runner, options)
    else:
        replies, calls = _answer_groups(row, runner, options)
    missing = MissingReplies.count(replies)
    answers = _keep_answers(replies)
    while len(answers) > 1:
        joined, more = _join_answers(answers, row, runner, options=options)
        calls += more
        missing += MissingReplies.count(joined)
        answers = _keep_answers(joined)
    if answers:
        reason = ""
    elif missing.refused:
        reason = MissingReason.REFUSED_PROMPT
    elif missing.failed:
        reason = MissingReason.FAILED_PROMPT
    else:
        reason = MissingReason.SILENT_JUDGE if missing.unclear else MissingReason.UNKNOWN_ANSWER
    return ReferenceAnswer(
        row=row,
        ground_truth=answers[0] if answers else None,
        reason=reason,
        calls=calls,
        unclear=missing.unclear,
        refused=missing.refused,
        failed=missing.failed,
    )


def _keep_answers(replies: Sequence[str | NoReply]) -> list[str]:
    return [reply for reply in replies if isinstance(reply, str) and reply]


def _answer_groups(
    row: QuestionRow, runner: JudgeRunner, options: GenerateOptions
) -> tuple[list[str | NoReply], int]:
    slots = [
        {"contexts": number_texts(group), "unknown": _unknown_marker(runner, row)}
        for group in _group_contexts(row, options)
    ]
    return runner.ask_all(row, "gather", slots, read=options.parse_answer), len(slots)


def _group_contexts(row: QuestionRow, options: GenerateOptions) -> list[list[str]]:
    # Random order, so that no group holds only the retriever's best contexts.
    contexts = list(row.texts)
    random.Random(f"{options.seed}\n{row.question}").shuffle(contexts)  # noqa: S311  no secret
    return pack_texts(contexts, options.group_size, most=options.max_chars)


def _join_answers(
    there: Sequence[str], row: QuestionRow, runner: JudgeRunner, *, options: GenerateOptions
) -> tuple[list[str | NoReply], int]:
    """Join each group of answers into one; also return the number of requests."""
    parts = _group_answers(there, options)
    slots = [{"answers": number_texts(part)} for part in parts if len(part) > 1]
    replies = iter(runner.ask_all(row, "join", slots, read=options.parse_answer))
    return [part[0] if len(part) == 1 else next(replies) for part in parts], len(slots)


def _group_answers(answers: Sequence[str], options: GenerateOptions) -> list[Sequence[str]]:
    if not options.max_chars:
        return split_groups(answers, options.group_size)
    groups: list[list[str]] = []
    for answer in answers:
        group = groups[-1] if groups else []
        full = len(group) == options.group_size
        # Two answers are always joined, whatever their length, so that one answer is left at last.
        long = len(group) > 1 and sum(map(len, group)) + len(answer) > options.max_chars
        if not groups or full or long:
            groups.append([answer])
        else:
            group.append(answer)
    return [*groups]


def _read_slowly(
    row: QuestionRow, runner: JudgeRunner, options: GenerateOptions
) -> tuple[list[str | NoReply], int]:
    size = options.part
    slots = []
    for context in row.texts:
        parts = [context[at : at + size] for at in range(0, len(context), size)]
        for place, part in enumerate(parts):
            before = "".join(parts[max(0, place - options.window // size + 1) : place])
            slots.append(
                {"before": before or "-", "part": part, "unknown": _unknown_marker(runner, row)}
            )
    return runner.ask_all(row, "read", slots, read=options.parse_answer), len(slots)


def _unknown_marker(runner: JudgeRunner, row: QuestionRow) -> str:
    return UNKNOWN_MARKERS[runner.prompt("gather", row.language).language]


def number_texts(texts: Sequence[str]) -> str:
    """Return texts numbered from 1, separated by blank lines."""
    return "\n\n".join(f"[{number}] {text.strip()}" for number, text in enumerate(texts, 1))


def estimate_answer_cost(
    row: QuestionRow, runner: JudgeRunner, options: GenerateOptions
) -> ExpectedCalls:
    """Return the maximum number of requests and characters for one reference answer."""
    if options.slow:
        sizes = [len(context) for context in row.texts]
        part = options.part
        first = sum(-(-size // part) for size in sizes)
        texts = sum(min(at + part, options.window) for size in sizes for at in range(0, size, part))
        total = ExpectedCalls.of(runner, "read", row, calls=first, texts=texts)
    else:
        groups = _group_contexts(row, options)
        first = len(groups)
        texts = sum(len(text) for group in groups for text in group)
        total = ExpectedCalls.of(runner, "gather", row, calls=first, texts=texts)
    if options.max_chars:  # long answers are joined in pairs
        calls = max(first - 1, 0)
        joined = 2 * calls
    else:
        calls = count_reductions(first, options.group_size)
        joined = min(first, calls * options.group_size)
    return total + ExpectedCalls.of(
        runner, "join", row, calls=calls, texts=joined * EXPECTED_ANSWER
    )


def truth_file_name(question: str, *, taken: set[str]) -> str:
    """Return RagSGE's file name for an answer; add it, in lower case, to the names `taken`."""
    kept = (
        re.sub(r"[^\w .()（），。？！、-]+|\.{2,}", "_", question).strip(" ._")[:60] or "question"
    )
    names = (f"GT_{kept}{'' if number == 1 else f'-{number}'}.json" for number in count(1))
    name = next(each for each in names if each.casefold() not in taken)
    taken.add(name.casefold())
    return name
