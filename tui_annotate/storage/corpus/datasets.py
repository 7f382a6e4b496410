"""Datasets as wholes: their figures, and samples exchanged or taken out without orphaned work."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, func, select, text, update

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict, NotFound
from tui_annotate.domain.history import DISCARD, Action, Change, Event
from tui_annotate.domain.nouns import many
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.columns import (
    ASSIGNMENTS,
    DATASETS,
    DOCUMENTS,
    PLACES,
    SAMPLE_DOCUMENTS,
    SAMPLES,
    TOMBSTONES,
)
from tui_annotate.storage.corpus import intake
from tui_annotate.storage.database import Database
from tui_annotate.storage.ranks import remove_ranks
from tui_annotate.storage.scores.changed import unsay_changed
from tui_annotate.storage.shares.pool_rooms import leave
from tui_annotate.storage.statements import sample_row, worked_on
from tui_annotate.storage.work.log import Log

_BATCH: Final = 15
"""Samples of one transaction of a removal: about 65 ms with the lock held, with work on them."""

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
""").bindparams(bindparam("seen", expanding=True))
_PROGRESS: Final = text("""
    SELECT d.name, p.id, p.name, sum(a.annotations), sum(a.state = 'done'),
      sum(a.state = 'skipped'), sum(a.state = 'flagged'),
      sum(a.state IN ('draft', 'reopened')), sum(a.seconds)
    FROM assignments a JOIN samples s ON s.id = a.sample_id
      JOIN datasets d ON d.id = s.dataset_id JOIN people p ON p.id = a.person
    WHERE p.id <> :settled AND (:everybody OR a.person IN :seen)
    GROUP BY d.id, p.id ORDER BY d.name, p.name, p.id
""").bindparams(bindparam("seen", expanding=True))


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """Figures of a dataset and of people's own work; a text that several samples share counts once.

    Attributes:
        done: assignments that are done, over all people.
    """

    name: str
    samples: int
    documents: int
    segments: int
    annotations: int
    done: int
    created: str


@dataclass(frozen=True, slots=True)
class Progress:
    """What one person did in one dataset; `open` counts samples that are begun or reopened."""

    dataset: str
    person: str
    name: str
    annotations: int
    done: int
    skipped: int
    flagged: int
    open: int
    seconds: float


def infos(connection: Connection, seen: Sequence[str] | None = None) -> list[DatasetInfo]:
    """All datasets by name; work of those alone who may be seen, None for everybody's."""
    return [DatasetInfo(*row) for row in connection.execute(_INFOS, _of(seen))]


def progress(connection: Connection, seen: Sequence[str] | None = None) -> list[Progress]:
    """By dataset, then person; only where something was done. `seen` as for `infos`."""
    return [Progress(*row) for row in connection.execute(_PROGRESS, _of(seen))]


def _of(seen: Sequence[str] | None) -> dict[str, Any]:
    return {"settled": SETTLED, "everybody": seen is None, "seen": list(seen or ())}


def totals(connection: Connection) -> tuple[int, int, int]:
    """Samples, documents and segments of the whole store."""
    samples = connection.execute(select(func.count()).select_from(SAMPLES)).scalar_one()
    query = select(func.count(), func.coalesce(func.sum(DOCUMENTS.c.segments), 0))
    documents, segments = connection.execute(query.select_from(DOCUMENTS)).one()
    return samples, documents, segments


def remove(database: Database, dataset: str, *, with_annotations: bool) -> int:
    """Takes out a dataset; in short transactions, so that doing it again ends one that was killed.

    Returns:
        How many samples were taken out.

    Raises:
        NotFound: there is no such dataset.
        Conflict: people worked on it, and `with_annotations` is False.
    """
    with database.reading() as connection:
        row = connection.execute(select(DATASETS.c.id).where(DATASETS.c.name == dataset)).first()
        if row is None:
            raise NotFound(f"there is no dataset {dataset!r}", "see: tui-annotate dataset list")
        mine = select(SAMPLES.c.external).where(SAMPLES.c.dataset_id == row[0])
        keys = [SampleKey(dataset, name) for name in connection.execute(mine).scalars()]
        if not with_annotations:
            _refuse_worked_on(connection, f"dataset {dataset!r}", SAMPLES.c.dataset_id == row[0])
    remove_samples(database, keys, with_annotations=with_annotations)
    with database.writing() as connection:
        connection.execute(delete(TOMBSTONES).where(TOMBSTONES.c.dataset == dataset))
        empty = ~select(SAMPLES.c.id).where(SAMPLES.c.dataset_id == DATASETS.c.id).exists()
        connection.execute(delete(DATASETS).where(DATASETS.c.name == dataset, empty))
    return len(keys)


def remove_samples(
    database: Database, keys: Sequence[SampleKey], *, with_annotations: bool
) -> None:
    """Takes out some samples, in short transactions; those that are not there do not matter.

    Raises:
        Conflict: people worked on one of them, and `with_annotations` is False.
    """
    for start in range(0, len(keys), _BATCH):
        with database.writing() as connection:
            for key in keys[start : start + _BATCH]:
                _take_out(connection, key, with_annotations=with_annotations)


def _refuse_worked_on(connection: Connection, what: str, condition: Any) -> None:
    query = (
        select(func.count(), func.coalesce(func.sum(ASSIGNMENTS.c.annotations), 0))
        .join(SAMPLES, SAMPLES.c.id == ASSIGNMENTS.c.sample_id)
        .where(condition, text(worked_on("assignments")))
    )
    assignments, annotations = connection.execute(query).one()
    if assignments:
        raise Conflict(
            f"{what} holds work of people: {many(annotations, 'annotation')}, "
            f"{many(assignments, 'assignment')}",
            "export it first; to drop it as well, add --with-annotations",
        )


def _take_out(connection: Connection, key: SampleKey, *, with_annotations: bool) -> None:
    try:
        sample_id = sample_row(connection, key)
    except NotFound:
        return  # another process was quicker
    _end_work(connection, key, sample_id, with_annotations=with_annotations)
    documents = _documents_of(connection, sample_id)
    remove_ranks(connection, [sample_id])
    leave(connection, sample_id)
    connection.execute(delete(SAMPLES).where(SAMPLES.c.id == sample_id))
    _drop_unused(connection, documents)


def _end_work(
    connection: Connection, key: SampleKey, sample_id: int, *, with_annotations: bool
) -> None:
    """Says in every stream of a sample that its work is gone; time alone is no work."""
    if not with_annotations:
        _refuse_worked_on(connection, f"sample {key}", SAMPLES.c.id == sample_id)
    log = Log(connection)
    query = select(ASSIGNMENTS.c.person).where(ASSIGNMENTS.c.sample_id == sample_id)
    for person in connection.execute(query).scalars().all():
        stream = log.stream(person, key)
        annotations, answers = stream.state.annotations, stream.state.suggestions
        fresh = {"state": State.NEW.value, "rating": "", "comment": ""}
        action = Action(
            DISCARD,
            Change(annotations, stream.state.assignment, answers),
            Change(dict.fromkeys(annotations), fresh, dict.fromkeys(answers)),
        )
        log.append(stream, Event(str(uuid.uuid4()), 0, person, *key, action, at=utc_now()))
    connection.execute(delete(PLACES).where(PLACES.c.sample_id == sample_id))


def _documents_of(connection: Connection, sample_id: int) -> list[int]:
    query = select(SAMPLE_DOCUMENTS.c.document_id)
    found = connection.execute(query.where(SAMPLE_DOCUMENTS.c.sample_id == sample_id))
    return list(found.scalars())


def _drop_unused(connection: Connection, documents: Sequence[int]) -> None:
    used = select(SAMPLE_DOCUMENTS.c.document_id).where(
        SAMPLE_DOCUMENTS.c.document_id == DOCUMENTS.c.id
    )
    unused = delete(DOCUMENTS).where(DOCUMENTS.c.id.in_(documents), ~used.exists())
    connection.execute(unused)


def exchange(
    connection: Connection, prepared: intake.Prepared, *, with_annotations: bool
) -> tuple[int, int]:
    """Gives stored samples the texts and fields of a batch, and adds what is new.

    A sample keeps its places in the orders. Work on a sample whose texts stay is kept; what
    machines said of one that changes is not.

    Returns:
        How many samples got other texts, and how many were added.

    Raises:
        Conflict: people worked on a sample that would get other texts, and `with_annotations` is
            False.
    """
    known = intake.known_digests(connection, prepared.keys)
    documents = intake.keep_documents(connection, prepared)
    stored = {
        place: sample_row(connection, key)
        for place, key in enumerate(prepared.keys)
        if key in known
    }
    unsay_changed(connection, {row: prepared.samples[place] for place, row in stored.items()})
    replaced: list[int] = []
    changed = 0
    for place, sample_id in stored.items():
        key = prepared.keys[place]
        row = prepared.samples[place]
        if known[key] != row["digest"]:
            changed += 1
            _end_work(connection, key, sample_id, with_annotations=with_annotations)
        replaced += _documents_of(connection, sample_id)
        mine = SAMPLE_DOCUMENTS.c.sample_id == sample_id
        connection.execute(delete(SAMPLE_DOCUMENTS).where(mine))
        intake.place_documents(connection, {sample_id: prepared.placed[place]}, documents)
        connection.execute(update(SAMPLES).where(SAMPLES.c.id == sample_id).values(row))
    intake.write(connection, prepared, utc_now())
    _drop_unused(connection, replaced)
    return changed, len(set(prepared.keys) - known.keys())
