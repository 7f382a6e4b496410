"""The queue: every order is a walk over all samples, and counts agree with the walk."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from sqlalchemy import Connection

from tests.helpers.effort import example_limit
from tests.helpers.errors import has_code
from tests.helpers.stores import SEGMENTER, annotate, claim, fill, new, new_database, sample
from tui_annotate.domain.assignment_rules import AssignmentCause
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.storage import queue_orders
from tui_annotate.storage.assignments.assignment_rows import AssignedRow
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.queue import QueueStore
from tui_annotate.storage.scores.store import ScoreStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.statements import sample_row

ORDERS = ["by-source", "ingested", "random:7"]


def walk(queue: QueueStore, order: str) -> list[SampleKey]:
    """All samples, by steps of one from the first row."""
    page = queue.page("nobody", order=order, limit=1)
    key = page.rows[0].key if page.rows else None
    steps = []
    while key is not None:
        steps.append(key)
        key = queue.neighbour("nobody", key, 1, order=order)
    return steps


class Queues(RuleBasedStateMachine):
    """Samples come and go and are finished, and every order stays true."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self.database = new_database(Path(self._folder.name))
        self.corpus = CorpusStore(self.database)
        self.queue = QueueStore(self.database)
        self.deeds = annotate(self.database)
        self.person = PeopleStore(self.database).local("ana").id
        self.there: dict[SampleKey, str] = {}
        self.finished: set[SampleKey] = set()
        self.count = self.walked = self.runs = 0
        self.orders = list(ORDERS)
        self.said: dict[SampleKey, float] = {}

    def teardown(self) -> None:
        """Closes the store."""
        self.database.close()
        self._folder.cleanup()

    @rule(
        sources=st.lists(st.sampled_from("abc"), min_size=1, max_size=4),
        dataset=st.sampled_from("de"),
    )
    def come(self, sources: list[str], dataset: str) -> None:
        """A batch of samples over few sources."""
        batch = []
        for source in sources:
            self.count += 1
            made = sample(str(self.count), dataset=dataset, source=source, summary=str(self.count))
            self.there[made.key] = source
            batch.append(new(made))
        self.corpus.add(batch, segmenter=SEGMENTER)

    @precondition(lambda self: self.there)
    @rule(draw=st.randoms(use_true_random=False), finish=st.booleans())
    def work(self, draw: random.Random, *, finish: bool) -> None:
        """One is finished, or taken up again."""
        key = draw.choice(sorted(self.there))
        if finish:
            self.deeds.skip(self.person, key, seconds=0)
            self.finished.add(key)
        elif key in self.finished:
            self.deeds.undo(self.person)
            self.finished = {
                row.key
                for row in self.queue.page(self.person, order="ingested").rows
                if row.state.finished
            }

    @precondition(lambda self: self.there)
    @rule(draw=st.randoms(use_true_random=False))
    def go(self, draw: random.Random) -> None:
        """Some are taken out."""
        gone = draw.sample(sorted(self.there), k=min(2, len(self.there)))
        self.corpus.remove_samples(gone, with_annotations=True)
        for key in gone:
            del self.there[key]
            self.said.pop(key, None)
            self.finished.discard(key)

    @precondition(lambda self: self.there)
    @rule(draw=st.randoms(use_true_random=False))
    def score(self, draw: random.Random) -> None:
        """A machine gives its opinion on some of a dataset, and takes back what it said before."""
        dataset = draw.choice(sorted(self.there)).dataset
        mine = [key for key in sorted(self.there) if key.dataset == dataset]
        self.runs += 1
        said = {key: draw.choice([0.0, 0.5, 1.0]) for key in mine if draw.random() < 0.7}
        run = ScoreRun(
            id=str(self.runs),
            kind=RunKind.SCORE,
            maker="m",
            dataset=dataset,
            at=f"{self.runs:04}",
        )
        scores = [Score(key=key, name="q", value=value) for key, value in said.items()]
        ScoreStore(self.database).write(run, scores)
        others = {key: value for key, value in self.said.items() if key.dataset != dataset}
        self.said = {**others, **said}
        self.orders = [*ORDERS, "worst:q", "best:q"] if self.said else list(ORDERS)

    @precondition(lambda self: len(self.orders) > len(ORDERS))
    @invariant()
    def the_worst_come_first(self) -> None:
        """Then the better; what nothing is said of comes last; the best come the other way."""
        for order, sign in (("worst:q", 1), ("best:q", -1)):
            steps = [row.key for row in self.queue.page(self.person, order=order).rows]
            values = [sign * self.said[key] for key in steps if key in self.said]
            assert values == sorted(values)
            assert all(key in self.said for key in steps[: len(self.said)])

    @invariant()
    def every_order_is_a_walk_over_all(self) -> None:
        """Each sample once; step by step in one of the orders, another each time."""
        for order in self.orders:
            rows = self.queue.page(self.person, order=order).rows
            assert sorted(row.key for row in rows) == sorted(self.there)
        self.walked += 1
        self._walk(self.orders[self.walked % len(self.orders)])

    def _walk(self, order: str) -> None:
        """Each has its position, and the next unfinished is the walk's next."""
        steps = walk(self.queue, order)
        rows = self.queue.page(self.person, order=order).rows
        assert [row.key for row in rows] == steps
        for place, key in enumerate(steps):
            standing = self.queue.queue_status(self.person, key, order=order)
            assert (standing.position, standing.total) == (place + 1, len(steps))
            assert standing.finished == len(self.finished)
            around = [*steps[place + 1 :], *steps[: place + 1]]
            following = next((each for each in around if each not in self.finished), None)
            assert self.queue.next_unfinished(self.person, key, order=order) == following
        first = next((each for each in steps if each not in self.finished), None)
        assert self.queue.next_unfinished(self.person, None, order=order) == first

    @invariant()
    def sources_stay_together(self) -> None:
        """All summaries of one source stand side by side."""
        rows = self.queue.page(self.person, order="by-source").rows
        sources = [self.there[row.key] for row in rows]
        runs = [
            source for place, source in enumerate(sources) if sources[place - 1 : place] != [source]
        ]
        assert len(runs) == len(set(runs))


QueuesTest = Queues.TestCase
QueuesTest.settings = settings(
    max_examples=example_limit(15, push=6), stateful_step_count=8, deadline=None
)


@pytest.fixture
def queue(database: Database) -> Iterator[QueueStore]:
    """The queue of a store with buckets of two, so that a few samples fill several."""
    patch = pytest.MonkeyPatch()
    patch.setattr(queue_orders, "_BUCKET_BITS", 1)
    yield QueueStore(database)
    patch.undo()


def test_finished_buckets_are_passed_over(
    database: Database, corpus: CorpusStore, queue: QueueStore
) -> None:
    """Forwards, around the end, and to nothing."""
    keys = fill(corpus, *map(str, range(9)))
    deeds = annotate(database)
    person = PeopleStore(database).local("ana").id

    def following(place: int, order: str = "ingested") -> SampleKey | None:
        return queue.next_unfinished(person, keys[place], order=order)

    for key in keys[2:8]:
        deeds.skip(person, key, seconds=0)
    assert following(1) == keys[8]
    assert following(8) == keys[0]
    deeds.skip(person, keys[0], seconds=0)
    deeds.skip(person, keys[8], seconds=0)
    assert following(4) == keys[1] == following(1)
    deeds.skip(person, keys[1], seconds=0)
    assert following(4) is None
    assert queue.next_unfinished(person, None, order="ingested") is None


def test_orders_differ_and_a_seed_gives_the_same_one(corpus: CorpusStore) -> None:
    """Random orders are shuffles that hold still, also for samples that come later."""
    keys = fill(corpus, *map(str, range(30)))
    queue = QueueStore(corpus._database)
    one, other = walk(queue, "random:1"), walk(queue, "random:2")
    assert sorted(one) == sorted(other) == sorted(keys)
    assert one != other != keys != one
    assert walk(queue, "random") == one
    fill(corpus, *map(str, range(30, 40)))
    assert [key for key in walk(queue, "random:1") if key in keys] == one
    assert walk(QueueStore(corpus._database), "random:1") == walk(queue, "random:1")


def test_a_random_order_that_was_half_made_is_ended(
    database: Database, corpus: CorpusStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process killed while it shuffled leaves no sample out, and counts what was finished."""
    monkeypatch.setattr(queue_orders, "_BATCH", 4)
    keys = fill(corpus, *map(str, range(10)))
    person = PeopleStore(database).local("ana").id
    annotate(database).skip(person, keys[0], seconds=0)
    fill_one = queue_orders._fill_batch
    calls = [None]

    def killed(connection: Connection, *how: Any) -> None:
        calls.pop()
        fill_one(connection, *how)

    monkeypatch.setattr(queue_orders, "_fill_batch", killed)
    with pytest.raises(IndexError):
        QueueStore(database).page("nobody", order="random:3")
    monkeypatch.setattr(queue_orders, "_fill_batch", fill_one)
    fill(corpus, "late")
    queue = QueueStore(database)
    assert len(walk(queue, "random:3")) == 11
    assert queue.queue_status(person, keys[0], order="random:3").finished == 1


@pytest.mark.parametrize("order", ["", "by-size", "random:"])
def test_an_unknown_order_is_refused(corpus: CorpusStore, order: str) -> None:
    """With the orders there are."""
    with pytest.raises(InvalidInput, check=has_code("order-unknown")) as caught:
        QueueStore(corpus._database).page("ana", order=order)
    assert "by-source" in caught.value.hint


def test_a_sample_that_is_gone_has_no_place(corpus: CorpusStore) -> None:
    """No position, no neighbour, no next."""
    queue = QueueStore(corpus._database)
    gone = SampleKey("d", "9")
    with pytest.raises(NotFound, match="d/9"):
        queue.queue_status("ana", gone, order="ingested")
    with pytest.raises(NotFound, match="d/9"):
        queue.next_unfinished("ana", gone, order="ingested")


def test_steps_go_both_ways_and_end(corpus: CorpusStore) -> None:
    """Several at a time, none at all, and behind the ends nothing."""
    keys = fill(corpus, "1", "2", "3", "4")
    queue = QueueStore(corpus._database)
    for step, found in (
        (0, keys[1]),
        (1, keys[2]),
        (2, keys[3]),
        (-1, keys[0]),
        (3, None),
        (-2, None),
    ):
        assert queue.neighbour("nobody", keys[1], step, order="ingested") == found


@pytest.mark.parametrize(
    ("search", "states", "found"),
    [
        ("", [], ["1", "2", "10", "%_!"]),
        ("10", [], ["10"]),
        ("LOVED. 2", [], ["2"]),
        ("%", [], ["%_!"]),
        ("_!", [], ["%_!"]),
        ("d", [], ["1", "2", "10", "%_!"]),
        ("", [State.DRAFT], ["2"]),
        ("", [State.NEW, State.DONE], ["1", "10", "%_!"]),
        ("0", [State.DONE], ["10"]),
        ("nothing", [], []),
    ],
)
def test_the_queue_is_filtered(
    database: Database, corpus: CorpusStore, search: str, states: list[State], found: list[str]
) -> None:
    """By a part of id, group, dataset or summary in any case, and by this person's states."""
    keys = fill(corpus, "1", "2", "10", "%_!")
    ana, bo = (PeopleStore(database).local(name).id for name in ("ana", "bo"))
    deeds = annotate(database)
    deeds.add(ana, keys[1], claim("one"), seconds=0)
    deeds.finish(ana, keys[2], seconds=0)
    deeds.finish(bo, keys[0], seconds=0)
    page = deeds.queue(ana, search=search, states=states)
    assert [row.key.id for row in page.rows] == found
    assert page.total == len(found)


def test_a_page_is_a_part_of_the_queue(corpus: CorpusStore) -> None:
    """Offset and limit cut it; the total tells of all."""
    keys = fill(corpus, *map(str, range(9)))
    page = QueueStore(corpus._database).page("ana", order="ingested", offset=3, limit=4)
    assert [row.key for row in page.rows] == keys[3:7]
    assert page.total == 9


def test_a_row_tells_what_the_screen_shows(database: Database, corpus: CorpusStore) -> None:
    """The summary's start is one line without NUL, whatever the summary is."""
    made = sample("1", summary="A\0b\n\n  c " + "x" * 500)
    corpus.add([new(made)], segmenter=SEGMENTER)
    person = PeopleStore(database).local("ana").id
    annotate(database).add(person, made.key, claim("one"), seconds=0)
    (row,) = QueueStore(database).page(person, order="by-source").rows
    assert row.summary_start.startswith("A b c xxx")
    assert len(row.summary_start) == 160
    assert (row.state, row.annotations, bool(row.updated)) == (State.DRAFT, 1, True)


def test_a_line_of_several_orders_is_one(database: Database, corpus: CorpusStore) -> None:
    """What is theirs, then what is everybody's: pages fit together, and places count on."""
    ana = PeopleStore(database).local("ana").id
    whole = fill(corpus, "1", "2", "3") + fill(corpus, "4", "5", dataset="e")
    with AssignmentStore(database).writing("") as sharing:
        rows = [AssignedRow(ana, item.place) for item in sharing.load_dataset("d").items]
        sharing.apply(AssignmentCause.GIVE, "d", rows=rows, request={})
    queue = QueueStore(database)
    for offset in range(6):
        for limit in (1, 2, 5):
            page = queue.page(ana, order="ingested", offset=offset, limit=limit)
            assert [row.key for row in page.rows] == whole[offset : offset + limit]
            assert page.total == 5
    places = [queue.queue_status(ana, key, order="ingested") for key in whole]
    assert [(place.position, place.total) for place in places] == [(at, 5) for at in range(1, 6)]


@contextmanager
def counted_steps(connection: Connection) -> Iterator[list[int]]:
    """Count the steps that SQLite takes in a `with` block, in hundreds (the only item)."""
    taken = [0]

    def count() -> int:
        taken[0] += 1
        return 0

    raw = connection.connection.driver_connection
    assert raw is not None
    raw.set_progress_handler(count, 100)
    try:
        yield taken
    finally:
        raw.set_progress_handler(None, 0)


def count_steps_of_sources(database: Database) -> int:
    """How many hundreds of steps SQLite takes to find out what comes first of two sources."""
    with database.reading() as connection, counted_steps(connection) as taken:
        queue_orders.first_values_by_source(connection, ["one", "two"])
    return taken[0]


def test_the_sources_of_a_batch_are_found_as_quickly_among_many(
    sqlite_store: SqliteDatabase,
) -> None:
    """However many samples there are: else each batch of an ingest takes longer than the last."""
    corpus = CorpusStore(sqlite_store)
    fill(corpus, *map(str, range(20)))
    few = count_steps_of_sources(sqlite_store)
    fill(corpus, *map(str, range(20, 1000)))
    assert count_steps_of_sources(sqlite_store) <= few + 5


def count_steps_of_removal(database: Database, keys: Sequence[SampleKey]) -> int:
    """How many hundreds of steps SQLite takes to remove samples from the common orders."""
    with database.writing() as connection:
        rows = [sample_row(connection, key) for key in keys]
        orders = [order_id for order_id, *_ in queue_orders.common_orders(connection)]
        assert orders
        with counted_steps(connection) as taken:
            queue_orders.remove_ranks(connection, rows, orders)
    return taken[0]


def test_samples_are_removed_from_an_order_as_quickly_among_many(
    sqlite_store: SqliteDatabase,
) -> None:
    """Else the first assignment of a dataset, which removes all its samples, takes minutes."""
    corpus = CorpusStore(sqlite_store)
    few = count_steps_of_removal(sqlite_store, fill(corpus, *map(str, range(20)))[:10])
    many = fill(corpus, *map(str, range(20, 1000)))
    assert count_steps_of_removal(sqlite_store, many[-10:]) <= few + 5
