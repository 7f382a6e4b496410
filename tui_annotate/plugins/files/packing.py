"""Reads and writes gzip, zstd, bzip2 and xz; rejects files that unpack to far too many bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
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
"""Maximum ratio of unpacked to packed size of a compressed file; text has ratios of 3 to 30.

Files that unpack to at most `BOMB_FLOOR` bytes are accepted with any ratio.
"""
ZIP_MAGIC: Final = b"PK\x03\x04"
"""First bytes of a zip archive, and of an Excel workbook."""
PACKED: Final = (".gz", ".zst", ".bz2", ".xz")
"""Endings of compressed files."""
LONGEST_MAGIC: Final = 10
"""Number of first bytes of a file that show its compression."""
_BZIP2_MAGIC: Final = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")

_WIDEST = 2**27
"""Maximum window size of a zstd file in bytes: the default limit of the zstd command.

Decompression of an xz file may use as much memory.
"""
_READ_SIZE = 2**10
"""Number of compressed bytes to unpack at once; zstd expands so few bytes to at most 32 MB."""


def detect_packing(head: bytes) -> str:
    """Return the kind of compression by a file's first `LONGEST_MAGIC` bytes; empty for none."""
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return "zstd"
    if head.startswith(b"\xfd7zXZ\0"):
        return "xz"
    return "bzip2" if _BZIP2_MAGIC.match(head) else ""


def begins_with(path: Path, *magic: bytes) -> bool:
    """Return whether a regular, readable file begins with one of the byte strings `magic`."""
    if not path.is_file():  # reading a pipe would block
        return False
    try:
        with path.open("rb") as file:
            return file.read(max(map(len, magic))).startswith(magic)
    except OSError:
        return False  # the error is reported when the file is read


def plain_suffixes(path: Path) -> list[str]:
    """Return the endings of a file's name in lower case, without those of packed files."""
    return [suffix for suffix in map(str.lower, path.suffixes) if suffix not in PACKED]


def remove_packed_ending(name: str) -> str:
    """Return a file's name without the ending of its compression."""
    for ending in PACKED:
        name = name.removesuffix(ending)
    return name


def open_packer(raw: BinaryIO, suffix: str) -> AbstractContextManager[Any]:
    """Open a file for compressed writing, by an ending of `PACKED`; equal input, equal bytes."""
    if suffix == ".gz":
        return gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
    if suffix == ".bz2":
        return bz2.BZ2File(raw, "wb")
    if suffix == ".xz":
        return lzma.LZMAFile(raw, "wb")
    import zstandard

    return zstandard.ZstdCompressor(level=3).stream_writer(raw, closefd=False)


class UnpackedStream(io.RawIOBase):
    """Stream of the unpacked bytes of a compressed file, with a check for zip bombs.

    Args:
        kind: as `detect_packing` returns it.
        read: returns the number of bytes read from the file so far.
    """

    def __init__(
        self, kind: str, packed: io.BufferedReader, *, read: Callable[[], int], path: Path
    ) -> None:
        self._kind = kind
        self._plain = gzip.GzipFile(fileobj=packed) if kind == "gzip" else _Frames(kind, packed)
        self._packed = read
        self._path = path
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read unpacked bytes; raise InvalidRecord if the stream is damaged, cut off, or a bomb."""
        size = len(memoryview(buffer))
        try:
            data = self._plain.read1(size)
        except EOFError as error:
            raise self._make_error(
                f"the {self._kind} file is incomplete", "copy the file again", "cut-short"
            ) from error
        except (gzip.BadGzipFile, zlib.error, _Damage) as error:
            message = f"the {self._kind} file is damaged: {error}"
            raise self._make_error(message, "copy the file again", "damaged") from error
        self._given += len(data)
        count = self._packed()
        if self._given > max(BOMB_FLOOR, BOMB_RATIO * count):
            raise self._make_error(
                f"{count:,} bytes of the file unpack to more than {self._given:,} bytes, as in a"
                f" {self._kind} bomb",
                "if the file is valid, unpack it and pass the unpacked file",
                "bomb",
            )
        memoryview(buffer)[: len(data)] = data
        return len(data)

    def _make_error(self, message: str, hint: str, code: str) -> InvalidRecord:
        return InvalidRecord(message, hint, where=str(self._path), code=code)


class _Damage(Exception):
    pass


def _find_decompressor(kind: str) -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    """Return a function that makes a decompressor of one frame, and the errors that it raises."""
    if kind == "bzip2":
        return bz2.BZ2Decompressor, (OSError, ValueError)
    if kind == "xz":
        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_WIDEST), (lzma.LZMAError,)
    from zstandard import ZstdDecompressor, ZstdError

    return ZstdDecompressor(max_window_size=_WIDEST).decompressobj, (ZstdError,)


class _Frames:
    """Reader of a zstd, bzip2 or xz file of several parts (frames), similar to `gzip.GzipFile`.

    Zeros after a frame are padding.
    """

    def __init__(self, kind: str, packed: io.BufferedReader) -> None:
        self._make_frame, self._errors = _find_decompressor(kind)
        self._packed = packed
        self._frame = self._make_frame()
        self._is_inside_frame = False
        self._plain = b""

    def read1(self, size: int) -> bytes:
        """Return at most `size` unpacked bytes, or no bytes at the end of the file.

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
        data = self._plain[:size]
        self._plain = self._plain[size:]
        return data

    def _unpack(self, raw: bytes) -> bytes:
        pieces = []
        while raw:
            if not self._is_inside_frame:
                raw = raw.lstrip(b"\0")
                if not raw:
                    break
            try:
                pieces.append(self._frame.decompress(raw))
            except self._errors as error:
                raise _Damage(str(error)) from error
            self._is_inside_frame = not self._frame.eof
            raw = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._frame = self._make_frame()
        return b"".join(pieces)
