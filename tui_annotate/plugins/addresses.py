"""Addresses that texts may be sent to: what they look like, where they are, and how they fail."""

from __future__ import annotations

import logging
from ipaddress import ip_address
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.visible import visible_line
from tui_annotate.plugins.api_key import KEYS, key
from tui_annotate.plugins.complaints import fit
from tui_annotate.plugins.patience import Passing

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)


def checked_url(base_url: str) -> httpx2.URL:
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


def host_of(url: httpx2.URL) -> str:
    """Where texts go, for people."""
    return visible_line(url.netloc.decode("ascii"))


def is_near(url: httpx2.URL) -> bool:
    """Whether an endpoint is on this machine."""
    try:
        return ip_address(url.host).is_loopback
    except ValueError:
        return url.host == "localhost" or url.host.endswith(".localhost")


def warn_of_open_key(url: httpx2.URL) -> None:
    """Says so where the key would leave this machine unencrypted."""
    if key() and url.scheme == "http" and not is_near(url):
        _log.warning("the key goes to %s unencrypted: http, not https", host_of(url))


def broken(error: BaseException | None) -> Passing:
    """What it means that a request came to no reply; None where nobody says why."""
    import httpx2

    if isinstance(error, httpx2.TimeoutException):
        missing = isinstance(error, httpx2.ConnectTimeout)
        return Passing("it does not answer in time", connected=not missing)
    if isinstance(error, httpx2.ConnectError):
        return Passing(f"no connection: {fit(str(error))}", connected=False)
    return Passing(f"the connection broke: {fit(str(error))}")
