"""What machines said ends with the texts that they said it of; and with those of their group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, delete, select, tuple_

from tui_annotate.storage.columns import RUNS, SAMPLES, SCORES, SUGGESTIONS
from tui_annotate.storage.scores.orders import stand_last

_READ: Final = ("digest", "request", "meta", "group")
"""What a machine may have read of a sample; its answer, say, stands in `meta`."""


def unsay_changed(connection: Connection, coming: Mapping[int, Mapping[str, Any]]) -> None:
    """Takes off what was said of samples that get other texts or fields, and of their siblings.

    A score may compare a text with those of its group, which is why these go along.

    Args:
        coming: by sample's row, its columns as they are to be; they are not written yet.
    """
    if connection.execute(select(RUNS.c.number).limit(1)).first() is None:
        return
    query = select(SAMPLES.c.id, SAMPLES.c.dataset_id, *(SAMPLES.c[name] for name in _READ))
    found = connection.execute(query.where(SAMPLES.c.id.in_(list(coming)))).mappings()
    changed: list[int] = []
    groups: set[tuple[int, str]] = set()
    for row in found:
        new = coming[row["id"]]
        if any(row[name] != new[name] for name in _READ):
            changed.append(row["id"])
            groups |= {(row["dataset_id"], each) for each in (row["group"], new["group"]) if each}
    unsay(connection, [*changed, *_of_groups(connection, groups)])


def _of_groups(connection: Connection, groups: set[tuple[int, str]]) -> list[int]:
    if not groups:
        return []
    among = tuple_(SAMPLES.c.dataset_id, SAMPLES.c.group).in_(sorted(groups))
    return list(connection.execute(select(SAMPLES.c.id).where(among)).scalars())


def unsay(connection: Connection, sample_ids: Sequence[int]) -> None:
    """Takes off what machines said of samples; they stand last in the orders by scores."""
    if sample_ids:
        for table in (SCORES, SUGGESTIONS):
            connection.execute(delete(table).where(table.c.sample_id.in_(sample_ids)))
        stand_last(connection, sample_ids)
