"""Practice: what is told after a sample, and that exports and figures are without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers.stores import annotate, claim, fill, new_database
from tui_annotate.domain.annotations import ADJUDICATED, REJECTED
from tui_annotate.domain.people import OPERATOR, SETTLED, Actor, Person, PersonKind, Role
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.assignments import AssignmentService
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.log.store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore

KEY, OTHER = SampleKey("p", "p1"), SampleKey("p", "p2")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Two samples with kim's answers in one of them, for ana to practise on."""
    made = new_database(tmp_path)
    fill(CorpusStore(made), "p1", "p2", dataset="p")
    people = PeopleStore(made)
    annotate(made).add(people.local("kim").id, KEY, claim("k"), seconds=0)
    share = AssignmentService(AssignmentStore(made), people, lambda _: None, OPERATOR)
    share.practice("p", ["ana"], gold="kim")
    yield made
    made.close()


def test_what_is_right_is_told_once_the_sample_is_finished(database: Database) -> None:
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


def test_a_rating_is_right_where_all_whose_answers_count_gave_it(database: Database) -> None:
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


def test_an_origin_can_be_what_is_right(database: Database) -> None:
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


def test_what_review_refused_is_no_answer(database: Database) -> None:
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


def test_a_kind_of_origin_means_all_of_it(database: Database) -> None:
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


def test_records_are_without_practice_unless_it_is_asked_for(database: Database) -> None:
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
