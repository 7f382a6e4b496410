"""Files out: whole or not at all."""

from __future__ import annotations

import gzip
import stat
from pathlib import Path

import pytest
import zstandard

from tests.plugins.reading import file
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins.targets import folder, output


def _broken(target: Path, error: Exception) -> None:
    with output(target) as out:
        out.write("half")
        raise error


def test_output_appears_whole(tmp_path: Path) -> None:
    """The target is there after the last byte, and nothing lies beside it."""
    target = tmp_path / "out.txt"
    with output(target) as out:
        out.write("one\r\n桥\n")
        assert not target.exists()
    assert target.read_bytes() == "one\r\n桥\n".encode()
    assert list(tmp_path.iterdir()) == [target]


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
        with output(tmp_path / name) as out:
            out.write("one\n")
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]
    assert gzip.decompress(contents[0]) == b"one\n"


def test_output_follows_a_link(tmp_path: Path) -> None:
    """A link stays a link; the file behind it is exchanged."""
    behind = file(tmp_path, "behind.txt", "before")
    link = tmp_path / "link.txt"
    link.symlink_to(behind)
    with output(link) as out:
        out.write("after")
    assert link.is_symlink()
    assert behind.read_text() == "after"


def test_a_private_target_stays_private(tmp_path: Path) -> None:
    """Nobody else may read what takes the place of a file for its owner alone."""
    target = tmp_path / "out.txt"
    target.touch(mode=0o600)
    with output(target) as out:
        out.write("new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_output_into_a_device_is_written_directly() -> None:
    """What is no regular file is written, not exchanged for one."""
    with output(Path("/dev/null")) as out:
        out.write("gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_output_to_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Without a target the text goes to standard output in UTF-8, which stays open."""
    with output(None) as out:
        out.write("桥\n")
    with output(None) as out:
        out.write("two\n")
    assert capfdbinary.readouterr().out == "桥\ntwo\n".encode()


def test_an_impossible_target_is_told(tmp_path: Path) -> None:
    """A folder and a missing folder are refused before anything is written."""
    with pytest.raises(InvalidInput, match="is a folder"), output(tmp_path):
        pass
    with pytest.raises(InvalidInput, match="there is no folder"), output(tmp_path / "no" / "a"):
        pass


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """No space left is told with the target's name, and nothing is left of the attempt."""
    target = tmp_path / "out.txt"
    with pytest.raises(Unavailable, match=r"out\.txt can not be written"):
        _broken(target, OSError(28, "No space left on device"))
    assert list(tmp_path.iterdir()) == []


def test_packed_by_zstd(tmp_path: Path) -> None:
    """A target called .zst is packed by zstd, to the same bytes every time."""
    for name in ("a.zst", "b.zst"):
        with output(tmp_path / name) as out:
            out.write("one\r\n桥\n")
    packed = (tmp_path / "a.zst").read_bytes()
    assert packed == (tmp_path / "b.zst").read_bytes()
    assert zstandard.decompress(packed, max_output_size=100) == "one\r\n桥\n".encode()


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    """Its files, some open at once, some in folders, are there at the end, and nothing beside."""
    target = tmp_path / "out"
    target.mkdir()
    with folder(target) as out, out.file("a.txt") as first, out.file("b/c.txt") as second:
        first.write("one\r\n")
        second.write("two\n")
        assert list(target.iterdir()) == []
    assert (target / "a.txt").read_bytes() == b"one\r\n"
    assert (target / "b" / "c.txt").read_bytes() == b"two\n"
    assert list(tmp_path.iterdir()) == [target]


def _broken_folder(target: Path, error: Exception) -> None:
    with folder(target) as out, out.file("a.txt") as file:
        file.write("half")
        raise error


def test_a_folder_that_fails_is_not_there(tmp_path: Path) -> None:
    """Neither it nor what was written of it is left; errors of the disk become ours."""
    with pytest.raises(InvalidInput, match="stop"):
        _broken_folder(tmp_path / "out", InvalidInput("stop"))
    with pytest.raises(Unavailable, match="can not be written"):
        _broken_folder(tmp_path / "out", OSError("full"))
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_stands_there_is_replaced_by_a_folder(tmp_path: Path) -> None:
    """A file, a folder with something in it, and a place that is nowhere are refused."""
    file(tmp_path, "a", "x")
    with pytest.raises(InvalidInput, match="is there already"), folder(tmp_path):
        pass
    with pytest.raises(InvalidInput, match="is there already"), folder(tmp_path / "a"):
        pass
    with pytest.raises(InvalidInput, match="there is no folder"), folder(tmp_path / "b" / "c"):
        pass
