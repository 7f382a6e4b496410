"""What the program says without a command: where one is, what was done, lines that work."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Command, numbers
from tui_annotate.cli.welcome import FIRST_STEPS, NEXT_STEPS, WORK
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.samples import SampleKey
from tui_annotate.settings import remember_name
from tui_annotate.workspace import open as open_workspace


def test_the_first_steps_that_are_told_work(command: Command, tmp_path: Path) -> None:
    """Copied one after the other, in an empty folder with the file that they name."""
    table = "id,source,summary\n1,It cost 12 million pounds.,It cost 15.\n"
    (tmp_path / "pairs.csv").write_text(table)
    (tmp_path / "more.csv").write_text(table)
    steps = [step for step in (*FIRST_STEPS, *NEXT_STEPS) if step != "tui-annotate init --demo"]
    ends = {step: command(*shlex.split(step)[1:]) for step in steps}
    needs_terminal = ends.pop("tui-annotate annotate")
    assert type(needs_terminal.error) is InvalidInput
    assert "standard input" in needs_terminal.error.message
    assert {step: done.code for step, done in ends.items()} == dict.fromkeys(ends, 0)
    assert (tmp_path / "annotations.csv").exists()
    assert all(step in command("--help").out for step in FIRST_STEPS)
    assert all(step in command().out for step in NEXT_STEPS)


def test_an_empty_workspace_wants_texts_first(command: Command, tmp_path: Path) -> None:
    """It says that it is empty, and no more that a workspace be made."""
    command("init")
    shown = command().out
    assert f" {tmp_path}\n" in shown
    assert all(step in shown for step in WORK)
    assert "init" not in shown


def test_whoever_worked_here_is_told_where_they_were(filled: Command, tmp_path: Path) -> None:
    """Nobody is made by being asked about; whoever finished something hears how much."""
    remember_name(tmp_path, "ana")
    assert numbers(filled().out.splitlines()[1]) == [2]
    with open_workspace(tmp_path) as space:
        assert space.people.all() == ()
        ana, key = space.person("ana").id, SampleKey("pairs", "bridge")
        space.annotate.finish(ana, key, seconds=1)
        space.annotate.people.keep_place(ana, key, {})
    line = filled().out.splitlines()[1]
    assert numbers(line) == [2, 1]
    assert "ana" in line
    assert "pairs/bridge" in line


def test_with_accounts_a_name_says_nothing(filled: Command, tmp_path: Path) -> None:
    """Whose work it is, the screen asks."""
    with open_workspace(tmp_path) as space:
        space.person("ana")
    remember_name(tmp_path, "ana")
    assert "ana" in filled().out.splitlines()[1]
    add = ("users", "create", "--name", "ben", "--email", "b@example.org", "--invite")
    assert filled(*add).code == 0
    line = filled().out.splitlines()[1]
    assert (numbers(line), "ana" in line) == ([2], False)


def test_a_workspace_that_is_named_must_be_one(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first steps would hide that the environment names another folder."""
    monkeypatch.setenv("TUI_ANNOTATE_WORKSPACE", "nowhere")
    done = command()
    assert type(done.error) is NotFound
    assert "nowhere" in done.error.message
    assert "tui-annotate init nowhere" in done.error.hint
