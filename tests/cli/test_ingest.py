"""init, ingest: what they print, and how they end."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import PAIRS, Command, numbers
from tests.helpers.stores import claim
from tests.plugins.test_workbooks import workbook
from tui_annotate import workspace as workspaces
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import SampleKey


def test_init_makes_a_private_workspace(command: Command, tmp_path: Path) -> None:
    """A new workspace has its files, and nobody else can read them."""
    made = {"workspace": str(tmp_path / "work"), "created": True}
    assert command("init", "work", "--json").json == made
    names = {path.name for path in (tmp_path / "work").iterdir()}
    assert {"tui-annotate.toml", "labels.yaml", "store.sqlite", "vectors"} <= names
    assert (tmp_path / "work").stat().st_mode & 0o077 == 0


def test_the_next_step_names_the_workspace(command: Command) -> None:
    """As it was given; the current folder needs no name. A command outside names what is there."""
    outside = command("status")
    assert outside.code == 2
    assert "tui-annotate init" in outside.err
    assert "tui-annotate ingest -w 'my news' FILE..." in command("init", "my news").err
    assert "tui-annotate ingest FILE..." in command("init").err


def test_a_command_outside_of_workspaces_names_those_of_the_folder(command: Command) -> None:
    """The first three, and how many more there are."""
    for name in ("b c", "a", "d", "e"):
        command("init", name)
    done = command("status")
    assert "name a workspace of this folder: -w a, -w 'b c', -w d (and 1 more)\n" in done.err


def test_init_leaves_a_workspace_as_it_is(command: Command, tmp_path: Path) -> None:
    """A second init is no error, and changes nothing."""
    command("init", "work")
    (tmp_path / "work" / "labels.yaml").write_text("- Own\n", "utf-8")
    again = command("init", "work", "--json")
    assert (again.code, again.json["created"]) == (0, False)
    assert (tmp_path / "work" / "labels.yaml").read_text("utf-8") == "- Own\n"


def test_init_refuses_a_file(command: Command, pairs: Path) -> None:
    """As a slip, told before anything is written."""
    done = command("init", str(pairs))
    assert type(done.error) is InvalidInput
    assert str(pairs) in done.error.message


@pytest.mark.parametrize("is_folder", [False, True])
def test_init_with_bad_settings_creates_nothing(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_folder: bool
) -> None:
    """The settings of the person are read first, also if their file cannot be read."""
    settings = tmp_path / "config.toml"
    if is_folder:
        settings.mkdir()
    else:
        settings.write_text("nothing = known", "utf-8")
    monkeypatch.setenv("TUI_ANNOTATE_CONFIG", str(settings))
    assert command("init", "work").code != 0
    assert not (tmp_path / "work").exists()


def test_ingest_twice_adds_nothing(filled: Command, pairs: Path) -> None:
    """The same file once more is known, says so, and ends with 0."""
    again = filled("ingest", str(pairs), "--id-column", "id")
    assert (again.code, len(again.err.splitlines())) == (0, 1)
    assert "--source-column" in again.err
    assert numbers(again.out) == [2]
    report = filled("ingest", str(pairs), "--id-column", "id", "--json").json
    assert (report["added"], report["known"]) == (0, 2)


@pytest.mark.parametrize("form", ["mercury", "faithbench"])
def test_an_export_with_numbers_for_ids_is_known(
    filled: Command, tmp_path: Path, form: str
) -> None:
    """A stored sample is recognized by the id in its metadata and its texts."""
    with workspaces.open() as space:
        person, key = space.person("ana").id, SampleKey("pairs", "bridge")
        space.annotate.add(person, key, claim("a", label="Unwanted"), seconds=1)
    assert filled("export", "--to", form, "-o", "out.json").code == 0
    ingest = ("ingest", "out.json", "--dataset", "pairs", "--embedder", "none", "--json")
    for _ in range(2):
        done = filled(*ingest).json
        counts = ["added", "known", "annotations", "annotations_known", "refused"]
        assert [done[name] for name in counts] == [0, 2, 0, 1, 0]
    text = (tmp_path / "out.json").read_text("utf-8")
    (tmp_path / "out.json").write_text(text.replace("1889", "1890"), "utf-8")
    assert filled(*ingest, "--dry-run").json["added"] == 1


def test_ingest_tells_its_figures_as_json(command: Command, pairs: Path) -> None:
    """--json gives every count, the problems and the outcome."""
    command("init")
    shown = command("ingest", str(pairs), "--embedder", "none", "--json").json
    expected = {
        "added": 2,
        "known": 0,
        "refused": 0,
        "warnings": 1,
        "documents": 4,
        "outcome": "all",
    }
    assert {name: shown[name] for name in expected} == expected
    (doubt,) = shown["problems"]
    assert (doubt["where"], doubt["refused"]) == (f"{pairs}:1", False)
    assert "--id-column id" in doubt["hint"]


def test_a_refused_record_ends_with_3(command: Command, pairs: Path) -> None:
    """One bad line is told with its place; the good ones are in."""
    pairs.write_text(pairs.read_text("utf-8") + "{broken\n", "utf-8")
    command("init")
    done = command("ingest", str(pairs), "--embedder", "none")
    assert done.code == 3
    assert f"{pairs}:3" in done.err
    assert numbers(done.out) == [2, 1]
    assert command("status", "--json").json["samples"] == 2


def test_an_unreadable_file_is_no_refused_sample(command: Command, tmp_path: Path) -> None:
    """The number of its samples is unknown, so the report counts the problem only."""
    (tmp_path / "a.csv").write_bytes(b"source,summary\x00\n" + b"A.,B.\n" * 30)
    command("init")
    done = command("ingest", "a.csv", "--embedder", "none")
    assert (done.code, done.out.count("sample"), numbers(done.out)) == (2, 0, [1])


def test_problems_that_are_all_listed_get_no_totals(command: Command, tmp_path: Path) -> None:
    """Totals by kind are printed only if there are more problems than the report lists."""
    command("init")
    for count, has_totals in ((3, False), (30, True)):
        rows = ["source,summary", *["A.,"] * count, "A.,B."]
        (tmp_path / "a.csv").write_text("\n".join(rows), "utf-8")
        done = command("ingest", "a.csv", "--embedder", "none")
        assert ("problems by kind" in done.err) == has_totals


@pytest.mark.parametrize(("given", "found"), [("^", 0), ("tab", 2), ("ab", 2), ('"', 2)])
def test_a_delimiter_is_one_character(
    command: Command, tmp_path: Path, given: str, found: int
) -> None:
    """Another text is refused, and a delimiter that does not fit leaves no record."""
    (tmp_path / "a.csv").write_text("source^summary\nA.^B.\n", "utf-8")
    command("init")
    done = command("ingest", "a.csv", "--delimiter", given, "--embedder", "none")
    assert done.code == found


def test_one_sheet_of_a_workbook_is_imported(command: Command, tmp_path: Path) -> None:
    """--sheet selects the sheet; an unknown sheet ends with 2, before anything is stored."""
    pair = [["source", "summary"], ["A.", "B."]]
    workbook(tmp_path / "a.xlsx", train=pair, test=pair)
    command("init")
    assert command("ingest", "a.xlsx", "--sheet", "tset", "--embedder", "none").code == 2
    assert command("ingest", "a.xlsx", "--sheet", "test", "--embedder", "none").code == 0
    assert [each["name"] for each in command("datasets", "list", "--json").json] == ["a-test"]


def _samples(command: Command) -> dict[str, int]:
    return {each["name"]: each["samples"] for each in command("datasets", "list", "--json").json}


def _write_rows(folder: Path, count: int) -> list[str]:
    folder.mkdir()
    for number in range(count):
        row = {"source": f"It cost {number}.", "summary": "It cost 15."}
        (folder / f"r{number}.json").write_text(json.dumps(row), "utf-8")
    return sorted(str(path) for path in folder.iterdir())


@pytest.mark.parametrize("given", ["rows", "rows/*.json", "rows/r?.json"])
def test_many_files_of_one_row_are_one_dataset(
    command: Command, tmp_path: Path, given: str
) -> None:
    """A folder or a pattern is a dataset with its name; a second import adds nothing."""
    _write_rows(tmp_path / "rows", 9)
    command("init")
    assert command("ingest", given, "--embedder", "none").code == 0
    assert _samples(command) == {"rows": 9}
    assert command("ingest", given, "--embedder", "none", "--json").json["known"] == 9


def test_several_files_in_one_dataset_have_ids_with_their_names(
    command: Command, tmp_path: Path
) -> None:
    """Ids are those of an import of the whole folder, so both imports add each sample once."""
    files = _write_rows(tmp_path / "rows", 3)
    command("init")
    report = command("ingest", *files, "--dataset", "rows", "--embedder", "none", "--json").json
    assert (report["added"], report["refused"]) == (3, 0)
    assert command("ingest", "rows", "--embedder", "none", "--json").json["known"] == 3
    assert command("datasets", "replace", "rows", "rows/r0.json", "rows/r1.json").code == 0
    assert _samples(command) == {"rows": 2}


def test_a_folder_of_mixed_files_is_imported(command: Command, tmp_path: Path) -> None:
    """A broken file is refused alone; files of other kinds are named in a warning."""
    _write_rows(folder := tmp_path / "rows", 1)
    (folder / "a.csv").write_text("source|summary\nA.|B.\n", "utf-8")
    (folder / "bad.jsonl").write_text("nope", "utf-8")
    (folder / "read.me").write_text("nope", "utf-8")
    workbook(folder / "b.xlsx", one=[["source", "summary"], ["A.", "B."]])
    command("init")
    done = command("ingest", "rows", "--embedder", "none", "--json")
    assert (done.code, _samples(command)) == (3, {"rows": 3})
    refused = [each["where"] for each in done.json["problems"] if each["refused"]]
    (warned,) = [each for each in done.json["problems"] if not each["refused"]]
    assert [Path(where).name for where in refused] == ["bad.jsonl:1"]
    assert "read.me" in warned["message"]


def test_files_of_one_row_are_separate_datasets_with_a_note(
    command: Command, tmp_path: Path
) -> None:
    """A shell's pattern without --dataset makes many datasets; the note says how to make one."""
    files = _write_rows(tmp_path / "rows", 3)
    command("init")
    done = command("ingest", *files, "--embedder", "none")
    assert _samples(command) == {"r0": 1, "r1": 1, "r2": 1}
    assert "--dataset" in done.err


def test_a_pattern_without_files_is_refused(command: Command) -> None:
    """Nothing is stored, as for a file that does not exist."""
    command("init")
    assert command("ingest", "rows/*.json").code == 2


def _pipe(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_standard_input_is_read(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The format is found by the content; problems name standard input, not a temporary file."""
    command("init")
    _pipe(monkeypatch, '{"source": "A.", "summary": "B."}\n{"source": "A."}\n')
    done = command("ingest", "-", "--embedder", "none", "--json")
    assert (done.code, _samples(command)) == (3, {"stdin": 1})
    assert done.json["problems"][0]["where"] == "standard input:2"
    assert command("ingest", "-", "-").code == 2


@pytest.mark.parametrize("words", ["ingest - --embedder none", "convert - a.jsonl --to native"])
def test_columns_of_standard_input_are_chosen(
    command: Command, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    """Other names are found as in a file, and printed; the input is read once."""
    command("init")
    _pipe(monkeypatch, '{"document": "It cost 12 million.", "claim": "It cost 12."}\n')
    done = command(*words.split())
    assert done.code == 0
    assert "standard input" in done.err
    assert "--summary-column" in done.err


def test_standard_input_without_a_known_format_needs_a_name(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CSV with unknown names of columns is read with --from, by convert too."""
    table = "quelle,kurz\nA.,B.\n"
    columns = ("--source-column", "quelle", "--summary-column", "kurz")
    command("init")
    _pipe(monkeypatch, table)
    assert command("ingest", "-").code == 2
    _pipe(monkeypatch, table)
    done = command("ingest", "-", "--from", "csv", "--dataset", "a", "--embedder", "none", *columns)
    assert (done.code, _samples(command)) == (0, {"a": 1})
    _pipe(monkeypatch, table)
    done = command("convert", "-", "-", "--from", "csv", "--to", "native", *columns)
    assert json.loads(done.out)["dataset"] == "stdin"


@pytest.mark.parametrize("name", ["ingest", "view"])
def test_an_address_is_refused_with_the_way_to_download(command: Command, name: str) -> None:
    """The program opens no network connection for a file."""
    command("init")
    error = command(name, "https://example.org/a.csv").error
    assert error is not None
    assert "curl" in error.hint


def test_all_problems_are_written_to_a_file(command: Command, tmp_path: Path) -> None:
    """The file has more problems than the report keeps; the totals by kind are printed last."""
    rows = [*[["A.", ""]] * 1200, *[["", "B."]] * 30, ["A.", "B."]]
    text = "".join(f"{','.join(row)}\n" for row in [["source", "summary"], *rows])
    (tmp_path / "a.csv").write_text(text, "utf-8")
    command("init")
    done = command("ingest", "a.csv", "--embedder", "none", "--problems", "p.jsonl")
    lines = (tmp_path / "p.jsonl").read_text("utf-8").splitlines()
    assert (done.code, len(lines)) == (3, 1230)
    assert json.loads(lines[-1])["where"] == "a.csv:1231"
    assert [numbers(line) for line in done.err.splitlines()[-2:]] == [[1200], [30]]
    again = command("datasets", "replace", "a", "a.csv", "--problems", "q.jsonl", "--json")
    assert (again.code, sorted(again.json["problem_kinds"].values())) == (2, [30, 1200])
    assert (tmp_path / "q.jsonl").read_text("utf-8").splitlines() == lines


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this machine")
@pytest.mark.parametrize("count", [1, 1200])
@pytest.mark.parametrize("name", ["ingest", "convert", "replace"])
def test_a_full_disk_for_the_problems_changes_no_result(
    command: Command, tmp_path: Path, name: str, count: int
) -> None:
    """The report names what is stored or written; the error is only about the list."""
    rows = [["source", "summary"], *[["A.", ""]] * count, ["A.", "B."]]
    (tmp_path / "a.csv").write_text("".join(f"{','.join(row)}\n" for row in rows), "utf-8")
    command("init")
    words = {
        "ingest": ["ingest", "a.csv", "--embedder", "none"],
        "convert": ["convert", "a.csv", "out.jsonl", "--to", "native"],
        "replace": ["datasets", "replace", "a", "a.csv"],
    }[name]
    if name == "replace":
        command("ingest", "a.csv", "--dataset", "a", "--embedder", "none")
    usual = command(*words)
    (tmp_path / "out.jsonl").unlink(missing_ok=True)
    done = command(*words, "--problems", "/dev/full")
    assert done.code == 1
    assert "list of problems" in done.err
    assert "nothing was changed" not in done.err
    if name == "convert":
        assert len((tmp_path / "out.jsonl").read_text("utf-8").splitlines()) == 1
        assert usual.err.splitlines()[0] in done.err
    else:
        report = "1 sample added" if name == "ingest" else "nothing was stored"
        assert report in usual.out
        assert done.code == 1
        assert numbers(done.out) == numbers(usual.out)


@pytest.mark.parametrize("name", ["a.csv", "-"])
def test_problems_are_written_to_a_file_of_their_own(
    command: Command, tmp_path: Path, name: str
) -> None:
    """An input file is never overwritten by its problems."""
    (tmp_path / "a.csv").write_text("source,summary\nA.,B.\n", "utf-8")
    command("init")
    assert command("ingest", "a.csv", "--problems", name).code == 2
    assert (tmp_path / "a.csv").read_text("utf-8") == "source,summary\nA.,B.\n"


@pytest.mark.parametrize("name", ["ingest", "convert"])
def test_a_file_name_that_is_not_utf8_is_a_problem_in_the_file(
    command: Command, tmp_path: Path, name: str
) -> None:
    """The wrong byte is an escape of JSON, as with `--json`; the other files are imported."""
    rows = "source,summary\nA.,B.\n"
    (tmp_path / "in").mkdir()
    for file in (b"a.csv", b"b\xff.csv"):
        (tmp_path / "in" / os.fsdecode(file)).write_text(rows, "utf-8")
    command("init")
    what = {"ingest": ["--embedder", "none"], "convert": ["out.jsonl", "--to", "native"]}[name]
    done = command(name, "in", *what, "--problems", "p.jsonl")
    assert done.code == 3
    problems = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text("utf-8").splitlines()]
    assert any("b\udcff.csv" in each["where"] + each["message"] for each in problems)
    if name == "ingest":
        assert sum(_samples(command).values()) == 1


def test_an_error_leaves_an_existing_file_of_problems(command: Command, tmp_path: Path) -> None:
    """A misspelt option does not empty the problems of an earlier import."""
    (tmp_path / "a.csv").write_text("source,summary\nA.,B.\n", "utf-8")
    (tmp_path / "p.jsonl").write_text("precious\n", "utf-8")
    command("init")
    assert command("ingest", "a.csv", "--from", "no-such", "--problems", "p.jsonl").code == 2
    assert (tmp_path / "p.jsonl").read_text("utf-8") == "precious\n"


def test_nothing_in_ends_with_2(command: Command, pairs: Path) -> None:
    """A file of which nothing can be taken ends with 2."""
    command("init")
    done = command("ingest", str(pairs), "--source-column", "article", "--embedder", "none")
    assert done.code == 2
    assert "article" in done.err


def test_strict_stores_all_or_nothing(command: Command, pairs: Path) -> None:
    """With --strict one bad line keeps everything out."""
    pairs.write_text(pairs.read_text("utf-8") + "{broken\n", "utf-8")
    command("init")
    counted = command("ingest", str(pairs), "--strict", "--embedder", "none", "--json").json
    assert (counted["added"], counted["refused"], counted["outcome"]) == (0, 1, "none")
    assert counted["documents"] == counted["segments"] == 0
    done = command("ingest", str(pairs), "--strict", "--embedder", "none")
    assert done.code == 2
    assert "--strict" in done.out
    assert numbers(done.out) == [1]
    printed = command("ingest", str(pairs), "--strict", "--embedder", "none", "--json")
    assert (printed.code, printed.json["added"], printed.json["outcome"]) == (2, 0, "none")
    assert command("status", "--json").json["samples"] == 0


def test_dry_run_stores_nothing(command: Command, pairs: Path) -> None:
    """--dry-run tells what would come in, and leaves the store as it was."""
    command("init")
    done = command("ingest", str(pairs), "--dry-run", "--embedder", "none")
    assert done.code == 0
    assert numbers(done.out) == [2]
    assert command("status", "--json").json["samples"] == 0


def test_a_missing_file_is_an_error(command: Command, pairs: Path) -> None:
    """A file that is not there is named, without a traceback, and nothing of the others is in."""
    command("init")
    done = command("ingest", str(pairs), "absent.csv", "--embedder", "none")
    assert done.code == 2
    assert "absent.csv" in done.err
    assert "Traceback" not in done.err
    assert command("status", "--json").json["samples"] == 0


def test_many_problems_are_cut_for_people(command: Command, tmp_path: Path) -> None:
    """People see the first problems and how many more there are; JSON has them all."""
    file = tmp_path / "bad.jsonl"
    bad = [json.dumps({"id": n, f"text {n}": "A."}) for n in range(30)]
    file.write_text("\n".join([*bad, json.dumps(PAIRS[0])]) + "\n", "utf-8")
    command("init")
    ingest = ("ingest", str(file), "--id-column", "id", "--dry-run", "--embedder", "none")
    report = command(*ingest).err
    assert len(re.findall(rf"^{file}:\d+: ", report, re.MULTILINE)) == 20
    assert 10 in numbers(report)
    shown = command(*ingest, "--json").json
    assert len(shown["problems"]) == 30


def test_what_is_wrong_everywhere_is_told_once(command: Command, tmp_path: Path) -> None:
    """At the first place, with the others; what is wrong otherwise is told beside it."""
    file = tmp_path / "bad.jsonl"
    file.write_text((json.dumps(PAIRS[0]) + "\n") * 30 + "{broken\n", "utf-8")
    command("init")
    done = command("ingest", file.name, "--id-column", "nope", "--embedder", "none")
    assert done.code == 2
    assert done.err.split("problems by kind")[0].count("'nope'") == 1
    assert f"{file.name}:1: " in done.err
    assert " :2, " in done.err
    assert 26 in numbers(done.err)
    assert "--json" in done.err
    assert f"{file.name}:31: " in done.err


def test_the_other_places_of_what_is_wrong_are_named(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of each file, in one line that stays short; all that is kept is listed by JSON."""
    monkeypatch.chdir(tmp_path)
    for name, bad in {"a": 1, "b": 20, "c": 2, "d": 1200}.items():
        Path(f"{name}.jsonl").write_text(f"{json.dumps(PAIRS[0])}\n" + "{bad\n" * bad, "utf-8")
    command("init", "w")
    options = ("-w", "w", "--dataset", "x", "--dry-run", "--embedder", "none")
    few = command("ingest", "a.jsonl", "b.jsonl", "c.jsonl", *options).err
    (line,) = [line for line in few.split("\n") if line.startswith("a.jsonl:2: ")]
    assert " b.jsonl:2, :3, :4, c.jsonl:2, :3 " in line
    assert 17 in numbers(line)
    assert "--json" in line
    assert len(line) <= 200
    many = command("ingest", "d.jsonl", "a.jsonl", *options).err
    (line,) = [line for line in many.split("\n") if " :3, :4, :5 " in line]
    assert 995 in numbers(line)
    assert "--json" not in line


def dump(file: Path, *labels: str, summary: str = "The bridge cost 15 million.") -> str:
    """A dump of one sample whose annotations have these labels; gives its path."""
    places = enumerate(labels)
    said = [
        {"annot_id": f"{n}", "annotator": "li", "label": [label], "note": "",
         "summary_start": n, "summary_end": n + 3}
        for n, label in places
    ]  # fmt: skip
    record = {"sample_id": 0, "source": "It opened in 1932.", "summary": summary}
    file.write_text(json.dumps([{**record, "annotations": said}]), "utf-8")
    return str(file)


def test_labels_that_the_set_lacks_are_told(command: Command, tmp_path: Path) -> None:
    """How many annotations, how many labels, what to do; nothing is refused."""
    odd = ("Unwanted.Instrinsic", "Unwanted.Instrinsic", "Bad", "Benign")
    file = dump(tmp_path / "odd.json", *odd)
    command("init")
    done = command("ingest", file, "--embedder", "none")
    line = "tui-annotate labels normalize --dry-run --dataset odd"
    *_, warning, hint = done.err.splitlines()
    assert line in hint
    assert all(word in hint for word in ("labels.yaml", "tui-annotate labels check"))
    assert numbers(warning) == [3, 2]
    assert (done.code, numbers(done.out)[:2]) == (0, [1, 4])
    checked = command("doctor")
    assert "tui-annotate labels check" in checked.out + checked.err
    assert line not in command("ingest", file, "--embedder", "none").err
    fine = dump(tmp_path / "fine.json", "Benign", summary="Fine.")
    shown = command("ingest", fine, "--embedder", "none", "--json").json
    assert (
        shown["annotations_with_unknown_labels"],
        shown["unknown_labels"],
        shown["datasets_with_unknown_labels"],
    ) == (0, 0, [])
    worse = dump(tmp_path / "worse.json", "Worse", summary="Worse.")
    shown = command("datasets", "replace", "fine", worse, "--delete-annotations", "--json").json
    assert (
        shown["annotations_with_unknown_labels"],
        shown["unknown_labels"],
        shown["datasets_with_unknown_labels"],
    ) == (1, 1, ["fine"])
    assert command(*shlex.split(line)[1:]).code == 0


def test_labels_are_held_against_the_set_of_their_dataset(command: Command, tmp_path: Path) -> None:
    """Its own where it has one; a set that can not be read stops no ingest."""
    command("init")
    command("ingest", dump(tmp_path / "own.json", "Benign"), "--embedder", "none")
    (tmp_path / "own.yaml").write_text("- Benign\n- Mine\n", "utf-8")
    command("labels", "apply", "own.yaml", "--dataset", "own")
    dump(tmp_path / "own.json", "Benign", "Mine")
    assert (
        command("ingest", "own.json", "--embedder", "none", "--json").json[
            "annotations_with_unknown_labels"
        ]
        == 0
    )
    (tmp_path / "labels.yaml").write_text("- A: {", "utf-8")
    other = dump(tmp_path / "other.json", "Mine", summary="Other.")
    done = command("ingest", other, "--embedder", "none")
    assert (done.code, "labels normalize" in done.err) == (0, False)


@pytest.mark.parametrize("words", [[], ["status"], ["ingest", "x.csv"], ["annotate"]])
def test_outside_a_workspace_the_next_step_is_told(command: Command, words: list[str]) -> None:
    """Without a workspace every command says how to make one."""
    done = command(*words)
    assert done.code == (2 if words else 0)
    assert "tui-annotate init" in done.out + done.err


def test_the_better_choice_ends_with_a_command_that_works_here(
    command: Command, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A workspace that was named stands in it; one that was found does not."""
    monkeypatch.delenv("TUI_ANNOTATE_EMBEDDER")
    for folder, options, end in (
        (
            "my work",
            ("-w", "my work"),
            "tui-annotate -w 'my work' lab vectors rebuild --embedder neural",
        ),
        (".", (), "tui-annotate lab vectors rebuild --embedder neural"),
    ):
        command("init", folder)
        report = command("ingest", str(pairs), "--id-column", "id", *options).err
        assert report.splitlines()[-1].endswith(end)
