"""Confidence intervals of proportions (Wilson score interval).

Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
Journal of the American Statistical Association 22 (1927), the interval of the score test.
"""

from __future__ import annotations

from math import sqrt

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


def wilson_interval(hits: float, of: int) -> tuple[float, float]:
    """Compute the 95 % interval (low, high) of the proportion `hits / of`; (0, 1) if `of` is 0."""
    if not of:
        return 0.0, 1.0
    share, weight = hits / of, Z_95 * Z_95 / of
    centre = (share + weight / 2) / (1 + weight)
    half = sqrt(share * (1 - share) * weight + weight * weight / 4) / (1 + weight)
    low = 0.0 if not hits else centre - half
    return max(low, 0.0), 1.0 if hits == of else min(centre + half, 1.0)
