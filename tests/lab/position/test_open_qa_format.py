"""Rows of position studies: in as questions with passages, out as they came with what was said."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.position_rows import lines, lookup, placed, question, real
from tests.plugins.formats.laws import base, read, write
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import Sample, SampleKind, Side
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ExportReport, ImportOptions
from tui_annotate.plugins.traits import RecordTrait

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)


def taken(folder: Path, *rows: Any) -> list[Record]:
    """The records of some rows; nothing is refused or doubted."""
    path = folder / "study.jsonl"
    path.write_text(lines(*rows), "utf-8")
    records, problems = read(path, "open-qa")
    assert problems == []
    return records


def given_out(folder: Path, records: list[Record]) -> tuple[list[Any], ExportReport]:
    """The rows that records give, and what was lost."""
    path = folder / "out.jsonl"
    report = write(records, "open-qa", path)
    return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]], report


def said(record: Record, **verdicts: str) -> Record:
    """A record with what people say of its sample."""
    work = tuple(Assignment(name, State.DONE, rating=word) for name, word in verdicts.items())
    people = tuple(Person(name, name, PersonKind.IMPORTED) for name in verdicts)
    return replace(record, assignments=work, people=people)


def test_a_question_stands_beside_its_passages(tmp_path: Path) -> None:
    """Each passage a source in order, with number and title; marks and ranks in the meta."""
    (record,) = taken(tmp_path, placed(1, " A sea star.\nIndeed."))
    sample = record.sample
    assert (sample.kind, sample.request.question) == (SampleKind.QUESTION, "who?")
    sources = [(each.key, each.title) for each in sample.side(Side.SOURCE)]
    assert sources == [("1", "D0"), ("2", "Gold"), ("3", "D1")]
    assert sample.document(Side.SUMMARY).text == " A sea star.\nIndeed."
    assert sample.id == f"{sample.group}@1:m"
    assert sample.meta["gold_position"] == 1
    assert sample.meta["metric"] == 1.0
    assert [each["isgold"] for each in sample.meta["passages"]] == [False, True, False]
    assert sample.meta["passages"][2]["original_retrieval_index"] == 1


def test_without_an_answer_the_first_gold_one_is_judged(tmp_path: Path) -> None:
    """Nothing is scored then; and where an answer is blank, nothing stands there."""
    rows = (placed(0), placed(1, "  "), placed(2, answers=[]), lookup(0))
    first, blank, nothing, key = (record.sample for record in taken(tmp_path, *rows))
    assert first.document(Side.SUMMARY).text == "sea star"
    assert "metric" not in first.meta
    assert (blank.side(Side.SUMMARY), blank.meta["metric"]) == ((), 0.0)
    assert nothing.side(Side.SUMMARY) == ()
    assert key.document(Side.SUMMARY).text == "Value-1"


def test_pairs_are_one_source(tmp_path: Path) -> None:
    """As the prompt shows them; in the order that the model was shown."""
    row = lookup(0, "value-1") | {"model_ordered_kv_records": lookup(2)["ordered_kv_records"]}
    (record,) = taken(tmp_path, row)
    shown = '{"k1": "v-1",\n "k2": "v-2",\n "key": "Value-1"}'
    assert [each.text for each in record.sample.side(Side.SOURCE)] == [shown]
    assert record.sample.meta["gold_position"] == 2
    assert given_out(tmp_path, [record])[0] == [row | {"metric_accuracy": 1.0}]


def test_the_same_row_twice_is_two_samples(tmp_path: Path) -> None:
    """And another position or model of a question shares its group."""
    found = [each.sample for each in taken(tmp_path, placed(0), placed(0), placed(1))]
    group = found[0].group
    assert [each.id for each in found] == [f"{group}@0", f"{group}@0#2", f"{group}@1"]
    assert {each.group for each in found} == {group}


@pytest.mark.parametrize(
    "row",
    [
        placed(1),
        placed(2, "A sea star."),
        question(),
        placed(0, "x", model_documents=[], model_prompt="Question: who?\nAnswer:", model_top_p=1.0),
        placed(0, "x", model_documents=[*placed(0)["ctxs"], {"title": "more", "text": "Sand."}]),
        placed(0, "x", model_documents=placed(1)["ctxs"]),
        lookup(1),
        lookup(0, count=1),
        lookup(2, "v-1", model_ordered_kv_records=lookup(0)["ordered_kv_records"]),
        {
            "question": "谁？",
            "ctxs": [{"text": "海星。"}],
            "answers": ["海星"],
            "extra": {"a": [1]},
        },
    ],
)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_a_row_comes_back_as_it_was(tmp_path: Path, row: dict[str, Any], packed: str) -> None:
    """L15: field by field and in their order, plain or packed; a metric's verdict is added."""
    records = taken(tmp_path, row)
    place = tmp_path / f"again.jsonl{packed}"
    assert write(records, "open-qa", place).lost == {}
    raw = place.read_bytes()
    (line,) = (gzip.decompress(raw) if packed else raw).decode().splitlines()
    back = {name: value for name, value in json.loads(line).items() if "metric" not in name}
    assert json.dumps(back) == json.dumps(row)
    again, problems = read(place, "open-qa", dataset="study")
    assert (len(again), problems) == (1, [])
    assert again[0].sample.documents == records[0].sample.documents


@given(
    WORDS, st.lists(WORDS, max_size=3), st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4)
)
def test_whatever_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    answers: list[str],
    found: list[tuple[str, str]],
) -> None:
    """Any texts come back as they were."""
    ctxs = [
        {"title": title, "text": text, "isgold": not at} for at, (title, text) in enumerate(found)
    ]
    row = {"question": name, "answers": answers, "ctxs": ctxs}
    folder = tmp_path_factory.mktemp("rows")
    assert given_out(folder, taken(folder, row))[0] == [row]


def test_verdicts_of_people_stand_beside_the_metrics(tmp_path: Path) -> None:
    """What more of them say than anything else, and each by name; read again they are theirs."""
    (record,) = taken(tmp_path, placed(0, "kelp"))
    rows, report = given_out(tmp_path, [said(record, ana="Correct", ben="Correct", li="Incorrect")])
    assert (rows[0]["metric_best_subspan_em"], rows[0]["human_verdict"]) == (0.0, "Correct")
    assert rows[0]["human_verdicts"][0] == {"person": "ana", "verdict": "Correct"}
    assert report.lost == {}
    (again,) = taken(tmp_path, rows[0])
    assert [(work.person, work.rating) for work in again.assignments] == [
        ("ana", "Correct"), ("ben", "Correct"), ("li", "Incorrect"),
    ]  # fmt: skip


def test_a_tie_is_no_verdict(tmp_path: Path) -> None:
    """Unless review settled it; a comment goes out too."""
    (record,) = taken(tmp_path, placed(0, "kelp"))
    tied = said(record, ana="Correct", ben="Incorrect")
    noted = replace(tied.assignments[0], rating="", comment="hm")
    settled = Assignment(SETTLED, State.DONE, rating="Unclear")
    cases = [
        tied,
        replace(tied, assignments=(*tied.assignments, settled)),
        replace(tied, assignments=(noted,)),
        replace(tied, people=(), assignments=(Assignment("x", State.NEW, rating="Correct"),)),
    ]
    rows, _ = given_out(tmp_path, cases)
    assert [row["human_verdict"] for row in rows] == [None, "Unclear", None, "Correct"]
    assert rows[2]["human_verdicts"] == [{"person": "ana", "verdict": "", "comment": "hm"}]
    assert rows[3]["human_verdicts"] == [{"person": "?", "verdict": "Correct"}]


def test_what_has_no_place_in_rows_is_counted(tmp_path: Path) -> None:
    """Annotations, samples that are no question, ids of people with one name."""
    (record,) = taken(tmp_path, placed(0, "kelp"))
    pair = base("ana")
    two = said(record, ana="Correct", ben="Correct")
    same = replace(two, people=tuple(replace(each, name="Li") for each in two.people))
    marked = replace(same, annotations=(OwnedAnnotation("ana", pair.annotations[0].annotation),))
    rows, report = given_out(tmp_path, [pair, marked])
    assert [each["person"] for each in rows[0]["human_verdicts"]] == ["Li", "ben"]
    assert report.lost.pop("annotations") == 1
    assert (report.records, set(report.lost.values())) == (1, {1})
    assert len(report.lost) == 3  # the pair, its annotation, and one of the ids behind a name


def test_a_question_of_another_format_becomes_a_row(tmp_path: Path) -> None:
    """Of what its sample has; what has no place is counted."""
    (record,) = taken(tmp_path, placed(1, "A sea star."))
    stranger = Sample(
        "d",
        "1",
        record.sample.documents,
        kind=SampleKind.QUESTION,
        group="g",
        request=record.sample.request,
        meta={"answers": ["sea star"], "gold_position": 1, "odd": 1},
    )
    bare = replace(stranger, id="2", documents=stranger.side(Side.SOURCE), meta={}, group="")
    broken: list[dict[str, Any]] = [
        {"row": 1},
        {"row": {"ctxs": 1, "question": "q"}},
        {"row": {}},
        {},
    ]
    others = [replace(bare, imported={"format": "open-qa", **each}) for each in broken]
    rows, report = given_out(tmp_path, [Record(each) for each in (stranger, bare, *others)])
    assert rows[2:] == [rows[1]] * 4
    assert (rows[0]["metric_best_subspan_em"], rows[0]["answers"]) == (1.0, ["sea star"])
    assert [each["isgold"] for each in rows[0]["ctxs"]] == [False, True, False]
    assert ("model_answer" in rows[1], rows[1]["answers"]) == (False, [])
    assert report.lost == {RecordTrait.META: 1, RecordTrait.GROUP: 1}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"question": "q"}, ""),
        ([1], ""),
        (placed(0, question=""), "'question'"),
        (placed(0, answers="x"), "'answers'"),
        (placed(0, ctxs=[{"title": "t"}]), "1"),
        (placed(0, model_answer=1), "'model_answer'"),
        (lookup(0, value=""), "'value'"),
        (placed(0, human_verdicts=[1]), "'human_verdicts'"),
        (placed(0, human_verdicts=[{"person": 1}]), "'human_verdicts'"),
        (placed(0, human_verdicts=[{"person": "a"}] * 2), "'human_verdicts'"),
        (placed(0, human_verdicts=[{"verdict": "x"}]), "''"),
        (placed(0, model="x" * 2000), "1000"),
    ],
)
def test_a_row_that_is_wrong_is_refused_by_its_line(tmp_path: Path, row: Any, message: str) -> None:
    """The others come in."""
    path = tmp_path / "a.jsonl"
    path.write_text(lines(placed(0), row, placed(1)), "utf-8")
    records, problems = read(path, "open-qa")
    assert len(records) == 2
    assert [(each.where, each.refused) for each in problems] == [(f"{path}:2", True)]
    assert problems[0].message
    assert message in problems[0].message


@pytest.mark.parametrize(
    ("row", "doubt"),
    [
        (lookup(0, key="absent"), ""),
        (placed(0, ctxs=[{"text": "a", "isgold": True}] * 2), "2 "),
    ],
)
def test_a_row_that_is_odd_is_taken_with_a_doubt(tmp_path: Path, row: Any, doubt: str) -> None:
    """It is told, and its sample is there."""
    path = tmp_path / "a.jsonl"
    path.write_text(lines(row), "utf-8")
    records, problems = read(path, "open-qa")
    assert (len(records), [each.refused for each in problems]) == (1, [False])
    assert problems[0].message
    assert doubt in problems[0].message


@pytest.mark.parametrize(
    ("name", "count"), [("nq-open-oracle-200", 200), ("kv-retrieval-75_keys-40", 40)]
)
def test_real_rows_come_and_go(tmp_path: Path, name: str, count: int) -> None:
    """All of them, and each as it was."""
    path = real("data", "lost-in-the-middle", f"{name}.jsonl.gz")
    found = list(registry.load("importers", "open-qa").read(path, ImportOptions()))
    assert not [each for each in found if isinstance(each, Problem)]
    rows, _ = given_out(tmp_path, [each for each in found if isinstance(each, Record)])
    with gzip.open(path, "rt", encoding="utf-8") as file:
        assert rows == [json.loads(line) for line in file]
    assert len(rows) == count
