"""What an annotator said before of something like the claim in hand."""

from __future__ import annotations

from dataclasses import dataclass

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.samples import SampleKey


@dataclass(frozen=True, slots=True)
class Former:
    """A former annotation of the same person.

    Attributes:
        sample: where it stands.
        id: the annotation's.
        text: the words of its claim; of several spans, joined by an ellipsis.
        score: how near it is, in (0, 1]: by vectors where there are any, else by words; the two
            can not be compared.
    """

    sample: SampleKey
    id: str
    text: str
    labels: tuple[LabelPath, ...]
    note: str
    score: float
