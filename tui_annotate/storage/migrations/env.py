"""Entry point of Alembic: runs the migrations on the connection that `storage.migrate` holds."""

from __future__ import annotations

from alembic import context

from tui_annotate.storage.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table="schema_version",
    render_as_batch=True,
)
context.run_migrations()
