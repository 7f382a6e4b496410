"""What a shared table was given last, by sample, so that what changed since is seen at once."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Final, NamedTuple

from sqlalchemy import bindparam, delete, select

from tui_annotate.domain.assignments import State
from tui_annotate.domain.people import OPERATOR, Actor, Verb, require
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.columns import ASSIGNMENTS, DATASETS, SAMPLES, SETTINGS
from tui_annotate.storage.database import Database
from tui_annotate.storage.statements import upsert

_SET: Final = upsert(SETTINGS, "name")
_MINE: Final = (SETTINGS.c.name >= bindparam("low")) & (SETTINGS.c.name < bindparam("high"))
_MARKS: Final = select(SETTINGS.c.name, SETTINGS.c.value).where(_MINE)
_WORKED: Final = (
    (ASSIGNMENTS.c.state != State.NEW.value)
    | (ASSIGNMENTS.c.annotations > 0)
    | (ASSIGNMENTS.c.rating != "")
    | (ASSIGNMENTS.c.comment != "")
)
_HEADS: Final = (
    select(DATASETS.c.name, SAMPLES.c.external, ASSIGNMENTS.c.head, _WORKED)
    .select_from(ASSIGNMENTS)
    .join(SAMPLES, SAMPLES.c.id == ASSIGNMENTS.c.sample_id)
    .join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id)
    .where(ASSIGNMENTS.c.person == bindparam("person"))
    .order_by(DATASETS.c.name, SAMPLES.c.id)
)


class Mark(NamedTuple):
    """What a row was when both sides had the same.

    Attributes:
        head: of the stream here, when it was read.
        digest: of the payload; empty where this side has something to give that it lacks.
        updated_at: as the table says it.
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
        require(actor, Verb.READ, person)
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

    def marks(self) -> dict[SampleKey, Mark]:
        """By sample, what the table has of it."""
        with self._database.reading() as connection:
            rows = connection.execute(_MARKS, self._scope(self._prefix)).all()
        return {SampleKey(*from_json(name)[3:]): Mark(*from_json(value)) for name, value in rows}

    def keep(self, marks: Mapping[SampleKey, Mark]) -> None:
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
            connection.execute(delete(SETTINGS).where(_MINE), self._scope(low))

    @staticmethod
    def _scope(prefix: str) -> dict[str, str]:
        return {"low": f"{prefix},", "high": f"{prefix}-"}  # "-" is what comes after ","
