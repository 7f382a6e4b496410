"""What lists show of machines' words: a few values a sample, and what a ranking calls it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tui_annotate.domain.samples import SampleKey

MOST: Final = 3
"""Values that a list shows of a sample."""

LABELS: Final = ("right", "wrong", "undecided")
"""What a ranking calls samples."""


@dataclass(frozen=True, slots=True)
class Glance:
    """What a row shows of a sample.

    Attributes:
        values: parallel to the names, in [0, 1]: 1 is well supported, whichever way the score
            goes; None where a machine said nothing.
        label: one of `LABELS`, or empty.
    """

    values: tuple[float | None, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Glances:
    """What a list shows, and of which samples something is said.

    Attributes:
        names: of the scores that have a column, at most `MOST`.
        labelled: a ranking gave samples labels.
    """

    names: tuple[str, ...] = ()
    labelled: bool = False
    of: Mapping[SampleKey, Glance] = field(default_factory=dict)
