"""What exports leave out and tell: layers, records as they were read, times of nobody's deeds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, numbers
from tests.helpers.folder_cache import build_once
from tests.plugins.formats.test_ragtruth import LABELS, RESPONSES, SOURCES
from tests.plugins.strategies import DUMP
from tui_annotate.domain.errors import NotFound
from tui_annotate.plugins.traits import RecordTrait
from tui_annotate.services.export.conversion import list_formats

WRITTEN = [each.name for each in list_formats() if each.writes]
ITEMS = {"autojudge", "open-qa"}
"""Formats of other kinds of samples, which leave out pairs."""
ROWS: Any = DUMP["annotations"]


def _odd(row: dict[str, Any]) -> dict[str, Any]:
    """The sample of a dump, with a field of its own and one of each annotation."""
    said = [each | {"label": ["Unwanted"], "confidence": 0.9} for each in row["annotations"]]
    return row | {"reviewed_by": "li", "annotations": said}


@pytest.fixture
def work(command: Command, tmp_path: Path) -> Command:
    """A workspace with a dump of two samples: one that somebody annotated, one that nobody read."""

    def build(folder: Path) -> None:
        odd = _odd(DUMP)
        rows = [odd, odd | {"sample_id": 99, "annotations": []}]
        (folder / "dump.json").write_text(json.dumps(rows), "utf-8")
        assert command("init").code == 0
        assert command("ingest", "dump.json", "--embedder", "none").code == 0

    build_once(tmp_path, "a dump", build)
    return command


def _people() -> list[str]:
    return sorted({row["annotator_name"] for row in ROWS})


def _lost(printed: str) -> dict[str, int]:
    """Return the printed numbers of data that a format does not keep, by kind."""
    lines = re.findall(r"^  (.+): ([\d,]+)$", printed, re.MULTILINE)
    return {kind: int(count) for kind, count in lines}


@pytest.mark.parametrize("form", WRITTEN)
def test_fields_that_only_the_file_had_are_written_or_told(work: Command, form: str) -> None:
    """A field of a sample and one of an annotation are in the file, or counted, never neither."""
    layer = next(each for each in list_formats() if each.name == form).layered
    options = ("--layer", _people()[0], "--strict") if layer else ("--strict",)
    done = work("export", "--to", form, "-o", "out", *options)
    files = [each for each in (Path("out"), *Path("out").rglob("*")) if each.is_file()]
    text = b"".join(file.read_bytes() for file in files).decode("utf-8", "replace")
    if form in ("native", "mercury"):
        assert "confidence" in text
        assert "reviewed_by" in text
        assert (done.code, _lost(done.err)) == (0, {})
    else:
        lost = _lost(done.err)
        assert "confidence" not in text
        assert done.code == 3
        assert (2 in lost.values()) if form in ITEMS else lost[RecordTrait.IMPORTED]


def test_what_nobody_edited_goes_out_word_for_word_and_tells_no_loss(work: Command) -> None:
    """The time at which samples came in is nobody's; the file is the same, the code is 0."""
    done = work("export", "--to", "mercury", "--strict")
    assert (done.code, _lost(done.err)) == (0, {})
    assert done.json == json.loads(Path("dump.json").read_text("utf-8"))


def test_a_corpus_without_annotators_goes_out_without_a_loss(command: Command) -> None:
    """RAGTruth's readers have no times, and clean rows are read: nothing is told."""
    rows = [RESPONSES[0] | {"labels": LABELS}, *RESPONSES[1:]]
    Path("in").mkdir()
    for name, each in (("source_info", SOURCES), ("response", rows)):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in each)
        Path("in", f"{name}.jsonl").write_text(lines, "utf-8")
    assert command("init").code == 0
    assert command("ingest", "in", "--embedder", "none").code == 0
    layer = ("--layer", "ragtruth", "--strict")
    done = command("export", "--to", "ragtruth", *layer, "-o", "out")
    assert (done.code, _lost(done.err)) == (0, {})
    for name in ("source_info.jsonl", "response.jsonl"):
        assert Path("out", name).read_bytes() == Path("in", name).read_bytes()


@pytest.mark.parametrize(
    "form", [each.name for each in list_formats() if each.writes and each.layered]
)
@pytest.mark.parametrize("layer", ["adjudicated", "majority", "all"])
def test_what_a_layer_has_not_read_is_left_out_and_told(
    work: Command, form: str, layer: str
) -> None:
    """No sample of review's, which settled none; a majority is no annotator that could be lost."""
    done = work("export", "--to", form, "-o", "out", "--layer", layer, "--strict")
    unread, read = (2, 0) if layer == "adjudicated" else (1, 1)
    assert done.code == 3
    lost = _lost(done.err)
    assert numbers(done.err.splitlines()[0])[1] == read
    (left_out,) = [line for line in done.err.splitlines() if "no work that" in line]
    assert numbers(left_out) == [unread]
    assert layer == "all" or RecordTrait.ANNOTATOR not in lost


@pytest.mark.parametrize("form", WRITTEN)
def test_a_layer_narrows_every_format(work: Command, form: str) -> None:
    """Nobody else's work goes out, whatever the format could hold; who is not there is refused."""
    done = work("export", "--to", form, "-o", "out", "--layer", "adjudicated")
    assert done.code == 0
    assert done.err.startswith("wrote nothing") or numbers(done.err)[0] == 0
    refused = work("export", "--to", form, "-o", "other", "--layer", "adjudicatd")
    assert type(refused.error) is NotFound
    assert "'adjudicatd'" in refused.error.message
    assert "'adjudicated'" in refused.error.hint
    assert not Path("other").exists()


def test_a_layer_of_brat_is_one_folder(command: Command, tmp_path: Path) -> None:
    """Of two who annotated the same sample, the one that was named; all have one each without."""
    (row, *_) = ROWS
    two = [row | {"annotator": name, "annotator_name": name} for name in ("ana", "ben")]
    Path("two.json").write_text(json.dumps([DUMP | {"annotations": two}]), "utf-8")
    for layer, names in ((("--layer", "ben"), ["ben"]), ((), ["ana", "ben"])):
        out = tmp_path / f"out{len(names)}"
        assert command("convert", "two.json", str(out), "--to", "brat", *layer).code == 0
        assert sorted(each.name for each in out.iterdir() if each.is_dir()) == names
    done = command("convert", "two.json", "-", "--to", "mercury", "--layer", "ana")
    assert [each["annotator"] for each in done.json[0]["annotations"]] == ["ana"]


def test_a_layer_stands_beside_the_filters(work: Command) -> None:
    """They narrow first: a person's layer of that person's work is it, of another's is refused."""
    export = ("export", "--to", "mercury", "--person", _people()[0])
    same = work(*export, "--layer", _people()[0])
    assert same.json == work(*export).json != []
    assert work(*export, "--origin", "human", "--layer", "all").json == []


def test_samples_without_work_are_no_losses(annotated: Command) -> None:
    """A sample that nothing was done on is left out, and is not among the written samples."""
    done = annotated("export", "--to", "csv", "-o", "out.csv", "--json").json
    assert (done["samples"], done["lost"]) == (1, {RecordTrait.UNREAD: 1})
    printed = annotated("export", "--to", "csv", "-o", "again.csv").err.splitlines()
    assert [numbers(line) for line in printed] == [[1, 1], [1]]


def test_a_sample_with_annotations_is_never_unread(annotated: Command) -> None:
    """A format that keeps no annotations counts them, and not their sample, as lost."""
    done = annotated("export", "--to", "suggestions", "-o", "out.jsonl", "--json").json
    assert (done["lost"]["annotations"], done["lost"][RecordTrait.UNREAD]) == (1, 1)
