"""The store of people's work: who may do what in it, and what counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.helpers.stores import annotate, claim, fill
from tui_annotate.domain.annotations import ADJUDICATED, REJECTED
from tui_annotate.domain.errors import NotAllowed
from tui_annotate.domain.people import OPERATOR, SETTLED, Actor, Person, PersonKind, Role
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore


@pytest.mark.parametrize("role", Role)
def test_nobody_writes_in_anothers_name(
    database: Database, corpus: CorpusStore, role: Role
) -> None:
    """Not even who may read their work; an annotator may do neither."""
    (key,) = fill(corpus, "x")
    ana, bo = (PeopleStore(database).local(name).id for name in ("ana", "bo"))
    deeds = annotate(database)
    deeds.add(bo, key, claim("b"), seconds=0)
    acting = AnnotationStore(database, actor=Actor(ana, role))
    bound = AnnotationService(
        deeds.corpus, acting, deeds.people, deeds.line, deeds.guidance, deeds.items
    )
    with pytest.raises(NotAllowed):
        bound.add(bo, key, claim("a", 0, 4), seconds=0)
    with pytest.raises(NotAllowed):
        bound.undo(bo)
    assert [one.id for one in deeds.open(bo, key).annotations] == ["b"]
    assert bound.add(ana, key, claim("a", 0, 4), seconds=0).annotation


def test_an_annotator_learns_of_no_stream_but_their_own(
    database: Database, corpus: CorpusStore
) -> None:
    """Not even who worked on what."""
    (key,) = fill(corpus, "x")
    ana, bo = (PeopleStore(database).local(name).id for name in ("ana", "bo"))
    for person in (ana, bo):
        annotate(database).finish(person, key, seconds=0)
    for actor, seen in ((Actor(ana, Role.ANNOTATOR), [ana]), (OPERATOR, sorted([ana, bo]))):
        streams = AnnotationStore(database, actor=actor).streams()
        assert [person for person, _ in streams] == seen


def test_what_review_settled_comes_in_as_its_own(database: Database, corpus: CorpusStore) -> None:
    """It stays nobody's; and what it refused counts under no label."""
    (key,) = fill(corpus, "x")
    settled = Person(SETTLED, SETTLED, PersonKind.SETTLED)
    ones = [
        replace(claim(origin, label=origin), origin=origin) for origin in (ADJUDICATED, REJECTED)
    ]
    owned = tuple(OwnedAnnotation(SETTLED, one) for one in ones)
    store = AnnotationStore(database)
    store.import_records([Record(corpus.sample(key).sample, owned, people=(settled,))])
    assert PeopleStore(database).person(SETTLED).kind is PersonKind.SETTLED
    assert store.labels_in_use() == {("d", (ADJUDICATED,)): 1}
