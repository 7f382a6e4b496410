"""Embedder for OpenAI-compatible endpoints; it requests vectors only during an import.

Texts leave the machine here. They go only to the address that the user set, because redirects are
not followed. The API key is read from the environment at each request, and never stored or logged.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import InvalidInput, RequestFailed, Unavailable, error_message
from tui_annotate.domain.unicode_text import replace_lone_surrogates
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
from tui_annotate.plugins.protocols import EmbedderOptions, EmbeddingCost
from tui_annotate.plugins.retry import REPEAT_VECTORS_HINT, RetryPolicy

if TYPE_CHECKING:
    import httpx2
    import numpy as np
    from numpy.typing import NDArray

MOST_DIMENSIONS: Final = 16_384
TIMEOUT: Final = 120.0
"""Default time limit of a request in seconds, from connecting to the end of the reply."""
_CONNECT: Final = 10.0
"""Maximum time to connect to an endpoint, in seconds."""


class Endpoint:
    """HTTP client that posts JSON requests to one endpoint. Not thread-safe.

    Raises:
        InvalidInput: the base URL is invalid, or contains a password, query or fragment; or the
            time limit or the number of retries is invalid.
        Unavailable: the API key is invalid.
    """

    def __init__(
        self,
        base_url: str,
        *,
        timeout: float = TIMEOUT,
        max_retries: int | None = None,
        keeps_results: bool = True,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        trust: EndpointTrust | None = None,
    ) -> None:
        self._url = check_url(base_url)
        self._trust = trust or EndpointTrust().naming(base_url)
        self._timeout = check_timeout(timeout)
        self._clock = clock
        self.host = format_host(self._url)
        self._retry = RetryPolicy(
            self.host,
            wait=wait,
            keeps_results=lambda: keeps_results,
            repeat_hint=REPEAT_VECTORS_HINT,
        )
        self._retry.limit_retries(max_retries)
        warn_of_open_key(self._url, self._trust)

    def post(
        self, path: str, question: Mapping[str, Any], *, most: int, attempts: int | None = None
    ) -> Any:
        """Send a JSON request and return the parsed reply of at most `most` bytes, with retries.

        `attempts`: maximum number of attempts, if fewer than usual.

        Raises:
            RequestRefused: the endpoint rejects the content, for example because of its size.
            Unavailable: all attempts failed; the message has the last failure.
        """
        return self._retry(lambda: self._send(path, question, most=most), attempts=attempts)

    def _send(self, path: str, question: Mapping[str, Any], *, most: int) -> Any:
        import httpx2

        url = self._url.copy_with(path=self._url.path.rstrip("/") + path)
        headers = authorize_request(str(url), self._trust)
        until = self._clock() + self._timeout
        try:
            with self._client.stream("POST", url, json=question, headers=headers) as reply:
                self._retry.reached = True
                body = read_body(
                    reply,
                    most=most,
                    seconds=until - self._clock(),
                    hint="check that the address is an embeddings endpoint",
                    timeout=self._timeout,
                    clock=self._clock,
                )
        except httpx2.TransportError as error:
            raise connection_failure(error, timeout=self._timeout) from error
        if reply.status_code != httpx2.codes.OK:
            raise reply_failure(
                self._url, reply.status_code, headers=reply.headers, body=body, trust=self._trust
            )
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise InvalidReply(
                f"the reply of {self.host} is not JSON",
                "check --base-url (usually ends in /v1)",
            ) from None  # the cause would carry the whole reply

    @cached_property
    def _client(self) -> httpx2.Client:
        return open_client(self._url, connect=min(_CONNECT, self._timeout), read=self._timeout)


def parse_embeddings(reply: Any, *, count: int, dimensions: int) -> NDArray[np.float64]:
    """Return the vectors in a reply, ordered by the field `index`: shape (count, dimensions).

    Args:
        dimensions: the expected number of dimensions; 0 if unknown.

    Raises:
        Unavailable: vectors are missing, repeated, of another size, or not numbers.
    """
    rows, faults = parse_usable_embeddings(reply, count=count, dimensions=dimensions)
    if faults:
        raise _bad_reply(next(iter(faults.values())))
    return rows


def parse_usable_embeddings(
    reply: Any, *, count: int, dimensions: int
) -> tuple[NDArray[np.float64], dict[int, str]]:
    """Return the vectors in a reply as `parse_embeddings` does, with zeros for invalid vectors.

    The dictionary has the fault of each invalid vector, by its index. If the number of dimensions
    is unknown, it is that of most vectors.

    Raises:
        InvalidReply: the reply is not usable as a whole, or all of its vectors are invalid.
    """
    import numpy as np

    items = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _bad_reply("the reply contains no list of embeddings")
    if len(items) != count:
        raise _bad_reply(f"the reply contains {len(items):,} embeddings for {count:,} texts")
    rows: dict[int, NDArray[np.float64]] = {}
    faults: dict[int, str] = {}
    for item in items:
        index = item.get("index")
        if type(index) is not int or not 0 <= index < count or index in rows or index in faults:
            raise _bad_reply("embeddings have wrong, missing or repeated indexes")
        try:
            rows[index] = _parse_vector(item.get("embedding"))
        except ValueError as error:
            faults[index] = str(error)
    sizes = Counter(len(row) for row in rows.values())
    if not dimensions:
        dimensions = _most_frequent_size(sizes)
    for index, row in rows.items():
        if len(row) != dimensions:
            faults[index] = f"an embedding has {len(row):,} dimensions, not {dimensions:,}"
    if len(faults) == count:
        raise _bad_reply(faults[0])
    zeros = np.zeros(dimensions)
    usable = [zeros if index in faults else rows[index] for index in range(count)]
    return np.stack(usable), faults


def _most_frequent_size(sizes: Counter[int]) -> int:
    """Return the size of most vectors, 0 for none; InvalidReply if two sizes are as frequent."""
    most = sizes.most_common(2)
    if not most:
        return 0
    if len(most) > 1 and most[0][1] == most[1][1]:
        shown = ", ".join(map(str, sorted(sizes)))
        raise _bad_reply(f"embeddings of {shown} dimensions")
    return most[0][0]


def _parse_vector(value: Any) -> NDArray[np.float64]:
    """Return the numbers of a vector; ValueError with the fault for anything else."""
    import numpy as np

    if isinstance(value, str):
        try:
            packed = base64.b64decode(value, validate=True)
            row = np.frombuffer(packed, "<f4").astype(np.float64)
        except ValueError as error:
            raise ValueError("an embedding is not a base64 string of numbers") from error
    elif isinstance(value, list) and {*map(type, value)} <= {float, int}:
        try:
            row = np.array(value, np.float64)
        except OverflowError as error:
            raise ValueError("an embedding contains a number that is too large") from error
    else:
        raise ValueError("an embedding is not a list of numbers")
    if not 0 < len(row) <= MOST_DIMENSIONS or not np.isfinite(row).all():
        raise ValueError("an embedding is empty, is too long, or contains NaN or infinity")
    return row


class InvalidReply(Unavailable):
    """An error: an endpoint's reply to one request has no vectors; others may have some."""


def _bad_reply(what: str) -> InvalidReply:
    return InvalidReply(
        f"the endpoint returned an invalid reply: {what}",
        "check that --base-url is correct, and that the model is an embedding model",
    )


_Failure = RequestRefused | RequestFailed | InvalidReply
_log = logging.getLogger(__name__)

RECIPE: Final = "1"
"""Version of the code that computes vectors. Increase it if the computed vectors change."""
MOST_TEXTS: Final = 512
MOST_CHARACTERS: Final = 100_000
"""Maximum numbers of texts and characters in one request to an embedding endpoint."""

_FIRST_TEXTS: Final = 16
_FAST_SECONDS: Final = 10.0
"""Duration of a request, in seconds, above which later requests contain fewer texts."""
_LONGEST_TEXT: Final = 20_000
"""Maximum number of code points of a text to use; the rest is ignored."""
_LONGEST_PIECE: Final = 6_000
"""Maximum length of a piece of a text, in code points; a longer text is split into pieces."""
_SHORTEST_SPLIT: Final = 200
_TOO_LONG: Final = re.compile("token|length|long|context|maximum|exceed|size|large", re.IGNORECASE)
_TOO_MANY: Final = re.compile("many|batch|limit|at most", re.IGNORECASE)
_FORMATS: Final = ("base64", "float", "")
"""Encodings of vectors to request, best first: base64 is smallest, but may be unsupported."""
_MOST_FAILED: Final = 8
"""Number of texts that may fail one after another before other texts are tried."""
_OTHER_TEXTS: Final = 4
"""Number of other texts to try. If they fail too, the endpoint is at fault, not the texts."""
_PROBE: Final = "dimensions"
"""Text that each model can embed. If an endpoint fails for this text too, no text is at fault."""
_FRAME_BYTES: Final = 65_536
"""Maximum size of a reply without the numbers of its vectors, in bytes."""
_NUMBER_BYTES: Final = 32
"""Maximum size of one number of a vector in a reply, in bytes."""


class _RequestSizes:
    """Sizes of requests that an endpoint accepts, and that take little time; kept between calls."""

    def __init__(self) -> None:
        self._limit = MOST_TEXTS
        self._fast = _FIRST_TEXTS

    @property
    def most_texts(self) -> int:
        return min(self._limit, self._fast)

    def note_refusal(self, texts: int) -> None:
        """Halve the limit after a refusal that named the size of a request of some texts."""
        self._limit = max(texts // 2, 1)

    def forget_limit(self) -> None:
        """Remove the limit: a single text was refused, so the texts before it were not too many."""
        self._limit = MOST_TEXTS

    def note_speed(self, texts: int, *, seconds: float) -> None:
        """Plan smaller requests after a slow one, and larger ones after a fast one."""
        if seconds > _FAST_SECONDS:
            self._fast = max(texts // 2, 1)
        elif texts == self._fast:
            self._fast = min(2 * self._fast, MOST_TEXTS)


class _RequestQueue:
    """Texts of one call, in order, split into requests; a request that fails is halved.

    The halves only find the text at fault: the next request has its usual size again.

    Attributes:
        is_part: whether the next request is a part of one that failed.
    """

    def __init__(
        self, pieces: Sequence[str], sizes: _RequestSizes, *, later: Sequence[str] = ()
    ) -> None:
        self._pieces = pieces
        self._sizes = sizes
        self._later = later
        self._start = 0
        self._part_ends: list[int] = []
        """Ends of the parts of a failed request that remain, the nearest last."""

    @property
    def is_part(self) -> bool:
        return bool(self._part_ends)

    def next_batch(self) -> Sequence[str]:
        """Return the texts of the next request, without removing them; empty at the end."""
        start = self._start
        limit = self._part_ends[-1] if self._part_ends else len(self._pieces)
        last = min(limit, start + self._sizes.most_texts)
        size = 0
        end = start
        while end < last:
            size += len(self._pieces[end])
            if end > start and size > MOST_CHARACTERS:
                break
            end += 1
        return self._pieces[start:end]

    def remove(self, batch: Sequence[str]) -> None:
        """Remove the texts of a request that is complete."""
        self._start += len(batch)
        while self._part_ends and self._part_ends[-1] <= self._start:
            self._part_ends.pop()

    def halve(self, batch: Sequence[str]) -> None:
        """Request the texts of a request that failed, at least two, as two halves."""
        end = self._start + len(batch)
        if not self._part_ends or end < self._part_ends[-1]:
            self._part_ends.append(end)
        self._part_ends.append(self._start + len(batch) // 2)

    def later_texts(self) -> list[str]:
        """Return the texts after the next one."""
        return [*self._pieces[self._start + 1 :], *self._later]


class RemoteEmbedder:
    """Embedder that requests vectors from an endpoint and normalises them to unit length.

    Raises:
        InvalidInput: the model or the base URL is missing or invalid.
        Unavailable: the API key in the environment is invalid.
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
        if not chosen.model.strip():
            raise InvalidInput(
                "the remote embedder needs the name of a model",
                "name a model, for example: --embedder remote:text-embedding-3-small",
            )
        if not chosen.base_url:
            raise InvalidInput(
                "the remote embedder needs the base URL of an endpoint",
                "pass a URL, for example: --base-url https://api.openai.com/v1",
                code="endpoint-missing",
            )
        if not 0 <= chosen.dimensions <= MOST_DIMENSIONS:
            raise InvalidInput(
                f"invalid number of dimensions: {chosen.dimensions:,}",
                f"use 1 to {MOST_DIMENSIONS:,} dimensions",
            )
        timeout = TIMEOUT if chosen.timeout is None else chosen.timeout
        self._endpoint = Endpoint(
            chosen.base_url,
            timeout=timeout,
            max_retries=chosen.max_retries,
            keeps_results=chosen.keeps_vectors,
            wait=wait,
            clock=clock,
            trust=chosen.trust,
        )
        self.host = self._endpoint.host
        self._clock = clock
        self._wanted_dimensions = chosen.dimensions
        self.dimensions = chosen.dimensions
        self._formats = list(_FORMATS)
        self._sizes = _RequestSizes()
        self.failed: dict[str, str] = {}
        """Texts of the last call of `embed` without a vector because of an error, and the error."""
        self._is_suspect = True
        """Whether no request has succeeded since the last failure."""
        self._failed_in_a_row = 0
        """Number of texts without a vector since the last text with one."""
        self._embedded_text = ""
        """A text that has got a vector, or empty."""
        self.label = chosen.model
        recipe = f"{RECIPE}\n{chosen.model}\n{chosen.dimensions}"
        self.version = hashlib.sha256(recipe.encode()).hexdigest()[:12]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector of unit length for each text: an array (texts, dimensions).

        The row is zero for a text of only white space, and for a zero vector of the endpoint. It is
        also zero for a text that the endpoint rejects or fails to embed, alone among others; such
        texts are in `failed`. Only the first 20,000 code points of a text are used. The vector of a
        long text is the mean of its pieces' vectors, weighted by their lengths.

        Raises:
            Unavailable: the endpoint cannot be reached, or fails for each text, or for many texts
                in a row and for other texts, too.
        """
        import numpy as np

        self.failed = {}
        indices = {text: index for index, text in enumerate(_distinct_texts(texts))}
        if texts and not indices and not self.dimensions:
            self._request_rows([_PROBE], {})
        pieces = [(index, piece) for text, index in indices.items() for piece in _split_long(text)]
        faults: dict[str, str] = {}
        rows = self._request_rows([piece for _, piece in pieces], faults)
        pooled = np.zeros((len(indices) + 1, rows.shape[1]))
        weights = np.array([len(piece) for _, piece in pieces], np.float64)
        np.add.at(pooled, [index for index, _ in pieces], rows * weights[:, None])
        cut = {index: faults[piece] for index, piece in pieces if piece in faults}
        pooled[[*cut]] = 0  # a vector of the other pieces would be that of another text
        self.failed = {
            text: cut[indices[text[:_LONGEST_TEXT]]]
            for text in texts
            if indices.get(text[:_LONGEST_TEXT]) in cut
        }
        unknown = len(indices)  # the last row, of zeros
        order = [indices.get(text[:_LONGEST_TEXT], unknown) for text in texts]
        made: NDArray[np.float32] = _normalise(pooled)[order].astype(np.float32)
        return made

    def cost(self, texts: Iterable[str]) -> EmbeddingCost:
        """Estimate the cost of embedding some texts, without sending any request.

        Without a tokenizer, the number of tokens is a guess: one token for four ASCII characters,
        and one for every other character.
        """
        calls = held = size = characters = plain = 0
        pieces = (piece for text in _distinct_texts(texts) for piece in _split_long(text))
        for piece in pieces:
            if not calls or held == MOST_TEXTS or size + len(piece) > MOST_CHARACTERS:
                calls += 1
                held = 0
                size = 0
            held += 1
            size += len(piece)
            characters += len(piece)
            plain += len(piece.encode("ascii", "ignore"))
        return EmbeddingCost(calls, characters, -(-plain // 4) + characters - plain)

    # requests ------------------------------------------------------------------------------------

    def _request_rows(
        self, pieces: Sequence[str], faults: dict[str, str], *, later: Sequence[str] = ()
    ) -> NDArray[np.float64]:
        """Return a vector for each piece, with zeros for a piece that fails; add it to `faults`.

        A request that fails is halved down to a single text, so that one text costs no other its
        vector.

        Args:
            later: further texts of the call, which are only tried if many texts fail.

        Raises:
            Unavailable: the endpoint cannot be reached, or fails for a harmless text or for many
                texts, too.
        """
        import numpy as np

        rows: list[NDArray[np.float64]] = []
        queue = _RequestQueue(pieces, self._sizes, later=later)
        while batch := queue.next_batch():
            try:
                attempts = self._choose_attempts(batch, is_part=queue.is_part)
                made, faulty = self._request_batch(batch, attempts=attempts)
            except (RequestRefused, RequestFailed, InvalidReply) as error:
                # A refusal often only means that a request is too large: it is halved first.
                if len(batch) == 1 or not isinstance(error, RequestRefused):
                    self._suspect_endpoint(error, batch)
                if len(batch) > 1:
                    if self._is_too_large(error):
                        self._sizes.note_refusal(len(batch))
                    queue.halve(batch)
                    continue
                self._sizes.forget_limit()
                made, faulty = self._embed_failed(batch[0], error, queue.later_texts())
            else:
                self._failed_in_a_row = 0
                self._embedded_text = next(text for text in batch if text not in faulty)
            faults.update(faulty)
            rows.append(made)
            queue.remove(batch)
        return np.concatenate(rows) if rows else np.zeros((0, self.dimensions))

    def _choose_attempts(self, batch: Sequence[str], *, is_part: bool) -> int | None:
        """Return the maximum number of attempts of a request; None for the usual number."""
        if len(batch) > 1:
            # The whole request was repeated already: its halves show only which text fails.
            return 1 if is_part else None
        return 2 if is_part or self._failed_in_a_row else None

    def _suspect_endpoint(self, error: _Failure, batch: Sequence[str]) -> None:
        """Raise Unavailable if the endpoint itself fails, not only for the texts of a request."""
        if self._is_too_long(error) and len(batch[0]) > _SHORTEST_SPLIT:
            return
        if self._is_suspect:
            try:
                self._request_batch([_PROBE], attempts=1)
            except (RequestRefused, RequestFailed, InvalidReply):
                if isinstance(error, Unavailable):
                    raise error from None
                raise Unavailable(
                    f"{self._endpoint.host} rejects the texts: {error}",
                    "check the model name, --base-url and --dimensions",
                ) from error
        self._is_suspect = True

    def _request_batch(
        self, batch: Sequence[str], *, attempts: int | None = None
    ) -> tuple[NDArray[np.float64], dict[str, str]]:
        """Return a vector of each text; and the fault of each text whose vector is invalid."""
        sent = list(map(replace_lone_surrogates, batch))
        question: dict[str, Any] = {"model": self.label, "input": sent}
        if self._formats[0]:
            question["encoding_format"] = self._formats[0]
        if self._wanted_dimensions:
            question["dimensions"] = self._wanted_dimensions
        most = _FRAME_BYTES + len(batch) * (self.dimensions or MOST_DIMENSIONS) * _NUMBER_BYTES
        began = self._clock()
        try:
            reply = self._endpoint.post("/embeddings", question, most=most, attempts=attempts)
        except RequestRefused as refusal:
            if self._formats[0] and "encoding_format" in refusal.reason:
                del self._formats[0]
                return self._request_batch(batch, attempts=attempts)
            raise
        rows, faults = parse_usable_embeddings(reply, count=len(batch), dimensions=self.dimensions)
        self.dimensions = rows.shape[1]
        self._is_suspect = False
        self._sizes.note_speed(len(batch), seconds=self._clock() - began)
        return _normalise(rows), {batch[index]: fault for index, fault in faults.items()}

    def _embed_failed(
        self, piece: str, error: _Failure, later: Sequence[str]
    ) -> tuple[NDArray[np.float64], dict[str, str]]:
        """Return a vector for a piece of text whose own request failed, or zeros and the error.

        The vector of a piece that is too long is the mean of the vectors of its halves.
        """
        import numpy as np

        fault = error_message(error)
        if self._is_too_long(error) and len(piece) > _SHORTEST_SPLIT:
            halves = _halve(piece)
            rows: list[NDArray[np.float64]] = []
            faults: dict[str, str] = {}
            for half in halves:
                rows.append(self._request_rows([half], faults, later=later))
                if faults:  # without one half there is no vector of the whole
                    return np.zeros((1, self.dimensions)), {piece: faults[half]}
            weights = np.array([[len(half) for half in halves]], np.float64)
            return _normalise(weights @ np.concatenate(rows)), {}
        _log.info("a text gets no vector: %s", fault)
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= _MOST_FAILED:
            self._try_other_texts(error, fault, later)
        return np.zeros((1, self.dimensions)), {piece: fault}

    def _try_other_texts(self, error: _Failure, fault: str, later: Sequence[str]) -> None:
        """Raise Unavailable if other texts fail, too, after many texts that failed in a row.

        A document whose sentences are all rejected costs no other document its vectors.
        """
        step = max(len(later) // _OTHER_TEXTS, 1)
        others = list(later[::-step][:_OTHER_TEXTS])
        if self._embedded_text:
            # With a space, as a proxy may keep the vectors of old texts while the model fails.
            others.append(f"{self._embedded_text} ")
        for text in others:
            try:
                self._request_batch([text], attempts=1)
            except (RequestRefused, RequestFailed, InvalidReply):
                continue
            self._failed_in_a_row = 0
            return
        hint = error.hint if isinstance(error, Unavailable) else ""
        raise Unavailable(
            f"the endpoint failed for {self._failed_in_a_row:,} texts in a row;"
            f" last failure: {fault}",
            hint or "check the model name, --base-url and --dimensions",
        ) from error

    def _is_too_large(self, error: _Failure) -> bool:
        """Return whether a refusal is about the size of a request, not about one of its texts."""
        if self._is_too_long(error):
            return True
        return isinstance(error, RequestRefused) and _TOO_MANY.search(error.reason) is not None

    def _is_too_long(self, error: _Failure) -> bool:
        if not isinstance(error, RequestRefused):
            return False
        return error.status == 413 or _TOO_LONG.search(error.reason) is not None


def _distinct_texts(texts: Iterable[str]) -> list[str]:
    cut = dict.fromkeys(text[:_LONGEST_TEXT] for text in texts)
    return [text for text in cut if text.strip()]


def _split_long(text: str) -> list[str]:
    if len(text) <= _LONGEST_PIECE:
        return [text]
    return [piece for half in _halve(text) for piece in _split_long(half)]


def _halve(text: str) -> list[str]:
    """Split a text at the last space before its middle, or at the middle if no space is near."""
    middle = len(text) // 2
    near = len(text) // 4
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
