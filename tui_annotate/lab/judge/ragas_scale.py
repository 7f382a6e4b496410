"""Scores by RAGAS, the reference implementation of the metrics, if that library is installed.

The program disables the library's usage reports before the import. The library connects to the
given endpoint only. Its replies are not stored, and it uses its own prompts.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import warnings
from collections.abc import Callable, Sequence
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any, Final

import httpx2

from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import InvalidInput, NotAllowed, Unavailable, error_message
from tui_annotate.lab.chat.llm_judge import TIMEOUT, open_chat_client, post_chat, read_chat
from tui_annotate.lab.judge.evaluation import MetricScore
from tui_annotate.lab.judge.metrics import MissingReason
from tui_annotate.lab.judge.options import VECTORS
from tui_annotate.plugins.http_errors import shorten_line
from tui_annotate.plugins.http_transport import (
    check_timeout,
    check_url,
    format_host,
    warn_of_open_key,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

INSTALL: Final = "pip install 'tui-annotate[ragas]'"
_NO_KEY: Final = "none"
_HINT: Final = "check --base-url, the model, and the API key in the environment"


class RagasScale:
    """Computes metrics of answers with the library RAGAS.

    `embed` returns an array of shape (n, dimensions); None without an embedder. `requests` is the
    number of requests that were sent.

    Raises:
        InvalidInput: the model is missing, or the address is invalid.
        Unavailable: the library is missing, or its version is not supported.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        embed: Callable[[Sequence[str]], NDArray[Any]] | None = None,
        concurrency: int = 4,
        timeout: float | None = None,
        max_retries: int | None = None,
        trust: EndpointTrust | None = None,
    ) -> None:
        if not model or not base_url:
            raise InvalidInput(
                "a judge needs a model and the address of its endpoint",
                "pass both --model and --base-url",
            )
        self._url = check_url(base_url)
        self._timeout = check_timeout(TIMEOUT if timeout is None else timeout)
        self.host = format_host(self._url)
        self._model = model
        self._embed = embed
        self._max_retries = max_retries
        self.requests = 0
        self._lock = Lock()
        self._free = BoundedSemaphore(concurrency)
        self._trust = trust or EndpointTrust().naming(base_url)
        warn_of_open_key(self._url, self._trust)
        _silence()
        try:
            import ragas.metrics.collections as metrics
        except ImportError as error:
            raise Unavailable(
                f"cannot use the library ragas: {error}", f"install the library with: {INSTALL}"
            ) from error
        self._metrics = metrics

    def score(self, metric: str, row: Any) -> MetricScore:
        """Return the score of a row by one metric, or the reason why it has none.

        Raises:
            Unavailable: the endpoint cannot be used, so that no other row could be scored either.
        """
        if metric == "answer_relevancy" and self._embed is None:
            return MetricScore(None, MissingReason.NO_VECTORS)
        with self._free:
            try:
                value = asyncio.run(self._ask(metric, row))
            except Exception as error:
                if gone := _fatal_error(error):
                    raise Unavailable(f"{self.host}: {gone}", _HINT) from error
                return MetricScore(
                    None, f"ragas: {shorten_line(error_message(error)) or type(error).__name__}"
                )
        if not math.isfinite(value):
            return MetricScore(None, "ragas returned no number")
        return MetricScore(value, similarity=VECTORS if metric == "answer_relevancy" else "")

    async def _ask(self, metric: str, row: Any) -> float:
        """Score one question with a new client, because connections belong to one event loop."""
        import openai

        async with httpx2.AsyncClient(
            transport=_ChatTransport(
                self._url, self._timeout, self._trust, on_request=self._count_request
            )
        ) as connection:
            client = openai.AsyncOpenAI(
                api_key=_NO_KEY,  # our transport adds the user's key
                admin_api_key="",
                organization="",
                project="",
                webhook_secret="",
                base_url=str(self._url),
                http_client=connection,
                max_retries=(
                    openai.DEFAULT_MAX_RETRIES if self._max_retries is None else self._max_retries
                ),
            )
            given = {
                "user_input": row.question,
                "response": row.answer,
                "reference": row.ground_truth,
                "retrieved_contexts": [context or "" for context in row.contexts],
            }
            made, names = self._build_metric(metric, client)
            found = await made.ascore(**{name: given[name] for name in names})
        return float(found.value)

    def _count_request(self) -> None:
        with self._lock:
            self.requests += 1

    def _build_metric(self, metric: str, client: Any) -> tuple[Any, tuple[str, ...]]:
        from ragas.llms import llm_factory

        llm = llm_factory(self._model, provider="openai", client=client)
        kinds = self._metrics
        if metric == "answer_relevancy":
            made = kinds.AnswerRelevancy(llm=llm, embeddings=_wrap_embedder(self._embed))
            return made, ("user_input", "response")
        if metric == "faithfulness":
            return kinds.Faithfulness(llm=llm), ("user_input", "response", "retrieved_contexts")
        kind = (
            kinds.ContextPrecisionWithReference
            if metric == "context_precision"
            else kinds.ContextRecall
        )
        return kind(llm=llm), ("user_input", "reference", "retrieved_contexts")


class _ChatTransport(httpx2.AsyncBaseTransport):
    """HTTP transport that sends the requests of RAGAS with this program's headers only."""

    def __init__(
        self,
        url: httpx2.URL,
        timeout: float,
        trust: EndpointTrust,
        *,
        on_request: Callable[[], None] = lambda: None,
    ) -> None:
        self._on_request = on_request
        self._client = open_chat_client(url, timeout)
        self._timeout = timeout
        self._trust = trust

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return await asyncio.to_thread(self._send, str(request.url), await request.aread())

    def _send(self, url: str, content: bytes) -> httpx2.Response:
        self._on_request()
        with post_chat(self._client, url, content, trust=self._trust) as reply:
            body = read_chat(reply, self._timeout, timeout=self._timeout)
        kept = ("content-type", "location", "retry-after", "retry-after-ms")
        headers = {name: reply.headers[name] for name in kept if name in reply.headers}
        return httpx2.Response(reply.status_code, headers=headers, content=body)

    async def aclose(self) -> None:
        self._client.close()


def _fatal_error(error: BaseException | None) -> str:
    """Return why an error makes the endpoint unusable, or "" if it does not."""
    import openai

    hopeless = (
        openai.APIConnectionError,
        openai.AuthenticationError,
        openai.PermissionDeniedError,
        openai.NotFoundError,
    )
    while error is not None:
        if isinstance(error, (*hopeless, Unavailable, NotAllowed)):
            return shorten_line(error_message(error))
        error = error.__cause__ or error.__context__
    return ""


def _wrap_embedder(embed: Callable[[Sequence[str]], NDArray[Any]] | None) -> Any:
    from ragas.embeddings.base import BaseRagasEmbedding

    class Ours(BaseRagasEmbedding):  # type: ignore[misc]
        def embed_text(self, text: str, **_: Any) -> list[float]:
            vector = [float(number) for number in embed([text])[0]] if embed else []
            if not any(vector):  # its cosine would be 0/0
                raise ValueError(MissingReason.UNKNOWN_WORDS)
            return vector

        async def aembed_text(self, text: str, **_: Any) -> list[float]:
            return self.embed_text(text)

    return Ours()


def _silence() -> None:
    """Disable the usage reports of RAGAS, and its logs, which may quote replies."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    for name in ("ragas", "instructor"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", module=r"(ragas|langchain|instructor)(\..*)?")
