"""Stores new samples and texts without duplicates, and adds the samples to the queues."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.sqlite import insert

from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.report_collections import PASSAGE_LABELS, RATED_KINDS
from tui_annotate.domain.samples import Document, Sample, SampleKey, SampleKind, Segment, Side
from tui_annotate.storage.assignments.pools import add_to_pool
from tui_annotate.storage.codec import (
    check_storable,
    mapping_to_json,
    pack,
    replace_unstorable,
    request_to_json,
)
from tui_annotate.storage.columns import DATASETS, DOCUMENTS, SAMPLE_DOCUMENTS, SAMPLES
from tui_annotate.storage.documents import hash_placements
from tui_annotate.storage.labels.store import start_with_labels
from tui_annotate.storage.queue_orders import (
    RankedSample,
    add_ranks,
    assigned_datasets,
    first_values_by_source,
)
from tui_annotate.storage.statements import known_digests

SUMMARY_START: Final = 160
"""Number of code points at a summary's start that the list of samples shows and searches."""


@dataclass(frozen=True, slots=True)
class NewSample:
    """A sample to store; documents that are stored with segments, or lack text, have none here."""

    sample: Sample
    segments: tuple[tuple[Segment, ...], ...]


def hash_texts(sample: Sample) -> str:
    """Return one hash for the texts of a sample and their sides (source or summary), in order."""
    return hash_placements((each.side, each.sha256) for each in sample.documents)


def summary_start(sample: Sample) -> str:
    """Return the start of a sample's summary as one line; if there is no summary, of its source."""
    summaries = sample.side(Side.SUMMARY) or sample.documents
    start = summaries[0].text[: 2 * SUMMARY_START] if summaries else ""
    return " ".join(start.replace("\0", " ").split())[:SUMMARY_START]


def _hash_source(sample: Sample) -> str:
    """Return a hash of a sample's source; a sample without a source has a hash of its own."""
    sources = [document.sha256 for document in sample.side(Side.SOURCE)]
    return hashlib.sha256("\n".join(sources or map(repr, sample.key)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class PreparedBatch:
    """Table rows of several samples, without row ids, prepared before the write lock is taken."""

    keys: tuple[SampleKey, ...]
    samples: tuple[dict[str, Any], ...]
    placed: tuple[tuple[dict[str, Any], ...], ...]
    documents: dict[str, dict[str, Any]]
    stored: frozenset[str]


def prepare(batch: Sequence[NewSample], segmenter: str) -> PreparedBatch:
    """Validate and encode several samples before the write lock is taken."""
    documents: dict[str, dict[str, Any]] = {}
    bare: set[str] = set()
    for new in batch:
        for document, segments in zip(new.sample.documents, new.segments, strict=True):
            if segments or not document.text:
                documents[document.sha256] = _build_document_row(document, segments, segmenter)
            else:
                bare.add(document.sha256)
    return PreparedBatch(
        tuple(new.sample.key for new in batch),
        tuple(_build_sample_row(new.sample) for new in batch),
        tuple(tuple(_build_placement_rows(new.sample)) for new in batch),
        documents,
        frozenset(bare - documents.keys()),
    )


def _build_document_row(
    document: Document, segments: tuple[Segment, ...], segmenter: str
) -> dict[str, Any]:
    return {
        "sha256": document.sha256,
        "language": check_storable(document.language, "language"),
        "segmenter": segmenter,
        "segments": len(segments),
        "boundaries": pack(segments),
        "text": document.text.encode(),
    }


def _build_sample_row(sample: Sample) -> dict[str, Any]:
    return {
        "external": check_storable(sample.id, "sample id"),
        "kind": sample.kind.value,
        "group": check_storable(sample.group, "group"),
        "digest": hash_texts(sample),
        "source": _hash_source(sample),
        "summary": summary_start(sample),
        "request": request_to_json(sample.request),
        "meta": mapping_to_json(sample.meta),
        "imported": mapping_to_json(sample.imported),
    }


def _build_placement_rows(sample: Sample) -> Iterable[dict[str, Any]]:
    for ordinal, document in enumerate(sample.documents):
        yield {
            "ordinal": ordinal,
            "sha256": document.sha256,
            "side": document.side.value,
            "key": check_storable(document.key, "document key"),
            "title": replace_unstorable(document.title),
        }


def write(connection: Connection, prepared: PreparedBatch, created: str) -> None:
    """Store those prepared samples and documents that are not stored yet.

    Raises:
        Conflict: a sample with the same key but different texts is stored, or a document that came
            without segments is gone.
    """
    known = known_digests(connection, prepared.keys)
    fresh = []
    for place, (key, row) in enumerate(zip(prepared.keys, prepared.samples, strict=True)):
        if known.get(key, row["digest"]) != row["digest"]:
            raise Conflict(
                f"sample {key} is already stored, but with different texts",
                "import files with the same ids into different datasets (--dataset); to replace "
                f"texts: tui-annotate datasets replace {shlex.quote(key.dataset)} FILE",
            )
        if key not in known:
            known[key] = row["digest"]
            fresh.append(place)
    documents = keep_documents(connection, prepared)
    kinds: dict[str, SampleKind] = {}  # of the first sample of each dataset
    for key, row in zip(prepared.keys, prepared.samples, strict=True):
        kinds.setdefault(key.dataset, SampleKind(row["kind"]))
    datasets = _create_datasets(connection, kinds, created)
    last = connection.execute(select(func.max(SAMPLES.c.id))).scalar() or 0
    ids = {place: last + number for number, place in enumerate(fresh, start=1)}
    rows = [
        prepared.samples[place] | {"id": row, "dataset_id": datasets[prepared.keys[place].dataset]}
        for place, row in ids.items()
    ]
    if rows:
        connection.execute(insert(SAMPLES), rows)
        place_documents(connection, {ids[p]: prepared.placed[p] for p in fresh}, documents)
        _add_to_orders(connection, [prepared.keys[place] for place in fresh], rows)


def keep_documents(connection: Connection, prepared: PreparedBatch) -> dict[str, int]:
    """Store the texts of prepared samples; return the row id of each text by its hash.

    Segments of a different segmenter replace the stored ones. If the stored text or its segments
    were damaged, the text with the same hash, and its segments, replace them.

    Raises:
        Conflict: a document that came without segments is not stored.
    """
    if prepared.documents:
        statement = insert(DOCUMENTS)
        names = ("segmenter", "segments", "boundaries", "language", "text")
        statement = statement.on_conflict_do_update(
            index_elements=["sha256"],
            set_={name: statement.excluded[name] for name in names},
            where=(DOCUMENTS.c.segmenter != statement.excluded.segmenter)
            | DOCUMENTS.c.text.is_distinct_from(statement.excluded.text)
            # The same text, segmenter and language give the same segments, unless they are damaged.
            | (
                (DOCUMENTS.c.language == statement.excluded.language)
                & DOCUMENTS.c.boundaries.is_distinct_from(statement.excluded.boundaries)
            ),
        )
        connection.execute(statement, list(prepared.documents.values()))
    hashes = [*prepared.documents, *prepared.stored]
    query = select(DOCUMENTS.c.sha256, DOCUMENTS.c.id).where(DOCUMENTS.c.sha256.in_(hashes))
    found = {row[0]: row[1] for row in connection.execute(query)}
    gone = prepared.stored - found.keys()
    if gone:
        raise Conflict(f"document {min(gone)[:12]} is no longer stored", "ingest the file again")
    return found


def _create_datasets(
    connection: Connection, kinds: Mapping[str, SampleKind], created: str
) -> dict[str, int]:
    """Return each dataset's row id by name, and create missing datasets."""
    wanted = select(DATASETS.c.name, DATASETS.c.id).where(DATASETS.c.name.in_(kinds))
    there = {row[0] for row in connection.execute(wanted)}
    fresh = [check_storable(name, "dataset") for name in sorted(kinds.keys() - there)]
    if fresh:
        defaults = {"created": created, "labels": "", "guidelines": ""}
        connection.execute(insert(DATASETS), [{"name": name, **defaults} for name in fresh])
        marked = [name for name in fresh if kinds[name] in RATED_KINDS]
        start_with_labels(connection, marked, PASSAGE_LABELS, at=created)
    return {row[0]: row[1] for row in connection.execute(wanted)}


def place_documents(
    connection: Connection, placed: dict[int, tuple[dict[str, Any], ...]], documents: dict[str, int]
) -> None:
    """Store which documents each sample has, and in which order.

    Args:
        placed: entries by sample row; each has a document's hash, position, side, key and title.
        documents: rows of the documents by hash.
    """
    rows = [
        {
            "sample_id": sample_id,
            "document_id": documents[row["sha256"]],
            **{name: row[name] for name in ("ordinal", "side", "key", "title")},
        }
        for sample_id, entries in placed.items()
        for row in entries
    ]
    if rows:
        connection.execute(insert(SAMPLE_DOCUMENTS), rows)


def _add_to_orders(
    connection: Connection, keys: Sequence[SampleKey], rows: Sequence[dict[str, Any]]
) -> None:
    """Add new samples to all queues or, if the dataset is assigned, to its pool of free samples."""
    handed = assigned_datasets(connection)
    first = first_values_by_source(connection, [row["source"] for row in rows])
    newcomers = [
        RankedSample(row["id"], first.setdefault(row["source"], row["id"]), *key)
        for row, key in zip(rows, keys, strict=True)
        if row["dataset_id"] not in handed
    ]
    add_ranks(connection, newcomers)
    for dataset_id in sorted(handed & {row["dataset_id"] for row in rows}):
        mine = [
            (row["id"], row["source"], row["external"])
            for row in rows
            if row["dataset_id"] == dataset_id
        ]
        add_to_pool(connection, dataset_id, mine)
