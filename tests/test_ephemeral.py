"""A temporary workspace of one file."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from tests.helpers.errors import has_code
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.workspace.ephemeral import open_ephemeral


def test_a_file_is_a_workspace_while_one_looks_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All samples are there; the folder is its owner's alone, and gone afterwards."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = tmp_path / "pairs.jsonl"
    file.write_text(json.dumps({"source": "It cost 12.", "summary": "It cost 15."}), "utf-8")
    with open_ephemeral(file) as (space, report):
        assert report.added == 1
        assert [sample.key.dataset for sample in space.samples()] == ["pairs"]
        assert space.path.parent.parent == tmp_path
        assert space.path.parent.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_without_a_sample_is_refused(tmp_path: Path) -> None:
    """There would be nothing to look at."""
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n", "utf-8")
    with (
        pytest.raises(InvalidInput, check=has_code("no-sample")),
        open_ephemeral(file, format="pairs"),
    ):
        pass
