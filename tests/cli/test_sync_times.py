"""Whose work on a sample is the newest where a table is shared: by deeds, not by who sends last."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.test_sync import BRIDGE, fake, first, machines
from tests.plugins.sync.table_server import FakeTable
from tui_annotate import workspace as workspaces
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.samples import SampleKey

__all__ = ["fake", "machines"]

pytestmark = pytest.mark.usefixtures("fake")


def rate(folder: Path, key: SampleKey, rating: str) -> None:
    """The one who works here rates a sample."""
    with workspaces.open(folder) as space:
        space.annotate.rate(space.person().id, key, rating, seconds=1)


def look(folder: Path, key: SampleKey) -> None:
    """They look at it."""
    with workspaces.open(folder) as space:
        space.annotate.read(space.person().id, key, seconds=2)


def stands(folder: Path, key: SampleKey) -> Assignment:
    """What stands there."""
    with workspaces.open(folder) as space:
        return space.log.stream(space.person().id, key).assignment


@pytest.fixture
def one(machines: Path) -> Path:
    """The first machine."""
    return machines / "one"


@pytest.fixture
def two(machines: Path) -> Path:
    """The second machine."""
    return machines / "two"


def test_a_look_is_no_work_that_newer_work_gives_way_to(
    command: Command, one: Path, two: Path
) -> None:
    """Who only looked since both had the same takes what comes, and has no conflict."""
    key = first(one, "document")
    rate(one, key, "Mostly Good")
    command("sync", "push", "-w", "one")
    command("sync", "pull", "-w", "two")
    rate(one, key, "Bad")
    command("sync", "push", "-w", "one")
    look(two, key)
    pulled = command("sync", "pull", "-w", "two", "--json").json[0]
    assert (pulled["samples"], pulled["conflicts"]) == (1, [])
    assert command("sync", "push", "-w", "two", "--json").json["samples"] == 0
    assert stands(two, key).rating == stands(one, key).rating == "Bad"


def test_older_work_that_is_sent_late_does_not_win(command: Command, one: Path, two: Path) -> None:
    """The newest is what was done last, wherever it was sent from first."""
    key = first(one, "report")
    rate(one, key, "Perfect")
    rate(two, key, "Bad")
    command("sync", "push", "-w", "one")
    (conflict,) = command("sync", "pull", "-w", "two", "--json").json[0]["conflicts"]
    assert conflict["stands"] == "here"
    assert stands(two, key).rating == "Bad"
    assert command("sync", "push", "-w", "two", "--json").json["samples"] == 1
    command("sync", "pull", "-w", "one")
    assert stands(one, key).rating == "Bad"
    assert not command("sync", "pull", "-w", "one", "--json").json[0]["conflicts"]


def test_what_won_keeps_its_time(command: Command, one: Path, two: Path) -> None:
    """The next conflict is decided by it."""
    key = first(one, "report")
    rate(one, key, "Perfect")
    rate(two, key, "Bad")
    before = stands(two, key).updated
    command("sync", "push", "-w", "one")
    command("sync", "pull", "-w", "two")
    assert stands(two, key).updated == before


@pytest.mark.parametrize("state", [State.DRAFT, State.DONE, State.FLAGGED])
@pytest.mark.parametrize("seen", [False, True])
def test_how_far_somebody_is_travels_along(
    state: State, command: Command, one: Path, two: Path, *, seen: bool
) -> None:
    """A draft is none the less, whether the sample was open on the other machine or not."""
    key = first(one, "citation")
    rate(one, key, "So-so")
    with workspaces.open(one) as space:
        if state is State.DONE:
            space.annotate.finish(space.person().id, key, seconds=1)
        elif state is State.FLAGGED:
            space.annotate.flag(space.person().id, key, seconds=1)
    if seen:
        look(two, key)
    command("sync", "push", "-w", "one")
    command("sync", "pull", "-w", "two")
    assert stands(two, key).state is stands(one, key).state is state
    rate(two, key, "Bad")
    with workspaces.open(two) as space:
        space.annotate.finish(space.person().id, key, seconds=1)
    command("sync", "push", "-w", "two")
    command("sync", "pull", "-w", "one")
    assert stands(one, key).state is State.DONE


@pytest.mark.parametrize("seen", [False, True])
def test_what_another_program_rated_is_done(
    command: Command, one: Path, fake: FakeTable, *, seen: bool
) -> None:
    """Its rows tell no state; an empty one makes nothing of a sample."""
    key, empty = first(one, "document"), first(one, "citation")
    if seen:
        look(one, key)
    fake.put("c", "reader", key.id, {"rating": "Bad", "comment": "", "spans": []})
    fake.put("c", "reader", empty.id, {"rating": "Not rated", "comment": "", "spans": []})
    command("sync", "pull", "-w", "one")
    assert stands(one, key).state is State.DONE
    assert stands(one, empty).state is State.NEW


def test_a_row_with_an_odd_state_is_left(command: Command, one: Path, fake: FakeTable) -> None:
    """It is told, and nothing of it taken."""
    key = first(one, "document")
    fake.put("c", "reader", key.id, {"rating": "Bad", "worked": {"at": "", "state": "perhaps"}})
    pulled = command("sync", "pull", "-w", "one", "--json")
    assert pulled.code == 3
    (refused,) = pulled.json[0]["refused"]
    assert (refused["dataset"], refused["sample"]) == (key.dataset, key.id)
    assert "'worked'" in refused["reason"]
    assert stands(one, key).rating == ""


def test_status_counts_what_a_push_would_send(command: Command, one: Path, fake: FakeTable) -> None:
    """Rows that are gone, and no mere look."""
    key = first(one, "report")
    rate(one, key, "Bad")
    command("sync", "push", "-w", "one")
    look(one, key)
    assert command("sync", "status", "-w", "one", "--json").json["samples_to_push"] == 0
    fake.rows.clear()
    assert command("sync", "status", "-w", "one", "--json").json["samples_to_push"] == 1
    assert command("sync", "push", "-w", "one", "--json").json["samples"] == 1
    assert BRIDGE.dataset not in {name[0] for name in fake.rows}
