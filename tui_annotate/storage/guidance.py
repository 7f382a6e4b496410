"""Label sets and guidelines: every version whole, under its hash, and which is in force where."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Final

from sqlalchemy import bindparam, select, update

from tui_annotate.domain.errors import NotFound
from tui_annotate.storage.columns import DATASETS, SETTINGS, TEXTS
from tui_annotate.storage.database import Database
from tui_annotate.storage.log import utc_now
from tui_annotate.storage.statements import add_missing, upsert


class Guidance(StrEnum):
    """What tells people how to annotate; also the name of the column and of the setting."""

    LABELS = "labels"
    GUIDELINES = "guidelines"


_KEEP: Final = add_missing(TEXTS)
_SET: Final = upsert(SETTINGS, "name")
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

    def keep(self, kind: Guidance, text: str, *, dataset: str = "") -> str:
        """Stores a version and puts it in force, in the workspace or in one dataset.

        Returns:
            Its hash.

        Raises:
            NotFound: there is no such dataset.
        """
        version = self.hash_of(text)
        row = {"kind": kind.value, "hash": version, "text": text, "created": utc_now()}
        with self._database.writing() as connection:
            connection.execute(_KEEP, row)
            if dataset:
                mine = update(DATASETS).where(DATASETS.c.name == dataset)
                if not connection.execute(mine.values({kind.value: version})).rowcount:
                    raise NotFound(f"there is no dataset {dataset!r}", "see: dataset list")
            else:
                connection.execute(_SET, {"name": kind.value, "value": version})
        return version

    def version(self, kind: Guidance, *, dataset: str = "") -> str:
        """The hash of what is in force: the dataset's own, else the workspace's; empty for none."""
        with self._database.reading() as connection:
            own = connection.execute(_OWN[kind], {"name": dataset}).scalar() if dataset else ""
            return str(own or connection.execute(_COMMON, {"name": kind.value}).scalar() or "")

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
