"""Shell commands that repair a damaged store; the module only prints them for the user."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import Damaged, TuiAnnotateError
from tui_annotate.domain.workspace_files import BACKUPS, WORKSPACE_FILE

WRONG_TYPE: Final = "wrong-type"
"""Code of the error for a stored value that has a wrong type."""


def suggest_repair(error: TuiAnnotateError, store: Path) -> str:
    """Return the next step after a database error: its hint, or a command that restores the store.

    A value of a wrong type is not lost by a damaged page, so a copy of the store would keep it.
    """
    if error.code == WRONG_TYPE:
        return restore_command(store)
    return recovery_command(store) if isinstance(error, Damaged) else error.hint


def recovery_command(store: Path) -> str:
    """Return a shell command that saves what SQLite can still read of a damaged database.

    `.dump` skips pages that cannot be read; `.recover` finds more, but many builds of the program
    `sqlite3` do not have it.
    """
    steps = (
        f"cd {shlex.quote(str(store.parent))}",
        "rm -f saved.sqlite",
        f"sqlite3 {store.name} .dump | sed 's/^ROLLBACK.*/COMMIT;/' | sqlite3 saved.sqlite",
        "mkdir damaged",
        f"mv {store.name}* damaged",
        f"mv saved.sqlite {store.name}",
    )
    return f"({' && '.join(steps)}), then run doctor again{_mention_backup(store)}"


def reingest_command(store: Path) -> str:
    """Return a command that exports a readable but inconsistent database to a new workspace.

    The new workspace has the data as they are now, whether another program altered them or not.
    """
    old = shlex.quote(str(store.parent))
    new = shlex.quote(f"{store.parent}-new")
    return (
        f"tui-annotate export -w {old} --to native -o saved.jsonl && "
        f"tui-annotate init {new} && tui-annotate ingest -w {new} saved.jsonl"
        f"{_mention_backup(store)}"
    )


def restore_command(store: Path) -> str:
    """Return what to do if a file is not a database, or is too damaged to be trusted."""
    return f"restore a backup: tui-annotate backup restore BACKUP DIR{_mention_backup(store)}"


def restore_log_command(store: Path) -> str:
    """Return what to do if the event log and the tables are not as the program wrote them.

    An export to a new workspace would make altered work look like unaltered imported work.
    """
    return (
        f"{restore_command(store)}; find what was altered: {command('audit verify', store.parent)};"
        " without a backup, an export keeps the work as it is now, with what was altered:"
        f" {command('export --to native -o saved.jsonl', store.parent)}"
    )


def restore_text_command(store: Path) -> str:
    """Return what to do if a stored text, or its sentences, are not the imported ones any more.

    An export to a new workspace would give the altered text a valid hash. The original file can be
    imported again: its text is stored only if it has the hash of the text that was imported.
    """
    return (
        f"{restore_command(store)}; or import the original file again, which stores a damaged text"
        " and its sentences again if the file's text has the same hash:"
        f" {command('ingest FILE', store.parent)}"
    )


def make_again(store: Path) -> str:
    """Return what to do if a workspace has no database, or an empty one."""
    folder = store.parent
    if backup := newest_backup(store):
        return f"cp {shlex.quote(str(backup))} {shlex.quote(str(store))}"
    file = shlex.quote(str(folder / WORKSPACE_FILE))
    init = f"tui-annotate init {shlex.quote(str(folder))}"
    return f"there is no backup; to start again: rm {file} && {init}"


def command(words: str, folder: Path) -> str:
    """Return a command with the workspace it applies to, quoted for a shell."""
    return f"tui-annotate {words} -w {shlex.quote(str(folder))}"


def numbered_backups(store: Path) -> dict[int, Path]:
    """Return, by number, the backups that were made before migrations of a database."""
    paths = (store.parent / BACKUPS).glob("store-*.sqlite")
    named = {path.stem.removeprefix("store-"): path for path in paths}
    return {int(number): path for number, path in named.items() if number.isdecimal()}


def newest_backup(store: Path) -> Path | None:
    """Return the numbered backup of a store with the highest number; None for none."""
    return max(numbered_backups(store).items(), default=(0, None))[1]


def _mention_backup(store: Path) -> str:
    backup = newest_backup(store)
    return f"; the newest backup is {shlex.quote(str(backup))}" if backup else ""
