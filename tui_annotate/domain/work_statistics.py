"""Work statistics: progress, pace, and the projected end of work."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum, unique
from typing import Final

PACE_DAYS: Final = 14
"""How many days back the pace is taken from, today with them."""
_HOUR: Final = 3600.0
_LONGEST_PROJECTION: Final = 3650
_BLOCKS: Final = " ▏▎▍▌▋▊▉█"


@unique
class NoEndReason(StrEnum):
    """Why there is no projected day at which work ends."""

    DONE = "done"
    NOT_BEGUN = "not begun"
    IDLE = "nothing in two weeks"
    BEGAN_TODAY = "began today"
    BEGAN_THAT_DAY = "began on that day"
    TOO_FAR = "more than ten years"
    PRACTICE = "practice"
    POOL = "draws from a pool"


@dataclass(frozen=True, slots=True)
class Projection:
    """The day when work ends (ISO 8601) at the pace of the last two weeks; or `why` not."""

    day: str = ""
    why: str = ""


PRACTICE: Final = Projection(why=NoEndReason.PRACTICE)
"""Of a dataset that is assigned for practice alone: such work has no end."""


@dataclass(frozen=True, slots=True)
class PersonWork:
    """Work of one person in one dataset.

    Attributes:
        assigned: None where everyone has every sample.
        remaining: None with a pool, or for practice.
        open: begun or reopened.
        seconds: gaps count up to a minute.
        recent: completed in two weeks.
        first: the day of the first event, or empty.
    """

    dataset: str
    person: str
    name: str
    assigned: int | None
    remaining: int | None
    done: int
    skipped: int
    flagged: int
    open: int
    annotations: int
    seconds: float
    recent: int
    first: str
    practice: bool = False

    @property
    def finished(self) -> int:
        """Samples that are done, skipped or flagged."""
        return self.done + self.skipped + self.flagged

    @property
    def hours(self) -> float:
        """Of work."""
        return self.seconds / _HOUR

    @property
    def begun(self) -> bool:
        """Whether they did anything here; what came with a file is no work."""
        return bool(self.seconds or self.finished or self.open)

    @property
    def samples_an_hour(self) -> float | None:
        """Finished ones; None before a minute of work."""
        return _per_hour(self.finished, self.seconds)

    @property
    def annotations_an_hour(self) -> float | None:
        """As they stand; None before a minute of work."""
        return _per_hour(self.annotations, self.seconds)

    def end(self, today: date) -> Projection:
        """When this person will have done with this dataset."""
        if self.remaining is None and self.practice:
            return PRACTICE
        if self.remaining is None:
            return Projection(why=NoEndReason.POOL)
        first = self.first if self.begun else ""
        return project_end(self.remaining, self.recent, first=first, today=today)


@dataclass(frozen=True, slots=True)
class Week:
    """What was done in a week, by ISO 8601, as `2026-W19`; UTC."""

    week: str
    seconds: float
    finished: int

    @property
    def hours(self) -> float:
        """Of work, pauses taken out."""
        return self.seconds / _HOUR


@dataclass(frozen=True, slots=True)
class FlaggedSample:
    """A sample that somebody flagged, with the reason, which may be empty."""

    dataset: str
    sample: str
    person: str
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """What is still to be done in a dataset by all people, and until when.

    Attributes:
        remaining: readings, one for each person of a sample; None where nothing is assigned, or
            for practice alone.
    """

    dataset: str
    remaining: int | None
    end: Projection


@dataclass(frozen=True, slots=True)
class WorkStatistics:
    """Statistics of work, by dataset, then person's name.

    Attributes:
        weeks: consecutive, of all together.
        ahead: empty without the right to see others.
    """

    work: tuple[PersonWork, ...]
    weeks: tuple[Week, ...]
    ahead: tuple[RemainingWork, ...]
    flags: tuple[FlaggedSample, ...]
    names: Mapping[str, str]
    today: date


def _per_hour(count: int, seconds: float) -> float | None:
    return count * _HOUR / seconds if seconds >= 60 else None


def project_end(remaining: int, recent: int, *, first: str, today: date) -> Projection:
    """Project the end of work at the pace of two weeks, or since the `first` day if later."""
    if remaining <= 0:
        return Projection(why=NoEndReason.DONE)
    if not first:
        return Projection(why=NoEndReason.NOT_BEGUN)
    if not recent:
        return Projection(why=NoEndReason.IDLE)
    days = min(PACE_DAYS, (today - date.fromisoformat(first)).days + 1)
    if days < 2:
        return Projection(why=NoEndReason.BEGAN_TODAY)
    more = math.ceil(remaining * days / recent)
    if more > _LONGEST_PROJECTION:
        return Projection(why=NoEndReason.TOO_FAR)
    return Projection((today + timedelta(days=more)).isoformat())


def latest_end(ends: Iterable[Projection]) -> Projection:
    """When the last of several ends; unknown where one of them is."""
    days = []
    for end in ends:
        if end.day:
            days.append(end.day)
        elif end.why != NoEndReason.DONE:
            return end
    return Projection(max(days)) if days else Projection(why=NoEndReason.DONE)


def week_of(day: str) -> str:
    """The week of a day: `2026-05-04` is in `2026-W19`."""
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year}-W{week:02}"


def weeks_up_to(today: date, count: int) -> list[str]:
    """The last weeks, the one of today at the end."""
    return [week_of((today - timedelta(weeks=back)).isoformat()) for back in range(count)][::-1]


def draw_bar(value: float, most: float, cells: int) -> str:
    """A bar of at most `cells` cells, in eighths; something is shown of whatever is not nothing."""
    if value <= 0 or most <= 0:
        return ""
    eighths = max(1, round(min(value / most, 1.0) * cells * 8))
    return _BLOCKS[8] * (eighths // 8) + _BLOCKS[eighths % 8].strip()
