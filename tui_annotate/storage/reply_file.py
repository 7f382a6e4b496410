"""Replies of language models in a file of lines, for deeds that need no workspace."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from tui_annotate.domain.errors import InvalidInput, Unavailable


class ReplyFile:
    """Replies by the hash of all that was asked, a line of JSON each. Threads may share it.

    A line is written as soon as a reply is there; the last one, where it was cut short, counts for
    nothing. The file is for its owner alone, and is made with the first reply.

    Raises:
        InvalidInput: the file holds something else.
        Unavailable: it can not be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._known: dict[str, str] = {}
        self._whole = True
        self._read()

    def _read(self) -> None:
        try:
            lines = self._path.read_text("utf-8").split("\n")
        except FileNotFoundError:
            return
        except UnicodeDecodeError as error:
            raise self._foreign(1) from error
        except OSError as error:
            raise self._unavailable("read", error) from error
        self._whole = lines[-1] == ""
        for number, line in enumerate(lines[:-1], 1):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise self._foreign(number) from error
            if not isinstance(row, dict) or not _is_text(row.get("key"), row.get("reply")):
                raise self._foreign(number)
            self._known[row["key"]] = row["reply"]

    def get(self, key: str) -> str | None:
        """The reply to a question; None where it was never asked."""
        return self._known.get(key)

    def put(self, key: str, reply: str, *, about: Mapping[str, Any]) -> None:
        """Keeps a reply at once.

        Raises:
            Unavailable: the file can not be written.
        """
        row = {"key": key, "reply": reply, "about": dict(about)}
        line = json.dumps(row, ensure_ascii=True) + "\n"
        with self._lock:
            try:
                if not self._whole:
                    self._cut()
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
                with os.fdopen(os.open(self._path, flags, 0o600), "wb") as file:
                    file.write(line.encode())
            except OSError as error:
                raise self._unavailable("written", error) from error
            self._whole = True
            self._known[key] = reply

    def _cut(self) -> None:
        """Takes off a last line that was cut short."""
        with self._path.open("r+b") as file:
            file.truncate(file.read().rfind(b"\n") + 1)

    def _foreign(self, line: int) -> InvalidInput:
        return InvalidInput(
            f"{self._path}:{line} is no reply that was kept",
            "name another file with --cache, or move this one away",
        )

    def _unavailable(self, deed: str, error: OSError) -> Unavailable:
        return Unavailable(
            f"{self._path} can not be {deed}: {error.strerror}", "check its folder and mode"
        )


def _is_text(*values: object) -> bool:
    return all(isinstance(value, str) for value in values)
