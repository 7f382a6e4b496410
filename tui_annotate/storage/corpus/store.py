"""The corpus: datasets, samples, documents and segments; what people do with them is elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager

from sqlalchemy import Connection, select

from tui_annotate.domain.people import OPERATOR, Actor, Verb, require, seen_by
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.samples import Sample, SampleKey, Segment
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.columns import DATASETS, DOCUMENTS, SAMPLES, SETTINGS
from tui_annotate.storage.corpus import datasets, intake, records
from tui_annotate.storage.corpus.datasets import DatasetInfo, Progress
from tui_annotate.storage.corpus.intake import NewSample, text_digest
from tui_annotate.storage.corpus.records import StoredSample
from tui_annotate.storage.corpus.sample_names import meant
from tui_annotate.storage.database import Database
from tui_annotate.storage.shares.practice import practised
from tui_annotate.storage.statements import SAMPLE_KEY
from tui_annotate.storage.vectors import sets

__all__ = [
    "CorpusStore",
    "DatasetInfo",
    "NewSample",
    "Progress",
    "RecordFilter",
    "StoredSample",
    "text_digest",
]


_AT_ONCE = 500
"""Documents of one transaction that forgets them."""


class CorpusStore:
    """Samples by their keys, documents by the hash of their text.

    Who may not manage the workspace changes nothing here: `NotAllowed`.
    """

    def __init__(self, database: Database, *, actor: Actor = OPERATOR) -> None:
        self._database = database
        self._actor = actor

    def _managing(self) -> AbstractContextManager[Connection]:
        require(self._actor, Verb.MANAGE)
        return self._database.writing()

    # what is there -----------------------------------------------------------------------------

    def known(self, keys: Sequence[SampleKey]) -> dict[SampleKey, str]:
        """By key, the `text_digest` of the sample that is stored; a new key is absent."""
        with self._database.reading() as connection:
            return intake.known_digests(connection, keys)

    def known_documents(self, hashes: Sequence[str], segmenter: str) -> set[str]:
        """Of some documents, those that are stored with boundaries of this segmenter."""
        query = select(DOCUMENTS.c.sha256).where(
            DOCUMENTS.c.sha256.in_(hashes), DOCUMENTS.c.segmenter == segmenter
        )
        with self._database.reading() as connection:
            return set(connection.execute(query).scalars())

    def sample(self, key: SampleKey) -> StoredSample:
        """A sample with its segments.

        Raises:
            NotFound: there is none with that key.
        """
        with self._database.reading() as connection:
            return records.stored_sample(connection, key, seen=seen_by(self._actor))

    def find(self, name: str) -> SampleKey:
        """The sample that somebody means: by id, by dataset/id, or by the start of one id alone.

        Raises:
            NotFound: none, or several; the hint names some.
        """
        with self._database.reading() as connection:
            return meant(connection, name)

    def keys(self, dataset: str = "") -> tuple[SampleKey, ...]:
        """The keys of all samples, or of a dataset's, as they came."""
        query = SAMPLE_KEY.order_by(SAMPLES.c.id)
        if dataset:
            query = query.where(DATASETS.c.name == dataset)
        with self._database.reading() as connection:
            return tuple(SampleKey(*row) for row in connection.execute(query))

    def records(self, filters: RecordFilter) -> Iterator[Record]:
        """The records under a filter, by dataset, then as they came; of one moment, streamed."""
        with self._database.reading() as connection:
            yield from records.stream(connection, filters, seen=seen_by(self._actor))

    def samples(self, dataset: str) -> Iterator[Sample]:
        """The samples of a dataset as they came, without what people did; else as `records`."""
        with self._database.reading() as connection:
            yield from records.samples(connection, dataset, seen=seen_by(self._actor))

    def practised(self) -> int:
        """How many samples people worked on for practice, counted for each of them."""
        with self._database.reading() as connection:
            return practised(connection, seen_by(self._actor))

    # what comes and goes -----------------------------------------------------------------------

    def add(self, batch: Sequence[NewSample], *, segmenter: str) -> None:
        """Stores a batch in one transaction; a sample that is stored with the same texts stays.

        Args:
            segmenter: name and version of what made the segments of this batch.

        Raises:
            InvalidInput: an id can not be stored, or segments do not join to their text.
            Conflict: a sample is stored with other texts, or a document that came without
                segments is not stored.
        """
        prepared = intake.prepare(batch, segmenter)
        with self._managing() as connection:
            intake.write(connection, prepared, utc_now())

    def replace(
        self, batch: Sequence[NewSample], *, segmenter: str, with_annotations: bool = False
    ) -> tuple[int, int]:
        """As `add`, but a sample that is there gets the texts and fields of the batch.

        Returns:
            How many samples got other texts, and how many were added.

        Raises:
            InvalidInput: as `add`.
            Conflict: people worked on a sample whose texts would change, and `with_annotations` is
                False; with it their work on that sample is discarded, which the log keeps.
        """
        prepared = intake.prepare(batch, segmenter)
        with self._managing() as connection:
            return datasets.exchange(connection, prepared, with_annotations=with_annotations)

    def remove_samples(self, keys: Sequence[SampleKey], *, with_annotations: bool = False) -> None:
        """Takes out some samples.

        Raises:
            Conflict: people worked on one of them, and `with_annotations` is False.
        """
        require(self._actor, Verb.MANAGE)
        datasets.remove_samples(self._database, keys, with_annotations=with_annotations)

    def remove_dataset(self, name: str, *, with_annotations: bool = False) -> int:
        """Takes out a dataset; vectors of its documents stay as a cache until the next rebuild.

        Returns:
            How many samples it had.

        Raises:
            NotFound: there is no such dataset.
            Conflict: people worked on it, and `with_annotations` is False.
        """
        require(self._actor, Verb.MANAGE)
        return datasets.remove(self._database, name, with_annotations=with_annotations)

    def datasets(self) -> list[DatasetInfo]:
        """Figures of all datasets, by name."""
        with self._database.reading() as connection:
            return datasets.infos(connection, seen_by(self._actor))

    def progress(self) -> list[Progress]:
        """What was done by dataset and person."""
        with self._database.reading() as connection:
            return datasets.progress(connection, seen_by(self._actor))

    def totals(self) -> tuple[int, int, int]:
        """Samples, documents and segments of the whole store."""
        with self._database.reading() as connection:
            return datasets.totals(connection)

    # what has vectors --------------------------------------------------------------------------

    def vector_set(self) -> VectorSet | None:
        """The set of vectors in use; None where words find alone."""
        with self._database.reading() as connection:
            return sets.in_use(connection)

    def vector_sets(self) -> tuple[VectorSet, ...]:
        """All sets of vectors, the oldest first; also those that are not finished."""
        with self._database.reading() as connection:
            return sets.all_sets(connection)

    def vectors_decided(self) -> bool:
        """Whether a set was ever taken into use, or words alone were asked for."""
        return self.setting(sets.IN_USE) is not None

    def keep_vector_set(self, kept: VectorSet) -> None:
        """Remembers a set."""
        with self._managing() as connection:
            sets.keep(connection, kept, utc_now())

    def decide_vectors(self, table: str) -> bool:
        """As `use_vector_set`, unless a choice was made before; whether it is in use then."""
        with self._managing() as connection:
            return sets.decide(connection, table)

    def use_vector_set(self, table: str) -> None:
        """Takes a set that is there into use; an empty name for words alone."""
        with self._managing() as connection:
            sets.use(connection, table)

    def drop_vector_set(self, table: str) -> None:
        """Forgets a set and what has vectors in it; its table is for `VectorStore.drop`."""
        with self._managing() as connection:
            sets.drop(connection, table)

    def is_loose(self, table: str) -> bool:
        """Whether a table was written to and not put in order since."""
        with self._database.reading() as connection:
            return sets.is_loose(connection, table)

    def set_loose(self, table: str, *, loose: bool) -> None:
        """Says whether a table is still to be put in order; it must be of a set."""
        with self._managing() as connection:
            sets.set_loose(connection, table, loose=loose)

    def unembedded(self, table: str, limit: int) -> list[tuple[str, str, tuple[Segment, ...]]]:
        """(hash, text, segments) of documents that have no vectors in a table yet, as they came."""
        with self._database.reading() as connection:
            rows = sets.unembedded(connection, table, limit)
        return [sets.segmented(row[1:]) for row in rows]

    def bare(self, table: str) -> Iterator[tuple[str, str, tuple[Segment, ...]]]:
        """As `unembedded`, all of them, streamed; nobody may write them meanwhile."""
        with self._database.reading() as connection:
            yield from map(sets.segmented, sets.bare(connection, table))

    def embedded_one(self, table: str) -> tuple[str, str, tuple[Segment, ...]] | None:
        """(hash, text, segments) of some document with vectors in a table; None without one."""
        with self._database.reading() as connection:
            row = sets.embedded_one(connection, table)
        return sets.segmented(row) if row else None

    def waiting(self, table: str) -> tuple[int, int]:
        """How many documents, and how many segments of them, have no vectors in a table yet."""
        with self._database.reading() as connection:
            return sets.waiting(connection, table)

    def mark_embedded(
        self, table: str, hashes: Sequence[str], *, unknown: Collection[str] = ()
    ) -> None:
        """Says that the vectors of documents are in a table, and on the disk.

        Args:
            unknown: those of which the model knows too little, so that words alone rank them.
        """
        if hashes:
            with self._managing() as connection:
                sets.mark_embedded(connection, table, hashes, unknown=unknown)

    def embedded(self, table: str) -> tuple[int, int]:
        """How many documents have vectors in a table; how many of them words rank all the same.

        As far as this store knows: the second was not counted before version 3.
        """
        with self._database.reading() as connection:
            return sets.embedded(connection, table)

    def forget_embedded(self, table: str) -> None:
        """Says that a table has no vectors any more, so that all are made anew."""
        with self._managing() as connection:
            sets.forget_embedded(connection, table)

    def forget_gone(self, table: str) -> list[str]:
        """Says that a table has no vectors of documents that are stored no more; their hashes."""
        with self._database.reading() as connection:
            gone = sets.gone(connection, table)
        forgotten: list[str] = []
        for start in range(0, len(gone), _AT_ONCE):
            with self._managing() as connection:
                forgotten += sets.forget(connection, table, gone[start : start + _AT_ONCE])
        return forgotten

    # what else is remembered -------------------------------------------------------------------

    def setting(self, name: str) -> str | None:
        """A fact about the workspace; None where nobody set it."""
        query = select(SETTINGS.c.value).where(SETTINGS.c.name == name)
        with self._database.reading() as connection:
            return connection.execute(query).scalar()

    def set_setting(self, name: str, value: str) -> None:
        """Remembers a fact about the workspace."""
        with self._managing() as connection:
            connection.execute(sets.SET, {"name": name, "value": value})
