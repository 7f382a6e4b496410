"""What readers and writers of JSON share: objects one by one, fields by type, ids and labels."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Any, TextIO, TypeVar
from uuid import UUID, uuid5

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import NameRegister, describe_value, make_problem

LABEL_JOINER = "."

_IDS = UUID("6f2b6c0e-6d0b-5a0e-9b52-3c1f0d6c7a11")

Read = Callable[[dict[str, Any], JsonValue], tuple[Record, Sequence[str]]]
"""An object, and where it stands, to its record and the doubts about it; or `InvalidInput`."""
Fields = Mapping[str, Any]
_Item = TypeVar("_Item")
_Enum = TypeVar("_Enum", bound=StrEnum)


def read_objects(
    values: Iterable[JsonValue | Problem],
    read: Callable[[dict[str, Any], JsonValue], Iterable[_Item]],
    *,
    what: str,
) -> Iterator[_Item | Problem]:
    """What `read` makes of each object (`what`); a Problem for each that it refuses.

    Args:
        read: may raise InvalidInput at any time.
    """
    for value in values:
        if isinstance(value, Problem):
            yield value
            continue
        try:
            yield from read(check_object(value.value, what=what), value)
        except InvalidInput as error:
            yield make_problem(value.where, error)


def read_json_records(
    path: Path, options: ImportOptions, read: Read, *, what: str
) -> Iterator[Record | Problem]:
    """Yield a record for each object (`what`), then doubts about it; see `Importer.read`."""
    with closing(NameRegister()) as seen:

        def read_once(fields: dict[str, Any], value: JsonValue) -> Iterator[Record | Problem]:
            record, doubts = read(fields, value)
            refuse_repeated(record, value.where, seen)
            yield record
            yield from problems_at(value.where, doubts)

        values = read_json_values(path, encoding=options.encoding, meter=options.meter)
        yield from read_objects(values, read_once, what=what)


def refuse_repeated(record: Record, where: str, seen: NameRegister) -> None:
    """Raise InvalidInput where the file gave a record of the same sample before."""
    if (before := seen.remember(json.dumps(record.sample.key), where)) != where:
        raise InvalidInput(f"{record.sample.key} was given at {before} already")


def problems_at(where: str, doubts: Iterable[str]) -> Iterator[Problem]:
    """Problems that refuse nothing."""
    return (Problem(where, doubt, refused=False) for doubt in doubts)


def write_json_line(target: TextIO, value: Any) -> None:
    """Writes a value on a line of its own."""
    target.write(json.dumps(value, ensure_ascii=False))
    target.write("\n")


def write_json_array(
    target: TextIO, values: Iterable[Any], *, opening: str = "[", end: str = "]"
) -> None:
    """Writes values, one a line, between an opening and an end."""
    before = f"{opening}\n"
    for value in values:
        target.write(before)
        target.write(json.dumps(value, ensure_ascii=False))
        before = ",\n"
    target.write(f"\n{end}\n" if before == ",\n" else f"{opening}{end}\n")


# fields by type: each raises InvalidInput, which quotes what it is instead --------------------


def check_object(value: Any, *, what: str) -> dict[str, Any]:
    """The value, where it is an object; `what` it is called in the message."""
    if not isinstance(value, dict):
        raise InvalidInput(f"the {what} is {describe_value(value)}, not an object")
    return value


def text_field(fields: Fields, name: str, default: Any = "") -> str:
    """A text; the default where it is left out, which may be None for one that must be there."""
    value = fields.get(name, default)
    if not isinstance(value, str):
        raise InvalidInput(f"{name!r} is {describe_value(value)}, not text")
    return value


def object_field(fields: Fields, name: str) -> dict[str, Any]:
    """An object that must be there."""
    value = fields.get(name)
    if not isinstance(value, dict):
        raise InvalidInput(f"{name!r} is {describe_value(value)}, not an object")
    return value


def list_field(fields: Fields, name: str, default: Any) -> list[Any]:
    """A list; the default where it is left out."""
    value = fields.get(name, default)
    if not isinstance(value, list):
        raise InvalidInput(f"{name!r} is {describe_value(value)}, not a list")
    return value


def check_objects(value: Any, name: str) -> list[dict[str, Any]]:
    """The value, where it is a list of objects; `name` it is called in the message."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidInput(f"{name!r} is no list of objects")
    return value


def whole_number_field(fields: Fields, name: str, default: Any = None) -> int:
    """A whole number from 0 to below 2^53; the default where it is left out."""
    value = fields.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise InvalidInput(f"{name!r} is {describe_value(value)}, not a whole number below 2^53")
    return value


def enum_field(kind: type[_Enum], value: Any, *, what: str) -> _Enum:
    """A member by its value; `what` it is not called in the message."""
    if value not in list(kind):
        raise InvalidInput(f"{value!r} is no {what}", ", ".join(kind))
    return kind(value)


# rows and labels ------------------------------------------------------------------------------


def number_repeated(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows with how often the same one came before, so that ids differ."""
    times: dict[str, int] = {}
    for row in rows:
        content = json.dumps(row, sort_keys=True)
        times[content] = times.get(content, -1) + 1
        yield times[content], row


def make_row_id(key: tuple[str, str], times: int, row: Any) -> str:
    """The same id whenever the same row of a sample comes in; `times` as in `number_repeated`."""
    return str(uuid5(_IDS, json.dumps([*key, times, row], sort_keys=True)))


def parse_label(name: str) -> LabelPath:
    """A label of one word as a path: parted at dots, unless a part would be blank."""
    names = tuple(name.split(LABEL_JOINER))
    return names if all(each.strip() for each in names) else (name,)


def join_label(path: LabelPath) -> str:
    """The path as one word."""
    return LABEL_JOINER.join(path)


def count_ambiguous_labels(paths: Iterable[LabelPath]) -> int:
    """How many paths do not come back from being one word."""
    return sum(parse_label(join_label(path)) != path for path in paths)
