"""A chat model as a teacher: an answer is right or wrong by the right one, with a reason.

Source: the GPT judge of the project Dreamcatcher; an unclear judge gives one half.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import Unavailable
from tui_annotate.methods.ranking import JUDGED
from tui_annotate.methods.replies import json_in
from tui_annotate.plugins import prompts
from tui_annotate.plugins.asking import Judge, Question
from tui_annotate.plugins.clearly import Clearly
from tui_annotate.plugins.protocols import Cost
from tui_annotate.plugins.scoring import Answers, Opinion, ScorerOptions

PROMPT: Final = "grade"
RIGHT, WRONG, UNDECIDED = "right", "wrong", "undecided"
_WORDS: Final = {RIGHT: True, WRONG: False, "正确": True, "错误": False}
_LONGEST: Final = 512
"""Code points of an answer that are shown."""
_REASON: Final = 500
_AT_ONCE: Final = 32
"""Questions whose answers are asked for together."""
_TOKEN: Final = 3
"""Code points of a token, about: a guess."""


class JudgeScorer:
    """1 for a right answer, 0 for a wrong one, one half where three replies were unclear.

    Raises:
        Unavailable: no judge is named.
    """

    name = "judge"
    low: frozenset[str] = frozenset()

    def __init__(self, options: ScorerOptions) -> None:
        if options.judge is None:
            raise Unavailable(
                "no model is named that could judge", "--scorer judge --judge MODEL --base-url URL"
            )
        self._judge: Judge = options.judge
        self._folders = (Path(options.prompts),) if options.prompts else ()
        self._versions: dict[str, str] = {}
        self.maker = f"judge-score:{self._judge.model}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Model, host, the prompts that were used, and where the score decides nothing."""
        told = {"model": self._judge.model, "host": self._judge.host, "middle": {JUDGED: 0.5}}
        return told | {"prompts": dict(sorted(self._versions.items()))}

    def of_answers(self, questions: Iterable[Answers]) -> Iterator[tuple[Opinion, ...]]:
        """See `Scorer.of_answers`; extras are not judged.

        All are read first, so that nobody's transaction is open while a model thinks.
        """
        waiting = iter(list(questions))
        while some := list(islice(waiting, _AT_ONCE)):
            language = some[0].language
            reminder = prompts.load("again", language=language, folders=self._folders)
            clearly = Clearly(self._judge, reminder=reminder.text)
            said = iter(clearly.all([one for each in some for one in self._asked(each)], graded))
            for each in some:
                found = list(islice(said, len(each.texts)))
                values = tuple(0.5 if one is None else float(one[0]) for one in found)
                words = tuple(UNDECIDED if one is None else _told(*one) for one in found)
                yield (Opinion(name=JUDGED, values=values, words=words),)

    def cost(self, questions: Iterable[Answers]) -> Cost:
        """See `CostlyScorer.cost`; what is known costs nothing."""
        told = Cost()
        for each in questions:
            for one in self._asked(each):
                if not self._judge.cached(one):
                    size = len(one.user)
                    told += Cost(1, size, size // _TOKEN)
        return told

    def _asked(self, each: Answers) -> list[Question]:
        prompt = prompts.load(PROMPT, language=each.language, folders=self._folders)
        self._versions[f"{PROMPT}.{prompt.language}"] = prompt.version
        return [
            Question(
                user=prompt.filled(
                    question=each.question, reference=each.answer, answer=text[:_LONGEST]
                )
            )
            for text in each.texts
        ]


def graded(reply: str) -> tuple[bool, str] | None:
    """Whether a reply calls an answer right, and its reason as one line; None if it is unclear."""
    value = json_in(reply) if len(reply) <= 100 * _REASON else None
    if not isinstance(value, dict) or not isinstance(value.get("verdict"), str):
        return None
    verdict = _WORDS.get(value["verdict"].strip().casefold())
    reason = value.get("reason", "")
    if verdict is None or not isinstance(reason, str):
        return None
    plain = "".join(each if each.isprintable() else " " for each in reason)
    return verdict, " ".join(plain.split())[:_REASON]


def _told(right: bool, reason: str) -> str:  # noqa: FBT001  as `graded` gives them
    word = RIGHT if right else WRONG
    return f"{word}: {reason}" if reason else word
