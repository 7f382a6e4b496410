"""A workspace on a disk that takes no data: all can be read, nothing is written, and it is said."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

import pytest

from tests.end_to_end import example
from tests.end_to_end import screen_states as states
from tests.helpers import media
from tests.helpers.terminal import ROOT, Terminal, environment, program
from tui_annotate import workspace
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span

RUN_ALL: Final = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from tui_annotate.cli.main import run

for arguments in json.loads(sys.argv[1]):
    out, err = (TextIOWrapper(BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = run(arguments)
        except SystemExit as end:
            code = end.code
    print(json.dumps([code, *(each.buffer.getvalue().decode() for each in (out, err))]))
"""
"""Several commands in one process; a JSON line for each."""

Disk = Callable[[Path], AbstractContextManager[list[str]]]
DISKS: Final[dict[str, Disk]] = {"read-only": media.read_only, "full": media.full}

READING: Final = (
    ("status", "--json"),
    ("export", "--to", "native"),
    ("report", "-o", "-"),
    ("agreement", "--json"),
    ("audit", "verify"),
    ("doctor", "--json"),
)
WRITING: Final = (
    ("ingest", str(example.PAIRS), "--dataset", "more", "--embedder", "none"),
    ("datasets", "clear", "--mine", "--as", "ana", "--yes"),
    ("assignments", "create", "--dataset", "news", "--person", "ana"),
    ("labels", "apply", "labels.yaml"),
    ("datasets", "delete", "news", "--delete-annotations", "--yes"),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example's workspace with one annotation, a label file that changed since, and no log."""
    folder = example.make(tmp_path / "work")
    with workspace.open(folder) as space:
        person, key = space.person("ana").id, SampleKey("news", "bridge-1")
        claim = Anchor(Side.SUMMARY, 0, Span(0, 3))
        found = Annotation("1" * 8, (claim,), labels=(("Unwanted", "Intrinsic"),))
        space.annotate.add(person, key, found, seconds=1)
    labels = folder / "labels.yaml"
    labels.write_text(labels.read_text("utf-8").replace("Benign", "Harmless"), "utf-8")
    shutil.rmtree(folder / "log")
    return folder


@pytest.fixture(params=DISKS)
def disk(request: pytest.FixtureRequest, folder: Path) -> Iterator[list[str]]:
    """The start of a command line with the workspace on each kind of disk."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with DISKS[request.param](folder) as prefix:
        yield prefix
    assert {path: path.read_bytes() for path in before} == before


def run_all(disk: list[str], folder: Path, *commands: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Exit code, output and error output of commands in the workspace."""
    lines = json.dumps([[*command, "-w", str(folder)] for command in commands])
    done = subprocess.run(
        [*disk, sys.executable, "-c", RUN_ALL, lines],
        cwd=folder, env=environment() | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def test_what_reads_works(disk: list[str], folder: Path) -> None:
    """Reading commands give what they give elsewhere; doctor finds no damage."""
    status, export, report, agreement, audit, doctor = run_all(disk, folder, *READING)
    # One person's work has no agreement, which the exit code of that command says.
    assert [done[0] for done in (status, export, report, agreement, audit)] == [0, 0, 0, 1, 0]
    assert json.loads(status[1])["annotations"] == 1
    assert "1" * 8 in export[1]
    assert "</html>" in report[1]
    assert json.loads(agreement[1])
    found = {each["check"]: each["state"] for each in json.loads(doctor[1])}
    assert (found["store"], found["log"], found["labels"]) == ("ok", "ok", "ok")


def test_what_writes_is_refused(disk: list[str], folder: Path) -> None:
    """Each writing command ends with one error, its hint, and exit code 1."""
    for code, _, err in run_all(disk, folder, *WRITING):
        lines = [line for line in err.splitlines() if not line.startswith("columns of ")]
        said = [line.split(":")[0].strip() for line in lines]
        assert (code, said) == (1, ["error", "hint"]), err


@pytest.mark.parametrize("name", ["ana", "stranger"])
def test_the_app_is_a_viewer(disk: list[str], folder: Path, name: str) -> None:
    """The app shows samples and annotations, says that it saves nothing, and saves nothing."""
    command = [*disk, *program("annotate", "-w", str(folder), "--as", name)]
    with Terminal(command, columns=120, rows=30) as terminal:
        terminal.wait(states.SAVES_NOTHING)
        terminal.wait(states.READ_ONLY)
        terminal.wait(states.position(1, 67))
        states.wait_for_keys(terminal)
        terminal.press("1")
        terminal.wait(states.SAVES_NOTHING)
        terminal.press(">")
        terminal.wait(states.position(2, 67))
        states.wait_for_keys(terminal)
        terminal.press(states.ENTER)
        terminal.wait(states.SAVES_NOTHING)
        states.quit_app(terminal)
    assert states.SAVED not in terminal.text


def test_a_file_on_a_read_only_disk_can_be_viewed(tmp_path: Path) -> None:
    """The viewer writes nothing next to the file that it shows."""
    file = str(shutil.copy(example.PAIRS, tmp_path))
    with media.read_only(tmp_path) as disk:
        command = [*disk, *program("view", file, "--id-column", "id")]
        with Terminal(command, columns=120, rows=30) as terminal:
            terminal.wait(states.position(1, 67))
            states.quit_app(terminal)


def test_changes_of_a_killed_program_are_asked_for(folder: Path) -> None:
    """A read-only disk with changes in a side file of the store: exit code 1 and what to do."""
    store = folder / "store.sqlite"
    with workspace.open(folder) as space:
        space.person("ben")
        kept = Path(f"{store}-wal").read_bytes()
    Path(f"{store}-wal").write_bytes(kept)
    with media.read_only(folder) as disk:
        ((code, _, err),) = run_all(disk, folder, ("status",))
    assert code == 1
    assert f"{store}-wal" in err
    assert "cp -r" in err
