"""Passages of reports: what they claim, sentence by sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.helpers.collection_samples import document, report
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidSpan
from tui_annotate.domain.report_collections import split_claim_at_sentences
from tui_annotate.domain.samples import SampleKind, Side
from tui_annotate.domain.spans import Span


def mark(*spans: tuple[int, int]) -> Annotation:
    """A mark of a report."""
    return Annotation("a", tuple(Anchor(Side.SUMMARY, 0, Span(*each)) for each in spans))


def test_a_claim_has_an_anchor_for_each_sentence_once() -> None:
    """In order, whatever was marked twice; evidence stays as it is."""
    evidence = (Anchor(Side.SOURCE, 0, Span(0, 30)),)
    made = split_claim_at_sentences(replace(mark((23, 34), (4, 34)), evidence=evidence), report())
    assert [anchor.span for anchor in made.claim] == [Span(4, 22), Span(23, 34)]
    assert made.evidence == evidence


def test_what_has_no_sentences_stays_as_it_is() -> None:
    """Evidence alone, another kind, a report that came as one text."""
    alone = Annotation("a", (), (Anchor(Side.SOURCE, 0, Span(0, 9)),))
    plain = replace(report(), meta={})
    pair = replace(report(), kind=SampleKind.PAIR)
    assert split_claim_at_sentences(alone, report()) == alone
    assert split_claim_at_sentences(alone, document()) == alone
    assert split_claim_at_sentences(mark((4, 34)), plain) == mark((4, 34))
    assert split_claim_at_sentences(mark((4, 34)), pair) == mark((4, 34))


def test_what_lies_between_sentences_is_no_passage() -> None:
    """The sentences of a record may leave words out."""
    part = replace(report(), meta={"sentences": [{"start": 0, "end": 22}]})
    with pytest.raises(InvalidSpan):
        split_claim_at_sentences(mark((23, 27)), part)
