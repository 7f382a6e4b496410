"""Scores in files made elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugins.record_reader import file
from tui_annotate.domain.errors import InvalidRecord
from tui_annotate.lab.score.score_import import FileScore, score_rows

LINES = '{"id": "a", "probe": 0.5}\n\n{"id": 7, "probe": -1, "dataset": "d"}\n'


def _read(path: Path, *columns: str) -> list[FileScore]:
    return list(score_rows(path, id_column="id", score_columns=columns or ("probe", "score")))


@pytest.mark.parametrize(
    ("name", "content", "last"),
    [
        ("a.jsonl", LINES, "a.jsonl:3"),
        ("a.json", '[{"id": "a", "probe": 0.5}, {"id": 7, "score": -1, "dataset": "d"}]', "a.json"),
        ("a.csv", "id,probe,dataset\na,0.5,\n7,-1,d\n", "a.csv:3"),
        ("a.tsv", "id\tprobe\tdataset\r\na\t0.5\t\r\n7\t-1\td\r\n", "a.tsv:3"),
    ],
)
def test_rows_are_read_with_their_places(
    tmp_path: Path, name: str, content: str, last: str
) -> None:
    """Ids may be numbers, and the score stands in the first of the columns that a row has."""
    found = _read(file(tmp_path, name, content))
    assert [each[1:] for each in found] == [("", "a", 0.5), ("d", "7", -1.0)]
    assert last in found[1].where


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", '{"id": "a", "probe": "much"}', ":1: 'probe' 'much'"),
        ("a.jsonl", '{"id": "a", "probe": true}', "'probe' True"),
        ("a.jsonl", '{"id": "a", "probe": null}', "'probe' None"),
        ("a.jsonl", '{"id": "a", "probe": "nan"}', "nan"),
        ("a.jsonl", '{"id": "a", "other": 1}', "'probe' 'score'"),
        ("a.jsonl", '{"name": "a", "probe": 1}', "'id' 'name', 'probe'"),
        ("a.jsonl", '{"id": " ", "probe": 1}', ":1:"),
        ("a.jsonl", "[1]", "1"),
        ("a.jsonl", "{", ":1: "),
        ("a.csv", "id,probe\na\n", "a.csv:2:"),
        ("a.csv", "id,probe\na,1,2\n", "a.csv:2:"),
        ("a.csv", 'id,probe\na,"1" 2\n', "a.csv:2: "),
        ("a.csv", "id,probe\na,\n", "'probe'"),
        ("a.csv", b"id,probe\na,\xff\n", "a.csv:2: 3"),
    ],
)
def test_the_first_wrong_row_is_told_with_its_place(
    tmp_path: Path, name: str, content: str | bytes, said: str
) -> None:
    """Nothing is guessed, and nothing passed over."""
    with pytest.raises(InvalidRecord) as caught:
        _read(file(tmp_path, name, content))
    assert [value for value in said.split() if value not in caught.value.message] == []
    assert name in caught.value.message
