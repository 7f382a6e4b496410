"""The pictures of the README are what the app draws today; `make pictures` makes them anew."""

from __future__ import annotations

import runpy
from pathlib import Path

from tests.helpers.terminal import ROOT


async def test_the_narrow_picture_is_not_stale(tmp_path: Path) -> None:
    """Byte for byte; the wide one is drawn by the same command."""
    pictures = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
    folder = tmp_path / "work"
    pictures["ingest"](folder)
    drawn = pictures["own"](await pictures["drawn"](folder, pictures["SIZES"]["annotate-80"]))
    assert drawn == (ROOT / "docs" / "images" / "annotate-80.svg").read_text("utf-8")
