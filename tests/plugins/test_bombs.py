"""Whatever reads packed files leaves a bomb, with a word; how early is a law of the streams."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path

import pytest
import zstandard

from tests.plugins.record_reader import read
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins import registry
from tui_annotate.plugins.files import packing
from tui_annotate.plugins.files.packing import BOMB_RATIO

_FLOOR = 2**18
_SIZE = 16 * _FLOOR
_FILLING = {
    "an array": b"[" + b" " * _SIZE,
    "lines": (b"{}" + b" " * 1021 + b"\n") * (_SIZE // 1024),
    "a text": b'[{"text": "' + b"a" * _SIZE,
    "a cell": b'source,summary\na,"' + b"b" * _SIZE,
}
_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
_BINARY = {"mercury-db", "xlsx"}
"""Readers of what is never packed."""
_REFUSED_FIRST = {(name, "lines") for name in ("folder", "csv", "tsv", "pairs", "json", "jsonl")}
"""Tables whose header is refused, so that the rest is not read at all."""


@cache
def _packed(kind: str, filling: str) -> bytes:
    packed = _PACKERS[kind](_FILLING[filling])
    assert len(packed) * BOMB_RATIO < _SIZE
    return packed


def _placed(folder: Path, importer: str, content: bytes) -> Path:
    """A packed file where a format looks for it; what it needs beside it is there."""
    if importer == "brat":
        (folder / "a.ann").write_bytes(b"")
        (folder / "a.txt").write_bytes(content)
        return folder
    if importer == "ragtruth":
        source = {"source_id": "1", "source_info": "A."}
        (folder / "source_info.jsonl").write_text(json.dumps(source))
        (folder / "response.jsonl.gz").write_bytes(content)
        return folder
    if importer == "autojudge":
        (folder / "topics.jsonl").write_text(json.dumps({"request_id": "1", "title": "A"}))
        (folder / "runs.gz").write_bytes(content)
        return folder
    path = folder / ("a.csv.gz" if importer == "folder" else "a.gz")
    path.write_bytes(content)
    return folder if importer == "folder" else path


def _said(path: Path, importer: str) -> list[str]:
    try:
        return [problem.message for problem in read(path, importer)[1]]
    except InvalidInput as error:
        return [error.message]


@pytest.mark.parametrize("importer", sorted({*registry.plugin_names("importers")} - _BINARY))
def test_a_bomb_is_told_by_every_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, importer: str
) -> None:
    """It is called a bomb, whatever packed it and whatever it unpacks to."""
    monkeypatch.setattr(packing, "BOMB_FLOOR", _FLOOR)
    wrong = {}
    for number, (kind, filling) in enumerate(product(_PACKERS, _FILLING)):
        folder = tmp_path / str(number)
        folder.mkdir()
        said = _said(_placed(folder, importer, _packed(kind, filling)), importer)
        wanted = "'source'" if (importer, filling) in _REFUSED_FIRST else f"a {kind} bomb"
        if not any(wanted in each for each in said):
            wrong[kind, filling] = said
    assert wrong == {}


def test_sources_of_responses_may_be_a_bomb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second file of a format is watched as the first is."""
    monkeypatch.setattr(packing, "BOMB_FLOOR", _FLOOR)
    (tmp_path / "source_info.jsonl.gz").write_bytes(gzip.compress(_FILLING["an array"]))
    (tmp_path / "response.jsonl").write_text(json.dumps({"id": "1"}))
    assert "gzip" in _said(tmp_path, "ragtruth")[0]
