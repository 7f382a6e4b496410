"""A document that is judged alone: where claims are made on screen, in the store where it belongs.

Whoever marks its passages then has the keys of every other sample. Claims and evidence change
places on the way, and nothing else does: no text, no offset.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from tui_annotate.domain.samples import Kind, Side

if TYPE_CHECKING:
    from tui_annotate.domain.annotations import Anchor, Annotation
    from tui_annotate.domain.samples import Sample
    from tui_annotate.domain.suggestions import Suggestion
    from tui_annotate.methods.adjudication import Group, Rival


def is_alone(sample: Sample) -> bool:
    """Whether a sample of the store is one source document that nothing is said of."""
    documents = sample.documents
    return sample.kind is Kind.DOCUMENT and len(documents) == 1 and documents[0].side is Side.SOURCE


def on_screen(sample: Sample) -> Sample:
    """The sample as the screen takes it; itself where there are two sides to it."""
    if not is_alone(sample):
        return sample
    (document,) = sample.documents
    return replace(sample, documents=(replace(document, side=Side.SUMMARY),))


def exchanged(sample: Sample, annotation: Annotation) -> Annotation:
    """An annotation of the store as the screen takes it, and one of the screen as it is stored.

    Args:
        sample: as the store has it.
    """
    if not is_alone(sample):
        return annotation
    return replace(
        annotation,
        claim=tuple(map(_across, annotation.evidence)),
        evidence=tuple(map(_across, annotation.claim)),
    )


def turned(sample: Sample, suggestion: Suggestion) -> Suggestion:
    """A suggestion of the store as the screen takes it."""
    if not is_alone(sample):
        return suggestion
    return replace(
        suggestion,
        claim=tuple(map(_across, suggestion.evidence)),
        evidence=tuple(map(_across, suggestion.claim)),
    )


def all_exchanged(sample: Sample, annotations: Iterable[Annotation]) -> tuple[Annotation, ...]:
    """Several at once."""
    return tuple(exchanged(sample, known) for known in annotations)


def groups_exchanged(sample: Sample, groups: tuple[Group, ...]) -> tuple[Group, ...]:
    """What several people said of the document, as the screen takes it."""
    if not is_alone(sample):
        return groups
    return tuple(
        replace(
            group,
            rivals=tuple(map(_turned, group.rivals)),
            proposal=tuple(map(_turned, group.proposal)),
        )
        for group in groups
    )


def stored_anchor(sample: Sample, anchor: Anchor) -> Anchor:
    """A place on the screen as the store names it."""
    return _across(anchor) if is_alone(sample) else anchor


def _turned(rival: Rival) -> Rival:
    return replace(
        rival,
        claim=tuple(map(_across, rival.evidence)),
        evidence=tuple(map(_across, rival.claim)),
    )


def _across(anchor: Anchor) -> Anchor:
    return anchor._replace(side=anchor.side.other)
