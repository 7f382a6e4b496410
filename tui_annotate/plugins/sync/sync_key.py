"""Address and key of a shared table, read from the environment at each use and never stored."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.api_key import read_key, redact_words
from tui_annotate.plugins.http_errors import clip_line
from tui_annotate.plugins.http_transport import is_loopback

if TYPE_CHECKING:
    import httpx2

URL = "TUI_ANNOTATE_SYNC_URL"
KEY = "TUI_ANNOTATE_SYNC_KEY"
FOLDER = "TUI_ANNOTATE_SYNC_DIR"
_LONGEST: Final = 300


def read_address() -> str:
    """Return the address of the shared table; empty if it is not set."""
    return os.environ.get(URL, "").strip()


def check_address(text: str) -> httpx2.URL:
    """Parse and check the address of a shared table; remove the path `/rest/v1`.

    Raises:
        InvalidInput: the address is not an HTTP URL, is unencrypted (http) on another machine, or
            contains a password, query or fragment.
    """
    import httpx2

    hint = f"set {URL} to a URL, for example {URL}=https://PROJECT.supabase.co"
    try:
        url = httpx2.URL(text.strip())
    except httpx2.InvalidURL as error:
        raise InvalidInput(f"{URL} is not a valid URL", hint) from error
    if url.userinfo or url.query or url.fragment:
        raise InvalidInput(f"{URL} contains a password, query or fragment", f"set the key in {KEY}")
    if url.scheme not in {"http", "https"} or not url.host:
        raise InvalidInput(f"{URL} is {redact_message(text)!r}, not an HTTP URL", hint)
    if url.scheme == "http" and not is_loopback(url):
        raise InvalidInput(
            f"{URL} uses http: the key and the work would be sent unencrypted", "use a https URL"
        )
    path = url.path.rstrip("/").removesuffix("/rest/v1")
    return url.copy_with(path=path or "/")


def read_folder() -> str:
    """Return the folder through which work is shared; empty if it is not set."""
    return os.environ.get(FOLDER, "").strip()


def read_sync_key() -> str:
    """Return the key of the shared table from the environment.

    Raises:
        InvalidInput: no key is set.
        Unavailable: the key contains a character that would break the request.
    """
    found = read_key(KEY)
    if not found:
        raise InvalidInput("the shared table needs a key, and none is set", f"set {KEY}")
    return found


def redact_message(text: str) -> str:
    """Return a server's message as one short line without the key."""
    return clip_line(redact_words(text[: 20 * _LONGEST], [KEY]), _LONGEST)
