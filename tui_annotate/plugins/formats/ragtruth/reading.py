"""Rows of RAGTruth to records; a sample is refused whole where a span does not cover its quote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Owned, Problem, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.admission import Seen, described, document, field, identifier, problem
from tui_annotate.plugins.covered import CODE_POINTS, Quoted, Reading, reading
from tui_annotate.plugins.files.json_values import json_values
from tui_annotate.plugins.files.packing import PACKED
from tui_annotate.plugins.formats.ragtruth.names import (
    FORMAT,
    OF_SOURCES,
    RESPONSES,
    SOURCES,
    TAKEN,
    own_source_id,
)
from tui_annotate.plugins.imported import distinct, label_path, made_id
from tui_annotate.plugins.protocols import ImportOptions

_GOLD = Person(FORMAT, FORMAT, PersonKind.IMPORTED)


def both_files(path: Path) -> tuple[Path, Path]:
    """The file of sources and that of responses, where a folder or the second is named.

    Raises:
        NotFound: one of them is not there; packed ones count.
    """
    folder = path if path.is_dir() else path.parent
    responses = _named(folder, RESPONSES) if path.is_dir() else path
    return _named(folder, SOURCES), responses


def _named(folder: Path, name: str) -> Path:
    for ending in ("", *PACKED):
        if (found := folder / f"{name}{ending}").is_file():
            return found
    raise NotFound(
        f"there is no {name} in {folder}",
        f"RAGTruth has {SOURCES} and {RESPONSES}: name the folder",
    )


class Sources:
    """The rows of sources by id, on disk once they are many."""

    def __init__(self, path: Path, options: ImportOptions, rows: Seen) -> None:
        self._path = path
        self._options = options
        self._rows = rows
        self._idle = 0

    def idle(self) -> int:
        """How many were read and not asked for."""
        return self._idle

    def read(self) -> Iterator[Problem]:
        """Reads them; what is wrong with one is given."""
        for value in json_values(
            self._path, encoding=self._options.encoding, meter=self._options.meter
        ):
            if isinstance(value, Problem):
                yield value
                continue
            try:
                row = _object(value.value)
                key = identifier(field(row, "source_id", option=""), what="source_id")
                field(row, "source_info", option="")
                word = json.dumps(row, ensure_ascii=False)
                self._idle += self._rows.word(key) is None
                if self._rows.first(key, word) != word:
                    raise InvalidInput(f"source_id {key} was given before, with something else")
            except InvalidInput as error:
                yield problem(value.where, error)

    def row(self, key: str) -> dict[str, Any]:
        """The row of a source.

        Raises:
            InvalidInput: there is none.
        """
        word = self._rows.word(key)
        if word is None:
            raise InvalidInput(f"source_id {key!r} is not in {self._path.name}")
        asked = f"{key}\0"  # no id holds that
        self._idle -= self._rows.word(asked) is None
        self._rows.first(asked, "")
        row: dict[str, Any] = json.loads(word)
        return row


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput(f"the row is {described(value)}, not an object")
    return value


class ResponseReader:
    """Rows of responses, each with its source."""

    def __init__(self, sources: Sources, *, dataset: str, language: str) -> None:
        self._sources = sources
        self._dataset = dataset
        self._language = language

    def record(self, value: Any, where: str) -> tuple[Record, list[str]]:
        """The sample with its annotations, and doubts about it.

        Raises:
            InvalidInput: something is missing, of the wrong kind, or does not fit the texts.
        """
        row = _object(value)
        key = identifier(field(row, "id", option=""), what="id")
        source_id = identifier(field(row, "source_id", option=""), what="source_id")
        about = self._sources.row(source_id)
        source = self._document(rendered(about["source_info"]), Side.SOURCE, "source_info")
        response = self._document(field(row, "response", option=""), Side.SUMMARY, "response")
        owned, spans = self._annotations(row, key, response.text)
        both = sorted({name for name in about if name in row} - TAKEN)
        sample = Sample(
            self._dataset,
            key,
            (source, response),
            group="" if source_id == own_source_id(source.text) else source_id,
            meta=_meta(about) | _meta(row),
            imported=_kept(row, about, owned),
        )
        doubts = [] if spans.unit == CODE_POINTS else [f"the offsets are {spans.unit}"]
        doubts += [f"both files have a column {name!r}: that of the response" for name in both]
        done = (Assignment(FORMAT, State.DONE),)
        return Record(sample, owned, done, (_GOLD,), where), doubts

    def _document(self, text: Any, side: Side, column: str) -> Document:
        return document(text, side=side, column=column, language=self._language)

    def _annotations(
        self, row: Mapping[str, Any], key: str, text: str
    ) -> tuple[tuple[Owned, ...], Reading]:
        labels = field(row, "labels", option="")
        if not isinstance(labels, list) or not all(isinstance(each, dict) for each in labels):
            raise InvalidInput("'labels' is no list of objects")
        spans = reading(text, [_quoted(each, place) for place, each in enumerate(labels, 1)])
        owned = tuple(
            Owned(FORMAT, self._annotation(each, made_id((self._dataset, key), times, each), span))
            for (times, each), span in zip(distinct(labels), spans.spans, strict=True)
        )
        return owned, spans

    def _annotation(self, label: dict[str, Any], key: str, span: Span) -> Annotation:
        name, note = label.get("label_type") or "", label.get("meta") or ""
        for what, value in (("label_type", name), ("meta", note)):
            if not isinstance(value, str):
                raise InvalidInput(f"{what!r} is {described(value)}, not text")
        return Annotation(
            key,
            (Anchor(Side.SUMMARY, 0, span),),
            labels=(label_path(name),) if name else (),
            note=note,
            origin=f"imported:{FORMAT}",
            imported=label | {"start": span.start, "end": span.end},  # written as it is meant
        )


def _quoted(label: Mapping[str, Any], place: int) -> Quoted:
    quote = label.get("text")
    if quote is not None and not isinstance(quote, str):
        raise InvalidInput(f"'text' of label {place} is {described(quote)}, not text")
    return Quoted(label.get("start"), label.get("end"), quote, f"label {place}")


def _meta(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in TAKEN}


def _kept(
    row: Mapping[str, Any], about: Mapping[str, Any], owned: tuple[Owned, ...]
) -> dict[str, Any]:
    """What the writer needs to write both rows as they were."""
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


def rendered(value: Any) -> Any:
    """A source that is a record as lines of `key: value`; text as it is."""
    return "\n".join(_lines(value, "")) if isinstance(value, dict) else value


def _lines(value: Any, indent: str) -> Iterator[str]:
    pairs = value.items() if isinstance(value, dict) else (("-", each) for each in value)
    for key, inner in pairs:
        name = key if key == "-" else f"{key}:"
        if isinstance(inner, dict | list):
            yield f"{indent}{name}"
            yield from _lines(inner, f"{indent}  ")
        else:
            word = inner if isinstance(inner, str) else json.dumps(inner, ensure_ascii=False)
            yield f"{indent}{name} {word}"
