"""Escalation: assigns further annotators to samples on which the assigned ones disagree.

A dataset's rule decides whether it happens. It happens once for each sample, in the transaction
that completes the sample, or on demand for a whole dataset.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.assignment_rules import AssignmentCause, Escalation, labels_disagree
from tui_annotate.domain.assignments import State
from tui_annotate.storage.adjudication_lock import LOCKING_ADJUDICATION
from tui_annotate.storage.assignments.assignment_rows import AssignedRow, assign_samples
from tui_annotate.storage.codec import from_json

Disabled = Callable[[], Collection[str]]
"""Function that returns the ids of people whose accounts are disabled; called once a rule is due.

The accounts may be outside of the workspace's store.
"""

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
    "SELECT a.person, h.kind, coalesce(w.state, 'new'), coalesce(w.finished, false)"
    " FROM allotments a JOIN handouts h ON h.id = a.handout AND h.kind <> 'gold'"
    " JOIN people p ON p.id = a.person AND p.kind <> 'again'"
    " LEFT JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id"
    " WHERE a.sample_id = :sample AND NOT a.practice"
)
_OPEN_POOL_SLOT: Final = text("SELECT 1 FROM pool WHERE sample_id = :sample AND room > 0")
_ANNOTATIONS: Final = text("SELECT person, payload FROM annotations WHERE sample_id = :sample")
_AVAILABLE_PEOPLE: Final = text(
    # People who work in the dataset, do not have the sample, and whose account here is not closed.
    # `tallies` has the length of each person's queue under the name '', and the number of finished
    # samples in it under the person's id: their difference is the open work.
    "SELECT p.id, (SELECT coalesce(sum(CASE t.person WHEN '' THEN t.count ELSE -t.count END), 0)"
    "   FROM orders o JOIN tallies t ON t.order_id = o.id AND t.person IN ('', p.id)"
    "   WHERE o.name = 'share:' || p.id) AS open"
    " FROM people p LEFT JOIN accounts c ON c.person = p.id"
    " WHERE p.kind IN ('local', 'account') AND coalesce(c.active, true)"
    " AND NOT EXISTS (SELECT 1 FROM allotments a WHERE a.person = p.id AND a.sample_id = :sample)"
    " AND EXISTS (SELECT 1 FROM allotments a JOIN samples s ON s.id = a.sample_id"
    "   WHERE a.person = p.id AND NOT a.practice"
    "   AND s.dataset_id = (SELECT dataset_id FROM samples WHERE id = :sample))"
    " ORDER BY open, p.id"
)
_SAMPLES: Final = text(
    # Fewer than two assignees cannot disagree. This only limits the samples to check: whose work
    # counts is decided by `_PEOPLE`, without practice, gold samples and second readings.
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

    Annotators with the least open work come first. Fewer than the rule wants are added if no others
    are available, and the sample gets no more later. The result is 0 also if the sample was
    escalated before, or if no annotator is available.
    """
    rule = _find_due_rule(connection, sample_id)
    return _assign_more(connection, sample_id, rule=rule, excluded=disabled()) if rule else 0


def escalate_dataset(
    connection: Connection, dataset: str, *, disabled: Disabled
) -> tuple[int, int]:
    """Escalate a dataset's disagreements; return the numbers of extended and waiting samples."""
    excluded = disabled()
    escalated = waiting = 0
    for sample_id, rule in _find_due_samples(connection, dataset):
        if _assign_more(connection, sample_id, rule=rule, excluded=excluded):
            escalated += 1
        else:
            waiting += 1
    return escalated, waiting


def count_due_samples(connection: Connection, dataset: str) -> int:
    """Return the number of a dataset's samples that escalation would assign to more annotators.

    That is possible only while an annotator is available, which is not checked here.
    """
    return sum(1 for _ in _find_due_samples(connection, dataset))


def _assign_more(
    connection: Connection, sample_id: int, *, rule: Escalation, excluded: Collection[str]
) -> int:
    available = connection.execute(_AVAILABLE_PEOPLE, {"sample": sample_id}).scalars()
    rows = [AssignedRow(person, sample_id) for person in available if person not in excluded]
    return len(assign_samples(connection, rows[: rule.add], handout=rule.handout))


def _find_due_samples(connection: Connection, dataset: str) -> Iterator[tuple[int, Escalation]]:
    for sample_id in connection.execute(_SAMPLES, {"dataset": dataset}).scalars().all():
        if rule := _find_due_rule(connection, sample_id):
            yield sample_id, rule


def _find_due_rule(connection: Connection, sample_id: int) -> Escalation | None:
    """Return the rule to add annotators to a sample if its annotators disagree; else None.

    All assignees must have completed, skipped or flagged the sample, and at least two must have
    completed it. Only the work of those who completed it is compared.
    """
    scope = {"sample": sample_id}
    stored_rule = connection.execute(_RULE, scope).scalar()
    if stored_rule is None:
        return None
    completed = []
    for person, cause, state, finished in connection.execute(_PEOPLE, scope).all():
        if cause == AssignmentCause.ESCALATE or not finished:
            return None
        if state == State.DONE:
            completed.append(person)
    if len(completed) < 2 or connection.execute(_OPEN_POOL_SLOT, scope).first() is not None:
        return None
    labels: defaultdict[str, list[tuple[LabelPath, ...]]] = defaultdict(list)
    for person, payload in connection.execute(_ANNOTATIONS, scope):
        paths = from_json(payload)["labels"]
        labels[person].append(tuple(tuple(path) for path in paths))
    rule = Escalation(**from_json(stored_rule))
    return rule if labels_disagree([labels[person] for person in completed], rule.when) else None
