"""What labels of a former version are called since, from what was done to the sets."""

from __future__ import annotations

import pytest

from tui_annotate.storage.database import Database
from tui_annotate.storage.labels.store import (
    FILE,
    UNDO,
    LabelChange,
    LabelChangeRequest,
    add_label_change,
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
    ) -> int:
        """From one version to another, as `1 2`; renames as `A>B`; gives its number."""
        before, after = versions.split()
        pairs = dict(each.split(">") for each in renames)
        request = LabelChangeRequest("x", {(old,): (new,) for old, new in pairs.items()}, datasets)
        change = LabelChange("", kind, request, before, after, AT)
        with self.database.writing() as connection:
            return add_label_change(connection, change, undoes=undoes)

    def since(self, version: str, dataset: str = "d") -> dict[str, str]:
        """What labels became."""
        with self.database.reading() as connection:
            found = current_label_names(connection, dataset, version)
        return {old[0]: new[0] for old, new in found.items()}


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
