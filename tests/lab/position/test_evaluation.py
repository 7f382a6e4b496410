"""Questions out of a workspace, and answers counted: what the commands of a study stand on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.position_rows import lines, placed
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.lab.position.evaluation import (
    EvaluationOptions,
    GroupBy,
    HumanAgreement,
    as_json,
    evaluate,
    file_cases,
)
from tui_annotate.lab.position.metric import IntervalMethod, MatchRules
from tui_annotate.lab.position.row_files import read_rows
from tui_annotate.lab.position.study_rows import ScoredAnswer, StudyTask
from tui_annotate.lab.position.workspace_rows import WorkspaceRowOptions, build_workspace_rows
from tui_annotate.methods.intervals import wilson_interval
from tui_annotate.workspace import Workspace

CASES = st.builds(
    ScoredAnswer,
    task=st.just(StudyTask.QA),
    position=st.integers(0, 3) | st.none(),
    size=st.just(4),
    identity=st.sampled_from("abc"),
    score=st.sampled_from([None, 0.0, 1.0]),
    model=st.sampled_from(["", "x"]),
    verdict=st.sampled_from([None, "Correct", "Incorrect", "Unclear"]),
    judged=st.booleans(),
)


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace without samples."""
    with workspaces.create(tmp_path / "space") as made:
        yield made


def taken(space: Workspace, name: str, *found: Any) -> None:
    """Brings rows in."""
    path = space.path.parent / f"{name}.jsonl"
    path.write_text(lines(*found), "utf-8")
    report = space.ingest(path, embedder="none")
    assert not report.refused


def test_a_study_pads_the_passage_that_answers(space: Workspace) -> None:
    """Of a question the marked one alone, with its own answers; not among texts that hold one."""
    wet = [{"title": "R", "text": "Rain falls.", "isgold": True}, {"title": "S", "text": "Snow."}]
    taken(
        space, "study", placed(1), placed(0, name="b?", ctxs=wet, answers=["rain", "sea", "gulls"])
    )
    first, second = (
        each.row for each in build_workspace_rows(space.corpus, WorkspaceRowOptions(documents=2))
    )
    assert [first["answers"], second["answers"]] == [["sea star"], ["rain", "sea", "gulls"]]
    assert first["ctxs"][0]["text"] == "The sea star did it."
    assert first["ctxs"][1]["title"] in {"R", "S"}
    assert len(second["ctxs"]) == 1  # every other text holds an answer of it


def test_samples_without_a_source_or_an_answer_give_no_row(space: Workspace) -> None:
    """A reference answer goes before a summary; several sources are one passage."""
    context = {"question": "q?", "contexts": ["One.", "Two."], "ground_truth": "Three."}
    bare = {"question": "r?", "contexts": ["Four."]}
    taken(space, "rag", context, bare)
    (found,) = [
        each.row for each in build_workspace_rows(space.corpus, WorkspaceRowOptions(documents=1))
    ]
    assert (found["question"], found["answers"]) == ("q?", ["Three."])
    assert found["ctxs"][0]["text"] == "One.\n\nTwo."


@given(st.lists(CASES, max_size=30))
def test_groups_are_parts_of_the_whole(cases: list[ScoredAnswer]) -> None:
    """Each row is counted once, whatever it is grouped by; values of JSON say the same."""
    wholes = {
        json.dumps(as_json(evaluate(lambda: cases, EvaluationOptions(by=by)))["all"])
        for by in ((GroupBy.POSITION,), (GroupBy.MODEL, GroupBy.POSITION), (GroupBy.TASK,))
    }
    assert len(wholes) == 1
    found = evaluate(lambda: cases, EvaluationOptions(by=(GroupBy.POSITION,)))
    assert found.split == (() if len({each.model for each in cases}) < 2 else (GroupBy.MODEL,))
    assert sum(bar.n for _, bar in found.groups) == sum(each.score is not None for each in cases)
    for table in found.tables:
        places = [place[0] for place, _ in table.groups]
        assert places == sorted(places, key=lambda at: (at is None, at or 0))


@given(st.lists(CASES, max_size=30))
def test_shared_questions_are_the_same_everywhere(cases: list[ScoredAnswer]) -> None:
    """No group has a question that another one lacks; groups of two models are compared too."""
    found = evaluate(lambda: cases, EvaluationOptions(shared_questions=True))
    scored = [each for each in cases if each.score is not None]
    groups: dict[Any, set[str]] = {}
    for each in scored:
        groups.setdefault((each.model, each.position), set()).add(each.identity)
    common = set.intersection(*groups.values()) if groups else set()
    assert sum(bar.n for _, bar in found.groups) == sum(e.identity in common for e in scored)
    assert found.left_out == sum(each.identity not in common for each in cases)


def test_agreement_needs_verdicts_of_both_kinds() -> None:
    """Kappa is that of the four counts; of nothing, and where all say one thing, there is none."""
    assert HumanAgreement(20, 5, 10, 15).kappa == pytest.approx(0.4)
    assert HumanAgreement(open=3).kappa is None
    assert HumanAgreement(both=4).kappa is None


def test_other_rules_score_stored_answers_anew(space: Workspace) -> None:
    """The verdict that came with a row stands, unless they are asked for; keys have none."""
    taken(
        space,
        "study",
        placed(0, "starship sea stars"),
        placed(0, "kelp", metric_best_subspan_em=1.0),
    )
    key = {"ordered_kv_records": [["a", "x"], ["b", "y"]], "key": "a", "value": "x"}
    taken(space, "keys", key | {"model_answer": "X!"})
    positions = space.machines.positions
    assert positions.evaluate("study").all.hits == 2
    assert positions.evaluate("study", rules=MatchRules(whole_words=True)).all.hits == 0
    assert positions.evaluate("keys", rules=MatchRules(whole_words=True)).all.hits == 1
    assert list(positions.chart("study").by) == [GroupBy.POSITION]


def test_a_file_is_read_row_by_row(tmp_path: Path) -> None:
    """What is broken is told by its line, once one comes to it."""
    path = tmp_path / "a.jsonl"
    path.write_text(lines(placed(0)) + "{\n", "utf-8")
    found = read_rows(path)
    assert next(found).where == f"{path}:1"
    with pytest.raises(InvalidRecord, match=r"a\.jsonl.*2:"):
        next(found)
    with pytest.raises(InvalidInput):
        next(read_rows(tmp_path))


def test_questions_and_keys_are_shared_apart() -> None:
    """One task has no row of the other's, so each is compared over its own groups."""
    asked = [
        ScoredAnswer(task=task, position=at, size=12, identity=name, score=1.0)
        for task, at, name in (
            (StudyTask.QA, 0, "q"), (StudyTask.QA, 2, "q"), (StudyTask.QA, 2, "alone"),
            (StudyTask.KV, 0, "k"), (StudyTask.KV, 11, "k"),
        )
    ]  # fmt: skip
    found = evaluate(
        lambda: asked, EvaluationOptions(by=(GroupBy.TASK, GroupBy.POSITION), shared_questions=True)
    )
    assert [(place, bar.n) for place, bar in found.groups] == [
        (("kv", 0), 1), (("kv", 11), 1), (("qa", 0), 1), (("qa", 2), 1)
    ]  # fmt: skip
    assert found.left_out == 1


def _case(name: str, at: int, score: float, **more: Any) -> ScoredAnswer:
    fields: dict[str, Any] = {"task": StudyTask.QA, "size": 10, "model": "m"} | more
    return ScoredAnswer(position=at, identity=name, score=score, **fields)


def _correlated() -> list[ScoredAnswer]:
    """60 questions at 10 positions; 40 questions are right at 9 positions, 20 at one."""
    return [
        _case(f"q{number}", at, float(at != 3 if number < 40 else at == 3))
        for number in range(60)
        for at in range(10)
    ]


def test_the_interval_of_all_positions_resamples_questions() -> None:
    """The ten answers to a question are no ten independent ones: the interval is wider."""
    cases = _correlated()
    whole = evaluate(lambda: cases, EvaluationOptions()).all
    assert (whole.n, len(whole.questions), whole.mean) == (600, 60, 380 / 600)
    assert whole.interval is not None
    means = np.array([0.9] * 40 + [0.1] * 20)
    chance = np.random.default_rng(1)
    drawn = means[chance.integers(0, 60, (20_000, 60))].mean(axis=1)
    assert whole.interval == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.01)
    low, high = wilson_interval(whole.hits, whole.n)
    assert whole.interval[1] - whole.interval[0] > 2 * (high - low)
    backwards = evaluate(lambda: cases[::-1], EvaluationOptions()).all
    assert backwards.interval == whole.interval
    values = as_json(evaluate(lambda: cases, EvaluationOptions()))
    assert (values["all"]["questions"], values["all"]["interval"]) == (60, "bootstrap")
    assert {each["interval"] for each in values["groups"]} == {"wilson"}
    assert {each["questions"] for each in values["groups"]} == {60}


def test_answers_to_one_question_of_their_own_have_wilsons_interval() -> None:
    """With a question in each row nothing changes; two questions are too few to resample."""
    cases = [_case(f"q{number}", 0, float(number < 3)) for number in range(8)]
    assert evaluate(lambda: cases, EvaluationOptions()).all.interval == wilson_interval(3, 8)
    few = [_case(name, at, float(name == "a")) for name in "ab" for at in (0, 1)]
    found = evaluate(lambda: few, EvaluationOptions()).all
    assert (found.mean, found.interval) == (0.5, None)


def test_questions_that_are_all_alike_have_no_interval_of_width_zero() -> None:
    """Ten questions with right answers only are ten cases, not thirty, and no certainty."""
    cases = [_case(f"q{number}", at, 1.0) for number in range(10) for at in (0, 1, 2)]
    found = evaluate(lambda: cases, EvaluationOptions()).all
    assert found.interval == wilson_interval(10, 10)
    assert found.method is IntervalMethod.BY_QUESTION


def test_two_models_are_never_averaged() -> None:
    """There is one table for each, and no mean of both; grouped by model there is no split."""
    cases = [
        _case(name, at, float(model == "good"), model=model)
        for model in ("good", "bad")
        for name in "abcd"
        for at in (0, 9)
    ]
    found = evaluate(lambda: cases, EvaluationOptions())
    assert found.split == (GroupBy.MODEL,)
    assert [(table.key, table.all.mean, table.all.n) for table in found.tables] == [
        (("bad",), 0.0, 8), (("good",), 1.0, 8)
    ]  # fmt: skip
    assert (found.all.n, found.all.mean, found.all.interval) == (16, None, None)
    values = as_json(found)
    assert values["by"] == ["model", "gold-position"]
    assert [(each["model"], each["all"]["mean"]) for each in values["tables"]] == [
        ("bad", 0.0), ("good", 1.0)
    ]  # fmt: skip
    asked = evaluate(lambda: cases, EvaluationOptions(by=(GroupBy.MODEL, GroupBy.POSITION)))
    assert (asked.split, asked.groups) == ((), found.groups)
    assert asked.all.mean is None


@pytest.mark.parametrize(
    ("more", "split"),
    [({"task": StudyTask.KV}, GroupBy.TASK), ({"size": 20}, GroupBy.SIZE)],
)
def test_kinds_of_prompts_are_never_averaged(more: dict[str, Any], split: GroupBy) -> None:
    """Neither are questions and keys, nor position 9 of ten passages and of twenty."""
    cases = [_case("a", 9, 1.0), _case("b", 9, 0.0, **more)]
    found = evaluate(lambda: cases, EvaluationOptions())
    assert (found.split, len(found.tables), found.all.mean) == ((split,), 2, None)


def test_what_follows_from_the_groups_splits_no_table() -> None:
    """By task, the sizes of both tasks differ anyway."""
    cases = [_case("a", 0, 1.0), _case("b", 0, 0.0, task=StudyTask.KV, size=75)]
    found = evaluate(lambda: cases, EvaluationOptions(by=(GroupBy.TASK, GroupBy.POSITION)))
    assert (found.split, len(found.groups)) == ((), 2)


def test_repeated_rows_and_runs_are_refused_by_their_lines() -> None:
    """An exact repeat names both lines; a second answer is another run, kept apart by file."""
    first = _case("a", 0, 1.0, where="a.jsonl:1", file="a.jsonl", prompt="p", reply="r")
    repeat = replace(first, where="b.jsonl:4", file="b.jsonl")
    with pytest.raises(InvalidRecord, match=r"b\.jsonl:4: .*a\.jsonl:1"):
        evaluate(lambda: [first, repeat], EvaluationOptions())
    run = replace(repeat, reply="other", score=0.0)
    with pytest.raises(InvalidRecord, match=r"b\.jsonl:4: .*'m'.*a\.jsonl:1") as caught:
        evaluate(lambda: [first, run], EvaluationOptions())
    assert "--by file,gold-position" in caught.value.hint
    by_file = EvaluationOptions(by=(GroupBy.FILE, GroupBy.POSITION))
    found = evaluate(lambda: [first, run], by_file)
    assert [bar.mean for _, bar in found.groups] == [1.0, 0.0]
    assert found.all.mean is None
    others = [replace(run, prompt="other passages"), replace(run, position=1, where="b.jsonl:5")]
    assert evaluate(lambda: [first, *others], EvaluationOptions()).all.n == 3


def test_repeated_stored_answers_are_counted() -> None:
    """Answers in a workspace have no line; they are reported, and clustered by question."""
    cases = [_case("a", 0, 1.0), _case("a", 0, 1.0), _case("b", 0, 0.0)]
    found = evaluate(lambda: cases, EvaluationOptions())
    assert (found.repeated, found.all.n, len(found.all.questions)) == (1, 3, 2)
    assert as_json(found)["repeated"] == 1


def test_a_file_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    """Also by another path, and before anything is read."""
    path = tmp_path / "a.jsonl"
    path.write_text(lines(placed(0, "sea star")), "utf-8")
    with pytest.raises(InvalidInput, match=r"a\.jsonl"):
        file_cases([path, tmp_path / ".." / tmp_path.name / "a.jsonl"], MatchRules())
