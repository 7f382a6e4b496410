"""Statistics of annotation work: progress, speed, expected end, and accuracy on gold samples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum, unique
from itertools import dropwhile
from typing import Final

from tui_annotate.domain.assignments import State, describe_set_aside

PACE_DAYS: Final = 14
"""Number of days, including today, from which the speed of annotation is computed."""
RECENT: Final = 10
"""Number of a person's last samples with known answers that decide about an alert."""
LEAST_CHECKS: Final = 3
"""Number of samples with known answers below which there is no alert about a person."""
_HOUR: Final = 3600.0
_LEAST_PACE_TIME: Final = 900.0
"""Seconds of work below which there is no pace, as a few samples would decide it."""
_LONGEST_PROJECTION: Final = 3650
_BLOCKS: Final = " ▏▎▍▌▋▊▉█"


@unique
class NoEndReason(StrEnum):
    """The reason why no end date of a person's work can be estimated."""

    COMPLETED = "completed"
    NOT_BEGUN = "not started"
    IDLE = "nothing completed for two weeks"
    NONE_YET = "nothing completed yet"
    BEGAN_TODAY = "started today"
    BEGAN_THAT_DAY = "started on the day of the report"
    TOO_FAR = "ends in over ten years"
    PRACTICE = "practice"
    POOL = "takes from a pool"


@dataclass(frozen=True, slots=True)
class Projection:
    """The estimated day (ISO 8601) on which work will be completed, or why it is unknown."""

    day: str = ""
    reason: str = ""


PRACTICE: Final = Projection(reason=NoEndReason.PRACTICE)
"""The projection for datasets that are only for practice: no end of work is estimated."""


@dataclass(frozen=True, slots=True)
class PersonWork:
    """Statistics of one person's work in one dataset, such as the number of done samples.

    Attributes:
        remaining: samples left to finish; None if the person takes samples from a pool that has
            some left, or for practice.
        seconds: working time; each gap between actions counts up to one minute.
        from_pool: whether the person takes samples from the dataset's pool; None without a pool.
            People to whom an admin assigned samples of the dataset take none.
        locked: samples that were adjudicated before the person completed them. No other number
            includes them, except `assigned`.
    """

    dataset: str
    person: str
    name: str
    assigned: int | None
    remaining: int | None
    completed: int
    skipped: int
    flagged: int
    in_progress: int
    annotations: int
    seconds: float
    completed_recently: int
    first_day: str
    practice: bool = False
    from_pool: bool | None = None
    locked: int = 0

    @property
    def finished(self) -> int:
        """Number of samples that the person completed, skipped or flagged."""
        return self.completed + self.skipped + self.flagged

    @property
    def new(self) -> int | None:
        """Number of samples left on which the person did no work; None if `remaining` is None."""
        return None if self.remaining is None else max(self.remaining - self.in_progress, 0)

    @property
    def hours(self) -> float:
        return self.seconds / _HOUR

    @property
    def begun(self) -> bool:
        """Whether the person did any work in the dataset; imported work does not count."""
        return bool(self.seconds or self.finished or self.in_progress)

    @property
    def samples_an_hour(self) -> float | None:
        """Number of finished samples per hour of work; None before 15 minutes of work."""
        return _per_hour(self.finished, self.seconds)

    @property
    def annotations_an_hour(self) -> float | None:
        """Number of annotations per hour of work; None before 15 minutes of work."""
        return _per_hour(self.annotations, self.seconds)

    def end(self, today: date) -> Projection:
        """Estimate when the person finishes the dataset; unknown for practice and pools."""
        if self.remaining is None and self.practice:
            return PRACTICE
        if self.remaining is None:
            return Projection(reason=NoEndReason.POOL)
        first = self.first_day if self.begun else ""
        return project_end(self.remaining, self.completed_recently, first=first, today=today)


@dataclass(frozen=True, slots=True)
class Week:
    """Work done in one ISO 8601 week in UTC, such as `2026-W19`."""

    week: str
    seconds: float
    finished: int

    @property
    def hours(self) -> float:
        return self.seconds / _HOUR

    @property
    def shown_hours(self) -> float:
        """The hours as they are printed, so that a bar is drawn only for a number above zero."""
        return round(self.hours, 1)


@dataclass(frozen=True, slots=True)
class FlaggedSample:
    """A sample that a person flagged, with the reason they gave; `at` is in UTC."""

    dataset: str
    sample: str
    person: str
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """The number of samples left in a dataset, summed over annotators, and the expected end."""

    dataset: str
    remaining: int | None
    end: Projection


@dataclass(frozen=True, slots=True)
class WeekAccuracy:
    """A person's mean score on samples with known answers in one ISO 8601 week."""

    week: str
    checks: int
    accuracy: float


@dataclass(frozen=True, slots=True)
class GoldAccuracy:
    """A person's accuracy on a dataset's samples with known answers, in [0, 1].

    Attributes:
        recent_accuracy: mean score of the last `RECENT` checks.
        threshold: accuracy below which there is an alert; None without a rule.
        older_answers: number of checks that were scored with an answer that was changed later.
        paused: whether the person's work is paused, because the accuracy was too low.
        edited_later: number of checks that the person edited after their first completion; the
            edits do not count.
    """

    dataset: str
    person: str
    name: str
    checks: int
    accuracy: float
    recent_accuracy: float
    threshold: float | None
    weeks: tuple[WeekAccuracy, ...]
    older_answers: int = 0
    paused: bool = False
    edited_later: int = 0

    @property
    def alert(self) -> bool:
        """Whether the person's accuracy on three or more recent gold samples is too low."""
        if self.threshold is None or self.checks < LEAST_CHECKS:
            return False
        return self.recent_accuracy < self.threshold


@dataclass(frozen=True, slots=True)
class SkippedChecks:
    """Number of gold samples that a person skipped or flagged, and never completed."""

    dataset: str
    person: str
    name: str
    skipped: int


@dataclass(frozen=True, slots=True)
class AnsweredSuggestions:
    """Numbers of a person's answers to the suggestions of machines in a dataset.

    Attributes:
        changed: suggestions that the person accepted, and changed at once or later.
        removed: suggestions that the person accepted, and whose annotation was deleted later.
        began_as_suggestions: annotations of the person that began so and exist.
        passed: completed readings of the person in which a suggestion has no answer; 0 if the
            dataset hides suggestions.
        undone: acceptances in completed readings that the person undid, without a later answer.
    """

    dataset: str
    person: str
    accepted: int
    changed: int
    refused: int
    removed: int
    began_as_suggestions: int
    passed: int = 0
    undone: int = 0

    @property
    def answered(self) -> int:
        return self.accepted + self.changed + self.refused + self.removed

    @property
    def acceptance(self) -> float | None:
        """Share of the answers that accept a suggestion, in [0, 1]; None without answers."""
        kept = self.accepted + self.changed
        return kept / self.answered if self.answered else None


@dataclass(frozen=True, slots=True)
class PracticeResult:
    """A person's last result in a practice dataset.

    Attributes:
        attempts: number of times that the person finished all practice samples.
        score: mean score of the last attempt's samples, in [0, 1].
        needed: score to pass, in [0, 1]; None if there is none, then `passed` is None too.
        final: whether no further attempt follows.
        allowed: attempts that the rule of the dataset allows at present; 0 until the person passes.
        retries: further attempts that an admin gave the person.
        before_passing: other samples that the person completed before they passed, and that are
            complete; 0 without a score to pass.
    """

    dataset: str
    person: str
    attempts: int
    score: float
    needed: float | None
    passed: bool | None
    final: bool
    allowed: int = 0
    retries: int = 0
    before_passing: int = 0


@dataclass(frozen=True, slots=True)
class WorkStatistics:
    """Work statistics of a workspace.

    Attributes:
        forecast: remaining work by dataset; empty if the user cannot see others' work.
        gold: accuracy on gold samples; empty if the user may not manage the workspace.
        practice: last results of practice, by dataset and name.
        suggestions: answers to suggestions, by dataset and name; only of people with any.
    """

    work: tuple[PersonWork, ...]
    weeks: tuple[Week, ...]
    forecast: tuple[RemainingWork, ...]
    flags: tuple[FlaggedSample, ...]
    names: Mapping[str, str]
    today: date
    gold: tuple[GoldAccuracy, ...] = ()
    practice: tuple[PracticeResult, ...] = ()
    suggestions: tuple[AnsweredSuggestions, ...] = ()
    skipped_checks: tuple[SkippedChecks, ...] = ()

    def set_aside(self, dataset: str) -> tuple[int, int]:
        """Return the numbers of skipped and of flagged readings in a dataset."""
        work = [each for each in self.work if each.dataset == dataset]
        return sum(each.skipped for each in work), sum(each.flagged for each in work)


def describe_practice(result: PracticeResult) -> str:
    """Return whether a person passed practice, may try again, or did not pass."""
    if result.passed is None:
        return "completed"
    if result.passed:
        return "passed"
    return "not passed" if result.final else "not passed yet"


def _per_hour(count: int, seconds: float) -> float | None:
    return count * _HOUR / seconds if seconds >= _LEAST_PACE_TIME else None


def project_end(remaining: int, recent: int, *, first: str, today: date) -> Projection:
    """Estimate the day on which work ends at the speed of the last two weeks.

    `remaining`: samples left. `recent`: samples completed in the two weeks. `first`: day of the
    first work, ISO 8601, or empty; if it is within the two weeks, the pace counts from that day.
    """
    if remaining <= 0:
        return Projection(reason=NoEndReason.COMPLETED)
    if not first:
        return Projection(reason=NoEndReason.NOT_BEGUN)
    days = (today - date.fromisoformat(first)).days + 1
    if days < 2:
        return Projection(reason=NoEndReason.BEGAN_TODAY)
    if not recent:
        return Projection(reason=NoEndReason.NONE_YET if days <= PACE_DAYS else NoEndReason.IDLE)
    days = min(PACE_DAYS, days)
    more = math.ceil(remaining * days / recent)
    if more > _LONGEST_PROJECTION:
        return Projection(reason=NoEndReason.TOO_FAR)
    return Projection((today + timedelta(days=more)).isoformat())


def describe_end(end: Projection, skipped: int, flagged: int) -> str:
    """Return the day on which work ends, else the reason why there is no estimate.

    Work without a remaining sample is completed only if no sample is skipped or flagged.
    """
    if end.day:
        return end.day
    if end.reason != NoEndReason.COMPLETED:
        return end.reason
    aside = describe_set_aside(skipped, flagged)
    return f"{aside} left" if aside else State.DONE.display_name


def latest_end(ends: Iterable[Projection]) -> Projection:
    """Return the latest of several estimated ends of work; unknown if any of them is unknown."""
    days = []
    for end in ends:
        if end.day:
            days.append(end.day)
        elif end.reason != NoEndReason.COMPLETED:
            return end
    return Projection(max(days)) if days else Projection(reason=NoEndReason.COMPLETED)


def week_of(day: str) -> str:
    """Return the ISO 8601 week of a day, such as `2026-W19`; the day is in ISO 8601 too."""
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year}-W{week:02}"


def weeks_up_to(today: date, count: int) -> list[str]:
    """Return the last `count` ISO weeks up to today, such as `2026-W19`, oldest first."""
    return [week_of((today - timedelta(weeks=back)).isoformat()) for back in range(count)][::-1]


def begin_with_hours(weeks: Sequence[Week]) -> list[Week]:
    """Return the weeks from the first one whose printed hours are above zero."""
    return list(dropwhile(lambda week: not week.shown_hours, weeks))


def draw_bar(value: float, most: float, cells: int) -> str:
    """Draw a bar of up to `cells` character cells; `most` is the value of a full bar."""
    if value <= 0 or most <= 0:
        return ""
    eighths = max(1, round(min(value / most, 1.0) * cells * 8))
    return _BLOCKS[8] * (eighths // 8) + _BLOCKS[eighths % 8].strip()
