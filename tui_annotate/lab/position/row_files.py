"""Reads files with rows of position studies, and writes several files at once.

The first invalid row ends reading with an error that names the line; then nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.domain.records import Problem
from tui_annotate.lab.position.study_rows import parse_task
from tui_annotate.plugins.files.json_values import EMPTY, NO_RECORDS, read_json_values
from tui_annotate.plugins.files.packing import PACKED, plain_suffixes
from tui_annotate.plugins.files.targets import open_output

_SUFFIXES = {".jsonl", ".json", ".ndjson"}


class LocatedRow(NamedTuple):
    """A row of a position study with its location `file:line`."""

    where: str
    row: dict[str, Any]


def read_rows(path: Path, *, encoding: str = "utf-8", some: bool = True) -> Iterator[LocatedRow]:
    """Yield the rows of a study's file, plain or compressed; `some`: an empty file is an error.

    Raises:
        InvalidRecord: a row cannot be read, or belongs to neither task.
    """
    for value in read_json_values(path, encoding=encoding):
        if isinstance(value, Problem):
            if not some and value.code in {EMPTY, NO_RECORDS}:
                return
            raise InvalidRecord(value.message, value.hint, where=value.where)
        with locate_row(value.where):
            parse_task(value.value)
        yield LocatedRow(value.where, value.value)


@contextmanager
def locate_row(where: str) -> Iterator[None]:
    """Turn an InvalidInput about a row into an InvalidRecord with the row's location."""
    try:
        yield
    except InvalidRecord:
        raise
    except InvalidInput as error:
        raise InvalidRecord(error.message, error.hint, where=where) from error


def is_file_of_rows(target: Path) -> bool:
    """Return whether a path ends in `.jsonl`, optionally compressed."""
    return bool(set(plain_suffixes(target)[-1:]) & _SUFFIXES)


def rows_suffix(path: Path) -> str:
    return ".jsonl" + (path.suffix if path.suffix in PACKED else "")


class RowFiles:
    """A set of output files in a folder: at the end, either all appear or none."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack = stack
        self._folder = folder
        self.opened: dict[str, TextIO] = {}

    def file(self, name: str) -> TextIO:
        """Return the output file with a name, which is opened at the first call."""
        if name not in self.opened:
            self.opened[name] = self._stack.enter_context(open_output(self._folder / name))
        return self.opened[name]


@contextmanager
def open_folder(folder: Path) -> Iterator[RowFiles]:
    """Open a set of output files in a folder, which is created if missing.

    Raises:
        InvalidInput: the path is a file, or its parent folder is missing.
    """
    made = not folder.exists()
    if made:
        if not folder.absolute().parent.is_dir():
            raise InvalidInput(
                f"folder {folder.absolute().parent} does not exist", "create the folder first"
            )
        folder.mkdir()
    elif not folder.is_dir():
        raise InvalidInput(
            f"{folder} is a file, not a folder", "name a folder, or a file that ends in .jsonl"
        )
    try:
        with ExitStack() as stack:
            yield RowFiles(stack, folder)
    except BaseException:
        if made:
            with suppress(OSError):
                folder.rmdir()
        raise
