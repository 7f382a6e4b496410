"""What was done to label sets, in order: each change with what was asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select, text, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.history import Event
from tui_annotate.domain.relabelling import Renames
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.columns import LABEL_CHANGES

FILE: Final = "file"
"""A changed `labels.yaml` was taken up."""
UNDO: Final = "undo"

_ALL: Final = select(LABEL_CHANGES).order_by(LABEL_CHANGES.c.id)
_ADD: Final = insert(LABEL_CHANGES)
_UNDONE: Final = (
    update(LABEL_CHANGES)
    .where(LABEL_CHANGES.c.id == bindparam("which"))
    .values(undone=bindparam("by_which"))
)
_SINCE: Final = text(
    # What was taken back since, with its undoing, changes nothing.
    "SELECT c.request FROM label_changes c JOIN events e ON e.id = :event"
    " WHERE c.arrival >= e.arrival AND c.undone = 0 AND NOT EXISTS (SELECT 1"
    "   FROM label_changes b WHERE b.undone = c.id AND b.arrival >= e.arrival) ORDER BY c.id"
)


@dataclass(frozen=True, slots=True)
class Request:
    """What a change was asked for.

    Attributes:
        told: in words, as the command line has it: "rename Odd to Strange".
        renames: what became of labels; empty where work kept its labels.
        datasets: where it held.
    """

    told: str
    renames: Renames = field(default_factory=dict)
    datasets: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As it is stored."""
        renames = [[list(old), list(new)] for old, new in self.renames.items()]
        return {"told": self.told, "renames": renames, "datasets": list(self.datasets)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Request:
        """The inverse of `as_json`."""
        renames = {tuple(old): tuple(new) for old, new in value["renames"]}
        return cls(value["told"], renames, tuple(value["datasets"]))


@dataclass(frozen=True, slots=True)
class LabelChange:
    """A change of a label set.

    Attributes:
        id: its number; 0 before it is stored.
        dataset: whose set; empty for the workspace's.
        kind: the command's word, `file` or `undo`.
        before, after: versions of that set; empty in a dataset for the workspace's.
        batch: of its events; empty where no work was touched.
        arrival: of the last event before them.
        undone: the id of the change that took it back; 0 while it stands.
        by: id of the person who did it; empty for whoever owns the files.
    """

    dataset: str
    kind: str
    request: Request
    before: str
    after: str
    at: str
    by: str = ""
    batch: str = ""
    arrival: int = 0
    undone: int = 0
    id: int = 0


def changes(connection: Connection) -> list[LabelChange]:
    """All of them, the oldest first."""
    return [
        LabelChange(**{**row, "request": Request.from_json(from_json(row["request"]))})
        for row in connection.execute(_ALL).mappings()
    ]


def keep(connection: Connection, change: LabelChange, *, undoes: int = 0) -> int:
    """Stores a change; one that it takes back is marked so.

    Returns:
        Its number.
    """
    names = ("dataset", "kind", "before", "after", "at", "by", "batch", "arrival", "undone")
    row = {name: getattr(change, name) for name in names}
    row["request"] = to_json(change.request.as_json())
    number = int(connection.execute(_ADD, row).lastrowid)
    if undoes:
        connection.execute(_UNDONE, {"which": undoes, "by_which": number})
    return number


def since(connection: Connection, event: Event) -> Iterator[Request]:
    """The changes since a stored event that gave work other labels, in order."""
    for (request,) in connection.execute(_SINCE, {"event": event.id}).all():
        told = Request.from_json(from_json(request))
        if told.renames:
            yield told


def became(connection: Connection, dataset: str, version: str) -> dict[LabelPath, LabelPath]:
    """What the labels of a version are called since in a dataset, where that is otherwise.

    Labels that came and went since are in it too. Empty where nothing is known of what came after
    that version.
    """
    later: list[LabelChange] = []
    for change in reversed(changes(connection)):
        if change.kind != FILE and dataset not in change.request.datasets:
            continue
        if change.after == version:
            break
        later.insert(0, change)
        if change.before == version:
            break
    else:
        return {}
    numbers = {change.id for change in later}
    undoing = {change.undone for change in later}
    found: dict[LabelPath, LabelPath] = {}
    for change in later:
        if change.id not in undoing and change.undone not in numbers:
            renames = change.request.renames
            moved = {old: renames.get(new, new) for old, new in found.items()}
            found = {**renames, **moved}
    return {old: new for old, new in found.items() if old != new}
