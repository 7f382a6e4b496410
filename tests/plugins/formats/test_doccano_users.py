"""doccano's export of several users: a folder or a zip with a file for each of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.helpers.errors import has_code
from tests.plugins.formats.laws import read
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.joined_texts import SEPARATOR
from tui_annotate.plugins.person_files import is_several
from tui_annotate.plugins.protocols import ReadMeter

SOURCE, SUMMARY = "It cost 12 million pounds.", "It cost 15 million pounds."
START = len(SOURCE + SEPARATOR) + 8
LINE: dict[str, Any] = {
    "id": 7,
    "text": SOURCE + SEPARATOR + SUMMARY,
    "topic": "bridges",
    "entities": [{"id": 1, "label": "Wrong", "start_offset": START, "end_offset": START + 10}],
    "relations": [],
}
Files = dict[str, list[dict[str, Any]]]
USERS: Files = {
    "ana.jsonl": [LINE, LINE | {"id": 8, "entities": []}],
    "ben.jsonl": [LINE | {"id": 9}, LINE | {"Comments": ["hm"]}],
    "unknown.jsonl": [LINE | {"id": 8}],
}


def _folder(place: Path, files: Files) -> Path:
    place.mkdir()
    for name, lines in files.items():
        (place / name).write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return place


def _zip(place: Path, files: Files, *, packed: int = ZIP_DEFLATED) -> Path:
    path = place.with_suffix(".zip")
    with ZipFile(path, "w", packed) as archive:
        for name, lines in files.items():
            archive.writestr(name, "".join(json.dumps(line) + "\n" for line in lines))
    return path


Made = Callable[[Path, Files], Path]


def _people(record: Record) -> list[str]:
    return [one.person for one in record.annotations]


@pytest.mark.parametrize("made", [_folder, _zip])
def test_a_sample_has_the_work_of_all_users(tmp_path: Path, made: Made) -> None:
    """The user is the file's name; the file of nobody is nobody's; samples come once."""
    path = made(tmp_path / "export", USERS)
    assert detect(path) == "doccano"
    records, problems = read(path, "doccano")
    assert problems == []
    assert [record.sample.id for record in records] == ["7", "8", "9"]
    assert [_people(record) for record in records] == [["ana", "ben"], ["doccano"], ["ben"]]
    first = records[0]
    assert first.sample.dataset == "export"
    assert first.sample.meta == {"topic": "bridges", "Comments": ["hm"]}
    assert first.people == (
        Person("ana", "ana", PersonKind.IMPORTED),
        Person("ben", "ben", PersonKind.IMPORTED),
    )
    ids = [one.annotation.id for record in records for one in record.annotations]
    assert len(set(ids)) == len(ids)


def test_a_zip_is_what_its_folder_is(tmp_path: Path) -> None:
    """The same records, told with the names of its members."""
    folder, packed = _folder(tmp_path / "x", USERS), _zip(tmp_path / "x", USERS)
    one, other = read(folder, "doccano")[0], read(packed, "doccano")[0]
    assert [each.sample for each in one] == [each.sample for each in other]
    assert [each.annotations for each in one] == [each.annotations for each in other]
    assert other[0].where == f"{packed}/ana.jsonl:1"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (LINE | {"text": "Another" + LINE["text"][7:]}, "the sample's texts differ from"),
        (LINE | {"text": "no separator"}, "does not occur exactly once"),
        (5, "is a number (5), not a JSON object"),
    ],
)
def test_what_does_not_fit_is_left_out(tmp_path: Path, line: Any, message: str) -> None:
    """A row that is about another text, or none, costs itself alone."""
    files = {"ana.jsonl": [LINE], "ben.jsonl": [line]}
    records, problems = read(_folder(tmp_path / "x", files), "doccano")
    assert [_people(record) for record in records] == [["ana"]]
    assert [(problem.refused, message in problem.message) for problem in problems] == [(True, True)]
    assert "ben.jsonl:1" in problems[0].where


def test_what_differs_is_told(tmp_path: Path) -> None:
    """Columns of one sample that differ keep the first file's value; a row twice is refused."""
    files = {"ana.jsonl": [LINE, LINE], "ben.jsonl": [LINE | {"topic": "tea"}]}
    (record,), problems = read(_zip(tmp_path / "x", files), "doccano")
    assert record.sample.meta == {"topic": "bridges"}
    assert _people(record) == ["ana", "ben"]
    assert [problem.refused for problem in problems] == [True, False]
    assert "ana.jsonl:2" in problems[0].where
    assert "ana.jsonl:1" in problems[0].message
    assert "'topic'" in problems[1].message


def test_the_plain_form_is_asked_for(tmp_path: Path) -> None:
    """Lists of start, end and label are not certain; with --format they are read."""
    plain = {"id": 3, "text": LINE["text"], "label": [[START, START + 10, "Wrong"]]}
    path = _zip(tmp_path / "x", {"ana.jsonl": [plain]})
    with pytest.raises(InvalidInput, check=has_code("format-uncertain")) as caught:
        detect(path)
    assert caught.value.hint.endswith(": --from doccano")
    (record,), _ = read(path, "doccano")
    assert _people(record) == ["ana"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """What is no file is not opened to see whether it is a zip."""
    os.mkfifo(tmp_path / "pipe")
    assert not is_several(tmp_path / "pipe")
    assert not is_several(tmp_path / "none")


@pytest.mark.parametrize("made", [_folder, _zip])
def test_other_folders_and_zips_are_not_certain(tmp_path: Path, made: Made) -> None:
    """One file of another form is enough; without any there is nothing to read."""
    code = has_code("format-uncertain" if made is _folder else "format-not-readable")
    with pytest.raises(InvalidInput, check=code):
        detect(made(tmp_path / "a", {"ana.jsonl": [LINE], "b.json": [{"x": 1}]}))
    empty = made(tmp_path / "b", {"read.me": []})
    with pytest.raises(InvalidInput, check=code):
        detect(empty)
    with pytest.raises(NotFound):
        read(empty, "doccano")


def test_hidden_members_are_passed_over(tmp_path: Path) -> None:
    """What an archiver adds for itself is nobody's work."""
    files: Files = {"ana.jsonl": [LINE], "__MACOSX/._ana.jsonl": [{}], "sub/.x.jsonl": [{}]}
    (record,), problems = read(_zip(tmp_path / "x", files), "doccano")
    assert (_people(record), problems) == (["ana"], [])


def test_a_bomb_and_odd_packing_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than text gives, encryption, packing of another kind: each is told."""
    with pytest.raises(InvalidInput, check=has_code("zip-method")):
        read(_zip(tmp_path / "b", USERS, packed=ZIP_BZIP2), "doccano")
    path = _zip(tmp_path / "e", USERS)
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    with pytest.raises(InvalidInput, check=has_code("zip-encrypted")):
        read(path, "doccano")
    monkeypatch.setattr("tui_annotate.plugins.person_files.BOMB_FLOOR", 2**16)
    monkeypatch.setattr("tui_annotate.plugins.person_files.BOMB_RATIO", 10)
    bomb = _zip(tmp_path / "c", {"ana.jsonl": [LINE | {"text": "x" * 2**20}]})
    with pytest.raises(InvalidInput, check=has_code("zip-bomb")):
        read(bomb, "doccano")


def test_all_bytes_are_told_of(tmp_path: Path) -> None:
    """Whoever shows how far it is ends at the size of what was named."""
    for path in (_folder(tmp_path / "x", USERS), _zip(tmp_path / "x", USERS)):
        files = [path] if path.is_file() else list(path.iterdir())
        meter = ReadMeter(sum(file.stat().st_size for file in files))
        read(path, "doccano", meter=meter)
        assert meter.done == meter.total


@given(data=st.data())
@settings(deadline=None, max_examples=example_limit(150))
def test_no_damage_breaks_the_reader(data: st.DataObject, tmp_path_factory: Any) -> None:
    """Whatever a byte becomes, there are records, problems or an error of ours."""
    path = _zip(tmp_path_factory.mktemp("zip") / "x", USERS)
    raw = bytearray(path.read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=4)):
        raw[place] = data.draw(st.integers(0, 255))
    path.write_bytes(raw)
    try:
        found: list[Record | Problem] = [*read(path, "doccano")[0], *read(path, "doccano")[1]]
    except TuiAnnotateError:
        return
    assert all("\n" not in str(each) for each in found if isinstance(each, Problem))
