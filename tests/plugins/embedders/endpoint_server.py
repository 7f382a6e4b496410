"""An endpoint for embeddings of the tests' own, on this machine's loopback; does as it is told."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.plugins.loopback import Answering, Reply, listening

KEY = "sk-hidden-3Rt7YyB5"
LONG = "this model's maximum context length is exceeded"
MANY = "batch size is above the maximum"


def refusal(status: int, told: str, **headers: str) -> Reply:
    """An error as most endpoints tell it."""
    return Reply(status, {"error": {"message": told}}, headers)


@dataclass
class FakeEndpoint:
    """What the endpoint does, and what it was asked.

    Attributes:
        script: replies to the next requests, in order; then it answers.
        questions: the bodies that were answered, or refused as too much.
        headers: of every request.
        most_texts, most_signs: of a request and of a text; more is refused.
        poison: a text that is never taken.
        formats: values of `encoding_format` that it knows.
        twist: changes an answer before it is sent.
    """

    url: str
    dimensions: int = 8
    script: deque[Reply] = field(default_factory=deque)
    questions: list[dict[str, Any]] = field(default_factory=list)
    answered: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    most_texts: int = 10_000
    most_signs: int = 1_000_000
    poison: str = ""
    formats: frozenset[str] = frozenset({"float", "base64"})
    twist: Callable[[dict[str, Any]], Any] = lambda answer: answer
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def texts(self) -> list[str]:
        """Every text that was embedded, in order."""
        return [text for question in self.answered for text in question["input"]]

    def reply(self, path: str, question: dict[str, Any]) -> Reply:
        """To one request."""
        if self.script:
            return self.script.popleft()
        self.questions.append(question)
        if path != "/v1/embeddings":
            return refusal(404, f"no route {path}")
        texts = question["input"]
        if len(texts) > self.most_texts:
            return refusal(422, MANY)
        if self.poison and self.poison in texts:
            return refusal(400, "invalid input")
        if max(map(len, texts)) > self.most_signs:
            return refusal(400, LONG)
        form = question.get("encoding_format")
        if form is not None and form not in self.formats:
            return refusal(400, "unknown value for encoding_format")
        self.answered.append(question)
        size = question.get("dimensions", self.dimensions)
        data = [
            {"object": "embedding", "index": at, "embedding": encoded(vector(text, size), form)}
            for at, text in enumerate(texts)
        ]
        return Reply(body=self.twist({"object": "list", "data": data, "model": question["model"]}))


def vector(text: str, size: int = 8) -> NDArray[np.float32]:
    """What the model makes of a text: not of unit length."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
    return np.random.default_rng(seed).normal(size=size).astype(np.float32)


def encoded(row: NDArray[np.float32], form: str | None) -> Any:
    """A vector as it is sent."""
    if form == "base64":
        return base64.b64encode(row.astype("<f4").tobytes()).decode()
    return [float(number) for number in row]


@contextmanager
def serving() -> Iterator[FakeEndpoint]:
    """An endpoint that lives as long as the block."""
    fake = FakeEndpoint("")

    class Handler(Answering):
        def do_POST(self) -> None:  # noqa: N802  as http.server calls it
            size = int(self.headers["Content-Length"])
            fake.headers.append({name.lower(): value for name, value in self.headers.items()})
            reply = fake.reply(self.path, json.loads(self.rfile.read(size)))
            self.send(reply, closing=fake.closing)

    with listening(Handler, fake.closing) as address:
        fake.url = f"{address}/v1"
        yield fake
