"""Annotations: well made when new, and the same after a trip through JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.strategies import made_annotations
from tests.helpers.errors import has_code
from tui_annotate.domain.annotations import (
    Anchor,
    Annotation,
    annotation_from_json,
    annotation_to_json,
    normalize_annotation,
)
from tui_annotate.domain.errors import InvalidInput, InvalidSpan, NotFound
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span

SAMPLE = Sample(
    "d",
    "1",
    (
        Document(Side.SOURCE, "The bridge opened in 1932. "),
        Document(Side.SOURCE, "It cost 12 million."),
        Document(Side.SUMMARY, "It cost 15 million and was loved."),
    ),
)


@given(made_annotations())
def test_an_annotation_survives_json(annotation: Annotation) -> None:
    """All of it, and as text too."""
    there = json.dumps(annotation_to_json(annotation))
    assert annotation_from_json(json.loads(there)) == annotation


@given(made_annotations())
def test_the_keys_stand_in_a_fixed_order(annotation: Annotation) -> None:
    """Same annotation, same bytes."""
    assert list(annotation_to_json(annotation))[:4] == ["id", "number", "labels", "claim"]


def test_only_id_and_claim_are_needed() -> None:
    """Everything else has a default."""
    made = annotation_from_json({"id": "1", "claim": [["summary", 0, 1, 2]]})
    assert made == Annotation("1", (Anchor(Side.SUMMARY, 0, Span(1, 2)),))


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"id": "1"},
        {"id": "1", "claim": [["summary", 0, 1]]},
        {"id": "1", "claim": [["summary", 0, "1", 2]]},
        {"id": "1", "claim": [["summary", False, 1, 2]]},
        {"id": "1", "claim": [["summary", 0, True, 2]]},
        {"id": "1", "claim": [["middle", 0, 1, 2]]},
        {"id": "1", "claim": 3},
    ],
)
def test_what_is_no_annotation_is_refused(value: dict[str, Any]) -> None:
    """A missing part and a part of the wrong shape are told."""
    with pytest.raises(InvalidInput, check=has_code("annotation-json")):
        annotation_from_json(value)


def test_an_annotation_is_about_something() -> None:
    """Neither claim nor evidence is nothing."""
    with pytest.raises(InvalidInput, match="a7"):
        Annotation("a7", ())


def test_new_work_is_trimmed_sorted_and_said_once() -> None:
    """White space at the edges goes, anchors come in reading order, twins become one."""
    claim = Anchor(Side.SUMMARY, 0, Span(2, 9))
    late, early = Anchor(Side.SOURCE, 1, Span(0, 8)), Anchor(Side.SOURCE, 0, Span(20, 27))
    made = normalize_annotation(
        Annotation("1", (claim,), (late, late, early), note=" why \n"), SAMPLE
    )
    assert [anchor.span.of(SAMPLE.document(*anchor[:2]).text) for anchor in made.anchors] == [
        "cost 1",
        " 1932."[1:],
        "It cost",
    ]
    assert made.note == "why"


@pytest.mark.parametrize(
    ("anchor", "error"),
    [
        (Anchor(Side.SOURCE, 0, Span(0, 3)), InvalidInput),
        (Anchor(Side.SUMMARY, 1, Span(0, 3)), NotFound),
        (Anchor(Side.SUMMARY, 0, Span(30, 99)), InvalidSpan),
        (Anchor(Side.SUMMARY, 0, Span(2, 3)), InvalidSpan),
    ],
)
def test_a_claim_lies_in_words_of_the_summary(anchor: Anchor, error: type[Exception]) -> None:
    """Not on the other side, not in a missing document, not outside, not in white space."""
    with pytest.raises(error):
        normalize_annotation(Annotation("1", (anchor,)), SAMPLE)


@given(st.integers(0, 32), st.integers(1, 33))
def test_making_well_twice_changes_nothing_more(start: int, length: int) -> None:
    """What is well made stays as it is."""
    text = SAMPLE.document(Side.SUMMARY).text
    span = Span(start, min(start + length, len(text)))
    if span.trim(text) is None:
        return
    made = normalize_annotation(Annotation("1", (Anchor(Side.SUMMARY, 0, span),)), SAMPLE)
    assert normalize_annotation(made, SAMPLE) == made


def test_a_quote_is_found_in_the_documents_of_its_side() -> None:
    """The anchor names the document; a quote that occurs several times needs the occurrence."""
    found = Anchor.find(SAMPLE, Side.SOURCE, "12 million")
    assert found == Anchor(Side.SOURCE, 1, Span(8, 18))
    second = Anchor.find(SAMPLE, Side.SOURCE, "o", occurrence=2)
    assert second == Anchor(Side.SOURCE, 1, Span(4, 5))


def test_overlapping_quotes_are_several() -> None:
    """Positions are counted at each character."""
    sample = replace(SAMPLE, documents=(Document(Side.SUMMARY, "A banana."),))
    with pytest.raises(InvalidInput, match="2 times"):
        Anchor.find(sample, Side.SUMMARY, "ana")
    assert Anchor.find(sample, Side.SUMMARY, "ana", occurrence=2).span == Span(5, 8)


@pytest.mark.parametrize(
    ("quote", "occurrence"), [("", 0), ("16 million", 0), ("o", 0), ("o", 4), ("o", -1)]
)
def test_a_quote_must_mean_one_position(quote: str, occurrence: int) -> None:
    """It is neither empty, nor missing, nor ambiguous."""
    with pytest.raises(InvalidInput):
        Anchor.find(SAMPLE, Side.SOURCE, quote, occurrence=occurrence)
