"""The program as a process: exit codes, streams, and what it loads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.cli.conftest import Command
from tests.helpers.terminal import Terminal, program
from tests.services.ingest_stores import Words
from tui_annotate import workspace
from tui_annotate.cli import commands, screen
from tui_annotate.cli.options import COLUMN_OPTIONS, TEXT_OPTIONS
from tui_annotate.domain.errors import NotFound
from tui_annotate.plugins import registry

ROOT = Path(__file__).parents[2]
HEADLESS = [
    ["--help"],
    ["status"],
    ["annotate", "--list-keys", "--json"],
    ["export", "--to", "csv"],
    ["lab", "match", "--sample", "bridge", "--side", "summary", "--span", "0:5"],
    ["doctor"],
    ["datasets", "list"],
]


def process(command: list[str]) -> subprocess.CompletedProcess[str]:
    """A process of its own in the current folder, with nothing on standard input."""
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("arguments", HEADLESS, ids=" ".join)
def test_headless_commands_load_no_screen(arguments: list[str], filled: Command) -> None:
    """A command without a screen ends without Textual in memory."""
    assert filled("status").code == 0
    script = (
        "import json, sys\nfrom tui_annotate.cli.main import run\n"
        f"code = run({arguments!r})\n"
        "sys.stderr.write(json.dumps([code, 'textual' in sys.modules]))"
    )
    done = process([sys.executable, "-c", script])
    assert json.loads(done.stderr.splitlines()[-1]) == [0, False]


def test_numbers_are_crunched_on_one_thread() -> None:
    """Unless somebody asks for more."""
    script = (
        "import os, sys\nfrom tui_annotate.cli.main import run\n"
        "run(['--version'])\nprint(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules)"
    )
    env = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for asked, expected in (({}, "1 False"), ({"OPENBLAS_NUM_THREADS": "2"}, "2 False")):
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=env | asked | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines()[-1] == expected


def test_annotate_without_a_terminal_says_what_to_use(filled: Command) -> None:
    """Where nothing can be drawn, annotate ends with 1 and names the other commands."""
    assert filled("status").code == 0
    done = process(program("annotate"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "terminal" in done.stderr
    assert "match" in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "code"),
    [("--sample", "nope", 2), ("--order", "nope", 2), ("--as", "no\npe", 2), ("-w", "nope", 2)],
)
def test_a_bad_option_is_told_before_a_missing_terminal(
    filled: Command, option: str, value: str, code: int
) -> None:
    """What the user wrote comes first: it stays wrong in any terminal."""
    assert filled("status").code == 0
    done = process(program("annotate", option, value))
    assert (done.returncode, done.stdout) == (code, "")
    assert "pe" in done.stderr
    assert "standard input" not in done.stderr


def test_a_dumb_terminal_is_refused(filled: Command, tmp_path: Path) -> None:
    """A terminal that can not move its cursor is refused with the line that mends it."""
    assert filled("status").code == 0
    with Terminal(program("annotate"), env={"TERM": "dumb"}, folder=tmp_path) as terminal:
        assert terminal.end() == 2
        assert "xterm-256color" in terminal.text


def test_misuse_ends_with_2(command: Command) -> None:
    """Unknown commands and options, and missing ones, end with 2 and a hint."""
    for words in (["no-such"], ["status", "--no-such"], ["lab", "match"]):
        done = command(*words)
        assert done.code == 2
        assert done.err.startswith("error: ")
        assert "--help" in done.err


def test_a_wrong_value_is_told_in_our_words(command: Command) -> None:
    """With those that there are, and without the library that looked at it."""
    done = command("lab", "match", "--sample", "x", "--side", "sumary", "--span", "0:1")
    assert done.code == 2
    for report in ("'--side'", "'sumary'", "'summary'"):
        assert report in done.err.splitlines()[0]
    assert "pydantic" not in done.err


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--source-column", ["ingest", "a.csv", "--source-column", ""]),
        ("--id-column", ["ingest", "a.csv", "--id-column="]),
        ("--embedder", ["ingest", "--embedder", "", "a.csv"]),
        ("--span-column", ["convert", "a.csv", "b.json", "--span-column", "", "--to", "native"]),
        ("--person", ["export", "--person", ""]),
        ("-w", ["export", "-w", ""]),
        ("-w", ["-w", "", "status"]),
        ("-o", ["export", "-o", ""]),
        ("--person", ["agreement", "--person", "ana", "--person", ""]),
        ("--as", ["annotate", "--as", ""]),
        ("--sample", ["annotate", "--sample="]),
        ("--link-imported", ["users", "create", "ana", "--link-imported", ""]),
        ("--embedder", ["lab", "assist", "evaluate", "a.json", "--embedder="]),
    ],
)
def test_an_empty_value_of_an_option_is_refused(
    filled: Command, option: str, words: list[str]
) -> None:
    """An unset variable of a script never means the default, all people or this folder."""
    done = filled(*words)
    assert (done.code, done.out) == (2, "")
    assert f"{option} is empty" in done.err
    assert not Path("b.json").exists()


def test_an_empty_word_that_is_no_value_of_a_name_is_accepted(filled: Command) -> None:
    """A text can be removed, and after `--` no word is an option."""
    assert filled("datasets", "edit", "pairs", "--license", "", "--origin=").code == 0
    done = filled("ingest", "--", "--id-column", "")
    assert "the value of" not in done.err


def test_a_group_without_a_command_shows_its_commands(command: Command) -> None:
    """Its help as it is, and 2, as nothing was done."""
    done = command("datasets")
    assert (done.code, done.err) == (2, "")
    assert "tui-annotate datasets" in done.out.splitlines()[0]
    assert "  delete " in done.out


def test_the_version_is_printed(command: Command) -> None:
    """--version is one line."""
    assert command("--version").out.startswith("tui-annotate ")


def test_hostile_arguments_do_not_act_on_the_terminal(filled: Command) -> None:
    """Names with escape sequences in them come back as pictures."""
    for words in (["datasets", "show", "\x1b[2J"], ["\x1b[2J"], ["ingest", "\x1b[2J.csv"]):
        done = filled(*words)
        assert done.code in {1, 2}
        assert "\x1b" not in done.out + done.err


def test_a_broken_pipe_is_quiet(filled: Command) -> None:
    """Whoever stops reading gets no traceback."""
    assert filled("status").code == 0
    done = process(
        ["bash", "-c", f"'{sys.executable}' -m tui_annotate annotate --list-keys | head -1"]
    )
    assert done.stderr == ""


INTERRUPTED_DESTRUCTOR: Final = """
import sys, time
from tui_annotate import __main__

class Held:
    def __del__(self):
        raise KeyboardInterrupt

sys.unraisablehook = __main__._handle_unraisable
try:
    Held()
    time.sleep(30)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interruption_says_that_nothing_is_lost(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C ends with 130, without a traceback."""

    def interrupted(_arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "run", interrupted)
    done = command("status")
    assert done.code == 130
    assert "saved" in done.err


@pytest.mark.parametrize("left", [RuntimeError("broken transaction"), NotFound("no such table")])
def test_an_error_that_an_interruption_leaves_behind_is_an_interruption(
    command: Command, monkeypatch: pytest.MonkeyPatch, left: Exception
) -> None:
    """Cleaning up after Ctrl-C may fail; the exit code is 130 all the same, without a traceback."""

    def interrupted(_arguments: object) -> int:
        try:
            raise KeyboardInterrupt
        finally:
            raise left

    monkeypatch.setattr(commands, "run", interrupted)
    done = command("status")
    assert done.code == 130
    assert str(left) not in done.err


@pytest.mark.usefixtures("interruptible")
def test_an_interruption_where_python_cannot_raise_is_repeated() -> None:
    """In a destructor Python would print Ctrl-C and go on."""
    done = process([sys.executable, "-c", INTERRUPTED_DESTRUCTOR])
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


@pytest.mark.usefixtures("interruptible")
def test_a_real_interruption_of_ingest_ends_with_130(command: Command, tmp_path: Path) -> None:
    """SIGINT in the middle of an ingest ends with 130 and leaves a store that goes on."""
    command("init")
    lines = [
        json.dumps({"source": f"Sentence {n}. " * 200, "summary": "One."}) for n in range(3000)
    ]
    (tmp_path / "big.jsonl").write_text("\n".join(lines), "utf-8")
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        program("ingest", "big.jsonl", "--embedder", "none"),
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        log = tmp_path / "store.sqlite-wal"
        while not (log.exists() and log.stat().st_size > 100_000):
            with suppress(subprocess.TimeoutExpired):
                raise AssertionError(f"ended with {running.wait(0.02)} before it could be stopped")
        os.killpg(running.pid, signal.SIGINT)
        _, err = running.communicate()
    assert running.returncode == 130
    assert "Traceback" not in err
    assert command("doctor").code == 0


def test_an_interruption_while_vectors_are_computed_keeps_the_texts(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit code is 130, and the same command then computes the vectors."""

    class Interrupted(Words):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if len(self.calls) > 1:
                raise KeyboardInterrupt
            return super().embed(texts)

    command("init")
    lines = [json.dumps({"source": f"Text {n}. " * 300, "summary": "One."}) for n in range(9)]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines), "utf-8")
    ingest = ("ingest", "pairs.jsonl", "--embedder", "neural")
    make = registry._make_plugin
    for embedder, code in ((Interrupted(), 130), (Words(), 0)):
        made = {"embedders": embedder}
        monkeypatch.setattr(
            registry,
            "_make_plugin",
            lambda kind, *rest, made=made: made.get(kind) or make(kind, *rest),
        )
        assert command(*ingest).code == code
        with workspace.open(tmp_path) as space:
            assert len(space.corpus.keys()) == 9
            used = space.corpus.vector_set()
            assert (used is not None and space.corpus.waiting(used.table)[0] == 0) is (code == 0)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("annotate", {}),
        ("annotate --as ana", {"name": "ana"}),
        ("annotate -w x --sample a/1", {"workspace": "x", "sample": "a/1"}),
        ("annotate --order random", {"order": "random"}),
        ("annotate --as", None),
        ("annotate --as --order", None),
        ("annotate --as a --as b", None),
        ("annotate --help", None),
        ("annotate extra", None),
        ("annotate --no x", None),
        ("status", None),
        ("", None),
    ],
)
def test_only_a_plain_annotate_goes_the_short_way(
    words: str, expected: dict[str, str] | None
) -> None:
    """The short way reads plain options; anything else is left to Typer."""
    assert screen.parse_annotate(words.split()) == expected


def test_the_short_way_knows_every_option() -> None:
    """The options that are read without Typer are those of Typer that need no FILE."""
    import typer.main

    group = typer.main.get_command(commands.app)
    parameters = group.commands["annotate"].params  # type: ignore[attr-defined]
    known = {
        option: parameter.name
        for parameter in parameters
        for option in parameter.opts
        if parameter.param_type_name == "option" and option not in {"-h", "--help"}
    }
    of_files = {"format_name", "offsets", *COLUMN_OPTIONS, *TEXT_OPTIONS}
    of_keys = {"list_keys", "as_json"}
    assert {
        each: name for each, name in known.items() if name not in of_files | of_keys
    } == screen.OPTIONS


def test_an_error_of_the_system_is_told_in_one_line(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the operating system refuses ends with 1, its name and no traceback."""

    def refused(_arguments: object) -> int:
        raise PermissionError(13, "refused by a test", "some\x1bfile")

    monkeypatch.setattr(commands, "run", refused)
    done = command("status")
    assert done.code == 1
    assert done.err == "error: some\u241bfile: refused by a test\n"


def test_an_interrupted_question_ends_its_line(
    filled: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message after ctrl+c, which ends no line, begins on a line of its own."""

    def interrupt() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True, readline=interrupt))
    done = filled("datasets", "delete", "pairs")
    assert done.code == 130
    assert "\ninterrupted" in done.err


def test_a_no_stops_with_130(filled: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who answers no to a question has changed nothing, and was not interrupted."""
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True, readline=lambda: "n\n"))
    done = filled("datasets", "delete", "pairs")
    assert (done.code, done.out) == (130, "")
    assert done.err.endswith("[y/N] nothing was changed\n")
    assert "interrupted" not in done.err
    assert filled("status", "--json").json["samples"] == 2
