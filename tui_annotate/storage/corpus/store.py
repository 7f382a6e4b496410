"""Stores texts in the database: datasets, samples, documents and sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from sqlalchemy import (
    Connection,
    delete,
    func,
    literal_column,
    select,
    text,
    tuple_,
    update,
)

from tui_annotate.domain.change_record import represent_content
from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.history import discard_action, new_event
from tui_annotate.domain.keyword_names import check_keywords, earlier_keywords
from tui_annotate.domain.people import Permission, require_permission, visible_people
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.records import DatasetDescription, Record, RecordFilter
from tui_annotate.domain.sample_clusters import join_clusters, list_shared_names
from tui_annotate.domain.samples import Sample, SampleKey, Segment, Side
from tui_annotate.storage.adjudication_lock import EDITS_SETTING
from tui_annotate.storage.assignments.assignment_rows import record_removal
from tui_annotate.storage.assignments.gold import count_gold_checks
from tui_annotate.storage.assignments.store import count_practice_samples
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.change_record import DOCUMENT_CONTENT, find_altered_documents
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import to_json
from tui_annotate.storage.columns import (
    ASSIGNMENTS,
    DATASETS,
    DOCUMENTS,
    PLACES,
    SAMPLE_DOCUMENTS,
    SAMPLES,
    TOMBSTONES,
)
from tui_annotate.storage.corpus import intake, records
from tui_annotate.storage.corpus.intake import NewSample, hash_texts
from tui_annotate.storage.corpus.records import StoredSample
from tui_annotate.storage.corpus.sample_names import LAST_CHARACTER, only_key, split_name
from tui_annotate.storage.database import CommonStore
from tui_annotate.storage.documents import find_document_damage, read_segments
from tui_annotate.storage.log.event_log import EventLog
from tui_annotate.storage.queue_orders import remove_ranks
from tui_annotate.storage.scores.orders import drop_stale_results
from tui_annotate.storage.statements import (
    COLUMNS,
    DESCRIPTION,
    FIRST_ROW,
    SAMPLE_KEY,
    dataset_descriptions,
    dataset_row,
    dataset_settings,
    known_digests,
    sample_row,
    seen_scope,
    set_dataset_setting,
    text_list,
    worked_on_condition,
)
from tui_annotate.storage.vectors.sets import VectorSetStore

__all__ = [
    "CorpusStore",
    "DatasetInfo",
    "DatasetProgress",
    "NewSample",
    "RecordFilter",
    "StoredSample",
    "hash_texts",
]


_BATCH: Final = 15

_STORED_DOCUMENTS: Final = select(DOCUMENTS.c.sha256, DOCUMENTS.c.text, DOCUMENTS.c.boundaries)

_INFOS: Final = text("""
    SELECT d.name,
      (SELECT count(*) FROM samples s WHERE s.dataset_id = d.id),
      count(u.id), coalesce(sum(u.segments), 0),
      (SELECT coalesce(sum(a.annotations), 0) FROM assignments a
         JOIN samples s ON s.id = a.sample_id
         WHERE s.dataset_id = d.id AND a.person <> :settled
         AND (:everybody OR a.person IN :seen)),
      (SELECT count(*) FROM assignments a
         JOIN samples s ON s.id = a.sample_id
         WHERE s.dataset_id = d.id AND a.state = 'done' AND a.person <> :settled
         AND (:everybody OR a.person IN :seen)),
      d.created
    FROM datasets d LEFT JOIN documents u ON u.id IN (
      SELECT p.document_id FROM sample_documents p
        JOIN samples s ON s.id = p.sample_id WHERE s.dataset_id = d.id)
    GROUP BY d.id ORDER BY d.name
""").bindparams(text_list("seen"))
_USES: Final = text("""
    SELECT u.sha256, d.name, s.external, p.side, p.key
    FROM documents u
    JOIN sample_documents p ON p.document_id = u.id
    JOIN samples s ON s.id = p.sample_id
    JOIN datasets d ON d.id = s.dataset_id
    WHERE u.sha256 IN (SELECT value FROM json_each(:hashes))
    ORDER BY s.id, p.ordinal
""")
_WITH_ROW_ZERO: Final = (
    select(DATASETS.c.name)
    .join(SAMPLES, SAMPLES.c.dataset_id == DATASETS.c.id)
    .where((SAMPLES.c.external == "0") | SAMPLES.c.external.endswith("/0"))
    .distinct()
)
_SHARED: Final = text("""
    SELECT d.name, s.external, s."group", p.side, u.sha256
    FROM samples s JOIN datasets d ON d.id = s.dataset_id
      LEFT JOIN sample_documents p ON p.sample_id = s.id
      LEFT JOIN documents u ON u.id = p.document_id
""")
_PROGRESS: Final = text("""
    SELECT d.name, p.id, p.name, sum(a.annotations),
      count(*) FILTER (WHERE a.state = 'done'),
      count(*) FILTER (WHERE a.state = 'skipped'), count(*) FILTER (WHERE a.state = 'flagged'),
      count(*) FILTER (WHERE a.state IN ('draft', 'reopened')), sum(a.seconds)
    FROM assignments a JOIN samples s ON s.id = a.sample_id
      JOIN datasets d ON d.id = s.dataset_id JOIN people p ON p.id = a.person
    WHERE p.id <> :settled AND (:everybody OR a.person IN :seen)
    GROUP BY d.id, p.id ORDER BY d.name, p.name, p.id
""").bindparams(text_list("seen"))


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """Statistics of a dataset; shared texts count once, a completed sample once per annotator.

    Attributes:
        documents: number of different texts: sources, summaries and reports.
        segments: number of sentences of these documents; commands print them as sentences.
        completed: number of completed readings; a reading is one person's work on one sample.
    """

    name: str
    samples: int
    documents: int
    segments: int
    annotations: int
    completed: int
    created: str
    license: str = ""
    origin: str = ""
    citation: str = ""
    edits_after_adjudication: bool = False


@dataclass(frozen=True, slots=True)
class DatasetProgress:
    """One person's progress in one dataset; `in_progress` includes reopened samples."""

    dataset: str
    person: str
    name: str
    annotations: int
    completed: int
    skipped: int
    flagged: int
    in_progress: int
    seconds: float


@check_keywords
class CorpusStore(VectorSetStore):
    """Access to the stored samples, documents and sets of vectors.

    Methods that change anything raise `NotAllowed` if the actor may not manage the workspace.
    """

    # reading -----------------------------------------------------------------------------------

    def known(self, keys: Sequence[SampleKey]) -> dict[SampleKey, str]:
        """Return the digest of each of these samples that is stored."""
        with self._database.reading() as connection:
            return known_digests(connection, keys)

    def groups(self, keys: Sequence[SampleKey]) -> dict[SampleKey, str]:
        """Return the groups of those samples that are stored, by key; empty for no group."""
        by_dataset: dict[str, list[str]] = {}
        for key in keys:
            by_dataset.setdefault(key.dataset, []).append(key.id)
        found: dict[SampleKey, str] = {}
        with self._database.reading() as connection:
            for dataset, ids in by_dataset.items():
                query = SAMPLE_KEY.add_columns(SAMPLES.c.group).where(
                    DATASETS.c.name == dataset, SAMPLES.c.external.in_(ids)
                )
                found |= {SampleKey(*key): group for *key, group in connection.execute(query)}
        return found

    def known_documents(self, hashes: Sequence[str], segmenter: str) -> set[str]:
        """Return those hashes whose text is stored undamaged, with segments of the segmenter."""
        query = _STORED_DOCUMENTS.where(
            DOCUMENTS.c.sha256.in_(hashes), DOCUMENTS.c.segmenter == segmenter
        )
        with self._database.reading() as connection:
            rows = connection.execute(query)
            return {row.sha256 for row in rows if not find_document_damage(*row)}

    def damaged_documents(
        self, hashes: Sequence[str], recorded: Mapping[str, str]
    ) -> dict[str, str]:
        """Return the stored language of those documents whose text or segments are damaged.

        The keys are the documents' hashes. A text is damaged if it has another hash.

        `recorded`: contents by hash, as `altered_documents` returns them; a document with another
        content is damaged too.
        """
        # Only SQLite has a record, and the function that represents the content of a row.
        content: Any = literal_column(DOCUMENT_CONTENT if recorded else "''").label("content")
        query = _STORED_DOCUMENTS.add_columns(DOCUMENTS.c.language, content)
        with self._database.reading() as connection:
            rows = connection.execute(query.where(DOCUMENTS.c.sha256.in_(hashes))).all()
        return {
            row.sha256: row.language
            for row in rows
            if find_document_damage(*row[:3])
            or (
                row.sha256 in recorded
                and represent_content(row.content, hashed=True) != recorded[row.sha256]
            )
        }

    def altered_documents(self) -> dict[str, str]:
        """Return the recorded content of documents that another program gave another one."""
        with self._database.reading() as connection:
            return find_altered_documents(connection)

    def sample(self, key: SampleKey) -> StoredSample:
        """Return one sample with the segments of its documents; NotFound for an unknown key."""
        with self._database.reading() as connection:
            return records.read_stored_sample(connection, key, seen=visible_people(self._actor))

    def sample_or_none(self, key: SampleKey) -> Sample | None:
        """Return a sample; None if it does not exist."""
        with suppress(NotFound):
            return self.sample(key).sample
        return None

    def find(self, name: str) -> SampleKey:
        """Return the sample that a user names by its id, dataset/id, or the start of its id."""
        keys = (DATASETS.c.name, SAMPLES.c.external)
        splits = list(split_name(name))
        conditions = (
            SAMPLES.c.external == name,
            # Only the ids have an index.
            SAMPLES.c.external.in_([each[1] for each in splits]) & tuple_(*keys).in_(splits),
            SAMPLES.c.external.between(name, name + LAST_CHARACTER),
        )
        rows: Sequence[Any] = ()
        with self._database.reading() as connection:
            for condition in conditions:
                found = SAMPLE_KEY.where(condition).order_by(*keys).limit(4)
                rows = rows or connection.execute(found).all()

            def load_ids(start: str, limit: int) -> Sequence[str]:
                query = select(SAMPLES.c.external).order_by(SAMPLES.c.external).limit(limit)
                between = SAMPLES.c.external.between(start, start + LAST_CHARACTER)
                return connection.execute(query.where(between)).scalars().all()

            return only_key(name, rows, load_ids)

    def keys(self, dataset: str = "") -> tuple[SampleKey, ...]:
        """Return the keys of a dataset's samples, or of all samples, in the order of import."""
        query = SAMPLE_KEY.order_by(SAMPLES.c.id)
        if dataset:
            query = query.where(DATASETS.c.name == dataset)
        with self._database.reading() as connection:
            return tuple(SampleKey(*row) for row in connection.execute(query))

    def locate_documents(self, hashes: Collection[str]) -> dict[str, tuple[SampleKey, Side, str]]:
        """Return the first sample of each document, with the document's side and key there."""
        found: dict[str, tuple[SampleKey, Side, str]] = {}
        with self._database.reading() as connection:
            rows = connection.execute(_USES, {"hashes": to_json(sorted(hashes))})
            for sha256, dataset, sample, side, key in rows:
                found.setdefault(sha256, (SampleKey(dataset, sample), Side(side), key))
        return found

    def clusters(self) -> dict[SampleKey, str]:
        """Return the cluster of each sample; see `domain.sample_clusters`. Reads no texts."""
        hashes: dict[tuple[SampleKey, str], dict[str, list[str]]] = {}
        with self._database.reading() as connection:
            for dataset, sample, group, side, sha256 in connection.execute(_SHARED):
                own = hashes.setdefault((SampleKey(dataset, sample), group), {})
                if side is not None:
                    own.setdefault(side, []).append(sha256)
        shared = [
            list_shared_names(
                key, group, sources=own.get(Side.SOURCE, ()), summaries=own.get(Side.SUMMARY, ())
            )
            for (key, group), own in hashes.items()
        ]
        keys = (key for key, _ in hashes)
        return dict(zip(keys, join_clusters(shared), strict=True))

    def records(self, filters: RecordFilter, *, worked: bool = False) -> Iterator[Record]:
        """Yield samples and annotators' work that match a filter, one dataset after another.

        All come from one consistent state. `worked` omits samples without matching work; its cost
        depends on the work in the store, not on the number of samples.
        """
        seen = visible_people(self._actor)
        with self._database.reading() as connection:
            yield from records.stream_records(connection, filters, seen=seen, worked=worked)

    def samples(self, dataset: str) -> Iterator[Sample]:
        """Yield the samples of a dataset in the order of import; none for an unknown dataset."""
        with self._database.reading() as connection:
            yield from records.stream_samples(connection, dataset, seen=visible_people(self._actor))

    def count_practice_samples(self) -> int:
        """Return how many practice samples were worked on; a sample counts once for each person."""
        with self._database.reading() as connection:
            return count_practice_samples(connection, visible_people(self._actor))

    def count_gold_checks(self) -> int:
        """Count the accuracy checks that people worked on; 0 if the actor sees only own work."""
        with self._database.reading() as connection:
            return count_gold_checks(connection, visible_people(self._actor))

    # writing -----------------------------------------------------------------------------------

    def add(self, batch: Sequence[NewSample], *, segmenter: str) -> None:
        """Store a batch of samples in one transaction; skip samples stored with the same texts.

        `segmenter` is the name and version of the segmenter that made the segments.

        Raises:
            InvalidInput: an id cannot be stored, or segments do not join to their text.
            Conflict: a sample with the same key but different texts is stored, or a document that
                came without segments is not stored.
        """
        prepared = intake.prepare(batch, segmenter)
        with self._writing_as_manager() as connection:
            intake.write(connection, prepared, utc_now())

    def replace(
        self, batch: Sequence[NewSample], *, segmenter: str, with_annotations: bool = False
    ) -> tuple[int, int]:
        """Store a batch of samples, and replace the texts and fields of samples that exist already.

        A sample keeps its positions in queues. Work on unchanged texts is kept; scores and
        suggestions on a changed sample are removed. Returns the numbers of samples with other texts
        and of new samples.

        Raises:
            InvalidInput: as `add`.
            Conflict: annotators worked on a sample whose texts would change, unless
                `with_annotations` discards their work (which remains in the event log).
        """
        prepared = intake.prepare(batch, segmenter)
        with self._writing_as_manager() as connection:
            known = known_digests(connection, prepared.keys)
            documents = intake.keep_documents(connection, prepared)
            stored = {
                place: sample_row(connection, key)
                for place, key in enumerate(prepared.keys)
                if key in known
            }
            drop_stale_results(
                connection, {row: prepared.samples[place] for place, row in stored.items()}
            )
            replaced: list[int] = []
            changed = 0
            for place, sample_id in stored.items():
                key = prepared.keys[place]
                row = prepared.samples[place]
                if known[key] != row["digest"]:
                    changed += 1
                    _discard_work(connection, key, sample_id, with_annotations=with_annotations)
                replaced += _find_documents(connection, sample_id)
                mine = SAMPLE_DOCUMENTS.c.sample_id == sample_id
                connection.execute(delete(SAMPLE_DOCUMENTS).where(mine))
                intake.place_documents(connection, {sample_id: prepared.placed[place]}, documents)
                connection.execute(update(SAMPLES).where(SAMPLES.c.id == sample_id).values(row))
            intake.write(connection, prepared, utc_now())
            _delete_unused_documents(connection, replaced)
            return changed, len(set(prepared.keys) - known.keys())

    def remove_samples(self, keys: Sequence[SampleKey], *, with_annotations: bool = False) -> None:
        """Remove samples, but samples with annotators' work only if `with_annotations` is True."""
        require_permission(self._actor, Permission.MANAGE)
        for batch in split_batches(keys, _BATCH):
            with self._writing_as_manager() as connection:
                for key in batch:
                    _remove_sample(connection, key, with_annotations=with_annotations)

    def require_unannotated(self, name: str) -> None:
        """Check that no one has worked on a dataset.

        Raises:
            NotFound: there is no such dataset.
            Conflict: annotators worked on it.
        """
        with self._database.reading() as connection:
            row = dataset_row(connection, name)
            _refuse_worked_on(connection, f"dataset {name!r}", SAMPLES.c.dataset_id == row)

    @earlier_keywords(with_annotations="delete_annotations")
    def remove_dataset(self, name: str, *, delete_annotations: bool = False) -> int:
        """Remove a dataset; return how many samples it had.

        The removal runs in short transactions; an interrupted removal is completed by a second
        call. Vectors of its documents stay in the cache until the next rebuild.

        Raises:
            NotFound: there is no such dataset.
            Conflict: annotators worked on it, and `delete_annotations` is False.
        """
        require_permission(self._actor, Permission.MANAGE)
        with self._database.reading() as connection:
            row = dataset_row(connection, name)
            mine = select(SAMPLES.c.external).where(SAMPLES.c.dataset_id == row)
            keys = [SampleKey(name, each) for each in connection.execute(mine).scalars()]
            if not delete_annotations:
                _refuse_worked_on(connection, f"dataset {name!r}", SAMPLES.c.dataset_id == row)
        self.remove_samples(keys, with_annotations=delete_annotations)
        with self._writing_as_manager() as connection:
            connection.execute(delete(TOMBSTONES).where(TOMBSTONES.c.dataset == name))
            empty = ~select(SAMPLES.c.id).where(SAMPLES.c.dataset_id == DATASETS.c.id).exists()
            connection.execute(delete(DATASETS).where(DATASETS.c.name == name, empty))
        return len(keys)

    def datasets(self) -> list[DatasetInfo]:
        """Return all datasets by name; the numbers of work count only visible people."""
        with self._database.reading() as connection:
            rows = connection.execute(_INFOS, seen_scope(visible_people(self._actor))).all()
            descriptions = dataset_descriptions(connection)
            editable = dataset_settings(connection, EDITS_SETTING)
        return [
            replace(
                DatasetInfo(*row, **asdict(descriptions.get(row[0], DatasetDescription()))),
                edits_after_adjudication=row[0] in editable,
            )
            for row in rows
        ]

    def descriptions(self) -> dict[str, DatasetDescription]:
        """Return the descriptions of datasets by name, without datasets that have none."""
        with self._database.reading() as connection:
            return dataset_descriptions(connection)

    def describe_dataset(self, name: str, about: DatasetDescription) -> None:
        """Store the license, origin and citation of a dataset, in place of the former ones.

        Raises:
            NotFound: there is no such dataset.
        """
        value = asdict(about) if about else None
        with self._writing_as_manager() as connection:
            row = dataset_row(connection, name)
            set_dataset_setting(connection, row, DESCRIPTION, value=value)

    def allow_edits_after_adjudication(self, name: str, *, allowed: bool) -> None:
        """Set whether annotators may change their work on adjudicated samples of a dataset.

        Raises:
            NotFound: there is no such dataset.
            NotAllowed: the actor may not manage the workspace.
        """
        with self._writing_as_manager() as connection:
            row = dataset_row(connection, name)
            set_dataset_setting(connection, row, EDITS_SETTING, value=True if allowed else None)

    def used_columns(self) -> dict[str, list[tuple[str, ...]]]:
        """Return the columns of the tables that each dataset was imported from, the last first."""
        with self._database.reading() as connection:
            stored = dataset_settings(connection, COLUMNS)
        return {name: [tuple(each) for each in rows] for name, rows in stored.items()}

    def keep_columns(self, name: str, columns: Sequence[Sequence[str]]) -> None:
        """Store the columns of the tables from which a dataset was imported, the last first."""
        with self._writing_as_manager() as connection:
            row = dataset_row(connection, name)
            set_dataset_setting(connection, row, COLUMNS, value=columns)

    def first_rows(self) -> dict[str, int | None]:
        """Return the number of a table's first row in the ids of each dataset, if they are numbers.

        Earlier versions stored no number, and began with 0: their datasets have a sample whose id
        is 0, alone or after a name, as in `a.csv/0`. None if there is neither a number nor such a
        sample: then the ids are no row numbers, or the first rows of an earlier import were
        refused.
        """
        with self._database.reading() as connection:
            names = connection.execute(select(DATASETS.c.name)).scalars()
            earlier = connection.execute(_WITH_ROW_ZERO).scalars()
            stored = dataset_settings(connection, FIRST_ROW)
            return {**dict.fromkeys(names), **dict.fromkeys(earlier, 0), **stored}

    def keep_first_row(self, name: str, number: int) -> None:
        """Store the number of the first row in the ids of a dataset, unless it is stored."""
        with self._database.reading() as connection:
            if dataset_settings(connection, FIRST_ROW).get(name) == number:
                return
        with self._writing_as_manager() as connection:
            row = dataset_row(connection, name)
            set_dataset_setting(connection, row, FIRST_ROW, value=number)

    def progress(self) -> list[DatasetProgress]:
        """Return the work of each visible person in each dataset; times are in seconds."""
        with self._database.reading() as connection:
            return read_progress(connection, visible_people(self._actor))

    def totals(self) -> tuple[int, int, int]:
        """Return the numbers of samples, documents and segments in the whole workspace."""
        with self._database.reading() as connection:
            samples = connection.execute(select(func.count()).select_from(SAMPLES)).scalar_one()
            query = select(func.count(), func.coalesce(func.sum(DOCUMENTS.c.segments), 0))
            documents, segments = connection.execute(query.select_from(DOCUMENTS)).one()
        return samples, documents, segments


def read_progress(connection: Connection, seen: Sequence[str] | None) -> list[DatasetProgress]:
    """Return the progress of each person in each dataset; `seen` limits people, None does not."""
    return [DatasetProgress(*row) for row in connection.execute(_PROGRESS, seen_scope(seen))]


def _refuse_worked_on(connection: Connection, what: str, condition: Any) -> None:
    query = (
        select(func.count(), func.coalesce(func.sum(ASSIGNMENTS.c.annotations), 0))
        .join(SAMPLES, SAMPLES.c.id == ASSIGNMENTS.c.sample_id)
        .where(condition, text(worked_on_condition("assignments")))
    )
    assignments, annotations = connection.execute(query).one()
    if assignments:
        raise Conflict(
            f"{what} has annotation work: {format_count(annotations, 'annotation')}, "
            f"{format_count(assignments, 'assignment')}",
            "export the annotations, then repeat the command with --delete-annotations",
        )


def _remove_sample(connection: Connection, key: SampleKey, *, with_annotations: bool) -> None:
    try:
        sample_id = sample_row(connection, key)
    except NotFound:
        return  # another process has removed it meanwhile
    _discard_work(connection, key, sample_id, with_annotations=with_annotations)
    documents = _find_documents(connection, sample_id)
    remove_ranks(connection, [sample_id])
    record_removal(connection, sample_id)
    connection.execute(delete(SAMPLES).where(SAMPLES.c.id == sample_id))
    _delete_unused_documents(connection, documents)


def _discard_work(
    connection: Connection, key: SampleKey, sample_id: int, *, with_annotations: bool
) -> None:
    if not with_annotations:
        _refuse_worked_on(connection, f"sample {key}", SAMPLES.c.id == sample_id)
    log = EventLog(connection)
    query = select(ASSIGNMENTS.c.person).where(ASSIGNMENTS.c.sample_id == sample_id)
    for person in connection.execute(query).scalars().all():
        stream = log.stream(person, key)
        log.append(stream, new_event(stream.name, discard_action(stream.state), at=utc_now()))
    connection.execute(delete(PLACES).where(PLACES.c.sample_id == sample_id))


def _find_documents(connection: Connection, sample_id: int) -> list[int]:
    mine = SAMPLE_DOCUMENTS.c.sample_id == sample_id
    return list(connection.execute(select(SAMPLE_DOCUMENTS.c.document_id).where(mine)).scalars())


def _delete_unused_documents(connection: Connection, documents: Sequence[int]) -> None:
    used = select(SAMPLE_DOCUMENTS.c.document_id).where(
        SAMPLE_DOCUMENTS.c.document_id == DOCUMENTS.c.id
    )
    unused = delete(DOCUMENTS).where(DOCUMENTS.c.id.in_(documents), ~used.exists())
    connection.execute(unused)


class SegmentStore(CommonStore):
    """Reads the sentences of documents."""

    def of(self, lengths: Mapping[str, int]) -> dict[str, tuple[Segment, ...]]:
        """Return segments by document hash; `lengths`: code points of texts; Damaged if unfit."""
        columns = (DOCUMENTS.c.sha256, DOCUMENTS.c.boundaries)
        query = select(*columns).where(DOCUMENTS.c.sha256.in_(lengths))
        with self._database.reading() as connection:
            return {
                name: read_segments(connection, boundaries, name, length=lengths[name])
                for name, boundaries in connection.execute(query).all()
            }
