"""The cases of a comparison: judged samples, what machines say of them, and what came of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.nearest import meant
from tui_annotate.domain.samples import Sample, SampleKey
from tui_annotate.methods.detection import Detected

SHOWN: Final = 20
"""Names in a hint."""


class Told(StrEnum):
    """How a direction or a threshold is known: by the run or the user, or from these samples.

    `only` is the threshold between the two values that there are: nothing was chosen.
    """

    GIVEN = "given"
    FOUND = "found"
    ONLY = "only"


@dataclass(frozen=True, slots=True)
class Said:
    """What a machine says.

    Attributes:
        name: of the score or column.
        maker, run: of a score; empty for a column.
        values: by place of the judged sample, as they stand.
        low: a low value is the better supported one; None where nobody says so.
    """

    name: str
    maker: str
    run: str
    values: Mapping[int, Any]
    low: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One score or column, and how well it tells.

    Attributes:
        name: of the score or column; with its maker where two have the same.
        maker: of the run; empty for a column.
        run: its id; empty for a column.
        n, missing: judged samples with a value, and those without.
        odd: values of judged samples that are no numbers; they are missing.
        low: a low value is the better supported one.
        direction, cut: how that, and the threshold, are known.
        threshold: None where there is no value to take one from.
    """

    name: str
    maker: str
    run: str
    n: int
    missing: int
    odd: int
    low: bool
    direction: Told
    threshold: float | None
    cut: Told
    detected: Detected


class Cases:
    """The judged samples of a dataset, in their order.

    Attributes:
        samples: of the dataset.
        places: of judged samples, from 0.
        unsupported, clusters: by place.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        """None yet; values of these columns are kept."""
        self.samples = 0
        self.places: dict[SampleKey, int] = {}
        self.unsupported: list[bool] = []
        self.clusters: list[str] = []
        self._columns: dict[str, dict[int, Any]] = {name: {} for name in columns}
        self._met: Counter[str] = Counter()

    def add(self, sample: Sample, *, unsupported: bool | None) -> None:
        """One more sample; None where people do not say."""
        self.samples += 1
        self._met.update({name: number(value) is not None for name, value in sample.meta.items()})
        if unsupported is None:
            return
        place = self.places[sample.key] = len(self.unsupported)
        self.unsupported.append(unsupported)
        # The sign keeps a group from being taken for a sample without one.
        self.clusters.append(f"{sample.group}\n" if sample.group else sample.id)
        for name, values in self._columns.items():
            if sample.meta.get(name) not in (None, ""):
                values[place] = sample.meta[name]

    def columned(self, columns: Sequence[str]) -> Iterator[Said]:
        """What columns say.

        Raises:
            NotFound: no sample has one of them.
        """
        for name in columns:
            if name not in self._met:
                raise NotFound(
                    f"no sample has a column {name!r}", self.hint(meant(name, self._met))
                )
            yield Said(name, "", "", self._columns[name])

    def hint(self, *words: str) -> str:
        """Words, and the columns that hold numbers."""
        names = [name for name, times in self._met.most_common() if times][:SHOWN]
        there = f"columns with numbers: {', '.join(names)}" if names else "no column holds numbers"
        return " ".join([*(word.strip() for word in words if word), there])


def number(value: Any) -> float | None:
    """A value of a column as a finite number; None where it is none. A truth value is 1 or 0."""
    if not isinstance(value, bool | int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def told_apart(said: Iterable[Said]) -> list[Said]:
    """The same, where two have one name with their makers behind it."""
    found = list(said)
    times = Counter(each.name for each in found)
    return [
        replace(each, name=f"{each.name} ({each.maker or 'column'})")
        if times[each.name] > 1
        else each
        for each in found
    ]
