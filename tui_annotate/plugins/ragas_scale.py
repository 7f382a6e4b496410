"""The four scores by RAGAS itself, the reference implementation, where it is installed.

It tells no one: its reports are switched off before it is imported, and it speaks to the endpoint
that was named alone. Its replies are not kept, and its prompts are its own.
"""

from __future__ import annotations

import asyncio
import math
import os
import warnings
from collections.abc import Callable, Sequence
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins.addresses import checked_url, host_of, is_near, warn_of_open_key
from tui_annotate.plugins.api_key import key
from tui_annotate.plugins.asking import Scored
from tui_annotate.plugins.complaints import fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

INSTALL: Final = "pip install 'tui-annotate[ragas]'"
_NO_KEY: Final = "none"
_READ, _CONNECT = 300.0, 10.0
"""Seconds for a sign of life, and for a connection."""


class RagasScale:
    """Scores by the library. Threads may share it.

    Args:
        embed: (n, dimensions) of n texts; None where no vectors can be had.
        concurrency: questions that it is at work on at a time.

    Raises:
        InvalidInput: the model is missing, or the address can not be used.
        Unavailable: the library is not installed, or does not work with what is.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        embed: Callable[[Sequence[str]], NDArray[Any]] | None = None,
        concurrency: int = 4,
    ) -> None:
        if not model or not base_url:
            raise InvalidInput("a judge needs a model and an address", "--model, --base-url")
        self._url = checked_url(base_url)
        self._model = model
        self._embed = embed
        self._free = BoundedSemaphore(concurrency)
        warn_of_open_key(self._url)
        _quiet()
        try:
            import ragas.metrics.collections as metrics
        except ImportError as error:
            raise Unavailable(f"ragas can not be used: {error}", INSTALL) from error
        self._metrics = metrics

    def score(self, metric: str, row: Any) -> Scored:
        """See `services.judge.scale.Scale.score`."""
        if metric == "answer_relevancy" and self._embed is None:
            return Scored(None, "there are no vectors: no embedder")
        with self._free:
            try:
                value = asyncio.run(self._asked(metric, row))
            except Exception as error:  # noqa: BLE001  whatever a stranger's library raises
                return Scored(None, f"ragas: {fit(str(error)) or type(error).__name__}")
        if not math.isfinite(value):
            return Scored(None, "ragas gives no number")
        return Scored(value)

    async def _asked(self, metric: str, row: Any) -> float:
        """The score of one row, by a client of its own: its connections belong to one loop."""
        import httpx2
        import openai

        connection = httpx2.AsyncClient(
            follow_redirects=False,
            timeout=httpx2.Timeout(_READ, connect=_CONNECT),
            trust_env=not is_near(self._url),
        )
        async with connection:
            client = openai.AsyncOpenAI(
                api_key=key() or _NO_KEY,
                admin_api_key="",
                organization="",
                project="",
                webhook_secret="",
                base_url=str(self._url),
                default_headers={"OpenAI-Organization": "", "OpenAI-Project": ""},
                http_client=connection,
            )
            given = {
                "user_input": row.question,
                "response": row.answer,
                "reference": row.ground_truth,
                "retrieved_contexts": list(row.contexts),
            }
            made, names = self._made(metric, client)
            found = await made.ascore(**{name: given[name] for name in names})
        return float(found.value)

    def _made(self, metric: str, client: Any) -> tuple[Any, tuple[str, ...]]:
        """The library's metric, and the names of what it is given."""
        from ragas.llms import llm_factory

        llm = llm_factory(self._model, provider="openai", client=client)
        kinds = self._metrics
        if metric == "answer_relevancy":
            made = kinds.AnswerRelevancy(llm=llm, embeddings=_ours(self._embed))
            return made, ("user_input", "response")
        if metric == "faithfulness":
            return kinds.Faithfulness(llm=llm), ("user_input", "response", "retrieved_contexts")
        kind = (
            kinds.ContextPrecisionWithReference
            if metric == "context_precision"
            else kinds.ContextRecall
        )
        return kind(llm=llm), ("user_input", "reference", "retrieved_contexts")

    @property
    def host(self) -> str:
        """Where texts go."""
        return host_of(self._url)


def _ours(embed: Callable[[Sequence[str]], NDArray[Any]] | None) -> Any:
    """Our embedder in the library's words; nothing is embedded elsewhere."""
    from ragas.embeddings.base import BaseRagasEmbedding

    class Ours(BaseRagasEmbedding):  # type: ignore[misc]
        def embed_text(self, text: str, **_: Any) -> list[float]:
            return [float(number) for number in embed([text])[0]] if embed else []

        async def aembed_text(self, text: str, **_: Any) -> list[float]:
            return self.embed_text(text)

    return Ours()


def _quiet() -> None:
    """Nobody is told that the library is used, and what it warns of is not ours."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    warnings.filterwarnings("ignore", module=r"(ragas|langchain|instructor)(\..*)?")
