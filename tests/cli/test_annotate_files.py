"""`annotate FILE`: a workspace next to the file, and columns that are chosen or asked for."""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.conftest import Command, Result
from tests.helpers.errors import has_code
from tests.plugins.test_workbooks import workbook
from tui_annotate import workspace as workspaces
from tui_annotate.cli import options, screen
from tui_annotate.cli.vectors import computing_vectors
from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.plugins.protocols import ImportOptions

LONG = "The old stone bridge over the river cost 12 million pounds and opened in 1889."
SHORT = "The old bridge over the river opened in 1889."
HEADER = "testo,sunto\n"
ROW = f"{LONG},{SHORT}\n"
UNCLEAR = f"article,highlights,summary\n{LONG},{SHORT},The bridge cost 12 million pounds.\n"
TABLES = (("one", HEADER + ROW), ("two", UNCLEAR))


@pytest.fixture(autouse=True)
def _lexical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUI_ANNOTATE_EMBEDDER", "none")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A terminal whose user presses Enter at each question; the screens that were opened."""
    screens: list[dict[str, Any]] = []

    def run(open_workspace: Any, **given: Any) -> int:
        with open_workspace() as space:
            screens.append({**given, "folder": space.path, "samples": space.corpus.totals()[0]})
        return 0

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\n" * 9)))
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(screen, "sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    monkeypatch.setattr(options, "sys", SimpleNamespace(stdin=terminal, stderr=terminal))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr("tui_annotate.tui.app.run", run)
    return screens


def samples(folder: Path) -> int:
    """The number of samples in a workspace."""
    with workspaces.open(folder) as space:
        return space.corpus.totals()[0]


def copied_command(done: Result) -> list[str]:
    """The arguments of the command that the last hint shows."""
    found = re.findall(r"tui-annotate ((?:-w .+ )?(?:annotate|convert|ingest)\b.*)", done.err)
    return shlex.split(found[-1])


def test_a_file_is_annotated_and_resumed_by_one_command(
    command: Command, tmp_path: Path, opened: list[dict[str, Any]]
) -> None:
    """The second run opens the same workspace, with the rows that were added in between."""
    file = tmp_path / "due.csv"
    file.write_text(HEADER + ROW, "utf-8")
    first = command("annotate", "due.csv", "--as", "ana", "--order", "ingested")
    folder = tmp_path / "due.csv.annotations"
    assert str(folder) in first.out
    assert "--source-column" in first.err
    assert "'testo'" in first.err
    file.write_text(HEADER + ROW + ROW.replace("1889", "1890"), "utf-8")
    assert (first.code, command("annotate", "due.csv").code) == (0, 0)
    assert [(each["folder"], each["samples"]) for each in opened] == [(folder, 1), (folder, 2)]
    assert command("annotate", "due.csv.annotations").code == 0
    assert opened[2]["folder"] == folder
    assert (opened[0]["person"], opened[0]["order"]) == ("ana", "ingested")


def test_vectors_are_computed_while_the_screen_is_open(
    command: Command,
    tmp_path: Path,
    opened: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The screen opens without vectors; another process computes them, and ends with the screen."""
    monkeypatch.setenv("TUI_ANNOTATE_EMBEDDER", "static")
    (tmp_path / "due.csv").write_text(HEADER + ROW, "utf-8")
    process: list[Any] = []

    @contextmanager
    def computing(folder: Path, trust: EndpointTrust) -> Iterator[None]:
        with workspaces.open(folder) as space:
            assert space.status().embedded == 0
        with computing_vectors(folder, trust) as started:
            process.append(started)
            assert started.wait(60) == 0
            yield

    monkeypatch.setattr("tui_annotate.cli.vectors.computing_vectors", computing)
    assert command("annotate", "due.csv").code == 0
    with workspaces.open(opened[0]["folder"]) as space:
        assert (len(process), space.status().embedded) == (1, 2)


def test_without_a_terminal_a_file_is_imported_and_the_next_command_named(
    command: Command, tmp_path: Path
) -> None:
    """The exit code is 0, and the named command opens the workspace."""
    (tmp_path / "my pairs.csv").write_text(HEADER + ROW, "utf-8")
    done = command("annotate", "my pairs.csv")
    assert done.code == 0
    assert samples(tmp_path / "my pairs.csv.annotations") == 1
    assert copied_command(done) == ["-w", str(tmp_path / "my pairs.csv.annotations"), "annotate"]
    refused = command(*copied_command(done)).error
    assert type(refused) is InvalidInput
    assert "standard input" in refused.message


def test_the_folder_can_be_chosen(command: Command, tmp_path: Path) -> None:
    """With -w, or the environment variable, the work is kept there; several files share it."""
    (tmp_path / "a.csv").write_text(HEADER + ROW, "utf-8")
    (tmp_path / "b.csv").write_text(HEADER + ROW, "utf-8")
    assert command("annotate", "a.csv", "b.csv", "-w", "work").code == 0
    assert samples(tmp_path / "work") == 2
    assert not (tmp_path / "a.csv.annotations").exists()


def test_a_folder_and_its_pattern_share_a_workspace(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The workspace is next to the folder, and in the current folder only for that folder."""
    rows = tmp_path / "rows"
    rows.mkdir()
    for number in range(3):
        (rows / f"{number}.csv").write_text(HEADER + ROW, "utf-8")
    (rows / "last.csv").write_text(f"article;highlights\n{LONG};{SHORT}\n", "utf-8")
    for given in ("rows", "rows/*.csv"):
        assert command("annotate", given).code == 0
        assert samples(tmp_path / "rows.annotations") == 4
    monkeypatch.chdir(rows)
    for given in (".", "*.csv", "."):
        done = command("annotate", given)
        assert (done.code, "skipped" in done.err) == (0, False)
        assert samples(rows / "rows.annotations") == 4


@pytest.mark.parametrize("place", ["rows", "a.xlsx"])
def test_unclear_columns_in_one_of_many_tables_store_nothing(
    command: Command, tmp_path: Path, place: str
) -> None:
    """All files of a folder and all sheets of a workbook are looked at before the import.

    The Python API refuses them in the same way.
    """
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows/a.csv").write_text(HEADER + ROW, "utf-8")
    (tmp_path / "rows/b.csv").write_text(UNCLEAR, "utf-8")
    sheets = {name: [line.split(",") for line in text.splitlines()] for name, text in TABLES}
    workbook(tmp_path / "a.xlsx", **sheets)
    refused = command("annotate", place).error
    assert refused
    assert refused.code == "columns-ambiguous"
    assert not list(tmp_path.glob("*.annotations"))
    with workspaces.create(tmp_path / "w") as space:
        with pytest.raises(InvalidInput, check=has_code("columns-ambiguous")):
            space.ingest(tmp_path / place)
        assert space.corpus.totals()[0] == 0


@pytest.mark.parametrize("place", ["a.bundle", "b.bundle"])
def test_data_may_be_named_like_a_bundle(command: Command, tmp_path: Path, place: str) -> None:
    """The content decides, of a file and of a folder."""
    (tmp_path / "b.bundle").mkdir()
    (tmp_path / "b.bundle/rows.csv").write_text(HEADER + ROW, "utf-8")
    (tmp_path / "a.bundle").write_text("source,summary\nA.,B.\n", "utf-8")
    assert command("annotate", place).code == 0
    assert samples(tmp_path / f"{place}.annotations") == 1


def test_standard_names_of_columns_are_printed_once(command: Command, tmp_path: Path) -> None:
    """The line with the options that change the columns is a note, which --quiet omits."""
    (tmp_path / "a.csv").write_text(f"source,summary\n{ROW}", "utf-8")
    for words in ("annotate a.csv", "annotate a.csv", "ingest -w a.csv.annotations a.csv"):
        done = command(*words.split())
        assert (done.code, done.err.count("--source-column")) == (0, 1)
    quiet = command("--quiet", "annotate", "a.csv")
    assert (quiet.code, quiet.err) == (0, "")


def test_standard_input_is_imported_for_a_later_screen(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen needs the keyboard, so the next command is named."""
    row = json.dumps({"document": LONG, "claim": SHORT}).encode()
    for _ in range(2):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(row)))
        done = command("annotate", "-")
        assert done.code == 0
    assert samples(tmp_path / "stdin.annotations") == 1
    assert copied_command(done) == ["-w", str(tmp_path / "stdin.annotations"), "annotate"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "x,y\n1,2\n"),
        ("a.csv", ""),
        ("a.pdf", "%PDF-1.7"),
        ("a.csv", "source,summary\nA\n"),
    ],
)
def test_a_file_without_records_leaves_no_workspace(
    command: Command, tmp_path: Path, name: str, content: str
) -> None:
    """The file is refused with exit code 2, and nothing is created."""
    (tmp_path / name).write_text(content, "utf-8")
    assert command("annotate", name).code == 2
    assert [each.name for each in tmp_path.iterdir()] == [name]
    assert type(command("annotate", "gone.csv").error) is InvalidInput


@pytest.mark.parametrize("words", ["annotate a.csv", "convert a.csv - --to native"])
def test_a_script_gets_a_command_that_names_the_columns(
    command: Command, tmp_path: Path, words: str
) -> None:
    """An unclear choice ends with exit code 2; the command of the hint works as it is."""
    (tmp_path / "a.csv").write_text(UNCLEAR, "utf-8")
    done = command(*words.split())
    assert done.code == 2
    assert done.error
    assert done.error.code == "columns-ambiguous"
    assert not (tmp_path / "a.csv.annotations").exists()
    assert command(*copied_command(done)).code == 0


def test_a_command_with_unclear_columns_stores_nothing(command: Command, tmp_path: Path) -> None:
    """Of several files, none is imported before the columns of all are known."""
    (tmp_path / "a.csv").write_text(HEADER + ROW, "utf-8")
    (tmp_path / "b.csv").write_text(UNCLEAR, "utf-8")
    command("init", "w")
    done = command("ingest", "-w", "w", "a.csv", "b.csv")
    assert done.code == 2
    assert samples(tmp_path / "w") == 0
    assert copied_command(done)[:5] == ["ingest", "-w", "w", "a.csv", "b.csv"]


@pytest.mark.parametrize(("answers", "chosen"), [("\n", 0), ("x\n7\n2\n", 1)])
def test_a_terminal_gets_numbered_choices(
    command: Command,
    tmp_path: Path,
    opened: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    answers: str,
    chosen: int,
) -> None:
    """The number decides, and is asked for again until it is valid."""
    (tmp_path / "a.csv").write_text(UNCLEAR, "utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(answers.encode())))
    done = command("annotate", "a.csv")
    offered = re.findall(r"^  \d  source 'article', summary '(\w+)'", done.err, re.MULTILINE)
    assert sorted(offered) == ["highlights", "summary"]
    assert f"summary '{offered[chosen]}' (your choice; to change: --source-column" in done.err
    assert command("annotate", "a.csv").err.count("summary 'highlights'") == (chosen == 0)
    with workspaces.open(opened[0]["folder"]) as space:
        (sample,) = space.samples()
    assert offered[chosen] not in sample.meta
    assert set(offered) - {offered[chosen]} <= sample.meta.keys()


@pytest.mark.parametrize("place", ["a.csv", "rows", "a.xlsx"])
def test_chosen_columns_are_kept_with_the_dataset(
    command: Command, tmp_path: Path, place: str
) -> None:
    """A later run needs no options: for the same ids, for added files, and for other commands.

    Options for one sheet of a workbook leave the other sheets as they are.
    """
    (tmp_path / "rows").mkdir()
    table = UNCLEAR.replace("\n", ",key\n", 1).rstrip() + ",k7\n"
    for name in ("a.csv", "rows/a.csv"):
        (tmp_path / name).write_text(table, "utf-8")
    other = [["testo", "sunto", "key"], [LONG, SHORT, "k8"]]
    sheets = {"one": [line.split(",") for line in table.splitlines()], "two": other}
    workbook(tmp_path / "a.xlsx", **sheets)
    refused = command("annotate", place)
    assert refused.code == 2
    assert command(*copied_command(refused), "--id-column", "key").code == 0
    (tmp_path / "rows/b.csv").write_text(table.replace("k7", "k9"), "utf-8")
    folder = Path(f"{place}.annotations")
    for words in (["annotate"], ["ingest", "-w", str(folder)]):
        done = command(*words, place)
        assert (done.code, done.err.count("id 'key'")) == (0, 1 + (place == "a.xlsx"))
    with workspaces.open(folder) as space:
        assert space.ingest(tmp_path / place).added == 0
        found = {sample.id: sample.document(Side.SUMMARY).text for sample in space.samples()}
    expected = {"a.csv": {"k7"}, "rows": {"k7", "k9"}, "a.xlsx": {"k7", "k8"}}
    assert found.keys() == expected[place]
    assert found["k7"] == copied_text(refused, UNCLEAR)


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv"])
@pytest.mark.parametrize("names", [("context", "answer"), ("eins", "zwei")])
def test_named_columns_are_kept_for_texts_that_are_no_sentences(
    command: Command, tmp_path: Path, ending: str, names: tuple[str, str]
) -> None:
    """A later import of any command needs no options, whatever the file's ending is."""
    rows = [dict(zip(names, each, strict=True)) for each in [(LONG, "Maybe"), (LONG, "No")]]
    lines = [json.dumps(row) for row in rows]
    texts = {
        "jsonl": "\n".join(lines),
        "json": f"[{','.join(lines)}]",
        "csv": "\n".join([",".join(names), *(",".join(row.values()) for row in rows)]),
    }
    file = tmp_path / f"a.{ending}"
    file.write_text(texts[ending] + "\n", "utf-8")
    named = ("--source-column", names[0], "--summary-column", names[1])
    assert command("annotate", file.name, *named).code == 0
    folder = f"{file.name}.annotations"
    for words in (["annotate"], ["ingest", "-w", folder], ["datasets", "replace", "-w", folder]):
        done = command(*words, *["a"] * (words[0] == "datasets"), file.name)
        assert (done.code, f"summary '{names[1]}'" in done.err) == (0, True)
    assert samples(Path(folder)) == 2


def copied_text(refused: Result, table: str) -> str:
    """The first summary of a table, in the column that the hint of a refusal names."""
    header, row = (line.split(",") for line in table.splitlines())
    words = copied_command(refused)
    column = words[words.index("--summary-column") + 1]
    # LONG has no comma, so the cells are those of the columns.
    return dict(zip(header, row, strict=True))[column]


def test_other_options_replace_the_kept_columns(command: Command, tmp_path: Path) -> None:
    """The columns of the last import hold; a table without them is looked at again."""
    (tmp_path / "a.csv").write_text(UNCLEAR, "utf-8")
    ingest = ("ingest", "-w", "w", "a.csv")
    command("init", "w")
    assert command(*ingest, "--source-column", "article", "--summary-column", "summary").code == 0
    replace = ("datasets", "replace", "-w", "w", "a", "a.csv")
    assert "summary 'summary'" in command(*replace).err
    assert command(*replace, "--summary-column", "highlights").code == 0
    assert "summary 'highlights'" in command(*ingest).err
    (tmp_path / "a.csv").write_text(f"document,claim\n{LONG},{SHORT}\n", "utf-8")
    done = command(*ingest)
    assert (done.code, "summary 'claim'" in done.err) == (0, True)


@pytest.mark.parametrize(
    ("row", "names"),
    [
        (
            {"dataset": "CLIFF", "id": "1", "doc": LONG, "summ": SHORT, "error_type": "['a']",
             "annotated_span": "['1889']"},
            ["--span-column", "annotated_span", "--span-label-column", "error_type"],
        ),
        (
            {"newsBeginning": LONG, "newsRemainder": SHORT, "hallucinatedContinuation": SHORT,
             "annotations": ["1889<sep>b, c"]},
            ["--span-column", "annotations"],
        ),
    ],
)  # fmt: skip
def test_spans_of_a_known_collection_are_announced(
    command: Command, tmp_path: Path, row: dict[str, Any], names: list[str]
) -> None:
    """One line names the column and the command that reads it; that command prints no such line."""
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), "utf-8")
    for _ in range(2):
        done = command("annotate", "rows.jsonl")
        assert (done.code, done.err.count(repr(names[1]))) == (0, 1)
    (line,) = (line for line in done.err.splitlines() if repr(names[1]) in line)
    words = shlex.split(line.split("tui-annotate ")[1])
    folder = str(tmp_path / "rows.jsonl.annotations")
    assert words == ["-w", folder, "annotate", "rows.jsonl", *names]
    read = command(*words)
    assert (read.code, repr(names[1]) in read.err) == (0, False)
    with workspaces.open(tmp_path / "rows.jsonl.annotations") as space:
        (record,) = space.records()
    assert [each.annotation.claim[0].span.of(SHORT) for each in record.annotations] == ["1889"]


def test_the_only_readable_file_is_offered(
    command: Command, tmp_path: Path, opened: list[dict[str, Any]]
) -> None:
    """In a folder without a workspace; other files of the folder are no data."""
    (tmp_path / "notes.md").write_text("# Notes\n", "utf-8")
    (tmp_path / "config.json").write_text('{"name": "a", "version": 1}', "utf-8")
    (tmp_path / "due.csv").write_text(HEADER + ROW, "utf-8")
    assert command("annotate").code == 0
    assert opened[0]["folder"] == tmp_path / "due.csv.annotations"
    (tmp_path / "tre.csv").write_text(HEADER + ROW, "utf-8")
    assert type(command("annotate").error) is NotFound
    assert len(opened) == 1


def test_the_offer_of_a_file_needs_a_yes(
    command: Command,
    tmp_path: Path,
    opened: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without it, or without a terminal, the hint has the command for the file."""
    (tmp_path / "due.csv").write_text(HEADER + ROW, "utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"n\n")))
    declined = command("annotate", "--as", "ana")
    monkeypatch.setattr(screen, "sys", SimpleNamespace(stdin=io.StringIO(), stdout=sys.stdout))
    for done in (declined, command("annotate")):
        assert type(done.error) is NotFound
        assert "tui-annotate annotate due.csv" in done.error.hint
    assert opened == []
    assert [each.name for each in tmp_path.iterdir()] == ["due.csv"]


def test_options_of_a_file_need_a_file(command: Command) -> None:
    """Column options without a FILE are refused."""
    assert command("annotate", "--source-column", "a").code == 2


def test_the_choice_of_columns_is_the_same_in_all_commands(
    command: Command, tmp_path: Path
) -> None:
    """Commands and the Python API read the same texts; each command prints its choice once."""
    (tmp_path / "a.csv").write_text(HEADER + ROW * 3, "utf-8")
    command("init", "w")
    runs = [
        command("ingest", "-w", "w", "a.csv"),
        command("convert", "a.csv", "b.jsonl", "--to", "native"),
        command("report", "a.csv", "--all-samples", "-o", "a.html"),
    ]
    assert [done.code for done in runs] == [0, 0, 0]
    assert [done.err.count("'testo'") for done in runs] == [1, 1, 1]
    with workspaces.create(tmp_path / "api") as space:
        assert space.ingest("a.csv").added == 3


@pytest.mark.parametrize("words", ["ingest -w w --dataset d", "annotate -w w", "api"])
@pytest.mark.parametrize("place", ["rows", "rows/*.csv", "rows/t1.csv rows/t2.csv", "a.xlsx"])
def test_each_table_of_a_dataset_is_read_with_its_own_columns(
    command: Command, tmp_path: Path, words: str, place: str
) -> None:
    """The columns of one table do not decide for another table of the import, in any order."""
    wide = f"source,summary,document,claim\n{LONG},{SHORT},{SHORT} More.,The bridge is old.\n"
    tables = {"t1": wide, "t2": f"document,claim\n{LONG},{SHORT}\n", "t3": wide}
    (tmp_path / "rows").mkdir()
    for name, text in tables.items():
        (tmp_path / f"rows/{name}.csv").write_text(text, "utf-8")
    sheets = {
        name: [line.split(",") for line in text.splitlines()] for name, text in tables.items()
    }
    workbook(tmp_path / "a.xlsx", **sheets)
    with workspaces.create(tmp_path / "w") as space:
        for _ in range(2):
            if words == "api":
                paths = [tmp_path / each for each in place.split()]
                space.ingest(*paths, options=ImportOptions(dataset="d"))
            else:
                done = command(*words.split(), *place.split())
                assert (done.code, done.err.count("source 'source'")) == (0, 1)
        found = [sample.document(Side.SOURCE).text for sample in space.samples()]
    assert found == [LONG] * (2 if " " in place else 3)


def test_a_conversion_reads_each_table_with_its_own_columns(
    command: Command, tmp_path: Path
) -> None:
    """A table with the columns of an earlier table is read with the columns that are printed."""
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows/a.csv").write_text(f"document,claim\n{LONG},{SHORT}\n", "utf-8")
    (tmp_path / "rows/b.csv").write_text(
        f"document,claim,source,summary\nA.,B.,{LONG},{SHORT}\n", "utf-8"
    )
    done = command("convert", "rows", "b.jsonl", "--to", "native")
    assert (done.code, "before" in done.err) == (0, False)
    assert (tmp_path / "b.jsonl").read_text("utf-8").count(LONG) == 2


def test_a_refused_import_does_not_change_the_kept_columns(
    command: Command, tmp_path: Path
) -> None:
    """A plain import after an import that stored no sample uses the columns of the samples."""
    same = f"{LONG},x,{LONG},{SHORT}\n"  # already stored, whichever source is named
    (tmp_path / "p.csv").write_text(
        f"text,note,story,out\n{LONG},x,{LONG} More.,{SHORT}\n{same}", "utf-8"
    )
    columns = ("--summary-column", "out", "--source-column")
    assert command("annotate", "p.csv", *columns, "text").code == 0
    refused = command("annotate", "p.csv", *columns, "story")
    assert (refused.code, refused.err.count("--source-column")) == (3, 1)
    done = command("annotate", "p.csv")
    assert (done.code, "source 'text'" in done.err) == (0, True)


@pytest.mark.parametrize(
    "named", ["--group-column part", "--source-column article --summary-column summary"]
)
def test_options_replace_only_the_kept_columns_that_they_name(
    command: Command, tmp_path: Path, named: str
) -> None:
    """The kept text columns, id column and second source hold unless an option names another."""
    table = UNCLEAR.replace("\n", ",key,part,more\n", 1).rstrip() + ",k7,p1,More.\n"
    (tmp_path / "a.csv").write_text(table, "utf-8")
    columns = "--summary-column summary --source-column article --id-column key"
    first = command("annotate", "a.csv", *columns.split(), "--second-source-column", "more")
    assert first.code == 0
    done = command("annotate", "a.csv", *named.split())
    assert (done.code, done.err.count("second source 'more', id 'key'")) == (0, 1)
    assert samples(tmp_path / "a.csv.annotations") == 1


def test_a_kept_id_column_gives_no_warning_of_unused_ids(command: Command, tmp_path: Path) -> None:
    """Only rows whose number is the sample id are compared with a column named `id`."""
    (tmp_path / "a.csv").write_text(f"source,summary,id\n{LONG},{SHORT},k7\n", "utf-8")
    (tmp_path / "b.csv").write_text(f"document,claim,id\n{LONG},{SHORT},k8\n", "utf-8")
    assert command("annotate", "a.csv", "--id-column", "id").code == 0
    folder = tmp_path / "a.csv.annotations"
    for name, warnings in [("a.csv", 0), ("b.csv", 1)]:
        done = command("ingest", "-w", str(folder), "--dataset", "a", name)
        assert (done.code, done.err.count("row numbers")) == (0, warnings)
    assert samples(folder) == 2


def test_tables_that_differ_only_in_the_id_column_are_all_printed(
    command: Command, tmp_path: Path
) -> None:
    """A choice is printed unless the same source, summary, second source, id and group were."""
    row = f"{LONG},{SHORT},k7\n"
    command("init", "w")
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text(f"source,summary,{name}\n{row}", "utf-8")
        done = command("ingest", "-w", "w", f"{name}.csv", "--id-column", name)
        assert (done.code, done.err.count("--source-column")) == (0, 1)
    done = command("ingest", "-w", "w", "one.csv", "two.csv")
    assert (done.code, done.err.count("id 'one'"), done.err.count("id 'two'")) == (0, 1, 1)


@pytest.mark.parametrize("is_named", [True, False])
def test_a_file_keeps_its_own_id_column(
    command: Command, tmp_path: Path, *, is_named: bool
) -> None:
    """A file is read again with its samples' ids; a new file needs an option or the newest id."""
    for number, place in enumerate("abc"):
        (tmp_path / place).mkdir()
        row = f"{LONG} {place}.,{SHORT},a{number},b{number}"
        (tmp_path / place / "d.csv").write_text(f"source,summary,one,two\n{row}\n", "utf-8")
    command("init", "w")
    ingest = ("ingest", "-w", "w")
    assert command(*ingest, "a/d.csv", *["--id-column", "one"] * is_named).code == 0
    assert command(*ingest, "b/d.csv", "--id-column", "two").code == 0
    with workspaces.open(tmp_path / "w") as space:
        for place in ("a/d.csv", "b/d.csv"):
            assert command(*ingest, place).code == 0
            assert command("annotate", "-w", "w", place).code == 0
            assert space.ingest(tmp_path / place).known == 1
        done = command(*ingest, "c/d.csv")
        if is_named:
            assert (done.code, done.error and done.error.code) == (2, "columns-ambiguous")
            assert command(*ingest, *shlex.split("c/d.csv --id-column two")).code == 0
        expected = ["a0" if is_named else "1", "b1", "b2"]
        assert [sample.id for sample in space.samples()] == expected


@pytest.mark.parametrize("place", ["rows", "rows/*.csv"])
def test_a_folder_keeps_its_row_numbers_as_ids(
    command: Command, tmp_path: Path, place: str
) -> None:
    """The id column of a later file with the same header does not double the folder's samples."""
    (tmp_path / "rows").mkdir()
    for path, text in [("rows/a.csv", LONG), ("b.csv", f"{LONG} More.")]:
        (tmp_path / path).write_text(f"source,summary,key\n{text},{SHORT},{path}\n", "utf-8")
    command("init", "w")
    ingest = ("ingest", "-w", "w", "--dataset", "d")
    for words in (place, "b.csv --id-column key", place):
        assert command(*ingest, *words.split()).code == 0
    with workspaces.open(tmp_path / "w") as space:
        assert [sample.id for sample in space.samples()] == ["a.csv/1", "b.csv"]


@pytest.mark.parametrize(
    ("head", "cells", "ids"),
    [
        ("id", ["a", "b"], ["a", "b"]),
        ("ID", ["7", "5"], ["7", "5"]),
        ("id", ["a", "a"], ["1", "2"]),
        ("id", ["a", ""], ["1", "2"]),
        ("doc_id", ["a", "b"], ["1", "2"]),
    ],
)
def test_a_column_of_different_ids_has_the_ids_of_samples(
    command: Command, tmp_path: Path, head: str, cells: list[str], ids: list[str]
) -> None:
    """Of a new workspace; a second run takes them from the same column, also of new rows."""
    table = tmp_path / "a.csv"
    rows = [f"{cell},{LONG} {place}.,{SHORT}\n" for place, cell in enumerate(cells)]
    table.write_text(f"{head},source,summary\n{''.join(rows)}", "utf-8")
    first = command("annotate", "a.csv")
    assert (first.code, f"sample ids: column {head!r}" in first.err) == (0, ids == cells)
    with table.open("a", encoding="utf-8") as file:
        file.write(f"c,{LONG} 9.,{SHORT}\n")
    assert command("annotate", "a.csv").code == 0
    with workspaces.open(tmp_path / "a.csv.annotations") as space:
        found = [sample.id for sample in space.samples()]
    assert found == [*ids, "c" if ids == cells else "3"]


def test_ids_of_several_files_are_in_one_column(command: Command, tmp_path: Path) -> None:
    """Or row numbers stay the ids: no file is refused for the name of another file's column."""
    for name, head in (("a", "id"), ("b", "ID")):
        rows = "".join(f"{name}{number},{LONG} {name}{number}.,{SHORT}\n" for number in range(3))
        (tmp_path / f"{name}.csv").write_text(f"{head},source,summary\n{rows}", "utf-8")
    done = command("annotate", "-w", "w", "a.csv", "b.csv")
    assert (done.code, samples(tmp_path / "w")) == (0, 6)
    lines = [json.dumps({key: key, "source": LONG, "summary": SHORT}) for key in ("id", "ID")]
    (tmp_path / "c.jsonl").write_text("\n".join(lines), "utf-8")
    assert command("annotate", "c.jsonl").code == 0
    assert samples(tmp_path / "c.jsonl.annotations") == 2


@pytest.mark.parametrize("first", [0, 1])
def test_workspaces_of_row_numbers_keep_them(command: Command, tmp_path: Path, first: int) -> None:
    """A workspace of the same file has no ids of a column; an earlier version began with 0."""
    table = tmp_path / "a.csv"
    table.write_text(f"id,source,summary\nx,{LONG},{SHORT}\n", "utf-8")
    command("init", "a.csv.annotations")
    if first == 0:
        documents = (Document(Side.SOURCE, LONG), Document(Side.SUMMARY, SHORT))
        with workspaces.open(tmp_path / "a.csv.annotations") as space:
            earlier = Record(Sample("a", "0", documents))
            space.ingest_service.run([earlier], embedder="none")
    else:
        command("ingest", "-w", "a.csv.annotations", "a.csv", "--embedder", "none")
    for rows in (1, 2):
        assert command("annotate", "a.csv").code == 0
        with workspaces.open(tmp_path / "a.csv.annotations") as space:
            found = [sample.id for sample in space.samples()]
        assert found == [str(number) for number in range(first, first + rows)]
        with table.open("a", encoding="utf-8") as file:
            file.write(f"y,{LONG} More.,{SHORT}\n")


def test_a_warning_about_a_whole_sheet_is_about_no_sample(command: Command, tmp_path: Path) -> None:
    """Only warnings about a record say that the record's sample is stored."""
    sheets = {name: [[LONG, "summary", "uid"], [LONG, SHORT, "1"]] for name in ("one", "two")}
    workbook(tmp_path / "a.xlsx", **sheets)
    done = command("annotate", "a.xlsx", "--source-column", LONG)
    lines = [
        line
        for line in done.err.splitlines()
        if "a.xlsx, sheet" in line and "columns of" not in line
    ]
    stored = {", row " in line.split(": ")[0]: "(sample stored)" in line for line in lines}
    assert stored == {False: False, True: True}


def test_a_terminal_waits_after_refused_spans(
    command: Command, tmp_path: Path, opened: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The messages about spans can be read before the screen covers them."""
    asked: list[str] = []
    monkeypatch.setattr("tui_annotate.cli.output.read_answer", asked.append)
    row = {"source": LONG, "summary": SHORT, "spans": ["1889", "tower"]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row), "utf-8")
    assert command("annotate", "a.jsonl", "--span-column", "spans").code == 0
    assert (len(asked), len(opened)) == (1, 1)
