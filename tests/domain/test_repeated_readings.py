"""Which events of first and second readings came too late to be independent work."""

from __future__ import annotations

from tui_annotate.domain.adjudication_history import LoggedChange
from tui_annotate.domain.history import DISCARD, DONE, IMPORT, READ, RELABEL, RETURN, UNDO
from tui_annotate.domain.repeated_readings import (
    RepeatedReading,
    RepeatedReadingCounts,
    compare_readings,
    count_repeated,
)
from tui_annotate.domain.samples import SampleKey

KEY = SampleKey("d", "1")


def changes(*made: tuple[int, str], at: str = "") -> list[LoggedChange]:
    """Events by number of arrival and type, with the same order in time."""
    return [
        LoggedChange(
            arrival,
            f"e{arrival}",
            "p",
            KEY,
            seq,
            verb,
            state="done" if verb == DONE else "",
            at=at or f"{arrival:03}",
        )
        for seq, (arrival, verb) in enumerate(made, 1)
    ]


FIRST = ((1, "add"), (2, DONE))
SECOND = ((11, READ), (12, "add"), (13, DONE))


def test_a_second_reading_without_events_has_not_begun() -> None:
    """Neither has one that a label change alone has touched, or that was discarded."""
    for events in ((), ((11, RELABEL),), ((11, "add"), (12, DISCARD))):
        assert compare_readings(changes(*FIRST), changes(*events)) is None


def test_work_before_the_other_reading_counts_whole() -> None:
    """Also edits of the completed first reading, and of the second before its completion."""
    first = changes(*FIRST, (3, "edit"), (4, DONE), (5, UNDO))
    assert compare_readings(first, changes(*SECOND)) == RepeatedReading()


def test_each_kind_of_later_event() -> None:
    """Reading and label changes are no edits; a reopening or a completion ends the work."""
    for verb, since, edits in (
        ("edit", 3, 1),
        (UNDO, 3, 1),
        (IMPORT, 3, 1),
        (RETURN, 3, 0),
        (DONE, 3, 0),
        (READ, 0, 0),
        (RELABEL, 0, 0),
    ):
        found = compare_readings(changes(*FIRST, (12, verb)), changes(*SECOND))
        assert found == RepeatedReading(first_since=since, first_edits=edits), verb
        found = compare_readings(changes(*FIRST), changes(*SECOND, (14, verb)))
        assert found == RepeatedReading(second_since=since and 4, second_edits=edits), verb


def test_work_that_a_label_change_reopens_counts_as_it_was() -> None:
    """What the person adds for the new rule, and completes again, comes too late."""
    reopened = [
        each._replace(seq=each.seq + 3, state="reopened") for each in changes((14, RELABEL))
    ]
    again = [each._replace(seq=each.seq + 4) for each in changes((15, "edit"), (16, DONE))]
    found = compare_readings([*changes(*FIRST), *reopened, *again], changes(*SECOND))
    assert found == RepeatedReading(first_since=4, first_edits=1)
    found = compare_readings(changes(*FIRST), [*changes(*SECOND), *reopened, *again])
    assert found == RepeatedReading(second_since=4, second_edits=1)


def test_imported_readings_have_no_order() -> None:
    """One file brings both; the work of merged people keeps the order of its first store."""
    both = compare_readings(changes((9, IMPORT)), changes((8, IMPORT)))
    assert both == RepeatedReading()
    moved = [each._replace(batch="merge") for each in changes((20, IMPORT))]
    assert compare_readings(moved, changes(*SECOND)) == RepeatedReading()


def test_times_order_copies_after_the_completion_alone() -> None:
    """A wrong clock must not exclude a reading that arrived first."""
    late = changes((1, "add"), (2, DONE), at="900")
    assert compare_readings(late, changes(*SECOND)) == RepeatedReading()
    late += [each._replace(seq=3) for each in changes((3, "edit"), at="900")]
    assert compare_readings(late, changes(*SECOND)) == RepeatedReading(3, 1)


def test_first_readings_that_were_reopened_when_the_second_began() -> None:
    """The state then counts: not what came later, and not work that was never complete."""
    for verbs, reopened in (
        (("add", DONE), False),
        (("add", DONE, "edit"), True),
        (("add", DONE, RETURN), True),
        (("add", DONE, "edit", DONE), False),
        (("add", DONE, "comment", READ, RELABEL), False),
        (("add", "edit"), False),
    ):
        first = changes(*enumerate(verbs, 1))
        found = compare_readings(first, changes(*SECOND))
        assert found is not None
        assert found.first_reopened is reopened, verbs
    undone = changes(*FIRST, (3, UNDO))
    undone[-1] = undone[-1]._replace(state="draft")
    assert compare_readings(undone, changes(*SECOND)) == RepeatedReading(first_reopened=True)
    later = compare_readings(changes(*FIRST, (12, "edit")), changes(*SECOND))
    assert later == RepeatedReading(3, 1)


def test_counts() -> None:
    """A reading counts once, whatever the number of its edits."""
    found = [RepeatedReading(), RepeatedReading(3, 2, 4, 0), RepeatedReading(0, 0, 4, 1, True)]
    assert count_repeated(found) == RepeatedReadingCounts(3, 1, 1, 1)
