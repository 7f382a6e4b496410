"""How long a guesser has to wait: longer with each failure, up to a cap, and forgotten in time.

There are three counts. One account from one client, and one client over all accounts,
are slowed down much; one account over all clients only a little, or strangers could lock its owner
out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final


@dataclass(frozen=True, slots=True)
class ThrottleRule:
    """The response to failures of one kind; times in seconds.

    Attributes:
        free: failures without a delay.
        first: the next delay, doubled up to `cap`.
        fade: time after which one failure is forgotten.
    """

    free: int
    first: float
    cap: float
    fade: float

    def delay(self, failures: int) -> float:
        """Seconds until the next attempt is looked at."""
        beyond = failures - self.free
        if beyond <= 0:
            return 0.0
        doublings = min(beyond - 1, 64)
        return float(min(self.first * 2**doublings, self.cap))

    @property
    def most(self) -> int:
        """Failures that are counted; more of them would only be remembered for longer."""
        failures = self.free
        while self.delay(failures) < self.cap:
            failures += 1
        return failures + 2


PAIR: Final = ThrottleRule(free=5, first=2, cap=900, fade=1800)
"""One account from one client: some four guesses an hour once it is slowed down."""

OWN_PAIR: Final = ThrottleRule(free=5, first=2, cap=120, fade=300)
"""The same where the account's owner signed in before, who must not be locked out by neighbours."""

CLIENT: Final = ThrottleRule(free=20, first=1, cap=120, fade=300)
"""One client over all accounts: a room full of people mistypes, too."""

ACCOUNT: Final = ThrottleRule(free=20, first=1, cap=10, fade=60)
"""One account over all clients that its owner never signed in from."""


@dataclass(frozen=True, slots=True)
class FailureCount:
    """Failures so far, when the last one was, and until when nothing is looked at."""

    failures: int = 0
    last: datetime | None = None
    until: datetime | None = None

    def wait(self, now: datetime, rule: ThrottleRule) -> float:
        """Seconds until the next attempt is looked at; never more than the cap, whatever the clock.

        0 where it may be at once.
        """
        left = (self.until - now).total_seconds() if self.until else 0.0
        return min(max(left, 0.0), rule.cap)

    def failed(self, now: datetime, rule: ThrottleRule) -> FailureCount:
        """With one failure more."""
        failures = min(self._remaining_failures(now, rule) + 1, rule.most)
        return FailureCount(failures, now, now + timedelta(seconds=rule.delay(failures)))

    def forgive(self) -> FailureCount:
        """With one failure less, and no wait: it was none."""
        return FailureCount(max(self.failures - 1, 0), self.last, None)

    def _remaining_failures(self, now: datetime, rule: ThrottleRule) -> int:
        if self.last is None:
            return self.failures
        periods = max((now - self.last).total_seconds(), 0.0) // rule.fade
        return max(self.failures - int(periods), 0)


def longest_wait(waits: Iterable[float]) -> int:
    """Whole seconds to tell somebody; 0 where nobody waits."""
    return math.ceil(max(waits, default=0.0))
