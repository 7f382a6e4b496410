"""The app around its screen: what it opens, what it refuses, how it ends."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tui.screens.annotate_app import Words, make_workspace, open_app
from tui_annotate import workspace
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.samples import Side
from tui_annotate.editor.screen_message import use_commands
from tui_annotate.tui import terminal
from tui_annotate.tui.app import AnnotateApp, run
from tui_annotate.workspace import Workspace

ROOT = Path(__file__).parents[2]


def test_textual_gets_no_way_out_of_the_environment() -> None:
    """Variables that open files, import classes or press keys are taken away; colours stay."""
    environ = {
        "TERM": "xterm-256color",
        "TEXTUAL_DRIVER": "evil:Driver",
        "TEXTUAL_LOG": "/somewhere",
        "TEXTUAL_SCREENSHOT": "1",
        "TEXTUAL_PRESS": "a",
        "TEXTUAL_COLOR_SYSTEM": "standard",
    }
    look = terminal.prepare(environ)
    assert look.colors == "standard"
    assert {name for name in environ if name.startswith("TEXTUAL_")} == {
        "TEXTUAL_ANIMATIONS",
        "TEXTUAL_COLOR_SYSTEM",
        "TEXTUAL_DISABLE_KITTY_KEY",
    }


def test_over_ssh_256_colours_are_sent() -> None:
    """An able terminal at the end of a line gets fewer bytes."""
    environ = {"TERM": "xterm", "COLORTERM": "truecolor", "SSH_CONNECTION": "1 2 3 4"}
    assert terminal.prepare(environ).colors == environ["TEXTUAL_COLOR_SYSTEM"] == "256"


def test_standard_error_is_the_log_while_the_app_draws(tmp_path: Path) -> None:
    """What a library writes goes to a file of mode 0600; what Textual writes to the terminal."""
    log = tmp_path / "log" / "app.log"
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from tui_annotate.tui import terminal\n"
        f"with terminal.redirect_stderr(Path({str(log)!r})):\n"
        "    os.write(2, b'a library\\n')\n"
        "    sys.__stderr__.write('the screen \\u4e2d')\n"
        "os.write(2, b'after')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == "the screen 中"
    assert done.stderr == b"after"
    assert log.read_text("utf-8") == "a library\n"
    assert log.stat().st_mode & 0o777 == 0o600


def test_the_log_holds_no_escape_codes(tmp_path: Path) -> None:
    """Neither in a message nor in a traceback."""
    log = tmp_path / "app.log"
    with terminal.redirect_stderr(log):
        try:
            raise ValueError("\x1b[31mred")
        except ValueError as error:
            logging.getLogger("a").critical("\x1b]0;title\x07 %s", "\x9b1m", exc_info=error)
    text = log.read_text("utf-8")
    assert "ValueError: \u241b[31mred" in text
    assert not [each for each in text if not each.isprintable() and each != "\n"]


async def test_a_workspace_that_can_not_be_opened_is_told() -> None:
    """The frame stays, with the reason and what to do."""

    def missing() -> Workspace:
        raise NotFound("no workspace here", "make one")

    app = AnnotateApp(missing)
    async with app.run_test() as pilot:
        while app.sample_screen.saver.waiting or "no workspace" not in shown(app):
            await pilot.pause(0.001)
        assert "no workspace here · make one" in shown(app)
        await pilot.press("x")
        assert app.is_running
        await pilot.press("q")
    assert app.return_code == 0


async def test_commands_on_the_screen_are_whole_and_stay_after_it(tmp_path: Path) -> None:
    """A name that is an id is refused with a command that works when it is typed."""
    with workspace.create(tmp_path / "work") as space:
        space.people.imported("p1", "Paula")
    use_commands(lambda text: text.replace("tui-annotate users", "tui-annotate -w w users"))
    try:
        app = AnnotateApp(lambda: workspace.open(tmp_path / "work"), person="p1")
        async with app.run_test(size=(200, 24)) as pilot:
            while "users merge" not in shown(app):
                await pilot.pause(0.001)
            assert "tui-annotate -w w users merge p1 p1" in shown(app)
            await pilot.press("ctrl+q")
    finally:
        use_commands(str)
    assert app.opening_error is not None
    assert app.opening_error.code == "name-is-id"


def test_the_error_of_the_opening_is_raised_after_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a command prints it on the terminal, with its hint and exit code."""

    def quit_at_once(app: AnnotateApp) -> None:
        app.opening_error = NotFound("no workspace here", "make one")

    def missing() -> Workspace:
        raise AssertionError

    monkeypatch.setattr(AnnotateApp, "run", quit_at_once)
    with pytest.raises(NotFound, match="no workspace here"):
        run(missing, log=tmp_path / "log" / "app.log")


def shown(app: AnnotateApp) -> str:
    """The screen as plain text."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


async def test_an_empty_workspace_says_what_to_do(tmp_path: Path) -> None:
    """No sample: no crash, and the way on."""
    workspace.create(tmp_path / "work").close()
    app = AnnotateApp(lambda: workspace.open(tmp_path / "work"), person="ana")
    async with app.run_test() as pilot:
        while "ingest" not in shown(app):
            await pilot.pause(0.001)
        app.sample_screen.saver.close()


async def test_a_refused_key_map_is_told_and_the_default_keys_hold(tmp_path: Path) -> None:
    """One wrong key takes the whole map away, with the reason on screen."""
    folder = make_workspace(tmp_path / "work")

    def opened() -> Workspace:
        space = workspace.open(folder)
        space.__dict__["assist"] = Words()
        object.__setattr__(space.settings, "keys", {"undo": "5", "sentence.next": "J"})
        return space

    app = AnnotateApp(opened, person="ana", sample="a")
    async with app.run_test(size=(120, 30)) as pilot:
        while app.sample_screen.draft is None or not app.sample_screen.listening_since:
            await pilot.pause(0.001)
        assert "'undo': '5'" in app.sample_screen.line(app.sample_screen.draft, 1000)[0]
        await pilot.press("j")
        assert app.sample_screen.draft.segment(app.sample_screen.draft.side) == 1
        app.sample_screen.saver.close()


async def test_leaving_keeps_the_place(tmp_path: Path) -> None:
    """ctrl+q anywhere: the cursor is where it was, also out of a note, which is kept."""
    folder = make_workspace(tmp_path / "work")
    async with open_app(folder) as person:
        await person.press("down down m h a l f")
        await person.pilot.press("ctrl+q")
    assert person.app.return_code == 0
    async with open_app(folder, sample="") as person:
        assert person.line().startswith("Press 1-6 to label sentence 3")
        assert list(person.draft.kept_notes.values()) == ["half"]


async def test_the_ways_out_of_textual_are_closed(tmp_path: Path) -> None:
    """No screenshot, no shell, no clipboard, no command of Textual's own."""
    async with open_app(make_workspace(tmp_path / "work")) as person:
        app: Any = person.app
        app.action_screenshot(path=str(tmp_path))
        app.copy_to_clipboard("text")
        app.open_url("https://example.org")
        assert list(app.get_system_commands(app.screen)) == []
    assert os.listdir(tmp_path) == ["work"]  # noqa: PTH208  a list without waiting for a path


async def test_a_theme_is_remembered(tmp_path: Path) -> None:
    """The palette offers our themes, and the choice holds the next time."""
    folder = make_workspace(tmp_path / "work")
    async with open_app(folder) as person:
        await person.press("colon")
        await person.press("h i g h minus c o n t")
        await person.press("down enter")
        assert person.app.theme == "high-contrast"
    async with open_app(folder) as person:
        assert person.app.theme == "high-contrast"


async def test_a_layout_is_remembered(tmp_path: Path) -> None:
    """What z chose holds in other samples and the next time; nonsense in the store is nothing."""
    folder = make_workspace(tmp_path / "work")
    async with open_app(folder, size=(120, 30)) as person:
        await person.press("z")
        assert not person.screen.pane(Side.SOURCE).display
        await person.press(">")
        assert not person.screen.pane(Side.SOURCE).display
    async with open_app(folder, size=(120, 30)) as person:
        assert not person.screen.pane(Side.SOURCE).display
        await person.press("z")
        assert person.screen.pane(Side.SOURCE).display
        assert person.screen.pane(Side.SOURCE).size.width == 120
        session = person.screen.session
        assert session
        session.annotate.people.keep_preference(session.person.id, "layout", ["sideways"])
    async with open_app(folder, size=(120, 30)) as person:
        assert person.screen.pane(Side.SOURCE).size.width < 80


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_signals_have_names_here(name: str) -> None:
    """Both are listened to where there are such signals."""
    import signal

    assert hasattr(signal, name)
