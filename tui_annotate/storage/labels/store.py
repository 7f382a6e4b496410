"""Label sets and guidelines: all versions, and the version in use."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.did_you_mean import unknown_dataset
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.label_changes import Renames
from tui_annotate.domain.label_files import WRITE, parse_stored_labels
from tui_annotate.domain.labels import LabelTree
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.columns import DATASETS, EDITIONS, SETTINGS, TEXTS
from tui_annotate.storage.database import CommonStore
from tui_annotate.storage.labels.changes import current_label_names
from tui_annotate.storage.statements import add_missing, dataset_row, upsert


class GuidanceKind(StrEnum):
    """Kind of a guidance text; the value is also the name of a table column and of a setting."""

    LABELS = "labels"
    GUIDELINES = "guidelines"


class GuidanceEdition(NamedTuple):
    """A version of a label set or guidelines that came into use in the workspace or a dataset.

    Attributes:
        dataset: name of the dataset; empty for the workspace.
        version: hash of the text; in a dataset, the workspace's if it has no text of its own.
        at: time in UTC, as ISO 8601.
        by: id of the person who put the version in use; empty for the owner of the workspace's
            files.
    """

    dataset: str
    version: str
    at: str
    by: str


_ADD_TEXT: Final = add_missing(TEXTS)
_SET_COMMON_VERSION: Final = upsert(SETTINGS, "name")
_ADD_EDITION: Final = insert(EDITIONS)
_SELECT_EDITIONS: Final = (
    select(EDITIONS.c.dataset, EDITIONS.c.hash, EDITIONS.c.at, EDITIONS.c.by)
    .where(EDITIONS.c.kind == bindparam("kind"))
    .order_by(EDITIONS.c.id)
)
_DATASET_NAMES: Final = select(DATASETS.c.name)
_COMMON_VERSION: Final = select(SETTINGS.c.value).where(SETTINGS.c.name == bindparam("name"))
_OWN_VERSION: Final = {
    kind: select(DATASETS.c[kind.value]).where(DATASETS.c.name == bindparam("name"))
    for kind in GuidanceKind
}
_VERSIONS: Final = select(
    *(DATASETS.c[kind.value] for kind in GuidanceKind),
    *(
        select(SETTINGS.c.value).where(SETTINGS.c.name == kind.value).scalar_subquery()
        for kind in GuidanceKind
    ),
).where(DATASETS.c.name == bindparam("name"))


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
            put_in_use(connection, kind, edition, text=text)
        return edition.version

    def editions(self, kind: GuidanceKind) -> tuple[GuidanceEdition, ...]:
        """Return all versions that came into use in the workspace or a dataset, oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(_SELECT_EDITIONS, {"kind": kind.value})
            return tuple(GuidanceEdition(*row) for row in rows)

    def version(self, kind: GuidanceKind, *, dataset: str = "") -> str:
        """Return the hash of a dataset's own text of a kind, else of the workspace's; or empty."""
        with self._database.reading() as connection:
            if dataset:
                own = connection.execute(_OWN_VERSION[kind], {"name": dataset}).scalar()
                if own:
                    return str(own)
            common = connection.execute(_COMMON_VERSION, {"name": kind.value}).scalar()
            return str(common or "")

    def versions_in_use(self, dataset: str) -> Mapping[GuidanceKind, str]:
        """Return the hash of the text in use in a dataset by kind, as `version` does; NotFound."""
        with self._database.reading() as connection:
            row = connection.execute(_VERSIONS, {"name": dataset}).first()
            if row is None:
                raise unknown_dataset(dataset, connection.execute(_DATASET_NAMES).scalars())
        kinds = tuple(GuidanceKind)
        return {
            kind: str(own or common or "")
            for kind, own, common in zip(kinds, row[: len(kinds)], row[len(kinds) :], strict=True)
        }

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


def put_in_use(
    connection: Connection, kind: GuidanceKind, edition: GuidanceEdition, *, text: str
) -> None:
    """Put a version of a label set or guidelines in use, and record this as an edition.

    Args:
        edition: an empty version in a dataset puts the workspace's version in use there again.
        text: the text of the version, which is stored if it is new.

    Raises:
        NotFound: there is no such dataset.
    """
    dataset, version, at, by = edition
    if version:
        row = {"kind": kind.value, "hash": version, "text": text, "created": at}
        connection.execute(_ADD_TEXT, row)
    common = connection.execute(_COMMON_VERSION, {"name": kind.value}).scalar()
    before = common
    if dataset:
        before = connection.execute(_OWN_VERSION[kind], {"name": dataset}).scalar()
        mine = update(DATASETS).where(DATASETS.c.name == dataset)
        if not connection.execute(mine.values({kind.value: version})).rowcount:
            raise unknown_dataset(dataset, connection.execute(_DATASET_NAMES).scalars())
    else:
        connection.execute(_SET_COMMON_VERSION, {"name": kind.value, "value": version})
    if before != version:
        row = {"kind": kind.value, "dataset": dataset, "hash": version or common or ""}
        connection.execute(_ADD_EDITION, {**row, "at": at, "by": by})


def start_with_labels(
    connection: Connection, datasets: Sequence[str], labels: str, *, at: str
) -> None:
    """Give new datasets a label set of their own, in place of the workspace's."""
    version = GuidanceStore.hash_of(labels)
    for name in datasets:
        edition = GuidanceEdition(name, version, at, by="")
        put_in_use(connection, GuidanceKind.LABELS, edition, text=labels)


@dataclass(frozen=True, slots=True)
class LabelSets:
    """The parsed label sets of a workspace, cached by version."""

    guidance: GuidanceStore
    _trees: dict[str, LabelTree] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def in_use(self, dataset: str = "") -> LabelTree:
        """Return the label set that a dataset uses, its own or the workspace's; or NotFound."""
        return self.of(self.guidance.version(GuidanceKind.LABELS, dataset=dataset))

    def of(self, version: str) -> LabelTree:
        """Return the label set with a version hash, in use or not.

        NotFound if the version is unknown, or empty because the workspace has no label set.
        """
        if not version:
            raise NotFound("the workspace has no labels.yaml", f"create it; {WRITE}")
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

    def is_equivalent(self, version: str, labels: LabelTree) -> bool:
        """Return whether a version of a label set has the same labels and rules as another one.

        False for a version that is not stored.
        """
        try:
            return version == labels.version or labels.means(self.of(version))
        except NotFound:
            return False
