"""Reads samples with annotators' work: one sample for the screen, or many for exports.

They are built from plain rows, not from ORM objects, because an export of 200,000 annotations
spends most of its time here.
"""

from __future__ import annotations

import json
import logging
from array import array
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Integer, Select, bindparam, column, select, text

from tui_annotate.domain.annotations import annotation_from_json
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.people import Person, PersonKind, base_person
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import (
    Document,
    Sample,
    SampleKey,
    SampleKind,
    Segment,
    Side,
    keep_own_work,
    keep_program_fields,
)
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.blind_datasets import hidden_datasets
from tui_annotate.storage.codec import request_from_json, to_json
from tui_annotate.storage.columns import (
    ANNOTATIONS,
    ASSIGNMENTS,
    DATASETS,
    DOCUMENTS,
    PEOPLE,
    SAMPLE_DOCUMENTS,
    SAMPLES,
    columns_of,
)
from tui_annotate.storage.documents import read_segments, read_text, require_placements
from tui_annotate.storage.log.record_filter import RecordQuery
from tui_annotate.storage.people.store import find_bundle_owner, find_merged_ids, read_merges
from tui_annotate.storage.statements import ROW_IDS, dataset_descriptions

_log = logging.getLogger(__name__)

_PAGE: Final = 100
_CACHED_CHARACTERS: Final = 8_000_000
_TEXT_OVERHEAD: Final = 1_000  # memory of a text in addition to its characters, in characters
_SIDES: Final = {each.value: each for each in Side}
_KINDS: Final = {each.value: each for each in SampleKind}
_ROW_IDS: Final = text(ROW_IDS).columns(column("value", Integer))

_SAMPLE: Final = select(*columns_of(SAMPLES, "id external kind group request meta imported digest"))
_PLACEMENT: Final = select(
    *columns_of(SAMPLE_DOCUMENTS, "sample_id document_id side key title")
).order_by(SAMPLE_DOCUMENTS.c.sample_id, SAMPLE_DOCUMENTS.c.ordinal)

_SAMPLE_BY_KEY: Final = _SAMPLE.join(DATASETS, DATASETS.c.id == SAMPLES.c.dataset_id).where(
    DATASETS.c.name == bindparam("dataset"), SAMPLES.c.external == bindparam("sample")
)
_SAMPLES: Final = _SAMPLE.where(SAMPLES.c.id.in_(_ROW_IDS)).order_by(SAMPLES.c.id)
# Each annotation has an assignment of its annotator.
_WORKED: Final = (
    select(SAMPLES.c.dataset_id, ASSIGNMENTS.c.sample_id)
    .join(SAMPLES, SAMPLES.c.id == ASSIGNMENTS.c.sample_id)
    .distinct()
    .order_by(ASSIGNMENTS.c.sample_id)
)
_PLACEMENTS: Final = _PLACEMENT.where(SAMPLE_DOCUMENTS.c.sample_id.in_(_ROW_IDS))
_TEXTS: Final = select(*columns_of(DOCUMENTS, "id sha256 text language")).where(
    DOCUMENTS.c.id.in_(_ROW_IDS)
)
_DOCUMENTS_OF_SAMPLE: Final = (
    _PLACEMENT.add_columns(*columns_of(DOCUMENTS, "sha256 text language boundaries"))
    .join(DOCUMENTS, DOCUMENTS.c.id == SAMPLE_DOCUMENTS.c.document_id)
    .where(SAMPLE_DOCUMENTS.c.sample_id == bindparam("sample_id"))
)


@dataclass(frozen=True, slots=True)
class StoredSample:
    """A sample with the sentences of each of its documents, in the order of the documents."""

    sample: Sample
    segments: tuple[tuple[Segment, ...], ...]


def read_stored_sample(
    connection: Connection, key: SampleKey, *, seen: Collection[str] | None = None
) -> StoredSample:
    """Return one sample with the segments of its documents; NotFound for an unknown key."""
    row = connection.execute(_SAMPLE_BY_KEY, {"dataset": key.dataset, "sample": key.id}).first()
    if row is None:
        raise NotFound(
            f"there is no sample {key}",
            "list the samples of a dataset with: tui-annotate datasets show DATASET",
        )
    documents = []
    segments = []
    hashes = []
    for _, _, side, name, title, sha256, content, language, boundaries in connection.execute(
        _DOCUMENTS_OF_SAMPLE, {"sample_id": row.id}
    ).all():
        whole = read_text(connection, content, sha256)
        hashes.append((side, sha256))
        documents.append(Document(Side(side), whole, name, title, language))
        segments.append(read_segments(connection, boundaries, sha256, length=len(whole)))
    require_placements(key, hashes, row.digest)
    readable = _find_readable_fields(connection, seen)
    sample = _build_sample(key.dataset, row, documents, readable=readable)
    return StoredSample(sample, tuple(segments))


def stream_records(
    connection: Connection,
    filters: RecordFilter,
    *,
    seen: Collection[str] | None = None,
    worked: bool = False,
) -> Iterator[Record]:
    """Yield samples and annotators' work that match a filter, one dataset after another.

    `seen` has the ids of the people whose work is readable; None for all. `worked` omits samples
    without matching work; filters of work do so in any case. With a filter for a person, samples
    have only the imported comments of this person.
    """
    found = connection.execute(select(PEOPLE.c.id, PEOPLE.c.name, PEOPLE.c.kind))
    people = {row.id: Person(row.id, row.name, PersonKind(row.kind)) for row in found}
    record_query = RecordQuery(filters, people, merges=read_merges(connection), seen=seen)
    documents = _Documents(connection)
    chosen_people = record_query.people if filters.person else None
    readable = _find_readable_fields(connection, seen, chosen_people)
    worked = worked or record_query.narrow
    chosen = _list_worked(connection) if worked else None
    descriptions = dataset_descriptions(connection)
    query = select(DATASETS.c.id, DATASETS.c.name).order_by(DATASETS.c.name)
    if filters.dataset:
        query = query.where(DATASETS.c.name == filters.dataset)
    for dataset_id, dataset in connection.execute(query).all():
        if filters.sample or chosen is None:
            pages = _iterate_pages(connection, dataset_id, filters.sample)
        else:
            pages = _iterate_chosen(connection, chosen[dataset_id])
        for page in pages:
            work = _load_work(connection, [row.id for row in page], record_query)
            kept = [row for row in page if not worked or row.id in work.touched]
            for number, sample in _iterate_samples(dataset, kept, documents, readable=readable):
                record = work.record(number, sample, people)
                about = descriptions.get(dataset)
                yield replace(record, about=about) if about else record


def stream_samples(
    connection: Connection, dataset: str, *, seen: Collection[str] | None = None
) -> Iterator[Sample]:
    """Yield the samples of a dataset in the order of import, without annotations."""
    documents = _Documents(connection)
    readable = _find_readable_fields(connection, seen)
    query = select(DATASETS.c.id).where(DATASETS.c.name == dataset)
    for dataset_id in connection.execute(query).scalars().all():
        for page in _iterate_pages(connection, dataset_id, ""):
            for _, sample in _iterate_samples(dataset, page, documents, readable=readable):
                yield sample


def _iterate_samples(
    dataset: str, page: Sequence[Any], documents: _Documents, *, readable: _ReadableFields
) -> Iterator[tuple[int, Sample]]:
    placed = documents.of([row.id for row in page])
    for row in page:
        if row.id in placed:
            hashes = documents.hashes_of(row.id)
            require_placements(SampleKey(dataset, row.external), hashes, row.digest)
            yield row.id, _build_sample(dataset, row, placed[row.id], readable=readable)
        else:
            # %r escapes control characters, because the log may go to a terminal.
            _log.warning("sample %r is skipped: one of its texts is missing", row.external)


def _iterate_pages(connection: Connection, dataset_id: int, sample: str) -> Iterator[Sequence[Any]]:
    """Yield lists of samples in the order of import, which is that of the imported file."""
    mine = SAMPLES.c.dataset_id == dataset_id
    if sample:
        yield connection.execute(_SAMPLE.where(mine, SAMPLES.c.external == sample)).all()
        return
    query = _SAMPLE.where(mine).order_by(SAMPLES.c.dataset_id, SAMPLES.c.id).limit(_PAGE)
    page: Sequence[Any] = connection.execute(query).all()
    while page:
        yield page
        page = connection.execute(query.where(SAMPLES.c.id > page[-1].id)).all()


def _list_worked(connection: Connection) -> Mapping[int, Sequence[int]]:
    found: dict[int, array[int]] = defaultdict(partial(array, "q"))
    for dataset_id, sample_id in connection.execute(_WORKED):
        found[dataset_id].append(sample_id)
    return found


def _iterate_chosen(connection: Connection, sample_ids: Sequence[int]) -> Iterator[Sequence[Any]]:
    for batch in split_batches(sample_ids, _PAGE):
        yield connection.execute(_SAMPLES, {"rows": to_json(batch)}).all()


def _build_sample(
    dataset: str, row: Any, documents: Sequence[Document], *, readable: _ReadableFields
) -> Sample:
    _, external, kind, group, request, meta, imported, _ = row
    fields = json.loads(meta) if meta else {}
    if readable.comments_of is not None:
        fields = keep_own_work(fields, readable.comments_of)
    if dataset in readable.blind:
        fields = keep_program_fields(fields)
    return Sample(
        dataset,
        external,
        tuple(documents),
        _KINDS[kind],
        group,
        request_from_json(request),
        fields,
        json.loads(imported) if imported and readable.imported else None,
    )


@dataclass(frozen=True, slots=True)
class _ReadableFields:
    """Fields of samples that a reader may read.

    Attributes:
        comments_of: ids of the people whose imported comments are readable; None for all.
        imported: whether the imported record is readable, which may contain anyone's annotations.
        blind: datasets whose metadata may show the reader what is hidden: scores of machines.
    """

    comments_of: Collection[str] | None
    imported: bool
    blind: Collection[str] = ()


def _find_readable_fields(
    connection: Connection, seen: Collection[str] | None, chosen: Collection[str] | None = None
) -> _ReadableFields:
    """Return which fields of samples are readable for people (`seen`; None: everything).

    `chosen` has the people whose work alone is wanted; None for all.
    """
    owner = find_bundle_owner(connection) if seen is None else None
    if owner is not None:
        seen = [owner]  # bundles of older versions contain the comments of all people
    people = seen if chosen is None else chosen
    if people is None:
        return _ReadableFields(None, imported=True)
    authors = find_merged_ids(connection, {base_person(each) for each in people})
    blind = hidden_datasets(connection) if seen is not None else ()
    return _ReadableFields(authors, imported=seen is None, blind=blind)


class _Documents:
    """The documents of samples; a text that many samples share is read and decoded once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._texts: OrderedDict[int, tuple[str, str, str]] = OrderedDict()
        self._hashes: dict[int, list[tuple[str, str]]] = {}
        self._built: dict[tuple[Any, ...], Document] = {}
        self._characters = 0

    def of(self, sample_ids: Sequence[int]) -> dict[int, list[Document]]:
        """Return each sample's documents in order; a sample with a missing text is omitted."""
        rows = self._connection.execute(_PLACEMENTS, {"rows": to_json(sample_ids)}).all()
        self._load_texts({row[1] for row in rows})
        placed: dict[int, list[Document]] = {sample_id: [] for sample_id in sample_ids}
        self._hashes = {sample_id: [] for sample_id in sample_ids}
        for sample_id, *place in rows:
            if place[0] in self._texts:
                self._hashes[sample_id].append((place[1], self._texts[place[0]][2]))
                placed.get(sample_id, []).append(self._build_document(tuple(place)))
            else:
                placed.pop(sample_id, None)
        return placed

    def hashes_of(self, sample_id: int) -> Sequence[tuple[str, str]]:
        """Return side and hash of each document of a sample of the last call of `of`, in order."""
        return self._hashes[sample_id]

    def _load_texts(self, wanted: set[int]) -> None:
        if self._characters > _CACHED_CHARACTERS:
            self._texts.clear()
            self._built.clear()
            self._characters = 0
        missing = wanted - self._texts.keys()
        if not missing:
            return
        rows = self._connection.execute(_TEXTS, {"rows": to_json(list(missing))})
        for document_id, sha256, content, language in rows:
            whole = read_text(self._connection, content, sha256)
            self._texts[document_id] = (whole, language, sha256)
            self._characters += len(content) + _TEXT_OVERHEAD

    def _build_document(self, place: tuple[Any, ...]) -> Document:
        built = self._built.get(place)
        if built is None:
            document_id, side, key, title = place
            text, language, _ = self._texts[document_id]
            built = self._built[place] = Document(_SIDES[side], text, key, title, language)
        return built


@dataclass(slots=True)
class _PageWork:
    annotations: dict[int, list[OwnedAnnotation]]
    assignments: dict[int, list[Assignment]]
    by_annotation: bool

    @property
    def touched(self) -> set[int]:
        """Row ids of the samples on which someone's work matches the filter."""
        if self.by_annotation:
            return set(self.annotations)
        return self.annotations.keys() | self.assignments.keys()

    def record(self, sample_id: int, sample: Sample, people: dict[str, Person]) -> Record:
        annotations = sorted(self.annotations.get(sample_id, ()), key=_reading_order_key)
        assignments = self.assignments.get(sample_id, ())
        named = {each.person for each in (*annotations, *assignments)}
        workers = tuple(people[person] for person in sorted(named))
        return Record(sample, tuple(annotations), tuple(assignments), workers)


def _reading_order_key(owned: OwnedAnnotation) -> Any:
    annotation = owned.annotation
    anchors = annotation.claim or annotation.evidence
    places = [(anchor.index, anchor.span.start, anchor.span.end) for anchor in anchors]
    return not annotation.claim, places, annotation.id


def _load_work(
    connection: Connection, sample_ids: Sequence[int], record_query: RecordQuery
) -> _PageWork:
    annotations: dict[int, list[OwnedAnnotation]] = defaultdict(list)
    assignments: dict[int, list[Assignment]] = defaultdict(list)
    states = {}
    rows = {"rows": to_json(sample_ids)}
    query = _restrict(_ASSIGNMENT, record_query).order_by(ASSIGNMENTS.c.person)
    for sample_id, person, state, *rest in connection.execute(query, rows):
        states[sample_id, person] = state
        if record_query.assignment(person, state, rest[-1]):
            assignments[sample_id].append(Assignment(person, State(state), *rest))
    found = connection.execute(_restrict(_ANNOTATION, record_query), rows).all()
    kept = [row for row in found if record_query.state(states[row[0], row[1]])]
    # One JSON text: separate calls of the decoder would cost as much as the decoding itself.
    payloads = json.loads(f"[{','.join([row[2] for row in kept])}]")
    for (sample_id, person, _), payload in zip(kept, payloads, strict=True):
        annotation = annotation_from_json(payload)
        if record_query.annotation(annotation):
            annotations[sample_id].append(OwnedAnnotation(person, annotation))
    return _PageWork(annotations, assignments, record_query.by_annotation)


_ASSIGNMENT: Final = select(
    *columns_of(ASSIGNMENTS, "sample_id person state rating comment seconds updated")
)
_ANNOTATION: Final = select(*columns_of(ANNOTATIONS, "sample_id person payload"))


def _restrict(query: Select[Any], record_query: RecordQuery) -> Select[Any]:
    table = query.columns_clause_froms[0]
    return query.where(table.c.sample_id.in_(_ROW_IDS), record_query.condition(table))
