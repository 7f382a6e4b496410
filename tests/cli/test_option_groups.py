"""Groups of options: Typer sees each option, the function gets the group."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from tui_annotate.cli.option_groups import GroupedCommand


@dataclass(frozen=True)
class Limits:
    """Two options of the command below."""

    low: Annotated[int, typer.Option("--low")] = 1
    high: Annotated[int, typer.Option("--high")] = 9


def test_a_group_becomes_its_options_at_its_place() -> None:
    """The parameters before and after it stay where they are."""

    def count(*, first: int = 0, limits: Limits, last: int = 0) -> None: ...

    names = list(inspect.signature(GroupedCommand(count)).parameters)
    assert names == ["first", "low", "high", "last"]


def test_the_function_gets_the_group_of_what_was_given() -> None:
    """An option that is not given has the default of its field."""
    calls: list[tuple[Limits, bool]] = []

    def count(*, limits: Limits, verbose: bool = False) -> None:
        calls.append((limits, verbose))

    app = typer.Typer()
    app.command()(GroupedCommand(count))
    done = CliRunner().invoke(app, ["--high", "5", "--verbose"])
    assert (done.exit_code, calls) == (0, [(Limits(1, 5), True)])
