"""Files of a workspace that are damaged, foreign, locked or unreadable: an error or no harm."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import pytest

from tests.helpers.effort import by_effort
from tests.reliability import filled
from tui_annotate import workspace
from tui_annotate.domain.errors import TuiAnnotateError

ROUNDS: Final = by_effort(push=4, full=4, torture=200)
PAGE: Final = 4096  # bytes
COMMANDS: Final = ["export --to csv -o out.csv", "status", "doctor"]


def damage(file: Path, luck: random.Random) -> None:
    """Overwrite a part of one page of a file with random bytes."""
    data = bytearray(file.read_bytes())
    size = luck.choice([1, 16, PAGE])
    start = luck.randrange(max(len(data) - size, 1))
    data[start : start + size] = luck.randbytes(min(size, len(data) - start))
    file.write_bytes(data)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_damaged_pages_are_found(tmp_path: Path, seed: int) -> None:
    """Work is read as it was, or the store is refused, or `doctor` finds the damage."""
    folder = filled.make(tmp_path / "work")
    with workspace.open(folder) as space:
        before = filled.contents(space)
    filled.checkpoint(folder)
    damage(folder / "store.sqlite", random.Random(seed))
    with (
        suppress(TuiAnnotateError),
        workspace.open(folder) as space,
    ):  # refused: the damage is known
        assert filled.errors(space) or filled.contents(space) == before


@pytest.mark.parametrize("side", ["wal", "shm"])
@pytest.mark.parametrize("seed", range(ROUNDS // 2))
def test_damaged_side_files_lose_no_more_than_the_end(tmp_path: Path, side: str, seed: int) -> None:
    """Of a killed process: the log is a beginning of what it was, and everything agrees with it."""
    folder = filled.make(tmp_path / "work")
    killed = _copy_of_a_running_store(folder, tmp_path / "killed")
    with workspace.open(folder) as space:
        events = [event.id for stream in space.log.streams() for event in space.log.events(*stream)]
    damage(killed / f"store.sqlite-{side}", random.Random(seed))
    with suppress(TuiAnnotateError), workspace.open(killed) as space:
        left = [event.id for key in space.log.streams() for event in space.log.events(*key)]
        assert filled.errors(space) == []
        assert set(left) <= set(events)
        assert side == "wal" or left == events


def _copy_of_a_running_store(folder: Path, killed: Path) -> Path:
    """The files that a process leaves behind that is killed before it closes the store."""
    with workspace.open(folder) as space:
        filled.annotate(space, "cy", count=4)
        shutil.copytree(folder, killed)
    return killed


def _truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _replace_by_foreign(file: Path) -> None:
    file.write_bytes(b"not a file of LanceDB\n" * 40)


@pytest.mark.parametrize(
    "harm",
    [_truncate, _replace_by_foreign, Path.unlink, lambda file: damage(file, random.Random())],
)
@pytest.mark.parametrize("kind", ["manifest", "lance", "idx", "txn"])
def test_damaged_vectors_cost_no_work(
    tmp_path: Path, kind: str, harm: Callable[[Path], None]
) -> None:
    """Work is read and saved without them, and `lab vectors rebuild` makes them again."""
    folder = filled.make(tmp_path / "work")
    with workspace.open(folder) as space:
        before = filled.contents(space)
    files = [
        each
        for each in (folder / "vectors").rglob("*")
        if each.suffix == f".{kind}" and each.is_file()
    ]
    for file in files:
        harm(file)
    with workspace.open(folder) as space:
        assert filled.contents(space) == before
        space.check()
        filled.annotate(space, "cy", count=1)
    done = filled.run("lab vectors rebuild -w work --embedder static", tmp_path)
    assert done.returncode == 0, done.stderr
    with workspace.open(folder) as space:
        assert filled.errors(space) == []


def test_locks_of_processes_that_are_gone_do_not_matter(tmp_path: Path) -> None:
    """Lock files and marks of sessions stay behind; the next process works and ingests."""
    folder = filled.make(tmp_path / "work")
    locks = [each for each in folder.rglob("*") if "lock" in each.name]
    for name in ("vectors/.lock", "vectors/writer.lock", ".lock", "store.sqlite-journal"):
        (folder / name).touch()
    assert filled.run("lab vectors rebuild -w work --embedder static", tmp_path).returncode == 0
    with workspace.open(folder) as space:
        filled.annotate(space, "cy", count=1)
        assert filled.errors(space) == []
    assert all(lock.exists() for lock in locks)


def _files_of_a_workspace() -> list[str]:
    return ["store.sqlite", "tui-annotate.toml", "labels.yaml", "vectors", "log", "backups"]


@pytest.mark.skipif(
    os.geteuid() == 0 and not shutil.which("setpriv"), reason="no setpriv, and root reads all files"
)
@pytest.mark.parametrize("name", [*_files_of_a_workspace(), "."])
@pytest.mark.parametrize("command", COMMANDS[: by_effort(push=1, full=1, torture=3)])
def test_a_file_without_permissions_is_an_error(tmp_path: Path, name: str, command: str) -> None:
    """Of each file of a workspace: exit code and message, no traceback, nothing half-written."""
    folder = filled.make(tmp_path / "work")
    (folder / name).chmod(0)
    words = command.split()
    done = filled.run(f"{words[0]} -w work {' '.join(words[1:])}", tmp_path, ordinary=True)
    (folder / name).chmod(0o700)
    assert done.returncode in {0, 1, 2}, done.stderr
    assert "Traceback" not in done.stderr
    if done.returncode and words[0] != "doctor":
        assert done.stderr.startswith("error: ")
        assert not (tmp_path / "out.csv").exists()


def test_a_damaged_store_can_be_saved_by_the_printed_command(tmp_path: Path) -> None:
    """What SQLite can still read is in the new store."""
    folder = filled.make(tmp_path / "work")
    filled.checkpoint(folder)
    store = folder / "store.sqlite"
    data = bytearray(store.read_bytes())
    with closing(sqlite3.connect(store)) as connection:
        page = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'documents'"
        ).fetchone()[0]
    data[(page - 1) * PAGE : page * PAGE] = bytes(PAGE)
    store.write_bytes(data)
    done = filled.run("doctor -w work", tmp_path)
    assert done.returncode == 1
    assert "sqlite3 store.sqlite .dump" in done.stdout
