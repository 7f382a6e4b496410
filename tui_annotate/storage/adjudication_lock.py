"""On which samples annotators' work is locked because they are adjudicated: SQL and queries."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.assignment_rules import AssignmentCause
from tui_annotate.domain.assignments import State
from tui_annotate.domain.history import DONE, IMPORT, RELABEL, RETURN
from tui_annotate.domain.people import SETTLED

EDITS_SETTING: Final = "edits_after_adjudication"
"""Setting of a dataset whose annotators may change their work after the adjudication."""

LOCKING_ADJUDICATION: Final = (
    f"w.person = '{SETTLED}' AND w.state IN ('done', 'reopened') AND NOT EXISTS"  # noqa: S608  constants
    " (SELECT 1 FROM samples l JOIN dataset_settings t ON t.dataset_id = l.dataset_id"
    f"   WHERE l.id = w.sample_id AND t.name = '{EDITS_SETTING}')"
)
"""Condition on a row `w` of assignments: an adjudication that may lock the sample.

In the state `reopened`, only the event log shows whether a reviewer reopened the sample, or is
changing a decision while the work stays locked.
"""


def checked_condition(person: str, sample_id: str) -> str:
    """Return an SQL condition: whether a person answers a sample whose result is known on purpose.

    Such samples are practice, or check the person's accuracy; their work is no part of a review.

    Args:
        person, sample_id: SQL expressions.
    """
    return (
        "EXISTS (SELECT 1 FROM allotments c LEFT JOIN handouts b ON b.id = c.handout"  # noqa: S608
        f" WHERE c.person = {person} AND c.sample_id = {sample_id}"
        f" AND (c.practice OR b.kind = '{AssignmentCause.GOLD}'))"
    )


def returned_condition(sample_id: str, *, person: str) -> str:
    """Return an SQL condition: whether a person's work was reopened since the last adjudication.

    Args:
        sample_id, person: SQL expressions.
    """
    return (
        "EXISTS (SELECT 1 FROM samples k JOIN datasets q ON q.id = k.dataset_id"  # noqa: S608
        f" JOIN events e ON e.person = {person} AND e.dataset = q.name AND e.sample = k.external"
        f" WHERE k.id = {sample_id} AND (e.verb = '{RETURN}' OR (e.verb = '{RELABEL}'"
        "   AND json_valid(e.after)"
        f"   AND json_extract(e.after, '$.assignment.state') = '{State.REOPENED}'))"
        " AND e.arrival > (SELECT coalesce(max(x.arrival), 0) FROM events x"
        f"  WHERE x.person = '{SETTLED}' AND x.dataset = q.name AND x.sample = k.external"
        f"  AND x.verb IN ('{DONE}', '{IMPORT}') AND NOT EXISTS (SELECT 1 FROM events u"
        f"   WHERE u.person = '{SETTLED}' AND u.dataset = q.name AND u.sample = k.external"
        "    AND u.undoes = x.id)))"
    )


GROUP_SIZE: Final = 5
"""Number of successive samples of a person that are locked together in a dataset with gold samples.

Small, so that little work is locked before its own adjudication. A group always has other samples
next to its gold sample, as at most every second sample is one.
"""

_GOLD_RULE: Final = (
    "h.kind = 'gold' AND (h.undone = ''"
    " OR EXISTS (SELECT 1 FROM allotments g WHERE g.handout = h.id))"
)
_GOLD_DATASETS: Final = text(f"SELECT h.dataset FROM handouts h WHERE {_GOLD_RULE}")  # noqa: S608
_GOLD_DATASET_ROWS: Final = (
    "SELECT d.id FROM datasets d JOIN handouts h ON h.dataset = d.name"  # noqa: S608  constants
    f" WHERE {_GOLD_RULE}"
)
"""SQL: the datasets with gold samples, whose annotators must not see what is adjudicated.

Gold samples are not adjudicated with the others, so that the outcomes would name them.
"""


def adjudicated_condition(sample_id: str) -> str:
    """Return an SQL condition: whether a sample is adjudicated, so that no other person gets it.

    Args:
        sample_id: an SQL expression.
    """
    return (
        f"EXISTS (SELECT 1 FROM assignments w WHERE w.sample_id = {sample_id}"  # noqa: S608
        f" AND {LOCKING_ADJUDICATION})"
    )


def _reviewed_groups(person: str, dataset: str) -> str:
    """Return an SQL query: a person's samples of a dataset of whose group one is adjudicated.

    A sample that is not assigned to the person forms a group of its own.

    Args:
        person, dataset: SQL expressions; `dataset` is a row id. Their tables must not have the
            aliases of this query, which all begin with `in`.
    """
    return (
        "WITH ingroup AS (SELECT ina.sample_id, inh.kind = 'gold' AS gold,"  # noqa: S608
        f"  (row_number() OVER (ORDER BY ina.rank, ina.sample_id) - 1) / {GROUP_SIZE} AS number"
        "  FROM allotments ina JOIN handouts inh ON inh.id = ina.handout"
        "  JOIN samples ins ON ins.id = ina.sample_id"
        f"  WHERE ina.person = {person} AND NOT ina.practice AND ins.dataset_id = {dataset})"
        " SELECT inx.sample_id FROM ingroup inx WHERE inx.number IN"
        "  (SELECT iny.number FROM ingroup iny"
        f"   WHERE NOT iny.gold AND {adjudicated_condition('iny.sample_id')})"
        " UNION ALL SELECT inw.sample_id FROM assignments inw"
        "  JOIN samples ins ON ins.id = inw.sample_id"
        f"  WHERE inw.person = {person} AND ins.dataset_id = {dataset}"
        "  AND NOT EXISTS (SELECT 1 FROM allotments ina"
        "   WHERE ina.person = inw.person AND ina.sample_id = inw.sample_id)"
        f"  AND {adjudicated_condition('inw.sample_id')}"
    )


def locked_condition(sample_id: str, *, person: str, state: str, dataset: str = "") -> str:
    """Return the SQL condition that is true if a person cannot change their work on a sample.

    In a dataset with gold samples only completed work is locked, as soon as a sample of its group
    is adjudicated. All other work stays open, whether its sample is adjudicated or not: if only
    adjudicated samples were locked, those that stay open would be the gold samples.

    In other datasets, work on adjudicated samples is locked in every state, unless it was reopened.
    There it is exact but for two rare cases, in which `log.adjudications.refuse_locked` decides:
    the adjudication is reopened and the person has not begun the sample, or an undone adjudication
    was redone.

    Args:
        sample_id, person, state: SQL expressions; the state of the person's work on the sample is
            NULL for a person without work.
        dataset: SQL expression of the dataset's row id, if it is the same one for many samples of
            one person: SQLite then computes their groups once.
    """
    own = dataset or f"(SELECT ink.dataset_id FROM samples ink WHERE ink.id = {sample_id})"  # noqa: S608
    return (
        f"(CASE WHEN {own} IN ({_GOLD_DATASET_ROWS})"
        f" THEN coalesce({state}, '') = '{State.DONE}'"
        f"  AND {sample_id} IN ({_reviewed_groups(person, own)})"
        f" ELSE {adjudicated_condition(sample_id)}"
        # Only this state needs the log: annotators reopen completed work by changing it, too.
        f"  AND (coalesce({state}, '') <> '{State.REOPENED}'"
        f"   OR NOT {returned_condition(sample_id, person=person)})"
        f"  AND NOT {checked_condition(person, sample_id)} END)"
    )


_DATASET_ROW: Final = "(SELECT n.id FROM datasets n WHERE n.name = :dataset)"
_GROUP_LOCKED: Final = text(
    "SELECT a.sample_id FROM assignments a JOIN samples s ON s.id = a.sample_id"  # noqa: S608
    f" WHERE a.person = :person AND s.dataset_id = {_DATASET_ROW} AND "
    + locked_condition("a.sample_id", person=":person", state="a.state", dataset=_DATASET_ROW)
)


def list_gold_datasets(connection: Connection) -> set[str]:
    """Return the datasets whose annotators must not see which samples are adjudicated."""
    return set(connection.execute(_GOLD_DATASETS).scalars())


def list_group_locked(connection: Connection, person: str, dataset: str) -> set[int]:
    """Return the row ids of a person's completed samples that are locked with their group.

    Empty in a dataset without gold samples.
    """
    if dataset not in list_gold_datasets(connection):
        return set()
    scope = {"person": person, "dataset": dataset}
    return set(connection.execute(_GROUP_LOCKED, scope).scalars())
