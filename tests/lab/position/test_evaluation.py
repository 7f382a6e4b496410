"""Questions out of a workspace, and answers counted: what the commands of a study stand on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.position_rows import lines, placed
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.domain.position_studies import ScoredAnswer, StudyTask
from tui_annotate.lab.position.evaluation import (
    EvaluationOptions,
    GroupBy,
    HumanAgreement,
    as_json,
    evaluate,
)
from tui_annotate.lab.position.metric import MatchRules
from tui_annotate.lab.position.row_files import read_rows
from tui_annotate.lab.position.workspace_rows import WorkspaceRowOptions, build_workspace_rows
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
    assert sum(bar.n for _, bar in found.groups) == sum(each.score is not None for each in cases)
    places = [place[0] for place, _ in found.groups]
    assert places == sorted(places, key=lambda at: (at is None, at or 0))


@given(st.lists(CASES, max_size=30))
def test_shared_questions_are_the_same_everywhere(cases: list[ScoredAnswer]) -> None:
    """No group has a question that another one lacks."""
    found = evaluate(lambda: cases, EvaluationOptions(shared=True))
    scored = [each for each in cases if each.score is not None]
    groups: dict[Any, set[str]] = {}
    for each in scored:
        groups.setdefault(each.position, set()).add(each.identity)
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
        lambda: asked, EvaluationOptions(by=(GroupBy.TASK, GroupBy.POSITION), shared=True)
    )
    assert [(place, bar.n) for place, bar in found.groups] == [
        (("kv", 0), 1), (("kv", 11), 1), (("qa", 0), 1), (("qa", 2), 1)
    ]  # fmt: skip
    assert found.left_out == 1
