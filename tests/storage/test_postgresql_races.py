"""Many processes work on one schema of PostgreSQL at once: no change is lost, none is doubled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.pool import Pool as ProcessPool
from typing import Final

import pytest

from tests.helpers.effort import by_effort
from tests.helpers.postgresql_server import PostgresqlServer
from tests.helpers.stores import annotate, claim, fill
from tui_annotate.domain.assignment_rules import Pool
from tui_annotate.domain.errors import Conflict
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.postgresql_database import PostgresqlDatabase
from tui_annotate.storage.queue import QueueStore

WRITERS: Final = by_effort(push=4, full=50, torture=50)
READERS: Final = by_effort(push=4, full=20, torture=20)
ADDED: Final = 9
SAMPLES: Final = 30
OVERLAP: Final = 2


@pytest.fixture
def workers() -> Iterator[ProcessPool]:
    """As many processes as there are writers or readers."""
    with get_context("spawn").Pool(max(WRITERS, READERS)) as pool:
        yield pool


def people(database: PostgresqlDatabase, count: int) -> list[str]:
    """The ids of new people."""
    store = PeopleStore(database)
    return [store.local(f"person {number}").id for number in range(count)]


def _write(url: str, schema: str, person: str) -> tuple[int, int]:
    """Add annotations to all samples, and undo each third; return what was added and undone."""
    with PostgresqlDatabase.open(url, schema) as database:
        actions = annotate(database, labels="")
        (key,) = CorpusStore(database).keys()
        undone = 0
        for number in range(ADDED):
            new = claim(f"{person}-{number}", number, number + 5, label="")
            actions.add(person, key, new, seconds=1)
            if number % 3 == 0:
                actions.undo(person)
                undone += 1
        return ADDED, undone


def test_many_writers_at_once(
    postgresql: PostgresqlServer, postgresql_store: PostgresqlDatabase, workers: ProcessPool
) -> None:
    """Every event is in the log of its person; the chains are intact, and undo undid one's own."""
    fill(CorpusStore(postgresql_store), "a")
    annotate(postgresql_store)
    ids = people(postgresql_store, WRITERS)
    work = [(postgresql.url, postgresql_store.schema, person) for person in ids]
    written = workers.starmap(_write, work, chunksize=1)
    audit = AuditStore(postgresql_store)
    assert list(audit.find_faults()) == []
    assert audit.head().events == sum(added + undone for added, undone in written)
    actions = annotate(postgresql_store, labels="")
    (key,) = CorpusStore(postgresql_store).keys()
    for person, (added, undone) in zip(ids, written, strict=True):
        assert len(actions.open(person, key).annotations) == added - undone


def _draw(url: str, schema: str, person: str) -> list[str]:
    """Draw samples of the pool and finish them until none is left; return their ids."""
    with PostgresqlDatabase.open(url, schema) as database:
        actions, queue = annotate(database, labels=""), QueueStore(database)
        drawn = []
        while key := queue.next_unfinished(person, None, order="by-source"):
            drawn.append(key.id)
            actions.skip(person, key, seconds=0)
        return drawn


def test_a_pool_is_drawn_from_by_many_at_once(
    postgresql: PostgresqlServer, postgresql_store: PostgresqlDatabase, workers: ProcessPool
) -> None:
    """No sample twice to one person, and exactly as many people as the overlap for each."""
    names = [str(number) for number in range(SAMPLES)]
    fill(CorpusStore(postgresql_store), *names)
    annotate(postgresql_store)
    ids = people(postgresql_store, READERS)
    with AssignmentStore(postgresql_store).writing("") as assignments:
        assignments.set_pool("d", Pool(OVERLAP, "by-source"))
    work = [(postgresql.url, postgresql_store.schema, person) for person in ids]
    drawn = workers.starmap(_draw, work, chunksize=1)
    assert all(len(own) == len(set(own)) for own in drawn)
    assert Counter(name for own in drawn for name in own) == dict.fromkeys(names, OVERLAP)


def _set_pool(url: str, schema: str, overlap: int) -> str:
    """Let an admin make a pool; return what came of it."""
    with PostgresqlDatabase.open(url, schema) as database:
        try:
            with AssignmentStore(database).writing("") as assignments:
                assignments.set_pool("d", Pool(overlap, "by-source"))
        except Conflict:
            return "refused"
        return "made"


def test_admins_who_decide_at_once_do_not_mix(
    postgresql: PostgresqlServer, postgresql_store: PostgresqlDatabase, workers: ProcessPool
) -> None:
    """One decision after the other is taken as a whole: the tables agree with one of them."""
    fill(CorpusStore(postgresql_store), "a", "b")
    work = [(postgresql.url, postgresql_store.schema, overlap) for overlap in (1, 2, 3)]
    assert "made" in workers.starmap(_set_pool, work, chunksize=1)
    rooms = {room for (room,) in _rows(postgresql_store, "SELECT room FROM pool")}
    assert len(rooms) == 1
    assert list(AuditStore(postgresql_store).find_faults()) == []


def _rows(database: PostgresqlDatabase, query: str) -> list[tuple[int]]:
    with database.reading() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]
