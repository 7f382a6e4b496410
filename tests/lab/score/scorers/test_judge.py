"""The judge as a teacher: right, wrong, or one half where its replies stay unclear."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tui_annotate.domain.errors import (
    InvalidInput,
    RequestFailed,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.lab.chat.replies import NoReply, ReplyTally
from tui_annotate.lab.score.scorers.judge import parse_grade
from tui_annotate.plugins import registry
from tui_annotate.plugins.judges import ModelReply, Question
from tui_annotate.plugins.scoring import CostlyScorer, GeneratedAnswers, Scorer, ScorerOptions

ASKED = GeneratedAnswers(
    question="Where?", answer="in Paris", texts=("Paris", "Rome"), extras=("unsure",)
)


class Teacher:
    """A judge that says what a test wants, and remembers what it was asked."""

    name, model, host = "toy", "toy-1", "here"

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer
        self._known: dict[Question, str] = {}
        self.asked: list[Question] = []

    def ask(self, question: Question) -> ModelReply:
        """What the test wants."""
        known = question in self._known
        if not known:
            self.asked.append(question)
            self._known[question] = self.answer(question.user)
        return ModelReply(self._known[question], known)

    def ask_all(
        self, questions: Sequence[Question]
    ) -> Iterator[tuple[int, ModelReply | TuiAnnotateError]]:
        """One after the other."""
        for place, question in enumerate(questions):
            try:
                yield place, self.ask(question)
            except InvalidInput as error:
                yield place, error

    def cached(self, question: Question) -> bool:
        """Whether it was asked before."""
        return question in self._known


def _by_city(prompt: str) -> str:
    right = "Answer to be marked:\nParis" in prompt
    return json.dumps({"reason": "so it is", "verdict": "right" if right else "wrong"})


def _scorer(teacher: Teacher, **options: str) -> Scorer:
    return registry.load_scorer("judge", ScorerOptions(judge=teacher, **options))  # type: ignore[arg-type]


def test_answers_are_right_or_wrong_with_a_reason() -> None:
    """1 and 0, with words beside; extras are not asked about; the run knows who judged."""
    teacher = Teacher(_by_city)
    scorer = _scorer(teacher)
    ((found,),) = scorer.of_answers([ASKED])
    assert found.name == "gpt_judgement_score"
    assert found.values == (1.0, 0.0)
    assert found.words == ("right: so it is", "wrong: so it is")
    assert len(teacher.asked) == 2
    assert scorer.maker == "judge-score:toy-1"  # type: ignore[attr-defined]
    assert scorer.parameters["host"] == "here"
    assert set(scorer.parameters["prompts"]) == {"grade.en"}


def test_an_unclear_judge_gives_one_half() -> None:
    """After three tries for each answer."""
    teacher = Teacher(lambda _: "perhaps")
    ((found,),) = _scorer(teacher).of_answers([ASKED])
    assert found.values == (0.5, 0.5)
    assert found.words == ("undecided", "undecided")
    assert [one.attempt for one in teacher.asked] == [0, 0, 1, 1, 2, 2]


def test_an_answer_without_a_reply_has_no_score() -> None:
    """An endpoint that fails or refuses has said nothing: one half would be a verdict."""

    class Broken(Teacher):
        def ask_all(
            self, questions: Sequence[Question]
        ) -> Iterator[tuple[int, ModelReply | TuiAnnotateError]]:
            yield 1, RequestFailed("broken (500)")
            yield 0, self.ask(questions[0])

    ((found,),) = _scorer(Broken(_by_city)).of_answers([ASKED])
    assert found.values == (1.0, None)
    assert found.words == ("right: so it is", f"{NoReply.FAILED.value}: broken (500)")


def test_a_refused_prompt_has_no_value() -> None:
    """No model has read the answer, so the score is no half; the reason is with the answer."""
    teacher = Teacher(_by_city)

    def refuse_rome(prompt: str) -> str:
        if "Answer to be marked:\nRome" in prompt:
            raise InvalidInput("here refused a question: too long (400)")
        return _by_city(prompt)

    teacher.answer = refuse_rome
    scorer = _scorer(teacher)
    ((found,),) = scorer.of_answers([ASKED])
    assert found.values == (1.0, None)
    refusal = f"{NoReply.REFUSED.value}: here refused a question: too long (400)"
    assert found.words == ("right: so it is", refusal)
    tally: ReplyTally = scorer.tally  # type: ignore[attr-defined]
    assert (tally.refused, tally.unclear) == (1, 0)


def test_many_questions_keep_their_order() -> None:
    """Also over the bounds of what is asked together."""
    asked = [
        GeneratedAnswers(question=f"Q{at}", answer="x", texts=("Paris",) * (at % 3 + 1))
        for at in range(70)
    ]
    found = list(_scorer(Teacher(_by_city)).of_answers(asked))
    assert [len(one.values) for (one,) in found] == [at % 3 + 1 for at in range(70)]


def test_prompts_speak_the_language_of_the_answers(tmp_path: Path) -> None:
    """A user's own may stand in; an answer is cut."""
    teacher = Teacher(lambda _: '{"verdict": "正确"}')
    asked = GeneratedAnswers(question="哪里？", answer="巴黎", texts=("巴" * 600,), language="zh")
    ((found,),) = _scorer(teacher).of_answers([asked])
    assert (found.values, found.words) == ((1.0,), ("right",))
    assert teacher.asked[0].user.count("巴") == 513
    (tmp_path / "grade.en.txt").write_text("Mine {question} {reference} {answer}", "utf-8")
    teacher = Teacher(_by_city)
    list(_scorer(teacher, prompts=str(tmp_path)).of_answers([ASKED]))
    assert teacher.asked[0].user == "Mine Where? in Paris Paris"
    (tmp_path / "grade.zh.txt").write_text("Mine {question} {reference} {answr}", "utf-8")
    with pytest.raises(InvalidInput, match=r"\{answr\}"):
        _scorer(teacher, prompts=str(tmp_path))


def test_what_it_costs_is_told_without_asking() -> None:
    """What is known costs nothing."""
    teacher = Teacher(_by_city)
    scorer = _scorer(teacher)
    assert isinstance(scorer, CostlyScorer)
    cost = scorer.cost([ASKED])
    assert (cost.calls, teacher.asked) == (2, [])
    assert cost.characters > 2 * len("Where?in Paris")
    list(scorer.of_answers([ASKED]))
    assert scorer.cost([ASKED]).calls == 0


def test_without_a_model_it_is_refused() -> None:
    """With the options that name one."""
    with pytest.raises(Unavailable) as caught:
        registry.load_scorer("judge", ScorerOptions())
    assert "--judge" in caught.value.hint


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"verdict": "Right ", "reason": "a\\u001b[2J\\nb"}', (True, "a [2J b")),
        ('```json\n{"verdict": "错误", "reason": ""}\n```', (False, "")),
        ('{"verdict": "right", "reason": 5}', None),
        ('{"verdict": "right or wrong"}', None),
        ('{"verdict": true}', None),
        ('["right"]', None),
        ("right", None),
        ('{"verdict": "right"}' + " " * 10_000_000, None),
    ],
)
def test_replies_are_read_strictly(reply: str, found: tuple[bool, str] | None) -> None:
    """A JSON object with one of the four words; the reason becomes one plain line."""
    assert parse_grade(reply) == found
