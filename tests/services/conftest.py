"""An empty store, and a file to ingest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.stores import new_database
from tests.services.ingest_stores import write_pairs
from tui_annotate.storage.sqlite_database import SqliteDatabase


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """An empty store."""
    opened = new_database(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file of 20 pairs: 30 documents."""
    return write_pairs(tmp_path / "pairs.jsonl", samples=20)
