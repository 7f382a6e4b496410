"""JSON one value at a time: any size of buffer gives the same values, and every fault its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.record_reader import file
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.files import json_values as module
from tui_annotate.plugins.files import streams
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values

_TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]))
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
)


def _values(path: Path) -> list[Any]:
    return [
        item.value if isinstance(item, JsonValue) else str(item) for item in read_json_values(path)
    ]


def _problems(path: Path) -> list[str]:
    return [
        str(item).removeprefix(str(path))
        for item in read_json_values(path)
        if isinstance(item, Problem)
    ]


@given(
    values=st.lists(_JSON, min_size=1, max_size=6),
    indent=st.sampled_from([None, 0, 1, 4]),
    ascii_only=st.booleans(),
    chunk=st.integers(1, 40),
    wrapped=st.booleans(),
)
def test_an_array_is_read_as_json_reads_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    values: list[Any],
    indent: int | None,
    ascii_only: bool,
    chunk: int,
    wrapped: bool,
) -> None:
    """However the pieces of the file fall, the items are those that the whole file would give."""
    monkeypatch.setattr(streams, "_CHUNK", chunk if not wrapped else 64)
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    path = file(tmp_path, "a.json", f' {{"samples" :{text} }}\n' if wrapped else f"\n{text} \n")
    assert _values(path) == values


@given(values=st.lists(_JSON, min_size=1, max_size=6), blank=st.sampled_from(["", "\n", " \r\n"]))
def test_lines_are_read_one_by_one(tmp_path: Path, values: list[Any], blank: str) -> None:
    """A value a line, blank lines passed over; an object first, so that it is no array."""
    lines = [json.dumps({"v": value}, ensure_ascii=False) for value in values]
    path = file(tmp_path, "a.jsonl", blank + f"\n{blank}".join(lines))
    assert _values(path) == [{"v": value} for value in values]


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """What the reader holds is bounded by an item and a piece, not by the file."""
    item = {"text": "x" * 1000}
    path = file(tmp_path, "a.json", json.dumps([item] * 3000))
    longest = 0
    original = module._ArrayReader._drop_read

    def watched(self: Any, position: int) -> int:
        nonlocal longest
        longest = max(longest, len(self._buffer))
        return original(self, position)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module._ArrayReader, "_drop_read", watched)
        assert sum(1 for _ in read_json_values(path)) == 3000
    assert longest <= 4 * streams._CHUNK


@pytest.mark.parametrize(
    ("content", "place", "value"),
    [
        ('{"a": 1}\n{"a" 1}\n{"a": 2}', ":2", "column 6"),
        ('[{"a": 1},\n {"a" 1}]', ":2", "column 7"),
        ("[1, 2\n 3]", ":2", "column 2"),
        ("[1, 2", ":1", "column 6"),
        ('[{"a": "b', ":1", "column 8"),
        ('{"a": "\tb"}', ":1", "column 8"),
        ("[1,]", ":1", "column 4"),
        ("[]", "", "the file contains no records"),
        ('{"samples": []}', "", "the file contains no records"),
        ('{"samples": [1]', ":1", "column 16"),
        ("[1] [2]", ":1", "column 5"),
        ("", "", "the file is empty"),
        (" \n\n", "", "the file is empty"),
        ('{\n "a": 1,,\n}', ":2", "column 9"),
        ('{"data": [{}], 5}', ":1", "column 17"),
        ('{"data": [{}]', ":1", "column 14"),
        ("1" * 5000 + "\n2", ":1", "4300"),
        ("[" + "1" * 5000 + "]", ", record 1", "4300"),
    ],
)
def test_bad_syntax_has_its_place(tmp_path: Path, content: str, place: str, value: str) -> None:
    """Each fault is one line with line and column; in lines, the other lines are read."""
    (found,) = _problems(file(tmp_path, "a.json", content))
    where, _, message = found.partition(": ")
    assert where == place
    assert value in message


_ROWS = [{"a": "x", "b": 1}, {"a": "y", "b": [2]}]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"data": _ROWS}),
        json.dumps({"rows": _ROWS}, indent=1),
        "\n".join(json.dumps(row, indent=2) for row in _ROWS),
        json.dumps({"a": {"0": "x", "1": "y"}, "b": {"0": 1, "1": [2]}}),
        json.dumps({"a": {"0": "x", "1": "y"}, "b": {"0": 1, "1": [2]}}, indent=1),
        json.dumps({"a": ["x", "y"], "b": [1, [2]]}),
        json.dumps({"columns": ["a", "b"], "index": [0, 1], "data": [["x", 1], ["y", [2]]]}),
    ],
)
def test_rows_in_one_object_are_read(tmp_path: Path, content: str) -> None:
    """A wrapped list, objects over several lines, and a table by columns give the same rows."""
    path = file(tmp_path, "a.json", content)
    assert _values(path) == _ROWS
    assert not _problems(path)


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("before", [True, False])
def test_fields_outside_the_rows_are_reported(
    tmp_path: Path, indent: int | None, *, before: bool
) -> None:
    """An import loses these fields; the report names them."""
    parts = [("data", _ROWS), ("version", {"n": [1]})]
    path = file(tmp_path, "a.json", json.dumps(dict(parts[:: -1 if before else 1]), indent=indent))
    values = [*read_json_values(path)]
    assert [one.value for one in values if isinstance(one, JsonValue)] == _ROWS
    (problem,) = (one for one in values if isinstance(one, Problem))
    assert not problem.refused
    assert "'version'" in problem.message


def test_the_index_of_a_table_by_columns_is_kept(tmp_path: Path) -> None:
    """Row names that are not 0, 1, 2... become a field; other objects are no table."""
    path = file(tmp_path, "a.json", json.dumps({"a": {"7": "x", "9": "y"}, "b": {"7": 1, "9": 2}}))
    assert _values(path)[0] == {"index": "7", "a": "x", "b": 1}
    others: list[dict[str, Any]] = [
        {"a": {"x": 1}, "b": {"x": 2}},
        {"a": ["x"], "b": []},
        {"a": [1]},
        {"a": []},
    ]
    for value in others:
        assert _values(file(tmp_path, "a.json", json.dumps(value))) == [value]


def test_a_comma_after_each_line_has_its_own_hint(tmp_path: Path) -> None:
    """What to do is to remove the comma, not to write one value per line."""
    path = file(tmp_path, "a.jsonl", '{"a": 1},\n{"a": 2}\n')
    (first, second) = read_json_values(path)
    assert isinstance(first, Problem)
    assert "comma" in first.hint
    assert isinstance(second, JsonValue)
    assert second.value == {"a": 2}


def test_good_records_before_a_fault_are_kept(tmp_path: Path) -> None:
    """An array that breaks gives the items before the break, then the problem."""
    path = file(tmp_path, "a.json", '[{"a": 1}, {"a": 2}, oops]')
    assert _values(path)[:2] == [{"a": 1}, {"a": 2}]
    assert len(_values(path)) == 3


def test_a_repeated_key_costs_its_record(tmp_path: Path) -> None:
    """An object with a key twice is refused with line and key; the other records are read."""
    lines = '{"a": 1}\n{"a": {"b": 1}, "c": {"b": 1, "b": 2}}\n{"a": 3}'
    path = file(tmp_path, "a.jsonl", lines)
    (problem,) = _problems(path)
    assert problem.startswith(":2: ")
    assert "'b'" in problem
    assert _values(path)[::2] == [{"a": 1}, {"a": 3}]


@pytest.mark.parametrize(
    ("form", "chunk"), [("[{}]", 1), ("[{}]", 7), ("[{}]", 4096), ('{"samples": [{}]}', 64)]
)
def test_a_repeated_key_in_an_array_has_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, chunk: int
) -> None:
    """The line is that of the second key, however the pieces of the file fall."""
    monkeypatch.setattr(streams, "_CHUNK", chunk)
    items = '{"a": 1},\n{"b": [\n{"a": 1},\n{"a": 1,\n"a": 2}]},\n{"a": 3}'
    path = file(tmp_path, "a.json", form.replace("{}", items, 1))
    (problem,) = _problems(path)
    assert problem.startswith(":5: ")
    assert "'a'" in problem
    assert _values(path)[::2] == [{"a": 1}, {"a": 3}]
    broken = file(tmp_path, "b.json", '[{"a": 1, "a": 2')
    assert len(_problems(broken)) == 1


@pytest.mark.parametrize("depth", [150, 5000, 200_000])
@pytest.mark.parametrize("form", ["{}\n{}\n", "[{}]"])
def test_deep_nesting_is_refused(tmp_path: Path, depth: int, form: str) -> None:
    """Depth beyond 100 is one clear line, at whatever depth."""
    deep = '{"a":' + "[" * depth + "]" * depth + "}"
    path = file(tmp_path, "a.json", form.replace("{}", deep, 1).replace("\n{}", "\n[1]"))
    assert "100" in _problems(path)[0]
    assert len(_problems(path)) == 1


def test_a_lone_surrogate_has_its_place(tmp_path: Path) -> None:
    """Half of an escaped pair is refused with its offset and the name of what holds it."""
    path = file(tmp_path, "a.jsonl", '{"a": {"b": ["x", "yz\\ud83d."]}}\n{"a": "\\ud83d\\ude00"}')
    (problem,) = _problems(path)
    assert problem.startswith(":1: ")
    for value in ("U+D83D", "2", "a.b[1]"):
        assert value in problem.split()
    assert _values(path)[1] == {"a": "😀"}


def test_a_lone_surrogate_in_a_name_has_its_place(tmp_path: Path) -> None:
    """Names are looked at like values, and told without breaking the message."""
    path = file(tmp_path, "a.jsonl", '{"a\\udc00": 1}')
    (problem,) = _problems(path)
    assert problem.startswith(":1: ")
    for value in ("U+DC00", "1", "a\\udc00"):
        assert value in problem.split()


@pytest.mark.parametrize(
    ("content", "told", "kept"),
    [
        (b'{"a": "x"}\n{"a": "\xff"}\n{"a": "y"}', ":2: byte 8 of the line is not valid utf-8", 2),
        (b'[{"a": "x"},\n{"a": "\xc3\xa9\xff"},\n{"a": "y"}]', ":2: byte 10 of the line", 2),
        (
            b'{"a": "\xff"}\n{"a": "\xff"}\n{"a": "y"}',
            ":1: byte 8 of the line is not valid utf-8",
            0,
        ),
        (b'[{"a": "\xff"}, {"a": "\xff"}, {"a": "y"}]', ":1: byte 9 of the line", 0),
    ],
)
def test_a_wrong_byte_costs_its_record(
    tmp_path: Path, content: bytes, told: str, kept: int
) -> None:
    """File, line and byte are told, and the records around it are read; none behind the first."""
    path = file(tmp_path, "a.json", content)
    assert [line.startswith(told) for line in _problems(path)] == [True]
    assert sum(isinstance(item, JsonValue) for item in read_json_values(path)) == kept


def test_an_endless_item_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A single item beyond the cap is refused, not held."""
    monkeypatch.setattr(module, "LONGEST_LINE", 2000)
    monkeypatch.setattr(streams, "_CHUNK", 500)
    path = file(tmp_path, "a.json", json.dumps(["x" * 9000]))
    (problem,) = _problems(path)
    assert "JSON" in problem
    assert "2,000" in problem
