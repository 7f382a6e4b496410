"""How well a probe tells what a model knows: cases parted by chance, figures of those kept apart.

Source: the probe of the project Dreamcatcher: questions that a model always answers right, and such
that it always answers wrong, 70 of 100 to learn from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tui_annotate.domain.errors import InvalidInput

Numbers = NDArray[np.float64]
Truths = NDArray[np.bool_]

LEARNT_FROM: Final = 0.7
"""The share of each kind that a probe learns from."""
FEWEST: Final = 4
"""Cases of each kind that a probe needs: three to learn from, and one kept apart."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Of the cases kept apart, in [0, 1]; None where there is no such case to take a share of.

    Attributes:
        accuracy: told as they are.
        precision: of those told as known, those that are.
        recall: of those that are known, those told so.
        specificity: of those that are not known, those told so.
    """

    accuracy: float | None
    precision: float | None
    recall: float | None
    specificity: float | None


def parted(known: Truths, *, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The places to learn from, and those kept apart, both in order; of each kind the same share.

    At least one of each kind is on either side.

    Raises:
        InvalidInput: there are fewer than four of a kind.
    """
    kinds = {"known": np.flatnonzero(known), "not known": np.flatnonzero(~known)}
    chance = np.random.default_rng(seed)
    learnt, apart = [], []
    for kind, places in kinds.items():
        if len(places) < FEWEST:
            raise InvalidInput(
                f"of what is {kind} there are {len(places)} questions",
                f"a probe needs {FEWEST} of each kind, and some hundreds to be of use",
            )
        mixed = chance.permutation(places)
        cut = min(round(len(places) * LEARNT_FROM), len(places) - 1)
        learnt.append(mixed[:cut])
        apart.append(mixed[cut:])
    return np.sort(np.concatenate(learnt)), np.sort(np.concatenate(apart))


def figures(known: Truths, told: Truths) -> Figures:
    """How well some cases are told."""
    right = known == told
    return Figures(
        _share(right, np.ones_like(known)),
        _share(right, told),
        _share(right, known),
        _share(right, ~known),
    )


def _share(right: Truths, among: Truths) -> float | None:
    count = int(among.sum())
    return float(right[among].sum() / count) if count else None


def chances(states: Numbers, weights: Numbers, *, bias: float) -> Numbers:
    """(cases,): how sure a probe is that each is known, in [0, 1].

    Args:
        states: (cases, size).
        weights: (size,).
    """
    sums = np.clip(states @ weights + bias, -700, 700)
    found: Numbers = 1 / (1 + np.exp(-sums))
    return found
