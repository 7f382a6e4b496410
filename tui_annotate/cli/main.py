"""Entry point of the command `tui-annotate`. Errors become messages and exit codes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tui_annotate.cli import output, screen, ssh_session
from tui_annotate.cli.global_options import find_workspace_value, split_leading
from tui_annotate.domain.errors import NotFound, TuiAnnotateError
from tui_annotate.settings import NO_WORKSPACE
from tui_annotate.settings.environment import find_misspelt_variables, forbid_telemetry

INTERRUPTED = output.DECLINED
_PRIVATE = 0o077
"""The umask of every command: only the owner can read files that it creates."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit code.

    The exit code is 0 for success, 1 for a failure or refusal, 2 for wrong usage or invalid input,
    3 for an action done in part, and 130 for an interruption from the keyboard or a declined
    question.

    Args:
        arguments: command line without the program's name; None for that of the process.
    """
    mask = os.umask(_PRIVATE)
    try:
        return output.print_deferred_errors(_report_errors(arguments))
    finally:
        os.umask(mask)
        output.drop_unwritten()


def _report_errors(arguments: Sequence[str] | None) -> int:
    try:
        code = _run_and_flush(arguments)
    except BrokenPipeError:
        return output.known_exit_code()
    except SystemExit as left:
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        # Typer caught the error, and would exit with 1 and no message.
        return output.known_exit_code()
    except TuiAnnotateError as error:
        output.print_error(error)
        return error.exit_code
    except (TypeError, ValueError, AttributeError, KeyError):
        # The cause may be a stored value of a wrong type, which no query can exclude.
        if (damage := _find_damage()) is None:
            raise
        output.print_error(damage)
        return damage.exit_code
    except OSError as error:
        nameless = "standard output" if error.errno == errno.ENOSPC else "the system"
        output.print_message(f"error: {error.filename or nameless}: {error.strerror or error}")
        return 1
    except MemoryError:
        output.print_problem(
            "error: the program has no memory left",
            "close other programs, or raise the limit: ulimit -v",
        )
        return 1
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED and not output.is_declined():  # Typer turns ctrl+c into this code
        output.print_interruption()
    return code


def _find_damage() -> TuiAnnotateError | None:
    """Return the error that names a value of a wrong type in the workspace's store; or None."""
    from contextlib import closing

    from tui_annotate.domain.workspace_files import STORE
    from tui_annotate.settings import find_workspace
    from tui_annotate.storage.sqlite_database import SqliteDatabase

    folder = output.workspace_folder()
    try:
        store = find_workspace(Path(folder) if folder else None) / STORE
        with closing(SqliteDatabase.open(store)) as database:
            return database.find_wrong_type()
    except TuiAnnotateError:
        return None  # no workspace, or a store that cannot be read


def _run_and_flush(arguments: Sequence[str] | None) -> int:
    """Run a command, and raise the error of a full disk even where the command ends by an exit."""
    try:
        return _run_command(_begin(arguments))
    except Exception as error:
        if _follows_interruption(error):
            raise KeyboardInterrupt from error
        raise
    finally:
        sys.stdout.flush()


def _follows_interruption(error: BaseException) -> bool:
    """Return whether what ctrl+c left behind caused an error, such as a broken transaction."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__context__
    return cause is not None


def _begin(arguments: Sequence[str] | None) -> Sequence[str]:
    """Prepare the process for a command, and return the command's arguments."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    # Products of small matrices gain nothing from threads, and wait for threads on busy cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    forbid_telemetry()
    words = sys.argv[1:] if arguments is None else arguments
    output.reset(workspace=find_workspace_value(words), arguments=words)
    for name, near in find_misspelt_variables(os.environ):
        output.print_problem(
            f"warning: unknown environment variable {name}", f"did you mean {near}?"
        )
    return words


def _run_command(arguments: Sequence[str]) -> int:
    if session := ssh_session.parse_session(arguments):
        return ssh_session.run_session(*session)
    leading, rest = split_leading(arguments)
    plain = ["annotate", *leading, *rest[1:]] if rest[:1] == ["annotate"] else arguments
    options = screen.parse_annotate(plain)
    if options is not None:
        folder = options.get("workspace")
        name, sample, order = (options.get(each, "") for each in ("name", "sample", "order"))
        where = Path(folder) if folder else None
        try:
            return screen.annotate(where, name=name, sample=sample, order=order)
        except NotFound as error:
            if error.code != NO_WORKSPACE:
                raise
    from tui_annotate.cli import commands

    return commands.run(arguments)
