"""Edges of what a reader sees as one character."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.tui.text.texts import FAMILY, FLAG, texts
from tui_annotate.domain.errors import InvalidSpan
from tui_annotate.domain.spans import Span
from tui_annotate.tui.text.clusters import (
    cluster_start,
    is_edge,
    next_edge,
    previous_edge,
    snap,
)


@pytest.mark.parametrize(
    "cluster",
    ["a", "中", "e\u0301\u0302", FAMILY, FLAG, "\u2764\ufe0f", "\r\n", "\n", "\u0915\u093f", "각"],
)
def test_a_cluster_is_one_step(cluster: str) -> None:
    """One step forward passes a whole cluster, one step back returns to its start."""
    text = f"x{cluster}y"
    assert next_edge(text, 1) == 1 + len(cluster)
    assert previous_edge(text, 1 + len(cluster)) == 1
    assert all(cluster_start(text, offset) == 1 for offset in range(1, 1 + len(cluster)))


def test_flags_are_paired_from_the_first() -> None:
    """Of three letters in a row the first two are a flag."""
    assert [is_edge(FLAG + FLAG[0], offset) for offset in range(4)] == [True, False, True, True]


def test_joined_letters_stay() -> None:
    """A joiner between letters, as Indic scripts use it, hides none of them."""
    assert is_edge("क\u200dष", 2)


@given(texts)
def test_forward_and_backward_find_the_same_edges(text: str) -> None:
    """Walking from the start and from the end gives one list of edges."""
    forward, offset = [0], 0
    while offset < len(text):
        offset = next_edge(text, offset)
        forward.append(offset)
    backward = [offset]
    while offset:
        offset = previous_edge(text, offset)
        backward.append(offset)
    assert forward == backward[::-1]
    assert all(is_edge(text, edge) for edge in forward)


@given(texts.filter(bool))
def test_snapping_gives_whole_clusters(text: str) -> None:
    """A snapped span holds the span, and begins and ends at edges."""
    for start in range(len(text)):
        whole = snap(text, Span(start, start + 1))
        assert whole.contains(Span(start, start + 1))
        assert is_edge(text, whole.start)
        assert is_edge(text, whole.end)


def test_a_span_outside_is_refused() -> None:
    """What lies behind the text is no span of it."""
    with pytest.raises(InvalidSpan):
        snap("abc", Span(7, 9))
