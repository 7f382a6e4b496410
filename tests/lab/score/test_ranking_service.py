"""Ranking a workspace: labels and categories as a run, by the scores that stand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.dreamcatcher import data, golden, rows
from tests.helpers.errors import has_code
from tests.plugins.record_reader import file
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidInput, NotAllowed, NotFound
from tui_annotate.domain.people import Actor, Role
from tui_annotate.domain.progress import TaskProgress
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.lab.score.ranking import AS_RIGHT, CATEGORY, OVERLAP, RANK, SURPRISE
from tui_annotate.lab.score.ranking_service import Ranker, RankOptions, parse_ranker
from tui_annotate.workspace import Workspace, create


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """A new workspace."""
    with create(tmp_path / "work") as made:
        yield made


def _ingest(space: Workspace, path: Path) -> None:
    assert space.ingest(path, embedder="none").refused == 0


def _worked(space: Workspace, folder: Path) -> dict[str, Any]:
    """The worked example, with the scores that its rows hold."""
    found: dict[str, Any] = golden("simple_ranker")
    lines = "".join(json.dumps(row) + "\n" for row in found["input"])
    _ingest(space, file(folder, "set.jsonl", lines))
    space.machines.scoring.from_columns("set")
    return found


def _said(space: Workspace, name: str, dataset: str = "set") -> list[Score]:
    run = space.machines.scores.runs(dataset)[-1]
    found = space.machines.scores.scores(dataset, names=[name], runs=[run.id])
    return [score for _, scores in found for score in scores]


def _rows(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_worked_example_comes_out(space: Workspace, tmp_path: Path) -> None:
    """Its labels, thresholds and files; but what is undecided is called so."""
    found = _worked(space, tmp_path)
    seen: list[TaskProgress] = []
    ranked = space.machines.ranking.run(RankOptions(dataset="set"), progress=seen.append)
    assert ranked.labels == {"right": 3, "wrong": 3, "undecided": 2}
    assert ranked.categories == {
        "all-right": 1, "all-wrong": 1, "partial-right": 1, "undecided": 1,
    }  # fmt: skip
    assert ranked.run.parameters["up"] == pytest.approx(found["threshold_up"])
    assert ranked.run.parameters["down"] == pytest.approx(found["threshold_down"])
    assert ranked.run.parameters["middle"] == {RANK: 0.0}
    assert (ranked.run.kind, ranked.run.maker) == (RunKind.RANK, "percentile")
    assert seen[-1].records == 8
    labelled, preferred = tmp_path / "out.jsonl", tmp_path / "pref.jsonl"
    space.export(labelled, format="generations")
    space.export(preferred, format="preferences")
    assert _rows(preferred) == found["ranked_data"]
    texts = [[each["text"] for each in row["rank"]] for row in _rows(labelled)]
    assert texts == found["rank_texts"]
    assert [row["category"] for row in _rows(labelled)][3] == "undecided"


def test_people_go_before_the_ranking_and_leave_it_as_it_is(
    space: Workspace, tmp_path: Path
) -> None:
    """What they find changes the files, never what the machine said."""
    _worked(space, tmp_path)
    space.machines.ranking.run(RankOptions(dataset="set"))
    before = _said(space, RANK)
    ana, key = space.person("ana").id, SampleKey("set", "0.0")
    claim = Annotation("a", (Anchor(Side.SUMMARY, 0, Span(0, 3)),), labels=(("Benign",),))
    wrong = Annotation("b", claim.claim, labels=(("Unwanted", "Extrinsic"),))
    space.annotate.add(ana, key, wrong, seconds=1.0)
    space.annotate.finish(ana, key, seconds=1.0)
    space.annotate.add(ana, SampleKey("set", "1.0"), claim, seconds=1.0)
    space.annotate.finish(ana, SampleKey("set", "1.0"), seconds=1.0)
    space.export(tmp_path / "out.jsonl", format="generations", dataset="set")
    first, second, *_ = _rows(tmp_path / "out.jsonl")
    assert [each["text"] for each in first["rank"]] == ["g01", "u01", "g00"]
    assert first["category"] == "partial-right"
    assert [each["text"] for each in second["rank"]] == ["g10", "u10", "g11"]
    assert _said(space, RANK) == before


def test_the_decisions_of_the_published_file_come_out(space: Workspace, tmp_path: Path) -> None:
    """All of 200 questions, their answers in the same order, and each line of preferences."""
    name, report = "test_autolabeled", golden("repo_data_decisions")
    _ingest(space, data(name))
    space.machines.scoring.from_columns(name)
    closer = space.machines.ranking.run(
        RankOptions(dataset=name, upper_percentile=55, lower_percentile=45)
    )
    assert [*closer.categories.values()] == [80, 73, 40, 7]
    space.export(tmp_path / "closer", format="preferences")
    assert len(_rows(tmp_path / "closer")) == 193
    ranked = space.machines.ranking.run(RankOptions(dataset=name))
    assert [*ranked.categories.values()] == [53, 45, 4, 98]
    assert ranked.run.parameters["up"] == pytest.approx(report["threshold_up"], abs=1e-12)
    assert ranked.run.parameters["down"] == pytest.approx(report["threshold_down"], abs=1e-12)
    for form in ("generations", "preferences"):
        space.export(tmp_path / form, format=form)
    assert _rows(tmp_path / "preferences") == rows("test_autoranked")
    ours = _rows(tmp_path / "generations")
    assert [row["rank"] for row in ours] == [row["rank"] for row in rows(name)]
    called = {"undecided": "all-right"}
    assert [called.get(row["category"], row["category"]) for row in ours] == report["category"]


def _scored(space: Workspace, folder: Path, scores: Mapping[str, list[Any]]) -> None:
    """Two answers to one question with some values each."""
    texts = [{"text": "a"}, {"text": "b" * 200}]
    row = {"question": "?", "answer": "c", "generation": texts}
    _ingest(space, file(folder, "set.jsonl", json.dumps(row)))
    _add(space, "m", scores)


def _add(space: Workspace, maker: str, scores: Mapping[str, list[Any]]) -> None:
    low = frozenset({SURPRISE})
    run = ScoreRun(id=maker, kind=RunKind.SCORE, maker=maker, dataset="set", low=low)
    keys = [SampleKey("set", "0.0"), SampleKey("set", "0.1")]
    space.machines.scores.write(
        run,
        [
            Score(key=key, name=name, value=value)
            for place, key in enumerate(keys)
            for name, values in scores.items()
            for value in values[place : place + 1]
        ],
    )


def test_a_score_of_which_a_low_value_is_better_is_turned(space: Workspace, tmp_path: Path) -> None:
    """The original takes a surprising answer for the better one."""
    _scored(space, tmp_path, {OVERLAP: [0.5, 0.5], SURPRISE: [0.1, 0.9]})
    ranked = space.machines.ranking.run(RankOptions(dataset="set", scores=(SURPRISE,)))
    assert [score.text for score in _said(space, RANK)] == ["right", "wrong"]
    assert ranked.used == (SURPRISE,)


def test_the_length_ranker_has_an_order_of_its_own(space: Workspace, tmp_path: Path) -> None:
    """A long answer is held against all scores, a short one against its overlap."""
    _scored(space, tmp_path, {OVERLAP: [0.2, 0.8], SURPRISE: [0.1, 0.9]})
    ranked = space.machines.ranking.run(
        RankOptions(dataset="set", ranker=Ranker.LENGTH, short_diff=80)
    )
    assert ranked.run.parameters["short_diff"] == 80
    assert ranked.run.parameters["medians"][OVERLAP] == 0.5
    assert [score.text for score in _said(space, RANK)] == ["wrong", "wrong"]
    assert [score.text for score in _said(space, CATEGORY)] == ["all-wrong", "all-wrong"]
    assert len(_said(space, AS_RIGHT)) == 2


def test_the_newest_run_speaks_also_where_it_has_nothing_to_say(
    space: Workspace, tmp_path: Path
) -> None:
    """Values of two runs are never mixed."""
    _scored(space, tmp_path, {OVERLAP: [0.0, 1.0]})
    _add(space, "newer", {OVERLAP: [None, 0.5]})
    ranked = space.machines.ranking.run(RankOptions(dataset="set"))
    assert ranked.labels["undecided"] == 2


def test_samples_without_a_group_stand_for_themselves(space: Workspace, tmp_path: Path) -> None:
    """As all pairs do, which can be ranked by any score."""
    pairs = [{"source": "a", "summary": each} for each in "abc"]
    lines = "".join(json.dumps(pair) + "\n" for pair in pairs)
    _ingest(space, file(tmp_path, "set.jsonl", lines))
    run = ScoreRun(id="r", kind=RunKind.SCORE, maker="m", dataset="set")
    keys = [SampleKey("set", str(number)) for number in range(3)]
    scores = [Score(key=key, name="s", value=place / 2) for place, key in enumerate(keys)]
    space.machines.scores.write(run, scores)
    ranked = space.machines.ranking.run(RankOptions(dataset="set", scores=("s", "s")))
    assert ranked.categories == {
        "all-right": 1, "all-wrong": 1, "partial-right": 0, "undecided": 1,
    }  # fmt: skip


def test_what_can_not_be_ranked_is_refused(space: Workspace, tmp_path: Path) -> None:
    """With what is lacking."""
    _scored(space, tmp_path, {"other": [0.1, 0.9]})
    run = space.machines.ranking.run
    with pytest.raises(NotFound, match="'set'"):
        run(RankOptions(dataset="set"))
    with pytest.raises(InvalidInput, match="101"):
        run(RankOptions(dataset="set", upper_percentile=101))
    with pytest.raises(InvalidInput, match="-1"):
        run(RankOptions(dataset="set", ranker=Ranker.LENGTH, short_diff=-1))
    with pytest.raises(InvalidInput, match=r"80.*70"):
        run(RankOptions(dataset="set", lower_percentile=80))
    with pytest.raises(InvalidInput, check=has_code("scores-not-used")):
        run(RankOptions(dataset="set", ranker=Ranker.LENGTH, scores=("other",)))
    ana = Actor(space.person("ana").id, Role.ANNOTATOR)
    with pytest.raises(NotAllowed):
        space.acting(ana).machines.ranking.run(RankOptions(dataset="set"))


def test_rankers_are_known_by_the_originals_names_too() -> None:
    """And others are refused."""
    assert parse_ranker("SimpleRanker") is parse_ranker("percentile") is Ranker.PERCENTILE
    assert parse_ranker("LenRanker") is Ranker.LENGTH
    with pytest.raises(InvalidInput, match="'Best'"):
        parse_ranker("Best")
