"""Parses a chat model's replies strictly, and asks the model again after an unclear reply.

Replies are untrusted. A parser returns None for every reply that has not exactly the required form.
"""

from __future__ import annotations

import json
import logging
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from threading import Lock
from typing import Any, Final, Generic, Self, TypeVar

from tui_annotate.domain.errors import (
    InvalidInput,
    RequestFailed,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.domain.strict_json import parse_unique, refuse_repeated_keys
from tui_annotate.lab.chat.thinking import remove_thinking
from tui_annotate.plugins.judges import Judge, ModelReply, Question

UNKNOWN_MARKERS: Final[Mapping[str, str]] = {"en": "unknown", "zh": "不知道"}
"""The word, by language, that a model must reply if the texts contain no answer."""

_FENCED: Final = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_LONGEST_CHOICE: Final = 60
"""Maximum length of a reply with a number, in code points; longer ones are unclear."""
_LEAD_WORDS: Final = (
    r"the|answer|choice|verdict|context|document|text|passage|number|better|one|is"
    r"|我|选择|选|答案|回答|结论|判断|上下文|文本|文档|段落|第|是|为|应该|更好的"
)
_LONE_NUMBER: Final = re.compile(
    rf"[\W_]*(?:(?:{_LEAD_WORDS})[\s:=,.*`\"'「『【(（]*)*(?<![\d.-])(\d+)[\W_]*(?:个|号|段)?[\W_]*",
    re.IGNORECASE,
)
"""Pattern for a reply of a single number, optionally with introductory words."""
_JSON_START: Final = re.compile(r"({|\[(?=\s*[\[{\"]))|\[")
"""Start of a JSON object or array; the group is set if it cannot be a bracket of a text."""
_PREFIX: Final = re.compile(
    r"\s*(?:\*\*)?(?:答案|回答|answer)(?:\*\*)?\s*[:：](?:\*\*)?\s*", re.IGNORECASE
)
_AFTER_MARKER: Final = re.compile(r"\s*(?:$|[^\w\s])")


def strip_reply(reply: str) -> str:
    """Remove a model's thinking, and a code fence around its whole reply."""
    return _strip_fence(remove_thinking(reply))


def _strip_fence(reply: str) -> str:
    text = reply.strip()
    fenced = _FENCED.fullmatch(text)
    return fenced.group(1).strip() if fenced else text


def parse_choice(reply: str, allowed: Collection[str]) -> str | None:
    """Return the number of which a reply consists, if it is allowed; else None.

    The replies `1`, `选择1` and `2。` are numbers alone. The reply `10` is not 1, and `1 or 2` is
    unclear. A JSON object with a single value is parsed as this value.
    """
    text = unicodedata.normalize("NFKC", strip_reply(reply))
    value = parse_json(text)
    if isinstance(value, dict) and len(value) == 1:
        only = next(iter(value.values()))
        text = str(int(only)) if isinstance(only, bool) else str(only)
    found = _LONE_NUMBER.fullmatch(text) if len(text) <= _LONGEST_CHOICE else None
    return found.group(1) if found and found.group(1) in allowed else None


def parse_json(reply: str) -> Any | None:
    """Return the JSON value of a reply; None for invalid JSON and for repeated keys."""
    # A reply that is JSON as a whole may quote a text with <think>.
    for text in (_strip_fence(reply), strip_reply(reply)):
        with suppress(ValueError, RecursionError):
            return parse_unique(text, parse_constant=_refuse_constant)
    return None


def parse_objects(reply: str, *, field: str) -> list[Any] | None:
    """Return the items of a reply that lists JSON objects with a field; None if it is not clear.

    The list may be the whole reply, the only list in an object, or inside other text; the objects
    may also stand alone, for example one per line. A list that is cut off, several lists, and an
    empty list among other fields of an object are not clear.
    """
    whole = parse_json(reply)
    values = [whole] if whole is not None else _find_json_values(strip_reply(reply))
    if values and all(isinstance(each, dict) and field in each for each in values):
        return values
    lists = [rows for each in values or () if (rows := _only_list(each)) is not None]
    if whole is None:  # a text may have brackets of its own, such as [1]
        lists = [rows for rows in lists if not rows or any(isinstance(row, dict) for row in rows)]
    return lists[0] if len(lists) == 1 else None


def _only_list(value: Any) -> list[Any] | None:
    if not isinstance(value, dict):
        return value if isinstance(value, list) else None
    lists = [each for each in value.values() if isinstance(each, list)]
    return lists[0] if len(lists) == 1 and (lists[0] or len(value) == 1) else None


def _find_json_values(text: str) -> list[Any] | None:
    """Return the JSON arrays and objects inside a text; None if one of them is broken."""
    decoder = json.JSONDecoder(
        object_pairs_hook=refuse_repeated_keys, parse_constant=_refuse_constant
    )
    values: list[Any] = []
    at = 0
    while start := _JSON_START.search(text, at):
        try:
            value, at = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            if start[1]:  # not a bracket of the text: a list that is cut off must not look empty
                return None
            at = start.end()
        else:
            values.append(value)
    return values


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a valid JSON number")


def parse_verdicts(reply: str, *, count: int, name: str) -> tuple[int, ...] | None:
    """Return a model's verdicts (0 or 1) on numbered items, in order; None if unclear."""
    rows = parse_json(reply)
    if not isinstance(rows, list) or len(rows) != count:
        return None
    values: list[Any] = [row.get(name) if isinstance(row, dict) else row for row in rows]
    if any(value not in (0, 1) for value in values):
        return None
    return tuple(int(value) for value in values)


def parse_texts(reply: str) -> tuple[str, ...] | None:
    """Return the non-blank texts of a reply that is a JSON list of texts; else None."""
    rows = parse_json(reply)
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        return None
    return tuple(row.strip() for row in rows if row.strip())


def parse_answer(reply: str, *, keep_thinking: bool = False) -> str | None:
    """Return a reply's answer without thinking and a prefix; "" for no answer, None if empty."""
    text = strip_reply(reply)
    if prefix := _PREFIX.match(text):
        text = text[prefix.end() :]
    text = text.strip()
    if not text:
        return None
    folded = text.strip("*\"'“”「」 ").casefold()
    for marker in UNKNOWN_MARKERS.values():
        if folded.startswith(marker) and _AFTER_MARKER.match(folded, len(marker)):
            return ""
    return reply.strip() if keep_thinking else text


_log = logging.getLogger(__name__)
_T = TypeVar("_T")

ATTEMPTS: Final = 3
_LOGGED_ERRORS: Final = 5
"""Maximum number of refused or failed questions that are logged; all of them are counted."""


@unique
class NoReply(Enum):
    """Why a question to a model has no readable reply; the values are texts for the user."""

    UNCLEAR = "the judge's replies were unclear"
    REFUSED = "the endpoint refused the prompt"
    FAILED = "the endpoint failed to answer the prompt"

    @property
    def kind(self) -> str:
        """One word for results: "unclear", "refused" or "failed"."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class ParsedReply(Generic[_T]):
    """The parsed reply to a question, or why there is none.

    `reason`: the error of a refused or failed question; empty otherwise.
    """

    value: _T | None = None
    missing: NoReply | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MissingReplies:
    """Numbers of questions to a model without a readable reply, by the reason."""

    unclear: int = 0
    refused: int = 0
    failed: int = 0

    def __add__(self, other: MissingReplies) -> MissingReplies:
        return MissingReplies(
            self.unclear + other.unclear,
            self.refused + other.refused,
            self.failed + other.failed,
        )

    @classmethod
    def count(cls, replies: Iterable[object]) -> Self:
        """Count the missing replies among the results of `ParsingJudge.ask_all`."""
        missing = [reply for reply in replies if isinstance(reply, NoReply)]
        return cls(
            missing.count(NoReply.UNCLEAR),
            missing.count(NoReply.REFUSED),
            missing.count(NoReply.FAILED),
        )

    @property
    def total(self) -> int:
        return self.unclear + self.refused + self.failed


@dataclass(slots=True)
class ReplyTally:
    """Counts of questions to a model and of its replies: stored, repeated, unclear, missing.

    `questions` counts different ones, each of which needs one readable reply. `failed` counts those
    that the endpoint failed to answer, also when repeated. `refusal` is the message about the first
    refused question, `failure` the error of the first failed one.
    """

    questions: int = 0
    asked: int = 0
    cached: int = 0
    repeated: int = 0
    unclear: int = 0
    refused: int = 0
    characters: int = 0
    refusal: str = ""
    failed: int = 0
    failure: RequestFailed | None = None
    lock: Lock = field(default_factory=Lock, repr=False, compare=False)

    @property
    def unanswered(self) -> int:
        """Number of questions without a readable reply."""
        return self.unclear + self.refused + self.failed

    def check_refusals(self) -> None:
        """Raise Unavailable if the endpoint refused or failed all questions, so none has a reply.

        A refusal of some questions is a matter of these questions, whichever of them comes first.
        """
        if self.asked + self.cached:
            return
        if self.failure:
            raise Unavailable(
                f"no question has a reply; failed: {self.failed:,}; first failure:"
                f" {self.failure.message}",
                self.failure.hint,
            )
        if self.refused:
            raise Unavailable(
                f"no question has a reply; refused: {self.refused:,}; first refusal:"
                f" {self.refusal}",
                "check the model, and the limits and rules of the endpoint",
            )


class ParsingJudge:
    """Parses a judge's replies, and asks a question again after an unclear reply."""

    def __init__(
        self,
        judge: Judge,
        *,
        reminder: str,
        tally: ReplyTally | None = None,
        on_reply: Callable[[], None] = lambda: None,
    ) -> None:
        self.judge = judge
        self.tally = tally or ReplyTally()
        self._reminder = reminder
        self._on_reply = on_reply

    def ask_all(
        self, questions: Sequence[Question], read: Callable[[str], _T | None]
    ) -> list[_T | NoReply]:
        """Return the parsed replies to questions, in order, or why a question has none.

        Raises:
            Unavailable: the endpoint cannot be reached, or sends no replies.
        """
        found: list[_T | NoReply] = [NoReply.UNCLEAR] * len(questions)
        for at, reply in self.ask_each([(question, read) for question in questions]):
            if reply.missing is not None:
                found[at] = reply.missing
            elif reply.value is not None:
                found[at] = reply.value
        return found

    def ask_each(
        self, questions: Sequence[tuple[Question, Callable[[str], _T | None]]]
    ) -> Iterator[tuple[int, ParsedReply[_T]]]:
        """Yield (index, parsed reply) of each question with its parser, as the replies arrive.

        Raises:
            Unavailable: the endpoint cannot be reached, or sends no replies; what was yielded
                before stays valid.
        """
        checked = [_only_readable(question, read) for question, read in questions]
        attempts = {at: self._cached_attempt(each) or 0 for at, each in enumerate(checked)}
        while attempts:
            order = sorted(attempts)
            asked = [_repeat_question(checked[at], attempts[at], self._reminder) for at in order]
            unclear = []
            for place, outcome in self.judge.ask_all(asked):
                at = order[place]
                text = self._count_reply(asked[place], outcome)
                if isinstance(outcome, TuiAnnotateError):
                    is_refused = isinstance(outcome, InvalidInput)
                    missing = NoReply.REFUSED if is_refused else NoReply.FAILED
                    yield at, ParsedReply(missing=missing, reason=outcome.message)
                elif (value := questions[at][1](text)) is not None:
                    yield at, ParsedReply(value)
                else:
                    unclear.append(at)
            attempts = {at: attempts[at] + 1 for at in unclear if attempts[at] + 1 < ATTEMPTS}
            given_up = [at for at in unclear if at not in attempts]
            with self.tally.lock:
                self.tally.unclear += len(given_up)
            for at in given_up:
                yield at, ParsedReply(missing=NoReply.UNCLEAR)
        with self.tally.lock:
            self.tally.questions += len(questions)

    def cached(self, question: Question, read: Callable[[str], _T | None]) -> bool:
        """Return whether a readable reply to a question, or to the repeated question, is stored."""
        return self._cached_attempt(_only_readable(question, read)) is not None

    def _cached_attempt(self, question: Question) -> int | None:
        # An unclear first reply is not cached, but the clear reply to its repetition is.
        repeated = (_repeat_question(question, at, self._reminder) for at in range(ATTEMPTS))
        return next((each.attempt for each in repeated if self.judge.cached(each)), None)

    def _count_reply(self, question: Question, outcome: ModelReply | TuiAnnotateError) -> str:
        """Count a reply, a refusal or a failure; return the reply's text; raise other errors."""
        with self.tally.lock:
            if isinstance(outcome, ModelReply):
                if outcome.cached:
                    self.tally.cached += 1
                else:
                    self.tally.asked += 1
                    self.tally.characters += len(question.system) + len(question.user)
                if question.attempt > 0:
                    self.tally.repeated += 1
            elif isinstance(outcome, InvalidInput):
                self.tally.refused += 1
                self.tally.refusal = self.tally.refusal or outcome.message
            elif isinstance(outcome, RequestFailed):
                self.tally.failed += 1
                self.tally.failure = self.tally.failure or outcome
            else:
                raise outcome
        self._on_reply()
        if isinstance(outcome, ModelReply):
            return outcome.text
        if self.tally.refused + self.tally.failed <= _LOGGED_ERRORS:
            _log.warning("%s", outcome.message)
        return ""


def _only_readable(question: Question, read: Callable[[str], _T | None]) -> Question:
    return replace(question, readable=lambda reply: read(reply) is not None)


def _repeat_question(question: Question, attempt: int, reminder: str) -> Question:
    if not attempt:
        return question
    return replace(question, user=f"{question.user}\n\n{reminder}", attempt=attempt)
