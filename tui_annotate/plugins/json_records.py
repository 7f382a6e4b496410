"""Shared helpers of JSON formats: reading objects, checking field types, ids and labels."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO, TypeVar
from uuid import UUID, uuid5

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import (
    FIELD_REFUSED,
    SPAN_REFUSED,
    DatasetDescription,
    Problem,
    Record,
    is_part,
)
from tui_annotate.domain.strict_json import encode_strict
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values
from tui_annotate.plugins.protocols import ExportReport, ImportOptions
from tui_annotate.plugins.record_validation import NameRegister, describe_value, make_problem
from tui_annotate.plugins.traits import Loss

LABEL_JOINER = "."

_IDS = UUID("6f2b6c0e-6d0b-5a0e-9b52-3c1f0d6c7a11")

Doubt = str | InvalidInput
"""A warning about a record, or the error of an annotation that the record is imported without."""
Read = Callable[[dict[str, Any], JsonValue], tuple[Record, Sequence[Doubt]]]
"""Function that converts a JSON object and its location to a sample with warnings."""
Fields = Mapping[str, Any]
_Item = TypeVar("_Item")
_Enum = TypeVar("_Enum", bound=StrEnum)


def read_objects(
    values: Iterable[JsonValue | Problem],
    read: Callable[[dict[str, Any], JsonValue], Iterable[_Item]],
    *,
    what: str,
) -> Iterator[_Item | Problem]:
    """Yield the items that `read` makes of each JSON object; a Problem for each invalid object."""
    for value in values:
        if isinstance(value, Problem):
            yield value
            continue
        try:
            yield from read(check_object(value.value, what=what), value)
            yield from problems_at(value.where, value.broken)
        except InvalidInput as error:
            yield make_problem(value.where, error)


def read_json_records(
    path: Path,
    options: ImportOptions,
    read: Read,
    *,
    what: str,
    parts: AbstractSet[str] = frozenset(),
) -> Iterator[Record | Problem]:
    """Yield the records of a file's JSON objects with their problems, each sample once.

    `parts`: names of the lists of annotations; see `read_json_values`.
    """
    values = read_json_values(path, encoding=options.encoding, meter=options.meter, parts=parts)
    return read_records_of(values, read, what=what)


def read_records_of(
    values: Iterable[JsonValue | Problem], read: Read, *, what: str
) -> Iterator[Record | Problem]:
    """Yield the records of JSON objects with their problems, each sample once."""
    with closing(NameRegister()) as seen:

        def read_once(fields: dict[str, Any], value: JsonValue) -> Iterator[Record | Problem]:
            record, doubts = read(fields, value)
            refuse_repeated(record, value.where, seen)
            yield record
            yield from problems_at(value.where, doubts)

        yield from read_objects(values, read_once, what=what)


def refuse_repeated(record: Record, where: str, seen: NameRegister) -> None:
    """Raise InvalidInput if an earlier record, which `seen` remembers, has the same sample."""
    if (before := seen.remember(json.dumps(record.sample.key), where)) != where:
        raise InvalidInput(f"duplicate sample {record.sample.key}: already used at {before}")


def problems_at(where: str, doubts: Iterable[Doubt]) -> Iterator[Problem]:
    """Yield a Problem for each warning, and for each annotation that its record is without."""
    for doubt in doubts:
        if isinstance(doubt, InvalidInput):
            code = doubt.code if is_part(doubt.code) else SPAN_REFUSED
            message = f"skipped: {doubt.message}"
            yield Problem(where, message, doubt.hint, refused=False, code=code)
        else:
            yield Problem(where, doubt, refused=False)


def keep_readable(
    read: Callable[[Any], _Item], values: Iterable[Any], doubts: list[Doubt]
) -> list[_Item]:
    """Return what `read` makes of each value; add the errors of values that it refuses."""
    found = []
    for value in values:
        try:
            found.append(read(value))
        except InvalidInput as error:
            doubts.append(error)
    return found


def keep_field(read: Callable[[], _Item], default: _Item, doubts: list[Doubt]) -> _Item:
    """Return a field's value that `read` parses; add its error, and use the default, if it fails.

    An unusable field never refuses the other parts of its record.
    """
    try:
        return read()
    except InvalidInput as error:
        doubts.append(InvalidInput(error.message, error.hint, code=FIELD_REFUSED))
        return default


def keep_list(fields: Fields, name: str, doubts: list[Doubt]) -> list[Any]:
    """Return a list of annotations or work; a missing or unusable field is an empty list."""
    return keep_field(lambda: list_field(fields, name, []), [], doubts)


def write_json_line(target: TextIO, value: Any, report: ExportReport | None = None) -> int:
    """Write a JSON value on its own line; NaN and infinities become null and are counted."""
    text, count = encode_strict(value)
    target.write(text)
    target.write("\n")
    if report is not None:
        report.count_loss(Loss.NOT_FINITE.value, count)
    return count


def write_json_array(
    target: TextIO,
    values: Iterable[Any],
    *,
    report: ExportReport,
    opening: str = "[",
    end: str = "]",
) -> None:
    """Write JSON values, one per line, in brackets; NaN and infinities become null (counted)."""
    before = f"{opening}\n"
    for value in values:
        text, count = encode_strict(value)
        report.count_loss(Loss.NOT_FINITE.value, count)
        target.write(before)
        target.write(text)
        before = ",\n"
    target.write(f"\n{end}\n" if before == ",\n" else f"{opening}{end}\n")


# fields by type: each function raises InvalidInput, which quotes a value of another type -------


def check_object(value: Any, *, what: str) -> dict[str, Any]:
    """Return a value that is a JSON object; for any other value, raise InvalidInput."""
    if not isinstance(value, dict):
        raise InvalidInput(f"the {what} is {describe_value(value)}, not a JSON object")
    return value


def text_field(fields: Fields, name: str, default: Any = "") -> str:
    """Return a text field, or the default if it is missing; InvalidInput for another type."""
    value = fields.get(name, default)
    if not isinstance(value, str):
        raise InvalidInput(f"{name!r} is {describe_value(value)}, not text")
    return value


def object_field(fields: Fields, name: str) -> dict[str, Any]:
    """Return a field that is a JSON object; InvalidInput if it is missing or not an object."""
    value = fields.get(name)
    if not isinstance(value, dict):
        raise InvalidInput(f"{name!r} is {describe_value(value)}, not a JSON object")
    return value


def description_fields(record: Record) -> dict[str, Any]:
    """Return the description of a sample's dataset as field `about`; nothing if it is empty."""
    return {"about": asdict(record.about)} if record.about else {}


def read_description(fields: Fields) -> DatasetDescription:
    """Return the description of the dataset in the field `about`; empty if it is missing."""
    about = object_field(fields, "about") if "about" in fields else {}
    names = DatasetDescription.__slots__
    return DatasetDescription(**{name: text_field(about, name) for name in names})


def list_field(fields: Fields, name: str, default: Any) -> list[Any]:
    """Return a list field, or the default if it is missing; InvalidInput for another type."""
    value = fields.get(name, default)
    if not isinstance(value, list):
        raise InvalidInput(f"{name!r} is {describe_value(value)}, not a list")
    return value


def check_objects(value: Any, name: str) -> list[dict[str, Any]]:
    """Return a list of JSON objects; InvalidInput, with the field's name, for anything else."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidInput(f"{name!r} is not a list of objects")
    return value


def whole_number_field(fields: Fields, name: str, default: Any = None) -> int:
    """Return the integer in a JSON field, 0 to 2^53 - 1, or the default if it is missing."""
    value = fields.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise InvalidInput(f"{name!r} is {describe_value(value)}, not a whole number below 2^53")
    return value


def enum_field(kind: type[_Enum], value: Any, *, what: str) -> _Enum:
    """Return the member for a value; InvalidInput, with all values, for an unknown one."""
    if value not in list(kind):
        raise InvalidInput(f"{value!r} is not a valid {what}", f"use one of: {', '.join(kind)}")
    return kind(value)


# rows and labels ------------------------------------------------------------------------------


def number_repeated(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each row with the number of equal earlier rows, so that ids of equal rows differ."""
    times: dict[str, int] = {}
    for row in rows:
        content = json.dumps(row, sort_keys=True)
        times[content] = times.get(content, -1) + 1
        yield times[content], row


def make_row_id(key: tuple[str, str], times: int, row: Any) -> str:
    """Return an id that depends on the sample, the row and the number of earlier equal rows."""
    return str(uuid5(_IDS, json.dumps([*key, times, row], sort_keys=True)))


def parse_label(name: str) -> LabelPath:
    """Split a dotted label name into a label path; a name with a blank part stays whole."""
    names = tuple(name.split(LABEL_JOINER))
    return names if all(each.strip() for each in names) else (name,)


def join_label(path: LabelPath) -> str:
    """Return a label path as one text; `parse_label` reads it."""
    return LABEL_JOINER.join(path)


def count_ambiguous_labels(paths: Iterable[LabelPath]) -> int:
    """Return the number of label paths that cannot be recovered after being joined by dots."""
    return sum(parse_label(join_label(path)) != path for path in paths)
