"""Folders that appear whole or not at all, with the sums of their files; never over another."""

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
"""The file of sums, as `sha256sum --check` reads it: every file of the folder but itself."""

_CHUNK_SIZE: Final = 2**20
_UNFINISHED: Final = ".tui-annotate-{}.part"


@contextmanager
def create_folder(target: Path) -> Iterator[Path]:
    """A folder to be filled, which becomes `target` at the end; gone again if anything is raised.

    What a process left that was killed meanwhile is removed by the next that makes one beside it.

    Raises:
        Conflict: there is something at the target, or another process is making it.
        InvalidInput: the folder that is to hold it is not there.
        Unavailable: it can not be written.
    """
    target = target.absolute()
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise Conflict(f"there is something at {target}", "choose another name")
    if not target.parent.is_dir():
        raise InvalidInput(f"there is no folder {target.parent}", "make it first")
    try:
        with _own_folder(target.with_name(_UNFINISHED.format(target.name))) as unfinished:
            yield unfinished
            _sync_folder(unfinished)
            unfinished.rename(target)  # also onto an empty folder
    except OSError as error:
        raise Unavailable(
            f"{target} can not be written: {error.strerror or error}", "nothing was made"
        ) from error


@contextmanager
def scratch_folder(parent: Path) -> Iterator[Path]:
    """An empty folder for a while; one that a killed process left is removed by the next.

    Raises:
        Unavailable: it can not be made.
    """
    try:
        with _own_folder(parent / _UNFINISHED.format(secrets.token_hex(4))) as folder:
            yield folder
    except OSError as error:
        raise Unavailable(
            f"{parent} can not be written: {error.strerror or error}", "is the disk full?"
        ) from error


@contextmanager
def _own_folder(folder: Path) -> Iterator[Path]:
    """An empty folder that no other process fills; removed unless it is renamed."""
    for left in folder.parent.glob(_UNFINISHED.format("*")):
        with suppress(FileNotFoundError), _try_lock(left) as free:  # it may end just now
            if free:
                shutil.rmtree(left)
    folder.mkdir(mode=0o700, exist_ok=True)
    with _try_lock(folder) as free:
        if not free:
            raise Conflict(f"another process is making {folder}", "wait for it to end")
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _try_lock(folder: Path) -> Iterator[bool]:
    """Whether this process alone has the folder for a while."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield True
    except BlockingIOError:
        yield False
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    """Everything on the disk before the name is: a power cut leaves all of it, or none."""
    for each in (*sorted(folder.rglob("*")), folder):
        if not each.is_symlink():
            descriptor = os.open(each, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def copy(source: Path, target: Path) -> str:
    """Copies one file for its owner alone, its folders made; the SHA-256 of what was written."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    hashed = hashlib.sha256()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with source.open("rb") as read, os.fdopen(os.open(target, flags, 0o600), "wb") as write:
        while piece := read.read(_CHUNK_SIZE):
            hashed.update(piece)
            write.write(piece)
    return hashed.hexdigest()


def write_sums(folder: Path) -> dict[str, str]:
    """Writes the sums of all files of a folder; by name, with `/` between the parts."""
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
    """What `write_sums` wrote.

    Raises:
        NotFound: there is no such file: the folder was not made by us, or not as a whole.
        Damaged: it can not be read, or names a place outside the folder.
    """
    try:
        lines = (folder / SUMS).read_text("utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound(f"{folder} holds no {SUMS}", "name the folder itself") from error
    except (OSError, UnicodeDecodeError) as error:
        raise Damaged(f"{folder / SUMS} can not be read: {error}", "take another copy") from error
    sums = {}
    for line in lines:
        value, _, name = line.partition("  ")
        place = PurePosixPath(name)
        if not name or place.is_absolute() or ".." in place.parts:
            raise Damaged(f"{folder / SUMS} names {name!r}", "take another copy")
        sums[name] = value
    return sums


def check(folder: Path) -> None:
    """Compare the files of a folder with their sums; raises as `copy_checked`."""
    _compare_with_sums(folder, lambda name: _hash_file(folder / name))


def copy_checked(source: Path, target: Path) -> list[str]:
    """Copy the files that the sums of a folder name, and compare them; return their names.

    Raises:
        NotFound: the folder has no sums.
        Damaged: a file is missing or is not what it was.
    """
    return _compare_with_sums(source, lambda name: copy(source / name, target / name))


def _compare_with_sums(folder: Path, hash_file: Callable[[str], str]) -> list[str]:
    sums = read_sums(folder)
    for name, value in sums.items():
        try:
            found = hash_file(name)
        except (FileNotFoundError, IsADirectoryError) as error:
            raise Damaged(f"{folder / name} is missing", "take another copy") from error
        if found != value:
            raise Damaged(f"{folder / name} is not what it was", "take another copy")
    return [*sums]


def write_text(file: Path, text: str) -> None:
    """Writes a file that its owner alone may read, in a folder that is made where it is not."""
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(text, "utf-8")
