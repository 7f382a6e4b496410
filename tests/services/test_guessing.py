"""Many processes that guess at once get no more answers than one, and lock nobody out."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from datetime import timedelta
from multiprocessing.queues import Queue
from pathlib import Path

import pytest

from tests.helpers.stores import new_database
from tests.services.account_stores import CHEAP, HERE, PASSWORD, Clock, Counting, Doors
from tui_annotate.domain.errors import NotAllowed, Throttled
from tui_annotate.domain.throttle import ACCOUNT, PAIR
from tui_annotate.storage.sqlite_database import SqliteDatabase

PROCESSES = 8
GUESSES = 25

Tally = dict[str, int]


def guess(path: Path, number: int, minutes: int, told: Queue[Tally]) -> None:
    """What one guesser does, at a time that stands still; says what came of it."""
    clock = Clock()
    clock.goes_on(minutes=minutes)
    database = SqliteDatabase.open(path)
    doors = Doors(database, clock, Counting(*CHEAP))
    found = {"looked at": 0, "throttled": 0}
    for each in range(GUESSES):
        client = HERE if number % 2 else f"bot {number}-{each}"
        try:
            doors.authenticate.sign_in("ana@example.org", f"guess {each}", client=client)
        except Throttled:
            found["throttled"] += 1
        except NotAllowed:
            found["looked at"] += 1
    database.close()
    told.put(found)


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[Doors]:
    """A store with one account."""
    database = new_database(tmp_path)
    made = Doors(database)
    made.add("ana")
    yield made
    database.close()


def attack(doors: Doors, minutes: int) -> Tally:
    """Lets all guessers guess at the same moment, half of them from one client."""
    context = multiprocessing.get_context("spawn")
    report: Queue[Tally] = context.Queue()
    path = doors.database.path
    started = [
        context.Process(target=guess, args=(path, number, minutes, report))
        for number in range(PROCESSES)
    ]
    for process in started:
        process.start()
    tallies = [report.get(timeout=240) for _ in started]
    for process in started:
        process.join(timeout=60)
    assert [process.exitcode for process in started] == [0] * PROCESSES
    return {name: sum(each[name] for each in tallies) for name in tallies[0]}


def test_the_rate_of_guesses_is_bounded_over_processes(doors: Doors) -> None:
    """Counts are in the store: neither more processes nor new ones give more guesses at a time.

    The owner gets in at once from where they were before, and elsewhere when the wait is over,
    where the guesses came from as well.
    """
    doors.authenticate.sign_in("ana@example.org", PASSWORD, client="home")
    most = PAIR.free + 1 + ACCOUNT.free + 1  # from one client, and from all others together
    first = attack(doors, 0)
    assert sum(first.values()) == PROCESSES * GUESSES
    assert 0 < first["looked at"] <= most
    second = attack(doors, 1)  # other processes, a minute later
    assert 0 < second["looked at"] <= 3
    doors.clock.goes_on(minutes=1)
    doors.authenticate.sign_in("ana@example.org", PASSWORD, client="home")
    doors.clock.now += timedelta(seconds=ACCOUNT.cap)
    doors.authenticate.sign_in("ana@example.org", PASSWORD, client="hotel")
    doors.clock.now += timedelta(seconds=PAIR.cap)
    doors.authenticate.sign_in("ana@example.org", PASSWORD, client=HERE)
