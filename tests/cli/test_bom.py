"""`--bom`: CSV that Excel reads as UTF-8."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tui_annotate.domain.errors import InvalidInput

ROW = {"source": "Die Mühle steht am Fluss.", "summary": "Die Mühle steht."}


@pytest.fixture
def gold(command: Command, tmp_path: Path) -> str:
    """A workspace with one sample, and a file of it."""
    (tmp_path / "a.jsonl").write_text(json.dumps(ROW), "utf-8")
    command("init", "w")
    command("ingest", "-w", "w", "a.jsonl", "--embedder", "none")
    return "a.jsonl"


def test_csv_has_a_byte_order_mark_on_request(command: Command, tmp_path: Path, gold: str) -> None:
    """All CSV files of an export begin with it; without the option, the bytes stay as they were."""
    for words in (["export", "-w", "w", "-o", "a.csv"], ["convert", gold, "a.csv"]):
        assert command(*words, "--to", "csv").code == 0
        plain = (tmp_path / "a.csv").read_bytes()
        assert command(*words, "--to", "csv", "--bom").code == 0
        assert (tmp_path / "a.csv").read_bytes() == codecs.BOM_UTF8 + plain
    assert command("export", "-w", "w", "--to", "csv-tables", "-o", "t", "--bom").code == 0
    files = [*(tmp_path / "t").iterdir()]
    assert len(files) == 2
    assert all(each.read_bytes().startswith(codecs.BOM_UTF8) for each in files)


@pytest.mark.parametrize("form", ["native", "json", "parquet", "xlsx"])
def test_other_formats_have_no_byte_order_mark(
    command: Command, tmp_path: Path, gold: str, form: str
) -> None:
    """The option is refused, and nothing is written."""
    for words in (["export", "-w", "w", "-o", "out"], ["convert", gold, "out"]):
        assert type(command(*words, "--to", form, "--bom").error) is InvalidInput
    assert not (tmp_path / "out").exists()
