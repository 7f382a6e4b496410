"""Workspaces whose store is moved to a server of tests."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

from tests.helpers.postgresql_server import PostgresqlServer
from tui_annotate import workspace
from tui_annotate.cli.store import trust_server


def move_to_schema(
    server: PostgresqlServer, folder: Path, *, schemas: list[str], url: str = ""
) -> None:
    """Move the store of a workspace to a new schema, whose name is added to `schemas`.

    Args:
        url: another way to the server, such as a proxy.
    """
    schemas.append(f"test_{uuid4().hex}")
    with workspace.open(folder) as space:
        space.team.move_store(server.url, schemas[-1])
    if url:
        file = folder / "tui-annotate.toml"
        file.write_text(file.read_text("utf-8").replace(server.url, url), "utf-8")
    trust_server(url or server.url)
