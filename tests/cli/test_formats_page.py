"""docs/formats.md: each format has a command, and the commands do what they say."""

from __future__ import annotations

import csv
import gzip
import json
import re
import shlex
import shutil
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Command
from tests.helpers.position_rows import lines, placed
from tests.plugins.formats.test_real_files import SHARED
from tui_annotate import workspace as workspaces
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins import registry
from tui_annotate.plugins.joined_texts import SEPARATOR

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "formats.md").read_text("utf-8")
STRANGER = "### A format of your own"
"""A package has to be installed for what stands below it."""
SOURCE, SUMMARY = "The bridge cost 12 million pounds.", "It cost 15 million pounds."
NEWS = {
    "id": "doc_1",
    "headLine": "桥",
    "newsBeginning": "大桥昨天开放。",
    "newsRemainder": "它耗资一千二百万镑。",
    "hallucinatedContinuation": "大桥耗资一千五百万镑，它很美。",
    "generatedBy": "model-a",
    "annotations": ["大桥<sep>合理", "一千五百万镑<sep>不合理，应为一千二百万镑", "很美<sep>合理"],
}


def _blocks(language: str) -> list[str]:
    ours = re.sub(rf"{STRANGER}\n.*?(?=^## )", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    return re.findall(rf"^```{language}\n(.*?)^```$", ours, re.MULTILINE | re.DOTALL)


def _commands() -> list[str]:
    lines = [line for block in _blocks("console") for line in block.splitlines()]
    return [line for line in lines if line.startswith("tui-annotate")]


def _rows(path: str, *rows: object) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def _pairs() -> None:
    Path("aggre_fact.csv").write_text(f"id,doc,summary,label\n1,{SOURCE},{SUMMARY},0\n", "utf-8")
    Path("saved").mkdir()
    report = {"saved/all.parquet": ("article", "highlights")}
    report["train-00000-of-00001.parquet"] = ("grounding", "generated_text")
    for name, columns in report.items():
        table = pa.Table.from_pylist([dict(zip(columns, (SOURCE, SUMMARY), strict=True))])
        pq.write_table(table, name)
    _rows("uhgeval.jsonl", NEWS)
    with Path("cliff.csv").open("w", encoding="utf-8", newline="") as table:
        names = ["dataset", "id", "doc", "summ", "error_type", "annotated_span"]
        row = ["CLIFF", 1, SOURCE, SUMMARY, "['extrinsic-NP']", "['15 million']"]
        csv.writer(table).writerows([names, row])
    people = "source,summary,kind,quote,first,last,worker_id\n"
    people += f"{SOURCE},{SUMMARY},a,{SUMMARY[:8]},1,9,w0\n{SOURCE},{SUMMARY},NULL,NULL,-1,-1,w1\n"
    for name in ("workers.csv", "offsets.csv"):
        Path(name).write_text(people, "utf-8")
    _tables()
    _rows("questions.jsonl", {"question": "How much?", "contexts": [SOURCE], "answer": SUMMARY})
    normal = {"text": SUMMARY, "type": "normal"}
    _rows("answers.jsonl", {"question": "How much?", "answer": SOURCE, "generation": [normal]})


def _tables() -> None:
    """A workbook with two sheets, and a folder with one row in each file."""
    book = openpyxl.Workbook()
    for name in ("test", "train"):
        sheet = book.create_sheet(name)
        sheet.append(["article", "claim"])
        sheet.append([SOURCE, SUMMARY])
    book.save("gold.xlsx")
    Path("rows").mkdir()
    for name in ("a", "b"):
        _rows(f"rows/{name}.json", {"source": SOURCE, "summary": SUMMARY})


def _foreign(command: Command) -> None:
    """Files of other programs, some of them as we write them."""
    gold = str(ROOT / "sample_data" / "gold.json")
    shutil.copy(gold, "gold.json")
    shutil.copy(gold, "dump.json")
    for target, form in {
        "batch.json": "faithbench",
        "RAGTruth/dataset": "ragtruth",
        "tasks.json": "labelstudio",
    }.items():
        Path(target).parent.mkdir(exist_ok=True)
        layer = ["--layer", "all"] if form == "ragtruth" else []
        assert command("convert", gold, target, "--to", form, *layer).code == 0
    data = {"article": SOURCE, "answer": SUMMARY}
    Path("answers.json").write_text(json.dumps([{"data": data, "annotations": []}]), "utf-8")
    merged = ROOT / "tests" / "plugins" / "formats" / "merged.sqlite.gz"
    Path("batches").mkdir()
    for name in ("mercury.sqlite", "batches/one.sqlite"):
        Path(name).write_bytes(gzip.decompress(merged.read_bytes()))
    _collection()
    _predictions()
    line = {"text": SOURCE + SEPARATOR + SUMMARY, "entities": [], "relations": []}
    with ZipFile("export.zip", "w") as archive:
        archive.writestr("ana.jsonl", json.dumps({"id": 1, **line}) + "\n")


def _predictions() -> None:
    """Answers to one question, with its passage at two places."""
    rows = lines(placed(0, "A sea star."), placed(2, "Kelp."))
    Path("predictions.jsonl.gz").write_bytes(gzip.compress(rows.encode()))


def _collection() -> None:
    """Runs, and what somebody said of one of their documents."""
    folder = ROOT / "sample_data" / "autojudge"
    shutil.copytree(folder, ".", dirs_exist_ok=True)
    page = {"id": "om-shops", "text": "Elsewhere.", "title": None, "url": None}
    said = {"username": "li", "rating": "Bad", "comment": "", "spans": []}
    about = {"dataset": "d", "request_id": "101", "topic_id": "101", "docid": "elsewhere"}
    _rows("judged.jsonl", about | said | {"document": page | {"id": "elsewhere"}})
    own = {"team_id": "tui-annotate", "run_id": "summary", "topic_id": "1"}
    source = {"tui-source-1": {"id": "tui-source-1", "text": SOURCE}}
    report = own | {"sentences": [{"text": SUMMARY}], "documents": source}
    line = {"dataset": "news", "request_id": "1", "username": "ana"} | own | said
    _rows("page-annotations.jsonl", line | {"spans": [], "report": report})


def _work(folder: Path) -> None:
    """What ana found in the one sample of the dataset `news`."""
    documents = (Document(Side.SOURCE, SOURCE), Document(Side.SUMMARY, SUMMARY))
    claim = (Anchor(Side.SUMMARY, 0, Span(8, 18)),)
    ana = Person("p1", "ana")
    with workspaces.open(folder) as space:
        space.log.import_records(
            [
                Record(
                    Sample("news", "1", documents),
                    (OwnedAnnotation(ana.id, Annotation("a1", claim, labels=(("Unwanted",),))),),
                    (Assignment(ana.id, State.DONE),),
                    (ana,),
                )
            ]
        )


@pytest.fixture
def furnished(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """A workspace with work of ana's, and beside it the files that the page names."""
    monkeypatch.setenv("TUI_ANNOTATE_EMBEDDER", "none")
    assert command("init").code == 0
    _rows("news.jsonl", {"id": "1", "source": SOURCE, "summary": SUMMARY})
    assert command("ingest", "news.jsonl", "--id-column", "id").code == 0
    Path("news.jsonl").unlink()
    _work(tmp_path)
    _pairs()
    _foreign(command)
    return command


@pytest.mark.timeout(300)
def test_the_commands_work_as_written(furnished: Command) -> None:
    """One after another, as they stand; nothing is refused."""
    for line in _commands():
        done = furnished(*shlex.split(line)[1:])
        assert done.code == 0, f"{line}\n{done.out}{done.err}"


def test_every_format_has_a_command() -> None:
    """One that is written, by its name; one that is only read, in the table with a section."""
    lines = "\n".join(_commands())
    written = set(registry.plugin_names("exporters"))
    for name in written:
        assert re.search(rf"--(format|to) {name}( |$)", lines, re.MULTILINE), name
    for name in set(registry.plugin_names("importers")) - written:
        assert re.search(rf"^\|[^|]*`{name}`[^|]*\|", PAGE, re.MULTILINE), name


def test_uhgeval_needs_no_script(command: Command) -> None:
    """The page's command imports all rows of UHGEval, and reports each ambiguous keyword."""
    path = SHARED / "data" / "uhgeval" / "uhgeval_concise_300.jsonl"
    if not path.exists():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with UHGEval")
    shutil.copy(path, "uhgeval.jsonl")
    (line,) = [line for line in _commands() if "ingest uhgeval.jsonl" in line]
    assert command("init").code == 0
    done = command(*shlex.split(line)[1:], "--embedder", "none", "--json")
    assert (done.code, done.json["added"], done.json["refused"]) == (3, 300, 0)
    assert (done.json["annotations"], done.json["warnings"]) == (2433, 78)
