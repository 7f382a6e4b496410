"""What is printed for a damaged store works when it is copied into a shell."""

from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.helpers.stores import SEGMENTER, SUMMARY, new, new_database, sample
from tui_annotate.domain.errors import Damaged, Unavailable
from tui_annotate.storage import repair
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.integrity import inspect_store
from tui_annotate.storage.sqlite_database import SqliteDatabase

ROOT = Path(__file__).parents[2]
PAGE = 4096
BRIDGE = b"The bridge"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace whose name needs quotes, with fifty samples."""
    found = tmp_path / "it's mine; a b"
    found.mkdir()
    with closing(new_database(found)) as database:
        made = [sample(str(n), summary=f"{SUMMARY} {n} " * 20) for n in range(50)]
        CorpusStore(database).add([new(each) for each in made], segmenter=SEGMENTER)
    return found


def tear(store: Path, *, seed: int) -> None:
    """Overwrites two pages of texts; of those that say which tables there are, none comes back."""
    content = bytearray(store.read_bytes())
    texts = [page for page in range(1, len(content) // PAGE) if BRIDGE in _page(content, page)]
    for page in random.Random(seed).sample(texts, 2):
        content[page * PAGE : (page + 1) * PAGE] = b"\xff" * PAGE
    store.write_bytes(content)


def _page(content: bytes | bytearray, number: int) -> bytes:
    return bytes(content[number * PAGE : (number + 1) * PAGE])


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A line as people copy it, in a folder of theirs."""
    env = os.environ | {"PYTHONPATH": str(ROOT), "PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=env, capture_output=True, text=True, check=False
    )


def command_line(folder: Path) -> None:
    """The program as a command of the folder."""
    program = folder / "tui-annotate"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tui_annotate "$@"\n', "utf-8")
    program.chmod(0o755)


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="needs the program sqlite3")
@pytest.mark.parametrize("seed", range(4))
def test_what_can_be_read_of_torn_pages_is_saved(folder: Path, seed: int) -> None:
    """The line makes a store that opens out of one that does not hold together."""
    store = folder / "store.sqlite"
    tear(store, seed=seed)
    with closing(SqliteDatabase(store)) as database:
        (finding,) = inspect_store(database)
    assert finding.state == "error"
    line, _, then = finding.hint.rpartition(", ")
    assert "doctor" in then
    done = shell(line, folder.parent)
    assert done.returncode == 0, done.stderr
    assert (folder / "damaged" / "store.sqlite").exists()
    with closing(SqliteDatabase.open(store)) as database:
        assert CorpusStore(database).totals()[0] > 0
        with database.reading() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar_one() == "ok"


def test_what_contradicts_itself_goes_to_a_new_workspace(folder: Path) -> None:
    """Where a document is lost, the line takes along the samples that have all theirs."""
    (folder / "tui-annotate.toml").touch()
    with closing(sqlite3.connect(folder / "store.sqlite")) as store:
        text = store.execute("SELECT id FROM documents LIMIT 1").fetchone()
        lost = store.execute(
            "SELECT count(DISTINCT sample_id) FROM sample_documents WHERE document_id = ?", text
        ).fetchone()
        store.execute("DELETE FROM documents WHERE id = ?", text)
        store.commit()
    with closing(SqliteDatabase.open(folder / "store.sqlite")) as database:
        (finding,) = inspect_store(database)
    assert (finding.check, finding.state) == ("store", "error")
    command_line(folder.parent)
    done = shell(finding.hint, folder.parent)
    assert done.returncode == 0, done.stderr
    report = [line for line in done.stderr.splitlines() if re.search(r"'\d+'", line)]
    assert len(report) == lost[0]
    with closing(SqliteDatabase.open(Path(f"{folder}-new") / "store.sqlite")) as database:
        assert CorpusStore(database).totals()[0] == 50 - lost[0]


def test_an_altered_document_is_found(folder: Path) -> None:
    """A text that its hash does not fit, and segments that do not fit their text, are told."""
    store = folder / "store.sqlite"
    for change, report, mend in (
        ("boundaries = x'01000000'", "segments do not fit", repair.restore_text_command),
        ("text = CAST('another' AS BLOB)", "not match its hash", repair.restore_text_command),
    ):
        with closing(sqlite3.connect(store)) as connection:
            connection.execute(f"UPDATE documents SET {change} WHERE id = 1")
            connection.commit()
        with closing(SqliteDatabase.open(store)) as database:
            (finding,) = inspect_store(database)
        assert report in finding.message
        assert finding.hint == mend(store)


def test_the_newest_backup_is_named(folder: Path) -> None:
    """By number, not by name or time; files of others are passed over."""
    store = folder / "store.sqlite"
    assert "backups" not in repair.recovery_command(store)
    (folder / "backups").mkdir()
    for name in ("store-9.sqlite", "store-0010.sqlite", "store-mine.sqlite", "other.sqlite"):
        (folder / "backups" / name).touch()
    assert repair.newest_backup(store) == folder / "backups" / "store-0010.sqlite"
    for line in (
        repair.recovery_command(store),
        repair.reingest_command(store),
        repair.make_again(store),
    ):
        assert "store-0010.sqlite" in line


def test_only_damage_is_mended_so(tmp_path: Path) -> None:
    """Other errors keep their hint: a full disk needs no new store."""
    store = tmp_path / "store.sqlite"
    assert repair.suggest_repair(Unavailable("x", "free some space"), store) == "free some space"
    assert repair.suggest_repair(Damaged("x", "see doctor"), store) == repair.recovery_command(
        store
    )
