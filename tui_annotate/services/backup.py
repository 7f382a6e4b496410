"""Backup: a copy of a workspace in a folder of its own, and a workspace out of such a copy."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import Damaged, NotFound, Unavailable
from tui_annotate.domain.version import VERSION
from tui_annotate.storage import whole_folder
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import SCHEMA, Database
from tui_annotate.storage.inspection import broken_pages
from tui_annotate.storage.vectors.store import VectorStore
from tui_annotate.storage.work.audit import AuditStore

__all__ = ["Backup", "Copied", "restore"]

FORMAT: Final = "tui-annotate-backup/1"
ABOUT: Final = "backup.json"
"""What a copy says of itself; stays behind when it is restored."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What lies in a copy, or was made out of one.

    Attributes:
        at: when the copy was made, UTC.
        schema: the version of the store's tables.
        app: the version of the program that made the copy.
        head, events: of the log, as `audit head` prints them.
        vectors: whether those of the assist are with it.
        missing_vectors: whether the store counts on some that are not there.
        files: how many, without their sums.
    """

    folder: Path
    at: str
    schema: int
    app: str
    head: str
    events: int
    vectors: bool
    missing_vectors: bool
    files: int


@dataclass(frozen=True, slots=True)
class Backup:
    """Makes copies of one workspace, also while people are at work.

    Attributes:
        store: the name of the store's file in the workspace's folder.
        beside: names of files and folders that are copied with it, where they are there.
        stores: opens the vectors; called where they are copied.
    """

    path: Path
    database: Database
    store: str
    beside: Sequence[str]
    stores: Callable[[], VectorStore]

    def run(self, target: Path, *, vectors: bool = False) -> Copied:
        """Copies the store as one moment has it, and what lies beside it, to a new folder.

        Args:
            vectors: whether those of the assist are copied too; nothing is ingested meanwhile.

        Raises:
            Conflict: there is something at the target.
            InvalidInput: the folder that is to hold it is not there.
            Unavailable: it can not be written, or an ingest is writing vectors.
        """
        with whole_folder.made(target) as folder:
            with self.stores().writing() if vectors else nullcontext():
                self.database.copy_to(folder / self.store)
                if vectors:
                    _copy_tree(self.stores().folder, folder / self.stores().folder.name)
            for name in self.beside:
                _copy_tree(self.path / name, folder / name)
            about = _about(folder / self.store, vectors=vectors)
            _write(folder / ABOUT, json.dumps({"format": FORMAT, **about}, indent=2) + "\n")
            files = len(whole_folder.write_sums(folder))
        return Copied(target.absolute(), **about, files=files)


def restore(source: Path, target: Path, *, store: str, folders: Sequence[str]) -> Copied:
    """Makes a workspace out of a copy: every file held against its sum, the store looked at.

    Args:
        target: its folder, which is not there yet, or is empty.
        store: the name of the store's file.
        folders: those that a workspace has, made where the copy has none.

    Raises:
        NotFound: the source is no copy.
        Conflict: something lies in the target.
        Damaged: a file of the copy, or its store, is not what it was.
        Unavailable: the copy was made by a newer version.
    """
    about = _read_about(source)
    with whole_folder.made(target) as folder:
        files = whole_folder.copy_checked(source, folder)
        (folder / ABOUT).unlink()
        for name in folders:
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        _check(folder / store, head=str(about["head"]))
    return Copied(target, **about, files=len(files))


def _check(store: Path, *, head: str) -> None:
    """Looks at a copied store: pages, version, and that its log ends where the copy says.

    Raises:
        Damaged, Unavailable: it does not hold together, or is newer than this program.
    """
    database = Database(store)
    try:
        if (version := database.version()) > SCHEMA:
            raise Unavailable(
                f"the copy has version {version}; this program knows up to {SCHEMA}",
                "install a newer tui-annotate",
            )
        wrong = broken_pages(database)
        if wrong or AuditStore(database).head().token != head:
            raise Damaged(
                f"the store of the copy does not hold together: {wrong or 'its log differs'}",
                "take another copy",
            )
    finally:
        database.close()


def _copy_tree(source: Path, target: Path) -> None:
    """A file or a folder with all below it; links and what is not there are left out."""
    if source.is_symlink():
        return
    if source.is_file():
        whole_folder.copy(source, target)
    elif source.is_dir():
        target.mkdir(mode=0o700, exist_ok=True)
        for each in sorted(source.iterdir()):
            _copy_tree(each, target / each.name)


def _about(store: Path, *, vectors: bool) -> dict[str, Any]:
    """What a copied store says of itself."""
    database = Database(store)
    try:
        head = AuditStore(database).head()
        missing = not vectors and CorpusStore(database).vector_set() is not None
    finally:
        database.close()
    return {
        "at": utc_now(),
        "schema": SCHEMA,
        "app": VERSION,
        "head": head.token,
        "events": head.events,
        "vectors": vectors,
        "missing_vectors": missing,
    }


def _write(file: Path, text: str) -> None:
    file.touch(mode=0o600)
    file.write_text(text, "utf-8")


def _read_about(source: Path) -> dict[str, Any]:
    try:
        value = json.loads((source / ABOUT).read_text("utf-8"))
        if value.pop("format") != FORMAT:
            raise KeyError("format")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound(f"{source} is no backup: it holds no {ABOUT}", "name its folder") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"{source / ABOUT} is not what backup wrote", "take another copy") from error
    return dict(value)
