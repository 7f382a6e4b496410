"""Label sets and guidelines: every version whole, under its hash, and which is in force where."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.errors import NotFound
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.columns import DATASETS, EDITIONS, SETTINGS, TEXTS
from tui_annotate.storage.database import Database
from tui_annotate.storage.statements import add_missing, upsert


class Guidance(StrEnum):
    """What tells people how to annotate; also the name of the column and of the setting."""

    LABELS = "labels"
    GUIDELINES = "guidelines"


class Edition(NamedTuple):
    """A version of guidance that came into force.

    Attributes:
        dataset: where; empty for the workspace.
        by: id of the person who put it in force; empty for whoever owns the files.
    """

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
    for kind in Guidance
}


class GuidanceStore:
    """The store is the truth: a file is a proposal, kept here when it is taken up."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @staticmethod
    def hash_of(text: str) -> str:
        """What names a version: SHA-256 of the text as UTF-8, in hex."""
        return hashlib.sha256(text.encode()).hexdigest()

    def keep(self, kind: Guidance, text: str, *, dataset: str = "", by: str = "") -> str:
        """Stores a version and puts it in force, in the workspace or in one dataset.

        Args:
            by: id of the person who does; empty for whoever owns the files.

        Returns:
            Its hash.

        Raises:
            NotFound: there is no such dataset.
        """
        version, now = self.hash_of(text), utc_now()
        row = {"kind": kind.value, "hash": version, "text": text, "created": now}
        with self._database.writing() as connection:
            connection.execute(_KEEP, row)
            if dataset:
                before = connection.execute(_OWN[kind], {"name": dataset}).scalar()
                mine = update(DATASETS).where(DATASETS.c.name == dataset)
                if not connection.execute(mine.values({kind.value: version})).rowcount:
                    raise NotFound(f"there is no dataset {dataset!r}", "see: dataset list")
            else:
                before = connection.execute(_COMMON, {"name": kind.value}).scalar()
                connection.execute(_SET, {"name": kind.value, "value": version})
            if before != version:
                edition = {"kind": kind.value, "dataset": dataset, "hash": version}
                connection.execute(_EDITION, {**edition, "at": now, "by": by})
        return version

    def editions(self, kind: Guidance) -> tuple[Edition, ...]:
        """When which version came into force, of the workspace and of all datasets; in order."""
        with self._database.reading() as connection:
            rows = connection.execute(_EDITIONS, {"kind": kind.value})
            return tuple(Edition(*row) for row in rows)

    def version(self, kind: Guidance, *, dataset: str = "") -> str:
        """The hash of what is in force: the dataset's own, else the workspace's; empty for none."""
        with self._database.reading() as connection:
            own = connection.execute(_OWN[kind], {"name": dataset}).scalar() if dataset else ""
            return str(own or connection.execute(_COMMON, {"name": kind.value}).scalar() or "")

    def knows(self, dataset: str) -> bool:
        """Whether there is a dataset of that name."""
        query = select(DATASETS.c.id).where(DATASETS.c.name == dataset)
        with self._database.reading() as connection:
            return connection.execute(query).first() is not None

    def versions(self, kind: Guidance) -> tuple[str, ...]:
        """The hashes of all that was ever in force, the oldest first."""
        query = select(TEXTS.c.hash).where(TEXTS.c.kind == kind.value)
        with self._database.reading() as connection:
            return tuple(
                connection.execute(query.order_by(TEXTS.c.created, TEXTS.c.hash)).scalars()
            )

    def text(self, kind: Guidance, version: str) -> str:
        """A version as it was given.

        Raises:
            NotFound: no such version was ever stored.
        """
        query = select(TEXTS.c.text).where(TEXTS.c.kind == kind.value, TEXTS.c.hash == version)
        with self._database.reading() as connection:
            found = connection.execute(query).scalar()
        if found is None:
            raise NotFound(
                f"there is no version {version!r} of the {kind}",
                "change a line of its file: then it is taken up anew",
            )
        return str(found)


def begin_with(connection: Connection, datasets: Sequence[str], labels: str, *, at: str) -> None:
    """Gives datasets that were made just now a label set of their own."""
    if not datasets:
        return
    kind, version = Guidance.LABELS.value, GuidanceStore.hash_of(labels)
    connection.execute(_KEEP, {"kind": kind, "hash": version, "text": labels, "created": at})
    mine = update(DATASETS).where(DATASETS.c.name.in_(datasets))
    connection.execute(mine.values({kind: version}))
    edition = {"kind": kind, "hash": version, "at": at, "by": ""}
    connection.execute(_EDITION, [{**edition, "dataset": name} for name in datasets])
