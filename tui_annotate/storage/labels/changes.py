"""Changes of label sets, such as a renamed label: their storage, and the names that labels had."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select, text, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.history import Event
from tui_annotate.domain.label_changes import FormerNames, Renames
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.columns import DATASETS, EDITIONS, LABEL_CHANGES

FILE: Final = "file"
"""Kind of a change that was made by editing the file `labels.yaml`."""
UNDO: Final = "undo"
"""Kind of a change that undoes an earlier one; it cannot be undone itself."""
RENAME: Final = "rename"
"""Kind of a change that gave labels new names, without a change of their meaning."""

_SELECT_CHANGES: Final = select(LABEL_CHANGES).order_by(LABEL_CHANGES.c.id)
_ADD_CHANGE: Final = insert(LABEL_CHANGES).returning(LABEL_CHANGES.c.id)
_MARK_UNDONE: Final = (
    update(LABEL_CHANGES)
    .where(LABEL_CHANGES.c.id == bindparam("undone_change"))
    .values(undone=bindparam("undoing_change"))
)
_NO_ARRIVAL: Final = 2**63 - 1
"""A number after those of all events."""
_EVENT_ARRIVAL: Final = text("SELECT arrival FROM events WHERE id = :event")
_REQUESTS_BETWEEN: Final = text(
    # A change that was made and undone in between has no effect, and neither has its undo.
    "SELECT c.request FROM label_changes c"
    " WHERE c.arrival >= :since AND c.arrival < :until"
    " AND NOT EXISTS (SELECT 1 FROM label_changes reverting WHERE reverting.id = c.undone"
    "   AND reverting.arrival < :until)"
    " AND NOT EXISTS (SELECT 1 FROM label_changes reverted WHERE reverted.undone = c.id"
    "   AND reverted.arrival >= :since)"
    " ORDER BY c.id"
)
_COMMON_EDITION: Final = select(EDITIONS.c.id).where(
    EDITIONS.c.kind == "labels",  # GuidanceKind.LABELS of the store, which imports this module
    EDITIONS.c.dataset == "",
    EDITIONS.c.hash == bindparam("version"),
)
_OWN_LABELS: Final = select(DATASETS.c.labels).where(DATASETS.c.name == bindparam("dataset"))


@dataclass(frozen=True, slots=True)
class LabelChangeRequest:
    """The request for a change of a label set, such as renaming a label.

    Attributes:
        description: the change in words, as on the command line: "rename Odd to Strange".
        renames: new path of each changed label; empty if annotations kept their labels.
        datasets: names of the datasets that used the label set when it was changed.
    """

    description: str
    renames: Renames = field(default_factory=dict)
    datasets: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the request as it is stored; `from_json` reads it."""
        renames = [[list(old), list(new)] for old, new in self.renames.items()]
        return {"told": self.description, "renames": renames, "datasets": list(self.datasets)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> LabelChangeRequest:
        """Read a stored request."""
        renames = {tuple(old): tuple(new) for old, new in value["renames"]}
        return cls(value["told"], renames, tuple(value["datasets"]))


@dataclass(frozen=True, slots=True)
class LabelChange:
    """A change of a label set, with its events in the event log.

    Attributes:
        dataset: the dataset whose own label set was changed; empty for the workspace's.
        kind: the subcommand, `file` or `undo`.
        before, after: versions of the label set; empty in a dataset for the workspace's label set.
        at: time in UTC, as ISO 8601.
        by: id of the person who made the change; empty for the owner of the workspace's files.
        batch: batch of the events of the change; empty if no annotation changed.
        arrival: number of the last event before these events.
        undone: id of the change that undid this one; 0 for none.
    """

    dataset: str
    kind: str
    request: LabelChangeRequest
    before: str
    after: str
    at: str
    by: str = ""
    batch: str = ""
    arrival: int = 0
    undone: int = 0
    id: int = 0


def load_label_changes(connection: Connection) -> list[LabelChange]:
    """Return all changes of label sets, oldest first, also those that were undone."""
    return [
        LabelChange(**{**row, "request": LabelChangeRequest.from_json(from_json(row["request"]))})
        for row in connection.execute(_SELECT_CHANGES).mappings()
    ]


def add_label_change(connection: Connection, change: LabelChange, *, undoes: int = 0) -> int:
    """Store a change of a label set and mark the change that it undoes (0: none); return its id."""
    names = ("dataset", "kind", "before", "after", "at", "by", "batch", "arrival", "undone")
    row = {name: getattr(change, name) for name in names}
    row["request"] = to_json(change.request.as_json())
    number = int(connection.execute(_ADD_CHANGE, row).scalar_one())
    if undoes:
        connection.execute(_MARK_UNDONE, {"undone_change": undoes, "undoing_change": number})
    return number


def changes_since(connection: Connection, event: Event) -> Iterator[LabelChangeRequest]:
    """Yield, in order, the label set changes that renamed labels after an event was stored."""
    arrival = connection.execute(_EVENT_ARRIVAL, {"event": event.id}).scalar_one()
    return changes_between(connection, since=arrival, until=None)


def changes_between(
    connection: Connection, *, since: int, until: int | None
) -> Iterator[LabelChangeRequest]:
    """Yield, in order, the label set changes that renamed labels after one event, before another.

    Args:
        since, until: numbers of the two events in the order of arrival; `until` is None for all
            later changes.
    """
    scope = {"since": since, "until": _NO_ARRIVAL if until is None else until}
    for (request,) in connection.execute(_REQUESTS_BETWEEN, scope).all():
        change = LabelChangeRequest.from_json(from_json(request))
        if change.renames:
            yield change


def current_label_names(
    connection: Connection, dataset: str, version: str
) -> dict[LabelPath, LabelPath]:
    """Map labels renamed since a label set version to current paths; empty if it is unknown."""
    changes = [
        change
        for change in load_label_changes(connection)
        if change.kind == FILE or dataset in change.request.datasets
    ]
    later = _changes_after(changes, version)
    if later is None:
        # The first change of a dataset's own label set does not name the workspace's version.
        left_common = any(not change.before for change in changes)
        was_common = connection.execute(_COMMON_EDITION, {"version": version}).first() is not None
        later = changes if left_common and was_common else []
    return _compose_renames(later)


def _changes_after(changes: Sequence[LabelChange], version: str) -> Sequence[LabelChange] | None:
    """Return the changes after the latest use of a label set version; None if none names it."""
    for index in range(len(changes) - 1, -1, -1):
        if changes[index].after == version:
            return changes[index + 1 :]
        if changes[index].before == version:
            return changes[index:]
    return None


def _compose_renames(changes: Sequence[LabelChange]) -> dict[LabelPath, LabelPath]:
    """Map the labels before successive changes to their paths after all of them, if different."""
    numbers = {change.id for change in changes}
    undoing = {change.undone for change in changes}
    found: dict[LabelPath, LabelPath] = {}
    for change in changes:
        # A change and its undo have no effect together.
        if change.id in undoing or change.undone in numbers:
            continue
        renames = change.request.renames
        moved = {old: renames.get(new, new) for old, new in found.items()}
        found = {**renames, **moved}
    return {old: new for old, new in found.items() if old != new}


def find_former_names(connection: Connection, dataset: str) -> FormerNames:
    """Return the former names of a dataset's labels that were only renamed, with their new names.

    A label that was merged into another one has no former names: it does not mean the same.
    """
    own = connection.execute(_OWN_LABELS, {"dataset": dataset}).scalar()
    found: set[tuple[LabelPath, LabelPath]] = set()
    for change in load_label_changes(connection):
        # A dataset without an own label set shares the history of the workspace's label set, also
        # if the dataset is newer than the change.
        shared = not own and not change.dataset
        if change.undone or change.kind == UNDO:
            continue
        if not shared and dataset not in change.request.datasets:
            continue
        renames = change.request.renames
        if change.kind == RENAME:
            found = {(old, renames.get(new, new)) for old, new in found} | {*renames.items()}
        else:
            found = {(old, new) for old, new in found if new not in renames}
    return tuple(sorted((old, new) for old, new in found if old != new))
