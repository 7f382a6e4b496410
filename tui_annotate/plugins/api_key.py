"""API key of an endpoint, read from the environment at each use and never stored."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

from tui_annotate.domain.endpoint_trust import OPENAI_KEY, OWN_KEY, EndpointTrust
from tui_annotate.domain.errors import Unavailable

KEYS: Final = (OWN_KEY, OPENAI_KEY)
"""Environment variables that may hold the API key of an endpoint; the first set one is used."""

_PART: Final = 6
"""Minimum length of a part of the API key that is redacted in messages, in characters.

Error replies of endpoints often quote the first or the last characters of the key.
"""
_LIKE_A_KEY: Final = re.compile(r"\bsk-[\w*.-]+")


def key(url: str, trust: EndpointTrust) -> str:
    """Return the API key to send to a URL, empty if none is set that may be sent there.

    Raises:
        Unavailable: the key would break the request.
    """
    allowed = (name for name in KEYS if trust.allows_key(name, url))
    return next(filter(None, map(read_key, allowed)), "")


def set_keys() -> list[str]:
    """Return the names of the environment variables that contain an API key."""
    return [name for name in KEYS if os.environ.get(name, "").strip()]


def withheld_key(url: str, trust: EndpointTrust) -> str:
    """Return the name of a variable whose API key may not be sent to a URL; empty if none is."""
    return next((name for name in set_keys() if not trust.allows_key(name, url)), "")


def read_key(name: str) -> str:
    """Return the key in a variable, empty if unset; raise Unavailable if it breaks requests."""
    found = os.environ.get(name, "").strip()
    if not found.isascii() or (found and not found.isprintable()) or " " in found:
        raise Unavailable(f"{name} does not hold a valid API key", f"set {name} again")
    return found


def authorize_request(url: str, trust: EndpointTrust) -> dict[str, str]:
    """Return the header with the API key for a request that sends texts to a URL.

    Raises:
        NotAllowed: the user does not trust the URL's origin; nothing may be sent.
        Unavailable: the API key would break the request.
    """
    trust.require(url)
    return {"Authorization": f"Bearer {found}"} if (found := key(url, trust)) else {}


def redact_key(text: str) -> str:
    """Redact each word of a text that contains a part of the API key or looks like an API key."""
    return _LIKE_A_KEY.sub("[key]", redact_words(text, KEYS))


def redact_words(text: str, names: Iterable[str]) -> str:
    """Redact each word of a text that contains a part of a key in a named environment variable."""
    keys = [os.environ.get(name, "").strip() for name in names]
    parts = {own[at : at + _PART] for own in keys for at in range(max(len(own) - _PART + 1, 1))}
    parts.discard("")
    words = text.split()
    return " ".join("[key]" if any(part in word for part in parts) else word for word in words)
