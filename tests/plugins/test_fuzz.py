"""Whatever bytes a file holds, a reader gives records and problems, or one error of ours."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.fuzz.readers import READERS, made, placed, survives
from tests.fuzz.seeds import seeds
from tests.helpers.effort import example_limit
from tests.plugins.formats.laws import read
from tests.plugins.record_reader import file
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.plugins import registry
from tui_annotate.plugins.format_detection import detect

ROOT = Path(__file__).parents[2]
RECORDS = registry.plugin_names("importers")
FLOOR = 48 * 2**20
"""Bytes that a reader may take for a file of any size, with the libraries that it loads."""
TIMES = 200
"""What it may take beyond, as often as the file is large."""


@pytest.mark.parametrize("name", READERS)
@given(data=st.binary(max_size=64))
@example(data=b"")
@settings(max_examples=example_limit(150))
def test_no_file_breaks_a_reader(name: str, data: bytes) -> None:
    """Bytes, and sound files changed by byte, value, line, cell and packing, end as they should.

    Every record that comes can be kept: its spans are inside its texts and fit their quotes, its
    people are there, its texts are text; for the native form's reader gives the same again.
    """
    survives(name, data)


@pytest.mark.parametrize("name", RECORDS)
def test_what_is_changed_is_sound_before(tmp_path: Path, name: str) -> None:
    """Nothing is refused of the files that the others are made of, each form's by its reader."""
    for number, files in enumerate(seeds(name)):
        folder = tmp_path / str(number)
        folder.mkdir()
        records, problems = read(placed(files, folder), name)
        assert records
        assert [problem for problem in problems if problem.refused] == []


@pytest.mark.parametrize("name", RECORDS)
def test_a_file_may_end_anywhere(tmp_path: Path, name: str) -> None:
    """Cut behind any of its bytes, a sound file is read as far as it is sound."""
    files = min(seeds(name), key=lambda each: sum(map(len, each.values())))
    first = max(files, key=lambda each: len(files[each]))
    place = placed(files, tmp_path)
    for end in range(0, len(files[first]), max(1, len(files[first]) // 400)):
        (tmp_path / first).write_bytes(files[first][:end])
        try:
            read(place, name)
        except TuiAnnotateError as error:
            report = error.message
            assert report


@pytest.mark.parametrize("name", RECORDS)
@given(data=st.binary(max_size=64))
@settings(max_examples=example_limit(25))
def test_memory_is_bounded(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: bytes
) -> None:
    """What a reader holds at once is bounded by a constant and the size of the file."""
    files, _ = made(name, data)
    place = placed(files, tmp_path_factory.mktemp("files"))
    tracemalloc.start()
    try:
        read(place, name)
    except TuiAnnotateError:
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < FLOOR + TIMES * sum(map(len, files.values()))


def test_the_same_bytes_are_the_same_file() -> None:
    """What broke a reader can be made again from what chance, or a person, had chosen."""
    for name in READERS:
        assert made(name, b"\x03\x01\x02\x05\x08")[0] == made(name, b"\x03\x01\x02\x05\x08")[0]


def test_inputs_are_counted() -> None:
    """The program that goes on for longer says how many files each reader has seen."""
    command = [sys.executable, "-m", "tests.fuzz", "users", "labels", "--inputs", "20", "--seed=1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    report = [line.split() for line in done.stdout.splitlines() if line.endswith("inputs")]
    assert [row[0] for row in report] == ["users", "labels", "all"]
    assert int(report[0][1]) >= 20
    assert int(report[2][1]) == int(report[0][1]) + int(report[1][1])


@given(raw=st.binary(max_size=200))
def test_any_bytes_have_a_form_or_are_asked_about(tmp_path: Path, raw: bytes) -> None:
    """Looking for the form of a file ends in a name or in one error of ours."""
    path = file(tmp_path, "a.data", raw)
    try:
        form = detect(path)
    except TuiAnnotateError:
        return
    assert form in RECORDS
