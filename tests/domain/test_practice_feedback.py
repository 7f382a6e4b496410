"""Feedback: each annotation is a hit or an extra, each right one found or missed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.stores import claim
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.gold_checks import score_check
from tui_annotate.domain.practice_feedback import (
    SAME_PASSAGE,
    PracticeAnswer,
    compare_with_gold,
    measure_overlap,
)
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span

spans = st.tuples(st.integers(0, 20), st.integers(1, 6))
several = st.lists(spans, max_size=4).map(
    lambda found: [claim(str(at), start, start + size) for at, (start, size) in enumerate(found)]
)


@given(several, several)
def test_every_annotation_is_told_once(mine: list[Annotation], right: list[Annotation]) -> None:
    """Each is in one pair or alone; a pair shares enough, and no two that are left alone do."""
    found = compare_with_gold(mine, PracticeAnswer(tuple(right)))
    ours, known = [own.id for own, _ in found.hits], [gold.id for _, gold in found.hits]
    assert sorted(ours + [each.id for each in found.extra]) == sorted(each.id for each in mine)
    assert sorted(known + [each.id for each in found.missed]) == sorted(each.id for each in right)
    assert all(measure_overlap(own, gold) >= SAME_PASSAGE for own, gold in found.hits)
    for missed in found.missed:
        assert not any(measure_overlap(own, missed) >= SAME_PASSAGE for own in found.extra)


@pytest.mark.parametrize(
    ("own", "gold", "f1"),
    [
        ((0, 10), (0, 10), 1.0),
        ((0, 10), (5, 15), 0.5),
        ((0, 10), (6, 16), 0.4),
        ((3, 4), (0, 10), 2 / 11),
        ((0, 40), (10, 20), 0.4),
        ((0, 30), (10, 20), 0.5),
        ((0, 10), (10, 20), 0.0),
    ],
)
def test_a_passage_is_the_same_from_an_f1_of_one_half(
    own: tuple[int, int], gold: tuple[int, int], f1: float
) -> None:
    """One character, or a whole text around a short passage, marks another passage."""
    mine, known = claim("a", *own), claim("g", *gold)
    assert measure_overlap(mine, known) == pytest.approx(f1)
    assert bool(compare_with_gold([mine], PracticeAnswer((known,))).hits) is (f1 >= 0.5)


def test_a_pair_with_the_same_labels_is_made_first() -> None:
    """Even where another annotation shares more characters with the known one."""
    known = claim("g", 0, 10, label="Odd")
    close, alike = claim("a", 0, 10, label="Fine"), claim("b", 2, 10, label="Odd")
    found = compare_with_gold([close, alike], PracticeAnswer((known,)))
    assert (found.hits, found.extra) == (((alike, known),), (close,))


def test_several_spans_of_an_annotation_are_one_passage() -> None:
    """Overlapping spans of one annotation count their characters once."""
    spans = tuple(Anchor(Side.SUMMARY, 0, Span(*each)) for each in ((0, 6), (4, 10), (20, 30)))
    mine = Annotation("a", spans, (), (("Fine",),))
    assert measure_overlap(mine, claim("g", 0, 10)) == pytest.approx(2 / 3)


def test_white_space_at_the_ends_of_spans_does_not_count() -> None:
    """Imported annotations may have it; one of white space alone is no annotation to find."""
    texts = {(Side.SUMMARY, 0): "ab \n      cd"}
    mine, known = claim("a", 0, 2), claim("g", 0, 9)
    empty = claim("w", 3, 9)
    assert measure_overlap(mine, known) == pytest.approx(4 / 11)
    assert measure_overlap(mine, known, texts=texts) == 1
    found = compare_with_gold([mine, empty], PracticeAnswer((known, empty)), texts=texts)
    assert (found.hits, found.missed, found.extra) == (((mine, known),), (), ())
    assert score_check([mine], PracticeAnswer((known, empty)), texts=texts) == 1


def test_labels_do_not_matter_and_sides_do() -> None:
    """Words on the other side, or of another document of it, are another place."""
    mine = [claim("a", 0, 5, label="Fine")]
    assert compare_with_gold(mine, PracticeAnswer((claim("g", 1, 6, label="Odd"),))).hits
    elsewhere = Annotation("g", (), (Anchor(Side.SOURCE, 0, Span(0, 5)),), (("Odd",),))
    found = compare_with_gold(mine, PracticeAnswer((elsewhere,)))
    assert (found.hits, found.missed, found.extra) == ((), (elsewhere,), tuple(mine))
    assert compare_with_gold([elsewhere], PracticeAnswer((elsewhere,))).hits == (
        (elsewhere, elsewhere),
    )
    other = Annotation("h", (), (Anchor(Side.SOURCE, 1, Span(0, 5)),), (("Odd",),))
    assert compare_with_gold([elsewhere], PracticeAnswer((other,))).missed == (other,)
    assert compare_with_gold([], PracticeAnswer(())).hits == ()


def test_ratings_stand_side_by_side() -> None:
    """Theirs and the right one, as they are."""
    found = compare_with_gold([], PracticeAnswer((), "Bad"), rated="Perfect")
    assert (found.rated, found.rating) == ("Perfect", "Bad")
