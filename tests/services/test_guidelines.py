"""Guidelines: every version that was in force stays, with when and by whom."""

from __future__ import annotations

import pytest

from tests.helpers.stores import fill
from tui_annotate.domain.errors import InvalidInput, NotAllowed, NotFound, NotReady
from tui_annotate.domain.people import OPERATOR, Actor, Role
from tui_annotate.services.guidelines import GuidelinesService
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.sqlite_database import SqliteDatabase


@pytest.fixture
def corpus(database: SqliteDatabase) -> CorpusStore:
    """Its corpus."""
    return CorpusStore(database)


def guide(database: SqliteDatabase, actor: Actor = OPERATOR) -> GuidelinesService:
    """The service on a store."""
    return GuidelinesService(GuidanceStore(database), lambda: {"li": "Li"}, actor)


def test_each_version_stays(database: SqliteDatabase, corpus: CorpusStore) -> None:
    """Of workspace and dataset, in order, whole; the same once more is no new edition."""
    fill(corpus, "1")
    owner, li = guide(database), guide(database, Actor("li", Role.ADMIN))
    first = owner.apply("One.\n")
    owner.apply("One.\n")
    li.apply("Two.\nLines.\n")
    li.apply("Own.\n", dataset="d")
    found = [(v.dataset, v.by, v.lines, v.in_force) for v in owner.versions()]
    assert found == [("", "", 1, False), ("", "Li", 2, True), ("d", "Li", 1, True)]
    assert [v.by for v in owner.versions("")] == ["", "Li"]
    assert [v.lines for v in owner.versions("d")] == [1]
    assert owner.text(first[:9].upper()) == "One.\n"
    assert (owner.text(), owner.text(dataset="d")) == ("Two.\nLines.\n", "Own.\n")


def test_a_name_that_no_dataset_has_is_told(database: SqliteDatabase, corpus: CorpusStore) -> None:
    """It has neither the guidelines of all, nor an empty list; an old list outlives its dataset."""
    fill(corpus, "1")
    owner = guide(database)
    owner.apply("One.\n")
    owner.apply("Own.\n", dataset="d")
    for asked in (lambda: owner.versions("no"), lambda: owner.text(dataset="no")):
        with pytest.raises(NotFound, match="'no'"):
            asked()
    corpus.remove_dataset("d")
    assert [v.lines for v in owner.versions("d")] == [1]


def test_what_was_before(database: SqliteDatabase, corpus: CorpusStore) -> None:
    """The version before the last; of a dataset's first own ones, those of the workspace then."""
    fill(corpus, "1")
    owner = guide(database)
    assert (owner.before(), owner.before("d")) == ("", "")
    owner.apply("One.\n")
    assert (owner.before(), owner.before("d")) == ("", "")
    owner.apply("Own.\n", dataset="d")
    owner.apply("Two.\n")
    assert (owner.before(), owner.before("d")) == ("One.\n", "One.\n")
    owner.apply("Own too.\n", dataset="d")
    assert owner.before("d") == "Own.\n"


def test_what_is_refused(database: SqliteDatabase) -> None:
    """From annotators and reviewers all; from anybody nothing, too much, or for no dataset."""
    for role in (Role.ANNOTATOR, Role.REVIEWER):
        with pytest.raises(NotAllowed):
            guide(database, Actor("li", role)).apply("Mine.")
    owner = guide(database)
    for wrong in (" \n", "x" * 1_000_001):
        with pytest.raises(InvalidInput):
            owner.apply(wrong)
    with pytest.raises(NotFound):
        owner.apply("One.", dataset="none")
    with pytest.raises(NotReady):
        owner.text()
    owner.apply("One.")
    for start in ("zz", "0" * 64):
        with pytest.raises(NotFound):
            owner.text(start)
    assert GuidanceStore(database).versions(GuidanceKind.GUIDELINES) == (owner.named(""),)
