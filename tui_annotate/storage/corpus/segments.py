"""Segments of many documents at once, without their texts; the corpus has those of one sample."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import select

from tui_annotate.domain.samples import Segment
from tui_annotate.storage.codec import unpack
from tui_annotate.storage.columns import DOCUMENTS
from tui_annotate.storage.database import Database


class SegmentStore:
    """Where the sentences of documents begin and end."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, lengths: Mapping[str, int]) -> dict[str, tuple[Segment, ...]]:
        """By the hash of a document, its segments in order; what is not stored is absent.

        Args:
            lengths: by hash, how many code points the text has.

        Raises:
            Damaged: segments do not end where their text does.
        """
        columns = (DOCUMENTS.c.sha256, DOCUMENTS.c.boundaries)
        query = select(*columns).where(DOCUMENTS.c.sha256.in_(lengths))
        with self._database.reading() as connection:
            return {row[0]: unpack(row[1], lengths[row[0]]) for row in connection.execute(query)}
