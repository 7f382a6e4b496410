"""Flat tables for people and data frames: CSV, parquet, workbooks, verdicts; written only.

Several claims or evidence spans of an annotation give a row for each pair, under one annotation id.
Who looked at a sample and found nothing has a row without an annotation. FaithBench's table has one
row a sample: its worst and best verdict, pooled over annotators.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, BinaryIO, Final, TextIO

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Request, Sample, SampleKind, Side
from tui_annotate.plugins.files.columnar import open_parquet_table
from tui_annotate.plugins.files.sheets import (
    CUT,
    FORMULA,
    LONGEST_CELL,
    LineFeedWriter,
    SheetTable,
    open_workbook,
)
from tui_annotate.plugins.losses import LossCounter, count_originals, list_finished_people
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, Folder
from tui_annotate.plugins.traits import (
    FormatTarget,
    FormatTraits,
    Loss,
    RecordTrait,
    carry_all_but,
    carry_plainly,
)

COLUMNS: Final = (
    "dataset", "sample_id", "annotator", "annotator_name", "annotation_id", "label_1", "label_2",
    "label_path", "summary_start", "summary_end", "summary_text", "source_document", "source_start",
    "source_end", "source_text", "note", "origin", "state", "rating", "comment", "created",
    "updated", "seconds", "version", "labels_version", "guidelines_version", "source_sha256",
    "summary_sha256", "group", "meta", "settled_how", "settled_by", "settled_from",
    "settled_reason", "settled_note",
)  # fmt: skip
LABELS: Final = " | "
"""Between the label paths of one annotation."""
JOINER: Final = "."
"""Between the names of one path."""

REVIEWS: Final = (
    "dataset", "sample_id", "annotator", "annotator_name", "state", "rating", "comment", "seconds",
    "updated", "annotations",
)  # fmt: skip
"""The columns of the second table: a row for each sample and assignee, read or not."""
_CARRIED: Final = carry_all_but(
    RecordTrait.UNREAD,
    RecordTrait.REQUEST,
    RecordTrait.KIND,
    RecordTrait.TRACE,
    RecordTrait.SUGGESTED,
    RecordTrait.TITLE,
    RecordTrait.IMPORTED,
) | carry_plainly(fragments="rows", evidences="rows", tree="columns")
"""What tables carry."""


def _count_record(record: Record, report: ExportReport) -> None:
    report.records += 1
    report.annotations += len(record.annotations)
    sample = record.sample
    report.count_loss(RecordTrait.UNREAD.value, not (record.annotations or record.assignments))
    report.count_loss(RecordTrait.REQUEST.value, sample.request != Request())
    report.count_loss(RecordTrait.KIND.value, sample.kind is not SampleKind.PAIR)
    titled = sum(bool(document.key or document.title) for document in sample.documents)
    report.count_loss(RecordTrait.TITLE.value, titled)
    annotations = [owned.annotation for owned in record.annotations]
    report.count_loss(RecordTrait.TRACE.value, sum(one.trace is not None for one in annotations))
    report.count_loss(
        RecordTrait.SUGGESTED.value, sum(one.suggested is not None for one in annotations)
    )
    report.count_loss(RecordTrait.IMPORTED.value, count_originals(record))
    names = [name for one in annotations for path in one.labels for name in path]
    report.count_loss(Loss.JOINER.value, sum(JOINER in name or LABELS in name for name in names))


def span_rows(record: Record) -> Iterator[dict[str, Any]]:
    """A row for each pair of spans, and one for each assignee who marked nothing."""
    sample = record.sample
    names = {person.id: person.name for person in record.people}
    work = {assignment.person: assignment for assignment in record.assignments}
    shared = _sample_cells(sample)
    for owned in sorted(record.annotations, key=_sort_key):
        assignment = work.get(owned.person) or Assignment(owned.person)
        base = shared | _person_cells(assignment, names) | _annotation_cells(owned)
        pairs = product(owned.annotation.claim or (None,), owned.annotation.evidence or (None,))
        for claim, evidence in pairs:
            spans = _span_cells(claim, sample, prefix="summary")
            yield base | spans | _span_cells(evidence, sample, prefix="source")
    annotated = {owned.person for owned in record.annotations}
    for person, assignment in sorted(work.items()):
        if person not in annotated:
            yield shared | _person_cells(assignment, names)


def _sort_key(owned: OwnedAnnotation) -> tuple[Any, ...]:
    annotation = owned.annotation
    first = annotation.anchors[0].span
    return (not annotation.claim, first.start, first.end, annotation.id)


def _sample_cells(sample: Sample) -> dict[str, Any]:
    sources, summaries = sample.side(Side.SOURCE), sample.side(Side.SUMMARY)
    return {
        "dataset": sample.dataset,
        "sample_id": sample.id,
        "source_sha256": " ".join(document.sha256 for document in sources),
        "summary_sha256": " ".join(document.sha256 for document in summaries),
        "group": sample.group,
        "meta": json.dumps(dict(sample.meta), ensure_ascii=False) if sample.meta else "",
    }


def _person_cells(assignment: Assignment, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "annotator": assignment.person,
        "annotator_name": names.get(assignment.person, ""),
        "state": assignment.state.value,
        "rating": assignment.rating,
        "comment": assignment.comment,
        "seconds": assignment.seconds,
    }


def _annotation_cells(owned: OwnedAnnotation) -> dict[str, Any]:
    annotation = owned.annotation
    first = (*(annotation.labels[0] if annotation.labels else ()), "", "")
    cells = {
        "annotation_id": annotation.id,
        "label_1": first[0],
        "label_2": first[1],
        "label_path": LABELS.join(JOINER.join(path) for path in annotation.labels),
        "note": annotation.note,
        "origin": annotation.origin,
        "created": annotation.created,
        "updated": annotation.updated,
        "version": annotation.version,
        "labels_version": annotation.label_set,
        "guidelines_version": annotation.guidelines,
    }
    if (settled := annotation.settled) is None:
        return cells
    return cells | {
        "settled_how": settled.how.value,
        "settled_by": settled.by,
        "settled_from": " ".join(settled.sources),
        "settled_reason": settled.reason.value,
        "settled_note": settled.note,
    }


def _span_cells(anchor: Anchor | None, sample: Sample, *, prefix: str) -> dict[str, Any]:
    if anchor is None:
        return {}
    text = anchor.span.of(sample.document(anchor.side, anchor.index).text)
    values = {"start": anchor.span.start, "end": anchor.span.end, "text": text}
    cells = {f"{prefix}_{name}": value for name, value in values.items()}
    return cells if anchor.side is Side.SUMMARY else cells | {"source_document": anchor.index}


def review_rows(record: Record) -> Iterator[dict[str, Any]]:
    """A row for each assignee of the sample, and for others who marked something in it."""
    names = {person.id: person.name for person in record.people}
    marked = Counter(owned.person for owned in record.annotations)
    work = {assignment.person: assignment for assignment in record.assignments}
    for person in sorted({*marked, *work}):
        assignment = work.get(person)
        yield {
            "dataset": record.sample.dataset,
            "sample_id": record.sample.id,
            "annotations": marked[person],
            **_person_cells(assignment or Assignment(person), names),
            "updated": assignment.updated if assignment else "",
            **({} if assignment else {"state": ""}),
        }


_ESCAPED: Final = "escaped"
_OUR_ENDS: Final = ("_start", "_end", "_sha256")
_OURS: Final = {"source_document", "seconds", "version", "state", "annotations"}


class CsvFormat:
    """RFC 4180 with line feeds; `meta` is JSON, offsets are code points, the end is not included.

    A cell that a spreadsheet would run as a formula gets a leading `'`, and `escaped` names its
    column, so that it can be removed again.
    """

    name = "csv"
    about = FormatTraits(title="a table, one row for each pair of spans", carried=_CARRIED)

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """See `Exporter.write`."""
        report = ExportReport()
        table = _CsvTable(target, COLUMNS, formula_safe=options.formula_safe)
        for record in records:
            _count_record(record, report)
            table.add(span_rows(record))
        return report


class CsvTablesFormat:
    """The same table, and a second one of who read what: a row for each sample and person."""

    name = "csv-tables"
    about = FormatTraits(
        title="two tables: annotations, and who read what",
        place=FormatTarget.FILES,
        files=("annotations.csv", "reviews.csv"),
        carried=_CARRIED,
    )

    def write(
        self, records: Iterable[Record], target: Folder, options: ExportOptions
    ) -> ExportReport:
        """See `Exporter.write`."""
        report = ExportReport()
        first, second = self.about.files
        with target.file(first) as annotations, target.file(second) as work:
            table = _CsvTable(annotations, COLUMNS, formula_safe=options.formula_safe)
            work_table = _CsvTable(work, REVIEWS, formula_safe=options.formula_safe)
            for record in records:
                _count_record(record, report)
                table.add(span_rows(record))
                work_table.add(review_rows(record))
        return report


class _CsvTable:
    def __init__(self, target: TextIO, columns: Sequence[str], *, formula_safe: bool) -> None:
        self._writer = LineFeedWriter(target)
        self._columns = columns
        # Columns that may hold foreign text; the others are numbers and our own words.
        foreign = [name for name in columns if name not in _OURS and not name.endswith(_OUR_ENDS)]
        self._foreign = foreign if formula_safe else []
        self._writer.writerow([*columns, _ESCAPED])

    def add(self, several: Iterable[Mapping[str, Any]]) -> None:
        for row in several:
            cells = dict(row)
            if "seconds" in cells:
                cells["seconds"] = f"{cells['seconds']:.3f}"
            escaped = [name for name in self._foreign if (cells.get(name) or " ")[0] in FORMULA]
            cells |= {name: f"'{cells[name]}" for name in escaped}
            values = [cells.get(name) for name in self._columns]
            self._writer.writerow([*values, " ".join(escaped)])


_INTEGERS: Final = {"source_document", "version", "annotations"}
_TIMES: Final = {"created", "updated"}
_NAMES: Final = {
    "dataset", "annotator", "annotator_name", "label_1", "label_2", "label_path", "origin", "state",
    "rating", "labels_version", "guidelines_version", "settled_how", "settled_by", "settled_reason",
}  # fmt: skip
"""Columns whose values repeat."""


class ParquetFormat:
    """Offsets are int32 code points, times are in UTC, names are dictionaries.

    What a row lacks is null.
    """

    name = "parquet"
    about = FormatTraits(
        title="two parquet tables: annotations, and who read what",
        place=FormatTarget.FILES,
        files=("annotations.parquet", "reviews.parquet"),
        carried=_CARRIED,
    )

    def write(
        self, records: Iterable[Record], target: Folder, options: ExportOptions
    ) -> ExportReport:
        """See `Exporter.write`."""
        del options
        report = ExportReport()
        first, second = self.about.files
        with (
            target.file(first) as annotations,
            target.file(second) as work,
            open_parquet_table(annotations.buffer, _column_types(COLUMNS), report) as table,
            open_parquet_table(work.buffer, _column_types(REVIEWS), report) as work_table,
        ):
            for record in records:
                _count_record(record, report)
                table.add(span_rows(record))
                work_table.add(review_rows(record))
        return report


def _column_types(columns: Sequence[str]) -> list[tuple[str, str]]:
    types = dict.fromkeys(_INTEGERS, "integer") | dict.fromkeys(_TIMES, "time")
    types |= dict.fromkeys(_NAMES, "names") | {"seconds": "number"}
    types |= {name: "integer" for name in columns if name.endswith(("_start", "_end"))}
    return [(name, types.get(name, "text")) for name in columns]


_LOST: Final = f"texts beyond {LONGEST_CELL:,} signs of a cell, named in the column {CUT}"


class WorkbookFormat:
    """Cells are text or numbers, never formulas; texts that are too long for a cell are cut.

    They are counted, and `cut`, the last column, says which of a row they are. Text
    that looks like a formula is marked as text, so that it stays such when it is edited.
    """

    name = "xlsx"
    about = FormatTraits(
        title="a workbook of two sheets: annotations, and who read what", carried=_CARRIED
    )

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """See `Exporter.write`.

        Raises:
            InvalidInput: the target takes text alone.
        """
        report = ExportReport()
        with open_workbook(_binary_target(target)) as book:
            make_sheet = partial(
                SheetTable,
                book,
                marked=options.formula_safe,
                lost=partial(report.count_loss, _LOST),
            )
            annotations = make_sheet("annotations", columns=COLUMNS)
            work_table = make_sheet("reviews", columns=REVIEWS)
            for record in records:
                _count_record(record, report)
                annotations.add(span_rows(record))
                work_table.add(review_rows(record))
        return report


def _binary_target(target: TextIO) -> BinaryIO:
    buffer: BinaryIO | None = getattr(target, "buffer", None)
    if buffer is None or target.isatty():
        raise InvalidInput(
            "a workbook is no text", "name a file with -o", code="workbook-to-stdout"
        )
    target.flush()
    return buffer


_VERDICT_COLUMNS: Final = ("source", "summary", "LLM", "worst-label", "best-label")
VERDICTS: Final = ("Consistent", "Benign", "Questionable", "Unwanted")
"""The best first: nothing found, then the top labels."""

_MODEL_COLUMNS = ("summarizer", "model")


class FaithBenchTable:
    """A row a sample: an annotator's verdict is the worst that they marked, else consistent."""

    name = "faithbench-csv"
    about = FormatTraits(
        title="FaithBench's table of verdicts",
        layered=True,
        carried=carry_plainly(RecordTrait.OVERLAP, empty="Consistent", texts="yes"),
    )

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """See `Exporter.write`; the spans behind the verdicts are counted as lost."""
        report = ExportReport()
        losses = LossCounter(self.about, report)
        writer = LineFeedWriter(target)
        writer.writerow(_VERDICT_COLUMNS)
        for record in records:
            pair = losses.check_pair(record)
            if pair is None or not losses.check_read(record):
                continue
            losses.count(record)
            verdicts = _list_verdicts(record, report)
            if not verdicts:
                report.count_loss(Loss.NO_VERDICT.value)
                continue
            report.records += 1
            report.annotations += len(record.annotations)
            report.count_loss(Loss.VERDICT_SPANS.value, len(record.annotations))
            meta = record.sample.meta
            models = [meta[name] for name in _MODEL_COLUMNS if name in meta]
            cells = [pair[0].text, pair[1].text, str(models[0]) if models else ""]
            if options.formula_safe:
                unsafe = [place for place, cell in enumerate(cells) if cell[:1] in FORMULA]
                report.count_loss(Loss.FORMULAS.value, len(unsafe))
                cells = [f"'{cell}" if at in unsafe else cell for at, cell in enumerate(cells)]
            writer.writerow([*cells, VERDICTS[max(verdicts)], VERDICTS[min(verdicts)]])
        return report


def _list_verdicts(record: Record, report: ExportReport) -> list[int]:
    tops: dict[str, set[str]] = {person: set() for person in list_finished_people(record)}
    for owned in record.annotations:
        paths = owned.annotation.labels or (("",),)
        tops.setdefault(owned.person, set()).update(path[0] for path in paths)
    marked = set().union(*tops.values()) if tops else set()
    report.count_loss(Loss.NO_VERDICT_LABELS.value, len(marked - set(VERDICTS)))
    worst = {
        person: max((VERDICTS.index(top) for top in found if top in VERDICTS), default=0)
        for person, found in tops.items()
        if not found or found & set(VERDICTS)
    }
    return list(worst.values())
