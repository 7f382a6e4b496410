"""Scorer that asks a chat model whether an answer agrees with the right answer, and why.

Source: the GPT judge of the project Dreamcatcher; an unclear reply gives the score 0.5. A prompt
that the endpoint refuses or fails to answer gives no score, as no model has judged the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import Unavailable
from tui_annotate.lab.chat import prompts
from tui_annotate.lab.chat.replies import (
    NoReply,
    ParsedReply,
    ParsingJudge,
    ReplyTally,
    parse_json,
)
from tui_annotate.lab.score.ranking import JUDGED
from tui_annotate.plugins.judges import Judge, Question
from tui_annotate.plugins.protocols import EmbeddingCost
from tui_annotate.plugins.scoring import GeneratedAnswers, Opinion, ScorerOptions

PROMPT: Final = "grade"
RIGHT = "right"
WRONG = "wrong"
UNDECIDED = "undecided"
_VERDICTS: Final = {RIGHT: True, WRONG: False, "正确": True, "错误": False}
_MAX_ANSWER: Final = 512
_MAX_REASON: Final = 500
_BATCH: Final = 32
_TOKEN_LENGTH: Final = 3
"""Approximate number of code points in a token, for estimates of cost."""


class JudgeScorer:
    """Scorer by a chat model: 1 for a right answer, 0 for wrong, 0.5 for an unclear reply.

    A question is asked up to three times until the reply is clear. An answer whose prompt the
    endpoint refuses or fails to answer has no value.

    Raises:
        Unavailable: no judge is named.
        InvalidInput: a prompt in the user's folder is invalid.
    """

    name = "judge"
    low: frozenset[str] = frozenset()

    def __init__(self, options: ScorerOptions) -> None:
        if options.judge is None:
            raise Unavailable(
                "the scorer judge needs a model",
                "name one: tui-annotate lab scores compute --scorer judge --judge MODEL"
                " --base-url URL",
            )
        self._judge: Judge = options.judge
        self._folders = (Path(options.prompts),) if options.prompts else ()
        prompts.check_folders(self._folders)
        self._versions: dict[str, str] = {}
        self.host = self._judge.host
        self.tally = ReplyTally()
        self.maker = f"judge-score:{self._judge.model}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameters stored with the scores; prompts are known after an answer was scored."""
        return {
            "model": self._judge.model,
            "host": self._judge.host,
            "middle": {JUDGED: 0.5},
            "prompts": dict(sorted(self._versions.items())),
        }

    def of_answers(self, questions: Iterable[GeneratedAnswers]) -> Iterator[tuple[Opinion, ...]]:
        """Score answers, after reading all: no transaction may be open while the model runs.

        Raises:
            Unavailable: the endpoint cannot be reached, or refuses all questions.
        """
        waiting = iter(list(questions))
        while some := list(islice(waiting, _BATCH)):
            parser = self._make_parser(some[0].language)
            asked = [one for each in some for one in self._build_questions(each)]
            replies = dict(parser.ask_each([(one, parse_grade) for one in asked]))
            grades = (_score_grade(replies[at]) for at in range(len(asked)))
            for each in some:
                found = list(islice(grades, len(each.texts)))
                values = tuple(value for value, _ in found)
                words = tuple(text for _, text in found)
                yield (Opinion(name=JUDGED, values=values, words=words),)
        self.tally.check_refusals()

    def cost(self, questions: Iterable[GeneratedAnswers]) -> EmbeddingCost:
        """Return the cost of the answers that are not in the cache, with the tokens estimated."""
        total = EmbeddingCost()
        for each in questions:
            parser = self._make_parser(each.language)
            for one in self._build_questions(each):
                if not parser.cached(one, parse_grade):
                    size = len(one.user)
                    total += EmbeddingCost(1, size, size // _TOKEN_LENGTH)
        return total

    def _make_parser(self, language: str) -> ParsingJudge:
        reminder = prompts.load_prompt("again", language=language, folders=self._folders)
        return ParsingJudge(self._judge, reminder=reminder.fill(), tally=self.tally)

    def _build_questions(self, each: GeneratedAnswers) -> list[Question]:
        prompt = prompts.load_prompt(PROMPT, language=each.language, folders=self._folders)
        self._versions[f"{PROMPT}.{prompt.language}"] = prompt.version
        return [
            Question(
                user=prompt.fill(
                    question=each.question, reference=each.answer, answer=text[:_MAX_ANSWER]
                )
            )
            for text in each.texts
        ]


def _score_grade(reply: ParsedReply[tuple[bool, str]]) -> tuple[float | None, str]:
    """Return the score of an answer, and the words that explain it; no score without a reply."""
    if reply.missing in {NoReply.REFUSED, NoReply.FAILED}:
        return None, f"{reply.missing.value}: {reply.reason}"
    if reply.value is None:
        return 0.5, UNDECIDED
    right, reason = reply.value
    verdict = RIGHT if right else WRONG
    return float(right), f"{verdict}: {reason}" if reason else verdict


def parse_grade(reply: str) -> tuple[bool, str] | None:
    """Return whether a reply calls an answer right, and why; None for an unclear reply."""
    value = parse_json(reply) if len(reply) <= 100 * _MAX_REASON else None
    if not isinstance(value, dict) or not isinstance(value.get("verdict"), str):
        return None
    verdict = _VERDICTS.get(value["verdict"].strip().casefold())
    reason = value.get("reason", "")
    if verdict is None or not isinstance(reason, str):
        return None
    plain = "".join(each if each.isprintable() else " " for each in reason)
    return verdict, " ".join(plain.split())[:_MAX_REASON]
