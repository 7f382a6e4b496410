"""Made-up annotations for laws."""

from __future__ import annotations

from hypothesis import strategies as st

from tui_annotate.domain.adjudication import Adjudication, RejectionReason, ReviewAction
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assist_traces import OUTSIDE, AssistTrace, MatchPosition
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.samples import Side, Signals
from tui_annotate.domain.spans import Span

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


def anchors(side: Side) -> st.SearchStrategy[tuple[Anchor, ...]]:
    """Up to three anchors of a side."""
    spans = st.tuples(st.integers(0, 40), st.integers(1, 9)).map(lambda p: Span(p[0], sum(p)))
    one = st.builds(Anchor, st.just(side), st.integers(0, 2), spans)
    return st.lists(one, max_size=3).map(tuple)


@st.composite
def traces(draw: st.DrawFn, spans: int) -> AssistTrace:
    """What the assist may have shown, with a place for each span of evidence."""
    offered = draw(st.integers(0, 5))
    shares = st.floats(0, 1)
    ranked = st.builds(MatchPosition, st.integers(1, max(offered, 1)), shares, st.booleans())
    place = st.just(OUTSIDE) | ranked if offered else st.just(OUTSIDE)
    return AssistTrace(
        by=draw(st.sampled_from(Signals)),
        embedder=draw(st.text(max_size=6)),
        version=draw(st.text(max_size=6)),
        offered=offered,
        best=draw(shares) if offered else 0.0,
        looked=tuple(sorted(draw(st.sets(st.integers(1, offered)) if offered else st.just(set())))),
        places=tuple(draw(st.lists(place, min_size=spans, max_size=spans))),
    )


def settlements() -> st.SearchStrategy[Adjudication]:
    """How review may have come to an annotation."""
    words = st.text(max_size=5)
    sources = st.frozensets(words, max_size=3).map(lambda names: tuple(sorted(names)))
    return st.builds(
        Adjudication,
        words,
        st.sampled_from(ReviewAction),
        sources,
        st.sampled_from(RejectionReason),
        words,
    )


def provenances() -> st.SearchStrategy[Provenance]:
    """Which suggestion an annotation may have been made from."""
    return st.builds(
        Provenance,
        suggestion=st.text(min_size=1, max_size=5),
        maker=st.text(min_size=1, max_size=5),
        score=st.none() | st.floats(0, 1),
        changed=st.booleans(),
    )


@st.composite
def made_annotations(draw: st.DrawFn) -> Annotation:
    """Annotations with any text in any field."""
    claim, evidence = draw(anchors(Side.SUMMARY)), draw(anchors(Side.SOURCE))
    if not claim and not evidence:
        claim = (Anchor(Side.SUMMARY, 0, Span(0, 1)),)
    names = st.text(min_size=1, max_size=5)
    return Annotation(
        id=draw(st.uuids().map(str)),
        claim=claim,
        evidence=evidence,
        labels=draw(
            st.lists(st.lists(names, min_size=1, max_size=2).map(tuple), max_size=2).map(tuple)
        ),
        note=draw(st.text(max_size=12)),
        origin=draw(st.sampled_from(["human", "machine:x", "imported:mercury", "adjudicated"])),
        version=draw(st.integers(1, 5)),
        number=draw(st.integers(0, 99)),
        label_set=draw(st.text(max_size=4)),
        guidelines=draw(st.text(max_size=4)),
        created=draw(st.text(max_size=4)),
        updated=draw(st.text(max_size=4)),
        trace=draw(st.none() | traces(len(evidence))),
        settled=draw(st.none() | settlements()),
        suggested=draw(st.none() | provenances()),
        imported=draw(st.none() | st.dictionaries(st.text(max_size=4), _JSON, max_size=3)),
    )
