"""Where a shared table is, and its key: read from the environment when needed, kept nowhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.api_key import read_key, redact_words
from tui_annotate.plugins.http_errors import clip_line
from tui_annotate.plugins.http_transport import is_loopback

if TYPE_CHECKING:
    import httpx2

URL, KEY, FOLDER = "TUI_ANNOTATE_SYNC_URL", "TUI_ANNOTATE_SYNC_KEY", "TUI_ANNOTATE_SYNC_DIR"
_LONGEST: Final = 300


def read_address() -> str:
    """The address of the environment; empty without one."""
    return os.environ.get(URL, "").strip()


def check_address(text: str) -> httpx2.URL:
    """The address of a table, without the path of PostgREST.

    Raises:
        InvalidInput: it is none, is open to listeners, or holds something secret.
    """
    import httpx2

    hint = f"for example {URL}=https://PROJECT.supabase.co"
    try:
        url = httpx2.URL(text.strip())
    except httpx2.InvalidURL as error:
        raise InvalidInput(f"{URL} is no address", hint) from error
    if url.userinfo or url.query or url.fragment:
        raise InvalidInput(f"{URL} holds more than an address", f"a key stands in {KEY}")
    if url.scheme not in {"http", "https"} or not url.host:
        raise InvalidInput(f"{URL} is {redact_message(text)!r}, no address", hint)
    if url.scheme == "http" and not is_loopback(url):
        raise InvalidInput(f"{URL} begins with http: key and work would travel open", "use https")
    path = url.path.rstrip("/").removesuffix("/rest/v1")
    return url.copy_with(path=path or "/")


def read_folder() -> str:
    """The shared folder of the environment; empty without one."""
    return os.environ.get(FOLDER, "").strip()


def read_sync_key() -> str:
    """The key of the environment.

    Raises:
        InvalidInput: there is none.
        Unavailable: it holds signs that no key has, and that would break a request.
    """
    found = read_key(KEY)
    if not found:
        raise InvalidInput("the table has a key, and none is given", f"set {KEY}")
    return found


def redact_message(text: str) -> str:
    """Foreign text on one short line, safe for a terminal, and without any of the key."""
    return clip_line(redact_words(text[: 20 * _LONGEST], [KEY]), _LONGEST)
