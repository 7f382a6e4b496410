"""The Typer app with all built-in commands; `lab` also has the commands of plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from tui_annotate.cli import (
    agreement,
    annotate,
    assignments,
    audit,
    backup,
    bundles,
    convert,
    datasets,
    doctor,
    endpoint_trust,
    export,
    guidelines,
    ingest,
    init,
    labels,
    match,
    output,
    people,
    pseudonyms,
    questions,
    report,
    review,
    sessions,
    snapshots,
    ssh,
    status,
    store,
    suggestions,
    sync,
    users,
    vectors,
    view,
    welcome,
)
from tui_annotate.cli.earlier_names import replace_earlier_names
from tui_annotate.cli.global_options import drop_workspace, split_command
from tui_annotate.cli.help_format import MODELS
from tui_annotate.cli.options import WorkspaceOption, examples
from tui_annotate.cli.plugin_commands import CommandGroup, PluginGroup, make_group
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.version import VERSION

_PYDANTIC_PREFIX = (
    "Value error, "  # prefix of messages from pydantic, with which Typer parses values
)
_PATHS = frozenset({"FILE", "DIR", "PATH"})
"""Words that the help shows for the value of an option that is a path."""
_CREATING = frozenset({("init",), ("backup", "restore")})
"""Commands that create a workspace."""

app = typer.Typer(
    name="tui-annotate",
    cls=CommandGroup,
    help="Annotate claims of a summary that its source does not support, in the terminal.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
# The order of the commands in the help is `COMMANDS` of the module `help_format`.
for module in (
    annotate,
    ingest,
    export,
    status,
    labels,
    assignments,
    guidelines,
    review,
    agreement,
    backup,
    doctor,
    init,
    view,
    convert,
    report,
    questions,
    suggestions,
):
    module.register(app)

_users = users.register(app)
for module in (people, sessions, pseudonyms, ssh):
    module.register(_users)
ssh.register_session(app)

_datasets = datasets.register(app)
convert.register_formats(_datasets)
annotate.register_clear(_datasets)

bundles.register(sync.register(app))
snapshots.register(audit.register(app))
store.register(app)

_lab = typer.Typer(
    cls=PluginGroup,
    help="Tools for research: models, scores, judges, studies.",
    no_args_is_help=True,
)
app.add_typer(_lab, name="lab", rich_help_panel=MODELS)
for module in (match, vectors, endpoint_trust):
    module.register(_lab)


def _print_version(requested: bool) -> None:  # noqa: FBT001  Typer's callbacks are called this way
    if requested:
        output.print_line(f"tui-annotate {VERSION}")
        raise typer.Exit


@app.callback(invoke_without_command=True, epilog=examples(*welcome.FIRST_STEPS))
def _run_without_command(
    context: typer.Context,
    *,
    workspace: WorkspaceOption = None,
    _as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON (for commands that print data).")
    ] = False,
    _: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            callback=_print_version,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        welcome.print_welcome(workspace)


@cache
def program() -> Callable[..., Any]:
    """Return the group of all commands, which is created once."""
    group: Callable[..., Any] = make_group(app)
    return group


def place_global_options(group: Any, arguments: Sequence[str]) -> list[str]:
    """Move global options from before a command's name to after it, where Typer parses them.

    A command without a workspace accepts `-w` too, so that scripts can give it to every command;
    those that create a workspace refuse it, because they name the folder by an argument.
    """
    line = split_command(group, arguments)
    options = line.options
    rest = line.rest
    has_workspace = any("--workspace" in each.opts for each in line.command.params)
    if line.path and not has_workspace and line.path not in _CREATING:
        options = drop_workspace(options)
        rest = drop_workspace(rest)
    return [*line.path, *options, *rest]


def find_command(group: Any, arguments: Sequence[str]) -> Any:
    """Return the command, or group of commands, that the first words of a command line name."""
    command = group
    for word in arguments:
        if word not in getattr(command, "commands", {}):
            break
        command = command.commands[word]
    return command


def option_names(command: Any) -> frozenset[str]:
    """Return the long and short names of a command's options."""
    return frozenset(name for each in command.params for name in (*each.opts, *each.secondary_opts))


def _find_empty_option(command: Any, words: Sequence[str]) -> str:
    """Return the first option of a command line that has an empty value but needs one; or "".

    An option whose default is None, such as `--license`, can remove a stored text.
    """
    valued = {
        name: each
        for each in command.params
        if each.param_type_name == "option" and not each.is_flag
        for name in each.opts
    }
    left = iter(words)
    for word in left:
        if word == "--":
            break
        name, sign, value = word.partition("=") if word.startswith("--") else (word, "", "")
        option = valued.get(name)
        if option is None:
            continue
        if not sign:
            value = next(left, name)
        is_name = option.required or option.multiple or isinstance(option.default, str)
        if not value and (is_name or option.metavar in _PATHS):
            return name
    return ""


def run(arguments: Sequence[str]) -> int:
    """Run one command, and return its exit code: 2 for wrong usage, 130 for a declined question.

    Raises:
        KeyboardInterrupt: ctrl+c, or ctrl+d at a question.
        InvalidInput: an option that needs a value has an empty one.
        TuiAnnotateError, OSError: the command failed.
    """
    try:
        arguments = replace_earlier_names(arguments, program())
        placed = place_global_options(program(), arguments)
        command = find_command(program(), placed)
        output.set_options(
            arguments=arguments,
            options=option_names(command),
            import_options=option_names(find_command(program(), ["ingest"])),
        )
        if empty := _find_empty_option(command, placed):
            raise InvalidInput(f"the value of {empty} is empty", "give a value, or omit the option")
        done = program()(args=placed, prog_name="tui-annotate", standalone_mode=False)
        return int(done or 0)
    except typer.Abort:  # Typer's replacement of the two keys' errors
        raise KeyboardInterrupt from None
    except TyperException as error:
        context = getattr(error, "ctx", None)
        if type(error).__name__ == "NoArgsIsHelpError":  # defined in a private module of Typer
            output.print_page(error.format_message())
            return error.exit_code
        # Typer lists the choices of an option on lines of their own.
        message = error.format_message().replace(_PYDANTIC_PREFIX, "").replace("\n\t", " ")
        output.print_message(f"error: {message}")
        output.print_message(
            f"  hint: {context.command_path if context else 'tui-annotate'} --help"
        )
        return error.exit_code
