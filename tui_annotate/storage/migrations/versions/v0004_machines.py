"""What machines say: runs, scores, suggestions, answers to these, and replies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.String(), nullable=False) for name in names]


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _belongs(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    """Goes when the row does that it belongs to."""
    name = op.f(f"fk_{table}_{column}")
    return sa.ForeignKeyConstraint([column], [to], name=name, ondelete="CASCADE")


def upgrade() -> None:
    """Makes the tables; they are empty."""
    op.create_table(
        "runs",
        _number("number"),
        *_texts("id"),
        _number("dataset_id"),
        *_texts("kind", "maker", "parameters", "embedder", "low", "names", "at", "by", "finished"),
        _belongs("runs", "dataset_id", "datasets.id"),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_runs")),
        sa.UniqueConstraint("id", name=op.f("uq_runs_id")),
    )
    op.create_index(op.f("ix_runs_dataset_id"), "runs", ["dataset_id"], unique=False)
    op.create_table(
        "scores",
        *map(_number, ("sample_id", "run")),
        *_texts("name"),
        _number("extra"),
        sa.Column("raw", sa.Float(), nullable=True),
        sa.Column("value", sa.Float(), nullable=True),
        *_texts("text", "parts", "of"),
        _belongs("scores", "sample_id", "samples.id"),
        _belongs("scores", "run", "runs.number"),
        sa.PrimaryKeyConstraint("sample_id", "run", "name", "extra", name=op.f("pk_scores")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "replies",
        *_texts("key"),
        sa.Column("reply", sa.LargeBinary(), nullable=False),
        *_texts("about", "at"),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_replies")),
    )
    op.create_table(
        "suggestions",
        *_texts("id"),
        *map(_number, ("sample_id", "run")),
        *_texts("maker", "payload"),
        _belongs("suggestions", "sample_id", "samples.id"),
        _belongs("suggestions", "run", "runs.number"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_suggestions")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_suggestions_sample_id_run"), "suggestions", ["sample_id", "run"], unique=False
    )
    op.create_index(op.f("ix_suggestions_run"), "suggestions", ["run"], unique=False)
    op.create_table(
        "answers",
        *_texts("person"),
        _number("sample_id"),
        *_texts("suggestion", "answer", "payload"),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_answers_person")),
        _belongs("answers", "sample_id", "samples.id"),
        sa.PrimaryKeyConstraint("person", "sample_id", "suggestion", name=op.f("pk_answers")),
        sqlite_with_rowid=False,
    )
    for name in ("sample_id", "suggestion"):
        op.create_index(op.f(f"ix_answers_{name}"), "answers", [name], unique=False)
