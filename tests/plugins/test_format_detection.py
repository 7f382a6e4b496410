"""The form of files by their content: what is certain is recognised, all else is asked about."""

from __future__ import annotations

import codecs
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.fuzz.readers import placed
from tests.fuzz.seeds import seeds
from tests.helpers.errors import has_code
from tests.plugins.record_reader import file, read
from tests.plugins.strategies import DUMP, NATIVE
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins import registry
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.protocols import ImportOptions

PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": lambda raw: gzip.compress(raw, mtime=0),
    ".zst": zstandard.ZstdCompressor().compress,
}
DETECTED = {"faithbench": "mercury", **dict.fromkeys(registry.PAIRS, "pairs")}
"""What a file of a format is taken for, where that has another name."""
BINARY = (b"PAR1", b"SQLite", b"PK")


def _found(place: Path) -> str:
    try:
        return detect(place)
    except InvalidInput:
        return "asked"


@pytest.mark.parametrize("form", registry.plugin_names("importers"))
@pytest.mark.parametrize("packed", PACKED)
def test_a_file_is_never_taken_for_another_form(tmp_path: Path, form: str, packed: str) -> None:
    """Packed or plain, with a byte order mark or without, whatever it is called."""
    # The release is the dump in other clothes, and either reader takes both.
    right = {form, DETECTED.get(form, form)}
    number = 0
    for files in seeds(form):
        if packed and any(raw.startswith(BINARY) for raw in files.values()):
            continue
        for mark in (b"", codecs.BOM_UTF8):
            for ending in ("", ".json", ".csv", ".data") if len(files) == 1 else ("",):
                number += 1
                place = tmp_path / str(number)
                named = {
                    "a" + ending if len(files) == 1 else name: raw for name, raw in files.items()
                }
                marked = {
                    name: raw if raw.startswith(BINARY) else mark + raw
                    for name, raw in named.items()
                }
                content = {name + packed: PACKED[packed](raw) for name, raw in marked.items()}
                assert _found(placed(content, place)) in right | {"asked"}


@pytest.mark.parametrize("form", registry.plugin_names("importers"))
def test_every_form_has_files_that_are_certain(tmp_path: Path, form: str) -> None:
    """As other programs name them, and as we do."""
    found = [_found(placed(files, tmp_path / str(at))) for at, files in enumerate(seeds(form))]
    assert DETECTED.get(form, form) in found


def test_a_first_record_that_is_broken_does_not_decide(tmp_path: Path) -> None:
    """The next one that can be read does; where none can, the name does."""
    lone = '{"source": "\\ud800", "summary": "B.", "annotations": []}'
    task = json.dumps({"id": 1, "data": {}, "annotations": []})
    assert detect(file(tmp_path, "a.json", f"[{lone}, {task}]")) == "labelstudio"
    assert detect(file(tmp_path, "a.jsonl", f"oops\n{{\n{json.dumps(NATIVE)}\n")) == "native"
    assert detect(file(tmp_path, "a.jsonl", f"{{oops\n{json.dumps(NATIVE)}\n")) == "native"
    assert detect(file(tmp_path, "a.json", f"[1, null, {json.dumps(DUMP)}]")) == "mercury"


PAIR = {"source": "A.", "summary": "B."}
NUMBERED = PAIR | {"sample_id": 0}


@pytest.mark.parametrize(
    ("records", "form"),
    [
        ([NUMBERED, NUMBERED | {"annotations": []}], "mercury"),
        ([PAIR] * 99 + [DUMP], "mercury"),
        ([{"format": "tui-annotate/2", **PAIR}], "native"),
        ([{"id": 1, "data": PAIR}], "labelstudio"),
        ([{"@context": "x", "type": "AnnotationCollection"}], "w3c"),
        ([NUMBERED, PAIR], "pairs"),
        ([{"source": "A."}, PAIR], "pairs"),
        ([PAIR | {"data": {"x": 1}}], "pairs"),
        ([PAIR | {"annotations": "none"}], "pairs"),
        ([PAIR, PAIR | {"annotations": []}], "asked"),
        ([{"text": "A.", "label": [[0, 1, "X"]]}], "asked"),
        ([{"source": "A."}], "asked"),
        ([{"data": "A."}], "asked"),
        ([{"metadata": {}, "answer": []}], "autojudge"),
        ([{"metadata": "A.", "answer": []}], "asked"),
        ([{"request_id": "1", "username": "", "rating": "", "spans": []}], "autojudge"),
    ],
)
def test_the_first_records_show_the_form(
    tmp_path: Path, records: list[dict[str, Any]], form: str
) -> None:
    """One that shows a form decides; pairs have both texts, and no lists of annotations."""
    lines = "".join(f"{json.dumps(each)}\n" for each in records)
    assert _found(file(tmp_path, "a.jsonl", lines)) == form
    assert _found(file(tmp_path, "a.json", json.dumps(records))) == form


def test_pairs_are_known_by_the_columns_that_are_asked_for(tmp_path: Path) -> None:
    """Else the error tells the columns that there are, and both ways to say it."""
    path = file(tmp_path, "a.json", json.dumps([{"topic": "A.", "claim": "B."}]))
    named = ImportOptions(source_column="topic", summary_column="claim")
    assert detect(path, named) == "pairs"
    listed = json.dumps([{"topic": "A.", "claim": "B.", "annotations": []}])
    assert detect(file(tmp_path, "b.json", listed), named) == "pairs"
    with pytest.raises(
        InvalidInput, match="has the fields 'topic', 'claim', but not 'source' and 'summary'"
    ) as caught:
        detect(path)
    for option in ("--source-column", "--summary-column", "--from"):
        assert option in caught.value.hint


@pytest.mark.parametrize(
    ("form", "record", "told"),
    [
        ("native", {"format": "tui-annotate/2"}, "the field 'format' is 'tui-annotate/2'"),
        ("w3c", {"@context": "x", "type": "AnnotationCollection"}, "no documents"),
        ("labelstudio", {"id": 1, "data": {"text": "A."}}, "no column 'source'"),
    ],
)
def test_what_a_form_lacks_is_told_by_its_reader(
    tmp_path: Path, form: str, record: dict[str, Any], told: str
) -> None:
    """A file of a known form that can not be read is no file of unknown form."""
    path = file(tmp_path, "a.jsonl", json.dumps(record))
    assert detect(path) == form
    records, problems = read(path)
    assert records == []
    assert told in problems[0].message


def test_words_inside_a_table_say_nothing(tmp_path: Path) -> None:
    """A cell may quote a form; the table is one all the same."""
    cell = 'source\tsummary\nA.\t"format": "tui-annotate/1"\n'
    assert detect(file(tmp_path, "a.tsv", cell)) == "pairs"
    with pytest.raises(InvalidInput, check=has_code("format-uncertain")):
        detect(file(tmp_path, "a.txt", cell.replace("summary", "other")))


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_a_header_with_known_names_shows_a_table(tmp_path: Path, sign: str) -> None:
    """A table is recognized without the ending of its name, also with a byte order mark."""
    table = f'\ufeff"Article"{sign}highlights\nA.{sign}B.\n'
    assert detect(file(tmp_path, "a.bundle", table)) == "pairs"
    assert detect(file(tmp_path, "b", table.encode("utf-16"))) == "pairs"


@pytest.mark.parametrize("content", ["", " \n\n", "\ufeff", "\n" * 2**21])
def test_a_file_without_data_is_not_called_unclear(tmp_path: Path, content: str) -> None:
    """A blank file of unknown kind has its own error; a damaged file has not."""
    with pytest.raises(InvalidInput, check=has_code("file-empty")):
        detect(file(tmp_path, "a", content))
    with pytest.raises(InvalidInput, check=has_code("format-uncertain")):
        detect(file(tmp_path, "b", content + "word"))


def test_a_folder_of_tables_is_a_dataset(tmp_path: Path) -> None:
    """Tables without texts, as we write them for others, are refused by their reader."""
    (tmp_path / "tables").mkdir()
    file(tmp_path / "tables", "annotations.csv", "sample_id,note\n1,a\n")
    assert detect(tmp_path / "tables") == "folder"
    records, (problem,) = read(tmp_path / "tables")
    assert not records
    assert "'source'" in problem.message


def test_a_folder_of_annotations_is_not_guessed(tmp_path: Path) -> None:
    """Work of several people, one file each, would lose its people as a folder of tables."""
    (tmp_path / "work").mkdir()
    line = json.dumps({"text": "A.", "entities": [], "relations": []})
    for name in ("ana.jsonl.gz", "ben.jsonl.gz"):
        file(tmp_path / "work", name, gzip.compress(line.encode()))
    with pytest.raises(InvalidInput, check=has_code("format-uncertain")):
        detect(tmp_path / "work")


@pytest.mark.parametrize("name", ["a.xlsx", "a.csv", "a"])
@pytest.mark.parametrize(("head", "told"), [(b"PK\x03\x04\xff", "zip"), (b"%PDF-1.7\xff", "PDF")])
def test_a_file_of_another_program_is_told_by_its_kind(
    tmp_path: Path, name: str, head: bytes, told: str
) -> None:
    """However it is called; what to do instead is the hint."""
    with pytest.raises(InvalidInput, match=told) as caught:
        detect(file(tmp_path, name, head))
    assert "CSV" in caught.value.hint
