"""Small files of text: what is read whole, and what is told of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.errors import has_code
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.plugins.files import small_text


def test_a_mark_at_the_start_is_no_text(tmp_path: Path) -> None:
    """Editors of Windows write one, and end lines their way; neither is what somebody wrote."""
    file = tmp_path / "rules.txt"
    file.write_bytes("\ufeffBad=Benign\r\n茶=Benign\r\n".encode())
    assert small_text.read_text(file) == "Bad=Benign\n茶=Benign\n"


def test_what_is_no_text_is_told_with_its_place(tmp_path: Path) -> None:
    """The byte that is not UTF-8 is named, and the file."""
    file = tmp_path / "rules.txt"
    file.write_bytes(b"Bad=\xff")
    with pytest.raises(InvalidInput, match=r"rules\.txt.*UTF-8"):
        small_text.read_text(file)


def test_what_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte over the bound is refused; the bound itself is read."""
    monkeypatch.setattr(small_text, "LARGEST", 4)
    file = tmp_path / "rules.txt"
    file.write_text("abcd", "utf-8")
    assert small_text.read_text(file) == "abcd"
    file.write_text("abcde", "utf-8")
    with pytest.raises(InvalidInput, check=has_code("too-large")):
        small_text.read_text(file)


def test_a_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    """What is not there is another mistake than a folder in its place."""
    with pytest.raises(NotFound):
        small_text.read_text(tmp_path / "absent")
    with pytest.raises(InvalidInput):
        small_text.read_text(tmp_path)
