"""Audit: what was altered is found at its first event, and what was rewritten against a head."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfile

import pytest

from tests.helpers.folder_cache import build_once
from tests.helpers.printed_numbers import printed_numbers
from tests.helpers.stores import annotate, claim, fill, new_database
from tui_annotate.domain.history import chain_event
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.audit import AuditService, RecordedHead
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

Alter = Callable[[str], None]


@pytest.fixture
def database(tmp_path: Path) -> SqliteDatabase:
    """A store in which ana added four annotations to sample 1 and took one back, and bo one."""

    def build(folder: Path) -> None:
        with closing(new_database(folder)) as database:
            one, two = fill(CorpusStore(database), "1", "2")
            people = PeopleStore(database)
            ana, bo = people.local("ana").id, people.local("bo").id
            annotating = annotate(database)
            for name in range(4):
                made = claim(f"a{name}", name, name + 9, note=f"note {name}")
                annotating.add(ana, one, made, seconds=1)
            annotating.undo(ana)
            annotating.add(bo, two, claim("b"), seconds=1)
            annotating.finish(bo, two, seconds=1)

    build_once(tmp_path, "audit", build)
    return SqliteDatabase.open(tmp_path / "store.sqlite")


@pytest.fixture
def alter(database: SqliteDatabase) -> Alter:
    """Changes the store behind the program's back, as somebody with the file could."""

    def run(statements: str) -> None:
        database.close()
        with closing(sqlite3.connect(database.path)) as other:
            other.execute("DROP TRIGGER IF EXISTS events_refuse_update")
            other.execute("DROP TRIGGER IF EXISTS events_refuse_delete")
            other.executescript(statements)

    return run


def audit(database: SqliteDatabase) -> AuditService:
    """The service on a store."""
    return AuditService(AuditStore(database))


def test_what_was_not_touched_is_sound(database: SqliteDatabase) -> None:
    """Every event is read, told as it goes, and nothing is found."""
    report: list[TaskProgress] = []
    verdict = audit(database).verify(progress=report.append)
    assert verdict.sound
    assert (verdict.head.events, verdict.head.streams) == (7, 2)
    assert (report[-1].records, report[-1].share) == (7, 1.0)


def test_an_empty_log_is_sound(tmp_path: Path) -> None:
    """It has a head as well, which every log begins with."""
    empty = audit(new_database(tmp_path))
    head = empty.head()
    assert (head.events, head.streams, head.last) == (0, 0, "")
    assert empty.verify(against=RecordedHead(0, head.digest)).contains


@pytest.mark.parametrize(
    ("statements", "seq", "says"),
    [
        ("UPDATE events SET after = replace(after, 'note 1', 'else') WHERE seq = 2", 2, ""),
        ("UPDATE events SET at = '2020' WHERE seq = 3", 3, ""),
        ("UPDATE events SET after = 'x' WHERE seq = 3", 3, ""),
        ("UPDATE events SET versions = '7' WHERE seq = 3", 3, ""),
        ("DELETE FROM events WHERE seq = 3", 4, r"\b3\b"),
        ("DELETE FROM events WHERE seq = 1", 2, r"\b1\b"),
        (
            (
                "UPDATE events SET seq = -seq WHERE seq IN (2, 3);"
                "UPDATE events SET seq = 5 + seq WHERE seq < 0"
            ),
            2,
            "",
        ),
        ("DELETE FROM events WHERE seq = 5", 4, r"\b5\b"),
        (
            (
                "UPDATE events SET arrival = -arrival WHERE seq IN (2, 3) AND sample = '1';"
                "UPDATE events SET arrival = 5 + arrival WHERE arrival < 0"
            ),
            3,
            "",
        ),
        ("UPDATE assignments SET head = 'x'", 5, ""),
        ("UPDATE assignments SET seq = 4", 5, r"\b4\b"),
        ("UPDATE assignments SET rating = 'bad'", 5, ""),
        ("UPDATE annotations SET payload = replace(payload, 'note 1', '')", 5, r"\ba1\b"),
        ("UPDATE annotations SET payload = '{' WHERE id = 'a2'", 5, r"\ba2\b"),
        ("UPDATE annotations SET note = '' WHERE id = 'a0'", 5, r"\ba0\b"),
        ("DELETE FROM annotations WHERE id = 'a0'", 5, ""),
        ("DELETE FROM assignments", 5, ""),
    ],
)
def test_what_was_altered_is_named(
    database: SqliteDatabase, alter: Alter, statements: str, seq: int, says: str
) -> None:
    """The first event of a stream that does not fit, with the number or id that does not fit."""
    alter(statements)
    found = audit(database).verify()
    assert not found.sound
    (first,) = [each for each in found.breaks if each.sample == "1"]
    assert first.seq == seq
    assert first.message
    assert re.search(says, first.message)
    assert first.id
    assert first.at


def test_a_removed_annotation_stays_removed(database: SqliteDatabase, alter: Alter) -> None:
    """Without its tombstone an import would bring it back; taken out samples need none."""
    alter("DELETE FROM tombstones WHERE id = 'a3'")
    (found,) = audit(database).verify().breaks
    assert re.search(r"\ba3\b", found.message)
    CorpusStore(database).remove_dataset("d", delete_annotations=True)
    fill(CorpusStore(database), "1")
    assert audit(database).verify().sound


def test_a_stream_without_events_is_told(database: SqliteDatabase, alter: Alter) -> None:
    """Work that stands although its whole stream was removed."""
    alter("DELETE FROM events WHERE sample = '2'")
    (found,) = audit(database).verify().breaks
    assert (found.sample, found.seq) == ("2", 0)
    assert found.message


def test_wrong_counts_are_told(database: SqliteDatabase, alter: Alter) -> None:
    """How many samples somebody finished follows from the log as well."""
    alter("UPDATE tallies SET count = count + 1 WHERE person <> ''")
    (found,) = audit(database).verify().breaks
    assert (found.person in found.message, found.sample, found.seq) == (True, "", 0)
    assert found.person


def test_the_first_is_the_one_that_came_first(database: SqliteDatabase, alter: Alter) -> None:
    """Of several streams, the one whose event came first is named first."""
    alter("UPDATE events SET at = '2020' WHERE sample = '2' OR seq = 5")
    found = audit(database).verify()
    assert found.broken == 2
    assert [(each.sample, each.seq) for each in found.breaks] == [("1", 5), ("2", 1)]


def rewrite(database: SqliteDatabase, key: SampleKey, person: str) -> None:
    """Writes a stream anew with other notes and hashes that fit, as a skilled forger would."""
    log = AnnotationStore(database)
    with database.writing() as connection:
        head = ""
        for event in log.events(person, key):
            forged = chain_event(event, seq=event.seq, prev=head)
            if event.seq == 2:
                forged = chain_event(replace(event, at="2020"), seq=event.seq, prev=head)
            connection.exec_driver_sql(
                "UPDATE events SET prev = ?, hash = ?, at = ? WHERE id = ?",
                (forged.prev, forged.hash, forged.at, forged.id),
            )
            head = forged.hash
        connection.exec_driver_sql(
            "UPDATE assignments SET head = ? WHERE person = ? AND seq = 5", (head, person)
        )


def test_a_forged_log_is_sound_and_not_the_one_that_was(
    database: SqliteDatabase, alter: Alter
) -> None:
    """Hashes that were all made anew fit each other: only the head kept elsewhere shows it."""
    service = audit(database)
    head, heads = service.head(), service.heads()
    alter("")
    ana = PeopleStore(database).local("ana").id
    rewrite(database, SampleKey("d", "1"), ana)
    assert service.verify().sound
    found = service.verify(against=RecordedHead(head.events, head.digest, heads))
    assert (found.broken, found.contains, found.sound) == (0, False, False)
    ((lost, says),) = found.lost
    assert (lost.sample, printed_numbers(says)) == ("1", [["5"]])
    assert service.verify(against=RecordedHead(head.events, head.digest)).contains is False


def test_removed_history_is_seen_against_a_head(database: SqliteDatabase, alter: Alter) -> None:
    """A stream that went with all that is known of it leaves no trace but in a head."""
    service = audit(database)
    head, heads = service.head(), service.heads()
    alter(
        "DELETE FROM events WHERE sample = '2'; DELETE FROM annotations WHERE id = 'b';"
        "DELETE FROM assignments WHERE finished; DELETE FROM tallies WHERE person <> ''"
    )
    assert service.verify().sound
    found = service.verify(against=RecordedHead(head.events, head.digest, heads))
    assert [printed_numbers(says) for _, says in found.lost] == [[["2"]]]
    assert service.verify(against=RecordedHead(head.events, head.digest)).contains is False


ALTERATIONS = {
    "payload": "UPDATE events SET after = replace(after, 'note 1', 'else') WHERE seq = 2",
    "time": "UPDATE events SET at = '2020-01-01T00:00:00+00:00' WHERE seq = 3",
    "working time": "UPDATE events SET seconds = 9 WHERE seq = 3",
    "hash": "UPDATE events SET hash = 'x' WHERE seq = 5",
    "order in the stream": (
        "UPDATE events SET seq = -seq WHERE seq IN (2, 3);"
        "UPDATE events SET seq = 5 + seq WHERE seq < 0"
    ),
    "order of arrival": (
        "UPDATE events SET arrival = -arrival WHERE seq IN (2, 3) AND sample = '1';"
        "UPDATE events SET arrival = 5 + arrival WHERE arrival < 0"
    ),
    "deleted event": "DELETE FROM events WHERE seq = 3",
    "deleted tail": "DELETE FROM events WHERE seq = 5",
    "deleted tail with its hash": (
        "DELETE FROM events WHERE seq = 5; UPDATE assignments SET seq = 4, head ="
        " (SELECT hash FROM events WHERE seq = 4) WHERE seq = 5"
    ),
    "deleted stream": "DELETE FROM events WHERE sample = '2'",
    "annotation": "UPDATE annotations SET payload = replace(payload, 'note 1', '')",
    "deleted annotation": "DELETE FROM annotations WHERE id = 'a0'",
    "state": "UPDATE assignments SET state = 'done'",
    "tombstone": "DELETE FROM tombstones WHERE id = 'a3'",
    "added tombstone": "INSERT INTO tombstones VALUES ('new', 'd')",
    "tombstone of an annotation": "INSERT INTO tombstones VALUES ('a0', 'd')",
    "tombstone of another dataset": "UPDATE tombstones SET dataset = 'e'",
    "counts of all samples": "UPDATE tallies SET count = 0 WHERE person = ''",
    "sample of a shared queue order": "DELETE FROM ranks WHERE sample_id = 1",
    "counts": "UPDATE tallies SET count = count + 1 WHERE person <> ''",
}


def test_an_added_tombstone_is_named(database: SqliteDatabase, alter: Alter) -> None:
    """An annotation that no event removed is named, with its dataset."""
    alter("INSERT INTO tombstones VALUES ('new', 'd')")
    (found,) = audit(database).verify().breaks
    assert (found.person, found.dataset, found.sample, found.seq) == ("", "d", "", 0)
    assert re.search(r"\bnew\b", found.message)


def test_removals_undone_and_repeated_are_sound(database: SqliteDatabase) -> None:
    """Tombstones follow undo, redo, removed samples and a removed dataset."""
    ana = PeopleStore(database).local("ana").id
    annotating = annotate(database)
    key = SampleKey("d", "1")
    annotating.redo(ana)
    assert audit(database).verify().sound
    annotating.undo(ana)
    corpus = CorpusStore(database)
    corpus.remove_samples([key], with_annotations=True)
    assert audit(database).verify().sound
    corpus.remove_dataset("d", delete_annotations=True)
    assert audit(database).verify().sound
    fill(corpus, "1", "2")
    annotating.add(ana, key, claim("a3", 3, 12), seconds=0)
    assert audit(database).verify().sound


@pytest.mark.parametrize("grown", [False, True])
@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_no_head_is_valid_where_something_was_altered(
    alteration: str, database: SqliteDatabase, alter: Alter, *, grown: bool
) -> None:
    """A recorded head is confirmed by no log with altered events, and by no altered tables."""
    service = audit(database)
    head, heads = service.head(), service.heads()
    if grown:
        bo = PeopleStore(database).local("bo").id
        annotate(database).add(bo, SampleKey("d", "1"), claim("c"), seconds=0)
    for kept in ((), heads):
        assert service.verify(against=RecordedHead(head.events, head.digest, kept)).contains
    alter(ALTERATIONS[alteration])
    for kept in ((), heads):
        found = service.verify(against=RecordedHead(head.events, head.digest, kept))
        assert (found.contains, found.sound) == (False, False)


def test_a_log_that_grew_holds_its_earlier_heads(database: SqliteDatabase) -> None:
    """Whatever was done since, in streams that were there or new ones."""
    service = audit(database)
    head, heads = service.head(), service.heads()
    annotating = annotate(database)
    bo = PeopleStore(database).local("bo").id
    annotating.add(bo, SampleKey("d", "1"), claim("c"), seconds=0)
    annotating.add(bo, SampleKey("d", "2"), claim("e", 1, 5), seconds=0)
    for kept in (
        RecordedHead(head.events, head.digest),
        RecordedHead(head.events, head.digest, heads),
    ):
        found = service.verify(against=kept)
        assert found.contains
        assert found.head.events == head.events + 2


def test_a_fork_is_seen_from_either_side(database: SqliteDatabase, tmp_path: Path) -> None:
    """Two copies that went on apart: neither holds the head of the other, both that before."""
    before = audit(database).head()
    database.close()
    (tmp_path / "fork").mkdir()
    copyfile(database.path, tmp_path / "fork" / "store.sqlite")
    fork = SqliteDatabase.open(tmp_path / "fork" / "store.sqlite")
    bo = PeopleStore(database).local("bo").id
    for side, name in ((database, "here"), (fork, "there")):
        annotate(side).add(bo, SampleKey("d", "2"), claim(name, 1, 5), seconds=0)
    here, there = audit(database), audit(fork)
    for mine, others in ((here, there), (there, here)):
        head = others.head()
        assert mine.verify(against=RecordedHead(before.events, before.digest)).contains
        found = mine.verify(against=RecordedHead(head.events, head.digest, others.heads()))
        assert [each.sample for each, _ in found.lost] == ["2"]
    fork.close()
