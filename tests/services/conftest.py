"""A file to ingest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.services.ingesting import write_pairs


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file of 20 pairs: 30 documents."""
    return write_pairs(tmp_path / "pairs.jsonl", samples=20)
