"""The commands `store`: show where the work of a workspace is stored, and move it."""

from __future__ import annotations

from typing import Annotated, Final, TypedDict

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.endpoint_trust import store_trust
from tui_annotate.cli.help_format import ADMINISTRATION
from tui_annotate.cli.options import add_command, add_group, argument, open_workspace, option
from tui_annotate.cli.report_parts import Facts, NotePart, Part, ResultPart
from tui_annotate.domain.people import Permission

SQLITE: Final = "sqlite"
"""Word for the SQLite file of the workspace, instead of a URL."""

SchemaOption = Annotated[
    str,
    option(
        "--schema",
        "NAME",
        "Schema of the store in the PostgreSQL database (default: annotate_ and the name of the"
        " workspace's folder).",
    ),
]


class StoreLocation(TypedDict):
    """Where the store of a workspace is.

    Attributes:
        kind: `sqlite` or `postgresql`.
        store: path of the file, or URL and schema.
        version: version of the tables.
        read_only: why the store cannot be written; empty if it can.
    """

    kind: str
    store: str
    version: int
    read_only: str


class MovedStore(TypedDict):
    """Where a store was moved to.

    Attributes:
        store: path of the SQLite file, or URL and schema.
        kept: where the old store remains, unused.
        events: number of events in the event log.
        head: digest of the event log, the same in both stores.
    """

    store: str
    kept: str
    events: int
    head: str


def register(app: typer.Typer) -> None:
    group = add_group(
        app,
        "store",
        "Show or move the store: SQLite or PostgreSQL.",
        panel=ADMINISTRATION,
    )
    add_command(group, show, "store show")
    add_command(
        group,
        move,
        "store move postgresql://annotate@db.example.org/studies",
        "store move postgresql://annotate@db.example.org/studies --schema news_2026",
        "store move sqlite",
    )


def show(*, common: options.CommonOptions) -> None:
    """Show where the work of the workspace is stored."""
    with open_workspace(common.workspace) as space:
        database = space.team.database
        value = StoreLocation(
            kind="postgresql" if space.settings.store_url else SQLITE,
            store=database.name,
            version=database.version(),
            read_only=database.read_only,
        )
    rows: dict[str, str | float | None] = {
        "store": value["store"],
        "version of the tables": value["version"],
    }
    if value["read_only"]:
        rows["read-only"] = f"because {value['read_only']}"
    output.show(value, [Facts(rows)], as_json=common.as_json)


def move(
    target: Annotated[
        str,
        argument(
            "TARGET",
            "URL of a PostgreSQL database, without a password; or sqlite for a file in the"
            " workspace.",
        ),
    ],
    *,
    schema: SchemaOption = "",
    common: options.CommonOptions,
) -> None:
    """Move the store to PostgreSQL, or back to a file.

    All work, accounts and settings in the store move; vectors, labels.yaml and guidelines.md stay
    in the folder. Ask all users to quit first: the screens that are open cannot save any more, and
    keep what is not saved until they are started again. The old store remains as a file in backups,
    or as a renamed schema.

    The database server is trusted from then on, as with lab trust-endpoint. Its password is read
    from the file that PGPASSFILE names, from ~/.pgpass or from PGPASSWORD.
    """
    url = "" if target == SQLITE else target
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        moved = space.team.move_store(url, schema)
    if url:
        trust_server(url)
    value = MovedStore(store=moved.store, kept=moved.kept, events=moved.events, head=moved.head)
    parts: list[Part] = [
        ResultPart(f"store: {moved.store}"),
        NotePart(f"moved: {output.many(moved.events, 'event')}; head: {moved.head}"),
        NotePart(f"the old store remains unused: {moved.kept}"),
    ]
    output.show(value, parts, as_json=common.as_json)


def trust_server(url: str) -> None:
    """Remember that the user trusts the database server of a URL, which they named."""
    from tui_annotate.storage.postgresql_database import find_origin, parse_url

    store_trust(find_origin(parse_url(url)), with_key=False)
