"""The key of pseudonyms: made once, for its owner alone, and never exchanged unnoticed."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.helpers.errors import has_code
from tui_annotate.domain.errors import Conflict, InvalidInput, NotReady, Unavailable
from tui_annotate.services.export.pseudonyms import PseudonymKeys, mark


class _Store:
    """Remembers a mark."""

    def __init__(self) -> None:
        self.mark: str | None = None

    def keys(self, path: Path) -> PseudonymKeys:
        """Keys in a file, with this memory."""

        def remember(mark: str) -> None:
            self.mark = mark

        return PseudonymKeys(path, lambda: self.mark, remember)


def test_a_key_is_made_at_the_first_use(tmp_path: Path) -> None:
    """Of 32 bytes, for the owner alone; the second time it is the same."""
    store, path = _Store(), tmp_path / "k"
    first = store.keys(path)
    key = first.current()
    assert first.made
    assert len(key) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = store.keys(path)
    assert again.current() == key
    assert not again.made
    assert PseudonymKeys(tmp_path / "other").current() != key


def test_the_mark_tells_nothing_of_the_key(tmp_path: Path) -> None:
    """What the store keeps is short, and no part of the key."""
    store = _Store()
    key = store.keys(tmp_path / "k").current()
    assert store.mark == mark(key)
    assert len(store.mark) == 16
    assert store.mark not in key.hex()


def test_a_lost_key_is_told_and_none_is_made(tmp_path: Path) -> None:
    """The words of before would be gone in silence."""
    store, path = _Store(), tmp_path / "k"
    store.keys(path).current()
    path.unlink()
    with pytest.raises(NotReady) as caught:
        store.keys(path).current()
    assert "users pseudonyms new-key" in caught.value.hint
    assert not path.exists()


def test_another_key_is_refused(tmp_path: Path) -> None:
    """A file that was exchanged would give everybody another word."""
    store = _Store()
    store.keys(tmp_path / "a").current()
    PseudonymKeys(tmp_path / "b").current()
    with pytest.raises(Conflict):
        store.keys(tmp_path / "b").current()


def test_a_new_key_is_made_on_request(tmp_path: Path) -> None:
    """In the place of one that is there, or was lost."""
    store, path = _Store(), tmp_path / "k"
    first = store.keys(path).current()
    store.keys(path).renew()
    second = store.keys(path).current()
    path.unlink()
    store.keys(path).renew()
    assert len({first, second, store.keys(path).current()}) == 3


def test_what_another_process_made_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two that begin at the same moment, both have one key."""
    path = tmp_path / "k"
    found = PseudonymKeys(path).current()
    late, reads = PseudonymKeys(path), iter([None, found])
    monkeypatch.setattr(PseudonymKeys, "_read_key", lambda _: next(reads))
    assert late.current() == found
    assert not late.made


@pytest.mark.parametrize("text", ["", "abc", "0" * 62, "0" * 66, "ключ"])
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    """And stays as it is."""
    path = tmp_path / "k"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidInput, check=has_code("not-a-key")):
        PseudonymKeys(path).current()
    assert path.read_text("utf-8") == text


def test_a_place_that_can_not_be_used_is_told(tmp_path: Path) -> None:
    """A folder that is not there, or stands where the file should."""
    for path in (tmp_path / "none" / "k", tmp_path):
        with pytest.raises(Unavailable):
            PseudonymKeys(path).current()


def test_a_link_to_a_missing_file_is_told(tmp_path: Path) -> None:
    """No key is made where the link leads; the link stays."""
    path = tmp_path / "k"
    path.symlink_to(tmp_path / "missing")
    with pytest.raises(Unavailable, match=str(path)):
        PseudonymKeys(path).current()
    assert path.is_symlink()
    assert not path.exists()


def test_a_key_that_others_can_read_is_told(tmp_path: Path) -> None:
    """By its mode."""
    keys = PseudonymKeys(tmp_path / "k")
    assert not keys.open_to_others()
    keys.current()
    assert not keys.open_to_others()
    keys.path.chmod(0o640)
    assert keys.open_to_others()
