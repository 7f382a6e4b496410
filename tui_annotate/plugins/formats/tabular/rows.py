"""Work as the rows of flat tables: annotations, and who read what; for every kind of table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Kind, Request, Sample, Side
from tui_annotate.domain.settlements import Settled
from tui_annotate.plugins.losses import originals
from tui_annotate.plugins.protocols import Report
from tui_annotate.plugins.traits import Trait, carries_all_but, plainly

COLUMNS: Final = (
    "dataset",
    "sample_id",
    "annotator",
    "annotator_name",
    "annotation_id",
    "label_1",
    "label_2",
    "label_path",
    "summary_start",
    "summary_end",
    "summary_text",
    "source_document",
    "source_start",
    "source_end",
    "source_text",
    "note",
    "origin",
    "state",
    "rating",
    "comment",
    "created",
    "updated",
    "seconds",
    "version",
    "labels_version",
    "guidelines_version",
    "source_sha256",
    "summary_sha256",
    "group",
    "meta",
    "settled_how",
    "settled_by",
    "settled_from",
    "settled_reason",
    "settled_note",
)
LABELS: Final = " | "
"""Between the label paths of one annotation."""
JOINER: Final = "."
"""Between the names of one path."""

REVIEWS: Final = (
    "dataset",
    "sample_id",
    "annotator",
    "annotator_name",
    "state",
    "rating",
    "comment",
    "seconds",
    "updated",
    "annotations",
)
"""The columns of the second table: a row for each sample that somebody has, read or not."""
CARRIED: Final = carries_all_but(
    Trait.UNREAD,
    Trait.REQUEST,
    Trait.KIND,
    Trait.TRACE,
    Trait.SUGGESTED,
    Trait.TITLE,
    Trait.IMPORTED,
) | plainly(fragments="rows", evidences="rows", tree="columns")
"""What tables carry."""


def count(record: Record, report: Report) -> None:
    """Counts a record, and what of it has no column."""
    report.records += 1
    report.annotations += len(record.annotations)
    sample = record.sample
    report.lose(Trait.UNREAD.value, not (record.annotations or record.assignments))
    report.lose(Trait.REQUEST.value, sample.request != Request())
    report.lose(Trait.KIND.value, sample.kind is not Kind.PAIR)
    titled = sum(bool(document.key or document.title) for document in sample.documents)
    report.lose(Trait.TITLE.value, titled)
    traced = sum(owned.annotation.trace is not None for owned in record.annotations)
    report.lose(Trait.TRACE.value, traced)
    suggested = sum(owned.annotation.suggested is not None for owned in record.annotations)
    report.lose(Trait.SUGGESTED.value, suggested)
    report.lose(Trait.IMPORTED.value, originals(record))
    names = [
        name for owned in record.annotations for path in owned.annotation.labels for name in path
    ]
    report.lose("labels with a joiner in a name", sum(JOINER in n or LABELS in n for n in names))


def rows(record: Record) -> Iterator[dict[str, Any]]:
    """A row for each pair of spans, and one for whoever has the sample and marked nothing."""
    sample = record.sample
    names = {person.id: person.name for person in record.people}
    work = {assignment.person: assignment for assignment in record.assignments}
    shared = _of_sample(sample)
    for owned in sorted(record.annotations, key=_order):
        assignment = work.get(owned.person) or Assignment(owned.person)
        base = shared | _of_person(assignment, names) | _of_annotation(owned)
        pairs = product(owned.annotation.claim or (None,), owned.annotation.evidence or (None,))
        for claim, evidence in pairs:
            yield base | _of_claim(claim, sample) | _of_evidence(evidence, sample)
    annotated = {owned.person for owned in record.annotations}
    for person, assignment in sorted(work.items()):
        if person not in annotated:
            yield shared | _of_person(assignment, names)


def _order(owned: Owned) -> tuple[Any, ...]:
    annotation = owned.annotation
    first = annotation.anchors[0].span
    return (not annotation.claim, first.start, first.end, annotation.id)


def _of_sample(sample: Sample) -> dict[str, Any]:
    sources, summaries = sample.side(Side.SOURCE), sample.side(Side.SUMMARY)
    return {
        "dataset": sample.dataset,
        "sample_id": sample.id,
        "source_sha256": " ".join(document.sha256 for document in sources),
        "summary_sha256": " ".join(document.sha256 for document in summaries),
        "group": sample.group,
        "meta": json.dumps(dict(sample.meta), ensure_ascii=False) if sample.meta else "",
    }


def _of_person(assignment: Assignment, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "annotator": assignment.person,
        "annotator_name": names.get(assignment.person, ""),
        "state": assignment.state.value,
        "rating": assignment.rating,
        "comment": assignment.comment,
        "seconds": assignment.seconds,
    }


def _of_annotation(owned: Owned) -> dict[str, Any]:
    annotation = owned.annotation
    first = annotation.labels[0] if annotation.labels else ()
    return {
        "annotation_id": annotation.id,
        "label_1": first[0] if first else "",
        "label_2": first[1] if len(first) > 1 else "",
        "label_path": LABELS.join(JOINER.join(path) for path in annotation.labels),
        "note": annotation.note,
        "origin": annotation.origin,
        "created": annotation.created,
        "updated": annotation.updated,
        "version": annotation.version,
        "labels_version": annotation.label_set,
        "guidelines_version": annotation.guidelines,
    } | _of_settlement(annotation.settled)


def _of_settlement(settled: Settled | None) -> dict[str, Any]:
    if settled is None:
        return {}
    return {
        "settled_how": settled.how.value,
        "settled_by": settled.by,
        "settled_from": " ".join(settled.sources),
        "settled_reason": settled.reason.value,
        "settled_note": settled.note,
    }


def _of_claim(anchor: Anchor | None, sample: Sample) -> dict[str, Any]:
    if anchor is None:
        return {}
    text = anchor.span.of(sample.document(anchor.side, anchor.index).text)
    return {
        "summary_start": anchor.span.start,
        "summary_end": anchor.span.end,
        "summary_text": text,
    }


def _of_evidence(anchor: Anchor | None, sample: Sample) -> dict[str, Any]:
    if anchor is None:
        return {}
    text = anchor.span.of(sample.document(anchor.side, anchor.index).text)
    return {
        "source_document": anchor.index,
        "source_start": anchor.span.start,
        "source_end": anchor.span.end,
        "source_text": text,
    }


def reviews(record: Record) -> Iterator[dict[str, Any]]:
    """A row for everybody who has the sample or marked something in it."""
    names = {person.id: person.name for person in record.people}
    marked = Counter(owned.person for owned in record.annotations)
    work = {assignment.person: assignment for assignment in record.assignments}
    for person in sorted({*marked, *work}):
        assignment = work.get(person)
        yield {
            "dataset": record.sample.dataset,
            "sample_id": record.sample.id,
            "annotations": marked[person],
            **_of_person(assignment or Assignment(person), names),
            "updated": assignment.updated if assignment else "",
            **({} if assignment else {"state": ""}),
        }
