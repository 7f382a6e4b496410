"""Generated answers: rows in, the same rows out, with what people and rankers made of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.dreamcatcher import data, rows
from tests.helpers.printed_numbers import printed_numbers
from tests.plugins.formats.laws import base
from tests.plugins.record_reader import file, read, write
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.scores import Score
from tui_annotate.domain.spans import Span
from tui_annotate.lab.score.ranking import AS_RIGHT, AS_WRONG, CATEGORY, RANK, REWARD
from tui_annotate.lab.score.sample_reader import is_answer, uncertain_answers
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.traits import RecordTrait

ROW: dict[str, Any] = {
    "question": "Where do anemones live?",
    "answer": "in tide pools",
    "type": "nature",
    "generation": [
        {"text": "I do not know.", "type": "uncertainty", "rm_score": 0.5},
        {"text": "In tide pools.", "type": "normal", "sim2answer_score": 0.9},
        {"text": "Perhaps in the sea.", "type": "uncertainty", "rm_score": 0.7},
        {"text": "In the desert.", "type": "normal", "sim2answer_score": 0.1},
    ],
}


def _file(folder: Path, *found: Any) -> Path:
    return file(folder, "set.jsonl", "".join(json.dumps(row) + "\n" for row in found))


def _read(folder: Path, *found: Any) -> list[Record]:
    records, problems = read(_file(folder, *found))
    assert problems == []
    return records


def _rows(records: Sequence[Record], form: str = "generations", **options: Any) -> list[Any]:
    text, _ = write(records, form, **options)
    return [json.loads(line) for line in text.splitlines()]


def _said(told: Mapping[str, tuple[Score, ...]]) -> Any:
    """What machines say, by the id of a sample."""
    return lambda keys: {key: told[key.id] for key in keys if key.id in told}


def _score(key: str, name: str, raw: float | None, **more: Any) -> Score:
    return Score(key=SampleKey("set", key), name=name, raw=raw, **more)


def _ranks(*labels: tuple[str, str, float], category: str = "undecided") -> Any:
    return _said(
        {
            key: (
                _score(key, CATEGORY, None, text=category),
                _score(key, RANK, margin, text=label),
            )
            for key, label, margin in labels
        }
    )


def test_each_normal_answer_is_a_sample_of_its_question(tmp_path: Path) -> None:
    """The right answer is the source; ids give the place in the list, whatever stands before."""
    path = _file(tmp_path, ROW)
    assert detect(path) == "generations"
    first, second = _read(tmp_path, ROW)
    assert [record.sample.id for record in (first, second)] == ["0.1", "0.3"]
    for record in (first, second):
        sample = record.sample
        assert (sample.group, sample.kind) == ("0", SampleKind.QUESTION)
        assert sample.request == Request(question="Where do anemones live?")
        assert is_answer(sample)
        assert sample.document(Side.SOURCE).text == "in tide pools"
        assert sample.meta["type"] == "nature"
        assert record.where == f"{path}:1"
    assert second.sample.document(Side.SUMMARY).text == "In the desert."
    assert second.sample.meta["sim2answer_score"] == 0.1
    assert [each["text"] for each in uncertain_answers(first.sample)] == [
        "I do not know.",
        "Perhaps in the sea.",
    ]
    assert uncertain_answers(second.sample) == []


@pytest.mark.parametrize(
    ("answer", "text"), [(1901, "1901"), (1.5, "1.5"), (["a", 2], "a; 2"), ("a", "a")]
)
def test_numbers_and_lists_become_text_and_go_out_as_they_came(
    tmp_path: Path, answer: Any, text: str
) -> None:
    """An answer may be a year, or several things."""
    row = ROW | {"answer": answer}
    records = _read(tmp_path, row)
    assert records[0].sample.document(Side.SOURCE).text == text
    assert _rows(records) == [row]


@pytest.mark.parametrize(
    "row",
    [
        ROW,
        ROW | {"task": "t", "source": "book", "category": "all-right", "rank": [{"text": "x"}]},
        {"generation": [{"text": "a"}], "answer": "b", "question": "c"},
        ROW | {"sim2answer_score": "of the row"},
        ROW | {"generation": [*ROW["generation"], {"type": "normal", "text": " ", "n": [1]}]},
    ],
)
def test_a_row_goes_out_as_it_came(tmp_path: Path, row: dict[str, Any]) -> None:
    """Keys in their order, uncertain answers in their places, names that both levels use."""
    records, problems = read(_file(tmp_path, row))
    assert not any(problem.refused for problem in problems)
    (back,) = _rows(records)
    assert json.dumps(back) == json.dumps(row)


def test_an_empty_question_is_a_doubt(tmp_path: Path) -> None:
    """Pairs from elsewhere have none, and come back all the same."""
    records, (problem,) = read(_file(tmp_path, ROW | {"question": ""}))
    assert (len(records), problem.refused) == (2, False)
    assert problem.message
    assert _rows(records) == [ROW | {"question": ""}]


def test_an_answer_without_a_text_is_told_and_left_out(tmp_path: Path) -> None:
    """Nobody can read it; the others of its row come in."""
    row = ROW | {"generation": [{"text": "", "type": "normal"}, *ROW["generation"]]}
    records, (problem,) = read(_file(tmp_path, row))
    assert len(records) == 2
    assert (problem.refused, printed_numbers(problem.message)) == (False, [["0"]])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (7, "7"),
        ({"question": "q", "answer": "a"}, "'generation'"),
        (ROW | {"generation": {}}, "'generation'"),
        (ROW | {"generation": []}, " 0 "),
        (ROW | {"generation": ROW["generation"][:1]}, " 1 "),
        (ROW | {"generation": ["text"]}, " 0 "),
        (ROW | {"generation": [{"text": 7}]}, "7"),
        (ROW | {"generation": [{"text": "a", "type": "odd"}]}, "'odd'"),
        (ROW | {"question": " "}, "'question'"),
        (ROW | {"question": None}, "'question'"),
        (ROW | {"answer": []}, "'answer'"),
        (ROW | {"answer": True}, "'answer'"),
        (ROW | {"answer": {"a": 1}}, "'answer'"),
        ({name: ROW[name] for name in ("question", "generation")}, "'answer'"),
    ],
)
def test_a_wrong_row_is_a_problem_and_the_next_one_is_read(
    tmp_path: Path, row: Any, said: str
) -> None:
    """By file and line, with the value."""
    path = _file(tmp_path, row, ROW)
    records, (problem,) = read(path, "generations")
    assert [record.sample.id for record in records] == ["1.1", "1.3"]
    assert problem.where == f"{path}:1"
    assert said in problem.message
    assert problem.refused


def test_a_column_of_ids_names_the_questions(tmp_path: Path) -> None:
    """One that comes twice is refused."""
    named = [ROW | {"qid": "anemone"}, ROW | {"qid": "anemone"}, ROW]
    records, problems = read(_file(tmp_path, *named), id_column="qid")
    assert {record.sample.group for record in records} == {"anemone"}
    assert "set.jsonl:1" in problems[0].message
    assert "'qid'" in problems[1].message


def test_the_language_is_that_of_the_whole_row(tmp_path: Path) -> None:
    """An answer may be a number alone; what is said on the command line goes before."""
    row = {"question": "哪一年？", "answer": 1901, "generation": [{"text": "一九零一年。"}]}
    (record,) = _read(tmp_path, row)
    assert {one.language for one in record.sample.documents} == {"zh"}
    (report,), _ = read(_file(tmp_path, row), language="en")
    assert {one.language for one in report.sample.documents} == {"en"}


def test_scores_of_runs_stand_in_their_answers(tmp_path: Path) -> None:
    """As values over the run, but for rewards; they go before what the file held."""
    records = _read(tmp_path, ROW)
    report = {
        "0.1": (
            _score("0.1", "sim2answer_score", 12.0, value=0.75),
            _score("0.1", "probe_score", 3.0, value=0.5),
            _score("0.1", REWARD, -7.0, value=0.25, extra=2),
            _score("0.1", "sim2gen_score", None),
        )
    }
    (row,) = _rows(records, opinions=_said(report))
    first, second, third, fourth = row["generation"]
    assert second == ROW["generation"][1] | {"sim2answer_score": 0.75, "probe_score": 0.5}
    assert third == ROW["generation"][2] | {REWARD: -7.0}
    assert (first, fourth) == (ROW["generation"][0], ROW["generation"][3])
    assert "rank" not in row


def test_a_ranking_goes_out_best_first(tmp_path: Path) -> None:
    """The best right answer, the unsure one of the highest reward, the worst wrong one."""
    records = _read(tmp_path, ROW)
    opinions = _ranks(("0.1", "right", 0.4), ("0.3", "wrong", -0.4))
    (row,) = _rows(records, opinions=opinions)
    normal, unsure = ROW["generation"][1], ROW["generation"][2]
    assert row["rank"] == [normal, unsure, ROW["generation"][3]]
    assert row["category"] == "partial-right"
    assert _rows(records, "preferences", opinions=opinions) == [
        {
            "query": [{"role": "human", "text": "Where do anemones live?"}],
            "preference": ["In tide pools.", "Perhaps in the sea.", "In the desert."],
            "task": "partial-right",
        }
    ]


@pytest.mark.parametrize(
    ("meta", "query", "text"),
    [
        ({}, "", "It cost 12. It opened."),
        ({"question": "How much?"}, "", "How much?"),
        ({"query": "How much?", "n": 3}, "", "How much?"),
        ({"query": "Of a column?"}, "How much?", "How much?"),
    ],
)
def test_a_preference_of_summaries_keeps_source_and_query(
    meta: dict[str, Any], query: str, text: str
) -> None:
    """The source is a field of its own, and the query where there is no question."""
    texts = ("It cost 12.", "It cost 15.")
    source = Document(Side.SOURCE, "It cost 12. It opened.")
    samples = [
        Sample(
            "set",
            str(at),
            (source, Document(Side.SUMMARY, each)),
            group="g",
            meta=meta,
            request=Request(question=query),
        )
        for at, each in enumerate(texts)
    ]
    opinions = _ranks(("0", "right", 0.4), ("1", "wrong", -0.4))
    records = [Record(each) for each in samples]
    (line,) = _rows(records, "preferences", opinions=opinions)
    _, report = write(records, "preferences", opinions=opinions)
    assert line["query"] == [{"role": "human", "text": text}]
    assert (line["preference"], line["source"]) == (list(texts), source.text)
    assert RecordTrait.TEXTS not in report.lost
    assert "columns with a name that the format reserves" not in report.lost


def test_answers_that_a_preference_does_not_contain_are_counted(tmp_path: Path) -> None:
    """A third normal answer, and the right answer of each sample, which is its source."""
    generation = [{"text": text, "type": "normal"} for text in "abc"]
    records = _read(tmp_path, ROW | {"generation": generation})
    opinions = _ranks(("0.0", "right", 0.4), ("0.1", "right", 0.2), ("0.2", "wrong", -0.4))
    (line,) = _rows(records, "preferences", opinions=opinions)
    _, report = write(records, "preferences", opinions=opinions)
    assert line["preference"] == ["a", "c"]
    assert report.lost["answers that are neither the best, an unsure nor the worst"] == 1
    assert report.lost[RecordTrait.TEXTS] == 3


def test_what_nobody_decided_is_no_preference(tmp_path: Path) -> None:
    """Its category is its own, and one unsure answer is nothing to learn from."""
    records = _read(tmp_path, ROW, ROW | {"question": "Not ranked?"})
    opinions = _ranks(("0.1", "undecided", 0.0), ("0.3", "undecided", 0.0))
    row, plain = _rows(records, opinions=opinions)
    assert (row["category"], [each["text"] for each in row["rank"]]) == (
        "undecided",
        ["Perhaps in the sea."],
    )
    assert "category" not in plain
    text, report = write(records, "preferences", opinions=opinions)
    assert text == ""
    assert report.records == 0
    assert [count for what, count in report.lost.items() if what not in {*RecordTrait}] == [2]


def test_a_ranker_may_order_right_and_wrong_answers_by_other_scores(tmp_path: Path) -> None:
    """Then these go before the margin."""
    generation = [{"text": text, "type": "normal"} for text in "abcd"]
    records = _read(tmp_path, ROW | {"generation": generation})
    keys = ("0.0", "right", 0.9), ("0.1", "right", 0.1), ("0.2", "wrong", -0.9), ("0.3", "wrong", 0)
    plain = {
        key: (_score(key, RANK, margin, text=label), _score(key, CATEGORY, None, text="x"))
        for key, label, margin in keys
    }
    (row,) = _rows(records, opinions=_said(plain))
    assert [each["text"] for each in row["rank"]] == ["a", "c"]
    more = {
        key: (*scores, _score(key, AS_RIGHT, place), _score(key, AS_WRONG, place))
        for place, (key, scores) in enumerate(plain.items())
    }
    (row,) = _rows(records, opinions=_said(more))
    assert [each["text"] for each in row["rank"]] == ["b", "d"]


def test_people_override_the_ranker(tmp_path: Path) -> None:
    """Whoever marks something makes an answer wrong, whoever is done without makes it right."""
    right, wrong = _read(tmp_path, ROW)
    claim = (Anchor(Side.SUMMARY, 0, Span(0, 2)),)
    marked = replace(
        right,
        annotations=(OwnedAnnotation("ana", Annotation("a", claim)),),
        assignments=(Assignment("ana", State.DONE),),
    )
    clean = replace(wrong, assignments=(Assignment("ana", State.DONE),))
    opinions = _ranks(("0.1", "right", 0.4), ("0.3", "wrong", -0.4))
    (row,) = _rows([marked, clean], opinions=opinions)
    assert [each["text"] for each in row["rank"]] == [
        "In the desert.",
        "Perhaps in the sea.",
        "In tide pools.",
    ]
    (alone,) = _rows([marked, wrong])
    assert alone["category"] == "all-wrong"


def test_pairs_from_elsewhere_go_out_as_questions(tmp_path: Path) -> None:
    """Rivals of a group are a row; what a row has no place for is counted."""
    plain = base("ana")
    one = replace(plain.sample, request=Request(question="How much?", title="t"), group="g")
    records = [
        replace(plain, sample=replace(one, meta={"model": "m", "rank": 1})),
        replace(plain, sample=replace(one, id="2"), annotations=()),
        replace(plain, sample=replace(plain.sample, id="3", documents=plain.sample.documents[:1])),
    ]
    text, report = write(records, "generations")
    (row,) = [json.loads(line) for line in text.splitlines()]
    assert (row["question"], len(row["generation"]), row["model"]) == ("How much?", 2, "m")
    assert {
        name: report.lost[name] for name in ("annotations", RecordTrait.REQUEST, RecordTrait.KIND)
    } == {
        "annotations": 1,
        RecordTrait.REQUEST: 2,
        RecordTrait.KIND: 2,
    }
    others = {what: count for what, count in report.lost.items() if what not in {*RecordTrait}}
    assert others.pop("annotations") == 1
    assert set(others.values()) == {1}  # a column named as ours; a sample that is no pair
    assert len(others) >= 2
    assert report.records == 2
    back, problems = read(file(tmp_path, "back.jsonl", text))
    assert (len(back), problems) == (2, [])


@pytest.mark.parametrize("name", ["test_generated", "test_autolabeled"])
def test_the_published_files_come_back_word_for_word(name: str) -> None:
    """Two hundred questions, a thousand answers, with all that stands beside them."""
    path, found = data(name), rows(name)
    records, problems = read(path)
    assert (len(records), problems) == (1000, [])
    assert [json.dumps(row) for row in _rows(records)] == [json.dumps(row) for row in found]


def test_the_published_ranking_is_that_of_its_file() -> None:
    """What stands in the labelled rows is what the file of preferences holds."""
    records, _ = read(data("test_autolabeled"))
    assert _rows(records, "preferences") == rows("test_autoranked")
