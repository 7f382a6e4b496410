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
    assert conflict["kept"] == "here"
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


@pytest.mark.parametrize("rated", [False, True])
@pytest.mark.parametrize("kind", ["pair", "report", "document", "citation"])
@pytest.mark.parametrize("state", [State.DRAFT, State.DONE, State.SKIPPED, State.FLAGGED])
def test_a_row_keeps_the_state_of_the_work(
    state: State, kind: str, command: Command, one: Path, two: Path, *, rated: bool
) -> None:
    """Of each kind of sample, with a rating or without: a skipped sample is skipped there too."""
    key = BRIDGE if kind == "pair" else first(one, kind)
    if rated:
        rate(one, key, "Bad")
    reach(one, key, state)
    command("sync", "push", "-w", "one")
    command("sync", "pull", "-w", "two")
    here, there = stands(one, key), stands(two, key)
    assert here.state is (state if rated or state is not State.DRAFT else State.NEW)
    assert (there.state, there.rating) == (here.state, here.rating)
    assert command("sync", "push", "-w", "two", "--json").json["samples"] == 0


@pytest.mark.parametrize("state", [State.DRAFT, State.DONE, State.SKIPPED, State.FLAGGED])
def test_rows_in_a_file_keep_the_state_of_the_work(
    state: State, command: Command, one: Path, two: Path
) -> None:
    """Who gathers all rows in a file, and imports it, does not take a draft for done."""
    keys = [first(one, kind) for kind in ("report", "document", "citation")]
    for key in keys:
        rate(one, key, "Bad")
        reach(one, key, state)
    command("sync", "push", "-w", "one")
    assert command("sync", "pull", "--dataset", "c", "-o", "rows.jsonl").code == 0
    done = command("ingest", "-w", "two", "rows.jsonl", "--from", "autojudge", "--embedder", "none")
    assert done.code == 0, done.err
    with workspaces.open(two) as space:
        records = list(space.records(dataset="c", person="reader"))
        assert {record.sample.key for record in records} == set(keys)
        for record in records:
            (work,) = record.assignments
            assert (work.state, work.rating) == (state, "Bad")


def reach(folder: Path, key: SampleKey, state: State) -> None:
    """The one who works here brings a sample to a state."""
    with workspaces.open(folder) as space:
        me = space.person().id
        if state is State.DONE:
            space.annotate.finish(me, key, seconds=1)
        elif state is State.SKIPPED:
            space.annotate.skip(me, key, seconds=1)
        elif state is State.FLAGGED:
            space.annotate.flag(me, key, seconds=1)


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
