"""Vectors of a model behind an OpenAI-compatible endpoint: made at ingest alone, never at a key.

Texts leave the machine here: to the address that a person gave, and, as redirects are not followed,
to no other. The key comes from the environment at each request; it is never kept or logged.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins.api_key import authorization_header
from tui_annotate.plugins.http_errors import RequestRefused, connection_failure, reply_failure
from tui_annotate.plugins.http_transport import (
    check_url,
    format_host,
    open_client,
    read_body,
    warn_of_open_key,
)
from tui_annotate.plugins.protocols import EmbedderOptions, EmbeddingCost
from tui_annotate.plugins.retry import RetryPolicy

if TYPE_CHECKING:
    import httpx2
    import numpy as np
    from numpy.typing import NDArray

MOST_DIMENSIONS: Final = 16_384
_CONNECT, _READ, _REPLY_TIMEOUT = 10.0, 120.0, 300.0
"""Seconds for a connection, for a sign of life, for a whole reply."""


class Endpoint:
    """Questions as JSON to one address. One thread at a time.

    Raises:
        InvalidInput: the address can not be used, or holds something secret.
        Unavailable: the key can not be one.
    """

    def __init__(
        self,
        base_url: str,
        *,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = check_url(base_url)
        self._clock = clock
        self.host = format_host(self._url)
        self._retry = RetryPolicy(self.host, wait=wait)
        warn_of_open_key(self._url)

    def post(self, path: str, question: Mapping[str, Any], *, most: int) -> Any:
        """Post a JSON question and return at most `most` bytes of JSON; retry transient failures.

        Raises:
            RequestRefused: the content is too large, or refused.
            Unavailable: every attempt failed; the message says how.
        """
        return self._retry(lambda: self._send(path, question, most=most))

    def _send(self, path: str, question: Mapping[str, Any], *, most: int) -> Any:
        import httpx2

        url = self._url.copy_with(path=self._url.path.rstrip("/") + path)
        try:
            with self._client.stream(
                "POST", url, json=question, headers=authorization_header()
            ) as reply:
                self._retry.reached = True
                hint, clock = "is this an endpoint for embeddings?", self._clock
                body = read_body(reply, most=most, seconds=_REPLY_TIMEOUT, hint=hint, clock=clock)
        except httpx2.TransportError as error:
            raise connection_failure(error) from error
        if reply.status_code != httpx2.codes.OK:
            raise reply_failure(self.host, reply.status_code, headers=reply.headers, body=body)
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise Unavailable(
                f"{self.host} answers something that is no JSON",
                "check --base-url, which most often ends in /v1",
            ) from None  # the cause would carry the whole reply

    @cached_property
    def _client(self) -> httpx2.Client:
        return open_client(self._url, connect=_CONNECT, read=_READ)


def parse_embeddings(reply: Any, *, count: int, dimensions: int) -> NDArray[np.float64]:
    """(count, dimensions): the vectors of a reply, each where its index puts it.

    Dimensions are 0 where they are not known yet.

    Raises:
        Unavailable: some are missing, there twice, of another size, or not made of numbers.
    """
    import numpy as np

    items = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _bad_reply("something that holds no embeddings")
    if len(items) != count:
        raise _bad_reply(f"{len(items):,} embeddings for {count:,} texts")
    rows: dict[int, NDArray[np.float64]] = {}
    for item in items:
        place = item.get("index")
        if type(place) is not int or not 0 <= place < count or place in rows:
            raise _bad_reply("embeddings whose indexes do not name each text once")
        rows[place] = _parse_vector(item.get("embedding"))
    sizes = {len(row) for row in rows.values()}
    if sizes - {dimensions or min(sizes)}:
        wanted = f", not the {dimensions:,} of before" if dimensions else ""
        raise _bad_reply(f"embeddings of {', '.join(map(str, sorted(sizes)))} dimensions{wanted}")
    return np.stack([rows[place] for place in range(count)])


def _parse_vector(value: Any) -> NDArray[np.float64]:
    import numpy as np

    if isinstance(value, str):
        try:
            packed = base64.b64decode(value, validate=True)
            row = np.frombuffer(packed, "<f4").astype(np.float64)
        except ValueError as error:
            raise _bad_reply("an embedding that is no base64 of numbers") from error
    elif isinstance(value, list) and {*map(type, value)} <= {float, int}:
        try:
            row = np.array(value, np.float64)
        except OverflowError as error:
            raise _bad_reply("an embedding with a number beyond all bounds") from error
    else:
        raise _bad_reply("an embedding that is no list of numbers")
    if not 0 < len(row) <= MOST_DIMENSIONS or not np.isfinite(row).all():
        raise _bad_reply("an embedding that is empty, too long or not finite")
    return row


def _bad_reply(what: str) -> Unavailable:
    return Unavailable(
        f"the endpoint answers {what}", "is this the right --base-url, and an embedding model?"
    )


_log = logging.getLogger(__name__)

RECIPE: Final = "1"
"""Changes whenever the vectors of a text would, though the model is the same."""
MOST_TEXTS: Final = 512
MOST_CHARACTERS: Final = 100_000
"""Of one request: under what the endpoints that we know of take."""

_FIRST_TEXTS: Final = 16
_FAST_SECONDS: Final = 10.0
"""Seconds that a request may take; a slower endpoint gets fewer texts at a time."""
_LONGEST_TEXT: Final = 20_000
"""Code points of a text that count."""
_LONGEST_PIECE: Final = 6_000
"""Code points of a text that is sent in one piece, if the endpoint takes it."""
_SHORTEST_SPLIT: Final = 200
"""Code points of a text that is too long for no model."""
_MOST_REFUSED: Final = 3
"""Texts in a row that an endpoint may refuse before it is held to refuse all."""
_TOO_LONG: Final = re.compile("token|length|long|context|maximum|exceed|size|large", re.IGNORECASE)
_FORMATS: Final = ("base64", "float", "")
"""Asked for in this order: the first is a quarter of the second, and some endpoints lack one."""
_PROBE: Final = "dimensions"
_FRAME_BYTES: Final = 65_536
_NUMBER_BYTES: Final = 32
"""Bytes of a reply: what stands around the numbers, and what one of them may take."""


class RemoteEmbedder:
    """The vectors that an endpoint gives, brought to unit length here.

    Raises:
        InvalidInput: model or address is missing, or the address can not be used.
        Unavailable: what the environment holds is no key.

    Attributes:
        dimensions: 0 until the endpoint has answered once, unless they were asked for.
    """

    name = "remote"
    instant = False

    def __init__(
        self,
        options: EmbedderOptions | None = None,
        *,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        chosen = options or EmbedderOptions()
        if not chosen.model:
            raise InvalidInput(
                "a remote embedder needs the name of a model",
                "for example: --embedder remote:text-embedding-3-small",
            )
        if not chosen.base_url:
            raise InvalidInput(
                "a remote embedder needs the address of its endpoint",
                "for example: --base-url https://api.openai.com/v1",
                code="endpoint-missing",
            )
        if not 0 <= chosen.dimensions <= MOST_DIMENSIONS:
            raise InvalidInput(
                f"no model has {chosen.dimensions:,} dimensions", f"1 to {MOST_DIMENSIONS:,}"
            )
        self._endpoint = Endpoint(chosen.base_url, wait=wait, clock=clock)
        self._clock = clock
        self._wanted_dimensions = chosen.dimensions
        self.dimensions = chosen.dimensions
        self._formats = list(_FORMATS)
        self._most_texts, self._fast_texts = MOST_TEXTS, _FIRST_TEXTS
        self._refused, self._has_answered = 0, False
        self.label = chosen.model
        recipe = f"{RECIPE}\n{chosen.model}\n{chosen.dimensions}"
        self.version = hashlib.sha256(recipe.encode()).hexdigest()[:12]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dimensions), rows of unit length in the order of the texts.

        A row of zeros for white space alone, for what the endpoint answers with zeros, and for a
        text that it refuses. Of a text the first 20,000 code points count; a long one is the mean
        of its pieces, weighted by their lengths.

        Raises:
            Unavailable: the endpoint can not be reached, or does not do as it should.
        """
        import numpy as np

        places = {text: place for place, text in enumerate(_distinct_texts(texts))}
        if texts and not places and not self.dimensions:
            self._request_rows([_PROBE])
        pieces = [(place, piece) for text, place in places.items() for piece in _split_long(text)]
        rows = self._request_rows([piece for _, piece in pieces])
        pooled = np.zeros((len(places) + 1, rows.shape[1]))
        weights = np.array([len(piece) for _, piece in pieces], np.float64)
        np.add.at(pooled, [place for place, _ in pieces], rows * weights[:, None])
        unknown = len(places)  # the last row, of zeros
        order = [places.get(text[:_LONGEST_TEXT], unknown) for text in texts]
        made: NDArray[np.float32] = _normalise(pooled)[order].astype(np.float32)
        return made

    def cost(self, texts: Iterable[str]) -> EmbeddingCost:
        """What it would take to embed some texts; asks nobody.

        Without a tokenizer, tokens are guessed: one for four ASCII signs, one for any other sign.
        """
        calls = held = size = characters = plain = 0
        for piece in (piece for text in _distinct_texts(texts) for piece in _split_long(text)):
            if not calls or held == MOST_TEXTS or size + len(piece) > MOST_CHARACTERS:
                calls, held, size = calls + 1, 0, 0
            held, size = held + 1, size + len(piece)
            characters += len(piece)
            plain += len(piece.encode("ascii", "ignore"))
        return EmbeddingCost(calls, characters, -(-plain // 4) + characters - plain)

    # asking ------------------------------------------------------------------------------------

    def _request_rows(self, pieces: Sequence[str]) -> NDArray[np.float64]:
        import numpy as np

        rows: list[NDArray[np.float64]] = []
        at = 0
        while at < len(pieces):
            batch = self._next_batch(pieces, at)
            try:
                rows.append(self._request_batch(batch))
            except RequestRefused as refusal:
                if len(batch) > 1:
                    self._most_texts = len(batch) // 2
                    continue
                rows.append(self._request_one(batch[0], refusal))
            at += len(batch)
        return np.concatenate(rows) if rows else np.zeros((0, self.dimensions))

    def _next_batch(self, pieces: Sequence[str], at: int) -> Sequence[str]:
        last = min(len(pieces), at + min(self._most_texts, self._fast_texts))
        end, size = at + 1, len(pieces[at])
        while end < last and size + len(pieces[end]) <= MOST_CHARACTERS:
            size += len(pieces[end])
            end += 1
        return pieces[at:end]

    def _request_batch(self, batch: Sequence[str]) -> NDArray[np.float64]:
        question: dict[str, Any] = {"model": self.label, "input": list(batch)}
        if self._formats[0]:
            question["encoding_format"] = self._formats[0]
        if self._wanted_dimensions:
            question["dimensions"] = self._wanted_dimensions
        most = _FRAME_BYTES + len(batch) * (self.dimensions or MOST_DIMENSIONS) * _NUMBER_BYTES
        began = self._clock()
        try:
            reply = self._endpoint.post("/embeddings", question, most=most)
        except RequestRefused as refusal:
            if self._formats[0] and "encoding_format" in refusal.reason:
                del self._formats[0]
                return self._request_batch(batch)
            raise
        rows = parse_embeddings(reply, count=len(batch), dimensions=self.dimensions)
        self.dimensions = rows.shape[1]
        self._refused, self._has_answered = 0, True
        if self._clock() - began > _FAST_SECONDS:
            self._fast_texts = max(len(batch) // 2, 1)
        elif len(batch) == self._fast_texts:
            self._fast_texts = min(2 * self._fast_texts, MOST_TEXTS)
        return _normalise(rows)

    def _request_one(self, piece: str, refusal: RequestRefused) -> NDArray[np.float64]:
        """The row of a piece refused by itself: the number of pieces was not too large."""
        import numpy as np

        self._most_texts = MOST_TEXTS
        too_long = refusal.status == 413 or _TOO_LONG.search(refusal.reason)
        if too_long and len(piece) > _SHORTEST_SPLIT:
            halves = _halve(piece)
            weights = np.array([[len(half) for half in halves]], np.float64)
            return _normalise(weights @ self._request_rows(halves))
        self._refused += 1
        if not self._has_answered or self._refused > _MOST_REFUSED:
            raise Unavailable(
                f"{self._endpoint.host} does not take these texts: {refusal}",
                "check the model, --base-url and --dimensions",
            ) from refusal
        message = "%s does not take one text: %s; it has no vector"
        _log.warning(message, self._endpoint.host, refusal)
        return np.zeros((1, self.dimensions))


def _distinct_texts(texts: Iterable[str]) -> list[str]:
    cut = dict.fromkeys(text[:_LONGEST_TEXT] for text in texts)
    return [text for text in cut if text.strip()]


def _split_long(text: str) -> list[str]:
    if len(text) <= _LONGEST_PIECE:
        return [text]
    return [piece for half in _halve(text) for piece in _split_long(half)]


def _halve(text: str) -> list[str]:
    """A text cut at the white space next to its middle, where there is some near it."""
    middle, near = len(text) // 2, len(text) // 4
    before = text.rfind(" ", middle - near, middle)
    cut = before + 1 if before >= 0 else middle
    return [half for half in (text[:cut], text[cut:]) if half.strip()]


def _normalise(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    rows = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    np.divide(rows, lengths, out=rows, where=lengths > 0)
    return rows
