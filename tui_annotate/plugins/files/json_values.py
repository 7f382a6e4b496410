"""Reads the JSON values of a file one by one: an array, `{"data": [...]}`, or JSON lines.

Objects that extend over several lines, and tables that pandas stores by columns, are read too.

Invalid JSON, wrong bytes, lone surrogates, repeated keys and values that are nested too deep or too
long are reported as Problems with their location.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.domain.records import Problem
from tui_annotate.domain.strict_json import RepeatedKey, find_repeated_key, refuse_repeated_keys
from tui_annotate.plugins.files.streams import LONGEST_LINE, read_chunks, read_lines
from tui_annotate.plugins.protocols import ReadMeter
from tui_annotate.plugins.record_validation import make_problem

DEEPEST: Final = 100
"""Maximum nesting depth of JSON containers."""
SURROGATE: Final = re.compile("[\ud800-\udfff]")

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def check_text(value: Any, raw: str) -> None:
    r"""Check that a JSON value can be stored; `raw` is the JSON text of the value.

    Raises:
        InvalidInput: the value is nested deeper than 100, or a string contains a lone surrogate,
            half of a pair like `\ud83d\ude00`; the message has its location.
    """
    if raw.count("[") + raw.count("{") > DEEPEST and _measure_depth(value) > DEEPEST:
        raise InvalidInput(
            f"the JSON is nested more than {DEEPEST} levels deep", "flatten the JSON"
        )
    if _ESCAPED_SURROGATE.search(raw):
        _check_strings(value, "")


def _check_strings(value: Any, place: str) -> None:
    for name, text in _list_strings(value, place):
        if found := SURROGATE.search(text):
            raise InvalidInput(
                f"there is a lone surrogate U+{ord(found[0]):04X} at offset {found.start()} of"
                f" {name}",
                "the text was cut inside a character; correct the program that wrote the text",
            )


def _measure_depth(value: Any) -> int:
    depth = 0
    level = [value]
    while level:
        depth += 1
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, dict | list)
        ]
        if depth > DEEPEST:
            break
    return depth


def _list_strings(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place or "the value", value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _list_strings(item, f"{place}[{index}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            name = key.encode("ascii", "backslashreplace").decode()
            yield f"the name {name}", key
            yield from _list_strings(item, f"{place}.{name}" if place else name)


_LISTS: Final = ("samples", "data", "rows", "records", "examples")
"""Names of fields that hold the list of all records of a file."""
_OBJECT_WITH_LIST = re.compile(
    rf'\s*\{{\s*"(?:samples"\s*:\s*\[|(?:{"|".join(_LISTS)})"\s*:\s*\[(?=\s*[{{\]]))', re.ASCII
)
_ARRAY = re.compile(r"[ \t\r\n]*\[")
_SPACE = re.compile(r"[ \t\r\n]*")
EMPTY: Final = "file-empty"
NO_RECORDS: Final = "no-records"
_MARGIN = 16
"""A JSON syntax error in this many last characters read may come from an incomplete value."""

_Item = TypeVar("_Item")

_decoder = json.JSONDecoder(object_pairs_hook=refuse_repeated_keys)
_lenient_decoder = json.JSONDecoder()


class JsonValue(NamedTuple):
    """JSON value with its 1-based number in a file; `where`: `file:line` or `file, record N`.

    `broken`: the errors of annotations that were left out of the value; see `read_json_values`.
    """

    number: int
    where: str
    value: Any
    broken: tuple[InvalidInput, ...] = ()


def _check_parts(value: JsonValue, raw: str, parts: AbstractSet[str]) -> JsonValue:
    """Check a value as `check_text` does, without the annotations that cannot be stored."""
    broken: list[InvalidInput] = []
    if parts and _ESCAPED_SURROGATE.search(raw) and _measure_depth(value.value) <= DEEPEST:
        _remove_broken_parts(value.value, "", parts, broken=broken)
    check_text(value.value, raw)
    return value._replace(broken=tuple(broken))


def _remove_broken_parts(
    value: Any, place: str, parts: AbstractSet[str], *, broken: list[InvalidInput]
) -> None:
    for name, inner in list(value.items() if isinstance(value, dict) else []):
        path = f"{place}.{name}" if place else name
        if not isinstance(inner, list) or name not in parts:
            _remove_broken_parts(inner, path, parts, broken=broken)
            continue
        kept = []
        for index, item in enumerate(inner):
            _remove_broken_parts(item, f"{path}[{index}]", parts, broken=broken)
            try:
                _check_strings(item, f"{path}[{index}]")
                kept.append(item)
            except InvalidInput as error:
                broken.append(error)
        inner[:] = kept


def read_json_values(
    path: Path,
    *,
    encoding: str = "utf-8",
    meter: ReadMeter | None = None,
    parts: AbstractSet[str] = frozenset(),
) -> Iterator[JsonValue | Problem]:
    """Yield the JSON values in a file in order, and a Problem for each unreadable value.

    Invalid syntax in an array ends the reading; in JSON lines, only this line is skipped. A value
    with a byte of another encoding is skipped; if no valid value precedes it, reading ends.

    `parts`: names of lists of annotations. If one of their items contains a lone surrogate, only
    the item is left out, and its error is in `JsonValue.broken`; otherwise the value is skipped.

    Raises:
        NotFound, InvalidInput, Unavailable: the file cannot be opened at all.
    """
    before = meter.done if meter else 0
    stream = read_chunks(path, encoding=encoding, meter=meter)
    try:
        head = ""
        for chunk in stream:
            head += chunk
            if head.strip():
                break
        if not head.strip():
            yield Problem(str(path), "the file is empty", code=EMPTY)
        elif opening := _OBJECT_WITH_LIST.match(head) or _ARRAY.match(head):
            wrapped = "{" in opening.group()
            reader = _ArrayReader(path, chain([head], stream), wrapped=wrapped, parts=parts)
            yield from stop_at_wrong_encoding(reader.values(opening.end()))
        elif _spans_lines(head):
            objects = _ArrayReader(path, chain([head], stream), parts=parts).sequence()
            yield from _expand_tables(stop_at_wrong_encoding(objects), path)
        else:
            stream.close()
            if meter is not None:  # the file is read again from its start, line by line
                meter.done = before
            lines = _read_lines(path, encoding, meter, parts=parts)
            yield from _expand_tables(stop_at_wrong_encoding(lines), path)
    except InvalidRecord as error:
        yield make_problem(error.where, error)
    finally:
        stream.close()


def _spans_lines(head: str) -> bool:
    """Return whether the first object of a file continues on the second line."""
    first, _, rest = (line.strip() for line in head.strip().partition("\n"))
    try:
        _lenient_decoder.raw_decode(first)
    except json.JSONDecodeError as error:
        if error.pos < len(first) or not rest:
            return False
        # An object on the second line is a JSON line of its own, unless the first awaits a value.
        return rest[0] != "{" or first[-1] in "[{:,"
    except (RecursionError, ValueError):
        pass  # reported when the file is read
    return False


def _expand_tables(
    items: Iterator[JsonValue | Problem], path: Path
) -> Iterator[JsonValue | Problem]:
    """Yield a file's values; if the first value is a table, yield the table's rows instead."""
    number = 0
    for item in items:
        rows = _list_rows(item.value) if isinstance(item, JsonValue) and not number else None
        if isinstance(item, Problem) or rows is None:
            number += 1
            yield item
            continue
        for number, row in enumerate(rows, 1):
            yield JsonValue(number, f"{path}, record {number}", row)
        if names := [name for name in item.value if name in _LISTS and item.value[name] is rows]:
            yield from _warn_of_ignored([name for name in item.value if name not in names], path)


def _list_rows(value: Any) -> Sequence[Any] | None:
    """Return the rows of a table that is stored as one object; None if it is no table.

    The forms are an object with a list of rows, and pandas' forms `split`, `columns` and `list`.
    """
    if not isinstance(value, dict):
        return None
    found = next((value[name] for name in _LISTS if _are_all(value.get(name), dict)), None)
    table = None if found else _list_cells(value)
    if table is None:
        return found
    names, index, cells = table
    rows = [dict(zip(names, row, strict=True)) for row in cells]
    if list(map(str, index)) == list(map(str, range(len(rows)))):
        return rows  # an index that only counts the rows is no column
    return [{"index": key, **row} for key, row in zip(index, rows, strict=True)]


def _list_cells(value: dict[str, Any]) -> tuple[list[str], Sequence[Any], list[list[Any]]] | None:
    """Return the names of a table's columns, the index of its rows, and the cells of its rows."""
    columns = [*value.values()]
    names = [*value]
    if value.keys() == {"columns", "index", "data"}:
        names, index, cells = (value[name] for name in ("columns", "index", "data"))
        fits = _are_all(names, str) and _are_all(cells, list) and isinstance(index, list)
        fits = fits and {*map(len, cells)} == {len(names)} and len(index) == len(cells)
        return (names, index, cells) if fits else None
    if _are_all(columns, dict):
        index = [*columns[0]]
        fits = "".join(index).isdecimal() and all([*each] == index for each in columns)
        columns = [[*each.values()] for each in columns] if fits else []
    elif _are_all(columns, list):
        index = range(len(columns[0]))
    if len(columns) < 2 or not _are_all(columns, list):
        return None
    if not index or any(len(column) != len(index) for column in columns):
        return None
    return names, index, [list(row) for row in zip(*columns, strict=True)]


def _are_all(values: Any, kind: type) -> bool:
    return (
        isinstance(values, list) and bool(values) and all(isinstance(one, kind) for one in values)
    )


def _warn_of_ignored(names: list[str], path: Path) -> Iterator[Problem]:
    if names:
        shown = ", ".join(map(repr, names))
        message = f"the fields outside the list of records are not imported: {shown}"
        yield Problem(str(path), message, refused=False)


def _read_lines(
    path: Path, encoding: str, meter: ReadMeter | None, *, parts: AbstractSet[str]
) -> Iterator[JsonValue | Problem]:
    number = 0
    for line in read_lines(path, encoding=encoding, meter=meter):
        if not line.text.strip():
            continue
        number += 1
        where = f"{path}:{line.number}"
        if line.bad:
            yield wrong_byte_problem(where, line.bad, encoding)
            continue
        try:
            value = _decoder.decode(line.text)
            yield _check_parts(JsonValue(number, where, value), line.text, parts)
        except RepeatedKey:
            yield _repeated_key_problem(where, line.text)
        except json.JSONDecodeError as error:
            comma = line.text[error.pos :].strip() == ","
            hint = "remove the comma at the end of the line" if comma else _SYNTAX_HINT
            message = f"bad JSON at column {error.colno}: {_describe_error(error)}"
            yield Problem(where, message, hint)
        except (InvalidInput, RecursionError, ValueError) as error:
            yield _make_problem(where, error)


def _describe_error(error: json.JSONDecodeError) -> str:
    return error.msg.replace(" starting at", " starts here").removesuffix(" at")


_SYNTAX_HINT = "write one JSON value per line, or one JSON array"
_ARRAY_HINT = "correct the file at this position; the rest of the file was not read"
_WRONG_BYTE = "wrong-byte"
_ENCODING_HINT = (
    "name the file's encoding with --encoding, for example gb18030 (Chinese) or cp1252 (Western"
    " Windows)"
)


def wrong_byte_problem(where: str, byte: int, encoding: str) -> Problem:
    """Return the problem of a line with a byte, counted from 1, that its encoding does not have."""
    message = f"byte {byte} of the line is not valid {encoding}"
    return Problem(where, message, _ENCODING_HINT, code=_WRONG_BYTE)


def stop_at_wrong_encoding(items: Iterator[_Item]) -> Iterator[_Item]:
    """Yield values of a file; stop if the file's encoding is wrong before the first valid value."""
    before = True
    for item in items:
        yield item
        if before and isinstance(item, Problem) and item.code == _WRONG_BYTE:
            return
        before = before and isinstance(item, Problem)


def _repeated_key_problem(where: str, raw: str) -> Problem:
    found = find_repeated_key(raw)
    assert found is not None  # noqa: S101  the decoder found one
    return Problem(
        where, f"two values have the key {found.key!r} in one object", "remove one of the two keys"
    )


def _make_problem(where: str, error: Exception) -> Problem:
    if isinstance(error, InvalidInput):
        return Problem(where, error.message, error.hint)
    if isinstance(error, RecursionError):
        return Problem(
            where, f"the JSON is nested more than {DEEPEST} levels deep", "flatten the JSON"
        )
    return Problem(where, f"bad JSON: {error}", _SYNTAX_HINT)


class _ArrayReader:
    def __init__(
        self,
        path: Path,
        stream: Iterator[str],
        *,
        wrapped: bool = False,
        parts: AbstractSet[str] = frozenset(),
    ) -> None:
        self._path = path
        self._parts = parts
        self._stream = stream
        self._wrapped = wrapped
        self._buffer = ""
        self._line = 1
        self._line_bytes = 0  # bytes of the current line before the buffer
        self._ended = False

    def values(self, start: int) -> Iterator[JsonValue | Problem]:
        """Yield the items of a JSON array in a file; `start` is the position after its `[`."""
        self._read_more()
        position = self._skip_space(start)
        number = 0
        if self._character(position) == "]":
            yield from self._check_end(position + 1, number)
            return
        while True:
            number += 1
            item, end = self._read_item_or_stop(number, position)
            yield item
            if end < 0:
                return
            position = self._skip_space(end)
            mark = self._character(position)
            if mark == "]":
                yield from self._check_end(position + 1, number)
                return
            if mark != ",":
                yield self._syntax_problem(position, "expecting ',' or ']'")
                return
            position = self._skip_space(self._drop_read(position + 1))

    def sequence(self) -> Iterator[JsonValue | Problem]:
        """Yield JSON values that follow one another without commas."""
        self._read_more()
        position = self._skip_space(0)
        number = 0
        while position >= 0 and self._character(position):
            number += 1
            item, position = self._read_item_or_stop(number, position)
            yield item
            if position >= 0:
                position = self._skip_space(self._drop_read(position))

    def _read_item_or_stop(self, number: int, position: int) -> tuple[JsonValue | Problem, int]:
        """Return the item or Problem at a position, and the item's end; -1 stops reading."""
        where = f"{self._path}, record {number}"
        try:
            return self._read_item(JsonValue(number, where, None), position)
        except (RecursionError, ValueError) as error:
            return self._stop_problem(where, error), -1

    def _stop_problem(self, where: str, error: Exception) -> Problem:
        if isinstance(error, json.JSONDecodeError):
            return self._syntax_problem(error.pos, _describe_error(error))
        return replace(_make_problem(where, error), hint=_ARRAY_HINT)

    def _read_item(self, item: JsonValue, position: int) -> tuple[JsonValue | Problem, int]:
        try:
            value, end = self._decode_item(position, _decoder)
        except RepeatedKey:
            _, end = self._decode_item(position, _lenient_decoder)
            raw = self._buffer[position:end]
            found = find_repeated_key(raw)
            line, _ = self._line_before(position + (found.offset if found else 0))
            return _repeated_key_problem(f"{self._path}:{line}", raw), end
        return self._check_value(item._replace(value=value), position, end), end

    def _check_value(self, value: JsonValue, start: int, end: int) -> JsonValue | Problem:
        raw = self._buffer[start:end]
        if not raw.isascii() and (found := SURROGATE.search(raw)):
            return self._encoding_problem(start + found.start())
        try:
            return _check_parts(value, raw, self._parts)
        except InvalidInput as error:
            return _make_problem(value.where, error)

    def _decode_item(self, position: int, decoder: json.JSONDecoder) -> tuple[Any, int]:
        while True:
            try:
                value, end = decoder.raw_decode(self._buffer, position)
                # A number near the end of the buffer may be incomplete: 1 of 1.5e3.
                if end + _MARGIN < len(self._buffer) or self._ended:
                    return value, end
            except json.JSONDecodeError as error:
                near_end = error.pos + _MARGIN > len(self._buffer)
                if self._ended or not (near_end or error.msg.startswith("Unterminated")):
                    raise
            if len(self._buffer) - position > LONGEST_LINE:
                raise ValueError(f"a value is longer than {LONGEST_LINE:,} characters")
            self._read_more()

    def _read_more(self) -> None:
        """Double the number of characters in the buffer, so that a long item takes linear time."""
        wanted = max(1, len(self._buffer))
        pieces = [self._buffer]
        while wanted > 0 and not self._ended:
            piece = next(self._stream, None)
            if piece is None:
                self._ended = True
            else:
                pieces.append(piece)
                wanted -= len(piece)
        self._buffer = "".join(pieces)

    def _skip_space(self, position: int) -> int:
        while True:
            found = _SPACE.match(self._buffer, position)
            position = found.end() if found else position
            if position < len(self._buffer) or self._ended:
                return position
            position = self._drop_read(position)
            self._read_more()

    def _character(self, position: int) -> str:
        return self._buffer[position : position + 1]

    def _drop_read(self, position: int) -> int:
        if position * 2 < len(self._buffer):
            return position
        gone = self._buffer[:position]
        newline = gone.rfind("\n")
        self._line += gone.count("\n")
        if newline >= 0:
            self._line_bytes = 0
        self._line_bytes += _count_bytes(gone[newline + 1 :])
        self._buffer = self._buffer[position:]
        return 0

    def _check_end(self, position: int, number: int) -> Iterator[Problem]:
        if not number:
            yield Problem(str(self._path), "the file contains no records", code=NO_RECORDS)
        position = self._skip_space(position)
        if self._wrapped:
            names: list[str] = []
            try:
                position = self._skip_fields(position, names)
            except (RecursionError, ValueError) as error:
                yield self._stop_problem(str(self._path), error)
                return
            yield from _warn_of_ignored(names, self._path)
        if self._character(position):
            yield self._syntax_problem(position, "unexpected text after the end of the JSON value")

    def _skip_fields(self, position: int, names: list[str]) -> int:
        """Return the position after an object whose list of records ends at `position`.

        Adds the names of the object's further fields to `names`.
        """
        while self._character(position) == ",":
            name, end = self._decode_item(self._skip_space(position + 1), _lenient_decoder)
            names.append(str(name))
            end = self._skip_space(end)
            if self._character(end) != ":":
                raise json.JSONDecodeError("Expecting ':' delimiter", self._buffer, end)
            _, end = self._decode_item(self._skip_space(end + 1), _lenient_decoder)
            position = self._skip_space(end)
        if self._character(position) != "}":
            raise json.JSONDecodeError("Missing '}' after the list", self._buffer, position)
        return self._skip_space(position + 1)

    def _line_before(self, position: int) -> tuple[int, str]:
        before = self._buffer[:position]
        return self._line + before.count("\n"), before[before.rfind("\n") + 1 :]

    def _syntax_problem(self, position: int, message: str) -> Problem:
        line, before = self._line_before(position)
        column = len(before) + 1 + (self._line_bytes if line == self._line else 0)
        if position >= len(self._buffer) and self._ended:
            message = f"the file ends too early, {message[:1].lower()}{message[1:]}"
        return Problem(
            f"{self._path}:{line}", f"bad JSON at column {column}: {message}", _ARRAY_HINT
        )

    def _encoding_problem(self, position: int) -> Problem:
        line, before = self._line_before(position)
        byte = _count_bytes(before) + 1 + (self._line_bytes if line == self._line else 0)
        return wrong_byte_problem(f"{self._path}:{line}", byte, "text in the file's encoding")


def _count_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))
