"""What labels of a former version are called since, from what was done to the sets."""

from __future__ import annotations

import pytest

from tui_annotate.storage.database import Database
from tui_annotate.storage.labels.changes import (
    FILE,
    UNDO,
    LabelChange,
    LabelChangeRequest,
    add_label_change,
    changes_between,
    current_label_names,
)

AT = "2026-04-01T00:00:00.000000+00:00"


class Sets:
    """Changes of label sets, one after the other."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def change(
        self,
        versions: str,
        *renames: str,
        kind: str = "rename",
        datasets: tuple[str, ...] = ("d",),
        undoes: int = 0,
        arrival: int = 0,
    ) -> int:
        """From one version to another, as `1 2`; renames as `A>B`; gives its number."""
        before, after = versions.split()
        pairs = dict(each.split(">") for each in renames)
        request = LabelChangeRequest("x", {(old,): (new,) for old, new in pairs.items()}, datasets)
        change = LabelChange("", kind, request, before, after, AT, arrival=arrival)
        with self.database.writing() as connection:
            return add_label_change(connection, change, undoes=undoes)

    def since(self, version: str, dataset: str = "d") -> dict[str, str]:
        """What labels became."""
        with self.database.reading() as connection:
            found = current_label_names(connection, dataset, version)
        return {old[0]: new[0] for old, new in found.items()}

    def between(self, since: int, until: int | None) -> list[dict[str, str]]:
        """The renames of each change between two events."""
        with self.database.reading() as connection:
            found = list(changes_between(connection, since=since, until=until))
        return [{old[0]: new[0] for old, new in each.renames.items()} for each in found]


@pytest.fixture
def sets(database: Database) -> Sets:
    """None was changed yet."""
    return Sets(database)


def test_names_go_through_all_changes_since(sets: Sets) -> None:
    """Whatever version somebody has before them, also over a file that was taken up."""
    sets.change("1 2", "A>B")
    sets.change("2 3", kind=FILE, datasets=())
    sets.change("3 4", "B>C", "X>C")
    assert sets.since("1") == {"A": "C", "B": "C", "X": "C"}
    assert sets.since("2") == sets.since("3") == {"B": "C", "X": "C"}
    assert sets.since("4") == {}
    sets.change("4 5", "C>A", "D>E")
    assert sets.since("1") == {"B": "A", "X": "A", "C": "A", "D": "E"}


def test_what_was_taken_back_changed_nothing(sets: Sets) -> None:
    """For whoever saw the set before it; who saw what it made sees its undoing."""
    first = sets.change("1 2", "A>B")
    sets.change("2 1", "B>A", kind=UNDO, undoes=first)
    assert sets.since("1") == {}
    assert sets.since("2") == {"B": "A"}
    sets.change("1 3", "A>C")
    assert sets.since("1") == {"A": "C"}
    assert sets.since("2") == {"B": "C", "A": "C"}


def test_only_changes_that_held_in_a_dataset_count_there(sets: Sets) -> None:
    """And of a version that nobody knows nothing is said."""
    sets.change("1 2", "A>B", datasets=("d",))
    sets.change("2 3", "X>Y", datasets=("other",))
    assert sets.since("1") == {"A": "B"}
    assert sets.since("1", "other") == {}
    assert sets.since("2", "other") == {"X": "Y"}
    assert sets.since("9") == {}


@pytest.mark.parametrize(
    ("since", "until", "expected"),
    [
        (0, 2, []),
        (2, 4, [{"A": "B"}]),  # the undo came only later
        (2, 5, []),  # both
        (3, 5, [{"B": "A"}]),  # the change came before
        (4, 5, [{"B": "A"}]),
        (5, 9, [{"X": "Y"}]),
        (2, 9, [{"X": "Y"}]),
        (4, 9, [{"B": "A"}, {"X": "Y"}]),
        (4, None, [{"B": "A"}, {"X": "Y"}]),
    ],
)
def test_an_undo_between_two_events_counts_without_its_change(
    sets: Sets, since: int, until: int | None, expected: list[dict[str, str]]
) -> None:
    """A change counts without its undo, and an undo without its change; both have no effect."""
    first = sets.change("1 2", "A>B", arrival=2)
    sets.change("2 1", "B>A", kind=UNDO, undoes=first, arrival=4)
    sets.change("1 3", "X>Y", arrival=6)
    assert sets.between(since, until) == expected
