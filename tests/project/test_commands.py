"""Project rules about the commands: each has complete help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tui_annotate.cli.commands import program
from tui_annotate.cli.main import run


def commands() -> Iterator[tuple[str, ...]]:
    """The words of every command, without the groups; the commands of plug-ins are included."""

    def walk(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if not hasattr(command, "commands"):
            yield words
        for name, below in getattr(command, "commands", {}).items():
            yield from walk(below, (*words, name))

    return walk(program(), ())


def _help_faults(words: tuple[str, ...], *, code: int, help_text: str) -> list[str]:
    """What is wrong with the help of one command."""
    options = help_text.partition("Options:")[2].partition("Examples:")[0].splitlines()
    faults = [
        f"option without a description: {line}"
        for line in options
        if line.startswith("  -") and "  " not in line.strip() and len(line) <= 30
    ]
    if code:
        faults.append(f"exit code {code}")
    if f"  tui-annotate {' '.join(words)}" not in help_text:
        faults.append("no example")
    return faults


def test_every_command_has_help_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    """Help exits with 0, describes each option, and shows a line to copy."""
    faults = {}
    for words in commands():
        code = run([*words, "--help"])
        faults[words] = _help_faults(words, code=code, help_text=capsys.readouterr().out)
    assert len(faults) > 100
    assert {words: found for words, found in faults.items() if found} == {}
