"""Paths of input: files, folders, patterns such as `rows/*.csv`, and standard input."""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PosixPath
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final

from tui_annotate.domain.errors import InvalidInput, Unavailable

_STANDARD_INPUT: Final = Path("-")


class _NamedPath(PosixPath):
    """Path of a temporary copy of standard input, which messages call `standard input`."""

    def __str__(self) -> str:
        return "standard input"

    def __fspath__(self) -> str:
        return super().__str__()

    def as_posix(self) -> str:
        """Return the path of the temporary copy of standard input."""
        return os.fspath(self)


@contextmanager
def copy_standard_input(paths: Sequence[Path], stream: BinaryIO) -> Iterator[list[Path]]:
    """Replace `-` in paths by a temporary copy of a stream: readers read a file more than once.

    Raises:
        InvalidInput: the path `-` is given twice.
        Unavailable: the temporary folder is full.
    """
    if paths.count(_STANDARD_INPUT) > 1:
        raise InvalidInput("standard input (-) is given twice", "pass - only once")
    if _STANDARD_INPUT not in paths:
        yield list(paths)
        return
    with TemporaryDirectory(prefix="tui-annotate-") as folder:
        copy = _NamedPath(folder, "stdin")
        try:
            with copy.open("wb") as file:
                shutil.copyfileobj(stream, file)
        except OSError as error:
            raise Unavailable(
                f"standard input cannot be copied to a temporary file: {error.strerror}",
                "free some space, or set TMPDIR to a different folder",
            ) from error
        yield [copy if path == _STANDARD_INPUT else path for path in paths]


def is_pattern(path: Path) -> bool:
    """Return whether a path is a pattern with `*`, `?` or `[`, and not the name of a file."""
    return glob.has_magic(str(path)) and not path.exists()


def base_folder(path: Path) -> Path:
    """Return a path, or for a pattern the folder in which its first wildcard is."""
    while is_pattern(path):
        path = path.parent
    return path


def list_matches(path: Path) -> list[Path]:
    """Return the files that match a pattern, sorted; or the files directly in a folder."""
    paths: Iterable[Path] = path.iterdir()
    if is_pattern(path):
        paths = map(Path, glob.glob(str(path)))  # noqa: PTH207  the pattern may be absolute
    return sorted(each for each in paths if each.is_file() and not each.name.startswith("."))


def has_input(path: Path) -> bool:
    """Return whether a path exists, or is a pattern that a file matches."""
    return path.exists() or (is_pattern(path) and bool(list_matches(path)))


def input_size(path: Path) -> int:
    """Return the number of bytes of a file, or of all files in a folder or of a pattern.

    Links that lead nowhere count as empty; links to folders are not followed, as they may be loops.
    """
    if is_pattern(path):
        return sum(map(input_size, list_matches(path)))
    if not path.is_dir():
        return path.stat().st_size if path.exists() else 0
    files = (Path(folder, name) for folder, _, names in os.walk(path) for name in names)
    return sum(file.stat().st_size for file in files if file.exists())


def refuse_source_as_target(source: Path, target: Path, *, read_too: Iterable[Path] = ()) -> None:
    """Raise InvalidInput if the target is the source, or one of a folder's or pattern's files.

    Args:
        read_too: further files that the importer reads; they need not exist.
    """
    if not target.exists():
        return
    files = [source, *read_too]
    if source.is_dir() or is_pattern(source):
        files += list_matches(source)
    if any(file.exists() and target.samefile(file) for file in files):
        raise InvalidInput(
            f"{target} is both a source and the target", "name a different file as the target"
        )
