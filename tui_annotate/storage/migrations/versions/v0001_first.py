"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:  # noqa: PLR0915  a list of tables
    """Makes every table of version 1, the two standing orders, and the guard of the log."""
    op.create_table(
        "datasets",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("labels", sa.String(), nullable=False),
        sa.Column("guidelines", sa.String(), nullable=False),
        sa.Column("created", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_datasets")),
        sa.UniqueConstraint("name", name=op.f("uq_datasets_name")),
    )
    op.create_table(
        "documents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("segmenter", sa.String(), nullable=False),
        sa.Column("segments", sa.Integer(), nullable=False),
        sa.Column("boundaries", sa.LargeBinary(), nullable=False),
        sa.Column("text", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sa.UniqueConstraint("sha256", name=op.f("uq_documents_sha256")),
    )
    op.create_table(
        "embedded",
        sa.Column("vectors", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("vectors", "sha256", name=op.f("pk_embedded")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "events",
        sa.Column("arrival", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("dataset", sa.String(), nullable=False),
        sa.Column("sample", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("verb", sa.String(), nullable=False),
        sa.Column("before", sa.String(), nullable=False),
        sa.Column("after", sa.String(), nullable=False),
        sa.Column("undoes", sa.String(), nullable=False),
        sa.Column("batch", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("versions", sa.String(), nullable=False),
        sa.Column("app", sa.String(), nullable=False),
        sa.Column("prev", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("arrival", name=op.f("pk_events")),
        sa.UniqueConstraint("id", name=op.f("uq_events_id")),
        sa.UniqueConstraint(
            "person", "dataset", "sample", "seq", name=op.f("uq_events_person_dataset_sample_seq")
        ),
    )
    op.create_index(
        "ix_events_batch", "events", ["batch"], unique=False, sqlite_where=sa.text("batch <> ''")
    )
    op.create_index(
        "ix_events_deeds",
        "events",
        ["person", "arrival"],
        unique=False,
        sqlite_where=sa.text("verb <> 'read'"),
    )
    op.create_table(
        "orders",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("filled", sa.Integer(), nullable=False),
        sa.Column("until", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_orders")),
        sa.UniqueConstraint("name", name=op.f("uq_orders_name")),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("created", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
    )
    op.create_index(op.f("ix_people_kind_name"), "people", ["kind", "name"], unique=False)
    op.create_table(
        "settings",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "texts",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("created", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "hash", name=op.f("pk_texts")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tombstones",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("dataset", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tombstones")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_tombstones_dataset"), "tombstones", ["dataset"], unique=False)
    op.create_table(
        "preferences",
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_preferences_person")),
        sa.PrimaryKeyConstraint("person", "name", name=op.f("pk_preferences")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "samples",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dataset_id", sa.Integer(), nullable=False),
        sa.Column("external", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("group", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("summary", sa.String(), nullable=False),
        sa.Column("request", sa.String(), nullable=False),
        sa.Column("meta", sa.String(), nullable=False),
        sa.Column("imported", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset_id"], ["datasets.id"], name=op.f("fk_samples_dataset_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_samples")),
        sa.UniqueConstraint("dataset_id", "external", name=op.f("uq_samples_dataset_id_external")),
    )
    op.create_index(op.f("ix_samples_dataset_id"), "samples", ["dataset_id"], unique=False)
    op.create_index(op.f("ix_samples_external"), "samples", ["external"], unique=False)
    op.create_index(op.f("ix_samples_source"), "samples", ["source"], unique=False)
    op.create_table(
        "tallies",
        sa.Column("order_id", sa.Integer(), nullable=False),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("bucket", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name=op.f("fk_tallies_order_id")),
        sa.PrimaryKeyConstraint("order_id", "person", "bucket", name=op.f("pk_tallies")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "annotations",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("updated", sa.String(), nullable=False),
        sa.Column("payload", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_annotations_person")),
        sa.ForeignKeyConstraint(
            ["sample_id"], ["samples.id"], name=op.f("fk_annotations_sample_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annotations")),
        sa.UniqueConstraint("number", name=op.f("uq_annotations_number")),
    )
    op.create_index(
        op.f("ix_annotations_person_note"), "annotations", ["person", "note"], unique=False
    )
    op.create_index(
        op.f("ix_annotations_sample_id_person"),
        "annotations",
        ["sample_id", "person"],
        unique=False,
    )
    op.create_table(
        "assignments",
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("finished", sa.Boolean(), nullable=False),
        sa.Column("rating", sa.String(), nullable=False),
        sa.Column("comment", sa.String(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("updated", sa.String(), nullable=False),
        sa.Column("annotations", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("head", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_assignments_person")),
        sa.ForeignKeyConstraint(
            ["sample_id"], ["samples.id"], name=op.f("fk_assignments_sample_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person", "sample_id", name=op.f("pk_assignments")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_assignments_sample_id"), "assignments", ["sample_id"], unique=False)
    op.create_table(
        "places",
        sa.Column("person", sa.String(), nullable=False),
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("updated", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_places_person")),
        sa.ForeignKeyConstraint(
            ["sample_id"], ["samples.id"], name=op.f("fk_places_sample_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person", "sample_id", name=op.f("pk_places")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_places_person_updated"), "places", ["person", "updated"], unique=False)
    op.create_index(op.f("ix_places_sample_id"), "places", ["sample_id"], unique=False)
    op.create_table(
        "ranks",
        sa.Column("order_id", sa.Integer(), nullable=False),
        sa.Column("bucket", sa.Integer(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["order_id"], ["orders.id"], name=op.f("fk_ranks_order_id")),
        sa.ForeignKeyConstraint(
            ["sample_id"], ["samples.id"], name=op.f("fk_ranks_sample_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("order_id", "bucket", "value", "sample_id", name=op.f("pk_ranks")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_ranks_sample_id"), "ranks", ["sample_id"], unique=False)
    op.create_table(
        "sample_documents",
        sa.Column("sample_id", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("side", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_sample_documents_document_id")
        ),
        sa.ForeignKeyConstraint(
            ["sample_id"],
            ["samples.id"],
            name=op.f("fk_sample_documents_sample_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("sample_id", "ordinal", name=op.f("pk_sample_documents")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_sample_documents_document_id"), "sample_documents", ["document_id"], unique=False
    )

    op.execute("INSERT INTO orders (id, name, filled, until) VALUES (1, 'by-source', 0, 0)")
    op.execute("INSERT INTO orders (id, name, filled, until) VALUES (2, 'ingested', 0, 0)")
    for deed in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER events_refuse_{deed.lower()} BEFORE {deed} ON events "
            "BEGIN SELECT RAISE(ABORT, 'the log only grows'); END"
        )
