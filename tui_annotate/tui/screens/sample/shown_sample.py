"""What the screen of a sample reads from an opened sample, in annotating and in review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tui_annotate.domain.annotations import Annotation
    from tui_annotate.domain.assignments import Assignment
    from tui_annotate.domain.labels import LabelTree
    from tui_annotate.domain.samples import Sample, Segment
    from tui_annotate.domain.suggestions import SuggestionStatus
    from tui_annotate.storage.log.adjudications import WorkLock


class ShownSample(Protocol):
    """An opened sample: `OpenSample` of an annotator, or `ReviewSample` of a reviewer.

    Attributes:
        finished: number of the person's samples that are completed, skipped or flagged.
        possible: number of the person's samples that are completed or can be completed.
        locked: number of the person's samples that were adjudicated before they were completed.
        lock: whether a review locked the person's work on the sample.
    """

    @property
    def sample(self) -> Sample:
        """The texts and metadata, as they are stored."""

    @property
    def segments(self) -> tuple[tuple[Segment, ...], ...]:
        """The sentences of each document, in the order of the sample's documents."""

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """The person's annotations; in review, the accepted ones, in reading order."""

    @property
    def assignment(self) -> Assignment:
        """State of the person's work, with rating and sample comment."""

    @property
    def labels(self) -> LabelTree:
        """The current label set of the dataset."""

    @property
    def guidelines(self) -> str:
        """The annotation guidelines of the dataset; empty if it has none."""

    @property
    def scale(self) -> tuple[str, ...]:
        """The words of the rating scale in order; empty if the kind of sample has none."""

    @property
    def suggestions(self) -> Sequence[SuggestionStatus]:
        """The suggestions for the sample with their answers; empty in review."""

    @property
    def place(self) -> Mapping[str, Any]:
        """Where the person stopped, as `resume_state` stores it; empty at the first visit."""

    @property
    def practice(self) -> bool:
        """Whether the sample is practice; False in review."""

    @property
    def lock(self) -> WorkLock: ...

    @property
    def position(self) -> int:
        """Number of the sample in the person's queue, from 1; 0 if it is not there."""

    @property
    def total(self) -> int:
        """Number of samples in the person's queue."""

    @property
    def possible(self) -> int: ...

    @property
    def finished(self) -> int: ...

    @property
    def completed(self) -> int:
        """Number of the person's samples that are completed."""

    @property
    def skipped(self) -> int:
        """Number of the person's samples that are skipped."""

    @property
    def flagged(self) -> int:
        """Number of the person's samples that are flagged."""

    @property
    def locked(self) -> int: ...
