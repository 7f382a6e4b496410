"""A change of a label set with all work under it: looked at without the lock, kept at one go.

Several thousand people's streams may be touched, so they are read in one query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from sqlalchemy import Connection, bindparam, func, select, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.history import RELABEL, Event, StreamState
from tui_annotate.domain.people import OPERATOR, Actor, Verb, require
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.columns import (
    ANNOTATIONS,
    ASSIGNMENTS,
    DATASETS,
    EDITIONS,
    EVENTS,
    SAMPLES,
    SETTINGS,
    TEXTS,
)
from tui_annotate.storage.database import Database
from tui_annotate.storage.guidance import label_changes
from tui_annotate.storage.guidance.label_changes import LabelChange
from tui_annotate.storage.guidance.store import Guidance
from tui_annotate.storage.shares.escalation import Disabled, nobody
from tui_annotate.storage.statements import add_missing, upsert
from tui_annotate.storage.work import events
from tui_annotate.storage.work.log import Log
from tui_annotate.storage.work.plans import Plan, Stream, write

StreamName = tuple[str, SampleKey]
"""A person's id, and the sample."""

_LABELS: Final = Guidance.LABELS.value
_ARRIVAL: Final = select(func.coalesce(func.max(EVENTS.c.arrival), 0))
_OWN: Final = select(DATASETS.c.name, DATASETS.c.labels).order_by(DATASETS.c.name)
_COMMON: Final = select(SETTINGS.c.value).where(SETTINGS.c.name == _LABELS)
_STREAMS: Final = (
    select(
        ASSIGNMENTS.c.person,
        DATASETS.c.name,
        SAMPLES.c.external,
        ASSIGNMENTS.c.sample_id,
        ASSIGNMENTS.c.state,
        ASSIGNMENTS.c.rating,
        ASSIGNMENTS.c.comment,
        ASSIGNMENTS.c.seconds,
        ASSIGNMENTS.c.seq,
        ASSIGNMENTS.c.head,
        ASSIGNMENTS.c.updated,
        ANNOTATIONS.c.id,
        ANNOTATIONS.c.payload,
    )
    .select_from(ANNOTATIONS)
    .join(
        ASSIGNMENTS,
        (ASSIGNMENTS.c.person == ANNOTATIONS.c.person)
        & (ASSIGNMENTS.c.sample_id == ANNOTATIONS.c.sample_id),
    )
    .join(SAMPLES, SAMPLES.c.id == ANNOTATIONS.c.sample_id)
    .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
    .where(DATASETS.c.name.in_(bindparam("datasets", expanding=True)))
    .order_by(DATASETS.c.name, ANNOTATIONS.c.sample_id, ANNOTATIONS.c.person, ANNOTATIONS.c.number)
    .execution_options(yield_per=1000)
)
_STREAM: Final = itemgetter(0, 3)
_SINCE: Final = (
    select(EVENTS.c.person, EVENTS.c.dataset, EVENTS.c.sample)
    .where(
        EVENTS.c.arrival > bindparam("arrival"),
        EVENTS.c.dataset.in_(bindparam("datasets", expanding=True)),
    )
    .distinct()
)
_KEEP: Final = add_missing(TEXTS)
_EDITION: Final = insert(EDITIONS)
_SET: Final = upsert(SETTINGS, "name")
_SET_OWN: Final = (
    update(DATASETS)
    .where(DATASETS.c.name == bindparam("dataset"))
    .values(labels=bindparam("version"))
)


@dataclass(frozen=True, slots=True)
class Moment:
    """What a change begins with.

    Attributes:
        arrival: of the newest event.
        version: of the label set that is to change; empty in a dataset without its own.
        datasets: those whose work is under it; for a dataset without its own, itself.
    """

    arrival: int
    version: str
    datasets: tuple[str, ...]


class RelabelStore:
    """Label sets and the work under them, of all people, for admins.

    Raises:
        NotAllowed: both contexts, where the actor may not manage the workspace.
    """

    def __init__(
        self, database: Database, *, actor: Actor = OPERATOR, disabled: Disabled = nobody
    ) -> None:
        self._database = database
        self._actor = actor
        self._disabled = disabled

    @contextmanager
    def reading(self) -> Iterator[Relabelling]:
        """A transaction that only reads."""
        require(self._actor, Verb.MANAGE)
        with self._database.reading() as connection:
            yield Relabelling(connection, self._disabled)

    @contextmanager
    def writing(self) -> Iterator[Relabelling]:
        """A transaction that holds the write lock; kept only if nothing is raised."""
        require(self._actor, Verb.MANAGE)
        with self._database.writing() as connection:
            yield Relabelling(connection, self._disabled)


@dataclass(frozen=True, slots=True)
class Relabelling:
    """Label sets and work as one transaction sees them."""

    connection: Connection
    disabled: Disabled

    def moment(self, dataset: str = "") -> Moment:
        """How it stands now.

        Args:
            dataset: whose own set is meant; empty for the workspace's.

        Raises:
            NotFound: there is no such dataset.
        """
        return moment(self.connection, dataset)

    def streams(self, datasets: Sequence[str]) -> Iterator[Stream]:
        """The streams with annotations, whoever's they are, by dataset; streamed."""
        return streams(self.connection, datasets)

    def stream(self, name: StreamName) -> Stream | None:
        """A stream as it is; None where its sample is gone."""
        try:
            return Log(self.connection).stream(*name)
        except NotFound:
            return None

    def later(self, name: StreamName, seq: int) -> bool:
        """Whether somebody did anything in a stream after one of its events."""
        told = Log(self.connection).events(*name)
        return any(each.seq > seq and each.action.verb != RELABEL for each in told)

    def before(self, name: StreamName) -> str:
        """The state of work before a change of labels moved it; empty if it did not do so last."""
        for each in reversed(list(Log(self.connection).events(*name))):
            if each.action.verb != RELABEL:
                return ""
            if each.action.before.assignment:
                return each.action.before.assignment["state"]
        return ""

    def touched(self, since: Moment) -> set[StreamName]:
        """The streams that got events after a moment."""
        scope = {"arrival": since.arrival, "datasets": list(since.datasets)}
        rows = self.connection.execute(_SINCE, scope)
        return {(person, SampleKey(dataset, sample)) for person, dataset, sample in rows}

    def changes(self) -> list[LabelChange]:
        """What was done to label sets, the oldest first."""
        return label_changes.changes(self.connection)

    def batch(self, name: str) -> dict[StreamName, Event]:
        """The events of a change, of all people, by their streams; none for an empty name."""
        found = events.of_batch(self.connection, name)
        return {(each.person, SampleKey(each.dataset, each.sample)): each for each in found}

    def keep(
        self, change: LabelChange, text: str, plans: Sequence[Plan], *, undoes: int = 0
    ) -> None:
        """Puts a label set in force with what it makes of the work.

        Args:
            text: of the version `change.after`; not looked at where that is empty.
            undoes: the number of the change that this takes back; 0 for none.

        Raises:
            Conflict: a stream moved on since its plan was made.
        """
        put_in_force(self.connection, change, text)
        write(self.connection, plans, disabled=self.disabled)
        label_changes.keep(self.connection, change, undoes=undoes)


def moment(connection: Connection, dataset: str = "") -> Moment:
    """As `Relabelling.moment`."""
    own = {row[0]: row[1] for row in connection.execute(_OWN)}
    arrival = connection.execute(_ARRIVAL).scalar_one()
    if dataset:
        if dataset not in own:
            raise NotFound(f"there is no dataset {dataset!r}", "see: dataset list")
        return Moment(arrival, own[dataset], (dataset,))
    version = connection.execute(_COMMON).scalar() or ""
    return Moment(arrival, version, tuple(name for name, mine in own.items() if not mine))


def streams(connection: Connection, datasets: Sequence[str]) -> Iterator[Stream]:
    """As `Relabelling.streams`."""
    rows = connection.execute(_STREAMS, {"datasets": list(datasets)})
    for _, found in groupby(rows, key=_STREAM):
        mine = list(found)
        person, dataset, sample, sample_id, state, rating, comment, seconds, *place = mine[0][:11]
        yield Stream(
            person,
            SampleKey(dataset, sample),
            sample_id,
            StreamState(
                {row[11]: from_json(row[12]) for row in mine},
                {"state": state, "rating": rating, "comment": comment},
                seconds,
            ),
            *place,
        )


def put_in_force(connection: Connection, change: LabelChange, text: str) -> None:
    """Makes another version the set of the workspace, or of a dataset.

    Raises:
        Conflict: the one before is not in force any more.
    """
    if moment(connection, change.dataset).version != change.before:
        raise Conflict("the labels changed meanwhile", "do it again")
    if change.after == change.before:
        return
    if change.after:
        row = {"kind": _LABELS, "hash": change.after, "text": text, "created": change.at}
        connection.execute(_KEEP, row)
    if change.dataset:
        connection.execute(_SET_OWN, {"dataset": change.dataset, "version": change.after})
    else:
        connection.execute(_SET, {"name": _LABELS, "value": change.after})
    now = change.after or connection.execute(_COMMON).scalar() or ""
    edition = {"kind": _LABELS, "dataset": change.dataset, "hash": now}
    connection.execute(_EDITION, {**edition, "at": change.at, "by": change.by})
