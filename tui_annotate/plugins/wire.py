"""The connection of a chat client: what goes out is ours alone, what comes in is bounded.

The library adds headers of its own and of its environment; here each request keeps those that are
named below, and no other. Redirects are not followed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Iterator
from typing import Final

import httpx2

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.version import VERSION
from tui_annotate.plugins.addresses import host_of, is_near
from tui_annotate.plugins.api_key import authorization
from tui_annotate.plugins.patience import COMPLAINT, Passing

_CONNECT, _READ, _WHOLE = 10.0, 300.0, 600.0
"""Seconds for a connection, for a sign of life (models think before they speak), for a reply."""
_KEPT: Final = (
    "host",
    "content-type",
    "content-length",
    "transfer-encoding",
    "x-stainless-raw-response",  # by which the library knows that we read the reply ourselves
)


class _Bound:
    """How much of a reply is read, and for how long."""

    def __init__(self, reply: httpx2.Response, *, most: int) -> None:
        self._good = reply.is_success
        self._most = most if self._good else COMPLAINT
        self._host = host_of(reply.request.url)
        self._until = time.monotonic() + _WHOLE
        self._read = 0

    def passed(self, chunk: bytes) -> bool:
        """Whether one more chunk is within the bound; of a refusal the rest is left.

        Raises:
            Unavailable: an answer is too long.
            Passing: it does not end.
        """
        self._read += len(chunk)
        if self._read > self._most and self._good:
            raise Unavailable(
                f"{self._host} answers with more than {self._most:,} bytes, unasked",
                "is this an endpoint for chat completions?",
            )
        if time.monotonic() > self._until:
            raise Passing("its answer does not end")
        return self._read <= self._most


class _Bounded(httpx2.SyncByteStream):
    """A reply's body within its bound."""

    def __init__(self, body: httpx2.SyncByteStream, bound: _Bound) -> None:
        self._body, self._bound = body, bound

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._body:
            if not self._bound.passed(chunk):
                return
            yield chunk

    def close(self) -> None:
        """Gives the connection back, or up."""
        self._body.close()


class _AsyncBounded(httpx2.AsyncByteStream):
    """The same for those who wait otherwise."""

    def __init__(self, body: httpx2.AsyncByteStream, bound: _Bound) -> None:
        self._body, self._bound = body, bound

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._body:
            if not self._bound.passed(chunk):
                return
            yield chunk

    async def aclose(self) -> None:
        """Gives the connection back, or up."""
        await self._body.aclose()


def client(url: httpx2.URL, *, most: int) -> httpx2.Client:
    """A connection to one endpoint; threads may share it.

    Args:
        most: bytes of a reply; a longer one is Unavailable as soon as it is too long.
    """

    def bounded(reply: httpx2.Response) -> None:
        reply.headers.pop("content-encoding", None)
        if isinstance(reply.stream, httpx2.SyncByteStream):
            reply.stream = _Bounded(reply.stream, _Bound(reply, most=most))

    _hush()
    return httpx2.Client(
        follow_redirects=False,
        timeout=httpx2.Timeout(_READ, connect=_CONNECT),
        trust_env=not is_near(url),  # no proxy stands between us and this machine
        event_hooks={"request": [_bare], "response": [bounded]},
    )


def async_client(url: httpx2.URL, *, most: int) -> httpx2.AsyncClient:
    """The same for a library that wants it so; of one loop, and to be closed with it."""

    async def bare(request: httpx2.Request) -> None:
        _bare(request)

    async def bounded(reply: httpx2.Response) -> None:
        reply.headers.pop("content-encoding", None)
        if isinstance(reply.stream, httpx2.AsyncByteStream):
            reply.stream = _AsyncBounded(reply.stream, _Bound(reply, most=most))

    _hush()
    return httpx2.AsyncClient(
        follow_redirects=False,
        timeout=httpx2.Timeout(_READ, connect=_CONNECT),
        trust_env=not is_near(url),
        event_hooks={"request": [bare], "response": [bounded]},
    )


def _bare(request: httpx2.Request) -> None:
    """Takes off every header that we did not mean to send, and puts on the key of now."""
    kept = {name: request.headers[name] for name in _KEPT if name in request.headers}
    request.headers = httpx2.Headers(
        {
            **kept,
            "Accept": "application/json",
            "Accept-Encoding": "identity",  # unpacked, a small reply could become a large one
            "User-Agent": f"tui-annotate/{VERSION}",
            **authorization(),
        }
    )


def _hush() -> None:
    for name in ("httpx2", "httpcore2", "openai"):  # below, they tell addresses, headers, texts
        logging.getLogger(name).setLevel(logging.WARNING)
