"""An endpoint that takes JSON and gives JSON: patient with what passes, clear about what does not.

The key comes from the environment at each request; it is never kept, logged or told. Redirects are
not followed: texts and key go to the host that was named, and to no other. No more of a reply is
read than the question can be worth.
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from ipaddress import ip_address
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.version import VERSION
from tui_annotate.domain.visible import visible_line
from tui_annotate.plugins.embedders.api_key import KEYS, authorization, key
from tui_annotate.plugins.embedders.replies import complaint, fit
from tui_annotate.plugins.waiting import retry_after

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)

_ATTEMPTS: Final = 6
_FIRST_ATTEMPTS: Final = 3
"""Where no connection was ever made: more likely a wrong name than a pause."""
_LONGEST_WAIT: Final = 60.0
_PATIENCE: Final = 120.0
"""Seconds that an endpoint may ask us to wait."""
_TOLD_WAIT: Final = 10.0
"""Seconds of waiting from which on a person should know why nothing moves."""
_CONNECT, _READ, _WHOLE = 10.0, 120.0, 300.0
"""Seconds for a connection, for a sign of life, for a whole reply."""
_COMPLAINT: Final = 65_536
"""Bytes of a refusal that are read."""
_PASSING: Final = frozenset({408, 425, 429})
_TOO_MUCH: Final = frozenset({400, 413, 422})
_NEXT: Final = "what is done stays done; the same command goes on from there"


class Refused(Exception):
    """The endpoint does not take this content; less of it, or other content, it may take.

    Attributes:
        status: of the reply.
        told: what the endpoint says, fit for a terminal.
    """

    def __init__(self, status: int, told: str) -> None:
        super().__init__(f"{told} ({status})")
        self.status = status
        self.told = told


class _Passing(Exception):
    """Something that may be over in a moment.

    Attributes:
        after: seconds that the endpoint asks us to wait; 0 where it does not.
        connected: whether the endpoint was there.
    """

    def __init__(self, why: str, *, after: float = 0.0, connected: bool = True) -> None:
        super().__init__(why)
        self.after = after
        self.connected = connected


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
        self._wait = wait
        self._clock = clock
        self._reached = False
        self.host = visible_line(self._url.netloc.decode("ascii"))
        if key() and self._url.scheme == "http" and not self._near:
            _log.warning("the key goes to %s unencrypted: http, not https", self.host)

    @property
    def _near(self) -> bool:
        """Whether the endpoint is on this machine."""
        try:
            return ip_address(self._url.host).is_loopback
        except ValueError:
            return self._url.host == "localhost" or self._url.host.endswith(".localhost")

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
        for attempt in count(1):
            try:
                return self._answer(path, question, most=most)
            except _Passing as error:
                passing = error
            allowed = _ATTEMPTS if passing.connected or self._reached else _FIRST_ATTEMPTS
            if attempt >= allowed or passing.after > _PATIENCE:
                break
            self._pause(passing, attempt)
        later = f"; it asks to wait {passing.after:,.0f} s" if passing.after > _PATIENCE else ""
        raise Unavailable(f"{self.host}: {passing}{later}", _NEXT) from passing

    def _pause(self, passing: _Passing, attempt: int) -> None:
        """Each time twice as long, spread by chance so that many who wait do not return at once."""
        longest = min(2.0**attempt, _LONGEST_WAIT)
        seconds = max(random.uniform(longest / 2, longest), passing.after)  # noqa: S311  no secret
        if seconds >= _TOLD_WAIT:
            _log.warning("%s: %s; waiting %.0f s", self.host, passing, seconds)
        self._wait(seconds)

    def _answer(self, path: str, question: Mapping[str, Any], *, most: int) -> Any:
        import httpx2

        url = self._url.copy_with(path=self._url.path.rstrip("/") + path)
        try:
            with self._client.stream("POST", url, json=question, headers=authorization()) as reply:
                self._reached = True
                if reply.status_code == httpx2.codes.OK:
                    return self._json(self._body(reply, most))
                body = self._body(reply, _COMPLAINT)
        except httpx2.TimeoutException as error:
            missing = isinstance(error, httpx2.ConnectTimeout)
            raise _Passing("it does not answer in time", connected=not missing) from error
        except httpx2.ConnectError as error:
            raise _Passing(f"no connection: {fit(str(error))}", connected=False) from error
        except httpx2.TransportError as error:
            raise _Passing(f"the connection broke: {fit(str(error))}") from error
        raise self._told(reply, body)

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
                raise _Passing("its answer does not end")
        return bytes(body[:most])

    def _json(self, body: bytes) -> Any:
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise Unavailable(
                f"{self.host} answers something that is no JSON",
                "check --base-url, which most often ends in /v1",
            ) from None  # the cause would carry the whole reply

    def _told(self, reply: httpx2.Response, body: bytes) -> Exception:
        """What a reply that is no answer means."""
        status, told = reply.status_code, complaint(body)
        if status in _TOO_MUCH:
            return Refused(status, told)
        if status in {401, 403}:
            whose = "the key" if key() else "a request without a key"
            return Unavailable(
                f"{self.host} refuses {whose} ({status})",
                f"set {KEYS[0]} or {KEYS[1]} in the environment to a key of this endpoint",
            )
        if reply.is_redirect:
            target = fit(reply.headers.get("location", ""))
            return Unavailable(
                f"{self.host} wants the texts sent to another address: {target} ({status})",
                "where you trust that address, give it as --base-url",
            )
        if status == 404:
            return Unavailable(
                f"{self.host} knows no such model or address: {told} (404)",
                "check the model, and --base-url, which most often ends in /v1",
            )
        used_up = status == 429 and b"insufficient_quota" in body
        if not used_up and (status in _PASSING or status >= 500):
            return _Passing(f"{told} ({status})", after=retry_after(reply.headers))
        return Unavailable(f"{self.host}: {told} ({status})", _NEXT)

    @cached_property
    def _client(self) -> httpx2.Client:
        import httpx2

        logging.getLogger("httpcore2").setLevel(logging.INFO)  # below, it tells headers of replies
        return httpx2.Client(
            follow_redirects=False,
            # Unpacked, a small reply could become a large one.
            headers={"Accept-Encoding": "identity", "User-Agent": f"tui-annotate/{VERSION}"},
            timeout=httpx2.Timeout(_READ, connect=_CONNECT),
            trust_env=not self._near,  # no proxy stands between us and this machine
        )


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
