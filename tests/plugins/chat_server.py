"""A chat endpoint of the tests' own, on loopback: a scripted judge, or what it is told."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.plugins.loopback import Answering, Reply, listening

KEY = "sk-hidden-9Vb2KqW7"


def refusal(status: int, told: str, **headers: str) -> Reply:
    """An error as most endpoints tell it."""
    return Reply(status, {"error": {"message": told}}, headers)


@dataclass
class FakeChat:
    """What the endpoint does, and what it was asked.

    Attributes:
        answer: what the model says to the last message of a request.
        script: replies to the next requests, in order; then it answers.
        asked: the bodies that were answered.
        headers: of every request.
        failing: a request whose last message contains this text always fails; empty for none.
        twist: changes a reply before it is sent.
        busiest: requests that were there at one time, at most.
    """

    url: str = ""
    answer: Callable[[str], str] = lambda prompt: "1"  # noqa: ARG005  what is asked is no matter
    script: deque[Reply] = field(default_factory=deque)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    failing: str = ""
    twist: Callable[[dict[str, Any]], Any] = lambda reply: reply
    busiest: int = 0
    closing: threading.Event = field(default_factory=threading.Event)
    _busy: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def prompts(self) -> list[str]:
        """The last message of every request that was answered."""
        return [body["messages"][-1]["content"] for body in self.asked]

    def reply(self, path: str, body: dict[str, Any]) -> Reply:
        """To one request."""
        with self._lock:
            if self.script:
                return self.script.popleft()
            if path != "/v1/chat/completions":
                return refusal(404, f"no route {path}")
            if self.failing and self.failing in body["messages"][-1]["content"]:
                return refusal(500, "internal error")
            self.asked.append(body)
            self._busy += 1
            self.busiest = max(self.busiest, self._busy)
        try:
            said = self.answer(body["messages"][-1]["content"])
        finally:
            with self._lock:
                self._busy -= 1
        message = {"role": "assistant", "content": said}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        frame = {"id": "c", "object": "chat.completion", "created": 1, "model": body["model"]}
        return Reply(body=self.twist({**frame, "choices": [choice]}))


@contextmanager
def chatting(answer: Callable[[str], str] | None = None) -> Iterator[FakeChat]:
    """An endpoint that lives as long as the block.

    Args:
        answer: what the model says to a prompt; default: always 1.
    """
    fake = FakeChat()
    if answer is not None:
        fake.answer = answer

    class Handler(Answering):
        def do_POST(self) -> None:  # noqa: N802  as http.server calls it
            size = int(self.headers["Content-Length"])
            fake.headers.append({name.lower(): value for name, value in self.headers.items()})
            reply = fake.reply(self.path, json.loads(self.rfile.read(size)))
            self.send(reply, closing=fake.closing)

    with listening(Handler, fake.closing) as address:
        fake.url = f"{address}/v1"
        yield fake
