"""Practice before other work, and pauses: what is refused here, and what comes from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers.folder_cache import build_once
from tests.helpers.stores import annotate, claim, fill, new_database
from tui_annotate.domain.assignment_rules import Practice
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotAllowed, NotReady, WorkPaused
from tui_annotate.domain.people import OPERATOR, Person
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.assignments import AssignmentService
from tui_annotate.services.sync.shared_folder import SharedFolder
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.log.stream_merge import MergeStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.study_conduct import StudyConductStore

ANA = Person("a1", "Ana")
PRACTICE = SampleKey("p", "p1")
REAL, OTHER = SampleKey("d", "1"), SampleKey("d", "2")
HELD = Practice(pass_score=80, attempts=1, hold=True)


def _build(folder: Path) -> None:
    folder.mkdir()
    with closing(new_database(folder)) as database:
        annotating = annotate(database)
        fill(annotating.corpus, "p1", dataset="p")
        fill(annotating.corpus, "1", "2")
        annotating.people.keep(ANA)
        kim = annotating.people.local("kim").id
        annotating.add(kim, PRACTICE, claim("k"), seconds=0)
        annotating.finish(kim, PRACTICE, seconds=0)


class Side:
    """A workspace of Ana's with a practice sample, which kim answered, and two other samples."""

    def __init__(self, folder: Path) -> None:
        build_once(folder, ("held work", folder.name), _build)
        self.database = SqliteDatabase.open(folder / "store.sqlite")
        corpus = CorpusStore(self.database)
        self.people = PeopleStore(self.database)
        self.annotating = annotate(self.database, labels="", ratings=("good", "poor"))
        self.merging = MergeStore(
            self.database, lambda key: corpus.sample(key).sample, lambda _: None
        )
        self.share = AssignmentService(
            AssignmentStore(self.database), self.people, lambda _: None, OPERATOR
        )

    def practise(self) -> None:
        """Practice that Ana has to pass at once."""
        self.share.practice("p", [ANA.name], gold="kim", criteria=HELD)

    def fail(self) -> None:
        """Ana completes the practice sample without the right answer, and asks for the next."""
        self.annotating.finish(ANA.id, PRACTICE, seconds=0)
        self.annotating.next_unfinished(ANA.id, PRACTICE)

    def complete(self, key: SampleKey = REAL) -> None:
        self.annotating.finish(ANA.id, key, seconds=1)

    def counts(self) -> tuple[int, int, int]:
        """The held readings in a merge, in `status`, and in the method paragraph."""
        conduct = StudyConductStore(self.database).count()
        assert conduct.held_people == (1 if conduct.held else 0)
        shown = self.annotating.store.held_work().get(ANA.id, 0)
        return self.merging.count_held(ANA.id), shown, conduct.held


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Side]:
    """The workspace of the study."""
    made = Side(tmp_path / "home")
    yield made
    made.database.close()


@pytest.fixture
def away(tmp_path: Path) -> Iterator[Side]:
    """Another workspace, which knows neither practice nor pauses."""
    made = Side(tmp_path / "away")
    yield made
    made.database.close()


ACTIONS: dict[str, Callable[[AnnotationService, str, SampleKey], object]] = {
    "add": lambda on, who, key: on.add(who, key, claim(f"new {key}", 0, 5), seconds=1),
    "edit": lambda on, who, key: on.edit(
        who, key, replace(claim(f"old {key}"), note="x", version=1), seconds=1
    ),
    "remove": lambda on, who, key: on.remove(who, key, f"old {key}", version=1, seconds=1),
    "complete": lambda on, who, key: on.finish(who, key, seconds=1),
    "skip": lambda on, who, key: on.skip(who, key, seconds=1),
    "flag": lambda on, who, key: on.flag(who, key, seconds=1),
    "comment": lambda on, who, key: on.comment(who, key, "why", seconds=1),
    "rate": lambda on, who, key: on.rate(who, key, "good", seconds=1),
    "clear": lambda on, who, key: on.clear(who, dataset=key.dataset),
    "undo": lambda on, who, _: on.undo(who),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_only_practice_takes_actions_until_it_is_finished(home: Side, name: str) -> None:
    """Also for programs that do not ask for the next sample; earlier work stays as it is."""
    on = home.annotating
    on.add(ANA.id, REAL, claim(f"old {REAL}"), seconds=1)
    home.practise()
    before = on.store.stream(ANA.id, REAL).head
    with pytest.raises(NotAllowed, match="d/1 comes after your practice"):
        ACTIONS[name](on, ANA.id, REAL)
    on.read(ANA.id, OTHER, seconds=1)
    assert on.store.stream(ANA.id, REAL).head == before
    on.add(ANA.id, PRACTICE, claim(f"old {PRACTICE}"), seconds=1)
    ACTIONS[name](on, ANA.id, PRACTICE)


@pytest.mark.parametrize("name", ACTIONS)
def test_failed_practice_pauses_work_at_the_next_action(home: Side, name: str) -> None:
    """Though nobody asked for the next sample, which stores the result otherwise."""
    on = home.annotating
    on.add(ANA.id, REAL, claim(f"old {REAL}"), seconds=1)
    home.practise()
    on.finish(ANA.id, PRACTICE, seconds=1)
    with pytest.raises(WorkPaused):
        ACTIONS[name](on, ANA.id, REAL)


def test_samples_leave_only_when_work_may_go_on(home: Side) -> None:
    """Another workspace has neither practice nor pauses."""
    home.merging.require_not_held_back(ANA)
    home.practise()
    with pytest.raises(NotReady, match="'Ana' has not finished practice"):
        home.merging.require_not_held_back(ANA)
    home.fail()
    with pytest.raises(NotReady, match="the work of 'Ana' is paused because of: p"):
        home.merging.require_not_held_back(ANA)
    home.share.resume(ANA.name)
    home.merging.require_not_held_back(ANA)


def as_bundle(away: Side, home: Side, _: Path) -> int:
    return home.merging.merge(ANA, away.merging.copies(ANA.id)).held


def as_folder(away: Side, home: Side, folder: Path) -> int:
    SharedFolder(away.merging, folder).push(ANA)
    return SharedFolder(home.merging, folder).pull(ANA).held


def as_table(away: Side, home: Side, _: Path) -> int:
    for key in (REAL, OTHER):
        _take_row(away, home, key)
    return home.merging.count_held(ANA.id)


def _take_row(away: Side, home: Side, key: SampleKey) -> None:
    there, here = (side.annotating.store.stream(ANA.id, key) for side in (away, home))
    if there.seq and not there.state.alike(here.state):
        home.merging.apply_state(
            ANA.id, key, lambda _: there.state, head=here.head, at=there.updated, stays=True
        )


WAYS = [as_bundle, as_folder, as_table]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("when", ["practice", "pause", "before", "after"])
def test_work_from_elsewhere_is_stored_and_counted(
    home: Side, away: Side, tmp_path: Path, when: str, way: Callable[[Side, Side, Path], int]
) -> None:
    """Nothing is lost; work from before practice, or after the pause, is as all other."""
    if when == "before":
        away.complete()
    home.practise()
    if when == "practice":
        away.complete()
    home.fail()
    if when == "pause":
        away.complete()
    home.share.resume(ANA.name)
    if when == "after":
        away.complete()
    held = int(when in {"practice", "pause"})
    assert way(away, home, tmp_path) == held
    assert way(away, home, tmp_path) == held
    assert home.annotating.store.stream(ANA.id, REAL).assignment.state is State.DONE
    assert home.counts() == (held, held, held)


@pytest.mark.parametrize("way", WAYS)
def test_work_is_stored_while_it_is_paused(
    home: Side, away: Side, tmp_path: Path, way: Callable[[Side, Side, Path], int]
) -> None:
    """The pause goes on, and the work is counted at once; practice itself never is."""
    home.practise()
    home.fail()
    assert home.counts() == (0, 0, 0)
    away.complete()
    assert way(away, home, tmp_path) == 1
    away.complete(OTHER)
    assert way(away, home, tmp_path) == 2
    with pytest.raises(WorkPaused):
        home.complete(OTHER)


def test_a_further_attempt_holds_work_back_again(home: Side, away: Side) -> None:
    """From the admin's command to the next final result."""
    home.practise()
    home.fail()
    home.share.resume(ANA.name, retry=True)
    away.complete()
    assert home.merging.merge(ANA, away.merging.copies(ANA.id)).held == 1
    home.annotating.add(ANA.id, PRACTICE, claim("right"), seconds=1)
    home.fail()
    away.complete(OTHER)
    assert home.merging.merge(ANA, away.merging.copies(ANA.id)).held == 1
