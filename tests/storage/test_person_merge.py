"""Merges of people who are one person."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from tests.helpers.stores import annotate, claim, fill, sample
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import Conflict, NotAllowed
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.people import Actor, Person, PersonKind, Role, second_reader
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.log.event_log import EventLog
from tui_annotate.storage.log.person_merge import PersonMergeStore
from tui_annotate.storage.log.work_import import ImportCounts
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.work_statistics import WorkStatisticsStore

ONE, TWO = SampleKey("d", "1"), SampleKey("d", "2")
IMPORTED = Person("ab12", "ana", PersonKind.IMPORTED)


def foreign(name: str, start: int = 0, *, sample_id: str = "1") -> Record:
    """A record of a file with an annotation of the imported person, who completed the sample."""
    made = replace(claim(name, start, start + 5, label="Gone"), origin="imported:mercury")
    done = Assignment(IMPORTED.id, State.DONE, "good", "", 12.0, "2026-01-02T03:04:05+00:00")
    owned = (OwnedAnnotation(IMPORTED.id, made),)
    return Record(sample(sample_id), owned, (done,), (IMPORTED,))


@pytest.fixture
def log(database: Database, corpus: CorpusStore) -> AnnotationStore:
    """A log with imported work on two samples."""
    fill(corpus, "1", "2")
    log = AnnotationStore(database)
    log.import_records([foreign("a"), foreign("b", 4, sample_id="2")])
    return log


@pytest.fixture
def people(database: Database) -> PeopleStore:
    """The people of the same store."""
    return PeopleStore(database)


@pytest.fixture
def merges(database: Database) -> PersonMergeStore:
    """The merges of the same store."""
    return PersonMergeStore(database)


@pytest.fixture
def service(database: Database) -> AnnotationService:
    """The actions of annotators in the same store, with ratings."""
    return annotate(database, ratings=("good", "poor"))


def work(log: AnnotationStore, person: str, key: SampleKey) -> tuple[set[str], State, str, float]:
    """A person's annotation ids, state, rating and seconds on a sample."""
    stream = log.stream(person, key)
    has = stream.assignment
    return {one.id for one in stream.annotations}, has.state, has.rating, has.seconds


def faults(database: Database) -> list[object]:
    """What the audit finds."""
    return list(AuditStore(database).find_faults())


def test_merged_work_belongs_to_the_owner_in_every_export(
    database: Database, log: AnnotationStore, people: PeopleStore, merges: PersonMergeStore
) -> None:
    """The owner has the annotations with their ids, times, ratings and seconds, and only once."""
    ana = people.local("ana")
    done = merges.merge(IMPORTED, ana)
    assert (done.samples, done.annotations, done.same, done.differences) == (2, 2, 0, [])
    assert work(log, ana.id, ONE) == ({"a"}, State.DONE, "good", 12.0)
    records = list(CorpusStore(database).records(RecordFilter()))
    assert [record.people for record in records] == [(ana,), (ana,)]
    assert {one.updated for record in records for one in record.assignments} == {
        "2026-01-02T03:04:05+00:00"
    }
    days = WorkStatisticsStore(database).days()
    assert {day.person: sum(each.seconds for each in days) for day in days} == {ana.id: 24.0}
    assert people.person(IMPORTED.id).kind is PersonKind.MERGED
    assert faults(database) == []


def test_a_file_read_again_adds_nothing_after_a_merge(
    log: AnnotationStore, people: PeopleStore, merges: PersonMergeStore
) -> None:
    """Work that the file has under the merged person is the owner's."""
    ana = people.local("ana")
    merges.merge(IMPORTED, ana)
    assert log.import_records([foreign("a")]) == ImportCounts(known=1)
    assert log.import_records([foreign("c", 9)]) == ImportCounts(added=1)
    assert work(log, ana.id, ONE)[0] == {"a", "c"}
    assert people.local("ana") == ana


def test_unmerge_restores_the_work_of_both_people(
    database: Database,
    log: AnnotationStore,
    people: PeopleStore,
    merges: PersonMergeStore,
    service: AnnotationService,
) -> None:
    """The owner keeps own work, also on the same sample."""
    ana = people.local("ana")
    service.add(ana.id, ONE, claim("mine", 20, 25), seconds=1)
    before = [work(log, IMPORTED.id, key) for key in (ONE, TWO)]
    merges.merge(IMPORTED, ana)
    assert work(log, ana.id, ONE)[0] == {"mine", "a"}
    assert merges.find("ana").id == IMPORTED.id
    done = merges.undo(people.person(IMPORTED.id))
    assert (done.samples, done.annotations) == (2, 2)
    assert [work(log, IMPORTED.id, key) for key in (ONE, TWO)] == before
    assert work(log, ana.id, ONE)[0] == {"mine"}
    assert people.person(IMPORTED.id) == IMPORTED
    records = list(CorpusStore(database).records(RecordFilter()))
    assert [{each.id for each in record.people} for record in records] == [
        {ana.id, IMPORTED.id},
        {IMPORTED.id},
    ]
    assert faults(database) == []


def test_the_owners_values_win_and_differences_are_reported(
    log: AnnotationStore,
    people: PeopleStore,
    merges: PersonMergeStore,
    service: AnnotationService,
) -> None:
    """An annotation with the same content is stored once; a different rating is named."""
    ana = people.local("ana")
    service.add(ana.id, ONE, claim("mine", 0, 5, label="Fine"), seconds=1)
    service.add(ana.id, TWO, claim("same", 4, 9, label="Odd", note="n"), seconds=1)
    service.rate(ana.id, ONE, "poor", seconds=1)
    log.import_records([_with_label(foreign("c", 4, sample_id="2"), "Odd")])
    done = merges.merge(IMPORTED, ana)
    assert (done.annotations, done.same) == (2, 1)
    assert work(log, ana.id, TWO)[0] == {"same", "b"}
    assert work(log, ana.id, ONE)[2] == "poor"
    (rating,) = [each for each in done.differences if "rating" in each]
    assert all(part in rating for part in ("d/1", "'poor'", "'good'"))


def _with_label(record: Record, label: str) -> Record:
    (owned,) = record.annotations
    changed = replace(owned.annotation, labels=((label,),))
    return replace(record, annotations=(OwnedAnnotation(owned.person, changed),))


def test_a_merge_whose_work_was_changed_is_not_undone(
    database: Database,
    log: AnnotationStore,
    people: PeopleStore,
    merges: PersonMergeStore,
    service: AnnotationService,
) -> None:
    """Nothing changes, and the error names the sample; a removed sample does not count."""
    ana = people.local("ana")
    merges.merge(IMPORTED, ana)
    service.remove(ana.id, ONE, "a", version=_version(log, ana.id), seconds=1)
    with pytest.raises(Conflict, match="d/1"):
        merges.undo(people.person(IMPORTED.id))
    assert people.person(IMPORTED.id).kind is PersonKind.MERGED
    assert work(log, ana.id, TWO)[0] == {"b"}
    corpus = CorpusStore(database)
    corpus.remove_samples([ONE], with_annotations=True)
    fill(corpus, "1")
    assert merges.undo(people.person(IMPORTED.id)).samples == 1
    assert work(log, IMPORTED.id, ONE)[0] == set()
    assert work(log, IMPORTED.id, TWO)[0] == {"b"}
    assert faults(database) == []


def _version(log: AnnotationStore, person: str) -> int:
    (one,) = log.stream(person, ONE).annotations
    return one.version


@pytest.mark.usefixtures("log")
def test_undo_on_the_screen_never_reverses_a_merge(
    people: PeopleStore, merges: PersonMergeStore, service: AnnotationService
) -> None:
    """Undo and redo skip the merge and its undo."""
    ana = people.local("ana")
    merges.merge(IMPORTED, ana)
    assert service.undo(ana.id) is None
    merges.undo(people.person(IMPORTED.id))
    assert service.redo(ana.id) is None


def test_an_imported_person_becomes_local_with_the_same_id(
    log: AnnotationStore, people: PeopleStore, merges: PersonMergeStore
) -> None:
    """Without a local person of the name, no event is needed; a second local one is refused."""
    count = len(log.events(IMPORTED.id, ONE))
    merges.merge(IMPORTED, IMPORTED)
    assert people.local("ana").id == IMPORTED.id
    assert len(log.events(IMPORTED.id, ONE)) == count
    merges.undo(merges.find("ab12"))
    assert people.local("ana").id != IMPORTED.id
    with pytest.raises(Conflict, match="'ana'"):
        merges.merge(IMPORTED, IMPORTED)


def test_merges_of_merged_people_are_undone_in_reverse_order(
    log: AnnotationStore, people: PeopleStore, merges: PersonMergeStore
) -> None:
    """The last owner has the work, under every name that was merged."""
    ana, zoe = people.local("ana"), people.local("zoe")
    merges.merge(IMPORTED, ana)
    merges.merge(ana, zoe)
    assert people.local("ana") == zoe
    assert work(log, zoe.id, ONE)[0] == {"a"}
    with pytest.raises(Conflict) as refused:
        merges.undo(people.person(IMPORTED.id))
    assert ana.id in refused.value.hint
    merges.undo(people.person(ana.id))
    merges.undo(people.person(IMPORTED.id))
    assert work(log, IMPORTED.id, ONE)[0] == {"a"}


def test_second_readings_belong_to_the_owner_too(
    log: AnnotationStore,
    people: PeopleStore,
    merges: PersonMergeStore,
    service: AnnotationService,
) -> None:
    """The second reading of a merged person is the owner's second reading."""
    bo, zoe = people.local("bo"), people.local("zoe")
    people.keep(second_reader(bo))
    service.add(second_reader(bo).id, ONE, claim("again"), seconds=1)
    merges.merge(bo, zoe)
    assert work(log, second_reader(zoe).id, ONE)[0] == {"again"}
    assert people.person(second_reader(zoe).id).kind is PersonKind.AGAIN


def test_people_are_asked_about_once(people: PeopleStore, log: AnnotationStore) -> None:
    """Imported people of the same name are namesakes until they are known to be other people."""
    assert log.events(IMPORTED.id, ONE)
    assert people.find_namesakes("bo") == ()
    assert people.find_namesakes("ana") == (IMPORTED,)
    assert people.keep_apart("ana").id != IMPORTED.id
    assert people.find_namesakes("ana") == ()
    people.imported("cd34", "ana")
    assert [each.id for each in people.find_namesakes("ana")] == ["cd34"]


def test_the_case_of_a_name_does_not_hide_a_namesake(
    people: PeopleStore, log: AnnotationStore
) -> None:
    """A login name often differs from the name in a file by its case alone."""
    assert log.events(IMPORTED.id, ONE)
    assert people.find_namesakes("Ana") == (IMPORTED,)
    assert people.keep_apart("Ana").name == "Ana"
    assert people.find_namesakes("Ana") == ()


def test_the_start_of_an_id_may_mean_the_imported_person(
    people: PeopleStore, log: AnnotationStore
) -> None:
    """Only if it is of some length, and of one person's id alone."""
    assert log.events(IMPORTED.id, ONE)
    assert people.find_namesakes("ab1") == (IMPORTED,)
    assert people.find_namesakes("ab") == ()
    assert people.find_namesakes("ab12") == ()  # a whole id is refused as a name
    assert people.find_namesakes("AB12") == (IMPORTED,)
    people.imported("ab1x", "li")
    assert people.find_namesakes("ab1") == ()
    assert people.keep_apart("AB12").name == "AB12"
    assert people.find_namesakes("AB12") == ()


def test_only_who_manages_the_workspace_may_merge(database: Database, people: PeopleStore) -> None:
    """An annotator must not gain the work of others."""
    ana = people.local("ana")
    merges = PersonMergeStore(database, actor=Actor(ana.id, Role.ANNOTATOR))
    people.imported("ab12", "ana")
    with pytest.raises(NotAllowed):
        merges.merge(IMPORTED, ana)
    with pytest.raises(NotAllowed):
        merges.undo(IMPORTED)


def test_an_own_export_is_no_second_person(
    log: AnnotationStore, people: PeopleStore, service: AnnotationService
) -> None:
    """A file that names a person only by name, with work that the person did here, adds nothing."""
    bo = people.local("bo")
    service.add(bo.id, ONE, claim("x", 0, 5, label="Odd", note="why"), seconds=1)
    service.finish(bo.id, ONE, seconds=1)
    copy = _copy(claim("other-id", 0, 5, label="Odd"))
    assert log.import_records([copy]) == ImportCounts(known=1)
    assert [each.name for each in people.all()] == ["ana", "bo"]
    assert work(log, bo.id, ONE)[0] == {"x"}
    other = _copy(claim("other-id", 6, 9, label="Odd"))
    assert log.import_records([other]) == ImportCounts(added=1)
    assert people.person("bo").kind is PersonKind.IMPORTED


def test_own_work_with_other_ids_is_stored_once(
    log: AnnotationStore, people: PeopleStore, service: AnnotationService
) -> None:
    """A format that stores the id of the person but not of annotations adds nothing."""
    bo = people.local("bo")
    service.add(bo.id, ONE, claim("x", 0, 5, label="Odd", note="why"), seconds=1)
    copy = _copy(claim("other-id", 0, 5, label="Odd"), person=bo.id)
    assert log.import_records([copy]) == ImportCounts(known=1)
    assert work(log, bo.id, ONE)[0] == {"x"}


def _copy(one: Annotation, person: str = "bo") -> Record:
    made = replace(one, origin="imported:autojudge", imported={"a": 1})
    done = Assignment(person, State.NEW)
    return Record(sample("1"), (OwnedAnnotation(person, made),), (done,), (Person(person, "bo"),))


@pytest.mark.parametrize("undone", [False, True])
def test_work_saved_while_a_merge_is_prepared_is_kept(
    *,
    undone: bool,
    database: Database,
    log: AnnotationStore,
    people: PeopleStore,
    merges: PersonMergeStore,
    service: AnnotationService,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The preparation holds no write lock; it is repeated if the work changed meanwhile."""
    ana = people.local("ana")
    merge = partial(merges.merge, IMPORTED, ana)
    if undone:
        merge()
        merge = partial(merges.undo, people.person(IMPORTED.id))
    streams, calls = EventLog.streams, list[str]()

    def save(self: EventLog, person: str) -> dict[SampleKey, EventStream]:
        found = streams(self, person)
        if not calls:
            service.add(ana.id, TWO, claim("mine", 20, 25), seconds=1)
        calls.append(person)
        return found

    monkeypatch.setattr(EventLog, "streams", save)
    if undone:
        with pytest.raises(Conflict, match="d/2"):
            merge()
        assert work(log, ana.id, TWO)[0] == {"b", "mine"}
    else:
        assert merge().annotations == 2
        assert work(log, ana.id, TWO)[0] == {"b", "mine"}
    assert len(calls) > len({*calls})
    assert faults(database) == []


@pytest.mark.parametrize(
    ("merged", "planned"),
    [("person", False), ("person", True), ("owner", False), ("owner", True), ("itself", True)],
)
def test_of_two_merges_at_once_the_second_is_refused(
    *,
    merged: str,
    planned: bool,
    database: Database,
    log: AnnotationStore,
    people: PeopleStore,
    merges: PersonMergeStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another merge of either person, before or while a merge is planned, is kept whole."""
    bea, zoe = people.local("bea"), people.local("zoe")
    first = {"person": (IMPORTED, zoe), "owner": (bea, zoe), "itself": (IMPORTED, IMPORTED)}[merged]
    streams, calls = EventLog.streams, list[str]()

    def merge_first(self: EventLog, person: str) -> dict[SampleKey, EventStream]:
        found = streams(self, person)
        calls.append(person)
        if len(calls) == 1:
            PersonMergeStore(database).merge(*first)
        return found

    if planned:
        monkeypatch.setattr(EventLog, "streams", merge_first)
    else:
        merges.merge(*first)
    with pytest.raises(Conflict) as refused:
        merges.merge(IMPORTED, bea)
    assert refused.value.code == "merged-meanwhile"
    monkeypatch.undo()
    owner = {"person": zoe, "owner": IMPORTED, "itself": IMPORTED}[merged]
    assert work(log, owner.id, ONE)[0] == {"a"}
    assert work(log, bea.id, ONE)[0] == set()
    merges.undo(people.person(first[0].id))
    assert people.person(first[0].id).kind is first[0].kind
    assert work(log, IMPORTED.id, ONE)[0] == {"a"}
    assert faults(database) == []
