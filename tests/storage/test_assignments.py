"""Handed-out work: everybody's line is true, pools never give too much, undo gives back."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.helpers.effort import example_limit
from tests.helpers.stores import SEGMENTER, annotate, claim, fill, new, new_database, sample
from tui_annotate.domain.assignment_rules import AssignmentCause, DisagreementRule, Escalation, Pool
from tui_annotate.domain.errors import Conflict, NotFound, NotReady
from tui_annotate.domain.people import second_reader
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.assignments.assignment_rows import AssignedRow
from tui_annotate.storage.assignments.store import AssignmentStore, AssignmentTransaction
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.queue import QueueStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

NAMES = ["ana", "ben", "li"]


def give(
    sharing: AssignmentTransaction, keys: list[SampleKey], person: str, *, dataset: str = "d"
) -> int:
    """Hands samples of one dataset to somebody."""
    rows = {item.key: item.place for item in sharing.load_dataset(dataset).items}
    allotted = [AssignedRow(person, rows[key]) for key in keys]
    return sharing.apply(AssignmentCause.GIVE, dataset, rows=allotted, request={})


def line(queue: QueueStore, person: str, *, order: str = "ingested") -> list[SampleKey]:
    """Somebody's line, by steps of one from its first row."""
    page = queue.page(person, order=order, limit=1)
    key = page.rows[0].key if page.rows else None
    steps = []
    while key is not None:
        steps.append(key)
        key = queue.neighbour(person, key, 1, order=order)
    return steps


class Lines(RuleBasedStateMachine):
    """Work is given, drawn, done, moved and taken back, and every line stays true."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self.database = new_database(Path(self._folder.name))
        self.corpus = CorpusStore(self.database)
        self.queue = QueueStore(self.database)
        self.shares = AssignmentStore(self.database)
        self.deeds = annotate(self.database)
        people = PeopleStore(self.database)
        self.people = [people.local(name).id for name in NAMES]
        self.count = 0

    def teardown(self) -> None:
        """Closes the store."""
        self.database.close()
        self._folder.cleanup()

    @rule(dataset=st.sampled_from("de"), count=st.integers(1, 4))
    def come(self, dataset: str, count: int) -> None:
        """New samples over few sources."""
        names = [str(self.count + at) for at in range(count)]
        self.count += count
        batch = [
            new(sample(name, dataset=dataset, source=f"s{int(name) % 3}", summary=name))
            for name in names
        ]
        self.corpus.add(batch, segmenter=SEGMENTER)

    def _keys(self, dataset: str = "") -> list[SampleKey]:
        return list(self.corpus.keys(dataset))

    @precondition(lambda self: self._keys())
    @rule(draw=st.randoms(use_true_random=False), who=st.integers(0, 2))
    def give(self, draw: random.Random, who: int) -> None:
        """Some samples of a dataset to somebody."""
        dataset = draw.choice(self._keys()).dataset
        keys = self._keys(dataset)
        chosen = draw.sample(keys, k=draw.randint(1, len(keys)))
        with self.shares.writing("") as sharing:
            give(sharing, chosen, self.people[who], dataset=dataset)

    @precondition(lambda self: self._keys())
    @rule(draw=st.randoms(use_true_random=False), overlap=st.integers(1, 2))
    def pool(self, draw: random.Random, overlap: int) -> None:
        """A dataset to be drawn from."""
        order = draw.choice(["by-source", "ingested", "random:3"])
        with self.shares.writing("") as sharing:
            sharing.set_pool(draw.choice(self._keys()).dataset, Pool(overlap, order))

    @rule(who=st.integers(0, 2))
    def next(self, who: int) -> None:
        """Somebody goes on, and draws where there is nothing else of theirs."""
        person = self.people[who]
        found = self.queue.next_unfinished(person, None, order="ingested")
        mine = line(self.queue, person)
        assert (found is None) == all(
            self.deeds.open(person, key, order="ingested").assignment.state.finished for key in mine
        )
        assert found is None or found in mine

    @rule(draw=st.randoms(use_true_random=False), who=st.integers(0, 2))
    def work(self, draw: random.Random, who: int) -> None:
        """Somebody finishes one of theirs, or takes back what they did."""
        mine = line(self.queue, self.people[who])
        if mine and draw.random() < 0.8:
            self.deeds.skip(self.people[who], draw.choice(mine), seconds=0)
        else:
            self.deeds.undo(self.people[who])

    @rule(draw=st.randoms(use_true_random=False), begun=st.booleans())
    def take_back(self, draw: random.Random, *, begun: bool) -> None:
        """A handout that holds."""
        with self.shares.writing("") as sharing:
            holding = [each.id for each in sharing.handouts() if not each.undone]
            if holding:
                sharing.undo(draw.choice(holding), begun=begun)

    @precondition(lambda self: self._keys())
    @rule(draw=st.randoms(use_true_random=False))
    def go(self, draw: random.Random) -> None:
        """Some are taken out."""
        keys = self._keys()
        gone = draw.sample(keys, k=min(2, len(keys)))
        self.corpus.remove_samples(gone, with_annotations=True)

    @invariant()
    def every_line_is_true(self) -> None:
        """Own work first, then the datasets of everybody; positions and counts agree with it."""
        with self.shares.reading() as sharing:
            held = {who: [each.key for each in sharing.held(person=who)] for who in self.people}
            handed = {key.dataset for own in held.values() for key in own}
        for person in self.people:
            for order in ("ingested", "by-source", "random:7"):
                steps = line(self.queue, person, order=order)
                own = held[person]
                assert steps[: len(own)] == own
                rest = steps[len(own) :]
                assert len(set(steps)) == len(steps)
                assert not {key.dataset for key in rest} & handed
                rows = self.queue.page(person, order=order).rows
                assert [row.key for row in rows] == steps
                done = sum(row.state.finished for row in rows)
                for place, key in enumerate(steps, 1):
                    standing = self.queue.queue_status(person, key, order=order)
                    assert (standing.position, standing.finished) == (place, done)
                    assert standing.total >= len(steps)
                    back = self.queue.neighbour(person, key, -1, order=order)
                    assert back == (steps[place - 2] if place > 1 else None)
                if rows and len(rows) > 2:
                    page = self.queue.page(person, order=order, offset=1, limit=2)
                    assert [row.key for row in page.rows] == steps[1:3]
                    assert page.total == len(steps)

    @invariant()
    def the_pool_knows_who_has_what(self) -> None:
        """Room is the overlap less the people who have a sample; tallies agree with the ranks."""
        with self.database.reading() as connection:
            wrong = connection.exec_driver_sql(
                "SELECT 1 FROM pool p JOIN dataset_settings t ON t.dataset_id = p.dataset_id"
                " AND t.name = 'pool' WHERE p.room <> json_extract(t.value, '$.overlap')"
                "  - (SELECT count(*) FROM allotments a WHERE a.sample_id = p.sample_id)"
            ).first()
            assert wrong is None
            miscounted = connection.exec_driver_sql(
                "SELECT dataset_id, person FROM ("
                " SELECT dataset_id, person, count FROM pool_counts"
                " UNION ALL SELECT dataset_id, '', -1 FROM pool WHERE room > 0"
                " UNION ALL SELECT p.dataset_id, a.person, -1 FROM pool p"
                "  JOIN allotments a ON a.sample_id = p.sample_id WHERE p.room > 0)"
                " GROUP BY 1, 2 HAVING sum(count) <> 0"
            ).first()
            assert miscounted is None
            lost = connection.exec_driver_sql(
                "SELECT order_id, bucket FROM ("
                " SELECT order_id, bucket, count FROM tallies WHERE person = ''"
                " UNION ALL SELECT order_id, bucket, -count(*) FROM ranks GROUP BY 1, 2)"
                " GROUP BY 1, 2 HAVING sum(count) <> 0"
            ).first()
            assert lost is None
        audit = AuditStore(self.database)
        assert next(audit.find_faults(), None) is None
        assert next(audit.find_row_faults(), None) is None


TestLines = Lines.TestCase
TestLines.settings = settings(
    max_examples=example_limit(10, push=6), stateful_step_count=12, deadline=None
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """An empty store."""
    with new_database_closed(tmp_path) as made:
        yield made


class new_database_closed:  # noqa: N801  used as a function
    """A store that is closed afterwards."""

    def __init__(self, folder: Path) -> None:
        self.database = new_database(folder)

    def __enter__(self) -> SqliteDatabase:
        return self.database

    def __exit__(self, *_: object) -> None:
        self.database.close()


def test_a_dataset_that_is_given_is_nobodys_else(database: Database) -> None:
    """Ana sees hers and the free dataset, ben the free one alone; after undo both see all."""
    corpus, queue, shares = CorpusStore(database), QueueStore(database), AssignmentStore(database)
    people = PeopleStore(database)
    ana, ben = people.local("ana").id, people.local("ben").id
    given = fill(corpus, "1", "2", "3")
    free = fill(corpus, "4", "5", dataset="e")
    with shares.writing("") as sharing:
        give(sharing, [given[2], given[0]], ana)
    assert line(queue, ana) == [given[2], given[0], *free]
    assert line(queue, ben) == free
    with pytest.raises(NotFound):
        queue.queue_status(ben, given[0], order="ingested")
    assert queue.next_unfinished(ben, given[0], order="ingested") == free[0]
    with shares.writing("") as sharing:
        undone = sharing.undo()
    assert (undone.withdrawn, undone.kept, undone.open_datasets) == (2, 0, ("d",))
    assert line(queue, ana) == line(queue, ben) == [*given, *free]


def test_work_begun_before_stays_with_whoever_began_it(database: Database) -> None:
    """Ben did one of a dataset that is then given to ana: he goes on seeing that one."""
    corpus, queue, shares = CorpusStore(database), QueueStore(database), AssignmentStore(database)
    people = PeopleStore(database)
    ana, ben = people.local("ana").id, people.local("ben").id
    keys = fill(corpus, "1", "2", "3")
    annotate(database).finish(ben, keys[1], seconds=0)
    with shares.writing("") as sharing:
        assert sharing.load_dataset("d").has == {ben: {keys[1]}}
        give(sharing, keys, ana)
        assert sharing.load_dataset("d").items[1].held == 2
    assert line(queue, ben) == [keys[1]]
    with shares.writing("") as sharing:
        assert sharing.undo().open_datasets == ("d",)
    assert line(queue, ben) == keys


def test_undo_leaves_what_was_begun(database: Database) -> None:
    """Unless it is asked for; a handout is taken back once."""
    corpus, queue, shares = CorpusStore(database), QueueStore(database), AssignmentStore(database)
    ana = PeopleStore(database).local("ana").id
    keys = fill(corpus, "1", "2", "3")
    with shares.writing("") as sharing:
        number = give(sharing, keys, ana)
    annotate(database).add(ana, keys[1], claim("a"), seconds=0)
    with shares.writing("") as sharing:
        undone = sharing.undo(number)
    assert (undone.withdrawn, undone.kept, undone.open_datasets) == (2, 1, ())
    assert line(queue, ana) == [keys[1]]
    with shares.writing("") as sharing, pytest.raises(Conflict):
        sharing.undo(number)
    with shares.writing("") as sharing, pytest.raises(NotFound):
        sharing.undo(99)


def test_practice_in_progress_stays_practice(database: Database) -> None:
    """Even if samples in progress are withdrawn: else practice would become real work."""
    corpus, queue, shares = CorpusStore(database), QueueStore(database), AssignmentStore(database)
    ana = PeopleStore(database).local("ana").id
    keys = fill(corpus, "1", "2")
    with shares.writing("") as sharing:
        data = sharing.load_dataset("d")
        rows = [AssignedRow(ana, each.place, practice=True) for each in data.items]
        number = sharing.apply(AssignmentCause.PRACTICE, "d", rows=rows, request={})
    annotate(database).add(ana, keys[1], claim("a"), seconds=0)
    with shares.writing("") as sharing:
        undone = sharing.undo(number, begun=True)
    assert (undone.withdrawn, undone.kept) == (1, 1)
    assert line(queue, ana) == [keys[1]]


def test_moved_work_goes_back_when_the_move_is_undone(database: Database) -> None:
    """What the other began stays with them."""
    corpus, queue, shares = CorpusStore(database), QueueStore(database), AssignmentStore(database)
    people = PeopleStore(database)
    giver, ben = people.local("ana"), people.local("ben").id
    ana = giver.id
    keys = fill(corpus, "1", "2", "3")
    with shares.writing("") as sharing:
        give(sharing, keys, ana)
    annotate(database).skip(ana, keys[0], seconds=0)
    with shares.writing("") as sharing:
        held = [each for each in sharing.held(person=ana) if not each.finished]
        number = sharing.move({ben: held}, giver=giver, to=[ben])
    assert line(queue, ana) == keys[:1]
    assert line(queue, ben) == keys[1:]
    annotate(database).skip(ben, keys[2], seconds=0)
    with shares.writing("") as sharing:
        assert sharing.undo(number).kept == 1
    assert line(queue, ana) == keys[:2]
    assert line(queue, ben) == keys[2:]


def test_a_pool_goes_round_until_each_sample_has_enough_people(database: Database) -> None:
    """Three people, two a sample: everybody draws what they do not have; then nothing is left."""
    corpus, queue, shares = CorpusStore(database), QueueStore(database), AssignmentStore(database)
    deeds, people = annotate(database), PeopleStore(database)
    ids = [people.local(name).id for name in NAMES]
    keys = fill(corpus, "1", "2", "3", "4")
    with shares.writing("") as sharing:
        sharing.set_pool("d", Pool(2, "by-source"))
    assert queue.page(ids[0], order="by-source").total == 0
    did: Counter[SampleKey] = Counter()
    going = set(ids)
    while going:
        for person in sorted(going):
            key = queue.next_unfinished(person, None, order="by-source")
            if key is None:
                going.discard(person)
                continue
            assert queue.next_unfinished(person, None, order="by-source") == key
            did[key] += 1
            deeds.skip(person, key, seconds=0)
    assert did == dict.fromkeys(keys, 2)
    (late,) = fill(corpus, "5")
    assert queue.next_unfinished(ids[0], None, order="by-source") == late
    standing = queue.queue_status(ids[0], late, order="by-source")
    assert standing.total == standing.position


def test_who_has_a_share_of_a_dataset_does_not_draw_from_it(database: Database) -> None:
    """The others do."""
    corpus, queue, shares = CorpusStore(database), QueueStore(database), AssignmentStore(database)
    people = PeopleStore(database)
    ana, ben = people.local("ana").id, people.local("ben").id
    keys = fill(corpus, "1", "2")
    with shares.writing("") as sharing:
        sharing.set_pool("d", Pool(2, "ingested"))
        give(sharing, keys[1:], ana)
    annotate(database).skip(ana, keys[1], seconds=0)
    assert queue.next_unfinished(ana, None, order="ingested") is None
    assert queue.next_unfinished(ben, None, order="ingested") == keys[0]


def _draw_all(path: Path, person: str) -> list[str]:
    """In a process of its own: draws and finishes until nothing is left."""
    database = SqliteDatabase.open(path)
    deeds, queue = annotate(database, labels=""), QueueStore(database)
    drawn = []
    while key := queue.next_unfinished(person, None, order="by-source"):
        drawn.append(key.id)
        deeds.skip(person, key, seconds=0)
    database.close()
    return drawn


def test_processes_that_draw_at_once_never_take_one_too_many(tmp_path: Path) -> None:
    """Four people over two a sample: each sample is done by two exactly."""
    database = new_database(tmp_path)
    corpus, people = CorpusStore(database), PeopleStore(database)
    annotate(database)
    ids = [people.local(name).id for name in "abcd"]
    fill(corpus, *map(str, range(30)))
    with AssignmentStore(database).writing("") as sharing:
        sharing.set_pool("d", Pool(2, "by-source"))
    path = database.path
    database.close()
    with get_context("spawn").Pool(4) as workers:
        drawn = workers.starmap(_draw_all, [(path, person) for person in ids])
    counts = Counter(key for own in drawn for key in own)
    assert counts == dict.fromkeys(map(str, range(30)), 2)
    assert all(len(own) == len(set(own)) for own in drawn)


@pytest.mark.parametrize(
    ("when", "labels", "added"),
    [
        (DisagreementRule.DIFFER, ("", "Fine"), True),
        (DisagreementRule.DIFFER, ("Odd", "Fine"), False),
        (DisagreementRule.LABEL, ("Odd", "Fine"), True),
        (DisagreementRule.LABEL, ("Fine", "Fine"), False),
        (DisagreementRule.LABEL, ("", ""), False),
    ],
)
def test_a_third_is_added_where_two_disagree(
    database: Database, when: DisagreementRule, labels: tuple[str, str], added: bool
) -> None:
    """As the last of them finishes, once, and to whoever has least open work."""
    corpus, queue, shares = CorpusStore(database), QueueStore(database), AssignmentStore(database)
    people, deeds = PeopleStore(database), annotate(database)
    ana, ben, li, kim = (people.local(name).id for name in [*NAMES, "kim"])
    keys = fill(corpus, "1", "2", "3", "4")
    with shares.writing("") as sharing:
        for person, mine in ((ana, keys), (ben, keys), (li, keys[1:]), (kim, keys[3:])):
            give(sharing, mine, person)
        sharing.set_escalation("d", Escalation(when))
    for person, label in zip((ana, ben), labels, strict=True):
        assert len(line(queue, kim)) == 1
        if label:
            note = "why" if label == "Odd" else ""
            deeds.add(person, keys[0], claim(f"a{person}", label=label, note=note), seconds=0)
        deeds.finish(person, keys[0], seconds=0)
    assert (line(queue, kim) == [keys[3], keys[0]]) is added
    assert len(line(queue, li)) == 3
    deeds.finish(kim, keys[0], seconds=0)
    assert len(line(queue, li)) == 3


def test_a_rule_is_asked_for_what_was_finished_before(database: Database) -> None:
    """`escalate_now` adds people, and tells what waits because nobody is free."""
    corpus, queue, shares = CorpusStore(database), QueueStore(database), AssignmentStore(database)
    people, deeds = PeopleStore(database), annotate(database)
    ana, ben, li = (people.local(name).id for name in NAMES)
    keys = fill(corpus, "1", "2", "3")
    with shares.writing("") as sharing:
        give(sharing, keys[:2], ana)
        give(sharing, keys[:2], ben)
        with pytest.raises(NotReady):
            sharing.escalate_now("d")
    for key in keys[:2]:
        deeds.add(ana, key, claim(f"a{key.id}"), seconds=0)
        for person in (ana, ben):
            deeds.finish(person, key, seconds=0)
    with shares.writing("") as sharing:
        sharing.set_escalation("d", Escalation(DisagreementRule.DIFFER))
        assert sharing.escalate_now("d") == (0, 2)
        give(sharing, keys[2:], li)
        assert sharing.escalate_now("d") == (2, 0)
        assert sharing.escalate_now("d") == (0, 0)
    assert line(queue, li) == [keys[2], *keys[:2]]


def test_a_second_reading_is_a_line_of_its_own(database: Database) -> None:
    """It holds what is to be read again alone, and takes nothing from the first."""
    corpus, queue, shares = CorpusStore(database), QueueStore(database), AssignmentStore(database)
    people = PeopleStore(database)
    ana = people.local("ana")
    keys = fill(corpus, "1", "2", "3")
    second = second_reader(ana)
    with shares.writing("") as sharing:
        sharing.keep(second)
        rows = [AssignedRow(second.id, sharing.load_dataset("d").items[1].place)]
        sharing.apply(AssignmentCause.REPEAT, "d", rows=rows, request={})
    assert line(queue, ana.id) == keys
    assert line(queue, second.id) == keys[1:2]
    assert queue.find_reopened(ana) == 1
    annotate(database).skip(second.id, keys[1], seconds=0)
    assert queue.find_reopened(ana) == 0
    assert queue.next_unfinished(second.id, keys[1], order="ingested") is None
