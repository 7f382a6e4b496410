"""A shared folder and the lines in it: whatever lies there, nothing breaks and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.test_merging import copy_of, deed
from tui_annotate.domain.errors import Conflict, InvalidRecord, NotFound
from tui_annotate.domain.merging import StreamCopy
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Problem
from tui_annotate.plugins.exchange import folder as folders
from tui_annotate.plugins.exchange import stream_lines
from tui_annotate.plugins.exchange.folder import FolderTarget

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


def test_a_name_makes_no_path(tmp_path: Path) -> None:
    """Whatever somebody is called, their file lies in the folder."""
    target = FolderTarget(tmp_path)
    target.push(ANA, [copy_of(deed((), 0, at=1))])
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("ana-m-ller-x-")
    assert target.file(Person("p", "Another name")) == file


def test_a_namesake_is_known_by_what_the_file_says(tmp_path: Path) -> None:
    """By name and id, whatever the file is called; one that can not be read is nobody's."""
    target = FolderTarget(tmp_path)
    for id_, name in (("p", "Ana"), ("q", "Ana"), ("r", "Ben")):
        target.push(Person(id_, name), [])
    renamed = target.file(Person("q", "Ana"))
    assert target.namesakes(Person("p", "Ana")) == [renamed]
    renamed = renamed.rename(renamed.with_name(renamed.name.replace("ana", "somebody")))
    (tmp_path / "ana-0123456789abcdef.jsonl").mkdir()
    written(tmp_path / "ana-0123456789abcdee.jsonl", "x")
    assert target.namesakes(Person("p", "Ana")) == [renamed]
    assert target.namesakes(Person("p", "Li")) == []


def test_what_another_machine_brought_is_kept(tmp_path: Path) -> None:
    """A push that knows less than the file takes nothing out of it."""
    long = deed(deed((), 0, at=1), 6, at=2)
    target = FolderTarget(tmp_path)
    assert target.push(ANA, [copy_of(long)]).events == 2
    assert target.push(ANA, [copy_of(long[:1])]).events == 0
    (kept,) = target.pull(target.file(ANA))[1]
    assert isinstance(kept, StreamCopy)
    assert kept.events == long


def test_a_fork_waits_for_a_pull(tmp_path: Path) -> None:
    """What was done otherwise on both sides is not settled unseen."""
    known = deed((), 0, at=1)
    target = FolderTarget(tmp_path)
    target.push(ANA, [copy_of(deed(known, 6, at=2))])
    pushed = target.push(ANA, [copy_of(deed(known, 7, at=3))])
    assert (pushed.events, pushed.waiting) == (0, (copy_of(known).key,))


def test_two_that_write_at_once_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that changed since it was read is read again; one that always does is told."""
    target = FolderTarget(tmp_path)
    sums = iter(["", "changed", "changed", "changed"])
    monkeypatch.setattr(folders, "_sum", lambda _: next(sums))
    first = deed((), 0, at=1)
    assert target.push(ANA, [copy_of(first)]).events == 1
    endless = iter(range(100))
    monkeypatch.setattr(folders, "_sum", lambda _: str(next(endless)))
    with pytest.raises(Conflict, match="being written by another machine"):
        target.push(ANA, [copy_of(deed(first, 6, at=2))])


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    """A file, or nothing."""
    with pytest.raises(NotFound):
        FolderTarget(tmp_path / "gone")


def test_what_is_removed_is_counted(tmp_path: Path) -> None:
    """One's own file goes; without one there is nothing to do."""
    target = FolderTarget(tmp_path)
    target.push(ANA, [copy_of(deed((), 0, at=1))])
    assert (target.remove(ANA), target.remove(ANA)) == (1, 0)
