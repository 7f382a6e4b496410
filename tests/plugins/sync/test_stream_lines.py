"""Streams as lines of JSON: whatever a file holds, nothing breaks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.test_stream_merge import copy_of, deed
from tui_annotate.domain.errors import InvalidRecord
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.sync import stream_lines

ANA = Person("p", "Ana Müller/../x")
HEAD = {"format": stream_lines.FORMAT, "person": {"id": "p", "name": "Ana"}}


def written(path: Path, *lines: object) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def test_streams_come_back_as_they_were(tmp_path: Path) -> None:
    """Events keep ids, hashes, and every sign of their notes."""
    copy = copy_of(deed(deed((), 0, at=1), 6, at=2))
    file = tmp_path / "s.jsonl"
    with file.open("w", encoding="utf-8") as target:
        assert stream_lines.write(ANA, [copy], target) == 1
    person, copies = stream_lines.read(file)
    assert (person.id, person.name) == (ANA.id, ANA.name)
    assert list(copies) == [copy]


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["person", "dataset", "sample", "texts", "events", "id", "before",
                         "after", "versions", "seconds", "annotations", "assignment"]),
        inner, max_size=5,
    ),
    max_leaves=12,
))  # fmt: skip
def test_any_line_is_a_stream_or_a_problem(value: object) -> None:
    """No line ends the reading, whatever it holds."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as place:
        file = written(Path(place) / "s.jsonl", HEAD, value)
        found = list(stream_lines.read(file)[1])
    assert all(isinstance(each, Problem) for each in found)
    assert len(found) == 1


@pytest.mark.parametrize(
    "head",
    [{}, [], {"format": "x"}, {**HEAD, "person": 3}, {**HEAD, "person": {"id": "", "name": ""}}],
)
def test_a_file_that_is_none_is_refused_by_its_first_line(head: object, tmp_path: Path) -> None:
    """The error names file and line."""
    with pytest.raises(InvalidRecord, match=r"s\.jsonl:1: "):
        stream_lines.read(written(tmp_path / "s.jsonl", head))
