"""Converts samples, annotations and statistics to the JSON values of an HTML report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import dropwhile
from typing import Any, Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.work_statistics import (
    NoEndReason,
    PersonWork,
    Projection,
    WorkStatistics,
    describe_practice,
)

_AGREEMENT_PARTS: Final = ("together", "oneself", "left_out", "suggested_work", "bootstrap")
_COUNT_FIELDS: Final = (
    "assigned",
    "completed",
    "skipped",
    "flagged",
    "in_progress",
    "locked",
    "annotations",
)


def work_data(
    found: WorkStatistics,
    filters: RecordFilter,
    subject: ReportSubject,
    *,
    name: Callable[[str], str] | None = None,
) -> dict[str, Any]:
    """Return the progress of annotators as JSON, with the projected end of work."""
    chosen = [
        each
        for each in found.work
        if filters.dataset in ("", each.dataset) and filters.person in ("", each.person, each.name)
    ]
    work = [replace(each, name=name(each.person)) for each in chosen] if name else chosen
    work.sort(key=lambda each: (each.dataset, each.name))
    ahead = [each for each in found.forecast if filters.dataset in ("", each.dataset)]
    with_pace = not subject.is_file
    weeks = dropwhile(lambda week: not (week.hours or week.finished), found.weeks)
    return {
        "work": [_person_to_json(each, found, with_pace=with_pace) for each in work],
        "forecast": [
            {"dataset": each.dataset, "remaining": each.remaining, "end": _end_to_json(each.end)}
            for each in ahead
            if with_pace and work and not filters.person
        ],
        "weeks": [
            {"week": each.week, "hours": each.hours, "finished": each.finished}
            for each in weeks
            if with_pace and not (filters.person or filters.dataset)
        ],
        "gold": _gold_to_json(found, filters, name=name) if with_pace else [],
        "practice": _practice_to_json(found, filters, name=name) if with_pace else [],
        "day": found.today.isoformat() if with_pace else "",
    }


def _gold_to_json(
    found: WorkStatistics, filters: RecordFilter, *, name: Callable[[str], str] | None
) -> list[dict[str, Any]]:
    chosen = [
        replace(each, name=name(each.person) if name else each.name)
        for each in found.gold
        if filters.dataset in ("", each.dataset) and filters.person in ("", each.person, each.name)
    ]
    chosen.sort(key=lambda each: (each.dataset, each.name))
    fields = (
        "name",
        "dataset",
        "checks",
        "accuracy",
        "recent_accuracy",
        "threshold",
        "alert",
        "older_answers",
        "paused",
        "edited_later",
    )
    return [
        {
            **{field: getattr(each, field) for field in fields},
            "weeks": [asdict(week) for week in each.weeks],
        }
        for each in chosen
    ]


def _practice_to_json(
    found: WorkStatistics, filters: RecordFilter, *, name: Callable[[str], str] | None
) -> list[dict[str, Any]]:
    shown = []
    for each in found.practice:
        real = found.names.get(each.person, each.person)
        if filters.dataset in ("", each.dataset) and filters.person in ("", each.person, real):
            shown.append(
                {
                    "name": name(each.person) if name else real,
                    "dataset": each.dataset,
                    "attempts": each.attempts,
                    "score": each.score,
                    "needed": each.needed,
                    "result": describe_practice(each),
                }
            )
    return sorted(shown, key=lambda each: (each["dataset"], each["name"]))


def _person_to_json(work: PersonWork, found: WorkStatistics, *, with_pace: bool) -> dict[str, Any]:
    end = work.end(found.today) if with_pace else Projection()
    return {
        "name": work.name,
        "dataset": work.dataset,
        **{name: getattr(work, name) for name in _COUNT_FIELDS},
        "hours": work.hours if with_pace else 0.0,
        "samples_an_hour": work.samples_an_hour,
        "annotations_an_hour": work.annotations_an_hour,
        "end": _end_to_json(end),
    }


def _end_to_json(end: Projection) -> dict[str, Any]:
    """Return the projected end of annotation work as JSON that avoids the word "today"."""
    began_today = end.reason == NoEndReason.BEGAN_TODAY
    return asdict(replace(end, reason=NoEndReason.BEGAN_THAT_DAY) if began_today else end)


def agreement_data(
    agreement: Callable[[RecordFilter], Mapping[str, Any]], filters: RecordFilter
) -> dict[str, Any]:
    """Return agreement statistics of completed samples; if none are completed, of all samples."""
    states = (filters.state,) if filters.state else (State.DONE.value, State.NEW.value)
    for state in states:
        found = agreement(replace(filters, state=state))
        if found["together"]["samples"] or found["oneself"]["samples"]:
            break
    # Sorted by name, so that the order does not reveal who has which pseudonym.
    for compared in (found["together"], found["oneself"]):
        compared["people"].sort()
        for pair in compared["pairs"]:
            pair["people"].sort()
        compared["pairs"].sort(key=lambda pair: pair["people"])
    return {"state": state, **{part: found[part] for part in _AGREEMENT_PARTS}}


@dataclass(frozen=True, slots=True)
class ReportSubject:
    """Subject of an HTML report: a workspace or a file.

    `arrived`: times before and after a file was read, between which times are not the file's data.
    """

    title: str = ""
    arrived: tuple[str, str] = ("", "")

    @property
    def is_file(self) -> bool:
        return bool(self.arrived[0])

    def time(self, moment: str) -> str:
        """Return a stored time; empty if it is the time at which the program read a file."""
        first, last = self.arrived
        return "" if first and first <= moment <= last else moment


@dataclass(slots=True)
class PageValues:
    """The values that one page of a report contains, with each text once."""

    subject: ReportSubject
    _texts: dict[bytes, int] = field(default_factory=dict)

    def new_texts(self, sample: Sample) -> Iterator[str]:
        """Yield the texts of a sample that the current page of the report does not contain yet."""
        for document in sample.documents:
            key = bytes.fromhex(document.sha256)
            if key not in self._texts:
                self._texts[key] = len(self._texts)
                yield document.text

    def sample(self, record: Record) -> dict[str, Any]:
        """Return a sample with its annotations and assignments as JSON."""
        sample = record.sample
        places = _document_indexes(sample)
        request = {name: getattr(sample.request, name) for name in _REQUEST_FIELDS}
        return {
            "dataset": sample.dataset,
            "id": sample.id,
            "kind": sample.kind.value,
            "group": sample.group,
            "request": {name: text for name, text in request.items() if text},
            "meta": dict(sample.meta),
            "documents": [self._document_to_json(each) for each in sample.documents],
            "annotations": [self._annotation_to_json(each, places) for each in record.annotations],
            "work": [self._assignment_to_json(each) for each in record.assignments],
        }

    def _document_to_json(self, document: Document) -> dict[str, Any]:
        return {
            "side": document.side.value,
            "key": document.key,
            "title": document.title,
            "language": document.language,
            "text": self._texts[bytes.fromhex(document.sha256)],
        }

    def _annotation_to_json(
        self, owned: OwnedAnnotation, places: Mapping[Side, list[int]]
    ) -> dict[str, Any]:
        one = owned.annotation
        value: dict[str, Any] = {
            "person": owned.person,
            "labels": [list(path) for path in one.labels],
            "claim": [_anchor_to_json(each, places) for each in one.claim],
            "evidence": [_anchor_to_json(each, places) for each in one.evidence],
            "note": one.note,
            "origin": one.origin,
            "created": self.subject.time(one.created),
            "updated": self.subject.time(one.updated),
        }
        if one.settled is not None:
            value["settled"] = {
                "by": one.settled.by,
                "how": one.settled.how.value,
                "sources": len(one.settled.sources),
                "reason": one.settled.reason.value,
                "note": one.settled.note,
            }
        return value

    def _assignment_to_json(self, work: Assignment) -> dict[str, Any]:
        return {
            "person": work.person,
            "state": work.state.value,
            "rating": work.rating,
            "comment": work.comment,
            "seconds": work.seconds,
            "updated": self.subject.time(work.updated),
        }


_REQUEST_FIELDS = ("title", "problem", "background", "question")


def _document_indexes(sample: Sample) -> dict[Side, list[int]]:
    places: dict[Side, list[int]] = {side: [] for side in Side}
    for place, document in enumerate(sample.documents):
        places[document.side].append(place)
    return places


def _anchor_to_json(anchor: Anchor, places: Mapping[Side, list[int]]) -> list[int]:
    return [places[anchor.side][anchor.index], anchor.span.start, anchor.span.end]


def label_data(trees: Mapping[str, LabelTree | None]) -> dict[str, Any]:
    """Return the titles of both sides by dataset, and each label of all label sets once.

    The first label set with a label decides its color and description.
    """
    known: dict[tuple[str, ...], dict[str, Any]] = {}
    for tree in trees.values():
        if tree is None:
            continue
        for label in tree.walk():
            value = {"path": list(label.path), "color": label.color}
            known.setdefault(label.path, value | {"description": label.description})
    return {
        "datasets": {dataset: _side_titles(tree) for dataset, tree in trees.items()},
        "labels": list(known.values()),
    }


def _side_titles(tree: LabelTree | None) -> dict[str, str]:
    if tree is None:
        return {"source": "Source", "summary": "Summary"}
    return {"source": tree.source_title, "summary": tree.summary_title}
