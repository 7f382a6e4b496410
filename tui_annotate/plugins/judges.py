"""Protocols and data classes for judges (chat models that rate texts) and for reply caches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import TuiAnnotateError


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One request to a chat model.

    Attributes:
        attempt: number of earlier attempts; each attempt has its own reply in the cache.
        readable: returns whether a reply can be parsed; None accepts every reply. Only a readable
            reply is stored in the cache and returned from the cache.
    """

    user: str
    system: str = ""
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 1024
    attempt: int = 0
    readable: Callable[[str], bool] | None = field(default=None, compare=False, repr=False)

    def accepts(self, reply: str) -> bool:
        """Return whether a reply can be read; True if nothing is known about valid replies."""
        return self.readable is None or self.readable(reply)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """Unchanged reply of a chat model; `cached` is true if it came from the cache."""

    text: str
    cached: bool


class ReplyCache(Protocol):
    """Protocol of a thread-safe cache of model replies, so that no request is sent twice."""

    @property
    def keeps(self) -> bool:
        """Whether new replies are kept for later runs."""
        ...

    def get(self, key: str, *, host: str = "") -> str | None:
        """Return the reply under a key; with `host`, only a reply that this host sent."""
        ...

    def put(self, key: str, reply: str, *, about: Mapping[str, Any]) -> None:
        """Store a model's reply under the SHA-256 of address, model, prompt and parameters.

        `about` describes the request as JSON values, without prompt and API key.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """Options of a judge, a chat model that rates texts.

    Attributes:
        replies: the reply cache; None to cache in memory only.
        concurrency: maximum number of requests at a time.
        timeout: time limit of a request in seconds; None for the default of the judge.
        max_retries: maximum number of repetitions of a request after temporary failures; None for
            the default of the judge.
        trust: the endpoints that may receive texts; None if the user named `base_url`.
    """

    model: str = ""
    base_url: str = ""
    replies: ReplyCache | None = None
    concurrency: int = 4
    timeout: float | None = None
    max_retries: int | None = None
    trust: EndpointTrust | None = None


@runtime_checkable
class Judge(Protocol):
    """Protocol of thread-safe judges: chat models that rate texts. They are made with JudgeOptions.

    `host` is the host to which texts are sent; empty if texts stay on this machine.
    """

    name: str
    model: str
    host: str

    def ask(self, question: Question) -> ModelReply:
        """Return a chat model's reply to a question, from the cache if possible.

        Raises:
            RequestFailed: the model fails on this question; it may answer others.
            Unavailable: the model cannot be reached.
            InvalidInput: the model rejects this question, for example because of its length.
        """
        ...

    def ask_all(
        self, questions: Sequence[Question]
    ) -> Iterator[tuple[int, ModelReply | TuiAnnotateError]]:
        """Send questions in parallel; yield (index, reply or error) of each as it completes.

        Closing the iterator cancels the questions that are still waiting.
        """
        ...

    def cached(self, question: Question) -> bool:
        """Return whether the cache has a usable reply to a question; send no request."""
        ...
