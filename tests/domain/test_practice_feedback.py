"""Feedback: each annotation is a hit or an extra, each right one found or missed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.stores import claim
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.practice_feedback import PracticeAnswer, compare_with_gold
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span

spans = st.tuples(st.integers(0, 20), st.integers(1, 6))
several = st.lists(spans, max_size=4).map(
    lambda found: [claim(str(at), start, start + size) for at, (start, size) in enumerate(found)]
)


@given(several, several)
def test_every_annotation_is_told_once(mine: list[Annotation], right: list[Annotation]) -> None:
    """A hit names the right one that it shares most with."""
    found = compare_with_gold(mine, PracticeAnswer(tuple(right)))
    assert sorted([own.id for own, _ in found.hits] + [each.id for each in found.extra]) == sorted(
        each.id for each in mine
    )
    for own, best in found.hits:
        most = max(own.claim[0].span.overlap(each.claim[0].span) for each in right)
        assert own.claim[0].span.overlap(best.claim[0].span) == most > 0
    for missed in found.missed:
        assert not any(own.claim[0].span.overlap(missed.claim[0].span) for own in mine)
    assert len(found.missed) + len({best.id for _, best in found.hits}) <= len(right)


def test_labels_do_not_matter_and_sides_do() -> None:
    """Words on the other side, or of another document of it, are another place."""
    mine = [claim("a", 0, 5, label="Fine")]
    assert compare_with_gold(mine, PracticeAnswer((claim("g", 4, 9, label="Odd"),))).hits
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
