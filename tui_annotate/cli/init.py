"""The command `init`, which creates a workspace, empty or with example data."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Final, NamedTuple, TypedDict

import typer

from tui_annotate.cli import demo as examples
from tui_annotate.cli import options, output
from tui_annotate.cli.help_format import DATA
from tui_annotate.cli.options import add_command, argument, flag, option
from tui_annotate.cli.report_parts import NotePart, Part, ResultPart
from tui_annotate.cli.store import SchemaOption, trust_server
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.settings import WORKSPACE_FILE

_FIRST_STEPS: Final = (
    "Edit the labels in labels.yaml, and write guidelines for annotators in guidelines.md. Next"
    " step: tui-annotate ingest{workspace} FILE..."
)
_EXISTING_STEPS: Final = (
    "Labels and guidelines are those of the existing store. Vectors of texts are in a folder: copy"
    " the folder vectors from the other workspace. Next step: tui-annotate annotate{workspace}"
)


class CreatedWorkspace(TypedDict):
    """The folder of a workspace.

    Attributes:
        created: false if the folder was a workspace already.
    """

    workspace: Path
    created: bool


def register(app: typer.Typer) -> None:
    add_command(
        app,
        init,
        "init",
        "init news",
        "init --demo",
        "init --demo /tmp/try | cat",
        "init news --store postgresql://annotate@db.example.org/studies",
        panel=DATA,
    )


def init(
    folder: Annotated[
        Path | None,
        argument(
            "DIR",
            "Folder of the workspace, created if missing (default: the current folder; with "
            "--demo, the folder demo).",
        ),
    ] = None,
    *,
    demo: Annotated[
        bool, flag("--demo", "Import example data, and open the workspace on the screen.")
    ] = False,
    data: Annotated[
        Path | None,
        option(
            "--data",
            "DIR",
            f"With --demo: folder that contains other example data in a file {examples.PAIRS} "
            "(default: the program's examples).",
        ),
    ] = None,
    name: Annotated[
        str, option("--as", "NAME", "With --demo: your name (default: your login name).")
    ] = "",
    store: Annotated[
        str,
        option(
            "--store",
            "URL",
            "URL of a PostgreSQL database for the store, without a password (default: a SQLite file"
            " in the folder).",
        ),
    ] = "",
    schema: SchemaOption = "",
    existing: Annotated[
        bool,
        flag("--existing", "With --store: use the store that the schema has already."),
    ] = False,
    as_json: options.JsonOption = False,
) -> None:
    """Create a workspace in a new or existing folder.

    A workspace is a folder with settings, labels, a SQLite database and vectors (LanceDB). A folder
    that is already a workspace is not changed.

    With --store, the work of all users is stored in a PostgreSQL database, which several machines
    can use: create the workspace on the first machine, and run the command with --existing on the
    others. The database server is trusted from then on, as with lab trust-endpoint. Its password is
    read from the file that PGPASSFILE names, from ~/.pgpass or from PGPASSWORD.

    With --demo, the workspace has example data, and the screen opens; an existing demo workspace
    keeps its annotations. If standard output is not a terminal, no screen opens: the command prints
    the matches of three selections, adds two annotations, exports them, and prints the names of the
    files.
    """
    if not store and (schema or existing):
        given = "--schema" if schema else "--existing"
        raise InvalidInput(f"{given} needs a PostgreSQL database", "add --store URL")
    if demo:
        if store:
            raise InvalidInput("--demo has its own store", "omit --demo or --store")
        if as_json:
            raise InvalidInput("--demo opens a screen and prints no JSON", "omit --json")
        examples.run_demo(folder or examples.DEFAULT_FOLDER, data=data, name=name)
    elif data or name:
        given = "--data" if data else "--as"
        raise InvalidInput(f"{given} applies only to example data", f"add --demo, or omit {given}")
    else:
        location = _Store(url=store, schema=schema, existing=existing)
        _create_workspace(folder or Path(), location, as_json=as_json)


class _Store(NamedTuple):
    """Where the store of a new workspace is; an empty URL is a SQLite file."""

    url: str
    schema: str
    existing: bool


def _create_workspace(folder: Path, store: _Store, *, as_json: bool) -> None:
    from tui_annotate import workspace as workspaces

    path = folder.absolute()
    is_new = not (path / WORKSPACE_FILE).exists()
    if is_new:
        workspaces.create(
            folder, store=store.url, schema=store.schema, existing=store.existing
        ).close()
        if store.url:
            trust_server(store.url)
    elif store.url:
        raise InvalidInput(
            f"{path} is a workspace already",
            "to move its store to PostgreSQL: tui-annotate store move URL",
        )
    text: list[Part] = [ResultPart(f"already a workspace: {path}")]
    if is_new:
        named = "" if folder == Path() else f" -w {shlex.quote(str(folder))}"
        steps = _EXISTING_STEPS if store.existing else _FIRST_STEPS
        text = [ResultPart(f"workspace: {path}"), NotePart(steps.format(workspace=named))]
    value = CreatedWorkspace(workspace=path, created=is_new)
    output.show(value, text, as_json=as_json)
