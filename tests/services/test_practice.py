"""Practice: what is told after a sample, and that exports and figures are without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.stores import annotate, claim, fill, new_database
from tui_annotate.domain.annotations import ADJUDICATED, REJECTED
from tui_annotate.domain.assignment_rules import DisagreementRule, Escalation, Practice
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed, NotReady, WorkPaused
from tui_annotate.domain.people import OPERATOR, SETTLED, Actor, Person, PersonKind, Role
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.work_statistics import PRACTICE, PracticeResult
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.assignments import AssignmentService
from tui_annotate.services.progress import ProgressReader
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.work_statistics import WorkStatisticsStore

KEY, OTHER = SampleKey("p", "p1"), SampleKey("p", "p2")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """Two samples with kim's answers in one of them, for ana to practise on."""
    made = new_database(tmp_path)
    fill(CorpusStore(made), "p1", "p2", dataset="p")
    people = PeopleStore(made)
    annotate(made).add(people.local("kim").id, KEY, claim("k"), seconds=0)
    share = AssignmentService(AssignmentStore(made), people, lambda _: None, OPERATOR)
    share.practice("p", ["ana"], gold="kim")
    yield made
    made.close()


def test_what_is_right_is_told_once_the_sample_is_finished(database: SqliteDatabase) -> None:
    """Not before, and not to those who do not practise on it."""
    annotating, people = annotate(database), PeopleStore(database)
    ana, ben = people.local("ana").id, people.local("ben").id
    annotating.add(ana, KEY, claim("a", 20, 40), seconds=0)
    assert annotating.feedback(ana, KEY) is None
    annotating.finish(ana, KEY, seconds=0)
    report = annotating.feedback(ana, KEY)
    assert report is not None
    assert [(mine.id, right.id) for mine, right in report.hits] == [("a", "k")]
    annotating.finish(ana, OTHER, seconds=0)
    nothing = annotating.feedback(ana, OTHER)
    assert nothing is not None
    assert (nothing.hits, nothing.missed, nothing.extra) == ((), (), ())
    assert annotating.feedback(ben, KEY) is None
    assert annotating.open(ana, KEY).practice


def test_a_rating_is_right_where_all_whose_answers_count_gave_it(database: SqliteDatabase) -> None:
    """A person's for that person; of an origin those of its makers, none where they differ."""
    annotating, people = annotate(database), PeopleStore(database)
    ana, kim, eve = (people.local(name).id for name in ("ana", "kim", "eve"))
    for who, word in ((ana, "good"), (kim, "bad"), (eve, "so-so")):
        annotating.rate(who, KEY, word, seconds=0)
    annotating.finish(ana, KEY, seconds=0)
    report = annotating.feedback(ana, KEY)
    assert report is not None
    assert (report.rated, report.rating) == ("good", "bad")
    share = AssignmentService(AssignmentStore(database), people, lambda _: None, OPERATOR)
    share.practice("p", ["ana"], gold="human")
    report = annotating.feedback(ana, KEY)
    assert report is not None
    assert report.rating == "bad"  # eve marked nothing, so hers is no answer
    annotating.add(eve, KEY, claim("e"), seconds=0)
    report = annotating.feedback(ana, KEY)
    assert report is not None
    assert report.rating == ""


def test_an_origin_can_be_what_is_right(database: SqliteDatabase) -> None:
    """`human` is one, and what the person did themselves is no answer key."""
    share = AssignmentService(
        AssignmentStore(database), PeopleStore(database), lambda _: None, OPERATOR
    )
    share.practice("p", ["ben"], gold="human")
    annotating, ben = annotate(database), PeopleStore(database).local("ben").id
    annotating.add(ben, KEY, claim("b", 0, 4), seconds=0)
    annotating.finish(ben, KEY, seconds=0)
    report = annotating.feedback(ben, KEY)
    assert report is not None
    assert [each.id for each in report.missed] == ["k"]
    assert [each.id for each in report.extra] == ["b"]


def test_what_review_refused_is_no_answer(database: SqliteDatabase) -> None:
    """Of what review settled, only what it made is right."""
    settled, now = Person(SETTLED, SETTLED, PersonKind.SETTLED), AnnotationStore(database)
    made, refused = (
        replace(claim(name), origin=name, number=number)
        for number, name in enumerate((ADJUDICATED, REJECTED), 1)
    )
    owned = tuple(OwnedAnnotation(SETTLED, one) for one in (made, refused))
    now.import_records([Record(CorpusStore(database).sample(KEY).sample, owned, people=(settled,))])
    share = AssignmentService(
        AssignmentStore(database), PeopleStore(database), lambda _: None, OPERATOR
    )
    share.practice("p", ["ben"], gold=SETTLED)
    annotating, ben = annotate(database), PeopleStore(database).local("ben").id
    annotating.finish(ben, KEY, seconds=0)
    report = annotating.feedback(ben, KEY)
    assert report is not None
    assert [each.origin for each in report.missed] == [ADJUDICATED]


def test_a_kind_of_origin_means_all_of_it(database: SqliteDatabase) -> None:
    """`imported` is what came in any format."""
    li = Person("li", "li", PersonKind.IMPORTED)
    came = replace(claim("i"), origin="imported:mercury")
    sample = CorpusStore(database).sample(OTHER).sample
    AnnotationStore(database).import_records(
        [Record(sample, (OwnedAnnotation("li", came),), people=(li,))]
    )
    share = AssignmentService(
        AssignmentStore(database), PeopleStore(database), lambda _: None, OPERATOR
    )
    share.practice("p", ["ben"], gold="imported")
    annotating, ben = annotate(database), PeopleStore(database).local("ben").id
    for key, right in ((KEY, []), (OTHER, ["i"])):
        annotating.finish(ben, key, seconds=0)
        report = annotating.feedback(ben, key)
        assert report is not None
        assert [each.id for each in report.missed] == right


def test_white_space_that_an_imported_answer_marks_does_not_count(database: SqliteDatabase) -> None:
    """Neither in the feedback nor in the score, because the program marks no white space."""
    eve = Person("eve@mercury", "eve", PersonKind.IMPORTED)
    sample = CorpusStore(database).sample(KEY).sample
    gap = sample.document(Side.SUMMARY).text.index(" ")
    answers = tuple(
        OwnedAnnotation(eve.id, replace(claim(name, *span), origin="imported:mercury"))
        for name, span in (("i", (0, gap + 1)), ("white", (gap, gap + 1)))
    )
    AnnotationStore(database).import_records([Record(sample, answers, people=(eve,))])
    annotating, people = annotate(database), PeopleStore(database)
    share = AssignmentService(AssignmentStore(database), people, lambda _: None, OPERATOR)
    share.practice("p", ["ben"], gold="imported", criteria=Practice(pass_score=100))
    ben = people.local("ben").id
    annotating.add(ben, KEY, claim("b", 0, gap), seconds=0)
    for key in (KEY, OTHER):
        annotating.finish(ben, key, seconds=0)
    report = annotating.feedback(ben, KEY)
    assert report is not None
    assert [(own.id, known.id) for own, known in report.hits] == [("b", "i")]
    assert report.missed == ()
    annotating.next_unfinished(ben, None)
    assert [each.score for each in results(database) if each.person == ben] == [1.0]


def test_records_are_without_practice_unless_it_is_asked_for(database: SqliteDatabase) -> None:
    """The samples are there, with the work of others; nobody's figures count it."""
    annotating, corpus, people = annotate(database), CorpusStore(database), PeopleStore(database)
    ana = people.local("ana").id
    annotating.add(ana, KEY, claim("a"), seconds=0)
    annotating.finish(ana, KEY, seconds=0)
    store = AnnotationStore(database)
    known = {person.id: person for person in people.all()}
    for practice, wanted in (("", {"k"}), ("with", {"k", "a"})):
        filters = RecordFilter(practice=practice)
        records = list(corpus.records(filters))
        assert [record.sample.key for record in records] == [KEY, OTHER]
        owned = {each.annotation.id for record in records for each in record.annotations}
        assert owned == wanted
        worked = {each.person for record in records for each in record.assignments}
        assert (ana in worked) is (practice == "with")
        assert {each.annotation.id for each in store.standing(filters, known)} == wanted
    assert corpus.count_practice_samples() == 1
    own = CorpusStore(database, actor=Actor(ana, Role.ANNOTATOR))
    other = CorpusStore(database, actor=Actor("ben", Role.ANNOTATOR))
    assert (own.count_practice_samples(), other.count_practice_samples()) == (1, 0)


def criteria(database: SqliteDatabase, **options: Any) -> AssignmentService:
    """Practice on both samples again, with a score to pass."""
    share = AssignmentService(
        AssignmentStore(database), PeopleStore(database), lambda _: None, OPERATOR
    )
    share.practice("p", ["ana"], gold="kim", criteria=Practice(**options))
    return share


def attempt(annotating: AnnotationService, person: str, *, right: bool) -> list[SampleKey]:
    """Complete all practice samples once; return the samples that follow."""
    for at, key in enumerate((KEY, OTHER)):
        if right and key == KEY:
            number = len(annotating.store.events(person, key))
            annotating.add(person, key, claim(f"a{at}{number}"), seconds=1)
        annotating.finish(person, key, seconds=1)
    following = annotating.next_unfinished(person, OTHER)
    return [following] if following else []


def results(database: SqliteDatabase, actor: Actor = OPERATOR) -> list[PracticeResult]:
    """The results of practice in `status`."""
    store = WorkStatisticsStore(database, actor=actor)
    return list(ProgressReader(store, dict).figures().practice)


def test_practice_is_repeated_until_it_is_passed(database: SqliteDatabase) -> None:
    """Each attempt has its result; the earlier annotations are gone from the samples."""
    criteria(database, pass_score=80)
    fill(CorpusStore(database), "real")
    annotating, real = annotate(database), SampleKey("d", "real")
    ana = annotating.people.local("ana").id
    assert attempt(annotating, ana, right=False) == [KEY]
    (found,) = results(database)
    assert (found.attempts, found.score, found.needed) == (1, 0.5, 0.8)
    assert (found.passed, found.final) == (False, False)
    assert annotating.open(ana, OTHER).assignment.state == "new"
    assert annotating.undo(ana) is None  # the earlier attempt does not come back
    assert attempt(annotating, ana, right=False) == [KEY]
    assert attempt(annotating, ana, right=True) == [real]
    (found,) = results(database)
    assert (found.attempts, found.score, found.passed, found.final) == (3, 1.0, True, True)
    assert results(database, Actor("ben", Role.ANNOTATOR)) == []
    assert results(database, Actor(ana, Role.ANNOTATOR)) == [found]
    annotating.finish(ana, real, seconds=1)
    annotating.next_unfinished(ana, real)
    assert results(database) == [found]


def test_a_result_stays_when_the_answer_changes(database: SqliteDatabase) -> None:
    """It was stored when the attempt ended."""
    criteria(database, pass_score=80)
    annotating = annotate(database)
    ana, kim = (annotating.people.local(name).id for name in ("ana", "kim"))
    attempt(annotating, ana, right=True)
    before = results(database)
    annotating.add(kim, OTHER, claim("later"), seconds=0)
    annotating.next_unfinished(ana, OTHER)
    assert results(database) == before


def test_undo_leaves_practice_whose_result_is_stored(database: SqliteDatabase) -> None:
    """It would make the practice unfinished again; what was done later can be undone."""
    share = criteria(database, pass_score=80, attempts=1)
    fill(CorpusStore(database), "real")
    annotating, real = annotate(database), SampleKey("d", "real")
    ana = annotating.people.local("ana").id
    annotating.finish(ana, KEY, seconds=1)
    assert annotating.undo(ana)  # practice goes on: its actions can be undone
    attempt(annotating, ana, right=False)
    annotating.finish(ana, real, seconds=1)
    assert annotating.undo(ana)
    annotating.add(ana, KEY, claim("later"), seconds=1)
    assert annotating.clear(ana)
    for _ in range(2):  # what was done after the result
        assert annotating.undo(ana)
    assert annotating.redo(ana)
    assert annotating.undo(ana)
    for _ in range(2):
        with pytest.raises(NotAllowed, match="practice in p is finished"):
            annotating.undo(ana)
    assert annotating.open(ana, OTHER).assignment.state == "done"
    share.resume("ana", retry=True)
    annotating.finish(ana, KEY, seconds=1)
    done = annotating.undo(ana)
    assert done
    assert done.key == KEY  # the further attempt


def test_without_a_score_to_pass_practice_ends_with_a_result(database: SqliteDatabase) -> None:
    """Nobody passes or fails, and nothing is done again."""
    annotating = annotate(database)
    ana = annotating.people.local("ana").id
    assert attempt(annotating, ana, right=False) == []
    (found,) = results(database)
    assert (found.attempts, found.score, found.needed, found.passed) == (1, 0.5, None, None)
    assert annotating.open(ana, KEY).assignment.state == "done"


@pytest.mark.parametrize("hold", [False, True])
def test_who_fails_the_last_attempt_goes_on_or_is_held(
    database: SqliteDatabase, *, hold: bool
) -> None:
    """As the admin wants; an admin lets a person go on who is held."""
    share = criteria(database, pass_score=80, attempts=2, hold=hold)
    fill(CorpusStore(database), "real")
    annotating, real = annotate(database), SampleKey("d", "real")
    ana = annotating.people.local("ana").id
    assert attempt(annotating, ana, right=False) == [KEY]
    assert attempt(annotating, ana, right=False) == ([] if hold else [real])
    (found,) = results(database)
    assert (found.attempts, found.passed, found.final) == (2, False, True)
    if hold:
        with pytest.raises(WorkPaused):
            annotating.start(ana)
        with pytest.raises(WorkPaused):
            annotating.finish(ana, real, seconds=1)
        assert share.resume("ana").datasets == ("p",)
        assert annotating.start(ana) == real
    records = [each for each in share.show().batches if each.kind == "result"]
    assert [each.parameters["attempt"] for each in records] == [1, 2]
    with pytest.raises(Conflict):
        share.undo(records[0].id)


@pytest.mark.parametrize("way", ["edit", "undo", "clear", "rating", "reassigned", "skipped"])
def test_what_follows_the_answer_changes_no_score(database: SqliteDatabase, way: str) -> None:
    """The score is that of the first completion, after which the answer is shown."""
    share = criteria(database, pass_score=80, attempts=1)
    annotating, people = annotate(database), PeopleStore(database)
    ana, kim = (people.local(name).id for name in ("ana", "kim"))
    if way == "rating":
        annotating.rate(kim, KEY, "bad", seconds=0)
    annotating.finish(ana, KEY, seconds=1)
    assert annotating.feedback(ana, KEY) is not None
    if way == "undo":
        annotating.undo(ana)
    if way == "clear":
        annotating.clear(ana)
    if way == "reassigned":
        share.undo(include_started=True)
        share.practice("p", ["ana"], gold="kim", criteria=Practice(pass_score=80, attempts=1))
    if way == "skipped":
        annotating.undo(ana)
        annotating.skip(ana, KEY, seconds=1)
    else:
        annotating.add(ana, KEY, claim("copied"), seconds=1)
        annotating.rate(ana, KEY, "bad", seconds=1)
        annotating.finish(ana, KEY, seconds=1)
    annotating.finish(ana, OTHER, seconds=1)
    annotating.next_unfinished(ana, OTHER)
    (found,) = results(database)
    assert (found.score, found.passed) == (0.5, False)


def test_each_attempt_has_its_own_first_completion(database: SqliteDatabase) -> None:
    """An answer that was copied counts in the next attempt, which says that it is the second."""
    criteria(database, pass_score=80, attempts=2)
    annotating = annotate(database)
    ana = annotating.people.local("ana").id
    attempt(annotating, ana, right=False)
    attempt(annotating, ana, right=True)
    (found,) = results(database)
    assert (found.attempts, found.score, found.passed) == (2, 1.0, True)


@pytest.mark.parametrize("hold", [False, True])
def test_an_admin_gives_one_more_attempt(database: SqliteDatabase, *, hold: bool) -> None:
    """Whoever failed the last one does all samples again, from the start; held people go on."""
    share = criteria(database, pass_score=80, attempts=1, hold=hold)
    fill(CorpusStore(database), "real")
    annotating = annotate(database)
    ana = annotating.people.local("ana").id
    with pytest.raises(NotReady):
        share.resume("ana", retry=True)
    attempt(annotating, ana, right=False)
    given = share.resume("ana", retry=True)
    assert given.retried == ("p",)
    assert given.datasets == (("p",) if hold else ())
    (found,) = results(database)
    assert (found.attempts, found.passed, found.final) == (1, False, False)
    with pytest.raises(NotReady):
        share.resume("ana", retry=True)
    assert annotating.open(ana, KEY).assignment.state == "new"
    assert annotating.start(ana) in (KEY, OTHER)
    attempt(annotating, ana, right=False)
    (found,) = results(database)
    assert (found.attempts, found.passed, found.final) == (2, False, True)
    assert (annotating.pause(ana) is not None) is hold
    share.resume("ana", retry=True)
    attempt(annotating, ana, right=True)
    (found,) = results(database)
    assert (found.attempts, found.passed, found.final) == (3, True, True)
    assert annotating.pause(ana) is None
    records = [each for each in share.show().batches if each.kind == "resume"]
    with pytest.raises(Conflict):
        share.undo(records[-1].id)


@pytest.mark.parametrize("last_first", [True, False])
def test_practice_that_is_undone_has_no_results(
    database: SqliteDatabase, *, last_first: bool
) -> None:
    """They belong to the practice, whichever of its batches is undone last."""
    share = criteria(database, pass_score=80, attempts=1)
    annotating = annotate(database)
    ana = annotating.people.local("ana").id
    attempt(annotating, ana, right=False)
    rules = [each.id for each in share.show().batches if each.kind == "practice"]
    for number in sorted(rules, reverse=last_first):
        assert results(database)
        share.undo(number)
    assert results(database) == []
    with AssignmentStore(database).reading() as store:
        assert store.rules("p") == []


@pytest.mark.parametrize("later", ["ben", "kim"])
@pytest.mark.parametrize("gold", ["kim", "human", SETTLED])
def test_undoing_repeated_practice_leaves_the_earlier(
    database: SqliteDatabase, gold: str, later: str
) -> None:
    """Its rule is in force again and results stay; kim, whose answers count, gets no sample."""
    annotating, people = annotate(database), PeopleStore(database)
    ana, settled = people.local("ana").id, Person(SETTLED, SETTLED, PersonKind.SETTLED)
    right = OwnedAnnotation(SETTLED, replace(claim("s"), origin=ADJUDICATED, number=1))
    sample = CorpusStore(database).sample(KEY).sample
    AnnotationStore(database).import_records([Record(sample, (right,), people=(settled,))])
    share = AssignmentService(AssignmentStore(database), people, lambda _: None, OPERATOR)
    wish = Practice(pass_score=80, attempts=1, hold=True)
    share.practice("p", ["ana"], gold=gold, criteria=wish)
    attempt(annotating, ana, right=True)
    assert [each.passed for each in results(database)] == [True]
    before = results(database)
    with AssignmentStore(database).reading() as store:
        rules = store.rules("p")
    for undone in ("one batch", "two batches, the earlier first"):
        numbers = [
            share.practice("p", [later], gold="kim", criteria=Practice(pass_score=60)).batch
            for _ in undone.split(",")
        ]
        for number in numbers:
            share.undo(number)
        with AssignmentStore(database).reading() as store:
            assert store.rules("p") == rules
        assert results(database) == before
        found = share.show("p")
        assert {each.name for each in found.progress if each.practice} == {"ana"}
        assert {each.kind for each in found.batches if each.undone} == {"practice"}


def test_a_skipped_practice_sample_is_wrong(database: SqliteDatabase) -> None:
    """Skipping is no way past a score."""
    criteria(database, pass_score=60, attempts=1)
    annotating = annotate(database)
    ana = annotating.people.local("ana").id
    for key in (KEY, OTHER):
        annotating.skip(ana, key, seconds=1)
    annotating.next_unfinished(ana, OTHER)
    (found,) = results(database)
    assert (found.score, found.passed) == (0.0, False)


def test_the_author_of_the_answers_does_not_practise(database: SqliteDatabase) -> None:
    """Kim's work is no practice in `status`, ana's is."""
    annotating = annotate(database)
    annotating.finish(annotating.people.local("ana").id, KEY, seconds=0)
    names = {each.id: each.name for each in PeopleStore(database).all()}
    found = ProgressReader(WorkStatisticsStore(database), lambda: names).figures().work
    assert {each.name: (each.practice, each.assigned, each.remaining) for each in found} == {
        "ana": (True, 0, None),
        "kim": (False, 0, 0),
    }
    (ahead,) = ProgressReader(WorkStatisticsStore(database), lambda: names).figures().forecast
    assert (ahead.remaining, ahead.end) == (None, PRACTICE)


@pytest.mark.parametrize(
    "options", [{"pass_score": 101}, {"attempts": 2}, {"hold": True}, {"attempts": -1}]
)
def test_criteria_without_sense_are_refused(options: dict[str, Any]) -> None:
    """A percentage, a number of attempts, and nothing without a score to pass."""
    with pytest.raises(InvalidInput):
        Practice(**options)


def test_practice_is_no_disagreement(database: SqliteDatabase) -> None:
    """Two people who answer a practice sample differently get no third annotator."""
    annotating, people = annotate(database), PeopleStore(database)
    share = AssignmentService(AssignmentStore(database), people, lambda _: None, OPERATOR)
    share.practice("p", ["ben"], gold="kim")
    share.escalate("p", Escalation(DisagreementRule.DIFFER))
    annotating.add(people.local("ana").id, KEY, claim("a"), seconds=0)
    for name in ("ana", "ben", "kim"):
        annotating.finish(people.local(name).id, KEY, seconds=0)
    report = share.escalate("p", now=True)
    assert (report.added, report.waiting) == (0, 0)
    assert [rule.waiting for rule in share.show().rules if "escalate" in rule.rule] == [0]
