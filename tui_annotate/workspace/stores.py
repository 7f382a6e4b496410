"""Opens and creates the store of a workspace: a SQLite file, or a schema in PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tui_annotate.domain.endpoint_trust import trust_command
from tui_annotate.domain.errors import (
    OUTCOME_UNKNOWN,
    Conflict,
    Damaged,
    InvalidInput,
    NotAllowed,
    Unavailable,
)
from tui_annotate.domain.workspace_files import GUIDELINES, LABELS, STORE, WORKSPACE_FILE
from tui_annotate.settings import Settings, load
from tui_annotate.settings.store_location import write_store_location
from tui_annotate.storage.integrity import inspect_store
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.store_copy import copy_rows
from tui_annotate.workspace.folder import write_if_changed

if TYPE_CHECKING:
    from tui_annotate.storage.database import Database

UNTRUSTED_STORE = "store-untrusted"
"""Code of the error that the user does not trust the database server of a workspace."""


def open_store(folder: Path, settings: Settings) -> Database:
    """Open the store that the settings of a workspace name.

    Raises:
        NotFound, Damaged, Unavailable: as `SqliteDatabase.open` and `PostgresqlDatabase.open`.
        InvalidInput: the URL or the schema is not valid.
        NotAllowed: the user does not trust the database server that the workspace names.
    """
    if not settings.store_url:
        return SqliteDatabase.open(folder / STORE)
    from tui_annotate.storage.postgresql_database import PostgresqlDatabase

    _require_trusted_server(folder, settings)
    return PostgresqlDatabase.open(settings.store_url, _require_schema(folder, settings))


def _require_trusted_server(folder: Path, settings: Settings) -> None:
    from tui_annotate.storage.postgresql_database import find_origin, parse_url

    origin = find_origin(parse_url(settings.store_url))
    if not settings.endpoints.allows_texts(origin):
        raise NotAllowed(
            f"the workspace was not opened: {folder / WORKSPACE_FILE} names the database server"
            f" {origin}, which you have not trusted with texts and passwords",
            f"if you trust it: {trust_command(origin)}",
            code=UNTRUSTED_STORE,
        )


def _require_schema(folder: Path, settings: Settings) -> str:
    if not settings.store_schema:
        raise InvalidInput(
            f"{folder / WORKSPACE_FILE} has the URL of a store but no schema",
            'write below the line [store]: schema = "NAME"',
        )
    return settings.store_schema


def create_file_store(folder: Path) -> Database:
    """Create the SQLite file of a workspace, or open the one that the folder has."""
    try:
        return SqliteDatabase.create(folder / STORE)
    except Conflict:
        return SqliteDatabase.open(folder / STORE)


def create_server_store(url: str, schema: str, *, existing: bool) -> Database:
    """Create the store of a workspace in a schema of a PostgreSQL database, or open the one there.

    Raises:
        Conflict: the schema has a store, and `existing` is false.
        NotFound: the schema has no store, and `existing` is true.
        InvalidInput, Unavailable: as `PostgresqlDatabase.create`.
    """
    from tui_annotate.storage.postgresql_database import PostgresqlDatabase

    if existing:
        return PostgresqlDatabase.open(url, schema)
    try:
        return PostgresqlDatabase.create(url, schema)
    except Conflict as error:
        raise Conflict(
            error.message,
            "for a new store, choose another schema with --schema NAME; to use the existing store"
            " in this folder too, add --existing",
            code=error.code,
        ) from error


def stored_guidance(database: Database) -> dict[str, str]:
    """Return the stored label set and guidelines of a workspace, by the names of their files."""
    guidance = GuidanceStore(database)
    files = {GuidanceKind.LABELS: LABELS, GuidanceKind.GUIDELINES: GUIDELINES}
    versions = {kind: guidance.version(kind) for kind in files}
    return {
        files[kind]: guidance.text(kind, version) for kind, version in versions.items() if version
    }


def require_same_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Raise Conflict if a folder has files that would replace labels or guidelines of a store."""
    for name in (LABELS, GUIDELINES):
        file = folder / name
        if file.exists() and file.read_bytes() != texts.get(name, "").encode():
            raise Conflict(
                f"{file} differs from that of the existing store, which other machines use",
                "rename the file, or choose another folder",
            )


@dataclass(frozen=True, slots=True)
class StoreMove:
    """Where the store of a workspace was moved to.

    Attributes:
        store: path of the SQLite file, or URL and schema.
        kept: where the old store remains, unused.
        events: number of events in the event log.
        head: digest of the event log, which is the same in both stores.
    """

    store: str
    kept: str
    events: int
    head: str


def move_store(folder: Path, database: Database, *, url: str, schema: str = "") -> StoreMove:
    """Move the store of a workspace to PostgreSQL or to a SQLite file; close `database` after it.

    No process can write during the move, and those that have the old store open cannot write after
    it. The old store remains elsewhere. If the move fails, the workspace stays as it is.

    Args:
        url: URL of the PostgreSQL database; empty for the SQLite file of the workspace.
        schema: schema in the database (default: made of the folder's name).

    Raises:
        Conflict: the store is there already, or the new schema or file has another store.
        Damaged: the store is damaged, or the copy differs from it.
        InvalidInput: the URL, the schema or the settings file is not valid, or PostgreSQL cannot
            store a text.
        Unavailable: the new or the old store cannot be used, or the settings cannot be written.
    """
    _require_other_kind(database, url)
    if damage := [each for each in inspect_store(database) if each.state == "error"]:
        raise Damaged(f"the store is damaged: {damage[0].message}", damage[0].hint)
    schema = (schema or suggest_schema(folder)) if url else ""
    settings = _changed_settings(folder, url=url, schema=schema)
    create = _choose_new_store(folder, url=url, schema=schema)
    with ExitStack() as undo:
        with database.retire() as rows:
            head = AuditStore(database).head()
            moved = create(fill=partial(copy_rows, rows))
            undo.callback(moved.close)
            undo.push(partial(_delete_unless_moved, moved))
            if AuditStore(moved).head() != head:
                raise Damaged("the copy of the store differs from it", "nothing was changed")
        undo.pop_all()
    moved.close()
    _write_settings(folder, settings)
    return StoreMove(store=moved.name, kept=database.name, events=head.events, head=head.token)


def _delete_unless_moved(moved: Database, _: object, error: object, *__: object) -> None:
    """Delete the copy after an error, unless the old store may be unusable already."""
    if getattr(error, "code", "") != OUTCOME_UNKNOWN:
        moved.delete()


def _require_other_kind(database: Database, url: str) -> None:
    if isinstance(database, SqliteDatabase) and not url:
        raise Conflict(
            f"the store is in SQLite already: {database.name}",
            "name the URL of a PostgreSQL database",
        )
    if not isinstance(database, SqliteDatabase) and url:
        raise Conflict(
            f"the store is in PostgreSQL already: {database.name}",
            "to move it to another database, first move it to SQLite: tui-annotate store move"
            " sqlite",
        )


def _choose_new_store(folder: Path, *, url: str, schema: str) -> Callable[..., Database]:
    """Return the function that creates a store, with the argument `fill`."""
    if not url:
        return partial(SqliteDatabase.create, folder / STORE)
    from tui_annotate.storage.postgresql_database import PostgresqlDatabase

    return partial(PostgresqlDatabase.create, url, schema)


def suggest_schema(folder: Path) -> str:
    """Return the name of a schema for a workspace, made of the name of its folder."""
    name = re.sub(r"[^a-z0-9]+", "_", folder.absolute().name.lower()).strip("_")
    return f"annotate_{name}"[:63].rstrip("_") if name else "annotate"


def use_file_store(folder: Path) -> None:
    """Let the settings in a folder name the SQLite file, if they name a store in PostgreSQL.

    Raises:
        InvalidInput: the settings file has an unusual form.
        Unavailable: the file cannot be written.
    """
    if (folder / WORKSPACE_FILE).exists() and load(folder, environment={}).store_url:
        _write_settings(folder, _changed_settings(folder, url="", schema=""))


def _changed_settings(folder: Path, *, url: str, schema: str) -> str:
    """Return the text of a workspace's settings file with a different store."""
    file = folder / WORKSPACE_FILE
    try:
        return write_store_location(file.read_text("utf-8"), url=url, schema=schema)
    except ValueError as error:
        raise InvalidInput(
            f"{file} cannot be changed: {error}",
            "write url and schema in two lines below a line [store]",
        ) from error


def _write_settings(folder: Path, text: str) -> None:
    try:
        write_if_changed(folder / WORKSPACE_FILE, text)
    except Unavailable as error:
        table = text[text.find("[store]") :].partition("\n\n")[0]
        raise Unavailable(
            error.message, f"the file must contain: {table}", code=error.code
        ) from error


def find_owner(folder: Path) -> int:
    """Return the id of the Unix user who owns the work of a workspace.

    This is the owner of the SQLite file, or of the settings, which name the store in PostgreSQL.
    """
    store = folder / STORE
    return (store if store.exists() else folder / WORKSPACE_FILE).stat().st_uid
