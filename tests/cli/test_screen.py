"""The way to the first frame, without drawing: what the app is given, and what is refused."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.conftest import Command
from tests.helpers.terminal import ROOT
from tui_annotate.cli import demo, screen
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.settings import person_name, remember_name
from tui_annotate.workspace import Workspace

DATA = str(ROOT / "sample_data")


class Drawn:
    """Stands for the app: keeps what it was given, and opens the workspace as the app does."""

    def __init__(self) -> None:
        self.given: dict[str, Any] = {}
        self.opened = Path()

    def run(self, open_workspace: Callable[[], Workspace], **given: Any) -> int:
        """As `tui.app.run`."""
        self.given = given
        with open_workspace() as workspace:
            self.opened = workspace.path
        return 0


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """A terminal, and the app's stand-in."""
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(screen, "sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    stand_ins = {"stdin": terminal, "stdout": terminal}
    monkeypatch.setattr(demo, "sys", SimpleNamespace(**{**vars(sys), **stand_ins}))
    monkeypatch.setenv("TERM", "xterm-256color")
    stand_in = Drawn()
    monkeypatch.setattr("tui_annotate.tui.app.run", stand_in.run)
    return stand_in


def test_the_app_gets_what_was_asked_for(filled: Command, drawn: Drawn, tmp_path: Path) -> None:
    """Name, sample and order reach the app; the log is the workspace's."""
    done = filled("annotate", "--as", "ana", "--sample", "tea", "--order", "random:7")
    assert done.code == 0
    log = tmp_path / screen.LOG
    usual = {"bound": None, "own": True, "reviewing": False, "action": ""}
    asked = {"person": "ana", "sample": "tea", "order": "random:7", "log": log}
    assert drawn.given == asked | usual
    assert drawn.opened == tmp_path


def test_each_member_of_a_group_has_an_own_log(
    filled: Command, drawn: Drawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever does not own the workspace writes beside its owner's log."""
    monkeypatch.setattr("os.geteuid", lambda: 12345)
    filled("annotate")
    assert drawn.given["log"] == tmp_path / "log" / "app-12345.log"


def test_typer_and_the_short_way_do_the_same(filled: Command, drawn: Drawn) -> None:
    """Options that only Typer reads give the app the same."""
    filled("annotate", "--as", "ana", "--sample", "tea")
    plain = drawn.given
    filled("annotate", "--as=ana", "--sample=tea")
    assert drawn.given == plain


def test_the_order_is_the_workspaces(filled: Command, drawn: Drawn, tmp_path: Path) -> None:
    """Without --order the settings of the workspace decide."""
    (tmp_path / "tui-annotate.toml").write_text('order = "ingested"\n', "utf-8")
    filled("annotate")
    assert drawn.given["order"] == "ingested"


def test_garbage_is_looked_for_again(filled: Command, drawn: Drawn) -> None:
    """Once the workspace is open, also when that failed, the collector is on."""
    filled("annotate")
    assert drawn.opened.name
    assert gc.isenabled()


def test_wrong_settings_are_told_before_anything_is_drawn(
    filled: Command, drawn: Drawn, tmp_path: Path
) -> None:
    """A settings file with an unknown key ends with 2 and names it."""
    (tmp_path / "tui-annotate.toml").write_text("colour = 1\n", "utf-8")
    done = filled("annotate")
    assert done.code == 2
    assert "'colour'" in done.err
    assert drawn.given == {}


def test_the_demo_opens_on_its_own_workspace(
    command: Command, drawn: Drawn, tmp_path: Path
) -> None:
    """On a terminal the demo fills its workspace, the app has it, then the way back is told."""
    done = command("init", "--demo", "try", "--data", DATA)
    assert done.code == 0
    assert done.out.endswith(f" annotate -w {tmp_path / 'try'}\n")
    assert drawn.opened == tmp_path / "try"


@pytest.mark.usefixtures("drawn")
def test_a_name_is_remembered_for_one_workspace(filled: Command, tmp_path: Path) -> None:
    """The name is stored after the workspace is opened; other workspaces do not use it."""
    assert filled("annotate", "--as", "ana").code == 0
    assert person_name(tmp_path) == "ana"
    assert filled("annotate").code == 0
    assert person_name(tmp_path) == "ana"
    assert filled("init", "other").code == 0
    assert filled("annotate", "-w", "other").code == 0
    assert person_name(tmp_path / "other") == "reader"


@pytest.mark.usefixtures("drawn")
def test_with_accounts_a_name_says_nothing(filled: Command, tmp_path: Path) -> None:
    """So it is not remembered."""
    add = ("users", "create", "--name", "ben", "--email", "b@example.org", "--invite")
    assert filled(*add).code == 0
    assert filled("annotate", "--as", "ana").code == 0
    assert person_name(tmp_path) == "reader"


def test_the_demo_is_tried_under_the_login_name(
    command: Command, drawn: Drawn, tmp_path: Path
) -> None:
    """Whoever was last at work stays remembered, and the way back names who tried it."""
    remember_name(tmp_path / "try", "ana")
    done = command("init", "--demo", "try", "--data", DATA)
    assert drawn.given["person"] == "reader"
    assert done.out.rstrip().endswith(" --as reader")
    assert command("init", "--demo", "try", "--data", DATA, "--as", "bo").code == 0
    assert drawn.given["person"] == "bo"
    assert person_name(tmp_path / "try") == "ana"


def test_the_demo_without_a_terminal_does_the_job(command: Command) -> None:
    """Without a screen the same is printed; a second run adds nothing."""
    first = command("init", "--demo", "try")
    assert first.code == 0
    assert re.search(r"^2 .*\breader\b", first.out, re.MULTILINE)
    again = command("init", "--demo", "try")
    assert re.search(r"^0 .*\breader\b.* 2\b", again.out, re.MULTILINE)


def test_the_demo_refuses_other_data(command: Command, tmp_path: Path) -> None:
    """A folder without the pairs, damaged pairs, and pairs without the demo's words, are told."""
    assert command("init", "--demo", "try", "--data", str(tmp_path)).code == 2
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"id": "bridge-1", "source": "A."}\n', "utf-8")
    done = command("init", "--demo", "try", "--data", str(tmp_path))
    assert done.code == 2
    assert f"{pairs}: " in done.err
    pairs.write_text('{"id": "bridge-1", "group": "a", "source": "A.", "summary": "B."}\n', "utf-8")
    done = command("init", "--demo", "try", "--data", str(tmp_path))
    assert done.code == 2
    assert "15 million pounds" in done.err


def test_no_terminal_is_refused(monkeypatch: pytest.MonkeyPatch, filled: Command) -> None:
    """A stream that is none, and a terminal that can not draw, are told apart."""
    assert filled("status").code == 0
    with pytest.raises(InvalidInput, match=r"annotate.*standard input"):
        screen.annotate(None)
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(screen, "sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    monkeypatch.setenv("TERM", "dumb")
    with pytest.raises(InvalidInput, match=r"annotate.*'dumb'"):
        screen.annotate(None)
