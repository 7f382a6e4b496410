"""SQL conditions: on which samples annotators' work is locked because they are adjudicated."""

from __future__ import annotations

from typing import Final

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
