"""Cached replies of language models, in a file of JSON lines or in the store of a workspace."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Final

from sqlalchemy import bindparam, select

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import to_json
from tui_annotate.storage.columns import REPLIES
from tui_annotate.storage.database import CommonStore
from tui_annotate.storage.statements import upsert

_GET: Final = select(REPLIES.c.reply).where(REPLIES.c.key == bindparam("key"))
_PUT: Final = upsert(REPLIES, "key")


class ReplyFile:
    """A file of replies of language models: one line of JSON per reply, found by request hash.

    Threads may share it. Each reply is written at once; a last line that was cut short is ignored.
    Only its owner can read the file, which is created with the first reply.

    Raises:
        InvalidInput: the file contains something else.
        Unavailable: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._known: dict[str, str] = {}
        self._whole = True
        try:
            lines = self._path.read_text("utf-8").split("\n")
        except FileNotFoundError:
            return
        except UnicodeDecodeError as error:
            raise self._foreign_line_error(1) from error
        except OSError as error:
            raise self._unavailable_error("read", error) from error
        self._whole = lines[-1] == ""
        for number, line in enumerate(lines[:-1], 1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise self._foreign_line_error(number) from error
            texts = (row.get("key"), row.get("reply")) if isinstance(row, dict) else (None,)
            if not all(isinstance(text, str) for text in texts):
                raise self._foreign_line_error(number)
            self._known[row["key"]] = row["reply"]

    def get(self, key: str) -> str | None:
        return self._known.get(key)

    def put(self, key: str, reply: str, *, about: Mapping[str, Any]) -> None:
        """Write a language model's reply to the file at once; Unavailable if that fails."""
        row = {"key": key, "reply": reply, "about": dict(about)}
        line = json.dumps(row, ensure_ascii=True) + "\n"
        with self._lock:
            try:
                if not self._whole:  # the last line was cut short
                    with self._path.open("r+b") as file:
                        file.truncate(file.read().rfind(b"\n") + 1)
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
                with os.fdopen(os.open(self._path, flags, 0o600), "wb") as file:
                    file.write(line.encode())
            except OSError as error:
                raise self._unavailable_error("written", error) from error
            self._whole = True
            self._known[key] = reply

    def _foreign_line_error(self, line: int) -> InvalidInput:
        return InvalidInput(
            f"{self._path}:{line} is not a reply of a language model",
            "give a different file with --cache, or move this file away",
        )

    def _unavailable_error(self, action: str, error: OSError) -> Unavailable:
        return Unavailable(
            f"{self._path} cannot be {action}: {error.strerror}",
            "check the folder and its permissions",
        )


class ReplyStore(CommonStore):
    """Replies of language models in the database, by request hash, stored exactly as received."""

    def get(self, key: str) -> str | None:
        with self._database.reading() as connection:
            found = connection.execute(_GET, {"key": key}).scalar()
        return None if found is None else bytes(found).decode("utf-8", "surrogatepass")

    def put(self, key: str, reply: str, *, about: Mapping[str, Any]) -> None:
        """Store or replace a reply; `about` describes the request for people who read the table."""
        row = {
            "key": key,
            "reply": reply.encode("utf-8", "surrogatepass"),
            "about": to_json(dict(about)),
            "at": utc_now(),
        }
        with self._database.writing() as connection:
            connection.execute(_PUT, row)
