"""Sign-in throttling: a delay that doubles with each failure, up to a cap, and expires over time.

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
    """A rule for delays after failed sign-ins; times in seconds.

    Attributes:
        free: number of failures without a delay.
        first: delay after the next failure; each further failure doubles the delay up to `cap`.
        cap: longest delay.
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
        """The maximum failure count. Further failures would not lengthen the delay."""
        failures = self.free
        while self.delay(failures) < self.cap:
            failures += 1
        return failures + 2


PAIR: Final = ThrottleRule(free=5, first=2, cap=900, fade=1800)
"""Throttle rule for one account from one client.

With the longest delay (15 minutes), about four guesses an hour are possible.
"""

OWN_PAIR: Final = ThrottleRule(free=5, first=2, cap=120, fade=300)
"""Milder throttle rule for one account from a client where the owner signed in before.

Other users of that client must not be able to lock the owner out.
"""

CLIENT: Final = ThrottleRule(free=20, first=1, cap=120, fade=300)
"""Throttle rule for one client over all accounts; tolerates typing errors of many users."""

ACCOUNT: Final = ThrottleRule(free=20, first=1, cap=10, fade=60)
"""Throttle rule for one account over all clients from which its owner never signed in."""


@dataclass(frozen=True, slots=True)
class FailureCount:
    """A count of failed sign-ins, with the time of the last failure and the end of the delay."""

    failures: int = 0
    last: datetime | None = None
    until: datetime | None = None

    def wait(self, now: datetime, rule: ThrottleRule) -> float:
        """Return the remaining delay in seconds before the next sign-in; 0 if there is none.

        The delay never exceeds the cap, even if the system clock was changed.
        """
        left = (self.until - now).total_seconds() if self.until else 0.0
        return min(max(left, 0.0), rule.cap)

    def failed(self, now: datetime, rule: ThrottleRule) -> FailureCount:
        """Return the failure count after one more failed sign-in."""
        failures = min(self._remaining_failures(now, rule) + 1, rule.most)
        return FailureCount(failures, now, now + timedelta(seconds=rule.delay(failures)))

    def forgive(self) -> FailureCount:
        """Return a count with one failure less, and with no delay before the next sign-in."""
        return FailureCount(max(self.failures - 1, 0), self.last, None)

    def _remaining_failures(self, now: datetime, rule: ThrottleRule) -> int:
        if self.last is None:
            return self.failures
        periods = max((now - self.last).total_seconds(), 0.0) // rule.fade
        return max(self.failures - int(periods), 0)


def longest_wait(waits: Iterable[float]) -> int:
    """Return the longest of several delays in whole seconds, rounded up; 0 if there are none."""
    return math.ceil(max(waits, default=0.0))
