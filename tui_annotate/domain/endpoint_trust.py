"""Which endpoints may receive texts, and which of them may receive an API key.

An origin is the scheme, host and port of a URL. The port is omitted if it is the scheme's default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tui_annotate.domain.errors import InvalidInput, NotAllowed
from tui_annotate.domain.keyword_names import check_keywords

UNTRUSTED: Final = "endpoint-untrusted"
"""Code of the error that the user does not trust an endpoint."""

OWN_KEY: Final = "TUI_ANNOTATE_API_KEY"
"""Environment variable of the API key of this program."""
OPENAI_KEY: Final = "OPENAI_API_KEY"
"""Environment variable of the API key of all programs that use OpenAI."""

_OPENAI: Final = "https://api.openai.com"
_URL: Final = re.compile(
    r"(?P<scheme>https?|postgresql)://(?P<host>\[[0-9a-f:.]+\]|[^\s/?#@:\\\[\]%]+)(?::(?P<port>[0-9]{1,5}))?(?:[/?#].*)?",
    re.ASCII | re.IGNORECASE,
)
_SOCKET: Final = re.compile(r"postgresql://(/[\w./+-]*)(?::[0-9]{1,5})?", re.ASCII)
"""A database server of this machine, by the folder of its socket."""
_HOST: Final = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")
"""A host in ASCII. No character of it could run a command in a shell."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443, "postgresql": 5432}
_MAX_PORT: Final = 65_535


def parse_origin(url: str) -> str:
    """Return the origin of a URL, such as `http://localhost:11434`, in lower case.

    The origin of a database server at a Unix socket is `postgresql://` and the socket's folder.

    Raises:
        InvalidInput: the text is not the URL of an HTTP or PostgreSQL server, contains a user name
            or a port that does not exist, or its host is not ASCII.
    """
    if socket := _SOCKET.fullmatch(url.strip()):
        return socket[0]
    found = _URL.fullmatch(url.strip())
    host = found["host"] if found else ""
    if not host.isascii():
        # HTTP clients differ in how they write such a host in ASCII, and would connect elsewhere.
        raise InvalidInput(
            f"the host of {url!r} is not ASCII",
            "pass the host in its ASCII form, which begins with xn--",
        )
    host = host.lower()
    if found is None or not _HOST.fullmatch(host):
        raise InvalidInput(
            f"{url!r} is not the address of an endpoint",
            "pass a URL such as https://api.openai.com, http://localhost:11434 or"
            " postgresql://db.example.org",
        )
    scheme = found["scheme"].lower()
    port = int(found["port"] or _DEFAULT_PORTS[scheme])
    if not 1 <= port <= _MAX_PORT:
        raise InvalidInput(f"{url!r} has the port {port}", f"pass a port from 1 to {_MAX_PORT}")
    suffix = "" if port == _DEFAULT_PORTS[scheme] else f":{port}"
    return f"{scheme}://{host}{suffix}"


@check_keywords
@dataclass(slots=True)
class EndpointTrust:
    """The origins that a user trusts.

    Attributes:
        texts: origins that may receive texts.
        keys: origins that may receive texts and any API key.
        named: origins that the user named in this run: by an option, an argument or an environment
            variable.
    """

    texts: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    named: set[str] = field(default_factory=set)

    def naming(self, *urls: str) -> EndpointTrust:
        """Return this trust with URLs that the user named in this run.

        An origin that is trusted later is trusted by both. Text that is not a URL is ignored: the
        request to it fails.
        """
        return EndpointTrust(self.texts, self.keys, self.named | set(_origins(urls)))

    def add(self, url: str, *, with_key: bool) -> None:
        """Trust the origin of a URL; InvalidInput if the text is not a URL."""
        (self.keys if with_key else self.texts).add(parse_origin(url))

    def allows_texts(self, url: str) -> bool:
        """Return whether a URL may receive texts; InvalidInput if the text is not a URL."""
        return parse_origin(url) in self.texts | self.keys | self.named

    def allows_key(self, variable: str, url: str) -> bool:
        """Return whether the API key in an environment variable may be sent to a URL.

        A named endpoint gets the program's own key only: `OPENAI_API_KEY` is set for other
        programs, so it goes to OpenAI, or where the user trusted an endpoint with a key.
        """
        origin = parse_origin(url)
        if origin in self.keys:
            return True
        if variable == OPENAI_KEY:
            return origin == _OPENAI
        return origin in self.named

    def require(self, url: str) -> None:
        """Check that a URL may receive texts.

        Raises:
            NotAllowed: the user does not trust the URL's origin.
            InvalidInput: the text is not a URL.
        """
        if not self.allows_texts(url):
            origin = parse_origin(url)
            raise NotAllowed(
                f"texts are not sent to {origin}: you did not name this endpoint in this run, and"
                " have not trusted it",
                f"if you trust it: {trust_command(origin)}",
                code=UNTRUSTED,
            )


def trust_command(url: str, *, with_key: bool = False) -> str:
    """Return the command that trusts the origin of a URL."""
    # Of the characters of an origin, a shell interprets only the brackets of IPv6.
    origin = parse_origin(url)
    quoted = f"'{origin}'" if "[" in origin else origin
    command = f"tui-annotate lab trust-endpoint {quoted}"
    return f"{command} --with-key" if with_key else command


def _origins(urls: Iterable[str]) -> Iterable[str]:
    for url in urls:
        try:
            yield parse_origin(url)
        except InvalidInput:
            continue
