"""Backs up a workspace to a new folder, and restores a workspace from a backup."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import Damaged, NotFound, Unavailable
from tui_annotate.domain.keyword_names import check_keywords, earlier_keywords
from tui_annotate.domain.version import VERSION
from tui_annotate.domain.workspace_files import BACKUPS
from tui_annotate.plugins.files.output_paths import require_output_path
from tui_annotate.storage import atomic_folder
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import SCHEMA, Database
from tui_annotate.storage.integrity import broken_pages
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.vectors.store import VectorStore

FORMAT: Final = "tui-annotate-backup/1"
ABOUT: Final = "backup.json"


@dataclass(frozen=True, slots=True)
class BackupReport:
    """Contents of a backup, and the event log's number of events and digest."""

    folder: Path
    at: str
    schema: int
    app: str
    head: str
    events: int
    vectors: bool
    missing_vectors: bool
    files: int


@check_keywords
@dataclass(frozen=True, slots=True)
class BackupService:
    """Copies a workspace's database, files and, if asked, vectors to a new folder.

    The database of a backup is a SQLite file. `use_file_store` changes the settings in a folder
    accordingly, if the workspace's store is in PostgreSQL.
    """

    path: Path
    database: Database
    store: str
    extra_names: Sequence[str]
    stores: Callable[[], VectorStore]
    use_file_store: Callable[[Path], None]

    @earlier_keywords(vectors="include_vectors")
    def run(self, target: Path | str, *, include_vectors: bool = False) -> BackupReport:
        """Copy the workspace's database and files to a new folder.

        Raises:
            Conflict: the target exists.
            InvalidInput: the parent folder of the target does not exist, or a workspace keeps the
                target.
            Unavailable: the target cannot be written, or an ingest is writing vectors.
        """
        target = Path(target)
        require_output_path(target, allow=BACKUPS)
        with atomic_folder.create_folder(target) as folder:
            with self.stores().writing() if include_vectors else nullcontext():
                self.database.copy_to(folder / self.store)
                if include_vectors:
                    _copy_tree(self.stores().folder, folder / self.stores().folder.name)
            for name in self.extra_names:
                _copy_tree(self.path / name, folder / name)
            self.use_file_store(folder)
            about = _describe_store(folder / self.store, vectors=include_vectors)
            atomic_folder.write_text(
                folder / ABOUT, json.dumps({"format": FORMAT, **about}, indent=2) + "\n"
            )
            files = len(atomic_folder.write_sums(folder))
        return BackupReport(target.absolute(), **about, files=files)


def restore(source: Path, target: Path, *, store: str, folders: Sequence[str]) -> BackupReport:
    """Create a workspace from a backup, and check the copied files and database.

    Raises:
        NotFound: the source is not a backup.
        Conflict: the target is not empty.
        InvalidInput: the target is below a folder that a workspace keeps.
        Damaged: a file of the backup, or its database, was changed.
        Unavailable: the backup was made by a newer version of the program.
    """
    about = _read_about(source)
    require_output_path(target)
    with atomic_folder.create_folder(target) as folder:
        files = atomic_folder.copy_checked(source, folder)
        (folder / ABOUT).unlink()
        for name in folders:
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        _check_store(folder / store, head=str(about["head"]))
    return BackupReport(target, **about, files=len(files))


def _check_store(store: Path, *, head: str) -> None:
    with closing(SqliteDatabase(store)) as database:
        if (version := database.version()) > SCHEMA:
            raise Unavailable(
                f"the backup has schema version {version}; this program supports up to {SCHEMA}",
                "install a newer version of tui-annotate",
            )
        wrong = broken_pages(database)
        if wrong or AuditStore(database).head().token != head:
            problem = wrong or "the event log does not match the head recorded in the backup"
            raise Damaged(f"the database of the backup is damaged: {problem}", "use another backup")


def _copy_tree(source: Path, target: Path) -> None:
    if source.is_symlink():
        return
    if source.is_file():
        atomic_folder.copy(source, target)
    elif source.is_dir():
        target.mkdir(mode=0o700, exist_ok=True)
        for each in sorted(source.iterdir()):
            _copy_tree(each, target / each.name)


def _describe_store(store: Path, *, vectors: bool) -> dict[str, Any]:
    with closing(SqliteDatabase(store)) as database:
        head = AuditStore(database).head()
        missing = not vectors and CorpusStore(database).vector_set() is not None
    return {
        "at": utc_now(),
        "schema": SCHEMA,
        "app": VERSION,
        "head": head.token,
        "events": head.events,
        "vectors": vectors,
        "missing_vectors": missing,
    }


def _read_about(source: Path) -> dict[str, Any]:
    try:
        value = json.loads((source / ABOUT).read_text("utf-8"))
        if value.pop("format") != FORMAT:
            raise KeyError("format")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound(
            f"{source} is not a backup: it has no file {ABOUT}", "give the folder of a backup"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(
            f"{source / ABOUT} is not a valid description of a backup", "use another backup"
        ) from error
    return dict(value)
