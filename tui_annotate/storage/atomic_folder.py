"""Folders that are written completely or not at all, with a checksum for each file.

No function overwrites an existing folder that has files in it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Final

from tui_annotate.domain.errors import Conflict, Damaged, InvalidInput, NotFound, Unavailable

SUMS: Final = "SHA256SUMS"

_CHUNK_SIZE: Final = 2**20
_UNFINISHED: Final = ".tui-annotate-{}.part"


@contextmanager
def create_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder that is renamed to `target` at the end, or removed after an error.

    A folder that a killed process left behind is removed by the next call with the same parent
    folder.

    Raises:
        Conflict: `target` exists and is not an empty folder, or another process is creating it.
        InvalidInput: the parent folder does not exist.
        Unavailable: the folder cannot be written.
    """
    target = target.absolute()
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise Conflict(f"{target} exists already", "choose another name")
    if not target.parent.is_dir():
        raise InvalidInput(f"there is no folder {target.parent}", "create the folder first")
    try:
        with _own_folder(target.with_name(_UNFINISHED.format(target.name))) as unfinished:
            yield unfinished
            _sync_folder(unfinished)
            unfinished.rename(target)  # also onto an empty folder
    except OSError as error:
        raise Unavailable(
            f"{target} cannot be written: {error.strerror or error}",
            "check the disk and the folder's permissions; nothing was written",
        ) from error


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """Yield an empty temporary folder, removed at the end; Unavailable if it cannot be created."""
    try:
        with _own_folder(parent / _UNFINISHED.format(secrets.token_hex(4))) as folder:
            yield folder
    except OSError as error:
        raise Unavailable(
            f"{parent} cannot be written: {error.strerror or error}",
            "free some disk space, then try again",
        ) from error


@contextmanager
def _own_folder(folder: Path) -> Iterator[Path]:
    for left in folder.parent.glob(_UNFINISHED.format("*")):
        with suppress(FileNotFoundError), _try_lock(left) as free:  # may vanish now
            if free:
                shutil.rmtree(left)
    folder.mkdir(mode=0o700, exist_ok=True)
    with _try_lock(folder) as free:
        if not free:
            raise Conflict(
                f"another process is writing {folder}", "wait until the writing process ends"
            )
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _try_lock(folder: Path) -> Iterator[bool]:
    """Yield whether this process has the exclusive lock on a folder; release it at the end."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    """Flush all files of a folder to the disk, so that a power cut leaves all or nothing of it."""
    for each in (*sorted(folder.rglob("*")), folder):
        if not each.is_symlink():
            descriptor = os.open(each, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def copy(source: Path, target: Path) -> str:
    """Copy a file to a new file that only its owner can read; return the SHA-256 of the copy."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    hashed = hashlib.sha256()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with source.open("rb") as read, os.fdopen(os.open(target, flags, 0o600), "wb") as write:
        while piece := read.read(_CHUNK_SIZE):
            hashed.update(piece)
            write.write(piece)
    return hashed.hexdigest()


def write_sums(folder: Path) -> dict[str, str]:
    """Write the checksum file of a folder; return the SHA-256 by relative name of each file."""
    sums = {
        path.relative_to(folder).as_posix(): _hash_file(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path != folder / SUMS
    }
    lines = "".join(f"{value}  {name}\n" for name, value in sums.items())
    (folder / SUMS).touch(mode=0o600)
    (folder / SUMS).write_text(lines, "utf-8")
    return sums


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_sums(folder: Path) -> dict[str, str]:
    """Read the checksum file of a folder; return the SHA-256 of each file by its name.

    Raises:
        NotFound: the folder has no checksum file: tui-annotate did not write it, or not completely.
        Damaged: the checksum file cannot be read, or it names a path outside the folder.
    """
    try:
        lines = (folder / SUMS).read_text("utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound(
            f"{folder} contains no file {SUMS}", "pass the folder that contains this file"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise Damaged(
            f"{folder / SUMS} cannot be read: {error}", "use an undamaged copy of the folder"
        ) from error
    sums = {}
    for line in lines:
        value, _, name = line.partition("  ")
        place = PurePosixPath(name)
        if not name or place.is_absolute() or ".." in place.parts:
            raise Damaged(
                f"{folder / SUMS} lists {name!r}, which is not a path inside the folder",
                "use an undamaged copy of the folder",
            )
        sums[name] = value
    return sums


def check(folder: Path) -> None:
    """Verify a folder's files by its checksum file; raise NotFound or Damaged on a failure."""
    _compare_with_sums(folder, lambda name: _hash_file(folder / name))


def copy_checked(source: Path, target: Path) -> list[str]:
    """Copy and verify the files of a checksum file; return their names, or NotFound, Damaged."""
    return _compare_with_sums(source, lambda name: copy(source / name, target / name))


def _compare_with_sums(folder: Path, hash_file: Callable[[str], str]) -> list[str]:
    sums = read_sums(folder)
    for name, value in sums.items():
        try:
            found = hash_file(name)
        except (FileNotFoundError, IsADirectoryError) as error:
            raise Damaged(
                f"{folder / name} is missing", "use an undamaged copy of the folder"
            ) from error
        if found != value:
            raise Damaged(
                f"{folder / name} does not match its checksum",
                "use an undamaged copy of the folder",
            )
    return [*sums]


def write_text(file: Path, text: str) -> None:
    """Write a file that only its owner can read, and its folder, if missing."""
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(text, "utf-8")
