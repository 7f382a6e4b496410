"""Sound files made unsound: by byte, by value, by line, by cell, by how they are packed."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing

import zstandard

from tests.fuzz.choices import Choices
from tests.fuzz.values import altered, dumped, loaded

Files = Mapping[str, bytes]
"""The files of a folder by their names, with `/` where they are deeper; one alone is a file."""

_PIECES = [
    b'"', b"\\", b"{", b"}", b"[", b"]", b",", b";", b"\t", b"\n", b"\r", b"\r\n", b"\0", b"\xff",
    b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xf0\x9f\x8c\x89", b"\\ud800", b"null", b"-1", b"1e999",
    b"NaN", b"9" * 30, b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1", b"SQLite format 3\0", b"=1+1",
]  # fmt: skip
_MOST = 4
"""How many changes one file sees."""


def changed(files: Files, choices: Choices) -> dict[str, bytes]:
    """The files with some changes in some of them."""
    found = dict(files)
    for _ in range(1 + choices.below(_MOST)):
        name = choices.of(sorted(found))
        found[name] = _changed(found[name], choices)
    if choices.below(8) == 1:
        name = choices.of(sorted(found))
        found[name] = choices.of(_WHOLE)(found[name], choices)
    if len(found) > 1 and choices.below(16) == 1:
        del found[choices.of(sorted(found))]
    return found


def _changed(raw: bytes, choices: Choices) -> bytes:
    if raw.startswith(b"SQLite format 3\0") and choices.below(4):
        return _row(raw, choices)
    text = raw[:1] in b'{["' and bool(raw)
    if text and choices.below(4):
        return _value(raw, choices)
    return choices.of(_OF_BYTES)(raw, choices)


def _value(raw: bytes, choices: Choices) -> bytes:
    """JSON with a value changed: of the whole file, or of one of its lines."""
    try:
        try:
            return dumped(altered(loaded(raw.decode()), choices)).encode()
        except ValueError:
            lines = raw.split(b"\n")
            place = choices.below(len(lines))
            lines[place] = dumped(altered(loaded(lines[place].decode()), choices)).encode()
            return b"\n".join(lines)
    except (ValueError, RecursionError):
        return _bytes(raw, choices)


def _bytes(raw: bytes, choices: Choices) -> bytes:
    """Some bytes out, others in."""
    start = choices.below(len(raw) + 1)
    end = min(start + choices.below(24), len(raw))
    piece = choices.of([*_PIECES, raw[start:end], raw[start:end] * 2, choices.take(4)])
    return raw[:start] + piece + raw[end:]


def _cut(raw: bytes, choices: Choices) -> bytes:
    """The file up to some byte."""
    return raw[: choices.below(len(raw) + 1)]


def _lines(raw: bytes, choices: Choices) -> bytes:
    """A line doubled, dropped, or moved to the end."""
    lines = raw.split(b"\n")
    line = lines.pop(choices.below(len(lines)))
    return b"\n".join([*lines, *[line] * choices.below(3)])


def _cells(raw: bytes, choices: Choices) -> bytes:
    """One sign of a table for another."""
    signs = [b",", b";", b"\t", b'"', b"\n", b" ", b":", b"-", b"0", b"1"]
    return raw.replace(choices.of(signs), choices.of(signs), 1 + choices.below(3))


def _row(raw: bytes, choices: Choices) -> bytes:
    """A database with a value, a row, a column or a table changed; bytes where it is broken."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.text_factory = lambda told: told.decode("utf-8", "replace")
        try:
            connection.deserialize(raw)
            _run(connection, choices)
            connection.commit()
            return connection.serialize()
        except (sqlite3.Error, LookupError):
            return _bytes(raw, choices)


def _run(connection: sqlite3.Connection, choices: Choices) -> None:
    asked = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1"
    table = choices.of([row[0] for row in connection.execute(asked)])
    about = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    column = choices.of([row[0] for row in about])
    where = f"WHERE rowid IN (SELECT rowid FROM {table} LIMIT 1 OFFSET {choices.below(4)})"
    value: object = choices.of(_CELLS)
    report = connection.execute(f'SELECT "{column}" FROM {table} {where}').fetchone()
    if report and isinstance(report[0], str) and choices.below(3):
        value = _changed(report[0].encode(), choices).decode("utf-8", "replace")
    statements = [
        (f'UPDATE {table} SET "{column}" = ? {where}', (value,)),
        (f'UPDATE {table} SET "{column}" = ? {where}', (value,)),
        (f"DELETE FROM {table} {where}", ()),
        (f"INSERT INTO {table} SELECT * FROM {table} {where}", ()),
        (f'ALTER TABLE {table} RENAME COLUMN "{column}" TO other', ()),
        (f"DROP TABLE {table}", ()),
        (f"UPDATE {table} SET \"{column}\" = CAST(x'ff80' AS TEXT) {where}", ()),
    ]
    connection.execute(*choices.of(statements))


_CELLS = [
    None, 0, 1, -1, 2**40, -(2**63), 1.5, float("inf"), b"\xff", b"", "", "x", "0", "[]", "{}",
    '{"source": [0, 2]}', '{"summary": [0, 1], "source": [-1, -1]}', '{"text1": [0, 9]}', '["a"]',
]  # fmt: skip


def _other_text(encoding: str) -> Callable[[bytes, Choices], bytes]:
    def changed(raw: bytes, _: Choices) -> bytes:
        return raw.decode("utf-8", "replace").encode(encoding, "replace")

    return changed


def _packed(pack: Callable[[bytes], bytes]) -> Callable[[bytes, Choices], bytes]:
    def changed(raw: bytes, choices: Choices) -> bytes:
        packed = pack(raw)
        return choices.of([packed, packed, _cut(packed, choices), _bytes(packed, choices)])

    return changed


_OF_BYTES: list[Callable[[bytes, Choices], bytes]] = [_bytes, _cut, _lines, _cells]
_WHOLE: list[Callable[[bytes, Choices], bytes]] = [
    _packed(lambda raw: gzip.compress(raw, mtime=0)),
    _packed(zstandard.ZstdCompressor().compress),
    _other_text("utf-8-sig"),
    _other_text("utf-16"),
    _other_text("gb18030"),
    lambda raw, _: raw.replace(b"\n", b"\r\n"),
]
