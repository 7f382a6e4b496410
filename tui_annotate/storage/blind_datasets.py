"""Datasets in which annotators do not see scores and suggestions of models.

These are the datasets for which an admin hides the output, and all practice datasets. Scores,
machine labels, orders by score and suggestions consult this module, for every user.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.keyword_names import check_keywords
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
    """Return the row ids of the datasets that hide scores and suggestions."""
    return frozenset(row_id for row_id, _ in connection.execute(_HIDDEN_DATASETS, _SCOPE))


def hidden_datasets(connection: Connection) -> frozenset[str]:
    """Return the names of the datasets that hide scores and suggestions."""
    return frozenset(name for _, name in connection.execute(_HIDDEN_DATASETS, _SCOPE))


def is_blind(connection: Connection, dataset: str) -> bool:
    """Return whether a dataset hides scores and suggestions; False for an unknown dataset."""
    return dataset in hidden_datasets(connection)


@check_keywords
class BlindDatasets(Store):
    """Datasets that hide scores and suggestions from annotators; admins choose these datasets."""

    def datasets(self) -> frozenset[str]:
        """Return the names of these datasets."""
        with self._database.reading() as connection:
            return hidden_datasets(connection)

    def hidden(self, dataset: str) -> bool:
        """Return whether a dataset hides them; False for an unknown dataset."""
        return dataset in self.datasets()

    def hide(self, dataset: str) -> None:
        """Hide the scores and suggestions in a dataset from all annotators.

        Raises:
            NotAllowed: the actor may not manage the workspace.
            NotFound: there is no such dataset.
        """
        self._set_visibility(dataset, _VALUE)

    def show(self, dataset: str) -> None:
        """Show the scores and suggestions in a non-practice dataset to annotators again."""
        self._set_visibility(dataset, None)

    def _set_visibility(self, dataset: str, value: str | None) -> None:
        require_permission(self._actor, Permission.MANAGE)
        with self._database.writing() as connection:
            row = dataset_row(connection, dataset)
            set_dataset_setting(connection, row, SETTING, value=value)
