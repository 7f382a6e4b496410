"""Reads what happened to first and second readings of the same samples from the event log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.adjudication_history import LoggedChange
from tui_annotate.domain.people import PersonKind, base_person
from tui_annotate.domain.repeated_readings import RepeatedReading, compare_readings
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.log.adjudications import LOGGED_FIELDS, logged_changes

_SECOND_READERS: Final = text("SELECT id FROM people WHERE kind = :kind ORDER BY id")
_OF_PERSON: Final = text(LOGGED_FIELDS + " WHERE person = :person ORDER BY dataset, sample, seq")

RepeatedReadings = dict[tuple[str, SampleKey], RepeatedReading]
"""Second readings that were begun, by the id of the person and the sample."""


def read_repeated(
    connection: Connection, *, seen: Collection[str] | None = None
) -> RepeatedReadings:
    """Return all second readings that were begun, with what happened to both readings later.

    Args:
        seen: ids of the people whose work the user may read; None for all people.
    """
    found: RepeatedReadings = {}
    for second in connection.execute(_SECOND_READERS, {"kind": PersonKind.AGAIN}).scalars():
        if seen is not None and second not in seen:
            continue
        person = base_person(second)
        repeated = _read_changes(connection, second)
        first = _read_changes(connection, person) if repeated else {}
        for key, changes in repeated.items():
            if reading := compare_readings(first.get(key, []), changes):
                found[person, key] = reading
    return found


def _read_changes(connection: Connection, person: str) -> dict[SampleKey, list[LoggedChange]]:
    found: dict[SampleKey, list[LoggedChange]] = defaultdict(list)
    for change in logged_changes(connection.execute(_OF_PERSON, {"person": person})):
        found[change.key].append(change)
    return found
