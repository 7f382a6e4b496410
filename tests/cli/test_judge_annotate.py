"""`judge annotate` as a user calls it, with a scripted judge on loopback."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Command
from tests.plugins.chat_server import chatting

PART = {
    "quote": "15 million pounds",
    "label": "Unwanted.Intrinsic",
    "evidence": "12 million pounds",
    "reason": "\x1b[31m12, not 15",
}


def _says(prompt: str) -> str:
    return json.dumps([PART, PART | {"quote": "never"}] if "bridge" in prompt else [])


@pytest.fixture(autouse=True)
def _without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TUI_ANNOTATE_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_proposals_are_told_and_stored_once(filled: Command) -> None:
    """What it would take first; then what stands in the texts; the same again costs nothing."""
    with chatting(_says) as chat:
        asked = ("judge", "annotate", "--model", "toy", "--base-url", chat.url)
        planned = filled(*asked, "--dry-run", "--json").json
        assert (planned["samples"], planned["calls"], chat.asked) == (2, 2, [])
        assert "2 samples: 2 calls to 127.0.0.1" in filled(*asked, "--dry-run").out
        done = filled(*asked)
        assert (done.code, "\x1b" in done.out + done.err) == (0, False)
        assert "2 samples: 1 suggestion, 1 new; 2 asked, 0 known" in done.out
        assert "refused, quotes that do not stand in the summary: 1" in done.err
        again = filled(*asked, "--json").json
        assert (again["run"], again["new"], again["asked"], again["cached"]) == (None, 0, 0, 2)
        assert len(chat.asked) == 2
    listed = filled("suggestions", "list", "--json").json
    assert [each["maker"] for each in listed] == ["judge:toy"]


def test_what_could_not_be_read_or_sent_whole_is_told(filled: Command) -> None:
    """Unclear replies, and texts longer than what may be sent."""
    with chatting(lambda _: "hm") as chat:
        asked = ("judge", "annotate", "--model", "toy", "--base-url", chat.url)
        done = filled(*asked, "--max-chars", "10", "--limit", "1")
    assert done.code == 0
    assert "cut: 1 sample longer than --max-chars" in done.err
    assert "no proposals of 1 sample: its reply could not be read" in done.err


def test_a_reply_of_ten_megabytes_changes_nothing(filled: Command) -> None:
    """It is refused or unclear, in bounded memory, and no suggestion comes of it."""
    with chatting(lambda _: "x" * 10_000_000) as chat:
        filled("judge", "annotate", "--model", "toy", "--base-url", chat.url, "--limit", "1")
    assert filled("suggestions", "list", "--json").json == []


def test_without_an_address_nothing_leaves(filled: Command) -> None:
    """It is refused; a plan needs none."""
    done = filled("judge", "annotate", "--model", "toy")
    assert (done.code != 0, "--base-url" in done.err) == (True, True)
    assert filled("judge", "annotate", "--model", "toy", "--dry-run").code == 0
