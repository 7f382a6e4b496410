"""Options that every command accepts, before or after the command's name.

Without an import of Typer, because the annotating screen opens without it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

VALUE_OPTIONS: Final = ("-w", "--workspace", "--color")
"""Global options that take a value."""

FLAGS: Final = ("--json", "--quiet", "--verbose")
"""Global options without a value."""

WORKSPACE: Final = ("-w", "--workspace")


def split_leading(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split a command line into the global options before the command's name, and the rest."""
    at = 0
    while at < len(arguments):
        word = arguments[at]
        if word in FLAGS or word.startswith(("--workspace=", "--color=")) or _is_joined(word):
            at += 1
        elif word in VALUE_OPTIONS and at + 1 < len(arguments):
            at += 2
        else:
            break
    return list(arguments[:at]), list(arguments[at:])


class CommandLine(NamedTuple):
    """A command line, split at the command that it calls.

    Attributes:
        command: the command; the last group that the line names, if it names no command of it.
        path: the words of the command's name.
        options: global options before and between these words.
        rest: the words after the name.
    """

    command: Any
    path: tuple[str, ...]
    options: list[str]
    rest: list[str]


def split_command(group: Any, arguments: Sequence[str]) -> CommandLine:
    """Split a command line at the name of its command, which may have global options in between.

    Args:
        group: the group of all commands.
    """
    line = CommandLine(group, (), [], list(arguments))
    while hasattr(line.command, "commands"):
        options, rest = split_leading(line.rest)
        if not rest or rest[0] not in line.command.commands:
            break
        line = CommandLine(
            line.command.commands[rest[0]],
            (*line.path, rest[0]),
            [*line.options, *options],
            rest[1:],
        )
    return line


def _is_joined(word: str) -> bool:
    return word.startswith("-w") and len(word) > len("-w")


def drop_workspace(arguments: Sequence[str]) -> list[str]:
    """Remove the option `--workspace` from a command line, for commands without a workspace."""
    kept: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--":
            return [*kept, word, *words]
        if word in WORKSPACE:
            next(words, "")
        elif not (word.startswith("--workspace=") or _is_joined(word)):
            kept.append(word)
    return kept


def find_workspace_value(arguments: Sequence[str]) -> str:
    """Return the workspace folder of a command line, as typed, or ""."""
    found = ""
    words = iter(arguments)
    for word in words:
        if word == "--":
            break
        if word in WORKSPACE:
            found = next(words, "")
        elif word.startswith("--workspace="):
            found = word.partition("=")[2]
        elif _is_joined(word):
            found = word.removeprefix("-w")
    return found


def set_color(when: str) -> None:
    """Turn colours on (`always`) or off (`never`) for all libraries, by environment variables."""
    if when == "never":
        os.environ["NO_COLOR"] = "1"
    elif when == "always":
        os.environ.pop("NO_COLOR", None)
        os.environ["FORCE_COLOR"] = "1"
