"""What readers share: ids of rows that have none of their own, and labels that are one word."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID, uuid5

from tui_annotate.domain.annotations import LabelPath

JOINER = "."

_IDS = UUID("6f2b6c0e-6d0b-5a0e-9b52-3c1f0d6c7a11")


def distinct(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows with how often the same one came before, so that ids differ."""
    times: dict[str, int] = {}
    for row in rows:
        content = json.dumps(row, sort_keys=True)
        times[content] = times.get(content, -1) + 1
        yield times[content], row


def made_id(key: tuple[str, str], times: int, row: Any) -> str:
    """The same id whenever the same row of a sample comes in; `times` as `distinct` counts them."""
    return str(uuid5(_IDS, json.dumps([*key, times, row], sort_keys=True)))


def label_path(name: str) -> LabelPath:
    """A label of one word as a path: parted at dots, unless a part would be blank."""
    names = tuple(name.split(JOINER))
    return names if all(each.strip() for each in names) else (name,)


def flat_label(path: LabelPath) -> str:
    """The path as one word."""
    return JOINER.join(path)


def dotted(paths: Iterable[LabelPath]) -> int:
    """How many paths do not come back from being one word."""
    return sum(label_path(flat_label(path)) != path for path in paths)
