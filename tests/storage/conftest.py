"""A store of its own for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.stores import new_database
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty store."""
    opened = new_database(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def corpus(database: Database) -> CorpusStore:
    """Its corpus."""
    return CorpusStore(database)
