"""convert, formats: without a workspace; what is lost is told, and what is not certain asked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, TextIO

import pytest

from tests.cli.conftest import Command, numbers
from tests.fuzz.foreign import JUDGEMENTS
from tests.helpers.position_rows import placed
from tests.plugins.formats.laws import BARE
from tests.plugins.strategies import DUMP, NATIVE
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Record
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ExportOptions, ExportReport
from tui_annotate.plugins.traits import COLUMNS, TITLES, RecordTrait
from tui_annotate.services.export.conversion import list_formats

FORMATS = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")


@pytest.fixture
def dump(tmp_path: Path) -> str:
    """A dump of one sample with one annotation."""
    path = tmp_path / "dump.json"
    path.write_text(json.dumps([DUMP]), "utf-8")
    return str(path)


def test_convert_needs_no_workspace(command: Command, dump: str, tmp_path: Path) -> None:
    """A file becomes another, packed by its name; the report says how much of it."""
    done = command("convert", dump, "out.jsonl.zst", "--to", "native")
    assert (done.code, done.out) == (0, "")
    assert numbers(done.err) == [1, 1]
    assert "out.jsonl.zst" in done.err
    back = command("convert", "out.jsonl.zst", "-", "--to", "mercury")
    assert back.code == 0
    assert back.json == [DUMP]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dump.json", "out.jsonl.zst"]


def test_a_pattern_is_converted_again(command: Command, tmp_path: Path) -> None:
    """A target that exists is replaced, unless it is one of the files of the pattern or folder."""
    (tmp_path / "rows").mkdir()
    row = json.dumps({"source": "The mill was built.", "summary": "It was built."})
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / "rows" / name).write_text(row, "utf-8")
    for source in ("rows/*.jsonl", "rows"):
        for _ in range(2):
            assert command("convert", source, "out", "--to", "native").code == 0
        done = command("convert", source, "rows/b.jsonl", "--to", "native")
        assert (done.code, type(done.error)) == (2, InvalidInput)
        assert (tmp_path / "rows/b.jsonl").read_text("utf-8") == row


def _rows(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _write_files(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf-8")


_RAGTRUTH = {
    "rt/source_info.jsonl": _rows({"source_id": "1", "source_info": "The mill was built."}),
    "rt/response.jsonl": _rows({"id": "1", "source_id": "1", "labels": [], "response": "Built."}),
}
_BRAT = {
    "b/ana/a.txt": "A mill.\n\n=== SUMMARY ===\n\nIt was built.",
    "b/ana/a.ann": "T1\tWrong 26 28\tIt\n",
}
_REPORTS = {
    "topics": _rows({"request_id": "1", "title": "Mills"}),
    "documents": _rows({"id": "a", "text": "The mill was built."}),
    "runs.jsonl": _rows(
        {
            "metadata": {"team_id": "t", "run_id": "r", "topic_id": "1"},
            "responses": [{"text": "It was built.", "citations": ["a"]}],
        }
    ),
}


@pytest.mark.parametrize(
    ("files", "source", "target", "options"),
    [
        (_RAGTRUTH, "rt/response.jsonl", "rt/source_info.jsonl", ()),
        (_RAGTRUTH, "rt/resp*.jsonl", "rt/source_info.jsonl", ()),
        (_BRAT, "b", "b/ana/a.txt", ("--from", "brat")),
        (_REPORTS, "runs.jsonl", "topics", ("--topics", "topics", "--documents", "documents")),
        (_REPORTS, "runs.jsonl", "documents", ("--topics", "topics", "--documents", "documents")),
    ],
)
def test_no_file_that_is_read_is_a_target(
    command: Command,
    tmp_path: Path,
    files: dict[str, str],
    source: str,
    target: str,
    options: tuple[str, ...],
) -> None:
    """Files next to the source, in folders below it, and those of options stay to the byte."""
    _write_files(tmp_path, files)
    assert command("convert", source, "out", "--to", "native", *options).code == 0
    done = command("convert", source, target, "--to", "native", *options)
    assert (done.code, type(done.error)) == (2, InvalidInput)
    assert (tmp_path / target).read_text("utf-8") == files[target]


def test_parquet_files_below_a_folder_are_no_target(command: Command, tmp_path: Path) -> None:
    """A dataset saved in the folder `data` stays as it is."""
    from pyarrow import Table, parquet

    file = tmp_path / "news" / "data" / "train.parquet"
    file.parent.mkdir(parents=True)
    parquet.write_table(Table.from_pylist([{"source": "A.", "summary": "B."}]), file)
    before = file.read_bytes()
    done = command("convert", "news", str(file), "--to", "native")
    assert (done.code, type(done.error), file.read_bytes()) == (2, InvalidInput, before)


def test_a_refused_file_is_no_refused_record(command: Command, tmp_path: Path) -> None:
    """It is counted as a file; the others are converted, with code 3."""
    _write_files(tmp_path, {"rows/a.jsonl": _rows({"source": "A.", "summary": "B."})})
    (tmp_path / "rows" / "b.parquet").write_bytes(b"no table")
    done = command("convert", "rows", "out", "--to", "native", "--json")
    assert done.code == 3
    counts = (done.json["samples"], done.json["refused"], done.json["files_refused"])
    assert counts == (1, 0, 1)


def test_a_form_is_not_guessed(command: Command, dump: str) -> None:
    """A name that says nothing is asked about, .csv and .xlsx are certain; the input stays."""
    done = command("convert", dump, "out.json")
    assert type(done.error) is InvalidInput
    assert "out.json" in done.error.message
    assert all(report in done.error.hint for report in ("--to", "native, mercury"))
    assert command("convert", dump, "out.csv").code == 0
    assert command("convert", dump, "out.xlsx").code == 0
    refused = command("convert", dump, dump, "--to", "mercury").error
    assert type(refused) is InvalidInput
    assert dump in refused.message
    assert json.loads(Path(dump).read_text()) == [DUMP]


TABLES_OF_PAIRS = {"csv", "tsv", "jsonl", "json", "xlsx"}
"""Names of formats that read pairs and write rows of annotations, which are not read again."""


def test_losses_are_told_and_strict_makes_them_a_code(command: Command, tmp_path: Path) -> None:
    """What Mercury has no place for is counted; --strict ends with 3, and the file is there."""
    (tmp_path / "a.jsonl").write_text(json.dumps(NATIVE), "utf-8")
    plain = command("convert", "a.jsonl", "a.json", "--to", "mercury")
    assert plain.code == 0
    made, *lost = plain.err.splitlines()
    assert "a.json" in made
    assert len(lost) == 3
    assert lost[0].startswith("mercury ")
    assert lost[2] == f"  {RecordTrait.STATE}: 1"
    strict = command("convert", "a.jsonl", "b.json", "--to", "mercury", "--strict")
    assert strict.code == 3
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()
    assert command("convert", "a.jsonl", "b.jsonl", "--to", "native", "--strict").code == 0


def test_refused_records_are_told(command: Command, tmp_path: Path) -> None:
    """The good records are there with code 3; without any the code is 2."""
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(NATIVE)}\n[]\n" * 30, "utf-8")
    done = command("convert", "a.jsonl", "b.jsonl", "--to", "native")
    assert done.code == 3
    assert "a.jsonl:2: " in done.err
    assert 39 in numbers(done.err)
    (tmp_path / "c.jsonl").write_text("[1]\n", "utf-8")
    assert command("convert", "c.jsonl", "d.jsonl", "--from", "native", "--to", "native").code == 2


def test_problems_and_losses_are_counted_as_json(command: Command, tmp_path: Path) -> None:
    """A script finds what is lost and refused in the output, and each problem in its file."""
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(NATIVE)}\n[]\n" * 30, "utf-8")
    report = command(
        "convert", "a.jsonl", "b.json", "--to", "mercury", "--json", "--problems", "p.jsonl"
    ).json
    assert (report["samples"], report["refused"], report["warnings"]) == (1, 59, 0)
    assert sum(report["problem_kinds"].values()) == 59
    assert report["lost"][RecordTrait.STATE] == 1
    assert len((tmp_path / "p.jsonl").read_text("utf-8").splitlines()) == 59


def test_problems_of_a_refused_file_are_written(command: Command, tmp_path: Path) -> None:
    """The file of problems is there although nothing was converted."""
    (tmp_path / "a.jsonl").write_text("[1]\n", "utf-8")
    done = command("convert", "a.jsonl", "b.csv", "--from", "jsonl", "--problems", "p.jsonl")
    assert done.code == 2
    assert json.loads((tmp_path / "p.jsonl").read_text("utf-8"))["refused"]
    done = command("convert", "a.jsonl", "b.csv", "--problems", "b.csv")
    assert (done.code, (tmp_path / "b.csv").exists()) == (2, False)


def test_an_export_counts_its_losses_as_json(filled: Command) -> None:
    """Losses, and work that was excluded, are in the output of --json."""
    report = filled("export", "--to", "csv", "-o", "a.csv", "--json").json
    assert report["excluded"] == {"practice": 0, "gold": 0}
    assert isinstance(report["lost"], dict)


def test_export_strict(filled: Command) -> None:
    """An export that loses something ends with 3; one that loses nothing with 0."""
    assert filled("export", "--to", "csv").code == 0
    assert filled("export", "--to", "csv", "--strict").code == 3
    assert filled("export", "--to", "native", "--strict").code == 0


@pytest.mark.parametrize(
    "form",
    [
        each.name
        for each in list_formats()
        if each.reads and each.writes and each.name not in TABLES_OF_PAIRS
    ],
)
def test_every_format_leads_from_workspace_to_workspace(
    command: Command, tmp_path: Path, form: str
) -> None:
    """What is exported is recognised by its content, and the annotation is there again."""
    document = JUDGEMENTS[1] | {"spans": JUDGEMENTS[1]["spans"][:1]}
    said = {"human_verdicts": [{"person": "ana", "verdict": "Correct"}]}
    items = {"autojudge": document, "open-qa": placed(1, "A sea star.") | said}
    first = items.get(form, NATIVE)
    (tmp_path / "a.jsonl").write_text(json.dumps(first), "utf-8")
    for folder in ("one", "two"):
        assert command("init", folder).code == 0
    assert command("ingest", "-w", "one", "a.jsonl", "--embedder", "none").code == 0
    export = ("export", "-w", "one", "--to", form)
    refused = command(*export, "-o", "out")
    layered = next(each for each in list_formats() if each.name == form).layered
    assert (refused.code == 2) is layered
    assert isinstance(refused.error, InvalidInput) is layered
    if layered:
        empty = command(*export, "-o", "empty", "--layer", "adjudicated")
        assert numbers(empty.err)[0] == 0
        assert command(*export, "-o", "out", "--layer", "ana").code == 0
    back = command("ingest", "-w", "two", "out", "--dataset", "d", "--embedder", "none", "--json")
    found = (back.code, back.json["added"], back.json["annotations"])
    assert found == (0, 1, form not in {*BARE, "open-qa"})  # its work is ratings alone


def test_formats_lists_all(command: Command) -> None:
    """Every format is a row and an object, and each can be asked about; others are refused."""
    shown = command("datasets", "formats").out
    for each in command("datasets", "formats", "--json").json:
        assert f"\n{each['name']} " in shown
        assert command("datasets", "formats", each["name"], "--json").json == each
        report = command("datasets", "formats", each["name"]).out
        assert all(f"  {what}\n" in report for what in each["lost"] or ())
    assert command("datasets", "formats", "odd").code == 2


class Stranger:
    """A stranger's exporter that says nothing of itself."""

    name = "mine"

    def write(self, records: Iterable[Record], target: TextIO, _: ExportOptions) -> ExportReport:
        """Writes the ids."""
        ids = [record.sample.id for record in records]
        target.write(" ".join(ids))
        return ExportReport(len(ids))


def test_a_stranger_s_format_is_one_of_them(
    command: Command, dump: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is listed, its losses as not told, and written with as any other."""

    def found(*, group: str) -> list[EntryPoint]:
        mine = EntryPoint("mine", f"{__name__}:Stranger", group)
        return [mine] if group == "tui_annotate.exporters" else []

    monkeypatch.setattr(registry, "entry_points", found)
    registry._third_party.cache_clear()
    try:
        assert "not described" in command("datasets", "formats", "mine").out
        assert command("datasets", "formats", "mine", "--json").json["lost"] is None
        assert command("convert", dump, "-", "--to", "mine").out == "0"
    finally:
        registry._third_party.cache_clear()


def test_the_docs_hold_the_table() -> None:
    """The table of what survives is what the code says of itself, and each form is described."""
    rows = [("format", *TITLES), ("---",) * (len(TITLES) + 1)]
    for form in list_formats():
        assert f"`{form.name}`" in FORMATS
        if form.writes and form.about:
            carried = form.about.carried
            rows.append((f"`{form.name}`", *(carried.get(trait, "no") for trait in COLUMNS)))
    assert "".join(f"| {' | '.join(row)} |\n" for row in rows) in FORMATS


def test_problems_replace_only_problems(command: Command, tmp_path: Path) -> None:
    """A file that an import reads in addition to its input stays, and so does any other file."""
    (tmp_path / "rt").mkdir()
    sources = '{"source_id": "1", "source_info": "The bridge cost 12 million."}\n'
    (tmp_path / "rt/source_info.jsonl").write_text(sources, "utf-8")
    row = {
        "id": "1",
        "source_id": "1",
        "model": "m",
        "response": "It cost 15 million.",
        "labels": [],
    }
    (tmp_path / "rt/response.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    words = ("convert", "rt/response.jsonl", "out.jsonl", "--to", "native", "--problems")
    refused = command(*words, "rt/source_info.jsonl")
    assert (refused.code, "rt/source_info.jsonl" in refused.err) == (2, True)
    assert (tmp_path / "rt/source_info.jsonl").read_text("utf-8") == sources
    for _ in range(2):  # the list of an earlier run is replaced
        assert command(*words, "problems.jsonl").code == 0
