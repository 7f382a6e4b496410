"""What a chat model is asked, the promise of what asks it, and of what keeps its replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from tui_annotate.domain.errors import TuiAnnotateError


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One request to a chat model.

    Attributes:
        temperature: 0 to 2.
        top_p: above 0, to 1.
        max_tokens: of the reply.
        attempt: grows with each repetition, so that the cache does not return the unclear reply.
    """

    user: str
    system: str = ""
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 1024
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's raw reply; `cached` if nothing was sent."""

    text: str
    cached: bool


class ReplyCache(Protocol):
    """Replies that are kept, so that nothing is asked twice. Threads share it."""

    def get(self, key: str) -> str | None:
        """The reply that was put under a key; None for none."""
        ...

    def put(self, key: str, reply: str, *, about: Mapping[str, Any]) -> None:
        """Store a reply under the SHA-256 of model, prompt and parameters.

        Args:
            about: JSON values; no prompt, and never an API key.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """Options of a judge; `replies` is the cache, None for memory only."""

    model: str = ""
    base_url: str = ""
    replies: ReplyCache | None = None
    concurrency: int = 4


@runtime_checkable
class Judge(Protocol):
    """A chat model that is asked for opinions. Made with JudgeOptions; threads may share it.

    Attributes:
        name: of the plug-in.
        model: that is asked.
        host: that texts go to; empty where they stay on this machine.
    """

    name: str
    model: str
    host: str

    def ask(self, question: Question) -> ModelReply:
        """What the model says; from the cache where it said so before.

        Raises:
            Unavailable: it can not be reached, or answers something that is no reply.
            InvalidInput: it does not take this question, as when that is too long.
        """
        ...

    def ask_all(
        self, questions: Sequence[Question]
    ) -> Iterator[tuple[int, ModelReply | TuiAnnotateError]]:
        """Each question's place and outcome, as they come; several are asked at a time.

        Closing the iterator cancels the questions that still wait.
        """
        ...

    def cached(self, question: Question) -> bool:
        """Whether the reply is known; asks nobody."""
        ...
