"""Project rules about CONTRIBUTING: what it names exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT, ROOT / "tui_annotate", ROOT / "tui_annotate" / "tui")
PATH = re.compile(r"`(?P<path>[a-z_.]+(?:/[a-z_.]+)+)`")


def test_every_path_exists() -> None:
    """Each path of files and packages, from the repository's root, the package or its screen."""
    named = {at["path"] for at in PATH.finditer((ROOT / "CONTRIBUTING.md").read_text("utf-8"))}
    assert len(named) > 30
    missing = [
        name
        for name in sorted(named)
        if not any((folder / end).exists() for folder in FOLDERS for end in (name, f"{name}.py"))
    ]
    assert missing == []
