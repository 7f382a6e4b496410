"""The tables of the store as SQLModel rows: their columns and keys, without any query.

What counts is the log (`events`); `annotations`, `assignments`, `answers`, `tombstones` and
`tallies` cache it. JSON is stored as text, written by `storage.codec`. A document's text is UTF-8
in a BLOB, so that NUL survives. The log names people and samples by their own names, not by row,
so that it outlives them.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from sqlalchemy import Index, LargeBinary, MetaData, UniqueConstraint, false, text
from sqlmodel import Field, SQLModel

_NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
NO_ROWID: Final = {"sqlite_with_rowid": False}


class Row(SQLModel):
    """A row of one of our tables; other users of SQLModel keep their own metadata.

    Keys and indexes are named by a convention, so that migrations find them. A table has no rowid
    unless it has `__table_args__` of its own.
    """

    metadata: ClassVar[MetaData] = MetaData(naming_convention=_NAMES)
    __table_args__: ClassVar[Any] = (NO_ROWID,)


def _sample_key() -> Any:
    return Field(primary_key=True, foreign_key="samples.id", ondelete="CASCADE", index=True)


# work: the log, what caches it, and what is assigned ---------------------------------------------


class AnnotationRow(Row, table=True):
    """A current annotation; `payload` is its JSON, the other columns are for searching."""

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


class TombstoneRow(Row, table=True):
    """An annotation that was removed: no import brings it back."""

    __tablename__ = "tombstones"
    id: str = Field(primary_key=True)
    dataset: str = Field(index=True)


class AssignmentRow(Row, table=True):
    """One person's work on one sample, and the head of its stream in the log."""

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
    """An event of the log; `arrival` orders all. The store refuses to change or drop one."""

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("person", "dataset", "sample", "seq"),
        Index("ix_events_deeds", "person", "arrival", sqlite_where=text("verb <> 'read'")),
        Index("ix_events_batch", "batch", sqlite_where=text("batch <> ''")),
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
    """How many samples of a bucket there are, or how many of them a person has finished."""

    __tablename__ = "tallies"
    order_id: int = Field(primary_key=True, foreign_key="orders.id")
    person: str = Field(primary_key=True)
    bucket: int = Field(primary_key=True)
    count: int


class HandoutRow(Row, table=True):
    """Samples handed out at one go, or by one rule; `undone` is empty while it holds.

    `kind` and `request`, which is JSON, are those of `domain.assignment_rules`; an empty `dataset`
    is several.
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
    """A sample that a person is to annotate; `rank` is its value in that person's own order."""

    __tablename__ = "allotments"
    __table_args__ = (Index(None, "handout", "person", "rank"), NO_ROWID)
    person: str = Field(primary_key=True, foreign_key="people.id")
    sample_id: int = _sample_key()
    rank: int
    handout: int = Field(foreign_key="handouts.id")
    practice: bool


class PoolRow(Row, table=True):
    """A sample that people draw; `room` is how many more may, `value` its place among others."""

    __tablename__ = "pool"
    __table_args__ = (
        Index("ix_pool_open", "dataset_id", "value", "sample_id", sqlite_where=text("room > 0")),
        NO_ROWID,
    )
    sample_id: int = Field(primary_key=True, foreign_key="samples.id", ondelete="CASCADE")
    dataset_id: int = Field(foreign_key="datasets.id", ondelete="CASCADE")
    value: int
    room: int


class PoolCountRow(Row, table=True):
    """How many samples of a pool have room, or how many of them a person has already."""

    __tablename__ = "pool_counts"
    dataset_id: int = Field(primary_key=True, foreign_key="datasets.id", ondelete="CASCADE")
    person: str = Field(primary_key=True)
    count: int


class RemarkRow(Row, table=True):
    """A comment of one person to others: about a sample, or to all where `sample` is empty.

    `reader` is a person's id, `reviewers`, or `all`; `answers` is the first comment of the thread.
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
    """A person; `kind` is a `PersonKind`."""

    __tablename__ = "people"
    __table_args__ = (Index(None, "kind", "name"),)
    id: str = Field(primary_key=True)
    name: str
    kind: str
    created: str


class AccountRow(Row, table=True):
    """How a person signs in; `hash` is empty before their first password.

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
    """Somebody signed in; `token` is the SHA-256 of what they hold, `ended` empty so far."""

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
    """Failed sign-ins of an account or a client, as `scope` says; none before `until`."""

    __tablename__ = "attempts"
    scope: str = Field(primary_key=True)
    failures: int
    last: str
    until: str


class InviteRow(Row, table=True):
    """A code, as its SHA-256, with which a person sets their first password."""

    __tablename__ = "invites"
    code: str = Field(primary_key=True)
    person: str = Field(foreign_key="people.id", index=True)
    expires: str
    used: str


class KeyRow(Row, table=True):
    """An SSH key that is bound to a person; `line` is the key as OpenSSH writes it."""

    __tablename__ = "ssh_keys"
    fingerprint: str = Field(primary_key=True)
    person: str = Field(foreign_key="people.id", index=True)
    line: str
    created: str


class PresenceRow(Row, table=True):
    """The process that a person works in, by a random name; another one may take over."""

    __tablename__ = "presences"
    person: str = Field(primary_key=True, foreign_key="people.id")
    holder: str
    since: str
    seen: str


class PlaceRow(Row, table=True):
    """Where a person was in a sample: JSON, understood by the screen alone."""

    __tablename__ = "places"
    __table_args__ = (Index(None, "person", "updated"), NO_ROWID)
    person: str = Field(primary_key=True, foreign_key="people.id")
    sample_id: int = _sample_key()
    value: str
    updated: str


class PreferenceRow(Row, table=True):
    """What a person chose: keys, theme, layout; JSON."""

    __tablename__ = "preferences"
    person: str = Field(primary_key=True, foreign_key="people.id")
    name: str = Field(primary_key=True)
    value: str


# datasets, texts and vectors ---------------------------------------------------------------------


class TextRow(Row, table=True):
    """A version of a label set or of guidelines, as `kind` says, whole, by its hash."""

    __tablename__ = "texts"
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

    `kind` and `request`, which is JSON, are those of `storage.labels`; an empty `dataset` is
    the workspace; `before` and `after` are hashes, empty for the workspace's own set in a dataset.
    The events of `batch` came behind the one with `arrival`. `undone` is the id of the change that
    undid this one, 0 for none.
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
    """A dataset; an empty `labels` or `guidelines` falls back to the workspace's."""

    __tablename__ = "datasets"
    __table_args__ = ()
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    labels: str = ""
    guidelines: str = ""
    created: str


class DatasetSettingRow(Row, table=True):
    """How a dataset is worked on: overlap, escalation, practice; JSON."""

    __tablename__ = "dataset_settings"
    dataset_id: int = Field(primary_key=True, foreign_key="datasets.id", ondelete="CASCADE")
    name: str = Field(primary_key=True)
    value: str


class DocumentRow(Row, table=True):
    """A text with its segments; `boundaries` are their ends, packed (see `storage.codec`)."""

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
    sample_id: int = Field(primary_key=True, foreign_key="samples.id", ondelete="CASCADE")
    ordinal: int = Field(primary_key=True)
    document_id: int = Field(foreign_key="documents.id", index=True)
    side: str
    key: str
    title: str


class OrderRow(Row, table=True):
    """An order of the queue; samples from `filled` to `until` have no rank in it yet."""

    __tablename__ = "orders"
    __table_args__ = ()
    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    filled: int = 0
    until: int = 0


class RankRow(Row, table=True):
    """The position of a sample in an order; `bucket` grows with `value`, for counting in steps."""

    __tablename__ = "ranks"
    order_id: int = Field(primary_key=True, foreign_key="orders.id")
    bucket: int = Field(primary_key=True)
    value: int = Field(primary_key=True)
    sample_id: int = _sample_key()


class EmbeddedRow(Row, table=True):
    """A document whose vectors are in a table of LanceDB; it may outlive the document.

    `unknown` says that the model knows too little of it, so that words alone rank it.
    """

    __tablename__ = "embedded"
    vectors: str = Field(primary_key=True)
    sha256: str = Field(primary_key=True)
    unknown: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class VectorSetRow(Row, table=True):
    """The vectors that one embedder made; the setting `vectors` names the set in use.

    `loose` says that its table was written to and not put in order yet. Of a set that is older than
    this table, version and segmenter are empty, and dimensions 0, until its embedder is loaded.
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
    """A fact about the workspace that is not for people to edit."""

    __tablename__ = "settings"
    name: str = Field(primary_key=True)
    value: str


# output of machines ------------------------------------------------------------------------------


class RunRow(Row, table=True):
    """A run of a machine; newer ones have larger numbers. It counts once `finished` is a moment.

    `parameters`, `low` and `names` are JSON; the last are those of its scores, with how many
    samples have a value.
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
    """What a run says of a sample under a name; `parts` is JSON, empty for none."""

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
    """What a language model replied, by the hash of all that it was asked; `about` is JSON."""

    __tablename__ = "replies"
    __table_args__ = ()
    key: str = Field(primary_key=True)
    reply: bytes = Field(sa_type=LargeBinary)
    about: str
    at: str


class SuggestionRow(Row, table=True):
    """An annotation that a machine proposes; `payload` is its JSON."""

    __tablename__ = "suggestions"
    __table_args__ = (Index(None, "sample_id", "run"), NO_ROWID)
    id: str = Field(primary_key=True)
    sample_id: int = Field(foreign_key="samples.id", ondelete="CASCADE")
    run: int = Field(foreign_key="runs.number", ondelete="CASCADE", index=True)
    maker: str
    payload: str


class AnswerRow(Row, table=True):
    """What a person answered to a suggestion, as their stream in the log has it.

    `answer` is a value of `Answer`, `payload` the JSON of the log.
    """

    __tablename__ = "answers"
    person: str = Field(primary_key=True, foreign_key="people.id")
    sample_id: int = _sample_key()
    suggestion: str = Field(primary_key=True, index=True)
    answer: str
    payload: str


METADATA: Final = Row.metadata
