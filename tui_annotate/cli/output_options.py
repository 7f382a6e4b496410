"""The options `--quiet`, `--verbose` and `--color`, which every command has."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Annotated, Any

import typer

from tui_annotate.cli import output
from tui_annotate.cli.global_options import set_color


class ColorChoice(StrEnum):
    """Values of the option `--color`: when help, tables and messages are coloured."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


def _set_quiet(requested: bool) -> None:  # noqa: FBT001  Typer's callbacks are called this way
    if requested:
        output.set_quiet()


def _set_verbose(requested: bool) -> None:  # noqa: FBT001
    if requested:
        output.set_verbose()


def _set_color(context: typer.Context, when: ColorChoice | None) -> None:
    if when is not None:
        set_color(when.value)
        context.color = {ColorChoice.ALWAYS: True, ColorChoice.NEVER: False}.get(when)


def _declare(
    *,
    _quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            callback=_set_quiet,
            expose_value=False,
            is_eager=True,
            help="Print data, warnings and errors only.",
        ),
    ] = False,
    _verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            callback=_set_verbose,
            expose_value=False,
            is_eager=True,
            help="Print log records and the causes of errors.",
        ),
    ] = False,
    _color: Annotated[
        ColorChoice | None,
        typer.Option(
            "--color",
            callback=_set_color,
            expose_value=False,
            is_eager=True,
            metavar="WHEN",
            show_default=False,
            help="Use colours: auto, always or never.",
        ),
    ] = None,
) -> None:
    """Provide the options that every command has, as a signature for Typer; never called."""


@cache
def _parameters() -> tuple[Any, ...]:
    app = typer.Typer(rich_markup_mode=None)
    app.command()(_declare)
    app.command("other")(_declare)  # of one command alone, Typer makes no group
    group: Any = typer.main.get_command(app)
    return tuple(group.commands["other"].params)


def add_output_options(command: Any) -> None:
    """Add the options of this module to a command."""
    command.params = [*command.params, *_parameters()]
