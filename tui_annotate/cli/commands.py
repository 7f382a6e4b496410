"""All commands as one Typer app; what they do stands in the modules beside this one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from tui_annotate import __version__
from tui_annotate.cli import (
    agreement,
    annotate,
    assign,
    assist,
    audit,
    automate,
    backup,
    bundle,
    compare_machines,
    convert,
    datasets,
    demo,
    doctor,
    export,
    freeze,
    guidelines,
    index,
    ingest,
    judge,
    labels,
    models,
    next_steps,
    output,
    position,
    pseudonyms,
    rank,
    remarks,
    report,
    review,
    score,
    sessions,
    ssh,
    status,
    suggestions,
    sync,
    users,
    users_files,
    view,
)
from tui_annotate.cli.options import examples

INTERRUPTED = 130
_NOISE = "Value error, "  # what pydantic, by which Typer reads values, begins with

app = typer.Typer(
    name="tui-annotate",
    help="Mark what a summary says and its source does not; related sentences light up.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
# In the order in which somebody new needs them.
for room in (
    ingest,
    annotate,
    export,
    status,
    labels,
    assign,
    review,
    agreement,
    score,
    judge,
    rank,
    automate,
    compare_machines,
    suggestions,
    assist,
    doctor,
    demo,
    datasets,
    convert,
    view,
    report,
    position,
    pseudonyms,
    index,
    models,
    audit,
    backup,
    sync,
    bundle,
    freeze,
    users,
    sessions,
    ssh,
    guidelines,
    remarks,
):
    room.register(app)
users_files.register_migrate(app)


def _version(asked: bool) -> None:  # noqa: FBT001  Typer's callbacks are called this way
    if asked:
        output.line(f"tui-annotate {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True, epilog=examples(*next_steps.FIRST_STEPS))
def _start(
    context: typer.Context,
    *,
    _: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        next_steps.what_next()


@cache
def program() -> Callable[..., Any]:
    """All commands with their options, ready to be called; Typer would put them together each time.

    That takes 100 ms, which a process that runs many commands pays once.
    """
    return typer.main.get_command(app)


def run(arguments: Sequence[str]) -> int:
    """Runs one command and gives its exit code; misuse is 2, an interruption 130.

    Raises:
        TuiAnnotateError, OSError: as the command does.
    """
    try:
        done = program()(args=arguments, prog_name="tui-annotate", standalone_mode=False)
        return int(done or 0)
    except typer.Abort:
        return INTERRUPTED
    except TyperException as error:
        context = getattr(error, "ctx", None)
        if type(error).__name__ == "NoArgsIsHelpError":  # of a module that is private to Typer
            output.page(error.format_message())
            return error.exit_code
        output.say(f"error: {error.format_message().replace(_NOISE, '')}")
        output.say(f"  hint: {context.command_path if context else 'tui-annotate'} --help")
        return error.exit_code
