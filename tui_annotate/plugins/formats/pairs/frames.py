"""The rows of parquet files, and of folders that `datasets` saved or that hold such files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput, InvalidRecord, NotFound
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.admission import problem
from tui_annotate.plugins.files.columnar import MAGIC, column_rows
from tui_annotate.plugins.formats.pairs.row import Row, lacking
from tui_annotate.plugins.protocols import ImportOptions

_SPLITS: Final = "dataset_dict.json"
_STATE: Final = "state.json"
_SHARD: Final = re.compile(r"([A-Za-z_.]\w*)-\d{5}-of-\d{5}\.parquet")
_SPLIT: Final = "split"
_ODD: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Signs that no name of a file of theirs has, and no message should."""
_LARGEST: Final = 2**24
"""Bytes of the files that list the others."""


class _File(NamedTuple):
    path: Path
    split: str


def is_columnar(path: Path) -> bool:
    """Whether a file is parquet, by how it begins."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False  # told by whoever reads the file


def frame_rows(path: Path, options: ImportOptions) -> Iterator[Row | Problem]:
    """The rows of a file, or of all files of a folder; `split` is a column where there are splits.

    Rows are called by their number, in their split where there is one. A file without a column
    that is asked for is refused once, as a whole.

    Raises:
        NotFound, InvalidInput: it is no such folder.
    """
    index: dict[str, int] = {}
    for file in _files(path):
        try:
            for number, fields in enumerate(column_rows(file.path)):
                count = index[file.split] = index.get(file.split, -1) + 1
                name = f"{file.split}/{count}" if file.split else str(count)
                told = {_SPLIT: file.split} if file.split else {}
                row = Row(name, f"{file.path}, row {number + 1}", {**told, **fields})
                if error := lacking([*row.fields], options):  # all rows of a file have the same
                    yield problem(str(file.path), error)
                    break
                yield row
        except InvalidRecord as error:
            yield problem(error.where, error)
        if options.meter and file.path.is_file():
            options.meter.done += file.path.stat().st_size


def _files(path: Path) -> list[_File]:
    if path.is_file():
        return [_File(path, "")]
    if (path / _SPLITS).is_file():
        splits = _listed(path / _SPLITS, "splits", path)
        return [_File(file, split.name) for split in splits for file in _saved(split)]
    if (path / _STATE).is_file():
        return [_File(file, "") for file in _saved(path)]
    found = sorted({*path.glob("*.parquet"), *path.glob("data/*.parquet")})
    if not found:
        raise NotFound(
            f"{path} holds no parquet files, and nothing that datasets saved", "name a file in it"
        )
    return [_File(file, _split(file)) for file in found if file.is_file()]


def _split(file: Path) -> str:
    """The split that a shard's name tells; empty where it tells none."""
    found = _SHARD.fullmatch(file.name)
    return found[1] if found else ""


def _saved(folder: Path) -> list[Path]:
    return _listed(folder / _STATE, "_data_files", folder)


def _listed(listing: Path, key: str, folder: Path) -> list[Path]:
    """What a file of `datasets` lists, all of it inside the folder.

    Raises:
        InvalidInput: it is not as `datasets` writes it, or names something elsewhere.
    """
    try:
        if listing.stat().st_size > _LARGEST:
            raise InvalidInput(f"{listing} is too large for a list of files")
        told: Any = json.loads(listing.read_text("utf-8"))
        items = [item["filename"] if isinstance(item, dict) else item for item in told[key]]
        if not isinstance(told[key], list) or not all(isinstance(item, str) for item in items):
            raise TypeError("no names")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidInput(f"{listing} is not as datasets writes it", "save it again") from error
    for item in items:
        if item in {"", ".", ".."} or Path(item).name != item or _ODD.search(item):
            raise InvalidInput(f"{listing} names {item!r}, which is not in its folder")
    return [folder / item for item in items]
