"""The tables of the store as SQLModel rows: their columns and keys only; no query stands here.

What counts is the log (`events`); `annotations`, `assignments`, `tombstones` and `tallies` cache
it. JSON is stored as text, written by `storage.codec`. A document's text is UTF-8 in a BLOB, so
that NUL survives. The log names people and samples by their own names, not by row, so that it
outlives them.
"""

from tui_annotate.storage.tables import corpus, machines, people, work
from tui_annotate.storage.tables.row import Row

__all__ = ["METADATA", "corpus", "machines", "people", "work"]

METADATA = Row.metadata
