"""Groups of options: Typer sees each option, the function gets the group."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from tui_annotate.cli.option_groups import GroupedCommand, OptionGroup


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


def test_a_subclass_adds_an_option_of_the_command_alone() -> None:
    """A group names fields of the class and of its parent; any other name is refused."""
    names = [name for name, _, _ in OptionGroup(high=typer.Option("--high")).parameters(Named)]
    assert names == ["high"]
    assert OptionGroup().build(Named, {"high": 5, "name": "a"}) == Named(1, 5, "a")
    with pytest.raises(TypeError, match="Named has no field 'nam'"):
        list(OptionGroup(high=typer.Option("--high"), nam=typer.Option()).parameters(Named))


@dataclass(frozen=True)
class Named(Limits):
    """The limits, and a name that only the command has."""

    name: str = ""


class Level(StrEnum):
    """Values of an option."""

    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Search:
    """Options of a Python function; a command has no option for `hidden`."""

    words: tuple[str, ...] = ("all",)
    level: str = "low"
    kind: str = ""
    screen: bool = True
    limit: int = 10
    hidden: str = "kept"


Searched = Annotated[
    Search,
    OptionGroup(
        inverted=("screen",),
        limit=typer.Option("--limit", min=1),
        words=Annotated[list[str] | None, typer.Option("--word")],
        level=Annotated[Level, typer.Option("--level")],
        kind=Annotated[Level | None, typer.Option("--kind")],
        screen=typer.Option("--all"),
    ),
]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], Search()),
        (["--word", "a", "--word", "b", "--limit", "3"], Search(words=("a", "b"), limit=3)),
        (["--level", "high", "--kind", "low", "--all"], Search(("all",), "high", "low", False)),
    ],
)
def test_options_of_a_function_have_its_names_and_defaults(
    arguments: list[str], expected: Search
) -> None:
    """A list becomes a tuple, an enumeration its text, None the default; a switch turns off."""
    calls: list[Search] = []

    def find(*, wanted: Searched) -> None:
        calls.append(wanted)

    app = typer.Typer()
    app.command()(GroupedCommand(find))
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, calls) == (0, [expected])
    assert type(calls[0].level) is str
    assert list(inspect.signature(GroupedCommand(find)).parameters)[:2] == ["limit", "words"]


def test_an_option_without_a_field_is_refused() -> None:
    """Names of options and of keyword arguments cannot differ."""
    with pytest.raises(TypeError, match="'lmit'"):
        list(OptionGroup(lmit=typer.Option("--limit")).parameters(Search))
