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


def locked_condition(sample_id: str, *, person: str, state: str) -> str:
    """Return an SQL condition that is true if a person probably cannot change a sample.

    It is exact but for two rare cases, in which `log.adjudications.refuse_locked` decides: the
    adjudication is reopened and the person has not begun the sample, or an undone adjudication was
    redone.

    Args:
        sample_id, person, state: SQL expressions; the state of the person's work on the sample is
            NULL for a person without work.
    """
    return (
        f"(EXISTS (SELECT 1 FROM assignments w WHERE w.sample_id = {sample_id}"  # noqa: S608
        f"   AND {LOCKING_ADJUDICATION})"
        # Only this state needs the log: annotators reopen completed work by changing it, too.
        f" AND (coalesce({state}, '') <> '{State.REOPENED}'"
        f"   OR NOT {returned_condition(sample_id, person=person)})"
        f" AND NOT {checked_condition(person, sample_id)})"
    )


GROUP_SIZE: Final = 5
"""Number of successive samples of a person that are locked together in a dataset with gold samples.

Small, so that little work is locked before its own adjudication. A group always has other samples
next to its gold sample, as at most every second sample is one.
"""

_GOLD_DATASETS: Final = text(
    "SELECT h.dataset FROM handouts h WHERE h.kind = 'gold' AND (h.undone = ''"
    " OR EXISTS (SELECT 1 FROM allotments g WHERE g.handout = h.id))"
)
"""SQL: the names of datasets whose annotators must not see which samples are adjudicated.

Gold samples are not adjudicated with the others, so that the outcomes would name them.
"""

_GROUP_LOCKED: Final = text(
    "WITH own AS (SELECT a.sample_id, h.kind = 'gold' AS gold,"  # noqa: S608  constants
    f"   (row_number() OVER (ORDER BY a.rank, a.sample_id) - 1) / {GROUP_SIZE} AS grouped"
    "  FROM allotments a JOIN handouts h ON h.id = a.handout JOIN samples s ON s.id = a.sample_id"
    "  JOIN datasets d ON d.id = s.dataset_id"
    "  WHERE a.person = :person AND NOT a.practice AND d.name = :dataset),"
    " reviewed AS (SELECT DISTINCT o.grouped FROM own o WHERE NOT o.gold"
    "   AND EXISTS (SELECT 1 FROM assignments w WHERE w.sample_id = o.sample_id"
    f"     AND {LOCKING_ADJUDICATION}))"
    " SELECT o.sample_id FROM own o JOIN reviewed v ON v.grouped = o.grouped"
    " JOIN assignments f ON f.person = :person AND f.sample_id = o.sample_id AND f.finished"
)
"""SQL: a person's finished samples of a dataset of which a sample in their group is adjudicated.

They are locked in datasets with gold samples (`_GOLD_DATASETS`). If only adjudicated samples were
locked, an annotator could recognise gold samples as those that stay open.
"""


def list_blind_datasets(connection: Connection) -> set[str]:
    """Return the datasets whose annotators must not see which samples are adjudicated."""
    return set(connection.execute(_GOLD_DATASETS).scalars())


def list_group_locked(connection: Connection, person: str, dataset: str) -> set[int]:
    """Return the row ids of a person's finished samples that are locked with their group.

    Empty in a dataset without gold samples.
    """
    if dataset not in list_blind_datasets(connection):
        return set()
    scope = {"person": person, "dataset": dataset}
    return set(connection.execute(_GROUP_LOCKED, scope).scalars())
