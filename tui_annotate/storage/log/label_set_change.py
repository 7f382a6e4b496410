"""A change of a label set together with all affected annotations, in one transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final

from sqlalchemy import Connection, func, select, text

from tui_annotate.domain.did_you_mean import unknown_dataset
from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.history import RELABEL, Event, StreamState
from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.domain.samples import SampleKey, SampleKind
from tui_annotate.storage.adjudication_lock import locked_condition
from tui_annotate.storage.assignments.escalation import Disabled
from tui_annotate.storage.codec import from_json
from tui_annotate.storage.columns import DATASETS, EVENTS, SETTINGS
from tui_annotate.storage.labels.changes import LabelChange, add_label_change, load_label_changes
from tui_annotate.storage.labels.store import GuidanceEdition, GuidanceKind, put_in_use
from tui_annotate.storage.log import events
from tui_annotate.storage.log.event_log import EventLog, LogStore
from tui_annotate.storage.log.write_plans import WritePlan, write_planned_events
from tui_annotate.storage.statements import text_list

StreamName = tuple[str, SampleKey]
"""Key of one person's events on one sample: the person's id and the sample's key."""

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
    .bindparams(text_list("datasets"))
    .execution_options(yield_per=1000)
)
_STREAM: Final = itemgetter(0, 3)
_UNMARKED: Final = text(
    "SELECT w.person, d.name, s.external FROM assignments w JOIN samples s ON s.id = w.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id"
    " WHERE d.name IN :datasets AND s.kind IN :kinds AND w.state = 'done' AND w.rating = ''"
    " AND w.annotations = 0 ORDER BY d.name, w.sample_id, w.person"
).bindparams(text_list("datasets"), text_list("kinds"))
_OF_KINDS: Final = text(
    "SELECT s.id FROM samples s JOIN datasets d ON d.id = s.dataset_id"
    " WHERE d.name IN :datasets AND s.kind IN :kinds"
).bindparams(text_list("datasets"), text_list("kinds"))
_PRACTICE: Final = text(
    "SELECT d.name FROM datasets d WHERE EXISTS (SELECT 1 FROM dataset_settings t"
    "   WHERE t.dataset_id = d.id AND t.name = 'practice')"
    " OR EXISTS (SELECT 1 FROM samples s JOIN allotments a ON a.sample_id = s.id AND a.practice"
    "   WHERE s.dataset_id = d.id)"
)
_GOLD: Final = text(
    "SELECT a.person, a.sample_id FROM handouts h JOIN allotments a ON a.handout = h.id"
    " WHERE h.kind = 'gold'"
)
_LOCKED_UNRATED: Final = text(
    "SELECT a.person, a.sample_id FROM assignments a JOIN samples s ON s.id = a.sample_id"  # noqa: S608  constants
    " JOIN datasets d ON d.id = s.dataset_id"
    " WHERE d.name IN :datasets AND s.kind IN :kinds"
    " AND a.state = 'done' AND a.rating = '' AND "
    + locked_condition("a.sample_id", person="a.person", state="a.state")
).bindparams(text_list("datasets"), text_list("kinds"))
_SINCE: Final = text(
    "SELECT DISTINCT person, dataset, sample FROM events"
    " WHERE arrival > :arrival AND dataset IN :datasets"
).bindparams(text_list("datasets"))


@dataclass(frozen=True, slots=True)
class LabelSetSnapshot:
    """The state of a label set and of the event log on which a change of labels is based.

    Attributes:
        arrival: number of the newest event.
        version: the label set to change; empty in a dataset without its own.
        datasets: the datasets that use the label set; for a dataset without its own, only itself.
    """

    arrival: int
    version: str
    datasets: tuple[str, ...]


class LabelChangeStore(LogStore):
    """Access for admins to label sets and annotations with their labels; else NotAllowed."""

    @contextmanager
    def reading(self) -> Iterator[LabelSetChange]:
        """Open a transaction that only reads; NotAllowed if the actor is no manager."""
        require_permission(self._actor, Permission.MANAGE)
        with self._database.reading() as connection:
            yield LabelSetChange(connection, self._disabled)

    @contextmanager
    def writing(self) -> Iterator[LabelSetChange]:
        """Open a transaction that may change labels; NotAllowed if the actor is no manager."""
        require_permission(self._actor, Permission.MANAGE)
        with self._database.writing() as connection:
            yield LabelSetChange(connection, self._disabled)


@dataclass(frozen=True, slots=True)
class LabelSetChange:
    """Reads and writes a change of a label set and of annotations in one transaction."""

    connection: Connection
    disabled: Disabled

    def moment(self, dataset: str = "") -> LabelSetSnapshot:
        """Return the current version of the label set of a dataset or (empty) of the workspace."""
        own = {row[0]: row[1] for row in self.connection.execute(_OWN)}
        arrival = self.connection.execute(_ARRIVAL).scalar_one()
        if dataset:
            if dataset not in own:
                raise unknown_dataset(dataset, own)
            return LabelSetSnapshot(arrival, own[dataset], (dataset,))
        version = self.connection.execute(_COMMON).scalar() or ""
        common = tuple(name for name, mine in own.items() if not mine)
        return LabelSetSnapshot(arrival, version, common)

    def streams(self, datasets: Sequence[str]) -> Iterator[EventStream]:
        """Yield each person's work on each sample that has annotations, by dataset."""
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

    def unmarked(self, datasets: Sequence[str], kinds: Collection[SampleKind]) -> list[StreamName]:
        """Return the completed work without annotations and a rating on samples of some kinds.

        `streams` does not yield this work.
        """
        scope = {"datasets": list(datasets), "kinds": [kind.value for kind in kinds]}
        rows = self.connection.execute(_UNMARKED, scope)
        return [(person, SampleKey(dataset, sample)) for person, dataset, sample in rows]

    def samples_of(self, datasets: Sequence[str], kinds: Collection[SampleKind]) -> frozenset[int]:
        """Return the row ids of the samples of some kinds."""
        scope = {"datasets": list(datasets), "kinds": [kind.value for kind in kinds]}
        return frozenset(self.connection.execute(_OF_KINDS, scope).scalars())

    def locked_unrated(
        self, datasets: Sequence[str], kinds: Collection[SampleKind]
    ) -> frozenset[tuple[str, int]]:
        """Return person and sample's row id of locked work without a rating on some kinds."""
        scope = {"datasets": list(datasets), "kinds": [kind.value for kind in kinds]}
        rows = self.connection.execute(_LOCKED_UNRATED, scope)
        return frozenset((row[0], row[1]) for row in rows)

    def practice_datasets(self) -> frozenset[str]:
        """Return the datasets whose work is practice; its answers were already shown."""
        return frozenset(self.connection.execute(_PRACTICE).scalars())

    def gold_checks(self) -> frozenset[tuple[str, int]]:
        """Return the person and the sample's row id of each gold sample that people have."""
        return frozenset((row[0], row[1]) for row in self.connection.execute(_GOLD))

    def stream(self, name: StreamName) -> EventStream | None:
        """Return a person's current work on a sample; None if the sample does not exist."""
        try:
            return EventLog(self.connection).stream(*name)
        except NotFound:
            return None

    def later(self, name: StreamName, seq: int) -> bool:
        """Return whether a person's work has later events than `seq` that do not change labels."""
        history = EventLog(self.connection).events(*name)
        return any(each.seq > seq and each.action.verb != RELABEL for each in history)

    def before(self, name: StreamName) -> str:
        """Return the assignment state, such as `done`, that a change of labels replaced.

        Empty if the person's last event on the sample is no such change, or if it kept the state.
        """
        for each in reversed(list(EventLog(self.connection).events(*name))):
            if each.action.verb != RELABEL:
                return ""
            if each.action.before.assignment:
                return each.action.before.assignment["state"]
        return ""

    def touched(self, since: LabelSetSnapshot) -> set[StreamName]:
        """Return which people have new events on which samples since an earlier check."""
        scope = {"arrival": since.arrival, "datasets": list(since.datasets)}
        rows = self.connection.execute(_SINCE, scope)
        return {(person, SampleKey(dataset, sample)) for person, dataset, sample in rows}

    def changes(self) -> list[LabelChange]:
        """Return all changes of label sets, also those that were undone."""
        return load_label_changes(self.connection)

    def batch(self, name: str) -> dict[StreamName, Event]:
        """Return the events that one change of a label set wrote, by person and sample."""
        found = events.read_batch(self.connection, name)
        return {(each.person, SampleKey(each.dataset, each.sample)): each for each in found}

    def keep(
        self, change: LabelChange, content: str, plans: Sequence[WritePlan], *, undoes: int = 0
    ) -> None:
        """Put a changed label set in use, and write the resulting changes of annotations.

        `content` is the text of the new version; `undoes` is the number of an undone change, or 0.

        Raises:
            Conflict: work has new events since its plan was made, or the label set was replaced.
        """
        if self.moment(change.dataset).version != change.before:
            raise Conflict("the labels were changed by another process", "try again")
        if change.after != change.before:
            put_in_use(
                self.connection,
                GuidanceKind.LABELS,
                GuidanceEdition(change.dataset, change.after, change.at, change.by),
                text=content,
            )
        write_planned_events(self.connection, plans, disabled=self.disabled)
        add_label_change(self.connection, change, undoes=undoes)
