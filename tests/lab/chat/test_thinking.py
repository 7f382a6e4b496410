"""Thinking: blocks before, between and after an answer, whole or cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.lab.chat.thinking import remove_thinking


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>hm</think>\n\nParis", "Paris"),
        ("<think>a</think><thinking>b\n</thinking> Paris.\n", "Paris."),
        ("Paris <THINK>or Rome?</THINK>it is.", "Paris it is."),
        ("started in the prompt</think>Paris", "Paris"),
        ("<think>a <think>b</think> c</think>Paris", "Paris"),
        ("<think>the tag <think> starts</think>Paris", "Paris"),
        ("<think>cut off", ""),
        ("Paris<think>cut off", "Paris"),
        ("<think></think>", ""),
        (" Paris \n", " Paris \n"),
        ("a < think > b", "a < think > b"),
        ("", ""),
    ],
)
def test_thinking_is_no_answer(text: str, answer: str) -> None:
    """Only the text outside of blocks is the answer; a text without blocks stays as it is."""
    assert remove_thinking(text) == answer


@given(st.lists(st.sampled_from(["<think>", "</think>", "a", " ", "<"])))
def test_no_tag_is_left(parts: list[str]) -> None:
    """An answer has no tag of a block, however the tags are nested or cut."""
    found = remove_thinking("".join(parts))
    assert "think>" not in found
    assert remove_thinking(found) == found


def test_many_tags_take_linear_time() -> None:
    """A reply of a mebibyte that consists of unclosed blocks is read once."""
    assert remove_thinking("<think>" * 150_000) == ""
