"""Commands whose standard streams are closed or full, and users without a home."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PAIR = '{"source": "The bridge cost 12 million pounds.", "summary": "It cost 15 million."}\n'
COMMANDS = {
    "ingest -w work pairs.jsonl": 0,
    "status -w work": 0,
    "export -w work --to csv": 0,
    "doctor -w work": 0,
    "--help": 0,
    "unknown": 2,
    "annotate -w work": 2,  # without a terminal
}
"""Command lines with their exit code."""
DATA = (
    "export -w work --to csv",
    "convert pairs.jsonl - --to csv",
    "status -w work --json",
)
"""Command lines that write data to standard output."""
CLOSED = (">&-", "2>&-", "<&- >&- 2>&-")
WITHOUT_ENTRY = """
import pwd, sys
def missing(key):
    raise KeyError(key)
pwd.getpwuid = pwd.getpwnam = missing
from tui_annotate.__main__ import main
main()
"""


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run the program by a shell, with buffered output as on a user's machine."""
    return subprocess.run(
        ["sh", "-c", f"{sys.executable} -m tui_annotate {line}"],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a data file and a workspace that has its sample."""
    (tmp_path / "pairs.jsonl").write_text(PAIR, "utf-8")
    assert shell(tmp_path, "init work").returncode == 0
    assert shell(tmp_path, "ingest -w work pairs.jsonl --embedder none").returncode == 0
    return tmp_path


@pytest.mark.parametrize("streams", CLOSED)
def test_closed_streams_change_no_result(folder: Path, streams: str) -> None:
    """A command with closed standard streams does its work, and has its usual exit code.

    Only data for a closed standard output are an error.
    """
    found = {}
    for line in COMMANDS:
        ended = shell(folder, f"{line} {streams}")
        assert "Traceback" not in ended.stderr
        found[line] = ended.returncode
    is_data_lost = {line: 1 for line in COMMANDS if line in DATA and ">&-" in streams.split()}
    assert found == COMMANDS | is_data_lost


def test_data_for_a_closed_standard_output_are_an_error(folder: Path) -> None:
    """The message is one error, as for a full disk, and no report says that data were written."""
    for line in DATA:
        ended = shell(folder, f"{line} >&-")
        assert ended.returncode == 1, line
        errors = [each for each in ended.stderr.splitlines() if "error" in each]
        assert errors == ["error: standard output cannot be written: it is closed"], line
        assert "annotations of" not in ended.stderr, line
    assert shell(folder, "export -w work --to csv -o x.csv >&-").returncode == 0
    assert (folder / "x.csv").read_text("utf-8")


def test_an_import_with_closed_streams_stores_its_samples(folder: Path) -> None:
    """What an import stores does not depend on whether its messages can be read."""
    (folder / "more.jsonl").write_text(PAIR.replace("bridge", "tower"), "utf-8")
    shell(folder, "ingest -w work more.jsonl --dataset more --embedder none <&- >&- 2>&-")
    assert '"more"' in shell(folder, "datasets list -w work --json").stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this machine")
def test_a_full_standard_output_is_one_error_with_exit_code_1(folder: Path) -> None:
    """A command that prints to a full disk says so, and Python adds nothing to it."""
    for line in ("status -w work", "export -w work --to csv", "--help"):
        ended = shell(folder, f"{line} >/dev/full")
        errors = [each for each in ended.stderr.splitlines() if "error" in each.lower()]
        assert errors == ["error: standard output: No space left on device"], line
        assert ended.returncode == 1, line


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this machine")
def test_a_full_standard_error_changes_no_result(folder: Path) -> None:
    """Messages that cannot be written change neither a command's work nor its exit code."""
    for line, code in COMMANDS.items():
        ended = shell(folder, f"{line} 2>/dev/full")
        assert (ended.returncode, ended.stderr) == (code, ""), line


def test_a_user_without_a_home_can_work(folder: Path) -> None:
    """Commands work without `HOME` and without an entry in the system's list of users."""
    program = folder / "program.py"
    program.write_text(WITHOUT_ENTRY, "utf-8")
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    for line, code in COMMANDS.items():
        ended = subprocess.run(
            [sys.executable, str(program), *line.split()],
            cwd=folder,
            env=kept,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert "Traceback" not in ended.stderr, line
        assert ended.returncode == code, (line, ended.stderr)
