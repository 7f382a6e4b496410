"""Records to rows of RAGTruth; counts what it has no place for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TextIO

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Sample
from tui_annotate.plugins.admission import Seen
from tui_annotate.plugins.formats.ragtruth.names import (
    ABOUT,
    FORMAT,
    OF_RESPONSES,
    OF_SOURCES,
    TAKEN,
    own_source_id,
)
from tui_annotate.plugins.imported import dotted, flat_label
from tui_annotate.plugins.losses import Tally
from tui_annotate.plugins.protocols import Report

_OF_LABELS = ("start", "end", "text", "meta", "label_type", "implicit_true", "due_to_null")


class Writer:
    """Writes rows, a source once, however many responses it has.

    Args:
        seen: told of the ids of sources and responses that are written.
    """

    def __init__(self, sources: TextIO, responses: TextIO, seen: Seen) -> None:
        self.report = Report()
        self._tally = Tally(ABOUT, self.report, own=FORMAT)
        self._files = sources, responses
        self._seen = seen

    def write(self, record: Record) -> None:
        """Writes a sample that the layer has read."""
        pair = self._tally.pair(record)
        if pair is None:
            return
        if not self._tally.read(record):
            return
        self._count(record)
        if record.annotations and not any(one.annotation.claim for one in record.annotations):
            self.report.lose("samples whose annotations have no claim")  # they would look clean
            return
        source, response = pair
        self.report.records += 1
        kept = _kept(record.sample)
        key, source_id = self._id(record.sample, kept), self._source_id(record, source.text, kept)
        of_source, of_response = _parted(record.sample, kept)
        info = kept.get("source_info")
        about = {"source_id": source_id, "source_info": source.text if info is None else info}
        self._source(_ordered(about | of_source, kept.get("source_keys"), OF_SOURCES))
        row = {"id": key, "source_id": source_id, "labels": self._labels(record, response.text)}
        row |= {"response": response.text} | of_response
        _line(self._files[1], _ordered(row, kept.get("keys"), OF_RESPONSES))

    def _source(self, row: dict[str, Any]) -> None:
        name, word = f"source {row['source_id']}", json.dumps(row)
        if self._seen.word(name) is None:
            self._seen.first(name, word)
            _line(self._files[0], row)
        elif self._seen.word(name) != word:
            self.report.lose("columns of a source that differ between its samples")

    def _id(self, sample: Sample, kept: Mapping[str, Any]) -> Any:
        """The sample's id, with its dataset's name where another dataset has the id as well."""
        key, place = sample.id, json.dumps(sample.key)
        if self._seen.first(f"id {key}", place) != place:
            self.report.lose("sample ids, renamed")
            key = f"{sample.dataset}/{sample.id}"
            while self._seen.first(f"id {key}", place) != place:
                key += "+"
        told = kept.get("ids", [None])[0]
        return told if str(told) == key else key

    def _source_id(self, record: Record, text: str, kept: Mapping[str, Any]) -> Any:
        """The group, as long as all of it share the source."""
        group = record.sample.group
        if not group:
            return own_source_id(text)
        own = own_source_id(text)
        if self._seen.first(f"group {group}", own) != own:
            self.report.lose("groups")
            return own
        told = kept.get("ids", [None, None])[1]
        return told if str(told) == group else group

    def _count(self, record: Record) -> None:
        self._tally.count(record)
        lose = self.report.lose
        lose("columns that have a name of RAGTruth's own", len(TAKEN & set(record.sample.meta)))
        paths = [path for owned in record.annotations for path in owned.annotation.labels]
        lose("labels with a dot in a name", dotted(paths))

    def _labels(self, record: Record, text: str) -> list[dict[str, Any]]:
        order = {name: place for place, name in enumerate(_kept(record.sample).get("labels", ()))}
        rows: list[dict[str, Any]] = []
        for owned in sorted(record.annotations, key=lambda one: _place(one, order)):
            annotation = owned.annotation
            self.report.annotations += bool(annotation.claim)
            if annotation.imported is not None and annotation.origin == f"imported:{FORMAT}":
                rows.append(dict(annotation.imported))
            else:
                rows += _rows(annotation, text)
        return rows


def _kept(sample: Sample) -> Mapping[str, Any]:
    """What the reader kept of the two rows; empty for what came from elsewhere."""
    kept = sample.imported or {}
    return kept if kept.get("format") == FORMAT else {}


def _parted(sample: Sample, kept: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The other columns of a sample: those of its source, and those of the response."""
    meta = {name: value for name, value in sample.meta.items() if name not in TAKEN}
    of_source = {*OF_SOURCES, *kept.get("of_source", ())} - set(kept.get("keys", ()))
    first = {name: value for name, value in meta.items() if name in of_source}
    return first, {name: value for name, value in meta.items() if name not in of_source}


def _ordered(row: dict[str, Any], keys: Any, usual: tuple[str, ...]) -> dict[str, Any]:
    return {name: row[name] for name in keys or usual if name in row} | row


def _place(owned: Owned, order: Mapping[str, int]) -> tuple[Any, ...]:
    annotation = owned.annotation
    span = annotation.anchors[0].span
    return (order.get(annotation.id, len(order)), span.start, span.end, annotation.id)


def _rows(annotation: Annotation, text: str) -> Iterator[dict[str, Any]]:
    """A row for each span of the claim and each label."""
    for _, _, span in annotation.claim:
        for name in map(flat_label, annotation.labels or ((),)):
            values = (span.start, span.end, span.of(text), annotation.note, name, False, False)
            yield dict(zip(_OF_LABELS, values, strict=True))


def _line(file: TextIO, row: dict[str, Any]) -> None:
    file.write(json.dumps(row, ensure_ascii=False))
    file.write("\n")
