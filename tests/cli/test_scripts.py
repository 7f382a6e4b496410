"""What a script relies on: exit codes, whoever reads and wherever it writes."""

from __future__ import annotations

import errno
import io
import sys

import pytest

from tests.cli.conftest import Command
from tui_annotate.cli.main import run


class _Pipe(io.StringIO):
    """Standard output that refuses everything, with an error of the system."""

    def __init__(self, error: OSError) -> None:
        super().__init__()
        self._error = error

    def write(self, _text: str, /) -> int:
        """Refuses."""
        raise self._error

    def fileno(self) -> int:
        """None that is open."""
        return 99


@pytest.mark.parametrize(
    "arguments", [["datasets", "formats"], ["datasets", "formats", "--json"], ["--help"]]
)
def test_reader_that_leaves(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads the first line and closes the pipe makes no failure of the command."""
    monkeypatch.setattr("os.dup2", lambda *_: None)
    monkeypatch.setattr(sys, "stderr", sys.stderr)  # Typer puts another one in its place
    monkeypatch.setattr(sys, "stdout", _Pipe(BrokenPipeError(errno.EPIPE, "Broken pipe")))
    assert run(arguments) == 0


def test_full_disk_behind_standard_output(
    command: Command, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where standard output has no room left, the message says that it is standard output."""
    command("datasets", "formats")
    monkeypatch.setattr(sys, "stdout", _Pipe(OSError(errno.ENOSPC, "full")))
    assert run(["datasets", "formats"]) == 1
    said = capfd.readouterr().err
    assert said.endswith(": full\n")
    assert "None" not in said
    assert (said.count("\n"), said.count(": ")) == (1, 2)
