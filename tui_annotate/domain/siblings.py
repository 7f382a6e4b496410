"""Samples of one group: rival texts, as somebody has them before them side by side."""

from __future__ import annotations

from dataclasses import dataclass

from tui_annotate.domain.assignments import State
from tui_annotate.domain.samples import SampleKey


@dataclass(frozen=True, slots=True)
class Sibling:
    """One of them; `text` is its summary side, `state` and `annotations` are this person's own."""

    key: SampleKey
    state: State
    annotations: int
    text: str
