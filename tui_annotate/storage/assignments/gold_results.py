"""Results of accuracy checks, computed from the event log, so that later edits do not change them.

A check compares an annotator's work with the known answer, both as they were when the annotator
completed the sample for the first time. "As they were" follows the order in which events arrived in
this store, not the clocks of machines. An admin can compare the same work with the present answers
of a dataset (`recompute`). Practice uses the first completion in the same way.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, text

from tui_annotate.domain.annotations import REJECTED, Annotation, annotation_from_json
from tui_annotate.domain.assignments import State
from tui_annotate.domain.gold_checks import GoldCheck, score_check
from tui_annotate.domain.history import (
    ALLOW,
    DISCARD,
    DONE,
    IMPORT,
    JOIN,
    RELABEL,
    RETURN,
    Change,
    Payload,
    StreamState,
)
from tui_annotate.domain.label_changes import rename_labels, rename_payload
from tui_annotate.domain.people import PersonKind
from tui_annotate.domain.practice_feedback import PracticeAnswer
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.documents import read_sample_texts
from tui_annotate.storage.labels.changes import changes_between
from tui_annotate.storage.statements import json_number

_CHECKS_FROM: Final = (
    " FROM allotments a JOIN handouts h ON h.id = a.handout AND h.kind = 'gold'"
    " JOIN people p ON p.id = a.person"
    f"   AND p.kind <> '{PersonKind.AGAIN}'"
    " JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id"
    " JOIN samples s ON s.id = a.sample_id JOIN datasets d ON d.id = s.dataset_id"
    " WHERE :dataset IN ('', d.name) AND :person IN ('', a.person)"
)
_CHECKS: Final = text("SELECT d.name, a.person, s.external, s.id, h.request" + _CHECKS_FROM)
_SKIPPED: Final = text(
    "SELECT d.name, a.person, s.external"
    + _CHECKS_FROM
    + " AND w.state IN ('skipped', 'flagged') ORDER BY 1, 2, 3"
)
_RECOMPUTED: Final = text(
    f"SELECT dataset, max({json_number('request', 'arrival')}) FROM handouts"  # noqa: S608  constants
    " WHERE kind = 'recompute' AND undone = '' GROUP BY dataset"
)
_LAST_ARRIVAL: Final = text("SELECT coalesce(max(arrival), 0) FROM events")
_EVENTS: Final = text(
    "SELECT arrival, verb, at, after FROM events WHERE person = :person AND dataset = :dataset"
    " AND sample = :sample AND verb <> 'read' ORDER BY seq"
)
_NO_EDITS: Final = frozenset({DONE, RELABEL, RETURN, ALLOW, IMPORT, JOIN})
"""Types of events that are no edits after a completion: they change no work of the annotator's own.

To complete a sample again is an edit only with the actions before it, which are counted.
"""
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


class _LoggedState(NamedTuple):
    """A person's work on a sample after one event."""

    arrival: int
    verb: str
    at: str
    state: StreamState


def last_arrival(connection: Connection) -> int:
    """Return the number of the newest event; 0 without events."""
    return int(connection.execute(_LAST_ARRIVAL).scalar_one())


def read_checks(connection: Connection, *, dataset: str = "", person: str = "") -> list[GoldCheck]:
    """Return accuracy checks that were completed, of one dataset or person or of all, oldest first.

    A check that its annotator reopened later stays in the result, with its score.
    """
    recomputed = {name: int(arrival) for name, arrival in connection.execute(_RECOMPUTED)}
    reader = _LogReader(connection)
    find_versions = lru_cache(maxsize=None)(reader.answer_versions)
    read_texts = lru_cache(maxsize=100)(partial(read_sample_texts, connection))
    found = []
    rows = connection.execute(_CHECKS, {"dataset": dataset, "person": person}).all()
    for of_dataset, who, sample, row, request in rows:
        key = SampleKey(of_dataset, sample)
        completion = reader.first_completion(who, key)
        if completion is None:
            continue
        asked = from_json(request)
        origin = asked.get("origin", "")
        versions = find_versions(
            _AnswerKey(row, key, person="" if origin else asked["gold"], origin=origin)
        )
        point = max(completion.arrival, recomputed.get(of_dataset, 0))
        # An answer that arrived only later, with a bundle for example, is better than none.
        at = max(bisect_right(versions, point, key=attrgetter("arrival")) - 1, 0)
        answer = versions[at].answer if versions else PracticeAnswer(())
        older = bool(versions) and reader.has_changed(versions[at], versions[-1], of_dataset)
        work = reader.with_label_names(completion, key.dataset, until=point)
        found.append(
            GoldCheck(
                dataset=of_dataset,
                person=who,
                sample=sample,
                day=completion.at[:10],
                score=score_check(work, answer, rated=completion.rating, texts=read_texts(key)),
                older=older,
                completed=completion.arrival,
                later_edits=completion.later_edits,
            )
        )
    return sorted(found, key=lambda each: (each.completed, each.sample, each.person))


def count_skipped(
    connection: Connection, checks: Iterable[GoldCheck]
) -> dict[tuple[str, str], int]:
    """Count the gold samples that people skipped or flagged, by dataset and person.

    Samples that the person had completed before, which are among `checks`, do not count.
    """
    measured = {(each.dataset, each.person, each.sample) for each in checks}
    rows = connection.execute(_SKIPPED, {"dataset": "", "person": ""}).all()
    return Counter(
        (dataset, person)
        for dataset, person, sample in rows
        if (dataset, person, sample) not in measured
    )


@dataclass(frozen=True, slots=True)
class FirstCompletion:
    """A person's work on a sample as it was when the person first completed the sample.

    After the work is discarded, for another attempt at practice or because the sample was removed,
    the next completion is the first one again.

    Attributes:
        arrival, at: number and time of the event that completed the sample.
        later_edits: number of the person's own actions on the sample since then.
    """

    arrival: int
    at: str
    state: StreamState
    later_edits: int

    @property
    def rating(self) -> str:
        """The person's rating of the sample then; empty for none."""
        return self.state.assignment["rating"]


def score_first_completion(
    connection: Connection, person: str, key: SampleKey, *, answer: PracticeAnswer | None
) -> float:
    """Return the score of a person's first completion of a sample, 0 if there is none.

    The answer is a present one, so that the work gets the present names of renamed labels.
    """
    reader = _LogReader(connection)
    completion = reader.first_completion(person, key)
    if answer is None or completion is None:
        return 0.0
    work = reader.with_label_names(completion, key.dataset, until=None)
    texts = read_sample_texts(connection, key)
    return score_check(work, answer, rated=completion.rating, texts=texts)


@dataclass(frozen=True, slots=True)
class _LogReader:
    connection: Connection

    def first_completion(self, person: str, key: SampleKey) -> FirstCompletion | None:
        """Return the first completion of the present attempt; None if there is none."""
        found = None
        for event in self._states(person, key):
            if event.verb == DISCARD:
                found = None
            elif found is None:
                if event.state.assignment["state"] == State.DONE:
                    found = FirstCompletion(event.arrival, event.at, event.state, later_edits=0)
            elif event.verb not in _NO_EDITS:
                found = replace(found, later_edits=found.later_edits + 1)
        return found

    def with_label_names(
        self, completion: FirstCompletion, dataset: str, *, until: int | None
    ) -> list[Annotation]:
        """Return the annotations of a completion, with the names that labels had later.

        `until`: number of the event before which labels were renamed; None for the present names.
        """
        payloads = completion.state.annotations
        for change in changes_between(self.connection, since=completion.arrival, until=until):
            if dataset in change.datasets:
                payloads = {
                    name: rename_payload(payload, change.renames)
                    for name, payload in payloads.items()
                }
        return _annotations(payloads)

    def answer_versions(self, key: _AnswerKey) -> list[_Version]:
        """Return the versions of a known answer, oldest first; versions in progress are none."""
        if key.person:
            return [
                _Version(event.arrival, _answer_of_person(event.state))
                for event in self._states(key.person, key.sample)
                if event.state.assignment["state"] == State.DONE
            ]
        rows = self.connection.execute(_PEOPLE_OF_SAMPLE, {"row": key.row}).scalars().all()
        moves = [
            (event.arrival, person, event.state)
            for person in rows
            for event in self._states(person, key.sample)
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

    def _states(self, person: str, sample: SampleKey) -> Iterator[_LoggedState]:
        scope = {"person": person, "dataset": sample.dataset, "sample": sample.id}
        state = StreamState()
        for arrival, verb, at, after in self.connection.execute(_EVENTS, scope).all():
            state = state.changed(Change.from_json(from_json(after)))
            yield _LoggedState(arrival, verb, at=at, state=state)


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
