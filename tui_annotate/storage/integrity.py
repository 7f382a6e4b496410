"""Checks of a workspace's database: SQLite pages, foreign keys, documents, event log."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from sqlalchemy import Connection, select

from tui_annotate.domain.errors import Damaged, TuiAnnotateError
from tui_annotate.domain.findings import DiagnosticFinding
from tui_annotate.domain.plural import format_count
from tui_annotate.storage.codec import unpack
from tui_annotate.storage.columns import DOCUMENTS
from tui_annotate.storage.database import SCHEMA, Database
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.repair import recovery_command, reingest_command, suggest_repair


def inspect_store(database: Database) -> list[DiagnosticFinding]:
    """Check a whole database for damage: file, foreign keys, documents and event log."""
    try:
        return list(_iterate_findings(database))
    except TuiAnnotateError as error:
        return [
            DiagnosticFinding("store", "wrong", error.message, suggest_repair(error, database.path))
        ]


def broken_pages(database: Database) -> str:
    """Return SQLite's first error about the pages of the database file; empty if there is none."""
    with database.reading() as connection:
        found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
    return "" if found == "ok" else str(found).splitlines()[0]


def _iterate_findings(database: Database) -> Iterator[DiagnosticFinding]:
    path = database.path
    if pages := broken_pages(database):
        yield DiagnosticFinding("store", "wrong", pages, recovery_command(path))
        return
    with database.reading() as connection:
        lost = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        contradiction = (
            f"a row of table {lost[0]} refers to a missing row"
            if lost
            else _find_altered_document(connection)
        )
    if contradiction:
        yield DiagnosticFinding("store", "wrong", contradiction, reingest_command(path))
        return
    yield DiagnosticFinding("store", "ok", f"no damage found, schema version {SCHEMA}")
    audit = AuditStore(database)
    first = next(audit.find_faults(), None)
    if first is None:
        yield DiagnosticFinding(
            "log", "ok", f"{format_count(audit.events(), 'event')}, unbroken hash chains"
        )
        return
    where = f"work of {first.person} on {first.dataset}/{first.sample}, event {first.seq}"
    yield DiagnosticFinding("log", "wrong", f"{where}: {first.says}", reingest_command(path))


def _find_altered_document(connection: Connection) -> str:
    """Return a message about the first document with a wrong hash or segments; or empty."""
    columns = (DOCUMENTS.c.sha256, DOCUMENTS.c.text, DOCUMENTS.c.boundaries)
    for name, text, boundaries in connection.execute(
        select(*columns), execution_options={"yield_per": 100}
    ):
        if hashlib.sha256(text).hexdigest() != name:
            return f"the text of a document does not match its hash: {name}"
        try:
            unpack(boundaries, len(text.decode()))
        except Damaged as error:
            return f"{error.message}: {name}"
    return ""
