"""The list of allowed skips is kept by the script that CI runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A run with one passed test, one skipped for want of tmux, one for want of real data."""
    path = tmp_path / "tests.xml"
    path.write_text(
        '<testsuites><testsuite><testcase classname="a" name="passed"/>'
        '<testcase classname="a" name="shell"><skipped message="no tmux"/></testcase>'
        '<testcase classname="a" name="data"><skipped message="real data: not there"/></testcase>'
        "</testsuite></testsuites>",
        "utf-8",
    )
    return path


def judged(
    *results: Path, allowed: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The script's verdict under a list."""
    reasons = results[0].with_name("allowed.txt")
    reasons.write_text(allowed, "utf-8")
    command = [sys.executable, str(ROOT / ".ci" / "skips.py"), str(reasons), *map(str, results)]
    return subprocess.run(command, env=env or {}, capture_output=True, text=True, check=False)


def test_a_skip_off_the_list_fails(results: Path) -> None:
    """A reason that is not on the list ends the run with its test's name."""
    done = judged(results, allowed="real data: *")
    assert done.returncode == 1
    assert done.stderr == "skipped, and not on the list: a.shell: no tmux\n"


def test_skips_on_the_list_pass(results: Path) -> None:
    """Reasons on the list are accepted, comments left out."""
    allowed = "# why\nno tmux  # not here\nreal data: *\n"
    assert judged(results, allowed=allowed).returncode == 0


def test_every_file_of_results_is_read(results: Path, tmp_path: Path) -> None:
    """Both layers are judged: a wrong skip in either of them fails."""
    passed = tmp_path / "passed.xml"
    passed.write_text("<testsuites/>", "utf-8")
    for order in ([results, passed], [passed, results]):
        assert judged(*order, allowed="real data: *").returncode == 1


def test_a_run_without_results_fails(results: Path, tmp_path: Path) -> None:
    """A run that was ended wrote no file: the script names the file."""
    done = judged(results, tmp_path / "slow.xml", allowed="no tmux\nreal data: *\n")
    assert done.returncode == 1
    assert done.stderr.startswith("no results")
    assert "slow.xml" in done.stderr


def test_real_data_is_no_excuse_where_it_is(results: Path) -> None:
    """A test of real data must run where the folder of real data was given."""
    env = {"TUI_ANNOTATE_SHARED": "somewhere"}
    done = judged(results, allowed="no tmux\nreal data: *\n", env=env)
    assert done.returncode == 1
    assert "a.data" in done.stderr
