"""Suggestions are stored as whole runs, once each, and not there where they are hidden."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.helpers.errors import has_code
from tests.helpers.stores import fill
from tests.helpers.suggestions import MAKER, run, suggest, suggestion
from tui_annotate.domain.assignment_rules import Practice
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from tui_annotate.domain.people import Actor, Role
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import RunKind
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.blind_datasets import BlindDatasets, is_blind
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.scores.store import ScoreStore
from tui_annotate.storage.suggestions import SuggestionStore

ONE, TWO = SampleKey("d", "1"), SampleKey("d", "2")
ANA = Actor("ana", Role.ANNOTATOR)


@pytest.fixture
def store(database: Database) -> SuggestionStore:
    """The suggestions of two samples, of which there are none."""
    fill(CorpusStore(database), "1", "2")
    return SuggestionStore(database)


def _rows(database: Database) -> tuple[int, int]:
    """How many suggestions and runs there are, whether they count or not."""
    with database.reading() as connection:
        counts = "SELECT (SELECT count(*) FROM suggestions), (SELECT count(*) FROM runs)"
        one, other = connection.exec_driver_sql(counts).one()
        return one, other


def test_a_run_is_shown_as_a_whole(database: Database, store: SuggestionStore) -> None:
    """With its own id and maker, in reading order; one that breaks off leaves nothing."""
    late, early = suggestion(ONE, 20, 30), suggestion(ONE, 0, 5, label="")
    about = run(at="2026-01-01T00:00:00.000000+00:00")
    assert store.add(about, [(ONE, late), (ONE, early), (TWO, suggestion(TWO))]) == 3
    found = [each.suggestion for each in store.of("ana", ONE)]
    assert found == [replace(each, run=about.id) for each in (early, late)]
    assert store.runs() == [about]

    def broken() -> object:
        yield ONE, suggestion(ONE, 1, 2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.add(run(), broken())  # type: ignore[arg-type]
    assert _rows(database) == (3, 1)


def test_a_run_that_was_killed_is_in_nobodys_way(
    database: Database, store: SuggestionStore
) -> None:
    """What it left is not shown, and goes with the next run of its maker."""
    suggest(database, ONE)
    with database.writing() as connection:
        connection.exec_driver_sql("UPDATE runs SET finished = ''")
    assert (store.of("ana", ONE), store.runs(), list(store.list_suggestions())) == ((), [], [])
    suggest(database, ONE)
    assert len(store.of("ana", ONE)) == 1
    assert _rows(database) == (1, 1)


def test_the_same_again_adds_nothing(database: Database, store: SuggestionStore) -> None:
    """Not even a run; another maker says it for itself; unknown samples are passed over."""
    suggest(database, ONE)
    assert store.add(run(), [(ONE, suggestion(ONE, note="another reason", score=0.1))]) == 0
    assert _rows(database) == (1, 1)
    assert store.add(run(maker="other"), [(ONE, suggestion(ONE))]) == 1
    gone = SampleKey("d", "gone")
    assert store.add(run(), [(gone, suggestion(gone))]) == 0
    assert {each.suggestion.maker for each in store.of("ana", ONE)} == {MAKER, "other"}


def test_what_is_no_run_of_suggestions_is_refused(
    database: Database, store: SuggestionStore
) -> None:
    """Another kind, another dataset, none at all, an id that is taken."""
    with pytest.raises(InvalidInput, check=has_code("run-kind")):
        store.add(replace(run(), kind=RunKind.SCORE), [])
    with pytest.raises(InvalidInput, match="'d'"):
        store.add(run(), [(SampleKey("e", "1"), suggestion(ONE))])
    with pytest.raises(NotFound, match="'e'"):
        store.add(run(dataset="e"), [])
    about = run()
    store.add(about, [(ONE, suggestion(ONE))])
    with pytest.raises(Conflict):
        store.add(about, [(TWO, suggestion(TWO))])
    assert _rows(database) == (1, 1)


def test_a_run_of_suggestions_silences_no_scores(
    database: Database, store: SuggestionStore
) -> None:
    """A machine that scored and suggests goes on to speak by its scores."""
    from tests.storage.test_scores import said

    scores = ScoreStore(database)
    about = replace(run(), kind=RunKind.SCORE)
    scores.write(about, said([ONE, TWO]))
    suggest(database, ONE)
    assert [key for key, _ in scores.scores("d")] == [ONE, TWO]
    assert store.forget(maker=MAKER) == 1
    assert scores.runs() == [replace(about, at=scores.runs()[0].at)]


def test_suggestions_are_taken_out_by_run_or_maker(
    database: Database, store: SuggestionStore
) -> None:
    """Of one dataset alone where it is named; what is named must be there, and mean one."""
    fill(CorpusStore(database), "1", dataset="e")
    suggest(database, ONE)
    suggest(database, TWO, maker="other")
    suggest(database, SampleKey("e", "1"), maker="other")
    first = store.runs()[0].id
    for names in ({}, {"run": first, "maker": "other"}):
        with pytest.raises(InvalidInput, check=has_code("run-or-maker-missing")):
            store.forget(**names)
    for names in ({"run": "zz"}, {"maker": "nobody"}, {"run": first, "dataset": "e"}):
        with pytest.raises(NotFound):
            store.forget(**names)
    assert store.forget(maker="other", dataset="e") == 1
    assert store.forget(run=first[:8]) == 1
    assert [each.maker for each in store.runs()] == ["other"]
    store.forget(maker="other")
    assert _rows(database) == (0, 0)


def test_the_start_of_an_id_must_mean_one(database: Database, store: SuggestionStore) -> None:
    """Else it is told how many it may be."""
    for at, key in enumerate((ONE, TWO)):
        store.add(replace(run(), id=f"abc{at}"), [(key, suggestion(key))])
    with pytest.raises(InvalidInput, match="2"):
        store.forget(run="abc")
    assert _rows(database) == (2, 2)


def test_samples_that_go_take_their_suggestions_along(
    database: Database, store: SuggestionStore
) -> None:
    """What is left is told as before."""
    suggest(database, ONE, TWO)
    CorpusStore(database).remove_samples([ONE], with_annotations=True)
    assert [each.key for each in store.list_suggestions()] == [TWO]


def test_only_who_may_writes_lists_and_hides(database: Database, store: SuggestionStore) -> None:
    """An annotator has suggestions with their own answers, and nothing else."""
    suggest(database, ONE)
    theirs = SuggestionStore(database, actor=ANA)
    assert len(theirs.of("ana", ONE)) == 1
    calls = (
        lambda: theirs.of("ben", ONE),
        lambda: theirs.add(run(), []),
        lambda: theirs.forget(maker=MAKER),
        lambda: list(theirs.list_suggestions()),
        lambda: list(theirs.bundled(lambda _: True)),
        theirs.runs,
        lambda: BlindDatasets(database, actor=ANA).hide("d"),
        lambda: BlindDatasets(database, actor=ANA).show("d"),
    )
    for call in calls:
        with pytest.raises(NotAllowed):
            call()
    assert len(store.of("ben", ONE)) == 1


def test_hidden_is_hidden_and_practice_always(database: Database, store: SuggestionStore) -> None:
    """Until it is shown; a dataset for practice never is; one that is not there can not be."""
    suggest(database, ONE)
    hiding = BlindDatasets(database)
    assert not hiding.hidden("d")
    hiding.hide("d")
    hiding.hide("d")
    assert hiding.datasets() == {"d"}
    assert store.of("ana", ONE) == ()
    assert list(store.bundled(lambda _: True)) == []
    assert len(list(store.list_suggestions())) == 1
    hiding.show("d")
    assert len(store.of("ana", ONE)) == 1
    assert len(list(store.bundled(lambda key: key == ONE))) == 1
    with AssignmentStore(database).writing(by="") as sharing:
        sharing.set_practice("d", Practice(person="ben"), rows=[], to=[])
    with database.reading() as connection:
        assert is_blind(connection, "d")
    assert store.of("ana", ONE) == ()
    for call in (hiding.hide, hiding.show):
        with pytest.raises(NotFound):
            call("nowhere")
