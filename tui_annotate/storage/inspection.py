"""Looks whether a store is sound: pages, keys, and that its caches say what the log says."""

from __future__ import annotations

from tui_annotate.domain.errors import Conflict, NotFound, TuiAnnotateError
from tui_annotate.domain.findings import Finding
from tui_annotate.domain.history import replay
from tui_annotate.storage.annotations import AnnotationStore
from tui_annotate.storage.database import SCHEMA, Database

_RESTORE = "put the newest file of backups/ in place of store.sqlite"


def inspect(database: Database, log: AnnotationStore) -> list[Finding]:
    """Findings on pages, keys and log; reads the whole store."""
    try:
        with database.reading() as connection:
            pages = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
            lost = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    except TuiAnnotateError as error:
        return [Finding("store", "wrong", error.message, error.hint)]
    if pages != "ok":
        return [Finding("store", "wrong", str(pages).splitlines()[0], _RESTORE)]
    if lost is not None:
        return [Finding("store", "wrong", f"a row of {lost[0]} points nowhere", _RESTORE)]
    return [Finding("store", "ok", f"sound, version {SCHEMA}"), _log_found(log)]


def _log_found(log: AnnotationStore) -> Finding:
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
            return Finding("log", "wrong", error.message, _RESTORE)
        if not told.same(stands.state) or events[-1].hash != stands.head:
            says = f"the work of {person} on {key} is not what the log says"
            return Finding("log", "wrong", says, _RESTORE)
    return Finding("log", "ok", f"{count} events, each follows its predecessor")
