"""Replies: read strictly, and asked for again while unclear."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.errors import (
    InvalidInput,
    RequestFailed,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.lab.chat.replies import (
    NoReply,
    ParsingJudge,
    parse_answer,
    parse_choice,
    parse_json,
    parse_texts,
    parse_verdicts,
    strip_reply,
)
from tui_annotate.plugins.judges import ModelReply, Question


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        ("1", "1"),
        ("2", "2"),
        (" 1", "1"),
        ("选择1", "1"),  # S8
        ("2。", "2"),  # S8
        ("none", None),  # S8
        ("10", None),  # S8
        ("", None),
        ("1 or 2", None),
        ("context 12", None),
        ("Context 2", "2"),
        ("**1**", "1"),
        ("Answer: 1", "1"),
        ("答案：第２段", "2"),
        ('{"answer": 1}', "1"),
        ('{"useful": true}', "1"),
        ('{"first": 1, "second": 2}', None),
        ("```json\n2\n```", "2"),
        ("<think>1 or 2? 2!</think>\n1", "1"),
        ("0.1", None),
        ("-1", None),
        ("not 1", None),
        ("不是1", None),
        ("1" + " " * 100 + "x", None),
        ("\x1b[2J1", None),
    ],
)
def test_one_of(reply: str, number: str | None) -> None:
    """One allowed number alone is a choice; what argues, denies or names another is none."""
    assert parse_choice(reply, ("1", "2")) == number


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    """Whatever a model says, reading it gives an allowed value or nothing."""
    assert parse_choice(text, ("0", "1")) in {"0", "1", None}
    assert parse_answer(text) is None or isinstance(parse_answer(text), str)
    assert parse_verdicts(text, count=2, name="verdict") is None or parse_json(text) is not None
    strip_reply(text)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('[{"verdict": 1}, {"verdict": 0}]', (1, 0)),
        ("[1, 0]", (1, 0)),
        ("[true, false]", (1, 0)),
        ("[1]", None),
        ("[1, 2]", None),
        ('[1, "0"]', None),
        ('[{"verdict": 1}, {"other": 0}]', None),
        ('{"verdict": 1}', None),
        ("1, 0", None),
        ("[NaN, 1]", None),
        ('[{"verdict": 1, "verdict": 0}, {"verdict": 1}]', None),
        ("[" * 100_000, None),
    ],
)
def test_verdicts(reply: str, found: tuple[int, ...] | None) -> None:
    """As many verdicts as there are things, each 0 or 1, or none at all."""
    assert parse_verdicts(reply, count=2, name="verdict") == found


def test_texts() -> None:
    """A list of texts, without blank ones; nothing for what holds anything else."""
    assert parse_texts(json.dumps(["a", " ", " b "])) == ("a", "b")
    assert parse_texts("[]") == ()
    assert parse_texts('["a", 1]') is None
    assert parse_texts('{"a": "b"}') is None


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("答案: 巴黎", "巴黎"),
        ("Answer: Paris.", "Paris."),
        ("**Answer:** Paris.", "Paris."),
        ("Paris.", "Paris."),
        ("答案: 不知道", ""),
        ("不知道。文档没有说。", ""),
        ("Unknown", ""),
        ('"unknown."', ""),
        ("Unknown to many, Paris is old.", "Unknown to many, Paris is old."),
        ("  ", None),
        ("答案:", None),
    ],
)
def test_answer(reply: str, found: str | None) -> None:
    """An answer stands without what announces it; the marker is an empty one, silence is none."""
    assert parse_answer(reply) == found


def test_thinking_is_no_answer() -> None:
    """Blocks are removed anywhere; with `keep_thinking` a reply with an answer stays whole."""
    assert parse_answer("<think>a</think>Answer: Paris <think>b</think>") == "Paris"
    assert parse_answer("<think>Answer: Paris") is None
    whole = "<think>a</think>\nAnswer: Paris"
    assert parse_answer(whole, keep_thinking=True) == whole
    assert parse_answer("<think>a</think>unknown", keep_thinking=True) == ""
    assert parse_choice("hm, 2?</think>1", ("1", "2")) == "1"
    assert parse_json('<think>[</think>{"a": 1}') == {"a": 1}
    assert parse_texts('["a <think> tag", "b"]') == ("a <think> tag", "b")


class Scripted:
    """A judge that says what it is told to, and remembers what it was asked."""

    name, model, host = "scripted", "m", "here"

    def __init__(self, *replies: str | TuiAnnotateError, cached: bool = False) -> None:
        self.replies = list(replies)
        self.asked: list[Question] = []
        self._cached = cached

    def ask(self, question: Question) -> ModelReply:
        """The next reply."""
        self.asked.append(question)
        said = self.replies.pop(0)
        if isinstance(said, TuiAnnotateError):
            raise said
        return ModelReply(said, cached=self._cached)

    def ask_all(
        self, questions: Sequence[Question]
    ) -> Iterator[tuple[int, ModelReply | TuiAnnotateError]]:
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
    return parse_choice(reply, ("1", "2"))


def ask(judge: Scripted, *users: str) -> tuple[ParsingJudge, list[str | NoReply]]:
    """What some questions come to."""
    parser = ParsingJudge(judge, reminder="Only a digit!")
    return parser, parser.ask_all([Question(user=user) for user in users], digit)


def test_clear_replies_are_asked_for_once() -> None:
    """Each stands at the place of its question, whatever came first."""
    parser, found = ask(Scripted("2", "1"), "a", "b")
    assert found == ["1", "2"]
    assert (parser.tally.asked, parser.tally.repeated, parser.tally.characters) == (2, 0, 2)


def test_unclear_replies_are_asked_for_again() -> None:
    """With a reminder, as another attempt; the clear ones are left in peace."""
    judge = Scripted("none", "1", "10", "2")
    parser, found = ask(judge, "a", "b")
    assert found == ["1", "2"]
    assert [each.attempt for each in judge.asked] == [0, 0, 1, 2]
    assert [each.user for each in judge.asked[2:]] == ["b\n\nOnly a digit!"] * 2
    assert (parser.tally.asked, parser.tally.repeated, parser.tally.unclear) == (4, 2, 0)


def test_after_three_times_it_is_told() -> None:
    """There is no fourth time, and nothing is made up."""
    parser, found = ask(Scripted("x", "y", "z", "1"), "a")
    assert found == [NoReply.UNCLEAR]
    assert (parser.tally.asked, parser.tally.unclear) == (3, 1)
    assert (parser.tally.questions, parser.tally.unanswered) == (1, 1)


def test_known_replies_cost_nothing() -> None:
    """They are counted by themselves."""
    parser = ParsingJudge(Scripted("1", cached=True), reminder="")
    assert parser.ask_all([Question(user="a")], digit) == ["1"]
    assert (parser.tally.asked, parser.tally.cached, parser.tally.characters) == (0, 1, 0)


def test_an_endpoint_that_is_gone_ends_it() -> None:
    """What is unavailable for one question is so for all."""
    with pytest.raises(Unavailable):
        ask(Scripted("1", Unavailable("gone")), "a", "b")


def test_one_refused_question_is_no_end(caplog: pytest.LogCaptureFixture) -> None:
    """It has no answer and is told, also if it comes first of all."""
    for order in ("1", InvalidInput("too long")), (InvalidInput("too long"), "1"):
        parser, found = ask(Scripted(*order), "a", "b")
        assert sorted(map(str, found)) == ["1", str(NoReply.REFUSED)]
        assert (parser.tally.refused, parser.tally.unclear) == (1, 0)
        assert (parser.tally.questions, parser.tally.unanswered) == (2, 1)
        parser.tally.check_refusals()
    assert "too long" in caplog.text


def test_refusals_alone_are_an_error_of_the_endpoint(caplog: pytest.LogCaptureFixture) -> None:
    """If no question has a reply, the reason of the endpoint is in the error; few are logged."""
    parser, found = ask(Scripted(*[InvalidInput("no such model")] * 9), *"abcdefghi")
    assert found == [NoReply.REFUSED] * 9
    with pytest.raises(Unavailable, match=r"9.*no such model"):
        parser.tally.check_refusals()
    assert len(caplog.records) == 5


def test_one_failed_question_is_no_end(caplog: pytest.LogCaptureFixture) -> None:
    """The others are answered; if all fail, the error of the first is the error of the run."""
    parser, found = ask(Scripted(RequestFailed("broken (500)", "later"), "1"), "a", "b")
    assert sorted(map(str, found)) == ["1", str(NoReply.FAILED)]
    assert (parser.tally.failed, parser.tally.unanswered) == (1, 1)
    parser.tally.check_refusals()
    assert "broken" in caplog.text
    alone, _ = ask(Scripted(RequestFailed("broken (500)", "later")), "a")
    with pytest.raises(Unavailable, match=r"broken \(500\)") as error:
        alone.tally.check_refusals()
    assert error.value.hint == "later"


def test_each_reply_says_why_it_is_missing() -> None:
    """Unclear, refused or failed, with the message of the endpoint."""
    judge = Scripted(RequestFailed("broken"), InvalidInput("too long"), "x", "1", "y", "z")
    parser = ParsingJudge(judge, reminder="")
    asked = [(Question(user=user), digit) for user in "abcd"]
    found = dict(parser.ask_each(asked))
    reasons = {(one.missing, one.reason) for one in found.values()}
    assert reasons == {
        (NoReply.FAILED, "broken"),
        (NoReply.REFUSED, "too long"),
        (NoReply.UNCLEAR, ""),
        (None, ""),
    }


def test_each_reply_is_heard() -> None:
    """Whoever shows how far it is hears of each."""
    heard: list[int] = []
    parser = ParsingJudge(Scripted("x", "1"), reminder="", on_reply=lambda: heard.append(1))
    assert parser.ask_all([Question(user="a")], digit) == ["1"]
    assert len(heard) == 2
