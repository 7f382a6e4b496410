"""The command `tui-annotate`: its commands, and the one place where errors become exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.exceptions import TyperException

from tui_annotate import __version__
from tui_annotate.cli import annotate, assist, corpus, datasets, demo, doctor, output, reports
from tui_annotate.domain.errors import TuiAnnotateError

INTERRUPTED = 130

app = typer.Typer(
    name="tui-annotate",
    help="Mark unsupported spans of summaries, with the related sentences of the source lit up.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for room in (annotate, corpus, datasets, assist, reports, demo, doctor):
    room.register(app)


def _version(asked: bool) -> None:  # noqa: FBT001  Typer's callbacks are called this way
    if asked:
        output.line(f"tui-annotate {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
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


def run(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and gives its exit code.

    0 is success, 1 a state that forbids it, 2 input that can not be used, 3 a deed done in part,
    130 stopped from the keyboard.

    Args:
        arguments: without the program's name; None for those of the process.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(args=arguments, prog_name="tui-annotate", standalone_mode=False) or 0
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        return 0
    except TuiAnnotateError as error:
        output.complain(error)
        return error.exit_code
    except TyperException as error:
        return _misused(error)
    except typer.Abort:
        code = INTERRUPTED
    except OSError as error:
        output.say(f"error: {error.filename or 'the system'}: {error.strerror or error}")
        return 1
    if code == INTERRUPTED:
        output.say("stopped; what was saved stays saved, and doing it again goes on from there")
    return int(code)


def _drop_output() -> None:
    """Lets the interpreter end in peace when nobody reads stdout any more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _misused(error: TyperException) -> int:
    context = getattr(error, "ctx", None)
    output.say(f"error: {error.format_message()}")
    output.say(f"  hint: {context.command_path if context else 'tui-annotate'} --help")
    return error.exit_code
