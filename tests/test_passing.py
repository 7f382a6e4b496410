"""What lasts as long as one looks at a file."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.services.browse import Gather
from tui_annotate.workspace.passing import browsing, passing


def test_a_file_is_a_workspace_while_one_looks_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All samples are there; the folder is its owner's alone, and gone afterwards."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    file = tmp_path / "pairs.jsonl"
    file.write_text(json.dumps({"source": "It cost 12.", "summary": "It cost 15."}), "utf-8")
    with passing(file) as (space, report):
        assert report.added == 1
        assert [sample.key.dataset for sample in space.samples()] == ["pairs"]
        assert space.path.parent.parent == tmp_path
        assert space.path.parent.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_without_a_sample_is_refused(tmp_path: Path) -> None:
    """There would be nothing to look at."""
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n", "utf-8")
    with pytest.raises(InvalidInput, match="pairs"), passing(file, format="pairs"):
        pass


def test_a_file_is_walked_through_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No workspace comes into being, and no file that anybody sees, not even meanwhile."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    file = tmp_path / "pairs.jsonl"
    lines = [{"source": f"{at} It cost 12. " * 99, "summary": "It cost 15."} for at in range(2000)]
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    with browsing(file, Gather()) as (browse, taken):
        assert (taken.taken, browse.first()) == (2000, ("pairs", "0"))
        assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(InvalidInput, match="pairs"), browsing(file, Gather("native")):
        pass
    assert list(tmp_path.iterdir()) == [file]
