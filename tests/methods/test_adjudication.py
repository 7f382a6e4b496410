"""Rivals side by side: groups, what they differ in, and what a majority would keep."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.adjudication import Adjudication, ReviewAction
from tui_annotate.domain.annotations import ADJUDICATED, REJECTED, Anchor, Annotation
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.adjudication import (
    CandidateGroup,
    DifferenceKind,
    GroupDecision,
    GroupStatus,
    find_decision,
    group_candidates,
    merge_candidates,
    unite_anchors,
)

TEXT = "ab cd ef gh ij kl mn op qr st uv wx yz"
SAMPLE = Sample("d", "1", (Document(Side.SOURCE, TEXT), Document(Side.SUMMARY, TEXT)))
X, Y = ("X",), ("X", "Y")
Said = dict[str, list[Annotation]]


def one(
    name: str,
    start: int,
    end: int,
    label: tuple[str, ...] = X,
    *,
    evidence: tuple[int, int] | None = None,
    note: str = "",
) -> Annotation:
    """An annotation of a part of the summary."""
    found = (Anchor(Side.SOURCE, 0, Span(*evidence)),) if evidence else ()
    return Annotation(
        name, (Anchor(Side.SUMMARY, 0, Span(start, end)),), found, (label,), note=note
    )


def only(said: Said) -> CandidateGroup:
    """The one group that there is."""
    (group,) = group_candidates(SAMPLE, said)
    return group


spans = st.tuples(st.integers(0, 30), st.integers(1, 8)).map(lambda at: Span(at[0], sum(at)))


@st.composite
def anything(draw: st.DrawFn) -> Said:
    """What up to four people may have said."""
    said: Said = {}
    for person in draw(st.lists(st.sampled_from("pqrs"), unique=True, min_size=1)):
        said[person] = [
            Annotation(
                f"{person}{number}",
                tuple(Anchor(Side.SUMMARY, 0, span) for span in claim),
                tuple(Anchor(Side.SOURCE, 0, span) for span in evidence),
                (label,),
                draw(st.sampled_from(["", "n", "note"])),
            )
            for number, (claim, evidence, label) in enumerate(
                draw(
                    st.lists(
                        st.tuples(
                            st.lists(spans, max_size=2),
                            st.lists(spans, max_size=2),
                            st.sampled_from([X, Y]),
                        ).filter(lambda case: bool(case[0] or case[1])),
                        max_size=4,
                    )
                )
            )
        ]
    return said


@given(anything(), st.randoms(use_true_random=False))
def test_nothing_depends_on_an_order(said: Said, random: object) -> None:
    """Neither of people nor of what each of them said."""
    people = list(said)
    random.shuffle(people)  # type: ignore[attr-defined]
    shuffled = {person: said[person][::-1] for person in people}
    assert group_candidates(SAMPLE, shuffled) == group_candidates(SAMPLE, said)


@given(anything())
def test_each_annotation_is_in_one_group_and_one_rival_of_it(said: Said) -> None:
    """Nothing is lost, and nothing counted twice."""
    found = [
        name
        for group in group_candidates(SAMPLE, said)
        for candidate in group.candidates
        for name in candidate.sources
    ]
    assert sorted(found) == sorted(known.id for mine in said.values() for known in mine)


@given(anything())
def test_claims_of_different_groups_share_nothing(said: Said) -> None:
    """Those that overlap belong together."""
    taken: dict[int, int] = {}
    for at, group in enumerate(group_candidates(SAMPLE, said)):
        for anchor in (anchor for candidate in group.candidates for anchor in candidate.claim):
            for offset in range(anchor.span.start, anchor.span.end):
                assert taken.setdefault(offset, at) == at


@given(anything())
def test_agreed_is_what_everybody_said(said: Said) -> None:
    """And of what is agreed, all is proposed; what is proposed was said by more than half."""
    for group in group_candidates(SAMPLE, said):
        everybody = all(set(candidate.people) == said.keys() for candidate in group.candidates)
        assert (group.status is GroupStatus.AGREED) == everybody
        assert set(group.proposal) <= set(group.candidates)
        if everybody:
            assert group.proposal == group.candidates
        for candidate in group.proposal:
            same = {
                person for other in group.candidates for person in other.people
                if other.labels == candidate.labels
            }  # fmt: skip
            assert 2 * len(same) > len(said)


@given(anything())
def test_who_says_nothing_disagrees(said: Said) -> None:
    """With one more who finished and marked nothing, no group is agreed, and each says so."""
    for group in group_candidates(SAMPLE, {**said, "z": []}):
        assert group.status is GroupStatus.CONFLICT
        assert "z" in group.silent
        assert DifferenceKind.ONLY_SOME in group.differences


@given(anything())
def test_white_space_at_edges_is_nothing(said: Said) -> None:
    """A claim with a blank at its edge is the same claim."""

    def wider(anchor: Anchor) -> Anchor:
        start, end = anchor.span.start, anchor.span.end
        start -= start > 0 and TEXT[start - 1] == " "
        end += end < len(TEXT) and TEXT[end] == " "
        return Anchor(anchor.side, anchor.index, Span(start, end))

    padded = {
        person: [
            replace(
                known,
                claim=tuple(map(wider, known.claim)),
                evidence=tuple(map(wider, known.evidence)),
            )
            for known in mine
        ]
        for person, mine in said.items()
    }
    assert group_candidates(SAMPLE, padded) == group_candidates(SAMPLE, said)


@given(st.lists(spans))
def test_united_covers_the_same(given_spans: list[Span]) -> None:
    """The same code points, each once, in order."""
    anchors = [Anchor(Side.SOURCE, 0, span) for span in given_spans]
    covered = [
        offset
        for anchor in unite_anchors(anchors)
        for offset in range(anchor.span.start, anchor.span.end)
    ]
    assert covered == sorted(covered)
    assert len(covered) == len(set(covered))
    assert set(covered) == {at for span in given_spans for at in range(span.start, span.end)}


def test_the_same_with_other_evidence_is_agreed() -> None:
    """Evidence is united, and that it differs is told; so with notes, of which the longer stays."""
    group = only(
        {
            "p": [one("a", 0, 5, evidence=(0, 5), note="no")],
            "q": [one("b", 0, 6, evidence=(3, 8), note="never")],
        }
    )
    assert group.status is GroupStatus.AGREED
    assert group.differences == (DifferenceKind.EVIDENCE, DifferenceKind.NOTE)
    (candidate,) = group.proposal
    assert candidate.evidence == (Anchor(Side.SOURCE, 0, Span(0, 8)),)
    assert (candidate.note, candidate.people, candidate.sources) == (
        "never",
        ("p", "q"),
        ("a", "b"),
    )


@pytest.mark.parametrize(
    ("said", "standing", "differences", "proposed"),
    [
        (  # two of two with other extents: nearly, and no majority
            {"p": [one("a", 0, 5)], "q": [one("b", 0, 8)]},
            GroupStatus.NEARLY,
            [DifferenceKind.EXTENT],
            [],
        ),
        (  # two of three with one extent
            {"p": [one("a", 0, 5)], "q": [one("b", 0, 8)], "r": [one("c", 0, 8)]},
            GroupStatus.NEARLY,
            [DifferenceKind.EXTENT],
            [("b", "c")],
        ),
        (  # another label
            {"p": [one("a", 0, 5)], "q": [one("b", 0, 5, Y)]},
            GroupStatus.CONFLICT,
            [DifferenceKind.LABEL],
            [],
        ),
        (  # two labels against one
            {"p": [one("a", 0, 5)], "q": [one("b", 0, 5, Y)], "r": [one("c", 0, 5)]},
            GroupStatus.CONFLICT,
            [DifferenceKind.LABEL],
            [("a", "c")],
        ),
        (  # one of two
            {"p": [one("a", 0, 5)], "q": []},
            GroupStatus.CONFLICT,
            [DifferenceKind.ONLY_SOME],
            [],
        ),
        (  # two of three who agree, of other extents
            {"p": [one("a", 0, 5)], "q": [one("b", 3, 8)], "r": []},
            GroupStatus.CONFLICT,
            [DifferenceKind.ONLY_SOME, DifferenceKind.EXTENT],
            [],
        ),
        (  # everybody gave both labels
            {
                "p": [one("a", 0, 5), one("b", 0, 5, Y)],
                "q": [one("c", 0, 5), one("d", 0, 5, Y)],
            },
            GroupStatus.AGREED,
            [],
            [("a", "c"), ("b", "d")],
        ),
    ],
)
def test_what_they_differ_in(
    said: Said,
    standing: GroupStatus,
    differences: list[DifferenceKind],
    proposed: list[tuple[str, ...]],
) -> None:
    """Each kind is named, and a tie proposes nothing."""
    group = only(said)
    assert group.status is standing
    assert list(group.differences) == differences
    assert [candidate.sources for candidate in group.proposal] == proposed


def test_a_chain_is_one_group() -> None:
    """Two that share nothing belong together where a third overlaps both."""
    said = {"p": [one("a", 0, 5), one("b", 9, 14)], "q": [one("c", 3, 11)]}
    assert only(said).sources == {"a", "b", "c"}
    said["q"] = [one("c", 5, 9)]  # touching is not sharing
    assert len(group_candidates(SAMPLE, said)) == 3


def test_evidence_alone_meets_evidence_alone() -> None:
    """Without a claim, what was marked in the source is what it is about."""
    bare = [Annotation(name, (), (Anchor(Side.SOURCE, 0, Span(0, 5)),), (X,)) for name in "ab"]
    assert only({"p": bare[:1], "q": bare[1:]}).status is GroupStatus.AGREED
    assert len(group_candidates(SAMPLE, {"p": bare[:1], "q": [one("c", 0, 5)]})) == 2


def test_merging_unites_words_evidence_and_notes() -> None:
    """All that either has, in reading order, with the labels that are chosen."""
    group = only(
        {
            "p": [one("a", 0, 5, evidence=(0, 2), note="first")],
            "q": [one("b", 3, 8, Y, evidence=(6, 8), note="second")],
        }
    )
    both = merge_candidates(group.candidates, labels=(Y,))
    assert both.claim == (Anchor(Side.SUMMARY, 0, Span(0, 8)),)
    assert [anchor.span for anchor in both.evidence] == [Span(0, 2), Span(6, 8)]
    assert both.note == "first / second"
    assert (both.labels, both.sources) == ((Y,), ("a", "b"))


TEXTS = Sample("d", "1", (Document(Side.SOURCE, "ab cd"), Document(Side.SUMMARY, "ab cd")))
CLAIM = (Anchor(Side.SUMMARY, 0, Span(0, 2)),)


def said(name: str, label: str) -> Annotation:
    """An annotation of the one place that there is."""
    return Annotation(name, CLAIM, labels=((label,),))


def settled(origin: str, *sources: str) -> Annotation:
    """What review made of annotations, or refused."""
    how = ReviewAction.TAKEN if origin == ADJUDICATED else ReviewAction.REJECTED
    return Annotation(
        "-".join(sources), CLAIM, origin=origin, settled=Adjudication("r", how, sources)
    )


TAKEN, REFUSED = settled(ADJUDICATED, "p1", "q1"), settled(REJECTED, "p1", "q1")
OTHER_REFUSED = settled(REJECTED, "p2", "q2")


@pytest.mark.parametrize(
    ("done", "alike", "apart"),
    [
        ((), GroupDecision.AGREED, GroupDecision.OPEN),
        ((TAKEN,), GroupDecision.KEPT, GroupDecision.KEPT),
        ((REFUSED,), GroupDecision.OPEN, GroupDecision.OPEN),
        ((REFUSED, TAKEN), GroupDecision.KEPT, GroupDecision.KEPT),
        ((REFUSED, OTHER_REFUSED), GroupDecision.REJECTED, GroupDecision.OPEN),
        ((settled(ADJUDICATED),), GroupDecision.AGREED, GroupDecision.OPEN),
    ],
)
def test_what_became_of_a_place(
    done: tuple[Annotation, ...], alike: GroupDecision, apart: GroupDecision
) -> None:
    """Of two labels that both people gave, one refused leaves it open: no end of review takes it.

    Where a third label is one person's alone, that must be refused as well before nothing is left.
    """
    both = {"p": [said("p1", "X"), said("p2", "Y")], "q": [said("q1", "X"), said("q2", "Y")]}
    (group,) = group_candidates(TEXTS, both)
    assert find_decision(group, done) is alike
    (group,) = group_candidates(TEXTS, both | {"p": [*both["p"], said("p3", "Z")]})
    assert find_decision(group, done) is apart
