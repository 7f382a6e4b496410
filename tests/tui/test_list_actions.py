"""The tables of actions of the screens with a list."""

from __future__ import annotations

from typing import Any

import pytest
from textual.screen import Screen

from tui_annotate.lab.position import screen as positions
from tui_annotate.lab.position.screen import PositionsScreen
from tui_annotate.tui.list_actions import ListAction, help_groups, key_line
from tui_annotate.tui.screens import queue
from tui_annotate.tui.screens.collection import screen as collection
from tui_annotate.tui.screens.collection.screen import CollectionScreen
from tui_annotate.tui.screens.queue import QueueScreen

TABLES = [
    (collection.ACTIONS, [collection.KEY_LINE]),
    (queue.ACTIONS, [queue.KEY_LINE, queue.SCORED_KEY_LINE]),
    (positions.ACTIONS, [positions.KEY_LINE]),
]


@pytest.mark.parametrize("screen", [CollectionScreen, QueueScreen, PositionsScreen])
def test_a_list_handles_every_action_and_no_other(screen: type[Any]) -> None:
    """Each binding calls a method, each method has a key."""
    called = {binding.action.partition("(")[0] for binding in screen.BINDINGS}
    handled = {name for kind in (screen, *screen.__bases__) for name in vars(kind)}
    assert called == {
        name.removeprefix("action_") for name in handled if name.startswith("action_")
    } - {name.removeprefix("action_") for name in vars(Screen)}


@pytest.mark.parametrize(("actions", "lines"), TABLES)
def test_each_key_is_in_the_help_and_has_one_meaning(
    actions: tuple[ListAction, ...], lines: list[tuple[str, ...]]
) -> None:
    """The help has a row for all keys but the one that shows it, and the one that clears a text."""
    rows = [row for group in help_groups(actions) for row in group.rows]
    assert len(rows) == len([action for action in actions if action.id not in ("help", "clear")])
    pressed = [key for action in actions for key in action.pressed]
    assert len(pressed) == len(set(pressed))
    named = {name for line in lines for name in line}
    assert named == {action.id for action in actions if action.short}
    for line in lines:
        assert len(key_line(actions, line)) == len(line)
