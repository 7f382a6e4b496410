"""Delays after failed sign-ins: a delay doubles with each failure up to a limit, and expires.

Failures are counted in three ways. One account from one client, and one client over all accounts,
have long delays. One account over all clients has a short delay, or strangers could lock out its
owner.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final


@dataclass(frozen=True, slots=True)
class ThrottleRule:
    """A rule for the delay after failed sign-ins; times in seconds.

    Attributes:
        free: number of failures without a delay.
        first: delay after the next failure; each further failure doubles the delay up to `cap`.
        fade: time after which one failure is forgotten.
    """

    free: int
    first: float
    cap: float
    fade: float

    def delay(self, failures: int) -> float:
        """Return the delay in seconds before the next sign-in, after a number of failures."""
        beyond = failures - self.free
        if beyond <= 0:
            return 0.0
        doublings = min(beyond - 1, 64)
        return float(min(self.first * 2**doublings, self.cap))

    @property
    def most(self) -> int:
        """The maximum number of counted failures; more would not lengthen the delay."""
        failures = self.free
        while self.delay(failures) < self.cap:
            failures += 1
        return failures + 2


PAIR: Final = ThrottleRule(free=5, first=2, cap=900, fade=1800)
"""Rule for the delay after failed sign-ins to one account from one client."""

OWN_PAIR: Final = ThrottleRule(free=5, first=2, cap=120, fade=300)
"""Milder rule for failed sign-ins to an account from a client that its owner used before.

Other users of the client must not be able to lock the owner out.
"""

CLIENT: Final = ThrottleRule(free=20, first=1, cap=120, fade=300)
"""Rule for failed sign-ins from one client to any account; allows many users' typing errors."""

ACCOUNT: Final = ThrottleRule(free=20, first=1, cap=10, fade=60)
"""Rule for failed sign-ins to an account, counted over all clients its owner never used."""


@dataclass(frozen=True, slots=True)
class FailureCount:
    """The number of failed sign-ins, the time of the last one, and the end of the delay."""

    failures: int = 0
    last: datetime | None = None
    until: datetime | None = None

    def wait(self, now: datetime, rule: ThrottleRule) -> float:
        """Return the remaining delay in seconds, at most the cap, even if the clock changed."""
        left = (self.until - now).total_seconds() if self.until else 0.0
        return min(max(left, 0.0), rule.cap)

    def failed(self, now: datetime, rule: ThrottleRule) -> FailureCount:
        """Return the count after one more failure, whose delay begins now."""
        failures = min(self._remaining_failures(now, rule) + 1, rule.most)
        return FailureCount(failures, now, now + timedelta(seconds=rule.delay(failures)))

    def forgive(self) -> FailureCount:
        """Return the count with one failure less and no delay."""
        return FailureCount(max(self.failures - 1, 0), self.last, None)

    def _remaining_failures(self, now: datetime, rule: ThrottleRule) -> int:
        if self.last is None:
            return self.failures
        periods = max((now - self.last).total_seconds(), 0.0) // rule.fade
        return max(self.failures - int(periods), 0)


def longest_wait(waits: Iterable[float]) -> int:
    """Return the longest of several delays in whole seconds, rounded up; 0 without delays."""
    return math.ceil(max(waits, default=0.0))
