"""A document judged alone: claims and evidence change places between the store and the screen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tui.screens.collected import Collection
from tui_annotate.domain.annotations import Anchor, Annotation, well_made
from tui_annotate.domain.samples import Kind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft import alone

SAMPLES = {sample.id: sample for sample in Collection().samples()}
DOCUMENT = SAMPLES["d|7|doc-b"]


def test_only_the_side_of_a_document_is_another_on_screen() -> None:
    """Its text, hash, title and key are the same to the letter."""
    (before,), (after,) = DOCUMENT.documents, alone.on_screen(DOCUMENT).documents
    assert after.side is Side.SUMMARY
    assert replace(after, side=Side.SOURCE) == before
    assert after.sha256 == before.sha256


@pytest.mark.parametrize("name", ["r|7|run1", "c|7|run1|0|doc-a", "c|7|run1|3"])
def test_a_sample_with_something_said_is_left_as_it_is(name: str) -> None:
    """Reports and citations have claims of their own."""
    sample = SAMPLES[name]
    annotation = Annotation("x", (Anchor(Side.SUMMARY, 0, Span(0, 3)),))
    assert alone.on_screen(sample) is sample
    assert alone.exchanged(sample, annotation) is annotation


def test_a_passage_is_evidence_alone_in_the_store_and_comes_back_the_same() -> None:
    """There and back nothing is lost, and what is stored is well made."""
    shown = Annotation("x", (Anchor(Side.SUMMARY, 0, Span(7, 13)),), (), (("Passage",),), "why")
    stored = alone.exchanged(DOCUMENT, shown)
    assert stored.claim == ()
    assert well_made(stored, DOCUMENT) == stored
    assert alone.all_exchanged(DOCUMENT, [stored]) == (shown,)
    assert alone.stored_anchor(DOCUMENT, shown.claim[0]) == stored.evidence[0]


def test_a_pair_without_a_summary_is_not_taken_for_a_document() -> None:
    """The kind tells what is judged alone."""
    assert not alone.is_alone(replace(DOCUMENT, kind=Kind.PAIR))
