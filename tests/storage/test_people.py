"""People, their places and their likings."""

from __future__ import annotations

import pytest

from tests.helpers.stores import fill
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Actor, Person, PersonKind, Role
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.people.store import PeopleStore


@pytest.fixture
def people(database: Database) -> PeopleStore:
    """The people of an empty store."""
    return PeopleStore(database)


def test_a_name_is_one_local_person(people: PeopleStore) -> None:
    """The same name is the same person, whatever stands around it."""
    ana = people.local("ana")
    assert people.local(" ana ") == ana == people.person(ana.id)
    assert people.local("bo") != ana
    with pytest.raises(InvalidInput):
        people.local("")


def test_an_imported_person_is_never_the_local_one(people: PeopleStore) -> None:
    """A file that names somebody like you is not you."""
    theirs = people.imported("ab12", "ana")
    assert theirs == Person("ab12", "ana", PersonKind.IMPORTED)
    mine = people.local("ana")
    assert mine.id != theirs.id
    assert people.imported(mine.id, "somebody") == mine
    with pytest.raises(InvalidInput, match="'ana'"):
        people.imported("", "ana")
    assert people.imported("cd34", "").name == "cd34"
    assert [person.name for person in people.all()] == ["ana", "ana", "cd34"]


def test_a_person_who_is_not_there_is_not_found(people: PeopleStore) -> None:
    """By id."""
    with pytest.raises(NotFound, match="'x'"):
        people.person("x")


def test_preferences_are_each_persons_own(people: PeopleStore) -> None:
    """JSON values by name; the last one counts."""
    ana, bo = people.local("ana").id, people.local("bo").id
    people.keep_preference(ana, "split", "stacked")
    people.keep_preference(ana, "split", {"ratio": [1, 2]})
    assert people.preferences(ana) == {"split": {"ratio": [1, 2]}}
    assert people.preferences(bo) == {}


def test_a_place_is_kept_for_each_person_and_sample(
    people: PeopleStore, corpus: CorpusStore
) -> None:
    """The last one kept is where somebody was."""
    one, two = fill(corpus, "1", "2")
    ana, bo = people.local("ana").id, people.local("bo").id
    assert people.last_place(ana) is None
    assert people.place(ana, one) == {}
    people.keep_place(ana, one, {"offset": 3})
    people.keep_place(ana, two, {"offset": 5})
    people.keep_place(ana, one, {"offset": 4, "side": "source"})
    assert people.place(ana, one) == {"offset": 4, "side": "source"}
    assert (people.last_place(ana), people.last_place(bo)) == (one, None)
    corpus.remove_samples([one])
    assert people.last_place(ana) == two
    with pytest.raises(NotFound):
        people.keep_place(ana, one, {})


def test_every_version_of_a_guidance_is_kept(database: Database, corpus: CorpusStore) -> None:
    """The last one is in force; a dataset's own goes before the workspace's."""
    fill(corpus, "1")
    guidance = GuidanceStore(database)
    assert guidance.version(GuidanceKind.LABELS) == ""
    first, second = (guidance.keep(GuidanceKind.LABELS, text) for text in ("- A", "- B"))
    own = guidance.keep(GuidanceKind.LABELS, "- C", dataset="d")
    assert guidance.version(GuidanceKind.LABELS) == second
    assert guidance.version(GuidanceKind.LABELS, dataset="d") == own
    assert guidance.version(GuidanceKind.LABELS, dataset="other") == second
    assert guidance.version(GuidanceKind.GUIDELINES) == ""
    assert [guidance.text(GuidanceKind.LABELS, name) for name in (first, own)] == ["- A", "- C"]
    assert (
        guidance.keep(GuidanceKind.LABELS, "- A") == first == guidance.version(GuidanceKind.LABELS)
    )


def test_a_guidance_that_is_not_there_is_not_found(database: Database) -> None:
    """Neither a version that never was, nor a dataset."""
    guidance = GuidanceStore(database)
    with pytest.raises(NotFound, match="'x'"):
        guidance.text(GuidanceKind.LABELS, "x")
    with pytest.raises(NotFound, match="'d'"):
        guidance.keep(GuidanceKind.LABELS, "- A", dataset="d")
    assert guidance.version(GuidanceKind.LABELS) == ""


def test_names_are_those_of_people_whose_work_may_be_read(
    people: PeopleStore, database: Database
) -> None:
    """An annotator gets their own name alone; a reviewer gets all names."""
    ana, bo = people.local("ana"), people.local("bo")
    everyone = {ana.id: "ana", bo.id: "bo"}
    assert everyone.items() <= people.names().items()
    reviewer = PeopleStore(database, actor=Actor(bo.id, Role.REVIEWER))
    assert everyone.items() <= reviewer.names().items()
    annotator = PeopleStore(database, actor=Actor(ana.id, Role.ANNOTATOR))
    assert annotator.names() == {ana.id: "ana"}
