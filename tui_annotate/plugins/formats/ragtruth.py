"""RAGTruth format: sources in one JSON lines file, responses with labelled spans in another.

An imported record that was not edited is exported unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TextIO

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.records import OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import Document, Sample, Side, fingerprint
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values
from tui_annotate.plugins.files.packing import PACKED
from tui_annotate.plugins.incomplete_work import mark_incomplete
from tui_annotate.plugins.json_records import (
    Doubt,
    check_object,
    count_ambiguous_labels,
    join_label,
    keep_list,
    keep_readable,
    make_row_id,
    number_repeated,
    parse_label,
    read_json_records,
    read_objects,
    write_json_line,
)
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.offset_units import (
    CODE_POINTS,
    QuotedSpan,
    fit_offsets,
)
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, Folder, ImportOptions
from tui_annotate.plugins.record_validation import (
    NameRegister,
    choose_dataset_name,
    describe_value,
    get_field,
    imported_person,
    parse_document,
    parse_identifier,
    require_field,
)
from tui_annotate.plugins.traits import (
    OWN,
    FormatTarget,
    FormatTraits,
    Loss,
    RecordTrait,
    carry_plainly,
)

FORMAT: Final = "ragtruth"
SOURCE_FILE: Final = "source_info.jsonl"
RESPONSE_FILE: Final = "response.jsonl"
SOURCE_COLUMNS: Final = ("source_id", "task_type", "source", "source_info", "prompt")
"""Columns of RAGTruth's file of sources, in file order."""
RESPONSE_COLUMNS: Final = (
    "id", "source_id", "model", "temperature", "labels", "split", "quality", "response",
)  # fmt: skip
"""Columns of RAGTruth's file of model responses, in file order."""
RESERVED_COLUMNS: Final = frozenset({"id", "source_id", "source_info", "labels", "response"})
"""Reserved column names of RAGTruth's files, which metadata cannot use."""

_TRAITS: Final = FormatTraits(
    title="RAGTruth, two JSON lines files",
    place=FormatTarget.FILES,
    files=(SOURCE_FILE, RESPONSE_FILE),
    layered=True,
    trains=True,
    carried=carry_plainly(
        RecordTrait.OVERLAP, RecordTrait.NOTE, RecordTrait.EMPTY, RecordTrait.TEXTS,
        RecordTrait.BARE, RecordTrait.META, RecordTrait.GROUP, tree="joined", imported=OWN,
    ),
)  # fmt: skip


def own_source_id(text: str) -> str:
    """Compute a RAGTruth source id from the text of a source that has no id."""
    return f"text-{fingerprint(text)[:16]}"


class RagTruthFormat:
    """Importer and exporter of RAGTruth files.

    A response is the summary of its source. All labelled spans belong to one annotator.
    """

    name = FORMAT
    about = _TRAITS

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """Read a sample for each model response in RAGTruth's files, in file order.

        The path is the folder of both files (whose name is the default dataset) or the response
        file. A file whose rows have the columns of both files is read alone.
        """
        of_responses = _find_response_file(path)
        is_joined = _is_joined(of_responses, options)
        dataset = choose_dataset_name(
            of_responses if is_joined else of_responses.resolve().parent,
            options.dataset,
            former=options.former_names,
        )
        if is_joined:
            reader = _ResponseReader(_split_joined_row, dataset=dataset, options=options)
            yield from reader.read(of_responses)
            return
        of_sources = _find_file(of_responses.parent, SOURCE_FILE)
        with closing(NameRegister()) as rows, closing(NameRegister()) as used:
            sources = _SourceRows(of_sources, options, rows=rows, used=used)
            yield from sources.read()
            reader = _ResponseReader(sources.find, dataset=dataset, options=options)
            yield from reader.read(of_responses)
            if unused := sources.count_unused():
                message = f"skipped {format_count(unused, 'source')} without a response"
                yield Problem(str(of_sources), message, refused=False)

    def list_companions(self, path: Path, options: ImportOptions) -> list[Path]:
        """Return the file of sources, if `read` reads one."""
        of_responses = _find_response_file(path)
        if _is_joined(of_responses, options):
            return []
        return [_find_file(of_responses.parent, SOURCE_FILE)]

    def write(
        self, records: Iterable[Record], target: Folder, options: ExportOptions
    ) -> ExportReport:
        """Write a row for each sample to the file of responses, and for each source to the other.

        A sample that is not a pair, is not read or has only annotations without a claim is counted
        as lost.
        """
        del options
        with (
            closing(NameRegister()) as source_rows,
            closing(NameRegister()) as samples,
            closing(NameRegister()) as groups,
            target.file(SOURCE_FILE) as sources,
            target.file(RESPONSE_FILE) as responses,
        ):
            registers = _Registers(sources=source_rows, samples=samples, groups=groups)
            writer = _RagTruthWriter(sources, responses, registers)
            for record in records:
                writer.write(record)
        return writer.report


def _find_response_file(path: Path) -> Path:
    return _find_file(path, RESPONSE_FILE) if path.is_dir() else path


def _find_file(folder: Path, name: str) -> Path:
    found = _find_file_or_none(folder, name)
    if found is None:
        raise NotFound(
            f"there is no {name} in {folder}",
            f"pass the folder that contains {SOURCE_FILE} and {RESPONSE_FILE}",
        )
    return found


def _find_file_or_none(folder: Path, name: str) -> Path | None:
    for ending in ("", *PACKED):
        if (found := folder / f"{name}{ending}").is_file():
            return found
    return None


def _is_joined(path: Path, options: ImportOptions) -> bool:
    """Return whether a file of responses has the columns of the sources too.

    If there is a file of sources, the first row that can be read decides; else any row does.
    """
    is_alone = _find_file_or_none(path.parent, SOURCE_FILE) is None
    for item in read_json_values(path, encoding=options.encoding):
        if isinstance(item, Problem) or not isinstance(item.value, dict):
            continue
        if "source_info" in item.value:
            return True
        if not is_alone:
            return False
    return False


def _parse_source_id(row: Mapping[str, Any]) -> str:
    return parse_identifier(get_field(row, "source_id", option=""), what="source_id")


class _SourceRows:
    """Rows of RAGTruth's source file by source id, stored on disk if they are many.

    `used` has the ids of sources that have a response.
    """

    def __init__(
        self, path: Path, options: ImportOptions, *, rows: NameRegister, used: NameRegister
    ) -> None:
        self._path = path
        self._options = options
        self._rows = rows
        self._used = used
        self._row_count = 0
        self._used_count = 0

    def read(self) -> Iterator[Problem]:
        """Read the file of sources; yield a Problem for each row that is refused."""
        options = self._options
        values = read_json_values(self._path, encoding=options.encoding, meter=options.meter)
        return read_objects(values, self._store_row, what="row")

    def _store_row(self, row: dict[str, Any], _: JsonValue) -> tuple[Problem, ...]:
        key = _parse_source_id(row)
        require_field(row, "source_info")
        line = json.dumps(row, ensure_ascii=False)
        if self._rows.recall(key) is None:
            self._row_count += 1
        if self._rows.remember(key, line) != line:
            raise InvalidInput(f"duplicate source_id {key} with different contents")
        return ()

    def find(self, response: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the row of a response, and the row of its source; see `_SplitColumns`."""
        source_id = _parse_source_id(response)
        line = self._rows.recall(source_id)
        if line is None:
            raise InvalidInput(f"source_id {source_id!r} is not in {self._path.name}")
        if self._used.recall(source_id) is None:
            self._used.remember(source_id, "")
            self._used_count += 1
        source: dict[str, Any] = json.loads(line)
        return response, source

    def count_unused(self) -> int:
        """Return the number of sources in the file for which no response was read."""
        return self._row_count - self._used_count


def _split_joined_row(row: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split a row with the columns of both files; see `_SplitColumns`."""
    _parse_source_id(row)
    require_field(row, "source_info")
    of_source: dict[str, Any] = {name: row[name] for name in SOURCE_COLUMNS if name in row}
    of_response = {
        name: value for name, value in row.items() if name == "source_id" or name not in of_source
    }
    return of_response, of_source


_SplitColumns = Callable[[dict[str, Any]], tuple[dict[str, Any], dict[str, Any]]]
"""Function that returns the columns of a response and those of its source.

Both have `source_id`. It raises InvalidInput if `source_id` or `source_info` is missing, or if the
source is unknown.
"""


class _ResponseReader:
    """Parser of rows of RAGTruth's file of responses."""

    def __init__(
        self, split_columns: _SplitColumns, *, dataset: str, options: ImportOptions
    ) -> None:
        self._split_columns = split_columns
        self._dataset = dataset
        self._options = options

    def read(self, path: Path) -> Iterator[Record | Problem]:
        """Yield the samples of a file of responses with their problems, each sample once."""
        parts = frozenset({"labels"})
        return read_json_records(path, self._options, self._parse, what="row", parts=parts)

    def _parse(self, row: dict[str, Any], value: JsonValue) -> tuple[Record, list[Doubt]]:
        key = parse_identifier(get_field(row, "id", option=""), what="id")
        of_response, of_source = self._split_columns(row)
        source, response = self._parse_documents(of_response, of_source)
        owned, doubts = self._read_annotations(of_response, key, response.text)
        is_incomplete = any(isinstance(doubt, InvalidInput) for doubt in doubts)
        source_id = str(of_response["source_id"])
        sample = Sample(
            self._dataset,
            key,
            (source, response),
            group="" if source_id == own_source_id(source.text) else source_id,
            meta=_meta_columns(of_source | of_response),
            imported=_original_columns(of_response, of_source, owned),
        )
        doubts += _describe_ignored_columns(of_response, of_source)
        done = (Assignment(FORMAT, State.DONE),)
        record = Record(sample, owned, done, (imported_person(FORMAT),), value.where)
        return mark_incomplete(record, [FORMAT] if is_incomplete else [], doubts), doubts

    def _parse_documents(
        self, of_response: Mapping[str, Any], of_source: Mapping[str, Any]
    ) -> tuple[Document, Document]:
        info = of_source["source_info"]
        text = "\n".join(_render_lines(info, "")) if isinstance(info, dict) else info
        source = self._make_document(text, Side.SOURCE, "source_info")
        response = get_field(of_response, "response", option="")
        return source, self._make_document(response, Side.SUMMARY, "response")

    def _make_document(self, text: Any, side: Side, column: str) -> Document:
        return parse_document(text, side=side, column=column, language=self._options.language)

    def _read_annotations(
        self, row: Mapping[str, Any], key: str, text: str
    ) -> tuple[tuple[OwnedAnnotation, ...], list[Doubt]]:
        require_field(row, "labels")
        doubts: list[Doubt] = []
        labels = keep_readable(_read_label, enumerate(keep_list(row, "labels", doubts), 1), doubts)
        spans = fit_offsets(text, [quoted for _, quoted in labels], stated=self._options.offsets)
        doubts += spans.doubts
        if spans.unit != CODE_POINTS:
            doubts.append(f"the offsets are counted in {spans.unit}")
        owned = []
        rows = number_repeated([label for label, _ in labels])
        for (times, each), span in zip(rows, spans.spans, strict=True):
            if span is not None:
                name = make_row_id((self._dataset, key), times, each)
                owned.append(OwnedAnnotation(FORMAT, self._make_annotation(each, name, span)))
        return tuple(owned), doubts

    def _make_annotation(self, label: dict[str, Any], key: str, span: Span) -> Annotation:
        name = label.get("label_type") or ""
        note = label.get("meta") or ""
        return Annotation(
            key,
            (Anchor(Side.SUMMARY, 0, span),),
            labels=(parse_label(name),) if name else (),
            note=note,
            origin=f"imported:{FORMAT}",
            imported=label | {"start": span.start, "end": span.end},  # an export writes code points
        )


def _read_label(numbered: tuple[int, Any]) -> tuple[dict[str, Any], QuotedSpan]:
    place, value = numbered
    label = check_object(value, what=f"label {place}")
    for name in ("label_type", "meta"):
        if not isinstance(label.get(name) or "", str):
            raise InvalidInput(
                f"{name!r} of label {place} is {describe_value(label[name])}, not text"
            )
    quote = label.get("text")
    if quote is not None and not isinstance(quote, str):
        raise InvalidInput(f"'text' of label {place} is {describe_value(quote)}, not text")
    return label, QuotedSpan(label.get("start"), label.get("end"), quote, f"label {place}")


def _describe_ignored_columns(
    of_response: Mapping[str, Any], of_source: Mapping[str, Any]
) -> Iterator[str]:
    """Yield a warning for each column that cannot be kept, because it belongs to the other file."""
    for name in sorted(of_source.keys() - {"source_id", "source_info"}):
        if name in of_response or name in RESERVED_COLUMNS:
            yield f"column {name!r} of the source file is ignored: the response file also has it"
    if "source_info" in of_response:
        yield "column 'source_info' of the response file is ignored: the source file also has it"


def _meta_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in RESERVED_COLUMNS}


def _original_columns(
    row: Mapping[str, Any], about: Mapping[str, Any], owned: tuple[OwnedAnnotation, ...]
) -> dict[str, Any]:
    info = about["source_info"]
    return {
        "format": FORMAT,
        "keys": list(row),
        "source_keys": list(about),
        "source_info": None if isinstance(info, str) else info,
        "ids": [row["id"], row["source_id"]],
        "of_source": [name for name in about if name not in SOURCE_COLUMNS and name not in row],
        "labels": [one.annotation.id for one in owned],
    }


def _render_lines(value: Any, indent: str) -> Iterator[str]:
    """Yield lines of `key: value` for a source text that is a JSON object or list."""
    pairs = value.items() if isinstance(value, dict) else (("-", each) for each in value)
    for key, inner in pairs:
        name = key if key == "-" else f"{key}:"
        if isinstance(inner, dict | list):
            yield f"{indent}{name}"
            yield from _render_lines(inner, f"{indent}  ")
        else:
            word = inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
            yield f"{indent}{name} {word}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Registers:
    """What an export has written, on disk if it is much.

    Attributes:
        sources: rows of the file of sources by source id, as JSON.
        samples: samples by the id in the file of responses.
        groups: ids of the first source of each group, computed from its text.
    """

    sources: NameRegister
    samples: NameRegister
    groups: NameRegister


class _RagTruthWriter:
    """Writer of both RAGTruth files; `report` counts the rows and the lost data."""

    def __init__(self, sources: TextIO, responses: TextIO, registers: _Registers) -> None:
        self.report = ExportReport()
        self._losses = LossCounter(_TRAITS, self.report, own=FORMAT)
        self._sources = sources
        self._responses = responses
        self._registers = registers

    def write(self, record: Record) -> None:
        pair = self._losses.check_pair(record)
        if pair is None or not self._losses.check_read(record):
            return
        if record.annotations and not any(one.annotation.claim for one in record.annotations):
            # The row would have no labels, and look as if nothing was found.
            self.report.count_loss(Loss.NO_CLAIM.value)
            self.report.count_loss(RecordTrait.UNCLAIMED.value, len(record.annotations))
            return
        self._count_losses(record)
        self.report.records += 1
        source, response = pair
        original = _read_original(record.sample)
        key = self._sample_id(record.sample, original)
        source_id = self._source_id(record, source.text, original)
        meta_of_source, meta_of_response = _split_meta(record.sample, original)
        info = original.get("source_info")
        source_row = {
            "source_id": source_id,
            "source_info": source.text if info is None else info,
            **meta_of_source,
        }
        response_row = {
            "id": key,
            "source_id": source_id,
            "labels": self._label_rows(record, response.text),
            "response": response.text,
            **meta_of_response,
        }
        self._write_source(_order_columns(source_row, original.get("source_keys"), SOURCE_COLUMNS))
        response_row = _order_columns(response_row, original.get("keys"), RESPONSE_COLUMNS)
        write_json_line(self._responses, response_row, self.report)

    def _write_source(self, row: dict[str, Any]) -> None:
        source_id = str(row["source_id"])
        line = json.dumps(row)
        if self._registers.sources.recall(source_id) is None:
            write_json_line(self._sources, row, self.report)
        first = self._registers.sources.remember(source_id, line)
        self.report.count_loss(Loss.SOURCE_COLUMNS.value, first != line)

    def _sample_id(self, sample: Sample, original: Mapping[str, Any]) -> str | int:
        """Return the imported id if it is unchanged, else the sample's id, made unique."""
        key = sample.id
        own = json.dumps(sample.key)
        samples = self._registers.samples
        if samples.remember(key, own) != own:
            self.report.count_loss(Loss.RENAMED_IDS.value)
            key = f"{sample.dataset}/{sample.id}"
            while samples.remember(key, own) != own:
                key += "+"
        imported_id, _ = original.get("ids", (None, None))
        return imported_id if str(imported_id) == key else key

    def _source_id(self, record: Record, text: str, original: Mapping[str, Any]) -> str | int:
        """Return the group as the source's id; an id of the text if the group has several texts."""
        group = record.sample.group
        own = own_source_id(text)
        if not group:
            return own
        if self._registers.groups.remember(group, own) != own:
            self.report.count_loss(RecordTrait.GROUP.value)
            return own
        _, imported_id = original.get("ids", (None, None))
        return imported_id if str(imported_id) == group else group

    def _count_losses(self, record: Record) -> None:
        self._losses.count(record)
        lose = self.report.count_loss
        lose(Loss.RESERVED_COLUMNS.value, len(RESERVED_COLUMNS & record.sample.meta.keys()))
        paths = [path for owned in record.annotations for path in owned.annotation.labels]
        lose(Loss.DOT.value, count_ambiguous_labels(paths))

    def _label_rows(self, record: Record, text: str) -> list[dict[str, Any]]:
        before = _read_original(record.sample).get("labels", ())
        order = {name: place for place, name in enumerate(before)}
        rows: list[dict[str, Any]] = []
        for owned in sorted(record.annotations, key=lambda one: _sort_key(one, order)):
            annotation = owned.annotation
            self.report.annotations += bool(annotation.claim)
            if annotation.imported is not None and annotation.origin == f"imported:{FORMAT}":
                rows.append(dict(annotation.imported))
            else:
                rows += _rows_of_annotation(annotation, text)
        return rows


def _read_original(sample: Sample) -> Mapping[str, Any]:
    original = sample.imported or {}
    return original if original.get("format") == FORMAT else {}


def _split_meta(
    sample: Sample, original: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a sample's metadata columns for the file of sources, and those for responses."""
    names = {*SOURCE_COLUMNS, *original.get("of_source", ())} - set(original.get("keys", ()))
    meta = _meta_columns(sample.meta)
    of_source = {name: value for name, value in meta.items() if name in names}
    of_response = {name: value for name, value in meta.items() if name not in names}
    return of_source, of_response


def _order_columns(row: dict[str, Any], keys: Any, usual: tuple[str, ...]) -> dict[str, Any]:
    """Return a row in the order of its import, else in the usual order; other columns are last."""
    return {name: row[name] for name in keys or usual if name in row} | row


def _sort_key(owned: OwnedAnnotation, order: Mapping[str, int]) -> tuple[Any, ...]:
    annotation = owned.annotation
    span = annotation.anchors[0].span
    return (order.get(annotation.id, len(order)), span.start, span.end, annotation.id)


def _rows_of_annotation(annotation: Annotation, text: str) -> Iterator[dict[str, Any]]:
    for anchor in annotation.claim:
        span = anchor.span
        for label in annotation.labels or ((),):
            yield {
                "start": span.start,
                "end": span.end,
                "text": span.of(text),
                "meta": annotation.note,
                "label_type": join_label(label),
                "implicit_true": False,
                "due_to_null": False,
            }
