"""In which datasets people work without what machines say: where an admin wants it, and practice.

Scores, machine labels, orders by these and suggestions ask here, whoever looks at a screen.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.storage.codec import to_json
from tui_annotate.storage.database import Store
from tui_annotate.storage.statements import dataset_row, set_dataset_setting

SETTING: Final = "machines"
_VALUE: Final = "hidden"
_HIDDEN_DATASETS: Final = text(
    "SELECT d.id, d.name FROM dataset_settings t JOIN datasets d ON d.id = t.dataset_id"
    " WHERE (t.name = :setting AND t.value = :hidden) OR t.name = 'practice'"
)
_SCOPE: Final = {"setting": SETTING, "hidden": to_json(_VALUE)}


def hidden_rows(connection: Connection) -> frozenset[int]:
    """The rows of the datasets that hide what machines say."""
    return frozenset(row[0] for row in connection.execute(_HIDDEN_DATASETS, _SCOPE))


def hidden_datasets(connection: Connection) -> frozenset[str]:
    """The names of the datasets that hide what machines say."""
    return frozenset(row[1] for row in connection.execute(_HIDDEN_DATASETS, _SCOPE))


def is_blind(connection: Connection, dataset: str) -> bool:
    """Whether a dataset hides what machines say."""
    return dataset in hidden_datasets(connection)


class BlindDatasets(Store):
    """As the functions, each in a transaction of its own; and what admins decide."""

    def datasets(self) -> frozenset[str]:
        """The names of the datasets that hide what machines say."""
        with self._database.reading() as connection:
            return hidden_datasets(connection)

    def hidden(self, dataset: str) -> bool:
        """Whether a dataset hides what machines say."""
        return dataset in self.datasets()

    def hide(self, dataset: str) -> None:
        """Hides what machines say of a dataset from all who annotate it.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset.
        """
        self._set_visibility(dataset, _VALUE)

    def show(self, dataset: str) -> None:
        """The end of `hide`; a dataset for practice stays without. Raises as `hide` does."""
        self._set_visibility(dataset, None)

    def _set_visibility(self, dataset: str, value: str | None) -> None:
        require_permission(self._actor, Permission.MANAGE)
        with self._database.writing() as connection:
            row = dataset_row(connection, dataset)
            set_dataset_setting(connection, row, SETTING, value=value)
