"""No way from the screen to a shell, an editor, a file or a clipboard, by key, name or variable."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import textual
from textual.app import App
from textual.command import CommandList

from tests.helpers.terminal import ROOT, Terminal, program
from tests.tui.screens.annotate_app import make_workspace, open_app
from tui_annotate.editor.actions import ACTIONS
from tui_annotate.editor.key_state import KeyState
from tui_annotate.tui import terminal
from tui_annotate.tui.app import AnnotateApp
from tui_annotate.tui.dialogs.message import MessageDialog
from tui_annotate.tui.palette import NAMES

TEXTUAL = Path(textual.__file__).parent
OURS = {"TEXTUAL_ANIMATIONS", "TEXTUAL_COLOR_SYSTEM", "TEXTUAL_DISABLE_KITTY_KEY", "TEXTUAL_FPS"}
"""What the app sets itself, or lets pass: a number and the name of a kind of colours."""


def variables() -> set[str]:
    """Every variable of its own that Textual's sources name."""
    texts = (path.read_text("utf-8") for path in TEXTUAL.rglob("*.py"))
    return {name for text in texts for name in re.findall(r"[\"'](TEXTUAL[A-Z_]*)[\"']", text)}


def test_no_variable_of_textual_reaches_it() -> None:
    """All that its sources name, those of a later version too, but what is set here."""
    named = variables()
    assert {"TEXTUAL", "TEXTUAL_DRIVER", "TEXTUAL_LOG", "TEXTUAL_ALLOW_SIGNALS"} <= named
    environ = {"TERM": "xterm-256color", **dict.fromkeys(named, "evil")}
    terminal.prepare(environ)
    assert {name for name in environ if name.startswith("TEXTUAL")} <= OURS
    assert environ["TEXTUAL_ANIMATIONS"] == "none"
    assert environ["TEXTUAL_COLOR_SYSTEM"] == "256"


WICKED = {
    "TEXTUAL": "devtools,debug,headless",
    "TEXTUAL_DRIVER": "evil:Driver",
    "TEXTUAL_PRESS": "ctrl+q",
    "TEXTUAL_SCREENSHOT": "0",
    "TEXTUAL_FPS": "60",
    "TEXTUAL_COLOR_SYSTEM": "256",
    "TEXTUAL_DEVTOOLS_PORT": "1",
}


def test_all_of_them_together_change_nothing(tmp_path: Path) -> None:
    """No module is imported, no file written, no key pressed; Ctrl-Z is still no signal."""
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / "evil.py").write_text(f"open({str(evil / 'caught')!r}, 'w')\n", "utf-8")
    folder = make_workspace(tmp_path / "work")
    env = {name: WICKED.get(name, str(evil / name)) for name in variables()}
    env |= {"PYTHONPATH": f"{ROOT}:{evil}", "EDITOR": f"touch {evil}/edited"}
    command = program("annotate", "-w", str(folder), "--as", "ana")
    with Terminal(command, env=env, folder=evil) as drawn:
        drawn.wait("to label sentence 1")
        drawn.press("\x1a\x1c")
        drawn.wait(lambda _: drawn.is_raw)
        drawn.press("\x11")
        assert drawn.end() == 0
    there = {path.name for path in evil.iterdir()} - {"__pycache__"}
    assert there == {"evil.py"}
    assert not (evil / "__pycache__").exists()


KEYS = ("ctrl+backslash", "ctrl+s", "f2", "f5", "f12", "ctrl+o", "ctrl+t")


async def test_no_key_of_textuals_own_opens_anything(tmp_path: Path) -> None:
    """Its help, its screenshot: none has a key."""
    async with open_app(make_workspace(tmp_path / "work")) as person:
        before = list(person.app.screen_stack)
        for key in KEYS:
            await person.press(key)
        assert list(person.app.screen_stack) == before
        assert person.app.is_running
    assert os.listdir(tmp_path) == ["work"]  # noqa: PTH208  a list without waiting for a path


async def test_ctrl_z_without_a_shell_opens_a_message_alone(tmp_path: Path) -> None:
    """The message takes `fg`; Enter closes it, and nothing was done on the sample."""
    async with open_app(make_workspace(tmp_path / "work")) as person:
        await person.press("ctrl+z ctrl+z f g")
        opened = [type(screen) for screen in person.app.screen_stack]
        assert opened[-2:] == [type(person.screen), MessageDialog]
        await person.press("enter")
        assert person.app.screen_stack[-1] is person.screen
        assert person.draft.hints is None
        assert person.draft.sample.id == "a"


async def test_the_palette_lists_our_actions_alone(tmp_path: Path) -> None:
    """Those of the key table, and the themes."""
    known = {action.words(state) for action in ACTIONS for state in KeyState}
    known |= {f"theme {name}" for name in NAMES}
    async with open_app(make_workspace(tmp_path / "work")) as person:
        await person.press("colon")
        listed = person.app.screen.query_one(CommandList)
        while not listed.option_count:
            await person.pilot.pause(0.001)
        shown = [str(option.prompt).partition("\n")[0] for option in listed.options]
        assert set(shown) <= known
        assert "theme dark" in shown


REFUSED = {
    "action_screenshot", "action_suspend_process", "copy_to_clipboard", "open_url",
    "get_system_commands",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_textual_offers_is_taken_away(name: str) -> None:
    """Each is ours; a version that calls it otherwise fails here."""
    assert getattr(AnnotateApp, name) is not getattr(App, name)


WAYS = {"subprocess", "webbrowser", "pty", "code", "pdb"}
CALLS = {"system", "popen", "execv", "execve", "execvp", "spawnv", "posix_spawn", "forkpty"}


def reached(path: Path) -> Iterator[str]:
    """What a module imports or calls that could start a program."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in WAYS)
        elif isinstance(node, ast.ImportFrom) and node.module in WAYS:
            yield str(node.module)
        elif isinstance(node, ast.Attribute) and node.attr in CALLS:
            yield node.attr
        elif isinstance(node, ast.Constant) and node.value in {"EDITOR", "VISUAL", "PAGER"}:
            yield str(node.value)


def test_nothing_that_the_screen_is_made_of_starts_a_program() -> None:
    """No shell, editor, pager or browser, in any module below the command line."""
    package = ROOT / "tui_annotate"
    rooms = ("domain", "methods", "services", "settings", "storage", "tui", "workspace")
    files = [path for room in rooms for path in (package / room).rglob("*.py")]
    assert len(files) > 100
    found: dict[str, Any] = {path.name: list(reached(path)) for path in files}
    assert {name: ways for name, ways in found.items() if ways} == {}
