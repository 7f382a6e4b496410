"""Hits of a search: visited in turn, on one side."""

from __future__ import annotations

from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.search_hits import NO_SEARCH, SearchHits

FOUND = SearchHits("bridge", Side.SOURCE, (Span(4, 10), Span(20, 26), Span(40, 46)))


def test_the_first_visit_is_behind_the_cursor() -> None:
    """Behind the last hit, the search begins again at the top."""
    assert FOUND.start_at(0).span == Span(4, 10)
    assert FOUND.start_at(20).span == Span(20, 26)
    assert FOUND.start_at(41).span == Span(4, 10)


def test_a_walk_goes_around_the_ends() -> None:
    """Three steps lead back, in both directions."""
    assert FOUND.walk(1).span == Span(20, 26)
    assert FOUND.walk(-1).span == Span(40, 46)
    assert FOUND.walk(1).walk(1).walk(1) == FOUND


def test_hits_belong_to_one_side() -> None:
    """The other side has none; without a search, neither has any."""
    assert FOUND.hits_on(Side.SOURCE) == FOUND.hits
    assert FOUND.hits_on(Side.SUMMARY) == ()
    assert NO_SEARCH.hits == ()
