"""A guesser who knows ids, sources, scores and positions finds gold samples only by chance."""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.helpers.stores import SEGMENTER, annotate, claim, new, new_database, sample
from tui_annotate.domain.adjudication import RejectionReason
from tui_annotate.domain.adjudication_history import LOCKED_CODE
from tui_annotate.domain.assignment_plan import AssignmentOptions, AssignmentOrder
from tui_annotate.domain.assignment_rules import Gold, Pool
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict, NotAllowed
from tui_annotate.domain.people import OPERATOR, Actor, Person, PersonKind, Role
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.assignments import AssignmentService
from tui_annotate.services.progress import ProgressReader
from tui_annotate.services.review import ReviewService
from tui_annotate.storage.assignments.pools import take_from_pool
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.labels.store import GuidanceStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.queue_orders import RankedSample, sort_value_of
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.work_statistics import WorkStatisticsStore

SIZE, EVERY = 160, 5
NAMES = [f"s{at}" for at in range(SIZE)]
KNOWN = [at + random.Random(at).randrange(5) for at in range(0, SIZE, 5)]
SCORE = [random.Random(at).random() for at in range(SIZE)]
PEOPLE = ("ana", "ben", "li")
BOUND = 3.0
"""Hits above the expected number, in standard deviations, that no guesser may reach."""

Value = Callable[[int], float]
HASHED = sort_value_of("random:1")
VALUES: dict[str, Value] = {
    "ingest": float,
    "id": lambda at: sorted(NAMES).index(NAMES[at]),
    "source": lambda at: at % 8,
    "score": lambda at: SCORE[at],
    "random:1": lambda at: HASHED(RankedSample(at + 1, 1, "d", NAMES[at])),
}


@dataclass
class Study:
    database: SqliteDatabase
    annotating: AnnotationService
    share: AssignmentService
    people: dict[str, str]

    def complete(self, person: str) -> None:
        """A person completes all samples in the order of the queue, with one mark in each."""
        who = self.people[person]
        for at in self.queue(person):
            key = SampleKey("d", NAMES[at])
            self.annotating.add(who, key, claim(f"{person} {at}", 0, 7), seconds=0)
            self.annotating.finish(who, key, seconds=0)

    def locked(self, person: str) -> set[int]:
        """The places in the queue at which a person sees that the work is locked."""
        who, store = self.people[person], self.annotating.store
        keys = [SampleKey("d", NAMES[at]) for at in self.queue(person)]
        return {at for at, key in enumerate(keys) if store.work_lock(who, key).locked}

    def judge(self) -> ReviewService:
        stores = (self.annotating.corpus, self.annotating.store, self.annotating.people)
        return ReviewService(*stores, GuidanceStore(self.database))

    def adjudicate(self, at: int) -> None:
        """A reviewer accepts all that the annotators of a sample marked."""
        review, rea, key = self.judge(), self.people["rea"], SampleKey("d", NAMES[at])
        seen = review.open(rea, key).seen
        review.finish(rea, key, rest=RejectionReason.SLIP, seen=seen, seconds=0)

    def taken(self, person: str) -> list[int]:
        """What a person takes from the pool, one sample after the other."""
        found = []
        with self.database.writing() as connection:
            while key := take_from_pool(connection, self.people[person]):
                found.append(NAMES.index(key.id))
        return found

    def queue(self, person: str) -> list[int]:
        """The samples of a person in the order of the queue."""
        with AssignmentStore(self.database).reading() as store:
            return [NAMES.index(each.key.id) for each in store.held(person=self.people[person])]

    def gold(self, person: str) -> set[int]:
        """The gold samples of a person."""
        with AssignmentStore(self.database).reading() as store:
            held = store.held(person=self.people[person])
            return {NAMES.index(each.key.id) for each in held if each.gold}

    def adjudicate_all(self) -> None:
        for row in self.judge().queue(self.people["rea"]):
            if not row.settled:
                self.adjudicate(NAMES.index(row.key.id))


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    """Kim answered 32 of 160 samples, one in each five; there are eight sources."""
    database = new_database(tmp_path)
    annotating = annotate(database)
    made = [
        replace(
            sample(name, source=f"Source {at % 8}.", summary=f"It cost {at} pounds, or so."),
            meta={"n": SCORE[at]},
        )
        for at, name in enumerate(NAMES)
    ]
    annotating.corpus.add([new(each) for each in made], segmenter=SEGMENTER)
    people = {name: f"id of {name}" for name in (*PEOPLE, "kim", "rea")}
    for name, who in people.items():
        annotating.people.keep(Person(who, name, PersonKind.LOCAL))
    for at in KNOWN:
        key = SampleKey("d", NAMES[at])
        annotating.add(people["kim"], key, claim(f"k{at}", 0, 10), seconds=0)
        annotating.finish(people["kim"], key, seconds=0)
    share = AssignmentService(
        AssignmentStore(database), annotating.people, lambda _: None, OPERATOR
    )
    yield Study(database, annotating, share, people)
    database.close()


def rising(values: Sequence[float]) -> set[int]:
    """The indices of a longest increasing subsequence."""
    ends: list[float] = []
    at_end: list[int] = []
    before = [-1] * len(values)
    for at, value in enumerate(values):
        place = bisect_left(ends, value)
        before[at] = at_end[place - 1] if place else -1
        ends[place : place + 1] = [value]
        at_end[place : place + 1] = [at]
    found, at = set(), at_end[-1] if at_end else -1
    while at >= 0:
        found.add(at)
        at = before[at]
    return found


def guesses(queue: Sequence[int]) -> dict[str, set[int]]:
    """By rule the places in a queue where a guesser expects gold samples."""
    places = set(range(len(queue)))
    found = {f"{rest} of {EVERY}": {at for at in places if at % EVERY == rest} for rest in range(5)}
    for name, value in VALUES.items():
        values = [value(at) for at in queue]
        found[f"not rising {name}"] = places - rising(values)
        found[f"not falling {name}"] = places - rising([-each for each in values])
        by_value = sorted(places, key=lambda at: values[at])
        few = len(queue) // EVERY
        found[f"lowest {name}"], found[f"highest {name}"] = (
            set(by_value[:few]),
            set(by_value[-few:]),
        )
        steps = [abs(values[at] - values[at - 1]) for at in range(1, len(queue))]
        jumps = sorted(range(1, len(queue)), key=lambda at: -steps[at - 1])
        found[f"jump of {name}"] = set(jumps[:few])
    return found


def check_by_chance(runs: Sequence[tuple[list[int], set[int]]]) -> None:
    """No rule finds more gold samples in all queues together than chance does."""
    assert runs
    for rule in guesses(runs[0][0]):
        above, variance = 0.0, 0.0
        for queue, gold in runs:
            guess = guesses(queue)[rule]
            size, count, drawn = len(queue), len(gold), len(guess)
            hits = sum(queue[at] in gold for at in guess)
            above += hits - drawn * count / size
            rest = (size - count) * (size - drawn)
            variance += drawn * count * rest / (size * size * (size - 1))
        assert above <= BOUND * math.sqrt(variance), rule


def check_share(runs: Sequence[tuple[list[int], set[int]]]) -> None:
    """One sample in every five is gold as long as there are gold samples; none is twice."""
    for queue, gold in runs:
        assert len(set(queue)) == len(queue)
        assert abs(len(gold) - min(len(queue) / EVERY, len(KNOWN))) <= 1


def test_the_guesser_finds_gold_samples_in_an_order_that_is_not_random() -> None:
    """The rules above name those that were mixed into samples in order of import."""
    gold = set(KNOWN[20:])
    queue = [at for at in range(100) if at not in KNOWN]
    for place, at in enumerate(sorted(gold, reverse=True)):
        queue.insert(place * EVERY, at)
    with pytest.raises(AssertionError):
        check_by_chance([(queue, gold)])


@pytest.mark.parametrize("overlap", [1, 3])
def test_a_pool_shows_nothing_in_any_order(study: Study, overlap: int) -> None:
    """Each order of the pool gives the same random sequence; people's sequences differ."""
    study.share.gold("d", Gold((), every=EVERY, seed="known to no one"), answers="kim")
    sequences = []
    for order in ("by-source", "ingested", "random:1", "worst:s", "best:s", "uncertain:s"):
        made = study.share.pool("d", Pool(overlap, order))
        with study.database.writing() as connection:
            ana = study.people["ana"]
            firsts = [take_from_pool(connection, ana) for _ in range(30)]
            sequences.append([key.id for key in firsts if key])
            connection.rollback()
        if order != "uncertain:s":
            study.share.undo(made.batch)
        assert made.shuffled is not order.startswith("random")
    assert all(each == sequences[0] for each in sequences)
    runs = []
    for name in PEOPLE:
        taken = study.taken(name)
        assert taken == study.queue(name)
        if taken:
            runs.append((taken, study.gold(name)))
    check_by_chance(runs)
    check_by_chance([(queue[: len(queue) // 2], gold) for queue, gold in _halved(runs)])
    check_share(runs[:1])


def _halved(
    runs: Sequence[tuple[list[int], set[int]]],
) -> list[tuple[list[int], set[int]]]:
    return [(queue, gold & set(queue[: len(queue) // 2])) for queue, gold in runs]


@pytest.mark.parametrize("order", list(AssignmentOrder))
def test_assigned_batches_and_top_ups_show_nothing(study: Study, order: AssignmentOrder) -> None:
    """A batch, and top-ups of different sizes after it."""
    study.share.gold("d", Gold((), every=EVERY, seed="known to no one"), answers="kim")
    score = "n" if order is AssignmentOrder.SCORE else ""
    options = AssignmentOptions("75", 3, order, seed="1")
    made = study.share.give("d", PEOPLE, options, score=score)
    assert made.shuffled is (order is not AssignmentOrder.RANDOM)
    first = [(study.queue(name), study.gold(name)) for name in PEOPLE]
    check_by_chance(first)
    check_share(first)
    for number in (76, 82, 95):
        study.share.top_up("d", PEOPLE, replace(options, count="all"), open=number, score=score)
    runs = [(study.queue(name), study.gold(name)) for name in PEOPLE]
    assert all(
        len(queue) > len(before) for (queue, _), (before, _) in zip(runs, first, strict=True)
    )
    check_by_chance(runs)
    check_share(runs)


def test_samples_that_are_named_get_no_gold_samples(study: Study) -> None:
    """Their ids can have something in common that gold samples lack."""
    study.share.gold("d", Gold((), every=EVERY), answers="kim")
    named = [NAMES[at] for at in range(60) if at not in KNOWN]
    made = study.share.give(
        "d", ["ana"], AssignmentOptions(order=AssignmentOrder.INGESTED), ids=named
    )
    assert (made.gold, made.shuffled) == (0, False)
    assert [NAMES[at] for at in study.queue("ana")] == named


def test_a_rule_without_a_seed_gets_a_secret_one(study: Study) -> None:
    """It differs each time, so that knowing the program is not enough to compute the places."""
    queues = []
    for _ in range(2):
        rule = study.share.gold("d", Gold((), every=EVERY), answers="kim")
        made = study.share.give("d", ["ana"], AssignmentOptions("40"))
        queues.append(study.queue("ana"))
        study.share.undo(made.batch)
        study.share.undo(rule.batch)
    assert queues[0] != queues[1]


def test_gold_samples_from_one_part_of_a_dataset_are_reported(study: Study) -> None:
    """Their ids give them away, whatever the order; samples from all parts do not."""
    known = [NAMES[at] for at in KNOWN]
    for samples, recognisable in ((known, False), (known[::4], False), (known[:8], True)):
        rule = Gold(samples, every=EVERY)
        assert study.share.gold("d", rule, answers="kim").recognizable is recognisable


def test_undone_batches_leave_no_gold_samples_at_the_end(study: Study) -> None:
    """Gold samples that no other sample follows would be known."""
    study.share.gold("d", Gold((), every=EVERY), answers="kim")
    study.share.give("d", ["ana"], AssignmentOptions("20"))
    second = study.share.give("d", ["ana"], AssignmentOptions("20"))
    study.share.undo(second.batch)
    assert study.queue("ana")[-1] not in study.gold("ana")


def lock_guesses(size: int, before: set[int], now: set[int]) -> dict[str, set[int]]:
    """By rule the places where a guesser expects gold samples, from two looks at the locks."""
    places, new = set(range(size)), sorted(now - before)
    unlocked = places - now
    return {
        "locked": now,
        "open": unlocked,
        "newly locked": set(new),
        "first of the newly locked": set(new[:1]),
        "last of the newly locked": set(new[-1:]),
        "after a sample that was locked with it": {at for at in new if at - 1 in new},
        "before a sample that was locked with it": {at for at in new if at + 1 in new},
        "locked alone": {at for at in now if {at - 1, at + 1} <= unlocked},
        "locked after a locked sample": {at for at in now if at - 1 in now},
        "open after a locked sample": {at for at in unlocked if at - 1 in now},
        "open among locked samples": {at for at in unlocked if {at - 1, at + 1} <= now},
    }


def check_hits(found: Sequence[tuple[int, int, int, int]]) -> None:
    """Guesses (size, gold samples, guesses, hits) together are no better than chance."""
    above = sum(hits - drawn * count / size for size, count, drawn, hits in found)
    variance = sum(
        drawn * count * (size - count) * (size - drawn) / (size * size * (size - 1))
        for size, count, drawn, _ in found
    )
    assert above <= BOUND * math.sqrt(variance)


@pytest.mark.parametrize("order", ["as completed", "random", "as imported"])
def test_the_locks_of_adjudicated_samples_show_nothing(study: Study, order: str) -> None:
    """Neither what is locked at one time, nor what each single adjudication locks."""
    study.share.gold("d", Gold((), every=EVERY, seed="known to no one"), answers="kim")
    study.share.give("d", PEOPLE, AssignmentOptions("30", 1))
    queues = {name: study.queue(name) for name in PEOPLE}
    gold = {
        name: {at for at, each in enumerate(queues[name]) if each in study.gold(name)}
        for name in PEOPLE
    }
    for name in PEOPLE:
        study.complete(name)
    ordinary = [each for name in PEOPLE for each in queues[name] if each not in KNOWN]
    if order == "random":
        random.Random(1).shuffle(ordinary)
    if order == "as imported":
        ordinary.sort()
    locked: dict[str, set[int]] = {name: set() for name in PEOPLE}
    single: dict[str, list[tuple[int, int, int, int]]] = {}
    for count, each in enumerate(ordinary, 1):
        study.adjudicate(each)
        (owner,) = [name for name in PEOPLE if each in queues[name] and each not in KNOWN]
        now, size = study.locked(owner), len(queues[owner])
        assert queues[owner].index(each) in now
        for rule, guess in lock_guesses(size, locked[owner], now).items():
            one = (size, len(gold[owner]), len(guess), len(guess & gold[owner]))
            if "newly" in rule or "with it" in rule:
                single.setdefault(rule, []).append(one)
            elif count in (len(ordinary) // 4, len(ordinary) // 2, len(ordinary) * 3 // 4):
                check_hits([one])
        locked[owner] = now
    for hits in single.values():
        check_hits(hits)
    assert locked == {name: set(range(len(queues[name]))) for name in PEOPLE}


def test_an_adjudicated_dataset_treats_gold_samples_like_others(study: Study) -> None:
    """Edits, outcomes, history, export and statistics of an annotator, and a reopening."""
    study.share.gold("d", Gold((), every=EVERY, seed="known to no one"), answers="kim")
    study.share.give("d", ["ana"], AssignmentOptions("20", 1))
    study.complete("ana")
    ana, rea = study.people["ana"], study.people["rea"]
    actor = Actor(ana, Role.ANNOTATOR)
    queue, gold = study.queue("ana"), study.gold("ana")
    keys = [SampleKey("d", NAMES[at]) for at in queue]
    statistics = ProgressReader(WorkStatisticsStore(study.database, actor=actor), dict)
    figures = statistics.figures()
    corpus = CorpusStore(study.database, actor=actor)
    before = list(corpus.records(RecordFilter()))
    for at in [each for each in queue if each not in gold][::3]:
        study.adjudicate(at)
    locked = study.locked("ana")
    assert locked & {queue.index(at) for at in gold}
    for place, key in enumerate(keys):
        assert study.judge().adjudication_notice(ana, key) is None
        if place in locked:
            with pytest.raises(NotAllowed, check=lambda error: error.code == LOCKED_CODE):
                study.annotating.add(ana, key, claim(f"late {place}", 8, 10), seconds=0)
            assert study.annotating.open(ana, key).lock.locked
        else:
            study.annotating.comment(ana, key, "open", seconds=0)
            study.annotating.undo(ana)
    assert AnnotationStore(study.database, actor=actor).adjudications().samples == {}
    after = {each.sample.key: each for each in corpus.records(RecordFilter())}
    for record in before:
        if record.sample.key in keys and keys.index(record.sample.key) in locked:
            assert after[record.sample.key] == record
    assert statistics.figures() == figures
    one = next(place for place in sorted(locked) if queue[place] in gold)
    two = next(place for place in sorted(locked) if queue[place] not in gold)
    for place in (one, two):
        study.judge().reopen_work(rea, keys[place], reason="look again", person=ana)
        lock = study.annotating.open(ana, keys[place]).lock
        assert (lock.locked, lock.reopened) == (False, "look again")
        study.annotating.add(ana, keys[place], claim(f"late {place}", 8, 10), seconds=0)
        study.annotating.finish(ana, keys[place], seconds=0)
        assert study.annotating.open(ana, keys[place]).lock.locked


def test_second_readings_after_an_adjudication_show_nothing(study: Study) -> None:
    """Samples of locked groups are not assigned again, so that no gold samples are left over."""
    study.share.gold("d", Gold((), every=EVERY, seed="known to no one"), answers="kim")
    study.share.give("d", PEOPLE, AssignmentOptions("90", 1))
    runs = []
    for name in PEOPLE:
        study.complete(name)
        queue, gold = study.queue(name), study.gold(name)
        for at in [each for each in queue if each not in gold][: len(queue) // 3]:
            study.adjudicate(at)
        study.share.repeat("d", [name], AssignmentOptions("all"))
        with AssignmentStore(study.database).reading() as store:
            held = store.held(person=f"{study.people[name]}~2")
        again = {NAMES.index(each.key.id) for each in held}
        assert again
        runs.append((len(queue), len(gold), len(again), len(again & gold)))
    check_hits(runs)
    study.adjudicate_all()
    assert study.share.repeat("d", ["ana"], AssignmentOptions("all")).samples == 0


def test_without_gold_samples_only_adjudicated_samples_are_locked(study: Study) -> None:
    """Their annotators also see the outcome, which would name the gold samples."""
    study.share.give("d", ["ana"], AssignmentOptions("20", 1))
    study.complete("ana")
    first = study.queue("ana")[0]
    study.adjudicate(first)
    assert study.locked("ana") == {0}
    key, ana = SampleKey("d", NAMES[first]), study.people["ana"]
    assert study.judge().adjudication_notice(ana, key) is not None
    rule = study.share.gold("d", Gold((), every=EVERY), answers="kim")
    assert study.judge().adjudication_notice(ana, key) is None
    study.share.undo(rule.batch)
    assert study.judge().adjudication_notice(ana, key) is not None


@dataclass
class Guesser:
    """Li, who looks at the own queue, header and locks while the review goes on."""

    study: Study
    who: str

    @property
    def keys(self) -> list[SampleKey]:
        with AssignmentStore(self.study.database).reading() as store:
            return [each.key for each in store.held(person=self.who)]

    def reached(self, find: Callable[[SampleKey | None], SampleKey | None]) -> list[str]:
        """The samples to which a key leads one after the other, until the first comes again."""
        found: list[str] = []
        key = find(None)
        while key and key.id not in found:
            found.append(key.id)
            key = find(key)
        return found

    def look(self) -> tuple[object, ...]:
        """All that the program shows of work that is not completed."""
        on, who = self.study.annotating, self.who
        shown = on.open(who, self.keys[0])
        progress = ProgressReader(
            WorkStatisticsStore(self.study.database, actor=Actor(who, Role.ANNOTATOR)), dict
        ).figures()
        return (
            self.reached(lambda key: on.next_unfinished(who, key)),
            self.reached(lambda key: on.next_skipped(who, key)),
            (shown.completed, shown.possible, shown.skipped, shown.flagged, shown.locked),
            [(each.key, each.state) for each in on.line.page(who, order="ingested").rows],
            progress.work,
            progress.forecast,
        )

    def locked(self) -> set[int]:
        store = self.study.annotating.store
        return {at for at, key in enumerate(self.keys) if store.work_lock(self.who, key).locked}

    def complete_rest(self) -> None:
        for key in self.keys:
            if self.study.annotating.open(self.who, key).assignment.state is not State.DONE:
                self.study.annotating.finish(self.who, key, seconds=0)


Habit = Callable[[Study, str, SampleKey, int], None]


def skip(study: Study, who: str, key: SampleKey, at: int) -> None:  # noqa: ARG001  a Habit
    study.annotating.skip(who, key, seconds=0)


def skip_some(study: Study, who: str, key: SampleKey, at: int) -> None:
    (skip if at % 3 == 1 else complete)(study, who, key, at)


def flag_some(study: Study, who: str, key: SampleKey, at: int) -> None:
    if at % 3 == 1:
        study.annotating.flag(who, key, reason="odd", seconds=0)
    else:
        complete(study, who, key, at)


def begin_some(study: Study, who: str, key: SampleKey, at: int) -> None:
    if at % 3 == 1:
        study.annotating.add(who, key, claim(f"begun {at}", 8, 10), seconds=0)
    else:
        complete(study, who, key, at)


def leave_some(study: Study, who: str, key: SampleKey, at: int) -> None:
    if at % 3 != 1:
        complete(study, who, key, at)


def reopen_some(study: Study, who: str, key: SampleKey, at: int) -> None:
    complete(study, who, key, at)
    if at % 3 == 1:
        study.annotating.add(who, key, claim(f"again {at}", 8, 10), seconds=0)


def complete(study: Study, who: str, key: SampleKey, at: int) -> None:
    study.annotating.add(who, key, claim(f"li {at}", 0, 7), seconds=0)
    study.annotating.finish(who, key, seconds=0)


@pytest.mark.parametrize("order", ["random", "as imported"])
@pytest.mark.parametrize("habit", [skip, skip_some, flag_some, begin_some, leave_some, reopen_some])
def test_unfinished_work_shows_nothing_and_can_be_completed(
    study: Study, habit: Habit, order: str
) -> None:
    """It stays where it was, after each adjudication; completed work is locked in groups."""
    study.share.gold("d", Gold((), every=EVERY, seed="known to no one"), answers="kim")
    study.share.give("d", PEOPLE, AssignmentOptions("20", 3))
    for name in ("ana", "ben"):
        study.complete(name)
    li = Guesser(study, study.people["li"])
    for at, key in enumerate(li.keys):
        habit(study, li.who, key, at)
    done = {
        at
        for at, key in enumerate(li.keys)
        if study.annotating.open(li.who, key).assignment.state is State.DONE
    }
    queue, gold = study.queue("li"), study.gold("li")
    before = li.look()
    ordinary = sorted(set(queue) - gold)
    if order == "random":
        random.Random(1).shuffle(ordinary)
    reviewed: set[int] = set()
    review, rea = study.judge(), study.people["rea"]
    for each in ordinary:
        key = SampleKey("d", NAMES[each])
        if review.open(rea, key).refused:
            review.allow(rea, key, reason="li is late")
        study.adjudicate(each)
        reviewed.add(queue.index(each) // 5)
        assert li.look() == before
        assert li.locked() == {at for at in done if at // 5 in reviewed}
    assert study.share.repeat("d", ["li"], AssignmentOptions("all")).samples == len(queue) - len(
        done
    )
    li.complete_rest()
    shown = study.annotating.open(li.who, li.keys[0])
    assert (shown.completed, shown.possible, shown.locked) == (len(queue), len(queue), 0)
    assert li.look()[:2] == ([], [])
    assert li.locked() == set(range(len(queue)))
    (row,) = [row for row in study.share.show().progress if row.person == li.who]
    assert (row.completed, row.open, row.locked, row.locked_completed) == (
        *(len(queue), 0, 0),
        len(queue),
    )


def test_open_second_readings_show_nothing_and_can_be_completed(study: Study) -> None:
    """Adjudicated samples and gold samples are both left to read a second time."""
    study.share.gold("d", Gold((), every=EVERY, seed="known to no one"), answers="kim")
    study.share.give("d", PEOPLE, AssignmentOptions("20", 3))
    for name in PEOPLE:
        study.complete(name)
    study.share.repeat("d", ["li"], AssignmentOptions("10"))
    second = Guesser(study, f"{study.people['li']}~2")
    first, *_ = second.keys
    complete(study, second.who, first, 0)
    before = second.look()
    for each in sorted(set(study.queue("li")) - study.gold("li")):
        study.adjudicate(each)
        assert second.look() == before
    li = Person(study.people["li"], "li", PersonKind.LOCAL)
    left = len(second.keys) - 1
    assert study.annotating.line.find_reopened(li) == left > 0
    second.complete_rest()
    assert study.annotating.line.find_reopened(li) == 0
    assert second.locked() == set(range(len(second.keys)))


def test_admins_see_who_skipped_gold_samples(study: Study) -> None:
    """Li completed no gold sample, and is listed all the same."""
    study.share.gold("d", Gold((), every=EVERY, seed="known to no one"), answers="kim")
    study.share.give("d", ["ana", "li"], AssignmentOptions("20", 2))
    study.complete("ana")
    li = Guesser(study, study.people["li"])
    for at, key in enumerate(li.keys):
        skip(study, li.who, key, at)

    def skipped(role: Role) -> dict[str, int]:
        store = WorkStatisticsStore(study.database, actor=Actor("x", role))
        found = ProgressReader(store, dict).figures().skipped_checks
        return {each.person: each.skipped for each in found}

    assert skipped(Role.ADMIN) == {li.who: len(study.gold("li"))}
    assert skipped(Role.REVIEWER) == {}


def test_work_that_is_locked_with_its_group_can_be_reopened(study: Study) -> None:
    """By the letter on the screen, and by name; a request without a person names the people."""
    study.share.gold("d", Gold((), every=EVERY, seed="known to no one"), answers="kim")
    study.share.give("d", PEOPLE, AssignmentOptions("20", 3))
    study.complete("li")
    li, rea, review = Guesser(study, study.people["li"]), study.people["rea"], study.judge()
    gold = study.gold("li")
    first, other = [at for at in study.queue("li")[:5] if at not in gold][:2]
    review.allow(rea, SampleKey("d", NAMES[first]), reason="others are late")
    study.adjudicate(first)
    key = SampleKey("d", NAMES[other])
    with pytest.raises(NotAllowed, match=f"your work on sample {key} is locked by a review"):
        study.annotating.comment(li.who, key, "late", seconds=0)
    with pytest.raises(Conflict, match="locked with other samples, of: li"):
        review.reopen_work(rea, key, reason="look again")
    (letter,) = review.open(rea, key).locked_people
    assert review.reopen_work(rea, key, reason="look again", letter=letter) == (li.who,)
    assert study.annotating.open(li.who, key).lock.reopened == "look again"
    assert review.open(rea, key).locked_people == ()
