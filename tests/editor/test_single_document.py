"""A document judged alone: claims and evidence change places between the store and the screen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tui.screens.collection_workspace import Collection
from tui_annotate.domain.annotations import Anchor, Annotation, normalize_annotation
from tui_annotate.domain.samples import SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor import single_document

SAMPLES = {sample.id: sample for sample in Collection().samples()}
DOCUMENT = SAMPLES["d|7|doc-b"]


def test_only_the_side_of_a_document_is_another_on_screen() -> None:
    """Its text, hash, title and key are the same to the letter."""
    (before,), (after,) = DOCUMENT.documents, single_document.to_screen_sample(DOCUMENT).documents
    assert after.side is Side.SUMMARY
    assert replace(after, side=Side.SOURCE) == before
    assert after.sha256 == before.sha256


@pytest.mark.parametrize("name", ["r|7|run1", "c|7|run1|0|doc-a", "c|7|run1|3"])
def test_a_sample_with_something_said_is_left_as_it_is(name: str) -> None:
    """Reports and citations have claims of their own."""
    sample = SAMPLES[name]
    annotation = Annotation("x", (Anchor(Side.SUMMARY, 0, Span(0, 3)),))
    assert single_document.to_screen_sample(sample) is sample
    assert single_document.exchange_sides(sample, annotation) is annotation


def test_a_passage_is_evidence_alone_in_the_store_and_comes_back_the_same() -> None:
    """There and back nothing is lost, and what is stored is well made."""
    shown = Annotation("x", (Anchor(Side.SUMMARY, 0, Span(7, 13)),), (), (("Passage",),), "why")
    stored = single_document.exchange_sides(DOCUMENT, shown)
    assert stored.claim == ()
    assert normalize_annotation(stored, DOCUMENT) == stored
    assert single_document.exchange_all_sides(DOCUMENT, [stored]) == (shown,)
    assert single_document.stored_anchor(DOCUMENT, shown.claim[0]) == stored.evidence[0]


def test_a_pair_without_a_summary_is_not_taken_for_a_document() -> None:
    """The kind tells what is judged alone."""
    assert not single_document.is_alone(replace(DOCUMENT, kind=SampleKind.PAIR))
