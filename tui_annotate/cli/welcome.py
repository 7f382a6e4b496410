"""What the program prints without a command: the state of the workspace and what to do next."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tui_annotate.cli import output
from tui_annotate.cli.options import open_workspace
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import PersonKind
from tui_annotate.settings import find_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from tui_annotate.domain.people import Person
    from tui_annotate.workspace import Workspace

WORK: Final = MappingProxyType(
    {
        "tui-annotate ingest pairs.csv": "read pairs of texts: CSV, JSON, JSONL",
        "tui-annotate annotate": "mark what the source does not support",
        "tui-annotate export -f csv -o annotations.csv": "write the annotations",
    }
)
FIRST_STEPS: Final = MappingProxyType(
    {
        "tui-annotate demo": "try it with example texts",
        "tui-annotate init": "make a workspace of this folder",
        **WORK,
    }
)
NEXT_STEPS: Final = MappingProxyType(
    {
        "tui-annotate annotate": "mark what the source does not support",
        "tui-annotate ingest more.csv": "add pairs of texts: CSV, JSON, JSONL",
        "tui-annotate status": "what is there, and what is done",
        "tui-annotate export -f csv -o annotations.csv": "write the annotations",
    }
)


def print_welcome(workspace: Path | None = None) -> None:
    """Print the next steps: without a workspace, in an empty one, or in one with samples.

    Args:
        workspace: its folder; None for the environment's, else the nearest parent.

    Raises:
        NotFound: the folder that is named, here or in the environment, is not a workspace.
        NotAllowed, Unavailable: as `open_workspace`.
    """
    from tui_annotate.settings import PREFIX

    try:
        folder = find_workspace(workspace)
    except NotFound:
        if workspace or os.environ.get(PREFIX + "WORKSPACE"):
            raise
        _print_steps("There is no workspace here. To begin:", FIRST_STEPS)
        return
    with open_workspace(folder) as space:
        samples = space.corpus.totals()[0]
        title = (
            f"samples: {samples:,}{_describe_own_work(space)}"
            if samples
            else "It is empty. To begin:"
        )
    output.print_line(f"Workspace: {folder}")
    _print_steps(title, NEXT_STEPS if samples else WORK)


def _describe_own_work(space: Workspace) -> str:
    from tui_annotate.settings import person_name

    person: Person | None = None
    if space.actor.person:
        person = space.people.person(space.actor.person)
    elif not space.team.members.required():  # with accounts, only the sign-in shows who works
        local = (each for each in space.people.all() if each.kind is PersonKind.LOCAL)
        name = person_name()
        person = next((each for each in local if each.name == name), None)
    if person is None:
        return ""
    done = sum(each.done for each in space.corpus.progress() if each.person == person.id)
    last = space.people.last_place(person.id)
    where = f", was last at {last}" if last else ""
    return f"; {person.name} finished {done:,}{where}"


def _print_steps(title: str, steps: Mapping[str, str]) -> None:
    width = max(map(len, steps))
    output.print_line(title)
    lines = [f"  {line:<{width}}   {does}" for line, does in steps.items()]
    output.print_page("\n".join(["", *lines, "", "All commands: tui-annotate --help"]))
