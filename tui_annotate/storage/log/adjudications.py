"""The lock of annotators' work on adjudicated samples, and what happened to it afterwards.

`refuse_locked` is the only place that enforces the lock. All writes of events pass it, inside the
transaction that writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, text

from tui_annotate.domain.adjudication_history import (
    LOCKED_CODE,
    UNLOCKED_VERBS,
    AdjudicatedSample,
    AdjudicationHistory,
    LoggedChange,
)
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import NotAllowed
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.log.events import BY, REASON

if TYPE_CHECKING:
    from tui_annotate.storage.log.write_plans import EventStream, WritePlan

EDITS_SETTING: Final = "edits_after_adjudication"
"""Setting of a dataset whose annotators may change their work after the adjudication."""

_CLOSED_STATES: Final = "('done', 'reopened')"  # a reviewer who changes a decision reopens it
# The setting's subquery looks up one row by its key, and only for adjudicated samples.
_ADJUDICATED: Final = (
    f"w.person = '{SETTLED}' AND w.state IN {_CLOSED_STATES} AND NOT EXISTS"  # noqa: S608  constants
    " (SELECT 1 FROM samples l JOIN dataset_settings t ON t.dataset_id = l.dataset_id"
    f"   WHERE l.id = w.sample_id AND t.name = '{EDITS_SETTING}')"
)
_POSSIBLY_LOCKED: Final = text(
    "SELECT w.sample_id FROM json_each(:rows) r CROSS JOIN assignments w"  # noqa: S608  constants
    f" WHERE w.sample_id = r.value AND {_ADJUDICATED}"
)
_FIELDS: Final = (
    "SELECT arrival, id, person, dataset, sample, seq, verb,"
    # Parsing is slow: only of these types does the name not tell the state that they set.
    " CASE WHEN verb = 'done' THEN 'done' WHEN verb = 'skip' THEN 'skipped'"
    "   WHEN verb = 'flag' THEN 'flagged'"
    "   WHEN verb NOT IN ('undo', 'redo', 'join', 'import', 'relabel') THEN ''"
    # SQLite rejects NaN, which an imported record may have, as JSON; Python parses it.
    "   WHEN json_valid(after) THEN coalesce(json_extract(after, '$.assignment.state'), '')"
    "   ELSE after END AS state,"
    " undoes, batch, at,"
    " CASE WHEN verb IN ('return', 'reopen') THEN versions ELSE '{}' END AS versions FROM events"
)
_OF_SAMPLE: Final = text(
    _FIELDS + " WHERE person IN (:settled, :person) AND dataset = :dataset AND sample = :sample"
    " ORDER BY arrival"
)
_REVIEWS: Final = text(_FIELDS + " WHERE person = :settled AND arrival > :since ORDER BY arrival")
_FIRST_CLOSED: Final = text(
    "SELECT min(arrival) FROM events WHERE person = :settled AND verb IN ('done', 'import')"
)
_LATER: Final = text(_FIELDS + " WHERE arrival > :since AND verb <> 'read' ORDER BY arrival")
_IS_LOCKED: Final = text(
    f"SELECT 1 FROM assignments w WHERE w.sample_id = :sample_id AND {_ADJUDICATED}"  # noqa: S608  constants
)


def locked_condition(sample_id: str, person_state: str) -> str:
    """Return an SQL condition that is true if a person's work on a sample is surely locked.

    Args:
        sample_id, person_state: SQL expressions; the state is NULL for a person without work.
    """
    return (
        f"(coalesce({person_state}, '') <> 'reopened' AND EXISTS (SELECT 1 FROM assignments w"  # noqa: S608
        f" WHERE w.sample_id = {sample_id} AND {_ADJUDICATED}))"
    )


def refuse_locked(connection: Connection, plans: Sequence[WritePlan]) -> None:
    """Raise NotAllowed if a plan changes an annotator's own work on an adjudicated sample.

    Call it in the transaction that writes the plans, before it writes them. One locked sample
    refuses all plans, because they are one action.
    """
    own = [
        plan
        for plan in plans
        if plan.event["person"] != SETTLED and plan.event["verb"] not in UNLOCKED_VERBS
    ]
    if not own:
        return
    rows = {"rows": to_json(sorted({plan.sample_id for plan in own}))}
    suspects = set(connection.execute(_POSSIBLY_LOCKED, rows).scalars())
    locked = []
    for plan in own:
        if plan.sample_id in suspects:
            person = plan.event["person"]
            key = SampleKey(plan.event["dataset"], plan.event["sample"])
            sample = read_adjudicated_sample(connection, person, key)
            if sample and sample.locks(person):
                locked.append(key)
    if locked:
        raise _locked_error(locked, len(own))


def _locked_error(locked: Sequence[SampleKey], count: int) -> NotAllowed:
    if count == 1:
        return NotAllowed(
            f"sample {locked[0]} is adjudicated: your work on it is locked",
            "ask a reviewer to reopen your work",
            code=LOCKED_CODE,
        )
    return NotAllowed(
        f"{format_count(len(locked), 'sample is', 'samples are')} adjudicated, so the work on"
        f" {'it' if len(locked) == 1 else 'them'} is locked, for example {locked[0]}; nothing was"
        " changed",
        "name samples that are not adjudicated, or ask a reviewer to reopen your work",
        code=LOCKED_CODE,
    )


@dataclass(frozen=True, slots=True)
class WorkLock:
    """Whether a person may change their work on a sample, as the annotation screen shows it.

    Attributes:
        locked: whether the sample is adjudicated and the person's work is not reopened.
        reopened: the reason why a reviewer reopened the work; empty if it is not reopened, or if
            the person has completed it again.
    """

    locked: bool = False
    reopened: str = ""


def read_lock(connection: Connection, stream: EventStream) -> WorkLock:
    """Return the lock of a person's work on a sample, with one query for most samples."""
    scope = {"sample_id": stream.sample_id}
    is_reopened = stream.assignment.state is State.REOPENED
    may_be_locked = connection.execute(_IS_LOCKED, scope).first() is not None
    if stream.person == SETTLED or not (is_reopened or may_be_locked):
        return WorkLock()
    sample = read_adjudicated_sample(connection, stream.person, stream.key)
    if sample is None:
        return WorkLock()
    returned = stream.person in sample.returned
    reason = sample.reasons.get(stream.person, "") if returned else ""
    return WorkLock(may_be_locked and sample.locks(stream.person), reason)


def read_adjudicated_sample(
    connection: Connection, person: str, key: SampleKey
) -> AdjudicatedSample | None:
    """Return the history of a sample and of one person's work on it; None if never adjudicated."""
    history = AdjudicationHistory()
    scope = {"settled": SETTLED, "person": person, "dataset": key.dataset, "sample": key.id}
    history.take(_changes(connection.execute(_OF_SAMPLE, scope)))
    return history.samples.get(key)


def update_history(connection: Connection, history: AdjudicationHistory) -> AdjudicationHistory:
    """Add the events to a history that arrived after its last one; return the history."""
    since = history.last
    if not history.samples:
        # Nothing before the first adjudication matters: usually most of the log.
        first = connection.execute(_FIRST_CLOSED, {"settled": SETTLED}).scalar()
        if first is None:
            return history
        since = int(first) - 1
        # A reviewer's earlier events are needed to know what an undo restores.
        earlier = connection.execute(_REVIEWS, {"settled": SETTLED, "since": 0})
        history.take(one for one in _changes(earlier) if one.arrival <= since)
    history.take(_changes(connection.execute(_LATER, {"since": since})))
    return history


def _changes(rows: Iterable[Any]) -> Iterator[LoggedChange]:
    for row in rows:
        state = row.state
        if state.startswith("{"):
            state = from_json(state)["assignment"].get("state", "")
        about = from_json(row.versions)
        yield LoggedChange(
            row.arrival,
            row.id,
            row.person,
            SampleKey(row.dataset, row.sample),
            row.seq,
            row.verb,
            state,
            row.undoes,
            row.batch,
            row.at,
            about.get(BY, ""),
            about.get(REASON, ""),
        )
