"""What became of each group of rivals in review, told from what review settled so far."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from tui_annotate.domain.annotations import REJECTED, Annotation
from tui_annotate.methods.adjudication import Group, Rival, Standing


class Decision(StrEnum):
    """What became of a group.

    `open`: nothing yet, or a part of its rivals was refused. `agreed`: nothing was done, and it is
    taken when the sample is settled. `kept`: something stands of it. `rejected`: nothing does.
    """

    OPEN = "open"
    AGREED = "agreed"
    KEPT = "kept"
    REJECTED = "rejected"


def kept_of(rival: Rival, settled: Iterable[Annotation]) -> tuple[Annotation, ...]:
    """What stands that was made of a rival, alone or with others."""
    return tuple(one for one in settled if one.origin != REJECTED and _from(one, rival.sources))


def refused_of(rival: Rival, settled: Iterable[Annotation]) -> tuple[Annotation, ...]:
    """The refusals of a rival."""
    return tuple(one for one in settled if one.origin == REJECTED and _from(one, rival.sources))


def decision(group: Group, settled: Iterable[Annotation]) -> Decision:
    """What became of a group."""
    known = tuple(settled)
    if any(kept_of(rival, known) for rival in group.rivals):
        return Decision.KEPT
    refused = [bool(refused_of(rival, known)) for rival in group.rivals]
    if all(refused):
        return Decision.REJECTED
    if group.standing is Standing.AGREED and not any(refused):
        return Decision.AGREED
    return Decision.OPEN


def _from(annotation: Annotation, sources: Iterable[str]) -> bool:
    return annotation.settled is not None and not set(annotation.settled.sources).isdisjoint(
        sources
    )
