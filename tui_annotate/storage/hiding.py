"""In which datasets people work without what machines say: where an admin wants it, and practice.

Scores, machine labels, orders by these and suggestions ask here, whoever looks at a screen.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, delete, insert, select, text

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import OPERATOR, Actor, Verb, require
from tui_annotate.storage.codec import to_json
from tui_annotate.storage.columns import DATASET_SETTINGS, DATASETS
from tui_annotate.storage.database import Database

SETTING: Final = "machines"
_VALUE: Final = "hidden"
_HIDING: Final = text(
    "SELECT d.id, d.name FROM dataset_settings t JOIN datasets d ON d.id = t.dataset_id"
    " WHERE (t.name = :setting AND t.value = :hidden) OR t.name = 'practice'"
)
_SCOPE: Final = {"setting": SETTING, "hidden": to_json(_VALUE)}


def hidden_rows(connection: Connection) -> frozenset[int]:
    """The rows of the datasets that hide what machines say."""
    return frozenset(row[0] for row in connection.execute(_HIDING, _SCOPE))


def hidden_datasets(connection: Connection) -> frozenset[str]:
    """The names of the datasets that hide what machines say."""
    return frozenset(row[1] for row in connection.execute(_HIDING, _SCOPE))


def hidden(connection: Connection, dataset: str) -> bool:
    """Whether a dataset hides what machines say."""
    return dataset in hidden_datasets(connection)


class Hiding:
    """As the functions, each in a transaction of its own; and what admins decide."""

    def __init__(self, database: Database, *, actor: Actor = OPERATOR) -> None:
        self._database = database
        self._actor = actor

    def datasets(self) -> frozenset[str]:
        """The names of the datasets that hide what machines say."""
        with self._database.reading() as connection:
            return hidden_datasets(connection)

    def hidden(self, dataset: str) -> bool:
        """Whether a dataset hides what machines say."""
        return dataset in self.datasets()

    def hide(self, dataset: str) -> None:
        """From now on nobody who annotates a dataset sees what machines say of it.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset.
        """
        self._keep(dataset, _VALUE)

    def show(self, dataset: str) -> None:
        """The end of `hide`; a dataset for practice stays without.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset.
        """
        self._keep(dataset, None)

    def _keep(self, dataset: str, value: str | None) -> None:
        require(self._actor, Verb.MANAGE)
        with self._database.writing() as connection:
            query = select(DATASETS.c.id).where(DATASETS.c.name == dataset)
            row = connection.execute(query).scalar()
            if row is None:
                hint = "see: tui-annotate dataset list"
                raise NotFound(f"there is no dataset {dataset!r}", hint)
            mine = (DATASET_SETTINGS.c.dataset_id == row, DATASET_SETTINGS.c.name == SETTING)
            connection.execute(delete(DATASET_SETTINGS).where(*mine))
            if value is not None:
                kept = {"dataset_id": row, "name": SETTING, "value": to_json(value)}
                connection.execute(insert(DATASET_SETTINGS), kept)
