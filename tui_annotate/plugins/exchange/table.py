"""A table `annotations_current` behind PostgREST, as Supabase serves it: rows in, rows out.

A reply is a stranger's: what is not exactly an answer is refused, and no more of it is read than
the question can be worth. Redirects are told, not followed, so the key goes to one host alone.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import Conflict, NotAllowed, NotFound, Unavailable
from tui_annotate.domain.version import VERSION
from tui_annotate.plugins.exchange.addresses import checked, near
from tui_annotate.plugins.exchange.rows import (
    KEYS,
    TABLE,
    Row,
    batches,
    complaint,
    equal,
    one_of,
    row_of,
)
from tui_annotate.plugins.exchange.sync_key import KEY, URL, harmless, key
from tui_annotate.plugins.waiting import retry_after

if TYPE_CHECKING:
    import httpx2

_PATH: Final = f"/rest/v1/{TABLE}"
_PAGE, _BARE_PAGE = 100, 1000
"""Rows that are asked for at a time, whole and without payloads; a server may give fewer."""
_MOST_ROWS: Final = 64 * 2**20
_MOST_TOLD: Final = 1_000_000
_COMPLAINT: Final = 65_536
_CONNECT, _READ, _WHOLE = 10.0, 30.0, 120.0
"""Seconds for a connection, for a sign of life, for a whole reply."""
_ATTEMPTS: Final = 4
_PATIENCE: Final = 60.0
"""Seconds that a server may ask us to wait."""
_PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class _Passing(Exception):
    """Something that may be over in a moment; `after` is how long the server asks to wait."""

    def __init__(self, why: str, *, after: float = 0.0) -> None:
        super().__init__(why)
        self.after = after


class Table:
    """The table at one address. One thread at a time.

    Args:
        address: of the project, without `/rest/v1`.
        wait: waits so many seconds.
        clock: seconds that only grow.
        attempts: how often something is asked for that fails for a moment.

    Raises:
        InvalidInput: the address can not be used, or holds something secret.
    """

    def __init__(
        self,
        address: str,
        *,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        attempts: int = _ATTEMPTS,
    ) -> None:
        self._url = checked(address)
        self._wait = wait
        self._clock = clock
        self._attempts = attempts
        self.host = harmless(self._url.netloc.decode("ascii"))

    def __str__(self) -> str:
        return self.host

    @property
    def identity(self) -> str:
        """What tells this table from others; holds nothing secret."""
        return str(self._url)

    def rows(
        self,
        *,
        dataset: str = "",
        username: str = "",
        keys: Sequence[str] = (),
        payloads: bool = True,
    ) -> Iterator[Row]:
        """The rows that are there, the oldest first, page by page.

        A page that is not full is no end, as servers have limits of their own: an empty one is.

        Args:
            dataset, username: of these alone; empty for all.
            keys: these alone of a dataset, at most `AT_ONCE`; none for all.
            payloads: False leaves them at the server.

        Raises:
            NotAllowed, NotFound, Unavailable: the table can not be read.
        """
        columns = "*" if payloads else f"{KEYS},updated_at"
        query = {"select": columns, "order": f"created_at.asc,{KEYS}", **equal(dataset, username)}
        if keys:
            query["annotation_key"] = one_of(keys)
        size, offset = _PAGE if payloads else _BARE_PAGE, 0
        last = ("", "", "")
        while True:
            page = {**query, "limit": str(size), "offset": str(offset)}
            found = [row_of(each) for each in self._ask("GET", page, most=_MOST_ROWS)]
            if not found:
                return
            asked = all(each.asked(dataset, username, keys) for each in found)
            if not asked or found[0].name == last:
                raise Unavailable(
                    f"{self.host} answers with other rows than those that were asked for",
                    f"is {URL} the address of a PostgREST?",
                )
            last = found[0].name
            yield from found
            offset += len(found)

    def upsert(self, rows: Sequence[Row]) -> Iterator[Row]:
        """Writes rows over those with their keys; gives each, without payload, once it is there.

        Raises:
            NotAllowed, NotFound, Conflict, Unavailable: the table can not be written; what was
                given before that is in it.
        """
        query = {"on_conflict": KEYS, "select": f"{KEYS},created_at,updated_at"}
        for batch in batches(rows):
            wanted = {row.name for row in batch}
            values = [
                {**dict(zip(KEYS.split(","), row.name, strict=True)), "payload": row.payload}
                for row in batch
            ]
            prefer = "resolution=merge-duplicates,return=representation"
            told = self._ask("POST", query, most=_MOST_TOLD, body=values, prefer=prefer)
            stored = {row.name: row for row in map(row_of, told)}
            if stored.keys() != wanted:
                raise Unavailable(
                    f"{self.host} says that it stored other rows than those that were sent",
                    "is it a table as sync init-sql makes it?",
                )
            yield from stored.values()

    def delete(self, dataset: str, username: str) -> int:
        """Removes the rows of somebody in a dataset; how many there were.

        Raises:
            NotAllowed, NotFound, Unavailable: the table can not be written.
        """
        query = {**equal(dataset, username), "select": KEYS}
        told = self._ask("DELETE", query, most=_MOST_ROWS, prefer="return=representation")
        return len(told)

    def _ask(
        self,
        method: str,
        query: Mapping[str, str],
        *,
        most: int,
        body: object = None,
        prefer: str = "",
    ) -> list[Any]:
        for attempt in range(1, self._attempts + 1):
            try:
                return self._answer(method, query, most=most, body=body, prefer=prefer)
            except _Passing as error:
                passing = error
            if attempt == self._attempts or passing.after > _PATIENCE:
                break
            self._wait(max(passing.after, 2.0**attempt / 2))
        asks = f"; it asks to wait {passing.after:,.0f} s" if passing.after else ""
        hint = "nothing is lost here; try again later"
        raise Unavailable(f"{self.host}: {passing}{asks}", hint) from passing

    def _answer(
        self, method: str, query: Mapping[str, str], *, most: int, body: object, prefer: str
    ) -> list[Any]:
        import httpx2

        url = self._url.copy_with(path=self._url.path.rstrip("/") + _PATH)
        secret = key()
        headers = {"apikey": secret, "Authorization": f"Bearer {secret}"}
        if prefer:
            headers["Prefer"] = prefer
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            headers["Content-Type"] = "application/json"
        try:
            with self._client.stream(
                method, url, params=query, content=content, headers=headers
            ) as reply:
                if reply.is_success:
                    return self._values(self._read(reply, most))
                told = self._read(reply, _COMPLAINT, cut=True)
        except httpx2.TimeoutException as error:
            raise _Passing("it does not answer in time") from error
        except httpx2.ConnectError as error:
            raise _Passing(f"no connection: {harmless(str(error))}") from error
        except httpx2.TransportError as error:
            raise _Passing(f"the connection broke: {harmless(str(error))}") from error
        raise self._refusal(reply, complaint(told))

    def _read(self, reply: httpx2.Response, most: int, *, cut: bool = False) -> bytes:
        until = self._clock() + _WHOLE
        body = bytearray()
        for chunk in reply.iter_raw():
            body += chunk
            if cut and len(body) > most:
                break
            if len(body) > most:
                raise Unavailable(
                    f"{self.host} answers with more than {most:,} bytes, unasked",
                    f"is {URL} the address of a PostgREST?",
                )
            if self._clock() > until:
                raise _Passing("its answer does not end")
        return bytes(body[:most])

    def _values(self, body: bytes) -> list[Any]:
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

    def _refusal(self, reply: httpx2.Response, told: str) -> Exception:
        status = reply.status_code
        if status in {401, 403}:
            return NotAllowed(
                f"{self.host} refuses the key ({status}): {told}",
                f"check {KEY}, and the policies of the table: sync init-sql prints them",
            )
        if status == 404:
            return NotFound(
                f"{self.host} knows no table {TABLE} (404): {told}",
                f"sync init-sql prints what makes it; {URL} ends before /rest/v1",
            )
        if status == 409:
            return Conflict(
                f"{self.host} does not take it (409): {told}",
                "is the table's key dataset, username, annotation_key?",
            )
        if reply.is_redirect:
            target = harmless(reply.headers.get("location", ""))
            return Unavailable(
                f"{self.host} wants the key sent to another address: {target} ({status})",
                f"where you trust that address, set {URL} to it",
            )
        if status in _PASSING:
            return _Passing(f"{told} ({status})", after=retry_after(reply.headers))
        return Unavailable(f"{self.host}: {told} ({status})", "nothing is lost here")

    @cached_property
    def _client(self) -> httpx2.Client:
        import httpx2

        # Below that, they tell headers and addresses.
        logging.getLogger("httpcore2").setLevel(logging.WARNING)
        logging.getLogger("httpx2").setLevel(logging.WARNING)
        return httpx2.Client(
            follow_redirects=False,
            headers={"Accept-Encoding": "identity", "User-Agent": f"tui-annotate/{VERSION}"},
            timeout=httpx2.Timeout(_READ, connect=_CONNECT),
            trust_env=not near(self._url.host),  # no proxy stands between us and this machine
        )
