"""Spans on a text, found by line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.spans import Span
from tui_annotate.tui.text.layers import SpanLayer

spans = st.builds(
    lambda start, length: Span(start, start + length), st.integers(0, 60), st.integers(1, 20)
)
items = st.lists(st.tuples(spans, st.integers(0, 3)), max_size=20)


@given(items, spans)
def test_touching_finds_what_overlaps(held: list[tuple[Span, int]], part: Span) -> None:
    """All items that share a code point with a part, and no others, in order."""
    found = SpanLayer(held).touching(part.start, part.end)
    expected = sorted((i for i in held if i[0].overlap(part)), key=lambda i: (i[0].start, i[0].end))
    assert found == expected


@given(items, items)
def test_changed_covers_every_difference(
    before: list[tuple[Span, int]], after: list[tuple[Span, int]]
) -> None:
    """A span is named when its values differ, and never when nothing did."""
    changed = set(SpanLayer(before).changed(SpanLayer(after)))
    for span in {span for span, _ in (*before, *after)}:
        same = [v for s, v in before if s == span] == [v for s, v in after if s == span]
        assert (span in changed) is not same


def test_an_empty_layer_touches_nothing() -> None:
    """There is nothing to find, and its length is 0."""
    layer: SpanLayer[None] = SpanLayer()
    assert (len(layer), list(layer), layer.touching(0, 9)) == (0, [], [])
