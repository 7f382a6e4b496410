"""How far people agree on labels, beyond what chance gives; a measure without a value says why.

Each measure is a function of sums over units, so the same code takes the data as it is, and all
draws of a bootstrap at once: leading axes of its arguments are kept. Inside, NaN stands for "not
defined"; `measured` turns it into a reason, and no other value leaves here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tui_annotate.methods.bootstrap import Interval, percentile_interval

Numbers = NDArray[np.float64]

NOTHING: Final = "nothing that two people judged"
UNANIMOUS: Final = "only one label was given: chance alone would agree as often"
_LEAST_DRAWS = 0.95
_EPSILON = 1e-12


@dataclass(frozen=True, slots=True)
class UndefinedReason:
    """Why a measure has no value."""

    reason: str


Measured = float | UndefinedReason


def count_labels(units: Sequence[Sequence[int]], labels: int) -> Numbers:
    """(units, labels): how many people gave each unit each label.

    Args:
        units: of each the labels that it got, from 0, in any order; who did not judge is left out.
        labels: how many there are.
    """
    found = np.zeros((len(units), labels))
    for row, given in zip(found, units, strict=True):
        np.add.at(row, list(given), 1)
    return found


def count_agreeing_pairs(given: Numbers) -> Numbers:
    """(..., 2): pairs of people with the same label, and all pairs, of counts (..., labels)."""
    people = given.sum(axis=-1)
    same = (given * (given - 1)).sum(axis=-1) / 2
    return np.stack([same, people * (people - 1) / 2], axis=-1)


def percent_agreement(found: Numbers) -> Numbers:
    """The share of pairs of people that agree, of sums of `count_agreeing_pairs` (..., 2).

    Source: W. Scott, "Reliability of content analysis", Public Opinion Quarterly 19 (1955), the
    observed agreement; over pairs where a unit has more than two people.
    """
    return _divide(found[..., 0], found[..., 1])


def cohen_kappa(confusion: Numbers) -> Numbers:
    """Cohen's kappa of confusion tables (..., labels, labels): the one's rows, the other's columns.

    Source: J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
    Measurement 20 (1960), equation 1.
    """
    total = confusion.sum(axis=(-2, -1))
    observed = _divide(np.trace(confusion, axis1=-2, axis2=-1), total)
    by_chance = (confusion.sum(axis=-1) * confusion.sum(axis=-2)).sum(axis=-1)
    return _above_chance(observed, _divide(by_chance, total * total))


def weighted_cohen_kappa(confusion: Numbers, apart: Numbers) -> Numbers:
    """Cohen's weighted kappa of confusion tables (..., labels, labels); see `cohen_kappa`.

    Source: J. Cohen, "Weighted kappa: nominal scale agreement with provision for scaled
    disagreement or partial credit", Psychological Bulletin 70 (1968), by weights of disagreement.

    Args:
        apart: (labels, labels): how much it costs to give the one label for the other; 0 for none.
    """
    total = confusion.sum(axis=(-2, -1))
    by_chance = confusion.sum(axis=-1)[..., :, None] * confusion.sum(axis=-2)[..., None, :]
    observed = (confusion * apart).sum(axis=(-2, -1))
    return 1 - _divide(observed * total, (by_chance * apart).sum(axis=(-2, -1)))


def ordinal_cohen_kappa(confusion: Numbers, *, power: int) -> Numbers:
    """As `weighted_cohen_kappa`, by steps of ordered labels; `power`: 1 linear, 2 quadratic."""
    places = np.arange(confusion.shape[-1])
    return weighted_cohen_kappa(confusion, np.abs(places[:, None] - places).astype(float) ** power)


def fleiss_sums(given: Numbers) -> Numbers:
    """(units, 2 + labels): what `fleiss_kappa` takes the sums of: 1, P_i, and the counts.

    Args:
        given: (units, labels), the same number of people in each, two or more.
    """
    same, all_pairs = np.moveaxis(count_agreeing_pairs(given), -1, 0)
    head = np.stack([np.ones(len(given)), _divide(same, all_pairs)], axis=-1)
    return np.concatenate([head, given], axis=-1)


def fleiss_kappa(sums: Numbers) -> Numbers:
    """Fleiss' kappa of sums of `fleiss_sums` over units; who judged may differ from unit to unit.

    Source: J. Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin
    76 (1971), equations 2 to 7.
    """
    units, agreeing, given = sums[..., 0], sums[..., 1], sums[..., 2:]
    shares = _divide(given, given.sum(axis=-1, keepdims=True))
    return _above_chance(_divide(agreeing, units), (shares * shares).sum(axis=-1))


def count_coincidences(given: Numbers) -> Numbers:
    """(units, labels, labels): how often two labels met in a unit, of counts (units, labels).

    Each person counts once; a unit of fewer than two people adds nothing. Source: K. Krippendorff,
    "Computing Krippendorff's Alpha-Reliability" (2011), section C, the coincidence matrix.
    """
    people = given.sum(axis=-1)
    met = given[..., :, None] * given[..., None, :] - given[..., None] * np.eye(given.shape[-1])
    weight = np.where(people > 1, 1 / np.maximum(people - 1, 1), 0.0)
    found: Numbers = met * weight[..., None, None]
    return found


def krippendorff_alpha(met: Numbers, *, ordinal: bool = False) -> Numbers:
    """Krippendorff's alpha of sums of `count_coincidences` (..., labels, labels).

    Source: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011): section C for
    nominal data, section D for the difference of ordinal ranks.

    Args:
        ordinal: how far apart two labels are is how many judgements lie between them; the labels
            are in order then.
    """
    totals = met.sum(axis=-1)
    pairable = totals.sum(axis=-1)
    apart = _ordinal_distances(totals) if ordinal else 1 - np.eye(met.shape[-1])
    observed = (met * apart).sum(axis=(-2, -1))
    by_chance = (totals[..., :, None] * totals[..., None, :] * apart).sum(axis=(-2, -1))
    return 1 - _divide(observed * (pairable - 1), by_chance)


def measure_value(value: Numbers, *, units: float) -> Measured:
    """A measure of the data as it is: its value, or why it has none.

    Args:
        value: (), as the functions here give it.
        units: how much was judged by two people or more; what is compared, in whatever unit.
    """
    if not units:
        return UndefinedReason(NOTHING)
    return UndefinedReason(UNANIMOUS) if np.isnan(value) else float(value)


def draw_interval(draws: Numbers | None) -> Interval | None:
    """The interval of a measure's draws (draws,); None where it is undefined in 1 of 20 or more."""
    if draws is None:
        return None
    defined = draws[~np.isnan(draws)]
    return percentile_interval(defined) if len(defined) > _LEAST_DRAWS * len(draws) else None


def _ordinal_distances(totals: Numbers) -> Numbers:
    """(..., labels, labels): squared differences of ranks, by how often each label was given."""
    up_to = np.cumsum(totals, axis=-1)
    middle = up_to - totals / 2
    apart: Numbers = (middle[..., :, None] - middle[..., None, :]) ** 2
    return apart


def _above_chance(observed: Numbers, by_chance: Numbers) -> Numbers:
    return _divide(observed - by_chance, 1 - by_chance)


def _divide(part: Numbers, whole: Numbers) -> Numbers:
    """NaN where the whole is nothing."""
    there = np.abs(whole) > _EPSILON
    found: Numbers = np.where(there, part, np.nan) / np.where(there, whole, 1.0)
    return found
