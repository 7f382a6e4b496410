"""Computes the progress, pace and projected end of annotation work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from tui_annotate.domain.assignments import State
from tui_annotate.domain.gold_checks import measure_accuracy
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.work_statistics import (
    PACE_DAYS,
    PRACTICE,
    NoEndReason,
    PersonWork,
    Projection,
    RemainingWork,
    SkippedChecks,
    Week,
    WorkStatistics,
    latest_end,
    project_end,
    week_of,
    weeks_up_to,
)
from tui_annotate.storage.corpus.store import DatasetProgress
from tui_annotate.storage.work_statistics import (
    AssignedCount,
    DatasetWorkload,
    WorkDay,
    WorkStatisticsStore,
)


@check_keywords
@dataclass(frozen=True, slots=True)
class ProgressReader:
    """Computes statistics of annotation work, of one annotator or of all (`everybody`)."""

    store: WorkStatisticsStore
    names: Callable[[], Mapping[str, str]]
    everybody: bool = True
    today: Callable[[], date] = lambda: datetime.now(UTC).date()

    def last_day(self) -> date:
        """Return the last day on which anyone worked; 1970-01-01 without any work."""
        days = [each.day for each in self.store.days() if each.seconds or each.finished]
        return date.fromisoformat(max(days, default="1970-01-01"))

    def figures(self, *, weeks: int = 12) -> WorkStatistics:
        """Compute all statistics of annotation work, by week for the last `weeks` weeks."""
        today = self.today()
        names = self.names()
        datasets = {each.dataset: each for each in self.store.list_workloads()}
        days = self.store.days()
        done = {(each.dataset, each.person): each for each in self.store.progress()}
        assigned = {(each.dataset, each.person): each for each in self.store.assigned()}
        by_person: dict[tuple[str, str], list[WorkDay]] = {}
        for day in days:
            by_person.setdefault((day.dataset, day.person), []).append(day)
        pairs = [pair for pair in {**assigned, **done} if pair[0] in datasets]
        pairs.sort(key=lambda pair: (pair[0], names.get(pair[1], pair[1]), pair[1]))
        practising = self.store.practising()
        locked = self.store.locked()
        work = []
        for pair in pairs:
            name = names.get(pair[1], pair[1])
            did = done.get(pair) or DatasetProgress(
                dataset=pair[0],
                person=pair[1],
                name=name,
                annotations=0,
                completed=0,
                skipped=0,
                flagged=0,
                in_progress=0,
                seconds=0.0,
            )
            given = assigned.get(pair)
            workload = datasets[pair[0]]
            if workload.practice and given and pair not in practising:
                # The author of the answers began the samples before they were for practice.
                workload = replace(workload, practice=False)
                given = None
            work.append(
                _work_of_person(
                    workload,
                    did,
                    given,
                    locked=locked.get(pair, Counter[State]()),
                    days=by_person.get(pair, ()),
                    today=today,
                )
            )
        shown = datasets.values() if self.everybody else ()
        checks, thresholds = self.store.gold_checks()
        gold = measure_accuracy(
            checks, names=names, thresholds=thresholds, paused=self.store.pauses()
        )
        practice = sorted(
            self.store.practice_results(),
            key=lambda each: (each.dataset, names.get(each.person, each.person)),
        )
        suggestions = sorted(
            self.store.suggestion_answers(),
            key=lambda each: (each.dataset, names.get(each.person, each.person)),
        )
        skipped_checks = [
            SkippedChecks(dataset, person, names.get(person, person), count)
            for (dataset, person), count in self.store.skipped_checks(checks).items()
        ]
        return WorkStatistics(
            work=tuple(work),
            weeks=tuple(_sum_weeks(days, weeks_up_to(today, weeks))),
            forecast=tuple(_remaining_work(workload, work, today) for workload in shown),
            flags=tuple(self.store.flags()),
            names=names,
            today=today,
            gold=tuple(gold),
            practice=tuple(practice),
            suggestions=tuple(suggestions),
            skipped_checks=tuple(skipped_checks),
        )


def _work_of_person(
    workload: DatasetWorkload,
    did: DatasetProgress,
    given: AssignedCount | None,
    *,
    locked: Mapping[State, int],
    days: Sequence[WorkDay],
    today: date,
) -> PersonWork:
    finished = did.completed + did.skipped + did.flagged
    from_pool = None if workload.undrawn is None else not (given and given.fixed)
    assigned: int | None
    remaining: int | None
    if workload.practice and workload.undrawn is None:
        assigned = 0
        remaining = None
    elif workload.handed_out or workload.undrawn is not None:
        assigned = given.count if given else 0
        drawing = bool(workload.undrawn and from_pool)
        done_with = given.finished + given.locked if given else 0
        remaining = None if drawing else assigned - done_with
    else:
        unfinished = sum(count for state, count in locked.items() if not state.finished)
        assigned = None
        remaining = max(workload.samples - finished - unfinished, 0)
    since = (today - timedelta(days=PACE_DAYS - 1)).isoformat()
    worked = [day for day in days if day.seconds]
    return PersonWork(
        dataset=did.dataset,
        person=did.person,
        name=did.name,
        assigned=assigned,
        remaining=remaining,
        completed=did.completed,
        skipped=did.skipped - locked[State.SKIPPED],
        flagged=did.flagged - locked[State.FLAGGED],
        in_progress=did.in_progress - locked[State.DRAFT] - locked[State.REOPENED],
        annotations=did.annotations,
        seconds=sum(day.seconds for day in worked),
        completed_recently=sum(day.finished for day in days if day.day >= since),
        first_day=min((day.day for day in days), default=""),
        practice=workload.practice,
        from_pool=from_pool,
        locked=sum(locked.values()),
    )


def _sum_weeks(days: Iterable[WorkDay], wanted: Sequence[str]) -> list[Week]:
    seconds = dict.fromkeys(wanted, 0.0)
    finished = dict.fromkeys(wanted, 0)
    for day in days:
        week = week_of(day.day)
        if week in seconds:
            seconds[week] += day.seconds
            finished[week] += day.finished
    return [Week(week, seconds[week], finished[week]) for week in wanted]


def _remaining_work(
    workload: DatasetWorkload, work: Iterable[PersonWork], today: date
) -> RemainingWork:
    mine = [each for each in work if each.dataset == workload.dataset]
    if workload.practice and workload.undrawn is None:
        return RemainingWork(workload.dataset, None, PRACTICE)
    if not workload.handed_out and workload.undrawn is None:
        ends = [each.end(today) for each in mine if each.seconds or each.remaining == 0]
        end = latest_end(ends) if ends else Projection(reason=NoEndReason.NOT_BEGUN)
        return RemainingWork(workload.dataset, None, end)
    remaining = (workload.undrawn or 0) + sum(
        max((each.assigned or 0) - each.finished - each.locked, 0)
        if each.remaining is None
        else each.remaining
        for each in mine
    )
    first = min((each.first_day for each in mine if each.first_day and each.begun), default="")
    recent = sum(each.completed_recently for each in mine)
    end = project_end(remaining, recent, first=first, today=today)
    return RemainingWork(workload.dataset, remaining, end)


def as_json(figures: WorkStatistics) -> dict[str, Any]:
    """Return work statistics as JSON values, which docs/json.md describes."""
    return {
        "people": [_work_to_json(each, figures) for each in figures.work],
        "weeks": [
            {"week": each.week, "hours": each.hours, "finished": each.finished}
            for each in figures.weeks
        ],
        "forecast": [
            {"dataset": each.dataset, "remaining": each.remaining, "end": asdict(each.end)}
            for each in figures.forecast
        ],
        "flags": [asdict(each) for each in figures.flags],
        "gold": [{**asdict(each), "alert": each.alert} for each in figures.gold],
        "gold_skipped": [asdict(each) for each in figures.skipped_checks],
        "practice": [
            {**asdict(each), "name": figures.names.get(each.person, each.person)}
            for each in figures.practice
        ],
        "suggestion_answers": [
            {
                **asdict(each),
                "name": figures.names.get(each.person, each.person),
                "answered": each.answered,
                "acceptance": each.acceptance,
            }
            for each in figures.suggestions
        ],
    }


def _work_to_json(work: PersonWork, figures: WorkStatistics) -> dict[str, Any]:
    return {
        **asdict(work),
        "hours": work.hours,
        "samples_an_hour": work.samples_an_hour,
        "annotations_an_hour": work.annotations_an_hour,
        "end": asdict(work.end(figures.today)),
    }
