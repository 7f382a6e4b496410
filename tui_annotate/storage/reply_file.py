"""Cached replies of language models, in a file of JSON lines or in the store of a workspace."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Any, BinaryIO, Final, NamedTuple

from sqlalchemy import bindparam, select

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import to_json
from tui_annotate.storage.columns import REPLIES
from tui_annotate.storage.database import CommonStore
from tui_annotate.storage.statements import upsert

_GET: Final = select(REPLIES.c.reply, REPLIES.c.about).where(REPLIES.c.key == bindparam("key"))
_PUT: Final = upsert(REPLIES, "key")

_log = logging.getLogger(__name__)


class _StoredReply(NamedTuple):
    text: str
    host: str


class ReplyFile:
    """A file of replies of language models: one line of JSON per reply, found by request hash.

    Threads and processes may share it: a reply is appended at once, under a lock, and a reply that
    another process appends is found, too. The oldest replies come first. A last line that was cut
    short is ignored; other unreadable lines are skipped, with a warning that counts them. The file
    is created with the first reply. Only its owner can read it: permissions of other users for a
    file of replies of the current user are removed when it is opened.

    Raises:
        InvalidInput: the file contains lines, but no reply.
        Unavailable: the file cannot be read.
    """

    keeps = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._known: dict[str, _StoredReply] = {}
        self._file_id: tuple[int, int] | None = None
        self._end = 0
        """Offset in bytes of the first line that was not read yet, in the file with this id."""
        self.unreadable = 0
        try:
            self._read_new_lines()
        except OSError as error:
            raise self._unavailable_error("read", error) from error
        if self.unreadable and not self._known:
            raise InvalidInput(
                f"{self._path} contains no reply of a language model",
                "name a different file, or move this file away",
            )
        if self.unreadable:
            _log.warning(
                "%s: skipped unreadable lines, which are no replies: %s",
                make_line_visible(str(self._path)),
                f"{self.unreadable:,}",
            )

    def get(self, key: str, *, host: str = "") -> str | None:
        """Return the reply to a request; with `host`, only a reply that this host sent."""
        if key not in self._known:
            with self._lock, suppress(OSError):  # a reply that cannot be read is requested again
                self._read_new_lines()
        found = self._known.get(key)
        return None if found is None or (host and found.host != host) else found.text

    def put(self, key: str, reply: str, *, about: Mapping[str, Any]) -> None:
        """Write a language model's reply to the file at once; Unavailable if that fails."""
        row = {"key": key, "reply": reply, "about": dict(about)}
        line = json.dumps(row, ensure_ascii=True) + "\n"
        with self._lock:
            try:
                with _open_locked(self._path, os.O_CREAT | os.O_APPEND) as file:
                    _make_private(file)
                    _remove_cut_line(file)
                    file.write(line.encode())
            except OSError as error:
                raise self._unavailable_error("written", error) from error
            self._known[key] = _StoredReply(reply, str(about.get("host", "")))

    def _read_new_lines(self) -> None:
        try:
            status = self._path.stat()
            size = status.st_size
            file_id = (status.st_dev, status.st_ino)
            if size < self._end or file_id != self._file_id:  # the file was replaced
                self._end = 0
                self._file_id = file_id
            if size == self._end:
                return
            with self._path.open("rb") as file:
                file.seek(self._end)
                self._add_lines(file.read())
                if self._known:  # any other file stays as it is
                    _make_private(file)
        except FileNotFoundError:
            self._end = 0

    def _add_lines(self, content: bytes) -> None:
        whole = content[: content.rfind(b"\n") + 1]
        self._end += len(whole)
        for line in filter(bytes.strip, whole.split(b"\n")):
            found = _parse_line(line)
            if found is None:
                self.unreadable += 1
            else:
                self._known[found[0]] = found[1]

    def _unavailable_error(self, action: str, error: OSError) -> Unavailable:
        return Unavailable(
            f"{self._path} cannot be {action}: {error.strerror}",
            "check the folder and its permissions",
        )


@contextmanager
def _open_locked(path: Path, flags: int = 0) -> Iterator[BinaryIO]:
    """Open a file of replies for reading and writing, and lock it against other processes."""
    while True:
        with os.fdopen(os.open(path, os.O_RDWR | flags, 0o600), "r+b") as file:
            with suppress(OSError):  # some network drives have no locks
                fcntl.flock(file, fcntl.LOCK_EX)
            # The process that held the lock may have deleted or replaced the file meanwhile.
            try:
                is_current = os.path.samestat(os.fstat(file.fileno()), path.stat())
            except FileNotFoundError:
                is_current = False
            if is_current:
                yield file
                return


def _make_private(file: BinaryIO) -> None:
    """Remove the permissions of other users from an open regular file of the current user."""
    status = os.fstat(file.fileno())
    own = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
    if own and stat.S_IMODE(status.st_mode) & 0o077:
        with suppress(OSError):  # for example on a read-only disk
            os.fchmod(file.fileno(), 0o600)


def _parse_line(line: bytes) -> tuple[str, _StoredReply] | None:
    """Return the key and the reply of a line; None for a line that is no reply."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    key = row.get("key")
    reply = row.get("reply")
    about = row.get("about")
    if not isinstance(key, str) or not isinstance(reply, str):
        return None
    host = about.get("host") if isinstance(about, dict) else None
    return key, _StoredReply(reply, host if isinstance(host, str) else "")


class ReplyFileSize(NamedTuple):
    """Numbers of replies and of unreadable lines in a file of replies, and its size in bytes."""

    replies: int
    unreadable: int
    size: int


def measure_replies(path: Path | str) -> ReplyFileSize:
    """Count the lines of a file of replies; a missing file is empty.

    Raises:
        Unavailable: the file cannot be read.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ReplyFileSize(0, 0, 0)
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be read: {error.strerror}", "check the folder and its permissions"
        ) from error
    lines = [_parse_line(line) for line in filter(bytes.strip, content.split(b"\n"))]
    unreadable = lines.count(None)
    return ReplyFileSize(len(lines) - unreadable, unreadable, len(content))


def delete_oldest_replies(path: Path, *, keep: int) -> int:
    """Delete all but the newest replies of a file, and its unreadable lines.

    Other processes may use the file meanwhile. Returns the number of deleted replies; 0 for a
    missing file.

    Raises:
        Unavailable: the file cannot be read or written; it is unchanged.
    """
    try:
        path = path.resolve()  # a link to the file stays one
        with _open_locked(path) as file:
            lines = [line for line in file.read().split(b"\n") if _parse_line(line) is not None]
            kept = lines[max(len(lines) - keep, 0) :]
            # The old file is replaced at once, so that no crash loses replies.
            with NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as new:
                try:
                    new.writelines(line + b"\n" for line in kept)
                    new.flush()
                    os.fsync(new.fileno())
                    Path(new.name).replace(path)
                except OSError:
                    Path(new.name).unlink(missing_ok=True)
                    raise
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be written: {error.strerror}", "check the folder and its permissions"
        ) from error
    return len(lines) - len(kept)


def _remove_cut_line(file: BinaryIO) -> None:
    """Remove the end of a file that is no whole line, which a killed process has left.

    A file without any whole line may be no cache: it gets a line end, and is kept.
    """
    size = file.seek(0, os.SEEK_END)
    if not size:
        return
    file.seek(size - 1)
    if file.read(1) != b"\n":
        file.seek(0)
        whole = file.read().rfind(b"\n") + 1
        if whole:
            file.truncate(whole)
        else:
            file.seek(0, os.SEEK_END)
            file.write(b"\n")


class ReplyStore(CommonStore):
    """Replies of language models in the database, by request hash, stored exactly as received."""

    keeps = True

    def get(self, key: str, *, host: str = "") -> str | None:
        """Return the reply to a request; with `host`, only a reply that this host sent."""
        with self._database.reading() as connection:
            found = connection.execute(_GET, {"key": key}).one_or_none()
        if found is None or (host and json.loads(found.about).get("host") != host):
            return None
        return bytes(found.reply).decode("utf-8", "surrogatepass")

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
