"""What language models replied, kept so that nothing is asked, and paid for, twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import bindparam, select

from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.codec import to_json
from tui_annotate.storage.columns import REPLIES
from tui_annotate.storage.database import Database
from tui_annotate.storage.statements import upsert

_GET: Final = select(REPLIES.c.reply).where(REPLIES.c.key == bindparam("key"))
_PUT: Final = upsert(REPLIES, "key")


class ReplyStore:
    """Replies by the hash of all that was asked. Threads may share it; each reply stands at once.

    A reply is kept exactly as it came, also one with NUL or half a character in it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key: str) -> str | None:
        """The reply to a question; None where it was never asked."""
        with self._database.reading() as connection:
            found = connection.execute(_GET, {"key": key}).scalar()
        return None if found is None else bytes(found).decode("utf-8", "surrogatepass")

    def put(self, key: str, reply: str, *, about: Mapping[str, Any]) -> None:
        """Keeps a reply; a later one to the same question takes its place.

        Args:
            about: values of JSON for people to read: model, prompt's name; never keys.
        """
        row = {
            "key": key,
            "reply": reply.encode("utf-8", "surrogatepass"),
            "about": to_json(dict(about)),
            "at": utc_now(),
        }
        with self._database.writing() as connection:
            connection.execute(_PUT, row)
