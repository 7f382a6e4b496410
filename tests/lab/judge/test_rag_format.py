"""Questions with contexts: lines in, the same lines out, and each wrong one told by its place."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.foreign import QUESTIONS
from tests.helpers.effort import example_limit
from tests.helpers.printed_numbers import printed_numbers
from tests.plugins.formats.laws import base
from tests.plugins.record_reader import file, placeless, read, write
from tests.plugins.strategies import altered
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side
from tui_annotate.domain.scores import Score
from tui_annotate.domain.strict_json import replace_non_finite
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.traits import RecordTrait

ROW: dict[str, Any] = {
    "question": "How much?",
    "contexts": ["It cost 12.", "It opened."],
    "answer": "It cost 15.",
    "ground_truth": "12",
    "id": "q1",
    "model": "toy",
}
RAGAS = {
    "user_input": "How much?",
    "retrieved_contexts": ["It cost 12.", "It opened."],
    "response": "It cost 15.",
    "reference": "12",
    "id": "q1",
    "model": "toy",
}


def _file(folder: Path, *rows: Any) -> Path:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    return file(folder, "set.jsonl", "".join(lines))


@pytest.mark.parametrize("row", [ROW, RAGAS])
def test_contexts_are_sources_and_the_answer_is_checked_against_them(
    tmp_path: Path, row: dict[str, Any]
) -> None:
    """Whatever the columns are called: numbered sources, the question asked, the truth in meta."""
    path = _file(tmp_path, row)
    assert detect(path) == "rag"
    ((record,), problems) = read(path)
    sample = record.sample
    assert problems == []
    assert (sample.key, sample.kind) == (("set", "q1"), SampleKind.PAIR)
    report = [(one.side, one.key, one.text) for one in sample.documents]
    assert report == [
        (Side.SOURCE, "1", "It cost 12."),
        (Side.SOURCE, "2", "It opened."),
        (Side.SUMMARY, "", "It cost 15."),
    ]
    assert sample.request == Request(question="How much?")
    assert sample.meta == {"model": "toy", "ground_truth": "12"}


@pytest.mark.parametrize(
    "held", [{}, {"reference": None}, {"reference": " "}, {"reference": "own"}]
)
def test_a_judges_ground_truth_goes_out_where_there_is_none(
    tmp_path: Path, held: dict[str, Any]
) -> None:
    """The last that is one, under the name that the line has for it; the sample's own wins."""
    lacking = {name: each for name, each in RAGAS.items() if name != "reference"}
    records, _ = read(_file(tmp_path, lacking | held))
    key = records[0].sample.key
    report = [
        Score(key=key, name="ground_truth", raw=1.0, text="first"),
        Score(key=key, name="ground_truth", raw=1.0, text="made"),
        Score(key=key, name="ground_truth", raw=0.0),
        Score(key=key, name="ground_truth", raw=1.0, text="of another", extra=1),
        Score(key=key, name="judge_order", text="x"),
    ]
    asked: list[Any] = []

    def opinions(keys: Any) -> dict[Any, Any]:
        asked.extend(keys)
        return {key: tuple(report)}

    out, _ = write(records, "rag", opinions=opinions)
    name = "reference" if held else "ground_truth"
    own = held.get("reference") == "own"
    assert json.loads(out) == lacking | {name: "own" if own else "made"}
    assert asked == ([] if own else [key])
    again, _ = read(file(tmp_path, "again.jsonl", out))
    assert again[0].sample.meta["ground_truth"] == ("own" if own else "made")


@pytest.mark.parametrize("answer", [{}, {"answer": None}, {"answer": " \n"}])
def test_a_line_without_an_answer_is_a_question(tmp_path: Path, answer: dict[str, Any]) -> None:
    """It has no summary side, and its id is its row; without a ground truth there is no meta."""
    row = {"question": "Who?", "contexts": ["Ana."], "ground_truth": "", **answer}
    ((record,), problems) = read(_file(tmp_path, row))
    assert problems == []
    assert (record.sample.kind, record.sample.id) == (SampleKind.QUESTION, "0")
    assert record.sample.side(Side.SUMMARY) == ()
    assert record.sample.meta == {}


def test_an_empty_context_keeps_its_number_and_is_told(tmp_path: Path) -> None:
    """Documents are called by their places in the list; the message counts as judges do, from 0."""
    path = _file(tmp_path, ROW | {"contexts": ["", "A.", None]}, ROW | {"contexts": [], "id": 2})
    (first, second), problems = read(path)
    assert [one.key for one in first.sample.side(Side.SOURCE)] == ["2"]
    out, _ = write([first], "rag")
    assert json.loads(out)["contexts"] == ["", "A.", None]
    assert second.sample.side(Side.SOURCE) == ()
    assert [one.refused for one in problems] == [False, False]
    assert [printed_numbers(one.message) for one in problems] == [[["0", "0", "2"]], [[]]]


@pytest.mark.parametrize(
    ("change", "values"),
    [
        ({"contexts": "A."}, ["'contexts'"]),
        ({"contexts": ["A.", 5]}, ["'contexts[1]'"]),
        ({"contexts": [None], "answer": None}, []),
        ({"contexts": [], "answer": None}, []),
        ({"answer": 5}, ["'answer'", "5"]),
        ({"question": ["Q"]}, ["'question'"]),
        ({"ground_truth": ["12"]}, ["'ground_truth'"]),
        ({"response": "It."}, ["'answer'", "'response'"]),
        ({"id": 1.5}, ["1.5"]),
        ({"id": "good"}, ["good", "set.jsonl:1"]),
    ],
)
def test_a_wrong_line_is_told_by_its_place(
    tmp_path: Path, change: dict[str, Any], values: list[str]
) -> None:
    """The value that is wrong, file and line; the other lines come in."""
    path = _file(tmp_path, ROW | {"id": "good"}, ROW | change, RAGAS | {"id": "last"})
    records, problems = read(path)
    assert [record.sample.id for record in records] == ["good", "last"]
    (found,) = problems
    assert [value for value in values if value not in found.message] == []
    assert (found.where, found.refused) == (f"{path}:2", True)


@pytest.mark.parametrize("lacking", ["question", "contexts"])
def test_a_line_needs_its_columns(tmp_path: Path, lacking: str) -> None:
    """The columns that there are stand in the message; a line that is no object is told too."""
    row = {name: value for name, value in ROW.items() if name != lacking}
    records, problems = read(_file(tmp_path, row, [1]), "rag")
    assert records == []
    assert repr(lacking) in problems[0].message
    assert "'model'" in problems[0].message
    assert [(one.refused, one.where[-2:]) for one in problems] == [(True, ":1"), (True, ":2")]


def test_ids_may_stand_in_another_column(tmp_path: Path) -> None:
    """As it is asked for, and out again there; a line without it is refused."""
    path = _file(tmp_path, {"qid": "x", **ROW}, ROW)
    records, problems = read(path, "rag", id_column="qid")
    assert [record.sample.id for record in records] == ["x"]
    assert "'qid'" in problems[0].message
    assert write(records, "rag")[0] == json.dumps({"qid": "x", **ROW}) + "\n"


def test_all_lines_go_out_as_they_came_in(tmp_path: Path) -> None:
    """Names, order, nulls, blank contexts, ids of either kind: the same bytes, nothing lost."""
    doubled = {"answer": None, **RAGAS, "id": 3}
    path = _file(tmp_path, *QUESTIONS, ROW | {"id": 12}, RAGAS | {"id": "x"}, doubled)
    records, _ = read(path, "rag")
    text, report = write(records, "rag")
    assert text == path.read_text("utf-8")
    assert (report.records, report.lost) == (6, {})


def test_a_line_that_moved_is_told_its_id(tmp_path: Path) -> None:
    """Where its number would name another, so that it comes back as the same sample."""
    bare = {name: value for name, value in ROW.items() if name != "id"}
    records, _ = read(_file(tmp_path, bare, bare, bare | {"id": None}))
    text, _ = write(records[1:], "rag")
    assert [json.loads(line)["id"] for line in text.splitlines()] == ["1", "2"]
    again, _ = read(file(tmp_path, "set.jsonl", text))
    assert [one.sample.key for one in again] == [one.sample.key for one in records[1:]]


def test_samples_from_elsewhere_become_lines(tmp_path: Path) -> None:
    """Sources are contexts, the summary is the answer; what has no place is counted."""
    plain = base("ana")
    text, report = write([plain], "rag")
    assert json.loads(text) == {
        "id": "1",
        "question": "",
        "contexts": [plain.sample.documents[0].text],
        "answer": plain.sample.documents[1].text,
        "ground_truth": None,
    }
    assert report.lost == {"annotations": 1}
    ((back,), _) = read(file(tmp_path, "d.jsonl", text))
    assert [one.text for one in back.sample.documents] == [
        one.text for one in plain.sample.documents
    ]


def test_what_a_line_has_no_place_for_is_counted() -> None:
    """Kinds that the answer does not tell, titles, other requests, columns called as ours."""
    sample = Sample(
        "d",
        "1",
        (Document(Side.SOURCE, "A.", "page", "Title"),),
        kind=SampleKind.DOCUMENT,
        request=Request(title="T", question="Who?"),
        meta={"response": "x", "ground_truth": 5, "n": 1},
    )
    record = replace(base("ana"), sample=sample, annotations=(), assignments=(), people=())
    text, report = write([record, replace(record, sample=replace(sample, dataset="e"))], "rag")
    first, second = map(json.loads, text.splitlines())
    assert (first["n"], first["ground_truth"], first["question"]) == (1, None, "Who?")
    assert second["id"] == "e/1"
    traits = {
        RecordTrait.KIND.value: 2,
        RecordTrait.REQUEST.value: 2,
        RecordTrait.TITLE.value: 2,
        RecordTrait.DATASET.value: 1,
    }
    others = {what: count for what, count in report.lost.items() if what not in traits}
    assert report.lost == traits | others
    assert sorted(others.values()) == [1, 4]  # a renamed id; two columns of each sample


def test_a_renamed_id_is_nobody_elses() -> None:
    """Also where a sample is called as the new name would be."""
    plain = replace(base("ana"), annotations=(), assignments=(), people=())
    named = [("d", "e/1"), ("d", "1"), ("e", "1")]
    found = [replace(plain, sample=replace(plain.sample, dataset=d, id=i)) for d, i in named]
    lines = write(found, "rag")[0].splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["e/1", "1", "e/1+"]


def test_a_table_of_pairs_stays_one(tmp_path: Path) -> None:
    """A record that has both texts' columns is read as pairs, also with a list of contexts."""
    row = ROW | {"source": "A.", "summary": "B."}
    assert detect(_file(tmp_path, row)) == "pairs"


@given(data=st.data())
@settings(max_examples=example_limit(100), deadline=None, suppress_health_check=list(HealthCheck))
def test_no_value_breaks_the_reader(data: st.DataObject, tmp_path_factory: Any) -> None:
    """Any JSON value in any place is read or refused; what is read goes out and comes back."""
    rows = [data.draw(altered(ROW)), data.draw(altered(RAGAS))]
    path = _file(tmp_path_factory.mktemp("rag"), *rows)
    try:
        records, problems = read(path, "rag")
    except TuiAnnotateError:
        return
    assert all("\n" not in str(problem) for problem in problems)
    if replace_non_finite(rows)[1]:
        return  # NaN and infinities come back as null
    text, _ = write(records, "rag")
    again, _ = read(file(path.parent, path.name, text), "rag") if text else ([], [])
    there, here = ([one.sample for one in placeless(each)] for each in (again, records))
    if any(each.refused for each in problems):
        # Behind a line that is refused, numbers are others: an id that was one is told instead.
        there, here = ([replace(each, imported=None) for each in some] for some in (there, here))
    assert there == here
