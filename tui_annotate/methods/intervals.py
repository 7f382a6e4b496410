"""Intervals of shares that were counted.

Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
Journal of the American Statistical Association 22 (1927), the interval of the score test.
"""

from __future__ import annotations

from math import sqrt

Z_95 = 1.959963984540054
"""Half of the standard normal distribution's 95 % in the middle."""


def wilson_interval(hits: int, of: int) -> tuple[float, float]:
    """(low, high): where the share lies that gave so many hits, in [0, 1]; all of it for none.

    Args:
        hits: 0 to `of`.
        of: cases, each for itself.
    """
    if not of:
        return 0.0, 1.0
    share, weight = hits / of, Z_95 * Z_95 / of
    centre = (share + weight / 2) / (1 + weight)
    half = sqrt(share * (1 - share) * weight + weight * weight / 4) / (1 + weight)
    low = 0.0 if not hits else centre - half
    return max(low, 0.0), 1.0 if hits == of else min(centre + half, 1.0)
