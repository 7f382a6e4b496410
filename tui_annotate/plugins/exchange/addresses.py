"""Where a table may be: by https, or on this machine; an address holds nothing secret."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.exchange.sync_key import KEY, URL, harmless

if TYPE_CHECKING:
    import httpx2


def near(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def checked(address: str) -> httpx2.URL:
    """Where a table is, without what PostgREST has behind it.

    Raises:
        InvalidInput: it is none, is open to listeners, or holds something secret.
    """
    import httpx2

    hint = f"for example {URL}=https://PROJECT.supabase.co"
    try:
        url = httpx2.URL(address.strip())
    except httpx2.InvalidURL as error:
        raise InvalidInput(f"{URL} is no address", hint) from error
    if url.userinfo or url.query or url.fragment:
        raise InvalidInput(f"{URL} holds more than an address", f"a key stands in {KEY}")
    if url.scheme not in {"http", "https"} or not url.host:
        raise InvalidInput(f"{URL} is {harmless(address)!r}, no address", hint)
    if url.scheme == "http" and not near(url.host):
        raise InvalidInput(f"{URL} begins with http: key and work would travel open", "use https")
    path = url.path.rstrip("/").removesuffix("/rest/v1")
    return url.copy_with(path=path or "/")
