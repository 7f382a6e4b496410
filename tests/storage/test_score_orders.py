"""Orders by scores are those of the runs that stand now, and show nothing that is hidden."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import delete, select

from tests.helpers.stores import SEGMENTER, annotate, fill, new, sample
from tests.storage.test_queue import walk
from tests.storage.test_scores import hide, run, said
from tui_annotate.domain.assignment_rules import AssignmentCause, Pool
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.queue_orders import ByScore, ScoreDirection
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import Score
from tui_annotate.storage import queue_orders
from tui_annotate.storage.assignments.assignment_rows import AssignedRow
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.columns import DATASET_SETTINGS, ORDERS, RANKS, TALLIES
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.queue import QueueStore
from tui_annotate.storage.scores import orders
from tui_annotate.storage.scores.store import ScoreStore


@pytest.fixture
def queue(database: Database) -> QueueStore:
    """The queue of the store."""
    return QueueStore(database)


@pytest.fixture
def store(database: Database) -> ScoreStore:
    """Its scores."""
    return ScoreStore(database)


def ids(queue: QueueStore, order: str) -> str:
    """The ids of a walk; all of one letter."""
    return "".join(key.id for key in walk(queue, order))


def values(keys: list[SampleKey], *raws: float) -> list[Score]:
    """Scores of as many samples, with values from 0 to 1."""
    low, high = min(raws), max(raws)
    return [
        Score(key=key, name="q", raw=raw, value=(raw - low) / (high - low))
        for key, raw in zip(keys, raws, strict=False)
    ]


def test_worst_best_and_uncertain(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore
) -> None:
    """Ties go by arrival; samples that nothing is said of come last, by arrival."""
    keys = fill(corpus, *"zyabcde")
    store.write(run(), values(keys[2:], 10, 4, 10, 0, 5))
    assert ids(queue, "worst:q") == "dbeaczy"
    assert ids(queue, "best:q") == "acebdzy"
    assert ids(queue, "uncertain:q") == "ebacdzy"  # from the median, 5


def test_uncertain_is_near_to_a_stated_value(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore
) -> None:
    """Of skewed probabilities those next to .5 come first, which are far from the median."""
    keys = fill(corpus, *"abcdefgh")
    raws = (0.97, 0.48, 0.99, 0.95, 0.53, 0.98, 0.9, 0.1)
    store.write(run(), values(keys, *raws))
    assert ids(queue, "uncertain:q=0.5")[:2] == "be"
    assert set(ids(queue, "uncertain:q")[:2]) == set("dg")
    # The newest run counts, also where both orders of the score exist.
    store.write(replace(run(), id="2"), values(keys, *reversed(raws)))
    assert set(ids(queue, "uncertain:q=.5")[:2]) == set("dg")
    scaled = [replace(each, raw=None) for each in values(keys, *raws)]
    store.write(replace(run(), id="3"), scaled)
    assert ids(queue, "uncertain:q=0")[0] == "h"


def test_a_low_score_may_be_the_better_one(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore
) -> None:
    """The run says so; the worst come first all the same."""
    keys = fill(corpus, *"abc")
    store.write(replace(run(), low=frozenset({"q"})), values(keys, 1, 3, 2))
    assert ids(queue, "worst:q") == "bca"
    assert ids(queue, "best:q") == "acb"


@pytest.mark.parametrize(
    ("middle", "order"),
    [(9, "dcba"), (-5.5, "abcd"), ({"q": 3.1}, "cbda"), ({"p": 9}, "bcad"), (None, "bcad")],
)
def test_uncertain_is_near_to_what_decides(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore, middle: object, order: str
) -> None:
    """What a run names is on the scale of its raw numbers, for all its scores or one."""
    keys = fill(corpus, *"abcd")
    store.write(replace(run(), parameters={"middle": middle}), values(keys, 0, 2, 3, 5))
    assert ids(queue, "uncertain:q") == order


def test_values_without_raw_numbers_are_measured_from_their_median(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore
) -> None:
    """A middle has no scale there; where all are equal, all are as uncertain."""
    keys = fill(corpus, *"abc")
    made = replace(run(), parameters={"middle": 0.0})
    scores = [
        Score(key=key, name="q", value=value) for key, value in zip(keys, (0, 1, 0.4), strict=True)
    ]
    store.write(made, scores)
    assert ids(queue, "uncertain:q") == "cab"
    equal = [Score(key=key, name="p", raw=7.0, value=0.5) for key in keys]
    store.write(replace(made, id="s"), [*scores, *equal, Score(key=keys[0], name="none")])
    assert ids(queue, "uncertain:p") == "abc"
    with pytest.raises(InvalidInput, match="'none'") as caught:  # it has no value
        walk(queue, "worst:none")
    assert "p, q" in caught.value.hint


def test_other_generations_of_a_group_are_not_in_the_order(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore
) -> None:
    """They are kept with the first sample, whose own score counts."""
    keys = fill(corpus, *"ab")
    store.write(run(), [*values(keys, 1, 0), Score(key=keys[0], name="q", value=-1.0, extra=1)])
    assert ids(queue, "worst:q") == "ba"


def test_an_unknown_score_is_told_with_those_there_are(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore
) -> None:
    """Where there is none, how to make one."""
    keys = fill(corpus, *"ab")
    with pytest.raises(InvalidInput, match="'p'") as caught:
        queue.first("ana", order="worst:p")
    assert "tui-annotate lab scores compute" in caught.value.hint
    store.write(run(), values(keys, 0, 1))
    store.write(run("s", maker="probe"), said(keys, name="probe_score"))
    with pytest.raises(InvalidInput, match="'p'") as caught:
        queue.first("ana", order="worst:p")
    assert "probe_score, q" in caught.value.hint


def test_a_newer_run_makes_the_order_again(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore, database: Database
) -> None:
    """For who is walking it as well; one that is forgotten brings the former back."""
    keys = fill(corpus, *"abc")
    store.write(run("1"), values(keys, 0, 1, 2))
    assert ids(queue, "worst:q") == "abc"
    other = QueueStore(database)
    store.write(run("2"), values(keys, 1, 0, 2))
    with database.reading() as connection:  # the run's end made it, not who walks next
        assert len(orders._list_stored_orders(connection)) == 2
    assert ids(queue, "worst:q") == ids(other, "worst:q") == "bac"
    store.write(run("3"), values(keys, 2, 1, 0))
    assert ids(queue, "worst:q") == "cba"
    store.forget("3")
    assert ids(queue, "worst:q") == "bac"
    store.forget("2")
    store.forget("1")
    with pytest.raises(InvalidInput):
        walk(queue, "worst:q")
    with database.reading() as connection:
        left = set(connection.execute(select(ORDERS.c.name)).scalars())
        assert left <= {"by-source", "ingested"}
        for table in (RANKS, TALLIES):
            found = connection.execute(select(table.c.order_id)).scalars()
            assert set(found) <= set(connection.execute(select(ORDERS.c.id)).scalars())


def test_at_most_two_states_of_an_order_are_kept(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore, database: Database
) -> None:
    """The one that stands, and the last, which somebody may just be reading."""
    keys = fill(corpus, *"abc")
    for number in range(4):
        store.write(run(str(number)), values(keys, 0, 1, number))
        walk(queue, "worst:q")
    with database.reading() as connection:
        assert len(orders._list_stored_orders(connection)) == 2


def test_later_samples_come_in_last(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore
) -> None:
    """By arrival, until a run says something of them; and samples go out again."""
    keys = fill(corpus, *"ab")
    store.write(run(), values(keys, 1, 0))
    assert ids(queue, "worst:q") == "ba"
    late = fill(corpus, *"dc")
    assert ids(queue, "worst:q") == "badc"
    corpus.remove_samples(late[:1])
    assert ids(queue, "worst:q") == "bac"
    store.write(run("2"), values([*keys, late[1]], 2, 1, 0))
    assert ids(queue, "worst:q") == "cba"


def test_a_sample_whose_text_changes_goes_to_the_end(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore
) -> None:
    """What was said of it is not of the new text."""
    keys = fill(corpus, *"abc")
    store.write(run(), values(keys, 0, 1, 2))
    assert ids(queue, "worst:q") == "abc"
    corpus.replace([new(sample("a", summary="another"))], segmenter=SEGMENTER)
    assert ids(queue, "worst:q") == "bca"
    person = PeopleStore(corpus._database).local("ana").id
    annotate(corpus._database).skip(person, keys[1], seconds=0)
    assert queue.next_unfinished(person, None, order="worst:q") == keys[2]
    assert queue.queue_status(person, keys[0], order="worst:q").position == 3


def test_an_order_that_was_half_made_is_ended(
    corpus: CorpusStore,
    store: ScoreStore,
    queue: QueueStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process killed while it made one leaves no sample out and none in the wrong place."""
    monkeypatch.setattr(queue_orders, "_BATCH", 2)
    keys = fill(corpus, *"abcde")
    store.write(run(), values(keys, 4, 3, 2, 1, 0))
    fill_one, calls = queue_orders._fill_batch, [None]

    def killed(*how: object) -> None:
        calls.pop()
        fill_one(*how)  # type: ignore[arg-type]

    monkeypatch.setattr(queue_orders, "_fill_batch", killed)
    with pytest.raises(IndexError):
        queue.first("ana", order="worst:q")
    monkeypatch.setattr(queue_orders, "_fill_batch", fill_one)
    fill(corpus, "f")
    assert ids(queue, "worst:q") == "edcbaf"


def test_an_order_half_dropped_is_never_walked(
    corpus: CorpusStore,
    store: ScoreStore,
    queue: QueueStore,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is marked before the first of its rows goes; large ones go in several transactions."""
    monkeypatch.setattr(orders, "_BATCH", 1)
    keys = fill(corpus, *"abc")
    store.write(run("1"), values(keys, 0, 1, 2))
    walk(queue, "worst:q")
    with database.reading() as connection:
        ((number, order),) = orders._list_stored_orders(connection)
    orders._drop_orders(database, order, [number])
    with database.reading() as connection:
        assert number not in connection.execute(select(RANKS.c.order_id)).scalars()
    assert ids(queue, "worst:q") == "abc"


def test_a_hidden_dataset_has_no_order_by_its_scores(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore, database: Database
) -> None:
    """Its samples come last, as though nothing were said; alone it has no such order at all."""
    keys = fill(corpus, *"abc")
    store.write(run(), values(keys, 2, 1, 0))
    assert ids(queue, "worst:q") == "cba"
    hide(database)
    with pytest.raises(InvalidInput, match="'q'"):
        walk(queue, "worst:q")
    others = fill(corpus, *"de", dataset="e")
    store.write(run("2", dataset="e"), values(others, 1, 0))
    assert ids(queue, "worst:q") == "edabc"
    with database.writing() as connection:
        connection.execute(delete(DATASET_SETTINGS))
    assert ids(queue, "worst:q") == "cebad"


def test_what_is_handed_out_and_given_back_has_its_place_again(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore, database: Database
) -> None:
    """In a share the share's own order holds; afterwards the score's."""
    keys = fill(corpus, *"abc")
    store.write(run(), values(keys, 2, 1, 0))
    assert ids(queue, "worst:q") == "cba"
    person = PeopleStore(database).local("ana").id
    shares = AssignmentStore(database)
    with shares.writing("") as sharing:
        rows = [AssignedRow(person, item.place) for item in sharing.load_dataset("d").items]
        sharing.apply(AssignmentCause.GIVE, "d", rows=rows, request={})
    assert ids(queue, "worst:q") == ""
    with shares.writing("") as sharing:
        sharing.undo()
    assert ids(queue, "worst:q") == "cba"


def test_a_dataset_alone_has_a_line_for_who_manages(
    corpus: CorpusStore, store: ScoreStore, database: Database
) -> None:
    """Also where people are not to see it; others' scores are not in it."""
    keys, others = fill(corpus, *"abc"), fill(corpus, *"de", dataset="e")
    store.write(run(), values(keys, 2, 1, 0))
    store.write(run("2", dataset="e"), said(others, name="p"))
    hide(database)
    with database.reading() as connection:
        line = orders.read_positions(connection, ByScore(ScoreDirection.WORST, "q"), 1)
        assert sorted(line, key=line.__getitem__) == [3, 2, 1]
        with pytest.raises(InvalidInput, match="'q'") as caught:
            orders.read_positions(connection, ByScore(ScoreDirection.WORST, "q"), 2)
    assert caught.value.hint.endswith(" p")


def test_a_pool_by_a_score_is_drawn_as_it_stood(
    corpus: CorpusStore, store: ScoreStore, queue: QueueStore, database: Database
) -> None:
    """The worst first; samples that come later, and those without a score, are drawn last."""
    keys = fill(corpus, *"abcd")
    store.write(run(), values(keys, 2, 1, 0))
    person = PeopleStore(database).local("ana").id
    shares = AssignmentStore(database)
    with shares.writing("") as sharing:
        sharing.set_pool("d", Pool(1, "worst:q"))
    fill(corpus, "e")
    drawn, deeds = [], annotate(database)
    while key := queue.next_unfinished(person, None, order="by-source"):
        drawn.append(key.id)
        deeds.skip(person, key, seconds=0)
    assert "".join(drawn) == "cbade"
    with shares.writing("") as sharing, pytest.raises(InvalidInput, match="'p'"):
        sharing.set_pool("d", Pool(1, "worst:p"))
