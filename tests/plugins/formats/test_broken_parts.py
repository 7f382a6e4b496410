"""One unusable annotation never refuses the work of others on a sample, in any format."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.foreign import TASK
from tests.fuzz.readers import placed
from tests.plugins.formats.test_offsets import FORMATS, Told
from tests.plugins.record_reader import read
from tests.plugins.strategies import DUMP, NATIVE
from tui_annotate.domain.assignments import State
from tui_annotate.domain.records import FIELD_REFUSED, Problem, Record
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.joined_texts import SEPARATOR

TEXT = "The mill was built in 1871."
GOOD = Told(22, 26, "1871")
BROKEN = [
    Told(6, 6, ""),
    Told(9, 4, ""),
    Told(22, 99, "1871"),
    Told(4, 8, "dogs"),
    Told(4, 8, "\ud83d"),
]


def _placed(folder: Path, name: str, told: list[Told]) -> Path:
    shift = len("The source." + SEPARATOR) if name == "brat" else 0
    moved = [Told(one.start + shift, one.end + shift, one.quote) for one in told]
    files = {
        key: text.encode("utf-8", "surrogatepass")
        for key, text in FORMATS[name]([TEXT], [moved]).items()
    }
    return placed(files, folder)


def _read(folder: Path, name: str, told: list[Told]) -> tuple[list[str], list[bool]]:
    (record,), problems = read(_placed(folder, name, told), name, dataset="d")
    text = record.sample.document(Side.SUMMARY).text
    words = [owned.annotation.claim[0].span.of(text) for owned in record.annotations]
    assert not any(problem.refused for problem in problems)
    return words, [problem.refuses_part for problem in problems]


@pytest.mark.parametrize("broken", BROKEN, ids=["empty", "reversed", "overlong", "other", "half"])
@pytest.mark.parametrize("name", FORMATS)
def test_a_span_that_is_not_usable_is_refused_alone(
    tmp_path: Path, name: str, broken: Told
) -> None:
    """The other annotation comes in, and the refused one is named once."""
    assert _read(tmp_path, name, [GOOD, broken]) == (["1871"], [True])


def _check_in_progress(record: Record, problems: list[Problem], person: str) -> None:
    assert {work.person: work.state for work in record.assignments}[person] is State.DRAFT
    assert person in {each.id for each in record.people}
    (message,) = [each.message for each in problems if each.refuses_part]
    assert f"{person!r} counts as in progress" in message
    assert message.count("in progress") == 1


@pytest.mark.parametrize("told", [[GOOD, BROKEN[2]], [BROKEN[2]]], ids=["one of two", "all"])
@pytest.mark.parametrize("name", FORMATS)
def test_each_reader_names_the_person_whose_work_is_in_progress(
    tmp_path: Path, name: str, told: list[Told]
) -> None:
    """A person with a refused annotation has not completed the sample; the error says so."""
    (record,), problems = read(_placed(tmp_path, name, told), name, dataset="d")
    person = {"ragtruth": "ragtruth", "labelstudio": "labelstudio"}.get(name, "a")
    _check_in_progress(record, problems, person)


def _joined_task(*submissions: dict[str, Any]) -> str:
    text = f"The source.{SEPARATOR}{TEXT}"
    return json.dumps([{"id": 1, "data": {"text": text}, "annotations": submissions}])


def _submission(person: str, start: int, end: int, **other: Any) -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": ["A"]}
    item = {"id": "r", "to_name": "text", "type": "labels", "value": value}
    return {"completed_by": {"email": person}, "result": [item]} | other


def _judgement(username: str, mode: str, *spans: tuple[int, int]) -> str:
    page = {"id": "d1", "text": TEXT, "title": None, "url": None}
    report = {
        "team_id": "tui-annotate",
        "run_id": "summary",
        "topic_id": "1",
        "sentences": [{"text": TEXT, "citations": ["tui-source-1"]}],
        "documents": {"tui-source-1": page | {"id": "tui-source-1"}},
    }
    about = {"docid": "d1", "document": page} if mode == "document" else {"report": report}
    return json.dumps({
        "dataset": "d", "request_id": "1", "topic_id": "1", "username": username,
        "rating": "good", "comment": "", **about,
        "spans": [{"start": start, "end": end, "text": None} for start, end in spans],
    })  # fmt: skip


OTHERS = {
    "doccano": ("jsonl", "doccano", "doccano", json.dumps(
        {"id": 1, "text": f"The source.{SEPARATOR}{TEXT}", "label": [[900, 901, "A"]]}
    )),
    "joined task": ("json", "labelstudio", "ben", _joined_task(
        _submission("ana", 0, 3), _submission("ben", 0, 900)
    )),
    "refused submission": ("json", "labelstudio", "ben", _joined_task(
        _submission("ben", 0, 3), _submission("ben", 0, 3, state="nonsense")
    )),
    "null in a joined task": ("json", "labelstudio", "ana", _joined_task(
        {"completed_by": {"email": "ana"}, "result": [None]}
    )),
    "rows": ("jsonl", "pairs", "ben", json.dumps(
        {"source": "The mill.", "summary": TEXT, "who": "ben", "spans": [[16, 900]]}
    )),
    "judgement": ("jsonl", "autojudge", "ben", _judgement("ben", "document", (0, 900))),
    "pair": ("jsonl", "autojudge", "ben", _judgement("ben", "report", (0, 900))),
    "pair, empty span": ("jsonl", "autojudge", "ben", _judgement("ben", "report", (5, 5))),
    "judgement, empty span": ("jsonl", "autojudge", "ben", _judgement("ben", "document", (5, 5))),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHERS)
def test_other_readers_name_the_person_too(tmp_path: Path, case: str) -> None:
    """Also if a text was split, if a whole submission is refused, and if a line is judged."""
    ending, name, person, text = OTHERS[case]
    path = tmp_path / f"a.{ending}"
    path.write_text(text)
    options = {"span_column": "spans", "person_column": "who"} if case == "rows" else {}
    (record,), problems = read(path, name, **options)
    _check_in_progress(record, problems, person)
    others = {work.person: work.state for work in record.assignments if work.person != person}
    assert others in ({}, {"ana": State.DONE})


def test_no_field_of_a_submission_marks_it_as_incomplete(tmp_path: Path) -> None:
    """What the reader remembers about a submission is not in the names that a file can have."""
    path = tmp_path / "a.json"
    submission = _submission("ana", 0, 3, **{"\0refused": True})
    submission["result"][0]["to_name"] = "summary"
    data = {"source": "The source.", "summary": TEXT}
    path.write_text(json.dumps([{"id": 1, "data": data, "annotations": [submission]}]))
    (record,), problems = read(path, "labelstudio")
    assert [work.state for work in record.assignments] == [State.DONE]
    assert problems == []


def test_a_region_without_an_id_is_none_of_the_regions_of_a_file(tmp_path: Path) -> None:
    """Also if the id of another region begins with U+0000."""
    named = _submission("ana", 0, 3)["result"][0] | {"id": "\x000"}
    unnamed = _submission("ana", 4, 6)["result"][0] | {"id": None}
    submission = {"completed_by": {"email": "ana"}, "result": [unnamed, named]}
    path = tmp_path / "a.json"
    path.write_text(_joined_task(submission))
    (record,), problems = read(path, "labelstudio")
    assert len(record.annotations) == 2
    assert problems == []


def _doccano(entities: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": 1, "text": f"The source.{SEPARATOR}{TEXT}", "entities": entities}


def test_doccano_s_own_quote_is_compared(tmp_path: Path) -> None:
    """A span that covers other words is refused; fields that nothing reads are named."""
    start = len(f"The source.{SEPARATOR}")
    entities = [
        {"id": 1, "label": "A", "start_offset": start + 22, "end_offset": start + 26,
         "text": "1871", "score": 0.5},
        {"id": 2, "label": "A", "start_offset": start + 12, "end_offset": start + 16,
         "text": "1871"},
    ]  # fmt: skip
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(_doccano(entities)))
    (record,), problems = read(path, "doccano")
    assert len(record.annotations) == 1
    assert [problem.refuses_part for problem in problems] == [True, False]
    assert "'score'" in problems[1].message


@pytest.mark.parametrize("unit", ["", "grapheme"])
def test_grapheme_clusters_are_read_by_option_or_by_quotes(tmp_path: Path, unit: str) -> None:
    """A family of three is one character for a program that counts grapheme clusters."""
    text = f"The source.{SEPARATOR}👩\u200d👩\u200d👧 e\u0301 built"
    start = len(f"The source.{SEPARATOR}") + 4
    entity = {"id": 1, "label": "A", "start_offset": start, "end_offset": start + 5}
    if not unit:
        entity["text"] = "built"
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": 1, "text": text, "entities": [entity]}))
    (record,), problems = read(path, "doccano", offsets=unit)
    (owned,) = record.annotations
    assert owned.annotation.claim[0].span.of(text.partition(SEPARATOR)[2]) == "built"
    assert ["grapheme clusters" in problem.message for problem in problems] == [True]


NEARLY = [
    ("was built\nin 1871", "was builtin 1871"),
    ("was built\r\nin 1871", "was built\\nin 1871"),
    ("a caf\u00e9 was built", "a cafe\u0301 was built"),
    ("the mill was built in 1871 by Anna Berg", "the mill was built in ..."),
    ("the mill was built in 1871 by Anna Berg", "the mill was built in 1871"),
    ("was\u00a0built", "was built"),
]
OTHERWISE = [
    ("was built\nin 1871", "was built"),
    ("was built", "was burnt"),
    ("café", "cafe"),
    ("was built", ""),
    ("was built", " "),
]


@pytest.mark.parametrize(("words", "quote"), NEARLY)
def test_a_quote_in_another_form_is_accepted_with_a_warning(
    tmp_path: Path, words: str, quote: str
) -> None:
    """White space, Unicode form and a cut end do not matter if the offsets fit."""
    data = {"source": "The source.", "summary": f"So: {words}."}
    region = {"start": 4, "end": 4 + len(words), "text": quote, "labels": ["A"]}
    item = {"id": "r0", "to_name": "summary", "type": "labels", "value": region}
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"id": 1, "data": data, "annotations": [{"result": [item]}]}]))
    (record,), (problem,) = read(path, "labelstudio")
    assert record.annotations[0].annotation.claim[0].span.of(data["summary"]) == words
    assert not problem.refused
    assert not problem.refuses_part
    assert "is kept although" in problem.message


@pytest.mark.parametrize(("words", "quote"), OTHERWISE)
def test_a_quote_of_other_words_is_refused(tmp_path: Path, words: str, quote: str) -> None:
    """A short start, other letters and a blank quote show nothing."""
    path = tmp_path / "a.json"
    row = {
        "annot_id": 1, "annotator": "a", "label": ["X"], "note": "", "summary_start": 4,
        "summary_end": 4 + len(words), "summary_span": quote,
    }  # fmt: skip
    sample = {"sample_id": 0, "source": "A.", "summary": f"So: {words}.", "annotations": [row]}
    path.write_text(json.dumps([sample]))
    (record,), (problem,) = read(path, "mercury")
    assert record.annotations == ()
    assert problem.refuses_part


SPANS: list[dict[str, list[int]]] = [
    {"summary": [0, 5]},
    {"summary": [6, 6]},
    {"summary": [9, 4]},
    {"summary": [0, 99]},
    {"source": [-1, -1], "summary": [6, 9]},
    {"source": [0, 3], "summary": [-1, -1]},
    {"source": [-1, -1], "summary": [-1, -1]},
]


def _database(path: Path, source: str, summary: str) -> Path:
    chunks = [(0, source, "source", 0, 0, 0), (1, summary, "summary", 0, 0, 0)]
    rows = [
        (number, 0, json.dumps(spans), "al", '["X"]', "") for number, spans in enumerate(SPANS, 1)
    ]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE chunks (chunk_id, text, text_type, sample_id INTEGER, char_offset,"
            " chunk_offset)"
        )
        connection.execute(
            "CREATE TABLE annotations (annot_id INTEGER PRIMARY KEY, sample_id INTEGER,"
            " annot_spans TEXT, annotator TEXT, label TEXT, note TEXT)"
        )
        connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?)", chunks)
        connection.executemany("INSERT INTO annotations VALUES (?, ?, ?, ?, ?, ?)", rows)
    return path


def test_mercury_s_database_and_its_dump_give_the_same_records(tmp_path: Path) -> None:
    """Spans that are not usable are refused one by one; -1 is no span in both."""
    source, summary = "One two three.", "Four five six."
    path = _database(tmp_path / "m.sqlite", source, summary)
    texts = {"source": source, "summary": summary}
    rows = []
    for number, spans in enumerate(SPANS, 1):
        row = {"annot_id": number, "sample_id": 0, "annotator": "al", "label": ["X"], "note": ""}
        for side, (start, end) in spans.items():
            row |= {f"{side}_start": start, f"{side}_end": end}
            row[f"{side}_span"] = texts[side][start:end]
        rows.append(row | {"annotator_name": None})
    dump = tmp_path / "dump.json"
    sample = {"sample_id": 0, "source": source, "summary": summary, "annotations": rows}
    dump.write_text(json.dumps([sample]))
    stored, of_database = read(path, "mercury-db", dataset="d")
    dumped, of_dump = read(dump, "mercury", dataset="d")
    assert [one.annotations for one in stored] == [one.annotations for one in dumped]
    assert len(stored[0].annotations) == 3
    refused = [
        sorted(each.message for each in problems if each.refuses_part)
        for problems in (of_database, of_dump)
    ]
    assert len(refused[0]) == len(refused[1]) == 4


@pytest.mark.parametrize("spans", [[], [{"start": 4, "end": 8, "text": "mill"}]])
def test_a_judgement_keeps_its_rating_without_a_broken_span(
    tmp_path: Path, spans: list[dict[str, Any]]
) -> None:
    """A quote with half a character, and spans whose unit is unclear, lose only the spans."""
    page = {"id": "d1", "text": TEXT, "title": None, "url": None}
    line = {
        "dataset": "d", "request_id": "1", "docid": "d1", "topic_id": "1", "username": "ana",
        "rating": "good", "comment": "so", "document": page,
        "spans": [*spans, {"start": 0, "end": 1, "text": "\ud83d"}],
    }  # fmt: skip
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(line))
    (record,), (problem,) = read(path, "autojudge")
    (work,) = record.assignments
    assert (work.rating, work.comment) == ("good", "so")
    assert len(record.annotations) == len(spans)
    assert problem.refuses_part
    assert "spans" in problem.message


def test_a_judgement_s_offsets_may_be_grapheme_clusters(tmp_path: Path) -> None:
    """The option names the unit for every format with offsets."""
    page = {"id": "d1", "text": "👩\u200d👩\u200d👧 mill", "title": None, "url": None}
    line = {
        "dataset": "d", "request_id": "1", "docid": "d1", "topic_id": "1", "username": "ana",
        "rating": "good", "comment": "", "document": page, "spans": [{"start": 2, "end": 6}],
    }  # fmt: skip
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(line))
    (record,), problems = read(path, "autojudge", offsets="grapheme")
    (owned,) = record.annotations
    assert owned.annotation.evidence[0].span.of(str(page["text"])) == "mill"
    assert problems == []


@pytest.mark.parametrize("bad", ["x", 3, {"x": 1}])
@pytest.mark.parametrize(
    ("name", "line", "field", "annotations"),
    [
        ("doccano", _doccano([]), "label", 1),
        ("doccano", _doccano([]), "labels", 1),
        ("doccano", _doccano([]), "relations", 1),
        ("doccano", _doccano([]), "entities", 0),
        ("mercury", DUMP, "annotations", 0),
        ("labelstudio", TASK, "predictions", 1),
        ("labelstudio", TASK, "annotations", 1),
        ("native", NATIVE, "annotations", 0),
        ("native", NATIVE, "assignments", 1),
    ],
)
def test_a_field_of_a_wrong_type_is_refused_alone(
    tmp_path: Path, name: str, line: dict[str, Any], field: str, annotations: int, bad: Any
) -> None:
    """The sample and its other fields are kept; one problem names the field and its value."""
    if name == "doccano":
        start = len(f"The source.{SEPARATOR}")
        one = {"id": 1, "label": "A", "start_offset": start + 4, "end_offset": start + 8}
        line = _doccano([one])
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(line | {field: bad}))
    (record,), problems = read(path, name)
    assert len(record.annotations) == annotations
    (problem,) = [each for each in problems if each.refuses_part]
    assert problem.code == FIELD_REFUSED
    assert problem.where.startswith(str(path))
    assert repr(field) in problem.message
    assert isinstance(bad, dict) or repr(bad) in problem.message


@pytest.mark.parametrize("unit", ["utf16", "grapheme"])
def test_a_stated_unit_loses_no_span_whose_quote_shows_another(tmp_path: Path, unit: str) -> None:
    """The quotes of a text decide; a text whose quotes fit in both units has the stated one."""
    tasks = [
        _task(1, "\N{BRIDGE AT NIGHT}This is new.", 6, 8, "is"),
        _task(2, "\N{BRIDGE AT NIGHT}aaaaaaa", 4, 6, "aa"),
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(tasks))
    records, problems = read(path, "labelstudio", offsets=unit)
    spans = [record.annotations[0].annotation.claim[0].span for record in records]
    assert spans == [Span(6, 8), Span(3, 5) if unit == "utf16" else Span(4, 6)]
    assert not any(problem.refuses_part for problem in problems)
    named = {"utf16": "UTF-16", "grapheme": "grapheme"}[unit]
    assert sum("not used" in problem.message for problem in problems) == (unit == "utf16")
    assert any(named in problem.message for problem in problems)


def _task(number: int, summary: str, start: int, end: int, quote: str) -> dict[str, Any]:
    value = {"start": start, "end": end, "text": quote, "labels": ["A"]}
    region = {"id": "r", "from_name": "l", "to_name": "summary", "type": "labels", "value": value}
    return {
        "id": number,
        "data": {"source": "The source.", "summary": summary},
        "annotations": [{"completed_by": 1, "result": [region]}],
    }


def test_a_stated_unit_of_a_judgement_gives_way_to_quotes(tmp_path: Path) -> None:
    """Autojudge's lines follow the same rule; the warning refuses nothing."""
    page = {"id": "d1", "text": "\N{BRIDGE AT NIGHT} mill", "title": None, "url": None}
    line = {
        "dataset": "d", "request_id": "1", "docid": "d1", "topic_id": "1", "username": "ana",
        "rating": "good", "comment": "", "document": page,
        "spans": [{"start": 2, "end": 6, "text": "mill"}, {"start": 2, "end": 4}],
    }  # fmt: skip
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(line))
    (record,), (problem,) = read(path, "autojudge", offsets="utf16")
    text = str(page["text"])
    found = {owned.annotation.evidence[0].span.of(text) for owned in record.annotations}
    assert found == {"mill", "mi"}
    assert not problem.refuses_part
    assert "codepoint" in problem.message
    assert [work.state.value for work in record.assignments] == ["done"]
