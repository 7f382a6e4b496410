"""Retry policy for requests to endpoints: the number of attempts and the waits between attempts."""

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
"""Length in seconds from which a wait is logged, so that the user knows the reason.

Waits after a timeout are always logged, as the attempt itself has taken long.
"""


def spread_wait(attempt: int) -> float:
    """Return the seconds to wait before the next attempt: doubled each time, at most 60.

    The wait is random within a factor of two, so that waiting clients do not all retry at once.
    """
    longest = min(2.0**attempt, _LONGEST_WAIT)
    return random.uniform(longest / 2, longest)  # noqa: S311  not a secret


@dataclass(slots=True)
class RetryPolicy:
    """Repeats requests to one endpoint after temporary failures.

    Attributes:
        backoff: seconds to wait after an attempt; attempts count from 1.
        first_attempts: maximum number of attempts while no connection has succeeded.
        longest_asked: maximum wait in seconds that the endpoint may request.
        reached: whether the endpoint has ever answered.
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
        """Return the result of a request; raise Unavailable if the last attempt failed, too."""
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
            if seconds >= _LOGGED_WAIT or failure.hint:
                _log.warning("%s: %s; waiting %.0f s", self.host, failure, seconds)
            self.wait(seconds)
        long = failure.after > self.longest_asked
        later = f"; the endpoint requires a wait of {failure.after:,.0f} s" if long else ""
        raise Unavailable(f"{self.host}: {failure}{later}", failure.hint or self.hint) from failure
