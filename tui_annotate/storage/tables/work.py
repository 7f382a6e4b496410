"""What people did: the log, and what caches it; what they are to do, and say to each other."""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field

from tui_annotate.storage.tables.row import NO_ROWID, Row


class AnnotationRow(Row, table=True):
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


class TombstoneRow(Row, table=True):
    """An annotation that was removed: no import brings it back."""

    __tablename__ = "tombstones"
    __table_args__ = (NO_ROWID,)
    id: str = Field(primary_key=True)
    dataset: str = Field(index=True)


class AssignmentRow(Row, table=True):
    """One person's work on one sample, and the head of its stream in the log."""

    __tablename__ = "assignments"
    __table_args__ = (NO_ROWID,)
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


class TallyRow(Row, table=True):
    """How many samples of a bucket there are, or how many of them a person has finished."""

    __tablename__ = "tallies"
    __table_args__ = (NO_ROWID,)
    order_id: int = Field(primary_key=True, foreign_key="orders.id")
    person: str = Field(primary_key=True)
    bucket: int = Field(primary_key=True)
    count: int


class HandoutRow(Row, table=True):
    """Samples handed out at one go, or by one rule; `undone` is empty while it holds.

    `kind` and `request`, which is JSON, are those of `domain.handouts`; an empty `dataset` is
    several.
    """

    __tablename__ = "handouts"
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
    sample_id: int = Field(
        primary_key=True, foreign_key="samples.id", ondelete="CASCADE", index=True
    )
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
    __table_args__ = (NO_ROWID,)
    dataset_id: int = Field(primary_key=True, foreign_key="datasets.id", ondelete="CASCADE")
    person: str = Field(primary_key=True)
    count: int


class RemarkRow(Row, table=True):
    """A note of one person to others: about a sample, or to all where `sample` is empty.

    Attributes:
        reader: whom it is for: a person's id, `reviewers`, or `all`.
        answers: the remark that it replies to; empty for the first of a talk.
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
