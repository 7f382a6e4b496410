"""Writes text files and folders atomically: plain, gzip or zstd, or to standard output."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import re
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, TextIO

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.terminal_text import make_visible
from tui_annotate.domain.workspace_files import BACKUPS
from tui_annotate.plugins.files.output_paths import require_output_path
from tui_annotate.plugins.files.packing import PACKED, open_packer
from tui_annotate.plugins.files.standard_output import require_standard_output
from tui_annotate.plugins.protocols import Folder

NOTHING_CHANGED: Final = "nothing was changed"


@contextmanager
def open_output(target: Path | None, *, private: bool = False) -> Iterator[TextIO]:
    """Open a UTF-8 text file that appears only when complete; None means standard output.

    The text is written to a temporary file in the same folder, which replaces the target at the
    end. An existing file stays until then; its mode is kept, unless `private`. A file whose name
    ends as one of `PACKED` is compressed; equal texts give equal bytes.

    `private`: make the file readable only by its owner, even if it existed with another mode.

    Raises:
        InvalidInput: as for `check_target`.
        Unavailable: the target cannot be written, for example because the disk is full or because
            standard output is closed.
    """
    if target is None:
        yield from _standard_output()
        return
    check_target(target)
    try:
        if target.exists() and not target.is_file():  # a pipe or a device cannot be replaced
            with target.open("w", encoding="utf-8", newline="\n") as file:
                yield file
        else:
            file_path = target.resolve()
            with (
                replace_file(file_path, private=private) as raw,
                _open_text(raw, file_path.suffix) as file,
            ):
                yield file
    except OSError as error:
        raise _write_error(target, error) from error


def check_target(target: Path) -> None:
    """Check the path of a file that a user names for output.

    Raises:
        InvalidInput: the path is a folder, its folder is missing, or a workspace keeps it.
    """
    if target.is_dir():
        raise InvalidInput(f"{target} is a folder", "add a file name to the path of the folder")
    _check_parent(target)
    require_output_path(target)


def _check_parent(target: Path) -> None:
    if not target.absolute().parent.is_dir():
        raise InvalidInput(
            f"there is no folder {target.absolute().parent}",
            "create it first",
            code="folder-missing",
        )


@contextmanager
def explain_unwritten(changed: str) -> Iterator[None]:
    """State in the hint of a file that cannot be written what the command changed before.

    `changed`: the new hint; empty if nothing was changed.
    """
    try:
        yield
    except Unavailable as error:
        if not changed or error.hint != NOTHING_CHANGED:
            raise
        raise Unavailable(error.message, changed) from error


def _write_error(target: Path, error: OSError) -> Unavailable:
    absent = error.errno == errno.ENOENT  # the folder exists: that was checked before
    why = "no new file can be created in the folder" if absent else error.strerror or "disk error"
    return Unavailable(f"{target} cannot be written: {why}", NOTHING_CHANGED)


def _standard_output() -> Iterator[TextIO]:
    require_standard_output()
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
    """Text writer to a terminal that replaces control characters with visible symbols."""

    def write(self, text: str, /) -> int:
        return super().write(make_visible(text.replace("\r\n", "\n")))


@contextmanager
def replace_file(target: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces the target file when it is complete.

    A new file is readable only by its owner; an existing file's mode is kept, unless `private`.
    Temporary files of the same target that a killed process left behind are removed. A path that a
    user names is first checked by `check_target`.
    """
    remove_unfinished(target)
    part = _part_path(target)
    # O_EXCL and O_NOFOLLOW: never write through a link that another user put in the folder.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    mode = 0o600
    if target.exists() and not private:
        mode = stat.S_IMODE(target.stat().st_mode) & 0o666
    descriptor = os.open(part, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as raw:
            os.fchmod(descriptor, mode)  # a mode given to open() is reduced by the umask
            with suppress(OSError):  # a file system without locks
                fcntl.flock(raw, fcntl.LOCK_EX)  # a locked file is in use
            yield raw
            raw.flush()
            os.fsync(raw.fileno())  # before the rename: no empty file after a power failure
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def replace_folder(target: Path) -> Iterator[Path]:
    """Create a temporary folder that replaces the target folder when it is complete.

    The target must be missing or an empty folder. Temporary folders of the same target that a
    killed process left behind are removed.
    """
    remove_unfinished(target)
    part = _part_path(target)
    part.mkdir(mode=0o700)
    try:
        with ExitStack() as stack:
            with suppress(OSError):  # a file system without locks
                stack.enter_context(_lock(part))
            yield part
            part.replace(target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


_NEW_SECONDS = 10.0
"""Age in seconds up to which an unlocked temporary file may belong to a process just starting."""


def _part_path(target: Path) -> Path:
    # Random, as in a container a killed process and its successor may have the same id.
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")


_UNFINISHED: Final = re.compile(r"\.(?:.+\.[0-9a-f]{8}|tui-annotate-.+)\.part")
"""Pattern for the names of the program's temporary files and folders."""
_UNFINISHED_BACKUP: Final = re.compile(rf"{_UNFINISHED.pattern}|store-.+\.part")


def remove_unfinished(target: Path) -> None:
    """Remove temporary files and folders that killed processes left behind for an output file."""
    ours = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}\.part")
    for part in [each for each in target.parent.iterdir() if ours.fullmatch(each.name)]:
        with suppress(OSError), _lock(part):  # BlockingIOError: a process is writing it
            if time.time() - part.stat().st_mtime < _NEW_SECONDS:
                continue  # its writer may not have locked it yet
            if part.is_dir():
                shutil.rmtree(part)
            else:
                part.unlink()


def find_unfinished(folder: Path) -> list[Path]:
    """List a folder's temporary files and folders, except those that a process is writing."""
    ours = _UNFINISHED_BACKUP if folder.name == BACKUPS else _UNFINISHED
    found = []
    for part in sorted(folder.glob("*.part")):
        if not ours.fullmatch(part.name):
            continue  # of another program
        with suppress(OSError), _lock(part):
            found.append(part)
    return found


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


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
"""Maximum number of written files to sync to disk one by one; more files are synced together."""


@contextmanager
def open_folder(target: Path) -> Iterator[Folder]:
    """Open an output folder that appears only when complete; an empty folder may already exist.

    Raises:
        InvalidInput: the target exists and is not an empty folder, its parent is missing, or a
            workspace keeps it.
        Unavailable: the target cannot be written, for example because the disk is full.
    """
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise InvalidInput(
            f"{target} already exists", "pass a new folder or an empty folder", code="exists"
        )
    _check_parent(target)
    require_output_path(target)
    try:
        with replace_folder(target.resolve()) as part:
            filled = _NewFolder(part)
            yield filled
            filled.sync()
    except OSError as error:
        raise _write_error(target, error) from error


class _NewFolder:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = 0

    @contextmanager
    def file(self, name: str) -> Iterator[TextIO]:
        path = self._path / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(path, "x", encoding="utf-8", newline="\n", opener=_open_private) as file:
            yield file
            file.flush()
            self._count += 1
            if self._count <= _MOST_SINGLE_SYNCS:  # 2 ms each
                os.fsync(file.fileno())

    def sync(self) -> None:
        """Make sure that all files written into the output folder are on the disk."""
        if self._count > _MOST_SINGLE_SYNCS:
            os.sync()
