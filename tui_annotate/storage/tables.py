"""The tables of the store as SQLModel rows: their columns and keys only; no query stands here.

What counts is the log (`events`); `annotations`, `assignments`, `tombstones` and `tallies` cache
it. JSON is stored as text, written by `storage.codec`. A document's text is UTF-8 in a BLOB, so
that NUL survives. The log names people and samples by their own names, not by row, so that it
outlives them.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import Index, LargeBinary, MetaData, UniqueConstraint, text
from sqlmodel import Field, SQLModel

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
_NO_ROWID = {"sqlite_with_rowid": False}


class _Row(SQLModel):
    """What all tables share: names for keys and indexes, so that migrations find them."""

    metadata: ClassVar[MetaData] = MetaData(naming_convention=_NAMES)


class PersonRow(_Row, table=True):
    """A person; `kind` is a `PersonKind`."""

    __tablename__ = "people"
    __table_args__ = (Index(None, "kind", "name"),)
    id: str = Field(primary_key=True)
    name: str
    kind: str
    created: str


class TextRow(_Row, table=True):
    """A version of a label set or of guidelines, as `kind` says, whole, by its hash."""

    __tablename__ = "texts"
    __table_args__ = (_NO_ROWID,)
    kind: str = Field(primary_key=True)
    hash: str = Field(primary_key=True)
    text: str
    created: str


class DatasetRow(_Row, table=True):
    """A dataset; an empty `labels` or `guidelines` falls back to the workspace's."""

    __tablename__ = "datasets"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    labels: str = ""
    guidelines: str = ""
    created: str


class DocumentRow(_Row, table=True):
    """A text with its segments; `boundaries` are their ends, packed (see `storage.codec`)."""

    __tablename__ = "documents"
    id: int | None = Field(default=None, primary_key=True)
    sha256: str = Field(unique=True)
    language: str
    segmenter: str
    segments: int
    boundaries: bytes = Field(sa_type=LargeBinary)
    text: bytes = Field(sa_type=LargeBinary)


class SampleRow(_Row, table=True):
    """A sample; `id` is its place in order of arrival, `summary` the start of its summary."""

    __tablename__ = "samples"
    __table_args__ = (UniqueConstraint("dataset_id", "external"),)
    id: int | None = Field(default=None, primary_key=True)
    dataset_id: int = Field(foreign_key="datasets.id", index=True)
    external: str = Field(index=True)
    kind: str
    group: str
    digest: str
    source: str = Field(index=True)
    summary: str
    request: str
    meta: str
    imported: str


class SampleDocumentRow(_Row, table=True):
    """A document of a sample; `ordinal` counts over both sides."""

    __tablename__ = "sample_documents"
    __table_args__ = (_NO_ROWID,)
    sample_id: int = Field(primary_key=True, foreign_key="samples.id", ondelete="CASCADE")
    ordinal: int = Field(primary_key=True)
    document_id: int = Field(foreign_key="documents.id", index=True)
    side: str
    key: str
    title: str


class AnnotationRow(_Row, table=True):
    """An annotation as it stands; `payload` is its JSON, the rest is there to be searched."""

    __tablename__ = "annotations"
    __table_args__ = (Index(None, "sample_id", "person"), Index(None, "person", "note"))
    id: str = Field(primary_key=True)
    person: str = Field(foreign_key="people.id")
    sample_id: int = Field(foreign_key="samples.id", ondelete="CASCADE")
    number: int = Field(unique=True)
    origin: str
    note: str
    updated: str
    payload: str


class TombstoneRow(_Row, table=True):
    """An annotation that was removed: no import brings it back."""

    __tablename__ = "tombstones"
    __table_args__ = (_NO_ROWID,)
    id: str = Field(primary_key=True)
    dataset: str = Field(index=True)


class AssignmentRow(_Row, table=True):
    """One person's work on one sample, and the head of its stream in the log."""

    __tablename__ = "assignments"
    __table_args__ = (_NO_ROWID,)
    person: str = Field(primary_key=True, foreign_key="people.id")
    sample_id: int = Field(
        primary_key=True, foreign_key="samples.id", ondelete="CASCADE", index=True
    )
    state: str
    finished: bool
    rating: str
    comment: str
    seconds: float
    updated: str
    annotations: int
    seq: int
    head: str


class EventRow(_Row, table=True):
    """An event of the log; `arrival` orders all. The store refuses to change or drop one."""

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("person", "dataset", "sample", "seq"),
        Index("ix_events_deeds", "person", "arrival", sqlite_where=text("verb <> 'read'")),
        Index("ix_events_batch", "batch", sqlite_where=text("batch <> ''")),
    )
    arrival: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    person: str
    dataset: str
    sample: str
    seq: int
    verb: str
    before: str
    after: str
    undoes: str
    batch: str
    at: str
    seconds: float
    versions: str
    app: str
    prev: str
    hash: str


class OrderRow(_Row, table=True):
    """An order of the queue; samples from `filled` to `until` have no rank in it yet."""

    __tablename__ = "orders"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    filled: int = 0
    until: int = 0


class RankRow(_Row, table=True):
    """Where a sample stands in an order; `bucket` grows with `value`, for counting in steps."""

    __tablename__ = "ranks"
    __table_args__ = (_NO_ROWID,)
    order_id: int = Field(primary_key=True, foreign_key="orders.id")
    bucket: int = Field(primary_key=True)
    value: int = Field(primary_key=True)
    sample_id: int = Field(
        primary_key=True, foreign_key="samples.id", ondelete="CASCADE", index=True
    )


class TallyRow(_Row, table=True):
    """How many samples of a bucket there are, or how many of them a person has finished."""

    __tablename__ = "tallies"
    __table_args__ = (_NO_ROWID,)
    order_id: int = Field(primary_key=True, foreign_key="orders.id")
    person: str = Field(primary_key=True)
    bucket: int = Field(primary_key=True)
    count: int


class EmbeddedRow(_Row, table=True):
    """A document whose vectors are in a table of LanceDB; it may outlive the document."""

    __tablename__ = "embedded"
    __table_args__ = (_NO_ROWID,)
    vectors: str = Field(primary_key=True)
    sha256: str = Field(primary_key=True)


class VectorSetRow(_Row, table=True):
    """The vectors that one embedder made; the setting `vectors` names the set in use.

    `loose` says that its table was written to and not put in order yet. Of a set that is older than
    this table, version and segmenter are empty, and dimensions 0, until its embedder is loaded.
    """

    __tablename__ = "vector_sets"
    __table_args__ = (_NO_ROWID,)
    vectors: str = Field(primary_key=True)
    embedder: str
    label: str
    version: str
    segmenter: str
    dimensions: int
    token_dimensions: int
    instant: bool
    base_url: str
    asked_dimensions: int
    loose: bool
    created: str


class SettingRow(_Row, table=True):
    """A fact about the workspace that is not for people to edit."""

    __tablename__ = "settings"
    __table_args__ = (_NO_ROWID,)
    name: str = Field(primary_key=True)
    value: str


class PlaceRow(_Row, table=True):
    """Where a person was in a sample: JSON, understood by the screen alone."""

    __tablename__ = "places"
    __table_args__ = (Index(None, "person", "updated"), _NO_ROWID)
    person: str = Field(primary_key=True, foreign_key="people.id")
    sample_id: int = Field(
        primary_key=True, foreign_key="samples.id", ondelete="CASCADE", index=True
    )
    value: str
    updated: str


class PreferenceRow(_Row, table=True):
    """What a person chose: keys, theme, layout; JSON."""

    __tablename__ = "preferences"
    __table_args__ = (_NO_ROWID,)
    person: str = Field(primary_key=True, foreign_key="people.id")
    name: str = Field(primary_key=True)
    value: str


METADATA = _Row.metadata
