"""Which endpoints get texts and keys: by origin, and never by what a workspace says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.helpers.errors import has_code
from tui_annotate.domain.endpoint_trust import (
    OPENAI_KEY,
    OWN_KEY,
    UNTRUSTED,
    EndpointTrust,
    parse_origin,
    trust_command,
)
from tui_annotate.domain.errors import InvalidInput, NotAllowed
from tui_annotate.plugins.http_transport import check_url

HOST = "https://llm.example.org"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com"),
        ("HTTPS://Api.OpenAI.com:443/v1/", "https://api.openai.com"),
        ("http://localhost:80", "http://localhost"),
        ("http://localhost:443", "http://localhost:443"),
        (" http://127.0.0.1:11434/v1 ", "http://127.0.0.1:11434"),
        ("http://[::1]:8000/v1", "http://[::1]:8000"),
        ("https://xn--bcher-kva.example/v1", "https://xn--bcher-kva.example"),
        ("http://localhost:65535", "http://localhost:65535"),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: str) -> None:
    """The default port and capitals make no difference, path and spaces around are no part."""
    assert parse_origin(url) == origin


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:11434",
        "ftp://localhost",
        "http://",
        "http://trusted.org@evil.org",
        "http://trusted.org\\@evil.org",
        "http://trusted.org%2f.evil.org",
        "http://a b",
        "http://a;b",
        "http://`touch x`",
        "http://a$(x)",
        "http://a'b",
        "http://a:b",
        "https://trusted.org:443:80",
        "https://api.openai.com:0",
        "https://api.openai.com:00000",
        "https://trusted.org:65536",
        "http\N{LATIN SMALL LETTER LONG S}://trusted.org",
    ],
)
def test_what_two_parsers_could_read_differently_is_no_address(url: str) -> None:
    """A user name, a backslash or an escape in front of the host is refused."""
    with pytest.raises(InvalidInput):
        parse_origin(url)


@pytest.mark.parametrize(
    "host",
    [
        "stra\N{LATIN SMALL LETTER SHARP S}e.de",
        "b\N{LATIN SMALL LETTER U WITH DIAERESIS}cher.example",
        "\N{KELVIN SIGN}.example",
        "trusted.org\N{IDEOGRAPHIC FULL STOP}evil.org",
    ],
)
def test_a_host_has_its_ascii_form(host: str) -> None:
    """Two standards for the names of hosts give different ASCII forms of one name."""
    with pytest.raises(InvalidInput, match="ASCII") as refused:
        parse_origin(f"https://{host}/v1")
    assert "xn--" in refused.value.hint


@pytest.mark.parametrize("url", ["https://x.org/v1#a", "https://u:p@x.org", "ftp://x.org", "x"])
def test_a_refused_url_may_come_from_an_option_or_from_the_settings(url: str) -> None:
    """The message names all of them."""
    with pytest.raises(InvalidInput, match="--base-url, or base_url or judge_url in the settings"):
        check_url(url)


@settings(max_examples=example_limit(300))
@given(st.text("ab.:/\\@%[]#?10 \u00fc", max_size=20))
def test_the_client_connects_to_the_origin_that_was_checked(rest: str) -> None:
    """Of each address that both accept, the HTTP client has the same host and port."""
    try:
        url = check_url(f"http://{rest}")
        origin = parse_origin(f"http://{rest}")
    except InvalidInput:
        return
    host = f"[{url.host}]" if ":" in url.host else url.raw_host.decode()
    port = f":{url.port}" if url.port not in {None, 80} else ""
    assert origin == f"http://{host}{port}"


def test_an_endpoint_gets_texts_only_if_it_is_trusted() -> None:
    """By its origin: another port, scheme or host is another endpoint, on this machine too."""
    trust = EndpointTrust()
    trust.add("http://localhost:8000/v1", with_key=False)
    trust.require("http://localhost:8000/other")
    for other in ("http://localhost:8001", "https://localhost:8000", "http://127.0.0.1:8000"):
        with pytest.raises(NotAllowed, check=has_code(UNTRUSTED)) as refused:
            trust.require(other)
        assert trust_command(other) in refused.value.hint


@pytest.mark.parametrize(
    ("how", "own", "openai"),
    [
        ("untrusted", False, False),
        ("texts", False, False),
        ("key", True, True),
        ("named", True, False),
    ],
)
def test_a_key_goes_where_it_was_trusted_to_go(how: str, own: bool, openai: bool) -> None:
    """Naming an endpoint sends the program's own key there, not the key of all programs."""
    trust = EndpointTrust()
    if how == "named":
        trust = trust.naming(HOST)
    elif how != "untrusted":
        trust.add(HOST, with_key=how == "key")
    assert (trust.allows_key(OWN_KEY, HOST), trust.allows_key(OPENAI_KEY, HOST)) == (own, openai)


def test_the_common_key_goes_to_openai_alone() -> None:
    """Over https, to this host: to none that looks like it."""
    trust = EndpointTrust()
    assert trust.allows_key(OPENAI_KEY, "https://api.openai.com/v1")
    others = ("http://api.openai.com", "https://api.openai.com:8443", "https://api.openai.com.org")
    assert not any(trust.allows_key(OPENAI_KEY, each) for each in others)
    assert not trust.allows_key(OWN_KEY, "https://api.openai.com/v1")


def test_what_is_trusted_later_is_known_to_all_who_share_the_trust() -> None:
    """An answer at the terminal reaches the services that were made before; a name does not."""
    trust = EndpointTrust()
    named = trust.naming("http://localhost:1")
    trust.add(HOST, with_key=False)
    assert named.allows_texts(HOST)
    assert not trust.allows_texts("http://localhost:1")
