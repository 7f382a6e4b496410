"""All commands as one Typer app; what they do stands in the modules beside this one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from typer.exceptions import TyperException

from tui_annotate import __version__
from tui_annotate.cli import (
    agreement,
    annotate,
    assign,
    assist,
    audit,
    backup,
    convert,
    corpus,
    datasets,
    demo,
    doctor,
    freeze,
    guidelines,
    index,
    models,
    output,
    remarks,
    reports,
    review,
    sessions,
    ssh,
    user_files,
    users,
)
from tui_annotate.cli.options import examples

INTERRUPTED = 130

app = typer.Typer(
    name="tui-annotate",
    help="Mark what a summary says and its source does not; related sentences light up.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
# In the order in which somebody new needs them.
for room in (
    corpus,
    annotate,
    reports,
    assign,
    review,
    agreement,
    assist,
    doctor,
    demo,
    datasets,
    convert,
    index,
    models,
    audit,
    backup,
    freeze,
    users,
    sessions,
    ssh,
    guidelines,
    remarks,
):
    room.register(app)
user_files.register_migrate(app)


def _version(asked: bool) -> None:  # noqa: FBT001  Typer's callbacks are called this way
    if asked:
        output.line(f"tui-annotate {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True, epilog=examples(*annotate.FIRST_STEPS))
def _start(
    context: typer.Context,
    *,
    _: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        annotate.what_next()


def run(arguments: Sequence[str]) -> int:
    """Runs one command and gives its exit code; misuse is 2, an interruption 130.

    Raises:
        TuiAnnotateError, OSError: as the command does.
    """
    try:
        return int(app(args=arguments, prog_name="tui-annotate", standalone_mode=False) or 0)
    except typer.Abort:
        return INTERRUPTED
    except TyperException as error:
        context = getattr(error, "ctx", None)
        output.say(f"error: {error.format_message()}")
        output.say(f"  hint: {context.command_path if context else 'tui-annotate'} --help")
        return error.exit_code
