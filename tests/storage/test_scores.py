"""What machines say is stored as whole runs, and goes with the texts that it is of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from sqlalchemy import select

from tests.helpers.stores import SEGMENTER, fill, new, sample
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from tui_annotate.domain.people import Actor, Role
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.storage.blind_datasets import BlindDatasets
from tui_annotate.storage.columns import RUNS, SCORES
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.scores import runs
from tui_annotate.storage.scores import store as module
from tui_annotate.storage.scores.store import ScoreStore

ANA = Actor("ana", Role.ANNOTATOR)


def run(name: str = "r", *, maker: str = "unigram", dataset: str = "d") -> ScoreRun:
    """A run."""
    return ScoreRun(id=name, kind=RunKind.SCORE, maker=maker, dataset=dataset)


def said(keys: Sequence[SampleKey], *, name: str = "q") -> list[Score]:
    """A score for each sample: 0, 1, 2, ... of the number of samples."""
    return [
        Score(key=key, name=name, raw=float(at), value=at / len(keys))
        for at, key in enumerate(keys)
    ]


def hide(database: Database, dataset: str = "d") -> None:
    """A dataset's people are to work without what machines say."""
    BlindDatasets(database).hide(dataset)


@pytest.fixture
def store(database: Database) -> ScoreStore:
    """The scores of an empty store."""
    return ScoreStore(database)


def stored(database: Database) -> int:
    """How many rows of scores there are, of runs that count or not."""
    with database.reading() as connection:
        return len(connection.execute(select(SCORES.c.sample_id)).all())


def test_a_run_comes_back_as_it_went_in(corpus: CorpusStore, store: ScoreStore) -> None:
    """All that it says of each sample and of itself; the samples in their order."""
    keys = fill(corpus, "b", "a")
    made = replace(
        run(),
        parameters={"top_k": 3, "middle": 0.4},
        embedder="static 1",
        low=frozenset({"p"}),
        at="2026-01-02T03:04:05+00:00",
        by="ana",
    )
    scores = [
        Score(key=keys[1], name="q", raw=-1.5, value=0.0, text="wrong\ud800 \x1b[2J"),
        Score(key=keys[0], name="q", parts=(0.5, None, 1.0), of="segments"),
        Score(key=keys[0], name="p", raw=2.0, value=1.0, extra=2),
        Score(key=keys[0], name="p", raw=1.0, value=0.5),
    ]
    assert store.write(made, scores) == 4
    assert store.runs() == store.runs("d") == [made]
    with pytest.raises(NotFound, match="'e'"):
        store.runs("e")
    assert store.names() == ("p", "q")
    hurt = replace(scores[0], text="wrong? \x1b[2J")
    assert list(store.scores("d")) == [
        (keys[0], (scores[3], scores[2], scores[1])),
        (keys[1], (hurt,)),
    ]
    assert list(store.scores("d", names=["q"])) == [(keys[0], (scores[1],)), (keys[1], (hurt,))]
    assert store.of([keys[1], SampleKey("d", "z"), SampleKey("e", "a")]) == {keys[1]: (hurt,)}


def test_a_run_says_when_and_by_whom(corpus: CorpusStore, database: Database) -> None:
    """Where the run does not say it itself."""
    fill(corpus, "a")
    ScoreStore(database, actor=Actor("eva", Role.ADMIN)).write(run(), [])
    (made,) = ScoreStore(database).runs()
    assert made.by == "eva"
    assert made.at.endswith("+00:00")


def test_the_newest_run_of_each_maker_speaks(corpus: CorpusStore, store: ScoreStore) -> None:
    """Older ones can be asked for by name; one that is forgotten gives way to the one before."""
    (key,) = fill(corpus, "a")
    for at, maker in enumerate(("unigram", "probe", "unigram")):
        score = Score(key=key, name=f"from {maker}", raw=float(at), value=0.5)
        store.write(run(str(at), maker=maker), [score])
    assert [each.id for each in store.runs("d")] == ["0", "1", "2"]
    ((_, scores),) = store.scores("d")
    assert [(each.name, each.raw) for each in scores] == [("from probe", 1.0), ("from unigram", 2)]
    ((_, (older,)),) = store.scores("d", runs=["0"])
    assert older.raw == 0.0
    store.forget("2")
    assert [each.raw for each in store.of([key])[key]] == [0.0, 1.0]
    with pytest.raises(NotFound, match="2"):
        store.forget("2")
    with pytest.raises(NotFound, match=r"'d'.*2"):
        list(store.scores("d", runs=["0", "2"]))


def test_of_one_name_the_newest_run_speaks_to_people(
    corpus: CorpusStore, store: ScoreStore
) -> None:
    """Two makers that call theirs the same are not shown side by side."""
    (key,) = fill(corpus, "a")
    for at, maker in enumerate(("import:x", "unigram")):
        store.write(run(str(at), maker=maker), [Score(key=key, name="q", raw=float(at), value=0.5)])
    assert [each.raw for each in store.of([key])[key]] == [1.0]
    ((_, both),) = store.scores("d")
    assert [each.raw for each in both] == [0.0, 1.0]


def test_a_run_counts_once_it_is_whole(
    corpus: CorpusStore,
    store: ScoreStore,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While it is written nobody sees it; an error takes all of it back."""
    monkeypatch.setattr(module, "_BATCH", 2)
    keys = fill(corpus, *"abcde")
    seen: list[tuple[int, list[ScoreRun]]] = []

    def coming() -> Iterator[Score]:
        for score in said(keys):
            seen.append((stored(database), store.runs()))
            yield score

    assert store.write(run(), coming()) == 5
    assert seen[-1] == (4, [])

    def broken() -> Iterator[Score]:
        yield from said(keys)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.write(run("s"), broken())
    assert [each.id for each in store.runs()] == ["r"]
    assert stored(database) == 5


def test_what_a_killed_run_left_is_dropped(
    corpus: CorpusStore,
    store: ScoreStore,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the next run of the same maker; nothing of it was ever seen."""
    keys = fill(corpus, *"ab")
    with monkeypatch.context() as patch:
        patch.setattr(runs, "finish", lambda *_: None)
        store.write(run("killed"), said(keys))
    assert store.runs() == [] == list(store.scores("d"))
    assert [each.id for each in store.unfinished()] == ["killed"]
    assert store.of(keys) == {}
    assert stored(database) == 2
    store.write(run("other", maker="probe"), said(keys))
    store.write(run("next"), said(keys))
    assert [each.id for each in store.runs()] == ["other", "next"]
    assert stored(database) == 4


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (Score(key=SampleKey("e", "a"), name="q"), "is not in dataset 'd' of the run"),
        (Score(key=SampleKey("d", "a"), name=""), "no name"),
        (Score(key=SampleKey("d", "a"), name="q\0"), r"U\+0000"),
        (Score(key=SampleKey("d", "a"), name="q", raw=float("nan")), "not a number"),
        (Score(key=SampleKey("d", "a"), name="q", parts=(1.0, float("inf"))), "not a number"),
    ],
)
def test_what_is_no_score_is_refused(
    corpus: CorpusStore, store: ScoreStore, database: Database, score: Score, words: str
) -> None:
    """And nothing is left of its run."""
    fill(corpus, "a")
    with pytest.raises(InvalidInput, match=words):
        store.write(run(), [score])
    with database.reading() as connection:
        assert connection.execute(select(RUNS.c.id)).all() == []


def test_a_run_needs_its_dataset_and_an_id_of_its_own(
    corpus: CorpusStore, store: ScoreStore
) -> None:
    """What is told has the name; a score that comes twice is a conflict."""
    (key,) = fill(corpus, "a")
    with pytest.raises(NotFound, match="'e'"):
        store.write(run(dataset="e"), [])
    with pytest.raises(Conflict):
        store.write(run(), [Score(key=key, name="q")] * 2)
    store.write(run(), [])
    with pytest.raises(Conflict, match="a run r already"):
        store.write(run(), [])


def test_scores_of_samples_that_are_gone_are_passed_over(
    corpus: CorpusStore, store: ScoreStore
) -> None:
    """Somebody took them out while the machine was at work."""
    keys = fill(corpus, *"ab")
    corpus.remove_samples(keys[:1])
    assert store.write(run(), said(keys)) == 1
    assert [key for key, _ in store.scores("d")] == keys[1:]


def test_scores_go_with_their_sample_and_their_dataset(
    corpus: CorpusStore, store: ScoreStore, database: Database
) -> None:
    """Nothing is left of a dataset that is removed, its runs neither."""
    keys = fill(corpus, *"ab")
    store.write(run(), said(keys))
    corpus.remove_samples(keys[:1])
    assert [key for key, _ in store.scores("d")] == keys[1:]
    corpus.remove_dataset("d")
    assert store.runs() == []
    assert stored(database) == 0


def test_scores_of_texts_that_change_go(corpus: CorpusStore, store: ScoreStore) -> None:
    """With those of their group, as a score may compare the two; what stays the same stays."""
    kinds = {"a": "g", "b": "g", "c": "h", "d": ""}
    made = {
        name: replace(sample(name, summary=f"text {name}"), group=group, meta={"answer": "x"})
        for name, group in kinds.items()
    }
    corpus.add([new(each) for each in made.values()], segmenter=SEGMENTER)
    keys = [each.key for each in made.values()]

    def left(*changed: object) -> list[str]:
        corpus.replace([new(each) for each in changed], segmenter=SEGMENTER)  # type: ignore[arg-type]
        return [key.id for key, _ in store.scores("d")]

    assert left(*made.values()) == []  # before there is any run
    store.write(run(), said(keys))
    assert left(*made.values()) == list("abcd")
    assert left(replace(made["d"], meta={"answer": "y"})) == list("abc")
    assert left(sample("b", summary="another text")) == ["c"]


def test_who_may_not_manage_writes_nothing(corpus: CorpusStore, database: Database) -> None:
    """Annotators and reviewers read, and neither write nor forget."""
    keys = fill(corpus, "a")
    ScoreStore(database).write(run(), said(keys))
    for role in (Role.ANNOTATOR, Role.REVIEWER):
        theirs = ScoreStore(database, actor=Actor("ana", role))
        assert list(theirs.of(keys)) == keys
        with pytest.raises(NotAllowed):
            theirs.write(run("s"), [])
        with pytest.raises(NotAllowed):
            theirs.forget("r")


def test_what_a_dataset_hides_no_screen_shows(corpus: CorpusStore, database: Database) -> None:
    """Reports of reviewers have it; annotators find nothing of it anywhere."""
    keys = [*fill(corpus, "a"), *fill(corpus, "a", dataset="e")]
    store, theirs = ScoreStore(database), ScoreStore(database, actor=ANA)
    for key in keys:
        store.write(run(key.dataset, dataset=key.dataset), said([key], name=f"in {key.dataset}"))
    hide(database)
    assert list(store.of(keys)) == list(theirs.of(keys)) == keys[1:]
    assert [each.id for each in store.runs()] == ["d", "e"]
    assert len(list(store.scores("d"))) == 1
    assert list(store.of(keys, hidden=True)) == keys  # for files of who manages
    assert list(theirs.of(keys, hidden=True)) == keys[1:]
    assert [each.id for each in theirs.runs()] == ["e"]
    assert theirs.names() == ("in e",)
    assert list(theirs.scores("d")) == []
    with pytest.raises(NotFound):
        list(theirs.scores("d", runs=["d"]))


def test_how_well_supported_is_for_who_may_report(corpus: CorpusStore, database: Database) -> None:
    """Of all datasets, hidden ones too; 1 is well supported, whichever way a score goes."""
    keys, others = fill(corpus, *"ab"), fill(corpus, "a", dataset="e")
    store = ScoreStore(database)
    store.write(replace(run(), low=frozenset({"q"})), said(keys))
    store.write(run("2", dataset="e"), [Score(key=others[0], name="q", value=7.0)])
    hide(database)
    assert store.support("q") == {keys[0]: 1.0, keys[1]: 0.5, others[0]: 1.0}
    with pytest.raises(InvalidInput, match="'p'") as caught:
        store.support("p")
    assert caught.value.hint.endswith(" q")
    with pytest.raises(NotAllowed):
        ScoreStore(database, actor=ANA).support("q")
