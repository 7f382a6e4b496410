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

from sqlalchemy import Connection, bindparam, func, select, text

from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.history import RELABEL, Event, StreamState
from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.assignments.escalation import Disabled
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.columns import DATASETS, EVENTS, SETTINGS
from tui_annotate.storage.labels.store import (
    GuidanceEdition,
    GuidanceKind,
    LabelChange,
    add_label_change,
    load_label_changes,
    put_in_force,
)
from tui_annotate.storage.log import events
from tui_annotate.storage.log.log import EventLog, LogStore
from tui_annotate.storage.log.write_plans import EventStream, WritePlan, write

StreamName = tuple[str, SampleKey]
"""A person's id, and the sample."""

_LABELS: Final = GuidanceKind.LABELS.value
_ARRIVAL: Final = select(func.coalesce(func.max(EVENTS.c.arrival), 0))
_OWN: Final = select(DATASETS.c.name, DATASETS.c.labels).order_by(DATASETS.c.name)
_COMMON: Final = select(SETTINGS.c.value).where(SETTINGS.c.name == _LABELS)
_STREAMS: Final = (
    text(
        "SELECT w.person, d.name, s.external, w.sample_id, w.state, w.rating, w.comment, w.seconds,"
        "   w.seq, w.head, w.updated, a.id, a.payload"
        " FROM annotations a"
        " JOIN assignments w ON w.person = a.person AND w.sample_id = a.sample_id"
        " JOIN samples s ON s.id = a.sample_id JOIN datasets d ON d.id = s.dataset_id"
        " WHERE d.name IN :datasets ORDER BY d.name, a.sample_id, a.person, a.number"
    )
    .bindparams(bindparam("datasets", expanding=True))
    .execution_options(yield_per=1000)
)
_STREAM: Final = itemgetter(0, 3)
_SINCE: Final = text(
    "SELECT DISTINCT person, dataset, sample FROM events"
    " WHERE arrival > :arrival AND dataset IN :datasets"
).bindparams(bindparam("datasets", expanding=True))


@dataclass(frozen=True, slots=True)
class LabelSetSnapshot:
    """What a change begins with.

    Attributes:
        arrival: of the newest event.
        version: of the label set that is to change; empty in a dataset without its own.
        datasets: those that use it; for a dataset without its own, itself.
    """

    arrival: int
    version: str
    datasets: tuple[str, ...]


class LabelChangeStore(LogStore):
    """Label sets and the work under them, of all people, for admins.

    Raises:
        NotAllowed: both contexts, where the actor may not manage the workspace.
    """

    @contextmanager
    def reading(self) -> Iterator[LabelSetChange]:
        """A transaction that only reads."""
        require_permission(self._actor, Permission.MANAGE)
        with self._database.reading() as connection:
            yield LabelSetChange(connection, self._disabled)

    @contextmanager
    def writing(self) -> Iterator[LabelSetChange]:
        """A transaction that holds the write lock; kept only if nothing is raised."""
        require_permission(self._actor, Permission.MANAGE)
        with self._database.writing() as connection:
            yield LabelSetChange(connection, self._disabled)


@dataclass(frozen=True, slots=True)
class LabelSetChange:
    """Label sets and work as one transaction sees them."""

    connection: Connection
    disabled: Disabled

    def moment(self, dataset: str = "") -> LabelSetSnapshot:
        """The current state; of a dataset's own label set, or of the workspace's if empty.

        Raises:
            NotFound: there is no such dataset.
        """
        own = {row[0]: row[1] for row in self.connection.execute(_OWN)}
        arrival = self.connection.execute(_ARRIVAL).scalar_one()
        if dataset:
            if dataset not in own:
                raise NotFound(f"there is no dataset {dataset!r}", "see: dataset list")
            return LabelSetSnapshot(arrival, own[dataset], (dataset,))
        version = self.connection.execute(_COMMON).scalar() or ""
        common = tuple(name for name, mine in own.items() if not mine)
        return LabelSetSnapshot(arrival, version, common)

    def streams(self, datasets: Sequence[str]) -> Iterator[EventStream]:
        """All people's streams with annotations, by dataset; streamed."""
        rows = self.connection.execute(_STREAMS, {"datasets": list(datasets)})
        for _, found in groupby(rows, key=_STREAM):
            mine = list(found)
            person, dataset, sample, sample_id, state, rating, comment, seconds, *at = mine[0][:11]
            yield EventStream(
                person,
                SampleKey(dataset, sample),
                sample_id,
                StreamState(
                    {row[11]: from_json(row[12]) for row in mine},
                    {"state": state, "rating": rating, "comment": comment},
                    seconds,
                ),
                *at,
            )

    def stream(self, name: StreamName) -> EventStream | None:
        """A stream as it is; None where its sample is gone."""
        try:
            return EventLog(self.connection).stream(*name)
        except NotFound:
            return None

    def later(self, name: StreamName, seq: int) -> bool:
        """Whether somebody did anything in a stream after one of its events."""
        history = EventLog(self.connection).events(*name)
        return any(each.seq > seq and each.action.verb != RELABEL for each in history)

    def before(self, name: StreamName) -> str:
        """The state of work before a change of labels moved it; empty if it did not do so last."""
        for each in reversed(list(EventLog(self.connection).events(*name))):
            if each.action.verb != RELABEL:
                return ""
            if each.action.before.assignment:
                return each.action.before.assignment["state"]
        return ""

    def touched(self, since: LabelSetSnapshot) -> set[StreamName]:
        """The streams that got events after a moment."""
        scope = {"arrival": since.arrival, "datasets": list(since.datasets)}
        rows = self.connection.execute(_SINCE, scope)
        return {(person, SampleKey(dataset, sample)) for person, dataset, sample in rows}

    def changes(self) -> list[LabelChange]:
        """What was done to label sets, the oldest first."""
        return load_label_changes(self.connection)

    def batch(self, name: str) -> dict[StreamName, Event]:
        """The events of a change, of all people, by their streams; none for an empty name."""
        found = events.read_batch(self.connection, name)
        return {(each.person, SampleKey(each.dataset, each.sample)): each for each in found}

    def keep(
        self, change: LabelChange, content: str, plans: Sequence[WritePlan], *, undoes: int = 0
    ) -> None:
        """Puts a label set in force with what it makes of the work.

        Args:
            content: of the version `change.after`; not looked at where that is empty.
            undoes: the number of the change that this takes back; 0 for none.

        Raises:
            Conflict: a stream moved on since its plan was made, or the version before is not in
                force any more.
        """
        if self.moment(change.dataset).version != change.before:
            raise Conflict("the labels changed meanwhile", "do it again")
        if change.after != change.before:
            put_in_force(
                self.connection,
                GuidanceKind.LABELS,
                GuidanceEdition(change.dataset, change.after, change.at, change.by),
                text=content,
            )
        write(self.connection, plans, disabled=self.disabled)
        add_label_change(self.connection, change, undoes=undoes)
