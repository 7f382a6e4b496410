"""Rounds of practice: a person's result when all their practice samples are finished.

The result of a round is stored when the round ends, as a row of the recorded assignments, so that
no later change of an answer or a rule changes it. A row with `final` ends the practice of its
person in its dataset, unless an admin gives one more attempt: then a row with `retry` follows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import fmean
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, select, text

from tui_annotate.domain.assignment_rules import AssignmentCause, Practice
from tui_annotate.domain.history import DONE
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.work_statistics import PracticeResult
from tui_annotate.storage.assignments.assignment_rows import record_handout
from tui_annotate.storage.assignments.gold_results import last_arrival
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.columns import ORDERS
from tui_annotate.storage.queue_orders import PRACTICE
from tui_annotate.storage.statements import json_is_true, practice_condition

_IS_RETRIED: Final = (
    "EXISTS (SELECT 1 FROM handouts g WHERE g.kind = 'resume' AND g.dataset = h.dataset"  # noqa: S608  constants
    f"   AND g.id > h.id AND {json_is_true('g.request', 'retry')}"
    "   AND json_extract(g.request, '$.person') = json_extract(h.request, '$.person'))"
)
"""Condition on a row `h` of results: an admin gave the person one more attempt after it."""

_HAS_PRACTICE: Final = select(ORDERS.c.id).where(ORDERS.c.name == bindparam("name"))
_ENDED: Final = text(
    "SELECT d.name, t.value FROM allotments a JOIN samples s ON s.id = a.sample_id"  # noqa: S608  constants
    " JOIN datasets d ON d.id = s.dataset_id"
    " JOIN dataset_settings t ON t.dataset_id = d.id AND t.name = 'practice'"
    " LEFT JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id"
    " WHERE a.person = :person AND a.practice AND NOT EXISTS (SELECT 1 FROM handouts h"
    "   WHERE h.kind = 'result' AND h.undone = '' AND h.dataset = d.name"
    f"   AND {json_is_true('h.request', 'final')}"
    f"   AND json_extract(h.request, '$.person') = a.person AND NOT {_IS_RETRIED})"
    " GROUP BY d.id, t.value HAVING count(*) = count(*) FILTER (WHERE w.finished) ORDER BY d.id"
)
_SAMPLES: Final = text(
    "SELECT s.external FROM allotments a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    " WHERE a.person = :person AND a.practice AND d.name = :dataset ORDER BY a.rank"
)
_IS_PRACTICE: Final = text(
    "SELECT 1 FROM allotments a JOIN samples s ON s.id = a.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    " WHERE a.person = :person AND a.practice AND d.name = :dataset AND s.external = :sample"
)
_RESULTS: Final = text(
    f"SELECT h.dataset, h.request, {_IS_RETRIED}, h.at FROM handouts h"  # noqa: S608  constants
    " WHERE h.kind = 'result' AND h.undone = ''"
    " AND (:person = '' OR json_extract(h.request, '$.person') = :person) ORDER BY h.id"
)
_RULES: Final = text(
    "SELECT d.name, t.value FROM dataset_settings t JOIN datasets d ON d.id = t.dataset_id"
    " WHERE t.name = 'practice'"
)
_RETRIES: Final = text(
    "SELECT dataset, json_extract(request, '$.person'), count(*) FROM handouts"  # noqa: S608  constants
    f" WHERE kind = 'resume' AND {json_is_true('request', 'retry')} GROUP BY 1, 2"
)
_COMPLETED_BEFORE: Final = text(
    "SELECT count(*) FROM assignments w JOIN samples s ON s.id = w.sample_id"  # noqa: S608  constants
    " JOIN datasets d ON d.id = s.dataset_id"
    f" WHERE w.person = :person AND w.state = 'done' AND NOT {practice_condition('w')}"
    " AND EXISTS (SELECT 1 FROM events e WHERE e.person = w.person AND e.dataset = d.name"
    f"   AND e.sample = s.external AND e.verb = '{DONE}' AND (:passed = '' OR e.at < :passed))"
)
_PASSED_AT: Final = text(
    "SELECT min(at) FROM handouts WHERE kind = 'result' AND undone = '' AND dataset = :dataset"  # noqa: S608
    f" AND json_extract(request, '$.person') = :person AND {json_is_true('request', 'passed')}"
)
_FORGET: Final = text(
    "UPDATE handouts SET undone = :at WHERE kind = 'result' AND dataset = :dataset AND undone = ''"
)
_ADMIN: Final = text("SELECT by FROM handouts WHERE id = :id")


class EndedRound(NamedTuple):
    """A round of practice whose samples are all finished, and which has no result yet."""

    dataset: str
    rule: Practice
    samples: tuple[SampleKey, ...]


def find_ended_rounds(connection: Connection, person: str) -> list[EndedRound]:
    """Return a person's practice datasets with a finished round and without a final result."""
    # Each action asks this, and most people have no practice.
    if connection.execute(_HAS_PRACTICE, {"name": PRACTICE + person}).first() is None:
        return []
    found = []
    for dataset, value in connection.execute(_ENDED, {"person": person}).all():
        keys = _practice_samples(connection, person, dataset)
        found.append(EndedRound(dataset, Practice(**from_json(value)), keys))
    return found


def _practice_samples(connection: Connection, person: str, dataset: str) -> tuple[SampleKey, ...]:
    names = connection.execute(_SAMPLES, {"person": person, "dataset": dataset}).scalars()
    return tuple(SampleKey(dataset, name) for name in names)


def record_result(
    connection: Connection,
    person: str,
    ended: EndedRound,
    *,
    score_sample: Callable[[SampleKey], float],
    at: str,
) -> tuple[PracticeResult, bool]:
    """Store the result of a round; return it, and whether practice begins again.

    If the person has not passed and has no attempt left, and the rule holds such people back, their
    work is paused.
    """
    rule = ended.rule
    score = fmean(map(score_sample, ended.samples))
    passed = score >= rule.pass_score / 100 if rule.pass_score else None
    attempt = 1 + sum(each.dataset == ended.dataset for each in _read_rows(connection, person))
    final = passed is not False or 0 < rule.attempts <= attempt
    request: dict[str, Any] = {
        "person": person,
        "attempt": attempt,
        "score": round(score, 4),
        "pass": rule.pass_score,
        "passed": passed,
        "final": final,
    }
    record_handout(
        connection,
        AssignmentCause.RESULT,
        dataset=ended.dataset,
        by=person,
        at=at,
        request=request,
    )
    if final and passed is False and rule.hold:
        pause = {"person": person, "practice": True, "arrival": last_arrival(connection)}
        admin = connection.execute(_ADMIN, {"id": rule.handout}).scalar() or ""
        record_handout(
            connection,
            AssignmentCause.PAUSE,
            dataset=ended.dataset,
            by=admin,
            at=at,
            request=pause,
        )
    return _build_result(ended.dataset, request), not final


def give_attempt(
    connection: Connection, person: str, *, dataset: str, by: str, at: str
) -> dict[str, tuple[SampleKey, ...]]:
    """Give a person one more attempt at practice that they failed, in one dataset or in all.

    Returns the samples by dataset, whose work the caller must discard; empty if the person failed
    no practice, or has an attempt left.
    """
    last = {each.dataset: each for each in _read_rows(connection, person)}
    given = {}
    for name, result in last.items():
        samples = _practice_samples(connection, person, name)
        if dataset in ("", name) and result.final and result.passed is False and samples:
            request = {"person": person, "retry": True}
            record_handout(
                connection, AssignmentCause.RESUME, dataset=name, by=by, at=at, request=request
            )
            given[name] = samples
    return given


def find_final_result_time(connection: Connection, person: str, key: SampleKey) -> str:
    """Return when the final result of a person's practice was stored.

    Empty if the sample is not the person's practice, or if the practice has no final result.
    """
    scope = {"person": person, "dataset": key.dataset, "sample": key.id}
    if connection.execute(_IS_PRACTICE, scope).first() is None:
        return ""
    rows = connection.execute(_RESULTS, {"person": person}).all()
    results = [result for dataset, *result in rows if dataset == key.dataset]
    if not results:
        return ""
    request, retried, at = results[-1]
    return str(at) if from_json(request)["final"] and not retried else ""


def read_results(connection: Connection) -> list[PracticeResult]:
    """Return the last result of each person in each practice dataset."""
    rules = {name: Practice(**from_json(value)) for name, value in connection.execute(_RULES)}
    retries = {(dataset, person): count for dataset, person, count in connection.execute(_RETRIES)}
    found = {(each.dataset, each.person): each for each in _read_rows(connection)}
    return [
        replace(
            each,
            allowed=rules[each.dataset].attempts if each.dataset in rules else 0,
            retries=retries.get((each.dataset, each.person), 0),
            before_passing=_count_before_passing(connection, each),
        )
        for each in found.values()
    ]


def _count_before_passing(connection: Connection, result: PracticeResult) -> int:
    """Return how many other samples a person completed before they passed, if they ever did."""
    if result.needed is None:
        return 0
    about = {"dataset": result.dataset, "person": result.person}
    passed = connection.execute(_PASSED_AT, about).scalar() or ""
    wanted = {"person": result.person, "passed": passed}
    return int(connection.execute(_COMPLETED_BEFORE, wanted).scalar_one())


def forget_results(connection: Connection, dataset: str, *, at: str) -> None:
    """Mark the results in a dataset as undone, when it is no practice dataset any more."""
    connection.execute(_FORGET, {"dataset": dataset, "at": at})


def _read_rows(connection: Connection, person: str = "") -> list[PracticeResult]:
    rows = connection.execute(_RESULTS, {"person": person}).all()
    return [
        _build_result(dataset, from_json(request), retried=bool(retried))
        for dataset, request, retried, _at in rows
    ]


def _build_result(
    dataset: str, request: dict[str, Any], *, retried: bool = False
) -> PracticeResult:
    return PracticeResult(
        dataset,
        request["person"],
        attempts=request["attempt"],
        score=request["score"],
        needed=request["pass"] / 100 if request["pass"] else None,
        passed=request["passed"],
        final=request["final"] and not retried,
    )
