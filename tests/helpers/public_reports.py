"""Files as public bug reports have them: outside of the repository, in a folder of shared data."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", Path(__file__).parents[3] / "shared"))


def find_report(name: str) -> Path:
    path = SHARED / "golden" / "public_reports" / name
    if not path.exists():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with golden values")
    return path
