"""The connection of a chat client: what goes out is ours alone, what comes in is bounded.

The library adds headers of its own and of its environment; here each request keeps those that are
named below, and no other. Redirects are not followed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from typing import Final

import httpx2

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.version import VERSION
from tui_annotate.plugins.api_key import authorization
from tui_annotate.plugins.embedders.endpoint import host_of, is_near
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


class _Bounded(httpx2.SyncByteStream):
    """A reply's body, no more of it than it can be worth."""

    def __init__(
        self, reply: httpx2.Response, *, most: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._body = reply.stream
        self._good = reply.is_success
        self._most = most if self._good else COMPLAINT
        self._host = host_of(reply.request.url)
        self._clock = clock

    def __iter__(self) -> Iterator[bytes]:
        until, read = self._clock() + _WHOLE, 0
        assert isinstance(self._body, httpx2.SyncByteStream)  # noqa: S101  the client is no async one
        for chunk in self._body:
            read += len(chunk)
            if read > self._most:
                if self._good:
                    raise Unavailable(
                        f"{self._host} answers with more than {self._most:,} bytes, unasked",
                        "is this an endpoint for chat completions?",
                    )
                return
            yield chunk
            if self._clock() > until:
                raise Passing("its answer does not end")

    def close(self) -> None:
        """Gives the connection back, or up."""
        if isinstance(self._body, httpx2.SyncByteStream):
            self._body.close()


def client(url: httpx2.URL, *, most: int) -> httpx2.Client:
    """A connection to one endpoint; threads may share it.

    Args:
        most: bytes of a reply; a longer one is Unavailable as soon as it is too long.
    """

    def bare(request: httpx2.Request) -> None:
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

    def bounded(reply: httpx2.Response) -> None:
        reply.headers.pop("content-encoding", None)
        reply.stream = _Bounded(reply, most=most)

    for name in ("httpx2", "httpcore2", "openai"):  # below, they tell addresses, headers, texts
        logging.getLogger(name).setLevel(logging.WARNING)
    return httpx2.Client(
        follow_redirects=False,
        timeout=httpx2.Timeout(_READ, connect=_CONNECT),
        trust_env=not is_near(url),  # no proxy stands between us and this machine
        event_hooks={"request": [bare], "response": [bounded]},
    )
