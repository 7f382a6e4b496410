"""The log under many hands: nothing that was said to be saved is lost, and all of it is whole."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.helpers.effort import by_effort
from tests.helpers.stores import annotate, claim, fill, new_database
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.history import Event, replay
from tui_annotate.domain.people import OPERATOR, Actor, Role
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.integrity import inspect_store
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.event_log import EventLog
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

ROOT = Path(__file__).parents[2]
ROUNDS = by_effort(push=4, full=15, torture=300)

WRITER = """
import random, sys
from pathlib import Path
from tests.helpers.stores import annotate, claim
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.sqlite_database import SqliteDatabase
path, person, seed, count = Path(sys.argv[1]), *sys.argv[2:]
draw, deeds = random.Random(int(seed)), annotate(SqliteDatabase.open(path))
names = iter(f"{seed}-{number}" for number in range(int(count)))
for name in names:
    key = SampleKey("d", str(draw.randrange(3)))
    deed = draw.random()
    try:
        if deed < 0.6:
            start = draw.randrange(20)
            saved = deeds.add(person, key, claim(name, start, start + 9), seconds=1)
        elif deed < 0.7:
            saved = deeds.finish(person, key, seconds=1)
        elif deed < 0.9:
            saved = deeds.undo(person)
        else:
            saved = deeds.redo(person)
    except Conflict:
        continue
    if saved is not None:
        there = ",".join(sorted(each.id for each in saved.annotations))
        print(saved.key.id, saved.verb, saved.assignment.state, there, flush=True)
print("end", flush=True)
"""

DROP_TRIGGER = {
    "sqlite": ["DROP TRIGGER events_refuse_update"],
    "postgresql": ["DROP TRIGGER events_refuse_change ON events"],
}
"""What lets the event log be changed, as another program can."""


def writer(path: Path, person: str, *, seed: int, count: int) -> subprocess.Popen[str]:
    """A process that annotates, and tells of each action once it is saved."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), person, str(seed), str(count)],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def told(lines: list[str]) -> list[tuple[str, str, str, list[str]]]:
    """The actions that a writer told of: sample, verb, state, annotations that stand after."""
    actions = []
    for line in lines:
        sample, verb, state, *there = line.rstrip("\n").split(" ")
        actions.append((sample, verb, state, sorted(filter(None, there[0].split(",")))))
    return actions


def sound(database: Database) -> None:
    """Pages, keys, and every cache as the log says."""
    assert [finding.message for finding in inspect_store(database) if finding.state != "ok"] == []
    with database.reading() as connection:
        finished = connection.exec_driver_sql(
            "SELECT order_id, person, bucket, count FROM tallies WHERE person <> '' AND count <> 0"
        ).all()
        counted = connection.exec_driver_sql(
            "SELECT r.order_id, a.person, r.bucket, count(*) FROM ranks r JOIN assignments a"
            " ON a.sample_id = r.sample_id AND a.finished GROUP BY 1, 2, 3"
        ).all()
        annotations = connection.exec_driver_sql(
            "SELECT person, sample_id, annotations FROM assignments WHERE annotations <> 0"
        ).all()
        rows = connection.exec_driver_sql(
            "SELECT person, sample_id, count(*) FROM annotations GROUP BY 1, 2"
        ).all()
    assert sorted(finished) == sorted(counted)
    assert sorted(annotations) == sorted(rows)


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    """Two people and one person twice: all that was told is in the log, in order, and whole."""
    database = new_database(tmp_path)
    fill(CorpusStore(database), "0", "1", "2")
    people = [PeopleStore(database).local(name).id for name in ("ana", "bo")]
    database.close()
    path = tmp_path / "store.sqlite"
    crew = [(people[0], 1), (people[1], 2), (people[1], 3)]
    writers = [writer(path, person, seed=seed, count=60) for person, seed in crew]
    answers = [process.communicate() for process in writers]
    assert [error for _, error in answers] == ["", "", ""]
    saved = dict.fromkeys(people, 0)
    for (person, _), (out, _) in zip(crew, answers, strict=True):
        *lines, end = out.splitlines()
        assert end == "end"
        saved[person] += len(lines)
    opened = SqliteDatabase.open(path)
    log = AnnotationStore(opened)
    keys = [SampleKey("d", name) for name in "012"]
    for person in people:
        assert sum(len(log.events(person, key)) for key in keys) == saved[person]
    sound(opened)
    opened.close()


def test_whatever_moment_it_is_killed_what_was_saved_is_there(tmp_path: Path) -> None:
    """After kill -9 the store is sound and holds at least every action that was told, in order."""
    database = new_database(tmp_path)
    fill(CorpusStore(database), "0", "1", "2")
    person = PeopleStore(database).local("ana").id
    database.close()
    path = tmp_path / "store.sqlite"
    draw = random.Random(7)
    before = 0
    for turn in range(ROUNDS):
        process = writer(path, person, seed=turn, count=10**6)
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        deadline = time.monotonic() + draw.random() * 0.15
        while time.monotonic() < deadline:
            lines.append(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        assert process.stderr is not None
        # `communicate` would lose what `readline` has read beyond its line.
        rest, error = process.stdout.read(), process.stderr.read()
        process.wait()
        assert error == ""
        lines += rest.splitlines(keepends=True)
        actions = told([line for line in lines if line.endswith("\n")])
        before += check(path, person, actions, before=before)


def check(
    path: Path, person: str, actions: list[tuple[str, str, str, list[str]]], *, before: int
) -> int:
    """Holds what was told against the store; gives how many events are new."""
    with closing(SqliteDatabase.open(path)) as database:
        sound(database)
        with database.reading() as connection:
            rows = connection.exec_driver_sql(
                "SELECT sample, verb FROM events WHERE person = ? AND arrival > ? ORDER BY arrival",
                (person, before),
            ).all()
        assert [tuple(row) for row in rows[: len(actions)]] == [action[:2] for action in actions]
        # One more may have been committed, and the process killed before it could tell.
        assert len(rows) - len(actions) in {0, 1}
        if len(rows) == len(actions):
            log = AnnotationStore(database)
            for sample, _, state, there in {row[0]: row for row in actions}.values():
                stands = log.state(person, SampleKey("d", sample))
                assert (stands.assignment["state"], sorted(stands.annotations)) == (state, there)
    return len(rows)


def test_an_id_that_another_stream_has_is_refused(database: Database, corpus: CorpusStore) -> None:
    """One annotation stands in one place; nothing of the second is kept."""
    one, two = fill(corpus, "1", "2")
    deeds = annotate(database)
    person = PeopleStore(database).local("ana").id
    deeds.add(person, one, claim("a"), seconds=0)
    with pytest.raises(Conflict):
        deeds.add(person, two, claim("a"), seconds=0)
    sound(database)
    assert deeds.open(person, two).annotations == ()


def test_whose_an_annotation_is_is_told_of_ones_own(
    database: Database, corpus: CorpusStore
) -> None:
    """To annotators; of others they learn not even that they marked something."""
    (key,) = fill(corpus, "x")
    ana, bo = (PeopleStore(database).local(name).id for name in ("ana", "bo"))
    for person in (ana, bo):
        annotate(database).add(person, key, claim(f"by-{person}"), seconds=0)
    wanted = [f"by-{person}" for person in (ana, bo)]
    for actor, seen in ((Actor(ana, Role.ANNOTATOR), [ana]), (OPERATOR, [ana, bo])):
        with AnnotationStore(database, actor=actor).reading() as log:
            assert sorted(who for who, _ in log.owners(wanted).values()) == sorted(seen)


def test_lost_caches_are_told(database: Database, corpus: CorpusStore) -> None:
    """A store whose tables are not what the log says is found out, and so is an altered log."""
    (key,) = fill(corpus, "1")
    person = PeopleStore(database).local("ana").id
    annotate(database).add(person, key, claim("a", note="why"), seconds=0)
    assert [finding.state for finding in inspect_store(database)] == ["ok", "ok"]
    with database.writing() as connection:
        connection.exec_driver_sql("UPDATE assignments SET state = 'done'")
    stale = inspect_store(database)[1]
    assert (stale.check, stale.state) == ("log", "error")
    with database.writing() as connection:
        for trigger in DROP_TRIGGER[connection.dialect.name]:
            connection.exec_driver_sql(trigger)
        connection.exec_driver_sql("UPDATE events SET after = replace(after, 'why', 'not')")
    altered = inspect_store(database)[1]
    assert (altered.check, altered.state) == ("log", "error")
    assert altered.message != stale.message


def test_a_reference_to_a_missing_row_is_reported(sqlite_store: SqliteDatabase) -> None:
    """Another program can write such a row into the file; PostgreSQL refuses it."""
    (key,) = fill(CorpusStore(sqlite_store), "1")
    person = PeopleStore(sqlite_store).local("ana").id
    annotate(sqlite_store).add(person, key, claim("a"), seconds=0)
    with closing(sqlite3.connect(sqlite_store.path)) as other:
        other.execute("DELETE FROM people")
        other.commit()
    (finding,) = inspect_store(sqlite_store)
    assert (finding.check, finding.state) == ("store", "error")
    assert finding.hint


def test_a_damaged_page_is_told(tmp_path: Path) -> None:
    """With the way back."""
    database = new_database(tmp_path)
    fill(CorpusStore(database), *map(str, range(300)))
    with database.writing() as connection:
        connection.exec_driver_sql("PRAGMA writable_schema = ON")
        connection.exec_driver_sql(
            "UPDATE sqlite_master SET rootpage = 3 WHERE name = 'ix_samples_external'"
        )
    database.close()
    (finding,) = inspect_store(SqliteDatabase(database.path))
    assert finding.state == "error"
    assert finding.hint


def test_replaying_the_log_gives_what_stands(database: Database, corpus: CorpusStore) -> None:
    """For a stream with a bit of everything."""
    (key,) = fill(corpus, "1")
    person = PeopleStore(database).local("ana").id
    deeds = annotate(database)
    deeds.add(person, key, claim("a"), seconds=3.5)
    deeds.comment(person, key, "hm", seconds=100)
    deeds.read(person, key, seconds=0.25)
    deeds.finish(person, key, seconds=2)
    deeds.undo(person)
    log = AnnotationStore(database)
    assert replay(log.events(person, key)) == log.state(person, key)
    assert log.state(person, key).seconds == 65.75
    assert list(log.streams()) == [(person, key)]


def test_a_store_in_use_is_sound(
    database: Database, corpus: CorpusStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is done between two looks at a stream is no damage."""
    fill(corpus, "1")
    deeds = annotate(database)
    person = PeopleStore(database).local("ana").id
    key = SampleKey("d", "1")
    deeds.add(person, key, claim("one"), seconds=1)
    look = EventLog.events

    def look_and_work(log: EventLog, person: str, key: SampleKey) -> Iterator[Event]:
        seen = list(look(log, person, key))
        deeds.read(person, key, seconds=1)
        return iter(seen)

    monkeypatch.setattr(EventLog, "events", look_and_work)
    assert [finding.state for finding in inspect_store(database)] == ["ok", "ok"]
