"""Figures of work: who is how far, how fast, and until when, from the log and what stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from tui_annotate.domain.figures import (
    PACE_DAYS,
    PRACTICE,
    Ahead,
    Figures,
    Projection,
    Week,
    Work,
    projected,
    together,
    week_of,
    weeks_up_to,
)
from tui_annotate.storage.corpus.datasets import Progress
from tui_annotate.storage.figures import Assigned, Day, FigureStore, Room


def _today() -> date:
    return datetime.now(UTC).date()


@dataclass(frozen=True, slots=True)
class Measure:
    """Figures as far as the actor may see them.

    Attributes:
        names: of people, by id.
        everybody: whether the actor sees the work of all.
        today: gives the day, UTC.
    """

    store: FigureStore
    names: Callable[[], Mapping[str, str]]
    everybody: bool = True
    today: Callable[[], date] = _today

    def last_day(self) -> date:
        """The last day of any work, which is the same as long as the store is."""
        days = [each.day for each in self.store.days() if each.seconds or each.finished]
        return date.fromisoformat(max(days, default="1970-01-01"))

    def figures(self, *, weeks: int = 12) -> Figures:
        """All figures.

        Args:
            weeks: how many of the last ones are told one by one.
        """
        today, names = self.today(), self.names()
        rooms = {room.dataset: room for room in self.store.rooms()}
        days = self.store.days()
        work = _work(self.store, rooms, days, names=names, today=today)
        return Figures(
            tuple(work),
            tuple(_weeks(days, weeks_up_to(today, weeks))),
            tuple(_ahead(room, work, today) for room in rooms.values()) if self.everybody else (),
            tuple(self.store.flags()),
            names,
            today,
        )


def _work(
    store: FigureStore,
    rooms: Mapping[str, Room],
    days: Iterable[Day],
    *,
    names: Mapping[str, str],
    today: date,
) -> list[Work]:
    done = {(each.dataset, each.person): each for each in store.progress()}
    assigned = {(each.dataset, each.person): each for each in store.assigned()}
    by_person: dict[tuple[str, str], list[Day]] = {}
    for day in days:
        by_person.setdefault((day.dataset, day.person), []).append(day)
    pairs = [pair for pair in {**assigned, **done} if pair[0] in rooms]
    pairs.sort(key=lambda pair: (pair[0], names.get(pair[1], pair[1]), pair[1]))
    return [
        _of_person(
            rooms[dataset],
            done.get((dataset, person))
            or Progress(dataset, person, names.get(person, person), 0, 0, 0, 0, 0, 0.0),
            assigned.get((dataset, person)),
            days=by_person.get((dataset, person), ()),
            today=today,
        )
        for dataset, person in pairs
    ]


def _of_person(
    room: Room, did: Progress, given: Assigned | None, *, days: Sequence[Day], today: date
) -> Work:
    finished = did.done + did.skipped + did.flagged
    if room.practice and room.undrawn is None:
        assigned, remaining = 0, None
    elif room.handed_out or room.undrawn is not None:
        assigned = given.count if given else 0
        remaining = None if room.undrawn else assigned - (given.finished if given else 0)
    else:
        assigned, remaining = None, max(room.samples - finished, 0)
    since = (today - timedelta(days=PACE_DAYS - 1)).isoformat()
    worked = [day for day in days if day.seconds]
    return Work(
        did.dataset,
        did.person,
        did.name,
        assigned,
        remaining,
        did.done,
        did.skipped,
        did.flagged,
        did.open,
        did.annotations,
        sum(day.seconds for day in worked),
        sum(day.finished for day in days if day.day >= since),
        min((day.day for day in days), default=""),
        practice=room.practice,
    )


def _weeks(days: Iterable[Day], wanted: Sequence[str]) -> list[Week]:
    seconds = dict.fromkeys(wanted, 0.0)
    finished = dict.fromkeys(wanted, 0)
    for day in days:
        week = week_of(day.day)
        if week in seconds:
            seconds[week] += day.seconds
            finished[week] += day.finished
    return [Week(week, seconds[week], finished[week]) for week in wanted]


def _ahead(room: Room, work: Iterable[Work], today: date) -> Ahead:
    mine = [each for each in work if each.dataset == room.dataset]
    if room.practice and room.undrawn is None:
        return Ahead(room.dataset, None, PRACTICE)
    if not room.handed_out and room.undrawn is None:
        ends = [each.end(today) for each in mine if each.seconds or each.remaining == 0]
        return Ahead(room.dataset, None, together(ends) if ends else Projection(why="not begun"))
    remaining = (room.undrawn or 0) + sum(
        max((each.assigned or 0) - each.finished, 0) if each.remaining is None else each.remaining
        for each in mine
    )
    first = min((each.first for each in mine if each.first and each.begun), default="")
    recent = sum(each.recent for each in mine)
    return Ahead(room.dataset, remaining, projected(remaining, recent, first=first, today=today))


def as_json(figures: Figures) -> dict[str, Any]:
    """The figures as values of JSON."""
    return {
        "people": [_work_as_json(each, figures) for each in figures.work],
        "weeks": [
            {"week": each.week, "hours": each.hours, "finished": each.finished}
            for each in figures.weeks
        ],
        "ahead": [
            {"dataset": each.dataset, "remaining": each.remaining, "end": asdict(each.end)}
            for each in figures.ahead
        ],
        "flags": [asdict(each) for each in figures.flags],
    }


def _work_as_json(work: Work, figures: Figures) -> dict[str, Any]:
    return {
        **asdict(work),
        "hours": work.hours,
        "samples_an_hour": work.samples_an_hour,
        "annotations_an_hour": work.annotations_an_hour,
        "end": asdict(work.end(figures.today)),
    }
