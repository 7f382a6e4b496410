"""Pauses of people whose accuracy on gold samples is too low; an admin ends them.

A pause is a row of the recorded assignments, whose request names the person, the accuracy and the
last event that decided. It ends when its row is undone; the row of the command that ended it names
the admin. Checks that decided about a pause do not decide about the next one: a check is as old as
its first completion, so that later edits and completions do not make it a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Final, NamedTuple

from sqlalchemy import Connection, text

from tui_annotate.domain.assignment_rules import AssignmentCause, Gold
from tui_annotate.domain.people import base_person
from tui_annotate.domain.work_statistics import LEAST_CHECKS, RECENT
from tui_annotate.storage.assignments.assignment_rows import record_handout
from tui_annotate.storage.assignments.gold_results import last_arrival, read_checks
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import from_json

_RULE: Final = text(
    "SELECT d.id, d.name, t.value FROM samples s JOIN datasets d ON d.id = s.dataset_id"
    " JOIN dataset_settings t ON t.dataset_id = d.id AND t.name = 'gold'"
    "   AND json_extract(t.value, '$.pause') WHERE s.id = :sample"
)
_FINISHED: Final = text(
    "SELECT count(*) FROM allotments a JOIN samples s ON s.id = a.sample_id"
    " JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id AND w.finished"
    " WHERE a.person = :person AND s.dataset_id = :dataset"
)
_ADMIN: Final = text("SELECT by FROM handouts WHERE id = :id")
_EARLIER: Final = text(
    "SELECT coalesce(max(json_extract(request, '$.arrival')), 0) FROM handouts"
    " WHERE kind = 'pause' AND dataset = :dataset AND json_extract(request, '$.person') = :person"
)
_OPEN: Final = (
    "SELECT h.id, h.dataset, json_extract(h.request, '$.person'), coalesce(p.name, '')"
    " FROM handouts h LEFT JOIN people p ON p.id = h.by WHERE h.kind = 'pause' AND h.undone = ''"
)
_ALL_OPEN: Final = text(f"{_OPEN} ORDER BY h.id")
_OPEN_OF_PERSON: Final = text(
    f"{_OPEN} AND json_extract(h.request, '$.person') = :person ORDER BY h.id"
)
_END: Final = text("UPDATE handouts SET undone = :at WHERE id = :id")


class Pause(NamedTuple):
    """A pause that no admin ended yet; `admin`: who set the rule, by name, or empty."""

    handout: int
    dataset: str
    person: str
    admin: str


def list_pauses(connection: Connection, person: str = "") -> list[Pause]:
    """Return the pauses of a person, or of all people, that no admin ended yet."""
    if person:
        rows = connection.execute(_OPEN_OF_PERSON, {"person": base_person(person)})
    else:
        rows = connection.execute(_ALL_OPEN)
    return [Pause(*row) for row in rows]


def pause_if_inaccurate(
    connection: Connection, person: str, sample_id: int, *, merged: bool = False
) -> None:
    """Pause a person who finished a sample, if the rule of its dataset asks for it.

    Args:
        merged: whether the work came from another machine, with work on other samples.
    """
    found = connection.execute(_RULE, {"sample": sample_id}).first()
    if found is None or list_pauses(connection, person):
        return
    dataset_id, dataset, value = found
    rule = Gold(**from_json(value))
    # Only after a whole block: a pause right after a sample would show that it is a gold sample.
    scope = {"person": person, "dataset": dataset_id}
    finished = int(connection.execute(_FINISHED, scope).scalar_one())
    if finished % rule.every and not merged:
        return
    since = connection.execute(_EARLIER, {"person": person, "dataset": dataset}).scalar_one()
    checks = read_checks(connection, dataset=dataset, person=person)
    scores = [each.score for each in checks if each.completed > since][-RECENT:]
    if len(scores) < LEAST_CHECKS or fmean(scores) >= rule.threshold / 100:
        return
    request = {
        "person": person,
        "accuracy": round(fmean(scores), 4),
        "checks": len(scores),
        "arrival": last_arrival(connection),
    }
    admin = connection.execute(_ADMIN, {"id": rule.handout}).scalar() or ""
    record_handout(
        connection, AssignmentCause.PAUSE, dataset=dataset, by=admin, at=utc_now(), request=request
    )


def end_pauses(connection: Connection, pauses: Sequence[Pause], *, by: str, at: str) -> list[int]:
    """End pauses; return the ids of the records that name who ended them."""
    ended = []
    for pause in pauses:
        connection.execute(_END, {"id": pause.handout, "at": at})
        request = {"person": pause.person, "pause": pause.handout}
        ended.append(
            record_handout(
                connection,
                AssignmentCause.RESUME,
                dataset=pause.dataset,
                by=by,
                at=at,
                request=request,
            )
        )
    return ended
