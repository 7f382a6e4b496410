"""What annotators may learn of review: how their own was settled, and nobody's name."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.work.log import Log


class Learnt(NamedTuple):
    """What review made and refused, and what it settled of the sample as a whole."""

    annotations: tuple[Annotation, ...]
    rating: str
    comment: str


def learnt(log: Log, person: str, key: SampleKey) -> Learnt | None:
    """What review made and refused, as one of the sample's annotators may see it.

    Args:
        log: as it is for who may see all; what is given back is what one person may.

    Returns:
        None as long as it is not settled, or where they did nothing on it.
    """
    mine, settled = log.stream(person, key), log.stream(SETTLED, key)
    worked = mine.annotations or mine.assignment.begun
    if settled.assignment.state is not State.DONE or not worked:
        return None
    own = {one.id for one in mine.annotations}
    made = tuple(_without_others(one, own) for one in settled.annotations)
    return Learnt(made, settled.assignment.rating, settled.assignment.comment)


def _without_others(one: Annotation, own: Collection[str]) -> Annotation:
    if one.settled is None:
        return one
    sources = tuple(name for name in one.settled.sources if name in own)
    return replace(one, settled=replace(one.settled, by="", sources=sources))
