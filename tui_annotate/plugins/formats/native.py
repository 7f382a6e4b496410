"""The native form `tui-annotate/1`: JSON lines, one sample each, that hold everything."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.annotations import (
    Annotation,
    annotation_from_json,
    annotation_to_json,
)
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Owned, Problem, Record
from tui_annotate.domain.samples import Document, Kind, Request, Sample, Side
from tui_annotate.plugins.admission import (
    Seen,
    described,
    document,
    field,
    identifier,
    problem,
)
from tui_annotate.plugins.files.json_values import json_values
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report
from tui_annotate.plugins.recounting import Said, recounted
from tui_annotate.plugins.traits import About, carries_all_but

FORMAT = "tui-annotate/1"
_UNNAMEABLE = re.compile("[\x00\ud800-\udfff]")
_KEYS = {
    "format",
    "dataset",
    "id",
    "kind",
    "group",
    "request",
    "meta",
    "imported",
    "documents",
    "annotations",
    "assignments",
    "people",
}


class NativeFormat:
    """One object a line; a person is described on the first line that names them."""

    name = "native"
    about = About(title="JSON lines that hold everything", carried=carries_all_but())

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a line; see `Importer.read`. An asked-for dataset replaces the file's."""
        people: dict[str, Person] = {}
        with closing(Seen()) as seen:
            for value in json_values(path, encoding=options.encoding, meter=options.meter):
                if isinstance(value, Problem):
                    yield value
                    continue
                try:
                    record, doubts = _record(
                        value.value, people, options.dataset, where=value.where
                    )
                    name = json.dumps(record.sample.key)
                    if (before := seen.first(name, value.where)) != value.where:
                        raise InvalidInput(f"{record.sample.key} was given at {before} already")
                    yield record
                    if unknown := sorted(set(value.value) - _KEYS):
                        doubts.append(f"unknown, left out: {', '.join(map(repr, unknown))}")
                    yield from (Problem(value.where, each, refused=False) for each in doubts)
                except InvalidInput as error:
                    yield problem(value.where, error)

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """One sample a line; see `Exporter.write`."""
        del options
        report = Report()
        told: dict[str, Person] = {}
        for record in records:
            new = [person for person in record.people if told.get(person.id) != person]
            told.update((person.id, person) for person in new)
            line = _line(record)
            if new:
                line["people"] = [_plain(person) for person in new]
            target.write(json.dumps(line, ensure_ascii=False))
            target.write("\n")
            report.records += 1
            report.annotations += len(record.annotations)
        return report


def _line(record: Record) -> dict[str, Any]:
    sample = record.sample
    texts = {side: [document.text for document in sample.side(side)] for side in Side}
    return {
        "format": FORMAT,
        "dataset": sample.dataset,
        "id": sample.id,
        "kind": sample.kind.value,
        "group": sample.group,
        "request": _plain(sample.request),
        "meta": dict(sample.meta),
        "imported": None if sample.imported is None else dict(sample.imported),
        "documents": [_document_to_json(one) for one in sample.documents],
        "annotations": [_owned_to_json(owned, texts) for owned in record.annotations],
        "assignments": [_plain(assignment) for assignment in record.assignments],
    }


def _document_to_json(document: Document) -> dict[str, Any]:
    return {
        "side": document.side.value,
        "key": document.key,
        "title": document.title,
        "language": document.language,
        "text": document.text,
        "sha256": document.sha256,
    }


def _owned_to_json(owned: Owned, texts: Mapping[Side, Sequence[str]]) -> dict[str, Any]:
    quotes = [
        texts[side][index][span.start : span.end] for side, index, span in owned.annotation.anchors
    ]
    return {"person": owned.person, **annotation_to_json(owned.annotation), "quotes": quotes}


def _plain(value: Person | Request | Assignment) -> dict[str, Any]:
    """The fields of a flat value; `dataclasses.asdict` copies deeply, which takes its time."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _record(
    value: Any, people: dict[str, Person], dataset: str, *, where: str
) -> tuple[Record, list[str]]:
    """The record, and doubts about it."""
    if not isinstance(value, dict):
        raise InvalidInput(f"the record is {described(value)}, not an object")
    if value.get("format") != FORMAT:
        raise InvalidInput(f"the format is {value.get('format')!r}, not {FORMAT!r}")
    sample = _sample(value, dataset)
    listed = [_person(item) for item in _objects(value, "people")]
    people.update((person.id, person) for person in listed)
    said = [_said(item) for item in _objects(value, "annotations")]
    found, doubts = recounted([each for _, each in said], sample)
    annotations = tuple(map(Owned, (person for person, _ in said), found))
    assignments = tuple(_assignment(item) for item in _objects(value, "assignments"))
    named = [owned.person for owned in annotations] + [one.person for one in assignments]
    for person in named:
        if person not in people:
            raise InvalidInput(f"person {person!r} is described nowhere", "list them in 'people'")
    told = dict.fromkeys([*named, *(person.id for person in listed)])
    record = Record(sample, annotations, assignments, tuple(people[key] for key in told), where)
    return record, doubts


def _items(value: Mapping[str, Any], name: str) -> list[Any]:
    items = value.get(name, [])
    if not isinstance(items, list):
        raise InvalidInput(f"{name!r} is {described(items)}, not a list")
    return items


def _objects(value: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    items = _items(value, name)
    if not all(isinstance(item, dict) for item in items):
        raise InvalidInput(f"{name!r} holds something that is no object")
    return items


def _mapping(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    item = value.get(name) or {}
    if not isinstance(item, dict):
        raise InvalidInput(f"{name!r} is {described(item)}, not an object")
    return item


def _word(value: Mapping[str, Any], name: str, *, default: str = "") -> str:
    item = value.get(name, default)
    if not isinstance(item, str):
        raise InvalidInput(f"{name!r} is {described(item)}, not text")
    return item


def _name(value: Mapping[str, Any], name: str) -> str:
    """A word that the store keeps as a name: without NUL and halves of characters."""
    word = _word(value, name)
    if found := _UNNAMEABLE.search(word):
        what = f"U+{ord(found.group()):04X} at offset {found.start()}"
        raise InvalidInput(f"{name!r} {word[:40]!r} holds {what}", "take it out")
    return word


def _sample(value: Mapping[str, Any], dataset: str) -> Sample:
    request = _mapping(value, "request")
    documents = tuple(_document(item) for item in _objects(value, "documents"))
    if sum(one.side is Side.SUMMARY for one in documents) > 1:
        raise InvalidInput("the sample has more than one document on the summary side")
    if not documents:
        raise InvalidInput("the sample has no documents")
    return Sample(
        identifier(dataset or field(value, "dataset", option=""), what="dataset"),
        identifier(field(value, "id", option=""), what="id"),
        tuple(sorted(documents, key=lambda one: one.side is Side.SUMMARY)),
        kind=_kind(_word(value, "kind", default="pair")),
        group=_name(value, "group"),
        request=Request(**{name: _word(request, name) for name in Request.__dataclass_fields__}),
        meta=_mapping(value, "meta"),
        imported=None if value.get("imported") is None else _mapping(value, "imported"),
    )


def _kind(word: str) -> Kind:
    try:
        return Kind(word)
    except ValueError as error:
        raise InvalidInput(f"{word!r} is no kind of sample", ", ".join(Kind)) from error


def _document(value: Mapping[str, Any]) -> Document:
    word = _word(value, "side")
    if word not in list(Side):
        raise InvalidInput(f"{word!r} is no side", "documents stand on source or summary")
    language = _name(value, "language")
    plain = document(value.get("text"), side=Side(word), column=f"{word} text", language=language)
    if (told := value.get("sha256", plain.sha256)) != plain.sha256:
        raise InvalidInput(
            f"the {word} text has the SHA-256 {plain.sha256[:12]}..., the file says {told!r}",
            "the text was changed after it was written",
        )
    return replace(plain, key=_name(value, "key"), title=_word(value, "title"))


def _person(value: Mapping[str, Any]) -> Person:
    kind = _word(value, "kind", default=PersonKind.IMPORTED.value)
    if kind not in list(PersonKind):
        raise InvalidInput(f"{kind!r} is no kind of person", ", ".join(PersonKind))
    key = identifier(value.get("id"), what="id of a person")
    return Person(key, _word(value, "name", default=key), PersonKind(kind))


def _said(value: Mapping[str, Any]) -> tuple[str, Said]:
    for name in ("id", "note", "origin", "label_set", "guidelines", "created", "updated"):
        _word(value, name)
    for name in ("version", "number"):
        number = value.get(name, 0)
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**53:
            raise InvalidInput(f"{name!r} is {described(number)}, not a whole number below 2^53")
    for path in _items(value, "labels"):
        if not isinstance(path, list) or not path or not all(isinstance(n, str) for n in path):
            raise InvalidInput(f"label {path!r} is no list of names")
    if not isinstance(value.get("imported"), dict | None):
        raise InvalidInput(f"'imported' is {described(value['imported'])}, not an object")
    annotation = annotation_from_json(value)
    identifier(annotation.id, what="id of an annotation")
    name = f"annotation {annotation.id}"
    return _word(value, "person"), Said(annotation, _quotes(annotation, value.get("quotes")), name)


def _quotes(annotation: Annotation, quotes: Any) -> list[str | None]:
    """What each of its spans is said to cover."""
    anchors, name = annotation.anchors, f"annotation {annotation.id}"
    if quotes is not None and (not isinstance(quotes, list) or len(quotes) != len(anchors)):
        raise InvalidInput(f"{name} does not quote each of its spans once")
    if not all(isinstance(quote, str | None) for quote in quotes or ()):
        raise InvalidInput(f"{name} quotes something that is no text")
    sides = [Side.SUMMARY] * len(annotation.claim) + [Side.SOURCE] * len(annotation.evidence)
    if [anchor.side for anchor in anchors] != sides:
        raise InvalidInput(f"{name} has a span on the wrong side")
    return quotes or [None] * len(anchors)


def _assignment(value: Mapping[str, Any]) -> Assignment:
    state, seconds = _word(value, "state", default=State.NEW.value), value.get("seconds", 0.0)
    if state not in list(State):
        raise InvalidInput(f"{state!r} is no state", ", ".join(State))
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise InvalidInput(f"'seconds' is {described(seconds)}, not a number")
    if not 0 <= seconds < 1e12:
        raise InvalidInput(f"{seconds!r} is no time in seconds")
    return Assignment(
        _word(value, "person"),
        State(state),
        rating=_word(value, "rating"),
        comment=_word(value, "comment"),
        seconds=float(seconds),
        updated=_word(value, "updated"),
    )
