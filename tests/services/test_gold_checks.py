"""Gold checks in a store: mixed into work, hidden from annotators, and apart from real work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.helpers.folder_cache import build_once
from tests.helpers.stores import annotate, claim, fill, new_database
from tests.plugins.sync.table_server import KEY, serving_table
from tui_annotate.domain.adjudication import RejectionReason
from tui_annotate.domain.assignment_plan import AssignmentOptions
from tui_annotate.domain.assignment_rules import DisagreementRule, Escalation, Gold, Pool
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import Conflict, NotFound, NotReady, WorkPaused
from tui_annotate.domain.gold_checks import is_gold_slot
from tui_annotate.domain.people import OPERATOR, Actor, Person, PersonKind, Role
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.work_statistics import GoldAccuracy
from tui_annotate.plugins.sync.sync_key import read_address
from tui_annotate.plugins.sync.table import SharedTable
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.assignments import AssignmentService
from tui_annotate.services.progress import ProgressReader
from tui_annotate.services.review import ReviewService
from tui_annotate.services.sync import TableSync
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.labels.store import GuidanceStore
from tui_annotate.storage.log import stream_merge
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.stream_merge import MergeStore
from tui_annotate.storage.log.sync_heads import SyncStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.study_conduct import StudyConductStore
from tui_annotate.storage.work_statistics import WorkStatisticsStore

GOLD = ("3", "7", "11", "15")
NAMES = ("ana", "ben", "kim", "li")
RULE = Gold((), every=4, seed="1")


@dataclass
class Crew:
    """Twenty samples, four of them with kim's answers, and people who annotate."""

    database: SqliteDatabase
    annotating: AnnotationService
    share: AssignmentService
    people: dict[str, str]

    def work(self, name: str, *, steps: int = 99, marks: Sequence[str] = ()) -> list[str]:
        """What a person gets and completes, in order; `marks`: samples in which they mark."""
        done: list[str] = []
        after = None
        while len(done) < steps and (
            key := self.annotating.next_unfinished(self.people[name], after)
        ):
            if key.id in marks:
                mark = claim(f"{name} {key.id}", 0, 8)
                self.annotating.add(self.people[name], key, mark, seconds=1)
            self.annotating.finish(self.people[name], key, seconds=1)
            done.append(key.id)
            after = key
        return done

    def records(self, actor: Actor = OPERATOR, **filters: str) -> set[tuple[str, str]]:
        """The work in an export, as (person, sample)."""
        corpus = CorpusStore(self.database, actor=actor)
        return {
            (work.person, record.sample.id)
            for record in corpus.records(RecordFilter(**filters))
            for work in record.assignments
        }

    def accuracy(self, actor: Actor = OPERATOR) -> dict[str, tuple[int, float]]:
        """The number of checks and the accuracy by name, as the actor sees them."""
        store = WorkStatisticsStore(self.database, actor=actor)
        names = {who: name for name, who in self.people.items()}
        found = ProgressReader(store, lambda: names).figures()
        return {each.name: (each.checks, each.accuracy) for each in found.gold}


@pytest.fixture
def crew(tmp_path: Path) -> Iterator[Crew]:
    """Kim completed four samples before anything was assigned."""

    def build(folder: Path) -> None:
        with closing(new_database(folder)) as database:
            annotating = annotate(database)
            fill(annotating.corpus, *(str(number) for number in range(1, 21)))
            _, _, kim, _ = (annotating.people.local(name).id for name in NAMES)
            for number, name in enumerate(GOLD):
                key = SampleKey("d", name)
                if number:
                    annotating.add(kim, key, claim(f"k{name}", 0, 10), seconds=1)
                annotating.finish(kim, key, seconds=1)

    build_once(tmp_path, "gold checks", build)
    database = SqliteDatabase.open(tmp_path / "store.sqlite")
    annotating = annotate(database, labels="")
    people = {name: annotating.people.local(name).id for name in NAMES}
    share = AssignmentService(
        AssignmentStore(database), annotating.people, lambda _: None, OPERATOR
    )
    yield Crew(database, annotating, share, people)
    database.close()


@pytest.fixture
def pool(crew: Crew) -> Crew:
    """The samples are in a pool, each for two people, with one gold sample in four."""
    crew.share.pool("d", Pool(2, "random:1"))
    assert crew.share.gold("d", RULE, answers="kim").samples == len(GOLD)
    return crew


def test_gold_samples_are_mixed_into_what_people_take_from_a_pool(pool: Crew) -> None:
    """One in each four samples, by seed and person, until none is left; never the last."""
    for name in ("ana", "ben"):
        taken = pool.work(name)
        assert sorted(taken, key=int) == [str(number) for number in range(1, 21)]
        places = [at for at, sample in enumerate(taken) if sample in GOLD]
        assert places == [at for at in range(20) if is_gold_slot(RULE, pool.people[name], at)][:4]


def test_the_person_with_the_answers_gets_no_gold_samples(pool: Crew) -> None:
    """All else that the pool has is for kim too."""
    taken = pool.work("kim")
    assert len(taken) == 16
    assert not set(taken) & set(GOLD)


def test_the_number_of_samples_in_the_header_tells_nothing(pool: Crew) -> None:
    """Whether a gold sample or another one is taken, the total stays as it is."""
    who = pool.people["ana"]
    totals, after = set(), None
    while key := pool.annotating.next_unfinished(who, after):
        open_sample = pool.annotating.open(who, key)
        totals.add(open_sample.total)
        assert not open_sample.practice
        assert pool.annotating.feedback(who, key) is None
        pool.annotating.finish(who, key, seconds=1)
        after = key
    assert totals == {20}


def test_gold_samples_are_mixed_into_assigned_samples(crew: Crew) -> None:
    """In the order of the queue; the table of assignments counts them apart."""
    crew.share.gold("d", RULE, answers="kim")
    tried = crew.share.give("d", ["ana"], AssignmentOptions(count="9"), dry_run=True)
    report = crew.share.give("d", ["ana"], AssignmentOptions(count="9"))
    assert (report.samples, report.gold) == (tried.samples, tried.gold)
    assert (report.people[0].samples, report.gold) in {(9, 2), (9, 3)}
    (status,) = [each for each in crew.share.show().progress if each.name == "ana"]
    assert (status.samples, status.gold) == (9 + report.gold, report.gold)
    taken = crew.work("ana")
    places = [at for at, name in enumerate(taken) if name in GOLD]
    assert len(taken) == 9 + report.gold
    assert (
        places
        == [at for at in range(20) if is_gold_slot(RULE, crew.people["ana"], at)][: report.gold]
    )
    more = crew.share.top_up("d", ["ana"], AssignmentOptions(), open=7)
    assert (more.samples, more.gold) == (7, 4 - report.gold)


def test_gold_work_is_in_no_export_of_others_unless_asked_for(pool: Crew) -> None:
    """A reader of their own work alone has it, as that of any other sample."""
    pool.work("ana")
    ana = pool.people["ana"]
    every = {(ana, str(number)) for number in range(1, 21)}
    gold = {(ana, name) for name in GOLD}
    mine = {one for one in pool.records() if one[0] == ana}
    assert mine == every - gold
    assert {one for one in pool.records(gold="with") if one[0] == ana} == every
    assert pool.records(Actor(ana, Role.ANNOTATOR)) == every
    reviewer = Actor(pool.people["li"], Role.REVIEWER)
    assert {one for one in pool.records(reviewer) if one[0] == ana} == every - gold
    assert {(pool.people["kim"], name) for name in GOLD} <= pool.records()
    corpus = CorpusStore(pool.database)
    assert corpus.count_gold_checks() == len(GOLD)
    assert CorpusStore(pool.database, actor=Actor(ana, Role.ANNOTATOR)).count_gold_checks() == 0


def test_an_annotators_statistics_tell_nothing(pool: Crew) -> None:
    """Assigned and completed samples include gold samples; accuracy is for admins alone."""
    pool.work("ana")
    ana = pool.people["ana"]
    store = WorkStatisticsStore(pool.database, actor=Actor(ana, Role.ANNOTATOR))
    found = ProgressReader(store, dict, everybody=False).figures()
    (work,) = found.work
    assert (work.assigned, work.completed, found.gold) == (20, 20, ())
    assert pool.accuracy(Actor(ana, Role.REVIEWER)) == {}
    assert set(pool.accuracy(Actor(ana, Role.ADMIN))) == {"ana"}


def test_accuracy_compares_with_the_known_answers(pool: Crew) -> None:
    """Of completed gold samples alone."""
    pool.work("ana")
    assert pool.accuracy() == {"ana": (4, 0.25)}  # kim marked nothing in one of the four
    pool.work("ben", marks=["7"])
    assert pool.accuracy()["ben"] == (4, 0.5)


def test_a_check_is_scored_at_its_first_completion(pool: Crew) -> None:
    """Edits, undo and another completion change neither the score nor the check; they count."""
    ana, key = pool.people["ana"], SampleKey("d", "7")
    pool.work("ana")
    pool.annotating.add(ana, key, claim("a7", 5, 10), seconds=1)
    assert pool.accuracy() == {"ana": (4, 0.25)}
    pool.annotating.finish(ana, key, seconds=1)
    assert pool.accuracy() == {"ana": (4, 0.25)}
    assert measured(pool).edited_later == 1
    pool.annotating.undo(ana)
    pool.annotating.undo(ana)
    assert pool.accuracy() == {"ana": (4, 0.25)}
    assert measured(pool).edited_later == 1
    report = pool.share.gold("d", RULE, answers="kim", dry_run=True)
    assert (report.checks, report.edited_later) == (4, 1)
    assert pool.share.recompute_gold("d").changed == 0  # the present answers, but the same work
    counts = StudyConductStore(pool.database).count()
    assert (counts.checks, counts.edited_checks) == (4, 1)


def test_a_check_that_was_skipped_first_is_scored_when_it_is_completed(pool: Crew) -> None:
    """No answer follows a skipped sample, so that its first completion is still to come."""
    ana, key = pool.people["ana"], SampleKey("d", "7")
    pool.work("ben", marks=["7"])
    after = None
    while following := pool.annotating.next_unfinished(ana, after):
        if following == key:
            pool.annotating.skip(ana, key, seconds=1)
        else:
            pool.annotating.finish(ana, following, seconds=1)
        after = following
    assert pool.accuracy()["ana"][0] == 3
    pool.annotating.add(ana, key, claim("a7", 0, 8), seconds=1)
    pool.annotating.finish(ana, key, seconds=1)
    assert pool.accuracy()["ana"] == pool.accuracy()["ben"]


def measured(crew: Crew) -> GoldAccuracy:
    """The accuracy of the only person with checks."""
    (found,) = ProgressReader(WorkStatisticsStore(crew.database), dict).figures().gold
    return found


def older(crew: Crew) -> int:
    """The number of ana's checks that were compared with an answer that changed later."""
    return measured(crew).older_answers


def test_a_later_edit_of_an_answer_changes_no_finished_check(pool: Crew) -> None:
    """The edit counts for whom completes the sample after it; a recomputation is on purpose."""
    kim, key = pool.people["kim"], SampleKey("d", "11")
    pool.work("ana")
    assert (pool.accuracy(), older(pool)) == ({"ana": (4, 0.25)}, 0)
    pool.annotating.remove(kim, key, "k11", version=1, seconds=1)
    assert (pool.accuracy(), older(pool)) == ({"ana": (4, 0.25)}, 0)  # kim is not done again
    pool.annotating.finish(kim, key, seconds=1)
    assert (pool.accuracy(), older(pool)) == ({"ana": (4, 0.25)}, 1)
    pool.work("ben")
    assert pool.accuracy() == {"ana": (4, 0.25), "ben": (4, 0.5)}
    tried = pool.share.recompute_gold("d", dry_run=True)
    assert (tried.batch, tried.checks, tried.changed) == (0, 8, 1)
    assert pool.accuracy()["ana"] == (4, 0.25)
    done = pool.share.recompute_gold("d")
    assert (done.checks, done.changed) == (8, 1)
    assert pool.accuracy() == {"ana": (4, 0.5), "ben": (4, 0.5)}
    assert pool.share.show().batches[-1].kind == "recompute"
    pool.share.undo(done.batch)
    assert pool.accuracy()["ana"] == (4, 0.25)


def test_a_grown_answer_changes_no_finished_check(pool: Crew) -> None:
    """An annotation that the answer did not have is not missed afterwards."""
    kim, key = pool.people["kim"], SampleKey("d", "3")
    pool.work("ana")
    assert pool.accuracy() == {"ana": (4, 0.25)}  # kim and ana marked nothing in this sample
    pool.annotating.add(kim, key, claim("k3", 0, 10), seconds=1)
    pool.annotating.finish(kim, key, seconds=1)
    assert pool.accuracy() == {"ana": (4, 0.25)}


def test_a_check_needs_completed_gold_samples_to_recompute(pool: Crew) -> None:
    """A dataset without any, or an unknown one, is refused."""
    with pytest.raises(NotReady):
        pool.share.recompute_gold("d")
    with pytest.raises(NotFound):
        pool.share.recompute_gold("none")


def test_imported_answers_keep_their_versions(crew: Crew) -> None:
    """A later import of one more annotation changes no check that was completed before it."""
    li, key = Person("li-imported", "Li", PersonKind.IMPORTED), SampleKey("d", "5")
    sample = CorpusStore(crew.database).sample(key).sample

    def bring(*names: str) -> None:
        found = tuple(
            OwnedAnnotation(li.id, replace(claim(name, 10 * at, 10 * at + 8), origin="imported:x"))
            for at, name in enumerate(names)
        )
        AnnotationStore(crew.database).import_records([Record(sample, found, people=(li,))])

    bring("one")
    crew.share.pool("d", Pool(1, "ingested"))
    crew.share.gold("d", Gold((), every=2), answers="imported")
    assert key.id in crew.work("ana", marks=[key.id])
    assert (crew.accuracy(), older(crew)) == ({"ana": (1, 1.0)}, 0)
    bring("one", "two")
    assert (crew.accuracy(), older(crew)) == ({"ana": (1, 1.0)}, 1)
    crew.share.recompute_gold("d")
    assert (crew.accuracy(), older(crew)) == ({"ana": (1, 0.5)}, 0)


@pytest.fixture
def strict(crew: Crew) -> Crew:
    """A pool with a rule that pauses people below 70 %; kim marked something in each answer."""
    for name in GOLD[:1]:
        key = SampleKey("d", name)
        crew.annotating.add(crew.people["kim"], key, claim(f"k{name}", 0, 10), seconds=1)
        crew.annotating.finish(crew.people["kim"], key, seconds=1)
    crew.share.pool("d", Pool(2, "random:1"))
    crew.share.gold("d", replace(RULE, every=2, pause=True), answers="kim")
    return crew


def test_a_low_accuracy_pauses_a_person_after_a_block(strict: Crew) -> None:
    """Not right after a gold sample, which would show what it is; nothing is lost."""
    ana = strict.people["ana"]
    done = strict.work("ana")
    assert len(done) == 6  # three checks are in the first three blocks of two
    assert strict.annotating.next_unfinished(ana, None) is None
    assert strict.annotating.pause(ana) is not None
    key = SampleKey("d", done[0])
    refused: list[Callable[[], object]] = [
        lambda: strict.annotating.start(ana),
        lambda: strict.annotating.add(ana, key, claim("late", 0, 4), seconds=1),
        lambda: strict.annotating.skip(ana, SampleKey("d", "20"), seconds=1),
        lambda: strict.annotating.undo(ana),
        lambda: strict.annotating.redo(ana),
    ]
    for action in refused:
        with pytest.raises(WorkPaused):
            action()
    strict.annotating.read(ana, key, seconds=1)  # working time is kept
    assert strict.annotating.open(ana, key).assignment.state == "done"
    assert len(strict.work("ben", steps=5)) == 5
    (found,) = [each for each in figures(strict) if each.name == "ana"]
    assert (found.alert, found.paused) == (True, True)
    assert strict.accuracy(Actor(ana, Role.ANNOTATOR)) == {}


def test_no_action_of_a_paused_annotator_is_stored(strict: Crew) -> None:
    """Each public action but working time is refused, and changes no event."""
    ana = strict.people["ana"]
    done = strict.work("ana", marks=[str(at) for at in range(1, 21) if str(at) not in GOLD])
    key = SampleKey("d", next(name for name in done if name not in GOLD))
    store = strict.annotating.store
    moment = {each: len(store.events(ana, SampleKey("d", each))) for each in done}
    annotating = strict.annotating
    actions: dict[str, Callable[[], object]] = {
        "add": lambda: annotating.add(ana, key, claim("late", 0, 4), seconds=1),
        "edit": lambda: annotating.edit(
            ana, key, replace(claim(f"ana {key.id}", 0, 4), version=1), seconds=1
        ),
        "remove": lambda: annotating.remove(ana, key, f"ana {key.id}", version=1, seconds=1),
        "finish": lambda: annotating.finish(ana, key, seconds=1),
        "skip": lambda: annotating.skip(ana, key, seconds=1),
        "flag": lambda: annotating.flag(ana, key, seconds=1),
        "comment": lambda: annotating.comment(ana, key, "late", seconds=1),
        "rate": lambda: annotating.rate(ana, key, "good", seconds=1),
        "clear": lambda: annotating.clear(ana),
        "undo": lambda: annotating.undo(ana),
        "redo": lambda: annotating.redo(ana),
        "accept": lambda: annotating.accept(ana, key, "s", seconds=1),
        "refuse": lambda: annotating.refuse(ana, key, "s", seconds=1),
    }
    own = {name for name in vars(AnnotationService) if callable(getattr(annotating, name))}
    stored = {name for name in own if not name.startswith("_")} - {"read", "clock", "new_id"}
    assert stored == actions.keys()
    for name, action in actions.items():
        # What does not exist is refused as such, before the pause.
        refusal = NotFound if name in ("accept", "refuse") else WorkPaused
        with pytest.raises(refusal):
            action()
    assert moment == {each: len(store.events(ana, SampleKey("d", each))) for each in done}


def figures(crew: Crew) -> tuple[GoldAccuracy, ...]:
    """The accuracy of all people as an admin sees it."""
    names = {who: name for name, who in crew.people.items()}
    return ProgressReader(WorkStatisticsStore(crew.database), lambda: names).figures().gold


def test_an_admin_resumes_paused_work_by_a_record(strict: Crew) -> None:
    """The checks that decided do not decide again; undo of assignments leaves pauses alone."""
    with pytest.raises(NotReady):
        strict.share.resume("ana")
    strict.work("ana")
    kinds = [(each.kind, each.undone != "") for each in strict.share.show().batches]
    assert kinds[-1] == ("pause", False)
    with pytest.raises(Conflict):
        strict.share.undo(strict.share.show().batches[-1].id)
    assert strict.share.resume("ana").datasets == ("d",)
    kinds = [(each.kind, each.undone != "") for each in strict.share.show().batches]
    assert kinds[-2:] == [("pause", True), ("resume", False)]
    assert strict.annotating.pause(strict.people["ana"]) is None
    assert len(strict.work("ana")) == 14  # one more check is too few
    assert strict.share.undo().batch.kind == "gold"
    with pytest.raises(NotFound):
        strict.share.resume("nobody")


def test_checks_that_decided_once_do_not_decide_again(strict: Crew) -> None:
    """After a pause, completing the same samples again, or editing them, pauses no one."""
    ana = strict.people["ana"]
    done = strict.work("ana")
    strict.share.resume("ana")
    for name in done:
        key = SampleKey("d", name)
        strict.annotating.add(ana, key, claim(f"again {name}", 20, 30), seconds=1)
        strict.annotating.finish(ana, key, seconds=1)
    assert strict.annotating.pause(ana) is None
    assert len(strict.work("ana")) == 14


def test_good_work_and_a_rule_without_pause_pause_no_one(strict: Crew) -> None:
    """A person above the threshold goes on, and the alert alone stops no work."""
    ana = strict.people["ana"]
    after = None
    while key := strict.annotating.next_unfinished(ana, after):
        if key.id in GOLD:
            strict.annotating.add(ana, key, claim(f"a{key.id}", 0, 10), seconds=1)
        strict.annotating.finish(ana, key, seconds=1)
        after = key
    assert strict.accuracy()["ana"] == (4, 1.0)
    strict.share.gold("d", replace(RULE, every=2), answers="kim")
    assert len(strict.work("ben")) > 10
    assert [(each.name, each.alert, each.paused) for each in figures(strict)] == [
        ("ana", False, False),
        ("ben", True, False),
    ]


def test_undo_of_an_action_on_several_samples_pauses_no_one_within_a_block(strict: Crew) -> None:
    """A pause there would show that a gold sample is among the samples that came back."""
    strict.share.gold("d", replace(RULE, every=2), answers="kim")
    ana = strict.people["ana"]
    plain = [str(number) for number in range(1, 21) if str(number) not in GOLD]
    done = strict.work("ana", steps=7, marks=plain)
    assert len(set(done) & set(GOLD)) >= 3
    assert len(set(done) & set(plain)) >= 2
    strict.share.gold("d", replace(RULE, every=2, pause=True), answers="kim")
    strict.annotating.clear(ana)
    strict.annotating.undo(ana)
    finished = [
        strict.annotating.open(ana, SampleKey("d", name)).assignment.state.finished for name in done
    ]
    assert finished == [True] * 7
    assert strict.annotating.pause(ana) is None
    strict.work("ana", steps=1)
    assert strict.annotating.pause(ana) is not None


def merge_store(database: SqliteDatabase) -> MergeStore:
    """The store that merges work from other workspaces into one."""
    corpus = CorpusStore(database)
    return MergeStore(database, lambda key: corpus.sample(key).sample, lambda _: None)


def table_sync(database: SqliteDatabase, person: Person) -> TableSync:
    """A person's sync with the shared table that the environment names."""
    table = SharedTable(read_address())
    return TableSync(
        corpus=CorpusStore(database, actor=Actor(person.id, Role.ANNOTATOR)),
        log=AnnotationStore(database),
        merging=merge_store(database),
        marks=SyncStore(database, target=table.identity, person=person.id),
        table=table,
        person=person,
    )


def merge_as_bundle(away: SqliteDatabase, home: SqliteDatabase, person: Person) -> None:
    """Merge all work at once, as the command for bundles does."""
    merge_store(home).merge(person, merge_store(away).copies(person.id))


def merge_as_table(away: SqliteDatabase, home: SqliteDatabase, person: Person) -> None:
    """Send all work to a shared table, and receive it."""
    table_sync(away, person).push()
    table_sync(home, person).pull()


@pytest.mark.parametrize("merge", [merge_as_bundle, merge_as_table])
def test_inaccurate_work_from_another_machine_pauses_after_its_merge(
    strict: Crew,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    merge: Callable[[SqliteDatabase, SqliteDatabase, Person], None],
) -> None:
    """The pause counts all gold samples of the merge, though they are written one by one."""
    monkeypatch.setattr(stream_merge, "_AT_ONCE", 1)
    ana = strict.annotating.people.person(strict.people["ana"])
    strict.share.give("d", ["ana"], AssignmentOptions(count="all"))
    strict.share.gold("d", replace(RULE, every=7, pause=True), answers="kim")
    with AssignmentStore(strict.database).reading() as store:
        given = {each.key.id for each in store.held(person=ana.id)}
    (tmp_path / "away").mkdir()
    with (
        closing(new_database(tmp_path / "away")) as elsewhere,
        serving_table() as running,
    ):
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_URL", running.url)
        monkeypatch.setenv("TUI_ANNOTATE_SYNC_KEY", KEY)
        away = annotate(elsewhere)
        away.people.keep(ana)
        fill(away.corpus, *(str(number) for number in range(1, 21)))
        gold = sorted(given & set(GOLD))
        assert len(gold) >= 3
        for name in gold:
            away.finish(ana.id, SampleKey("d", name), seconds=1)
        merge(elsewhere, strict.database, ana)
        assert strict.annotating.pause(ana.id) is not None
        (found,) = [each for each in figures(strict) if each.name == "ana"]
        assert found.checks == len(gold)
        strict.share.resume("ana")
        merge(elsewhere, strict.database, ana)
        assert strict.annotating.pause(ana.id) is None


def review(crew: Crew) -> ReviewService:
    """Review as the operator."""
    stores = (crew.annotating.corpus, crew.annotating.store, crew.annotating.people)
    return ReviewService(*stores, GuidanceStore(crew.database))


def test_adjudicated_samples_are_gold_by_default_and_stay_out_of_review(crew: Crew) -> None:
    """The adjudication is not shown to those whom it checks, and their work is no candidate."""
    judge, who, key = review(crew), crew.people["li"], SampleKey("d", "7")
    crew.annotating.finish(crew.people["ben"], key, seconds=1)
    open_sample = judge.open(who, key)
    judge.finish(who, key, rest=RejectionReason.SLIP, seen=open_sample.seen, seconds=1)
    crew.share.pool("d", Pool(1, "ingested"))
    assert crew.share.gold("d", replace(RULE, every=2)).samples == 1
    assert key.id in crew.work("ana", marks=[key.id])
    assert crew.accuracy() == {"ana": (1, 0.0)}
    assert len(judge.open(who, key).layers) == 2
    assert [row.key for row in judge.queue(who) if row.settled] == [key]
    assert judge.adjudication_notice(crew.people["ana"], key) is None
    # Otherwise ana could tell the gold samples by the outcomes that others see, or ana does not.
    assert judge.adjudication_notice(crew.people["ben"], key) is None


def test_an_adjudicated_sample_is_promoted(pool: Crew) -> None:
    """Its answer is the adjudication, also next to answers of kim; an undo takes it out."""
    judge, who, key = review(pool), pool.people["li"], SampleKey("d", "8")
    for name in ("ana", "ben"):
        pool.annotating.add(pool.people[name], key, claim(f"{name}8", 0, 10), seconds=1)
        pool.annotating.finish(pool.people[name], key, seconds=1)
        pool.work(name)
    with pytest.raises(NotReady):
        pool.share.promote("d")
    judge.finish(who, key, seen=judge.open(who, key).seen, seconds=1)
    with pytest.raises(NotReady):
        pool.share.promote("d", ["9"])
    tried = pool.share.promote("d", dry_run=True)
    assert (tried.samples, tried.batch) == (1, 0)
    made = pool.share.promote("d")
    assert made.samples == 1
    with pytest.raises(NotReady):
        pool.share.promote("d")
    before = pool.accuracy()
    zoe = pool.annotating.people.local("zoe").id
    pool.people["zoe"] = zoe
    pool.share.give("d", ["zoe"], AssignmentOptions("12", 3))
    after = None
    while following := pool.annotating.next_unfinished(zoe, after):
        if following == key:
            pool.annotating.add(zoe, key, claim("zoe8", 0, 9), seconds=1)
        pool.annotating.finish(zoe, following, seconds=1)
        after = following
    found = pool.accuracy()
    assert {name: found[name] for name in before} == before  # their work on it stays real work
    checks, accuracy = found["zoe"]
    with AssignmentStore(pool.database).reading() as store:
        gold = {each.key.id for each in store.held(person=zoe) if each.gold}
    right = len(gold & {"3", "8"})  # kim marked nothing in 3
    assert (checks, accuracy) == (len(gold), right / len(gold))
    pool.share.undo(made.batch)
    with AssignmentStore(pool.database).reading() as store:
        assert key.id not in store.load_dataset("d").gold


def test_promotion_needs_gold_samples(crew: Crew) -> None:
    """A dataset without a rule, or an unknown one, is refused."""
    with pytest.raises(NotReady):
        crew.share.promote("d")
    with pytest.raises(NotFound):
        crew.share.promote("none")


def test_the_author_of_the_answers_gets_promoted_samples(pool: Crew) -> None:
    """Kim does not know the adjudication of a sample that kim did not annotate."""
    judge, who, key = review(pool), pool.people["li"], SampleKey("d", "8")
    for name in ("ana", "ben"):
        pool.work(name)
    judge.finish(who, key, seen=judge.open(who, key).seen, seconds=1)
    pool.share.promote("d", ["8"])
    pool.share.pool("d", Pool(3, "random:1"))
    taken = pool.work("kim")
    assert "8" in taken
    assert not set(taken) & set(GOLD)


def test_a_reviewer_is_not_checked_with_a_sample_that_the_reviewer_decided(crew: Crew) -> None:
    """The reviewer knows the answer of that sample; other annotators get it."""
    judge, who, key = review(crew), crew.people["li"], SampleKey("d", "7")
    crew.annotating.finish(crew.people["ben"], key, seconds=1)
    open_sample = judge.open(who, key)
    judge.finish(who, key, rest=RejectionReason.SLIP, seen=open_sample.seen, seconds=1)
    crew.share.pool("d", Pool(2, "ingested"))
    assert crew.share.gold("d", replace(RULE, every=2)).samples == 1
    assert key.id not in crew.work("li")
    assert key.id in crew.work("ana")


def test_gold_samples_of_a_person_wait_for_no_review(pool: Crew) -> None:
    """Their answers are known; all other samples are reviewed as ever."""
    pool.work("ana")
    pool.work("ben")
    found = {row.key.id for row in review(pool).queue(pool.people["li"])}
    assert found == {str(number) for number in range(1, 21)} - set(GOLD)


def test_a_gold_sample_is_never_escalated(crew: Crew) -> None:
    """Neither after a check, nor on demand, although kim and ben differ in it."""
    key, zoe = SampleKey("d", "7"), crew.annotating.people.local("zoe").id
    crew.annotating.finish(crew.people["ben"], key, seconds=1)
    crew.share.pool("d", Pool(1, "ingested"))
    crew.share.gold("d", replace(RULE, samples=["7"], every=2), answers="kim")
    crew.share.give("d", ["zoe"], AssignmentOptions(), ids=["20"])
    crew.share.escalate("d", Escalation(DisagreementRule.DIFFER))
    assert key.id in crew.work("ana")
    report = crew.share.escalate("d", now=True)
    assert (report.added, report.waiting) == (0, 0)
    with AssignmentStore(crew.database).reading() as reading:
        assert key not in {each.key for each in reading.held(person=zoe) if not each.gold}


def test_gold_samples_are_not_assigned_as_others_are(crew: Crew) -> None:
    """By name they are refused; the pool has no place for them, now or when it is made later."""
    crew.share.gold("d", RULE, answers="kim")
    with pytest.raises(Conflict):
        crew.share.give("d", ["ana"], AssignmentOptions(), ids=["3"])
    assert crew.share.pool("d", Pool(2, "ingested"), dry_run=True).waiting == 16
    crew.share.pool("d", Pool(2, "ingested"))
    (work,) = ProgressReader(WorkStatisticsStore(crew.database), dict).figures().forecast
    assert work.remaining == 32
    crew.share.undo(1)
    assert [each.waiting for each in crew.share.show().rules] == [20]


def test_moved_and_undone_assignments_leave_no_gold_samples_alone(crew: Crew) -> None:
    """A person who had only gold samples left would know what they are."""
    crew.share.gold("d", RULE, answers="kim")
    crew.share.give("d", ["ana"], AssignmentOptions(count="9"))
    done = crew.work("ana", steps=5)
    moved = crew.share.move("ana", ["ben"])
    assert crew.work("ana") == []
    theirs = crew.work("ben")
    assert len(theirs) == moved.samples
    assert not set(theirs) & {*done, *GOLD}
    crew.share.give("d", ["li"], AssignmentOptions(count="4"))
    assert crew.share.undo().withdrawn == 4
    assert crew.work("li") == []
    crew.share.give("d", ["li"], AssignmentOptions(count="4"))
    crew.share.give("d", ["li"], AssignmentOptions(count="3"))
    assert crew.share.undo().withdrawn == 3
    assert set(crew.work("li")) & set(GOLD)


def test_undone_gold_keeps_begun_checks_apart(pool: Crew) -> None:
    """Even with all samples in progress, their work never becomes real work."""
    taken = pool.work("ana", steps=9)
    begun = len(set(taken) & set(GOLD))
    assert begun
    undone = pool.share.undo(include_started=True)
    assert (undone.withdrawn, undone.kept) == (0, begun)
    assert not {(pool.people["ana"], name) for name in GOLD} & pool.records()
    rest = pool.work("ana")
    assert set(taken) | set(rest) == {str(number) for number in range(1, 21)}


def test_gold_needs_answers(crew: Crew) -> None:
    """Of a person or an origin that has some, in each named sample; no rule is half made."""
    with pytest.raises(NotReady):
        crew.share.gold("d", RULE)
    with pytest.raises(NotReady):
        crew.share.gold("d", RULE, answers="imported")
    with pytest.raises(NotReady, match="'4'"):
        crew.share.gold("d", replace(RULE, samples=["3", "4"]), answers="kim")
    with pytest.raises(NotFound):
        crew.share.gold("d", replace(RULE, samples=["x"]), answers="kim")
    with pytest.raises(NotFound):
        crew.share.gold("none", RULE, answers="kim")
    assert crew.share.show().rules == ()
    tried = crew.share.gold("d", replace(RULE, samples=["3"]), answers="kim", dry_run=True)
    assert (tried.samples, tried.batch) == (1, 0)
    assert crew.share.show().batches == ()
    made = crew.share.gold("d", replace(RULE, samples=["3"]), answers="kim")
    assert (made.samples, made.batch) == (1, 1)
    with pytest.raises(Conflict):
        crew.share.practice("d", ["ana"], gold="kim")


def test_nothing_is_a_known_answer_of_an_import_if_someone_completed_it(crew: Crew) -> None:
    """Without a state, no one knows whether someone read the sample."""
    robin = Person("robin", "robin", PersonKind.IMPORTED)
    store = crew.annotating.store
    for name, state in {"13": State.DONE, "12": State.NEW}.items():
        found = crew.annotating.corpus.sample(SampleKey("d", name)).sample
        work = (Assignment(robin.id, state),)
        store.import_records([Record(found, people=(robin,), assignments=work)])
    with pytest.raises(NotReady, match="'12'"):
        crew.share.gold("d", replace(RULE, samples=["13", "12"]), answers="imported")
    made = crew.share.gold("d", replace(RULE, samples=["13"], every=2), answers="imported")
    assert made.samples == 1
    crew.share.give("d", ["ana"], AssignmentOptions(count="6"))
    assert "13" in crew.work("ana")
    assert crew.accuracy()["ana"] == (1, 1.0)


def test_a_practice_dataset_has_no_gold_samples(crew: Crew) -> None:
    """Its answers are shown, so they can check nobody."""
    crew.share.practice("d", ["ana"], gold="kim")
    with pytest.raises(Conflict):
        crew.share.gold("d", RULE, answers="kim")


def test_second_readings_have_gold_samples_among_them(pool: Crew) -> None:
    """Samples that never come again would be known; the second work on them is no real work."""
    pool.work("ana")
    before = pool.accuracy()
    again = pool.share.repeat("d", ["ana"], AssignmentOptions(count="all"))
    assert again.samples == 20
    second = f"{pool.people['ana']}~2"
    pool.people["again"] = second
    assert set(pool.work("again")) == {str(number) for number in range(1, 21)}
    assert {name for who, name in pool.records() if who == second}.isdisjoint(GOLD)
    assert pool.accuracy() == before


def test_undone_second_readings_leave_no_gold_samples(pool: Crew) -> None:
    """Those of the batch go with the others."""
    pool.work("ana")
    again = pool.share.repeat("d", ["ana"], AssignmentOptions(count="all"))
    pool.share.undo(again.batch)
    pool.people["again"] = f"{pool.people['ana']}~2"
    assert pool.work("again") == []
