"""Commands that copy a whole workspace, and make one of a copy: backup, restore."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.options import add_command, argument, flag, open_workspace, option


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    add_command(app, backup, "backup", "backup /media/disk/news-2026-05-04 --vectors")
    add_command(app, restore, "restore backups/2026-05-04T120000Z --to again")


def backup(
    target: Annotated[
        Path | None,
        argument(
            "DIR",
            "A new folder; in a folder that is there, one named by the time. Else in the "
            "workspace's backups/.",
        ),
    ] = None,
    *,
    vectors: Annotated[
        bool,
        flag("--vectors", "Copy the vectors of the assist too; without, they can be made anew."),
    ] = False,
    common: options.CommonOptions,
) -> None:
    """Copy the workspace into a new folder.

    Also while people are at work: the store as one moment has it, settings, labels, guidelines,
    frozen states, and the sums of all files. The folder appears whole or not at all.
    """
    with open_workspace(common.workspace) as space:
        folder = target or space.path / "backups"
        if folder.is_dir():
            folder = folder / output.file_time_stamp()
        copied = space.team.backup.run(folder, vectors=vectors)
    output.print_lines_or_json(copied, f"backup: {copied.folder}", as_json=common.as_json)
    if not common.as_json:
        output.print_message(
            f"files: {copied.files:,}; events: {copied.events:,}; head {copied.head}"
        )


def restore(
    source: Annotated[Path, argument("DIR", "A folder that backup made.")],
    *,
    to: Annotated[Path, option("--to", "DIR", "The workspace's folder: new, or empty.")],
    as_json: options.JsonOption = False,
) -> None:
    """Make a workspace out of a backup.

    Changes nothing that is there. Each file is held against its sum, and the store is looked at,
    before the folder appears.
    """
    from tui_annotate import workspace as workspaces

    copied = workspaces.restore(source, to=to.resolve())
    if as_json:
        output.print_json(copied)
        return
    output.print_line(f"workspace: {copied.folder}")
    events = output.many(copied.events, "event")
    output.print_message(f"as of {output.format_time(copied.at)}: {events}; head {copied.head}")
    if copied.missing_vectors:
        rebuild = f"tui-annotate index rebuild -w {shlex.quote(str(to))}"
        output.print_message(f"the vectors are not with it; next: {rebuild}")
