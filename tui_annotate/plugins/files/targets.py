"""Text out: a file or folder that appears whole or not at all; plain, gzip or zstd; stdout too."""

from __future__ import annotations

import errno
import io
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.terminal_text import visible
from tui_annotate.plugins.files.packing import PACKED, packer
from tui_annotate.plugins.protocols import Folder


@contextmanager
def output(target: Path | None) -> Iterator[TextIO]:
    r"""A UTF-8 text file that appears whole or not at all; None stands for standard output.

    Written beside the target under another name and moved at the end; what stood there before
    stays until then, and its mode stays but for what the umask takes away. A name that ends in
    `.gz` or `.zst` is packed, always to the same bytes.

    Raises:
        InvalidInput: the target is a folder, or its folder is not there.
        Unavailable: it can not be written: no permission, no space.
    """
    if target is None:
        yield from _standard_output()
        return
    if target.is_dir():
        raise InvalidInput(f"{target} is a folder", "name a file in it")
    if not target.absolute().parent.is_dir():
        raise InvalidInput(
            f"there is no folder {target.absolute().parent}", "make it first", code="folder-missing"
        )
    try:
        if target.exists() and not target.is_file():  # a pipe or a device: nothing to move
            with target.open("w", encoding="utf-8", newline="\n") as file:
                yield file
        else:
            yield from _replace_file(target.resolve())
    except OSError as error:
        raise _write_error(target, error) from error


def _write_error(target: Path, error: OSError) -> Unavailable:
    """What is told of a target; never the name that it has while it is written."""
    absent = error.errno == errno.ENOENT  # its folder is there: that was looked at before
    why = "its folder takes no new files" if absent else error.strerror or "the disk refused it"
    return Unavailable(f"{target} can not be written: {why}", "nothing was changed")


def _standard_output() -> Iterator[TextIO]:
    sys.stdout.flush()
    kind = _TerminalWriter if sys.stdout.isatty() else io.TextIOWrapper
    file = kind(sys.stdout.buffer, encoding="utf-8", newline="\n")
    try:
        yield file
        file.flush()
    finally:
        with suppress(OSError, ValueError):
            file.detach()


class _TerminalWriter(io.TextIOWrapper):
    """On a terminal, what it would obey is shown as pictures; pipes and files get exact text."""

    def write(self, text: str, /) -> int:
        """Writes, and says how many code points."""
        return super().write(visible(text.replace("\r\n", "\n")))


def _replace_file(target: Path) -> Iterator[TextIO]:
    # Not named by the process alone: in a container each has the number of the one that was killed.
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666
    descriptor = os.open(beside, flags, mode & 0o666)
    try:
        with os.fdopen(descriptor, "wb") as raw:
            with _open_text(raw, target.suffix) as file:
                yield file
            raw.flush()
            os.fsync(raw.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _open_text(raw: BinaryIO, suffix: str) -> Iterator[TextIO]:
    if suffix not in PACKED:
        file = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
        yield file
        file.flush()
        file.detach()
        return
    with (
        packer(raw, suffix) as binary,
        io.TextIOWrapper(binary, encoding="utf-8", newline="\n") as unpacked,
    ):
        yield unpacked


_MOST_SINGLE_SYNCS = 16
"""Files of a folder that are brought to the disk one by one; with more of them, all at once."""


@contextmanager
def folder(target: Path) -> Iterator[Folder]:
    """A new folder that appears whole or not at all; an empty one may stand there before.

    Raises:
        InvalidInput: something stands there already, or its own folder is not there.
        Unavailable: it can not be written: no permission, no space.
    """
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise InvalidInput(
            f"{target} is there already", "name a new folder, or an empty one", code="exists"
        )
    if not target.absolute().parent.is_dir():
        raise InvalidInput(
            f"there is no folder {target.absolute().parent}", "make it first", code="folder-missing"
        )
    target = target.resolve()
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        beside.mkdir()
        try:
            filled = _NewFolder(beside)
            yield filled
            filled.sync()
            beside.replace(target)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise _write_error(target, error) from error


class _NewFolder:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = 0

    @contextmanager
    def file(self, name: str) -> Iterator[TextIO]:
        path = self._path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            self._count += 1
            if self._count <= _MOST_SINGLE_SYNCS:  # 2 ms each
                os.fsync(file.fileno())

    def sync(self) -> None:
        """Brings the other files to the disk."""
        if self._count > _MOST_SINGLE_SYNCS:
            os.sync()
