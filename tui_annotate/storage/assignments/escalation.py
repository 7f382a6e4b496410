"""Escalation: assigns further annotators to samples on which the assigned ones disagree.

A dataset's rule decides whether it happens. It happens once for each sample, in the transaction
that completes the sample, or on demand for a whole dataset.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.assignment_rules import AssignmentCause, Escalation, labels_disagree
from tui_annotate.storage.adjudication_lock import LOCKING_ADJUDICATION
from tui_annotate.storage.assignments.assignment_rows import AssignedRow, assign_samples
from tui_annotate.storage.codec import from_json

Disabled = Callable[[], Collection[str]]

_RULE: Final = text(
    "SELECT t.value FROM samples s JOIN dataset_settings t"  # noqa: S608  constants
    " ON t.dataset_id = s.dataset_id AND t.name = 'escalate' WHERE s.id = :sample"
    # The answers of a gold sample are known, so no third annotator has to decide.
    " AND NOT EXISTS (SELECT 1 FROM dataset_settings g, json_each(g.value, '$.samples') n"
    "   WHERE g.dataset_id = s.dataset_id AND g.name = 'gold' AND n.value = s.external)"
    # Nor after a reviewer has decided: work on the sample is locked.
    f" AND NOT EXISTS (SELECT 1 FROM assignments w WHERE w.sample_id = s.id"
    f"   AND {LOCKING_ADJUDICATION})"
)
_PEOPLE: Final = text(
    "SELECT a.person, h.kind, coalesce(w.state, 'new'), coalesce(w.finished, 0)"
    " FROM allotments a JOIN handouts h ON h.id = a.handout AND h.kind <> 'gold'"
    " JOIN people p ON p.id = a.person AND p.kind <> 'again'"
    " LEFT JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id"
    " WHERE a.sample_id = :sample AND NOT a.practice"
)
_OPEN_POOL_SLOT: Final = text("SELECT 1 FROM pool WHERE sample_id = :sample AND room > 0")
_ANNOTATIONS: Final = text("SELECT person, payload FROM annotations WHERE sample_id = :sample")
_AVAILABLE_PEOPLE: Final = text(
    # People who work in the dataset, do not have the sample, and whose account here is not closed.
    "SELECT p.id, (SELECT coalesce(sum(CASE t.person WHEN '' THEN t.count ELSE -t.count END), 0)"
    "   FROM orders o JOIN tallies t ON t.order_id = o.id AND t.person IN ('', p.id)"
    "   WHERE o.name = 'share:' || p.id) AS open"
    " FROM people p LEFT JOIN accounts c ON c.person = p.id"
    " WHERE p.kind IN ('local', 'account') AND coalesce(c.active, 1)"
    " AND NOT EXISTS (SELECT 1 FROM allotments a WHERE a.person = p.id AND a.sample_id = :sample)"
    " AND EXISTS (SELECT 1 FROM allotments a JOIN samples s ON s.id = a.sample_id"
    "   WHERE a.person = p.id AND NOT a.practice"
    "   AND s.dataset_id = (SELECT dataset_id FROM samples WHERE id = :sample))"
    " ORDER BY open, p.id"
)
_SAMPLES: Final = text(
    "SELECT s.id FROM samples s JOIN datasets d ON d.id = s.dataset_id"
    " JOIN allotments a ON a.sample_id = s.id WHERE d.name = :dataset"
    " GROUP BY s.id HAVING count(*) > 1 ORDER BY s.id"
)


def no_disabled_people() -> Collection[str]:
    """Return no ids: the default where no accounts are known to be disabled."""
    return ()


def escalate(
    connection: Connection, sample_id: int, *, disabled: Disabled = no_disabled_people
) -> int:
    """Assign a sample to more annotators if its annotators disagree; return how many were added.

    Annotators with the least open work come first. The result is 0 also if the sample was escalated
    before, or if no annotator is available.
    """
    rule = _find_due_rule(connection, sample_id)
    if rule is None:
        return 0
    excluded = disabled()
    free = connection.execute(_AVAILABLE_PEOPLE, {"sample": sample_id}).scalars()
    rows = [AssignedRow(person, sample_id) for person in free if person not in excluded]
    return len(assign_samples(connection, rows[: rule.add], handout=rule.handout))


def escalate_dataset(
    connection: Connection, dataset: str, *, disabled: Disabled
) -> tuple[int, int]:
    """Escalate a dataset's disagreements; return the numbers of extended and waiting samples."""
    escalated = waiting = 0
    for (sample_id,) in connection.execute(_SAMPLES, {"dataset": dataset}).all():
        if escalate(connection, sample_id, disabled=disabled):
            escalated += 1
        elif _find_due_rule(connection, sample_id):
            waiting += 1
    return escalated, waiting


def count_waiting(connection: Connection, dataset: str) -> int:
    """Return how many samples of a dataset wait for a further annotator after a disagreement."""
    rows = connection.execute(_SAMPLES, {"dataset": dataset}).all()
    return sum(_find_due_rule(connection, row[0]) is not None for row in rows)


def _find_due_rule(connection: Connection, sample_id: int) -> Escalation | None:
    """Return the rule to add annotators if all assignees completed a sample and disagree."""
    scope = {"sample": sample_id}
    found = connection.execute(_RULE, scope).scalar()
    if found is None:
        return None
    people = connection.execute(_PEOPLE, scope).all()
    if any(row[1] == AssignmentCause.ESCALATE or not row[3] for row in people):
        return None
    done = [row[0] for row in people if row[2] == "done"]
    if len(done) < 2 or connection.execute(_OPEN_POOL_SLOT, scope).first() is not None:
        return None
    labels: defaultdict[str, list[tuple[LabelPath, ...]]] = defaultdict(list)
    for person, payload in connection.execute(_ANNOTATIONS, scope):
        labels[person].append(tuple(map(tuple, from_json(payload)["labels"])))
    rule = Escalation(**from_json(found))
    return rule if labels_disagree([labels[person] for person in done], rule.when) else None
