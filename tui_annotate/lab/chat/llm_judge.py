"""Asks a chat model through an OpenAI-compatible API, and repeats failed requests.

The client sends texts to the given address only. It caches each reply as soon as the reply arrives:
an interrupted run continues, and no request is paid for twice.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import (
    InvalidInput,
    RequestFailed,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.plugins.api_key import authorize_request
from tui_annotate.plugins.http_errors import RequestRefused, connection_failure, reply_failure
from tui_annotate.plugins.http_transport import (
    check_timeout,
    check_url,
    format_host,
    open_client,
    read_body,
    warn_of_open_key,
)
from tui_annotate.plugins.judges import JudgeOptions, ModelReply, Question, ReplyCache
from tui_annotate.plugins.retry import RetryPolicy

if TYPE_CHECKING:
    import httpx2

KEY_VERSION: Final = 2
"""Version number in the keys of stored replies; increase it if requests to the model change."""
_FORMER_VERSION: Final = 1
"""Version of keys without the address; such a reply is used if it is from the same host."""
MAX_CONCURRENCY: Final = 64
MAX_REPLY_BYTES: Final = 1_048_576
"""Maximum size of a model's reply in bytes; 1,000 tokens take about 1 % of this size."""
TIMEOUT: Final = 300.0
"""Default time limit of a request in seconds, from connecting to the end of the reply."""
_CONNECT: Final = 10.0
"""Maximum time to connect to an endpoint, in seconds."""
_FAILURES: Final = 10
"""Number of failed questions in a row after which the endpoint counts as down.

Questions that fail while others are answered do not count. One text may be in several questions,
so a few failures do not show that all questions would fail.
"""
_PARAMETERS: Final = ("max_completion_tokens", "max_tokens", "temperature", "top_p")


class LlmJudge:
    """A judge that asks a chat model behind an HTTP endpoint (see `plugins.judges.Judge`).

    Raises:
        InvalidInput: the model or the address is missing or invalid.
        Unavailable: the API key in the environment is invalid.
    """

    name = "llm"

    def __init__(
        self,
        options: JudgeOptions | None = None,
        *,
        wait: Callable[[float], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        chosen = options or JudgeOptions()
        if not chosen.model.strip():
            raise InvalidInput(
                "no judge model is named",
                "name a model, for example: --model gpt-4o-mini",
                code="model-missing",
            )
        if not chosen.base_url:
            raise InvalidInput(
                "no endpoint of the judge is named: texts are sent only to an address you name",
                "name an address, for example: --base-url http://localhost:11434/v1",
            )
        if not 1 <= chosen.concurrency <= MAX_CONCURRENCY:
            raise InvalidInput(
                f"invalid concurrency: {chosen.concurrency:,} requests at a time",
                f"allow 1 to {MAX_CONCURRENCY} requests at a time",
            )
        self._url = check_url(chosen.base_url)
        self._clock = clock
        self._timeout = check_timeout(TIMEOUT if chosen.timeout is None else chosen.timeout)
        self.host = format_host(self._url)
        self.model = chosen.model
        self._trust = chosen.trust or EndpointTrust().naming(chosen.base_url)
        warn_of_open_key(self._url, self._trust)
        self._replies: ReplyCache = _MemoryReplies() if chosen.replies is None else chosen.replies
        self._concurrency = chosen.concurrency
        self._slots = BoundedSemaphore(chosen.concurrency)
        self._retry = RetryPolicy(self.host, wait=wait, keeps_results=lambda: self._replies.keeps)
        self._retry.limit_retries(chosen.max_retries)
        self._failures: list[TuiAnnotateError] = []
        """Errors that concern all requests; a question that was refused or failed alone is none."""
        self._failed_in_row = 0
        self._omitted: set[str] = {"max_completion_tokens"}
        self._lock = Lock()
        self._locks: dict[str, _QuestionLock] = {}

    def ask(self, question: Question) -> ModelReply:
        """Return the stored reply to a question, or else ask the model.

        An unreadable reply is not stored, so that a repeated run asks again.
        """
        key = reply_key(self.model, question, address=str(self._url))
        if (known := self._find_cached(question)) is not None:
            return ModelReply(known, cached=True)
        # A caller with the same question may have stored the reply while this one waited.
        with self._hold_lock(key):
            if (known := self._find_cached(question)) is not None:
                return ModelReply(known, cached=True)
            failures = len(self._failures)
            with self._slots:
                if len(self._failures) > failures:  # the run ends: send nothing more
                    raise self._failures[-1]
                answered = self._retry.successes
                try:
                    text = self._complete(question)
                except InvalidInput:
                    raise
                except RequestFailed as error:
                    if self._retry.successes == answered:
                        self._count_failure(error)
                    raise
                except TuiAnnotateError as error:
                    self._failures.append(error)
                    raise
            self._failed_in_row = 0
            if question.accepts(text):
                about = {
                    "address": str(self._url),
                    "model": self.model,
                    "host": self.host,
                    **_key_parameters(question),
                }
                self._replies.put(key, text, about=about)
        return ModelReply(text, cached=False)

    def _count_failure(self, error: RequestFailed) -> None:
        """Raise Unavailable if so many questions failed in a row that the endpoint is down."""
        with self._lock:
            self._failed_in_row += 1
            failed = self._failed_in_row
        if failed < _FAILURES:
            return
        stop = Unavailable(
            f"{error.message}; {failed:,} questions in a row have no reply", error.hint
        )
        self._failures.append(stop)
        raise stop from error

    def _find_cached(self, question: Question) -> str | None:
        key = reply_key(self.model, question, address=str(self._url))
        known = self._replies.get(key)
        if known is None:
            known = self._replies.get(reply_key(self.model, question), host=self.host)
        return known if known is not None and question.accepts(known) else None

    @contextmanager
    def _hold_lock(self, key: str) -> Iterator[None]:
        with self._lock:
            turn = self._locks.setdefault(key, _QuestionLock())
            turn.waiting += 1
        try:
            with turn.lock:
                yield
        finally:
            with self._lock:
                turn.waiting -= 1
                if not turn.waiting:
                    del self._locks[key]

    def ask_all(
        self, questions: Sequence[Question]
    ) -> Iterator[tuple[int, ModelReply | TuiAnnotateError]]:
        """Yield (index, reply or error) of each question, in the order in which replies arrive.

        A question that the endpoint refuses, or fails to answer while it answers others, has its
        own error. After any other error, questions that were not sent yet fail with the same error.
        """
        failures: list[TuiAnnotateError] = []

        def attempt(question: Question) -> ModelReply | TuiAnnotateError:
            if failures:
                return failures[0]
            outcome = self._ask_or_error(question)
            if not isinstance(outcome, ModelReply | InvalidInput | RequestFailed):
                failures.append(outcome)
            return outcome

        if len(questions) == 1:  # the most frequent case; a thread would cost more than it saves
            yield 0, self._ask_or_error(questions[0])
            return
        pool = ThreadPoolExecutor(min(self._concurrency, max(len(questions), 1)))
        try:
            asked = {pool.submit(attempt, each): at for at, each in enumerate(questions)}
            for done in as_completed(asked):
                yield asked[done], done.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def cached(self, question: Question) -> bool:
        return self._find_cached(question) is not None

    def _ask_or_error(self, question: Question) -> ModelReply | TuiAnnotateError:
        try:
            return self.ask(question)
        except TuiAnnotateError as error:
            return error

    def _complete(self, question: Question) -> str:
        """Return the model's answer; later requests omit parameters that the model refused."""
        while True:
            try:
                return _parse_message(self._retry(lambda: self._send(question)), self.host)
            except RequestRefused as refusal:
                if not self._omit_refused(refusal):
                    raise InvalidInput(
                        f"{self.host} refused a question: {refusal}",
                        "shorten the texts, or check the limits and rules of the endpoint",
                    ) from refusal

    def _omit_refused(self, refusal: RequestRefused) -> bool:
        """Stop sending the request parameters that a refusal names; return whether any was sent."""
        with self._lock:
            named = [each for each in _PARAMETERS if each in refusal.reason]
            if "max_tokens" in named and "max_tokens" not in self._omitted:
                # Some newer models accept the reply limit only under its newer name.
                self._omitted.add("max_tokens")
                self._omitted.discard("max_completion_tokens")
                return True
            new = set(named) - self._omitted
            self._omitted |= new
            return bool(new)

    def _send(self, question: Question) -> bytes:
        import httpx2

        limits = _key_parameters(question) | {"max_completion_tokens": question.max_tokens}
        omitted = {"attempt", *self._omitted}
        sent = {name: value for name, value in limits.items() if name not in omitted}
        body = {"model": self.model, "messages": _build_messages(question), **sent}
        # Without this, a lone surrogate in one prompt would end the run of all prompts.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        until = self._clock() + self._timeout
        try:
            address = f"{self._url}/chat/completions"
            with post_chat(self._client, address, content, trust=self._trust) as reply:
                self._retry.reached = True
                found = read_chat(reply, until - self._clock(), timeout=self._timeout)
        except httpx2.TransportError as error:
            raise connection_failure(error, timeout=self._timeout) from error
        if reply.is_success:
            return found
        raise reply_failure(
            self._url, reply.status_code, headers=reply.headers, body=found, trust=self._trust
        )

    @cached_property
    def _client(self) -> httpx2.Client:
        return open_chat_client(self._url, self._timeout)


def open_chat_client(url: httpx2.URL, timeout: float) -> httpx2.Client:
    """Return a thread-safe HTTP client for an endpoint of chat completions."""
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # at lower levels it logs addresses
    return open_client(url, connect=min(_CONNECT, timeout), read=timeout)


def post_chat(
    client: httpx2.Client, url: str, content: bytes, *, trust: EndpointTrust
) -> AbstractContextManager[httpx2.Response]:
    """Send JSON to a chat model, with the current API key; the caller reads the reply.

    Raises:
        NotAllowed: the user does not trust the endpoint; nothing is sent.
    """
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    headers |= authorize_request(url, trust)
    return client.stream("POST", url, content=content, headers=headers)


def read_chat(reply: httpx2.Response, seconds: float, *, timeout: float) -> bytes:
    """Read the reply of a chat model within a time in seconds, up to a maximum size."""
    return read_body(
        reply,
        most=MAX_REPLY_BYTES,
        seconds=seconds,
        hint="check that --base-url is an endpoint for chat completions",
        timeout=timeout,
    )


@dataclass(slots=True)
class _QuestionLock:
    lock: Lock = field(default_factory=Lock)
    waiting: int = 0


class _MemoryReplies:
    keeps = False

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def get(self, key: str, *, host: str = "") -> str | None:  # noqa: ARG002  one judge, one host
        return self._known.get(key)

    def put(self, key: str, reply: str, *, about: Mapping[str, Any]) -> None:  # noqa: ARG002
        self._known[key] = reply


def reply_key(model: str, question: Question, *, address: str = "") -> str:
    """Return the key of a stored reply: hexadecimal SHA-256 of the whole request.

    `address` is the base URL of the endpoint; empty for the keys of earlier versions.
    """
    where = {"recipe": KEY_VERSION, "address": address} if address else {"recipe": _FORMER_VERSION}
    values = {**where, "model": model, "system": question.system, "user": question.user}
    content = json.dumps(values | _key_parameters(question), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


def _key_parameters(question: Question) -> dict[str, Any]:
    return {
        "temperature": question.temperature,
        "top_p": question.top_p,
        "max_tokens": question.max_tokens,
        "attempt": question.attempt,
    }


def _build_messages(question: Question) -> list[Any]:
    system = [{"role": "system", "content": question.system}] if question.system else []
    return [*system, {"role": "user", "content": question.user}]


def _parse_message(body: bytes, host: str) -> str:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestFailed(
            f"the reply of {host} is not JSON",
            "check --base-url, which usually ends in /v1",
        ) from None  # the cause would quote the whole reply
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(first, dict) and first.get("finish_reason") == "content_filter":
        # The text, if any, is cut off. The same question would be refused again.
        raise InvalidInput(
            f"{host} refused a question: its content filter stopped the reply",
            "remove the text, or use an endpoint with other rules",
        )
    message = first.get("message") if isinstance(first, dict) else None
    text = message.get("content", ()) if isinstance(message, dict) else ()
    if text is None:  # no text: the model refused to answer, or called a tool
        return ""
    if not isinstance(text, str):
        raise RequestFailed(
            f"the reply of {host} contains no chat message",
            "check that --base-url is a chat completions endpoint, and the model a chat model",
        )
    return text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates cannot be stored
