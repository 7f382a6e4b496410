"""Patience with endpoints: what may be over in a moment is asked again, all else is told in words.

One law for all that send texts away: how often, how long apart, and what a refusal means.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping
from itertools import count
from typing import Final, TypeVar

from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins.api_key import KEYS, key
from tui_annotate.plugins.complaints import complaint, fit
from tui_annotate.plugins.waiting import retry_after

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

COMPLAINT: Final = 65_536
"""Bytes of a refusal that are read."""
_ATTEMPTS: Final = 6
_FIRST_ATTEMPTS: Final = 3
"""Where no connection was ever made: more likely a wrong name than a pause."""
_LONGEST_WAIT: Final = 60.0
_PATIENCE: Final = 120.0
"""Seconds that an endpoint may ask us to wait."""
_TOLD_WAIT: Final = 10.0
"""Seconds of waiting from which on a person should know why nothing moves."""
_PASSING: Final = frozenset({408, 425, 429})
_TOO_MUCH: Final = frozenset({400, 413, 422})
_NEXT: Final = "what is done stays done; the same command goes on from there"


class Refused(Exception):
    """The endpoint does not take this content; less of it, or other content, it may take.

    Attributes:
        status: of the reply.
        told: what the endpoint says, fit for a terminal.
    """

    def __init__(self, status: int, told: str) -> None:
        super().__init__(f"{told} ({status})")
        self.status = status
        self.told = told


class Passing(Exception):
    """Something that may be over in a moment.

    Attributes:
        after: seconds that the endpoint asks us to wait; 0 where it does not.
        connected: whether the endpoint was there.
    """

    def __init__(self, why: str, *, after: float = 0.0, connected: bool = True) -> None:
        super().__init__(why)
        self.after = after
        self.connected = connected


class Patience:
    """Asks one endpoint again after what passes.

    Args:
        host: for people.
        wait: waits so many seconds.

    Attributes:
        reached: whether the endpoint ever answered.
    """

    def __init__(self, host: str, *, wait: Callable[[float], None]) -> None:
        self.host = host
        self.reached = False
        self._wait = wait

    def __call__(self, attempt: Callable[[], _T]) -> _T:
        """What an attempt gives; it is made again after each Passing, a few times.

        Raises:
            Unavailable: it did not pass.
        """
        for made in count(1):
            try:
                return attempt()
            except Passing as error:
                passing = error
            allowed = _ATTEMPTS if passing.connected or self.reached else _FIRST_ATTEMPTS
            if made >= allowed or passing.after > _PATIENCE:
                break
            self._pause(passing, made)
        later = f"; it asks to wait {passing.after:,.0f} s" if passing.after > _PATIENCE else ""
        raise Unavailable(f"{self.host}: {passing}{later}", _NEXT) from passing

    def _pause(self, passing: Passing, made: int) -> None:
        """Each time twice as long, spread by chance so that many who wait do not return at once."""
        longest = min(2.0**made, _LONGEST_WAIT)
        seconds = max(random.uniform(longest / 2, longest), passing.after)  # noqa: S311  no secret
        if seconds >= _TOLD_WAIT:
            _log.warning("%s: %s; waiting %.0f s", self.host, passing, seconds)
        self._wait(seconds)

    def told(self, status: int, headers: Mapping[str, str], body: bytes) -> Exception:
        """What a reply that is no answer means: Passing, Refused or Unavailable.

        Args:
            headers: by names in lower case.
            body: its first `COMPLAINT` bytes.
        """
        told = complaint(body)
        if status in _TOO_MUCH:
            return Refused(status, told)
        if status in {401, 403}:
            whose = "the key" if key() else "a request without a key"
            return Unavailable(
                f"{self.host} refuses {whose} ({status})",
                f"set {KEYS[0]} or {KEYS[1]} in the environment to a key of this endpoint",
            )
        if 300 <= status < 400 and "location" in headers:
            return Unavailable(
                f"{self.host} wants the texts sent to another address: "
                f"{fit(headers['location'])} ({status})",
                "where you trust that address, give it as --base-url",
            )
        if status == 404:
            return Unavailable(
                f"{self.host} knows no such model or address: {told} (404)",
                "check the model, and --base-url, which most often ends in /v1",
            )
        used_up = status == 429 and b"insufficient_quota" in body
        if not used_up and (status in _PASSING or status >= 500):
            return Passing(f"{told} ({status})", after=retry_after(headers))
        return Unavailable(f"{self.host}: {told} ({status})", _NEXT)
