"""A terminal at the end of a slow line: what either end sends arrives half a round trip later."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from tests.helpers.terminal import PATIENCE, Terminal


class SlowTerminal(Terminal):
    """A terminal whose screen shows what has arrived; it answers queries only then.

    Args:
        round_trip: seconds.
    """

    def __init__(self, command: Sequence[str], *, round_trip: float, **how: Any) -> None:
        self._delay = round_trip / 2
        self._sent: deque[tuple[float, bytes]] = deque()
        self._coming: deque[tuple[float, bytes]] = deque()
        super().__init__(command, **how)

    def press(self, keys: str | bytes) -> None:
        """Sends bytes, which arrive half a round trip later, if the terminal is read meanwhile."""
        data = keys.encode() if isinstance(keys, str) else keys
        self._sent.append((time.monotonic() + self._delay, data))

    def receive(self, timeout: float) -> bytes:
        """What has come through the line within a time; empty also if it is still on its way."""
        now = time.monotonic()
        due = [lane[0][0] for lane in (self._sent, self._coming) if lane]
        until = min([now + timeout, *due])
        if new := super().receive(max(until - now, 0)):
            self._coming.append((time.monotonic() + self._delay, new))
        now = time.monotonic()
        while self._sent and self._sent[0][0] <= now:
            super().press(self._sent.popleft()[1])
        arrived = b""
        while self._coming and self._coming[0][0] <= now:
            arrived += self._coming.popleft()[1]
        return arrived

    @property
    def alive(self) -> bool:
        """Whether the program runs, or something that it sent is still on its way."""
        return bool(self._coming) or super().alive

    def press_until_shown(self, keys: Sequence[str], shown: str, *, every: float) -> int:
        """Press keys in turn, one each `every` seconds, until a text has arrived; return how many.

        Raises:
            AssertionError: the text does not arrive.
        """
        deadline, number = time.monotonic() + PATIENCE, 0
        while shown not in self.text:
            self.press(keys[number % len(keys)])
            number += 1
            self.read_for(every)
            assert time.monotonic() < deadline, self.text
        return number
