"""Chooses the number of a table's first row, where row numbers are the ids of samples.

Rows are numbered from 1. Earlier versions numbered them from 0, and a dataset keeps the numbers
that it began with, so that a repeated import finds the stored samples.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from tui_annotate.domain.samples import Document, SampleKey
from tui_annotate.plugins.protocols import ImportOptions

FIRST_ROW: Final = 1
EARLIER_FIRST_ROW: Final = 0
"""Number of the first row in datasets of earlier versions."""

_FURTHER_VERSION: Final = re.compile(r"(.+)-(?:[2-9]|[1-9]\d+)")
"""Name of a dataset with other texts of the same samples, as refusals of an import advise."""


def choose_first_row(
    dataset: str,
    rows: Iterable[tuple[str, int, Sequence[Document]]],
    options: ImportOptions,
) -> int:
    """Return the number of the first row of a dataset's tables, 0 or 1, and remember it.

    `options.first_rows` decides. If a dataset has no number there, its stored samples decide: those
    of an earlier version whose first rows were refused have the texts of `rows` under numbers that
    begin with 0. A further version of a dataset, such as `news-2`, has the numbers of the dataset.

    Args:
        rows: the first rows of a table: text before the row's number, index of the row from 0, and
            the documents of its sample.
    """
    if dataset in options.first_rows:
        known = options.first_rows[dataset]
        first = _compare_stored(dataset, rows, options) if known is None else known
    else:
        version = _FURTHER_VERSION.fullmatch(dataset)
        known = options.first_rows.get(version[1]) if version else None
        first = FIRST_ROW if known is None else known
    options.first_rows[dataset] = first
    return first


def _compare_stored(
    dataset: str, rows: Iterable[tuple[str, int, Sequence[Document]]], options: ImportOptions
) -> int:
    """Return the number of the first row with which more rows are stored with the same texts."""
    matches = dict.fromkeys((FIRST_ROW, EARLIER_FIRST_ROW), 0)
    for prefix, index, documents in rows:
        for first in matches:
            key = SampleKey(dataset, f"{prefix}{index + first}")
            matches[first] += has_stored_texts(key, documents, options)
    return max(matches, key=lambda first: matches[first])  # FIRST_ROW if no row is stored


def has_stored_texts(key: SampleKey, documents: Sequence[Document], options: ImportOptions) -> bool:
    """Return whether a sample with the key and the texts of the documents is stored."""
    sample = options.stored(key) if options.stored else None
    return sample is not None and [(each.side, each.text) for each in sample.documents] == [
        (each.side, each.text) for each in documents
    ]
