"""An adjudicated sample is closed: its annotators' work changes only if a reviewer reopens it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.helpers.errors import has_code
from tests.helpers.stores import annotate, claim, fill
from tests.helpers.suggestions import suggest
from tests.services.adjudicated_team import AdjudicatedTeam
from tui_annotate.domain.adjudication import RejectionReason
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.assignment_rules import DisagreementRule, Escalation, Gold, Pool
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from tui_annotate.domain.history import RETURN, replay
from tui_annotate.domain.people import OPERATOR, SETTLED, Actor, Role, second_reader
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.stream_validation import find_chain_problem
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.annotate.queries import SampleQueries
from tui_annotate.services.assignments import AssignmentService
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.labels.store import GuidanceStore, LabelSets
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.log.stream_merge import MergeStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

LOCKED = has_code("adjudicated")


@pytest.fixture
def team(tmp_path: Path) -> Iterator[AdjudicatedTeam]:
    """Three samples that Ana and Ben completed."""
    made = AdjudicatedTeam.create(tmp_path)
    yield made
    made.database.close()


Act = Callable[[AnnotationService, str, SampleKey], Any]


def _edit(annotating: AnnotationService, who: str, key: SampleKey) -> Any:
    (own,) = annotating.store.stream(who, key).annotations
    return annotating.edit(who, key, replace(own, note="better"), seconds=1)


def _remove(annotating: AnnotationService, who: str, key: SampleKey) -> Any:
    (own,) = annotating.store.stream(who, key).annotations
    return annotating.remove(who, key, own.id, version=own.version, seconds=1)


def _suggestion(annotating: AnnotationService, who: str, key: SampleKey) -> str:
    return annotating.store.suggested(who, key)[0].suggestion.id


ACTIONS: Final[dict[str, Act]] = {
    "add": lambda on, who, key: on.add(who, key, claim("late", 38, 47), seconds=1),
    "edit": _edit,
    "remove": _remove,
    "finish": lambda on, who, key: on.finish(who, key, seconds=1),
    "skip": lambda on, who, key: on.skip(who, key, seconds=1),
    "flag": lambda on, who, key: on.flag(who, key, reason="odd", seconds=1),
    "comment": lambda on, who, key: on.comment(who, key, "later thought", seconds=1),
    "rate": lambda on, who, key: on.rate(who, key, "good", seconds=1),
    "clear": lambda on, who, key: on.clear(who, sample=str(key)),
    "undo": lambda on, who, _key: on.undo(who),
    "redo": lambda on, who, _key: on.redo(who),
    "accept": lambda on, who, key: on.accept(who, key, _suggestion(on, who, key), seconds=1),
    "refuse": lambda on, who, key: on.refuse(
        who, key, _suggestion(on, who, key), reason="no", seconds=1
    ),
}
"""Each action of annotators that changes their work on a sample, on work with one annotation."""

NO_CHANGE: Final = {"read"}
"""Actions that store working time alone."""


def test_the_table_names_every_action_of_annotators() -> None:
    """A new public method of the service must be checked against a locked sample too."""
    public = {
        name
        for name, member in inspect.getmembers(AnnotationService, inspect.isfunction)
        if not name.startswith("_") and not hasattr(SampleQueries, name)
    }
    assert public - {"clock", "new_id"} == ACTIONS.keys() | NO_CHANGE


@pytest.mark.parametrize("second", [False, True], ids=["first reading", "second reading"])
@pytest.mark.parametrize("name", sorted(ACTIONS))
def test_no_action_changes_locked_work(team: AdjudicatedTeam, name: str, second: bool) -> None:
    """Each action is refused, and neither log nor tables change."""
    key, on = team.keys[0], team.annotating
    suggest(team.database, key)
    who = team.ana
    if second:
        who = second_reader(on.people.person(team.ana)).id
        team.completes(who, key, claim("again-1", 0, 10))
    on.comment(who, key, "first thought", seconds=1)
    on.rate(who, key, "poor", seconds=1)
    if name == "redo":
        on.undo(who)
    for each in team.keys:
        team.adjudicate(each)
    before = on.store.stream(who, key)
    with pytest.raises(NotAllowed, check=LOCKED):
        ACTIONS[name](on, who, key)
    assert on.store.stream(who, key) == before


@pytest.mark.parametrize("name", sorted(ACTIONS.keys() - {"undo", "redo"}))
def test_a_reopened_work_takes_every_action(team: AdjudicatedTeam, name: str) -> None:
    """A reviewer's reopening lifts the lock for the person, and for no one else."""
    key, on = team.keys[0], team.annotating
    suggest(team.database, key)
    team.adjudicate(key)
    team.reopen(key, team.ana)
    ACTIONS[name](on, team.ana, key)
    with pytest.raises(NotAllowed, check=LOCKED):
        ACTIONS[name](on, team.ben, key)
    assert not list(AuditStore(team.database).find_faults())


@pytest.mark.parametrize("name", sorted(ACTIONS.keys() - {"redo"}))
def test_a_dataset_can_allow_edits(team: AdjudicatedTeam, name: str) -> None:
    """With its setting nothing is locked; without it, work is locked again."""
    key, on = team.keys[-1], team.annotating
    suggest(team.database, key)
    for each in team.keys:
        team.adjudicate(each)
    team.allow_edits()
    assert not on.open(team.ben, key).lock.locked
    ACTIONS[name](on, team.ben, key)
    team.allow_edits(allowed=False)
    with pytest.raises(NotAllowed, check=LOCKED):
        ACTIONS[name if name not in ("edit", "remove") else "comment"](on, team.ana, key)


def test_working_time_is_still_stored(team: AdjudicatedTeam) -> None:
    """An annotator may look at a locked sample."""
    key, store = team.keys[0], team.annotating.store
    team.adjudicate(key)
    before = store.stream(team.ana, key)
    team.annotating.read(team.ana, key, seconds=3)
    after = store.stream(team.ana, key)
    assert after.assignment.seconds == before.assignment.seconds + 3
    assert after.state.alike(before.state)


def test_one_locked_sample_refuses_a_deletion_of_several(team: AdjudicatedTeam) -> None:
    """The deletion is one action, so nothing is deleted; others stay possible one by one."""
    on = team.annotating
    team.adjudicate(team.keys[1])
    with pytest.raises(NotAllowed, match=r"1 sample is adjudicated.*d/2", check=LOCKED):
        on.clear(team.ana, dataset="d")
    assert all(on.store.stream(team.ana, key).annotations for key in team.keys)
    on.clear(team.ana, sample="d/1")
    assert not on.store.stream(team.ana, team.keys[0]).annotations


def test_people_without_work_are_locked_out_too(team: AdjudicatedTeam) -> None:
    """Nobody begins a sample whose answer is known."""
    team.adjudicate(team.keys[0])
    kim = team.annotating.people.local("kim").id
    with pytest.raises(NotAllowed, check=LOCKED):
        team.annotating.add(kim, team.keys[0], claim("new", 0, 4), seconds=1)
    assert team.annotating.open(kim, team.keys[0]).lock.locked


def test_work_that_was_reopened_by_its_annotator_is_locked(team: AdjudicatedTeam) -> None:
    """A third person's own change before the adjudication is no reopening."""
    key, kim = team.keys[0], team.annotating.people.local("kim").id
    team.completes(kim, key)
    team.annotating.add(kim, key, claim("begun", 0, 4), seconds=1)
    assert team.annotating.store.stream(kim, key).assignment.state is State.REOPENED
    team.adjudicate(key)
    assert team.annotating.open(kim, key).lock.locked
    with pytest.raises(NotAllowed, check=LOCKED):
        team.annotating.finish(kim, key, seconds=1)


def test_an_undone_adjudication_locks_nothing_and_a_changed_one_does(
    team: AdjudicatedTeam,
) -> None:
    """A reviewer who changes a decision does not unlock work; undo of the adjudication does."""
    key, on, review = team.keys[0], team.annotating, team.review()
    done = team.adjudicate(key)
    review.comment(team.rea, key, "see rule 2", seen=done.seen, seconds=1)
    assert on.store.stream(SETTLED, key).assignment.state is State.REOPENED
    with pytest.raises(NotAllowed, check=LOCKED):
        on.comment(team.ana, key, "meanwhile", seconds=1)
    review.undo(team.rea)
    review.undo(team.rea)
    on.comment(team.ana, key, "meanwhile", seconds=1)
    on.finish(team.ana, key, seconds=1)
    with pytest.raises(Conflict):
        team.reopen(key, team.ana)


def test_completing_again_locks_again_and_shows_the_change(team: AdjudicatedTeam) -> None:
    """The reviewer sees the new annotation among the candidates."""
    key, on = team.keys[0], team.annotating
    team.adjudicate(key)
    team.reopen(key, team.ben, reason="look at rule 4")
    opened = on.open(team.ben, key)
    assert (opened.assignment.state, opened.lock.locked) == (State.REOPENED, False)
    assert opened.lock.reopened == "look at rule 4"
    assert on.next_unfinished(team.ben, None) == key
    team.completes(team.ben, key, claim("ben-new", 0, 10))
    assert on.open(team.ben, key).lock.locked
    assert on.open(team.ben, key).lock.reopened == ""
    done = on.undo(team.ben)
    assert done
    assert (done.key, done.passed) == (team.keys[-1], (key,))
    seen = team.review().open(team.rea, key)
    assert any("ben-new" in group.sources for group in seen.groups)
    (row,) = [row for row in team.review().queue(team.rea) if row.key == key]
    assert (row.edited, row.reopened) == (1, 0)


def test_undo_does_not_reach_behind_a_reopening(team: AdjudicatedTeam) -> None:
    """What was adjudicated can be changed again, but is not undone by an old step."""
    key, on = team.keys[-1], team.annotating
    team.adjudicate(key)
    team.reopen(key, team.ben)
    done = on.undo(team.ben)
    assert done
    assert done.key == team.keys[1]


def test_undo_and_redo_pass_over_locked_samples(team: AdjudicatedTeam) -> None:
    """The last action on open samples is undone; the result names the samples that stay."""
    on, (first, second, third) = team.annotating, team.keys
    team.adjudicate(third)
    team.adjudicate(second)
    locked = [on.store.stream(team.ana, key) for key in (second, third)]
    done, added = on.undo(team.ana), on.undo(team.ana)
    assert done
    assert added
    assert (done.key, done.undone, done.passed) == (first, "done", (third, second))
    assert (added.key, added.undone, added.passed) == (first, "add", (third, second))
    with pytest.raises(NotAllowed, match=str(third), check=LOCKED):
        on.undo(team.ana)
    again = on.redo(team.ana)
    assert again
    assert (again.key, again.undone, len(again.annotations)) == (first, "add", 1)
    assert [on.store.stream(team.ana, key) for key in (second, third)] == locked
    assert not list(AuditStore(team.database).find_faults())


def test_redo_passes_over_an_undo_on_a_locked_sample(team: AdjudicatedTeam) -> None:
    """The older undo on an open sample is redone."""
    on, (_, second, third) = team.annotating, team.keys
    for _ in range(4):  # completed and added, in the last sample and in the one before it
        on.undo(team.ana)
    assert not on.store.stream(team.ana, second).annotations
    on.redo(team.ana)
    on.redo(team.ana)
    team.completes(team.ben, second)
    team.adjudicate(second)
    done = on.redo(team.ana)
    assert done
    assert (done.key, done.undone, done.passed) == (third, "add", ())


def test_of_several_samples_the_locked_one_stays(team: AdjudicatedTeam) -> None:
    """Undoing a deletion restores the other samples; it can go on once the work is reopened."""
    on, second = team.annotating, team.keys[1]
    on.clear(team.ana, dataset="d")
    on.finish(team.ana, second, seconds=1)
    team.adjudicate(second)
    done = on.undo(team.ana)
    assert done
    assert done.passed == (second,)
    assert [len(on.store.stream(team.ana, key).annotations) for key in team.keys] == [1, 0, 1]
    on.redo(team.ana)
    assert [len(on.store.stream(team.ana, key).annotations) for key in team.keys] == [0, 0, 0]
    assert not list(AuditStore(team.database).find_faults())


def test_undo_passes_over_a_removed_sample(team: AdjudicatedTeam) -> None:
    """Work that is gone with its sample blocks nothing."""
    on = team.annotating
    on.corpus.remove_samples(team.keys[-1:], with_annotations=True)
    done = on.undo(team.ana)
    assert done
    assert (done.key, done.passed) == (team.keys[1], ())


def test_reopening_the_sample_opens_everyones_work(team: AdjudicatedTeam) -> None:
    """Both people may change and complete freely until the next adjudication."""
    key, on = team.keys[0], team.annotating
    team.adjudicate(key)
    team.reopen(key, reason="the guidelines changed")
    settled = on.store.stream(SETTLED, key)
    assert settled.assignment.state is State.REOPENED
    for who in (team.ana, team.ben):
        assert on.open(who, key).lock.reopened == "the guidelines changed"
        on.finish(who, key, seconds=1)
        on.comment(who, key, "still open", seconds=1)
        on.finish(who, key, seconds=1)
    team.adjudicate(key)
    with pytest.raises(NotAllowed, check=LOCKED):
        on.comment(team.ana, key, "too late", seconds=1)


@pytest.mark.parametrize("special", ["gold", "practice"])
def test_reopening_the_sample_leaves_out_whom_it_checks(
    team: AdjudicatedTeam, special: str
) -> None:
    """A reopening would show cy that the sample is not for the study; it stays so for cy."""
    key, on = team.keys[0], team.annotating
    team.adjudicate(key)
    share = AssignmentService(AssignmentStore(team.database), on.people, lambda _: None, OPERATOR)
    cy = on.people.local("cy").id
    if special == "practice":
        share.practice("d", ["cy"], gold="ana")
    else:
        share.gold("d", Gold((), every=2))
        share.pool("d", Pool(3, "ingested"))
        while (following := on.next_unfinished(cy, None)) and following != key:
            on.finish(cy, following, seconds=1)
    on.finish(cy, key, seconds=1)
    before = on.store.stream(cy, key).head
    people = team.review().reopen_work(team.rea, key, reason="see rule 4")
    assert sorted(people) == sorted((team.ana, team.ben))
    assert on.store.stream(cy, key).head == before


def test_an_adjudication_waits_for_reopened_work(team: AdjudicatedTeam) -> None:
    """It would lock the work of those who have not completed it, so an admin must allow it."""
    key, review = team.keys[0], team.review()
    team.adjudicate(key)
    team.reopen(key)
    team.annotating.finish(team.ana, key, seconds=1)
    with pytest.raises(Conflict, match="1 annotator has"):
        team.adjudicate(key)
    assert review.allow(team.rea, key, reason="ben left").completed == 1
    with pytest.raises(Conflict):
        review.allow(team.rea, key, reason="twice")
    team.adjudicate(key)


def test_the_next_adjudication_ends_every_reopening(team: AdjudicatedTeam) -> None:
    """Ben did nothing in between: he cannot copy the new result either, until an undo of it."""
    key, on, review = team.keys[0], team.annotating, team.review()
    team.adjudicate(key)
    team.reopen(key)
    on.finish(team.ana, key, seconds=1)
    review.allow(team.rea, key, reason="ben left")
    team.adjudicate(key)
    for who in (team.ana, team.ben):
        assert (on.open(who, key).lock.locked, on.open(who, key).lock.reopened) == (True, "")
        with pytest.raises(NotAllowed, check=LOCKED):
            on.add(who, key, claim(f"copied-{who}", 0, 4), seconds=1)
    sample = on.store.adjudications().samples[key]
    assert (sample.closed, sample.returned) == (True, set())
    review.undo(team.rea)
    assert on.open(team.ben, key).lock.reopened == "see rule 4"
    review.redo(team.rea)
    assert on.open(team.ben, key).lock.locked
    team.reopen(key, team.ben)
    on.add(team.ben, key, claim("asked", 0, 4), seconds=1)


def test_an_undone_reopening_leaves_the_work_to_its_annotators(team: AdjudicatedTeam) -> None:
    """They may have begun to change it; the next adjudication waits for them."""
    key, on = team.keys[0], team.annotating
    team.adjudicate(key)
    team.reopen(key)
    on.comment(team.ben, key, "half done", seconds=1)
    team.review().undo(team.rea)
    assert on.store.adjudications().samples[key].closed
    on.finish(team.ben, key, seconds=1)
    with pytest.raises(NotAllowed, check=LOCKED):
        on.comment(team.ben, key, "more", seconds=1)
    with pytest.raises(Conflict, match="1 annotator has"):
        team.adjudicate(key)


def test_a_permission_holds_for_the_reopenings_before_it(team: AdjudicatedTeam) -> None:
    """Work that is reopened afterwards keeps the adjudication open again."""
    key, review = team.keys[0], team.review()
    team.adjudicate(key)
    team.reopen(key, team.ben)
    review.allow(team.rea, key, reason="ben left")
    team.reopen(key, team.ana)
    team.annotating.finish(team.ben, key, seconds=1)
    with pytest.raises(Conflict, match="1 annotator has"):
        team.adjudicate(key)


def test_a_reopening_is_a_chained_event_with_its_reason(team: AdjudicatedTeam) -> None:
    """The log names the reviewer and the reason, and replays to the state of the tables."""
    key, store = team.keys[0], team.annotating.store
    team.adjudicate(key)
    team.reopen(key, team.ana, reason="  see rule 4 ")
    events = store.events(team.ana, key)
    assert events[-1].action.verb == RETURN
    assert events[-1].versions["by"] == team.rea
    assert events[-1].versions["reason"] == "see rule 4"
    assert replay(events).same(store.state(team.ana, key))
    assert not list(AuditStore(team.database).find_faults())
    labels = LabelSets(GuidanceStore(team.database)).all_paths
    merging = MergeStore(
        team.database, lambda one: team.annotating.corpus.sample(one).sample, labels
    )
    assert [find_chain_problem(each) for each in merging.copies(team.ana)] == [""] * 3


def test_who_may_reopen(team: AdjudicatedTeam) -> None:
    """Reviewers alone, with a reason, and not what they annotated."""
    key = team.keys[0]
    with pytest.raises(Conflict):
        team.reopen(key, team.ana)
    team.adjudicate(key)
    with pytest.raises(InvalidInput):
        team.reopen(key, team.ana, reason=" ")
    with pytest.raises(NotAllowed):
        team.review(Actor(team.ana, Role.ANNOTATOR)).reopen_work(
            team.ana, key, person=team.ana, reason="mine"
        )
    with pytest.raises(NotAllowed):
        team.review().reopen_work(team.ana, key, person=team.ana, reason="mine")
    kim = team.annotating.people.local("kim").id
    with pytest.raises(NotFound):
        team.reopen(key, kim)
    reviewer = team.review(Actor(team.rea, Role.REVIEWER))
    assert reviewer.reopen_work(team.rea, key, person=team.ana, reason="x") == (team.ana,)
    with pytest.raises(Conflict):
        team.reopen(key, team.ana)


# work from elsewhere


def test_work_that_arrives_late_is_kept_and_marked(tmp_path: Path, team: AdjudicatedTeam) -> None:
    """A copy of the store on another machine brings an annotator's later work."""
    copy = tmp_path / "away.sqlite"
    team.database.copy_to(copy)
    with_away = SqliteDatabase(copy)
    away = annotate(with_away)
    key = team.keys[0]
    team.adjudicate(key)
    away.add(team.ben, key, claim("away", 0, 10), seconds=1)
    away.finish(team.ben, key, seconds=1)
    labels = LabelSets(GuidanceStore(team.database)).all_paths
    look_up = lambda one: team.annotating.corpus.sample(one).sample  # noqa: E731
    there = MergeStore(with_away, look_up, labels)
    here = MergeStore(team.database, look_up, labels)
    ben = team.annotating.people.person(team.ben)
    report = here.merge(ben, there.copies(team.ben))
    assert (report.events, report.refused) == (2, [])
    names = {one.id for one in team.annotating.store.stream(team.ben, key).annotations}
    assert names == {"ben-1", "away"}
    sample = team.annotating.store.adjudications().samples[key]
    assert sample.edited_by == (team.ben,)
    assert sample.later[team.ben].unasked == 2
    with pytest.raises(NotAllowed, check=LOCKED):
        team.annotating.comment(team.ben, key, "more", seconds=1)
    with_away.close()


def test_a_reopening_from_elsewhere_unlocks_nothing(tmp_path: Path, team: AdjudicatedTeam) -> None:
    """An annotator who reopens their own work in a copy cannot bring that back."""
    key = team.keys[0]
    team.adjudicate(key)
    copy = tmp_path / "away.sqlite"
    team.database.copy_to(copy)
    away_database = SqliteDatabase(copy)
    away = AdjudicatedTeam(
        away_database, annotate(away_database), team.keys, team.ana, team.ben, team.rea
    )
    away.reopen(key, team.ben, reason="forged")
    away.completes(team.ben, key, claim("forged", 0, 10))
    labels = LabelSets(GuidanceStore(team.database)).all_paths
    look_up = lambda one: team.annotating.corpus.sample(one).sample  # noqa: E731
    here = MergeStore(team.database, look_up, labels)
    ben = team.annotating.people.person(team.ben)
    report = here.merge(ben, MergeStore(away_database, look_up, labels).copies(team.ben))
    assert [each.key for each in report.refused] == [key]
    assert len(team.annotating.store.stream(team.ben, key).annotations) == 1
    team.reopen(key)
    report = here.merge(ben, MergeStore(away_database, look_up, labels).copies(team.ben))
    assert not report.refused
    away_database.close()


# what the queue does with locked samples


def test_the_queue_does_not_lead_to_locked_samples(team: AdjudicatedTeam) -> None:
    """A sample that somebody did not finish in time is no longer their next one."""
    on, key = team.annotating, team.keys[0]
    kim = on.people.local("kim").id
    assert on.next_unfinished(kim, None) == key
    team.adjudicate(key)
    assert on.next_unfinished(kim, None) == team.keys[1]
    team.adjudicate(team.keys[1])
    team.adjudicate(team.keys[2])
    assert on.next_unfinished(kim, None) is None


@pytest.mark.parametrize("pooled", [False, True])
def test_the_queue_passes_work_that_its_annotator_reopened(
    team: AdjudicatedTeam, *, pooled: bool
) -> None:
    """An adjudication locks it in the state `reopened`; the annotator goes on past it."""
    on, key = team.annotating, team.keys[0]
    kim = on.people.local("kim").id
    if pooled:
        store = AssignmentStore(team.database)
        share = AssignmentService(store, on.people, lambda _: None, OPERATOR)
        share.pool("d", Pool(overlap=3, order="ingested"))
        assert on.next_unfinished(kim, None, order="ingested") == key
    team.completes(kim, key)
    on.add(kim, key, claim("begun", 0, 4), seconds=1)
    if pooled:
        team.review().allow(team.rea, key, reason="in time")
    team.adjudicate(key)
    assert on.next_unfinished(kim, None, order="ingested") == team.keys[1]
    on.people.keep_place(kim, key, {})
    assert on.start(kim, order="ingested") == team.keys[1]
    for other in team.keys[1:]:
        assert on.next_unfinished(kim, key, order="ingested") == other
        team.completes(kim, other)
    assert on.next_unfinished(kim, None, order="ingested") is None


def test_second_readings_are_given_only_of_open_samples(team: AdjudicatedTeam) -> None:
    """A locked sample could not be read a second time; nor does it count as left to read."""
    store = AssignmentStore(team.database)
    share = AssignmentService(store, team.annotating.people, lambda _: None, OPERATOR)
    team.adjudicate(team.keys[0])
    share.repeat("d", ["ana"], AssignmentOptions(count="all"))
    ana = team.annotating.people.person(team.ana)
    again = second_reader(ana).id
    line = team.annotating.line
    assert not line.contains(again, team.keys[0], order="ingested")
    assert line.find_reopened(ana) == 2
    team.adjudicate(team.keys[1])
    assert line.find_reopened(ana) == 1
    assert team.annotating.next_unfinished(again, None, order="ingested") == team.keys[2]


def test_a_locked_second_reading_hides_nothing(team: AdjudicatedTeam) -> None:
    """It is never completed, so that the first reading and the result would stay hidden."""
    store = AssignmentStore(team.database)
    share = AssignmentService(store, team.annotating.people, lambda _: None, OPERATOR)
    share.repeat("d", ["ana"], AssignmentOptions(count="all"))
    on, ana, key = team.annotating, team.ana, team.keys[0]
    again = second_reader(on.people.person(ana)).id
    on.finish(again, team.keys[1], seconds=1)
    with pytest.raises(NotAllowed):
        on.open(ana, key)
    team.adjudicate(key)
    assert on.open(ana, key).lock.locked
    assert on.line.contains(ana, key, order="ingested")
    assert on.store.adjudication_notice(ana, key)
    with pytest.raises(NotAllowed):
        on.open(ana, team.keys[2])
    team.reopen(key, again)
    with pytest.raises(NotAllowed):
        on.open(ana, key)


def test_a_pool_gives_no_locked_sample(team: AdjudicatedTeam) -> None:
    """An admin allowed its review before enough people had taken it."""
    store = AssignmentStore(team.database)
    share = AssignmentService(store, team.annotating.people, lambda _: None, OPERATOR)
    team.adjudicate(team.keys[0])
    share.pool("d", Pool(overlap=3, order="ingested"))
    kim = team.annotating.people.local("kim").id
    assert team.annotating.next_unfinished(kim, None, order="ingested") == team.keys[1]


# counts


def test_edits_after_adjudication_are_counted_with_and_without_reopening(
    team: AdjudicatedTeam,
) -> None:
    """Counts and reasons come from the log alone; label changes and reading are no edits."""
    one, two, three = team.keys
    for key in (one, two):
        team.adjudicate(key)
    team.annotating.read(team.ana, one, seconds=5)
    team.reopen(one, team.ben, reason="rule 4")
    team.completes(team.ben, one, claim("b", 0, 10))
    team.allow_edits()
    team.annotating.comment(team.ana, two, "oh", seconds=1)
    team.annotating.comment(team.ana, three, "not adjudicated", seconds=1)
    counts = team.review().count_later_work()
    assert (counts.adjudicated, counts.edited_samples, counts.edited_readings) == (2, 2, 2)
    assert (counts.edits_after_reopening, counts.edits_without_reopening) == (1, 1)
    assert [(each.person, each.by, each.reason) for each in counts.reopenings] == [
        (team.ben, team.rea, "rule 4")
    ]
    assert team.review().count_later_work("d") == counts
    team.reopen(two, reason="all of it")
    assert [each.person for each in team.review().count_later_work().reopenings] == [
        team.ben, "", *sorted([team.ana, team.ben]),
    ]  # fmt: skip


def test_completing_again_without_a_change_is_no_edit(team: AdjudicatedTeam) -> None:
    """The person looked at the sample again, and kept what was adjudicated."""
    key = team.keys[0]
    team.adjudicate(key)
    team.reopen(key, team.ana)
    team.annotating.finish(team.ana, key, seconds=1)
    counts = team.review().count_later_work()
    assert (counts.edits, counts.edited_samples, len(counts.reopenings)) == (0, 0, 1)


def test_a_later_question_reads_only_new_events(team: AdjudicatedTeam) -> None:
    """The history that is kept equals one that is read from the start."""
    store = team.annotating.store
    kept = store.adjudications()
    assert not kept.samples
    for key in team.keys:
        team.adjudicate(key)
        kept = store.adjudications(kept)
        team.reopen(key, team.ana)
        team.completes(team.ana, key, claim(f"late-{key.id}", 38, 47))
        kept = store.adjudications(kept)
        assert kept.samples == store.adjudications().samples
    assert [work.after_reopening for _, _, work in kept.later_work()] == [1, 1, 1]


def test_the_work_at_the_adjudication_is_replayed(team: AdjudicatedTeam) -> None:
    """Later annotations, states and comments are not part of it."""
    key, store = team.keys[0], team.annotating.store
    before = store.stream(team.ben, key)
    team.adjudicate(key)
    team.reopen(key, team.ben)
    _remove(team.annotating, team.ben, key)
    team.completes(team.ben, key, claim("copied", 0, 10))
    later = store.adjudications().samples[key].later[team.ben]
    then = store.former_work(team.ben, key, before=later.since)
    assert then.state.same(before.state)
    assert then.updated == before.updated


def test_old_edits_are_found_that_no_lock_refused(team: AdjudicatedTeam) -> None:
    """An older version wrote them: they count as edits without a reopening."""
    key = team.keys[0]
    team.adjudicate(key)
    team.allow_edits()
    team.annotating.comment(team.ana, key, "old", seconds=1)
    team.allow_edits(allowed=False)
    counts = team.review().count_later_work()
    assert (counts.edits_after_reopening, counts.edits_without_reopening) == (0, 1)


def test_a_rejected_candidate_needs_no_second_reason(team: AdjudicatedTeam) -> None:
    """After a person completed again, the adjudication can be completed again."""
    key = team.keys[0]
    team.adjudicate(key)
    team.reopen(key, team.ben)
    team.completes(team.ben, key)
    review = team.review()
    seen = review.open(team.rea, key).seen
    done = review.finish(team.rea, key, rest=RejectionReason.SLIP, seen=seen, seconds=1)
    assert done.assignment.state is State.DONE


def test_the_lock_of_a_sample_is_its_own(team: AdjudicatedTeam) -> None:
    """The lock of a sample does not reach a sample of another dataset with the same id."""
    fill(team.annotating.corpus, "1", dataset="e")
    team.adjudicate(team.keys[0])
    other = SampleKey("e", "1")
    team.completes(team.ana, other, claim("other", 0, 10))
    assert not team.annotating.open(team.ana, other).lock.locked


def test_practice_and_gold_checks_are_not_locked(team: AdjudicatedTeam) -> None:
    """Their answers are known on purpose; their work is no part of the review and not counted."""
    on, review = team.annotating, team.review()
    for key in team.keys:
        seen = review.open(team.rea, key).seen
        review.take(team.rea, key, [(f"ana-{key.id}",)], seen=seen, seconds=1)
        team.adjudicate(key)
    store = AssignmentStore(team.database)
    share = AssignmentService(store, on.people, lambda _: None, OPERATOR)
    share.practice("d", ["kim"])
    kim = on.people.local("kim").id
    assert on.next_unfinished(kim, None, order="ingested") == team.keys[0]
    assert not on.open(kim, team.keys[0], order="ingested").lock.locked
    team.completes(kim, team.keys[0], claim("kim", 0, 10))
    assert team.review().count_later_work().edits == 0
    with pytest.raises(NotAllowed, check=LOCKED):
        on.comment(team.ana, team.keys[0], "mine is locked", seconds=1)


def test_annotators_learn_only_of_their_own_later_work(team: AdjudicatedTeam) -> None:
    """The history of an annotator has no other person's edits and no reviewer's name."""
    team.adjudicate(team.keys[0])
    for who in (team.ana, team.ben):
        team.reopen(team.keys[0], who)
    own = AnnotationStore(team.database, actor=Actor(team.ana, Role.ANNOTATOR)).adjudications()
    sample = own.samples[team.keys[0]]
    assert sample.returned == {team.ana}
    assert [(each.person, each.by) for each in sample.reopenings] == [(team.ana, "")]


def test_a_reopened_sample_is_not_given_to_a_third_person(team: AdjudicatedTeam) -> None:
    """A reviewer has decided already, and the third person's work would be locked."""
    store = AssignmentStore(team.database)
    share = AssignmentService(store, team.annotating.people, lambda _: None, OPERATOR)
    kim = team.annotating.people.local("kim").id
    share.give("d", ["ana", "ben"], AssignmentOptions(count="all", overlap=2))
    share.give("d", ["kim"], AssignmentOptions(overlap=3), ids=["3"])
    team.adjudicate(team.keys[0])
    share.escalate("d", Escalation(DisagreementRule.LABEL))
    team.reopen(team.keys[0], team.ben)
    _remove(team.annotating, team.ben, team.keys[0])
    team.annotating.finish(team.ben, team.keys[0], seconds=1)
    with store.reading() as reading:
        assert [held.key for held in reading.held(person=kim)] == [team.keys[2]]
