"""Accounts, work that is handed out, remarks, and who is where."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.String(), nullable=False) for name in names]


def upgrade() -> None:
    """Makes the tables, and tells of the guidance in force since when it has been."""
    op.create_table(
        "attempts",
        *_texts("scope"),
        sa.Column("failures", sa.Integer(), nullable=False),
        *_texts("last", "until"),
        sa.PrimaryKeyConstraint("scope", name=op.f("pk_attempts")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "editions",
        sa.Column("id", sa.Integer(), nullable=False),
        *_texts("kind", "dataset", "hash", "at", "by"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_editions")),
    )
    op.create_index(op.f("ix_editions_kind_dataset"), "editions", ["kind", "dataset"], unique=False)
    op.create_table(
        "handouts",
        sa.Column("id", sa.Integer(), nullable=False),
        *_texts("at", "by", "kind", "dataset", "request", "undone"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_handouts")),
    )
    op.create_table(
        "label_changes",
        sa.Column("id", sa.Integer(), nullable=False),
        *_texts("dataset", "kind", "request", "before", "after", "batch"),
        sa.Column("arrival", sa.Integer(), nullable=False),
        sa.Column("undone", sa.Integer(), nullable=False),
        *_texts("at", "by"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_label_changes")),
    )
    op.create_table(
        "remarks",
        *_texts("id", "dataset", "sample", "author", "reader", "answers", "text", "at"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_remarks")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_remarks_dataset_sample"), "remarks", ["dataset", "sample"], unique=False
    )
    op.create_index(op.f("ix_remarks_reader_at"), "remarks", ["reader", "at"], unique=False)
    op.create_table(
        "accounts",
        *_texts("person", "email", "role", "hash"),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("must_change", sa.Boolean(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        *_texts("unix", "created", "changed"),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_accounts_person")),
        sa.PrimaryKeyConstraint("person", name=op.f("pk_accounts")),
        sa.UniqueConstraint("email", name=op.f("uq_accounts_email")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_accounts_unix"), "accounts", ["unix"], unique=False)
    op.create_table(
        "dataset_settings",
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        *_texts("name", "value"),
        sa.ForeignKeyConstraint(
            ["dataset_id"],
            ["datasets.id"],
            name=op.f("fk_dataset_settings_dataset_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("dataset_id", "name", name=op.f("pk_dataset_settings")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "invites",
        *_texts("code", "person", "expires", "used"),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_invites_person")),
        sa.PrimaryKeyConstraint("code", name=op.f("pk_invites")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_invites_person"), "invites", ["person"], unique=False)
    op.create_table(
        "presences",
        *_texts("person", "holder", "since", "seen"),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_presences_person")),
        sa.PrimaryKeyConstraint("person", name=op.f("pk_presences")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sessions",
        *_texts("id", "token", "person", "means", "client"),
        sa.Column("epoch", sa.Integer(), nullable=False),
        *_texts("created", "seen", "expires", "ended"),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_sessions_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("token", name=op.f("uq_sessions_token")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_sessions_person"), "sessions", ["person"], unique=False)
    op.create_table(
        "ssh_keys",
        *_texts("fingerprint", "person", "line", "created"),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_ssh_keys_person")),
        sa.PrimaryKeyConstraint("fingerprint", name=op.f("pk_ssh_keys")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_ssh_keys_person"), "ssh_keys", ["person"], unique=False)
    op.create_table(
        "allotments",
        *_texts("person"),
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("handout", sa.Integer(), nullable=False),
        sa.Column("practice", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["handout"], ["handouts.id"], name=op.f("fk_allotments_handout")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_allotments_person")),
        sa.ForeignKeyConstraint(
            ["sample_id"], ["samples.id"], name=op.f("fk_allotments_sample_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person", "sample_id", name=op.f("pk_allotments")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_allotments_handout_person_rank"),
        "allotments",
        ["handout", "person", "rank"],
        unique=False,
    )
    op.create_index(op.f("ix_allotments_sample_id"), "allotments", ["sample_id"], unique=False)
    op.create_table(
        "pool",
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("room", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name=op.f("fk_pool_dataset_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["sample_id"], ["samples.id"], name=op.f("fk_pool_sample_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("sample_id", name=op.f("pk_pool")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "pool_counts",
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        *_texts("person"),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"],
            ["datasets.id"],
            name=op.f("fk_pool_counts_dataset_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("dataset_id", "person", name=op.f("pk_pool_counts")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_pool_open",
        "pool",
        ["dataset_id", "value", "sample_id"],
        unique=False,
        sqlite_where=sa.text("room > 0"),
    )
    op.add_column(
        "embedded", sa.Column("unknown", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    # Hours by day are counted from it alone: events themselves are wide.
    op.create_index(
        "ix_events_hours", "events", ["person", "dataset", "at", "seconds"], unique=False
    )
    op.execute(
        "INSERT INTO editions (kind, dataset, hash, at, by)"
        " SELECT s.name, '', s.value, t.created, '' FROM settings s"
        " JOIN texts t ON t.kind = s.name AND t.hash = s.value"
        " WHERE s.name IN ('labels', 'guidelines')"
    )
    for kind in ("labels", "guidelines"):
        op.execute(
            "INSERT INTO editions (kind, dataset, hash, at, by)"  # noqa: S608  constants alone
            f" SELECT '{kind}', d.name, d.{kind}, t.created, '' FROM datasets d"
            f" JOIN texts t ON t.kind = '{kind}' AND t.hash = d.{kind} WHERE d.{kind} <> ''"
        )
