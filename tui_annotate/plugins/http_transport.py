"""HTTP client that checks URLs, limits the size of replies and follows no redirects."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import InvalidInput, RequestFailed
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.domain.version import VERSION
from tui_annotate.plugins.api_key import KEYS, key
from tui_annotate.plugins.http_errors import MOST_ERROR_BYTES, reply_timeout

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)


_NAMES: Final = "the URL of the endpoint (--base-url, or base_url or judge_url in the settings)"


def check_url(base_url: str) -> httpx2.URL:
    """Parse and check the base URL of an endpoint.

    Raises:
        InvalidInput: the text is no HTTP URL, or has a password or query, which would be stored.
    """
    import httpx2

    hint = "pass a URL such as https://api.openai.com/v1 or http://localhost:11434/v1"
    try:
        url = httpx2.URL(base_url.strip())
    except httpx2.InvalidURL as error:
        raise InvalidInput(f"{_NAMES} is not a valid URL", hint) from error
    if url.userinfo or url.query or url.fragment:
        raise InvalidInput(
            f"{_NAMES} contains a password, query or fragment, which would be stored as it is",
            f"pass an API key in the environment variable {KEYS[0]}",
        )
    if url.scheme not in {"http", "https"} or not url.host:
        raise InvalidInput(f"{_NAMES} is {base_url!r}, not an HTTP URL", hint)
    return url.copy_with(path=url.path.rstrip("/"))


def format_host(url: httpx2.URL) -> str:
    """Return the host and port of a URL, safe to display."""
    return make_line_visible(url.netloc.decode("ascii"))


def is_loopback(url: httpx2.URL) -> bool:
    """Return whether a URL leads to this machine."""
    try:
        return ip_address(url.host).is_loopback
    except ValueError:
        return url.host == "localhost" or url.host.endswith(".localhost")


def warn_of_open_key(url: httpx2.URL, trust: EndpointTrust) -> None:
    """Log a warning if the API key would be sent to another machine unencrypted."""
    if key(str(url), trust) and url.scheme == "http" and not is_loopback(url):
        _log.warning("the API key is sent to %s unencrypted: use https, not http", format_host(url))


def check_timeout(seconds: float) -> float:
    """Check a time limit in seconds; raise InvalidInput if it is not a finite number above 0."""
    if not (math.isfinite(seconds) and seconds > 0):
        raise InvalidInput(
            f"invalid time limit of a request: {seconds:g} s", "pass --timeout with seconds above 0"
        )
    return seconds


def open_client(url: httpx2.URL, *, connect: float, read: float) -> httpx2.Client:
    """Open an HTTP client that follows no redirects, with timeouts in seconds.

    Without redirects, texts and the API key go only to the named host.
    """
    import httpx2

    logging.getLogger("httpcore2").setLevel(logging.INFO)  # at DEBUG it logs reply headers
    return httpx2.Client(
        follow_redirects=False,
        # No compression: a small reply could unpack to a huge one.
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
    timeout: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> bytes:
    """Return the body of a reply of at most `most` bytes, received within `seconds`.

    The body of an error reply is cut at `MOST_ERROR_BYTES`.

    Raises:
        RequestFailed: the body of a successful reply is longer; has the hint `hint`.
        TransientFailure: the reply does not end in time.
    """
    until = clock() + seconds
    allowed = most if reply.is_success else MOST_ERROR_BYTES
    body = bytearray()
    for chunk in reply.iter_raw():
        body += chunk
        if len(body) > allowed:
            if reply.is_success:
                host = format_host(reply.request.url)
                raise RequestFailed(f"the reply of {host} is longer than {most:,} bytes", hint)
            break
        if clock() > until:
            raise reply_timeout(timeout)
    return bytes(body[:allowed])
