"""What reviewers get: a sample with what everybody said of it, without names, and what stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tui_annotate.domain.annotations import REJECTED, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.items import rated_apart
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.samples import Sample, SampleKey, Segment
from tui_annotate.methods.adjudication import Difference, Group


@dataclass(frozen=True, slots=True)
class Layer:
    """What one annotator did on a sample, under a name that tells nothing of them.

    Attributes:
        letter: A, B, C ...: another person's in the next sample.
        annotations: in reading order, without what an import knew of their maker, or which machine
            suggested them: who leaned on one shall not weigh more or less.
        comment: their words on the sample as a whole.
        rating: of it as a whole; empty for none.
    """

    letter: str
    annotations: tuple[Annotation, ...]
    comment: str
    rating: str = ""


@dataclass(frozen=True, slots=True)
class ReviewDesk:
    """A sample as a reviewer finds it; it has all that an annotator's desk has.

    Attributes:
        segments: of each document, parallel to `sample.documents`.
        groups: people in them are the letters of layers.
        settled: what review made and refused so far, in reading order.
        assignment: how far review is with the sample, and what it settled of it as a whole.
        pending: how many people are still to annotate it.
        position: in the queue of this reviewer, from 1; 0 for a sample that is none of review.
        total, finished: samples of review, and how many of them are settled.
        refused: why this reviewer can not settle it; empty where they can.
        seen: stands for all that is shown; what is done on anything else is refused as stale.
        scale: the words that the sample can be rated with, in their order; empty for none.
    """

    sample: Sample
    segments: tuple[tuple[Segment, ...], ...]
    layers: tuple[Layer, ...]
    groups: tuple[Group, ...]
    settled: tuple[Annotation, ...]
    assignment: Assignment
    pending: int
    position: int
    total: int
    finished: int
    labels: LabelTree
    guidelines: str
    refused: str
    seen: str
    scale: tuple[str, ...] = ()

    @property
    def ratings(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The rival ratings with the letters of who gave each, in the order of the scale.

        Words that the scale has not come behind it; who rated nothing is in none.
        """
        given = {layer.rating for layer in self.layers if layer.rating}
        words = [*self.scale, *sorted(given.difference(self.scale))]
        return tuple(
            (word, tuple(layer.letter for layer in self.layers if layer.rating == word))
            for word in words
            if word in given
        )

    @property
    def rated_apart(self) -> bool:
        """Whether the rating is to be settled: people differ in it, and none was chosen."""
        given = [layer.rating for layer in self.layers]
        return not self.assignment.rating and rated_apart(given)

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """What review made so far, as annotators have theirs."""
        return tuple(one for one in self.settled if one.origin != REJECTED)

    @property
    def practice(self) -> bool:
        """Whether it is there for practice alone: never."""
        return False

    @property
    def place(self) -> Mapping[str, Any]:
        """Where the reviewer was in it: nobody remembers."""
        return {}


@dataclass(frozen=True, slots=True)
class Judged:
    """What stands of a sample after a reviewer's action, once its transaction is committed.

    Attributes:
        verb: of the event that was written.
        undone: the verb of what undo took back or redo did again; empty otherwise.
    """

    key: SampleKey
    verb: str
    settled: tuple[Annotation, ...]
    assignment: Assignment
    seen: str
    undone: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A sample of review as the queue shows it.

    Attributes:
        summary: the start of it, one line.
        annotators: whose work counts; `pending` are those still at work.
        annotations: that they made.
        state: how far review is.
        agreed, nearly, conflicts: groups by how they stand; among conflicts ratings count as one
            where people rated the sample otherwise.
        kinds: in how many groups people differ so; kinds without any are not there.
        own: the reviewer annotated it, and can not settle it.
        against: how far people contradict a machine, in [0, 1]; None where that was not asked.
    """

    key: SampleKey
    group: str
    summary: str
    annotators: int
    annotations: int
    pending: int
    state: State
    agreed: int
    nearly: int
    conflicts: int
    kinds: tuple[tuple[Difference, int], ...]
    own: bool
    against: float | None = None

    @property
    def settled(self) -> bool:
        """Whether there is nothing left to do."""
        return self.state is State.DONE


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one annotation of a person.

    Attributes:
        result: what stands of it; None where nothing does.
        refusal: with its reason; None where it was not refused in so many words.
    """

    annotation: Annotation
    result: Annotation | None
    refusal: Annotation | None


@dataclass(frozen=True, slots=True)
class Lesson:
    """How a sample was settled, as one of its annotators may see it: nobody else's name in it.

    Attributes:
        outcomes: of their own annotations, in reading order.
        added: what stands and they did not mark.
        rated: what they rated the sample; `rating` is what was settled, empty for none.
        comment: what review says of the sample as a whole.
    """

    key: SampleKey
    outcomes: tuple[Outcome, ...]
    added: tuple[Annotation, ...]
    rated: str = ""
    rating: str = ""
    comment: str = ""
