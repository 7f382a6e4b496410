"""A row of any file of pairs, and the columns that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.admission import RIGHT_ONE, missing
from tui_annotate.plugins.protocols import ImportOptions


@dataclass(frozen=True, slots=True)
class Row:
    """The named fields of a record; `name` is how it is called where it has no id."""

    name: str
    where: str
    fields: dict[str, Any]


def lacking(columns: Sequence[str], options: ImportOptions) -> InvalidInput | None:
    """The error of a table without a column that is asked for; None where it has them all.

    It is about the first that is missing; its hint is about all.
    """
    asked = (
        (options.source_column, "--source-column"),
        (options.summary_column, "--summary-column"),
        (options.id_column, "--id-column"),
        (options.group_column, "--group-column"),
    )
    errors = [
        missing(column, columns, option=option)
        for column, option in asked
        if column and column not in columns
    ]
    if not errors:
        return None
    near = [error.hint for error in errors if not error.hint.startswith(RIGHT_ONE)]
    others = [error.hint.removeprefix(RIGHT_ONE) for error in errors if error.hint not in near]
    told = [*near, RIGHT_ONE + " and ".join(others)] if others else near
    return InvalidInput(errors[0].message, "; ".join(told))
