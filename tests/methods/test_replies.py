"""What replies say: exactly what was asked for, or nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.methods.replies import answer, json_in, one_of, said, texts, verdicts


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
    assert one_of(reply, ("1", "2")) == number


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    """Whatever a model says, reading it gives an allowed value or nothing."""
    assert one_of(text, ("0", "1")) in {"0", "1", None}
    assert answer(text) is None or isinstance(answer(text), str)
    assert verdicts(text, count=2, name="verdict") is None or json_in(text) is not None
    said(text)


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
        ("[" * 100_000, None),
    ],
)
def test_verdicts(reply: str, found: tuple[int, ...] | None) -> None:
    """As many verdicts as there are things, each 0 or 1, or none at all."""
    assert verdicts(reply, count=2, name="verdict") == found


def test_texts() -> None:
    """A list of texts, without blank ones; nothing for what holds anything else."""
    assert texts(json.dumps(["a", " ", " b "])) == ("a", "b")
    assert texts("[]") == ()
    assert texts('["a", 1]') is None
    assert texts('{"a": "b"}') is None


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
    assert answer(reply) == found
