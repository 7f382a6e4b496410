"""Whatever bytes a file holds, a reader gives records and problems, or one error of ours."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plugins.reading import file, read
from tests.plugins.strategies import DUMP, NATIVE, altered
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.plugins import registry
from tui_annotate.plugins.detection import detect

_SEEDS = [
    b'source,summary,id\r\n"A, ""b""\n",C.,1\r\nD.,E.,2\r\n',
    json.dumps([DUMP, DUMP | {"sample_id": 1}], indent=1).encode(),
    json.dumps({"samples": [DUMP]}).encode(),
    (json.dumps(NATIVE) + "\n" + json.dumps(NATIVE | {"id": "2"})).encode(),
    json.dumps({"source": "A.", "summary": "B.", "x": [[{}]]}).encode() * 2,
]
_PIECES = [b'"', b"\\", b"{", b"}", b"[", b"]", b",", b"\n", b"\r", b"\0", b"\xff", b"\xed\xa0\x80"]
_PIECES += [b"\\ud800", b"null", b"-1", b"1e999", b"NaN", b"true", b'""', b"\x1f\x8b", b"9" * 30]


@st.composite
def _changed(draw: st.DrawFn) -> bytes:
    """A sound file with some bytes cut out, doubled or put in; perhaps packed, perhaps cut."""
    raw = draw(st.sampled_from(_SEEDS))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(raw)))
        end = draw(st.integers(start, min(start + 20, len(raw))))
        piece = draw(st.sampled_from(_PIECES) | st.binary(max_size=4) | st.just(raw[start:end]))
        raw = raw[:start] + piece + raw[end:]
    if draw(st.booleans()):
        raw = gzip.compress(raw)
        raw = raw[: draw(st.integers(len(raw) // 2, len(raw)))]
    return raw


def _survives(path: Path, importer: str) -> None:
    try:
        _, problems = read(path, importer)
    except TuiAnnotateError:
        return
    for problem in problems:
        assert "\n" not in str(problem)
        str(problem).encode()


@pytest.mark.parametrize("importer", registry.names("importers"))
@given(raw=st.binary(max_size=200) | _changed())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_bytes_break_a_reader(tmp_path: Path, importer: str, raw: bytes) -> None:
    """Random bytes and broken files end in problems of one line each, which can be printed."""
    for name in ("a.csv", "a.json"):
        _survives(file(tmp_path, name, raw), importer)


@pytest.mark.parametrize("importer", ["native", "mercury"])
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_value_breaks_a_reader(tmp_path: Path, importer: str, data: st.DataObject) -> None:
    """Any JSON value in any place of a sound record is read or refused, never an accident."""
    record = data.draw(altered(NATIVE if importer == "native" else DUMP))
    _survives(file(tmp_path, "a.jsonl", json.dumps(record)), importer)


@given(raw=st.binary(max_size=200) | _changed())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_bytes_have_a_form_or_are_asked_about(tmp_path: Path, raw: bytes) -> None:
    """Looking for the form of a file ends in a name or in one error of ours."""
    path = file(tmp_path, "a.data", raw)
    try:
        form = detect(path)
    except InvalidInput:
        return
    assert form in registry.names("importers")
