"""With little memory a command works without vectors, or ends with one error and exit code 1."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import example
from tests.end_to_end import screen_states as states
from tests.helpers.folder_cache import build_once
from tests.helpers.terminal import Terminal, environment, program
from tui_annotate import workspace
from tui_annotate.plugins.protocols import ImportOptions

LIMIT: Final = 600_000 * 2**10  # bytes of address space
RUN: Final = ["sh", "-c", f'ulimit -v {LIMIT // 2**10}; exec "$@"', "sh"]

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="no limit of memory on this system"
)


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        ("status -w work", {0}),
        ("export -w work --to csv -o work.csv", {0}),
        ("doctor -w work", {0, 1}),
        ("vectors rebuild -w work --embedder static", {1}),
    ],
)
def test_a_command_ends_in_order(tmp_path: Path, words: str, codes: set[int]) -> None:
    """No traceback, no endless wait for a thread that could not start, no abort."""
    _make(tmp_path / "work")
    result = subprocess.run(
        [*RUN, *program(*words.split())],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode in codes, result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) <= 2


def test_the_screen_ranks_by_words(tmp_path: Path) -> None:
    """An annotator works and saves without vectors."""
    folder = _make(tmp_path / "work")
    with Terminal([*RUN, *program("annotate", "-w", str(folder), "--as", "ana")]) as terminal:
        states.wait_for_sample(terminal)
        terminal.press("1")
        states.wait_for_saved(terminal, "Intrinsic")
        states.quit_app(terminal)


def _make(folder: Path) -> Path:
    """A workspace with vectors, which are made without the limit."""

    def build(folder: Path) -> None:
        with workspace.create(folder) as space:
            options = ImportOptions(dataset="news", id_column="id")
            space.ingest(example.PAIRS, options=options, embedder="static")

    return build_once(folder, "low-memory", build)
