"""Pauses of people whose accuracy on gold samples is too low; an admin ends them.

A pause is a row of the recorded assignments, whose request names the person, the accuracy and the
last event that decided. It ends when its row is undone; the row of the command that ended it names
the admin. Checks that decided about a pause do not decide about the next one: a check is as old as
its first completion, so that later edits and completions do not make it a new one.
"""

from __future__ import annotations

from collections.abc import Iterable
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
from tui_annotate.storage.statements import json_is_true, json_number

_RULE_WITH_PAUSE: Final = text(
    "SELECT t.value FROM datasets d JOIN dataset_settings t ON t.dataset_id = d.id"  # noqa: S608  constants
    f" WHERE d.name = :dataset AND t.name = 'gold' AND {json_is_true('t.value', 'pause')}"
)
_FINISHED: Final = text(
    "SELECT count(*) FROM allotments a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    " JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id AND w.finished"
    " WHERE a.person = :person AND d.name = :dataset"
)
_ADMIN: Final = text("SELECT by FROM handouts WHERE id = :id")
_LAST_EVENT_OF_EARLIER_PAUSES: Final = text(
    f"SELECT coalesce(max({json_number('request', 'arrival')}), 0) FROM handouts"  # noqa: S608  constants
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
    """A pause that no admin ended yet.

    Attributes:
        record_id: id of the row of the recorded assignments (table `handouts`) that is the pause.
        dataset: name of the dataset whose rule asked for the pause.
        person: id of the paused person.
        admin: name of the person who set the rule; empty if unknown.
    """

    record_id: int
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
    connection: Connection, person: str, dataset: str, *, at_block_end_only: bool
) -> None:
    """Pause a person who finished samples of a dataset, if the dataset's rule asks for it.

    The person is paused if the mean score of their last `RECENT` checks in the dataset since their
    previous pause there is below the threshold of the rule. Nothing happens with fewer than
    `LEAST_CHECKS` such checks, or while another pause of the person is open, in any dataset.

    Args:
        dataset: name of the dataset.
        at_block_end_only: whether to do nothing unless the person has finished a whole number of
            blocks of the rule. Within a block, a pause would show that the sample just finished is
            a gold sample. Samples that arrive together from another workspace need no such
            protection, and rarely end a block.
    """
    value = connection.execute(_RULE_WITH_PAUSE, {"dataset": dataset}).scalar()
    if value is None or list_pauses(connection, person):
        return
    rule = Gold(**from_json(value))
    scope = {"person": person, "dataset": dataset}
    if at_block_end_only:
        finished = int(connection.execute(_FINISHED, scope).scalar_one())
        if finished % rule.every:
            return
    since = connection.execute(_LAST_EVENT_OF_EARLIER_PAUSES, scope).scalar_one()
    checks = read_checks(connection, dataset=dataset, person=person)
    scores = [each.score for each in checks if each.completed > since][-RECENT:]
    if len(scores) < LEAST_CHECKS:
        return
    accuracy = fmean(scores)
    if accuracy >= rule.threshold / 100:
        return
    request = {
        "person": person,
        "accuracy": round(accuracy, 4),
        "checks": len(scores),
        "arrival": last_arrival(connection),
    }
    admin = connection.execute(_ADMIN, {"id": rule.handout}).scalar() or ""
    record_handout(
        connection, AssignmentCause.PAUSE, dataset=dataset, by=admin, at=utc_now(), request=request
    )


def end_pauses(connection: Connection, pauses: Iterable[Pause], *, by: str, at: str) -> None:
    """End pauses, and record who ended each of them.

    Args:
        by: id of the admin.
        at: time of the end.
    """
    for pause in pauses:
        connection.execute(_END, {"id": pause.record_id, "at": at})
        request = {"person": pause.person, "pause": pause.record_id}
        record_handout(
            connection, AssignmentCause.RESUME, dataset=pause.dataset, by=by, at=at, request=request
        )
