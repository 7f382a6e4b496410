"""Asking until it is clear: three times at most, then it is told; and counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError, Unavailable
from tui_annotate.methods.replies import one_of
from tui_annotate.plugins.asking import Answered, Question
from tui_annotate.plugins.clearly import Clearly


class Scripted:
    """A judge that says what it is told to, and remembers what it was asked."""

    name, model, host = "scripted", "m", "here"

    def __init__(self, *replies: str | TuiAnnotateError, cached: bool = False) -> None:
        self.replies = list(replies)
        self.asked: list[Question] = []
        self._cached = cached

    def ask(self, question: Question) -> Answered:
        """The next reply."""
        self.asked.append(question)
        said = self.replies.pop(0)
        if isinstance(said, TuiAnnotateError):
            raise said
        return Answered(said, cached=self._cached)

    def ask_all(
        self, questions: Sequence[Question]
    ) -> Iterator[tuple[int, Answered | TuiAnnotateError]]:
        """The last question first."""
        for place in reversed(range(len(questions))):
            try:
                yield place, self.ask(questions[place])
            except TuiAnnotateError as error:
                yield place, error

    def cached(self, question: Question) -> bool:
        """Nothing is."""
        del question
        return False


def digit(reply: str) -> str | None:
    """A reply of 1 or 2."""
    return one_of(reply, ("1", "2"))


def ask(judge: Scripted, *users: str) -> tuple[Clearly, list[str | None]]:
    """What some questions come to."""
    clearly = Clearly(judge, reminder="Only a digit!")
    return clearly, clearly.all([Question(user=user) for user in users], digit)


def test_clear_replies_are_asked_for_once() -> None:
    """Each stands at the place of its question, whatever came first."""
    clearly, found = ask(Scripted("2", "1"), "a", "b")
    assert found == ["1", "2"]
    assert (clearly.tally.asked, clearly.tally.again, clearly.tally.characters) == (2, 0, 2)


def test_unclear_replies_are_asked_for_again() -> None:
    """With a reminder, as another attempt; the clear ones are left in peace."""
    judge = Scripted("none", "1", "10", "2")
    clearly, found = ask(judge, "a", "b")
    assert found == ["1", "2"]
    assert [each.attempt for each in judge.asked] == [0, 0, 1, 2]
    assert [each.user for each in judge.asked[2:]] == ["b\n\nOnly a digit!"] * 2
    assert (clearly.tally.asked, clearly.tally.again, clearly.tally.unclear) == (4, 2, 0)


def test_after_three_times_it_is_told() -> None:
    """There is no fourth time, and nothing is made up."""
    clearly, found = ask(Scripted("x", "y", "z", "1"), "a")
    assert found == [None]
    assert (clearly.tally.asked, clearly.tally.unclear) == (3, 1)


def test_known_replies_cost_nothing() -> None:
    """They are counted by themselves."""
    clearly = Clearly(Scripted("1", cached=True), reminder="")
    assert clearly.one(Question(user="a"), digit) == "1"
    assert (clearly.tally.asked, clearly.tally.cached, clearly.tally.characters) == (0, 1, 0)


def test_an_endpoint_that_is_gone_ends_it() -> None:
    """What is unavailable for one question is so for all."""
    with pytest.raises(Unavailable):
        ask(Scripted("1", Unavailable("gone")), "a", "b")


def test_one_refused_question_is_no_end(caplog: pytest.LogCaptureFixture) -> None:
    """It has no answer and is told; where the first of all is refused, all are held to be."""
    clearly, found = ask(Scripted("1", InvalidInput("too long")), "a", "b")
    assert found == [None, "1"]
    assert (clearly.tally.refused, clearly.tally.unclear) == (1, 0)
    assert "too long" in caplog.text
    with pytest.raises(InvalidInput):
        ask(Scripted(InvalidInput("too long")), "a")


def test_each_reply_is_heard() -> None:
    """Whoever shows how far it is hears of each."""
    heard: list[int] = []
    clearly = Clearly(Scripted("x", "1"), reminder="", heard=lambda: heard.append(1))
    assert clearly.one(Question(user="a"), digit) == "1"
    assert len(heard) == 2
