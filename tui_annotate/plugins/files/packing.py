"""Packed bytes in and out, gzip and zstd; refuses what unpacks to far more than text would."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from tui_annotate.domain.errors import InvalidRecord

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BOMB_FLOOR = 16 * 2**20
BOMB_RATIO = 200
"""A packed file may give this many times its size, once it gave the floor; text gives 3 to 30."""
PACKED: Final = (".gz", ".zst")
"""The endings of the names of packed files."""

_WIDEST = 2**27
"""Bytes that zstd may look back: what its own tool takes without being asked."""
_READ_SIZE = 2**10
"""Packed bytes that zstd is given at a time: it unpacks them to 32 MB at the worst."""


def detect_packing(head: bytes) -> str:
    """How a file is packed, by its first four bytes: `gzip`, `zstd`, or empty for not at all."""
    if head[:2] == b"\x1f\x8b":
        return "gzip"
    return "zstd" if head == b"\x28\xb5\x2f\xfd" else ""


def begins_with(path: Path, *magic: bytes) -> bool:
    """Whether a regular file begins with one of these bytes; False if it can not be read."""
    if not path.is_file():  # a pipe would be waited for
        return False
    try:
        with path.open("rb") as file:
            return file.read(max(map(len, magic))).startswith(magic)
    except OSError:
        return False  # reported when the file is read


def plain_suffixes(path: Path) -> list[str]:
    """The endings of a file's name in lower case, without that of the packing."""
    return [suffix for suffix in map(str.lower, path.suffixes) if suffix not in PACKED]


def open_packer(raw: BinaryIO, suffix: str) -> AbstractContextManager[Any]:
    """Packs what is written as the ending of a file's name asks for; always to the same bytes."""
    if suffix == ".gz":
        return gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
    import zstandard

    return zstandard.ZstdCompressor(level=3).stream_writer(raw, closefd=False)


class UnpackedStream(io.RawIOBase):
    """The plain bytes of a packed stream, unless it is a bomb; `read`: bytes of the file so far."""

    def __init__(
        self, kind: str, packed: io.BufferedReader, *, read: Callable[[], int], path: Path
    ) -> None:
        self._kind = kind
        self._plain = gzip.GzipFile(fileobj=packed) if kind == "gzip" else _Zstd(packed)
        self._packed = read
        self._path = path
        self._given = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """See `io.RawIOBase.readinto`.

        Raises:
            InvalidRecord: the stream is damaged, cut short, or a bomb.
        """
        size = len(memoryview(buffer))
        try:
            data = self._plain.read1(size)
        except EOFError as error:
            raise self._make_error(
                f"the {self._kind} file is cut short", "copy it again", "cut-short"
            ) from error
        except (gzip.BadGzipFile, zlib.error, _ZstdDamage) as error:
            message = f"the {self._kind} file is damaged: {error}"
            raise self._make_error(message, "copy it again", "damaged") from error
        self._given += len(data)
        count = self._packed()
        if self._given > max(BOMB_FLOOR, BOMB_RATIO * count):
            raise self._make_error(
                f"{count:,} bytes unpack to more than {self._given:,}: a {self._kind} bomb",
                "if it is not, unpack it and give the plain file",
                "bomb",
            )
        memoryview(buffer)[: len(data)] = data
        return len(data)

    def _make_error(self, message: str, hint: str, code: str) -> InvalidRecord:
        return InvalidRecord(message, hint, where=str(self._path), code=code)


class _ZstdDamage(Exception):
    """What zstd says of bytes that are none of its."""


class _Zstd:
    """Frames of zstd, one after another, as `gzip.GzipFile` gives members of gzip."""

    def __init__(self, packed: io.BufferedReader) -> None:
        from zstandard import ZstdDecompressor, ZstdError

        self._maker = ZstdDecompressor(max_window_size=_WIDEST)
        self._error = ZstdError
        self._packed = packed
        self._frame = self._maker.decompressobj()
        self._is_inside_frame = False
        self._plain = b""

    def read1(self, size: int) -> bytes:
        """Some bytes; none at the end.

        Raises:
            EOFError: the file ends inside a frame.
        """
        while not self._plain:
            raw = self._packed.read(_READ_SIZE)
            if not raw and not self._is_inside_frame:
                return b""
            if not raw:
                raise EOFError
            self._plain = self._unpack(raw)
        data, self._plain = self._plain[:size], self._plain[size:]
        return data

    def _unpack(self, raw: bytes) -> bytes:
        pieces = []
        while raw:
            try:
                pieces.append(self._frame.decompress(raw))
            except self._error as error:
                raise _ZstdDamage(str(error)) from error
            self._is_inside_frame = not self._frame.eof
            raw = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._frame = self._maker.decompressobj()
        return b"".join(pieces)
