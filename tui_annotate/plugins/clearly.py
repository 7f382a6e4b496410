"""Asks a judge until its replies can be read: strictly, three times at most, then it is told."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Final, TypeVar

from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.plugins.asking import Answered, Judge, Question

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

ATTEMPTS: Final = 3
"""How often a question is asked before its replies are held to be unclear."""


@dataclass(slots=True)
class Tally:
    """What asking came to.

    Attributes:
        asked: replies that the model gave now.
        cached: replies that were known.
        again: of both, those to questions that were asked again.
        unclear: questions without a reply that could be read.
        refused: questions that the endpoint did not take.
        characters: code points that were sent.
        lock: held by whoever counts.
    """

    asked: int = 0
    cached: int = 0
    again: int = 0
    unclear: int = 0
    refused: int = 0
    characters: int = 0
    lock: Lock = field(default_factory=Lock, repr=False, compare=False)


class Clearly:
    """Questions to a judge, and what its replies say. Threads may share it.

    Args:
        reminder: what is added to a question that is asked again.
        tally: what is counted in; others may count in it too.
        heard: called after each reply.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        reminder: str,
        tally: Tally | None = None,
        heard: Callable[[], None] = lambda: None,
    ) -> None:
        self.judge = judge
        self.tally = tally or Tally()
        self._reminder = reminder
        self._heard = heard

    def one(self, question: Question, read: Callable[[str], _T | None]) -> _T | None:
        """See `all`."""
        return self.all([question], read)[0]

    def all(
        self, questions: Sequence[Question], read: Callable[[str], _T | None]
    ) -> list[_T | None]:
        """What the replies to some questions say, in the questions' order.

        Args:
            read: gives None for a reply that it can not read; only then is asked again.

        Returns:
            None for a question that stayed unclear, or that the endpoint does not take.

        Raises:
            Unavailable: the endpoint can not be reached, or gives no replies.
            InvalidInput: it takes no question at all.
        """
        found: list[_T | None] = [None] * len(questions)
        open_ = list(range(len(questions)))
        for attempt in range(ATTEMPTS):
            asked = [self._put(questions[at], attempt) for at in open_]
            unclear = []
            for place, outcome in self.judge.ask_all(asked):
                at = open_[place]
                text = self._taken(asked[place], outcome)
                if text is not None and (value := read(text)) is not None:
                    found[at] = value
                elif text is not None:
                    unclear.append(at)
            open_ = sorted(unclear)
            if not open_:
                break
        with self.tally.lock:
            self.tally.unclear += len(open_)
        return found

    def _put(self, question: Question, attempt: int) -> Question:
        if not attempt:
            return question
        return replace(question, user=f"{question.user}\n\n{self._reminder}", attempt=attempt)

    def _taken(self, question: Question, outcome: Answered | TuiAnnotateError) -> str | None:
        """The text of a reply; None where the endpoint does not take this question."""
        with self.tally.lock:
            if isinstance(outcome, Answered):
                told = self.tally
                told.cached += outcome.cached
                told.asked += not outcome.cached
                told.again += question.attempt > 0
                told.characters += 0 if outcome.cached else _length(question)
            elif isinstance(outcome, InvalidInput) and self.tally.asked + self.tally.cached:
                self.tally.refused += 1
            else:
                raise outcome
        self._heard()
        if isinstance(outcome, Answered):
            return outcome.text
        _log.warning("%s", outcome.message)
        return None


def _length(question: Question) -> int:
    return len(question.system) + len(question.user)
