"""An endpoint that takes JSON and gives JSON: patient with what passes, clear about what does not.

The key comes from the environment at each request; it is never kept, logged or told. Redirects are
not followed: texts and key go to the host that was named, and to no other. No more of a reply is
read than the question can be worth.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.version import VERSION
from tui_annotate.plugins.addresses import (
    broken,
    checked_url,
    host_of,
    is_near,
    warn_of_open_key,
)
from tui_annotate.plugins.api_key import authorization
from tui_annotate.plugins.patience import COMPLAINT, Passing, Patience

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)

_CONNECT, _READ, _WHOLE = 10.0, 120.0, 300.0
"""Seconds for a connection, for a sign of life, for a whole reply."""


class Endpoint:
    """Questions as JSON to one address. One thread at a time.

    Args:
        base_url: to which paths are added.
        wait: waits so many seconds.
        clock: seconds that only grow.

    Raises:
        InvalidInput: the address can not be used, or holds something secret.
        Unavailable: the key can not be one.
    """

    def __init__(
        self,
        base_url: str,
        *,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = checked_url(base_url)
        self._clock = clock
        self.host = host_of(self._url)
        self._patiently = Patience(self.host, wait=wait)
        warn_of_open_key(self._url)

    def post(self, path: str, question: Mapping[str, Any], *, most: int) -> Any:
        """The answer to a question, both JSON values; asks again after what may pass.

        Args:
            path: added to the address.
            most: bytes of the answer that are read at most.

        Raises:
            Refused: the content is too much, or not taken.
            Unavailable: the endpoint can not be reached, takes no key of ours, or answers
                something else; the message says which.
        """
        return self._patiently(lambda: self._answer(path, question, most=most))

    def _answer(self, path: str, question: Mapping[str, Any], *, most: int) -> Any:
        import httpx2

        url = self._url.copy_with(path=self._url.path.rstrip("/") + path)
        try:
            with self._client.stream("POST", url, json=question, headers=authorization()) as reply:
                self._patiently.reached = True
                if reply.status_code == httpx2.codes.OK:
                    return self._json(self._body(reply, most))
                body = self._body(reply, COMPLAINT)
        except httpx2.TransportError as error:
            raise broken(error) from error
        raise self._patiently.told(reply.status_code, reply.headers, body)

    def _body(self, reply: httpx2.Response, most: int) -> bytes:
        """What a reply holds, up to a bound; longer ones are of no use and not read."""
        until = self._clock() + _WHOLE
        body = bytearray()
        for chunk in reply.iter_raw():
            body += chunk
            if len(body) > most:
                if reply.is_success:
                    raise Unavailable(
                        f"{self.host} answers with more than {most:,} bytes, unasked",
                        "is this an endpoint for embeddings?",
                    )
                break
            if self._clock() > until:
                raise Passing("its answer does not end")
        return bytes(body[:most])

    def _json(self, body: bytes) -> Any:
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise Unavailable(
                f"{self.host} answers something that is no JSON",
                "check --base-url, which most often ends in /v1",
            ) from None  # the cause would carry the whole reply

    @cached_property
    def _client(self) -> httpx2.Client:
        import httpx2

        logging.getLogger("httpcore2").setLevel(logging.INFO)  # below, it tells headers of replies
        return httpx2.Client(
            follow_redirects=False,
            # Unpacked, a small reply could become a large one.
            headers={"Accept-Encoding": "identity", "User-Agent": f"tui-annotate/{VERSION}"},
            timeout=httpx2.Timeout(_READ, connect=_CONNECT),
            trust_env=not is_near(self._url),  # no proxy stands between us and this machine
        )
