"""Several embedders side by side, each with a set of vectors."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

LABELS = {"static": "static vectors"}


def upgrade() -> None:
    """Makes the table, and a set of the vectors that are in use.

    Which version and segmenter made them stands in their table's name alone, as a hash; whoever
    loads the embedder next can tell. All embedders of that time were instant.
    """
    op.create_table(
        "vector_sets",
        sa.Column("vectors", sa.String(), nullable=False),
        sa.Column("embedder", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("segmenter", sa.String(), nullable=False),
        sa.Column("dimensions", sa.Integer(), nullable=False),
        sa.Column("token_dimensions", sa.Integer(), nullable=False),
        sa.Column("instant", sa.Boolean(), nullable=False),
        sa.Column("base_url", sa.String(), nullable=False),
        sa.Column("asked_dimensions", sa.Integer(), nullable=False),
        sa.Column("loose", sa.Boolean(), nullable=False),
        sa.Column("created", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("vectors", name=op.f("pk_vector_sets")),
        sqlite_with_rowid=False,
    )
    kept = op.get_bind().exec_driver_sql("SELECT name, value FROM settings")
    settings = {row[0]: str(row[1]) for row in kept}
    embedder, table = settings.get("embedder", ""), settings.get("vectors", "")
    if embedder and table:
        op.get_bind().exec_driver_sql(
            "INSERT INTO vector_sets VALUES (?, ?, ?, '', '', 0, 0, 1, '', 0, ?, '')",
            (
                table,
                embedder,
                LABELS.get(embedder, embedder),
                settings.get("vectors_loose") == table,
            ),
        )
    op.execute("DELETE FROM settings WHERE name IN ('embedder', 'vectors_loose')")
