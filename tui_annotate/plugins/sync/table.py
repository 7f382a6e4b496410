"""Client of the shared table `annotations_current`, which PostgREST or Supabase serves.

Replies are read up to a limit, and rejected unless they match the request exactly. Redirects are
reported, not followed, so that the key goes to only one host.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import Conflict, NotAllowed, NotFound, Unavailable
from tui_annotate.plugins.files.json_values import SURROGATE
from tui_annotate.plugins.http_errors import TransientFailure, connection_failure, retry_after
from tui_annotate.plugins.http_transport import open_client, read_body
from tui_annotate.plugins.retry import RetryPolicy
from tui_annotate.plugins.sync.sync_key import (
    KEY,
    URL,
    check_address,
    read_sync_key,
    redact_message,
)

if TYPE_CHECKING:
    import httpx2

_OPEN_POLICY: Final = """\
-- Every user with the key may read, write and delete all rows, also rows of other users.
drop policy if exists annotations_current_all on annotations_current;
create policy annotations_current_all on annotations_current
  for all using (true) with check (true);
"""

_OWN_ROWS_POLICY: Final = """\
-- Every user has a token whose claim "username" is the user's name in tui-annotate, and may read,
-- write and delete only rows of this user. A key without this claim has no access, for example
-- the anon key.
drop policy if exists annotations_current_all on annotations_current;
create policy annotations_current_all on annotations_current for all
  using (username = current_setting('request.jwt.claims', true)::json ->> 'username')
  with check (username = current_setting('request.jwt.claims', true)::json ->> 'username');
"""

_CREATE_TABLE: Final = """\
-- Table for tui-annotate sync. Run this script as the owner of the database; it may run again.
create table if not exists annotations_current (
  dataset text not null,
  username text not null,
  annotation_key text not null,
  payload jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (dataset, username, annotation_key)
);
create index if not exists annotations_current_username on annotations_current (username);
create or replace function annotations_current_touch() returns trigger language plpgsql as $$
begin
  new.created_at = old.created_at;
  -- Times always increase, so that every change is detected.
  new.updated_at = greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  return new;
end $$;
drop trigger if exists annotations_current_touch on annotations_current;
create trigger annotations_current_touch before update on annotations_current
  for each row execute function annotations_current_touch();
alter table annotations_current enable row level security;
"""


def init_sql(*, everybody: bool) -> str:
    """Return the SQL script that creates the shared table; `everybody`: all users share one key."""
    return f"{_CREATE_TABLE}\n{_OPEN_POLICY if everybody else _OWN_ROWS_POLICY}"


TABLE: Final = "annotations_current"
KEYS: Final = "dataset,username,annotation_key"
"""Columns of the primary key of the table in which annotators share their work."""
_COLUMNS: Final = ("dataset", "username", "annotation_key", "created_at", "updated_at")
AT_ONCE: Final = 40
"""Maximum number of keys in a request to the shared table, as a URL's length is limited."""
_BATCH_ROWS = 100
_BATCH_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class SyncRow:
    """A row of the table in which annotators share work; times have the server's format."""

    dataset: str
    username: str
    annotation_key: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    created_at: str = ""
    updated_at: str = ""

    @property
    def name(self) -> tuple[str, str, str]:
        """The key of the row: dataset, user and annotation."""
        return self.dataset, self.username, self.annotation_key

    def matches(self, dataset: str, username: str, keys: Sequence[str]) -> bool:
        """Return whether a shared row has this dataset, user and key; empty values match all."""
        named = dataset in ("", self.dataset) and username in ("", self.username)
        return named and (not keys or self.annotation_key in keys)

    def exported(self) -> dict[str, Any]:
        """Return the row for JSON: the payload and the columns."""
        own = {name: getattr(self, name) for name in _COLUMNS}
        return {**self.payload, **own}


def _match_equal(dataset: str, username: str) -> dict[str, str]:
    wanted = {"dataset": dataset, "username": username}
    return {name: f"eq.{value}" for name, value in wanted.items() if value}


def _match_any(keys: Sequence[str]) -> str:
    """Return a PostgREST filter for rows with one of the keys; quote each key."""
    plain = (key.replace("\\", "\\\\").replace('"', '\\"') for key in keys)
    quoted = ",".join(f'"{key}"' for key in plain)
    return f"in.({quoted})"


def _batches(rows: Sequence[SyncRow]) -> Iterator[list[SyncRow]]:
    batch: list[SyncRow] = []
    size = 0
    for row in rows:
        length = len(json.dumps(row.payload))
        if batch and (len(batch) == _BATCH_ROWS or size + length > _BATCH_BYTES):
            yield batch
            batch = []
            size = 0
        batch.append(row)
        size += length
    if batch:
        yield batch


def parse_row(value: Any) -> SyncRow:
    """Parse a row of the shared table in a reply; raise Unavailable if it is not valid."""
    found = value if isinstance(value, dict) else {}
    words = {name: found.get(name, "") for name in _COLUMNS}
    payload = found.get("payload", {})
    named = all(words[name] for name in ("dataset", "username", "annotation_key"))
    storable = all(isinstance(word, str) and not SURROGATE.search(word) for word in words.values())
    if not storable or not named:
        raise Unavailable(
            "the table contains an invalid row",
            "compare the table with the SQL printed by: tui-annotate sync table-sql",
        )
    if not isinstance(payload, dict):
        where = redact_message(f"{words['dataset']}/{words['annotation_key']}")
        raise Unavailable(
            f"the payload of row {where} is not a JSON object",
            "check which program wrote this row of the shared table",
        )
    return SyncRow(payload=payload, **words)


def _error_message(body: bytes) -> str:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    text = value.get("message") if isinstance(value, dict) else None
    message = text if isinstance(text, str) else body.decode("utf-8", "replace")
    return redact_message(message) or "no reason given"


_PATH: Final = f"/rest/v1/{TABLE}"
_PAGE = 100
"""Maximum rows of the shared table per request, with annotations."""
_BARE_PAGE = 1000
"""Maximum rows of the shared table per request, without annotations."""
_MOST_ROW_BYTES: Final = 64 * 2**20
_MOST_REPLY_BYTES: Final = 1_000_000
# Timeouts in seconds.
_CONNECT = 10.0  # for connecting
_READ = 30.0  # between received bytes
_REPLY_TIMEOUT = 120.0  # for a whole reply
_ATTEMPTS: Final = 4
_LONGEST_WAIT: Final = 60.0
"""Maximum wait in seconds that the server of a shared table may request."""
_TRANSIENT: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class SharedTable:
    """Client of the table in which annotators share their work. Not thread-safe.

    Raises:
        InvalidInput: the address is invalid, or contains a password, query or fragment.
    """

    def __init__(
        self,
        address: str,
        *,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        attempts: int = _ATTEMPTS,
    ) -> None:
        self._url = check_address(address)
        self._clock = clock
        self.host = redact_message(self._url.netloc.decode("ascii"))
        self._retry = RetryPolicy(
            self.host,
            wait=wait,
            backoff=lambda attempt: 2.0**attempt / 2,
            attempts=attempts,
            first_attempts=attempts,
            longest_asked=_LONGEST_WAIT,
            hint="try again later: the annotations on this machine are unchanged",
        )

    def __str__(self) -> str:
        return self.host

    @property
    def identity(self) -> str:
        """The URL that identifies the shared table, without any secret."""
        return str(self._url)

    def rows(
        self,
        *,
        dataset: str = "",
        username: str = "",
        keys: Sequence[str] = (),
        payloads: bool = True,
    ) -> Iterator[SyncRow]:
        """Yield the rows of the shared table that pass the filters, oldest first.

        Empty filters pass all rows; at most `AT_ONCE` keys. The first empty page is the end.

        Raises:
            NotAllowed, NotFound, Unavailable: the table cannot be read.
        """
        columns = "*" if payloads else f"{KEYS},updated_at"
        query = {
            "select": columns,
            "order": f"created_at.asc,{KEYS}",
            **_match_equal(dataset, username),
        }
        if keys:
            query["annotation_key"] = _match_any(keys)
        size = _PAGE if payloads else _BARE_PAGE
        offset = 0
        last = ("", "", "")
        while True:
            page = {**query, "limit": str(size), "offset": str(offset)}
            send = partial(self._send, "GET", page, most=_MOST_ROW_BYTES)
            found = [parse_row(each) for each in self._retry(send)]
            if not found:
                return
            wanted = all(each.matches(dataset, username, keys) for each in found)
            # A server that ignores the offset would return the same page forever.
            if not wanted or found[0].name == last:
                raise Unavailable(
                    f"{self.host} returned rows that were not requested",
                    f"check that {URL} is the address of a PostgREST server",
                )
            last = found[0].name
            yield from found
            offset += len(found)

    def upsert(self, rows: Sequence[SyncRow]) -> Iterator[SyncRow]:
        """Insert or replace rows of the shared table; yield the stored rows without annotations.

        Raises:
            NotAllowed, NotFound, Conflict, Unavailable: the table cannot be written; the rows
                that were already yielded are stored.
        """
        query = {"on_conflict": KEYS, "select": f"{KEYS},created_at,updated_at"}
        for batch in _batches(rows):
            wanted = {row.name for row in batch}
            values = [
                {**dict(zip(KEYS.split(","), row.name, strict=True)), "payload": row.payload}
                for row in batch
            ]
            prefer = "resolution=merge-duplicates,return=representation"
            most = _MOST_REPLY_BYTES
            send = partial(self._send, "POST", query, most=most, body=values, prefer=prefer)
            stored = {row.name: row for row in map(parse_row, self._retry(send))}
            if stored.keys() != wanted:
                raise Unavailable(
                    f"{self.host} reports that it stored different rows from those that were sent",
                    "compare the table with the SQL printed by: tui-annotate sync table-sql",
                )
            yield from stored.values()

    def delete(self, dataset: str, username: str) -> int:
        """Delete an annotator's rows of a dataset in the shared table; return their number.

        Raises:
            NotAllowed, NotFound, Unavailable: the table cannot be written.
        """
        query = {**_match_equal(dataset, username), "select": KEYS}
        prefer = "return=representation"
        send = partial(self._send, "DELETE", query, most=_MOST_ROW_BYTES, prefer=prefer)
        return len(self._retry(send))

    def _send(
        self,
        method: str,
        query: Mapping[str, str],
        *,
        most: int,
        body: object = None,
        prefer: str = "",
    ) -> list[Any]:
        import httpx2

        url = self._url.copy_with(path=self._url.path.rstrip("/") + _PATH)
        secret = read_sync_key()
        headers = {"apikey": secret, "Authorization": f"Bearer {secret}"}
        if prefer:
            headers["Prefer"] = prefer
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            headers["Content-Type"] = "application/json"
        stream = partial(self._client.stream, params=query, content=content, headers=headers)
        try:
            with stream(method, url) as reply:
                hint = f"check that {URL} is the address of a PostgREST server"
                clock = self._clock
                found = read_body(reply, most=most, seconds=_REPLY_TIMEOUT, hint=hint, clock=clock)
        except httpx2.TransportError as error:
            raise connection_failure(error, show=redact_message) from error
        if reply.is_success:
            return self._parse_rows(found)
        raise self._make_error(reply, _error_message(found))

    def _parse_rows(self, body: bytes) -> list[Any]:
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            found = None  # the cause would carry the whole reply
        if not isinstance(found, list):
            raise Unavailable(
                f"the reply of {self.host} is not a list of rows",
                f"check that {URL} is the address of a PostgREST server, without /rest/v1",
            )
        return found

    def _make_error(self, reply: httpx2.Response, reason: str) -> Exception:
        status = reply.status_code
        if status in {401, 403}:
            return NotAllowed(
                f"{self.host} rejects the key ({status}): {reason}",
                f"check {KEY} and the table's policies, printed by: tui-annotate sync table-sql",
            )
        if status == 404:
            return NotFound(
                f"{self.host} has no table {TABLE} (404): {reason}",
                "create the table with the SQL printed by: tui-annotate sync table-sql;"
                f" {URL} must not contain /rest/v1",
            )
        if status == 409:
            return Conflict(
                f"{self.host} rejects the rows because of a conflict (409): {reason}",
                "check that the table's primary key is (dataset, username, annotation_key)",
            )
        if reply.is_redirect:
            target = redact_message(reply.headers.get("location", ""))
            return Unavailable(
                f"{self.host} redirects the request to another address: {target} ({status})",
                f"if you trust this address, set {URL} to this address",
            )
        if status in _TRANSIENT:
            return TransientFailure(f"{reason} ({status})", after=retry_after(reply.headers))
        return Unavailable(
            f"{self.host}: {reason} ({status})", "the annotations on this machine are unchanged"
        )

    @cached_property
    def _client(self) -> httpx2.Client:
        client = open_client(self._url, connect=_CONNECT, read=_READ)
        for name in ("httpcore2", "httpx2"):  # at INFO they log URLs, which contain names of people
            logging.getLogger(name).setLevel(logging.WARNING)
        return client
