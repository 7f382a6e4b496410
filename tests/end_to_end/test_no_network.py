"""The program uses no network, and writes only to the workspace and to its own folders."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end import screen_states as states
from tests.helpers import system_calls
from tests.helpers.terminal import Terminal, environment, program

pytestmark = pytest.mark.skipif(
    not system_calls.is_available(), reason=f"no {system_calls.NEEDED} on this machine"
)

PAIRS: Final = (
    "source,summary\n"
    "The bridge cost 12 million pounds. It was opened in 1889.,The bridge cost 15 million.\n"
    "茶厂去年加工鲜叶一千八百吨。,茶厂去年加工鲜叶两千吨。\n"
)
COMMANDS: Final = (
    "init work",
    "ingest -w work pairs.csv --embedder neural",
    "lab vectors rebuild -w work --embedder static",
    "export -w work --to csv -o out/annotations.csv",
    "export -w work --to xlsx -o out/annotations.xlsx",
    "report -w work -o out/report.html",
    "lab scores compute -w work --scorer unigram",
    "doctor -w work",
)
"""Each loads libraries that no other one loads."""
BY_PYTHON: Final = (
    "from tui_annotate.plugins.registry import load_embedder\n"
    "load_embedder('neural')\n"
    "import onnxruntime\n"
)
"""A script that uses the model without the command line."""
LIBRARIES: Final = (
    "import lancedb, pyarrow.dataset, wordllama, tokenizers, sqlmodel, textual, pysbd"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a data file, and with the folders that the program may write to."""
    for name in ("home", "out", "tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / "pairs.csv").write_text(PAIRS, "utf-8")
    return tmp_path


def variables(folder: Path) -> dict[str, str]:
    """The environment of a user with an empty home; nothing in it forbids telemetry."""
    named = {name: str(folder / name.lower()) for name in ("HOME", "TMP")}
    hidden = ("ORT_", "HF_", "XDG_", "TUI_ANNOTATE_", "TRANSFORMERS_")
    kept = {name: each for name, each in environment().items() if not name.startswith(hidden)}
    return kept | {"HOME": named["HOME"], "TMPDIR": named["TMP"], "PYTHONDONTWRITEBYTECODE": "1"}


def allowed(folder: Path) -> list[Path]:
    """The folders that the program says it writes to."""
    own = [folder / "home" / each / "tui-annotate" for each in (".config", ".local/state")]
    made_on_the_way = [folder / "home" / each for each in (".config", ".local")]
    return [folder / "work", folder / "out", folder / "tmp", *own, *made_on_the_way]


def run(folder: Path, command: list[str]) -> Path:
    """Run a command under watch, and return the record of its system calls."""
    record = folder / "record.txt"
    ended = subprocess.run(
        system_calls.watched(command, record),
        cwd=folder,
        env=variables(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert ended.returncode == 0, ended.stderr
    return record


def test_commands_use_no_network_and_write_no_other_files(folder: Path) -> None:
    """No command looks up a name, connects to a host or writes outside its folders."""
    for line in COMMANDS:
        record = run(folder, program(*line.split()))
        assert system_calls.network_uses(record) == [], line
        assert system_calls.files_written(record, outside=allowed(folder)) == [], line
    assert not (folder / "home" / ".cache").exists()


def test_annotating_uses_no_network(folder: Path) -> None:
    """Neither the screen nor the second process that computes vectors does."""
    record = folder / "record.txt"
    command = system_calls.watched(program("annotate", "pairs.csv"), record)
    with Terminal(command, env=variables(folder), folder=folder) as terminal:
        states.wait_for_sample(terminal)
        states.quit_app(terminal)
    workspaces = list(folder.glob("pairs*.annotations"))
    assert len(workspaces) == 1
    # The workspace is made next to its place, and is then renamed.
    places = [*allowed(folder), *workspaces, *folder.glob(".*")]
    assert system_calls.network_uses(record) == []
    assert system_calls.files_written(record, outside=places) == []


def test_libraries_use_no_network_when_they_are_imported(folder: Path) -> None:
    """The libraries of a plain install do nothing else when they are imported."""
    record = run(folder, [sys.executable, "-c", LIBRARIES])
    assert system_calls.network_uses(record) == []
    assert system_calls.files_written(record, outside=[folder / "tmp"]) == []


def test_a_script_that_loads_the_model_writes_nothing(folder: Path) -> None:
    """The model's library is kept from reports of its use in scripts too."""
    record = run(folder, [sys.executable, "-c", BY_PYTHON])
    assert system_calls.network_uses(record) == []
    assert system_calls.files_written(record, outside=[folder / "tmp"]) == []


def test_the_watch_sees_a_look_up_and_a_stray_file(folder: Path) -> None:
    """A program that does what is forbidden is found: the other tests can fail."""
    code = (
        "import socket, pathlib; pathlib.Path.home().joinpath('stray').touch()\n"
        "try: socket.getaddrinfo('host.invalid', 80)\n"
        "except OSError: pass"
    )
    record = run(folder, [sys.executable, "-c", code])
    assert system_calls.network_uses(record) != []
    stray = [os.fspath(folder / "home" / "stray")]
    assert system_calls.files_written(record, outside=[folder / "tmp"]) == stray
