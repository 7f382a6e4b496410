"""Retry policy for requests to endpoints: the number of attempts and the waits between attempts."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from itertools import count
from threading import Event
from typing import Final, TypeVar

from tui_annotate.domain.errors import InvalidInput, RequestFailed, Unavailable
from tui_annotate.plugins.http_errors import TransientFailure

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

RESUME_HINT: Final = "completed work is kept; run the same command again to continue"
REPEAT_HINT: Final = "run the command again later; replies of this run are not kept"
REPEAT_VECTORS_HINT: Final = "run the command again later; vectors of this run are not kept"
"""Hints name what one endpoint returned: a run may keep the results of another one."""

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
    """Repeats requests to one endpoint after temporary failures; threads may share it.

    When a request fails for the last time and no other request has succeeded since it began, the
    requests of other threads stop waiting and fail too, and later requests are attempted only once,
    until one succeeds. A request that fails while others succeed fails alone.

    Attributes:
        wait: function that waits some seconds; None for a wait that ends at such a failure.
        backoff: seconds to wait after an attempt; attempts count from 1.
        first_attempts: maximum number of attempts while no connection has succeeded.
        longest_asked: maximum wait in seconds that the endpoint may request.
        hint: hint of a final error; empty for a hint that depends on `keeps_results`.
        keeps_results: returns whether a repeated run continues, with the results so far.
        repeat_hint: hint of a final error if `keeps_results` returns False.
        reached: whether the endpoint has ever answered.
        successes: number of requests that succeeded so far.
    """

    host: str
    _: KW_ONLY
    wait: Callable[[float], None] | None = None
    backoff: Callable[[int], float] = spread_wait
    attempts: int = 6
    first_attempts: int = 3
    longest_asked: float = 120.0
    hint: str = ""
    keeps_results: Callable[[], bool] = lambda: True
    repeat_hint: str = REPEAT_HINT
    reached: bool = field(default=False, init=False)
    successes: int = field(default=0, init=False)
    _given_up: Event = field(default_factory=Event, init=False)

    def __call__(self, attempt: Callable[[], _T], *, attempts: int | None = None) -> _T:
        """Return the result of a request, after at most `attempts`, if that is fewer than usual.

        Raises:
            RequestFailed: the last attempt failed, too, although the endpoint was reached.
            Unavailable: the endpoint cannot be reached, or requires too long a wait.
        """
        successes = self.successes
        for number in count(1):
            try:
                result = attempt()
            except TransientFailure as error:
                failure = error
            except RequestFailed:
                raise
            except Unavailable as error:
                self._given_up.set()
                error.hint = error.hint or self._final_hint()
                raise
            else:
                self.successes += 1
                self._given_up.clear()
                return result
            connected = failure.connected or self.reached
            allowed = self.attempts if connected else min(self.first_attempts, self.attempts)
            allowed = min(allowed, attempts or allowed)
            too_long = failure.after > self.longest_asked
            if number >= allowed or too_long or self._given_up.is_set():
                break
            seconds = max(self.backoff(number), failure.after)
            if seconds >= _LOGGED_WAIT or failure.hint:
                _log.warning("%s: %s; waiting %.0f s", self.host, failure, seconds)
            wait = self.wait or self._given_up.wait
            wait(seconds)
            if self._given_up.is_set():
                break
        if self.successes == successes:
            self._given_up.set()
        hint = "; ".join(filter(None, (failure.hint, self._final_hint())))
        if too_long:
            later = f"the endpoint requires a wait of {failure.after:,.0f} s"
            raise Unavailable(f"{self.host}: {failure}; {later}", hint) from failure
        if not connected:
            raise Unavailable(f"{self.host}: {failure}", hint) from failure
        raise RequestFailed(f"{self.host}: {failure}", hint) from failure

    def limit_retries(self, most: int | None) -> None:
        """Set the maximum number of repetitions of a request; None changes nothing.

        Raises:
            InvalidInput: the number is negative.
        """
        if most is None:
            return
        if most < 0:
            raise InvalidInput(f"invalid number of retries: {most:,}", "allow 0 or more retries")
        self.attempts = 1 + most

    def _final_hint(self) -> str:
        return self.hint or (RESUME_HINT if self.keeps_results() else self.repeat_hint)
