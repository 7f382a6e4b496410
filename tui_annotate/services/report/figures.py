"""Figures of the page: how far people are and how far they agree, as values of JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import dropwhile
from typing import Any, Final

from tui_annotate.domain.assignments import State
from tui_annotate.domain.figures import Figures, Projection, Work
from tui_annotate.domain.records import RecordFilter
from tui_annotate.services.report.data import Subject

_KEPT: Final = ("together", "oneself", "left_out", "bootstrap")
_COUNTS: Final = ("assigned", "done", "skipped", "flagged", "open", "annotations")


def of_work(
    found: Figures,
    filters: RecordFilter,
    subject: Subject,
    *,
    name: Callable[[str], str] | None = None,
) -> dict[str, Any]:
    """Who is how far; of a file only what stands in it: it says nothing of pace and end.

    Args:
        name: the word for a person's id; None for their names.
    """
    chosen = [each for each in found.work if _asked(each, filters)]
    work = [replace(each, name=name(each.person)) for each in chosen] if name else chosen
    work.sort(key=lambda each: (each.dataset, each.name))
    ahead = [each for each in found.ahead if filters.dataset in ("", each.dataset)]
    told = not subject.is_file
    weeks = dropwhile(lambda week: not (week.hours or week.finished), found.weeks)
    return {
        "work": [_of_person(each, found, told=told) for each in work],
        "ahead": [
            {"dataset": each.dataset, "remaining": each.remaining, "end": _end(each.end)}
            for each in ahead
            if told and work and not filters.person
        ],
        "weeks": [
            {"week": each.week, "hours": each.hours, "finished": each.finished}
            for each in weeks
            if told and not (filters.person or filters.dataset)
        ],
        "day": found.today.isoformat() if told else "",
    }


def _asked(work: Work, filters: RecordFilter) -> bool:
    dataset = filters.dataset in ("", work.dataset)
    return dataset and filters.person in ("", work.person, work.name)


def _of_person(work: Work, found: Figures, *, told: bool) -> dict[str, Any]:
    end = work.end(found.today) if told else Projection()
    return {
        "name": work.name,
        "dataset": work.dataset,
        **{name: getattr(work, name) for name in _COUNTS},
        "hours": work.hours if told else 0.0,
        "samples_an_hour": work.samples_an_hour,
        "annotations_an_hour": work.annotations_an_hour,
        "end": _end(end),
    }


def _end(end: Projection) -> dict[str, Any]:
    """When work ends; the day from which that is told is not the one on which it is read."""
    return asdict(replace(end, why=end.why.replace("today", "on that day")))


def of_agreement(
    agreement: Callable[[RecordFilter], dict[str, Any]], filters: RecordFilter
) -> dict[str, Any]:
    """How far people agree who are done; where nobody is compared so, of work without a state.

    People and pairs stand in the order of their names, which tells nothing of those behind words.
    """
    for state in (filters.state,) if filters.state else (State.DONE.value, State.NEW.value):
        found = agreement(replace(filters, state=state))
        if found["together"]["samples"] or found["oneself"]["samples"]:
            break
    for compared in (found["together"], found["oneself"]):
        compared["people"].sort()
        for pair in compared["pairs"]:
            pair["people"].sort()
        compared["pairs"].sort(key=lambda pair: pair["people"])
    return {"state": state, **{part: found[part] for part in _KEPT}}
