"""Rows of the shared table, to and from JSON values; what is no row is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins.exchange.sync_key import harmless
from tui_annotate.plugins.files.json_limits import SURROGATE

TABLE: Final = "annotations_current"
KEYS: Final = "dataset,username,annotation_key"
"""The primary key."""
_OVER: Final = ("dataset", "username", "annotation_key", "created_at", "updated_at")
AT_ONCE: Final = 40
"""Keys that are asked for at a time: they stand in an address, which may not be too long."""
_BATCH_ROWS, _BATCH_BYTES = 100, 1_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table; times are as the server writes them."""

    dataset: str
    username: str
    annotation_key: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    created_at: str = ""
    updated_at: str = ""

    @property
    def name(self) -> tuple[str, str, str]:
        """The primary key."""
        return self.dataset, self.username, self.annotation_key

    def asked(self, dataset: str, username: str, keys: Sequence[str]) -> bool:
        """Whether it is one of those that these words ask for; empty ones are for all."""
        named = dataset in ("", self.dataset) and username in ("", self.username)
        return named and (not keys or self.annotation_key in keys)

    def exported(self) -> dict[str, Any]:
        """The payload with what the row says written over it."""
        own = {name: getattr(self, name) for name in _OVER}
        return {**self.payload, **own}


def equal(dataset: str, username: str) -> dict[str, str]:
    """What asks for rows of a dataset, of somebody; empty ones for all."""
    given = {"dataset": dataset, "username": username}
    return {name: f"eq.{value}" for name, value in given.items() if value}


def one_of(keys: Sequence[str]) -> str:
    """What asks for some keys; each is quoted, as commas and brackets mean something there."""
    plain = (key.replace("\\", "\\\\").replace('"', '\\"') for key in keys)
    quoted = ",".join(f'"{key}"' for key in plain)
    return f"in.({quoted})"


def batches(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Rows as they are sent together."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        length = len(json.dumps(row.payload))
        if batch and (len(batch) == _BATCH_ROWS or size + length > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += length
    if batch:
        yield batch


def row_of(value: Any) -> Row:
    """A row of a reply.

    Raises:
        Unavailable: it is none.
    """
    found = value if isinstance(value, dict) else {}
    words = {name: found.get(name, "") for name in _OVER}
    payload = found.get("payload", {})
    named = all(words[name] for name in ("dataset", "username", "annotation_key"))
    if not all(map(_storable, words.values())) or not named:
        raise Unavailable("the table holds something that is no row", "see: sync init-sql")
    if not isinstance(payload, dict):
        where = harmless(f"{words['dataset']}/{words['annotation_key']}")
        raise Unavailable(f"the payload of {where} is no object", "who wrote it?")
    return Row(payload=payload, **words)


def _storable(value: Any) -> bool:
    return isinstance(value, str) and not SURROGATE.search(value)


def complaint(body: bytes) -> str:
    """What PostgREST, or something before it, says of a request."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    told = value.get("message") if isinstance(value, dict) else None
    return harmless(told if isinstance(told, str) else body.decode("utf-8", "replace")) or "no word"
