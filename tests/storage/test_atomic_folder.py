"""Folders that appear whole or not at all, and what is refused of one that was altered."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tui_annotate.domain.errors import Conflict, Damaged, InvalidInput, NotFound, Unavailable
from tui_annotate.storage import atomic_folder
from tui_annotate.storage.atomic_folder import (
    SUMS,
    copy_checked,
    create_folder,
    read_sums,
    write_sums,
)

KILLED = """
import os, signal, sys
from pathlib import Path
from tui_annotate.storage.atomic_folder import made
with made(Path(sys.argv[1])) as folder:
    (folder / "half").write_text("of it")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def filled(folder: Path) -> Path:
    """A folder with two files, one of them deeper, and their sums."""
    with create_folder(folder) as new:
        (new / "one").write_text("1")
        (new / "in").mkdir()
        (new / "in" / "two").write_text("2")
        write_sums(new)
    return folder


def test_it_appears_with_all_in_it(tmp_path: Path) -> None:
    """At the end, under its name, also in the place of an empty folder; nothing stays beside it."""
    (tmp_path / "there").mkdir()
    filled(tmp_path / "there")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    assert [*read_sums(tmp_path / "there")] == ["in/two", "one"]


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    """What was begun is gone, and the error is told."""

    def fail() -> None:
        with create_folder(tmp_path / "new") as folder:
            (folder / "half").write_text("of it")
            raise KeyError("why")

    with pytest.raises(KeyError, match="why"):
        fail()
    assert [*tmp_path.iterdir()] == []


def test_what_a_killed_process_left_is_in_nobodys_way(tmp_path: Path) -> None:
    """Its folder never appears, and the next that makes one beside it takes it away."""
    target = tmp_path / "new"
    subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    assert not target.exists()
    with create_folder(tmp_path / "busy"):
        assert [*filled(tmp_path / "other").glob("half")] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["busy", "other"]


def test_a_folder_for_a_while(tmp_path: Path) -> None:
    """It is empty and one's own, and gone at the end, also by an error."""
    with (
        atomic_folder.scratch_folder(tmp_path) as one,
        atomic_folder.scratch_folder(tmp_path) as two,
    ):
        (one / "file").touch()
        assert [*two.iterdir()] == []
    assert [*tmp_path.iterdir()] == []
    with pytest.raises(Unavailable), atomic_folder.scratch_folder(tmp_path / "nowhere"):
        pass


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A folder with anything in it, a file, and one that is being made are refused."""
    filled(tmp_path / "folder")
    (tmp_path / "file").touch()
    for name in ("folder", "file"):
        with pytest.raises(Conflict), create_folder(tmp_path / name):
            pass
    with create_folder(tmp_path / "busy"), pytest.raises(Conflict):  # noqa: SIM117
        with create_folder(tmp_path / "busy"):
            pass
    with pytest.raises(InvalidInput), create_folder(tmp_path / "nowhere" / "new"):
        pass


def test_a_folder_that_can_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the disk is told in our words."""

    def full(_: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_folder, "_sync_folder", full)
    with pytest.raises(Unavailable), create_folder(tmp_path / "new"):
        pass
    assert [*tmp_path.iterdir()] == []


def test_only_what_is_as_it_was_is_copied(tmp_path: Path) -> None:
    """A file that was altered or is gone, sums that are gone or lead outside: refused."""
    source = filled(tmp_path / "source")
    assert copy_checked(source, tmp_path / "a") == ["in/two", "one"]
    assert (tmp_path / "a" / "in" / "two").read_text() == "2"
    (source / "one").write_text("x")
    with pytest.raises(Damaged):
        copy_checked(source, tmp_path / "b")
    (source / "one").unlink()
    with pytest.raises(Damaged):
        copy_checked(source, tmp_path / "c")
    for name in ("../one", "/one", ""):
        (source / SUMS).write_text(f"{'0' * 64}  {name}\n")
        with pytest.raises(Damaged):
            copy_checked(source, tmp_path / "d")
    (source / SUMS).write_bytes(b"\xff")
    with pytest.raises(Damaged):
        read_sums(source)
    (source / SUMS).unlink()
    with pytest.raises(NotFound):
        read_sums(source)
