"""A position and unsaved work wait in a file until the store can be written again."""

from __future__ import annotations

from pathlib import Path
from stat import S_IMODE

import pytest

from tests.helpers.stores import fill, new_database
from tui_annotate.domain.samples import SampleKey
from tui_annotate.settings import state_folder
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.tui.position_file import PositionFile


def item(name: str) -> dict[str, object]:
    """An annotation that was not saved."""
    return {"annotation": {"id": name, "version": 1}, "new": True}


@pytest.fixture
def people(tmp_path: Path) -> PeopleStore:
    """A store with two samples."""
    database = new_database(tmp_path)
    fill(CorpusStore(database), "a", "b")
    return PeopleStore(database)


def test_what_waits_is_moved_to_the_store(people: PeopleStore, tmp_path: Path) -> None:
    """Once; what waits in the store itself stays, and the file is its owner's alone."""
    ana = people.local("ana").id
    key = SampleKey("d", "a")
    people.keep_place(ana, key, {"note": "old", "unsaved": [item("x"), item("y")]})
    file = PositionFile(tmp_path, ana)
    file.write(key, {"note": "new", "unsaved": [item("y"), item("z")]})
    (written,) = state_folder().glob("position-*")
    assert S_IMODE(written.stat().st_mode) == 0o600
    file.store(people)
    place = people.place(ana, key)
    assert place["note"] == "new"
    assert [each["annotation"]["id"] for each in place["unsaved"]] == ["x", "y", "z"]
    assert not written.exists()
    people.keep_place(ana, key, {})
    file.store(people)
    assert people.place(ana, key) == {}


def test_each_person_has_a_file(people: PeopleStore, tmp_path: Path) -> None:
    """One annotator's work never waits for another."""
    ana, ben = people.local("ana").id, people.local("ben").id
    PositionFile(tmp_path, ana).write(SampleKey("d", "a"), {"unsaved": [item("x")]})
    PositionFile(tmp_path, ben).store(people)
    assert people.place(ben, SampleKey("d", "a")) == {}
    PositionFile(tmp_path, ana).store(people)
    assert people.place(ana, SampleKey("d", "a"))["unsaved"] == [item("x")]


@pytest.mark.parametrize(
    "content", ["", "{}", "[1]", '[{"dataset": "d", "sample": "a", "place": {"unsaved": [1]}}]']
)
def test_a_damaged_file_stops_no_start(people: PeopleStore, tmp_path: Path, content: str) -> None:
    """It is left for a person to look at."""
    ana = people.local("ana").id
    file = PositionFile(tmp_path, ana)
    file.write(SampleKey("d", "a"), {})
    (written,) = state_folder().glob("position-*")
    written.write_text(content, "utf-8")
    file.store(people)
    assert written.exists()


def test_a_removed_sample_is_forgotten(people: PeopleStore, tmp_path: Path) -> None:
    """There is no text any more to which the position could belong."""
    ana = people.local("ana").id
    file = PositionFile(tmp_path, ana)
    file.write(SampleKey("d", "gone"), {"unsaved": [item("x")]})
    file.store(people)
    assert not list(state_folder().glob("position-*"))


def test_each_sample_has_a_position(people: PeopleStore, tmp_path: Path) -> None:
    """What waits for one sample is not lost when the position in another one is kept or stored."""
    ana = people.local("ana").id
    first, second = SampleKey("d", "a"), SampleKey("d", "b")
    file = PositionFile(tmp_path, ana)
    file.write(first, {"unsaved": [item("x")]})
    file.write(second, {"unsaved": [item("y")]})
    file.delete(second)
    file.store(people)
    assert people.place(ana, first)["unsaved"] == [item("x")]
    assert people.place(ana, second) == {}
    assert not list(state_folder().glob("position-*"))
