"""Reference answers by a judge on loopback: groups, reduction, what nobody knows, the slow way."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lab.chat.scripted_judge import Script
from tests.plugins.chat_server import chatting
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.lab.chat.judge_config import JudgeConfig
from tui_annotate.lab.judge.api import make_runner
from tui_annotate.lab.judge.metrics import MissingReason
from tui_annotate.lab.judge.options import PART, WINDOW, GenerateOptions
from tui_annotate.lab.judge.reference_answers import (
    ReferenceAnswer,
    estimate_answer_cost,
    generate_row,
    truth_file_name,
)
from tui_annotate.lab.judge.rows import rows_of_lists
from tui_annotate.lab.judge.runner import plan_cost

plan_generate = partial(plan_cost, work=generate_row, estimate=estimate_answer_cost)


def run(script: Script, *counts: int, **options: Any) -> tuple[list[ReferenceAnswer], list[str]]:
    """Answers to questions with so many contexts, and the prompts."""
    rows = rows_of_lists(
        [f"Question {at}?" for at in range(len(counts))],
        [[f"context {at}." for at in range(count)] for count in counts],
    )
    chosen = GenerateOptions(**options)
    with chatting(script) as chat:
        asked = JudgeConfig(judge="llm:m", base_url=chat.url)
        planned = plan_generate(rows, make_runner(asked), chosen)
        found = make_runner(asked).run(generate_row, rows, chosen)
        assert planned.calls >= sum(each.calls for each in found) == len(chat.asked)
        return found, chat.prompts


def test_groups_and_one_reduction() -> None:
    """G1: 45 contexts take groups of 20, 20 and 5, and one call that joins three answers."""
    script = Script()
    (found,), prompts = run(script, 45)
    assert (found.ground_truth, found.calls, found.reason) == ("joined", 4, "")
    assert script.counts == {"gather": 3, "join": 1}
    sizes = sorted(prompt.count("context ") for prompt in prompts if "context " in prompt)
    assert sizes == [5, 20, 20]


def test_nobody_knows() -> None:
    """G2: where all say unknown there is no ground truth, with the reason, and no joining."""
    script = Script(gathered=lambda _: "Answer: unknown")
    (found,), _ = run(script, 45)
    assert found.ground_truth is None
    assert found.reason == MissingReason.UNKNOWN_ANSWER
    assert script.counts == {"gather": 3}
    assert found.as_json()["ground_truth"] is None
    assert found.as_json()["reason"] == found.reason


def test_many_groups_hold_answers() -> None:
    """G3: 500 contexts take 28 calls, and every joining sees answers alone."""
    script = Script()
    (found,), prompts = run(script, 500)
    assert found.calls == 28
    joins = [prompt for prompt in prompts if "make one answer" in prompt]
    assert sorted(prompt.count("] ") for prompt in joins) == [2, 5, 20]
    assert not [prompt for prompt in joins if "context " in prompt]


def test_what_some_do_not_know_is_dropped() -> None:
    """One group that knows is enough; it is not joined with anything."""
    script = Script(gathered=lambda prompt: "Paris" if "context 7." in prompt else "Unknown.")
    (found,), _ = run(script, 45)
    assert (found.ground_truth, script.counts) == ("Paris", {"gather": 3})


def test_the_seed_decides_the_groups() -> None:
    """The same seed gives the same prompts, another one others; the contexts stay as they were."""
    first, again, other = (run(Script(), 45, seed=seed)[1] for seed in (0, 0, 1))
    assert sorted(first) == sorted(again) != sorted(other)
    (found,), _ = run(Script(), 3, group_size=2)
    assert found.row.contexts == ("context 0.", "context 1.", "context 2.")


def test_an_odd_answer_goes_on_as_it_is() -> None:
    """Of three answers in groups of two, the third needs no call before the last one."""
    script = Script()
    (found,), _ = run(script, 5, group_size=2)
    assert (found.calls, script.counts) == (5, {"gather": 3, "join": 2})


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (Script(gathered=lambda _: " "), MissingReason.SILENT_JUDGE),
        (Script(joined=lambda _: " "), MissingReason.SILENT_JUDGE),
    ],
)
def test_silence_is_told(script: Script, reason: str) -> None:
    """A judge that says nothing is asked again, and then there is no answer."""
    rows = rows_of_lists(["Q?"], [[f"context {at}" for at in range(21)]])
    with chatting(script) as chat:
        asked = JudgeConfig(judge="llm:m", base_url=chat.url)
        (found,) = make_runner(asked).run(generate_row, rows, GenerateOptions())
    assert (found.ground_truth, found.reason) == (None, reason)


def test_unreadable_groups_are_counted() -> None:
    """What some groups do not know is no reason while the replies for others are unreadable."""
    silent = Script(gathered=lambda prompt: " " if "context 7." in prompt else "unknown")
    rows = rows_of_lists(["Q?"], [[f"context {at}." for at in range(45)]])
    with chatting(silent) as chat:
        asked = JudgeConfig(judge="llm:m", base_url=chat.url)
        (found,) = make_runner(asked).run(generate_row, rows, GenerateOptions())
    assert (found.ground_truth, found.reason) == (None, MissingReason.SILENT_JUDGE)
    assert (found.unclear, found.as_json()["unclear"]) == (1, 1)


def test_no_contexts() -> None:
    """There is nothing to read, and nobody is asked."""
    (found,), prompts = run(Script(), 0)
    assert (found.reason, prompts) == (MissingReason.NO_CONTEXTS, [])


def test_the_slow_way_reads_part_after_part() -> None:
    """Each context by itself, each part with those before it as far as the window goes."""
    text = "".join(f"{number:05}." for number in range(6_000))
    script = Script(gathered=lambda prompt: "found" if "00001." in prompt else "unknown")
    with chatting(script) as chat:
        rows = rows_of_lists(["Q?"], [[text, "00001. short"]])
        asked = JudgeConfig(judge="llm:m", base_url=chat.url)
        options = GenerateOptions(slow=True)
        plan = plan_generate(rows, make_runner(asked), options)
        (found,) = make_runner(asked).run(generate_row, rows, options)
        parts = [prompt for prompt in chat.prompts if "part by part" in prompt]
    assert len(parts) == -(-len(text) // PART) + 1
    assert max(map(len, parts)) < WINDOW + 1_000
    assert all(len(prompt) < WINDOW + 1_000 for prompt in parts)
    assert (found.ground_truth, found.calls) == ("joined", len(parts) + 1)
    assert plan.calls >= found.calls


def test_groups_of_one_never_end() -> None:
    """They would not become fewer."""
    with pytest.raises(InvalidInput):
        GenerateOptions(group_size=1)


@given(st.lists(st.text(), max_size=5))
def test_file_names(questions: list[str]) -> None:
    """Every question has a name of its own, short, and without a sign that leads elsewhere."""
    taken: set[str] = set()
    names = [truth_file_name(each, taken=taken) for each in [*questions, *questions]]
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        assert len(name) < 80
        assert not set(name) & set('/\\:*?"<>|\0\n')
        assert ".." not in name


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who built it?", "GT_Who built it.json"),
        ("../../etc/passwd", "GT_etc_passwd.json"),
        ("桥是谁建的？", "GT_桥是谁建的？.json"),
        ("???", "GT_question.json"),
    ],
)
def test_names_tell_the_question(question: str, name: str) -> None:
    """As far as a file system lets them."""
    assert truth_file_name(question, taken=set()) == name
