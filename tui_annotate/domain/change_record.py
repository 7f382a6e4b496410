"""The record of changes: a hash chain of what changed in a workspace apart from the event log.

Each entry names the changed rows (people, accounts, label sets, guidelines, datasets, samples,
assignments, weights of the assist) with their content before and after the change. A content that
is long is represented by its SHA-256. A replay of all entries gives the content that each row must
have, so that a row which another program changed is found.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.history import canonical_json

SHORT_CONTENT: Final = 200
"""Maximum number of characters of a row's content that an entry holds as it is."""
NO_ENTRY: Final = "0" * 64
"""Stands for the hash of the last entry in a record without entries."""
_TOKEN: Final = re.compile(r"v2:([0-9]{1,15}):([0-9a-f]{64}):([0-9]{1,15}):([0-9a-f]{64})")


class RowChange(NamedTuple):
    """A changed row: its table and key, and its content before and after; None for no row."""

    table: str
    key: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class RecordEntry:
    """An entry of the record of changes.

    Attributes:
        number: from 1 without gaps.
        at: ISO 8601, UTC; for display.
        prev: hash of the previous entry; `NO_ENTRY` for the first one.
    """

    number: int
    at: str
    app: str
    changes: tuple[RowChange, ...]
    prev: str = NO_ENTRY

    @property
    def hash(self) -> str:
        """SHA-256, in hex, of the previous entry's hash and the canonical JSON of this entry."""
        content = canonical_json([self.number, self.at, self.app, self.changes])
        return hashlib.sha256(f"{self.prev}\n{content}".encode()).hexdigest()

    def as_text(self) -> str:
        """Return the entry as it is stored."""
        value = [self.at, self.app, self.changes, self.prev, self.hash]
        return json.dumps(value, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class RecordHead:
    """The number of entries in a record of changes, and the hash of the last one."""

    entries: int = 0
    hash: str = NO_ENTRY


def entry_from_text(number: int, text: str, *, prev: str) -> RecordEntry | None:
    """Return a stored entry that follows the entry with hash `prev`; None if it was altered."""
    try:
        at, app, changes, before, stored = json.loads(text)
        entry = RecordEntry(number, at, app, tuple(RowChange(*each) for each in changes), before)
        return entry if (before, stored) == (prev, entry.hash) else None
    except (ValueError, TypeError):
        return None


def represent_content(content: str, *, hashed: bool = False) -> str:
    """Return a row's content as an entry holds it; `hashed` or long: its SHA-256."""
    if not hashed and len(content) <= SHORT_CONTENT:
        return content
    return f"sha256:{hashlib.sha256(content.encode('utf-8', 'surrogatepass')).hexdigest()}"


def commit_content(content: str, *, salt: str) -> str:
    """Return a hash of a content that reveals nothing about it once the salt is deleted."""
    digest = hashlib.sha256(f"{salt}\n{content}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"salted:{digest}"


def join_tokens(log: str, record: RecordHead) -> str:
    """Return the full head of a workspace from the head COUNT:DIGEST of its event log."""
    return f"v2:{log}:{record.entries}:{record.hash}"


def split_tokens(token: str) -> tuple[str, RecordHead | None]:
    """Split a head into that of the event log, and that of the record (None in the short form).

    Raises:
        InvalidInput: a token that begins like a full head is not complete.
    """
    token = token.strip()
    if not token.startswith("v2:"):
        return token, None
    found = _TOKEN.fullmatch(token)
    if found is None:
        raise InvalidInput(
            f"{token!r} is not a full head in the form v2:COUNT:DIGEST:ENTRIES:HASH",
            "copy the whole line that tui-annotate audit head printed",
        )
    return f"{found[1]}:{found[2]}", RecordHead(int(found[3]), found[4])


@dataclass(frozen=True, slots=True)
class RowFault:
    """A row that does not have the content which the record of changes gives it.

    Attributes:
        name: what the row is about, such as a person's name; empty for a fault of the record.
        recorded, found: contents; None for no row.
    """

    table: str
    key: str
    name: str
    recorded: str | None
    found: str | None
    message: str


def describe_change(recorded: str | None, found: str | None) -> str:
    """Return in words what happened to a row; None stands for a row that does not exist."""
    if recorded is None:
        return "the row was added outside the program"
    if found is None:
        return "the row was removed outside the program"
    return "the row was changed outside the program"
