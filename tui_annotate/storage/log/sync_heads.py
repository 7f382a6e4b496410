"""What a shared table was given last, by sample, so that what changed since is seen at once."""

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
    """What a row was when both sides had the same.

    Attributes:
        head: of the stream here, when it was read.
        digest: of the payload; empty where this side has something to give that it lacks.
    """

    head: str
    digest: str
    updated_at: str


class SyncStore:
    """Marks of one person in one table.

    Args:
        target: names the table; holds nothing secret.

    Raises:
        NotAllowed: where the work is not the actor's to read.
    """

    def __init__(
        self, database: Database, *, target: str, person: str, actor: Actor = OPERATOR
    ) -> None:
        require_permission(actor, Permission.READ, person)
        self._database = database
        self._person = person
        self._prefix = to_json(["sync", target, person])[:-1]

    def heads(self, marks: Container[SampleKey]) -> dict[SampleKey, str]:
        """The last event of each sample that has work, or a mark, as samples came.

        What was taken back since it was sent has a mark alone.
        """
        with self._database.reading() as connection:
            rows = connection.execute(_HEADS, {"person": self._person})
            return {
                SampleKey(dataset, sample): head
                for dataset, sample, head, worked in rows
                if worked or (dataset, sample) in marks
            }

    def marks(self) -> dict[SampleKey, SyncedHead]:
        """By sample, what the table has of it."""
        with self._database.reading() as connection:
            rows = connection.execute(_MARKS, self._prefix_range(self._prefix)).all()
        return {
            SampleKey(*from_json(name)[3:]): SyncedHead(*from_json(value)) for name, value in rows
        }

    def keep(self, marks: Mapping[SampleKey, SyncedHead]) -> None:
        """Remembers what the table has now."""
        rows = [
            {"name": f"{self._prefix},{to_json(list(key))[1:]}", "value": to_json(list(mark))}
            for key, mark in marks.items()
        ]
        if rows:
            with self._database.writing() as connection:
                connection.execute(_SET, rows)

    def forget(self, dataset: str) -> None:
        """Says that the table has nothing of a dataset any more."""
        low = f"{self._prefix},{to_json([dataset])[1:-1]}"
        with self._database.writing() as connection:
            connection.execute(delete(SETTINGS).where(_MINE), self._prefix_range(low))

    @staticmethod
    def _prefix_range(prefix: str) -> dict[str, str]:
        return {"low": f"{prefix},", "high": f"{prefix}-"}  # "-" is what comes after ","
