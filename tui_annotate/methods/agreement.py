"""Chance-corrected agreement of annotators on labels: kappa, alpha and percent agreement.

Each measure is a function of sums over units, so the same code computes a value for the data and
values for all bootstrap resamples at once: leading axes of its arguments are kept. NaN means
"undefined" inside this module; `measure_value` converts it to a reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tui_annotate.methods.bootstrap import Interval, percentile_interval

Numbers = NDArray[np.float64]

NOTHING: Final = "no two people judged anything that this measure compares"
UNANIMOUS: Final = "all labels are the same, so agreement by chance is complete"
_LEAST_DRAWS = 0.95
_EPSILON = 1e-12


@dataclass(frozen=True, slots=True)
class UndefinedReason:
    """Result of a measure that is not defined for the data: the reason."""

    reason: str


Measured = float | UndefinedReason


def count_labels(units: Sequence[Sequence[int]], labels: int) -> Numbers:
    """Count how many people gave each label to each unit; a unit is a list of label indices."""
    found = np.zeros((len(units), labels))
    for row, given in zip(found, units, strict=True):
        np.add.at(row, list(given), 1)
    return found


def count_agreeing_pairs(given: Numbers) -> Numbers:
    """Count, for each unit, the pairs of people who gave the same label, and all pairs.

    `given`: (..., labels): how many people gave each label. The counts have the shape (..., 2).
    """
    people = given.sum(axis=-1)
    same = (given * (given - 1)).sum(axis=-1) / 2
    return np.stack([same, people * (people - 1) / 2], axis=-1)


def percent_agreement(found: Numbers) -> Numbers:
    """Compute the fraction of pairs of people who gave the same label.

    Source: W. Scott, "Reliability of content analysis", Public Opinion Quarterly 19 (1955), the
    observed agreement; over pairs where a unit has more than two people.
    """
    return _divide(found[..., 0], found[..., 1])


def cohen_kappa(confusion: Numbers) -> Numbers:
    """Compute Cohen's kappa, chance-corrected agreement, of tables (..., labels, labels).

    Source: J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
    Measurement 20 (1960), equation 1.
    """
    total = confusion.sum(axis=(-2, -1))
    observed = _divide(np.trace(confusion, axis1=-2, axis2=-1), total)
    by_chance = (confusion.sum(axis=-1) * confusion.sum(axis=-2)).sum(axis=-1)
    return _above_chance(observed, _divide(by_chance, total * total))


def weighted_cohen_kappa(confusion: Numbers, apart: Numbers) -> Numbers:
    """Compute Cohen's weighted kappa of confusion matrices of shape (..., labels, labels).

    Source: J. Cohen, "Weighted kappa: nominal scale agreement with provision for scaled
    disagreement or partial credit", Psychological Bulletin 70 (1968), by weights of disagreement.

    Args:
        apart: (labels, labels): cost of a disagreement between two labels; 0 on the diagonal.
    """
    total = confusion.sum(axis=(-2, -1))
    by_chance = confusion.sum(axis=-1)[..., :, None] * confusion.sum(axis=-2)[..., None, :]
    observed = (confusion * apart).sum(axis=(-2, -1))
    return 1 - _divide(observed * total, (by_chance * apart).sum(axis=(-2, -1)))


def ordinal_cohen_kappa(confusion: Numbers, *, power: int) -> Numbers:
    """Compute weighted kappa of ordered labels; `power`: 1 for linear, 2 for quadratic weights."""
    places = np.arange(confusion.shape[-1])
    return weighted_cohen_kappa(confusion, np.abs(places[:, None] - places).astype(float) ** power)


def fleiss_sums(given: Numbers) -> Numbers:
    """Return the summands of Fleiss' kappa for each unit: (units, 2 + labels).

    Each row holds 1, the agreement P_i of the unit, and the number of people for each label.

    `given`: counts (units, labels); each unit has the same number of people, two or more.
    """
    same, all_pairs = np.moveaxis(count_agreeing_pairs(given), -1, 0)
    head = np.stack([np.ones(len(given)), _divide(same, all_pairs)], axis=-1)
    return np.concatenate([head, given], axis=-1)


def fleiss_kappa(sums: Numbers) -> Numbers:
    """Compute Fleiss' kappa from the sum of the rows that `fleiss_sums` returns.

    The annotators may differ by unit. Source: J. Fleiss, "Measuring nominal scale agreement among
    many raters", Psychological Bulletin 76 (1971), equations 2 to 7.
    """
    units = sums[..., 0]
    agreeing = sums[..., 1]
    given = sums[..., 2:]
    shares = _divide(given, given.sum(axis=-1, keepdims=True))
    return _above_chance(_divide(agreeing, units), (shares * shares).sum(axis=-1))


def count_coincidences(given: Numbers) -> Numbers:
    """Compute each unit's coincidence matrix; the shape is (units, labels, labels).

    `given`: counts (units, labels). Each person counts once; a unit of fewer than two people adds
    zeros. Source: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C,
    the coincidence matrix.
    """
    people = given.sum(axis=-1)
    met = given[..., :, None] * given[..., None, :] - given[..., None] * np.eye(given.shape[-1])
    weight = np.where(people > 1, 1 / np.maximum(people - 1, 1), 0.0)
    found: Numbers = met * weight[..., None, None]
    return found


def krippendorff_alpha(met: Numbers, *, ordinal: bool = False) -> Numbers:
    """Compute Krippendorff's alpha from sums of coincidence matrices (..., labels, labels).

    Source: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011): section C for
    nominal data, section D for the difference of ordinal ranks.

    Args:
        ordinal: whether labels are ordered; the distance of two labels is then the number of
            judgements between them.
    """
    totals = met.sum(axis=-1)
    pairable = totals.sum(axis=-1)
    apart = _ordinal_distances(totals) if ordinal else 1 - np.eye(met.shape[-1])
    observed = (met * apart).sum(axis=(-2, -1))
    by_chance = (totals[..., :, None] * totals[..., None, :] * apart).sum(axis=(-2, -1))
    return 1 - _divide(observed * (pairable - 1), by_chance)


def measure_value(value: Numbers, *, units: float) -> Measured:
    """Return the value of a measure, or why it is undefined: no unit, or NaN for equal labels."""
    if not units:
        return UndefinedReason(NOTHING)
    return UndefinedReason(UNANIMOUS) if np.isnan(value) else float(value)


def draw_interval(draws: Numbers | None) -> Interval | None:
    """Compute the confidence interval of a measure of agreement from its bootstrap values.

    Return None without values, or if at least 1 of 20 values is undefined.
    """
    if draws is None:
        return None
    defined = draws[~np.isnan(draws)]
    return percentile_interval(defined) if len(defined) > _LEAST_DRAWS * len(draws) else None


def _ordinal_distances(totals: Numbers) -> Numbers:
    """Compute squared distances (..., labels, labels) of ordered labels of counts (..., labels)."""
    up_to = np.cumsum(totals, axis=-1)
    middle = up_to - totals / 2
    apart: Numbers = (middle[..., :, None] - middle[..., None, :]) ** 2
    return apart


def _above_chance(observed: Numbers, by_chance: Numbers) -> Numbers:
    return _divide(observed - by_chance, 1 - by_chance)


def _divide(part: Numbers, whole: Numbers) -> Numbers:
    there = np.abs(whole) > _EPSILON
    found: Numbers = np.where(there, part, np.nan) / np.where(there, whole, 1.0)
    return found
