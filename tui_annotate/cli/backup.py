"""Commands that copy a whole workspace, and make one of a copy: backup, restore."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui_annotate.cli import output
from tui_annotate.cli.options import JsonOption, WorkspaceOption, examples, opened

if TYPE_CHECKING:
    from tui_annotate.services.backup import Copied


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    app.command(
        epilog=examples(
            "tui-annotate backup",
            "tui-annotate backup /media/disk/news-2026-05-04 --vectors",
        )
    )(backup)
    app.command(epilog=examples("tui-annotate restore backups/2026-05-04T120000Z --to again"))(
        restore
    )


def backup(
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR",
            help="A new folder; in a folder that is there, one named by the time. Else in the "
            "workspace's backups/.",
            show_default=False,
        ),
    ] = None,
    *,
    vectors: Annotated[
        bool,
        typer.Option(
            "--vectors", help="Copy the vectors of the assist too; without, they can be made anew."
        ),
    ] = False,
    as_json: JsonOption = False,
    workspace: WorkspaceOption = None,
) -> None:
    """Copy the workspace into a new folder.

    Also while people are at work: the store as one moment has it, settings, labels, guidelines,
    frozen states, and the sums of all files. The folder appears whole or not at all.
    """
    with opened(workspace) as space:
        place = target or space.path / "backups"
        if place.is_dir():
            place = place / output.stamp()
        copied = space.team.backup.run(place, vectors=vectors)
    if as_json:
        output.as_json(_as_json(copied))
        return
    output.line(f"backup: {copied.folder}")
    output.say(f"files: {copied.files:,}; events: {copied.events:,}; head {copied.head}")


def restore(
    source: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that backup made.")],
    *,
    to: Annotated[
        Path, typer.Option("--to", metavar="DIR", help="The workspace's folder: new, or empty.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Make a workspace out of a backup.

    Changes nothing that is there. Each file is held against its sum, and the store is looked at,
    before the folder appears.
    """
    from tui_annotate import workspace as workspaces

    copied = workspaces.restore(source, to=to.resolve())
    where = shlex.quote(str(to))
    if as_json:
        output.as_json(_as_json(copied))
        return
    output.line(f"workspace: {copied.folder}")
    events = output.many(copied.events, "event")
    output.say(f"as of {output.seconds(copied.at)}: {events}; head {copied.head}")
    if copied.missing_vectors:
        output.say(f"the vectors are not with it; next: tui-annotate index rebuild -w {where}")


def _as_json(copied: Copied) -> dict[str, Any]:
    return {**asdict(copied), "folder": str(copied.folder)}
