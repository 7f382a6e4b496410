"""The oldest version that is read; new stores are made from the tables, not by migrations."""

from __future__ import annotations

revision = "0004"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing: no older store can be migrated (see `storage.migrate`)."""
