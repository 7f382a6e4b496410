"""A file of replies: each stands at once, a torn end is mended, anything else is refused."""

from __future__ import annotations

import stat
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.storage.reply_file import ReplyFile, delete_oldest_replies, measure_replies


def test_replies_last(tmp_path: Path) -> None:
    """What one process kept, the next one knows; the file is for its owner alone."""
    path = tmp_path / "kept.jsonl"
    first = ReplyFile(path)
    assert first.get("a") is None
    assert not path.exists()
    first.put("a", "1\n\x1b\ud800", about={"model": "m"})
    first.put("b", "2", about={})
    assert first.get("a") == "1\n\x1b\ud800" == ReplyFile(path).get("a")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_text().splitlines()) == 2


@pytest.mark.parametrize("torn", ['{"key": "c", "rep', '{"key": "c", "reply": "3", "about": {}}'])
def test_a_torn_end_is_mended(tmp_path: Path, torn: str) -> None:
    """A line without its end counts for nothing, and is gone with the next reply."""
    path = tmp_path / "kept.jsonl"
    ReplyFile(path).put("a", "1", about={})
    path.write_text(path.read_text() + torn)
    again = ReplyFile(path)
    assert (again.get("a"), again.get("c")) == ("1", None)
    again.put("b", "2", about={})
    again.put("c", "3", about={})
    last = ReplyFile(path)
    assert [last.get(key) for key in "abc"] == ["1", "2", "3"]


@pytest.mark.parametrize("content", [b"no\n", b"[]\n", b'{"key": 1, "reply": "x"}\n', b"\xff\n"])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    """What was not written here is left as it is; the line is named."""
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="other"):
        ReplyFile(path)
    assert path.read_bytes() == content


def test_a_bad_line_is_skipped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It takes no other reply with it, stays in the file, and is counted once."""
    path = tmp_path / "kept.jsonl"
    ReplyFile(path).put("a", "1", about={})
    bad = b'no\n[]\n{"key": 1, "reply": "x"}\n\xff\n\n'
    path.write_bytes(bad + path.read_bytes())
    again = ReplyFile(path)
    again.put("b", "2", about={})
    assert (again.get("a"), again.unreadable) == ("1", 4)
    assert ReplyFile(path).get("b") == "2"
    assert path.read_bytes().startswith(bad)
    assert "4" in caplog.records[0].message
    assert measure_replies(path) == (2, 4, path.stat().st_size)
    assert measure_replies(tmp_path / "none") == (0, 0, 0)


def test_processes_share_a_file(tmp_path: Path) -> None:
    """Each sees what the other wrote later, and no line is lost when both write at once."""
    path = tmp_path / "kept.jsonl"
    mine = ReplyFile(path)
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        list(pool.map(_write_many, [path] * 4, range(4)))
    assert mine.get("3-99") == "x" * 5000
    assert measure_replies(path)[:2] == (400, 0)
    path.unlink()
    mine.put("new", "1", about={})
    assert ReplyFile(path).get("new") == "1"


def _write_many(path: Path, number: int) -> None:
    file = ReplyFile(path)
    for at in range(100):
        file.put(f"{number}-{at}", "x" * 5000, about={})


def test_a_reply_is_of_its_host(tmp_path: Path) -> None:
    """With a host, a reply of another one is not returned; likewise in a database."""
    path = tmp_path / "kept.jsonl"
    ReplyFile(path).put("a", "1", about={"host": "one"})
    found = ReplyFile(path)
    assert [found.get("a", host=host) for host in ("", "one", "two")] == ["1", "1", None]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """The disk's own words are told, for reading and for writing."""
    with pytest.raises(Unavailable):
        ReplyFile(tmp_path)
    with pytest.raises(Unavailable):
        ReplyFile(tmp_path / "none" / "kept").put("a", "1", about={})


@pytest.mark.parametrize("empty", [False, True])
def test_a_file_of_replies_becomes_private(tmp_path: Path, empty: bool) -> None:
    """When it is opened, or else when the first reply is written; a file of others' stays."""
    path = tmp_path / "kept"
    ReplyFile(path).put("a", "1", about={})
    if empty:
        path.write_text("")
    path.chmod(0o664)
    opened = ReplyFile(path)
    if empty:
        opened.put("a", "1", about={})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_without_replies_keeps_its_permissions(tmp_path: Path) -> None:
    """A wrong --cache changes nothing of the file that it names."""
    path = tmp_path / "data.jsonl"
    path.write_text('{"question": "Who?"}\n')
    path.chmod(0o644)
    with pytest.raises(InvalidInput):
        ReplyFile(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_the_oldest_replies_are_deleted(tmp_path: Path) -> None:
    """Another process that has the file open loses no reply, and finds what is left."""
    path = tmp_path / "kept"
    other = ReplyFile(path)
    for at in range(5):
        other.put(str(at), f"reply {at}", about={})
    path.write_bytes(b"broken\n" + path.read_bytes())
    assert delete_oldest_replies(path, keep=2) == 3
    assert measure_replies(path)[:2] == (2, 0)
    other.put("5", "reply 5", about={})
    assert [ReplyFile(path).get(str(at)) is not None for at in range(6)] == [
        *[False] * 3,
        *[True] * 3,
    ]
    ReplyFile(path).put("6", "reply 6", about={})
    assert other.get("6") == "reply 6"
    assert delete_oldest_replies(path, keep=9) == 0
    assert delete_oldest_replies(tmp_path / "none", keep=0) == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_is_replaced_while_a_writer_waits_gets_the_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock of a deleted or replaced file protects nothing."""
    path = tmp_path / "kept"
    writer = ReplyFile(path)
    writer.put("a", "1", about={})
    locks = []

    def lock(*_: object) -> None:
        locks.append(path)
        if len(locks) == 1:  # while the writer waits
            path.unlink()

    monkeypatch.setattr("fcntl.flock", lock)
    writer.put("b", "2", about={})
    assert ReplyFile(path).get("b") == "2"
    assert len(locks) == 2
