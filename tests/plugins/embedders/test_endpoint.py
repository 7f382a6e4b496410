"""The endpoint: what passes is waited for, the rest is told in plain words, the key never."""

from __future__ import annotations

import gzip
import logging
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import count
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.embedders.endpoint_server import FakeEndpoint, refusal, serving
from tests.plugins.loopback import Reply
from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import TuiAnnotateError, Unavailable
from tui_annotate.domain.terminal_text import make_line_visible
from tui_annotate.plugins.embedders.remote import Endpoint
from tui_annotate.plugins.http_errors import (
    RequestRefused,
    TransientFailure,
    error_text,
    retry_after,
)
from tui_annotate.plugins.retry import RESUME_HINT

KEY = "sk-test-4Fq9ZzT1mXw8"


@pytest.fixture(autouse=True)
def key_of_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key but those that a test sets, and no proxy."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    """An endpoint on loopback."""
    with serving() as there:
        yield there


class Asked:
    """An endpoint that is asked, and the seconds it was waited for."""

    def __init__(self, url: str, **how: Any) -> None:
        self.waits: list[float] = []
        self.endpoint = Endpoint(url, wait=self.waits.append, **how)

    def __call__(self, *, most: int = 10_000) -> Any:
        """One question."""
        question = {"model": "m", "input": ["one"]}
        return self.endpoint.post("/embeddings", question, most=most)


def answered(value: Any) -> bool:
    """Whether it is the endpoint's answer."""
    return len(value["data"]) == 1


def told(asked: Asked, **how: Any) -> str:
    """All words of the error that a question ends with."""
    with pytest.raises(TuiAnnotateError) as error:
        asked(**how)
    return f"{error.value.message} | {error.value.hint}"


def failure(asked: Asked) -> TransientFailure:
    """What went wrong the last time, where a question ends as it did not pass."""
    with pytest.raises(Unavailable) as error:
        asked()
    assert isinstance(error.value.__cause__, TransientFailure)
    return error.value.__cause__


# what passes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 529])
def test_what_passes_is_asked_again(fake: FakeEndpoint, status: int) -> None:
    """Waiting twice as long each time, with some chance in it."""
    fake.script.extend([refusal(status, "overloaded")] * 5)
    asked = Asked(fake.url)
    assert answered(asked())
    assert len(asked.waits) == 5
    for number, seconds in enumerate(asked.waits, start=1):
        assert 2**number / 2 <= seconds <= 2**number


def test_nobody_asks_for_ever(fake: FakeEndpoint) -> None:
    """After six times it is told, with what the endpoint said last."""
    fake.script.extend([refusal(500, "out of order")] * 9)
    asked = Asked(fake.url)
    words = told(asked)
    assert "out of order (500)" in words
    assert RESUME_HINT in words
    assert (len(asked.waits), len(fake.script)) == (5, 3)


def test_the_endpoint_says_how_long(fake: FakeEndpoint, caplog: pytest.LogCaptureFixture) -> None:
    """In seconds or as a date; who waits long is told why."""
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    fake.script.append(refusal(429, "too many requests", Retry_After="17"))
    fake.script.append(refusal(503, "back soon", Retry_After=date))
    asked = Asked(fake.url)
    assert answered(asked())
    assert asked.waits[0] == 17
    assert 60 < asked.waits[1] <= 90
    assert "too many requests (429)" in caplog.text
    assert "17 s" in caplog.text


def test_nobody_waits_for_hours(fake: FakeEndpoint) -> None:
    """What is asked beyond two minutes is told at once, and so is an empty purse."""
    for reply in (
        refusal(429, "come back tomorrow", Retry_After="86400"),
        Reply(429, {"error": {"message": "no money", "code": "insufficient_quota"}}),
    ):
        fake.script.append(reply)
        asked = Asked(fake.url)
        words = told(asked)
        assert ("come back tomorrow (429)" in words and "86,400 s" in words) or "no money" in words
        assert asked.waits == []


@given(st.text(max_size=30))
def test_any_wish_to_be_left_alone_is_some_seconds(asked: str) -> None:
    """What is neither a number nor a date is none; none lies in the past."""
    assert retry_after({"retry-after": asked}) >= 0


def test_a_line_that_breaks_is_asked_again(fake: FakeEndpoint) -> None:
    """Also in the middle of an answer."""
    fake.script.append(Reply(body='{"data": [', promised=500))
    asked = Asked(fake.url)
    assert answered(asked())
    assert len(asked.waits) == 1


def test_an_endpoint_that_stays_silent_is_told(fake: FakeEndpoint) -> None:
    """After some times; one that speaks again is heard."""
    fake.script.append(Reply(late=True))
    asked = Asked(fake.url, timeout=0.05)
    assert answered(asked())
    fake.script.extend([Reply(late=True)] * 6)
    assert isinstance(failure(asked).__cause__, httpx2.TimeoutException)


def test_an_answer_that_never_ends_is_left(fake: FakeEndpoint) -> None:
    """Though a little comes all the time."""
    hours = count(0, 3_600)
    asked = Asked(fake.url, clock=lambda: float(next(hours)))
    assert failure(asked).connected


def test_where_nobody_is_there_it_is_told_soon() -> None:
    """A wrong name is likelier than a pause: three times, not six."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    asked = Asked(url)
    assert not failure(asked).connected
    assert len(asked.waits) == 2


# what does not ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (refusal(401, "who are you?"), "(401)"),
        (refusal(403, "not you"), "TUI_ANNOTATE_API_KEY"),
        (refusal(403, "not you"), "OPENAI_API_KEY"),
        (refusal(404, "model m does not exist"), "model m does not exist (404)"),
        (refusal(404, "model m does not exist"), "--base-url"),
        (refusal(402, "pay first"), "pay first (402)"),
        (Reply(405), "(405)"),
        (Reply(body="<html>Welcome</html>"), "JSON"),
        (Reply(body="[" * 5_000), "JSON"),
        (Reply(body="\xff".encode("latin-1")), "JSON"),
    ],
)
def test_what_does_not_pass_is_told_at_once(fake: FakeEndpoint, reply: Reply, words: str) -> None:
    """In words that say what to do."""
    fake.script.append(reply)
    asked = Asked(fake.url)
    assert words in told(asked)
    assert asked.waits == []


@pytest.mark.parametrize("status", [400, 413, 422])
def test_content_that_is_not_taken_is_another_thing(fake: FakeEndpoint, status: int) -> None:
    """Whoever asked may ask for less."""
    fake.script.append(refusal(status, "too long"))
    with pytest.raises(RequestRefused) as refused:
        Asked(fake.url)()
    assert (refused.value.status, refused.value.reason) == (status, "too long")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_nobody_is_sent_elsewhere(
    fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """Neither texts nor key reach another address; it is named, to be looked at."""
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", KEY)
    with serving() as other:
        fake.script.append(Reply(status, headers={"Location": f"{other.url}/embeddings"}))
        assert f"{other.url}/embeddings ({status})" in told(Asked(fake.url))
        assert other.headers == []


def test_no_more_is_read_than_was_asked_for(fake: FakeEndpoint) -> None:
    """Ten million bytes are left where they are; what was packed small is no JSON here."""
    fake.script.append(Reply(body=b" " * 10_000_000))
    assert "5,000" in told(Asked(fake.url), most=5_000)
    fake.script.append(
        Reply(body=gzip.compress(b" " * 10_000_000), headers={"Content-Encoding": "gzip"})
    )
    assert "JSON" in told(Asked(fake.url), most=50_000)
    assert fake.headers[0]["accept-encoding"] == "identity"
    fake.script.append(Reply(402, body=b"x" * 10_000_000))
    assert len(told(Asked(fake.url))) < 500


@given(st.binary(max_size=300) | st.text().map(str.encode))
def test_any_complaint_is_one_harmless_line(body: bytes) -> None:
    """Short, with nothing that a terminal would obey."""
    words = error_text(body)
    assert words
    assert len(words) <= 200
    assert words == make_line_visible(words)
    assert "\n" not in words


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"message": "no"}}',
        b'{"error": "no"}',
        b'{"message": "no"}',
        b'{"detail": "no"}',
        b'{"detail": [{"loc": ["body"], "msg": "no"}]}',
        b"no",
    ],
)
def test_a_complaint_is_found_where_endpoints_put_it(body: bytes) -> None:
    """In the forms of those that are in use."""
    assert error_text(body) == "no"


def test_a_complaint_can_not_paint_the_terminal(fake: FakeEndpoint) -> None:
    """Escape sequences arrive as pictures of themselves."""
    fake.script.append(refusal(402, "\x1b]0;mine\x07\x9b2J red"))
    words = told(Asked(fake.url))
    assert not any(sign in words for sign in "\x1b\x07\x9b")
    assert "red (402)" in words


# the key ---------------------------------------------------------------------------------------


def test_the_key_is_read_when_it_is_needed(
    fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Our own variable goes before the common one; without either, none is sent."""
    trust = EndpointTrust()
    trust.add(fake.url, with_key=True)
    asked = Asked(fake.url, trust=trust)
    asked()
    monkeypatch.setenv("OPENAI_API_KEY", "common")
    asked()
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", f" {KEY}\n")
    asked()
    sent = [headers.get("authorization") for headers in fake.headers]
    assert sent == [None, "Bearer common", f"Bearer {KEY}"]


@pytest.mark.parametrize("key", ["schlüssel-geheim", "secret\nX-Other: 1", "secret secret"])
def test_what_can_be_no_key_is_refused_untold(
    fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """Before it is sent."""
    asked = Asked(fake.url)
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", key)
    words = told(asked)
    assert "TUI_ANNOTATE_API_KEY" in words
    assert "sec" not in words
    assert "geheim" not in words
    assert fake.headers == []


LEAKS = [
    refusal(400, f"bad key {KEY}"),
    refusal(401, f"Incorrect API key provided: {KEY}"),
    refusal(402, f"the key '{KEY}' is known; and so is {KEY[:9]}***{KEY[-6:]}"),
    refusal(404, f"{KEY} has no model"),
    refusal(429, KEY),
    refusal(500, f"key={KEY}"),
    Reply(302, headers={"Location": f"http://127.0.0.1/{KEY}"}),
    Reply(body=KEY),
    Reply(403, body=KEY.encode()),
    Reply(body=b"{", promised=99),
]


@pytest.mark.parametrize("reply", LEAKS)
def test_the_key_is_never_told(
    fake: FakeEndpoint,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    reply: Reply,
) -> None:
    """Not in an error or what caused it, nor in a log, though an endpoint echoes it."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", KEY)
    fake.script.extend([reply] * 6)
    with pytest.raises((Unavailable, RequestRefused)) as caught:
        Asked(fake.url)()
    words = [caplog.text, *capfd.readouterr()]
    error: BaseException | None = caught.value
    while error is not None:
        words += [str(error), repr(error), repr(vars(error))]
        error = error.__cause__
    assert fake.headers[0]["authorization"] == f"Bearer {KEY}"
    for part in (KEY, KEY[:9], KEY[-6:]):
        assert not [line for line in words if part in line]


@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=6, max_size=60))
def test_no_part_of_a_key_survives(key: str) -> None:
    """Six signs of it in a row are too many, wherever they stand."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("OPENAI_API_KEY", key)
        for part in (key, key[:6], key[-6:], f"({key})"):
            assert key[:6] not in error_text(f"before {part} after".encode())
        assert "before" in error_text(b"before") or "before" in key


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("http://example.org/v1", True),
        ("https://example.org/v1", False),
        ("http://localhost:1/v1", False),
        ("http://127.0.0.9:1/v1", False),
        ("http://[::1]:1/v1", False),
        ("http://192.168.1.9/v1", True),
    ],
)
def test_a_key_that_others_could_read_on_the_way_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, url: str, warned: bool
) -> None:
    """Without encryption, to another machine; not without a key."""
    Endpoint(url)
    assert caplog.text == ""
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", KEY)
    Endpoint(url)
    assert ("unencrypted" in caplog.text) == warned
    assert KEY not in caplog.text


def test_no_proxy_stands_between_us_and_this_machine(
    fake: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the environment names for the rest of the world."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert answered(Asked(fake.url)())
