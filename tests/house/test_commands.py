"""Every command explains itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import typer
from typer.testing import CliRunner

from tui_annotate.cli.commands import app


def commands() -> Iterator[tuple[str, ...]]:
    """The words of every command, groups taken apart."""

    def walk(typer_app: typer.Typer, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        for command in typer_app.registered_commands:
            function = command.callback
            assert function is not None
            yield (*words, command.name or function.__name__.replace("_", "-"))
        for group in typer_app.registered_groups:
            assert group.typer_instance is not None
            yield from walk(group.typer_instance, (*words, str(group.name)))

    return walk(app, ())


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_every_command_has_help_with_an_example(words: tuple[str, ...]) -> None:
    """Help is there, begins with a sentence, describes each option, and shows a line to copy."""
    shown = CliRunner().invoke(app, [*words, "--help"])
    assert shown.exit_code == 0
    assert f"  tui-annotate {' '.join(words)}" in shown.output
    for line in shown.output.partition("Options:")[2].partition("Examples:")[0].splitlines():
        assert not line.startswith("  -") or "  " in line.strip() or len(line) > 30
