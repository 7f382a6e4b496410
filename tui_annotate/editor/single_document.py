"""Conversion of samples that consist of one source document and no summary.

The screen shows such a document in place of the summary, so that passages are marked with the same
keys as in other samples. Between screen and store, claims and evidence are exchanged; texts and
offsets stay unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from tui_annotate.domain.samples import SampleKind, Side

if TYPE_CHECKING:
    from tui_annotate.domain.annotations import Anchor, Annotation
    from tui_annotate.domain.samples import Sample
    from tui_annotate.domain.suggestions import Suggestion
    from tui_annotate.methods.adjudication import CandidateAnnotation, CandidateGroup

    _Marked = TypeVar("_Marked", Annotation, Suggestion, CandidateAnnotation)


def is_alone(sample: Sample) -> bool:
    """Return whether a stored sample is one source document without a summary."""
    sides = [document.side for document in sample.documents]
    return sample.kind is SampleKind.DOCUMENT and sides == [Side.SOURCE]


def to_screen_sample(sample: Sample) -> Sample:
    """Return a sample as it is displayed: a single source document becomes the summary."""
    if not is_alone(sample):
        return sample
    (document,) = sample.documents
    return replace(sample, documents=(replace(document, side=Side.SUMMARY),))


def exchange_sides(sample: Sample, one: _Marked) -> _Marked:
    """Swap claim and evidence of an annotation if its sample is one document without a summary.

    Such a document is stored as a source but shown in place of the summary.
    """
    if not is_alone(sample):
        return one
    claim = tuple(map(_swap_side, one.evidence))
    evidence = tuple(map(_swap_side, one.claim))
    return replace(one, claim=claim, evidence=evidence)


def exchange_all_sides(sample: Sample, annotations: Iterable[_Marked]) -> tuple[_Marked, ...]:
    """Apply `exchange_sides` to all annotations of a sample."""
    return tuple(exchange_sides(sample, known) for known in annotations)


def exchange_group_sides(
    sample: Sample, groups: tuple[CandidateGroup, ...]
) -> tuple[CandidateGroup, ...]:
    """Apply `exchange_sides` to the candidates and proposals of all groups of a sample."""
    if not is_alone(sample):
        return groups
    return tuple(
        replace(
            group,
            candidates=exchange_all_sides(sample, group.candidates),
            proposal=exchange_all_sides(sample, group.proposal),
        )
        for group in groups
    )


def stored_anchor(sample: Sample, anchor: Anchor) -> Anchor:
    """Convert a span's side from the displayed to the stored one; see `exchange_sides`."""
    return _swap_side(anchor) if is_alone(sample) else anchor


def _swap_side(anchor: Anchor) -> Anchor:
    return anchor._replace(side=anchor.side.other)
