"""Creates, opens and restores workspaces: folders with settings, labels, a store and vectors.

Opening a workspace reads its settings and one row of the store; all services are created at their
first use. This module is also the Python API, which docs/python.md describes.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from tui_annotate.domain.errors import Conflict, InvalidInput
from tui_annotate.domain.workspace_files import BACKUPS, LOG, STORE, VECTORS
from tui_annotate.plugins.files.output_paths import protect_file
from tui_annotate.settings import (
    WORKSPACE_FILE,
    WORKSPACE_TEMPLATE,
    SettingsFlags,
    find_workspace,
    load,
)
from tui_annotate.settings.store_location import write_store_location
from tui_annotate.settings.workspaces import expand
from tui_annotate.storage.atomic_folder import write_text
from tui_annotate.workspace.folder import create_folders, default_labels
from tui_annotate.workspace.stores import (
    create_file_store,
    create_server_store,
    open_store,
    require_same_texts,
    stored_guidance,
    suggest_schema,
)
from tui_annotate.workspace.workspace import Workspace

if TYPE_CHECKING:
    from tui_annotate.services.backup import BackupReport

__all__ = ["Workspace", "create", "default_labels", "open", "restore"]


def create(
    path: Path | str, *, store: str = "", schema: str = "", existing: bool = False
) -> Workspace:
    """Create a workspace in a new or existing folder; existing files are kept.

    Args:
        store: URL of a PostgreSQL database, without a password; empty for a SQLite file.
        schema: schema of the store in the database (default: made of the folder's name).
        existing: whether to use a store that the schema has already, for example of a workspace on
            a different machine.

    Raises:
        Conflict: the folder is already a workspace; or the schema has a store, and `existing` is
            false; or the folder has other labels or guidelines than the existing store.
        InvalidInput: the path is a file, or a setting of the person or environment is invalid.
        NotFound: the schema has no store, and `existing` is true.
        Unavailable: the folder cannot be written, or the person's settings cannot be read; or the
            database cannot be reached.
    """
    folder = Path(path).absolute()
    if (folder / WORKSPACE_FILE).exists():
        raise Conflict(
            f"{folder} is already a workspace",
            f"open the workspace: tui-annotate annotate -w {shlex.quote(str(folder))}",
        )
    if folder.is_file():
        raise InvalidInput(f"{folder} is a file", "name a folder for the workspace")
    load()  # invalid settings of the person leave no workspace behind
    settings = WORKSPACE_TEMPLATE
    if store:
        schema = schema or suggest_schema(folder)
        settings = write_store_location(settings, url=store, schema=schema)
        database = create_server_store(store, schema, existing=existing)
        try:
            texts = stored_guidance(database)
            if existing:
                require_same_texts(folder, texts)
            create_folders(folder, texts)
        except BaseException:
            database.close()
            raise
    else:
        create_folders(folder, {})
        database = create_file_store(folder)
    # Written last: only this file makes the folder a workspace, so an interrupted init can rerun.
    write_text(folder / WORKSPACE_FILE, settings)
    space = Workspace(folder, load(folder), database)
    if store and not existing:
        _ = space.annotate  # stores labels.yaml, which other machines will get from the store
    return space


def open(path: Path | str | None = None, **flags: Unpack[SettingsFlags]) -> Workspace:  # noqa: A001  the word of the API
    """Open a workspace.

    Args:
        path: the workspace's folder; None for the folder that `TUI_ANNOTATE_WORKSPACE` names, else
            the nearest parent folder that is a workspace.
        flags: settings that override those of the workspace's file; None values are ignored.

    Raises:
        NotFound: the folder is not a workspace.
        InvalidInput: the settings are invalid.
        NotAllowed: the user does not trust the database server that the workspace names.
        Unavailable: the store cannot be used.
    """
    folder = find_workspace(Path(path) if path is not None else None)
    settings = load(folder, flags=flags)
    if settings.people_store:
        protect_file(folder / expand(settings.people_store), "the accounts")
    if settings.pseudonyms_key:
        protect_file(folder / expand(settings.pseudonyms_key), "the key of the pseudonyms")
    return Workspace(folder, settings, open_store(folder, settings))


def restore(source: Path | str, *, to: Path | str) -> BackupReport:
    """Restore a backup into a new or empty folder; if anything fails, nothing is restored.

    Raises:
        NotFound: the source is not a backup.
        Conflict: the folder is not empty.
        Damaged: the backup was changed or is incomplete.
        Unavailable: the folder cannot be written.
    """
    from tui_annotate.services.backup import restore

    folders = (VECTORS, LOG, BACKUPS)
    return restore(Path(source), Path(to).absolute(), store=STORE, folders=folders)
