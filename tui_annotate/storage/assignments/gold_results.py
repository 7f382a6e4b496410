"""Results of accuracy checks, computed from the event log, so that later edits do not change them.

A check compares an annotator's work with the known answer, both as they were when the annotator
completed the sample. "As they were" follows the order in which events arrived in this store, not
the clocks of machines. An admin can move this time to the present for a dataset (`recompute`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, text

from tui_annotate.domain.annotations import REJECTED, Annotation, annotation_from_json
from tui_annotate.domain.assignments import State
from tui_annotate.domain.gold_checks import GoldCheck, score_check
from tui_annotate.domain.history import Change, Payload, StreamState
from tui_annotate.domain.label_changes import rename_labels
from tui_annotate.domain.people import PersonKind
from tui_annotate.domain.practice_feedback import PracticeAnswer
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.labels.store import changes_between

_CHECKS: Final = text(
    # Working time, changed label sets and permissions to review are no actions of the annotator.
    "SELECT d.name, w.person, s.external, s.id, w.updated, h.request,"  # noqa: S608  constants
    " (SELECT max(e.arrival) FROM events e WHERE e.person = w.person AND e.dataset = d.name"
    "    AND e.sample = s.external AND e.verb NOT IN ('read', 'relabel', 'allow'))"
    " FROM allotments a JOIN handouts h ON h.id = a.handout AND h.kind = 'gold'"
    " JOIN people p ON p.id = a.person"
    f"   AND p.kind <> '{PersonKind.AGAIN}'"
    " JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id AND w.state = 'done'"
    " JOIN samples s ON s.id = a.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE :dataset IN ('', d.name) AND :person IN ('', a.person)"
    " ORDER BY w.updated, s.id, w.person"
)
_RECOMPUTED: Final = text(
    "SELECT dataset, max(json_extract(request, '$.arrival')) FROM handouts"
    " WHERE kind = 'recompute' AND undone = '' GROUP BY dataset"
)
_LAST_ARRIVAL: Final = text("SELECT coalesce(max(arrival), 0) FROM events")
_EVENTS: Final = text(
    "SELECT arrival, after FROM events WHERE person = :person AND dataset = :dataset"
    " AND sample = :sample AND verb <> 'read' ORDER BY seq"
)
_PEOPLE_OF_SAMPLE: Final = text(
    # A person's own check is no answer to it.
    "SELECT w.person FROM assignments w WHERE w.sample_id = :row AND NOT EXISTS ("
    "  SELECT 1 FROM allotments a JOIN handouts h ON h.id = a.handout AND h.kind = 'gold'"
    "  WHERE a.person = w.person AND a.sample_id = w.sample_id) ORDER BY w.person"
)


class _AnswerKey(NamedTuple):
    row: int
    sample: SampleKey
    person: str
    origin: str


class _Version(NamedTuple):
    """The known answer from the event with the number `arrival` on."""

    arrival: int
    answer: PracticeAnswer


def last_arrival(connection: Connection) -> int:
    """Return the number of the newest event; 0 without events."""
    return int(connection.execute(_LAST_ARRIVAL).scalar_one())


def read_checks(connection: Connection, *, dataset: str = "", person: str = "") -> list[GoldCheck]:
    """Return completed accuracy checks, of one dataset or person or of all, oldest first."""
    recomputed: dict[str, int] = {row[0]: row[1] for row in connection.execute(_RECOMPUTED)}
    reader = _LogReader(connection)
    find_versions = lru_cache(maxsize=None)(reader.answer_versions)
    found = []
    rows = connection.execute(_CHECKS, {"dataset": dataset, "person": person}).all()
    for of_dataset, who, sample, row, updated, request, completed in rows:
        key = SampleKey(of_dataset, sample)
        asked = from_json(request)
        origin = asked.get("origin", "")
        versions = find_versions(_AnswerKey(row, key, "" if origin else asked["gold"], origin))
        point = max(completed or 0, recomputed.get(of_dataset, 0))
        # An answer that arrived only later, with a bundle for example, is better than none.
        at = max(bisect_right(versions, point, key=attrgetter("arrival")) - 1, 0)
        answer = versions[at].answer if versions else PracticeAnswer(())
        older = bool(versions) and reader.has_changed(versions[at], versions[-1], of_dataset)
        work = reader.work(who, key, until=point)
        score = score_check(_annotations(work.annotations), answer, rated=work.assignment["rating"])
        found.append(GoldCheck(of_dataset, who, sample, updated[:10], score, older, completed or 0))
    return found


@dataclass(frozen=True, slots=True)
class _LogReader:
    connection: Connection

    def work(self, person: str, sample: SampleKey, *, until: int) -> StreamState:
        """Return a person's work on a sample after the event with the number `until`."""
        state = StreamState()
        for arrival, after in self._states(person, sample):
            if arrival > until:
                break
            state = after
        return state

    def answer_versions(self, key: _AnswerKey) -> list[_Version]:
        """Return the versions of a known answer, oldest first; versions in progress are none."""
        if key.person:
            return [
                _Version(arrival, _answer_of_person(state))
                for arrival, state in self._states(key.person, key.sample)
                if state.assignment["state"] == State.DONE
            ]
        rows = self.connection.execute(_PEOPLE_OF_SAMPLE, {"row": key.row}).scalars().all()
        moves = [
            (arrival, person, state)
            for person in rows
            for arrival, state in self._states(person, key.sample)
        ]
        current: dict[str, StreamState] = {}
        versions = []
        for arrival, person, state in sorted(moves, key=lambda move: move[0]):
            current[person] = state
            versions.append(_Version(arrival, _answer_of_origin(current, key.origin)))
        return versions

    def has_changed(self, old: _Version, new: _Version, dataset: str) -> bool:
        """Return whether a known answer was changed; a renamed label is no change."""
        marks, rating = _content(old.answer)
        for change in changes_between(self.connection, since=old.arrival, until=new.arrival):
            if dataset in change.datasets:
                marks = [
                    (claim, evidence, rename_labels(labels, change.renames))
                    for claim, evidence, labels in marks
                ]
        return (sorted(marks, key=repr), rating) != _content(new.answer)

    def _states(self, person: str, sample: SampleKey) -> Iterator[tuple[int, StreamState]]:
        scope = {"person": person, "dataset": sample.dataset, "sample": sample.id}
        state = StreamState()
        for arrival, after in self.connection.execute(_EVENTS, scope).all():
            state = state.changed(Change.from_json(from_json(after)))
            yield arrival, state


def _answer_of_person(state: StreamState) -> PracticeAnswer:
    own = [each for each in _annotations(state.annotations) if not each.origin.startswith(REJECTED)]
    return PracticeAnswer(tuple(own), state.assignment["rating"])


def _answer_of_origin(states: Mapping[str, StreamState], origin: str) -> PracticeAnswer:
    annotations: list[Annotation] = []
    ratings = set()
    for state in states.values():
        own = [
            each
            for each in _annotations(state.annotations)
            if each.origin == origin or each.origin.startswith(f"{origin}:")
        ]
        annotations += own
        if own and state.assignment["rating"]:
            ratings.add(state.assignment["rating"])
    return PracticeAnswer(tuple(annotations), ratings.pop() if len(ratings) == 1 else "")


def _annotations(payloads: Mapping[str, Payload]) -> list[Annotation]:
    found = [annotation_from_json(payload) for payload in payloads.values()]
    return sorted(found, key=lambda each: (each.number, each.id))


def _content(answer: PracticeAnswer) -> tuple[Sequence[Any], str]:
    marks = [(each.claim, each.evidence, each.labels) for each in answer.annotations]
    return sorted(marks, key=repr), answer.rating
