"""Rules that work copied from another workspace must obey to count as an annotator's own work."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from tui_annotate.domain.annotations import HUMAN, Annotation, LabelPath, annotation_from_json
from tui_annotate.domain.assignments import IDLE_CAP
from tui_annotate.domain.errors import InvalidSpan, NotFound
from tui_annotate.domain.history import (
    ALLOW,
    IMPORT,
    JOIN,
    REVIEW_VERBS,
    Event,
    Payload,
    canonical_json,
)
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.samples import Sample, Side

CLOCK_TOLERANCE: Final = timedelta(hours=1)
"""How far the clock of another machine may be ahead of the local clock."""
_LONGEST_IMPORT: Final = 366 * 86_400.0
"""Maximum working time, in seconds, of an event that imports the sum of earlier work."""
_IMPORTED: Final = "imported:"


@dataclass(frozen=True, slots=True)
class WorkRules:
    """The sample, labels and time with which work imported from another workspace is checked."""

    sample: Sample
    labels: Collection[LabelPath] | None
    now: datetime


def find_broken_rule(new: Iterable[Event], here: Sequence[Event], rules: WorkRules) -> str:
    """Return why events from another workspace are no valid work of a person, or "".

    Annotations that the local stream had in the same form are not checked.
    """
    stored = [one for event in here for one in _added(event)]
    known = {canonical_json(payload) for payload in stored}
    origins: dict[str, str] = {payload["id"]: payload["origin"] for payload in stored}
    for event in new:
        says = _find_event_problem(event, rules)
        for payload in _added(event):
            if says:
                break
            if canonical_json(payload) not in known:
                says = _find_annotation_problem(event, payload, origins=origins, rules=rules)
            origins[payload["id"]] = payload["origin"]
        if says:
            return f"the action {event.action.verb!r} of {event.at}: {says}"
    return ""


def _added(event: Event) -> list[Payload]:
    return [one for one in event.action.after.annotations.values() if one is not None]


def _find_event_problem(event: Event, rules: WorkRules) -> str:
    if event.action.verb in REVIEW_VERBS | {ALLOW}:
        return "only reviewers can do this action, and only on adjudicated work"
    if _is_future(event.at, rules.now):
        return "the action's time is in the future; check the clocks of both machines"
    longest = _LONGEST_IMPORT if event.action.verb == IMPORT else IDLE_CAP
    if event.seconds > longest:
        return f"the working time of {event.seconds:g} seconds is longer than {longest:g} seconds"
    return ""


def _find_annotation_problem(
    event: Event, payload: Payload, *, origins: dict[str, str], rules: WorkRules
) -> str:
    annotation = annotation_from_json(payload)
    says = _find_time_problem(annotation, rules) or _find_span_problem(annotation, rules)
    if rules.labels is not None and not says:
        says = _find_origin_problem(event, annotation, before=origins.get(annotation.id, ""))
        if annotation.origin == HUMAN:
            says = says or _find_label_problem(annotation, rules.labels)
            if event.action.verb != IMPORT:  # imported work keeps the spans of its file
                says = says or _find_white_space(annotation, rules)
    return f"annotation {annotation.id}: {says}" if says else ""


def _find_origin_problem(event: Event, annotation: Annotation, *, before: str) -> str:
    origin = annotation.origin
    if annotation.settled is not None:
        return "the annotation contains an adjudication, which is not an annotator's own work"
    if before:
        changed = f"the annotation's origin changed from {before!r} to {origin!r}"
        return "" if origin == before else changed
    imported = event.action.verb in {IMPORT, JOIN} and origin.startswith(_IMPORTED)
    if origin == HUMAN or imported:
        return ""
    return f"the annotation's origin is {origin!r}, but people's own work has the origin {HUMAN!r}"


def _find_time_problem(annotation: Annotation, rules: WorkRules) -> str:
    for at in (annotation.created, annotation.updated):
        if _is_future(at, rules.now):
            return f"the annotation's time {at} is in the future; check the clocks of both machines"
    return ""


def _find_span_problem(annotation: Annotation, rules: WorkRules) -> str:
    sides = [Side.SUMMARY] * len(annotation.claim) + [Side.SOURCE] * len(annotation.evidence)
    for anchor, side in zip(annotation.anchors, sides, strict=True):
        if anchor.side is not side:
            return "a claim is not in the summary, or evidence is not in the source"
        try:
            anchor.span.trim(rules.sample.document(anchor.side, anchor.index).text)
        except (InvalidSpan, NotFound) as error:
            return f"a span is outside the text: {error.message}"
    return ""


def _find_white_space(annotation: Annotation, rules: WorkRules) -> str:
    for anchor in annotation.anchors:
        text = rules.sample.document(anchor.side, anchor.index).text
        if anchor.span.trim(text) != anchor.span:
            return f"the span {anchor.span} begins or ends with white space"
    return ""


def _find_label_problem(annotation: Annotation, labels: Collection[LabelPath]) -> str:
    for path in annotation.labels:
        if path not in labels:
            return (
                f"no label set of the dataset in this workspace has ever had the label"
                f" {JOINER.join(path)!r}"
            )
    return ""


def _is_future(text: str, now: datetime) -> bool:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return False
    return (at if at.tzinfo else at.replace(tzinfo=UTC)) > now + CLOCK_TOLERANCE
