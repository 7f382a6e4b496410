"""The dialogs that ask or tell one thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.tui.stage import HOSTILE, run_stage
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.line_text import line_text
from tui_annotate.editor.key_map import HelpGroup
from tui_annotate.tui.dialogs.find import FindDialog
from tui_annotate.tui.dialogs.frame import Dialog
from tui_annotate.tui.dialogs.help import HelpDialog
from tui_annotate.tui.dialogs.jump import JumpDialog
from tui_annotate.tui.dialogs.label_picker import LabelPicker
from tui_annotate.tui.dialogs.legend import ANNOTATE_MARKS
from tui_annotate.tui.dialogs.message import MessageDialog
from tui_annotate.tui.dialogs.past_annotations import PastAnnotationDialog

_GROUPS = [
    HelpGroup("Moving", [("↑ ↓", "previous and next sentence; the matches follow")]),
    HelpGroup(
        "Marking",
        [("1-9", "save with this label"), ("Space", "take or give back the focused match")],
    ),
]


def _find(text: str) -> str:
    if text != "cnn-1":
        raise NotFound(f"no sample {text!r}", "ids look like cnn-1")
    return text


_ALL: dict[str, Callable[[], Dialog[Any]]] = {
    "find": lambda: FindDialog("", search=str, title="Find"),
    "former": lambda: PastAnnotationDialog(lambda: (), slots={}),
    "help": lambda: HelpDialog(_GROUPS),
    "jump": lambda: JumpDialog(_find),
    "labels": lambda: LabelPicker(parse_labels("[One, Two]"), slots={("One",): 0, ("Two",): 1}),
    "message": lambda: MessageDialog([("Guidelines", "text")]),
}


@pytest.mark.parametrize("name", _ALL)
@pytest.mark.parametrize("key", ["escape", "backspace"])
async def test_escape_and_backspace_close(name: str, key: str) -> None:
    """Every dialog closes without a result; Backspace as long as nothing is typed."""
    async with run_stage(screen=_ALL[name]()) as (stage, pilot):
        await pilot.press(key)
        await pilot.pause()
        assert stage.results == [None]


@pytest.mark.parametrize("name", ["former", "help", "message"])
async def test_q_closes_where_nothing_is_typed(name: str) -> None:
    """Letters are text only where there is an input."""
    async with run_stage(screen=_ALL[name]()) as (stage, pilot):
        await pilot.press("q")
        await pilot.pause()
        assert stage.results == [None]


@pytest.mark.parametrize("name", _ALL)
@pytest.mark.parametrize("size", [(80, 24), (140, 40), (40, 12)])
async def test_every_dialog_shows_its_keys(name: str, size: tuple[int, int]) -> None:
    """The line of keys is in the window at any size."""
    async with run_stage(screen=_ALL[name](), size=size) as (stage, _):
        assert any(word in stage.text() for word in ("Esc", "close"))


async def test_a_jump_dismisses_with_what_was_found() -> None:
    """A wrong id is told inside, and the next try is free."""
    async with run_stage(screen=JumpDialog(_find)) as (stage, pilot):
        await pilot.press("x", "enter")
        await stage.workers.wait_for_complete()
        await pilot.pause()
        assert "✗ no sample 'x'  ids look like cnn-1" in stage.text()
        assert stage.results == []
        await pilot.press("backspace", *"cnn-1", "enter")
        await stage.workers.wait_for_complete()
        await pilot.pause()
        assert stage.results == ["cnn-1"]


async def test_an_error_with_hostile_text_is_harmless() -> None:
    """An error repeats what was typed or stored."""

    def refuse(text: str) -> str:
        raise NotFound(f"{text} {HOSTILE}", HOSTILE)

    async with run_stage(screen=JumpDialog(refuse), size=(140, 24)) as (stage, pilot):
        await pilot.press("x", "enter")
        await stage.workers.wait_for_complete()
        await pilot.pause()
        assert "✗ x ␛]52" in stage.text()


async def test_find_searches_while_one_types() -> None:
    """What is typed takes the place of the last query and is searched; Enter gives it."""
    queries: list[str] = []

    def search(query: str) -> str:
        queries.append(query)
        return f"{len(query)} found"

    async with run_stage(screen=FindDialog("b", search=search, title="Find")) as (stage, pilot):
        await pilot.press("中", "q")
        await pilot.pause()
        assert queries == ["b", "中", "中q"]
        assert "2 found" in stage.text()
        assert stage.lines()[0].strip() == ""
        await pilot.press("enter")
        await pilot.pause()
        assert stage.results == ["中q"]


async def test_help_has_one_column_at_80_and_two_at_140() -> None:
    """Keys and what they do; the key that opened it turns to the marks, and back."""
    async with run_stage(screen=HelpDialog(_GROUPS)) as (stage, pilot):
        assert " ↑ ↓    previous and next sentence; the matches follow" in stage.text()
        assert " Space  take or give back the focused match" in stage.text()
        await pilot.press("question_mark", "end")
        await pilot.pause()
        assert any(line.strip("│ ").startswith("⚑ ") for line in stage.lines())
        await pilot.press("question_mark")
        await pilot.pause()
        assert "Moving" in stage.text()
    async with run_stage(screen=HelpDialog(_GROUPS), size=(140, 40)) as (stage, pilot):
        await pilot.press("question_mark")
        await pilot.pause()
        assert line_text(ANNOTATE_MARKS[0].meaning) in stage.text()
        assert any("⚑ " in line for line in stage.lines())


async def test_hostile_help_is_harmless() -> None:
    """Users name keys, labels and datasets."""
    groups = [HelpGroup(HOSTILE, [(HOSTILE, HOSTILE * 5)])]
    async with run_stage(screen=HelpDialog(groups)) as (stage, _):
        assert "␛]52" in stage.text()


async def test_a_message_turns_and_scrolls() -> None:
    """Pages turn in a circle; long ones scroll; text is wrapped and harmless."""
    long = "\n".join(f"line {number} " + "中文" * 50 for number in range(30)) + HOSTILE
    pages = [("Request", "short [red]x[/]"), ("Guidelines", long)]
    async with run_stage(screen=MessageDialog(pages)) as (stage, pilot):
        assert "▸ Request   Guidelines" in stage.text()
        assert "short [red]x[/]" in stage.text()
        await pilot.press("g")
        await pilot.pause()
        assert "▸ Guidelines" in stage.text()
        assert "line 0 " in stage.text()
        await pilot.press("space", "down", "down", "k", "pageup", "pagedown", "end")
        await pilot.pause()
        assert "␛]52" in stage.text()
        await pilot.press("left")
        await pilot.pause()
        assert "short" in stage.text()
