"""The help of every command: told in full at 80 columns, an option the same wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from tests.cli.conftest import Command
from tui_annotate.cli.commands import app
from tui_annotate.cli.help_format import COMMANDS, OTHER
from tui_annotate.cli.plugin_commands import make_group, panel_of

WIDTH = 78  # columns that the help fills in a terminal of 80
SAME = (
    "--json",
    "--workspace",
    "--yes",
    "--output",
    "--as",
    "--since",
    "--label",
    "--pseudonymize",
)
"""Options that mean the same in all commands but those of `OTHERS`."""
OTHERS = {
    ("", "--json"),
    ("annotate", "--json"),
    ("init", "--as"),
    ("lab models install", "--yes"),
    ("report", "--output"),
    ("sync bundles create", "--output"),
    ("sync pull", "--output"),
    ("audit snapshots replay", "--output"),
    ("users export", "--output"),
    *(
        (f"lab position {name}", "--output")
        for name in ("create-qa", "create-kv", "build-prompts", "evaluate", "run")
    ),
    *((f"lab judge {name}", "--output") for name in ("sort", "generate", "evaluate")),
    ("lab scores train-probe", "--output"),
    ("suggestions create", "--label"),
    ("users delete", "--pseudonymize"),
}


def commands(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command and group under one, by its words."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{path} {name}".strip())


ALL = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("path", [path for path in ALL if hasattr(ALL[path], "commands")])
def test_lists_of_commands_are_told_in_full(path: str) -> None:
    """In 80 columns no sentence of a group's list ends in dots."""
    below = ALL[path].commands
    room = WIDTH - 6 - max(map(len, below))
    cut = {name: one.get_short_help_str(room) for name, one in below.items()}
    assert [report for report in cut.values() if report.endswith("...")] == []


FIRST_LEVEL = (
    *("annotate", "ingest", "export", "status", "labels", "assignments", "guidelines"),
    *("review", "agreement", "users", "backup", "doctor"),
    *("init", "datasets", "view", "convert", "report", "messages", "sync"),
    *("suggestions", "lab", "audit", "store"),
)
"""The commands of `tui-annotate --help`, in their order."""


def listed(help_text: str) -> list[str]:
    """The names of the commands that a help lists, in order."""
    found = re.findall(r"^  ([a-z][a-z-]*)  ", help_text.partition("-h, --help")[2], re.MULTILINE)
    return [str(name) for name in found]


def test_the_help_lists_the_commands_in_the_order_of_work(command: Command) -> None:
    """First what every project needs; no earlier name, and not what only sshd calls."""
    assert listed(command("--help").out) == list(FIRST_LEVEL)
    assert len(FIRST_LEVEL) == 23


def test_every_command_has_a_position_and_a_panel(command: Command) -> None:
    """The help lists no command of this package under "Other commands"."""
    group: Any = make_group(app)
    lab: Any = group.commands["lab"]
    assert listed(command("lab", "--help").out) == list(COMMANDS[len(FIRST_LEVEL) :])
    assert {*COMMANDS} == {*FIRST_LEVEL, *lab.list_commands(None)}
    panels = {
        name: panel_of(each.commands[name]) for each in (group, lab) for name in each.commands
    }
    assert [name for name, panel in panels.items() if panel == OTHER] == ["ssh"]


def test_everything_that_can_be_given_is_explained() -> None:
    """Each option and each argument has a sentence."""
    untold = [
        f"{path} {given.name}"
        for path, command in ALL.items()
        for given in command.params
        if not given.help
    ]
    assert untold == []


@pytest.mark.parametrize("option", SAME)
def test_an_option_is_told_in_the_same_words_everywhere(option: str) -> None:
    """Whoever learned it once need not read it again."""
    report = {
        given.help
        for path, command in ALL.items()
        for given in command.params
        if option in given.opts and (path, option) not in OTHERS
    }
    assert len(report) == 1


def test_a_command_with_an_endpoint_has_a_time_limit() -> None:
    """Each command that takes the address of an endpoint also takes the limit of a request."""
    given = {
        path: {name for each in command.params for name in each.opts}
        for path, command in ALL.items()
    }
    asking = {path for path, names in given.items() if "--base-url" in names}
    assert {"lab judge suggest", "lab position run", "lab scores compute", "ingest"} <= asking
    assert {path for path in asking if "--timeout" not in given[path]} == set()
    assert "--timeout" in given["lab pipeline"]  # its file names the endpoints


def test_the_list_of_commands_builds_no_options() -> None:
    """What it says of each is what the whole command says; a command is built when called."""
    whole = typer.main.get_command(app)
    lean = make_group(app)
    names = lean.list_commands(None)
    assert names == whole.list_commands(None)  # type: ignore[attr-defined]
    for name in names:
        short, command = lean.commands.summary(name), whole.commands[name]  # type: ignore[attr-defined]
        assert (short.name, short.hidden) == (command.name, command.hidden)
        assert short.get_short_help_str(200) == command.get_short_help_str(200)
        assert not getattr(short, "commands", short.params) or name == "lab"
    assert lean.commands.summary("lab").commands.created() == []
    built = [each.name for each in lean.commands["annotate"].params]
    own = [each.name for each in whole.commands["annotate"].params]  # type: ignore[attr-defined]
    assert built == [*own, "_quiet", "_verbose", "_color"]


def test_a_missing_option_is_reported_on_one_line(command: Command) -> None:
    """With the values that it accepts; Typer puts each on a line of its own."""
    missing = command("lab", "match", "--sample", "x")
    assert missing.code == 2
    assert "'--side'. Choose from: source, summary" in missing.err.splitlines()[0]


@pytest.mark.parametrize(
    "name", ["ingest", "convert", "report", "annotate", "view", "datasets replace"]
)
def test_rare_options_are_listed_last(command: Command, name: str) -> None:
    """A command that reads files begins with the options that most people need."""
    usual, _, advanced = command(*name.split(), "--help").out.partition("Advanced:\n")
    assert ("--source-column" in usual, "--span-column" in usual) == (True, False)
    assert "--span-column" in advanced
