"""The slow layer names folders, files and tests that exist, and holds what needs neural models."""

from __future__ import annotations

import re
from pathlib import Path

from tests.helpers.layers import SLOW, is_slow

ROOT = Path(__file__).parents[2]
NEURAL = re.compile(r'needs_[t]orch|"embedders",\s"neural"')
"""The pattern of the Makefile, which does not match itself."""


def test_each_line_of_the_list_exists() -> None:
    """Lines are sorted; a test that was renamed or removed leaves the list."""
    assert sorted(set(SLOW)) == SLOW
    missing = []
    for line in SLOW:
        file, _, test = line.partition("::")
        path = ROOT / file
        if not path.exists() or f"def {test}" not in (path.read_text("utf-8") if test else "def "):
            missing.append(line)
    assert missing == []


def test_a_test_is_slow_by_its_folder_file_or_name() -> None:
    """A name that only begins like a line is not meant."""
    assert is_slow("tests/end_to_end/test_demo.py::test_x[a]")
    assert is_slow("tests/plugins/embedders/test_neural.py::test_x")
    assert not is_slow("tests/end_to_end_more/test_demo.py::test_x")
    assert not is_slow("tests/plugins/embedders/test_static.py::test_x")


def test_what_needs_a_neural_model_is_slow() -> None:
    """So that the fast layer passes in an installation without PyTorch and the model."""
    files = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if NEURAL.search(path.read_text("utf-8"))
    ]
    assert len(files) > 3
    assert [file for file in files if not is_slow(file)] == []
