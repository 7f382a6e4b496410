"""The group of all commands, and `lab` with those of plug-ins, each created when it is needed.

Typer needs 100 ms to create the options of all commands. A plug-in of the group `commands` is a
function `register(app)` that adds a command with the plug-in's name to a Typer app; the command is
called `tui-annotate lab NAME`. A command that cannot be imported is missing from the list, and a
warning is logged.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, MutableMapping
from copy import copy
from typing import Any

import typer
from typer.core import TyperGroup
from typer.models import CommandInfo, TyperInfo

from tui_annotate.cli.earlier_names import add_suggestions
from tui_annotate.cli.help_format import OTHER, PANELS, color_help, sort_commands
from tui_annotate.cli.output_options import add_output_options
from tui_annotate.cli.repeated_options import refuse_repeated_options
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.plugins import registry

_log = logging.getLogger(__name__)


class CommandGroup(TyperGroup):
    """Group of commands that are created when they are used; help lists them uncreated."""

    has_plugins = False

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands: _Commands = _Commands(self.commands, has_plugins=self.has_plugins)
        self._is_listing = False

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the names of the commands that can be imported, in the order of the help."""
        return [name for name in sort_commands(self.commands) if self._can_load(name)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name, or a copy without options for the list of commands."""
        if self._is_listing:
            return self.commands.summary(cmd_name)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands by panel, each with as much of its help as fits on a line."""
        self._is_listing = True
        try:
            commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        finally:
            self._is_listing = False
        limit = formatter.width - 6 - max(map(len, commands))
        for panel in PANELS:
            rows = [
                (name, command.get_short_help_str(limit))
                for name, command in commands.items()
                if panel_of(command) == panel and not command.hidden
            ]
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows)

    def _can_load(self, name: str) -> bool:
        try:
            self.commands.load(name)
        except TuiAnnotateError as error:
            _log.warning("%s", error.message)
            return False
        return True


class PluginGroup(CommandGroup):
    """Group of commands that also has the commands of all plug-ins."""

    has_plugins = True


def make_group(app: typer.Typer) -> Any:
    """Create the group of an app's commands, each of which is created when it is looked up."""
    bare = copy(app)
    bare.registered_commands = []
    bare.registered_groups = []
    group: Any = typer.main.get_command(bare)
    group.commands = {}
    _prepare(group)
    group.commands = _Commands({}, _list_infos(app))
    return group


_Info = CommandInfo | TyperInfo


def _list_infos(app: typer.Typer) -> dict[str, _Info]:
    """Return the declarations of an app's commands, then of its groups, by name."""
    commands = {_command_name(info): info for info in app.registered_commands}
    return {**commands, **{str(info.name): info for info in app.registered_groups}}


def _command_name(info: CommandInfo) -> str:
    return info.name or typer.main.get_command_name(info.callback.__name__)  # type: ignore[union-attr]


def panel_of(command: Any) -> str:
    """Return the section of the help in which a command is listed; `OTHER` if none is known."""
    panel = command.rich_help_panel
    return panel if panel in PANELS else OTHER


def _prepare(command: Any) -> None:
    add_output_options(command)
    color_help(command)
    refuse_repeated_options(command)
    commands = getattr(command, "commands", None)
    if commands is None:
        return
    add_suggestions(command)
    # Commands that are created later are prepared then.
    for each in commands.created() if isinstance(commands, _Commands) else commands.values():
        _prepare(each)


def _build(info: _Info) -> Any:
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    if isinstance(info, CommandInfo):
        app.registered_commands = [info]
    else:
        app.registered_groups = [info]
    (command,) = typer.main.get_group(app).commands.values()
    return command


def _summarise(info: _Info) -> _Info:
    """Copy a command or group for the help's list, and remove its options or subcommands."""
    bare = copy(info)
    if isinstance(bare, CommandInfo):
        function = bare.callback

        def callback() -> None:
            """Do nothing; from a function without parameters, Typer creates no options."""

        callback.__name__ = function.__name__  # type: ignore[union-attr]
        callback.__doc__ = function.__doc__
        bare.callback = callback
    else:
        bare.typer_instance = copy(bare.typer_instance)
        bare.typer_instance.registered_commands = []  # type: ignore[union-attr]
        bare.typer_instance.registered_groups = []  # type: ignore[union-attr]
    return bare


class _Commands(MutableMapping[str, Any]):
    """A map of commands by name, which creates a command when it is first read."""

    def __init__(
        self,
        built: MutableMapping[str, Any],
        infos: Mapping[str, _Info] | None = None,
        *,
        has_plugins: bool = False,
    ) -> None:
        self._has_plugins = has_plugins
        self._built = dict(built)
        self._infos = dict(infos or {})
        self._built_in = (*built, *self._infos)

    def load(self, name: str) -> None:
        """Import a plug-in's command by its name; do nothing for a built-in command.

        Raises:
            Unavailable: the plug-in is broken.
            KeyError: there is no such command.
        """
        if name not in self._built and name not in self._infos:
            if name not in self._plugin_names():
                raise KeyError(name)
            self._infos[name] = _plugin_info(name)

    def created(self) -> list[Any]:
        """Return the commands that exist already, without those that are created later."""
        return list(self._built.values())

    def _plugin_names(self) -> Collection[str]:
        return registry.plugin_names("commands") if self._has_plugins else ()

    def summary(self, name: str) -> Any:
        self.load(name)
        return self._built.get(name) or _build(_summarise(self._infos[name]))

    def __getitem__(self, name: str) -> Any:
        self.load(name)
        if name not in self._built:
            if name in self._built_in:
                command = _build(self._infos[name])
            else:
                with registry.guard_plugin("commands", name):
                    command = _build(self._infos[name])
            _prepare(command)
            self._built[name] = command
        return self._built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._built[name]

    def __contains__(self, name: object) -> bool:
        return name in self._built_in or name in self._plugin_names()

    def __iter__(self) -> Iterator[str]:
        yield from self._built_in
        yield from self._plugin_names()

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _plugin_info(name: str) -> _Info:
    register = registry.load_hook("commands", name)
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    with registry.guard_plugin("commands", name):
        register(app)
        return _list_infos(app)[name]
