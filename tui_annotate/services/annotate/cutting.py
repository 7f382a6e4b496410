"""Passages of reports, cut at sentences: each sentence has an annotation of its own."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.beside import beside
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.passages import in_sentences
from tui_annotate.domain.samples import Kind, Sample

_SEVERAL = 2


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
    whole = in_sentences(annotation, sample)
    if sample.kind is not Kind.REPORT or len(whole.claim) < _SEVERAL:
        return (whole,)
    parts = [replace(whole, claim=(anchor,)) for anchor in whole.claim]
    new = [part for part in parts if not beside(part, others)]
    if not new:
        raise Conflict("this passage is marked already", "edit that annotation")
    return tuple(
        replace(part, id=annotation.id if number == 0 else _name(annotation.id, part.claim[0]))
        for number, part in enumerate(new)
    )


def _name(whole: str, anchor: Anchor) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{whole} {anchor.span}"))
