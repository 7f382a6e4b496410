"""Converts samples with annotations to Label Studio tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tui_annotate.domain.annotations import HUMAN, Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Request, Sample, Side
from tui_annotate.plugins.joined_texts import EVIDENCE, LINK, PART
from tui_annotate.plugins.json_records import count_ambiguous_labels, description_fields, join_label
from tui_annotate.plugins.label_studio.results import ABOUT, FORMAT, MACHINE, UNIT
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.offset_units import CODE_POINTS
from tui_annotate.plugins.protocols import ExportReport
from tui_annotate.plugins.traits import Loss

_CONTROLS = {Side.SUMMARY: "claim", Side.SOURCE: "ev"}


class TaskWriter:
    """Converter of records to Label Studio tasks; it counts data that a task cannot store."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        """`addresses`: the imported e-mail address of people, by id; others have their id."""
        self.report = ExportReport()
        self._losses = LossCounter(ABOUT, self.report, own=FORMAT)
        self._addresses = addresses
        self._submission_count = 0

    def task(self, record: Record) -> dict[str, Any] | None:
        """Return a record as a Label Studio task; None unless it has one source and one summary."""
        pair = self._losses.check_pair(record)
        if pair is None:
            return None
        self._count_record(record)
        texts = {document.side: document.text for document in pair}
        people = {person.id: person for person in record.people}
        models = {name for name, person in people.items() if name == MACHINE + person.name}
        work = {one.person: one for one in record.assignments if one != Assignment(one.person)}
        by_person: dict[str, list[Annotation]] = {name: [] for name in work}
        for owned in record.annotations:
            by_person.setdefault(owned.person, []).append(owned.annotation)
        submissions = []
        predictions = []
        for name, found in by_person.items():
            if name in models - set(work) and {one.origin for one in found} == {name}:
                items = _result_items(found, texts)
                predictions.append({"model_version": name.removeprefix(MACHINE), "result": items})
            else:
                person = people[name]
                submissions.append(
                    self._make_submission(person, found, work=work.get(name), texts=texts)
                )
        data = _task_data(record.sample, pair) | description_fields(record)
        parts = {"annotations": submissions, "predictions": predictions}
        return {"id": self.report.records, "data": data, **parts}

    def _count_record(self, record: Record) -> None:
        self.report.records += 1
        self.report.annotations += len(record.annotations)
        self._losses.count(record)
        annotations = [owned.annotation for owned in record.annotations]
        for one in annotations:
            self.report.count_loss(Loss.DOT.value, count_ambiguous_labels(one.labels))
        taken = sum((EVIDENCE,) in one.labels and not one.claim for one in annotations)
        self.report.count_loss(f"the label {EVIDENCE}, if the annotation has no claim", taken)

    def _make_submission(
        self,
        person: Person,
        found: list[Annotation],
        *,
        work: Assignment | None,
        texts: Mapping[Side, str],
    ) -> dict[str, Any]:
        self._submission_count += 1
        work = work or Assignment(person.id)
        submission: dict[str, Any] = {
            "id": self._submission_count,
            "completed_by": {
                "id": person.id,
                "email": self._addresses.get(person.id, person.id),
                "first_name": person.name,
            },
            "was_cancelled": work.state is State.SKIPPED,
            "lead_time": work.seconds,
            "result": [*_result_items(found, texts), *_sample_items(work)],
        }
        if work.updated:
            submission["updated_at"] = work.updated
        if work.state not in (State.DONE, State.SKIPPED):
            submission["state"] = work.state.value
        return submission


def _task_data(sample: Sample, pair: Iterable[Document]) -> dict[str, Any]:
    request = {name: getattr(sample.request, name) for name in Request.__dataclass_fields__}
    data: dict[str, Any] = {document.side.value: document.text for document in pair}
    data |= {"sample_id": sample.id, "dataset": sample.dataset, UNIT: CODE_POINTS}
    optional = {
        "group": sample.group,
        "kind": sample.kind.value if sample.kind.value != "pair" else "",
        "request": request if any(request.values()) else {},
        "meta": dict(sample.meta),
    }
    return data | {name: value for name, value in optional.items() if value}


def _result_items(found: Iterable[Annotation], texts: Mapping[Side, str]) -> list[dict[str, Any]]:
    return [item for one in found for item in _annotation_items(one, texts)]


def _annotation_items(one: Annotation, texts: Mapping[Side, str]) -> Iterator[dict[str, Any]]:
    names = [join_label(path) for path in one.labels]
    heads, tails = (one.claim, one.evidence) if one.claim else (one.evidence, ())
    ids = [f"{one.id}-{number}" for number in range(1, len(heads) + len(tails) + 1)]
    for place, anchor in enumerate(heads):
        region = _region_item(anchor, names if one.claim or names else [EVIDENCE], texts)
        yield {"id": ids[place], **region, **_region_meta(one, first=not place)}
        if not place and one.note:
            yield {"id": ids[0], **_textarea_item("note", anchor, one.note)}
    for place, anchor in enumerate(tails, len(heads)):
        yield {"id": ids[place], **_region_item(anchor, [EVIDENCE], texts)}
    for place, other in enumerate(ids[1:], 1):
        label = PART if place < len(heads) else LINK
        ends = {"from_id": ids[0], "to_id": other}
        yield {"type": "relation", **ends, "direction": "right", "labels": [label]}


def _region_item(anchor: Anchor, labels: list[str], texts: Mapping[Side, str]) -> dict[str, Any]:
    span = anchor.span
    text = texts[anchor.side]
    value = {"start": span.start, "end": span.end, "text": span.of(text), "labels": labels}
    names = {"from_name": _CONTROLS[anchor.side], "to_name": anchor.side.value}
    return {**names, "type": "labels", "origin": "manual", "value": value}


def _region_meta(one: Annotation, *, first: bool) -> dict[str, Any]:
    origin = "" if one.origin in (HUMAN, f"imported:{FORMAT}") else one.origin
    meta = {"origin": origin, "created": one.created, "updated": one.updated}
    present = {name: value for name, value in meta.items() if value}
    return {"meta": present} if first and present else {}


def _textarea_item(name: str, anchor: Anchor, text: str) -> dict[str, Any]:
    value = {"start": anchor.span.start, "end": anchor.span.end, "text": [text]}
    return {"from_name": name, "to_name": anchor.side.value, "type": "textarea", "value": value}


def _sample_items(work: Assignment) -> Iterator[dict[str, Any]]:
    base = {"to_name": Side.SUMMARY.value}
    if work.rating:
        value: dict[str, Any] = {"choices": [work.rating]}
        yield {"id": "rating", "from_name": "rating", **base, "type": "choices", "value": value}
    if work.comment:
        value = {"text": [work.comment]}
        yield {"id": "comment", "from_name": "comment", **base, "type": "textarea", "value": value}
