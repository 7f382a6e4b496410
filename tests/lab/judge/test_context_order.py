"""Sorting by a judge on loopback: the published cases, what is unclear, what goes on later."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.lab.chat.scripted_judge import Script, contexts
from tests.plugins.chat_server import FakeChat, chatting, refusal
from tests.plugins.loopback import Reply
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.lab.chat.judge_config import JudgeConfig
from tui_annotate.lab.judge.api import make_runner
from tui_annotate.lab.judge.context_order import (
    ContextOrderResult,
    estimate_sorting_cost,
    sort_row,
)
from tui_annotate.lab.judge.metrics import MissingReason
from tui_annotate.lab.judge.options import SortOptions
from tui_annotate.lab.judge.rows import rows_of_lists
from tui_annotate.lab.judge.runner import JudgeRunner, plan_cost
from tui_annotate.storage.reply_file import ReplyFile

S1 = (5, 0, 9, 1, 0, 7, 3, 2)

plan_sort = partial(plan_cost, work=sort_row, estimate=estimate_sorting_cost)


@pytest.fixture
def chat() -> Iterator[FakeChat]:
    """An endpoint that knows how relevant each text is."""
    with chatting(Script()) as there:
        yield there


def run(chat: FakeChat, *relevances: tuple[int, ...], **options: Any) -> list[ContextOrderResult]:
    """The orders of questions whose contexts are so relevant."""
    rows = rows_of_lists(
        [f"Question {at}?" for at in range(len(relevances))], [*map(list, map(_of, relevances))]
    )
    return seat(chat).run(sort_row, rows, SortOptions(**options))


def _of(relevances: tuple[int, ...]) -> list[str]:
    return contexts(*relevances)


def seat(chat: FakeChat, cache: Path | None = None, **how: Any) -> JudgeRunner:
    """A judge at the endpoint."""
    asked = JudgeConfig(judge="llm:m", base_url=chat.url)
    return make_runner(asked, ReplyFile(cache) if cache else None, **how)


@pytest.mark.parametrize(
    ("relevances", "options", "wanted", "calls"),
    [
        (
            S1,
            {"k": 3},
            {"good": [0, 2, 3, 5, 6, 7], "bad": [1, 4], "sorted": [2, 5, 0, 6, 7, 3],
             "spearman": 0.429, "sim": 0.667, "overlap": [2, 0]},
            {"screen": 8, "pair": 11},
        ),
        (
            S1,
            {"k": 3, "screen": False},
            {"good": None, "bad": None, "sorted": [2, 5, 0, 6, 7, 3, 1, 4],
             "spearman": 0.048, "sim": 0.667},
            {"pair": 16},
        ),
        (S1, {"k": 2, "bottom": True}, {"sim": 0.5, "overlap": [7]}, {"screen": 8, "pair": 11}),
        (
            (1, 2, 3, 4, 5),
            {"k": 3, "screen": False},
            {"sorted": [4, 3, 2, 1, 0], "spearman": -1.0, "sim": 0.333, "overlap": [2]},
            {"pair": 6},
        ),
        (
            (4, 4, 4, 4),
            {"k": 2, "screen": False},
            {"sorted": [0, 1, 2, 3], "spearman": 1.0, "sim": 1.0},
            {"pair": 5},
        ),
    ],
    ids=["S1", "S2", "S3", "S4", "S5"],
)  # fmt: skip
def test_published_cases(
    chat: FakeChat,
    relevances: tuple[int, ...],
    options: dict[str, Any],
    wanted: dict[str, Any],
    calls: dict[str, int],
) -> None:
    """Each published case has the published figures and as many calls."""
    (found,) = run(chat, relevances, **options)
    report: Any = found.as_json()
    assert {name: report[name] for name in wanted} == wanted
    assert isinstance(chat.answer, Script)
    assert chat.answer.counts == calls


def test_k_is_cut_for_each_question_alone(chat: FakeChat) -> None:
    """S6: what one question has too few of takes nothing from the next."""
    found = run(chat, (5, 0, 0, 1), (6, 5, 4, 3, 2, 1), k=10)
    assert [len(each.overlap) for each in found] == [2, 6]


def test_too_few_contexts(chat: FakeChat) -> None:
    """S7: one or no good context has no correlation, and a reason; nothing crashes."""
    found = run(chat, (0, 3, 0), (0, 0), ())
    assert [each.as_json()["spearman"] for each in found] == [None, None, None]
    assert [each.sim for each in found] == [1.0, None, None]
    assert [each.reason for each in found] == [
        MissingReason.SINGLE_USEFUL_CONTEXT,
        MissingReason.NO_USEFUL_CONTEXT,
        MissingReason.NO_CONTEXTS,
    ]


def test_one_of_one_context_is_not_one_of_several(chat: FakeChat) -> None:
    """The reason says why one is left: one of one, the others are empty, or they do not help."""
    texts = [("t rel1",), ("t rel1", ""), ("t rel1", "t rel0")]
    rows = rows_of_lists(["Q?"] * len(texts), texts)
    assert [each.reason for each in seat(chat).run(sort_row, rows, SortOptions())] == [
        MissingReason.SINGLE_CONTEXT,
        MissingReason.SINGLE_FILLED_CONTEXT,
        MissingReason.SINGLE_USEFUL_CONTEXT,
    ]


@pytest.mark.parametrize(
    ("said", "asked", "unclear", "first"),
    [("选择1", 1, 0, True), ("2。", 1, 0, False), ("none", 3, 1, False), ("10", 3, 1, False)],
)
def test_replies_are_read_strictly(said: str, asked: int, unclear: int, first: bool) -> None:
    """S8: what is clear counts; the rest is asked three times, then the order stays as it is."""
    with chatting(lambda _: said) as chat:
        (found,) = run(chat, (1, 1), screen=False)
        assert found.sorted == ((1, 0) if first else (0, 1))
        assert (len(chat.asked), found.unclear) == (asked, unclear)
        assert len(set(chat.prompts)) == min(asked, 2)


def test_an_unclear_screening_has_a_reason_of_its_own() -> None:
    """A context without a readable reply is neither good nor bad, and is counted."""
    with chatting(lambda _: "perhaps") as chat:
        (found,) = run(chat, (1, 1))
        assert (found.good, found.bad, found.unclear) == ((), (), 2)
        assert found.as_json()["unclear"] == 2
        assert (found.reason, found.spearman) == (MissingReason.UNCLEAR_JUDGE, None)
        chat.answer = lambda prompt: "perhaps" if "rel1" in prompt else "0"
        (found,) = run(chat, (1, 2))
        assert (found.good, found.bad, found.unclear) == ((), (1,), 1)
        assert found.reason == MissingReason.UNCLEAR_JUDGE


def test_an_order_that_the_judge_did_not_make_is_not_compared() -> None:
    """Without a readable comparison the contexts keep their order, but no value is computed."""
    with chatting(lambda _: "perhaps") as chat:
        (found,) = run(chat, (1, 2, 3), screen=False)
        assert (found.sorted, found.spearman, found.sim, found.overlap) == (
            (0, 1, 2),
            None,
            None,
            (),
        )
        assert (found.reason, found.unclear) == (MissingReason.UNCLEAR_JUDGE, 3)
        script = Script()
        chat.answer = lambda prompt: "perhaps" if "rel3" in prompt else script(prompt)
        (found,) = run(chat, (1, 2, 3), screen=False)
        assert (found.sorted, found.reason, found.unclear) == ((1, 0, 2), "", 2)
        assert found.spearman is not None


@pytest.mark.parametrize("screen", [True, False])
def test_refused_prompts_are_not_unclear(screen: bool) -> None:
    """A refusal has its own reason and count; it does not become a verdict of the judge."""
    script = Script()
    with chatting(script) as chat:
        reply = chat.reply

        def limited(path: str, body: dict[str, Any]) -> Reply:
            if "rel8" in body["messages"][-1]["content"]:
                return refusal(400, "too long")
            return reply(path, body)

        chat.reply = limited  # type: ignore[method-assign]
        refused, whole = run(chat, (8, 8), (2, 1), screen=screen)
    assert (refused.reason, refused.unclear) == (MissingReason.REFUSED_PROMPT, 0)
    assert refused.refused == refused.as_json()["refused"] == (2 if screen else 1)
    assert (refused.spearman, refused.bad) == (None, () if screen else None)
    assert (whole.reason, whole.refused) == ("", 0)


def test_swap_finds_a_bias_of_position(chat: FakeChat) -> None:
    """Who always says 1 moves every context up; asked both ways it moves none."""
    chat.answer = lambda _: "1"
    assert run(chat, (1, 1, 1), screen=False)[0].sorted == (2, 1, 0)
    assert run(chat, (1, 1, 1), screen=False, swap=True)[0].sorted == (0, 1, 2)
    chat.answer = Script()
    assert run(chat, S1, swap=True)[0].sorted == (2, 5, 0, 6, 7, 3)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (("", "t rel1"), MissingReason.SINGLE_FILLED_CONTEXT),
        (("t rel1", None), MissingReason.SINGLE_FILLED_CONTEXT),
        (("", None), MissingReason.NO_CONTEXTS),
    ],
)
def test_empty_contexts_make_no_order_of_the_judge(
    chat: FakeChat, given: tuple[str | None, ...], reason: MissingReason
) -> None:
    """The judge compared nothing, though the empty contexts come last."""
    rows = rows_of_lists(["Q?"], [given])
    (found,) = seat(chat).run(sort_row, rows, SortOptions(screen=False))
    assert not chat.asked
    assert (found.spearman, found.sim, found.overlap, found.reason) == (None, None, (), reason)


@pytest.mark.parametrize(
    ("unclear", "reason"),
    [(False, MissingReason.CONTRADICTORY_JUDGE), (True, MissingReason.UNCLEAR_JUDGE)],
)
def test_an_order_without_a_decided_comparison_is_not_compared(
    chat: FakeChat, unclear: bool, reason: MissingReason
) -> None:
    """Asked both ways, the judge prefers either text, or gives one reply that is not readable."""
    chat.answer = lambda prompt: "perhaps" if unclear and _is_swapped(prompt) else "1"
    (found,) = run(chat, (1, 2, 3), screen=False, swap=True)
    assert (found.sorted, found.spearman, found.sim, found.overlap) == ((0, 1, 2), None, None, ())
    assert found.reason == reason
    assert found.unclear == (3 if unclear else 0)


def _is_swapped(prompt: str) -> bool:
    """Whether the text that comes first for the retriever comes first in the prompt."""
    relevances = [int(each) for each in re.findall(r"rel(\d)", prompt)]
    return relevances == sorted(relevances)


def test_a_plan_has_the_maximum_of_characters(chat: FakeChat) -> None:
    """Also if one long context is compared with most others."""
    for place in (0, 10, 19):
        texts = [f"Text {at} of rel{at % 10}." for at in range(20)]
        texts[place] += "x" * 1000
        rows = rows_of_lists(["Q?"], [texts])
        for swap in (False, True):
            options = SortOptions(screen=False, swap=swap)
            planned = plan_sort(rows, seat(chat), options)
            chat.asked.clear()
            seat(chat).run(sort_row, rows, options)
            assert sum(map(len, chat.prompts)) <= planned.characters


def test_chinese_questions_get_chinese_prompts(chat: FakeChat) -> None:
    """The question's language decides, unless one is asked for."""
    rows = rows_of_lists(["桥是谁建的？"], [contexts(1, 2)])
    seat(chat).run(sort_row, rows, SortOptions())
    assert all("问题：" in prompt for prompt in chat.prompts)
    chat.asked.clear()
    asked = JudgeConfig(judge="llm:m", base_url=chat.url, language="en")
    assert make_runner(asked).run(sort_row, rows, SortOptions())[0].sorted == (1, 0)
    assert all("Question:" in prompt for prompt in chat.prompts)


def test_a_users_prompt_is_asked(chat: FakeChat, tmp_path: Path) -> None:
    """In place of ours; the run remembers its version."""
    (tmp_path / "pair.en.txt").write_text("compare two texts {question} {first} {second}")
    ours = seat(chat)
    mine = make_runner(JudgeConfig(judge="llm:m", base_url=chat.url, folders=(tmp_path,)))
    rows = rows_of_lists(["Q?"], [contexts(1, 2)])
    for runner in (ours, mine):
        runner.run(sort_row, rows, SortOptions(screen=False))
    assert chat.prompts[1] == "compare two texts Q? Text 1 of rel2. Text 0 of rel1."
    versions = [runner.parameters()["prompts"]["pair.en"] for runner in (ours, mine)]
    assert versions[0] != versions[1]


def test_what_broke_goes_on_where_it_stopped(chat: FakeChat, tmp_path: Path) -> None:
    """Replies stand as soon as they are there: nothing is asked twice, nothing is lost."""
    cache = tmp_path / "kept.jsonl"
    rows = rows_of_lists(["Q?"], [contexts(*S1)])
    script = Script()
    replies = 0

    def tires(prompt: str) -> str:
        nonlocal replies
        replies += 1
        if replies > 12:
            chat.script.extend([refusal(404, "gone")] * 20)
        return script(prompt)

    chat.answer = tires
    with pytest.raises(Unavailable):
        seat(chat, cache).run(sort_row, rows, SortOptions(k=3))
    chat.script.clear()
    chat.answer = script
    halfway = plan_sort(rows, seat(chat, cache), SortOptions(k=3))
    assert halfway.cached == len(chat.asked) < 19
    runner = seat(chat, cache)
    (found,) = runner.run(sort_row, rows, SortOptions(k=3))
    assert (found.spearman, len(chat.asked)) == (0.429, 19)
    assert runner.tally.cached == halfway.cached
    whole = plan_sort(rows, seat(chat, cache), SortOptions(k=3))
    assert (whole.calls, whole.cached, whole.characters) == (19, 19, 0)


def test_who_stops_stops_all(chat: FakeChat) -> None:
    """Stopped by a key or an error, questions that are at work ask for nothing more."""
    rows = rows_of_lists([f"Q{at}?" for at in range(8)], [contexts(*range(12)) for _ in range(8)])
    runner = seat(chat)
    script = Script()

    def stops(prompt: str) -> str:
        if len(chat.asked) == 30:
            chat.script.append(refusal(404, "gone"))
        return script(prompt)

    chat.answer = stops
    with pytest.raises(Unavailable):
        runner.run(sort_row, rows, SortOptions(screen=False))
    assert len(chat.asked) < 60
    chat.answer = script
    assert len(runner.run(sort_row, rows[:1], SortOptions(screen=False))) == 1


def test_a_plan_asks_nobody(chat: FakeChat) -> None:
    """Calls are the bound of insertion and one for each screening, both ways with swap."""
    rows = rows_of_lists(["Q?", "R?"], [contexts(*range(10)), contexts(*range(30))])
    plain = plan_sort(rows, seat(chat), SortOptions())
    assert plain.calls == 10 + 25 + 30 + 119
    assert plan_sort(rows, seat(chat), SortOptions(screen=False, swap=True)).calls == 288
    assert plain.characters > 100 * plain.calls
    assert plain.as_json() == {
        "questions": 2, "calls": 184, "cached": 0, "characters": plain.characters,
    }  # fmt: skip
    assert not chat.asked


def test_progress_is_told(chat: FakeChat) -> None:
    """Of each reply, with the share of the questions that are done."""
    report: list[TaskProgress] = []
    rows = rows_of_lists(["Q?", "R?"], [contexts(1, 2), contexts(1, 2)])
    seat(chat, progress=report.append).run(sort_row, rows, SortOptions())
    assert [each.records for each in report] == [0, 1, 2, 3, 4, 5, 6]
    assert {each.waiting for each in report} == {f"replies from {chat.url[7:-3]}"}
    assert report[-1].share is not None


@pytest.mark.parametrize(
    ("questions", "given", "told"),
    [
        ([], [], "no questions"),
        (["Q?"], [], "1 .*0 "),
        (["Q?"], ["text"], "not a list of texts"),
        (["Q?"], [[1]], "not a list of texts"),
        ([" "], [["a"]], "1 "),
    ],
)
def test_lists_that_do_not_fit(questions: Any, given: Any, told: str) -> None:
    """What does not belong together is refused before anybody is asked."""
    with pytest.raises(InvalidInput, match=told):
        rows_of_lists(questions, given)


def test_k_is_at_least_one() -> None:
    """To compare nothing makes no sense."""
    with pytest.raises(InvalidInput):
        SortOptions(k=0)
