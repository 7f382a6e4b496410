"""The HTTP client of endpoints and tables: checked addresses, safe connections, bounded replies."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from ipaddress import ip_address
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.domain.version import VERSION
from tui_annotate.plugins.api_key import KEYS, key
from tui_annotate.plugins.http_errors import MOST_ERROR_BYTES, TransientFailure

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)


def check_url(base_url: str) -> httpx2.URL:
    """An address that texts may be sent to.

    Raises:
        InvalidInput: it is none, or holds a password or a query, which would be remembered.
    """
    import httpx2

    hint = "for example https://api.openai.com/v1, or http://localhost:11434/v1"
    try:
        url = httpx2.URL(base_url.strip())
    except httpx2.InvalidURL as error:
        raise InvalidInput("--base-url is no address of an endpoint", hint) from error
    if url.userinfo or url.query or url.fragment:
        raise InvalidInput(
            "--base-url holds more than an address, and would be remembered as it is",
            f"give a key in the environment, as {KEYS[0]}",
        )
    if url.scheme not in {"http", "https"} or not url.host:
        raise InvalidInput(f"--base-url is {base_url!r}, no address of an endpoint", hint)
    return url.copy_with(path=url.path.rstrip("/"))


def format_host(url: httpx2.URL) -> str:
    """Where texts go, for people."""
    return make_line_visible(url.netloc.decode("ascii"))


def is_loopback(url: httpx2.URL) -> bool:
    """Whether an endpoint is on this machine."""
    try:
        return ip_address(url.host).is_loopback
    except ValueError:
        return url.host == "localhost" or url.host.endswith(".localhost")


def warn_of_open_key(url: httpx2.URL) -> None:
    """Says so where the key would leave this machine unencrypted."""
    if key() and url.scheme == "http" and not is_loopback(url):
        _log.warning("the key goes to %s unencrypted: http, not https", format_host(url))


def open_client(url: httpx2.URL, *, connect: float, read: float) -> httpx2.Client:
    """Open a client without redirects: texts and key go to the named host only. Seconds."""
    import httpx2

    logging.getLogger("httpcore2").setLevel(logging.INFO)  # below, it logs headers of replies
    return httpx2.Client(
        follow_redirects=False,
        # Unpacked, a small reply could become a large one.
        headers={"Accept-Encoding": "identity", "User-Agent": f"tui-annotate/{VERSION}"},
        timeout=httpx2.Timeout(read, connect=connect),
        trust_env=not is_loopback(url),  # no proxy to this machine itself
    )


def read_body(
    reply: httpx2.Response,
    *,
    most: int,
    seconds: float,
    hint: str,
    clock: Callable[[], float] = time.monotonic,
) -> bytes:
    """Return the body of a reply of at most `most` bytes, within `seconds`.

    Raises:
        Unavailable: an answer is longer, with `hint`.
        TransientFailure: it does not end.
    """
    until = clock() + seconds
    allowed = most if reply.is_success else MOST_ERROR_BYTES
    body = bytearray()
    for chunk in reply.iter_raw():
        body += chunk
        if len(body) > allowed:
            if reply.is_success:
                host = format_host(reply.request.url)
                raise Unavailable(f"{host} answers with more than {most:,} bytes, unasked", hint)
            break
        if clock() > until:
            raise TransientFailure("its answer does not end")
    return bytes(body[:allowed])
