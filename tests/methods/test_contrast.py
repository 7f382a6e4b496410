"""What is shared and what may conflict between a selection and a segment."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.spans import Span
from tui_annotate.methods.contrast import find_contradictions, find_shared_words
from tui_annotate.methods.lexical import find_words
from tui_annotate.methods.unsupported_words import find_unsupported_words

TEXTS = st.text(max_size=60) | st.text("ab the 12 million May一二三万元大桥。Smith", max_size=60)


@pytest.mark.parametrize(
    ("selection", "segment", "expected"),
    [
        ("It reopened on 14 May", "The bridge reopened on 14 May", ["reopened", "14", "May"]),
        ("may reopen", "it may", ["may"]),
        ("the one", "The of the", ["The", "the"]),
        ("唐代窑址被迁走", "工人挖出一处宋代窑址", ["代窑址"]),
        ("桥的", "大桥开", ["桥"]),
        ("的", "我的", ["的"]),
        ("nothing", "of it", []),
        ("", "", []),
    ],
)
def test_shared(selection: str, segment: str, expected: list[str]) -> None:
    """Telling words and runs of signs; single signs and words like "the" if nothing else."""
    assert [span.of(segment) for span in find_shared_words(selection, segment)] == expected


@given(TEXTS, TEXTS)
def test_shared_words_stand_in_both(selection: str, segment: str) -> None:
    """A mark covers words that the selection has too; marks are disjoint and in order."""
    marks = find_shared_words(selection, segment)
    said = {word.text for word in find_words(selection)}
    held = {word.text for word in find_words(segment)}
    assert all(one.end < two.start for one, two in pairwise(marks))
    assert bool(marks) == bool(said & held)
    for mark in marks:
        inside = [word for word in find_words(segment) if mark.contains(Span(word.start, word.end))]
        assert {word.text for word in inside} & said


def pairs(selection: str, segment: str) -> list[tuple[str, str, str]]:
    """The conflicts as they stand."""
    return [
        (each.claim.of(selection), each.evidence.of(segment), each.kind)
        for each in find_contradictions(selection, segment)
    ]


@pytest.mark.parametrize(
    ("selection", "segment", "expected"),
    [
        (
            "cost 15 million pounds",
            "The work cost 12 million pounds.",
            ("15 million pounds", "12 million pounds", "number"),
        ),
        ("15 million", "It cost 12 million pounds", ("15 million", "12 million pounds", "number")),
        ("lost 40 metres", "has lost 40 cm", ("40 metres", "40 cm", "number")),
        ("Net debt stood at £61 billion.", "Net debt £61m", ("£61 billion", "£61m", "number")),
        ("There are 46 sensors", "a set of 64 sensors", ("46", "64", "number")),
        ("损失约60万元", "损失合计约6万元", ("60万元", "6万元", "number")),
        ("reopened on 14 May", "reopened on 15 May", ("14 May", "15 May", "date")),
        ("in March 2026", "Reviewed: March 2023", ("March 2026", "March 2023", "date")),
        ("二〇二四年开业", "2023年开业", ("二〇二四年", "2023年", "date")),
        ("closed on Tuesday", "closed on Friday", ("Tuesday", "Friday", "date")),
        (
            "the judge Ana Smith ruled",
            "the judge Kate Smith ruled",
            ("Ana Smith", "Kate Smith", "name"),
        ),
        ("“石斑”更大", "“海葵花”更大", ("石斑", "海葵花", "name")),
    ],
)
def test_conflicts(selection: str, segment: str, expected: tuple[str, str, str]) -> None:
    """A number, date or name against another of its kind in a like place."""
    assert pairs(selection, segment) == [expected]


@pytest.mark.parametrize(
    ("selection", "segment"),
    [
        ("15 million pounds", "15,000,000 pounds"),
        ("cost 15 million", "cost 15,000,000, once 12,000,000"),
        ("twelve people", "12 people"),
        ("3.0 km", "3 km"),
        ("２０２４年", "in 2024"),
        ("in May", "on 14 May 2020"),
        ("in 2020", "14 May"),
        ("one of them", "two of them"),
        ("64 sensors", "3 lanes of 2 metres"),
        ("the third pier", "the second visit"),
        ("at 10 a.m.", "closed at noon"),
        ("met Smith in Paris", "met John Smith in Paris"),
        ("Rovers met Thistle", "A fire closed Telmarsh"),
        ("《大桥》", "大桥"),
        ("40 per cent", "40 km"),
        ("nothing", "12 million"),
        ("met Smith in Paris", "看《小河》"),
        ("the judge Ana Smith ruled", "the judge Kate Jones ruled for ana and smith"),
        ("", ""),
    ],
)
def test_no_conflict(selection: str, segment: str) -> None:
    """Equal values in another writing, other kinds and other places are none."""
    assert pairs(selection, segment) == []


def test_what_stands_elsewhere_is_no_conflict() -> None:
    """Where the unsupported marks are known, only what they mark conflicts, on either side."""
    claim, evidence = "61 per cent of samples", "97 per cent of samples"
    (found,) = find_contradictions(claim, evidence)
    assert find_contradictions(
        claim, evidence, unsaid=find_unsupported_words(claim, [evidence])
    ) == [found]
    assert (
        find_contradictions(
            claim, evidence, unsaid=find_unsupported_words(claim, [evidence, "61 %"])
        )
        == []
    )
    assert (
        find_contradictions(
            evidence, claim, unheard=find_unsupported_words(claim, [evidence, "61 %"])
        )
        == []
    )


@given(TEXTS, TEXTS)
def test_conflicts_lie_in_their_texts(selection: str, segment: str) -> None:
    """Each claim conflicts once, marks lie inside, and swapping the texts keeps the law."""
    found = find_contradictions(selection, segment)
    assert len({(each.claim, each.kind) for each in found}) == len(found)
    assert all(each.claim.end <= len(selection) for each in found)
    assert all(each.evidence.end <= len(segment) for each in found)
    assert bool(found) == bool(find_contradictions(segment, selection))


@given(TEXTS)
def test_a_text_never_conflicts_with_itself(text: str) -> None:
    """What is equal is no conflict, and supports itself."""
    assert find_contradictions(text, text) == []
    assert find_unsupported_words(text, [text]) == []
