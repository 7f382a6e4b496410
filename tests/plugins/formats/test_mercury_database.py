"""Mercury's database, old and new: what its dump would give, from a file that stays as it was."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.conftest import numbers
from tests.helpers.effort import example_limit
from tests.plugins.formats.laws import read
from tests.plugins.record_reader import write
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.format_detection import detect

CHUNKS = [
    (0, "The bridge opened in 1932.", "source", 0, 0, 0),
    (1, "It cost 12 million pounds.", "source", 0, 27, 1),
    (2, "The 1932 bridge cost 15 million pounds.", "summary", 0, 0, 0),
    (3, "It was loved.", "summary", 0, 40, 1),
    (4, "A.", "source", 1, 0, 0),
    (5, "B.", "summary", 1, 0, 0),
]
SPANS = {"source": [35, 52], "summary": [21, 38]}
LABEL = ["Unwanted", "Unwanted.Intrinsic"]
PLAIN = "chunk_id, text, text_type, sample_id, char_offset, chunk_offset"
FIRST = "chunk_id, text, text_type, doc_id, char_offset_local, chunk_offset_local"
ANNOTATIONS = (
    "annot_id INTEGER PRIMARY KEY, sample_id INTEGER, annot_spans TEXT, annotator TEXT,"
    " label TEXT, note TEXT"
)
COMMENTS = "comment_id, user_id, annot_id, parent_id, text, comment_time"
MERGED = Path(__file__).with_name("merged.sqlite.gz")


def _row(number: int, spans: Any, **other: Any) -> tuple[Any, ...]:
    row = {"sample": 0, "annotator": "ab12", "label": json.dumps(LABEL), "note": "12, not 15"}
    row |= other
    report = (number, row["sample"], json.dumps(spans), row["annotator"], row["label"], row["note"])
    return (*report, *other.get("chunks", ()))


def _filled(path: Path, tables: dict[tuple[str, str], Sequence[tuple[Any, ...]]]) -> Path:
    """A database with some tables."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for (name, columns), rows in tables.items():
            connection.execute(f"CREATE TABLE {name} ({columns})")
            for row in rows:
                marks = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {name} VALUES ({marks})", row)
    return path


def _database(path: Path, *annotations: tuple[Any, ...], columns: str = "", **more: Any) -> Path:
    """A database of two samples with annotations and perhaps more tables."""
    report = more.get("chunks", (PLAIN, CHUNKS))
    tables: dict[tuple[str, str], Any] = {
        ("chunks", report[0]): report[1],
        ("embeddings", "embedding"): [(b"\0" * 8,)],
        ("annotations", ANNOTATIONS + columns): annotations,
        ("sample_meta", "sample_id INTEGER, json_meta TEXT"): more.get("meta", []),
        ("comments", COMMENTS): more.get("comments", []),
        ("users", "user_id, user_name"): more.get("users", [("ab12", "ab12")]),
    }
    return _filled(path, tables)


def _quotes(record: Record) -> list[list[str]]:
    return [
        [
            anchor.span.of(record.sample.document(anchor.side, anchor.index).text)
            for anchor in owned.annotation.anchors
        ]
        for owned in record.annotations
    ]


def test_a_database_is_read_as_its_dump_would_be(tmp_path: Path) -> None:
    """Texts, labels, notes, meta, ids and all that goes out again; the file stays as it was."""
    path = _database(tmp_path / "m.sqlite", _row(1, SPANS), meta=[(0, '{"model": "toy"}')])
    before = path.read_bytes()
    records, problems = read(path, "mercury-db")
    assert problems == []
    assert _quotes(records[0]) == [["15 million pounds", "12 million pounds"]]
    assert records[0].annotations[0].annotation.labels == (("Unwanted", "Intrinsic"),)
    assert [record.sample.id for record in records] == ["0", "1"]
    assert records[0].sample.meta == {"model": "toy"}
    text, report = write(records, "mercury")
    (tmp_path / "m.json").write_text(text, "utf-8")
    again, _ = read(tmp_path / "m.json", "mercury", dataset="m")
    assert [(one.sample, one.annotations) for one in again] == [
        (one.sample, one.annotations) for one in records
    ]
    assert report.lost == {}
    assert (path.read_bytes(), sorted(tmp_path.iterdir())) == (
        before, [tmp_path / "m.json", path],
    )  # fmt: skip


def test_the_first_version_called_columns_otherwise(tmp_path: Path) -> None:
    """Documents and offsets by their older names, a label that is one word."""
    path = _database(
        tmp_path / "m.sqlite", _row(1, SPANS, label="ambivalent"), chunks=(FIRST, CHUNKS)
    )
    (record, _), problems = read(path, "mercury-db")
    assert problems == []
    assert record.annotations[0].annotation.labels == (("ambivalent",),)


def test_vectors_may_stand_in_the_table_of_chunks(tmp_path: Path) -> None:
    """A file that Mercury's newest version made is read without its extension, in order."""
    path = tmp_path / "merged.sqlite"
    path.write_bytes(gzip.decompress(MERGED.read_bytes()))
    records, (unknown, config) = read(path, "mercury-db")
    assert not unknown.refused
    assert "config" in config.message
    assert [record.sample.id for record in records] == [str(number) for number in range(9)]
    assert records[0].sample.side(Side.SOURCE)[0].text == (
        "The bridge opened in 1932. It cost 12 million pounds 🌉."
    )
    assert _quotes(records[0]) == [["15 million pounds", "12 million pounds"]]
    assert records[8].sample.side(Side.SUMMARY)[0].text == "So."


def test_only_one_side_may_be_marked(tmp_path: Path) -> None:
    """Source alone, summary alone, -1 for nothing, and the names of the newest programs."""
    rows = [
        _row(1, {"source": [35, 52]}),
        _row(2, {"summary": [21, 38], "source": [-1, -1]}),
        _row(3, {"text1": [35, 52], "text2": [21, 38]}),
    ]
    (record, _), problems = read(_database(tmp_path / "m.sqlite", *rows), "mercury-db")
    assert problems == []
    cost, price = "12 million pounds", "15 million pounds"
    assert _quotes(record) == [[cost], [price], [price, cost]]


CHUNKED = ", src_chunk_id INTEGER, summ_chunk_id INTEGER"


@pytest.mark.parametrize("way", ["documents", "chunks", "both", "none"])
def test_one_way_of_counting_for_a_whole_database(tmp_path: Path, way: str) -> None:
    """Where annotations name chunks, all spans fit in those or in documents; else it is refused."""
    spans = {
        "documents": ({"source": [35, 52]}, {"summary": [47, 52]}),
        "chunks": ({"source": [8, 25]}, {"summary": [7, 12]}),
        "both": ({"source": [0, 26]}, {"summary": [0, 39]}),
        "none": ({"source": [35, 52]}, {"summary": [7, 12]}),
    }[way]
    where = [(0, 2), (0, 2)] if way == "both" else [(1, 3), (1, 3)]
    rows = [_row(n, each, chunks=where[n]) for n, each in enumerate(spans)]
    path = _database(tmp_path / "m.sqlite", *rows, columns=CHUNKED)
    records, problems = read(path, "mercury-db")
    if way == "none":
        assert records == []
        assert [problem.refused for problem in problems] == [True]
    elif way == "both":  # first chunks begin where documents do
        assert len(records) == 2
    else:
        assert _quotes(records[0]) == [["12 million pounds"], ["loved"]]


@pytest.mark.parametrize("bad", [{"source": [3, 40]}, {"source": [6, 6]}, {"source": [0, 999]}])
def test_one_bad_span_does_not_decide_how_a_database_counts(
    tmp_path: Path, bad: dict[str, list[int]]
) -> None:
    """Spans in chunks stay so if one ends outside its chunk; that one is refused alone."""
    spans = [{"source": [8, 25]}, {"summary": [7, 12]}, {"source": [3, 7]}, bad]
    rows = [_row(n, each, chunks=(1, 3)) for n, each in enumerate(spans)]
    path = _database(tmp_path / "m.sqlite", *rows, columns=CHUNKED)
    records, problems = read(path, "mercury-db")
    assert _quotes(records[0]) == [["12 million pounds"], ["loved"], ["cost"]]
    assert [problem.refuses_part for problem in problems] == [True]


def test_what_fits_both_ways_is_not_guessed(tmp_path: Path) -> None:
    """A span that covers other words in either way is refused alone if no other span decides."""
    row = _row(1, {"source": [20, 28, 1]})
    chunks = [*CHUNKS[:1], (1, "It cost 12 million pounds in all.", *CHUNKS[1][2:]), *CHUNKS[2:]]
    path = _database(tmp_path / "m.sqlite", row, chunks=(PLAIN, chunks))
    records, problems = read(path, "mercury-db")
    assert len(records) == 2
    assert _quotes(records[0]) == []
    assert [problem.refuses_part for problem in problems] == [True]


def test_a_span_beyond_the_first_sentence_is_refused_alone(tmp_path: Path) -> None:
    """A first sentence begins where its text does, so a bad span in it decides nothing."""
    rows = [_row(1, {"source": [4, 10, 0]}), _row(2, {"source": [0, 999, 0]})]
    rows.append(_row(3, {"source": [27, 30, 0]}))
    records, problems = read(_database(tmp_path / "m.sqlite", *rows), "mercury-db")
    assert _quotes(records[0]) == [["bridge"]]
    assert [problem.refuses_part for problem in problems] == [True, True]


def test_a_span_outside_its_sentence_is_refused_where_offsets_begin_at_the_text(
    tmp_path: Path,
) -> None:
    """Two spans show that offsets begin at the text; the third one is not in its sentence."""
    rows = [_row(1, {"source": [35, 52, 1]}), _row(2, {"summary": [47, 52, 3]})]
    rows.append(_row(3, {"source": [8, 25, 1]}))
    records, problems = read(_database(tmp_path / "m.sqlite", *rows), "mercury-db")
    assert _quotes(records[0]) == [["12 million pounds"], ["loved"]]
    assert [problem.refuses_part for problem in problems] == [True]


@pytest.mark.parametrize("file", ["users.sqlite", "user.db"])
def test_people_have_names_where_a_file_of_users_lies_beside(tmp_path: Path, file: str) -> None:
    """By a database of users in the same folder; an id without a name stays, and is counted."""
    columns = "user_id TEXT, user_name TEXT, email TEXT, hashed_password TEXT"
    _filled(tmp_path / file, {("users", columns): [("ab12", "Ana", "a@b", "x")]})
    path = _database(
        tmp_path / "m.sqlite",
        _row(1, SPANS),
        _row(2, {"summary": [0, 3]}, annotator="cd"),
        users=[],
    )
    for place in (path, tmp_path):
        records, (unknown,) = read(place, "mercury-db")
        assert (unknown.refused, numbers(unknown.message)) == (False, [1, 1])
        named = {person.id: person.name for person in records[0].people}
        assert named == {"ab12": "Ana", "cd": "cd"}
    assert detect(path) == detect(tmp_path) == "mercury-db"


def test_names_of_users_can_be_in_the_same_file(tmp_path: Path) -> None:
    """A table of only ids and names is enough, and counts more than another file in the folder."""
    columns = "user_id, user_name, email, hashed_password"
    _filled(tmp_path / "users.sqlite", {("users", columns): [("ab12", "Zoe", "", "")]})
    path = _database(tmp_path / "m.sqlite", _row(1, SPANS), users=[("ab12", "Ana")])
    (record, _), problems = read(path, "mercury-db")
    assert problems == []
    assert [person.name for person in record.people] == ["Ana"]


def test_a_name_that_is_no_text_is_no_name(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 in a file of users cost the name, not the work."""
    users = _filled(
        tmp_path / "users.sqlite", {("users", "user_id, user_name, email, hashed_password"): []}
    )
    with closing(sqlite3.connect(users)) as connection, connection:
        connection.execute("INSERT INTO users VALUES ('ab12', CAST(x'ff41' AS TEXT), 'a@b', 'x')")
    path = _database(tmp_path / "m.sqlite", _row(1, SPANS), users=[])
    (first, _), problems = read(path, "mercury-db")
    assert [problem.refused for problem in problems] == [False]
    assert [person.name for person in first.people] == ["ab12"]


def test_a_folder_of_batches(tmp_path: Path) -> None:
    """Each file is a dataset; in one dataset the file stands before the sample's number."""
    for name in ("b1", "b2"):
        _database(tmp_path / f"{name}.sqlite")
    keys = [record.sample.key for record in read(tmp_path, "mercury-db")[0]]
    assert keys == [("b1", "0"), ("b1", "1"), ("b2", "0"), ("b2", "1")]
    keys = [record.sample.key for record in read(tmp_path, "mercury-db", dataset="d")[0]]
    assert keys == [("d", "b1/0"), ("d", "b1/1"), ("d", "b2/0"), ("d", "b2/1")]


def test_comments_come_with_their_sample(tmp_path: Path) -> None:
    """As its meta; those on annotations that were deleted are counted."""
    said = [(1, "cd", 1, None, "Why?", "2026"), (2, "ab12", 1, 1, "So.", "2026")]
    path = _database(
        tmp_path / "m.sqlite", _row(1, SPANS), comments=[*said, (3, "cd", 9, None, "x", "2026")]
    )
    records, problems = read(path, "mercury-db")
    comments = records[0].sample.meta["mercury_comments"]
    assert [(each["user_id"], each["text"]) for each in comments] == [
        ("cd", "Why?"), ("ab12", "So."),
    ]  # fmt: skip
    (problem,) = problems
    assert not problem.refused
    assert "1" in problem.message


def test_a_bad_sample_does_not_end_the_file(tmp_path: Path) -> None:
    """Spans outside the text, wrong JSON, bytes: that annotation alone is not imported."""
    for bad in (
        _row(1, {"source": [50, 99]}),
        _row(1, [3]),
        _row(1, {"source": ["a", "b"]}),
        _row(1, {"source": [0, 3]}, label="[1"),
        _row(1, {"source": [0, 3]}, note=b"\xff"),
        _row(1, {"source": [0, 3]}, annotator=None),
        _row(1, {"other": [0, 3]}),
    ):
        path = tmp_path / "m.sqlite"
        path.unlink(missing_ok=True)
        records, problems = read(_database(path, bad), "mercury-db")
        assert [record.sample.id for record in records] == ["0", "1"]
        assert records[0].annotations == ()
        assert [problem.where for problem in problems] == [f"{path}, sample 0"]
        assert problems[0].refuses_part


def test_strays_and_browsers_offsets_are_told(tmp_path: Path) -> None:
    """Annotations of no sample are counted; signs that count twice before a span are a doubt."""
    chunks = [(0, "🌉 bridge.", "source", 0, 0, 0), (1, "So.", "summary", 0, 0, 0)]
    rows = [_row(1, {"source": [2, 8]}), _row(2, {"summary": [0, 2]}, sample=7)]
    _, problems = read(
        _database(tmp_path / "m.sqlite", *rows, chunks=(PLAIN, chunks)), "mercury-db"
    )
    assert [each.refuses_part for each in problems] == [False, True]
    assert "1" in problems[1].message


TEXT = {
    side: " ".join(row[1] for row in CHUNKS[:4] if row[2] == side) for side in ("source", "summary")
}
SAME_RECORDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("plain", {}, {}),
    ("label null", {"label": None}, {"label": None}),
    ("label empty", {"label": ""}, {"label": ""}),
    ("label null as JSON", {"label": "null"}, {"label": None}),
    ("label empty list", {"label": "[]"}, {"label": []}),
    ("label word", {"label": "ambivalent"}, {"label": "ambivalent"}),
    ("label blank", {"label": " "}, {"label": " "}),
    ("label word as JSON", {"label": '"Benign"'}, {"label": "Benign"}),
    ("label list as JSON", {"label": '["A", "A.B"]'}, {"label": '["A", "A.B"]'}),
    ("label number", {"label": 5}, {"label": 5}),
    ("label digit", {"label": "5"}, {"label": "5"}),
    ("label numbers", {"label": "[5]"}, {"label": [5]}),
    ("label digit as JSON", {"label": "5"}, {"label": 5}),
    ("label fraction as JSON", {"label": "5.5"}, {"label": 5.5}),
    ("label true as JSON", {"label": "true"}, {"label": True}),
    ("label false as JSON", {"label": "false"}, {"label": False}),
    ("label values", {"label": '[5, true, "A"]'}, {"label": [5, True, "A"]}),
    ("label null in a list", {"label": "[null]"}, {"label": [None]}),
    ("label object", {"label": '{"a": 1}'}, {"label": {"a": 1}}),
    ("label broken", {"label": '["A"'}, {"label": '["A"'}),
    ("label typo", {"label": '["A.B", "C"]'}, {"label": ["A.B", "C"]}),
    ("label empty name", {"label": '[""]'}, {"label": [""]}),
    ("note null", {"note": None}, {"note": None}),
    ("note empty", {"note": ""}, {"note": ""}),
    ("note zero", {"note": 0}, {"note": 0}),
    ("note number", {"note": 5}, {"note": 5}),
    ("person null", {"annotator": None}, {"annotator": None}),
    ("person empty", {"annotator": ""}, {"annotator": ""}),
    ("person number", {"annotator": 5}, {"annotator": 5}),
    ("person control", {"annotator": "a\x01"}, {"annotator": "a\x01"}),
]  # fmt: skip
SAME_SPANS: list[dict[str, Any]] = [
    {"source": [0, 3]},
    {"source": None, "summary": [0, 3]},
    {"source": [-1, -1], "summary": [0, 3]},
    {"source": [-1, 5], "summary": [0, 3]},
    {"source": [-1, -1], "summary": [-1, -1]},
    {},
    {"source": [6, 6]},
    {"source": [9, 4]},
    {"source": [-5, 3]},
    {"source": [0, 999]},
    {"source": [900, 999], "summary": [0, 3]},
    {"source": [0.5, 3]},
    {"source": [True, 3]},
    {"source": ["0", "3"]},
    {"source": [0, None]},
]
TYPED_LABELS = [(5, "5"), (True, "true"), (False, "false")]


@pytest.mark.parametrize(("value", "name"), TYPED_LABELS)
def test_a_label_that_yaml_reads_as_a_number_is_its_text(
    tmp_path: Path, value: Any, name: str
) -> None:
    """Labels `5` and `true` have the same name from a database and from its dump."""
    field = {"label": value}
    path, dump = _same_records(tmp_path, {"label": json.dumps(value)}, field, {"summary": [0, 3]})
    for file, form in ((path, "mercury-db"), (dump, "mercury")):
        (record,), problems = read(file, form, dataset="d")
        assert not any(problem.refuses_part for problem in problems)
        first = record.annotations[0].annotation
        assert first.labels == ((name,),)


UNTYPED = "annot_id INTEGER PRIMARY KEY, sample_id INTEGER, annot_spans, annotator, label, note"
GOOD = {"annotator": "zoe", "label": '["X"]', "note": "", "spans": {"summary": [0, 3]}}


def _same_records(
    folder: Path, cell: dict[str, Any], field: dict[str, Any], spans: dict[str, Any]
) -> tuple[Path, Path]:
    """A database and a dump with one annotation of "ana" with these values, and two good ones."""
    odd = {"annotator": "ana", "label": '["X"]', "note": "so", "spans": spans} | cell
    fine = {**GOOD, "annotator": "ana", "spans": {"summary": [4, 8]}}
    stored = [odd, GOOD, fine]
    rows = [
        (
            number,
            0,
            json.dumps(row["spans"]),
            *(row[name] for name in ("annotator", "label", "note")),
        )
        for number, row in enumerate(stored, 1)
    ]
    path = folder / "m.sqlite"
    _filled(path, {("chunks", PLAIN): CHUNKS[:4], ("annotations", UNTYPED): rows})
    dumped = []
    for number, row in enumerate(stored, 1):
        out = {"annot_id": number, "sample_id": 0, "annotator": row["annotator"],
               "label": ["X"], "note": row["note"], "annotator_name": None}  # fmt: skip
        out |= field if row is odd else {}
        for side, span in row["spans"].items():
            if span is None:
                continue
            start, end = span
            whole = type(start) is int and type(end) is int
            quote = TEXT[side][start:end] if whole else None
            names = (f"{side}_start", f"{side}_end", f"{side}_span")
            out |= dict(zip(names, (start, end, quote), strict=True))
        dumped.append(out)
    sample = {"sample_id": 0, **TEXT, "annotations": dumped}
    dump = folder / "m.json"
    dump.write_text(json.dumps([sample]))
    return path, dump


def _check_same(path: Path, dump: Path) -> None:
    (stored,), of_database = read(path, "mercury-db", dataset="d")
    (dumped,), of_dump = read(dump, "mercury", dataset="d")
    views = [
        (
            [(each.person, replace(each.annotation, imported=None)) for each in record.annotations],
            record.sample,
            record.assignments,
            {person.id: person for person in record.people},
            sum(problem.refuses_part for problem in problems),
            sorted(
                problem.message
                for problem in problems
                if not problem.refuses_part and problem.where != str(path)
            ),
        )
        for record, problems in ((stored, of_database), (dumped, of_dump))
    ]
    assert views[0] == views[1]
    assert "zoe" in {each.person for each in stored.annotations}


@pytest.mark.parametrize(
    ("cell", "field"),
    [case[1:] for case in SAME_RECORDS],
    ids=[case[0] for case in SAME_RECORDS],
)
def test_a_database_and_a_dump_agree_on_odd_values(
    tmp_path: Path, cell: dict[str, Any], field: dict[str, Any]
) -> None:
    """Annotations with their ids, people, states, refusals and warnings are the same."""
    _check_same(*_same_records(tmp_path, cell, field, {"summary": [9, 15]}))


@pytest.mark.parametrize("spans", SAME_SPANS, ids=str)
def test_a_database_and_a_dump_agree_on_odd_spans(tmp_path: Path, spans: dict[str, Any]) -> None:
    """A span that is refused in one is refused in the other, with the same state of the person."""
    _check_same(*_same_records(tmp_path, {}, {}, spans))


META: list[tuple[str, dict[str, Any]]] = [
    ("{}", {}),
    ('{"model": "toy", "n": null, "deep": [1, {"a": "\\u00e9"}]}',
     {"meta_model": "toy", "meta_n": None, "meta_deep": [1, {"a": "é"}]}),
]  # fmt: skip


@pytest.mark.parametrize(("cell", "fields"), META, ids=["empty", "nested"])
def test_a_database_and_a_dump_agree_on_metadata_and_comments(
    tmp_path: Path, cell: str, fields: dict[str, Any]
) -> None:
    """Comments of any values are the same; settings of the database change nothing."""
    path, dump = _same_records(tmp_path, {}, {}, {"source": [0, 3]})
    said = [(1, "cd", 1, None, "Why?", "2026"), (2, None, 1, 1, "", None), (3, "x", 3, 9, 5, 0.5)]
    tables: dict[tuple[str, str], Any] = {
        ("sample_meta", "sample_id INTEGER, json_meta TEXT"): [(0, cell)],
        ("comments", COMMENTS): said,
        ("config", "key TEXT, value TEXT"): [("embdding_model", "x"), ("version", None)],
    }
    _filled(path, tables)
    (sample,) = json.loads(dump.read_text())
    rows = [dict(zip(COMMENTS.split(", "), row, strict=True)) for row in said]
    dump.write_text(json.dumps([sample | fields | {"comments": rows}]))
    _check_same(path, dump)


def test_a_person_with_a_refused_row_of_a_database_is_in_progress(tmp_path: Path) -> None:
    """By the name that the database has, also without any readable annotation; others stay new."""
    rows = [
        _row(1, SPANS, annotator="ab12"),
        _row(2, SPANS, annotator="zoe", label='["X'),
        _row(3, ["no"], annotator="ab12"),
    ]
    (record, _), problems = read(
        _database(tmp_path / "m.sqlite", *rows, users=[("zoe", "Zoe"), ("ab12", "Ana")]),
        "mercury-db",
    )
    assert [(work.person, work.state) for work in record.assignments] == [
        ("zoe", State.DRAFT), ("ab12", State.DRAFT),
    ]  # fmt: skip
    assert {person.id: person.name for person in record.people} == {"ab12": "Ana", "zoe": "Zoe"}
    refused = [problem.message for problem in problems if problem.refuses_part]
    assert len(refused) == 2
    assert "'Zoe', 'Ana' counts as in progress" in refused[-1]


@pytest.mark.parametrize(
    ("column", "value"),
    [("annot_spans", "{"), ("annot_spans", None), ("annot_spans", "[1]"), ("label", '["X')],
)
def test_the_error_of_a_cell_names_its_column_in_the_singular(
    tmp_path: Path, column: str, value: Any
) -> None:
    """A sentence with a verb that fits, the column and the annotation."""
    path = _database(tmp_path / "m.sqlite", _row(5, SPANS))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE annotations SET {column} = ?", (value,))
    _, (problem,) = read(path, "mercury-db")
    name = "label" if column == "label" else f"column {column}"
    assert f"the {name} of annotation 5 is not" in problem.message


@pytest.mark.parametrize(
    ("chunk", "named"),
    [
        ((9, None, "source", 0, 0, 5), "chunk 9"),
        ((9, b"x", "summary", 0, 0, 5), "chunk 9"),
        ((9, 5.5, "source", 0, 0, 5), "5.5"),
        ((9, "The mill.", "title", 0, 0, 5), "'title'"),
    ],
)
def test_a_text_is_never_imported_without_one_of_its_chunks(
    tmp_path: Path, chunk: tuple[Any, ...], named: str
) -> None:
    """Offsets count in all chunks, so the sample is refused, and the others come in."""
    chunks = ("chunk_id, text, text_type, sample_id, char_offset, chunk_offset", [*CHUNKS, chunk])
    path = _database(tmp_path / "m.sqlite", _row(1, SPANS), chunks=chunks)
    records, (problem,) = read(path, "mercury-db")
    assert [record.sample.id for record in records] == ["1"]
    assert (problem.where, problem.refused) == (f"{path}, sample 0", True)
    assert named in problem.message


def test_chunks_of_no_sample_are_counted(tmp_path: Path) -> None:
    """Chunks without a number are no text of any sample."""
    lost = [(9, "The mill.", "source", None, 0, 0), (10, "A mill.", "summary", "x", 0, 0)]
    path = _database(tmp_path / "m.sqlite", _row(1, SPANS), chunks=(PLAIN, [*CHUNKS, *lost]))
    records, (problem,) = read(path, "mercury-db")
    assert len(records) == 2
    assert problem.refused
    assert numbers(problem.message) == [2]


def test_wrong_files_are_told(tmp_path: Path) -> None:
    """No file, no database, a database of something else, a table without a column."""
    with pytest.raises(NotFound):
        read(tmp_path / "none", "mercury-db")
    with pytest.raises(NotFound):
        read(tmp_path, "mercury-db")
    (tmp_path / "a.txt").write_text("SQLite", "utf-8")
    other = _filled(tmp_path / "b.sqlite", {("users", "user_id"): []})
    for path in (tmp_path / "a.txt", other):
        with pytest.raises(InvalidInput, match="'chunks'"):
            read(path, "mercury-db")
    lacking = _filled(tmp_path / "c.sqlite", {("chunks", "chunk_id, text"): []})
    records, problems = read(lacking, "mercury-db")
    assert records == []
    assert "'sample_id'" in problems[0].message


_CELLS = st.none() | st.integers(-9, 2**40) | st.floats() | st.text(max_size=3) | st.binary()


_SPAN = st.lists(st.integers(-2, 9) | st.none() | st.text(max_size=2), max_size=3)


@given(
    row=st.tuples(*[_CELLS | st.just("[0, 1]")] * 6),
    spans=st.dictionaries(st.sampled_from(["source", "text2", "x"]), _SPAN),
    cut=st.binary(max_size=20),
    at=st.integers(0, 12_000),
)
@settings(deadline=None, max_examples=example_limit(60))
def test_no_content_breaks_the_reader(row: Any, spans: Any, cut: bytes, at: int) -> None:
    """Any values in any column, and bytes written over, end in records and problems."""
    with TemporaryDirectory() as folder:
        chunks = (PLAIN, [*CHUNKS, tuple(row)])
        path = _database(
            Path(folder) / "m.sqlite", _row(1, spans), chunks=chunks, meta=[row[:2]],
            comments=[row],
        )  # fmt: skip
        _survives(path)
        raw = path.read_bytes()
        path.write_bytes(raw[:at] + cut + raw[at + len(cut) :])
        _survives(path)


def _survives(path: Path) -> None:
    try:
        for problem in read(path, "mercury-db")[1]:
            assert "\n" not in str(problem)
    except TuiAnnotateError:
        return


def test_problems_name_what_mercury_names(tmp_path: Path) -> None:
    """A comment is no annotation; an annotation without a span has Mercury's number."""
    comment = (4, "ab12", 6, None, b"\xff", "2026")
    path = _database(tmp_path / "m.sqlite", _row(6, {}), comments=[comment])
    messages = [problem.message for problem in read(path, "mercury-db")[1]]
    assert any("comment 4" in message for message in messages)
    assert any("annotation 6" in message for message in messages)


def test_names_are_missing_for_people_with_annotations_only(tmp_path: Path) -> None:
    """Whose only annotation is refused, needs no name."""
    rows = [_row(1, SPANS), _row(2, {"source": [3, 999]}, annotator="cd")]
    problems = read(_database(tmp_path / "m.sqlite", *rows, users=[]), "mercury-db")[1]
    (unknown,) = [problem for problem in problems if not problem.refuses_part]
    assert numbers(unknown.message) == [1, 1]


def test_comments_leave_as_mercury_has_them(tmp_path: Path) -> None:
    """In a field of their own, with Mercury's columns; a dump with it is the same sample."""
    said = [(1, "cd", 1, None, "Why?", "2026"), (2, "ab12", 1, 1, "So.", "2026")]
    path = _database(tmp_path / "m.sqlite", _row(1, SPANS), comments=said)
    records, _ = read(path, "mercury-db")
    text, report = write(records, "mercury")
    sample = json.loads(text)[0]
    names = COMMENTS.split(", ")
    assert sample["comments"] == [dict(zip(names, row, strict=True)) for row in said]
    assert not any(name.startswith("meta_") for name in sample)
    assert report.lost == {}
    (tmp_path / "m.json").write_text(text, "utf-8")
    again, _ = read(tmp_path / "m.json", "mercury", dataset="m")
    assert again[0].sample == records[0].sample
    released, _ = write(records, "faithbench")
    (tmp_path / "r.json").write_text(released, "utf-8")
    back, _ = read(tmp_path / "r.json", "faithbench", dataset="m")
    assert json.loads(write(back, "mercury")[0])[0]["comments"] == sample["comments"]


def test_the_settings_of_mercury_are_named(tmp_path: Path) -> None:
    """Its model and dimension have no place here; the report names both."""
    path = _database(tmp_path / "m.sqlite", _row(1, SPANS))
    values = [("embdding_model", "bge-small-en-v1.5"), ("embdding_dimension", "384")]
    _filled(path, {("config", "key TEXT, value TEXT"): values})
    _, (problem,) = read(path, "mercury-db")
    assert not problem.refused
    assert "'bge-small-en-v1.5'" in problem.message
    assert "'384'" in problem.message
