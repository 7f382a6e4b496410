"""Laws of spans."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.errors import InvalidSpan
from tui_annotate.domain.spans import Span, merge

spans = st.tuples(st.integers(0, 60), st.integers(1, 30)).map(lambda p: Span(p[0], p[0] + p[1]))


def points(*some: Span) -> set[int]:
    """The code points that spans cover."""
    return {point for span in some for point in range(span.start, span.end)}


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (3, 3), (4, 2)])
def test_a_span_is_never_empty_nor_negative(start: int, end: int) -> None:
    """What is no span is refused, and the message holds its numbers."""
    with pytest.raises(InvalidSpan, match=f"{start}:{end}"):
        Span(start, end)


@given(spans, spans)
def test_two_spans_relate_as_their_sets_of_points_do(one: Span, other: Span) -> None:
    """Overlap, containment and clip are those of the sets."""
    mine, theirs = points(one), points(other)
    assert one.overlap(other) == len(mine & theirs)
    assert one.contains(other) == (theirs <= mine)
    clipped = one.clip(other)
    assert (points(clipped) if clipped else set()) == mine & theirs


@given(spans, spans)
def test_relations_are_symmetric(one: Span, other: Span) -> None:
    """Overlap, clip and union do not care who comes first."""
    assert one.overlap(other) == other.overlap(one)
    assert one.clip(other) == other.clip(one)
    assert one.union(other) == other.union(one)


@given(spans, spans)
def test_a_union_is_the_smallest_span_around_both(one: Span, other: Span) -> None:
    """It contains both, and begins and ends where one of them does."""
    union = one.union(other)
    assert union.contains(one)
    assert union.contains(other)
    assert union.start in {one.start, other.start}
    assert union.end in {one.end, other.end}


@given(spans, st.integers(0, 50))
def test_a_shift_is_undone_by_its_opposite(span: Span, by: int) -> None:
    """The length stays, and shifting back gives the same span."""
    assert len(span.shift(by)) == len(span)
    assert span.shift(by).shift(-by) == span


@given(st.text(min_size=1), st.data())
def test_a_trimmed_span_covers_the_stripped_text(text: str, data: st.DataObject) -> None:
    """Trim takes off what `str.strip` does, and None stands for nothing left."""
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))))
    trimmed = span.trim(text)
    assert (trimmed.of(text) if trimmed else "") == span.of(text).strip()
    assert trimmed is None or span.contains(trimmed)


def test_a_span_outside_its_text_is_refused() -> None:
    """The text under a span is never cut short in silence."""
    with pytest.raises(InvalidSpan, match="0:4"):
        Span(0, 4).of("abc")


@given(st.lists(spans))
def test_merged_spans_cover_the_same_points_without_touching(some: list[Span]) -> None:
    """Merging keeps the points, and leaves a gap between any two spans."""
    merged = merge(some)
    assert points(*merged) == points(*some)
    assert all(one.end < other.start for one, other in pairwise(merged))


def test_a_span_reads_as_start_and_end() -> None:
    """Its text form is what commands take."""
    assert str(Span(3, 7)) == "3:7"
