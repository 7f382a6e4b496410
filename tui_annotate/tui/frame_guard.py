"""Guard against keys that were pressed before their user saw the sample on which they would act.

On a slow connection, a key that was meant for the previous sample arrives after the next sample was
drawn. The terminal reports when it has received the frame, so a key that was read before the report
cannot answer what the frame shows.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

SETTLING_TIME: float = 0.25
"""Seconds after the terminal has a frame in which no key can be an answer to the frame."""

UNREPORTED_TIME: float = 1.0
"""Seconds after a frame was drawn in which nothing is stored if no report can be relied on.

That is so if the terminal sends no reports, or if a multiplexer such as tmux sends them instead of
it. It suffices for connections with a round trip of up to a second.
"""

_LONGEST_PROLONGATION: Final = 1.0
"""Seconds after the message about a refused key in which quick keys may keep the guard closed."""


class FrameGuard:
    """State of the frame that the user must see before a key may store anything.

    All times are those of Textual's events, in seconds.

    Args:
        is_multiplexed: whether a multiplexer receives the frames instead of the user's terminal.
        request_report: asks for a report of the next frame; its argument is to be called with the
            time of the report.

    Attributes:
        is_other_sample: whether the frame shows another sample than the frame before.
    """

    def __init__(
        self,
        request_report: Callable[[Callable[[float], None]], None],
        *,
        is_multiplexed: bool = False,
    ) -> None:
        self._request_report = request_report
        self._is_multiplexed = is_multiplexed
        self._drawn_at: float | None = None
        self._reported_at: float | None = None
        self._prolonged_until = -inf
        self._is_reporting = False  # whether the terminal has ever sent a report
        self._refused_at: float | None = None  # time of the first refused key
        self.is_other_sample = False

    def close(self) -> None:
        """Refuse keys until the next frame has been seen, because it shows another sample."""
        self._drawn_at = self._reported_at = None
        self._refused_at = None
        self.is_other_sample = True
        self._request_report(self.report)

    def draw(self, time: float) -> None:
        """Record when the frame was drawn."""
        self._drawn_at = time

    def restart(self, time: float) -> None:
        """Refuse keys until a change of the sample on screen at `time` has been seen."""
        self.close()
        self.is_other_sample = False
        self.draw(time)

    def report(self, time: float) -> None:
        """Record that the terminal has the frame."""
        self._is_reporting = True
        self._reported_at = time

    @property
    def opens_at(self) -> float:
        """Time from which keys may store work; infinite until the frame is drawn.

        It is infinite until the report, too, if the terminal has ever sent one: an outage of the
        connection has no longest time.
        """
        if self._drawn_at is None:
            return inf
        if self._relies_on_reports and self._reported_at is None:
            return inf
        opens_at = min(self._prolonged_until, self._longest_prolongation)
        if self._reported_at is not None:
            opens_at = max(opens_at, self._reported_at + SETTLING_TIME)
        if not self._relies_on_reports:
            opens_at = max(opens_at, self._drawn_at + UNREPORTED_TIME)
        return opens_at

    @property
    def _relies_on_reports(self) -> bool:
        return self._is_reporting and not self._is_multiplexed

    @property
    def _longest_prolongation(self) -> float:
        message_at = self._reported_at if self._relies_on_reports else self._refused_at
        return inf if message_at is None else message_at + _LONGEST_PROLONGATION

    def is_closed(self, time: float) -> bool:
        """Return whether a key that was read at `time` may not store anything."""
        return time < self.opens_at

    def note_key(self, time: float) -> None:
        """Record a key that stores work or may be text; movement by other keys is not recorded.

        After a refused key, the guard stays closed while such keys follow quickly, because they may
        be the text of a note whose key `m` was refused. It opens a second after the message.
        """
        if self._refused_at is not None and self.is_closed(time):
            self._prolonged_until = time + SETTLING_TIME

    def refuse(self, time: float) -> None:
        """Record that a key was refused; its user has yet to see the message about it."""
        self._prolonged_until = time + SETTLING_TIME
        if self._refused_at is not None:
            return  # the message is on its way, or was seen
        self._refused_at = time if self._drawn_at is None else max(time, self._drawn_at)
        if self._drawn_at is None:
            return
        self._drawn_at = time  # of the message
        if self._relies_on_reports:
            self._reported_at = None
            self._request_report(self.report)
