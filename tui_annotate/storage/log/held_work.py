"""Finds work that people completed elsewhere while they were held back here.

A person is held back while their work is paused, and from the assignment of practice to its final
result. The program refuses such work in this workspace. Work from another workspace, such as a
bundle, is stored in any case, because it must not be lost; so it is counted here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from sqlalchemy import Connection, text

from tui_annotate.domain.people import Person, base_person, second_reader
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.statements import json_is_true

_PAUSES: Final = text(
    "SELECT json_extract(request, '$.person'), at, undone FROM handouts WHERE kind = 'pause'"
)
_PRACTICE: Final = text(
    "SELECT a.person, d.name, min(h.at), count(*) = count(*) FILTER (WHERE w.finished),"
    " max(coalesce(w.updated, ''))"
    " FROM allotments a JOIN handouts h ON h.id = a.handout JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    " LEFT JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id"
    " WHERE a.practice GROUP BY a.person, d.name"
)
_RESULTS: Final = text(
    "SELECT json_extract(request, '$.person'), dataset, at,"  # noqa: S608  constants
    f" {json_is_true('request', 'retry')} FROM handouts WHERE undone = ''"
    f" AND (kind = 'result' AND {json_is_true('request', 'final')}"
    f"   OR kind = 'resume' AND {json_is_true('request', 'retry')}) ORDER BY id"
)
_COMPLETED: Final = text(
    "SELECT DISTINCT e.dataset, e.sample FROM events e"
    " JOIN datasets d ON d.name = e.dataset"
    " JOIN samples s ON s.dataset_id = d.id AND s.external = e.sample"
    " JOIN assignments w ON w.person = e.person AND w.sample_id = s.id AND w.state = 'done'"
    " WHERE e.person = :reader AND e.at > :begin AND e.at < :end AND e.verb <> 'import'"
    " AND json_extract(e.after, '$.assignment.state') = 'done'"
    " AND NOT EXISTS (SELECT 1 FROM allotments p"
    "   WHERE p.person = :person AND p.sample_id = s.id AND p.practice)"
)
_OPEN_END: Final = "9999"
"""A time after all others, as the end of a period that has not ended."""


class _Period(NamedTuple):
    person: str
    begin: str
    end: str


def list_held_work(
    connection: Connection, *, seen: Collection[str] | None = None
) -> dict[str, set[tuple[str, SampleKey]]]:
    """Return the completed readings that people completed while they were held back.

    The readings are pairs of the reader's id and the sample, by the id of the person; second
    readings have an id of their own. Practice samples are not included.

    Args:
        seen: ids of the people whose work the user may read; None for all people.
    """
    found: dict[str, set[tuple[str, SampleKey]]] = defaultdict(set)
    for person, begin, end in _list_periods(connection):
        if seen is not None and person not in seen:
            continue
        for reader in (person, second_reader(Person(person, "")).id):
            scope = {"person": person, "reader": reader, "begin": begin, "end": end}
            rows = connection.execute(_COMPLETED, scope).all()
            found[person].update((reader, SampleKey(*row)) for row in rows)
    return {person: readings for person, readings in found.items() if readings}


def _list_periods(connection: Connection) -> list[_Period]:
    periods = [
        _Period(base_person(person), at, undone or _OPEN_END)
        for person, at, undone in connection.execute(_PAUSES)
    ]
    results: dict[tuple[str, str], list[tuple[str, bool]]] = defaultdict(list)
    for person, dataset, at, retry in connection.execute(_RESULTS):
        results[person, dataset].append((at, bool(retry)))
    for person, dataset, begin, finished, updated in connection.execute(_PRACTICE).all():
        # The result of finished practice is stored only when the person asks for the next sample.
        last = updated if finished else _OPEN_END
        periods += _list_practice(person, results[person, dataset], begin=begin, last=last)
    return periods


def _list_practice(
    person: str, results: Iterable[tuple[str, bool]], *, begin: str, last: str
) -> list[_Period]:
    """Return the periods of a person's practice in a dataset.

    Args:
        results: times of final results, and of further attempts (True), in order.
        begin: time of the assignment.
        last: time at which practice ends if no final result follows.
    """
    periods = []
    is_open = True
    for at, retry in results:
        if is_open and not retry:
            periods.append(_Period(person, begin, at))
        is_open = retry
        if retry:
            begin = at
    if is_open:
        periods.append(_Period(person, begin, last))
    return periods
