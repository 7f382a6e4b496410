"""The actions of a screen with a list: bindings, key line and help come from one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textual.binding import Binding, BindingType

from tui_annotate.editor.key_map import HelpGroup
from tui_annotate.editor.screen_message import screen_text


def _always(_screen: object) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class ListAction:
    """An action of a screen with a list, and the keys that run it.

    `help`, `group` and the name in `short` are texts that `screen_text` looks up.

    Attributes:
        id: name of the action in the table of its screen.
        calls: maps keys (Textual's names) to the call of the screen's method, such as `move(1)`.
        keys: the keys as the help shows them; empty if the help omits the action.
        group: heading in the help.
        short: (keys, name) on the key line; None if the key line omits the action.
        at_once: whether the action does not wait for rows that are being read.
        when: whether a screen has the action now; takes the screen.
    """

    id: str
    calls: Mapping[str, str]
    keys: str = ""
    help: str = ""
    group: str = "Moving"
    short: tuple[str, str] | None = None
    at_once: bool = False
    when: Callable[[Any], bool] = _always

    @property
    def pressed(self) -> tuple[str, ...]:
        """All keys that run the action, by Textual's names."""
        return tuple(key for keys in self.calls for key in keys.split(","))


def bindings(actions: Iterable[ListAction]) -> list[BindingType]:
    """Return Textual's bindings of the actions, in order."""
    return [
        Binding(keys, call, action.help, show=False)
        for action in actions
        for keys, call in action.calls.items()
    ]


def key_line(actions: Iterable[ListAction], order: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return (keys, name) of actions for the key line, in the order of their ids in `order`."""
    shorts = {action.id: action.short for action in actions if action.short}
    found = (shorts[action_id] for action_id in order if action_id in shorts)
    return tuple((keys, screen_text(name)) for keys, name in found)


def help_groups(actions: Iterable[ListAction]) -> tuple[HelpGroup, ...]:
    """Return the groups of the help in the order of their first actions, without hidden actions."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for action in actions:
        if action.keys:
            row = (action.keys, screen_text(action.help))
            groups.setdefault(screen_text(action.group), []).append(row)
    return tuple(HelpGroup(title, tuple(rows)) for title, rows in groups.items())
