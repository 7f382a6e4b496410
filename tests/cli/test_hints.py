"""Hints of importers, in the words of the command that runs."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tui_annotate import workspace as workspaces
from tui_annotate.cli.hints import RunningCommand
from tui_annotate.plugins.joined_texts import SEPARATOR

JOINED = f"The mill by the river was built in 1874.{SEPARATOR}The mill was built in 1871."
START = JOINED.index("1871")


@pytest.fixture
def ambiguous(tmp_path: Path) -> str:
    """A Label Studio task with a span whose quote fits in code points and in UTF-16 units."""
    value = {"start": 6, "end": 8, "text": "aa", "labels": ["A"]}
    region = {"id": "r", "from_name": "l", "to_name": "summary", "type": "labels", "value": value}
    task = {
        "id": 1,
        "data": {"source": "The mill was built.", "summary": "aaaa\N{BRIDGE AT NIGHT}aaaa"},
        "annotations": [{"completed_by": 1, "result": [region]}],
    }
    (tmp_path / "tasks.json").write_text(json.dumps([task]), "utf-8")
    return "tasks.json"


def test_the_unit_of_offsets_has_the_option_of_the_command(
    command: Command, tmp_path: Path, ambiguous: str
) -> None:
    """`convert` states the unit of the file it reads by another option than `ingest`."""
    done = command("convert", ambiguous, "out", "--to", "native", "--problems", "p.jsonl")
    assert done.code == 3
    assert "--read-offsets codepoint" in done.err
    (problem,) = map(json.loads, (tmp_path / "p.jsonl").read_text("utf-8").splitlines())
    assert "--read-offsets codepoint" in problem["hint"]
    command("init", "w")
    words = ("-w", "w", "ingest", ambiguous, "--embedder", "none", "--dry-run")
    assert " --offsets codepoint" in command(*words).err
    (problem,) = command(*words, "--json").json["problems"]
    assert " --offsets codepoint" in problem["hint"]
    for option in ("codepoint", "utf16"):
        read = ("convert", ambiguous, "out", "--to", "native", "--read-offsets", option)
        assert command(*read).code == 0


def test_an_option_that_the_command_lacks_is_named_with_its_command(
    command: Command, tmp_path: Path
) -> None:
    """Scores of spans become suggestions, which only `ingest` stores."""
    spans = [{"start": 0, "end": 3, "prob": 0.5}]
    row = {"source": "The mill was built.", "summary": "The mill is new.", "spans": spans}
    (tmp_path / "a.jsonl").write_text(json.dumps(row), "utf-8")
    done = command("convert", "a.jsonl", "-", "--to", "native", "--span-column", "spans")
    assert "--spans-as is an option of tui-annotate ingest" in done.err


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("c.jsonl", [{"topic": "The mill was built.", "remark": "Rain falls often."}]),
        (
            "d.jsonl",
            [{"first": "The mill was built here.", "other": "It was built.", "annotations": []}],
        ),
    ],
)
def test_unclear_columns_give_a_whole_command(
    command: Command, tmp_path: Path, name: str, rows: list[dict[str, object]]
) -> None:
    """It has the file's own columns and the user's words, and can be copied."""
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / name).write_text(lines, "utf-8")
    done = command("convert", name, "out put", "--to", "native")
    assert done.code == 2
    shown = done.err.partition(": tui-annotate ")[2].splitlines()[0]
    words = shlex.split(shown)
    assert words[:5] == ["convert", name, "out put", "--to", "native"]
    columns = dict(zip(words[5::2], words[6::2], strict=True))
    assert columns.keys() == {"--source-column", "--summary-column"}
    assert {*columns.values()} <= rows[0].keys()
    assert command(*words).code in (0, 3)


def test_a_column_without_texts_is_not_proposed(command: Command, tmp_path: Path) -> None:
    """The command that the hint prints has a word to replace where no column is likely."""
    row = {"text": "The mill was built here.", "answer": "accept"}
    (tmp_path / "a.jsonl").write_text(json.dumps(row), "utf-8")
    done = command("convert", "a.jsonl", "out", "--to", "native")
    assert done.code == 2
    assert (
        "convert a.jsonl out --to native --source-column text --summary-column COLUMN" in done.err
    )


@pytest.mark.parametrize(
    "words", [("convert", "a.json", "o", "--to", "native"), ("annotate", "a.json")]
)
def test_an_unclear_format_gives_a_whole_command(
    command: Command, tmp_path: Path, words: tuple[str, ...]
) -> None:
    """With two words to replace, as nothing shows which texts are the source and the summary."""
    rows = [{"topic": "A.", "claim": "B.", "score": 1}]
    (tmp_path / "a.json").write_text(json.dumps(rows), "utf-8")
    done = command(*words)
    assert done.code == 2
    shown = shlex.split(done.err.rpartition(": tui-annotate ")[2])
    options = ["--source-column", "COLUMN", "--summary-column", "COLUMN"]
    assert shown == [*words, *options]
    options[1::2] = ["topic", "claim"]
    assert command(*words, *options).code == 0


def test_one_file_of_several_is_to_be_imported_alone(command: Command, tmp_path: Path) -> None:
    """The options of the hint would be wrong for the other files."""
    (tmp_path / "a.csv").write_text("source,summary\nA mill.,A mill.\n", "utf-8")
    (tmp_path / "b.json").write_text(json.dumps([{"topic": "A.", "claim": "B."}]), "utf-8")
    command("init", "w")
    for words in (
        ["-w", "w", "ingest", "a.csv", "b.json"],
        ["convert", ".", "o", "--to", "native"],
    ):
        done = command(*words)
        assert (done.code, "import this file alone" in done.err) == (3, True)


@pytest.mark.parametrize(
    "line",
    [
        {"id": 1, "text": JOINED, "label": [[START, START + 4, "A"]]},
        {"id": 1, "text": JOINED, "labels": [[START, START + 4, "A"]]},
        {"id": 1, "data": JOINED, "label": [[START, START + 4, "A"]]},
        {"doc_id": 1, "text": JOINED, "entities": [[START, START + 4, "A"]], "username": "admin"},
    ],
)
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_file_that_looks_like_doccano_gives_the_whole_command(
    command: Command, tmp_path: Path, line: dict[str, object], kind: str
) -> None:
    """The command reads the file with its spans."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "ana.jsonl").write_text(json.dumps(line), "utf-8")
    name = "work/ana.jsonl" if kind == "file" else "work"
    done = command("convert", name, "out", "--to", "native")
    assert done.code == 2
    words = shlex.split(done.err.partition(": tui-annotate ")[2])
    assert words == ["convert", name, "out", "--to", "native", "--from", "doccano"]
    assert command(*words).code == 0
    (record,) = map(json.loads, (tmp_path / "out").read_text("utf-8").splitlines())
    assert [one["quotes"] for one in record["annotations"]] == [["1871"]]


CONVERT = RunningCommand(
    ["convert", "a b.csv", "--source-column", "x", "--", "-"],
    {"--source-column", "--id-column", "--read-offsets", "--offsets"},
    {"--source-column", "--id-column", "--offsets", "--spans-as"},
)


@pytest.mark.parametrize(
    ("hint", "adapted"),
    [
        ("fix the file", "fix the file"),
        ("pass --offsets utf16", "pass --read-offsets utf16"),
        (
            "pass --spans-as suggestions",
            "pass --spans-as suggestions (--spans-as is an option of tui-annotate ingest)",
        ),
        ("run: tui-annotate ingest --offsets utf16", "run: tui-annotate ingest --offsets utf16"),
        ("pass --yes", "pass --yes"),
    ],
)
def test_options_of_ingest_are_translated(hint: str, adapted: str) -> None:
    """Whole commands and options of other commands stay."""
    assert CONVERT.adapt_hint(hint) == adapted
    assert RunningCommand().adapt_hint(hint) == hint


@pytest.mark.parametrize(
    ("hint", "completed"),
    [
        (
            "for example: --source-column 'y z'",
            "for example: tui-annotate convert 'a b.csv' --source-column 'y z' -- -",
        ),
        (
            "for example: --id-column n",
            "for example: tui-annotate convert 'a b.csv' --source-column x --id-column n -- -",
        ),
        ("pass --id-column n", "pass --id-column n"),
        ("a: --id-column n; b: --source-column y", "a: --id-column n; b: --source-column y"),
        ("it is: --id-column of the user's table", "it is: --id-column of the user's table"),
        ("it is: --unknown n", "it is: --unknown n"),
    ],
)
def test_options_at_the_end_of_a_hint_become_a_whole_command(hint: str, completed: str) -> None:
    """A given option of the same name is replaced; hints in prose stay as they are."""
    assert CONVERT.complete_hint(hint) == completed


def test_the_dataset_of_a_file_name_that_is_not_utf8_is_an_option_of_the_command(
    command: Command, tmp_path: Path
) -> None:
    """`convert` needs no workspace for it; `annotate FILE` has no such option."""
    name = os.fsdecode(b"a\xff.csv")
    (tmp_path / name).write_text("source,summary\nA.,B.\n", "utf-8")
    error = command("convert", name, "-", "--to", "native").error
    assert error is not None
    assert "--dataset NAME" in error.hint
    assert "ingest" not in error.hint
    done = command("convert", name, "-", "--to", "native", "--dataset", "d")
    assert json.loads(done.out)["dataset"] == "d"
    done = command("annotate", name)
    assert "--dataset is an option of tui-annotate ingest" in done.err


def test_commands_in_hints_quote_names_with_spaces(command: Command, tmp_path: Path) -> None:
    """Names of datasets and of samples; each command is typed as the hint prints it."""
    on = ("--dataset", "old news")
    row = {"id": "s 1", "source": "The mill was built.", "summary": "The mill is new."}
    (tmp_path / "a.jsonl").write_text(json.dumps(row), "utf-8")
    assert command("init").code == 0
    assert command("ingest", "a.jsonl", *on, "--id-column", "id", "--embedder", "none").code == 0

    def suggested(*words: str) -> list[str]:
        """The last command in the hint of the error that a command ends with."""
        error = command(*words).error
        assert error is not None
        return shlex.split(error.hint.rpartition("tui-annotate ")[2])

    assert suggested("labels", "retire", "Unwanted", *on)[-2:] == [*on]
    assert suggested("assignments", "promote-to-gold", *on)[-2:] == [*on]
    with workspaces.open(tmp_path) as space:
        person, (key,) = space.person("kim").id, space.corpus.keys()
        space.annotate.finish(person, key, seconds=0)
    allow = ("review", "allow", "s 1", "--reason", "no second annotator")
    assert command(*allow).code == 0
    assert suggested(*allow)[-2:] == ["--sample", str(key)]
    assert command("assignments", "gold", *on, "--gold", "kim").code == 0
    assert suggested("assignments", "promote-to-gold", *on, "s 1")[-2:] == [
        "--sample",
        "old news/s 1",
    ]
