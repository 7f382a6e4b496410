"""The corpus: datasets, samples, documents and segments; what people do with them is elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import ColumnElement, Connection, and_, delete, false, func, or_, select, text

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.samples import SampleKey, Segment
from tui_annotate.storage import datasets, intake, records
from tui_annotate.storage.codec import unpack
from tui_annotate.storage.columns import DATASETS, DOCUMENTS, EMBEDDED, SAMPLES, SETTINGS
from tui_annotate.storage.database import Database
from tui_annotate.storage.datasets import DatasetInfo, Progress
from tui_annotate.storage.intake import NewSample, text_digest
from tui_annotate.storage.log import utc_now
from tui_annotate.storage.records import StoredSample
from tui_annotate.storage.statements import SAMPLE_KEY, add_missing, upsert

__all__ = [
    "CorpusStore",
    "DatasetInfo",
    "NewSample",
    "Progress",
    "RecordFilter",
    "StoredSample",
    "text_digest",
]

_UNEMBEDDED = text(
    "SELECT u.id, u.sha256, u.text, u.boundaries FROM documents u"
    " WHERE u.id > :after AND NOT EXISTS"
    "   (SELECT 1 FROM embedded e WHERE e.vectors = :vectors AND e.sha256 = u.sha256)"
    " ORDER BY u.id LIMIT :limit"
)
_LAST_EMBEDDED = text(
    "SELECT coalesce(max(u.id), 0) FROM documents u"
    " WHERE u.sha256 = (SELECT value FROM settings WHERE name = :mark)"
)

_SET = upsert(SETTINGS, "name")


class CorpusStore:
    """Samples by their keys, documents by the hash of their text."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
            return records.stored_sample(connection, key)

    def find(self, name: str) -> SampleKey:
        """The sample that somebody means: by id, by dataset/id, or by the start of one id alone.

        Raises:
            NotFound: none, or several; the hint names some.
        """
        keys = (DATASETS.c.name, SAMPLES.c.external)
        splits = [place for place, character in enumerate(name) if character == "/"]
        start = (SAMPLES.c.external >= name, SAMPLES.c.external < name + "\U0010ffff")
        meant = (
            (SAMPLES.c.external == name,),
            (or_(false(), *(_is_key(name[:at], name[at + 1 :]) for at in splits)),),
            start,
        )
        rows: Sequence[tuple[str, str]] = ()
        with self._database.reading() as connection:
            for condition in meant:
                found = SAMPLE_KEY.where(*condition).order_by(*keys).limit(4)
                rows = rows or [(row[0], row[1]) for row in connection.execute(found)]
        if len(rows) != 1:
            several = ", ".join(f"{row[0]}/{row[1]}" for row in rows[:3])
            raise NotFound(
                f"{name!r} names {'more than one' if rows else 'no'} sample",
                f"for example {several}" if rows else "give an id, its start, or dataset/id",
            )
        return SampleKey(*rows[0])

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
            yield from records.stream(connection, filters)

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
        with self._database.writing() as connection:
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
        with self._database.writing() as connection:
            return datasets.exchange(connection, prepared, with_annotations=with_annotations)

    def remove_samples(self, keys: Sequence[SampleKey], *, with_annotations: bool = False) -> None:
        """Takes out some samples.

        Raises:
            Conflict: people worked on one of them, and `with_annotations` is False.
        """
        datasets.remove_samples(self._database, keys, with_annotations=with_annotations)

    def remove_dataset(self, name: str, *, with_annotations: bool = False) -> int:
        """Takes out a dataset; vectors of its documents stay as a cache until the next rebuild.

        Returns:
            How many samples it had.

        Raises:
            NotFound: there is no such dataset.
            Conflict: people worked on it, and `with_annotations` is False.
        """
        return datasets.remove(self._database, name, with_annotations=with_annotations)

    def datasets(self) -> list[DatasetInfo]:
        """Figures of all datasets, by name."""
        with self._database.reading() as connection:
            return datasets.infos(connection)

    def progress(self) -> list[Progress]:
        """What was done by dataset and person."""
        with self._database.reading() as connection:
            return datasets.progress(connection)

    def totals(self) -> tuple[int, int, int]:
        """Samples, documents and segments of the whole store."""
        with self._database.reading() as connection:
            return datasets.totals(connection)

    # what has vectors --------------------------------------------------------------------------

    def unembedded(self, table: str, limit: int) -> list[tuple[str, str, tuple[Segment, ...]]]:
        """(hash, text, segments) of documents that have no vectors in a table yet, as they came."""
        scope = {"vectors": table, "limit": limit, "mark": _mark(table)}
        with self._database.reading() as connection:
            after = connection.execute(_LAST_EMBEDDED, scope).scalar_one()
            rows = list(connection.execute(_UNEMBEDDED, {**scope, "after": after}))
            if not rows and after:
                rows = list(connection.execute(_UNEMBEDDED, {**scope, "after": 0}))
        texts = [(row[1], row[2].decode(), row[3]) for row in rows]
        return [(name, content, unpack(ends, len(content))) for name, content, ends in texts]

    def mark_embedded(self, table: str, hashes: Sequence[str]) -> None:
        """Says that the vectors of documents are in a table, and on the disk."""
        if not hashes:
            return
        rows = [{"vectors": table, "sha256": name} for name in hashes]
        with self._database.writing() as connection:
            connection.execute(add_missing(EMBEDDED), rows)
            _keep_setting(connection, _mark(table), hashes[-1])

    def embedded(self, table: str) -> int:
        """How many documents have vectors in a table, as far as this store knows."""
        query = select(func.count()).select_from(EMBEDDED).where(EMBEDDED.c.vectors == table)
        with self._database.reading() as connection:
            return int(connection.execute(query).scalar_one())

    def forget_embedded(self, table: str) -> None:
        """Says that a table has no vectors any more, so that all are made anew."""
        with self._database.writing() as connection:
            connection.execute(delete(EMBEDDED).where(EMBEDDED.c.vectors == table))
            connection.execute(delete(SETTINGS).where(SETTINGS.c.name == _mark(table)))

    # what else is remembered -------------------------------------------------------------------

    def setting(self, name: str) -> str | None:
        """A fact about the workspace; None where nobody set it."""
        query = select(SETTINGS.c.value).where(SETTINGS.c.name == name)
        with self._database.reading() as connection:
            return connection.execute(query).scalar()

    def set_setting(self, name: str, value: str) -> None:
        """Remembers a fact about the workspace."""
        with self._database.writing() as connection:
            _keep_setting(connection, name, value)


def _is_key(dataset: str, sample: str) -> ColumnElement[bool]:
    return and_(DATASETS.c.name == dataset, SAMPLES.c.external == sample)


def _mark(table: str) -> str:
    """The setting that holds the last embedded document: the search for the rest starts there."""
    return f"embedded:{table}"


def _keep_setting(connection: Connection, name: str, value: str) -> None:
    connection.execute(_SET, {"name": name, "value": value})
