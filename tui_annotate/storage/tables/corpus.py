"""What is annotated: datasets with their texts, in what order, and what was made of them."""

from __future__ import annotations

from sqlalchemy import Index, LargeBinary, UniqueConstraint, false
from sqlmodel import Field

from tui_annotate.storage.tables.row import NO_ROWID, Row


class TextRow(Row, table=True):
    """A version of a label set or of guidelines, as `kind` says, whole, by its hash."""

    __tablename__ = "texts"
    __table_args__ = (NO_ROWID,)
    kind: str = Field(primary_key=True)
    hash: str = Field(primary_key=True)
    text: str
    created: str


class EditionRow(Row, table=True):
    """When a version of a label set or of guidelines came into force, and by whom.

    An empty `dataset` is the workspace; an empty `by` whoever owns the store.
    """

    __tablename__ = "editions"
    __table_args__ = (Index(None, "kind", "dataset"),)
    id: int | None = Field(default=None, primary_key=True)
    kind: str
    dataset: str
    hash: str
    at: str
    by: str


class LabelChangeRow(Row, table=True):
    """A change of a label set, with the work that went along; newer ones have larger ids.

    `kind` and `request`, which is JSON, are those of `storage.label_changes`; an empty `dataset` is
    the workspace; `before` and `after` are hashes, empty for the workspace's own set in a dataset.
    The events of `batch` came behind the one with `arrival`. `undone` is the id of the change that
    took this one back, 0 while it stands.
    """

    __tablename__ = "label_changes"
    id: int | None = Field(default=None, primary_key=True)
    dataset: str
    kind: str
    request: str
    before: str
    after: str
    batch: str
    arrival: int
    undone: int
    at: str
    by: str


class DatasetRow(Row, table=True):
    """A dataset; an empty `labels` or `guidelines` falls back to the workspace's."""

    __tablename__ = "datasets"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    labels: str = ""
    guidelines: str = ""
    created: str


class DatasetSettingRow(Row, table=True):
    """How a dataset is worked on: overlap, escalation, practice; JSON."""

    __tablename__ = "dataset_settings"
    __table_args__ = (NO_ROWID,)
    dataset_id: int = Field(primary_key=True, foreign_key="datasets.id", ondelete="CASCADE")
    name: str = Field(primary_key=True)
    value: str


class DocumentRow(Row, table=True):
    """A text with its segments; `boundaries` are their ends, packed (see `storage.codec`)."""

    __tablename__ = "documents"
    id: int | None = Field(default=None, primary_key=True)
    sha256: str = Field(unique=True)
    language: str
    segmenter: str
    segments: int
    boundaries: bytes = Field(sa_type=LargeBinary)
    text: bytes = Field(sa_type=LargeBinary)


class SampleRow(Row, table=True):
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


class SampleDocumentRow(Row, table=True):
    """A document of a sample; `ordinal` counts over both sides."""

    __tablename__ = "sample_documents"
    __table_args__ = (NO_ROWID,)
    sample_id: int = Field(primary_key=True, foreign_key="samples.id", ondelete="CASCADE")
    ordinal: int = Field(primary_key=True)
    document_id: int = Field(foreign_key="documents.id", index=True)
    side: str
    key: str
    title: str


class OrderRow(Row, table=True):
    """An order of the queue; samples from `filled` to `until` have no rank in it yet."""

    __tablename__ = "orders"
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    filled: int = 0
    until: int = 0


class RankRow(Row, table=True):
    """Where a sample stands in an order; `bucket` grows with `value`, for counting in steps."""

    __tablename__ = "ranks"
    __table_args__ = (NO_ROWID,)
    order_id: int = Field(primary_key=True, foreign_key="orders.id")
    bucket: int = Field(primary_key=True)
    value: int = Field(primary_key=True)
    sample_id: int = Field(
        primary_key=True, foreign_key="samples.id", ondelete="CASCADE", index=True
    )


class EmbeddedRow(Row, table=True):
    """A document whose vectors are in a table of LanceDB; it may outlive the document.

    `unknown` says that the model knows too little of it, so that words alone rank it.
    """

    __tablename__ = "embedded"
    __table_args__ = (NO_ROWID,)
    vectors: str = Field(primary_key=True)
    sha256: str = Field(primary_key=True)
    unknown: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class VectorSetRow(Row, table=True):
    """The vectors that one embedder made; the setting `vectors` names the set in use.

    `loose` says that its table was written to and not put in order yet. Of a set that is older than
    this table, version and segmenter are empty, and dimensions 0, until its embedder is loaded.
    """

    __tablename__ = "vector_sets"
    __table_args__ = (NO_ROWID,)
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


class SettingRow(Row, table=True):
    """A fact about the workspace that is not for people to edit."""

    __tablename__ = "settings"
    __table_args__ = (NO_ROWID,)
    name: str = Field(primary_key=True)
    value: str
