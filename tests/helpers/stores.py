"""Real stores in a folder of the test, and small samples to put into them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.util import LRUCache

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.samples import Document, Sample, SampleKey, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.storage import sqlite_database as databases
from tui_annotate.storage.corpus.store import CorpusStore, NewSample
from tui_annotate.storage.database import Database
from tui_annotate.storage.items import ItemStore
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.queue import QueueStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

SEGMENTER = "halves"
LABELS = """\
- {name: Wrong, evidence: required}
- {name: Odd, note: required}
- Fine
- {name: Alone, exclusive: true}
"""
SOURCE = "The bridge opened in 1932. It cost 12 million pounds."
SUMMARY = "The bridge cost 15 million pounds and was loved."


_CREATED = databases._create_tables
_CONNECT = databases._connect


@cache
def _statements() -> tuple[str, ...]:
    """What makes an empty file what Alembic makes of it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite"
        path.touch()
        with closing(SqliteDatabase(path)) as database:
            _CREATED(database)
        with closing(sqlite3.connect(path)) as connection:
            return tuple(connection.iterdump())[1:-1]  # without BEGIN and COMMIT


def create_schema(database: Database, fill: Callable[[Connection], object] | None = None) -> None:
    """Make the tables of a new store in a twentieth of the time that Alembic takes."""
    with database.writing() as connection:
        for statement in _statements():
            connection.exec_driver_sql(statement)
        if fill is not None:
            fill(connection)


def connect_unsynced(path: Path, access: databases._Access) -> sqlite3.Connection:
    """Open a connection that writes without waiting for the disk: no test switches off power."""
    connection = _CONNECT(path, access)
    connection.execute("PRAGMA synchronous=OFF")
    return connection


def sharing_engines() -> Callable[..., Engine]:
    """Return a function like `create_engine` whose engines share their compiled statements.

    The key of a compiled statement has the dialect, so that the engines share this too. It does not
    change after the first connection, which asks SQLite for its version and its defaults.
    """
    first = create_engine("sqlite://")
    first.connect().close()
    compiled = LRUCache[Any, Any](2000)

    def create(*arguments: Any, **options: Any) -> Engine:
        engine = create_engine(*arguments, **options)
        engine.dialect = first.dialect
        engine.update_execution_options(compiled_cache=compiled)
        return engine

    return create


@cache
def _empty_store() -> bytes:
    """A new store as it lies on the disk; made once, as Alembic takes its time."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite"
        SqliteDatabase.create(path).close()
        return path.read_bytes()


def new_database(folder: Path) -> SqliteDatabase:
    """An open, empty store in a folder."""
    path = folder / "store.sqlite"
    path.write_bytes(_empty_store())
    return SqliteDatabase.open(path)


def halves(text: str) -> tuple[Segment, ...]:
    """Two segments that join to a text; one for a single character, none for none."""
    middle = len(text) // 2
    return tuple(
        Segment(start, end) for start, end in ((0, middle), (middle, len(text))) if start < end
    )


def sample(
    name: str, *, dataset: str = "d", source: str = SOURCE, summary: str = SUMMARY
) -> Sample:
    """A pair."""
    documents = (Document(Side.SOURCE, source), Document(Side.SUMMARY, summary))
    return Sample(dataset, name, documents)


def new(made: Sample) -> NewSample:
    """A sample with segments, as ingest hands it over."""
    return NewSample(made, tuple(halves(document.text) for document in made.documents))


def fill(corpus: CorpusStore, *names: str, dataset: str = "d") -> list[SampleKey]:
    """Stores pairs with these ids, each with a summary of its own, all with one source."""
    made = [sample(name, dataset=dataset, summary=f"{SUMMARY} {name}") for name in names]
    corpus.add([new(each) for each in made], segmenter=SEGMENTER)
    return [each.key for each in made]


def ids(corpus: CorpusStore) -> list[str]:
    """The ids of all samples, as they came."""
    keys = corpus.keys()
    return [key.id for key in keys]


def annotate(
    database: Database, *, labels: str = LABELS, ratings: tuple[str, ...] = ()
) -> AnnotationService:
    """The deeds over a store, with a label set."""
    guidance = GuidanceStore(database)
    if labels:
        guidance.keep(GuidanceKind.LABELS, labels)
    return AnnotationService(
        CorpusStore(database),
        AnnotationStore(database),
        PeopleStore(database),
        QueueStore(database),
        guidance,
        ItemStore(database),
        ratings,
    )


def claim(
    name: str, start: int = 16, end: int = 33, *, label: str = "Fine", note: str = ""
) -> Annotation:
    """An annotation of a part of the summary, as the screen makes it."""
    labels = ((label,),) if label else ()
    return Annotation(name, (Anchor(Side.SUMMARY, 0, Span(start, end)),), (), labels, note)
