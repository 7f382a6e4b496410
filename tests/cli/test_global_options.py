"""Options of every command: before and after its name, quiet, verbose, and colours."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tui_annotate.cli import output
from tui_annotate.cli.commands import place_global_options, program
from tui_annotate.cli.global_options import find_workspace_value, split_leading
from tui_annotate.settings.environment import find_misspelt_variables

PLACED = {
    "-w news labels list": "labels list -w news",
    "--workspace=news labels list": "labels list --workspace=news",
    "labels -w news list": "labels list -w news",
    "-wnews --json --quiet labels list": "labels list -wnews --json --quiet",
    "-w one review list -w two": "review list -w one -w two",
    "-w news datasets formats --json": "datasets formats --json",
    "-w news --json datasets formats": "datasets formats --json",
    "datasets formats -w news --json": "datasets formats --json",
    "datasets formats -- -w": "datasets formats -- -w",
    "-w news init other": "init -w news other",
    "--color never status": "status --color never",
    "-w news": "-w news",
    "-w news --help": "-w news --help",
    "--json nothing": "--json nothing",
}


@pytest.mark.parametrize("line", PLACED)
def test_options_before_the_name_are_moved_behind_it(line: str) -> None:
    """The order stays, so that the last of two counts; an unused workspace is dropped.

    It is kept where a command would create a workspace elsewhere: the command refuses it.
    """
    assert place_global_options(program(), shlex.split(line)) == shlex.split(PLACED[line])


def test_leading_options_are_split_off_with_their_values() -> None:
    """Up to the first word that is none."""
    assert split_leading(["-w", "a", "--json", "status", "-w", "b"]) == (
        ["-w", "a", "--json"],
        ["status", "-w", "b"],
    )
    assert split_leading(["-w"]) == ([], ["-w"])


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("-w a status", "a"),
        ("status -w a -w b", "b"),
        ("status -wa", "a"),
        ("status --workspace=a", "a"),
        ("messages questions reply 1 -- -w", ""),
        ("status", ""),
        ("status -w", ""),
    ],
)
def test_the_workspace_of_a_line_is_found(line: str, folder: str) -> None:
    """Wherever it is given; the last one counts."""
    assert find_workspace_value(shlex.split(line)) == folder


def test_a_workspace_before_the_name_is_used(filled: Command, tmp_path: Path) -> None:
    """Both places mean the same."""
    assert filled("status").code == 0
    folder = str(Path.cwd())
    before = filled("--json", "-w", folder, "status")
    assert before.code == 0
    assert before.json["samples"] == filled("status", "-w", folder, "--json").json["samples"]
    assert filled("-w", str(tmp_path / "none"), "status").code != 0


def test_json_of_a_command_without_data_is_refused(filled: Command) -> None:
    """Wherever it is given."""
    assert filled("--json", "ssh", "session").code == 2


def test_quiet_prints_no_notes(capsys: pytest.CaptureFixture[str]) -> None:
    """Warnings and errors are printed all the same."""
    output.reset()
    output.print_note("done")
    output.set_quiet()
    output.print_note("done")
    output.print_problem("broken", "mend it")
    output.reset()
    assert capsys.readouterr().err == "done\nbroken\n  hint: mend it\n"


def test_hints_repeat_the_workspace() -> None:
    """In each command, but not where one is named or made."""
    output.reset(workspace="my news")
    added = [
        output.add_workspace(text)
        for text in (
            "tui-annotate status, or tui-annotate export",
            "tui-annotate -w other status",
            "tui-annotate init news",
            "tui-annotate backup restore copy news, then tui-annotate backup create",
            "tui-annotate lab trust-endpoint URL",
            "check the file",
        )
    ]
    output.reset()
    assert added == [
        "tui-annotate -w 'my news' status, or tui-annotate -w 'my news' export",
        "tui-annotate -w other status",
        "tui-annotate init news",
        "tui-annotate backup restore copy news, then tui-annotate -w 'my news' backup create",
        "tui-annotate lab trust-endpoint URL",
        "check the file",
    ]


def test_colours_are_asked_for_and_refused(
    filled: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On standard output that is no terminal there are none unless always."""
    monkeypatch.setenv("NO_COLOR", "")
    monkeypatch.setenv("FORCE_COLOR", "")
    assert "\x1b[" not in filled("status", "--help").out
    assert "\x1b[" in filled("--color", "always", "status", "--help").out
    assert "\x1b[" not in filled("status", "--color", "never", "--help").out
    assert filled("status", "--color", "red").code == 2


def test_misspelt_variables_are_found() -> None:
    """By the nearest name; variables of other programs, and far ones, are left alone."""
    found = find_misspelt_variables(
        {
            "TUI_ANNOTATE_WORKSPCE": "x",
            "TUI_ANNOTATE_WORKSPACE": "x",
            "TUI_ANNOTATE_XYZ": "x",
            "TUI_ANNOTATE_THEME": "x",
            "HOME": "x",
        }
    )
    assert list(found) == [("TUI_ANNOTATE_WORKSPCE", "TUI_ANNOTATE_WORKSPACE")]


QUIET = (
    "init more",
    "labels retire Questionable",
    "messages announcements create hello",
    "suggestions hide --dataset pairs",
    "assignments pool --dataset pairs",
    "datasets delete pairs --yes",
)


def test_quiet_hides_confirmations_and_no_data(filled: Command) -> None:
    """Commands that change something print nothing; a dry run and a list are data."""
    assert "retire" in "".join(_texts(filled, "labels retire Questionable --dry-run --quiet"))
    assert filled("assignments", "pool", "--dataset", "pairs", "--dry-run", "--quiet").out
    assert [_texts(filled, f"{line} --quiet") for line in QUIET] == [("", "")] * len(QUIET)
    assert "hello" in filled("messages", "announcements", "list", "--quiet").out


def _texts(command: Command, line: str) -> tuple[str, str]:
    done = command(*shlex.split(line))
    assert done.code == 0
    return done.out, done.err


@pytest.mark.parametrize(
    "line",
    [
        "export --to csv --dataset a --dataset b",
        "export --to csv --dataset a --dataset=a",
        "export -t csv --to native",
        "labels normalize --dataset a --dataset b",
        "lab judge sort x.csv --model a --model b",
        "annotate --sample a --sample b",
    ],
)
def test_an_option_with_one_value_is_refused_twice(command: Command, line: str) -> None:
    """The first value would be lost without a message."""
    command("init")
    done = command(*line.split())
    assert done.code == 2
    assert "is given 2 times" in done.err


def test_options_with_several_values_and_flags_can_be_repeated(filled: Command) -> None:
    """So can global options, of which the last one applies."""
    assert filled("status", "--json", "--json", "--color", "never", "--color", "never").code == 0
    assert "is given" not in filled("agreement", "--person", "a", "--person", "b").err
