"""The layout of `--help`: commands in panels, and colours on a terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final

import typer
from typer.core import TyperGroup

CORE = "Annotation"
DATA = "Files and data"
TEAM = "Team"
MODELS = "Models"
RESEARCH = "Research"
ADMINISTRATION = "Administration"
OTHER: Final = "Other commands"
PANELS: Final = (CORE, DATA, TEAM, MODELS, RESEARCH, ADMINISTRATION, OTHER)
"""Panels of the lists of commands in `--help`, in order."""

COMMANDS: Final = (
    *("annotate", "ingest", "export", "status", "labels", "assignments", "guidelines"),
    *("review", "agreement", "users", "backup", "doctor"),
    *("init", "datasets", "view", "convert", "report"),
    *("messages", "sync", "suggestions", "lab", "audit", "store"),
    *("match", "vectors", "models", "trust-endpoint"),
    *("scores", "judge", "pipeline", "position", "assist"),
)
"""Order of the commands in the help, also in `lab`; those of other packages come last."""

ADVANCED: Final = frozenset({
    *("--columns", "--second-source-column", "--group-column", "--delimiter", "--sheet"),
    *("--span-column", "--span-label-column", "--span-side", "--start-column", "--end-column"),
    *("--offset-base", "--end-inclusive", "--person-column", "--empty-marker", "--merge-rows"),
    *("--topics", "--topic", "--documents", "--offsets", "--read-offsets", "--everyone-read"),
    *("--spans-as", "--encoding", "--bom", "--include-unrated", "--all-states"),
    *("--base-url", "--dimensions", "--timeout", "--problems"),
})  # fmt: skip
"""Options that few people need, which the help of commands that read files lists last."""

_UNBREAKABLE_HYPHEN = "\u2011"

_Context: Any = TyperGroup.context_class
_Formatter: Any = _Context.formatter_class


class ColorFormatter(_Formatter):  # type: ignore[misc]
    """Formatter of help texts, with coloured headings and options unless colours are disabled."""

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{_style(f'{heading}:', bold=True)}\n")

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        super().write_usage(prog, plain_usage(args), prefix or f"{_style('Usage:', bold=True)} ")

    def write_text(self, text: str) -> None:
        super().write_text(_keep_hyphens(text))

    def write_dl(
        self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        coloured = [
            (_style(plain_argument(name), fg="cyan"), _keep_hyphens(about)) for name, about in rows
        ]
        super().write_dl(coloured, col_max, col_spacing)

    def getvalue(self) -> str:
        return str(super().getvalue()).replace(_UNBREAKABLE_HYPHEN, "-")


class ColorContext(_Context):  # type: ignore[misc]
    """Context of a command whose help is printed in colours where the terminal has them."""

    formatter_class = ColorFormatter


def sort_commands(names: Iterable[str]) -> list[str]:
    """Sort names of commands in the order of `--help`; others come last, in their order."""
    positions = {name: position for position, name in enumerate(COMMANDS)}
    return sorted(names, key=lambda name: positions.get(name, len(COMMANDS)))


def plain_usage(arguments: str) -> str:
    """Return a usage line with required arguments as `FILE` and optional ones as `[FILE]`."""
    plain = arguments.replace("{", "").replace("}", "")
    plain = plain.replace("[[", "[").replace("]]", "]")
    return re.sub(r"(\.\.\.(?: [A-Z_]+)?)\.\.\.", r"\1", plain)


def plain_argument(name: str) -> str:
    """Return an argument as the help shows it, without its type: `FILE` for `[FILE] <path>`."""
    return re.sub(r"^\[?([A-Z][A-Z_. ]*)\]? <.*>$", r"\1", name)


def color_help(command: Any) -> None:
    """Use the layout of this module for the help of a command."""
    command.context_class = ColorContext
    if any("--span-column" in parameter.opts for parameter in command.params):
        command.format_options = partial(_format_options, command)


def _format_options(command: Any, context: Any, formatter: Any) -> None:
    """Write the arguments and options of a command that reads files, rare options last."""
    sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": [], "Advanced": []}
    for parameter in command.get_params(context):
        if parameter.param_type_name == "argument":
            section = "Arguments"
        else:
            section = "Options" if ADVANCED.isdisjoint(parameter.opts) else "Advanced"
        if row := parameter.get_help_record(context):
            sections[section].append(row)
    for name, rows in sections.items():
        if rows:
            with formatter.section(name):
                formatter.write_dl(rows)


def _keep_hyphens(text: str) -> str:
    return re.sub(r"(?<=\S)-(?=\S)", _UNBREAKABLE_HYPHEN, text)


def _style(text: str, **look: Any) -> str:
    return typer.style(text, **look) if _wants_color() else text


def _wants_color() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (
        sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    )
