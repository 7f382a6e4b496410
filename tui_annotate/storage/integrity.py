"""Checks of a workspace's database: SQLite pages, foreign keys, documents, event log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, select

from tui_annotate.domain.errors import Damaged, TuiAnnotateError
from tui_annotate.domain.findings import DiagnosticFinding
from tui_annotate.domain.plural import format_count
from tui_annotate.storage.columns import DOCUMENTS
from tui_annotate.storage.database import RESTORE_DUMP, SCHEMA, Database
from tui_annotate.storage.documents import find_altered_texts, find_text_damage, read_segments
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.repair import (
    recovery_command,
    reingest_command,
    restore_command,
    restore_log_command,
    restore_text_command,
    suggest_repair,
)
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.storage_classes import find_wrong_values


def inspect_store(database: Database) -> list[DiagnosticFinding]:
    """Check a whole database for damage: file, foreign keys, documents and event log.

    PostgreSQL itself checks its files, the types of values and foreign keys.
    """
    try:
        return list(_iterate_findings(database))
    except TuiAnnotateError as error:
        hint = suggest_store_repair(error, database)
        return [DiagnosticFinding("store", "error", error.message, hint)]


def suggest_store_repair(error: TuiAnnotateError, database: Database) -> str:
    """Return the next step after an error of a store."""
    if isinstance(database, SqliteDatabase):
        return suggest_repair(error, database.path)
    return error.hint


def broken_pages(database: SqliteDatabase) -> str:
    """Return SQLite's first error about the pages of the database file; empty if there is none."""
    with database.reading() as connection:
        found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
    return "" if found == "ok" else str(found).splitlines()[0]


_MAX_NAMED: Final = 5
"""Maximum number of damaged values or texts that are findings of their own; others are counted."""


def _make_repair_hint(database: Database, command: Callable[[Path], str]) -> str:
    """Return the command that restores a part of a store."""
    return command(database.path) if isinstance(database, SqliteDatabase) else RESTORE_DUMP


def _iterate_findings(database: Database) -> Iterator[DiagnosticFinding]:
    if isinstance(database, SqliteDatabase) and (pages := broken_pages(database)):
        yield DiagnosticFinding("store", "error", pages, recovery_command(database.path))
        return
    with database.reading() as connection:
        damage = _find_damage(connection, database)
        found = list(islice(damage, _MAX_NAMED))
        more = sum(1 for _ in damage)
    yield from found
    if more:
        says = f"and {format_count(more, 'more damaged value')}"
        yield DiagnosticFinding("store", "error", says)
    if found:
        return
    yield DiagnosticFinding("store", "ok", f"no damage found, schema version {SCHEMA}")
    audit = AuditStore(database)
    first = next(audit.find_faults(), None)
    if first is None:
        yield DiagnosticFinding(
            "log", "ok", f"{format_count(audit.events(), 'event')}, unbroken hash chains"
        )
    else:
        where = f"work of {first.person} on {first.dataset}/{first.sample}, event {first.seq}"
        yield DiagnosticFinding(
            "log",
            "error",
            f"{where}: {first.message}",
            _make_repair_hint(database, restore_log_command),
        )
    row = next(audit.find_row_faults(), None)
    if row is not None:
        where = f"table {row.table}, row {row.key} {row.name}".rstrip()
        command = restore_text_command if row.table == "documents" else restore_command
        repair_hint = _make_repair_hint(database, command)
        yield DiagnosticFinding("record", "error", f"{where}: {row.message}", repair_hint)


def _find_damage(connection: Connection, database: Database) -> Iterator[DiagnosticFinding]:
    if isinstance(database, SqliteDatabase):
        path = database.path
        for value in find_wrong_values(connection):
            repair_hint = restore_text_command(path) if value.document else restore_command(path)
            yield DiagnosticFinding("store", "error", str(value), repair_hint)
        lost = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        if lost:
            says = f"a row of table {lost[0]} refers to a missing row"
            yield DiagnosticFinding("store", "error", says, reingest_command(path))
            return  # samples without their documents would be found once more
    repair_hint = _make_repair_hint(database, restore_text_command)
    for says in find_altered_texts(connection):
        yield DiagnosticFinding("store", "error", says, repair_hint)
    yield from _find_unfit_segments(connection, repair_hint)


def _find_unfit_segments(connection: Connection, repair_hint: str) -> Iterator[DiagnosticFinding]:
    columns = (DOCUMENTS.c.sha256, DOCUMENTS.c.text, DOCUMENTS.c.boundaries)
    for name, content, boundaries in connection.execute(
        select(*columns), execution_options={"yield_per": 100}
    ):
        if find_text_damage(content, name):
            continue
        try:
            read_segments(connection, boundaries, name, length=len(content.decode()))
        except Damaged as error:
            yield DiagnosticFinding("store", "error", error.message, repair_hint)
