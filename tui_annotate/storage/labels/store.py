"""Label sets and guidelines: all versions, the version in use, and changes of label sets."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, select, text, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.did_you_mean import unknown_dataset
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.history import Event
from tui_annotate.domain.label_changes import FormerNames, Renames
from tui_annotate.domain.label_files import WRITE, parse_stored_labels
from tui_annotate.domain.labels import LabelTree
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.columns import DATASETS, EDITIONS, LABEL_CHANGES, SETTINGS, TEXTS
from tui_annotate.storage.database import CommonStore
from tui_annotate.storage.statements import add_missing, dataset_row, upsert


class GuidanceKind(StrEnum):
    """Kind of a guidance text; the value is also the name of a table column and of a setting."""

    LABELS = "labels"
    GUIDELINES = "guidelines"


class GuidanceEdition(NamedTuple):
    """A version of a label set or guidelines that came into use in the workspace or a dataset."""

    dataset: str
    version: str
    at: str
    by: str


_KEEP: Final = add_missing(TEXTS)
_SET: Final = upsert(SETTINGS, "name")
_EDITION: Final = insert(EDITIONS)
_EDITIONS: Final = (
    select(EDITIONS.c.dataset, EDITIONS.c.hash, EDITIONS.c.at, EDITIONS.c.by)
    .where(EDITIONS.c.kind == bindparam("kind"))
    .order_by(EDITIONS.c.id)
)
_COMMON: Final = select(SETTINGS.c.value).where(SETTINGS.c.name == bindparam("name"))
_OWN: Final = {
    kind: select(DATASETS.c[kind.value]).where(DATASETS.c.name == bindparam("name"))
    for kind in GuidanceKind
}


class GuidanceStore(CommonStore):
    """Access to the stored label sets and guidelines, which apply even if the files differ."""

    @staticmethod
    def hash_of(text: str) -> str:
        """Return the version of a text: its SHA-256 in hexadecimal digits."""
        return hashlib.sha256(text.encode()).hexdigest()

    def keep(self, kind: GuidanceKind, text: str, *, dataset: str = "", by: str = "") -> str:
        """Store a guidance text, put it in use, return its hash; NotFound without the dataset."""
        edition = GuidanceEdition(dataset, self.hash_of(text), utc_now(), by)
        with self._database.writing() as connection:
            put_in_force(connection, kind, edition, text=text)
        return edition.version

    def editions(self, kind: GuidanceKind) -> tuple[GuidanceEdition, ...]:
        """Return at which times which versions of label sets or guidelines came into use."""
        with self._database.reading() as connection:
            rows = connection.execute(_EDITIONS, {"kind": kind.value})
            return tuple(GuidanceEdition(*row) for row in rows)

    def version(self, kind: GuidanceKind, *, dataset: str = "") -> str:
        """Return the hash of a dataset's own text of a kind, else of the workspace's; or empty."""
        with self._database.reading() as connection:
            own = connection.execute(_OWN[kind], {"name": dataset}).scalar() if dataset else ""
            return str(own or connection.execute(_COMMON, {"name": kind.value}).scalar() or "")

    def require_dataset(self, dataset: str) -> None:
        """Raise NotFound, with the most similar name, if there is no dataset with this name."""
        with self._database.reading() as connection:
            dataset_row(connection, dataset)

    def versions(self, kind: GuidanceKind) -> tuple[str, ...]:
        """Return all stored versions of a kind, the oldest first."""
        query = select(TEXTS.c.hash).where(TEXTS.c.kind == kind.value)
        query = query.order_by(TEXTS.c.created, TEXTS.c.hash)
        with self._database.reading() as connection:
            return tuple(connection.execute(query).scalars())

    def renames_since(self, version: str, *, dataset: str) -> Renames:
        """Return the current paths of a dataset's labels that changed since a label set version."""
        with self._database.reading() as connection:
            return current_label_names(connection, dataset, version)

    def text(self, kind: GuidanceKind, version: str) -> str:
        """Return the text of a version of a label set or guidelines; NotFound if it is unknown."""
        query = select(TEXTS.c.text).where(TEXTS.c.kind == kind.value, TEXTS.c.hash == version)
        with self._database.reading() as connection:
            found = connection.execute(query).scalar()
            if found is not None and not isinstance(found, str):
                raise TypeError(f"a text is stored as {type(found)}")  # `reading` names the row
        if found is None:
            raise NotFound(
                f"there is no version {version!r} of the {kind}",
                "edit the file in the workspace to store a new version",
            )
        return str(found)


def put_in_force(
    connection: Connection, kind: GuidanceKind, edition: GuidanceEdition, *, text: str
) -> None:
    """Put a version in use or, if empty, the workspace's again; NotFound without the dataset."""
    dataset, version, at, by = edition
    if version:
        row = {"kind": kind.value, "hash": version, "text": text, "created": at}
        connection.execute(_KEEP, row)
    common = connection.execute(_COMMON, {"name": kind.value}).scalar()
    before = common
    if dataset:
        before = connection.execute(_OWN[kind], {"name": dataset}).scalar()
        mine = update(DATASETS).where(DATASETS.c.name == dataset)
        if not connection.execute(mine.values({kind.value: version})).rowcount:
            raise unknown_dataset(dataset, connection.execute(select(DATASETS.c.name)).scalars())
    else:
        connection.execute(_SET, {"name": kind.value, "value": version})
    if before != version:
        row = {"kind": kind.value, "dataset": dataset, "hash": version or common or ""}
        connection.execute(_EDITION, {**row, "at": at, "by": by})


def start_with_labels(
    connection: Connection, datasets: Sequence[str], labels: str, *, at: str
) -> None:
    """Give new datasets a label set of their own, in place of the workspace's."""
    version = GuidanceStore.hash_of(labels)
    for name in datasets:
        edition = GuidanceEdition(name, version, at, by="")
        put_in_force(connection, GuidanceKind.LABELS, edition, text=labels)


@dataclass(frozen=True, slots=True)
class LabelSets:
    """The parsed label sets of a workspace, cached by version."""

    guidance: GuidanceStore
    _trees: dict[str, LabelTree] = field(default_factory=dict)

    def in_force(self, dataset: str = "") -> LabelTree:
        """Return the label set that a dataset uses, its own or the workspace's; or NotFound."""
        version = self.guidance.version(GuidanceKind.LABELS, dataset=dataset)
        if not version:
            raise NotFound("the workspace has no labels.yaml", f"create it; {WRITE}")
        return self.of(version)

    def of(self, version: str) -> LabelTree:
        """Return the label set with a version hash, in use or not; NotFound if it is unknown."""
        if version not in self._trees:
            self._trees[version] = parse_stored_labels(
                self.guidance.text(GuidanceKind.LABELS, version)
            )
        return self._trees[version]

    def all_paths(self, dataset: str) -> frozenset[LabelPath]:
        """Return the label paths of all label sets that a dataset or the workspace ever used."""
        versions = {
            edition.version
            for edition in self.guidance.editions(GuidanceKind.LABELS)
            if edition.version and edition.dataset in ("", dataset)
        }
        return frozenset(label.path for each in versions for label in self.of(each).walk())

    def same(self, version: str, labels: LabelTree) -> bool:
        """Return whether a stored version of a label set equals another in labels and rules."""
        try:
            return version == labels.version or labels.means(self.of(version))
        except NotFound:
            return False


# changes -----------------------------------------------------------------------------------------

FILE: Final = "file"
"""Kind of a label set's change that was made by editing the file `labels.yaml`."""
UNDO: Final = "undo"
RENAME: Final = "rename"

_CHANGES: Final = select(LABEL_CHANGES).order_by(LABEL_CHANGES.c.id)
_ADD_CHANGE: Final = insert(LABEL_CHANGES)
_UNDONE: Final = (
    update(LABEL_CHANGES)
    .where(LABEL_CHANGES.c.id == bindparam("which"))
    .values(undone=bindparam("by_which"))
)
_SINCE: Final = text(
    # A change since the event that was also undone since has no effect.
    "SELECT c.request FROM label_changes c JOIN events e ON e.id = :event"
    " WHERE c.arrival >= e.arrival AND c.undone = 0 AND NOT EXISTS (SELECT 1"
    "   FROM label_changes b WHERE b.undone = c.id AND b.arrival >= e.arrival) ORDER BY c.id"
)
_BETWEEN: Final = text(
    # A change that was made and undone in between has no effect.
    "SELECT c.request FROM label_changes c WHERE c.arrival >= :since AND c.arrival < :until"
    " AND NOT EXISTS (SELECT 1 FROM label_changes b"
    "   WHERE b.undone = c.id AND b.arrival < :until)"
    " AND NOT EXISTS (SELECT 1 FROM label_changes o"
    "   WHERE o.id = c.undone AND o.arrival >= :since) ORDER BY c.id"
)


@dataclass(frozen=True, slots=True)
class LabelChangeRequest:
    """The request for a change of a label set, such as renaming a label.

    Attributes:
        description: the change in words, as on the command line: "rename Odd to Strange".
        renames: new path of each changed label; empty if annotations kept their labels.
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
        kind: the subcommand, `file` or `undo`.
        before, after: versions of the label set; empty in a dataset for the workspace's label set.
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
    """Return all changes of label sets, also those that were undone."""
    return [
        LabelChange(**{**row, "request": LabelChangeRequest.from_json(from_json(row["request"]))})
        for row in connection.execute(_CHANGES).mappings()
    ]


def add_label_change(connection: Connection, change: LabelChange, *, undoes: int = 0) -> int:
    """Store a change of a label set and mark the change that it undoes (0: none); return its id."""
    names = ("dataset", "kind", "before", "after", "at", "by", "batch", "arrival", "undone")
    row = {name: getattr(change, name) for name in names}
    row["request"] = to_json(change.request.as_json())
    number = int(connection.execute(_ADD_CHANGE, row).lastrowid)
    if undoes:
        connection.execute(_UNDONE, {"which": undoes, "by_which": number})
    return number


def changes_since(connection: Connection, event: Event) -> Iterator[LabelChangeRequest]:
    """Yield, in order, the label set changes that renamed labels after an event was stored."""
    for (request,) in connection.execute(_SINCE, {"event": event.id}).all():
        change = LabelChangeRequest.from_json(from_json(request))
        if change.renames:
            yield change


def changes_between(
    connection: Connection, *, since: int, until: int
) -> Iterator[LabelChangeRequest]:
    """Yield, in order, the label set changes that renamed labels after one event, up to another.

    Args:
        since, until: numbers of the two events in the order of arrival.
    """
    for (request,) in connection.execute(_BETWEEN, {"since": since, "until": until}).all():
        change = LabelChangeRequest.from_json(from_json(request))
        if change.renames:
            yield change


def current_label_names(
    connection: Connection, dataset: str, version: str
) -> dict[LabelPath, LabelPath]:
    """Map labels renamed since a label set version to current paths; empty if unknown."""
    later: list[LabelChange] = []  # changes after the version, the oldest first
    for change in reversed(load_label_changes(connection)):
        if change.kind != FILE and dataset not in change.request.datasets:
            continue
        if change.after == version:
            break
        later.insert(0, change)
        if change.before == version:
            break
    else:
        # The first change of a dataset's own label set does not name the workspace's version.
        left_common = any(not change.before for change in later)
        if not (left_common and _was_common(connection, version)):
            return {}
    numbers = {change.id for change in later}
    undoing = {change.undone for change in later}
    found: dict[LabelPath, LabelPath] = {}
    for change in later:
        # A change and its undo after the same version have no effect together.
        if change.id not in undoing and change.undone not in numbers:
            renames = change.request.renames
            moved = {old: renames.get(new, new) for old, new in found.items()}
            found = {**renames, **moved}
    return {old: new for old, new in found.items() if old != new}


def _was_common(connection: Connection, version: str) -> bool:
    scope = {"kind": GuidanceKind.LABELS.value}
    editions = connection.execute(_EDITIONS, scope).all()
    return any(dataset == "" and known == version for dataset, known, *_ in editions)


def find_former_names(connection: Connection, dataset: str) -> FormerNames:
    """Return the former names of a dataset's labels that were only renamed, with their new names.

    A label that was merged into another one has no former names: it does not mean the same.
    """
    own = connection.execute(_OWN[GuidanceKind.LABELS], {"name": dataset}).scalar()
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
