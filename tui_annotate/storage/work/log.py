"""The log and its caches inside one transaction: read a stream, append to it, find what to undo.

Nobody else writes the tables `events`, `annotations`, `assignments`, `answers`, `tombstones` and
the tallies of what is finished, so they move together or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, bindparam, or_, select

from tui_annotate.domain.history import (
    Action,
    Deed,
    Event,
    StreamState,
    acted,
    replay,
)
from tui_annotate.domain.people import OPERATOR, Actor, Verb, require, seen_by
from tui_annotate.domain.relabelling import Renames, renamed_change
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.storage import suggestions
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.columns import (
    ANNOTATIONS,
    ANSWERS,
    ASSIGNMENTS,
    DATASETS,
    SAMPLES,
    SETTINGS,
    TOMBSTONES,
)
from tui_annotate.storage.guidance import label_changes
from tui_annotate.storage.shares.escalation import Disabled, nobody
from tui_annotate.storage.statements import SAMPLE_KEY, sample_row, upsert
from tui_annotate.storage.work import events, reviewing
from tui_annotate.storage.work.plans import Plan, Stream, planned, write

__all__ = ["Log", "Stream"]

_NUMBER: Final = "last_number"

_MINE = (ASSIGNMENTS.c.person == bindparam("person"),)
_ASSIGNMENT: Final = select(ASSIGNMENTS).where(
    *_MINE, ASSIGNMENTS.c.sample_id == bindparam("sample_id")
)
_PAYLOADS: Final = select(ANNOTATIONS.c.id, ANNOTATIONS.c.payload).where(
    ANNOTATIONS.c.sample_id == bindparam("sample_id"),
    ANNOTATIONS.c.person == bindparam("person"),
)
_ANSWERS: Final = select(ANSWERS.c.suggestion, ANSWERS.c.payload).where(
    ANSWERS.c.person == bindparam("person"), ANSWERS.c.sample_id == bindparam("sample_id")
)
_ANNOTATED: Final = (
    SAMPLE_KEY.join(ASSIGNMENTS, ASSIGNMENTS.c.sample_id == SAMPLES.c.id)
    .where(*_MINE, ASSIGNMENTS.c.annotations > 0)
    .order_by(DATASETS.c.name, SAMPLES.c.external)
)
_WORDED: Final = (
    SAMPLE_KEY.join(ASSIGNMENTS, ASSIGNMENTS.c.sample_id == SAMPLES.c.id)
    .where(*_MINE, or_(ASSIGNMENTS.c.rating != "", ASSIGNMENTS.c.comment != ""))
    .order_by(DATASETS.c.name, SAMPLES.c.external)
)
_BURIED: Final = select(TOMBSTONES.c.id).where(
    TOMBSTONES.c.id.in_(bindparam("names", expanding=True))
)
_HEADS: Final = select(ASSIGNMENTS.c.sample_id, ASSIGNMENTS.c.head).where(*_MINE)
_SETTING: Final = select(SETTINGS.c.value).where(SETTINGS.c.name == _NUMBER)
_SET: Final = upsert(SETTINGS, "name")
_OWNERS: Final = select(ANNOTATIONS.c.id, ANNOTATIONS.c.person, ANNOTATIONS.c.sample_id).where(
    ANNOTATIONS.c.id.in_(bindparam("names", expanding=True))
)
_TAKEN: Final = select(ANNOTATIONS.c.number).where(
    ANNOTATIONS.c.number.in_(bindparam("numbers", expanding=True))
)


class Log:
    """The log as one transaction sees it, and as the one who acts may.

    Raises:
        NotAllowed: every method, where it would read or write what is somebody else's to.
    """

    def __init__(
        self, connection: Connection, actor: Actor = OPERATOR, *, disabled: Disabled = nobody
    ) -> None:
        self._connection = connection
        self._actor = actor
        self._disabled = disabled
        self._since: dict[str, list[label_changes.Request]] = {}

    # reading -----------------------------------------------------------------------------------

    def stream(self, person: str, key: SampleKey) -> Stream:
        """A person's stream on a sample; empty where nothing was done yet.

        Raises:
            NotFound: there is no such sample.
        """
        require(self._actor, Verb.READ, person)
        sample_id = sample_row(self._connection, key)
        scope = {"person": person, "sample_id": sample_id}
        row = self._connection.execute(_ASSIGNMENT, scope).mappings().first()
        if row is None:
            return self._from_events(person, key, sample_id)
        payloads, answers = (
            self._connection.execute(each, scope) for each in (_PAYLOADS, _ANSWERS)
        )
        state = StreamState(
            {name: from_json(payload) for name, payload in payloads},
            {name: row[name] for name in ("state", "rating", "comment")},
            row["seconds"],
            {name: from_json(payload) for name, payload in answers},
        )
        return Stream(person, key, sample_id, state, row["seq"], row["head"], row["updated"])

    def _from_events(self, person: str, key: SampleKey, sample_id: int) -> Stream:
        """For a sample that is new, or came back after it was taken out."""
        told = list(self.events(person, key))
        if not told:
            return Stream(person, key, sample_id, StreamState())
        last = told[-1]
        return Stream(person, key, sample_id, replay(told), last.seq, last.hash, acted(told))

    def finished(self, key: SampleKey) -> list[str]:
        """The people whose work on a sample counts for review, sorted.

        Raises:
            NotFound: there is no such sample.
        """
        require(self._actor, Verb.REVIEW)
        return reviewing.finished(self._connection, sample_row(self._connection, key))

    def annotated(self, person: str) -> list[SampleKey]:
        """The samples with annotations of a person, sorted."""
        require(self._actor, Verb.READ, person)
        rows = self._connection.execute(_ANNOTATED, {"person": person})
        return [SampleKey(*row) for row in rows]

    def worded(self, person: str) -> list[SampleKey]:
        """The samples that a person rated or commented on, sorted."""
        require(self._actor, Verb.READ, person)
        rows = self._connection.execute(_WORDED, {"person": person})
        return [SampleKey(*row) for row in rows]

    def events(self, person: str, key: SampleKey) -> Iterator[Event]:
        """The events of a stream in order, also of a sample that is gone."""
        require(self._actor, Verb.READ, person)
        return events.of_stream(self._connection, person, key)

    def event(self, name: str) -> Event:
        """The event with an id that is known to be there."""
        found = events.by_id(self._connection, name)
        require(self._actor, Verb.READ, found.person)
        return found

    def batch(self, event: Event) -> Iterator[Event]:
        """The events that were done as one with this, in order, but for samples now gone."""
        require(self._actor, Verb.READ, event.person)
        return events.batch_of(self._connection, event)

    def under_new_labels(self, event: Event, action: Action) -> Action:
        """An action that comes of an old event, as label sets changed since name things."""
        # What was done as one came at one moment: one look for all of it.
        moment = event.action.batch or event.id
        if moment not in self._since:
            self._since[moment] = list(label_changes.since(self._connection, event))
        for request in self._since[moment]:
            if event.dataset in request.datasets:
                action = replace(
                    action,
                    before=renamed_change(action.before, request.renames),
                    after=renamed_change(action.after, request.renames),
                )
        return action

    def became(self, dataset: str, version: str) -> Renames:
        """What labels of a version are called since in a dataset, where that is otherwise."""
        return label_changes.became(self._connection, dataset, version)

    def deeds(self, person: str, *, by: str = "") -> Iterator[Deed]:
        """What was done and taken back in a person's streams, newest first; by one, if named."""
        require(self._actor, Verb.READ, person)
        return events.deeds(self._connection, person, by=by)

    def buried(self, names: Sequence[str]) -> set[str]:
        """Of some ids of annotations, those that were removed."""
        return set(self._connection.execute(_BURIED, {"names": list(names)}).scalars())

    def owners(self, names: Sequence[str]) -> dict[str, tuple[str, int]]:
        """Of some ids of annotations, those that stand: by id, the person and the sample's row."""
        seen = seen_by(self._actor)
        query = _OWNERS if seen is None else _OWNERS.where(ANNOTATIONS.c.person.in_(seen))
        rows = self._connection.execute(query, {"names": list(names)})
        return {name: (who, row) for name, who, row in rows}

    def suggestion(self, key: SampleKey, name: str) -> Suggestion:
        """A suggestion on a sample, for whoever answers it.

        Raises:
            NotFound: there is none of that id, or no such sample.
            Conflict: the dataset hides what machines say.
        """
        return suggestions.shown(self._connection, key, name)

    # writing -----------------------------------------------------------------------------------

    def append(self, stream: Stream, event: Event) -> Stream:
        """Writes an event that has no place yet behind a stream, and what it changes.

        Raises:
            Conflict: the stream is not as the event's action found it, or an annotation's id is
                taken by another stream.
        """
        plan, after = planned(stream, event)
        self.write([plan])
        return after

    def holds(self, person: str, plans: Sequence[Plan]) -> bool:
        """Whether the streams of a person's plans are as they were when these were made."""
        require(self._actor, Verb.READ, person)
        heads = {row[0]: row[1] for row in self._connection.execute(_HEADS, {"person": person})}
        return all(heads.get(plan.sample_id, "") == plan.head for plan in plans)

    def write(self, plans: Sequence[Plan]) -> None:
        """Writes what was planned; the plans must hold.

        Raises:
            Conflict: an annotation's id is taken by another stream.
        """
        for person in {plan.assignment["person"] for plan in plans}:
            require(self._actor, Verb.WRITE, person)
        write(self._connection, plans, disabled=self._disabled)

    def numbers(self, wanted: Sequence[int]) -> list[int]:
        """Numbers for new annotations: the wanted ones where they are free, else new ones.

        Args:
            wanted: one each; 0 for one without a wish.
        """
        last = highest = int(self._connection.execute(_SETTING).scalar() or 0)
        asked = {"numbers": [number for number in wanted if number > 0]}
        taken = (
            set(self._connection.execute(_TAKEN, asked).scalars()) if asked["numbers"] else set()
        )
        given = []
        for number in wanted:
            if number <= 0 or number in taken:
                number = highest + 1  # noqa: PLW2901  that is the point
            taken.add(number)
            highest = max(highest, number)
            given.append(number)
        if highest > last:
            self._connection.execute(_SET, {"name": _NUMBER, "value": str(highest)})
        return given
