"""What the assist showed at a save: kept whole, and told of the evidence that was taken."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.strategies import traces
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assist_snapshot import AssistSnapshot, add_trace
from tui_annotate.domain.assist_traces import (
    OUTSIDE,
    AssistTrace,
    MatchPosition,
    assist_trace_from_json,
    assist_trace_to_json,
)
from tui_annotate.domain.samples import Document, Match, Sample, Segment, Side, Signals
from tui_annotate.domain.spans import Span

SOURCE = "The bridge cost 12 million. It opened in 1889. Nobody came. "
SEGMENTS = (Segment(0, 28), Segment(28, 47), Segment(47, 60))
FIRST, SECOND, THIRD = (Span(0, 27), Span(28, 46), Span(47, 59))
SAMPLE = Sample(
    "d",
    "1",
    (
        Document(Side.SOURCE, SOURCE),
        Document(Side.SOURCE, SOURCE),
        Document(Side.SUMMARY, "A claim."),
    ),
)
CLAIM = (Anchor(Side.SUMMARY, 0, Span(0, 7)),)


def anchor(span: Span, index: int = 0) -> Anchor:
    """Evidence in a source document."""
    return Anchor(Side.SOURCE, index, span)


def match(rank: int, segment: int, score: float = 0.5, document: int = 0) -> Match:
    """A lit segment."""
    return Match(document, segment, SEGMENTS[segment].span, score, rank)


OFFER = AssistSnapshot(
    matches=(match(1, 1, 0.91234567), match(2, 0, 0.4)),
    looked=frozenset({1, 9}),
    by=Signals.WORDS,
    embedder="m",
    version="v",
)


def annotation(*evidence: Anchor, trace: AssistTrace | None = None) -> Annotation:
    """A claim with evidence."""
    return Annotation("a", CLAIM, evidence, trace=trace)


@given(st.integers(0, 3).flatmap(lambda spans: st.tuples(st.just(spans), traces(spans))))
def test_a_trace_comes_back_from_json(case: tuple[int, AssistTrace]) -> None:
    """As it was."""
    spans, trace = case
    assert (
        assist_trace_from_json(json.loads(json.dumps(assist_trace_to_json(trace))), spans=spans)
        == trace
    )


GOOD = assist_trace_to_json(OFFER.trace([anchor(SECOND)], SAMPLE))


@pytest.mark.parametrize(
    "change",
    [
        {"by": "magic"},
        {"by": 1},
        {"embedder": None},
        {"weights": 2},
        {"offered": -1},
        {"offered": True},
        {"offered": 0},
        {"best": 2},
        {"best": float("nan")},
        {"best": "1"},
        {"looked": [3]},
        {"looked": [0]},
        {"looked": "1"},
        {"evidence": []},
        {"evidence": [[1, 0.5, True], [1, 0.5, True]]},
        {"evidence": [[3, 0.5, True]]},
        {"evidence": [[1, 1.5, True]]},
        {"evidence": [[1, 0.5, 1]]},
        {"evidence": [[1, 0.5]]},
        {"evidence": [None]},
        {"evidence": None},
    ],
)
def test_what_can_be_no_trace_is_refused(change: dict[str, Any]) -> None:
    """Whatever a file says."""
    assert assist_trace_from_json(GOOD, spans=1).places[0].rank == 1
    with pytest.raises(ValueError, match=r"assist|magic"):
        assist_trace_from_json({**GOOD, **change}, spans=1)
    with pytest.raises(ValueError, match="assist"):
        assist_trace_from_json([], spans=0)


def test_evidence_has_the_place_of_the_match_that_it_lies_in() -> None:
    """Whole or in part, in the right document; between two the better; else outside."""
    evidence = [
        anchor(SECOND),
        anchor(Span(4, 10)),
        anchor(Span(20, 31)),
        anchor(THIRD),
        anchor(SECOND, index=1),
    ]
    trace = OFFER.trace(evidence, SAMPLE)
    assert trace == AssistTrace(
        by=Signals.WORDS,
        embedder="m",
        version="v",
        offered=2,
        best=0.9123,
        looked=(1,),
        places=(
            MatchPosition(1, 0.9123, True),
            MatchPosition(2, 0.4, False),
            MatchPosition(1, 0.9123, False),
            OUTSIDE,
            OUTSIDE,
        ),
    )


def test_where_nothing_was_lit_all_is_outside() -> None:
    """And nothing was looked at."""
    trace = AssistSnapshot(looked=frozenset({1})).trace([anchor(FIRST)], SAMPLE)
    assert (trace.offered, trace.best, trace.looked, trace.places) == (0, 0.0, (), (OUTSIDE,))
    assert not trace.refused_best


@pytest.mark.parametrize(
    ("looked", "places", "refused"),
    [
        ((1,), (), True),
        ((1, 2), (MatchPosition(2, 0.5, True),), True),
        ((1,), (OUTSIDE,), True),
        ((1,), (OUTSIDE, MatchPosition(1, 0.5, False)), False),
        ((2,), (MatchPosition(2, 0.5, True),), False),
        ((), (), False),
    ],
)
def test_the_best_is_refused_where_it_was_looked_at_in_vain(
    looked: tuple[int, ...], places: tuple[MatchPosition, ...], refused: bool
) -> None:
    """Not where nobody looked, nor where any evidence lies in it."""
    trace = AssistTrace(offered=2, best=0.5, looked=looked, places=places)
    assert trace.refused_best is refused


def test_a_new_annotation_tells_what_was_offered() -> None:
    """Nothing, where nobody knows; what it brought itself does not count."""
    brought = annotation(anchor(SECOND), trace=AssistTrace(places=(OUTSIDE,)))
    made = add_trace(brought, SAMPLE, offer=OFFER)
    assert made.trace == OFFER.trace(made.evidence, SAMPLE)
    assert add_trace(brought, SAMPLE, offer=None).trace is None


def test_an_edit_that_leaves_the_evidence_leaves_the_trace() -> None:
    """What is lit when somebody writes a note says nothing of the evidence."""
    before = add_trace(annotation(anchor(SECOND)), SAMPLE, offer=OFFER)
    assert add_trace(before, SAMPLE, offer=AssistSnapshot(), former=before) == before
    untold = annotation(anchor(SECOND))
    assert add_trace(before, SAMPLE, offer=OFFER, former=untold).trace is None


def test_evidence_that_stays_keeps_its_place() -> None:
    """What is new gets the one of now; what goes takes its place along."""
    before = add_trace(annotation(anchor(SECOND)), SAMPLE, offer=OFFER)
    now = AssistSnapshot(matches=(match(1, 2),), embedder="n")
    more = add_trace(annotation(anchor(SECOND), anchor(THIRD)), SAMPLE, offer=now, former=before)
    assert more.trace is not None
    assert more.trace.places == (MatchPosition(1, 0.9123, True), MatchPosition(1, 0.5, True))
    assert (more.trace.embedder, more.trace.offered) == ("n", 1)
    less = add_trace(annotation(anchor(THIRD)), SAMPLE, offer=None, former=more)
    assert less.trace is not None
    assert less.trace.places == (MatchPosition(1, 0.5, True),)
    unknown = add_trace(annotation(anchor(FIRST)), SAMPLE, offer=None, former=less)
    assert unknown.trace is None


@given(st.data())
def test_every_trace_that_is_made_can_be_read(data: st.DataObject) -> None:
    """Through any chain of edits."""
    spans = st.sampled_from([FIRST, SECOND, THIRD, Span(2, 5), Span(20, 40)])
    evidence = st.lists(spans.map(anchor), unique=True, max_size=3)
    offers = st.none() | st.lists(st.integers(0, 2), unique=True).map(
        lambda order: AssistSnapshot(
            matches=tuple(match(rank, at) for rank, at in enumerate(order, 1)),
            looked=frozenset({1, 2}),
        )
    )
    former = None
    for _ in range(3):
        now = add_trace(
            annotation(*data.draw(evidence)), SAMPLE, offer=data.draw(offers), former=former
        )
        if now.trace is not None:
            value = json.loads(json.dumps(assist_trace_to_json(now.trace)))
            assert assist_trace_from_json(value, spans=len(now.evidence)) == now.trace
        former = now


def test_built_in_weights_are_not_written() -> None:
    """Records of earlier versions keep their form, and therefore their hash."""
    assert "weights" not in GOOD
    tuned = replace(assist_trace_from_json(GOOD, spans=1), weights="1a")
    assert assist_trace_to_json(tuned) == {**GOOD, "weights": "1a"}
    assert assist_trace_from_json(assist_trace_to_json(tuned), spans=1) == tuned
