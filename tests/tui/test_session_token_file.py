"""The file that keeps somebody signed in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tui_annotate.domain.errors import Unavailable
from tui_annotate.tui.auth_session import StoredToken, TokenFile

KEPT = StoredToken("a secret", "ana@example.org")


@pytest.fixture
def file(tmp_path: Path) -> TokenFile:
    """Of a workspace; nothing is kept."""
    return TokenFile.of(tmp_path / "work")


def test_each_store_has_a_file_of_its_own(tmp_path: Path, file: TokenFile) -> None:
    """It lies in the folder of what is remembered, by whatever way the store is named."""
    assert file.path.parent == Path(os.environ["TUI_ANNOTATE_STATE"])
    assert TokenFile.of(tmp_path / "x" / ".." / "work") == file
    assert TokenFile.of(tmp_path / "other") != file


def test_a_token_is_for_its_owner_alone(file: TokenFile) -> None:
    """Mode 0600, also where a file of another mode was there; what is forgotten is gone."""
    assert file.read() is None
    file.path.touch(mode=0o644)
    file.keep(KEPT)
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert file.read() == KEPT
    file.forget()
    file.forget()
    assert file.read() is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602])
def test_a_file_that_others_can_touch_is_refused(file: TokenFile, mode: int) -> None:
    """Whoever could have read or written it may be somebody else."""
    file.keep(KEPT)
    file.path.chmod(mode)
    with pytest.raises(Unavailable):
        file.read()


def test_a_link_is_refused(file: TokenFile, tmp_path: Path) -> None:
    """Another file is not read through it, and not written through it."""
    other = tmp_path / "other"
    other.write_text("theirs\n", "utf-8")
    other.chmod(0o600)
    file.path.symlink_to(other)
    with pytest.raises(Unavailable):
        file.read()
    file.keep(KEPT)
    assert file.read() == KEPT
    assert other.read_text("utf-8") == "theirs\n"


def test_a_folder_that_can_not_be_written_is_told(tmp_path: Path) -> None:
    """The work goes on; the next start asks again."""
    (tmp_path / "full").touch()
    with pytest.raises(Unavailable):
        TokenFile(tmp_path / "full" / "token").keep(KEPT)


@pytest.mark.parametrize("content", [b"", b"\n", b"\n\xff\xfe"])
def test_a_broken_file_keeps_nobody(file: TokenFile, content: bytes) -> None:
    """Nothing is nothing."""
    file.path.touch(mode=0o600)
    file.path.write_bytes(content)
    assert file.read() is None
