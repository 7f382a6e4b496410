"""The oldest schema version that can be read; new stores are created without migrations."""

from __future__ import annotations

revision = "0004"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do nothing: no older store can be migrated (see `storage.migrate`)."""
