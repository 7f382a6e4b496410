"""Agreement on places: what the figures are, and what they must not depend on."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.spans import Span
from tui_annotate.methods.span_agreement import (
    EvidenceRelation,
    SpanF1,
    compare_evidence,
    count_stacked,
    find_overlaps,
    span_f1,
    trim_spans,
)

TEXT = "The bridge cost  15 million pounds and it was loved by all of them."
SPANS = st.lists(
    st.tuples(st.integers(0, 50), st.integers(1, 16)).map(lambda p: Span(p[0], p[0] + p[1])),
    max_size=6,
)


def points(spans: list[Span]) -> set[int]:
    """The code points of spans without white space at their edges."""
    return {point for span in trim_spans(spans, TEXT) for point in range(span.start, span.end)}


def f1(ours: list[Span], theirs: list[Span]) -> SpanF1:
    """The figures of two people who marked something between them."""
    found = span_f1(ours, theirs, text=TEXT)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ([(4, 10)], [(4, 10)], (1, 1, 1, 1)),
        ([(4, 10)], [(4, 11)], (0, 1, 1, 1)),
        ([(4, 10)], [(4, 15)], (0, 0, 12 / 17, 1)),
        ([(4, 10)], [(11, 15)], (0, 0, 0, 0)),
        ([(4, 10)], [], (0, 0, 0, 0)),
        ([(4, 10), (17, 19)], [(4, 10)], (2 / 3, 2 / 3, 12 / 14, 2 / 3)),
        ([(4, 7), (8, 10)], [(4, 10)], (0, 0, 10 / 11, 1)),
        ([(4, 10), (4, 10)], [(4, 10)], (1, 1, 1, 1)),
        ([(4, 10), (15, 17)], [(4, 10)], (1, 1, 1, 1)),
    ],
)
def test_figures_by_hand(
    ours: list[tuple[int, int]], theirs: list[tuple[int, int]], expected: tuple[float, ...]
) -> None:
    """The same, with a blank more, longer, beside it, alone, one of two, in parts, twice, blank."""
    found = f1([Span(*each) for each in ours], [Span(*each) for each in theirs])
    assert found == pytest.approx(expected)


def test_two_who_marked_nothing_have_no_figures() -> None:
    """There is nothing to compare, so nothing is said; white space alone is nothing."""
    assert span_f1([], [], text=TEXT) is None
    assert span_f1([Span(15, 17)], [Span(10, 11)], text=TEXT) is None


@given(SPANS, SPANS, st.randoms())
def test_neither_order_nor_twins_count(
    ours: list[Span], theirs: list[Span], chance: Random
) -> None:
    """Annotations and people may come in any order, and a span twice."""
    found = span_f1(ours, theirs, text=TEXT)
    shuffled = [*chance.sample(ours, len(ours)), *ours[:1]]
    assert span_f1(shuffled, theirs, text=TEXT) == found
    assert span_f1(theirs, ours, text=TEXT) == pytest.approx(found)


@given(SPANS, SPANS)
def test_edges_of_white_space_count_for_the_exact_figure_alone(
    ours: list[Span], theirs: list[Span]
) -> None:
    """With or without them the other three are the same; and exact is trimmed then."""
    found = span_f1(ours, theirs, text=TEXT)
    bare = span_f1(trim_spans(ours, TEXT), trim_spans(theirs, TEXT), text=TEXT)
    if found is None or bare is None:
        assert found is bare
        return
    assert bare.exact == bare.trimmed
    assert bare[1:] == found[1:]


@given(SPANS, SPANS)
def test_figures_are_those_of_sets(ours: list[Span], theirs: list[Span]) -> None:
    """Dice of sets of spans and of sets of code points; overlap by trying each with each."""
    found = span_f1(ours, theirs, text=TEXT)
    if found is None:
        return
    mine, others = points(ours), points(theirs)
    assert found.character == pytest.approx(2 * len(mine & others) / (len(mine) + len(others)))
    one, other = trim_spans(ours, TEXT), trim_spans(theirs, TEXT)
    assert found.trimmed == pytest.approx(2 * len(one & other) / (len(one) + len(other)))
    hits = [pair for pair in product(sorted(one), sorted(other)) if pair[0].overlap(pair[1])]
    assert find_overlaps(one, other) == hits
    shares = [
        len({pair[side] for pair in hits}) / max(len(spans), 1)
        for side, spans in enumerate((one, other))
    ]
    harmonic = 2 * shares[0] * shares[1] / sum(shares) if hits else 0
    assert found.overlap == pytest.approx(harmonic)


@given(SPANS, SPANS)
def test_each_figure_forgives_more_than_the_one_before(
    ours: list[Span], theirs: list[Span]
) -> None:
    """All lie in [0, 1]; where all spans are the same, all but exact are 1."""
    found = span_f1(ours, theirs, text=TEXT)
    if found is not None:
        assert all(0 <= value <= 1 for value in found)
        assert found.trimmed <= found.overlap + 1e-9
        assert (found.overlap == 0) == (found.character == 0)
    same = span_f1(ours, ours, text=TEXT)
    assert same in (None, SpanF1(1, 1, 1, 1))


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 6)), max_size=8))
def test_stacked_spans_are_those_that_meet_another(made: list[tuple[int, int]]) -> None:
    """As many as share a code point with a span that is not they themselves."""
    spans = [Span(start, start + length) for start, length in made]
    meet = [
        any(span.overlap(other) for at, other in enumerate(spans) if at != place)
        for place, span in enumerate(spans)
    ]
    assert count_stacked(spans) == sum(meet)


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ([], [], EvidenceRelation.NEITHER),
        ([(0, 5)], [], EvidenceRelation.ONE),
        ([], [(0, 5)], EvidenceRelation.ONE),
        ([(0, 5)], [(0, 5)], EvidenceRelation.SAME),
        ([(0, 3), (3, 5)], [(0, 5)], EvidenceRelation.SAME),
        ([(0, 5)], [(4, 9)], EvidenceRelation.OVERLAP),
        ([(0, 5), (8, 9)], [(0, 5)], EvidenceRelation.OVERLAP),
        ([(0, 5)], [(5, 9)], EvidenceRelation.ELSEWHERE),
    ],
)
def test_evidence_by_hand(
    ours: list[tuple[int, int]], theirs: list[tuple[int, int]], expected: EvidenceRelation
) -> None:
    """None, of one alone, the same, in parts, overlapping, some of it, beside it."""
    one, other = ([Span(*each) for each in spans] for spans in (ours, theirs))
    assert compare_evidence(one, other) is expected


@given(SPANS, SPANS, st.randoms())
def test_evidence_has_no_order(ours: list[Span], theirs: list[Span], chance: Random) -> None:
    """Neither of the two people nor of what each took."""
    found = compare_evidence(ours, theirs)
    assert compare_evidence(theirs, chance.sample(ours, len(ours))) is found
