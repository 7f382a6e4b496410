"""What annotators get: a sample as they find it, and what stands after each of their actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.samples import Sample, SampleKey, Segment
from tui_annotate.domain.suggestions import Given, Suggested
from tui_annotate.storage.work.ledger import Done


@dataclass(frozen=True, slots=True)
class Desk:
    """A sample as one person finds it.

    Attributes:
        segments: of each document, parallel to `sample.documents`.
        annotations: this person's only, in reading order.
        place: where they were in it; empty where they were not.
        position: in the order, from 1.
        total, finished: samples in the order, and how many of them this person has finished.
        guidelines: their text; empty where there are none.
        practice: what is right is known, and shown once it is done.
        scale: the words that the sample can be rated with, in their order; empty for none.
        suggestions: of machines, with what this person answered; none where those are hidden.
    """

    sample: Sample
    segments: tuple[tuple[Segment, ...], ...]
    annotations: tuple[Annotation, ...]
    assignment: Assignment
    place: Mapping[str, Any]
    position: int
    total: int
    finished: int
    labels: LabelTree
    guidelines: str
    practice: bool = False
    scale: tuple[str, ...] = ()
    suggestions: tuple[Suggested, ...] = ()


@dataclass(frozen=True, slots=True)
class Saved:
    """What stands in the store after an action, once its transaction is committed.

    Attributes:
        verb: of the event that was written.
        annotation: the one that was touched, as it stands now; None where it is gone, or where
            none or several were touched.
        annotations: this person's of the sample, in reading order.
        undone: the verb of what undo took back or redo did again; empty otherwise.
        answers: this person's to suggestions on the sample, by the ids of these.
    """

    key: SampleKey
    verb: str
    annotation: Annotation | None
    annotations: tuple[Annotation, ...]
    assignment: Assignment
    undone: str = ""
    answers: Mapping[str, Given] = field(default_factory=dict)

    @classmethod
    def of(cls, done: Done) -> Self:
        """What a stream holds after an action."""
        stream = done.stream
        annotations = stream.annotations
        touched = next((known for known in annotations if known.id == done.about), None)
        told = (stream.key, done.verb, touched, annotations, stream.assignment, done.undone)
        return cls(*told, stream.answers)
