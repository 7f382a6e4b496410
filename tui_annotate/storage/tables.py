"""The tables of a workspace's database as SQLModel classes, with their columns and keys.

The event log (`events`) is the source of truth; `annotations`, `assignments`, `answers`,
`tombstones` and `tallies` are derived from it. JSON is stored as text, written by `storage.codec`.
The text of a document is UTF-8 in a BLOB, so that NUL is possible. The event log refers to people
and samples by id and key, not by row, so that its events outlive removed samples.

The tables have the same names and columns in SQLite and in PostgreSQL. There, whole numbers have 64
bits and texts are ordered by code points, as in SQLite.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from sqlalchemy import (
    BigInteger,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    UniqueConstraint,
    false,
    text,
)
from sqlmodel import AutoString, Field, SQLModel

_NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
NO_ROWID: Final = {"sqlite_with_rowid": False}


def _partial_index(name: str, *columns: str, only: str) -> Index:
    """Return an index of the rows for which an SQL condition is true."""
    condition = text(only)
    return Index(name, *columns, sqlite_where=condition, postgresql_where=condition)


class Row(SQLModel):
    """Base class of table rows; other packages that use SQLModel do not share its metadata.

    Keys and indexes are named by a convention, so that migrations find them. A table has no rowid
    unless the class defines its own `__table_args__`.
    """

    metadata: ClassVar[MetaData] = MetaData(naming_convention=_NAMES)
    __table_args__: ClassVar[Any] = (NO_ROWID,)


def _sample_key() -> Any:
    return Field(primary_key=True, foreign_key="samples.id", ondelete="CASCADE", index=True)


# work: the log, what caches it, and what is assigned ---------------------------------------------


class AnnotationRow(Row, table=True):
    """A current annotation; `payload` is its JSON, the other columns are for searching."""

    __tablename__ = "annotations"
    __table_args__ = (
        Index(None, "sample_id", "person"),
        # In PostgreSQL, a row of an index has at most 2,700 bytes, and a note may have more.
        Index("ix_annotations_person_note", "person", "note").ddl_if(dialect="sqlite"),
        Index("ix_annotations_person_start_of_note", "person", text("left(note, 500)")).ddl_if(
            dialect="postgresql"
        ),
    )
    id: str = Field(primary_key=True)
    person: str = Field(foreign_key="people.id")
    sample_id: int = Field(foreign_key="samples.id", ondelete="CASCADE")
    number: int = Field(unique=True)
    origin: str
    note: str
    updated: str
    payload: str


class TombstoneRow(Row, table=True):
    """Id of a removed annotation, so that no import adds the annotation again."""

    __tablename__ = "tombstones"
    id: str = Field(primary_key=True)
    dataset: str = Field(index=True)


class AssignmentRow(Row, table=True):
    """One person's work on one sample, and the hash of the last event about it."""

    __tablename__ = "assignments"
    person: str = Field(primary_key=True, foreign_key="people.id")
    sample_id: int = _sample_key()
    state: str
    finished: bool
    rating: str
    comment: str
    seconds: float
    updated: str
    annotations: int
    seq: int
    head: str


class EventRow(Row, table=True):
    """An event of the event log; `arrival` orders all events, and triggers refuse any change."""

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("person", "dataset", "sample", "seq"),
        _partial_index("ix_events_deeds", "person", "arrival", only="verb <> 'read'"),
        _partial_index("ix_events_batch", "batch", only="batch <> ''"),
        Index("ix_events_hours", "person", "dataset", "at", "seconds"),
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


class SampleCountRow(Row, table=True):
    """Number of all samples, or of a person's completed samples, in a range of a queue."""

    __tablename__ = "tallies"
    order_id: int = Field(primary_key=True, foreign_key="orders.id")
    person: str = Field(primary_key=True)
    bucket: int = Field(primary_key=True)
    count: int


class HandoutRow(Row, table=True):
    """An assignment of samples: one action of an admin, or a rule that assigns samples over time.

    `kind` and `request`, which is JSON, are those of `domain.assignment_rules`. An empty `dataset`
    means several datasets. `undone` is empty until the assignment is undone.
    """

    __tablename__ = "handouts"
    __table_args__ = ()
    id: int | None = Field(default=None, primary_key=True)
    at: str
    by: str
    kind: str
    dataset: str
    request: str
    undone: str


class AllotmentRow(Row, table=True):
    """A sample assigned to an annotator; `rank` is its sort value in the annotator's queue."""

    __tablename__ = "allotments"
    __table_args__ = (Index(None, "handout", "person", "rank"), NO_ROWID)
    person: str = Field(primary_key=True, foreign_key="people.id")
    sample_id: int = _sample_key()
    rank: int
    handout: int = Field(foreign_key="handouts.id")
    practice: bool


class PoolRow(Row, table=True):
    """A sample that annotators can take from a pool; `room` is the number of its free slots."""

    __tablename__ = "pool"
    __table_args__ = (
        _partial_index("ix_pool_open", "dataset_id", "value", "sample_id", only="room > 0"),
        NO_ROWID,
    )
    sample_id: int = Field(primary_key=True, foreign_key="samples.id", ondelete="CASCADE")
    dataset_id: int = Field(foreign_key="datasets.id", ondelete="CASCADE")
    value: int
    room: int


class PoolCountRow(Row, table=True):
    """Number of samples with free slots in a pool: all of them, or those assigned to a person."""

    __tablename__ = "pool_counts"
    dataset_id: int = Field(primary_key=True, foreign_key="datasets.id", ondelete="CASCADE")
    person: str = Field(primary_key=True)
    count: int


class RemarkRow(Row, table=True):
    """A comment from one person to others on a sample, or an announcement if `sample` is empty.

    `reader` is a person's id, `all`, `reviewers`, or `reviewers:ID` for a question about the
    annotation with this id. `answers` is the id of the first comment of the
    thread, empty for that comment itself.
    """

    __tablename__ = "remarks"
    __table_args__ = (Index(None, "dataset", "sample"), Index(None, "reader", "at"), NO_ROWID)
    id: str = Field(primary_key=True)
    dataset: str
    sample: str
    author: str
    reader: str
    answers: str
    text: str
    at: str


# people and their accounts -----------------------------------------------------------------------


class PersonRow(Row, table=True):
    """A person whose work is stored; `kind` is the value of a `PersonKind`."""

    __tablename__ = "people"
    __table_args__ = (Index(None, "kind", "name"),)
    id: str = Field(primary_key=True)
    name: str
    kind: str
    created: str


class AccountRow(Row, table=True):
    """A person's account for signing in; `hash` is empty until the first password is set.

    `email` is in lower case. `epoch` grows with each change that ends all sessions. `unix` is the
    name of a user of this machine, empty for none.
    """

    __tablename__ = "accounts"
    person: str = Field(primary_key=True, foreign_key="people.id")
    email: str = Field(unique=True)
    role: str
    hash: str
    active: bool
    must_change: bool
    epoch: int
    unix: str = Field(index=True)
    created: str
    changed: str


class SessionRow(Row, table=True):
    """A session of a signed-in user; `token` is a SHA-256, `ended` is empty until the end."""

    __tablename__ = "sessions"
    id: str = Field(primary_key=True)
    token: str = Field(unique=True)
    person: str = Field(foreign_key="people.id", index=True)
    means: str
    client: str
    epoch: int
    created: str
    seen: str
    expires: str
    ended: str


class AttemptRow(Row, table=True):
    """Failed sign-ins for an account or client; no attempt is allowed before the time `until`."""

    __tablename__ = "attempts"
    scope: str = Field(primary_key=True)
    failures: int
    last: str
    until: str


class InviteRow(Row, table=True):
    """An invitation to set a first password; `code` is the SHA-256 of the invitation code."""

    __tablename__ = "invites"
    code: str = Field(primary_key=True)
    person: str = Field(foreign_key="people.id", index=True)
    expires: str
    used: str


class KeyRow(Row, table=True):
    """An SSH key that belongs to a person; `line` is the key in the format of OpenSSH."""

    __tablename__ = "ssh_keys"
    fingerprint: str = Field(primary_key=True)
    person: str = Field(foreign_key="people.id", index=True)
    line: str
    created: str


class PresenceRow(Row, table=True):
    """The process in which a person is working; `holder` is the process's unique name."""

    __tablename__ = "presences"
    person: str = Field(primary_key=True, foreign_key="people.id")
    holder: str
    since: str
    seen: str


class PlaceRow(Row, table=True):
    """A person's last position in a sample, as JSON that only the annotation screen reads."""

    __tablename__ = "places"
    __table_args__ = (Index(None, "person", "updated"), NO_ROWID)
    person: str = Field(primary_key=True, foreign_key="people.id")
    sample_id: int = _sample_key()
    value: str
    updated: str


class PreferenceRow(Row, table=True):
    """A preference of a person, such as the theme."""

    __tablename__ = "preferences"
    person: str = Field(primary_key=True, foreign_key="people.id")
    name: str = Field(primary_key=True)
    value: str


# datasets, texts and vectors ---------------------------------------------------------------------


class TextRow(Row, table=True):
    """The full text of one version of a label set or of guidelines, by `kind` and hash."""

    __tablename__ = "texts"
    kind: str = Field(primary_key=True)
    hash: str = Field(primary_key=True)
    text: str
    created: str


class EditionRow(Row, table=True):
    """Record that a person put a version of a label set or of guidelines into use.

    An empty `dataset` means the workspace; an empty `by` means the owner of the files.
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
    """A change of a label set, with its relabelled work; newer changes have larger ids.

    `kind` and `request`, which is JSON, are those of `storage.labels`; an empty `dataset` means the
    workspace; `before` and `after` are hashes, empty in a dataset for the workspace's label set.
    The events of `batch` follow the event with number `arrival`. `undone` is the id of the change
    that undid this one, 0 for none.
    """

    __tablename__ = "label_changes"
    __table_args__ = ()
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
    """A dataset; an empty `labels` or `guidelines` means that the workspace's version is used."""

    __tablename__ = "datasets"
    __table_args__ = ()
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    labels: str = ""
    guidelines: str = ""
    created: str


class DatasetSettingRow(Row, table=True):
    """A setting of a dataset, for example overlap, escalation or practice, as JSON."""

    __tablename__ = "dataset_settings"
    dataset_id: int = Field(primary_key=True, foreign_key="datasets.id", ondelete="CASCADE")
    name: str = Field(primary_key=True)
    value: str


class DocumentRow(Row, table=True):
    """A text with its sentences; `boundaries` are the sentences' packed end offsets."""

    __tablename__ = "documents"
    __table_args__ = ()
    id: int | None = Field(default=None, primary_key=True)
    sha256: str = Field(unique=True)
    language: str
    segmenter: str
    segments: int
    boundaries: bytes = Field(sa_type=LargeBinary)
    text: bytes = Field(sa_type=LargeBinary)


class SampleRow(Row, table=True):
    """A sample; `id` is its number in order of arrival, `summary` the start of its summary."""

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
    """A document of a sample; `ordinal` is its number among the sample's documents."""

    __tablename__ = "sample_documents"
    sample_id: int = Field(primary_key=True, foreign_key="samples.id", ondelete="CASCADE")
    ordinal: int = Field(primary_key=True)
    document_id: int = Field(foreign_key="documents.id", index=True)
    side: str
    key: str
    title: str


class OrderRow(Row, table=True):
    """A queue order: a named sequence of samples, which are stored as `RankRow`.

    Samples with row ids above `filled`, up to `until`, have not been added yet.
    """

    __tablename__ = "orders"
    __table_args__ = ()
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    filled: int = 0
    until: int = 0


class RankRow(Row, table=True):
    """The sort value of a sample in a queue order; similar values have the same `bucket`."""

    __tablename__ = "ranks"
    order_id: int = Field(primary_key=True, foreign_key="orders.id")
    bucket: int = Field(primary_key=True)
    value: int = Field(primary_key=True)
    sample_id: int = _sample_key()


class EmbeddedRow(Row, table=True):
    """A document whose vectors are in a LanceDB table; the document may have been removed since.

    `unknown` is true if the embedder knows too few words of the document, so that the lexical
    ranking alone applies.
    """

    __tablename__ = "embedded"
    vectors: str = Field(primary_key=True)
    sha256: str = Field(primary_key=True)
    unknown: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class VectorSetRow(Row, table=True):
    """A set of vectors that one embedder made; the setting `vectors` names the set in use.

    `loose` is true if its table has rows that were not optimized yet. A set that is older than this
    table has an empty version and segmenter, and 0 dimensions, until its embedder is loaded.
    """

    __tablename__ = "vector_sets"
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
    """A value that the program stores about the workspace and that users do not edit."""

    __tablename__ = "settings"
    name: str = Field(primary_key=True)
    value: str


# output of machines ------------------------------------------------------------------------------


class RunRow(Row, table=True):
    """A run of a scorer, judge or other machine; ignored until `finished` is set to a time.

    Newer runs have larger numbers. `parameters`, `low` and `names` are JSON; `names` are those of
    its scores, each with the number of samples that have a value.
    """

    __tablename__ = "runs"
    __table_args__ = ()
    number: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    dataset_id: int = Field(foreign_key="datasets.id", ondelete="CASCADE", index=True)
    kind: str
    maker: str
    parameters: str
    embedder: str
    low: str
    names: str
    at: str
    by: str
    finished: str


class ScoreRow(Row, table=True):
    """A score of a sample; `parts` is JSON with a value for each segment or document (see `of`)."""

    __tablename__ = "scores"
    sample_id: int = Field(primary_key=True, foreign_key="samples.id", ondelete="CASCADE")
    run: int = Field(primary_key=True, foreign_key="runs.number", ondelete="CASCADE")
    name: str = Field(primary_key=True)
    extra: int = Field(primary_key=True)
    raw: float | None
    value: float | None
    text: str
    parts: str
    of: str


class ReplyRow(Row, table=True):
    """A language model's reply, by the hash of its request; `about` describes the request."""

    __tablename__ = "replies"
    __table_args__ = ()
    key: str = Field(primary_key=True)
    reply: bytes = Field(sa_type=LargeBinary)
    about: str
    at: str


class SuggestionRow(Row, table=True):
    """An annotation that a machine suggests; `payload` is its JSON."""

    __tablename__ = "suggestions"
    __table_args__ = (Index(None, "sample_id", "run"), NO_ROWID)
    id: str = Field(primary_key=True)
    sample_id: int = Field(foreign_key="samples.id", ondelete="CASCADE")
    run: int = Field(foreign_key="runs.number", ondelete="CASCADE", index=True)
    maker: str
    payload: str


class AnswerRow(Row, table=True):
    """A person's answer to a model's suggestion, derived from the person's events."""

    __tablename__ = "answers"
    person: str = Field(primary_key=True, foreign_key="people.id")
    sample_id: int = _sample_key()
    suggestion: str = Field(primary_key=True, index=True)
    answer: str
    payload: str


METADATA: Final = Row.metadata


def _fit_types_to_both_stores() -> None:
    """Give columns types with which PostgreSQL stores and orders values as SQLite does."""
    number = BigInteger().with_variant(Integer(), "sqlite")
    characters = String().with_variant(String(collation="C"), "postgresql")
    for table in METADATA.tables.values():
        for each in table.columns:
            if isinstance(each.type, Integer):
                each.type = number
            elif isinstance(each.type, AutoString):
                each.type = characters


_fit_types_to_both_stores()
