"""All texts of the screen: those of the catalogues, and those of the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

from tui_annotate import editor, tui
from tui_annotate.editor import key_lines
from tui_annotate.editor.action import Action
from tui_annotate.editor.actions import ACTIONS
from tui_annotate.editor.screen_message import Plural, ScreenMessage
from tui_annotate.tui.dialogs.legend import LegendEntry
from tui_annotate.tui.list_actions import ListAction

LAB = (
    "tui_annotate.lab.judge.feature",
    "tui_annotate.lab.position.feature",
    "tui_annotate.lab.position.screen",
)
"""Modules of research tools that make texts of the screen."""

KEY_LINES = (
    key_lines.READING_LINE,
    key_lines.ITEM_LINE,
    key_lines.QUESTION_LINE,
    key_lines.SUGGESTION_LINE,
)


def screen_modules() -> list[ModuleType]:
    """All modules that make texts of the screen."""
    names = [
        module.name
        for package in (editor, tui)
        for module in walk_packages(package.__path__, f"{package.__name__}.")
    ]
    return [import_module(name) for name in [*names, *LAB]]


def catalogues() -> list[type[ScreenMessage]]:
    """All catalogues, in the order of their names."""
    screen_modules()
    found = (
        each
        for each in ScreenMessage.__subclasses__()
        if each.__module__.startswith("tui_annotate.")
    )
    return sorted(found, key=lambda each: each.__name__)


def forms(text: str | Plural) -> tuple[str, ...]:
    """The one form of a text, or the two forms of a plural."""
    return (text.one, text.other) if isinstance(text, Plural) else (text,)


def action_texts(action: Action) -> Iterator[str]:
    """The texts of an entry of the table of actions."""
    yield from (action.help, action.group, action.short)
    yield from (*action.at.values(), *action.short_at.values(), *action.group_at.values())


def entry_texts(entry: object) -> Iterator[str]:
    """The texts of all entries of a table, which may be nested."""
    if isinstance(entry, LegendEntry):
        yield entry.meaning
    elif isinstance(entry, ListAction):
        yield from (entry.help, entry.group)
        if entry.short:
            yield entry.short[1]
    elif isinstance(entry, list | tuple):
        for part in entry:
            yield from entry_texts(part)
    elif isinstance(entry, Mapping):
        yield from entry_texts(tuple(entry.values()))


def table_texts() -> Iterator[str]:
    """The texts of the tables: actions, their names on key lines, actions of lists, legends."""
    for action in ACTIONS:
        yield from action_texts(action)
    for line in (*KEY_LINES, *key_lines.STATE_LINES.values(), *key_lines.QUESTIONS.values()):
        yield from (name for _, name in line)
    for module in screen_modules():
        for value in vars(module).values():
            yield from entry_texts(value)


def screen_texts() -> list[str | Plural]:
    """All texts that a screen can display, each once: what a translator translates."""
    texts: dict[str | Plural, None] = {}
    for catalogue in catalogues():
        texts |= dict.fromkeys(message.value for message in catalogue)
    texts |= dict.fromkeys(table_texts())
    texts.pop("", None)
    return list(texts)
