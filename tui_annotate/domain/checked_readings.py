"""Readings that no comparison uses, because the sample was practice or checked the annotator.

A reading is one person's work on one sample.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tui_annotate.domain.assignments import State
from tui_annotate.domain.samples import SampleKey

CHECK_READING: Final = "the sample checked the annotator's accuracy with a known answer"
PRACTICE_READING: Final = "the sample was practice for the annotator"


class CheckedReading(NamedTuple):
    """A person's work on a sample whose answer is known on purpose.

    Attributes:
        kind: the kind of the sample, a value of `SampleKind`.
        updated: time of the last change.
        annotations: number of the person's annotations.
        practice: whether the sample was practice; else it checked the person's accuracy.
        rated: whether the person rated the sample.
    """

    key: SampleKey
    person: str
    kind: str
    state: str
    updated: str
    annotations: int
    practice: bool
    rated: bool = False

    @property
    def reason(self) -> str:
        """Return why the reading is left out."""
        return PRACTICE_READING if self.practice else CHECK_READING

    @property
    def read(self) -> bool:
        """Whether the person completed the sample or marked something in it."""
        return self.state == State.DONE or self.annotations > 0
