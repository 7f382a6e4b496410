"""Table exports: CSV, JSON, Parquet, Excel workbooks and FaithBench's table of verdicts.

Tables are for people and data frames, and cannot be imported. An annotation with several claim or
evidence spans has one row per pair of them, all with the same annotation id. An assignee who found
nothing in a sample has a row without an annotation. FaithBench's table has one row per sample with
the worst and the best verdict of all annotators.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import product
from typing import Any, BinaryIO, Final, Protocol, TextIO

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.label_changes import FormerNames
from tui_annotate.domain.records import DatasetDescription, OwnedAnnotation, Record
from tui_annotate.domain.samples import Request, Sample, SampleKind, Side
from tui_annotate.domain.strict_json import encode_strict
from tui_annotate.plugins.files.columnar import open_parquet_table
from tui_annotate.plugins.files.sheets import (
    CUT,
    FORMULA,
    LONGEST_CELL,
    LineFeedWriter,
    SheetTable,
    open_workbook,
)
from tui_annotate.plugins.json_records import write_json_array, write_json_line
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
    "settled_reason", "settled_note", "edited_after_adjudication",
)  # fmt: skip
LABELS: Final = " | "
JOINER: Final = "."

REVIEWS: Final = (
    "dataset", "sample_id", "annotator", "annotator_name", "state", "rating", "comment", "seconds",
    "updated", "annotations", "edited_after_adjudication",
)  # fmt: skip
"""Columns of the table of reviews, which has one row per sample and assigned annotator."""
_CARRIED: Final = carry_all_but(
    RecordTrait.UNREAD,
    RecordTrait.REQUEST,
    RecordTrait.KIND,
    RecordTrait.TRACE,
    RecordTrait.SUGGESTED,
    RecordTrait.TITLE,
    RecordTrait.IMPORTED,
    RecordTrait.ABOUT,
) | carry_plainly(fragments="rows", evidences="rows", tree="columns")
"""Kinds of data that an export as a table keeps."""
DATASETS: Final = ("dataset", *DatasetDescription.__slots__)
"""Columns of the table of datasets, which exists if a dataset has a description."""


def _count_record(record: Record, report: ExportReport) -> None:
    has_rows = bool(record.annotations or record.assignments)
    report.records += has_rows
    report.annotations += len(record.annotations)
    sample = record.sample
    report.count_loss(RecordTrait.UNREAD.value, not has_rows)
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
    if has_rows:
        report.count_loss(Loss.NOT_FINITE.value, _meta_cell(sample)[1])
    names = [name for one in annotations for path in one.labels for name in path]
    report.count_loss(Loss.JOINER.value, sum(JOINER in name or LABELS in name for name in names))


class _Table(Protocol):
    def add(self, several: Iterable[Mapping[str, Any]], /) -> None: ...


def _fill_tables(
    records: Iterable[Record], report: ExportReport, *, annotations: _Table, reviews: _Table
) -> dict[str, DatasetDescription]:
    """Add the rows of all records to two tables; return the descriptions of the datasets."""
    found = {}
    for record in records:
        _count_record(record, report)
        annotations.add(span_rows(record))
        reviews.add(review_rows(record))
        if record.about:
            found[record.sample.dataset] = record.about
    return found


def _dataset_rows(found: Mapping[str, DatasetDescription]) -> Iterator[dict[str, str]]:
    return ({"dataset": name, **asdict(about)} for name, about in found.items())


def span_rows(record: Record) -> Iterator[dict[str, Any]]:
    """Yield a row for each pair of claim and evidence span, or one for an assignee without any."""
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
    sources = sample.side(Side.SOURCE)
    summaries = sample.side(Side.SUMMARY)
    return {
        "dataset": sample.dataset,
        "sample_id": sample.id,
        "source_sha256": " ".join(document.sha256 for document in sources),
        "summary_sha256": " ".join(document.sha256 for document in summaries),
        "group": sample.group,
        "meta": _meta_cell(sample)[0],
    }


def _meta_cell(sample: Sample) -> tuple[str, int]:
    """Return a sample's metadata as JSON, and the number of NaN and infinities that became null."""
    return encode_strict(dict(sample.meta)) if sample.meta else ("", 0)


def _person_cells(assignment: Assignment, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "annotator": assignment.person,
        "annotator_name": names.get(assignment.person, ""),
        "state": assignment.state.value,
        "rating": assignment.rating,
        "comment": assignment.comment,
        "seconds": assignment.seconds,
        "edited_after_adjudication": "yes" if assignment.edited_after_adjudication else "",
    }


def _annotation_cells(owned: OwnedAnnotation) -> dict[str, Any]:
    annotation = owned.annotation
    first = annotation.labels[0] if annotation.labels else ()
    first = (*first, "", "")  # empty cells for missing names
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
    """Yield a row for each person with annotations or work on a sample, sorted by their ids."""
    names = {person.id: person.name for person in record.people}
    marked = Counter(owned.person for owned in record.annotations)
    work = {assignment.person: assignment for assignment in record.assignments}
    for person in sorted({*marked, *work}):
        assignment = work.get(person)
        row = {
            "dataset": record.sample.dataset,
            "sample_id": record.sample.id,
            "annotations": marked[person],
            **_person_cells(assignment or Assignment(person), names),
            "updated": assignment.updated if assignment else "",
        }
        if assignment is None:
            row["state"] = ""  # unknown, and not that of a new assignment
        yield row


_ESCAPED: Final = "escaped"
_OUR_ENDS: Final = ("_start", "_end", "_sha256")
_OURS: Final = {"source_document", "seconds", "version", "state", "annotations"}


class CsvFormat:
    """CSV table with one row per pair of claim and evidence spans.

    Offsets are code points with exclusive ends; `meta` is JSON. A cell that a spreadsheet would run
    as a formula gets a leading `'`; the `escaped` column lists the columns with such cells.
    """

    name = "csv"
    about = FormatTraits(
        title="a CSV table of annotations", carried=_CARRIED, marks_later_edits=True
    )

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        report = ExportReport()
        table = _CsvTable(target, COLUMNS, options)
        for record in records:
            _count_record(record, report)
            table.add(span_rows(record))
        return report


class CsvTablesFormat:
    """Two CSV tables: the annotations, and the progress of each annotator on each sample.

    A third table, `datasets.csv`, is written if a dataset has a description.
    """

    name = "csv-tables"
    about = FormatTraits(
        title="two CSV tables: annotations and annotators' progress",
        place=FormatTarget.FILES,
        files=("annotations.csv", "reviews.csv"),
        carried=_CARRIED | carry_plainly(about="datasets.csv"),
        marks_later_edits=True,
    )

    def write(
        self, records: Iterable[Record], target: Folder, options: ExportOptions
    ) -> ExportReport:
        report = ExportReport()
        make_table = partial(_CsvTable, options=options)
        first, second = self.about.files
        with target.file(first) as annotations, target.file(second) as work:
            tables = {"annotations": make_table(annotations, COLUMNS)}
            tables["reviews"] = make_table(work, REVIEWS)
            found = _fill_tables(records, report, **tables)
        if found:
            with target.file("datasets.csv") as datasets:
                make_table(datasets, DATASETS).add(_dataset_rows(found))
        return report


class _CsvTable:
    def __init__(self, target: TextIO, columns: Sequence[str], options: ExportOptions) -> None:
        if options.bom:
            target.write("\ufeff")
        self._writer = LineFeedWriter(target)
        self._columns = columns
        # Columns that may contain text of users; the others contain numbers or fixed values.
        foreign = [name for name in columns if name not in _OURS and not name.endswith(_OUR_ENDS)]
        self._foreign = foreign if options.formula_safe else []
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


def _json_rows(records: Iterable[Record], report: ExportReport) -> Iterator[dict[str, Any]]:
    for record in records:
        _count_record(record, report)
        for row in span_rows(record):
            cells = row | {"seconds": round(row["seconds"], 3)} if "seconds" in row else row
            yield {name: cells.get(name) for name in COLUMNS}


class JsonFormat:
    """JSON array with one object per row of the CSV table.

    The cells of an annotation, span or adjudication that does not exist are null; other cells
    without a value are empty texts.
    """

    name = "json"
    about = FormatTraits(
        title="a JSON array of annotations", carried=_CARRIED, marks_later_edits=True
    )

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        del options
        report = ExportReport()
        write_json_array(target, _json_rows(records, report), report=report)
        return report


class JsonLinesFormat:
    """JSON lines with the rows of the CSV table, one JSON object per line."""

    name = "jsonl"
    about = FormatTraits(
        title="JSON lines of annotations", carried=_CARRIED, marks_later_edits=True
    )

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        del options
        report = ExportReport()
        for row in _json_rows(records, report):
            write_json_line(target, row, report)
        return report


_INTEGERS: Final = {"source_document", "version", "annotations"}
_TIMES: Final = {"created", "updated"}
_NAMES: Final = {
    "dataset", "annotator", "annotator_name", "label_1", "label_2", "label_path", "origin", "state",
    "rating", "labels_version", "guidelines_version", "settled_how", "settled_by", "settled_reason",
}  # fmt: skip
"""Columns with few distinct values, which Parquet stores as dictionaries."""


class ParquetFormat:
    """Two Parquet tables: the annotations, and the progress of each annotator on each sample.

    Offsets are int32 code points, times are in UTC, names are dictionary-encoded, and missing
    values are null. The metadata `datasets` are a JSON object of the datasets' descriptions.
    """

    name = "parquet"
    about = FormatTraits(
        title="two Parquet tables: annotations and annotators' progress",
        place=FormatTarget.FILES,
        files=("annotations.parquet", "reviews.parquet"),
        carried=_CARRIED | carry_plainly(about="metadata"),
        marks_later_edits=True,
    )

    def write(
        self, records: Iterable[Record], target: Folder, options: ExportOptions
    ) -> ExportReport:
        del options
        report = ExportReport()
        first, second = self.about.files
        with (
            target.file(first) as annotations,
            target.file(second) as work,
            open_parquet_table(annotations.buffer, _column_types(COLUMNS), report) as table,
            open_parquet_table(work.buffer, _column_types(REVIEWS), report) as work_table,
        ):
            found = _fill_tables(records, report, annotations=table, reviews=work_table)
            if found:
                described = {name: asdict(about) for name, about in found.items()}
                metadata = {"datasets": json.dumps(described, ensure_ascii=False)}
                table.add_metadata(metadata)
                work_table.add_metadata(metadata)
        return report


def _column_types(columns: Sequence[str]) -> list[tuple[str, str]]:
    types = dict.fromkeys(_INTEGERS, "integer") | dict.fromkeys(_TIMES, "time")
    types |= dict.fromkeys(_NAMES, "names") | {"seconds": "number"}
    types |= {name: "integer" for name in columns if name.endswith(("_start", "_end"))}
    return [(name, types.get(name, "text")) for name in columns]


_LOST: Final = (
    f"texts cut at {LONGEST_CELL:,} characters (the column {CUT} names the columns with cut texts)"
)


class WorkbookFormat:
    """Excel workbook with two sheets: the annotations, and each annotator's progress per sample.

    A third sheet, `datasets`, is written if a dataset has a description.

    The last column, `cut`, lists the columns of a row whose text was too long for a cell.
    """

    name = "xlsx"
    about = FormatTraits(
        title="an Excel workbook: annotations and annotators' progress",
        carried=_CARRIED | carry_plainly(about="datasets"),
        marks_later_edits=True,
    )

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        report = ExportReport()
        with open_workbook(_binary_target(target)) as book:
            make_sheet = partial(
                SheetTable,
                book,
                marked=options.formula_safe,
                lost=partial(report.count_loss, _LOST),
            )
            tables = {"annotations": make_sheet("annotations", columns=COLUMNS)}
            tables["reviews"] = make_sheet("reviews", columns=REVIEWS)
            found = _fill_tables(records, report, **tables)
            if found:
                make_sheet("datasets", columns=DATASETS).add(_dataset_rows(found))
        return report


def _binary_target(target: TextIO) -> BinaryIO:
    buffer: BinaryIO | None = getattr(target, "buffer", None)
    if buffer is None or target.isatty():
        raise InvalidInput(
            "a workbook is a binary file and cannot be printed",
            "pass an output file with -o",
            code="workbook-to-stdout",
        )
    target.flush()
    return buffer


_VERDICT_COLUMNS: Final = ("source", "summary", "LLM", "worst-label", "best-label")
VERDICTS: Final = ("Consistent", "Benign", "Questionable", "Unwanted")
"""FaithBench's verdicts on a sample from best to worst; `Consistent`: no annotations."""

_MODEL_COLUMNS = ("summarizer", "model")


class FaithBenchTable:
    """FaithBench's table of the worst and the best verdict on each sample.

    The labels of all annotators are pooled, with `Consistent` for each annotator who completed the
    sample and marked nothing.
    """

    name = "faithbench-csv"
    about = FormatTraits(
        title="FaithBench's table of verdicts",
        layered=True,
        trains=True,
        carried=carry_plainly(RecordTrait.OVERLAP, empty="Consistent", texts="yes"),
    )

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """Write the verdicts of each sample; the spans behind the verdicts are counted as lost."""
        report = ExportReport()
        losses = LossCounter(self.about, report)
        writer = LineFeedWriter(target)
        writer.writerow(_VERDICT_COLUMNS)
        for record in records:
            pair = losses.check_pair(record)
            if pair is None or not losses.check_read(record):
                continue
            verdicts = _list_verdicts(
                record, report, former=options.former_names(record.sample.dataset)
            )
            if not verdicts:
                losses.count_excluded(record, Loss.NO_VERDICT)
                continue
            losses.count(record)
            report.records += 1
            report.annotations += len(record.annotations)
            report.count_loss(Loss.VERDICT_SPANS.value, len(record.annotations))
            meta = record.sample.meta
            models = [meta[name] for name in _MODEL_COLUMNS if name in meta]
            source, summary = pair
            cells = [source.text, summary.text, str(models[0]) if models else ""]
            if options.formula_safe:
                unsafe = [place for place, cell in enumerate(cells) if cell[:1] in FORMULA]
                report.count_loss(Loss.FORMULAS.value, len(unsafe))
                cells = [f"'{cell}" if at in unsafe else cell for at, cell in enumerate(cells)]
            writer.writerow([*cells, VERDICTS[max(verdicts)], VERDICTS[min(verdicts)]])
        return report


def _list_verdicts(record: Record, report: ExportReport, *, former: FormerNames) -> list[int]:
    # A verdict that was renamed keeps its meaning; a label that is named so now comes first.
    renamed = {new[0]: old[0] for old, new in former if old[0] in VERDICTS}
    found: set[str] = set()
    for owned in record.annotations:
        for path in owned.annotation.labels or (("",),):
            found.add(path[0] if path[0] in VERDICTS else renamed.get(path[0], path[0]))
    report.count_loss(Loss.NO_VERDICT_LABELS.value, len(found - set(VERDICTS)))
    if list_finished_people(record) - {owned.person for owned in record.annotations}:
        found.add(VERDICTS[0])
    return [place for place, verdict in enumerate(VERDICTS) if verdict in found]
