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
from tui_annotate.domain.terminal_text import make_visible
from tui_annotate.plugins.files.packing import PACKED, open_packer
from tui_annotate.plugins.protocols import Folder


@contextmanager
def open_output(target: Path | None) -> Iterator[TextIO]:
    r"""A UTF-8 text file that appears whole or not at all; None stands for standard output.

    Written under another name in the same folder and moved at the end; a file that is there
    before stays until then, and keeps its mode but for what the umask takes away. A name that ends
    in `.gz` or `.zst` is packed, always to the same bytes.

    Raises:
        InvalidInput: the target is a folder, or its folder is not there.
        Unavailable: it can not be written: no permission, no space.
    """
    if target is None:
        yield from _standard_output()
        return
    check_target(target)
    try:
        if target.exists() and not target.is_file():  # a pipe or a device: nothing to move
            with target.open("w", encoding="utf-8", newline="\n") as file:
                yield file
        else:
            yield from _replace_file(target.resolve())
    except OSError as error:
        raise _write_error(target, error) from error


def check_target(target: Path) -> None:
    """Raise InvalidInput where the target is a folder, or its own folder is not there."""
    if target.is_dir():
        raise InvalidInput(f"{target} is a folder", "name a file in it")
    _check_parent(target)


def _check_parent(target: Path) -> None:
    if not target.absolute().parent.is_dir():
        raise InvalidInput(
            f"there is no folder {target.absolute().parent}", "make it first", code="folder-missing"
        )


def part_path(target: Path) -> Path:
    """Return a new hidden name in the target's folder, for the time of writing."""
    # Random: in a container, a process may have the id of the one that was killed.
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")


def _write_error(target: Path, error: OSError) -> Unavailable:
    """The error of a target; it never names the file that is being written."""
    absent = error.errno == errno.ENOENT  # its folder is there: that was checked before
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
        return super().write(make_visible(text.replace("\r\n", "\n")))


def _replace_file(target: Path) -> Iterator[TextIO]:
    part = part_path(target)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666
    descriptor = os.open(part, flags, mode & 0o666)
    try:
        with os.fdopen(descriptor, "wb") as raw:
            with _open_text(raw, target.suffix) as file:
                yield file
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _open_text(raw: BinaryIO, suffix: str) -> Iterator[TextIO]:
    if suffix not in PACKED:
        file = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
        yield file
        file.flush()
        file.detach()
        return
    with (
        open_packer(raw, suffix) as binary,
        io.TextIOWrapper(binary, encoding="utf-8", newline="\n") as unpacked,
    ):
        yield unpacked


_MOST_SINGLE_SYNCS = 16
"""Files of a folder that are brought to the disk one by one; with more of them, all at once."""


@contextmanager
def open_folder(target: Path) -> Iterator[Folder]:
    """A new folder that appears whole or not at all; it may exist before if it is empty.

    Raises:
        InvalidInput: something is there already, or its own folder is not there.
        Unavailable: it can not be written: no permission, no space.
    """
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise InvalidInput(
            f"{target} is there already", "name a new folder, or an empty one", code="exists"
        )
    _check_parent(target)
    target = target.resolve()
    part = part_path(target)
    try:
        part.mkdir()
        try:
            filled = _NewFolder(part)
            yield filled
            filled.sync()
            part.replace(target)
        finally:
            shutil.rmtree(part, ignore_errors=True)
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
