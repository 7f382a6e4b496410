"""Which first readings a person must not see, because their second reading is not complete.

A second reading measures whether a person agrees with themselves. It would measure memory of the
screen if the person could open the first reading meanwhile, so that queries of annotators' own work
exclude these first readings for everyone but reviewers and admins.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotAllowed
from tui_annotate.domain.history import DISCARD, DONE
from tui_annotate.domain.people import Person, second_reader
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.adjudication_lock import locked_condition

_SUFFIX: Final = second_reader(Person("", "")).id
_DONE: Final = "EXISTS (SELECT 1 FROM assignments z WHERE {work} AND z.state = 'done')"
_SECOND_DONE: Final = _DONE.format(work="z.person = h.person AND z.sample_id = h.sample_id")
_SECOND_STATE: Final = (
    "(SELECT y.state FROM assignments y WHERE y.person = h.person AND y.sample_id = h.sample_id)"
)
_SECOND_ENDED: Final = (
    # A locked second reading is never completed, so that the first one would stay hidden.
    f"({_SECOND_DONE} OR {locked_condition('h.sample_id', person='h.person', state=_SECOND_STATE)})"
)

_COMPLETED_ONCE: Final = (
    f"({_DONE.format(work='z.person = {work}.person AND z.sample_id = {work}.sample_id')}"  # noqa: S608
    # The log, as the person may have reopened the work in order to keep it visible.
    " OR EXISTS (SELECT 1 FROM samples k JOIN datasets q ON q.id = k.dataset_id"
    " JOIN events e ON e.person = {work}.person AND e.dataset = q.name AND e.sample = k.external"
    f" WHERE k.id = {{work}}.sample_id AND (e.verb = '{DONE}'"
    "   OR (e.verb IN ('undo', 'redo', 'join', 'import', 'relabel') AND json_valid(e.after)"
    f"    AND json_extract(e.after, '$.assignment.state') = '{State.DONE}'))"
    " AND NOT EXISTS (SELECT 1 FROM events n WHERE n.person = e.person"
    "   AND n.dataset = e.dataset AND n.sample = e.sample AND n.seq > e.seq"
    f"  AND n.verb = '{DISCARD}')))"
)


def open_second_reading(work: str) -> str:
    """Return an SQL condition: whether a person has yet to complete a sample a second time.

    A second reading that is locked, because the sample was adjudicated, counts as ended. `work` is
    a table or alias with the columns `person` and `sample_id`.
    """
    return (
        "EXISTS (SELECT 1 FROM allotments h"  # noqa: S608  constants
        f" WHERE h.person = {work}.person || '{_SUFFIX}' AND h.sample_id = {work}.sample_id"
        f" AND NOT {_SECOND_ENDED})"
    )


def hidden_first_reading(work: str) -> str:
    """Return an SQL condition: whether a person must not see their first reading of a sample.

    It is hidden from the start of the person's second readings until the second reading of the
    sample is complete or locked, also if it was reopened after its completion. Work that was never
    complete stays visible until its own second reading begins, because the person could not
    complete it otherwise.
    """
    completed = _COMPLETED_ONCE.format(work=work)
    begun = (
        "EXISTS (SELECT 1 FROM places b WHERE b.person = h.person{sample})"
        " OR EXISTS (SELECT 1 FROM assignments b WHERE b.person = h.person{sample})"
    )
    any_begun = begun.format(sample="")
    this_begun = begun.format(sample=" AND b.sample_id = h.sample_id")
    return (
        "EXISTS (SELECT 1 FROM allotments h"  # noqa: S608  constants
        f" WHERE h.person = {work}.person || '{_SUFFIX}' AND h.sample_id = {work}.sample_id"
        f" AND NOT {_SECOND_ENDED}"
        f" AND ((({any_begun}) AND {completed}) OR {this_begun}))"
    )


_WORK: Final = (
    "SELECT {condition} FROM (SELECT :person AS person, s.id AS sample_id FROM samples s"
    " JOIN datasets d ON d.id = s.dataset_id"
    " WHERE d.name = :dataset AND s.external = :sample) w"
)
_SECOND_READINGS: Final = text(
    "SELECT d.name, s.external FROM allotments a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id WHERE a.person = :person"
)
_IS_OPEN: Final = text(_WORK.format(condition=open_second_reading("w")))
_IS_HIDDEN: Final = text(_WORK.format(condition=hidden_first_reading("w")))


def has_open_second_reading(connection: Connection, person: str, key: SampleKey) -> bool:
    """Return whether a person must still complete a second reading of a sample."""
    scope = {"person": person, "dataset": key.dataset, "sample": key.id}
    return bool(connection.execute(_IS_OPEN, scope).scalar())


def is_hidden(connection: Connection, person: str, key: SampleKey) -> bool:
    """Return whether a person must not see their first reading of a sample."""
    scope = {"person": person, "dataset": key.dataset, "sample": key.id}
    return bool(connection.execute(_IS_HIDDEN, scope).scalar())


def list_hidden(connection: Connection, person: str) -> set[SampleKey]:
    """Return the samples of which a person must not see their first reading."""
    assigned = connection.execute(_SECOND_READINGS, {"person": person + _SUFFIX}).all()
    keys = (SampleKey(*row) for row in assigned)
    return {key for key in keys if is_hidden(connection, person, key)}


def require_visible(connection: Connection, person: str, key: SampleKey) -> None:
    """Raise NotAllowed if a person must not see their first reading of a sample."""
    if is_hidden(connection, person, key):
        raise NotAllowed(
            f"your first annotations of sample {key} are hidden until you complete it a second"
            " time",
            "complete the 2nd reading of the sample first: the list of actions (:) switches"
            " between both readings",
            code="first-reading-hidden",
        )
