"""PostgREST's paths for the shared table, on this machine's loopback; does as it is told."""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.plugins.loopback import Answering, Reply, listening

KEY = "eyJhbGciOi.hidden-Q7vLm2.anon"
PATH = "/rest/v1/annotations_current"
Name = tuple[str, str, str]


def refusal(status: int, told: str, **headers: str) -> Reply:
    """An error as PostgREST tells it."""
    return Reply(status, {"code": "X", "message": told, "details": None, "hint": None}, headers)


@dataclass
class FakeTable:
    """What the table holds, and what it was asked.

    Attributes:
        rows: by key.
        script: replies to the next requests, in order; then it answers.
        asked: method and query of every request.
        headers: of every request.
        cap: rows of a reply at most, whatever is asked for.
        before: called before each request is answered, with its method.
        start: time of the first row: later than all local work, within the tolerance of clocks.
    """

    url: str
    rows: dict[Name, dict[str, Any]] = field(default_factory=dict)
    script: deque[Reply] = field(default_factory=deque)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    cap: int = 1000
    before: Callable[[str], object] = lambda _: None
    closing: threading.Event = field(default_factory=threading.Event)
    start: datetime = field(default_factory=lambda: datetime.now(UTC) + timedelta(minutes=30))
    ticks: int = 0

    def put(self, dataset: str, username: str, key: str, payload: Any, *, at: str = "") -> None:
        """A row, as somebody else writes it."""
        name = (dataset, username, key)
        before = self.rows.get(name)
        self.ticks += 1
        now = at or (self.start + timedelta(seconds=self.ticks)).isoformat(timespec="seconds")
        self.rows[name] = {
            "dataset": dataset,
            "username": username,
            "annotation_key": key,
            "payload": payload,
            "created_at": before["created_at"] if before else now,
            "updated_at": now,
        }

    def reply(self, method: str, path: str, query: dict[str, str], body: bytes) -> Reply:
        """To one request."""
        self.asked.append((method, query))
        self.before(method)
        if self.script:
            return self.script.popleft()
        if path != PATH:
            return refusal(404, f"no relation {path}")
        if self.headers[-1].get("apikey") != KEY:
            return refusal(401, "Invalid API key")
        if method == "POST":
            return self._post(query, json.loads(body))
        found = [row for row in self.rows.values() if _fits(row, query)]
        if method == "DELETE":
            for row in found:
                del self.rows[row["dataset"], row["username"], row["annotation_key"]]
            return Reply(body=json.dumps([_columns(row, query) for row in found]))
        found.sort(key=lambda row: [row[each.split(".")[0]] for each in query["order"].split(",")])
        first, most = int(query.get("offset", 0)), min(int(query.get("limit", 10**9)), self.cap)
        page = [_columns(row, query) for row in found[first : first + most]]
        return Reply(body=json.dumps(page))

    def _post(self, query: dict[str, str], values: list[dict[str, Any]]) -> Reply:
        if query.get("on_conflict") != "dataset,username,annotation_key":
            return refusal(409, "duplicate key value")
        assert "resolution=merge-duplicates" in self.headers[-1]["prefer"]
        for value in values:
            self.put(value["dataset"], value["username"], value["annotation_key"], value["payload"])
        rows = [self.rows[v["dataset"], v["username"], v["annotation_key"]] for v in values]
        return Reply(201, json.dumps([_columns(row, query) for row in rows]))


def _fits(row: dict[str, Any], query: dict[str, str]) -> bool:
    for column in ("dataset", "username", "annotation_key"):
        asked = query.get(column, "")
        if asked.startswith("eq.") and row[column] != asked[3:]:
            return False
        if asked.startswith("in."):
            quoted = re.findall(r'"((?:[^"\\]|\\.)*)"', asked)
            if row[column] not in {re.sub(r"\\(.)", r"\1", each) for each in quoted}:
                return False
    return True


def _columns(row: dict[str, Any], query: dict[str, str]) -> dict[str, Any]:
    wanted = query.get("select", "*")
    return row if wanted == "*" else {name: row[name] for name in wanted.split(",")}


@contextmanager
def serving_table() -> Iterator[FakeTable]:
    """A table that lives as long as the block."""
    fake = FakeTable("")

    class Handler(Answering):
        def answer(self) -> None:
            size = int(self.headers.get("Content-Length", 0))
            fake.headers.append({name.lower(): value for name, value in self.headers.items()})
            url = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            reply = fake.reply(self.command, url.path, query, self.rfile.read(size))
            self.send(reply, closing=fake.closing)

        do_GET = do_POST = do_DELETE = answer  # noqa: N815  as http.server calls them

    with listening(Handler, fake.closing) as address:
        fake.url = address
        yield fake
