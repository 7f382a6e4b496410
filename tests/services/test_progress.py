"""Figures of work: they are what the log and the tables say, and nobody else's."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.helpers.stores import annotate, claim, fill, new_database
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.assignment_rules import Pool
from tui_annotate.domain.people import OPERATOR, Actor, Permission, Role, is_allowed
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.work_statistics import NoEndReason, PersonWork, WorkStatistics, week_of
from tui_annotate.services.assignments import AssignmentService
from tui_annotate.services.progress import ProgressReader
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.work_statistics import WorkStatisticsStore

TODAY = datetime.now(UTC).date()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """A store with four samples, on which ana worked and ben began."""
    opened = new_database(tmp_path)
    keys = fill(CorpusStore(opened), "1", "2", "3", "4")
    people = PeopleStore(opened)
    ana, ben = (people.local(name).id for name in ("ana", "ben"))
    annotating = annotate(opened)
    annotating.add(ana, keys[0], claim("a"), seconds=50)
    annotating.finish(ana, keys[0], seconds=50)
    annotating.finish(ana, keys[1], seconds=50)
    annotating.flag(ana, keys[2], reason="cut off", seconds=30)
    annotating.add(ben, keys[0], claim("b"), seconds=5)
    yield opened
    opened.close()


def figures(
    database: SqliteDatabase, actor: Actor = OPERATOR, *, today: date = TODAY
) -> WorkStatistics:
    """As the actor sees them on a day."""
    names = {person.id: person.name for person in PeopleStore(database).all()}
    store = WorkStatisticsStore(database, actor=actor)
    everybody = is_allowed(actor, Permission.REPORT)
    return ProgressReader(store, lambda: names, everybody=everybody, today=lambda: today).figures()


def of(found: WorkStatistics, name: str) -> PersonWork:
    """One person's figures."""
    (work,) = [each for each in found.work if each.name == name]
    return work


def allot(database: SqliteDatabase, person: str, *samples: str, practice: bool = False) -> None:
    """Hands out samples, by row."""
    with database.writing() as connection:
        connection.exec_driver_sql(
            "INSERT OR IGNORE INTO handouts (id, at, by, kind, dataset, request, undone)"
            " VALUES (1, '', '', 'give', 'd', '{}', '')"
        )
        for rank, name in enumerate(samples):
            connection.exec_driver_sql(
                "INSERT INTO allotments (person, sample_id, rank, handout, practice)"
                " SELECT ?, id, ?, 1, ? FROM samples WHERE external = ?",
                (person, rank, practice, name),
            )


def test_without_handouts_everybody_has_all(database: SqliteDatabase) -> None:
    """States, annotations, seconds and pace of each, and what is left of all samples."""
    found = figures(database)
    ana, ben = of(found, "ana"), of(found, "ben")
    assert (ana.assigned, ana.remaining) == (None, 1)
    assert (ana.completed, ana.flagged, ana.annotations, ana.seconds) == (2, 1, 1, 180.0)
    assert (ana.samples_an_hour, ana.completed_recently) == (None, 3)
    assert (ben.completed, ben.in_progress, ben.remaining, ben.samples_an_hour) == (0, 1, 4, None)
    (ahead,) = found.forecast
    assert (ahead.remaining, ahead.end.reason) == (None, NoEndReason.BEGAN_TODAY)
    assert (found.weeks[-1].week, found.weeks[-1].finished) == (week_of(TODAY.isoformat()), 3)
    assert found.weeks[-1].seconds == 185.0
    assert len(found.weeks) == 12


def test_a_dataset_without_work_is_not_done(database: SqliteDatabase) -> None:
    """Nobody began it, or all that is there came with an import, with states or without."""
    fill(CorpusStore(database), "x", dataset="e")
    ends = {each.dataset: each.end.reason for each in figures(database).forecast}
    assert ends == {"d": NoEndReason.BEGAN_TODAY, "e": NoEndReason.NOT_BEGUN}


def test_who_was_handed_samples_with_work_of_a_file_has_not_begun(database: SqliteDatabase) -> None:
    """What came with an import has a day, but is no work."""
    fill(CorpusStore(database), "x", dataset="e")
    li = PeopleStore(database).local("li").id
    allot(database, li, "x")
    with database.writing() as connection:
        connection.exec_driver_sql("DROP TRIGGER events_refuse_update")
        connection.exec_driver_sql("UPDATE events SET dataset = 'e', person = ?, seconds = 0"
                                   " WHERE verb = 'flag'", (li,))  # fmt: skip
    ends = {each.dataset: each.end.reason for each in figures(database).forecast}
    assert ends["e"] == NoEndReason.NOT_BEGUN


def test_flags_have_their_reasons(database: SqliteDatabase) -> None:
    """Who flagged which sample, and why."""
    (flag,) = figures(database).flags
    assert (flag.dataset, flag.sample, flag.reason) == ("d", "3", "cut off")


def test_ends_are_projected(database: SqliteDatabase) -> None:
    """From what was finished in the last two weeks; later there is no pace any more."""
    tomorrow = figures(database, today=TODAY + timedelta(days=1))
    assert of(tomorrow, "ana").end(tomorrow.today).day == str(TODAY + timedelta(days=2))
    assert tomorrow.forecast[0].end.reason == NoEndReason.NONE_YET
    later = figures(database, today=TODAY + timedelta(days=20))
    assert of(later, "ana").end(later.today).reason == NoEndReason.IDLE


def test_what_is_handed_out(database: SqliteDatabase) -> None:
    """Assigned and remaining count what was handed out, practice left out; idle people too."""
    people = PeopleStore(database)
    ana, li = people.local("ana").id, people.local("li").id
    allot(database, ana, "1", "4")
    allot(database, li, "2")
    allot(database, people.local("ben").id, "3", practice=True)
    found = figures(database, today=TODAY + timedelta(days=1))
    assert (of(found, "ana").assigned, of(found, "ana").remaining) == (2, 1)
    assert (of(found, "li").assigned, of(found, "li").remaining, of(found, "li").completed) == (
        1,
        1,
        0,
    )
    assert (of(found, "ben").assigned, of(found, "ben").remaining) == (0, 0)
    (ahead,) = found.forecast
    assert (ahead.remaining, ahead.end.day) == (2, str(TODAY + timedelta(days=3)))


def test_people_with_fixed_assignments_take_nothing_from_a_pool(database: SqliteDatabase) -> None:
    """Their remaining samples and end are their own; the others take from the pool."""
    people = PeopleStore(database)
    share = AssignmentService(AssignmentStore(database), people, lambda _: None, OPERATOR)
    share.pool("d", Pool(2, "ingested"))
    share.give("d", ["ana"], AssignmentOptions(), ids=["4"])
    found = figures(database, today=TODAY + timedelta(days=1))
    ana, ben = of(found, "ana"), of(found, "ben")
    assert (ana.from_pool, ana.assigned, ana.remaining) == (False, 4, 1)
    assert ana.end(found.today).day
    assert (ben.from_pool, ben.remaining, ben.end(found.today).reason) == (
        True,
        None,
        "takes from a pool",
    )
    queue = annotate(database)
    assert queue.next_unfinished(ana.person, None) == SampleKey("d", "4")
    queue.finish(ana.person, SampleKey("d", "4"), seconds=1)
    assert queue.next_unfinished(ana.person, None) is None
    queue.finish(ben.person, SampleKey("d", "1"), seconds=1)
    assert queue.next_unfinished(ben.person, None)
    share.undo()
    share.undo()
    assert of(figures(database), "ben").from_pool is None


def test_a_dataset_for_practice_alone_never_ends(database: SqliteDatabase) -> None:
    """What is done there is work for nobody, so it is neither remaining nor done."""
    people = PeopleStore(database)
    ana, li = people.local("ana").id, people.local("li").id
    allot(database, ana, "1", "4", practice=True)
    allot(database, li, "1", practice=True)
    found = figures(database)
    (ahead,) = found.forecast
    assert (ahead.remaining, ahead.end.reason) == (None, "practice")
    report = [of(found, "ana"), of(found, "ben")]
    assert [(each.assigned, each.end(TODAY).reason) for each in report] == [(0, "practice")] * 2
    allot(database, li, "2")
    assert [each.remaining for each in figures(database).forecast] == [1]


def test_annotators_see_their_own(database: SqliteDatabase) -> None:
    """Their work, weeks and flags alone; reviewers and admins see those of all."""
    ana, ben = (PeopleStore(database).local(name).id for name in ("ana", "ben"))
    mine = figures(database, Actor(ben, Role.ANNOTATOR))
    assert [work.person for work in mine.work] == [ben]
    assert (mine.forecast, mine.flags, mine.weeks[-1].seconds) == ((), (), 5.0)
    for role in (Role.REVIEWER, Role.ADMIN):
        assert len(figures(database, Actor(ana, role)).work) == 2


def test_strange_times_are_of_no_day(database: SqliteDatabase) -> None:
    """An event that came from a file with another time counts nowhere by week."""
    with database.writing() as connection:
        connection.exec_driver_sql("DROP TRIGGER events_refuse_update")
        connection.exec_driver_sql("UPDATE events SET at = 'long ago' WHERE verb = 'flag'")
    assert figures(database).weeks[-1].seconds == 155.0


def test_an_empty_store(tmp_path: Path) -> None:
    """There is nothing to tell, and nothing fails."""
    (tmp_path / "empty").mkdir()
    found = figures(new_database(tmp_path / "empty"))
    assert (found.work, found.flags, found.forecast) == ((), (), ())
