"""Scoring a workspace: whole runs, raw numbers beside values, and scores made elsewhere."""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tui_annotate
from tests.helpers.errors import has_code
from tests.helpers.printed_numbers import printed_numbers
from tests.lab.score.scorers.test_similarity import Letters
from tests.lab.score.test_generations import ROW
from tests.plugins.record_reader import file
from tui_annotate.domain.errors import (
    InvalidInput,
    InvalidRecord,
    NoScoreValues,
    NotAllowed,
    NotFound,
    NotReady,
    Unavailable,
)
from tui_annotate.domain.people import Actor, Role
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.lab.score.ranking import OVERLAP, REWARD, SURPRISE, TO_ANSWER, TO_OTHERS
from tui_annotate.lab.score.score_import import ColumnNames
from tui_annotate.lab.score.score_values import RawScore, ScoreValues
from tui_annotate.lab.score.scoring import ScoreOptions
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import EmbeddingCost
from tui_annotate.plugins.scoring import Opinion, ScorerOptions
from tui_annotate.workspace import Workspace, create

PAIR = {"source": "The bridge cost 12 million. It opened.", "summary": "It was loved."}


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with two questions and two pairs, without vectors; made once."""
    folder = tmp_path_factory.mktemp("furnished")
    with create(folder / "work") as made:
        _ingest(made, folder, "set", ROW, ROW | {"generation": [{"text": "in tide pools"}]})
        _ingest(made, folder, "news", PAIR, PAIR | {"summary": "The bridge cost."})
    return folder / "work"


@pytest.fixture
def space(furnished: Path, tmp_path: Path) -> Iterator[Workspace]:
    """A copy of it for one test."""
    shutil.copytree(furnished, tmp_path / "work")
    with tui_annotate.open(tmp_path / "work") as opened:
        yield opened


def _ingest(space: Workspace, folder: Path, dataset: str, *rows: Any) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    report = space.ingest(file(folder, f"{dataset}.jsonl", lines), embedder="none")
    assert (report.refused, report.problems) == (0, [])


def _scores(space: Workspace, dataset: str) -> dict[tuple[str, str, int], Score]:
    return {
        (key.id, score.name, score.extra): score
        for key, found in space.machines.scores.scores(dataset)
        for score in found
    }


def _run(space: Workspace, scorer: str, dataset: str = "set", **options: Any) -> Any:
    asked = ScoreOptions(dataset=dataset, scorer=scorer, options=ScorerOptions(**options))
    return space.machines.scoring.run(asked)


class Toy:
    """A scorer that says of each answer how long it is; of extras too; never twice the same."""

    name = "toy"
    maker = "toy:long"
    low = frozenset({"length"})

    def __init__(self, options: ScorerOptions) -> None:
        self.parameters = {"model": options.model}

    def of_answers(self, questions: Any) -> Iterator[tuple[Opinion, ...]]:
        """One value for each text and each extra, with a word."""
        for each in questions:
            texts = (*each.texts, *each.extras)
            words = tuple(text[:2] for text in texts)
            yield (Opinion(name="length", values=tuple(map(len, texts)), words=words),)

    def cost(self, questions: Any) -> EmbeddingCost:
        """One call an answer."""
        return EmbeddingCost(calls=sum(len(each.texts) for each in questions), characters=7)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry knows it."""
    known = dict(registry._BUILT_IN)
    known["scorers"] = {**known["scorers"], "toy": f"{__name__}:Toy"}
    monkeypatch.setattr(registry, "_BUILT_IN", known)


def test_answers_get_the_scores_of_their_question(space: Workspace) -> None:
    """Raw as computed, values between the least and the largest of the run."""
    seen: list[TaskProgress] = []
    asked = ScoreOptions(dataset="set", scorer="unigram", options=ScorerOptions(top_k=3))
    scored = space.machines.scoring.run(asked, progress=seen.append)
    assert (scored.samples, scored.scores, scored.skipped, scored.notes) == (3, 6, 0, ())
    assert (scored.run.maker, scored.run.low) == ("unigram", frozenset({SURPRISE}))
    assert scored.run.parameters["top_k"] == 3
    assert scored.run.parameters["language"] == "auto"
    assert scored.run.at
    found = _scores(space, "set")
    assert found["0.1", OVERLAP, 0].raw == pytest.approx(1, abs=1e-5)
    assert found["0.3", OVERLAP, 0].raw == pytest.approx(1 / 3, abs=1e-5)
    assert [found[key, OVERLAP, 0].value for key in ("0.1", "0.3", "1.0")] == [1, 0, 1]
    assert (seen[-1].records, seen[-1].share) == (3, 1.0)


def test_similarity_names_its_embedder_and_says_nothing_of_one_alone(space: Workspace) -> None:
    """The second question has one answer: nothing is said of its agreement, and that is told."""
    letters = Letters()
    scored = _run(space, "similarity", embedder=lambda: letters, with_question=False)
    assert scored.run.embedder == "first letters 1"
    found = _scores(space, "set")
    assert found["1.0", TO_ANSWER, 0].raw == 1
    assert (found["1.0", TO_OTHERS, 0].raw, found["1.0", TO_OTHERS, 0].value) == (None, None)
    notes = [each.split(":", 1) for each in scored.notes]
    report = [(name, printed_numbers(words)[0]) for name, words in notes]
    assert (TO_OTHERS, ["1", "3"]) in report  # of so many texts nothing is said
    assert (TO_ANSWER, ["1", "0.5"]) in report  # all are 1, and so the value of each is 0.5
    assert found["0.1", TO_ANSWER, 0].value == 0.5


def test_a_summary_is_as_good_as_its_worst_sentence(space: Workspace) -> None:
    """Each sentence has a part of its own, so that the worst can be shown."""
    scored = _run(space, "unigram", "news")
    assert (scored.samples, scored.scores) == (2, 2)
    found = _scores(space, "news")
    worst, best = found["1", "source_overlap", 0], found["2", "source_overlap", 0]
    assert (worst.raw, worst.value, worst.parts, worst.of) == (0, 0, (0.0,), "segments")
    assert (best.value, len(best.parts)) == (1, 1)


@pytest.mark.usefixtures("toy")
def test_extras_are_scored_with_the_first_sample(space: Workspace) -> None:
    """By their number, with what is said beside; the run has the scorer's own maker."""
    scored = _run(space, "toy:m")
    assert (scored.run.maker, scored.run.parameters["model"]) == ("toy:long", "m")
    assert (scored.samples, scored.scores) == (3, 5)
    found = _scores(space, "set")
    assert found["0.1", "length", 1].raw == len("I do not know.")
    assert found["0.1", "length", 2].text == "Pe"
    assert found["0.3", "length", 0].text == "In"


@pytest.mark.usefixtures("toy")
def test_a_scorer_of_answers_alone_refuses_pairs(space: Workspace) -> None:
    """Nothing is stored then."""
    with pytest.raises(InvalidInput, match=r"toy.*'news'"):
        _run(space, "toy", "news")
    assert space.machines.scores.runs() == []


@pytest.mark.usefixtures("toy")
def test_the_cost_is_told_without_a_run(space: Workspace) -> None:
    """None for what costs nothing but time."""
    scoring = space.machines.scoring
    assert scoring.cost(ScoreOptions(dataset="set", scorer="toy")) == (
        3,
        EmbeddingCost(calls=3, characters=7),
    )
    assert scoring.cost(ScoreOptions(dataset="set", scorer="unigram")) == (3, None)
    assert scoring.cost(ScoreOptions(dataset="news", scorer="toy")) == (2, None)


def test_a_sample_without_a_summary_is_passed_over(space: Workspace, tmp_path: Path) -> None:
    """And where there is nothing else, that is told."""
    asked = {"question": "How much?", "contexts": ["It cost 12."], "answer": None}
    answered = asked | {"answer": "It cost 12."}
    _ingest(space, tmp_path, "both", asked, answered)
    assert _run(space, "unigram", "both").skipped == 1
    _ingest(space, tmp_path, "alone", asked)
    with pytest.raises(NotReady, match=r"'alone'.*unigram"):
        _run(space, "unigram", "alone")


def test_what_can_not_be_asked_is_refused(space: Workspace) -> None:
    """Each by its name, with what there is."""
    scoring = space.machines.scoring
    with pytest.raises(NotFound, match="'nix'"):
        _run(space, "unigram", "nix")
    with pytest.raises(InvalidInput, match="'nix'"):
        _run(space, "nix")
    with pytest.raises(InvalidInput, match="'fr'"):
        scoring.run(ScoreOptions(dataset="set", scorer="unigram", language="fr"))
    with pytest.raises(Unavailable):
        _run(space, "similarity", embedder=space.machines.embedder)


def test_annotators_may_not_score(space: Workspace) -> None:
    """Neither compute nor import."""
    ana = space.person("ana").id
    theirs = space.acting(Actor(ana, Role.ANNOTATOR)).machines.scoring
    with pytest.raises(NotAllowed):
        theirs.run(ScoreOptions(dataset="set", scorer="unigram"))
    with pytest.raises(NotAllowed):
        theirs.from_columns("set")
    with pytest.raises(NotAllowed):
        theirs.from_file(Path("x"), score="n", dataset="set", options=ColumnNames())


def test_scores_made_elsewhere_come_in_by_id(space: Workspace, tmp_path: Path) -> None:
    """Samples that the file does not name are counted; a low score may be the better one."""
    path = file(tmp_path, "p.csv", "id,p\n0.3,2\n0.1,1\n")
    options = ColumnNames(score_column="p", lower_is_better=True)
    scored = space.machines.scoring.from_file(path, score="probe", dataset="set", options=options)
    assert (scored.samples, scored.skipped, scored.run.maker) == (2, 1, "import:probe")
    assert (scored.run.low, scored.run.parameters) == (frozenset({"probe"}), {"file": "p.csv"})
    found = _scores(space, "set")
    assert [found[key, "probe", 0].value for key in ("0.1", "0.3")] == [0, 1]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("0.1,1\n9,1\n", ":3: 'set' '9'"),
        ("0.1,1\n0.1,2\n", ":3: '0.1'"),
        ("0.1,x\n", ":2: 'score' 'x'"),
    ],
)
def test_one_wrong_row_refuses_the_file(
    space: Workspace, tmp_path: Path, rows: str, said: str
) -> None:
    """Nothing is stored."""
    path = file(tmp_path, "p.csv", f"id,score\n{rows}")
    with pytest.raises(InvalidRecord) as caught:
        space.machines.scoring.from_file(path, score="n", dataset="set", options=ColumnNames())
    assert [value for value in said.split() if value not in caught.value.message] == []
    assert space.machines.scores.runs() == []


def test_scores_of_another_dataset_are_refused(space: Workspace, tmp_path: Path) -> None:
    """Where the file names one."""
    path = file(tmp_path, "p.jsonl", '{"id": "0.1", "score": 1, "dataset": "else"}')
    with pytest.raises(InvalidRecord, match=r"'else'.*'set'"):
        space.machines.scoring.from_file(path, score="n", dataset="set", options=ColumnNames())
    with pytest.raises(InvalidInput, check=has_code("score-unnamed")):
        space.machines.scoring.from_file(path, score=" ", dataset="set", options=ColumnNames())


def test_columns_that_came_with_the_samples_become_a_run(space: Workspace) -> None:
    """What a labelled file holds is normalised already: there is no raw number but the reward's."""
    scored = space.machines.scoring.from_columns("set")
    assert scored.run.maker == "import:generations"
    assert scored.run.parameters == {
        "columns": [REWARD, TO_ANSWER],
        "normalised_before": [TO_ANSWER],
    }
    found = _scores(space, "set")
    assert (found["0.1", TO_ANSWER, 0].raw, found["0.1", TO_ANSWER, 0].value) == (None, 1)
    assert (found["0.1", REWARD, 2].raw, found["0.1", REWARD, 2].value) == (0.7, 1)
    with pytest.raises(NotFound, match="'news'"):
        space.machines.scoring.from_columns("news")


def test_a_judges_word_is_a_score_and_other_words_are_none(
    space: Workspace, tmp_path: Path
) -> None:
    """Right is 1 and anything else 0; a column of words is refused."""
    report = [
        {"text": "a", "gpt_judgement": "正确"},
        {"text": "b", "gpt_judgement": "错误", "n": 3},
    ]
    _ingest(space, tmp_path, "judged", ROW | {"generation": report})
    scoring = space.machines.scoring
    scoring.from_columns("judged")
    found = _scores(space, "judged")
    assert [found[key, "gpt_judgement_score", 0].raw for key in ("0.0", "0.1")] == [1, 0]
    assert scoring.from_columns("judged", sample_columns=["n"]).samples == 1
    with pytest.raises(InvalidInput, match=r"'type'.*judged/0\.0"):
        scoring.from_columns("judged", sample_columns=["type"])


def test_what_is_no_number_has_no_value() -> None:
    """A scorer that divides by zero spoils nothing for the others."""
    values = ScoreValues()
    values.add([RawScore("a", "n", float("nan")), RawScore("b", "n", 1.0), RawScore("c", "n", 3.0)])
    found = list(values.scores("d"))
    assert [(score.raw, score.value) for score in found] == [(None, None), (1, 0), (3, 1)]
    (note,) = values.notes()
    assert (note[:3], printed_numbers(note)) == ("n: ", [["1", "3"]])
    assert "reason" not in note
    values.close()


def test_notes_name_the_most_frequent_reason_of_missing_values() -> None:
    """Of the same score only; a value's own text is no reason."""
    values = ScoreValues()
    texts = ["rare", "usual", "usual"]
    values.add(RawScore(str(at), "n", None, text) for at, text in enumerate(texts))
    values.add(RawScore(str(at), "n", float(at), "grade") for at in range(3, 9))
    values.add([RawScore("a", "other", 1.0), RawScore("b", "other", None)])
    first, second = values.notes()
    assert first.endswith("most frequent reason: usual")
    assert "reason" not in second
    values.close()


def test_the_api_reaches_it(tmp_path: Path) -> None:
    """As everything that a command does."""
    create(tmp_path / "w").close()
    with tui_annotate.open(tmp_path / "w") as space:
        assert space.machines.scoring.machines is space.machines


def test_thinking_is_no_part_of_an_answer(space: Workspace, tmp_path: Path) -> None:
    """Answers get the scores that they get without thinking; `keep_thinking` scores all words."""
    thought = [each | {"text": f"<think>Wait.</think>{each['text']}"} for each in ROW["generation"]]
    _ingest(space, tmp_path, "thought", ROW | {"generation": thought})
    _ingest(space, tmp_path, "plain", ROW)

    def raws(dataset: str, **options: Any) -> list[float | None]:
        scoring = space.machines.scoring
        scoring.run(ScoreOptions(dataset=dataset, scorer="unigram", **options))
        found = space.machines.scores.scores(dataset, names=(OVERLAP, SURPRISE))
        return [each.raw for _, own in found for each in own]

    assert raws("thought") == raws("plain") != raws("thought", keep_thinking=True)


def _add_chinese(space: Workspace, tmp_path: Path) -> None:
    answers = [{"text": "上海大桥"}, {"text": "北京大桥"}]
    rows = {"question": "桥在哪里？", "answer": "上海大桥", "generation": answers}
    _ingest(space, tmp_path, "zh", rows)


def test_a_scorer_without_a_single_value_stores_nothing(space: Workspace, tmp_path: Path) -> None:
    """Exit code 3, with the scorer, the embedder and another way; an earlier run stays in use."""
    _add_chinese(space, tmp_path)
    earlier = _run(space, "similarity", "zh", embedder=Letters).run
    asked = ScoreOptions(
        dataset="zh",
        scorer="similarity",
        language="en",
        options=ScorerOptions(embedder=Letters, with_question=False),
    )
    with pytest.raises(NoScoreValues) as caught:
        space.machines.scoring.run(asked)
    assert caught.value.exit_code == 3
    assert "first letters 1" in caught.value.message
    assert "2 samples" in caught.value.message
    assert "--embedder none" in caught.value.hint
    assert [each.id for each in space.machines.scores.runs("zh")] == [earlier.id]


def test_the_hint_names_no_way_that_was_just_tried(space: Workspace, tmp_path: Path) -> None:
    """By characters, an answer of punctuation has no value, and the message has the reason."""
    rows = {"question": "谁？", "answer": "。。。", "generation": [{"text": "！！"}]}
    _ingest(space, tmp_path, "marks", rows)
    for embedder, by_characters in ((None, True), (Letters, False)):
        asked = ScoreOptions(
            dataset="marks",
            scorer="similarity",
            language="zh",
            options=ScorerOptions(embedder=embedder, by_characters=by_characters),
        )
        with pytest.raises(NoScoreValues) as caught:
            space.machines.scoring.run(asked)
        assert "no letters or digits" in caught.value.message
        assert "--embedder none" not in caught.value.hint
        assert "--embedder neural:FOLDER" in caught.value.hint


def test_samples_without_a_value_are_counted(space: Workspace) -> None:
    """As many as the notes name; a sample with one of two values is not without a value."""
    letters = Letters()
    scored = _run(space, "similarity", embedder=lambda: letters, with_question=False)
    assert (scored.samples, scored.skipped, scored.scores, scored.values) == (3, 0, 6, 5)
    assert scored.missing == {TO_ANSWER: 0, TO_OTHERS: 1}


class Odd:
    """A scorer whose values are all NaN or infinite."""

    name = "odd"
    low: frozenset[str] = frozenset()
    parameters: Mapping[str, Any] = {}

    def __init__(self, options: ScorerOptions) -> None:
        pass

    def of_answers(self, questions: Any) -> Iterator[tuple[Opinion, ...]]:
        """See `Scorer.of_answers`."""
        for each in questions:
            yield (Opinion(name="odd", values=(math.nan,) * len(each.texts)),)


def test_a_scorer_whose_values_are_all_nan_is_told_so(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message has their number, not just that there is no value."""
    known = dict(registry._BUILT_IN)
    known["scorers"] = {**known["scorers"], "odd": f"{__name__}:Odd"}
    monkeypatch.setattr(registry, "_BUILT_IN", known)
    with pytest.raises(NoScoreValues, match="odd: 3 values of the scorer were NaN or infinite"):
        _run(space, "odd")


class Half:
    """A scorer with a value for the first answer to each question alone."""

    name = "half"
    low: frozenset[str] = frozenset()

    def __init__(self, options: ScorerOptions) -> None:
        self.parameters = {"model": options.model}

    def of_answers(self, questions: Any) -> Iterator[tuple[Opinion, ...]]:
        """See `Scorer.of_answers`."""
        for each in questions:
            yield (Opinion(name="half", values=(1.0, *[None] * (len(each.texts) - 1))),)


def test_the_count_without_a_score_agrees_with_the_notes(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three samples, one of which has no value: two with a score, one without."""
    known = dict(registry._BUILT_IN)
    known["scorers"] = {**known["scorers"], "half": f"{__name__}:Half"}
    monkeypatch.setattr(registry, "_BUILT_IN", known)
    scored = _run(space, "half")
    assert (scored.samples, scored.skipped, scored.missing) == (2, 1, {"half": 1})
    assert printed_numbers(scored.notes[0]) == [["1", "3"]]


def test_sentences_without_a_value_are_counted(space: Workspace, tmp_path: Path) -> None:
    """The score of a text is that of its worst known sentence, so the others are named."""
    summary = "Apples are red. 1234. Bears sleep."
    _ingest(
        space, tmp_path, "mixed", {"source": "Apples are red. Apples are red.", "summary": summary}
    )
    scored = _run(space, "similarity", "mixed", embedder=Letters)
    (score,) = _scores(space, "mixed").values()
    assert score.parts == (1.0, None, 0.0)
    assert [printed_numbers(note)[0] for note in scored.notes] == [["1", "3"]]
    assert scored.missing == {"source_similarity": 0}


class Wrong:
    """A scorer whose results a test sets: a function of the items gives one result for each."""

    name = "wrong"
    low: Any = frozenset()
    results: Any = None
    cost_of: Any = EmbeddingCost()

    def __init__(self, options: ScorerOptions) -> None:
        self.parameters: Any = {"model": options.model, "share": np.float32(0.5)}

    def of_answers(self, questions: Any) -> Any:
        """The results for the questions."""
        return self.results(list(questions))

    def of_sentences(self, samples: Any) -> Any:
        """The results for the samples."""
        return self.results(list(samples))

    def cost(self, _: Any) -> Any:
        """What a test sets."""
        return self.cost_of


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The registry knows it; tests set the results."""
    known = dict(registry._BUILT_IN)
    known["scorers"] = {**known["scorers"], "wrong": f"{__name__}:Wrong"}
    monkeypatch.setattr(registry, "_BUILT_IN", known)

    class Made(Wrong):
        pass

    monkeypatch.setattr(f"{__name__}.Wrong", Made)
    return Made


def _opinions(*values: Any, name: str = "s") -> tuple[Opinion, ...]:
    return (Opinion(name=name, values=values),)


@pytest.mark.parametrize(
    ("results", "says", "numbers"),
    [
        (lambda items: [_opinions(1.0)] * (len(items) - 1), "", ["1", "2"]),
        (lambda items: [_opinions(1.0)] * (len(items) + 1), "", ["2"]),
        (lambda items: [_opinions(1.0), _opinions()][: len(items)], "news/2", ["0", "1"]),
        (lambda items: [_opinions(1.0, 2.0)] * len(items), "news/1", ["2", "1"]),
        (lambda items: [_opinions("high")] * len(items), "news/1", []),
        (lambda items: [_opinions(1.0) * 2] * len(items), "'s'", []),
        (lambda _: None, "", []),
    ],
)
def test_results_that_do_not_fit_are_not_stored(
    space: Workspace, wrong: Any, results: Any, says: str, numbers: list[str]
) -> None:
    """No score moves to the next sample; the error names plug-in, sample and numbers."""
    wrong.results = staticmethod(results)
    with pytest.raises(Unavailable, match="'wrong'") as error:
        _run(space, "wrong", "news")
    assert says in error.value.message
    found = [each for line in printed_numbers(error.value.message) for each in line]
    assert set(numbers) <= set(found)
    assert _scores(space, "news") == {}
    assert space.machines.scores.runs("news") == []


def test_numbers_of_numpy_are_stored_and_nan_is_missing(space: Workspace, wrong: Any) -> None:
    """The run has plain JSON numbers, and a note states why a value is missing."""
    values = iter([np.float32(0.25), np.float64("nan")])
    wrong.results = staticmethod(lambda items: [_opinions(next(values)) for _ in items])
    scored = _run(space, "wrong", "news")
    assert [score.raw for score in _scores(space, "news").values()] == [0.25, None]
    assert scored.run.parameters["share"] == 0.5
    assert any("NaN" in note for note in scored.notes)


def test_a_scorer_counts_the_texts_that_failed(space: Workspace, wrong: Any) -> None:
    """As a whole number of any library; anything else is an error, and nothing is stored."""
    wrong.results = staticmethod(lambda items: [_opinions(0.5) for _ in items])
    for count in (True, "many", None, -1, 1.5):
        wrong.failed = count
        with pytest.raises(Unavailable, match=r"'wrong'.*failed"):
            _run(space, "wrong", "news")
    assert space.machines.scores.runs("news") == []
    wrong.failed = np.int64(4)
    failed = _run(space, "wrong", "news").failed
    assert (type(failed), failed) == (int, 4)


def test_the_worst_sentence_counts_also_if_low_is_better(space: Workspace, wrong: Any) -> None:
    """Of a sample's sentences it is the highest value then."""
    folder = space.path.parent
    _ingest(space, folder, "two", PAIR | {"summary": "It was loved. It was red."})
    wrong.results = staticmethod(lambda items: [_opinions(0.1, 0.9) for _ in items])
    for low, raw in ((frozenset(), 0.1), (frozenset({"s"}), 0.9)):
        wrong.low = low
        _run(space, "wrong", "two")
        assert [score.raw for score in _scores(space, "two").values()] == [raw]


def test_models_of_one_scorer_keep_their_scores_apart(
    space: Workspace, wrong: Any, tmp_path: Path
) -> None:
    """By the name of the model; files of one name are told apart by their folders."""
    wrong.results = staticmethod(lambda items: [_opinions(0.1) for _ in items])
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "model.json").touch()
    specs = ("wrong", "wrong:large", "wrong:small", "wrong:large")
    for spec in (*specs, *(f"wrong:{tmp_path}/{folder}/model.json" for folder in ("one", "two"))):
        _run(space, spec, "news")
    makers = [run.maker for run in space.machines.scores.runs("news")]
    assert makers == [*specs, "wrong:one/model.json", "wrong:two/model.json"]
    assert len({score.name for score in _scores(space, "news").values()}) == 1
    found = list(space.machines.scores.scores("news"))
    assert [len(scores) for _, scores in found] == [5, 5]


def test_models_in_folders_of_one_name_keep_their_scores_apart(
    space: Workspace, wrong: Any, tmp_path: Path
) -> None:
    """The second one gets a hash of its path; each of them keeps its maker when it runs again."""
    wrong.results = staticmethod(lambda items: [_opinions(0.1) for _ in items])
    paths = [tmp_path / each / "final" / "model" for each in ("one", "two")]
    for path in paths:
        path.mkdir(parents=True)
    for path in (*paths, *paths):
        _run(space, f"wrong:{path}", "news")
    first, second, *again = (run.maker for run in space.machines.scores.runs("news"))
    assert first == "wrong:final/model"
    assert re.fullmatch("wrong:final/model@[0-9a-f]{8}", second)
    assert again == [first, second]
    assert [len(scores) for _, scores in space.machines.scores.scores("news")] == [2, 2]


def test_a_model_name_keeps_its_scores_apart_from_folders(
    space: Workspace, wrong: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the scorer of another package states about its model."""
    monkeypatch.setattr(registry, "is_built_in", lambda _, name: name != "wrong")
    monkeypatch.setattr(wrong, "__init__", lambda self, _: setattr(self, "parameters", {}))
    wrong.results = staticmethod(lambda items: [_opinions(0.1) for _ in items])
    folders = [tmp_path / each / "q" / "m" for each in ("x", "y")]
    for folder in folders:
        folder.mkdir(parents=True)
    for model in (*folders, folders[0], "q/m", folders[1], "q/m"):
        _run(space, f"wrong:{model}", "news")
    x, y, x_again, name, y_again, name_again = (
        run.maker for run in space.machines.scores.runs("news")
    )
    assert (x_again, y_again, name_again) == (x, y, name)
    assert len({x, y, name}) == 3


class Lengths(Letters):
    """Another embedder: one direction for short texts, another one for long ones."""

    label = "lengths"

    def embed(self, texts: Sequence[str]) -> Any:
        """See `Embedder.embed`."""
        rows = np.zeros((len(texts), 8), np.float32)
        rows[np.arange(len(texts)), [int(len(text) > 20) for text in texts]] = 1
        return rows


def test_similarities_of_two_embedders_are_kept_apart(space: Workspace) -> None:
    """As scores of two makers, both of which are compared; by characters it is a third one."""
    for embedder in (Letters, Lengths, Letters):
        _run(space, "similarity", embedder=embedder, with_question=False)
    _run(space, "similarity", by_characters=True)
    makers = [run.maker for run in space.machines.scores.runs("set")]
    assert makers == [
        "similarity:first letters", "similarity:lengths", "similarity:first letters", "similarity"
    ]  # fmt: skip
    found = dict(space.machines.scores.scores("set"))
    assert [len(scores) for scores in found.values()] == [6, 6, 6]
    # One score of a name counts where only one can: that of the newest run.
    current = dict(space.machines.scores.current_scores("set", names=[TO_ANSWER]))
    assert [len(scores) for scores in current.values()] == [1, 1, 1]


def test_a_score_of_an_earlier_version_keeps_its_maker(space: Workspace) -> None:
    """The scorer similarity had one maker for all embedders."""
    for label, maker in (
        ("first letters 1", "similarity"),
        ("other 1", "similarity:first letters"),
    ):
        run = ScoreRun(
            id=label, kind=RunKind.SCORE, maker="similarity", dataset="set", embedder=label
        )
        space.machines.scores.write(run, [])
        assert _run(space, "similarity", embedder=Letters, with_question=False).run.maker == maker


def test_a_newer_run_of_some_samples_is_not_mixed_with_another_model(space: Workspace) -> None:
    """The values of both have different scales."""
    keys = [key for key, _ in _scores_by_sample(space)]
    for maker, own in (("a", keys), ("b", keys[:1])):
        run = ScoreRun(id=maker, kind=RunKind.SCORE, maker=maker, dataset="set")
        space.machines.scores.write(run, [Score(key=key, name="s", raw=1.0) for key in own])
    assert [key for key, _ in space.machines.scores.scores("set", names=["s"])] == keys
    assert [key for key, _ in space.machines.scores.current_scores("set", names=["s"])] == keys[:1]


def _scores_by_sample(space: Workspace) -> list[tuple[SampleKey, Any]]:
    _run(space, "unigram")
    return list(space.machines.scores.scores("set"))


def test_other_results_of_a_scorer_are_checked(space: Workspace, wrong: Any) -> None:
    """Costs, parameters and the names of low scores."""
    wrong.results = staticmethod(lambda items: [_opinions(0.1) for _ in items])
    wrong.low = "s"
    with pytest.raises(Unavailable, match="'wrong'"):
        _run(space, "wrong", "news")
    wrong.cost_of = 3
    asked = ScoreOptions(dataset="set", scorer="wrong", options=ScorerOptions())
    with pytest.raises(Unavailable, match="'wrong'"):
        space.machines.scoring.cost(asked)
