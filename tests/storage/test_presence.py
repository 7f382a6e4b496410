"""Who holds a person's place: one process, and no dead one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tui_annotate.storage.database import Database
from tui_annotate.storage.people.presence import PresenceStore, new_holder
from tui_annotate.storage.people.store import PeopleStore

ELSEWHERE = "another-machine/7/x"
HERE = "another-machine/8/y"


class Clock:
    """Minutes after ten."""

    def __init__(self) -> None:
        self.minutes = 0.0

    def __call__(self) -> str:
        """This moment."""
        minutes, part = divmod(self.minutes, 1)
        return f"2026-11-21T10:{int(minutes):02}:{int(part * 60):02}.000000Z"


@pytest.fixture
def clock() -> Clock:
    """Ten o'clock."""
    return Clock()


@pytest.fixture
def store(database: Database, clock: Clock) -> PresenceStore:
    """An empty store."""
    return PresenceStore(database, clock=clock)


@pytest.fixture
def ana(database: Database) -> str:
    """Somebody's id."""
    return PeopleStore(database).local("ana").id


def test_a_place_is_held_by_one_process(store: PresenceStore, ana: str, clock: Clock) -> None:
    """Who comes second is told since when, and changes nothing."""
    assert store.find_other(ana, HERE) is None
    assert store.hold(ana, HERE) is None
    clock.minutes = 2
    found = store.hold(ana, ELSEWHERE)
    assert found == store.find_other(ana, ELSEWHERE)
    assert found
    assert (found.holder, found.since) == (HERE, "2026-11-21T10:00:00.000000Z")
    assert store.hold(ana, HERE) is None


def test_who_takes_over_has_it(store: PresenceStore, ana: str) -> None:
    """The name of the one that is taken over is needed; it then finds the other one there."""
    store.hold(ana, HERE)
    assert store.hold(ana, ELSEWHERE, over="somebody else")
    assert store.hold(ana, ELSEWHERE, over=HERE) is None
    found = store.hold(ana, HERE)
    assert found
    assert found.holder == ELSEWHERE


def test_silence_gives_the_place_away(store: PresenceStore, ana: str, clock: Clock) -> None:
    """Five minutes without a sign; a sign each minute keeps it, with the time it began."""
    store.hold(ana, HERE)
    clock.minutes = 4
    store.hold(ana, HERE)
    clock.minutes = 8.9
    found = store.find_other(ana, ELSEWHERE)
    assert found
    assert (found.since[14:19], found.seen[14:19]) == ("00:00", "04:00")
    clock.minutes = 9
    assert store.find_other(ana, ELSEWHERE) is None
    assert store.hold(ana, ELSEWHERE) is None
    assert store.hold(ana, HERE)


def test_a_sign_is_written_once_a_minute(store: PresenceStore, ana: str, clock: Clock) -> None:
    """What stands before each save writes nothing most of the time."""
    store.hold(ana, HERE)
    clock.minutes = 0.9
    store.hold(ana, HERE)
    found = store.find_other(ana, ELSEWHERE)
    assert found
    assert found.seen == found.since
    clock.minutes = 1
    store.hold(ana, HERE)
    assert store.find_other(ana, ELSEWHERE) != found


def test_a_place_that_is_given_back_is_free(store: PresenceStore, ana: str) -> None:
    """Only its holder gives it back."""
    store.hold(ana, HERE)
    store.leave(ana, ELSEWHERE)
    assert store.find_other(ana, ELSEWHERE)
    store.leave(ana, HERE)
    assert store.find_other(ana, ELSEWHERE) is None


def test_the_place_of_a_dead_process_is_free(store: PresenceStore, ana: str) -> None:
    """On the same machine it is looked whether the process lives."""
    script = "from tui_annotate.storage.people.presence import new_holder; print(new_holder())"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    dead = done.stdout.strip()
    alive = new_holder()
    assert alive != new_holder()
    store.hold(ana, dead)
    assert store.find_other(ana, alive) is None
    assert store.hold(ana, alive) is None
    assert store.find_other(ana, dead)


@pytest.mark.parametrize("name", ["x", "/", "//", "a/b/c", f"{new_holder().split('/')[0]}/x/y"])
def test_names_of_any_form_are_taken_as_alive(store: PresenceStore, ana: str, name: str) -> None:
    """A row that some other version wrote is no reason to fall over."""
    store.hold(ana, name)
    assert store.find_other(ana, HERE)
