"""With little memory a command works without vectors, or ends with one error and exit code 1."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import screen_states as states
from tests.helpers.terminal import Terminal, program
from tests.reliability import filled

LIMIT: Final = 600_000 * 2**10  # bytes of address space
LIMITED: Final = ["sh", "-c", f'ulimit -v {LIMIT // 2**10}; exec "$@"', "sh"]

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="no limit of memory on this system"
)


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        ("status -w work", {0}),
        ("export -w work --to csv -o work.csv", {0}),
        ("doctor -w work", {0, 1}),
        ("lab vectors rebuild -w work --embedder static", {1}),
    ],
)
def test_a_command_ends_in_order(tmp_path: Path, words: str, codes: set[int]) -> None:
    """No traceback, no endless wait for a thread that could not start, no abort."""
    filled.make(tmp_path / "work")
    result = filled.run(words, tmp_path, begin=LIMITED)
    assert result.returncode in codes, result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) <= 2


def test_the_screen_ranks_by_words(tmp_path: Path) -> None:
    """An annotator works and saves without vectors."""
    folder = filled.make(tmp_path / "work")
    with Terminal([*LIMITED, *program("annotate", "-w", str(folder), "--as", "dee")]) as terminal:
        states.wait_for_sample(terminal)
        terminal.press("1")
        states.wait_for_saved(terminal, "Intrinsic")
        states.quit_app(terminal)
