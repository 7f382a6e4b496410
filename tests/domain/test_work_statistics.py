"""Figures of work: paces, ends, weeks, bars."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from tui_annotate.domain.work_statistics import (
    NoEndReason,
    PersonWork,
    Projection,
    Week,
    begin_with_hours,
    describe_end,
    draw_bar,
    latest_end,
    project_end,
    week_of,
    weeks_up_to,
)

TODAY = date(2026, 5, 4)
WORK = PersonWork("d", "ana", "Ana", 10, 4, 5, 1, 0, 2, 12, 7200.0, 3, "2026-04-30")


@pytest.mark.parametrize(
    ("remaining", "recent", "first", "end"),
    [
        (0, 0, "", Projection(reason=NoEndReason.COMPLETED)),
        (5, 0, "2026-04-01", Projection(reason=NoEndReason.IDLE)),
        (5, 0, "2026-05-01", Projection(reason=NoEndReason.NONE_YET)),
        (5, 0, "2026-05-04", Projection(reason=NoEndReason.BEGAN_TODAY)),
        (5, 3, "", Projection(reason=NoEndReason.NOT_BEGUN)),
        (5, 3, "2026-05-04", Projection(reason=NoEndReason.BEGAN_TODAY)),
        (10_000, 1, "2026-04-01", Projection(reason=NoEndReason.TOO_FAR)),
        (14, 14, "2026-04-01", Projection("2026-05-18")),
        (1, 14, "2026-04-01", Projection("2026-05-05")),
        (5, 5, "2026-05-03", Projection("2026-05-06")),
    ],
)
def test_an_end_is_told_where_it_can_be(
    remaining: int, recent: int, first: str, end: Projection
) -> None:
    """From the days of two weeks that there were; with the reason where it can not be."""
    assert project_end(remaining, recent, first=first, today=TODAY) == end


def test_the_last_of_several_ends_counts() -> None:
    """What is done counts for nothing; one that can not be told makes all so."""
    done, soon, late = (
        Projection(reason=NoEndReason.COMPLETED),
        Projection("2026-05-05"),
        Projection("2026-06-01"),
    )
    assert latest_end([soon, late, done]) == late
    assert latest_end([done]) == latest_end([]) == done
    assert (
        latest_end([soon, Projection(reason=NoEndReason.BEGAN_TODAY)]).reason
        is NoEndReason.BEGAN_TODAY
    )


def test_paces() -> None:
    """Per hour of work; none before 15 minutes of it."""
    assert (WORK.hours, WORK.finished) == (2.0, 6)
    assert (WORK.samples_an_hour, WORK.annotations_an_hour) == (3.0, 6.0)
    assert replace(WORK, seconds=899.0).samples_an_hour is None
    assert WORK.end(TODAY) == Projection("2026-05-11")
    assert replace(WORK, remaining=None).end(TODAY).reason is NoEndReason.POOL


def test_annotations_of_a_file_are_not_begun() -> None:
    """They have a day; but nobody worked, nor finished or opened a sample."""
    came = replace(WORK, completed=0, skipped=0, in_progress=0, seconds=0.0, completed_recently=0)
    assert came.end(TODAY).reason is NoEndReason.NOT_BEGUN
    for begun in (
        replace(came, seconds=1.0),
        replace(came, flagged=1),
        replace(came, in_progress=1),
    ):
        assert begun.end(TODAY).reason is NoEndReason.NONE_YET
    assert replace(came, remaining=0).end(TODAY).reason is NoEndReason.COMPLETED


def test_weeks() -> None:
    """By ISO 8601, over the turn of a year."""
    assert week_of("2026-05-04") == "2026-W19"
    assert weeks_up_to(date(2027, 1, 4), 3) == ["2026-W52", "2026-W53", "2027-W01"]
    assert Week("2026-W19", 1800.0, 1).hours == 0.5


def test_bars() -> None:
    """Never longer than asked for, nothing for nothing, something for whatever is more."""
    assert draw_bar(0, 5, 10) == draw_bar(1, 0, 10) == ""
    assert draw_bar(5, 5, 10) == "█" * 10
    assert draw_bar(0.001, 5, 10) == "▏"
    assert draw_bar(2.5, 5, 3) == "█▌"


def test_an_end_is_completed_only_without_skipped_and_flagged_samples() -> None:
    """They remain, though no other sample does."""
    done = Projection(reason=NoEndReason.COMPLETED)
    assert describe_end(done, 0, 0) == "completed"
    assert describe_end(done, 2, 1) == "2 skipped, 1 flagged left"
    assert describe_end(Projection("2026-05-11"), 2, 1) == "2026-05-11"


def test_hours_of_less_than_three_minutes_are_no_bar() -> None:
    """A bar is drawn for a printed number above zero; the chart begins with one."""
    weeks = [Week("2026-W18", 100.0, 0), Week("2026-W19", 720.0, 1), Week("2026-W20", 0.0, 0)]
    assert begin_with_hours(weeks[:1]) == []
    assert [week.shown_hours for week in begin_with_hours(weeks)] == [0.2, 0.0]
