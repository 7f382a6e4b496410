"""Names of all tables and columns, for queries, without the slow import of `tables`.

Importing SQLModel takes 130 ms, as long as the rest of a start, and no query needs it.

Generated from `storage/tables.py` by `make columns`: do not edit.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, FromClause, TableClause, column, table


def columns_of(table: FromClause, names: str) -> list[ColumnElement[Any]]:
    """Return the columns of a table with some names, which are separated by spaces."""
    return [table.c[name] for name in names.split()]


def _define_table(name: str, *columns: str) -> TableClause:
    return table(name, *map(column, columns))


ANNOTATIONS: Final = _define_table(
    "annotations",
    "id",
    "person",
    "sample_id",
    "number",
    "origin",
    "note",
    "updated",
    "payload",
)
TOMBSTONES: Final = _define_table(
    "tombstones",
    "id",
    "dataset",
)
ASSIGNMENTS: Final = _define_table(
    "assignments",
    "person",
    "sample_id",
    "state",
    "finished",
    "rating",
    "comment",
    "seconds",
    "updated",
    "annotations",
    "seq",
    "head",
)
EVENTS: Final = _define_table(
    "events",
    "arrival",
    "id",
    "person",
    "dataset",
    "sample",
    "seq",
    "verb",
    "before",
    "after",
    "undoes",
    "batch",
    "at",
    "seconds",
    "versions",
    "app",
    "prev",
    "hash",
)
TALLIES: Final = _define_table(
    "tallies",
    "order_id",
    "person",
    "bucket",
    "count",
)
HANDOUTS: Final = _define_table(
    "handouts",
    "id",
    "at",
    "by",
    "kind",
    "dataset",
    "request",
    "undone",
)
ALLOTMENTS: Final = _define_table(
    "allotments",
    "person",
    "sample_id",
    "rank",
    "handout",
    "practice",
)
POOL: Final = _define_table(
    "pool",
    "sample_id",
    "dataset_id",
    "value",
    "room",
)
POOL_COUNTS: Final = _define_table(
    "pool_counts",
    "dataset_id",
    "person",
    "count",
)
REMARKS: Final = _define_table(
    "remarks",
    "id",
    "dataset",
    "sample",
    "author",
    "reader",
    "answers",
    "text",
    "at",
)
PEOPLE: Final = _define_table(
    "people",
    "id",
    "name",
    "kind",
    "created",
)
ACCOUNTS: Final = _define_table(
    "accounts",
    "person",
    "email",
    "role",
    "hash",
    "active",
    "must_change",
    "epoch",
    "unix",
    "created",
    "changed",
)
SESSIONS: Final = _define_table(
    "sessions",
    "id",
    "token",
    "person",
    "means",
    "client",
    "epoch",
    "created",
    "seen",
    "expires",
    "ended",
)
ATTEMPTS: Final = _define_table(
    "attempts",
    "scope",
    "failures",
    "last",
    "until",
)
INVITES: Final = _define_table(
    "invites",
    "code",
    "person",
    "expires",
    "used",
)
SSH_KEYS: Final = _define_table(
    "ssh_keys",
    "fingerprint",
    "person",
    "line",
    "created",
)
PRESENCES: Final = _define_table(
    "presences",
    "person",
    "holder",
    "since",
    "seen",
)
PLACES: Final = _define_table(
    "places",
    "person",
    "sample_id",
    "value",
    "updated",
)
PREFERENCES: Final = _define_table(
    "preferences",
    "person",
    "name",
    "value",
)
TEXTS: Final = _define_table(
    "texts",
    "kind",
    "hash",
    "text",
    "created",
)
EDITIONS: Final = _define_table(
    "editions",
    "id",
    "kind",
    "dataset",
    "hash",
    "at",
    "by",
)
LABEL_CHANGES: Final = _define_table(
    "label_changes",
    "id",
    "dataset",
    "kind",
    "request",
    "before",
    "after",
    "batch",
    "arrival",
    "undone",
    "at",
    "by",
)
DATASETS: Final = _define_table(
    "datasets",
    "id",
    "name",
    "labels",
    "guidelines",
    "created",
)
DATASET_SETTINGS: Final = _define_table(
    "dataset_settings",
    "dataset_id",
    "name",
    "value",
)
DOCUMENTS: Final = _define_table(
    "documents",
    "id",
    "sha256",
    "language",
    "segmenter",
    "segments",
    "boundaries",
    "text",
)
SAMPLES: Final = _define_table(
    "samples",
    "id",
    "dataset_id",
    "external",
    "kind",
    "group",
    "digest",
    "source",
    "summary",
    "request",
    "meta",
    "imported",
)
SAMPLE_DOCUMENTS: Final = _define_table(
    "sample_documents",
    "sample_id",
    "ordinal",
    "document_id",
    "side",
    "key",
    "title",
)
ORDERS: Final = _define_table(
    "orders",
    "id",
    "name",
    "filled",
    "until",
)
RANKS: Final = _define_table(
    "ranks",
    "order_id",
    "bucket",
    "value",
    "sample_id",
)
EMBEDDED: Final = _define_table(
    "embedded",
    "vectors",
    "sha256",
    "unknown",
)
VECTOR_SETS: Final = _define_table(
    "vector_sets",
    "vectors",
    "embedder",
    "label",
    "version",
    "segmenter",
    "dimensions",
    "token_dimensions",
    "instant",
    "base_url",
    "asked_dimensions",
    "loose",
    "created",
)
SETTINGS: Final = _define_table(
    "settings",
    "name",
    "value",
)
RUNS: Final = _define_table(
    "runs",
    "number",
    "id",
    "dataset_id",
    "kind",
    "maker",
    "parameters",
    "embedder",
    "low",
    "names",
    "at",
    "by",
    "finished",
)
SCORES: Final = _define_table(
    "scores",
    "sample_id",
    "run",
    "name",
    "extra",
    "raw",
    "value",
    "text",
    "parts",
    "of",
)
REPLIES: Final = _define_table(
    "replies",
    "key",
    "reply",
    "about",
    "at",
)
SUGGESTIONS: Final = _define_table(
    "suggestions",
    "id",
    "sample_id",
    "run",
    "maker",
    "payload",
)
ANSWERS: Final = _define_table(
    "answers",
    "person",
    "sample_id",
    "suggestion",
    "answer",
    "payload",
)
