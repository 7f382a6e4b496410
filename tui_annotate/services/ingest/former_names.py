"""Recognizes files that an earlier version stored, which cut names of datasets at the first dot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.domain.records import Record
from tui_annotate.plugins.files.inputs import base_folder
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.reader_guard import read_guarded
from tui_annotate.plugins.record_validation import choose_dataset_name
from tui_annotate.plugins.row_numbers import has_stored_texts

_COMPARED: Final = 20
"""Number of samples at the beginning of a file that are compared with the store."""


def needs_former_name(path: Path, name: str, options: ImportOptions) -> bool:
    """Return whether a file's samples are stored under the dataset name of an earlier version.

    `name` is the importer that reads the file. The dataset's new name is preferred.
    """
    if options.dataset or options.stored is None or path.is_fifo():
        return False
    base = base_folder(path)
    try:
        if choose_dataset_name(base, "") == choose_dataset_name(base, "", former=True):
            return False
    except InvalidInput:
        return False  # reported by the importer, if it needs a name at all
    former = replace(options, former_names=True)
    return not is_file_stored(path, name, options) and is_file_stored(path, name, former)


def is_file_stored(path: Path, name: str, options: ImportOptions) -> bool:
    """Return whether at least half of a file's first samples are stored with the same texts."""
    quiet = replace(
        options,
        meter=None,
        chosen_columns={},
        choose_columns=lambda choice: choice.columns,
        first_rows={**options.first_rows},
    )
    stored = [
        has_stored_texts(record.sample.key, record.sample.documents, options)
        for record in _first_records(path, name, quiet)
    ]
    return bool(stored) and 2 * sum(stored) >= len(stored)


def _first_records(path: Path, name: str, options: ImportOptions) -> Iterator[Record]:
    try:
        items = read_guarded(name, options, path)
        yield from islice((item for item in items if isinstance(item, Record)), _COMPARED)
    except TuiAnnotateError:
        return  # reported when the file is imported
