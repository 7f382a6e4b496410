"""The commands `backup create` and `backup restore`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import options, output
from tui_annotate.cli.help_format import CORE
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace
from tui_annotate.cli.report_parts import MessagePart, NotePart, Part, ResultPart
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError
from tui_annotate.domain.workspace_files import BACKUPS

if TYPE_CHECKING:
    from tui_annotate.services.backup import BackupReport


def register(app: typer.Typer) -> None:
    group = add_group(
        app, "backup", "Back up a workspace, and restore it from a backup.", panel=CORE
    )
    add_command(
        group,
        create,
        "backup create",
        "backup create /media/disk/news-2026-05-04 --include-vectors",
    )
    add_command(group, restore, "backup restore backups/2026-05-04T120000Z restored")


def create(
    target: Annotated[
        Path | None,
        argument(
            "DIR",
            "Folder to create for the backup. If the folder exists, a folder named after the"
            " current time is created in it (default: backups/ in the workspace).",
        ),
    ] = None,
    *,
    vectors: Annotated[
        bool,
        flag(
            "--include-vectors",
            "Include the vectors of texts (default: excluded; they can be computed again).",
        ),
    ] = False,
    common: options.CommonOptions,
) -> None:
    """Back up the workspace into a new folder.

    A backup is consistent even while people work. It contains the store, settings, labels,
    guidelines, snapshots, and checksums of all files. If the command fails, no folder is created.
    """
    with open_workspace(common.workspace) as space:
        folder = target or space.path / BACKUPS
        if folder.resolve() == space.path.resolve():
            raise InvalidInput(
                f"{folder} is the workspace itself",
                f"name a folder outside the workspace, or omit DIR for {space.path / 'backups'}",
            )
        if folder.is_dir() or not target:
            folder.mkdir(mode=0o700, exist_ok=True)
            folder = folder / output.file_time_stamp()
        copied = space.team.backup.run(folder, include_vectors=vectors)
    facts = f"files: {copied.files:,}; events: {copied.events:,}; head: {copied.head}"
    output.show(copied, [f"backup: {copied.folder}", NotePart(facts)], as_json=common.as_json)


def restore(
    source: Annotated[Path, argument("BACKUP", "Folder of the backup.")],
    target: Annotated[
        Path, argument("DIR", "Folder for the restored workspace; it must be new or empty.")
    ],
    *,
    as_json: options.JsonOption = False,
) -> None:
    """Restore a backup into a new workspace.

    The command checks the database and the checksum of each file before it creates the folder.
    No existing file is changed.
    """
    from tui_annotate import workspace as workspaces

    copied = workspaces.restore(source, to=target.resolve())
    output.show(copied, _describe_restored(copied, target), as_json=as_json)


def _describe_restored(copied: BackupReport, target: Path) -> Iterator[Part]:
    yield ResultPart(f"workspace: {copied.folder}")
    events = output.many(copied.events, "event")
    yield NotePart(f"state of {output.format_time(copied.at)}: {events}; head: {copied.head}")
    if copied.missing_vectors:
        rebuild = f"tui-annotate lab vectors rebuild -w {shlex.quote(str(target))}"
        yield NotePart(f"the backup contains no vectors; to compute them: {rebuild}")
    yield from _describe_outside_paths(copied.folder)


def _describe_outside_paths(folder: Path) -> Iterator[Part]:
    """Describe the settings of a restored workspace that reach files of this machine."""
    from tui_annotate.settings import (
        WORKSPACE_FILE,
        describe_path_setting,
        find_outside_paths,
        load,
    )

    with suppress(TuiAnnotateError):  # invalid settings are reported when the workspace is opened
        settings = load(folder, environment={})
        for name, value in find_outside_paths(asdict(settings), folder):
            given = str(getattr(settings, name))
            checked = folder / (WORKSPACE_FILE if given else value)
            what = describe_path_setting(name, given)
            yield MessagePart(
                f"warning: the restored {what} names a path outside the workspace: {value!r};"
                f" check {checked}"
            )
