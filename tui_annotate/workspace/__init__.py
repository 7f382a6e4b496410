"""A workspace: a folder with settings, labels, a store and vectors; wired here, and only here.

Opening one reads its settings and one row of the store; the rest is made when it is first asked
for. This is the Python API as well:

    import tui_annotate

    with tui_annotate.open("work") as workspace:
        workspace.ingest("pairs.csv")
        for sample in workspace.samples(dataset="pairs"):
            print(sample.key, len(sample.documents))
        workspace.export("annotations.json", format="mercury")
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.errors import Conflict, InvalidInput
from tui_annotate.settings import WORKSPACE_FILE, WORKSPACE_TEMPLATE, find_workspace, load
from tui_annotate.storage.atomic_folder import write_text
from tui_annotate.storage.database import Database
from tui_annotate.workspace.folder import (
    BACKUPS,
    LOG,
    STORE,
    VECTORS,
    create_folders,
    default_labels,
)
from tui_annotate.workspace.workspace import Workspace

if TYPE_CHECKING:
    from tui_annotate.services.backup import BackupReport

__all__ = ["Workspace", "create", "default_labels", "open", "restore"]


def create(path: Path | str) -> Workspace:
    """Makes a workspace in a folder, which is made if need be; files that are there stay.

    Raises:
        Conflict: it is a workspace already.
        InvalidInput: it is a file.
        Unavailable: the folder can not be written.
    """
    folder = Path(path).absolute()
    if (folder / WORKSPACE_FILE).exists():
        raise Conflict(
            f"{folder} is a workspace already",
            f"open it: tui-annotate annotate -w {shlex.quote(str(folder))}",
        )
    if folder.is_file():
        raise InvalidInput(f"{folder} is a file", "a workspace is a folder: name one")
    create_folders(folder)
    try:
        database = Database.create(folder / STORE)
    except Conflict:
        database = Database.open(folder / STORE)
    # Last of all: the folder is a workspace once this file is there, so a killed init starts again.
    write_text(folder / WORKSPACE_FILE, WORKSPACE_TEMPLATE)
    return Workspace(folder, load(folder), database)


def open(path: Path | str | None = None, **flags: Any) -> Workspace:  # noqa: A001  the word of the API
    """Opens a workspace.

    Args:
        path: its folder; None for what `TUI_ANNOTATE_WORKSPACE` names, else the nearest parent.
        flags: settings that go before those of the workspace's file; None among them are left out.

    Raises:
        NotFound: there is no workspace.
        InvalidInput: its settings are wrong.
        Unavailable: the store can not be used.
    """
    folder = find_workspace(Path(path) if path is not None else None)
    settings = load(folder, flags=flags)
    return Workspace(folder, settings, Database.open(folder / STORE))


def restore(source: Path | str, *, to: Path | str) -> BackupReport:
    """Restore a backup, whole or not at all, into a folder that is not there yet, or is empty.

    Raises:
        NotFound: the source is no backup.
        Conflict: something lies in the folder.
        Damaged: the backup is not what it was.
        Unavailable: the folder can not be written.
    """
    from tui_annotate.services.backup import restore

    folders = (VECTORS, LOG, BACKUPS)
    return restore(Path(source), Path(to).absolute(), store=STORE, folders=folders)
