"""Passages of reports, cut at sentences: each sentence has an annotation of its own."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from tui_annotate.domain import items
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.beside import beside
from tui_annotate.domain.errors import Conflict, InvalidSpan
from tui_annotate.domain.samples import Kind, Sample


def cut(
    annotation: Annotation, sample: Sample, others: Sequence[Annotation]
) -> tuple[Annotation, ...]:
    """An annotation as one for each sentence that its claim meets; one alone where it is no report.

    Args:
        annotation: as `well_made` gives it; the first part has its id, the others ids that follow
            from it, so that a repeated write is harmless.
        others: this person's of the sample: what they have marked so already makes no part.

    Raises:
        InvalidSpan: the claim lies between sentences.
        Conflict: all of it is marked already.
    """
    within = items.sentences(sample) if sample.kind is Kind.REPORT else ()
    if not within or not annotation.claim:
        return (annotation,)
    found = [
        Anchor(anchor.side, anchor.index, span)
        for anchor in annotation.claim
        for span in items.cut(anchor.span, within, sample.document(*anchor[:2]).text)
    ]
    if not found:
        raise InvalidSpan(f"{annotation.claim[0].span} is in no sentence", "select some words")
    parts = [replace(annotation, claim=(anchor,)) for anchor in dict.fromkeys(found)]
    new = [part for part in parts if not beside(part, others)]
    if not new:
        raise Conflict("this passage is marked already", "edit that annotation")
    return tuple(
        replace(part, id=annotation.id if number == 0 else _name(annotation.id, part.claim[0]))
        for number, part in enumerate(new)
    )


def _name(whole: str, anchor: Anchor) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{whole} {anchor.span}"))
