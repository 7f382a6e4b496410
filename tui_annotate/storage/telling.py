"""Errors of SQLite, SQLAlchemy and the file system in our words; the one place for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tui_annotate.domain.errors import (
    Conflict,
    Damaged,
    InvalidInput,
    TuiAnnotateError,
    Unavailable,
)

SAVE: Final = "tui-annotate doctor prints the line that saves what can be read"
"""The hint of a damaged store; the line itself is too long for the screen."""

_HINTS: Final = {
    "SQLITE_FULL": ("the disk is full", "free some space; nothing of the last action was kept"),
    "SQLITE_IOERR": (
        "the disk refused to read or write",
        "is it full, or was it taken away? nothing of the last action was kept",
    ),
    "SQLITE_READONLY": ("it is read-only", "make file and folder writable: chmod u+w"),
    "SQLITE_CANTOPEN": ("it can not be opened", "check that its folder is there and writable"),
    "SQLITE_PERM": ("access is refused", "check its owner and mode"),
    "SQLITE_AUTH": ("access is refused", "check its owner and mode"),
    "SQLITE_BUSY": ("another process holds it", "wait for it to end, then do it again"),
    "SQLITE_LOCKED": ("another process holds it", "wait for it to end, then do it again"),
    "SQLITE_PROTOCOL": ("another process holds it", "wait for it to end, then do it again"),
    "SQLITE_CORRUPT": ("it is damaged", SAVE),
    "SQLITE_NOTADB": ("it is not a store", SAVE),
    "SQLITE_ERROR": ("", SAVE),  # tables are missing, or others than ours
    "SQLITE_NOMEM": ("no memory is left", "close other programs, then do it again"),
    "SQLITE_TOOBIG": ("a value is too large", "split the document"),
}


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Tells what is raised within of the store at a path.

    Raises:
        Conflict: a row breaks a rule of the tables.
        InvalidInput: a text is none that can be stored.
        Unavailable: anything else, with the reason and the next step.
    """
    try:
        yield
    except DBAPIError as error:
        raise _told(error.orig, path) from error
    except (sqlite3.Error, PoolTimeout) as error:
        raise _told(error, path) from error
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{error.object!r} holds half a character at offset {error.start}",
            "it was cut or typed in another encoding; write it anew",
        ) from error
    except OSError as error:
        raise Unavailable(
            f"the store {path} can not be used: {error.strerror or error}",
            "check the disk and the folder's owner and mode",
        ) from error


def _told(error: Any, path: Path) -> TuiAnnotateError:
    name = str(getattr(error, "sqlite_errorname", ""))
    if name.startswith("SQLITE_CONSTRAINT"):
        return Conflict(f"the store refuses it: {error}", "look at it as it is now")
    if isinstance(error, PoolTimeout):
        name = "SQLITE_BUSY"
    reason, hint = _HINTS.get("_".join(name.split("_")[:2]), ("", "do it again"))
    kind = Damaged if hint == SAVE else Unavailable
    # The reason goes before the path, which may be longer than the screen is wide.
    return kind(f"the store can not be used, {reason or error}: {path}", hint)
