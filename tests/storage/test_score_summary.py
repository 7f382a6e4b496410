"""What lists show of machines' words: the score asked for, then what is said of most."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.helpers.stores import fill
from tests.storage.test_scores import hide, run, said
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import RunKind, Score, ScoreSummaries, ScoreSummary
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.scores.store import ScoreStore


@pytest.fixture
def store(database: Database) -> ScoreStore:
    """The scores of an empty store."""
    return ScoreStore(database)


def test_nothing_is_shown_where_nothing_is_said(corpus: CorpusStore, store: ScoreStore) -> None:
    """No column, no label."""
    keys = fill(corpus, *"ab")
    assert store.summarise(keys) == ScoreSummaries()
    assert store.summarise([]) == ScoreSummaries()
    assert store.orderable() == ()


def test_three_scores_have_a_column(corpus: CorpusStore, store: ScoreStore) -> None:
    """The one asked for, then those of most samples, the newest first; texts have none."""
    keys = fill(corpus, *"abcd")
    for name in ("old", "new"):
        store.write(run(name, maker=name), said(keys, name=name))
    few = [*said(keys[:2], name="few"), Score(key=keys[0], name="text", text="a ground truth")]
    store.write(run("few", maker="few"), few)
    store.write(run("rare", maker="rare"), said(keys[:1], name="rare"))
    assert store.summarise(keys).names == ("new", "old", "few")
    assert store.summarise(keys, first="rare").names == ("rare", "new", "old")
    assert store.summarise(keys, first="text").names == ("new", "old", "few")
    assert store.orderable() == ("few", "new", "old", "rare")
    found = store.summarise([keys[3], keys[1], SampleKey("d", "z")]).of
    assert found == {
        keys[3]: ScoreSummary((0.75, 0.75, None)),
        keys[1]: ScoreSummary((0.25, 0.25, 0.5)),
    }


def test_a_full_bar_is_well_supported(corpus: CorpusStore, store: ScoreStore) -> None:
    """Where a low value is the better one it is turned over; what lies outside is brought in."""
    keys = fill(corpus, *"ab")
    scores = [
        Score(key=keys[0], name="p", value=0.25),
        Score(key=keys[0], name="q", value=-1.0),
        Score(key=keys[1], name="q", value=7.0),
        Score(key=keys[1], name="p", value=0.5, extra=1),
        Score(key=keys[1], name="p"),
    ]
    store.write(replace(run(), low=frozenset({"p"})), scores)
    assert store.summarise(keys) == ScoreSummaries(
        ("q", "p"), False, {keys[0]: ScoreSummary((0.0, 0.75)), keys[1]: ScoreSummary((1.0, None))}
    )


def test_a_ranking_gives_labels_and_no_column(corpus: CorpusStore, store: ScoreStore) -> None:
    """Unless its sum is asked for; other words are no labels, and other machines give none."""
    keys = fill(corpus, *"abc")
    made = replace(run(maker="percentile"), kind=RunKind.RANK)
    words = dict(zip(keys, ("right", "undecided", "a category"), strict=True))
    store.write(
        made, [Score(key=key, name="rank", value=0.5, text=text) for key, text in words.items()]
    )
    store.write(run("s", maker="x"), [Score(key=keys[0], name="q", value=1.0, text="wrong")])
    assert store.summarise(keys) == ScoreSummaries(
        ("q",),
        True,
        {keys[0]: ScoreSummary((1.0,), "right"), keys[1]: ScoreSummary((None,), "undecided")},
    )
    assert store.summarise(keys, first="rank").names == ("rank", "q")


def test_hidden_datasets_show_nothing(
    corpus: CorpusStore, store: ScoreStore, database: Database
) -> None:
    """To nobody; a score that they alone have is no column and no order."""
    keys, others = fill(corpus, *"ab"), fill(corpus, *"ab", dataset="e")
    store.write(run(), said(keys, name="p"))
    store.write(run("2", dataset="e"), said(others))
    hide(database)
    assert store.summarise([*keys, *others]) == ScoreSummaries(
        ("q",), False, {others[0]: ScoreSummary((0.0,)), others[1]: ScoreSummary((0.5,))}
    )
    assert store.orderable() == ("q",)
