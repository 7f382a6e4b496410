"""The lines that save a damaged store, to be copied into a shell; runs none of them."""

from __future__ import annotations

import shlex
from pathlib import Path

from tui_annotate.domain.errors import Damaged, TuiAnnotateError


def suggest_repair(error: TuiAnnotateError, store: Path) -> str:
    """What to do about an error of a store: the way back where it is damaged, else the hint."""
    return recovery_command(store) if isinstance(error, Damaged) else error.hint


def recovery_command(store: Path) -> str:
    """Puts what SQLite can still read in the place of a store whose pages are damaged.

    The damaged files are kept beside it. `.dump` goes around pages that can not be read; `.recover`
    finds more, but many builds of the program `sqlite3` come without it.
    """
    steps = (
        f"cd {shlex.quote(str(store.parent))}",
        "rm -f saved.sqlite",
        f"sqlite3 {store.name} .dump | sed 's/^ROLLBACK.*/COMMIT;/' | sqlite3 saved.sqlite",
        "mkdir damaged",
        f"mv {store.name}* damaged",
        f"mv saved.sqlite {store.name}",
    )
    return f"({' && '.join(steps)}), then doctor again{_mention_backup(store)}"


def reingest_command(store: Path) -> str:
    """Takes what stands in a store that can be read, but contradicts itself, to a new workspace."""
    old = shlex.quote(str(store.parent))
    new = shlex.quote(f"{store.parent}-new")
    return (
        f"tui-annotate export -w {old} --format native -o saved.jsonl && "
        f"tui-annotate init {new} && tui-annotate ingest -w {new} saved.jsonl"
        f"{_mention_backup(store)}"
    )


def restore_command(store: Path) -> str:
    """What to do where a file is no store, or so damaged that nothing of it can be trusted."""
    return f"from a backup: tui-annotate restore DIR --to NEW{_mention_backup(store)}"


def make_again(store: Path) -> str:
    """What to do where a workspace has no store, or an empty one."""
    folder = store.parent
    if backup := newest_backup(store):
        return f"cp {shlex.quote(str(backup))} {shlex.quote(str(store))}"
    file = shlex.quote(str(folder / "tui-annotate.toml"))
    return f"there is no backup; to begin anew: rm {file} && tui-annotate init {folder}"


def command(words: str, folder: Path) -> str:
    """A command on a workspace; options may follow."""
    return f"tui-annotate {words} -w {shlex.quote(str(folder))}"


def numbered_backups(store: Path) -> dict[int, Path]:
    """The copies of a store that were made before migrations, by number."""
    paths = (store.parent / "backups").glob("store-*.sqlite")
    named = {path.stem.removeprefix("store-"): path for path in paths}
    return {int(number): path for number, path in named.items() if number.isdecimal()}


def newest_backup(store: Path) -> Path | None:
    """The last copy that was made before a migration; None where there is none."""
    return max(numbered_backups(store).items(), default=(0, None))[1]


def _mention_backup(store: Path) -> str:
    backup = newest_backup(store)
    return f"; the newest backup is {shlex.quote(str(backup))}" if backup else ""
