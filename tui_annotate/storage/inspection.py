"""Looks whether a store is sound: pages, keys, and that its caches say what the log says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from sqlalchemy import Connection, select

from tui_annotate.domain.errors import Conflict, Damaged, NotFound, TuiAnnotateError
from tui_annotate.domain.findings import Finding
from tui_annotate.domain.history import replay
from tui_annotate.storage.annotations import AnnotationStore
from tui_annotate.storage.codec import unpack
from tui_annotate.storage.columns import DOCUMENTS
from tui_annotate.storage.database import SCHEMA, Database
from tui_annotate.storage.repair import begin_anew, bring_back, mending


def inspect(database: Database, log: AnnotationStore) -> list[Finding]:
    """Findings on pages, keys, documents and log; reads the whole store."""
    try:
        return list(_inspected(database, log))
    except TuiAnnotateError as error:
        return [Finding("store", "wrong", error.message, mending(error, database.path))]


def _inspected(database: Database, log: AnnotationStore) -> Iterator[Finding]:
    path = database.path
    with database.reading() as connection:
        pages = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
        if pages != "ok":
            yield Finding("store", "wrong", str(pages).splitlines()[0], bring_back(path))
            return
        contradiction = _lost_row(connection) or _altered_document(connection)
    if contradiction:
        yield Finding("store", "wrong", contradiction, begin_anew(path))
        return
    yield Finding("store", "ok", f"sound, version {SCHEMA}")
    count, contradiction = _read_log(log)
    if contradiction:
        yield Finding("log", "wrong", contradiction, begin_anew(path))
    else:
        yield Finding("log", "ok", f"{count} events, each follows its predecessor")


def _lost_row(connection: Connection) -> str:
    lost = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    return f"a row of {lost[0]} points nowhere" if lost is not None else ""


def _altered_document(connection: Connection) -> str:
    """What is wrong with a document; empty where all are what their hashes and lengths say."""
    columns = (DOCUMENTS.c.sha256, DOCUMENTS.c.text, DOCUMENTS.c.boundaries)
    for name, text, boundaries in connection.execute(select(*columns), execution_options=_PAGED):
        if hashlib.sha256(text).hexdigest() != name:
            return f"a document is not the text that it was: {name}"
        try:
            unpack(boundaries, len(text.decode()))
        except Damaged as error:
            return f"{error.message}: {name}"
    return ""


_PAGED = {"yield_per": 100}


def _read_log(log: AnnotationStore) -> tuple[int, str]:
    """How many events there are, and what contradicts them; empty where nothing does."""
    count = 0
    for person, key in log.streams():
        try:
            with log.reading() as one_moment:  # people may be at work meanwhile
                events = tuple(one_moment.events(person, key))
                count += len(events)
                told = replay(events)
                stands = one_moment.stream(person, key)
        except NotFound:
            continue  # its dataset was removed; the log outlives it
        except Conflict as error:
            return count, error.message
        if not told.same(stands.state) or events[-1].hash != stands.head:
            return count, f"the work of {person} on {key} is not what the log says"
    return count, ""
