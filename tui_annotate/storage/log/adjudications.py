"""The lock of annotators' work on adjudicated samples, and what happened to it afterwards.

Only `refuse_locked` enforces the lock. All writes of events pass it, inside the transaction that
writes them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

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
from tui_annotate.domain.history import RETURN
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.adjudication_lock import (
    LOCKING_ADJUDICATION,
    checked_condition,
    list_gold_datasets,
    list_group_locked,
)
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.log.events import BY, REASON
from tui_annotate.storage.statements import text_list

_POSSIBLY_LOCKED: Final = text(
    "SELECT w.sample_id FROM json_each(:rows) r CROSS JOIN assignments w"  # noqa: S608  constants
    f" WHERE w.sample_id = CAST(r.value AS BIGINT) AND {LOCKING_ADJUDICATION}"
)
LOGGED_FIELDS: Final = (
    "SELECT arrival, id, person, dataset, sample, seq, verb,"
    # Parsing is slow, and only of these types the name does not determine the new state.
    " CASE WHEN verb = 'done' THEN 'done' WHEN verb = 'skip' THEN 'skipped'"
    "   WHEN verb = 'flag' THEN 'flagged'"
    "   WHEN verb NOT IN ('undo', 'redo', 'join', 'import', 'relabel') THEN ''"
    # SQLite rejects NaN, which an imported record may have, as JSON; Python parses it.
    "   WHEN json_valid(after) THEN coalesce(json_extract(after, '$.assignment.state'), '')"
    "   ELSE after END AS state,"
    " undoes, batch, at,"
    " CASE WHEN verb IN ('return', 'reopen') THEN versions ELSE '{}' END AS versions FROM events"
)
"""SQL without a condition: the fields of `LoggedChange`, as `logged_changes` reads them."""

_OF_SAMPLE: Final = text(
    LOGGED_FIELDS
    + " WHERE person IN (:settled, :person) AND dataset = :dataset AND sample = :sample"
    " ORDER BY arrival"
)
_REVIEWS: Final = text(
    LOGGED_FIELDS + " WHERE person = :settled AND arrival > :since ORDER BY arrival"
)
_FIRST_CLOSED: Final = text(
    "SELECT min(arrival) FROM events WHERE person = :settled AND verb IN ('done', 'import')"
)
_LATER: Final = text(LOGGED_FIELDS + " WHERE arrival > :since AND verb <> 'read' ORDER BY arrival")
_IS_LOCKED: Final = text(
    f"SELECT 1 FROM assignments w WHERE w.sample_id = :sample_id AND {LOCKING_ADJUDICATION}"  # noqa: S608  constants
)


class PlannedChange(NamedTuple):
    """An event that is to be written: whose work it changes on which sample, and its type."""

    sample_id: int
    person: str
    key: SampleKey
    verb: str


_CHECKED: Final = text(
    "SELECT a.person, d.name, s.external FROM allotments a JOIN samples s ON s.id = a.sample_id"  # noqa: S608  constants
    " JOIN datasets d ON d.id = s.dataset_id"
    f" WHERE {checked_condition('a.person', 'a.sample_id')}"
)
_WORKED_ON: Final = text(
    "SELECT d.name, s.external FROM assignments w JOIN samples s ON s.id = w.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id WHERE w.person IN :people"
).bindparams(text_list("people"))
_IS_CHECKED: Final = text(
    "SELECT 1 FROM samples s JOIN datasets d ON d.id = s.dataset_id"  # noqa: S608  constants
    " WHERE d.name = :dataset AND s.external = :sample"
    f" AND {checked_condition(':person', 's.id')}"
)


_LAST_REOPENING: Final = text(
    "SELECT verb, versions FROM events WHERE person = :person AND dataset = :dataset"
    " AND sample = :sample AND verb IN ('return', 'relabel') ORDER BY seq DESC LIMIT 1"
)


def refuse_locked(connection: Connection, changes: Sequence[PlannedChange]) -> None:
    """Raise NotAllowed if an event changes an annotator's own work on an adjudicated sample.

    Call it in the transaction that writes the events, before it writes them. One locked sample
    refuses all of them, because they are one action.
    """
    own = [
        change
        for change in changes
        if change.person != SETTLED and change.verb not in UNLOCKED_VERBS
    ]
    if not own:
        return
    hiding = list_gold_datasets(connection)
    in_groups = {
        (person, dataset): list_group_locked(connection, person, dataset)
        for person, dataset in {(each.person, each.key.dataset) for each in own}
        if dataset in hiding
    }
    rows = {"rows": to_json(sorted({change.sample_id for change in own}))}
    suspects = set(connection.execute(_POSSIBLY_LOCKED, rows).scalars())
    locked = []
    for change in own:
        if change.key.dataset in hiding:
            if change.sample_id in in_groups[change.person, change.key.dataset]:
                locked.append(change.key)
        elif change.sample_id in suspects:
            sample = read_adjudicated_sample(connection, change.person, change.key)
            if sample and sample.locks(change.person):
                locked.append(change.key)
    if locked:
        hidden = any(key.dataset in hiding for key in locked)
        raise locked_error(locked, len(own), hidden=hidden)


def locked_error(locked: Sequence[SampleKey], count: int, *, hidden: bool = False) -> NotAllowed:
    """Return the error for an action on `count` samples, some of which are locked.

    Args:
        hidden: whether the annotator must not see which of the locked samples are adjudicated.
    """
    number = format_count(len(locked), "sample")
    verb = "is" if len(locked) == 1 else "are"
    if count == 1 and hidden:
        message = f"your work on sample {locked[0]} is locked by a review"
    elif count == 1:
        message = f"sample {locked[0]} is adjudicated: your work on it is locked"
    elif hidden:
        message = (
            f"the work on {number} is locked by a review, for example {locked[0]}; nothing was"
            " changed"
        )
    else:
        message = (
            f"{number} {verb} adjudicated, so the work on"
            f" {'it' if len(locked) == 1 else 'them'} is locked, for example {locked[0]}; nothing"
            " was changed"
        )
    hint = "ask a reviewer to reopen your work"
    if count > 1:
        hint = f"name samples that are not {'locked' if hidden else 'adjudicated'}, or {hint}"
    return NotAllowed(message, hint, code=LOCKED_CODE)


@dataclass(frozen=True, slots=True)
class WorkLock:
    """Whether a person may change their work on a sample, as the annotation screen shows it.

    Attributes:
        locked: whether a review has locked the person's work, and no reviewer reopened it.
        reopened: the reason why a reviewer reopened the work; empty if it is not reopened, or if
            the person has completed it again.
        hidden: whether the person must not see if the sample itself is adjudicated.
    """

    locked: bool = False
    reopened: str = ""
    hidden: bool = False


def read_lock(
    connection: Connection, person: str, key: SampleKey, *, sample_id: int, state: State
) -> WorkLock:
    """Return the lock of a person's work on a sample, with one query for most samples."""
    if person == SETTLED:
        return WorkLock()
    if key.dataset in list_gold_datasets(connection):
        if state is State.DONE:
            groups = list_group_locked(connection, person, key.dataset)
            return WorkLock(locked=sample_id in groups, hidden=True)
        reason = _reason_of_reopening(connection, person, key, state=state)
        return WorkLock(reopened=reason, hidden=True)
    may_be_locked = connection.execute(_IS_LOCKED, {"sample_id": sample_id}).first() is not None
    if not (state is State.REOPENED or may_be_locked):
        return WorkLock()
    sample = read_adjudicated_sample(connection, person, key)
    if sample is None or person in sample.checked:
        return WorkLock(reopened=_reason_of_reopening(connection, person, key, state=state))
    reason = sample.reasons.get(person, "") if person in sample.returned else ""
    return WorkLock(may_be_locked and sample.locks(person), reason)


def _reason_of_reopening(
    connection: Connection, person: str, key: SampleKey, *, state: State
) -> str:
    """Return why a reviewer reopened work that is not completed since; else an empty text."""
    scope = {"person": person, "dataset": key.dataset, "sample": key.id}
    last = connection.execute(_LAST_REOPENING, scope).first()
    if state is not State.REOPENED or last is None or last.verb != RETURN:
        return ""
    return str(from_json(last.versions).get(REASON, ""))


def read_adjudicated_sample(
    connection: Connection, person: str, key: SampleKey
) -> AdjudicatedSample | None:
    """Return the history of a sample and of one person's work on it; None if never adjudicated."""
    history = AdjudicationHistory()
    scope = {"settled": SETTLED, "person": person, "dataset": key.dataset, "sample": key.id}
    if connection.execute(_IS_CHECKED, scope).first() is not None:
        history.set_checked({key: [person]})
    history.take(logged_changes(connection.execute(_OF_SAMPLE, scope)))
    return history.samples.get(key)


def update_history(
    connection: Connection, history: AdjudicationHistory, *, seen: Collection[str] | None = None
) -> AdjudicationHistory:
    """Add the events to a history that arrived after its last one; return the history.

    Args:
        seen: ids of the people whose work the user may read, without the names of reviewers and
            without datasets that hide outcomes; None for all people.
    """
    hidden = set() if seen is None else list_gold_datasets(connection)
    checked: dict[SampleKey, set[str]] = {}
    for person, dataset, sample in connection.execute(_CHECKED):
        if dataset not in hidden:
            checked.setdefault(SampleKey(dataset, sample), set()).add(person)
    history.set_checked(checked)
    since = history.last
    if not history.samples:
        # Nothing before the first adjudication matters: usually most of the log.
        first = connection.execute(_FIRST_CLOSED, {"settled": SETTLED}).scalar()
        if first is None:
            return history
        since = int(first) - 1
        # A reviewer's earlier events are needed to know what an undo restores.
        earlier = connection.execute(_REVIEWS, {"settled": SETTLED, "since": 0})
        history.take(
            one
            for one in logged_changes(earlier)
            if one.arrival <= since and one.key.dataset not in hidden
        )
    later = logged_changes(connection.execute(_LATER, {"since": since}))
    if seen is not None:
        visible = (SETTLED, *seen)
        later = (
            one._replace(by="")
            for one in later
            if one.person in visible and one.key.dataset not in hidden
        )
    history.take(later)
    if seen is not None:
        _keep_own_samples(connection, history, seen)
    return history


def _keep_own_samples(
    connection: Connection, history: AdjudicationHistory, seen: Collection[str]
) -> None:
    """Remove the samples that an annotator has not begun, or whose answer checks the annotator.

    A sample that was adjudicated before its annotator begins is most likely a gold sample.
    """
    begun = {SampleKey(*row) for row in connection.execute(_WORKED_ON, {"people": list(seen)})}
    for key, sample in list(history.samples.items()):
        if key not in begun or set(seen) & set(sample.checked):
            del history.samples[key]
        sample.checked = ()


def logged_changes(rows: Iterable[Any]) -> Iterator[LoggedChange]:
    """Yield the events of rows with the columns of `LOGGED_FIELDS`."""
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
