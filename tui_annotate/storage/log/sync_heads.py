"""State of each person's work when a shared table and this workspace were last equal."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Final, NamedTuple

from sqlalchemy import bindparam, delete, select, text

from tui_annotate.domain.people import OPERATOR, Actor, Permission, require_permission
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.columns import SETTINGS
from tui_annotate.storage.database import Database
from tui_annotate.storage.statements import upsert, worked_on_condition

_SET: Final = upsert(SETTINGS, "name")
_MINE: Final = (SETTINGS.c.name >= bindparam("low")) & (SETTINGS.c.name < bindparam("high"))
_MARKS: Final = select(SETTINGS.c.name, SETTINGS.c.value).where(_MINE)
_HEADS: Final = text(
    f"SELECT d.name, s.external, w.head, {worked_on_condition('w')}"  # noqa: S608  constants
    " FROM assignments w JOIN samples s ON s.id = w.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id WHERE w.person = :person ORDER BY d.name, s.id"
)


class SyncedHead(NamedTuple):
    """Work at the last sync with a table; its `digest` is empty if it has changes the row lacks."""

    head: str
    digest: str
    updated_at: str


class SyncStore:
    """Data on a person's last sync with a shared table; NotAllowed if the actor may not read it."""

    def __init__(
        self, database: Database, *, target: str, person: str, actor: Actor = OPERATOR
    ) -> None:
        require_permission(actor, Permission.READ, person)
        self._database = database
        self._person = person
        self._prefix = to_json(["sync", target, person])[:-1]

    def heads(self, marks: Container[SampleKey]) -> dict[SampleKey, str]:
        """Return the hash of a person's last event on each sample that has or had work.

        `marks` has the samples that were synchronized before: work that was sent and then undone is
        found only there. The samples are in order of arrival.
        """
        with self._database.reading() as connection:
            rows = connection.execute(_HEADS, {"person": self._person})
            return {
                SampleKey(dataset, sample): head
                for dataset, sample, head, worked in rows
                if worked or (dataset, sample) in marks
            }

    def marks(self) -> dict[SampleKey, SyncedHead]:
        """Return, by sample, the state of a person's work at the last synchronization."""
        with self._database.reading() as connection:
            rows = connection.execute(_MARKS, self._prefix_range(self._prefix)).all()
        return {
            SampleKey(*from_json(name)[3:]): SyncedHead(*from_json(value)) for name, value in rows
        }

    def keep(self, marks: Mapping[SampleKey, SyncedHead]) -> None:
        """Store the state of samples at a sync; other samples keep theirs."""
        rows = [
            {"name": f"{self._prefix},{to_json(list(key))[1:]}", "value": to_json(list(mark))}
            for key, mark in marks.items()
        ]
        if rows:
            with self._database.writing() as connection:
                connection.execute(_SET, rows)

    def forget(self, dataset: str) -> None:
        """Delete what is stored about the last exchange of a dataset with the shared table."""
        low = f"{self._prefix},{to_json([dataset])[1:-1]}"
        with self._database.writing() as connection:
            connection.execute(delete(SETTINGS).where(_MINE), self._prefix_range(low))

    @staticmethod
    def _prefix_range(prefix: str) -> dict[str, str]:
        return {"low": f"{prefix},", "high": f"{prefix}-"}  # "-" is the character after ","
