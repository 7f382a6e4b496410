"""A disk that becomes full while a file is written: one error, and nothing after it."""

from __future__ import annotations

import errno
import gc
import io
import os
import random
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, Final
from zipfile import ZipFile

import pytest

from tui_annotate.plugins.files.columnar import open_parquet_table
from tui_annotate.plugins.files.packing import open_packer
from tui_annotate.plugins.files.sheets import write_workbook
from tui_annotate.plugins.protocols import ExportReport

LUCK: Final = random.Random(0)
NOISE: Final = [LUCK.randbytes(400).hex() for _ in range(400)]


class FullDisk(io.RawIOBase):
    """A file that takes some bytes; then its disk is full."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._at = 0

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + (self._at if whence else 0)
        return self._at

    def tell(self) -> int:
        return self._at

    def write(self, data: Any) -> int:
        if self._at + len(data) > self._room:
            gc.collect(0)  # what is open now is freed later than what handles the error
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._at += len(data)
        return len(data)


def write_sheet(target: BinaryIO) -> None:
    """A workbook."""
    write_workbook(target, "sheet", columns=["text"], rows=[{"text": each} for each in NOISE])


def write_packed(kind: str) -> Callable[[BinaryIO], None]:
    """A packed text."""

    def write(target: BinaryIO) -> None:
        with open_packer(target, kind) as packer, io.TextIOWrapper(packer) as lines:
            lines.writelines(NOISE)

    return write


def write_parquet(target: BinaryIO) -> None:
    """A Parquet table."""
    with open_parquet_table(target, [("text", "text")], ExportReport()) as table:
        table.add([{"text": each} for each in NOISE])


def write_archive(target: BinaryIO) -> None:
    """A zip archive, as of a bundle."""
    with ZipFile(target, "w") as archive:
        for number, each in enumerate(NOISE):
            archive.writestr(str(number), each)


WRITERS: Final[dict[str, Callable[[BinaryIO], None]]] = {
    "xlsx": write_sheet,
    "gz": write_packed(".gz"),
    "zst": write_packed(".zst"),
    "parquet": write_parquet,
    "zip": write_archive,
}


@pytest.mark.parametrize("room", [0, 1000, 30_000])
@pytest.mark.parametrize("kind", WRITERS)
def test_a_full_disk_is_one_error(kind: str, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of the disk is raised, and no writer that is freed later fails once more."""
    gc.collect()  # what other tests left
    ignored: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda found: ignored.append(found.exc_value))
    raw = FullDisk(room)
    target = io.BufferedWriter(raw)

    def write_all(target: BinaryIO) -> None:
        WRITERS[kind](target)
        target.flush()

    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        write_all(target)
    raw.close()
    gc.collect()
    assert ignored == []
