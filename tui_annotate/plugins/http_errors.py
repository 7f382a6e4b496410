"""What went wrong with a request, as errors whose text is short, harmless, and without the key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.plugins.api_key import KEYS, key, redact_key

MOST_ERROR_BYTES: Final = 65_536
"""Bytes of a refusal that are read."""
RESUME_HINT: Final = "what is done stays done; the same command goes on from there"
_QUOTED: Final = 200
_TRANSIENT: Final = frozenset({408, 425, 429})
_TOO_MUCH: Final = frozenset({400, 413, 422})


class RequestRefused(Exception):
    """The endpoint refuses this content, but may take other; `reason` is safe for a terminal."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{reason} ({status})")
        self.status = status
        self.reason = reason


class TransientFailure(Exception):
    """A failure that may pass; `after` is the requested wait in seconds, or 0."""

    def __init__(self, why: str, *, after: float = 0.0, connected: bool = True) -> None:
        super().__init__(why)
        self.after = after
        self.connected = connected


def reply_failure(host: str, status: int, *, headers: Mapping[str, str], body: bytes) -> Exception:
    """Map a failed reply to TransientFailure, RequestRefused or Unavailable.

    `headers` have lower-case names; `body` is its first `MOST_ERROR_BYTES`.
    """
    reason = error_text(body)
    if status in _TOO_MUCH:
        return RequestRefused(status, reason)
    if status in {401, 403}:
        whose = "the key" if key() else "a request without a key"
        return Unavailable(
            f"{host} refuses {whose} ({status})",
            f"set {KEYS[0]} or {KEYS[1]} in the environment to a key of this endpoint",
        )
    if 300 <= status < 400 and "location" in headers:
        return Unavailable(
            f"{host} wants the texts sent to another address: "
            f"{shorten_line(headers['location'])} ({status})",
            "where you trust that address, give it as --base-url",
        )
    if status == 404:
        return Unavailable(
            f"{host} knows no such model or address: {reason} (404)",
            "check the model, and --base-url, which most often ends in /v1",
        )
    used_up = status == 429 and b"insufficient_quota" in body
    if not used_up and (status in _TRANSIENT or status >= 500):
        return TransientFailure(f"{reason} ({status})", after=retry_after(headers))
    return Unavailable(f"{host}: {reason} ({status})", RESUME_HINT)


def connection_failure(
    error: BaseException | None, *, show: Callable[[str], str] | None = None
) -> TransientFailure:
    """Map a failed request to an error, None if unknown; `show` makes its text printable."""
    import httpx2

    if isinstance(error, httpx2.TimeoutException):
        missing = isinstance(error, httpx2.ConnectTimeout)
        return TransientFailure("it does not answer in time", connected=not missing)
    reason = (show or shorten_line)(str(error))
    if isinstance(error, httpx2.ConnectError):
        return TransientFailure(f"no connection: {reason}", connected=False)
    return TransientFailure(f"the connection broke: {reason}")


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that a reply asks us to wait, given as such or as a date; 0 where it does not."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value, re.ASCII):
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max((until - datetime.now(UTC)).total_seconds(), 0.0)


def error_text(body: bytes) -> str:
    """The message of an endpoint's reply, from the fields in which known endpoints have it."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = body.decode("utf-8", "replace")
    for name in ("error", "message", "detail", "msg"):
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, dict) and value.get(name):
            value = value[name]
    text = value if isinstance(value, str) else body.decode("utf-8", "replace")
    return shorten_line(text) or "it does not say why"


def shorten_line(text: str) -> str:
    """Foreign text on one short line, safe for a terminal, and without any of the key."""
    return clip_line(redact_key(text[: 20 * _QUOTED]), _QUOTED)


def clip_line(text: str, longest: int) -> str:
    """Text on one line of at most so many characters, safe for a terminal."""
    line = make_line_visible(text)
    return line if len(line) <= longest else line[: longest - 1] + "…"
