"""Where people share work, a table or a folder; the table's rows in a file without a workspace."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.cli import output
from tui_annotate.cli.options import unless_stdout
from tui_annotate.domain.errors import InvalidInput

if TYPE_CHECKING:
    from tui_annotate.domain.people import Person
    from tui_annotate.domain.records import Problem
    from tui_annotate.plugins.exchange.table import Table
    from tui_annotate.services.synchronise.folders import FolderSync
    from tui_annotate.workspace import Workspace

_ALONE: Final = {
    "--dir": "-o writes the rows of the table",
    "--all": "-o writes the rows of everybody",
    "--as": "-o writes the rows of everybody",
    "--json": "what -o writes is JSON lines",
}
"""What -o does without each of these options, which it knows nothing of."""


def write_rows(target: Path, dataset: str) -> None:
    """Writes the rows of a dataset, of all where none is named, to a file; - for stdout."""
    from tui_annotate.plugins.files.targets import output as written

    count = 0
    rows = table().rows(dataset=dataset)
    first = next(rows, None)
    if first is None:
        output.say("no annotations found; nothing was written")
        return
    with written(unless_stdout(target)) as file:
        for count, row in enumerate((first, *rows), start=1):  # noqa: B007  the last one counts
            file.write(json.dumps(row.exported(), ensure_ascii=False) + "\n")
    output.say(f"{output.many(count, 'row')} written")


def alone(beside: Mapping[str, bool]) -> None:
    """Refuses options that count for nothing where rows are written to a file.

    Args:
        beside: whether each was given, by its name.

    Raises:
        InvalidInput: one was.
    """
    for option, given in beside.items():
        if given:
            raise InvalidInput(f"{option} with -o", f"{_ALONE[option]}; leave {option} out")


def table() -> Table:
    """The one that the environment names.

    Raises:
        InvalidInput: it names none.
    """
    from tui_annotate.plugins.exchange import sync_key
    from tui_annotate.plugins.exchange.table import Table

    if not sync_key.address():
        hint = f"set {sync_key.URL} and {sync_key.KEY}, or name a folder with --dir"
        raise InvalidInput("nobody says where the table is", hint)
    return Table(sync_key.address())


def place(folder: Path | None) -> Path | None:
    """The folder that is meant: the one given, else the environment's; None for the table."""
    from tui_annotate.plugins.exchange.sync_key import folder as named

    return folder or (Path(named()) if named() else None)


def files(space: Workspace, where: Path, *, person: Person | None = None) -> FolderSync:
    """The files of a folder; what is wrong with one is told.

    Args:
        person: whose work is meant; files of others who have their name are told at once.

    Raises:
        NotFound, Unavailable: there is no such folder, or it can not be read.
    """
    from tui_annotate.plugins.exchange.folder import FolderTarget
    from tui_annotate.services.synchronise.folders import FolderSync
    from tui_annotate.workspace import carrying

    found = FolderSync(carrying.merging(space), FolderTarget(where), tell_problem)
    for each in found.namesakes(person) if person else ():
        tell_problem(each)
    return found


def tell_problem(problem: Problem) -> None:
    """What is left out, or what is doubtful, on stderr."""
    output.say(f"{'left out' if problem.refused else 'note'}: {problem} ({problem.hint})")
