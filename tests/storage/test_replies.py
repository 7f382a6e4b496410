"""What language models replied is kept as it came."""

from __future__ import annotations

import pytest

from tui_annotate.storage.database import Database
from tui_annotate.storage.reply_file import ReplyStore


@pytest.mark.parametrize("reply", ["", "yes", "a\0b \ud83d \x1b[2J 桥", "x" * 100_000])
def test_a_reply_comes_back_as_it_came(database: Database, reply: str) -> None:
    """Also one that no column of text would hold; none is given for another question."""
    store = ReplyStore(database)
    store.put("a" * 64, reply, about={"model": "m"})
    assert ReplyStore(database).get("a" * 64) == reply
    assert store.get("b" * 64) is None


def test_a_later_reply_takes_the_place(database: Database) -> None:
    """Two that asked at once do not stand in each other's way."""
    store = ReplyStore(database)
    for reply in ("first", "second"):
        store.put("k", reply, about={})
    assert store.get("k") == "second"
