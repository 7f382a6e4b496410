"""Errors of HTTP requests, with short texts that are safe to display and hold no API key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.endpoint_trust import EndpointTrust, trust_command
from tui_annotate.domain.errors import Unavailable
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.plugins.api_key import KEYS, key, redact_key, withheld_key

if TYPE_CHECKING:
    import httpx2

MOST_ERROR_BYTES: Final = 65_536
_QUOTED: Final = 200
_TRANSIENT: Final = frozenset({408, 425, 429})
_TOO_MUCH: Final = frozenset({400, 413, 422})


class RequestRefused(Exception):
    """Rejection of one request's content by an endpoint; `reason` is safe for a terminal."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"{reason} ({status})")
        self.status = status
        self.reason = reason


class TransientFailure(Exception):
    """A temporary failure of a request; the endpoint may request a wait of `after` seconds.

    `hint` is added to the hint of the error if all attempts fail.
    """

    def __init__(
        self, why: str, *, after: float = 0.0, connected: bool = True, hint: str = ""
    ) -> None:
        super().__init__(why)
        self.after = after
        self.connected = connected
        self.hint = hint


def reply_failure(
    url: httpx2.URL,
    status: int,
    *,
    headers: Mapping[str, str],
    body: bytes,
    trust: EndpointTrust,
) -> Exception:
    """Convert an HTTP error reply to TransientFailure, RequestRefused or Unavailable.

    `headers` have lower-case names; `body` is the first `MOST_ERROR_BYTES` of the reply's body. An
    Unavailable without a hint gets one from `RetryPolicy`.
    """
    host = make_line_visible(url.netloc.decode("ascii"))
    reason = error_text(body)
    if status in _TOO_MUCH:
        return RequestRefused(status, reason)
    if status in {401, 403}:
        refused = "the API key" if key(str(url), trust) else "requests without an API key"
        hint = f"set the environment variable {KEYS[0]} or {KEYS[1]} to a key of this endpoint"
        if held := withheld_key(str(url), trust):
            hint = f"to send the key in {held} there: {trust_command(str(url), with_key=True)}"
        return Unavailable(f"{host} rejects {refused} ({status})", hint)
    if 300 <= status < 400 and "location" in headers:
        return Unavailable(
            f"{host} redirects the texts to another address: "
            f"{shorten_line(headers['location'])} ({status})",
            "if you trust the new address, pass it as --base-url",
        )
    if status == 404:
        return Unavailable(
            f"{host} does not know this model or address: {reason} (404)",
            "check the model name and --base-url (usually ends in /v1)",
        )
    used_up = status == 429 and b"insufficient_quota" in body
    if not used_up and (status in _TRANSIENT or status >= 500):
        return TransientFailure(f"{reason} ({status})", after=retry_after(headers))
    return Unavailable(f"{host}: {reason} ({status})")


def connection_failure(
    error: BaseException | None,
    *,
    show: Callable[[str], str] | None = None,
    timeout: float | None = None,
) -> TransientFailure:
    """Return the failure of a request that got no reply.

    Args:
        show: makes the error's text safe to display; by default one short line without API keys.
        timeout: the limit in seconds that a timeout names; None if there is none to name.
    """
    import httpx2

    if isinstance(error, httpx2.TimeoutException):
        missing = isinstance(error, httpx2.ConnectTimeout)
        return reply_timeout(None if missing else timeout, connected=not missing)
    reason = (show or shorten_line)(str(error))
    if isinstance(error, httpx2.ConnectError):
        return TransientFailure(f"no connection: {reason}", connected=False)
    return TransientFailure(f"the connection failed: {reason}")


def reply_timeout(seconds: float | None, *, connected: bool = True) -> TransientFailure:
    """Return the failure of a request whose reply was not complete in time (limit in seconds)."""
    if seconds is None:
        return TransientFailure("the endpoint did not reply in time", connected=connected)
    return TransientFailure(
        f"no complete reply arrived within {seconds:g} s", hint="allow more time with --timeout"
    )


def retry_after(headers: Mapping[str, str]) -> float:
    """Return the wait in seconds that the header Retry-After requests; 0 without a valid header."""
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
    """Return the error message in an endpoint's reply, from the JSON fields of known endpoints."""
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
    return shorten_line(text) or "no reason given"


def shorten_line(text: str) -> str:
    """Return a text as one short line without API keys."""
    return clip_line(redact_key(text[: 20 * _QUOTED]), _QUOTED)


def clip_line(text: str, longest: int) -> str:
    """Return a text as one line of at most `longest` characters, safe for a terminal."""
    line = make_line_visible(text)
    return line if len(line) <= longest else line[: longest - 1] + "…"
