"""RAGTruth format: sources in one JSON lines file, responses with labelled spans in another.

An imported record that was not edited is exported unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
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
    problems_at,
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
SOURCES: Final = "source_info.jsonl"
RESPONSES: Final = "response.jsonl"
OF_SOURCES: Final = ("source_id", "task_type", "source", "source_info", "prompt")
OF_RESPONSES: Final = (
    "id", "source_id", "model", "temperature", "labels", "split", "quality", "response",
)  # fmt: skip
"""Columns of RAGTruth's file of model responses, in file order."""
TAKEN: Final = frozenset({"id", "source_id", "source_info", "labels", "response"})
"""Reserved column names of RAGTruth's files, which metadata cannot use."""

_TRAITS: Final = FormatTraits(
    title="RAGTruth, two JSON lines files",
    place=FormatTarget.FILES,
    files=(SOURCES, RESPONSES),
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
        of_responses = _find_file(path, RESPONSES) if path.is_dir() else path
        is_joined = _is_joined(of_responses, options)
        of_sources = of_responses if is_joined else _find_file(of_responses.parent, SOURCES)
        dataset = choose_dataset_name(
            of_responses if is_joined else of_responses.resolve().parent,
            options.dataset,
            former=options.former_names,
        )
        with closing(NameRegister()) as rows, closing(NameRegister()) as seen:
            sources = _Sources(of_sources, options, rows, is_joined=is_joined)
            if not is_joined:
                yield from sources.read()
            reader = _ResponseReader(sources, dataset=dataset, options=options)

            def read_once(row: dict[str, Any], value: JsonValue) -> Iterator[Record | Problem]:
                record, doubts = reader.record(row, value.where)
                if (before := seen.remember(record.sample.id, value.where)) != value.where:
                    raise InvalidInput(f"duplicate id {record.sample.id}: already used at {before}")
                yield record
                yield from problems_at(value.where, doubts)

            values = read_json_values(
                of_responses,
                encoding=options.encoding,
                meter=options.meter,
                parts=frozenset({"labels"}),
            )
            yield from read_objects(values, read_once, what="row")
            if sources.unused:
                message = f"skipped {format_count(sources.unused, 'source')} without a response"
                yield Problem(str(of_sources), message, refused=False)

    def write(
        self, records: Iterable[Record], target: Folder, options: ExportOptions
    ) -> ExportReport:
        del options
        with (
            closing(NameRegister()) as seen,
            target.file(SOURCES) as sources,
            target.file(RESPONSES) as responses,
        ):
            writer = _RagtruthWriter(sources, responses, seen)
            for record in records:
                writer.write(record)
        return writer.report


def _find_file(folder: Path, name: str) -> Path:
    for ending in ("", *PACKED):
        if (found := folder / f"{name}{ending}").is_file():
            return found
    raise NotFound(
        f"there is no {name} in {folder}",
        f"pass the folder that contains {SOURCES} and {RESPONSES}",
    )


def _is_joined(path: Path, options: ImportOptions) -> bool:
    """Return whether a file of responses has the columns of the sources too."""
    first = next(iter(read_json_values(path, encoding=options.encoding)), None)
    row = first.value if isinstance(first, JsonValue) else None
    return isinstance(row, dict) and "source_info" in row


class _Sources:
    """Rows of RAGTruth's source file by source id, stored on disk if they are many.

    `is_joined`: whether the rows of the responses have the columns of the sources, so that there is
    no file of sources.
    """

    def __init__(
        self, path: Path, options: ImportOptions, rows: NameRegister, *, is_joined: bool
    ) -> None:
        self.is_joined = is_joined
        self._path = path
        self._options = options
        self._rows = rows
        self.unused = 0

    def read(self) -> Iterator[Problem]:
        options = self._options
        values = read_json_values(self._path, encoding=options.encoding, meter=options.meter)
        return read_objects(values, self._store_row, what="row")

    def _store_row(self, row: dict[str, Any], _: JsonValue) -> tuple[Problem, ...]:
        key = parse_identifier(get_field(row, "source_id", option=""), what="source_id")
        get_field(row, "source_info", option="")
        line = json.dumps(row, ensure_ascii=False)
        self.unused += self._rows.recall(key) is None
        if self._rows.remember(key, line) != line:
            raise InvalidInput(f"duplicate source_id {key} with different contents")
        return ()

    def row(self, key: str) -> dict[str, Any]:
        line = self._rows.recall(key)
        if line is None:
            raise InvalidInput(f"source_id {key!r} is not in {self._path.name}")
        used = f"{key}\0"  # no id contains U+0000
        self.unused -= self._rows.recall(used) is None
        self._rows.remember(used, "")
        row: dict[str, Any] = json.loads(line)
        return row


class _ResponseReader:
    def __init__(self, sources: _Sources, *, dataset: str, options: ImportOptions) -> None:
        self._sources = sources
        self._dataset = dataset
        self._language = options.language
        self._offsets = options.offsets

    def record(self, row: dict[str, Any], where: str) -> tuple[Record, list[Doubt]]:
        """Return a RAGTruth response as a sample with annotations, and warnings about it."""
        key = parse_identifier(get_field(row, "id", option=""), what="id")
        source_id = parse_identifier(get_field(row, "source_id", option=""), what="source_id")
        if self._sources.is_joined:
            get_field(row, "source_info", option="")
            about = {str(name): row[name] for name in OF_SOURCES if name in row}
            row = {name: row[name] for name in row if name == "source_id" or name not in about}
        else:
            about = self._sources.row(source_id)
        info = about["source_info"]
        text = "\n".join(_render_lines(info, "")) if isinstance(info, dict) else info
        source = self._make_document(text, Side.SOURCE, "source_info")
        response = self._make_document(
            get_field(row, "response", option=""), Side.SUMMARY, "response"
        )
        owned, doubts = self._read_annotations(row, key, response.text)
        is_incomplete = any(isinstance(doubt, InvalidInput) for doubt in doubts)
        both = sorted({name for name in about if name in row} - TAKEN)
        sample = Sample(
            self._dataset,
            key,
            (source, response),
            group="" if source_id == own_source_id(source.text) else source_id,
            meta=_meta_columns(about | row),
            imported=_original_columns(row, about, owned),
        )
        doubts += [
            f"column {name!r} of the source file is ignored: the response file also has it"
            for name in both
        ]
        done = (Assignment(FORMAT, State.DONE),)
        record = Record(sample, owned, done, (imported_person(FORMAT),), where)
        return mark_incomplete(record, [FORMAT] if is_incomplete else [], doubts), doubts

    def _make_document(self, text: Any, side: Side, column: str) -> Document:
        return parse_document(text, side=side, column=column, language=self._language)

    def _read_annotations(
        self, row: Mapping[str, Any], key: str, text: str
    ) -> tuple[tuple[OwnedAnnotation, ...], list[Doubt]]:
        get_field(row, "labels", option="")
        doubts: list[Doubt] = []
        labels = keep_readable(_read_label, enumerate(keep_list(row, "labels", doubts), 1), doubts)
        spans = fit_offsets(text, [quoted for _, quoted in labels], stated=self._offsets)
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


def _meta_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in TAKEN}


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
        "of_source": [name for name in about if name not in OF_SOURCES and name not in row],
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


_LABEL_COLUMNS = ("start", "end", "text", "meta", "label_type", "implicit_true", "due_to_null")


class _RagtruthWriter:
    def __init__(self, sources: TextIO, responses: TextIO, seen: NameRegister) -> None:
        self.report = ExportReport()
        self._losses = LossCounter(_TRAITS, self.report, own=FORMAT)
        self._files = sources, responses
        self._seen = seen

    def write(self, record: Record) -> None:
        pair = self._losses.check_pair(record)
        if pair is None or not self._losses.check_read(record):
            return
        self._count_losses(record)
        if record.annotations and not any(one.annotation.claim for one in record.annotations):
            self.report.count_loss(
                Loss.NO_CLAIM.value
            )  # the sample would look as if nothing was found
            return
        source, response = pair
        self.report.records += 1
        original = _read_original(record.sample)
        key = self._sample_id(record.sample, original)
        source_id = self._source_id(record, source.text, original)
        of_source, of_response = _split_meta(record.sample, original)
        info = original.get("source_info")
        row = {"source_id": source_id, "source_info": source.text if info is None else info}
        row |= of_source
        self._write_source(_order_columns(row, original.get("source_keys"), OF_SOURCES))
        row = {"id": key, "source_id": source_id, "labels": self._label_rows(record, response.text)}
        row |= {"response": response.text} | of_response
        row = _order_columns(row, original.get("keys"), OF_RESPONSES)
        write_json_line(self._files[1], row, self.report)

    def _write_source(self, row: dict[str, Any]) -> None:
        name = f"source {row['source_id']}"
        line = json.dumps(row)
        if self._seen.recall(name) is None:
            write_json_line(self._files[0], row, self.report)
        self.report.count_loss(Loss.SOURCE_COLUMNS.value, self._seen.remember(name, line) != line)

    def _sample_id(self, sample: Sample, original: Mapping[str, Any]) -> Any:
        key = sample.id
        place = json.dumps(sample.key)
        if self._seen.remember(f"id {key}", place) != place:
            self.report.count_loss(Loss.RENAMED_IDS.value)
            key = f"{sample.dataset}/{sample.id}"
            while self._seen.remember(f"id {key}", place) != place:
                key += "+"
        before = original.get("ids", [None])[0]
        return before if str(before) == key else key

    def _source_id(self, record: Record, text: str, original: Mapping[str, Any]) -> Any:
        group = record.sample.group
        own = own_source_id(text)
        if not group:
            return own
        if self._seen.remember(f"group {group}", own) != own:
            self.report.count_loss("groups")
            return own
        before = original.get("ids", [None, None])[1]
        return before if str(before) == group else group

    def _count_losses(self, record: Record) -> None:
        self._losses.count(record)
        lose = self.report.count_loss
        lose("metadata columns whose name RAGTruth reserves", len(TAKEN & set(record.sample.meta)))
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
    of_source = {*OF_SOURCES, *original.get("of_source", ())} - set(original.get("keys", ()))
    first: dict[str, Any] = {}
    second: dict[str, Any] = {}
    for name, value in _meta_columns(sample.meta).items():
        (first if name in of_source else second)[name] = value
    return first, second


def _order_columns(row: dict[str, Any], keys: Any, usual: tuple[str, ...]) -> dict[str, Any]:
    return {name: row[name] for name in keys or usual if name in row} | row


def _sort_key(owned: OwnedAnnotation, order: Mapping[str, int]) -> tuple[Any, ...]:
    annotation = owned.annotation
    span = annotation.anchors[0].span
    return (order.get(annotation.id, len(order)), span.start, span.end, annotation.id)


def _rows_of_annotation(annotation: Annotation, text: str) -> Iterator[dict[str, Any]]:
    for _, _, span in annotation.claim:
        for name in map(join_label, annotation.labels or ((),)):
            values = (span.start, span.end, span.of(text), annotation.note, name, False, False)
            yield dict(zip(_LABEL_COLUMNS, values, strict=True))
