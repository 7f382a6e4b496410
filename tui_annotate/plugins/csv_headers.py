"""Reads the header of a CSV file, and detects the character between its cells."""

from __future__ import annotations

import csv
from contextlib import suppress
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidRecord
from tui_annotate.plugins.files.streams import read_lines
from tui_annotate.plugins.pair_columns import find_named_columns
from tui_annotate.plugins.protocols import ImportOptions

_DELIMITERS: Final = (",", ";", "\t", "|")
"""Cell delimiters that are detected.

The semicolon is common in countries with decimal commas, the tab in text copied from a spreadsheet.
"""


def read_first_line(path: Path, options: ImportOptions) -> str:
    with suppress(InvalidRecord):  # reported when the file is read
        for line in read_lines(path, encoding=options.encoding):
            if line.text.strip():
                return line.text
    return ""


def find_delimiter(header: str, options: ImportOptions) -> str:
    """Return the delimiter that splits the header so that it has the source and summary columns.

    If there is none, return the delimiter that gives the most columns.
    """
    found = {sign: _split_header(header, sign) for sign in _DELIMITERS}
    return max(
        found, key=lambda sign: (bool(find_named_columns(found[sign], options)), len(found[sign]))
    )


def has_pair_header(path: Path, options: ImportOptions) -> bool:
    """Return whether the first line of a file names columns for source and summary."""
    line = read_first_line(path, options)
    names = _split_header(line, options.delimiter or find_delimiter(line, options))
    return bool(find_named_columns(names, options))


def _split_header(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []
