"""Passages of reports as annotations: what they claim lies sentence by sentence."""

from __future__ import annotations

from dataclasses import replace

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidSpan
from tui_annotate.domain.items import cut, sentences
from tui_annotate.domain.samples import Kind, Sample


def in_sentences(annotation: Annotation, sample: Sample) -> Annotation:
    """The annotation with an anchor of its claim for each sentence that it meets.

    What is no report, or tells of no sentences, is left as it is.

    Args:
        annotation: as `well_made` gives it.

    Raises:
        InvalidSpan: the claim lies between sentences.
    """
    within = sentences(sample) if sample.kind is Kind.REPORT else ()
    if not within or not annotation.claim:
        return annotation
    found = {
        Anchor(side, index, part)
        for side, index, span in annotation.claim
        for part in cut(span, within, sample.document(side, index).text)
    }
    if not found:
        raise InvalidSpan(f"{annotation.claim[0].span} is in no sentence", "select some words")
    return replace(annotation, claim=tuple(sorted(found)))
