"""The page printed by `tui-annotate` without a command: state of the workspace and next steps."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tui_annotate.cli import output
from tui_annotate.cli.options import open_workspace
from tui_annotate.domain.errors import NotFound
from tui_annotate.settings import find_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from tui_annotate.domain.people import Person
    from tui_annotate.workspace import Workspace

WORK: Final = MappingProxyType(
    {
        "tui-annotate ingest pairs.csv": "import sources and summaries (CSV, JSON, JSONL)",
        "tui-annotate annotate": "mark claims that the source does not support",
        "tui-annotate export --to csv -o annotations.csv": "export the annotations",
    }
)
FIRST_STEPS: Final = MappingProxyType(
    {
        "tui-annotate annotate pairs.csv": "annotate a file of sources and summaries",
        "tui-annotate init --demo": "try the program with example data",
        "tui-annotate init": "create a workspace for a project in this folder",
        **WORK,
    }
)
NEXT_STEPS: Final = MappingProxyType(
    {
        "tui-annotate annotate": "mark claims that the source does not support",
        "tui-annotate ingest more.csv": "import more sources and summaries",
        "tui-annotate status": "show contents and annotation progress",
        "tui-annotate export --to csv -o annotations.csv": "export the annotations",
    }
)


def print_welcome(workspace: Path | None = None) -> None:
    """Print the state of the workspace, if there is one, and the next steps.

    Raises:
        NotFound: the folder named by the argument or the environment is not a workspace.
        NotAllowed, Unavailable: `open_workspace` raises them.
    """
    from tui_annotate.settings import PREFIX

    try:
        folder = find_workspace(workspace)
    except NotFound:
        if workspace or os.environ.get(PREFIX + "WORKSPACE"):
            raise
        _print_steps("This folder is not in a workspace. First steps:", FIRST_STEPS)
        return
    with open_workspace(folder) as space:
        samples = space.corpus.totals()[0]
        title = (
            f"{output.many(samples, 'sample')}{_describe_own_work(space)}. Next steps:"
            if samples
            else "The workspace is empty. First steps:"
        )
    output.print_line(f"Workspace: {folder}")
    _print_steps(title, NEXT_STEPS if samples else WORK)


def _describe_own_work(space: Workspace) -> str:
    from tui_annotate.settings import person_name

    person: Person | None = None
    if space.actor.person:
        person = space.people.person(space.actor.person)
    elif not space.team.members.required():  # with accounts, only the sign-in shows who works
        person = space.people.find_local(person_name(space.path))
    if person is None:
        return ""
    done = sum(each.completed for each in space.corpus.progress() if each.person == person.id)
    last = space.people.last_place(person.id)
    where = f", last opened {last}" if last else ""
    return f"; {person.name} completed {done:,}{where}"


def _print_steps(title: str, steps: Mapping[str, str]) -> None:
    width = max(map(len, steps))
    output.print_line(title)
    lines = [f"  {line:<{width}}   {does}" for line, does in steps.items()]
    output.print_page("\n".join(["", *lines, "", "All commands: tui-annotate --help"]))
