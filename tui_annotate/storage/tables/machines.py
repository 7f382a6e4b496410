"""What machines say: runs with their scores and suggestions, and what language models replied."""

from __future__ import annotations

from sqlalchemy import Index, LargeBinary
from sqlmodel import Field

from tui_annotate.storage.tables.row import NO_ROWID, Row


class RunRow(Row, table=True):
    """A run of a machine; newer ones have larger numbers. It counts once `finished` is a moment.

    `parameters`, `low` and `names` are JSON; the last are those of its scores, with how many
    samples have a value.
    """

    __tablename__ = "runs"
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
    __table_args__ = (NO_ROWID,)
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
    __table_args__ = (NO_ROWID,)
    person: str = Field(primary_key=True, foreign_key="people.id")
    sample_id: int = Field(
        primary_key=True, foreign_key="samples.id", ondelete="CASCADE", index=True
    )
    suggestion: str = Field(primary_key=True, index=True)
    answer: str
    payload: str
