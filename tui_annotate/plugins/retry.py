"""One retry policy for every endpoint: how often a request is repeated, and how long apart."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from itertools import count
from typing import Final, TypeVar

from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins.http_errors import RESUME_HINT, TransientFailure

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_LONGEST_WAIT: Final = 60.0
_LOGGED_WAIT: Final = 10.0
"""Seconds of waiting from which on a person should know why nothing moves."""


def spread_wait(attempt: int) -> float:
    """Seconds before the next attempt: each time twice as long.

    Spread by chance, so that many clients that wait do not return at once.
    """
    longest = min(2.0**attempt, _LONGEST_WAIT)
    return random.uniform(longest / 2, longest)  # noqa: S311  no secret


@dataclass(slots=True)
class RetryPolicy:
    """Repeats requests to one endpoint after transient failures.

    Attributes:
        backoff: seconds after an attempt, from 1.
        first_attempts: the limit without any connection so far.
        longest_asked: seconds that the endpoint may request.
        reached: whether it ever answered.
    """

    host: str
    _: KW_ONLY
    wait: Callable[[float], None]
    backoff: Callable[[int], float] = spread_wait
    attempts: int = 6
    first_attempts: int = 3
    longest_asked: float = 120.0
    hint: str = RESUME_HINT
    reached: bool = field(default=False, init=False)

    def __call__(self, attempt: Callable[[], _T]) -> _T:
        """The result of an attempt, which is repeated after each TransientFailure, a few times.

        Raises:
            Unavailable: it still fails.
        """
        for number in count(1):
            try:
                return attempt()
            except TransientFailure as error:
                failure = error
            connected = failure.connected or self.reached
            allowed = self.attempts if connected else self.first_attempts
            if number >= allowed or failure.after > self.longest_asked:
                break
            seconds = max(self.backoff(number), failure.after)
            if seconds >= _LOGGED_WAIT:
                _log.warning("%s: %s; waiting %.0f s", self.host, failure, seconds)
            self.wait(seconds)
        long = failure.after > self.longest_asked
        later = f"; it asks to wait {failure.after:,.0f} s" if long else ""
        raise Unavailable(f"{self.host}: {failure}{later}", self.hint) from failure
