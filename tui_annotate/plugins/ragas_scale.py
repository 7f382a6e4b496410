"""The four scores by RAGAS itself, the reference implementation, where it is installed.

It tells no one: its reports are switched off before it is imported, and it speaks to the endpoint
that was named alone. Its replies are not kept, and its prompts are its own.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import warnings
from collections.abc import Callable, Sequence
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins.addresses import checked_url, host_of, warn_of_open_key
from tui_annotate.plugins.asking import Scored
from tui_annotate.plugins.complaints import fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

INSTALL: Final = "pip install 'tui-annotate[ragas]'"
_NO_KEY: Final = "none"
_MOST: Final = 1_048_576
"""Bytes of a reply that are read."""
_NEXT: Final = "check --base-url, the model, and the key in the environment"


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
        self.host = host_of(self._url)
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
            except Exception as error:
                if gone := _gone(error):
                    raise Unavailable(f"{self.host}: {gone}", _NEXT) from error
                return Scored(None, f"ragas: {fit(str(error)) or type(error).__name__}")
        if not math.isfinite(value):
            return Scored(None, "ragas gives no number")
        return Scored(value)

    async def _asked(self, metric: str, row: Any) -> float:
        """The score of one row, by a client of its own: its connections belong to one loop."""
        import openai

        from tui_annotate.plugins import wire

        async with wire.async_client(self._url, most=_MOST) as connection:
            client = openai.AsyncOpenAI(
                api_key=_NO_KEY,  # the wire puts on ours
                admin_api_key="",
                organization="",
                project="",
                webhook_secret="",
                base_url=str(self._url),
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


def _gone(error: BaseException | None) -> str:
    """Why the endpoint can not be used at all, where that is behind an error; else empty."""
    import openai

    hopeless = (
        openai.APIConnectionError,
        openai.AuthenticationError,
        openai.PermissionDeniedError,
        openai.NotFoundError,
    )
    while error is not None:
        if isinstance(error, (*hopeless, Unavailable)):
            return fit(str(error))
        error = error.__cause__ or error.__context__
    return ""


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
    """Nobody is told that the library is used; what it logs may quote replies, and is not shown."""
    os.environ["RAGAS_DO_NOT_TRACK"] = "true"
    for name in ("ragas", "instructor"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", module=r"(ragas|langchain|instructor)(\..*)?")
