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
    def sample(self) -> Sample: ...

    @property
    def segments(self) -> tuple[tuple[Segment, ...], ...]: ...

    @property
    def annotations(self) -> tuple[Annotation, ...]: ...

    @property
    def assignment(self) -> Assignment: ...

    @property
    def labels(self) -> LabelTree: ...

    @property
    def guidelines(self) -> str: ...

    @property
    def scale(self) -> tuple[str, ...]: ...

    @property
    def suggestions(self) -> Sequence[SuggestionStatus]: ...

    @property
    def place(self) -> Mapping[str, Any]: ...

    @property
    def practice(self) -> bool: ...

    @property
    def lock(self) -> WorkLock: ...

    @property
    def position(self) -> int: ...

    @property
    def total(self) -> int: ...

    @property
    def possible(self) -> int: ...

    @property
    def finished(self) -> int: ...

    @property
    def completed(self) -> int: ...

    @property
    def skipped(self) -> int: ...

    @property
    def flagged(self) -> int: ...

    @property
    def locked(self) -> int: ...
