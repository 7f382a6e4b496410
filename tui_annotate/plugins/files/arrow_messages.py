"""Reads how large the messages of an Arrow stream are when unpacked, without unpacking them.

Arrow unpacks a whole message at once, and pyarrow has no limit for it. The metadata of a message
are a FlatBuffer, whose few fields that matter here are read directly.

Source: https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc,
`Message.fbs` and `Schema.fbs` of Apache Arrow, and
https://flatbuffers.dev/internals/ for tables and vectors.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO, Final

_CONTINUATION: Final = -1
"""Before the size of a message's metadata; streams of Arrow before 0.15 lack it."""
_DICTIONARY_BATCH: Final = 2
_RECORD_BATCH: Final = 3


class _Table:
    """A table of a FlatBuffer at a position of its bytes.

    Raises:
        struct.error: the position, or a value of the table, is outside of the bytes.
    """

    def __init__(self, data: bytes, position: int) -> None:
        self._data = data
        self._position = position
        self._fields = position - self._read("<i", position)

    def _read(self, kind: str, position: int) -> int:
        return int(struct.unpack_from(kind, self._data, position)[0])

    def _find(self, field: int) -> int:
        """Return the position of a field's value; 0 if the table does not have the field."""
        at = 4 + 2 * field
        if at >= self._read("<H", self._fields):
            return 0
        offset = self._read("<H", self._fields + at)
        return self._position + offset if offset else 0

    def has(self, field: int) -> bool:
        return bool(self._find(field))

    def number(self, field: int, kind: str) -> int:
        """Return a number by its format for `struct`; 0, the default, if it is not there."""
        position = self._find(field)
        return self._read(kind, position) if position else 0

    def table(self, field: int) -> _Table:
        position = self._find(field)
        return _Table(self._data, position + self._read("<I", position))

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """Yield the structures of two 64-bit integers in a vector."""
        position = self._find(field)
        start = position + self._read("<I", position)
        for number in range(self._read("<I", start)):
            yield struct.unpack_from("<qq", self._data, start + 4 + 16 * number)


def measure_unpacked(file: BinaryIO) -> int:
    """Return the number of bytes to which the packed messages of an Arrow stream unpack.

    Messages that are not packed do not count. The stream may be cut off; what follows is ignored.

    Raises:
        ValueError: the metadata of a message are damaged.
    """
    total = 0
    try:
        while (metadata := _read_metadata(file)) is not None:
            message = _Table(metadata, struct.unpack_from("<I", metadata)[0])
            start = file.tell()
            total += _measure_message(file, message, start)
            size = message.number(3, "<q")
            if size < 0:
                raise ValueError(f"a message of the Arrow stream has {size} bytes")
            file.seek(start + size)
    except struct.error as error:
        raise ValueError(f"the metadata of the Arrow stream are damaged: {error}") from error
    return total


def _read_metadata(file: BinaryIO) -> bytes | None:
    """Return the metadata of the next message; None at the end of the stream."""
    size = _read_number(file, "<i")
    if size == _CONTINUATION:
        size = _read_number(file, "<i")
    return file.read(size) if size > 0 else None


def _read_number(file: BinaryIO, kind: str) -> int:
    data = file.read(struct.calcsize(kind))
    return int(struct.unpack(kind, data)[0]) if len(data) == struct.calcsize(kind) else 0


def _measure_message(file: BinaryIO, message: _Table, start: int) -> int:
    kind = message.number(1, "<B")
    if kind not in (_DICTIONARY_BATCH, _RECORD_BATCH):
        return 0
    batch = message.table(2)
    if kind == _DICTIONARY_BATCH:
        batch = batch.table(1)
    if not batch.has(3):  # the kind of packing
        return 0
    total = 0
    for offset, size in batch.pairs(2):
        if size > 0:
            file.seek(start + offset)
            # A packed column begins with its unpacked size, or with -1 if it is stored plainly.
            total += max(_read_number(file, "<q"), 0)
    return total
