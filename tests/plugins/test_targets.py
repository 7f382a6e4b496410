"""Files out: whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.helpers.errors import has_code
from tests.plugins.record_reader import file
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.workspace_files import KEPT_NAMES
from tui_annotate.plugins.files.targets import open_folder, open_output


def _broken(target: Path, error: Exception) -> None:
    with open_output(target) as out:
        out.write("half")
        raise error


def test_output_appears_whole(tmp_path: Path) -> None:
    """The target is there after the last byte, and nothing lies beside it."""
    target = tmp_path / "out.txt"
    with open_output(target) as out:
        out.write("one\r\n桥\n")
        assert not target.exists()
    assert target.read_bytes() == "one\r\n桥\n".encode()
    assert list(tmp_path.iterdir()) == [target]


def test_output_is_on_the_disk_before_it_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that whatever stops the machine leaves the old file or the whole new one."""
    target = file(tmp_path, "out.txt", "before")
    synced: list[tuple[str, str]] = []

    def note(descriptor: int) -> None:
        (beside,) = set(tmp_path.iterdir()) - {target}
        synced.append((target.read_text(), beside.read_text()))
        assert os.fstat(descriptor).st_ino == beside.stat().st_ino

    monkeypatch.setattr(os, "fsync", note)
    with open_output(target) as out:
        out.write("after")
    assert synced == [("before", "after")]


def test_on_a_terminal_nothing_acts(monkeypatch: pytest.MonkeyPatch) -> None:
    """There controls are pictures; a pipe gets the text to the byte."""
    text = "a\x1b]52;c;aGk=\x07\u202e\r\n"
    for terminal, wanted in ((True, "a␛]52;c;aGk=␇▫\n"), (False, text)):
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
        monkeypatch.setattr(stream, "isatty", lambda seen=terminal: seen)
        monkeypatch.setattr(sys, "stdout", stream)
        with open_output(None) as out:
            out.write(text)
        assert raw.getvalue().decode() == wanted


def test_output_that_fails_changes_nothing(tmp_path: Path) -> None:
    """An error while writing leaves what stood there before, and no leftovers."""
    target = file(tmp_path, "out.txt", "before")
    with pytest.raises(InvalidInput):
        _broken(target, InvalidInput("stop"))
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_packed_output_is_the_same_every_time(tmp_path: Path) -> None:
    """A target called .gz is packed, and the same text gives the same bytes."""
    contents = []
    for name in ("a.gz", "b.gz"):
        with open_output(tmp_path / name) as out:
            out.write("one\n")
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]
    assert gzip.decompress(contents[0]) == b"one\n"


def test_output_follows_a_link(tmp_path: Path) -> None:
    """A link stays a link; the file behind it is exchanged."""
    behind = file(tmp_path, "behind.txt", "before")
    link = tmp_path / "link.txt"
    link.symlink_to(behind)
    with open_output(link) as out:
        out.write("after")
    assert link.is_symlink()
    assert behind.read_text() == "after"


def test_a_private_target_stays_private(tmp_path: Path) -> None:
    """Nobody else may read what takes the place of a file for its owner alone."""
    target = tmp_path / "out.txt"
    target.touch(mode=0o600)
    with open_output(target) as out:
        out.write("new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_output_into_a_device_is_written_directly() -> None:
    """What is no regular file is written, not exchanged for one."""
    with open_output(Path("/dev/null")) as out:
        out.write("gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_output_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Without a target the text goes to standard output in UTF-8, which stays open."""
    with open_output(None) as out:
        out.write("桥\n")
    with open_output(None) as out:
        out.write("two\n")
    assert capfdbinary.readouterr().out == "桥\ntwo\n".encode()


def test_an_impossible_target_is_told(tmp_path: Path) -> None:
    """A folder and a missing folder are refused before anything is written."""
    with pytest.raises(InvalidInput, match="is a folder"), open_output(tmp_path):
        pass
    with (
        pytest.raises(InvalidInput, check=has_code("folder-missing")),
        open_output(tmp_path / "no" / "a"),
    ):
        pass


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """No space left is told with the target's name, and nothing is left of the attempt."""
    target = tmp_path / "out.txt"
    with pytest.raises(Unavailable, match=r"out\.txt"):
        _broken(target, OSError(28, "No space left on device"))
    assert list(tmp_path.iterdir()) == []


def test_what_can_not_be_written_is_told_plainly(tmp_path: Path) -> None:
    """By the target alone: neither a number nor the name that it has while it is written."""
    for number, why in {28: "No space left on device", 2: ""}.items():
        target = tmp_path / "out.txt"
        with pytest.raises(Unavailable) as caught:
            _broken(target, OSError(number, os.strerror(number), f"{tmp_path}/.out.txt.1f.part"))
        assert caught.value.message.startswith(f"{target} ")
        assert caught.value.message.endswith(why)
        assert not any(each in caught.value.message for each in ("Errno", ".part"))
        with pytest.raises(Unavailable) as caught, open_folder(target):
            raise OSError(number, os.strerror(number), "a.part")
        assert caught.value.message.startswith(f"{target} ")
        assert caught.value.message.endswith(why)
        assert not any(each in caught.value.message for each in ("Errno", ".part"))


def test_packed_by_zstd(tmp_path: Path) -> None:
    """A target called .zst is packed by zstd, to the same bytes every time."""
    for name in ("a.zst", "b.zst"):
        with open_output(tmp_path / name) as out:
            out.write("one\r\n桥\n")
    packed = (tmp_path / "a.zst").read_bytes()
    assert packed == (tmp_path / "b.zst").read_bytes()
    assert zstandard.decompress(packed, max_output_size=100) == "one\r\n桥\n".encode()


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    """Its files, some open at once, some in folders, are there at the end, and nothing beside."""
    target = tmp_path / "out"
    target.mkdir()
    with open_folder(target) as out, out.file("a.txt") as first, out.file("b/c.txt") as second:
        first.write("one\r\n")
        second.write("two\n")
        assert list(target.iterdir()) == []
    assert (target / "a.txt").read_bytes() == b"one\r\n"
    assert (target / "b" / "c.txt").read_bytes() == b"two\n"
    assert list(tmp_path.iterdir()) == [target]


def _broken_folder(target: Path, error: Exception) -> None:
    with open_folder(target) as out, out.file("a.txt") as file:
        file.write("half")
        raise error


def test_a_folder_that_fails_is_not_there(tmp_path: Path) -> None:
    """Neither it nor what was written of it is left; errors of the disk become ours."""
    with pytest.raises(InvalidInput, match="stop"):
        _broken_folder(tmp_path / "out", InvalidInput("stop"))
    with pytest.raises(Unavailable):
        _broken_folder(tmp_path / "out", OSError("full"))
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_stands_there_is_replaced_by_a_folder(tmp_path: Path) -> None:
    """A file, a folder with something in it, and a place that is nowhere are refused."""
    file(tmp_path, "a", "x")
    with pytest.raises(InvalidInput, check=has_code("exists")), open_folder(tmp_path):
        pass
    with pytest.raises(InvalidInput, check=has_code("exists")), open_folder(tmp_path / "a"):
        pass
    with (
        pytest.raises(InvalidInput, check=has_code("folder-missing")),
        open_folder(tmp_path / "b" / "c"),
    ):
        pass


@pytest.mark.parametrize(("count", "at_once"), [(3, 0), (40, 1)])
def test_a_folder_is_on_the_disk_before_it_appears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, at_once: int
) -> None:
    """A few files are brought there one by one, many at once: thousands would wait for each."""
    one_by_one: list[int] = []
    together: list[bool] = []
    target = tmp_path / "out"
    monkeypatch.setattr(os, "fsync", one_by_one.append)
    monkeypatch.setattr(os, "sync", lambda: together.append(target.exists()))
    with open_folder(target) as out:
        for number in range(count):
            with out.file(f"{number}.txt") as made:
                made.write("x")
    assert len(one_by_one) == min(count, 16)
    assert together == [False] * at_once
    assert len(list(target.iterdir())) == count


def _workspace(folder: Path) -> Path:
    (folder / "log").mkdir(parents=True)
    (folder / "labels.yaml").write_text("labels: []\n")
    (folder / "tui-annotate.toml").write_text(
        'pseudonyms_key = "names.key"\n[people]\nstore = "people.sqlite"\n'
    )
    return folder


@pytest.mark.parametrize("written", [open_output, open_folder])
@pytest.mark.parametrize(
    "name",
    [
        *sorted(KEPT_NAMES),
        "./labels.yaml",
        "log/../labels.yaml",
        "Labels.YAML",
        "names.key",
        "people.sqlite",
        "log/new.csv",
        "LOG/new.csv",
        "prompts/new.csv",
        "frozen/paper/new.csv",
        "link-to-file",
        "link-to-folder/labels.yaml",
    ],
)
def test_no_output_replaces_a_file_of_a_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, written: Any
) -> None:
    """Neither what the program keeps there, nor anything below its folders; by any path."""
    space = _workspace(tmp_path / "W")
    for folder in ("prompts", "frozen/paper", "LOG"):
        (space / folder).mkdir(parents=True, exist_ok=True)
    (space / "link-to-file").symlink_to("labels.yaml")
    (space / "link-to-folder").symlink_to(space)
    before = sorted(space.rglob("*"))
    monkeypatch.chdir(space)
    for target in (space / name, Path(name)):
        with pytest.raises(InvalidInput), written(target):
            pass
    assert sorted(space.rglob("*")) == before
    assert (space / "labels.yaml").read_text() == "labels: []\n"


def test_a_kept_folder_may_be_a_link(tmp_path: Path) -> None:
    """What is below `log` belongs to the program wherever the folder is."""
    space = _workspace(tmp_path / "W")
    (tmp_path / "logs").mkdir()
    (space / "log").rmdir()
    (space / "log").symlink_to(tmp_path / "logs")
    with pytest.raises(InvalidInput), open_output(space / "log" / "out.csv"):
        pass


@pytest.mark.parametrize("name", ["out.csv", "labels.yaml.bak", "results/log/out.csv", "log.csv"])
def test_results_may_be_in_the_folder_of_a_workspace(tmp_path: Path, name: str) -> None:
    """Only the names that the program uses are its own."""
    target = _workspace(tmp_path / "W") / name
    target.parent.mkdir(parents=True, exist_ok=True)
    with open_output(target) as out:
        out.write("new")
    assert target.read_text() == "new"


def test_the_names_of_a_workspace_are_free_elsewhere(tmp_path: Path) -> None:
    """A folder without settings is no workspace."""
    with open_output(tmp_path / "labels.yaml") as out:
        out.write("new")
    assert (tmp_path / "labels.yaml").read_text() == "new"
