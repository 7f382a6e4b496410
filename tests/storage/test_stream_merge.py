"""Streams of another store: the tail is appended, a fork is told, and nothing else is touched."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers.stores import annotate, claim, fill, new_database
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotAllowed
from tui_annotate.domain.history import chain_event
from tui_annotate.domain.people import OPERATOR, SETTLED, Actor, Person, PersonKind, Role
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore, LabelSets
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.log.stream_merge import MergedStream, MergeStore
from tui_annotate.storage.people.store import PeopleStore

ANA = Person("ana", "Ana")


def merging(database: Database, *, actor: Actor = OPERATOR) -> MergeStore:
    """The streams of a store."""
    corpus = CorpusStore(database)
    labels = LabelSets(GuidanceStore(database)).all_paths
    return MergeStore(database, lambda key: corpus.sample(key).sample, labels, actor=actor)


class Side:
    """A store with the samples s and t, and Ana's hands in it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.database: Database = new_database(folder)
        self.keys = fill(CorpusStore(self.database), "s", "t")
        PeopleStore(self.database).imported(ANA.id, ANA.name)
        self.hands: AnnotationService = annotate(self.database)
        self.merging = merging(self.database)

    def take(self, other: Side) -> list[MergedStream]:
        """Brings Ana's work from another store here."""
        return list(self.merging.take(ANA, other.merging.copies(ANA.id)))

    def notes(self) -> list[str]:
        """Ana's notes on the first sample."""
        return sorted(
            each.note for each in self.hands.store.stream("ana", self.keys[0]).annotations
        )

    def sound(self) -> bool:
        """Whether log and tables hold together."""
        return not list(AuditStore(self.database).find_faults())


@pytest.fixture
def home(tmp_path: Path) -> Side:
    """Where work comes to."""
    return Side(tmp_path / "home")


@pytest.fixture
def away(tmp_path: Path) -> Side:
    """Where work was done meanwhile."""
    return Side(tmp_path / "away")


def add(side: Side, name: str, note: str, *, start: int = 16) -> None:
    """One annotation of Ana's on the first sample."""
    side.hands.add("ana", side.keys[0], claim(name, start, start + 9, note=note), seconds=1)


def test_a_tail_is_appended_as_it_is_and_once(home: Side, away: Side) -> None:
    """Work from elsewhere comes whole, with its own hashes; twice brings nothing."""
    add(away, "a", "one")
    away.hands.finish("ana", away.keys[0], seconds=1)
    (taken,) = home.take(away)
    assert (taken.events, taken.fork, taken.refused) == (2, None, "")
    assert home.hands.store.events("ana", home.keys[0]) == away.hands.store.events(
        "ana", away.keys[0]
    )
    assert home.hands.store.stream("ana", home.keys[0]).assignment.state is State.DONE
    (again,) = home.take(away)
    assert again.events == 0
    assert home.sound()


def test_a_fork_is_told_and_both_sides_come_to_the_same(home: Side, away: Side) -> None:
    """The newest stands on both sides; what was there otherwise stays in both logs."""
    add(home, "a", "home")
    add(away, "b", "away", start=4)
    (taken,) = home.take(away)
    assert taken.fork is not None
    assert taken.fork.there_wins
    assert home.notes() == ["away"]
    away.take(home)
    assert away.notes() == ["away"]
    report = [
        event.action.after.annotations for event in home.hands.store.events("ana", home.keys[0])
    ]
    assert any("a" in each for each in report)
    assert home.sound()
    assert away.sound()
    assert [each.events for each in home.take(away)] == [0]


def test_what_was_removed_here_stays_removed_by_what_is_older(home: Side, away: Side) -> None:
    """A copy that does not know of a removal does not bring the annotation back."""
    add(away, "a", "one")
    home.take(away)
    home.hands.remove("ana", home.keys[0], "a", version=1, seconds=1)
    assert [each.events for each in home.take(away)] == [0]
    assert home.notes() == []
    assert home.sound()


def test_a_number_that_somebody_has_gives_way(home: Side, away: Side) -> None:
    """Two stores count from one; what comes gets the next number, and comes once all the same."""
    PeopleStore(home.database).imported("ben", "Ben")
    home.hands.add("ben", home.keys[0], claim("x"), seconds=1)
    add(away, "a", "one")
    home.take(away)
    assert [each.number for each in home.hands.store.stream("ana", home.keys[0]).annotations] == [2]
    away.hands.finish("ana", away.keys[0], seconds=1)
    assert [each.events for each in home.take(away)] == [1]
    assert [each.events for each in home.take(away)] == [0]
    assert home.sound()


def test_other_texts_and_unknown_samples_are_refused_alone(home: Side, away: Side) -> None:
    """No offset is shifted: work on another text stays outside, the rest comes in."""
    add(away, "a", "one")
    away.hands.finish("ana", away.keys[1], seconds=1)
    copies = list(away.merging.copies("ana"))
    wrong = [replace(copies[0], texts="0" * 64), copies[1]]
    taken = list(home.merging.take(ANA, wrong))
    assert [bool(each.refused) for each in taken] == [True, False]
    other_texts = taken[0].refused
    gone = replace(copies[0], key=copies[0].key._replace(id="gone"))
    (unknown,) = home.merging.take(ANA, [gone])
    assert unknown.refused
    assert unknown.refused != other_texts


def test_an_annotation_of_somebody_else_is_not_taken_over(home: Side, away: Side) -> None:
    """An id that stands in another stream is refused, and nothing of it is changed."""
    PeopleStore(home.database).imported("ben", "Ben")
    home.hands.add("ben", home.keys[0], claim("a", note="bens"), seconds=1)
    add(away, "a", "one")
    (taken,) = home.take(away)
    assert " id a;" in taken.refused
    assert home.notes() == []


def test_nobody_brings_work_in_the_name_of_another(home: Side, away: Side) -> None:
    """An annotator reads and brings their own streams alone."""
    add(away, "a", "one")
    ben = merging(home.database, actor=Actor("ben", Role.ANNOTATOR))
    with pytest.raises(NotAllowed):
        list(ben.take(ANA, away.merging.copies("ana")))
    with pytest.raises(NotAllowed):
        list(ben.copies("ana"))


def test_who_is_not_here_yet_is_stored(tmp_path: Path, away: Side) -> None:
    """People are matched by id; one that nobody has is kept as imported."""
    add(away, "a", "one")
    new = tmp_path / "new"
    new.mkdir()
    database = new_database(new)
    fill(CorpusStore(database), "s", "t")
    imported = replace(ANA, kind=PersonKind.IMPORTED)
    list(merging(database).take(imported, away.merging.copies("ana")))
    assert PeopleStore(database).person("ana") == imported


def test_work_that_no_annotator_can_do_here_is_refused_alone(home: Side, away: Side) -> None:
    """A stream that breaks a rule for own work is refused with the reason, the others come in."""
    add(away, "a", "one")
    away.hands.finish("ana", away.keys[1], seconds=1)
    first, second = away.merging.copies("ana")
    late = chain_event(replace(first.events[0], at="2999-01-01T00:00:00Z"), seq=1, prev="")
    taken = home.merging.merge(ANA, [replace(first, events=(late,)), second])
    assert [each.key for each in taken.refused] == [away.keys[0]]
    assert "2999" in taken.refused[0].refused
    assert taken.streams == 1
    assert home.notes() == []
    assert home.sound()


def test_a_label_of_an_earlier_label_set_is_known(home: Side, away: Side) -> None:
    """Labels of every stored label set of the dataset are accepted, all others are refused."""
    add(away, "a", "one")
    GuidanceStore(home.database).keep(GuidanceKind.LABELS, "- Other\n", dataset="d")
    (taken,) = home.take(away)
    assert (taken.events, taken.refused) == (1, "")
    GuidanceStore(away.database).keep(GuidanceKind.LABELS, "- Unknown\n")
    made = claim("b", label="Unknown")
    away.hands.add("ana", away.keys[1], made, seconds=1)
    assert [("'Unknown'" in each.refused, each.events) for each in home.take(away)] == [
        (False, 0),
        (True, 0),
    ]


def test_adjudicated_work_comes_from_nobody(home: Side, away: Side) -> None:
    """No stream of another workspace is taken for the work of the reviewers."""
    add(away, "a", "one")
    (copy,) = away.merging.copies("ana")
    event = chain_event(replace(copy.events[0], person=SETTLED), seq=1, prev="")
    theirs = replace(copy, person=SETTLED, events=(event,))
    (taken,) = home.merging.take(Person(SETTLED, SETTLED), [theirs])
    assert taken.refused
    assert taken.events == 0
