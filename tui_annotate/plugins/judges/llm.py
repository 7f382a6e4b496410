"""A chat model behind an OpenAI-compatible endpoint: asked patiently, several times at once.

Texts leave the machine here: to the address that a person gave, and to no other. Each reply is kept
as soon as it is there, so that what stopped goes on where it was, and nothing is paid for twice.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError, Unavailable
from tui_annotate.plugins.addresses import (
    broken,
    checked_url,
    host_of,
    warn_of_open_key,
)
from tui_annotate.plugins.asking import Answered, JudgeOptions, Question, Replies
from tui_annotate.plugins.patience import Patience, Refused

if TYPE_CHECKING:
    from openai import OpenAI

RECIPE: Final = 1
"""Changes whenever the same question would be put in other words on the wire."""
INSTALL: Final = "pip install 'tui-annotate[judge]'"
MOST_CONCURRENCY: Final = 64
MOST: Final = 1_048_576
"""Bytes of a reply that are read; a thousand tokens take a hundredth of it."""
_NO_KEY: Final = "none"
"""The library wants some key; the wire takes it off again."""
_PARAMETERS: Final = ("max_completion_tokens", "max_tokens", "temperature", "top_p")


class LlmJudge:
    """See `plugins.asking.Judge`.

    Args:
        options: model, address, cache and how many requests at a time.
        wait: waits so many seconds.

    Raises:
        InvalidInput: model or address is missing or can not be used.
        Unavailable: what the environment holds is no key.
    """

    name = "llm"

    def __init__(
        self,
        options: JudgeOptions | None = None,
        *,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        chosen = options or JudgeOptions()
        if not chosen.model:
            raise InvalidInput(
                "a judge needs the name of a model", "for example: --model gpt-4o-mini"
            )
        if not chosen.base_url:
            raise InvalidInput(
                "nobody said where the model is; texts go to no address that was not named",
                "for example: --base-url http://localhost:11434/v1",
            )
        if not 1 <= chosen.concurrency <= MOST_CONCURRENCY:
            raise InvalidInput(
                f"{chosen.concurrency:,} requests at a time can not be",
                f"1 to {MOST_CONCURRENCY}",
            )
        self._url = checked_url(chosen.base_url)
        self.host = host_of(self._url)
        self.model = chosen.model
        warn_of_open_key(self._url)
        self._replies: Replies = chosen.replies or _Memory()
        self._concurrency = chosen.concurrency
        self._free = BoundedSemaphore(chosen.concurrency)
        self._patiently = Patience(self.host, wait=wait)
        self._left_out: set[str] = {"max_completion_tokens"}
        self._making = Lock()
        self._turns: dict[str, _Turn] = {}

    def ask(self, question: Question) -> Answered:
        """See `Judge.ask`."""
        key = reply_key(self.model, question)
        if (known := self._replies.get(key)) is not None:
            return Answered(known, cached=True)
        with self._alone(key):
            if (known := self._replies.get(key)) is not None:
                return Answered(known, cached=True)
            with self._free:
                text = self._told(question)
            about = {"model": self.model, "host": self.host, **_parameters(question)}
            self._replies.put(key, text, about=about)
        return Answered(text, cached=False)

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """Whoever asks the same meanwhile waits, and finds the reply."""
        with self._making:
            turn = self._turns.setdefault(key, _Turn())
            turn.waiting += 1
        try:
            with turn.lock:
                yield
        finally:
            with self._making:
                turn.waiting -= 1
                if not turn.waiting:
                    del self._turns[key]

    def ask_all(
        self, questions: Sequence[Question]
    ) -> Iterator[tuple[int, Answered | TuiAnnotateError]]:
        """See `Judge.ask_all`."""
        if len(questions) == 1:  # most often: and a thread for it would cost more than it gives
            yield 0, self._outcome(questions[0])
            return
        pool = ThreadPoolExecutor(min(self._concurrency, max(len(questions), 1)))
        try:
            asked = {pool.submit(self._outcome, each): at for at, each in enumerate(questions)}
            for done in as_completed(asked):
                yield asked[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def cached(self, question: Question) -> bool:
        """See `Judge.cached`."""
        return self._replies.get(reply_key(self.model, question)) is not None

    def _outcome(self, question: Question) -> Answered | TuiAnnotateError:
        try:
            return self.ask(question)
        except TuiAnnotateError as error:
            return error

    def _told(self, question: Question) -> str:
        """What the model says, over the wire.

        A parameter that this model does not take is left out from then on.
        """
        while True:
            try:
                return _content(self._patiently(lambda: self._sent(question)), self.host)
            except Refused as refusal:
                if not self._leave_out(refusal):
                    raise InvalidInput(
                        f"{self.host} does not take this question: {refusal}",
                        "it may be too long for the model, or against the endpoint's rules",
                    ) from refusal

    def _leave_out(self, refusal: Refused) -> bool:
        """Whether a refusal names a parameter that can be left out; then it is."""
        with self._making:
            named = [each for each in _PARAMETERS if each in refusal.told]
            if "max_tokens" in named and "max_tokens" not in self._left_out:
                # Newer models of one maker take the limit by its other name only.
                self._left_out.add("max_tokens")
                self._left_out.discard("max_completion_tokens")
                return True
            new = set(named) - self._left_out
            self._left_out |= new
            return bool(new)

    def _sent(self, question: Question) -> bytes:
        """One request, and the body of its reply.

        Raises:
            Passing, Refused, Unavailable: as `Patience` says.
        """
        import openai

        parameters = {
            name: value for name, value in _wired(question).items() if name not in self._left_out
        }
        try:
            raw = self._client.chat.completions.with_raw_response.create(
                model=self.model, messages=_messages(question), **parameters
            )
        except openai.APIStatusError as error:
            self._patiently.reached = True
            reply = error.response
            raise self._patiently.told(reply.status_code, reply.headers, reply.content) from None
        except openai.APIConnectionError as error:
            raise broken(error.__cause__) from error
        self._patiently.reached = True
        body: bytes = raw.http_response.content
        return body

    @cached_property
    def _client(self) -> OpenAI:
        try:
            import openai
        except ImportError as error:
            raise Unavailable("the library openai is not installed", INSTALL) from error
        from tui_annotate.plugins import wire

        # What it would take from the environment is given here, so that it takes nothing.
        return openai.OpenAI(
            api_key=_NO_KEY,
            admin_api_key="",
            organization="",
            project="",
            webhook_secret="",
            base_url=str(self._url),
            max_retries=0,
            http_client=wire.client(self._url, most=MOST),
        )


@dataclass(slots=True)
class _Turn:
    """Who is at one question."""

    lock: Lock = field(default_factory=Lock)
    waiting: int = 0


class _Memory:
    """Replies for as long as the judge lives."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        """See `Replies.get`."""
        return self._kept.get(key)

    def put(self, key: str, reply: str, *, about: Mapping[str, Any]) -> None:  # noqa: ARG002
        """See `Replies.put`."""
        self._kept[key] = reply


def reply_key(model: str, question: Question) -> str:
    """What a reply is kept under: SHA-256 in hex of model, prompt and parameters."""
    what = {"recipe": RECIPE, "model": model, "system": question.system, "user": question.user}
    told = json.dumps(what | _parameters(question), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(told.encode()).hexdigest()


def _parameters(question: Question) -> dict[str, Any]:
    return {
        "temperature": question.temperature,
        "top_p": question.top_p,
        "max_tokens": question.max_tokens,
        "attempt": question.attempt,
    }


def _wired(question: Question) -> dict[str, Any]:
    """The parameters as they may be sent; the limit under both its names."""
    return {
        "temperature": question.temperature,
        "top_p": question.top_p,
        "max_tokens": question.max_tokens,
        "max_completion_tokens": question.max_tokens,
    }


def _messages(question: Question) -> list[Any]:
    said = [{"role": "user", "content": question.user}]
    return [{"role": "system", "content": question.system}, *said] if question.system else said


def _content(body: bytes, host: str) -> str:
    """The text in a reply.

    Raises:
        Unavailable: it is no reply of a chat model.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise Unavailable(
            f"{host} answers something that is no JSON",
            "check --base-url, which most often ends in /v1",
        ) from None  # the cause would carry the whole reply
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    text = message.get("content", ()) if isinstance(message, dict) else ()
    if text is None:  # it says nothing: a refusal of the model's own, or a call of a tool
        return ""
    if not isinstance(text, str):
        raise Unavailable(
            f"{host} answers something that holds no message",
            "is this the right --base-url, and a chat model?",
        )
    return text.encode("utf-8", "replace").decode("utf-8")  # half a character can not be stored
