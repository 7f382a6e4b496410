"""A table `annotations_current` behind PostgREST, as Supabase serves it: rows in, rows out.

A reply that is not exactly an answer is refused, and is read up to a limit only. Redirects are
reported, not followed, so the key goes to one host alone.
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
-- Everybody who has the key may read, write and delete all rows: also those of others.
drop policy if exists annotations_current_all on annotations_current;
create policy annotations_current_all on annotations_current
  for all using (true) with check (true);
"""

_OWN_ROWS_POLICY: Final = """\
-- Everybody has a token of their own, whose claim "username" is their name here: they read, write
-- and delete their own rows alone. A key without that claim, as the anon key, reaches nothing.
drop policy if exists annotations_current_all on annotations_current;
create policy annotations_current_all on annotations_current for all
  using (username = current_setting('request.jwt.claims', true)::json ->> 'username')
  with check (username = current_setting('request.jwt.claims', true)::json ->> 'username');
"""

_CREATE_TABLE: Final = """\
-- Where tui-annotate sync puts work. Run it once, as the owner of the database; again does no harm.
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
  -- Never the same moment twice, so that a change is always seen.
  new.updated_at = greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  return new;
end $$;
drop trigger if exists annotations_current_touch on annotations_current;
create trigger annotations_current_touch before update on annotations_current
  for each row execute function annotations_current_touch();
alter table annotations_current enable row level security;
"""


def init_sql(*, everybody: bool) -> str:
    """Return the SQL for the database's owner: one key for everybody, or tokens."""
    return f"{_CREATE_TABLE}\n{_OPEN_POLICY if everybody else _OWN_ROWS_POLICY}"


TABLE: Final = "annotations_current"
KEYS: Final = "dataset,username,annotation_key"
"""The primary key."""
_COLUMNS: Final = ("dataset", "username", "annotation_key", "created_at", "updated_at")
AT_ONCE: Final = 40
"""Keys that are asked for at a time: they are part of an address, which may not be too long."""
_BATCH_ROWS, _BATCH_BYTES = 100, 1_000_000


@dataclass(frozen=True, slots=True)
class SyncRow:
    """A row of the table; times are as the server writes them."""

    dataset: str
    username: str
    annotation_key: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    created_at: str = ""
    updated_at: str = ""

    @property
    def name(self) -> tuple[str, str, str]:
        """The primary key."""
        return self.dataset, self.username, self.annotation_key

    def matches(self, dataset: str, username: str, keys: Sequence[str]) -> bool:
        """Whether it passes these filters; an empty filter passes all."""
        named = dataset in ("", self.dataset) and username in ("", self.username)
        return named and (not keys or self.annotation_key in keys)

    def exported(self) -> dict[str, Any]:
        """The payload with what the row says written over it."""
        own = {name: getattr(self, name) for name in _COLUMNS}
        return {**self.payload, **own}


def _match_equal(dataset: str, username: str) -> dict[str, str]:
    wanted = {"dataset": dataset, "username": username}
    return {name: f"eq.{value}" for name, value in wanted.items() if value}


def _match_any(keys: Sequence[str]) -> str:
    """A filter for some keys; each is quoted, as commas and brackets have a meaning there."""
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
            batch, size = [], 0
        batch.append(row)
        size += length
    if batch:
        yield batch


def parse_row(value: Any) -> SyncRow:
    """A row of a reply; Unavailable where it is none."""
    found = value if isinstance(value, dict) else {}
    words = {name: found.get(name, "") for name in _COLUMNS}
    payload = found.get("payload", {})
    named = all(words[name] for name in ("dataset", "username", "annotation_key"))
    storable = all(isinstance(word, str) and not SURROGATE.search(word) for word in words.values())
    if not storable or not named:
        raise Unavailable("the table holds something that is no row", "see: sync init-sql")
    if not isinstance(payload, dict):
        where = redact_message(f"{words['dataset']}/{words['annotation_key']}")
        raise Unavailable(f"the payload of {where} is no object", "who wrote it?")
    return SyncRow(payload=payload, **words)


def _error_message(body: bytes) -> str:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    text = value.get("message") if isinstance(value, dict) else None
    message = text if isinstance(text, str) else body.decode("utf-8", "replace")
    return redact_message(message) or "no word"


_PATH: Final = f"/rest/v1/{TABLE}"
_PAGE, _BARE_PAGE = 100, 1000
"""Rows that are asked for at a time, whole and without payloads; a server may give fewer."""
_MOST_ROW_BYTES: Final = 64 * 2**20
_MOST_REPLY_BYTES: Final = 1_000_000
_CONNECT, _READ, _REPLY_TIMEOUT = 10.0, 30.0, 120.0
"""Seconds for a connection, for a sign of life, for a whole reply."""
_ATTEMPTS: Final = 4
_LONGEST_WAIT: Final = 60.0
"""Seconds that a server may ask us to wait."""
_TRANSIENT: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class SharedTable:
    """The table at an address without `/rest/v1`. One thread at a time.

    `clock` is monotonic; `attempts` limits retries.

    Raises:
        InvalidInput: the address is invalid, or holds a secret.
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
            hint="nothing is lost here; try again later",
        )

    def __str__(self) -> str:
        return self.host

    @property
    def identity(self) -> str:
        """The identity of this table; holds nothing secret."""
        return str(self._url)

    def rows(
        self,
        *,
        dataset: str = "",
        username: str = "",
        keys: Sequence[str] = (),
        payloads: bool = True,
    ) -> Iterator[SyncRow]:
        """Yield rows, oldest first, page by page; the first empty page is the end.

        Empty filters pass all; there may be at most `AT_ONCE` keys.

        Raises:
            NotAllowed, NotFound, Unavailable: the table can not be read.
        """
        columns = "*" if payloads else f"{KEYS},updated_at"
        query = {
            "select": columns,
            "order": f"created_at.asc,{KEYS}",
            **_match_equal(dataset, username),
        }
        if keys:
            query["annotation_key"] = _match_any(keys)
        size, offset = _PAGE if payloads else _BARE_PAGE, 0
        last = ("", "", "")
        while True:
            page = {**query, "limit": str(size), "offset": str(offset)}
            send = partial(self._send, "GET", page, most=_MOST_ROW_BYTES)
            found = [parse_row(each) for each in self._retry(send)]
            if not found:
                return
            wanted = all(each.matches(dataset, username, keys) for each in found)
            if not wanted or found[0].name == last:
                raise Unavailable(
                    f"{self.host} answers with other rows than those that were asked for",
                    f"is {URL} the address of a PostgREST?",
                )
            last = found[0].name
            yield from found
            offset += len(found)

    def upsert(self, rows: Sequence[SyncRow]) -> Iterator[SyncRow]:
        """Writes rows over those with their keys; gives each, without payload, once it is there.

        Raises:
            NotAllowed, NotFound, Conflict, Unavailable: the table can not be written; what was
                given before that is in it.
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
                    f"{self.host} says that it stored other rows than those that were sent",
                    "is it a table as sync init-sql makes it?",
                )
            yield from stored.values()

    def delete(self, dataset: str, username: str) -> int:
        """Remove the rows of a person in a dataset; return how many.

        Raises:
            NotAllowed, NotFound, Unavailable: the table can not be written.
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
                hint, clock = f"is {URL} the address of a PostgREST?", self._clock
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
                f"{self.host} answers something that is no list of rows",
                f"is {URL} the address of a PostgREST, without /rest/v1?",
            )
        return found

    def _make_error(self, reply: httpx2.Response, reason: str) -> Exception:
        status = reply.status_code
        if status in {401, 403}:
            return NotAllowed(
                f"{self.host} refuses the key ({status}): {reason}",
                f"check {KEY}, and the policies of the table: sync init-sql prints them",
            )
        if status == 404:
            return NotFound(
                f"{self.host} knows no table {TABLE} (404): {reason}",
                f"sync init-sql prints what makes it; {URL} ends before /rest/v1",
            )
        if status == 409:
            return Conflict(
                f"{self.host} does not take it (409): {reason}",
                "is the table's key dataset, username, annotation_key?",
            )
        if reply.is_redirect:
            target = redact_message(reply.headers.get("location", ""))
            return Unavailable(
                f"{self.host} wants the key sent to another address: {target} ({status})",
                f"where you trust that address, set {URL} to it",
            )
        if status in _TRANSIENT:
            return TransientFailure(f"{reason} ({status})", after=retry_after(reply.headers))
        return Unavailable(f"{self.host}: {reason} ({status})", "nothing is lost here")

    @cached_property
    def _client(self) -> httpx2.Client:
        client = open_client(self._url, connect=_CONNECT, read=_READ)
        for name in ("httpcore2", "httpx2"):  # below, they log addresses, which name people
            logging.getLogger(name).setLevel(logging.WARNING)
        return client
