"""`annotate FILE`: each file has a workspace of its own, which remembers the file."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.plugins.test_workbooks import workbook
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import choose_dataset_name

SOURCE = "The old stone bridge over the river cost 12 million pounds and opened in 1889."


@pytest.fixture(autouse=True)
def _lexical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUI_ANNOTATE_EMBEDDER", "none")


def table(summary: str, *, rows: int = 1) -> str:
    line = f"{SOURCE},The bridge opened in {summary}.\n"
    return "source,summary\n" + "".join(line.replace(".\n", f" {n}.\n") for n in range(rows))


def summaries(folder: Path) -> set[str]:
    """The summaries in a workspace, without their last word."""
    with workspaces.open(folder) as space:
        texts = [sample.document(Side.SUMMARY).text for sample in space.samples()]
    return {text.rsplit(" ", 1)[0] for text in texts}


def earlier_workspace(file: Path, folder: Path) -> None:
    """Make the workspace that an earlier version made for a file: its folder and dataset name."""
    with workspaces.create(folder) as space:
        assert space.ingest(file, options=ImportOptions(former_names=True)).added


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("llama-3.1.csv", "llama-3.3.csv"),
        ("data.v1.csv", "data.v2.csv"),
        ("pairs.csv", "pairs.tsv"),
        ("pairs", "pairs.csv"),
        ("a.b.csv", "a.c.csv.gz"),
        (".hidden.csv", "hidden.csv"),
    ],
)
def test_two_files_never_share_a_workspace(
    command: Command, tmp_path: Path, one: str, two: str
) -> None:
    """Files whose names differ anywhere have their own folder, dataset and texts."""
    (tmp_path / one).write_text(table("1801").replace(",", "\t" if "tsv" in one else ","), "utf-8")
    (tmp_path / two).write_text(table("1802").replace(",", "\t" if "tsv" in two else ","), "utf-8")
    for name in (one, two, one):
        assert command("annotate", name).code == 0
    assert summaries(tmp_path / f"{one}.annotations") == {"The bridge opened in 1801"}
    assert summaries(tmp_path / f"{two}.annotations") == {"The bridge opened in 1802"}


def test_a_workbook_and_a_table_of_one_name_are_apart(command: Command, tmp_path: Path) -> None:
    """The ending is part of the folder's name."""
    (tmp_path / "pairs.csv").write_text(table("1801"), "utf-8")
    row = [SOURCE, "The bridge opened in 1802 0."]
    workbook(tmp_path / "pairs.xlsx", Sheet1=[["source", "summary"], row])
    for name, year in (("pairs.csv", "1801"), ("pairs.xlsx", "1802")):
        assert command("annotate", name).code == 0
        assert summaries(tmp_path / f"{name}.annotations") == {f"The bridge opened in {year}"}


@pytest.mark.parametrize(
    ("name", "dataset"),
    [
        ("llama-3.1.csv", "llama-3.1"),
        ("llama-3.1", "llama-3.1"),
        ("data.v1.jsonl.gz", "data.v1"),
        ("data.v1.csv.xz", "data.v1"),
        ("data.CSV", "data"),
        ("runs.2024", "runs.2024"),
        (".hidden.csv", "hidden"),
        ("a.parquet", "a"),
        ("csv", "csv"),
    ],
)
def test_dataset_names_keep_their_dots(name: str, dataset: str) -> None:
    """Only the endings of compression and of the kind of data are removed."""
    assert choose_dataset_name(Path(name), "") == dataset
    assert choose_dataset_name(Path(name), "mine") == "mine"


def test_ingest_keeps_two_versions_of_a_file_apart(command: Command, tmp_path: Path) -> None:
    """Two files whose names differ after the first dot become two datasets, and are known again."""
    for number in (1, 2):
        (tmp_path / f"data.v{number}.csv").write_text(table(f"180{number}"), "utf-8")
    command("init", "w")
    for _ in range(2):
        assert command("ingest", "-w", "w", "data.v1.csv", "data.v2.csv").code == 0
    with workspaces.open(tmp_path / "w") as space:
        assert [each.name for each in space.corpus.datasets()] == ["data.v1", "data.v2"]
        assert space.corpus.totals()[0] == 2


@pytest.mark.parametrize("name", ["llama-3.1.csv", "data.v1.xlsx"])
def test_a_file_in_a_store_of_an_earlier_version_is_known(
    command: Command, tmp_path: Path, name: str
) -> None:
    """Its samples stay in the dataset that was named up to the first dot; new rows join them."""
    file, rows = tmp_path / name, [[SOURCE, f"The bridge opened in 180{n}."] for n in range(4)]

    def write(count: int) -> None:
        if name.endswith("xlsx"):
            sheet = [["source", "summary"], *rows[:count]]
            workbook(file, one=sheet, two=sheet)
        else:
            file.write_text("\n".join(map(",".join, [["source", "summary"], *rows[:count]])))

    write(3)
    earlier_workspace(file, tmp_path / "w")
    with workspaces.open(tmp_path / "w") as space:
        names = [each.name for each in space.corpus.datasets()]
    write(4)
    assert command("ingest", "-w", "w", name).code == 0
    with workspaces.open(tmp_path / "w") as space:
        assert {each.name: each.samples for each in space.corpus.datasets()} == dict.fromkeys(
            names, 4
        )


def test_a_workspace_of_an_earlier_version_is_found(command: Command, tmp_path: Path) -> None:
    """The folder up to the first dot is opened for its own file, and not for another one."""
    for number in (1, 3):
        (tmp_path / f"llama-3.{number}.csv").write_text(table(f"180{number}", rows=3), "utf-8")
    former = tmp_path / "llama-3.annotations"
    earlier_workspace(tmp_path / "llama-3.1.csv", former)
    assert command("annotate", "llama-3.3.csv").code == 0
    (tmp_path / "llama-3.1.csv").write_text(table("1801", rows=4), "utf-8")
    for _ in range(2):
        assert str(former) in command("annotate", "llama-3.1.csv").out
    assert not (tmp_path / "llama-3.1.csv.annotations").exists()
    with workspaces.open(former) as space:
        assert {each.name: each.samples for each in space.corpus.datasets()} == {"llama-3": 4}
    assert summaries(tmp_path / "llama-3.3.csv.annotations") == {"The bridge opened in 1803"}


@pytest.mark.parametrize("earlier", [True, False])
def test_a_workspace_of_another_file_is_refused(
    command: Command, tmp_path: Path, *, earlier: bool
) -> None:
    """The error has the names of both files; the workspace stays as it is."""
    (tmp_path / "pairs.csv").write_text(table("1801"), "utf-8")
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs/rows.csv").write_text(table("1802"), "utf-8")
    folder = tmp_path / "pairs.annotations"
    if earlier:
        earlier_workspace(tmp_path / "pairs.csv", folder)
        assert command("annotate", "pairs.csv").code == 0
    else:
        assert command("annotate", "pairs.csv").code == 0
        (tmp_path / "pairs.csv.annotations").rename(folder)
    refused = command("annotate", "pairs").error
    assert type(refused) is Conflict
    assert refused.code == "other-file"
    assert all(name in refused.message for name in ("'pairs.csv'", "'pairs'"))
    assert summaries(folder) == {"The bridge opened in 1801"}
    assert command("annotate", "-w", str(folder), "pairs").code == 0


def test_a_file_and_its_workspace_can_be_moved(command: Command, tmp_path: Path) -> None:
    """The workspace remembers the name of the file, and no path."""
    (tmp_path / "a.csv").write_text(table("1801"), "utf-8")
    assert command("annotate", "a.csv").code == 0
    (tmp_path / "moved").mkdir()
    for name in ("a.csv", "a.csv.annotations"):
        shutil.move(tmp_path / name, tmp_path / "moved" / name)
    (tmp_path / "moved/a.csv").write_text(table("1801", rows=2), "utf-8")
    assert command("annotate", "moved/a.csv").code == 0
    with workspaces.open(tmp_path / "moved/a.csv.annotations") as space:
        assert space.corpus.totals()[0] == 2


def test_a_file_and_its_workspace_can_be_renamed(command: Command, tmp_path: Path) -> None:
    """The samples keep their dataset; new rows join it; a file with other samples is refused."""
    (tmp_path / "a.csv").write_text(table("1801", rows=2), "utf-8")
    assert command("annotate", "a.csv").code == 0
    (tmp_path / "a.csv").rename(tmp_path / "b.csv")
    (tmp_path / "a.csv.annotations").rename(tmp_path / "b.csv.annotations")
    for rows in (2, 3):
        (tmp_path / "b.csv").write_text(table("1801", rows=rows), "utf-8")
        assert command("annotate", "b.csv").code == 0
        with workspaces.open(tmp_path / "b.csv.annotations") as space:
            assert {each.name: each.samples for each in space.corpus.datasets()} == {"a": rows}
    (tmp_path / "b.csv").write_text(table("1802", rows=2), "utf-8")
    assert isinstance(command("annotate", "b.csv").error, Conflict)


@pytest.mark.parametrize("name", ["b.xlsx", "b.dat", "b"])
def test_a_workbook_with_several_sheets_can_be_renamed(
    command: Command, tmp_path: Path, name: str
) -> None:
    """Each sheet keeps its dataset, as the samples of a file with one table do."""
    sheet = [["source", "summary"], [SOURCE, "The bridge opened in 1801."]]
    other = [["source", "summary"], [SOURCE, "The bridge opened in 1802."]]
    workbook(tmp_path / "a.xlsx", one=sheet, two=other)
    assert command("annotate", "a.xlsx").code == 0
    (tmp_path / "a.xlsx").rename(tmp_path / name)
    folder = tmp_path / f"{name}.annotations"
    (tmp_path / "a.xlsx.annotations").rename(folder)
    for _ in range(2):
        assert command("annotate", name).code == 0
        with workspaces.open(folder) as space:
            found = {each.name: each.samples for each in space.corpus.datasets()}
            assert found == {"a-one": 1, "a-two": 1}


def test_links_that_lead_nowhere_are_skipped(command: Command, tmp_path: Path) -> None:
    """A broken link, a loop and a link to the folder itself stop no import of the folder."""
    rows = tmp_path / "rows"
    rows.mkdir()
    (rows / "a.csv").write_text(table("1801"), "utf-8")
    (rows / "gone.csv").symlink_to("nothing.csv")
    (rows / "loop.csv").symlink_to("loop.csv")
    (rows / "self").symlink_to(".")
    command("init", "w")
    for words in (["annotate", "rows"], ["ingest", "-w", "w", "rows"]):
        done = command(*words)
        assert done.code == 0
        assert "loop.csv" in done.err
    assert summaries(tmp_path / "w") == {"The bridge opened in 1801"}
    (rows / "two.csv").symlink_to("back.csv")
    (rows / "back.csv").symlink_to("two.csv")
    for name, chain in (
        ("loop", "back to itself: rows/loop.csv -> rows/loop.csv"),
        ("two", "back to itself: rows/two.csv -> rows/back.csv -> rows/two.csv"),
        ("gone", "rows/nothing.csv does not exist: rows/gone.csv -> rows/nothing.csv"),
    ):
        for words in (["annotate"], ["ingest", "-w", "w"]):
            refused = command(*words, f"rows/{name}.csv").error
            assert type(refused) is InvalidInput
            assert refused.hint.endswith(chain)


def test_a_file_name_that_is_not_utf8_is_skipped(command: Command, tmp_path: Path) -> None:
    """The other files of the folder are imported; the file alone can be imported with a name."""
    rows = tmp_path / "rows"
    rows.mkdir()
    (rows / "a.csv").write_text(table("1801"), "utf-8")
    bad = rows / os.fsdecode(b"b\xff.csv")
    bad.write_text(table("1802"), "utf-8")
    command("init", "w")
    done = command("ingest", "-w", "w", "rows")
    assert done.code == 3
    assert "1 sample added; 1 file refused" in done.out
    assert summaries(tmp_path / "w") == {"The bridge opened in 1801"}
    for words in (["ingest", "-w", "w"], ["annotate"]):
        refused = command(*words, str(bad)).error
        assert refused
        assert refused.code == "name-not-utf8"
    assert not list(rows.glob("*.annotations"))
    assert command("ingest", "-w", "w", str(bad), "--dataset", "b").code == 0


def test_a_bad_name_in_a_list_refuses_no_other_file(command: Command, tmp_path: Path) -> None:
    """Wherever it is in the list; it is named, and the exit code is 3."""
    (tmp_path / "a.csv").write_text(table("1801"), "utf-8")
    bad = os.fsdecode(b"b\xff.csv")
    (tmp_path / bad).write_text(table("1802"), "utf-8")
    command("init", "w")
    for files in (("a.csv", bad), (bad, "a.csv")):
        for words in (("ingest", "-w", "w"), ("annotate",)):
            done = command(*words, *files)
            assert (done.code, done.error) == (3, None)
            assert "not UTF-8" in done.err
    for folder in ("w", "a.csv.annotations"):
        assert summaries(tmp_path / folder) == {"The bridge opened in 1801"}
    assert command("ingest", "-w", "w", bad, bad).code == 2
    assert [each.name for each in tmp_path.glob("*.annotations")] == ["a.csv.annotations"]


def test_a_file_that_names_its_datasets_may_have_any_name(command: Command, tmp_path: Path) -> None:
    """The name of a native file is only shown."""
    (tmp_path / "a.csv").write_text(table("1801"), "utf-8")
    bad = os.fsdecode(b"n\xff.jsonl")
    assert command("convert", "a.csv", bad, "--to", "native").code == 0
    command("init", "w")
    assert command("ingest", "-w", "w", bad, "--from", "native").code == 0
    assert summaries(tmp_path / "w") == {"The bridge opened in 1801"}


def test_work_is_announced_only_if_it_is_stored(command: Command, tmp_path: Path) -> None:
    """A refused file has no workspace, or one of another file, where its work would be kept."""
    (tmp_path / "a.csv").write_text(table("1801"), "utf-8")
    (tmp_path / "empty.csv").write_text("source,summary\n", "utf-8")
    (tmp_path / "b.csv").write_text(table("1802"), "utf-8")
    kept = "is kept in the workspace"
    assert kept in command("annotate", "a.csv", "-w", "b.csv.annotations").out
    for words in (("empty.csv",), ("b.csv",), ("no.csv",)):
        refused = command("annotate", *words)
        assert refused.error
        assert kept not in refused.out + refused.err


def test_names_of_people_and_samples_are_utf8(command: Command, tmp_path: Path) -> None:
    """A record named by a file whose name is not UTF-8 is refused; the others are stored."""
    folder = tmp_path / "brat"
    folder.mkdir()
    text = f"{SOURCE}\n\n=== SUMMARY ===\n\nThe bridge opened in 1801 0."
    for name in (b"a", b"b\xff"):
        (folder / os.fsdecode(name + b".txt")).write_text(text, "utf-8")
        (folder / os.fsdecode(name + b".ann")).write_text("", "utf-8")
    command("init", "w")
    done = command("ingest", "-w", "w", "brat")
    assert done.code == 3
    assert summaries(tmp_path / "w") == {"The bridge opened in 1801"}


def test_a_first_import_that_fails_leaves_no_workspace(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong setting or an error of the store removes the new folder, and keeps an old one."""
    (tmp_path / "a.csv").write_text(table("1801"), "utf-8")
    monkeypatch.setenv("TUI_ANNOTATE_RATINGS", "")
    with monkeypatch.context() as patch:
        patch.setattr(
            "tui_annotate.services.ingest.IngestService.run",
            lambda *_, **__: (_ for _ in ()).throw(InvalidInput("broken", "repair")),
        )
        assert command("annotate", "a.csv").code == 2
    assert not (tmp_path / "a.csv.annotations").exists()
    assert command("annotate", "a.csv", "--language", "xx").code == 2
    assert not (tmp_path / "a.csv.annotations").exists()
    assert command("annotate", "a.csv").code == 0
    assert command("annotate", "a.csv", "--language", "xx").code == 2
    assert summaries(tmp_path / "a.csv.annotations") == {"The bridge opened in 1801"}


UNREADABLE = {
    "format": '{"topic": "The mill.", "rows": 1}\n',
    "damaged": "\x00\x01",
    "pointer": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    "page": "<!DOCTYPE html>\n<html><body>Not found</body></html>\n",
}


@pytest.mark.parametrize("kind", UNREADABLE)
@pytest.mark.parametrize("files", [("a.csv", "bad.json"), ("bad.json", "a.csv"), (".",), ("*.*",)])
def test_an_unreadable_file_refuses_no_other_file(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: list[str], kind: str
) -> None:
    """In a list, a folder and a pattern, it is named, and the exit code is 3."""
    rows = tmp_path / "rows"
    rows.mkdir()
    monkeypatch.chdir(rows)
    (rows / "a.csv").write_text(table("1801"), "utf-8")
    (rows / "bad.json").write_text(UNREADABLE[kind], "utf-8")
    work = tmp_path / "work"
    workspaces.create(work).close()
    for words in (("ingest", "-w", str(work)), ("annotate", "-w", str(tmp_path / "new"))):
        done = command(*words, *files)
        assert (done.code, done.error) == (3, None)
        assert "bad.json" in done.err
    for folder in (work, tmp_path / "new"):
        assert summaries(folder) == {"The bridge opened in 1801"}
    if len(files) == 1:
        done = command("convert", *files, str(tmp_path / "out"), "--to", "native")
        assert (done.code, "bad.json" in done.err) == (3, True)


def test_files_that_are_all_unreadable_store_nothing(command: Command, tmp_path: Path) -> None:
    """The error of the first file is that of the import."""
    for name in ("one.json", "two.json"):
        (tmp_path / name).write_text(UNREADABLE["format"], "utf-8")
    command("init", "w")
    done = command("ingest", "-w", "w", "one.json", "two.json")
    assert done.code == 2
    assert done.error
    assert done.error.code == "format-uncertain"
    assert command("annotate", "one.json", "two.json").code == 2
    assert not list(tmp_path.glob("*.annotations"))


def test_a_missing_file_in_a_list_stores_nothing(command: Command, tmp_path: Path) -> None:
    """Its name may be misspelt, so it is named first; the Python API does the same."""
    (tmp_path / "a.csv").write_text(table("1801"), "utf-8")
    command("init", "w")
    for words in (("ingest", "-w", "w"), ("annotate",)):
        done = command(*words, "a.csv", "gone.csv")
        assert (done.code, "gone.csv" in done.err) == (2, True)
    assert not list(tmp_path.glob("*.annotations"))
    with workspaces.open(tmp_path / "w") as space:
        with pytest.raises(NotFound):
            space.ingest(tmp_path / "a.csv", tmp_path / "gone.csv")
        assert space.corpus.totals()[0] == 0


def test_an_unreadable_file_in_a_list_changes_no_dataset(command: Command, tmp_path: Path) -> None:
    """A dataset is replaced by all its files, or not at all; --strict stores all or nothing."""
    (tmp_path / "a.csv").write_text(table("1801"), "utf-8")
    (tmp_path / "b.csv").write_text(table("1802"), "utf-8")
    (tmp_path / "bad.json").write_text(UNREADABLE["pointer"], "utf-8")
    command("init", "w")
    ingest = ("ingest", "-w", "w", "--dataset", "d")
    assert command(*ingest, "a.csv", "bad.json", "--strict").code == 2
    assert summaries(tmp_path / "w") == set()
    assert command(*ingest, "a.csv").code == 0
    assert command("datasets", "replace", "-w", "w", "d", "b.csv", "bad.json").code == 2
    assert summaries(tmp_path / "w") == {"The bridge opened in 1801"}


@pytest.mark.parametrize("words", [["-w", "w"], []])
def test_a_file_that_changed_is_refused_with_whole_commands(
    command: Command, tmp_path: Path, words: list[str]
) -> None:
    """The message names what the screen shows, and both commands can be run as they are."""
    file = tmp_path / "a b.csv"
    file.write_text(table("1801"), "utf-8")
    assert command("annotate", file.name, *words).code == 0
    file.write_text(table("1802"), "utf-8")
    done = command("annotate", file.name, *words)
    assert "the screen shows the stored texts" in done.err
    keep = re.search(r"to keep both texts: tui-annotate (.*?);", done.err)
    replace = re.search(r"to replace the stored texts: tui-annotate (.*)", done.err)
    assert keep
    assert replace
    folder = tmp_path / ("w" if words else "a b.csv.annotations")
    assert command(*shlex.split(keep[1])).code == 0
    assert summaries(folder) == {"The bridge opened in 1801", "The bridge opened in 1802"}
    kept = command("annotate", file.name, *words)
    assert kept.code == 0, "both texts are on the screen"
    assert "the screen shows the stored texts" not in kept.err
    assert " are stored as a b-2/1" in kept.err
    assert command(*shlex.split(replace[1])).code == 0
    assert summaries(folder) == {"The bridge opened in 1802"}
