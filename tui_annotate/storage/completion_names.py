"""Names for shell completion, read directly and read-only from the SQLite file for speed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, Literal

MOST: Final = 200
"""Maximum number of names that shell completion suggests."""

_QUERIES: Final = {
    "datasets": "SELECT name FROM datasets WHERE name >= :start AND name < :end ORDER BY name",
    "people": (
        "SELECT name FROM people WHERE kind IN ('local', 'imported', 'account')"
        " AND name >= :start AND name < :end ORDER BY name"
    ),
    "samples": (
        "SELECT external FROM samples WHERE external >= :start AND external < :end"
        " ORDER BY external"
    ),
    "keys": (
        "SELECT name || '/' || external FROM samples JOIN datasets"
        " ON datasets.id = samples.dataset_id WHERE :start LIKE name || '/%'"
        " AND name || '/' || external >= :start AND name || '/' || external < :end"
        " ORDER BY name, external"
    ),
}
Kind = Literal["datasets", "people", "samples", "keys"]


def list_names(store: Path, kind: Kind, start: str) -> list[str]:
    """Return the sorted names of datasets, people or samples that begin with `start`."""
    scope = {"start": start, "end": start + "\U0010ffff"}
    try:
        if os.geteuid() not in {0, store.stat().st_uid}:
            return []
        with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as found:
            rows = found.execute(f"{_QUERIES[kind]} LIMIT {MOST}", scope)
            return [str(row[0]) for row in rows]
    except (OSError, sqlite3.Error):
        return []
