"""doctor: what it finds, and the lines that mend it."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.conftest import Command
from tui_annotate.cli import doctor
from tui_annotate.domain.scores import Run, RunKind


def test_doctor_finds_a_sound_workspace_sound(annotated: Command) -> None:
    """A workspace as it was made has nothing wrong."""
    done = annotated("doctor", "--json")
    assert done.code == 0
    states = {check["what"]: check["state"] for check in done.json}
    assert states["machines' runs"] == "ok"
    assert states["store"] == states["workspace"] == states["privacy"] == "ok"


def test_lines_to_copy_hold_for_any_folder(command: Command, tmp_path: Path) -> None:
    """A shell takes the folder out of each as it is called."""
    folder = tmp_path / 'it\'s my "$HOME"; a b'
    missing = command("status", "-w", str(folder)).err.partition("make one: ")[2]
    assert shlex.split(missing) == ["tui-annotate", "init", str(folder)]
    command("init", str(folder))
    again = command("init", str(folder)).err.partition("open it: ")[2]
    assert shlex.split(again)[-1] == str(folder)
    folder.chmod(0o755)
    (finding,) = [
        each
        for each in command("doctor", "-w", str(folder), "--json").json
        if each["what"] == "privacy"
    ]
    assert shlex.split(finding["mend"]) == ["chmod", "-R", "go=", str(folder)]


def test_doctor_tells_a_damaged_store(filled: Command, tmp_path: Path) -> None:
    """A store that is none is wrong, with the line that saves it; other commands send there."""
    (tmp_path / "store.sqlite").write_bytes(b"not a store" * 1000)
    done = filled("doctor", "--json")
    assert done.code == 1
    found = {check["what"]: check for check in done.json}["store"]
    assert found["state"] == "wrong"
    assert "sqlite3 store.sqlite .dump" in found["mend"]
    assert "doctor prints" in filled("status").err


@pytest.mark.parametrize("text", ['[keys]\n"no.such" = "S"\n', "[keys\n", "odd = 1\n"])
def test_doctor_tells_a_broken_configuration(filled: Command, text: str) -> None:
    """A configuration or key map that is refused is a finding, with the path of its file."""
    file = Path(os.environ["TUI_ANNOTATE_CONFIG"])
    file.write_text(text, "utf-8")
    done = filled("doctor", "--json")
    assert done.code == 1
    found = {check["what"]: check for check in done.json}["configuration"]
    assert found["state"] == "wrong"
    assert str(file) in found["says"]


def test_doctor_tells_where_a_configuration_would_be(filled: Command) -> None:
    """A file that is not there is not told as if it were."""
    Path(os.environ["TUI_ANNOTATE_CONFIG"]).unlink()
    found = {check["what"]: check for check in filled("doctor", "--json").json}["configuration"]
    assert found["state"] == "ok"
    assert "nothing at" in found["says"]


def test_doctor_without_a_workspace(command: Command) -> None:
    """Where there is no workspace, that is what is wrong."""
    done = command("doctor")
    assert done.code == 1
    assert "tui-annotate init" in done.out


TERMINALS = [
    ({"TERM": "xterm-256color"}, (100, 30), {"terminal": "ok", "size": "ok"}),
    ({"TERM": "xterm", "COLORTERM": "truecolor"}, (80, 24), {"terminal": "ok", "size": "ok"}),
    ({"TERM": "xterm", "NO_COLOR": "1"}, (79, 24), {"terminal": "ok", "size": "doubt"}),
    ({"TERM": "linux", "TEXTUAL_LOG": "x"}, (80, 23), {"size": "doubt", "settings": "doubt"}),
    ({}, (80, 24), {"terminal": "wrong"}),
]


@pytest.mark.parametrize(("environment", "size", "expected"), TERMINALS)
def test_terminals_are_judged(
    environment: dict[str, str],
    size: tuple[int, int],
    expected: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Kind, size and settings that are in the way are told, with the line that mends them."""
    stdout = SimpleNamespace(isatty=lambda: True, encoding="latin-1")
    monkeypatch.setattr(doctor, "sys", SimpleNamespace(stdout=stdout))
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size(size))
    checks = {check.what: check for check in doctor.terminal_checks(environment)}
    assert {what: checks[what].state for what in expected} == expected
    assert checks["encoding"].state == "wrong"
    assert all(check.mend for check in checks.values() if check.state != "ok")


def test_a_platform_without_vectors_is_a_doubt(
    filled: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the vectors' package is missing, doctor says that new texts get none."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    states = {check["what"]: check["state"] for check in filled("doctor", "--json").json}
    assert states["embedders"] == "doubt"


def test_terminal_checks_tell_what_a_pipe_is() -> None:
    """Where nothing is drawn there is one line, and nothing wrong."""
    (check,) = doctor.terminal_checks({"TERM": "dumb"})
    assert check.state == "ok"


@pytest.mark.parametrize(
    ("days", "state", "says"),
    [
        ((), "ok", "4 finished, 0 unfinished"),
        ((10,), "ok", "4 finished, 1 unfinished"),
        ((8, 10), "doubt", "4 finished, 2 unfinished; begun more than a day ago: "),
        ((1, 2, 3, 4, 5), "doubt", "; score m of news, 2024-05-03 and 2 more"),
    ],
)
def test_a_run_that_nobody_ends_any_more_is_a_doubt(
    days: tuple[int, ...], state: str, says: str
) -> None:
    """One that began within a day may be on its way; of an older one is told what ends it."""
    now = datetime(2024, 5, 10, 12, tzinfo=UTC)
    about = Run(id="1", kind=RunKind.SCORE, maker="m", dataset="news")
    runs = [replace(about, at=f"2024-05-{day:02}T13:00:00+00:00") for day in days]
    found = doctor.runs_check(4, runs, now=now)
    assert (found.state, bool(found.mend)) == (state, state == "doubt")
    assert says in found.says


@pytest.mark.parametrize(
    ("at", "state"),
    [("", "doubt"), ("yesterday", "doubt"), ("2024-05-10T09:00:00", "ok"), ("0001-01-01", "doubt")],
)
def test_a_run_from_a_file_may_tell_any_time(at: str, state: str) -> None:
    """One without a zone is of UTC; what is no time is long ago."""
    run = Run(id="1", kind=RunKind.SUGGEST, maker="m", dataset="news", at=at)
    found = doctor.runs_check(0, [run], now=datetime(2024, 5, 10, 12, tzinfo=UTC))
    assert found.state == state
