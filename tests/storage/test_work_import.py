"""Work from files: in once, under its people's names, never against what was done here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.helpers.stores import annotate, claim, fill, sample
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.history import replay
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.integrity import inspect_store
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.work_import import ImportCounts
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

RAW = {"annot_id": 3, "label": ["Unwanted", "Unwanted.Instrinsic"], "odd": [1.5, None, "\ud800"]}


def foreign(name: str, start: int = 0) -> Annotation:
    """An annotation as an importer makes it."""
    made = claim(name, start, start + 5, label="Gone", note="half \ud800")
    return replace(made, origin="imported:mercury", imported=RAW)


def record(*annotations: Annotation, person: str = "ab12", name: str = "1") -> Record:
    """A record with annotations of one person."""
    owned = tuple(OwnedAnnotation(person, annotation) for annotation in annotations)
    return Record(sample(name), owned, (), (Person(person, "Alice"),))


@pytest.fixture
def log(database: SqliteDatabase, corpus: CorpusStore) -> AnnotationStore:
    """A log over two samples."""
    fill(corpus, "1", "2")
    return AnnotationStore(database)


def test_work_comes_in_as_it_is(database: SqliteDatabase, log: AnnotationStore) -> None:
    """With its person, its labels, its raw record; through the log."""
    assert log.import_records([record(foreign("a"), foreign("b", 4))]) == ImportCounts(added=2)
    (taken, _) = CorpusStore(database).records(RecordFilter(dataset="d"))
    assert [owned.annotation for owned in taken.annotations] == [
        replace(foreign("a"), number=1),
        replace(foreign("b", 4), number=2),
    ]
    assert taken.people == (Person("ab12", "Alice", PersonKind.IMPORTED),)
    assert [each.state for each in taken.assignments] == [State.NEW]
    (event,) = log.events("ab12", SampleKey("d", "1"))
    assert event.action.verb == "import"
    assert all(finding.state == "ok" for finding in inspect_store(database))


def test_once_more_adds_nothing(log: AnnotationStore) -> None:
    """Nor writes an event; what is new beside the known comes in."""
    log.import_records([record(foreign("a"))])
    assert log.import_records([record(foreign("a"))]) == ImportCounts(known=1)
    assert len(log.events("ab12", SampleKey("d", "1"))) == 1
    assert log.import_records([record(foreign("a"), foreign("b", 3))]) == ImportCounts(1, 1)


def test_what_was_removed_here_stays_removed(
    database: SqliteDatabase, log: AnnotationStore
) -> None:
    """A tombstone stops it, also after undo of an add; redo takes the stone away."""
    key = SampleKey("d", "1")
    ana = PeopleStore(database).local("ana").id
    deeds = annotate(database)
    stood = deeds.add(ana, key, claim("mine"), seconds=0).annotation
    assert stood is not None
    deeds.undo(ana)
    back = record(stood, person=ana)
    assert log.import_records([back]) == ImportCounts(buried=1)
    assert deeds.open(ana, key).annotations == ()
    deeds.redo(ana)
    assert log.import_records([back]) == ImportCounts(known=1)


def studio(name: str, start: int = 0) -> Annotation:
    """An annotation as it is read from a file of Label Studio."""
    return replace(foreign(name, start), origin="imported:labelstudio")


def test_another_form_of_a_file_is_known_after_a_change(
    database: SqliteDatabase, log: AnnotationStore
) -> None:
    """Other ids for the same annotations: removed ones stay removed, changed ones are known."""
    first, second = studio("a"), studio("b", 4)
    log.import_records([record(first, second)])
    again = record(replace(first, id="x"), replace(second, id="y"))
    assert log.import_records([again]) == ImportCounts(known=2)
    annotate(database).clear("ab12", dataset="d")
    assert log.import_records([again]) == ImportCounts(buried=2)
    fuller = replace(first, id="z", evidence=(Anchor(Side.SOURCE, 0, Span(0, 4)),))
    assert log.import_records([record(fuller)]) == ImportCounts(added=1)


def test_each_stored_annotation_is_repeated_once(log: AnnotationStore) -> None:
    """Two annotations with the same content in one file are two."""
    log.import_records([record(studio("a"))])
    again = record(studio("x"), studio("y"))
    assert log.import_records([again]) == ImportCounts(added=1, known=1)


@pytest.mark.parametrize("origin", ["imported:mercury", "imported:spans"])
def test_other_formats_have_no_second_form(log: AnnotationStore, origin: str) -> None:
    """Their ids decide: the same content under another id is another annotation."""
    stored = replace(foreign("a"), origin=origin, label_set="1")
    log.import_records([record(stored)])
    part = replace(stored, id="b", claim=stored.claim[:1])
    assert log.import_records([record(part)]) == ImportCounts(added=1)


def test_work_on_a_sample_that_was_taken_out_comes_back_with_it(
    corpus: CorpusStore, log: AnnotationStore
) -> None:
    """Nobody removed the annotation itself, so nothing stops it."""
    assert log.import_records([record(foreign("a"))]) == ImportCounts(added=1)
    corpus.remove_samples([SampleKey("d", "1")], with_annotations=True)
    fill(corpus, "1")
    assert log.import_records([record(foreign("a"))]) == ImportCounts(added=1)


def test_numbers_are_kept_where_they_are_free(
    database: SqliteDatabase, log: AnnotationStore
) -> None:
    """A number that is taken, twice there, or missing becomes a new one above all."""
    given = [
        replace(foreign(name, place), number=n)
        for place, (name, n) in enumerate(zip("abcd", [7, 7, 0, 2], strict=True))
    ]
    log.import_records([record(*given)])
    log.import_records([record(replace(foreign("e"), number=7), name="2")])
    numbers = {
        owned.annotation.id: owned.annotation.number
        for taken in CorpusStore(database).records(RecordFilter())
        for owned in taken.annotations
    }
    assert numbers == {"a": 7, "b": 8, "c": 9, "d": 2, "e": 10}


def test_an_id_that_stands_elsewhere_is_changed_once(
    database: SqliteDatabase, log: AnnotationStore
) -> None:
    """The same file under another dataset: its own annotations, and still none twice."""
    fill(CorpusStore(database), "1", dataset="e")
    there = record(foreign("a"))
    log.import_records([there])
    copy = replace(there, sample=replace(there.sample, dataset="e"))
    assert log.import_records([copy]) == ImportCounts(added=1)
    assert log.import_records([copy]) == ImportCounts(known=1)
    assert log.import_records([there]) == ImportCounts(known=1)


def test_an_assignment_comes_in_where_nothing_was_done(
    database: SqliteDatabase, log: AnnotationStore
) -> None:
    """State, rating, comment, seconds and time."""
    done = Assignment("ab12", State.DONE, "good", "half \ud800", 12, "2026-01-02T03:04:05+00:00")
    log.import_records([replace(record(foreign("a")), assignments=(done,))])
    key = SampleKey("d", "1")
    assert log.stream("ab12", key).assignment == replace(done, comment="half ?")
    assert replay(log.events("ab12", key)) == log.state("ab12", key)
    assert annotate(database).open("ab12", key).finished == 1


def judged(person: str = "ab12", *, where: str = "f.jsonl:7", **work: Any) -> Record:
    """A record with what one person said of a sample as a whole."""
    assignment = Assignment(person, **work)
    return replace(record(person=person), assignments=(assignment,), where=where)


def test_of_imports_the_last_one_stands(database: SqliteDatabase, log: AnnotationStore) -> None:
    """What it says and is not empty; as an event each, and the same once more is none."""
    key = SampleKey("d", "1")
    log.import_records([judged(state=State.DONE, comment="one", seconds=12.0)])
    assert log.import_records([judged(rating="good")]) == ImportCounts()
    newer = judged(state=State.FLAGGED, rating="poor", comment="two", seconds=15.0)
    assert log.import_records([newer]) == ImportCounts(changed=1)
    assert log.import_records([newer, judged(), judged(state=State.NEW)]) == ImportCounts()
    stands = log.stream("ab12", key).assignment
    assert (stands.state, stands.rating, stands.comment) == (State.FLAGGED, "poor", "two")
    assert stands.seconds == 15.0
    assert [event.action.verb for event in log.events("ab12", key)] == ["import"] * 3
    assert replay(log.events("ab12", key)) == log.state("ab12", key)
    assert all(finding.state == "ok" for finding in inspect_store(database))


def test_an_import_never_stands_against_what_was_done_here(
    database: SqliteDatabase, log: AnnotationStore
) -> None:
    """It is told with its place, what stands, and what the file has; time alone is no work."""
    key = SampleKey("d", "1")
    ana = PeopleStore(database).local("ana").id
    deeds = annotate(database)
    deeds.read(ana, key, seconds=1.0)
    log.import_records([judged(ana, rating="good")])
    assert log.stream(ana, key).assignment.rating == "good"
    deeds.rate(ana, key, "poor", seconds=1.0)
    assert log.import_records([judged(ana, rating="poor")]) == ImportCounts()
    counts = log.import_records([judged(ana, rating="good", comment="why")])
    (doubt,) = counts.doubts
    assert (doubt.where, doubt.refused) == ("f.jsonl:7", False)
    for value in (f"'{ana}'", "d/1", "'poor'", "'good'", "''", "'why'"):
        assert value in doubt.message
    assert log.stream(ana, key).assignment.rating == "poor"
    assert log.stream(ana, key).assignment.comment == ""


def test_work_on_a_sample_that_came_back_is_imported_whole(
    database: SqliteDatabase, corpus: CorpusStore, log: AnnotationStore
) -> None:
    """What was done before it was taken out is gone, and nothing against it."""
    key = SampleKey("d", "1")
    ana = PeopleStore(database).local("ana").id
    annotate(database).rate(ana, key, "poor", seconds=1.0)
    corpus.remove_samples([key], with_annotations=True)
    fill(corpus, "1")
    assert log.import_records([judged(ana, rating="good")]) == ImportCounts()
    assert log.stream(ana, key).assignment.rating == "good"


def test_a_person_whom_the_record_does_not_name_has_their_id(
    database: SqliteDatabase, log: AnnotationStore
) -> None:
    """Nobody is lost for want of a name."""
    log.import_records([replace(record(foreign("a")), people=())])
    assert PeopleStore(database).person("ab12").name == "ab12"


def test_a_file_makes_nobody_local(database: SqliteDatabase, log: AnnotationStore) -> None:
    """Whatever it says of itself: who signs in as that name does not get its work."""
    log.import_records([record(foreign("a"), person="ab12")])
    assert PeopleStore(database).local("Alice").id != "ab12"


def test_imported_work_is_not_ones_own_and_no_deed(
    database: SqliteDatabase, log: AnnotationStore
) -> None:
    """Others do not see it in annotate, and nobody can undo it."""
    log.import_records([record(foreign("a"))])
    deeds = annotate(database)
    ana = PeopleStore(database).local("ana").id
    assert deeds.open(ana, SampleKey("d", "1")).annotations == ()
    assert deeds.undo("ab12") is None


def test_a_record_with_no_number_in_it_is_kept_and_can_be_changed(
    database: SqliteDatabase, log: AnnotationStore
) -> None:
    """NaN, which is unequal to itself, as some programs write it."""
    key = SampleKey("d", "1")
    ana = PeopleStore(database).local("ana").id
    odd = replace(claim("a"), imported={"score": float("nan")})
    log.import_records([record(odd, person=ana)])
    deeds = annotate(database)
    (stands,) = deeds.open(ana, key).annotations
    deeds.edit(ana, key, replace(stands, note="why"), seconds=0)
    assert deeds.undo(ana) is not None
    assert deeds.redo(ana) is not None
    assert {finding.state for finding in inspect_store(database)} == {"ok"}


def test_labels_in_use_are_counted(log: AnnotationStore) -> None:
    """By dataset and path; also of records that no other reader of JSON takes."""
    assert log.labels_in_use() == {}
    several = replace(claim("b"), labels=(("Wrong", "Part"), ("Fine",)))
    odd = replace(claim("c", 40, 45), imported={"score": float("nan")})
    log.import_records([record(claim("a", 1, 5), several, odd, foreign("d", 7))])
    log.import_records([record(claim("e"), name="2")])
    assert log.labels_in_use() == {
        ("d", ("Fine",)): 4,
        ("d", ("Gone",)): 1,
        ("d", ("Wrong", "Part")): 1,
    }


def test_a_record_without_its_sample_is_refused(log: AnnotationStore) -> None:
    """The sample comes first; the rest of that transaction is not kept."""
    with pytest.raises(NotFound, match="d/9"):
        log.import_records([record(foreign("a")), record(foreign("b"), name="9")])
    assert log.state("ab12", SampleKey("d", "1")).annotations == {}


def test_many_records_come_in_short_transactions(log: AnnotationStore, corpus: CorpusStore) -> None:
    """More than one transaction takes."""
    names = [f"n{number}" for number in range(120)]
    fill(corpus, *names)
    records = [record(foreign(f"a{name}"), name=name) for name in names]
    assert log.import_records(records) == ImportCounts(added=120)
    assert len(list(log.streams())) == 120
