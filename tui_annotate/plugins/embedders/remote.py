"""Vectors of a model behind an OpenAI-compatible endpoint: made at ingest alone, never at a key.

Texts leave the machine here, and nowhere else: to the address that a person gave.
"""

from __future__ import annotations

import hashlib
import logging
import re
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins.embedders.endpoint import Endpoint
from tui_annotate.plugins.embedders.replies import MOST_DIMENSIONS, embeddings
from tui_annotate.plugins.patience import Refused
from tui_annotate.plugins.protocols import Cost, EmbedderOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_log = logging.getLogger(__name__)

RECIPE: Final = "1"
"""Changes whenever the vectors of a text would, though the model is the same."""
MOST_TEXTS: Final = 512
MOST_CHARACTERS: Final = 100_000
"""Of one request: under what the endpoints that we know of take."""

_FIRST_TEXTS: Final = 16
_BRISK: Final = 10.0
"""Seconds that a request may take; a slower endpoint gets fewer texts at a time."""
_LONGEST: Final = 20_000
"""Code points of a text that count."""
_WHOLE: Final = 6_000
"""Code points of a text that is sent in one piece, if the endpoint takes it."""
_SHORTEST: Final = 200
"""Code points of a text that is too long for no model."""
_LOST: Final = 3
"""Texts in a row that an endpoint may refuse before it is held to refuse all."""
_TOO_LONG: Final = re.compile("token|length|long|context|maximum|exceed|size|large", re.IGNORECASE)
_FORMATS: Final = ("base64", "float", "")
"""Asked for in this order: the first is a quarter of the second, and some endpoints lack one."""
_PROBE: Final = "dimensions"
_FRAME: Final = 65_536
_NUMBER: Final = 32
"""Bytes of a reply: what stands around the numbers, and what one of them may take."""


class RemoteEmbedder:
    """The vectors that an endpoint gives, brought to unit length here.

    Args:
        options: model and address; dimensions where the model can be asked for fewer.
        wait: waits so many seconds.
        clock: seconds that only grow.

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
            )
        if not 0 <= chosen.dimensions <= MOST_DIMENSIONS:
            raise InvalidInput(
                f"no model has {chosen.dimensions:,} dimensions", f"1 to {MOST_DIMENSIONS:,}"
            )
        self._endpoint = Endpoint(chosen.base_url, wait=wait, clock=clock)
        self._clock = clock
        self._asked = chosen.dimensions
        self.dimensions = chosen.dimensions
        self._formats = list(_FORMATS)
        self._most, self._brisk = MOST_TEXTS, _FIRST_TEXTS
        self._lost, self._took = 0, False
        self.label = chosen.model
        self.version = _version(chosen.model, chosen.dimensions)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, dimensions), rows of unit length in the order of the texts.

        A row of zeros for white space alone, for what the endpoint answers with zeros, and for a
        text that it refuses. Of a text the first 20,000 code points count; a long one is the mean
        of its pieces, weighted by their lengths.

        Raises:
            Unavailable: the endpoint can not be reached, or does not do as it should.
        """
        import numpy as np

        places = {text: place for place, text in enumerate(_told(texts))}
        if texts and not places and not self.dimensions:
            self._rows([_PROBE])
        pieces = [(place, piece) for text, place in places.items() for piece in _pieces(text)]
        rows = self._rows([piece for _, piece in pieces])
        pooled = np.zeros((len(places) + 1, rows.shape[1]))
        weights = np.array([len(piece) for _, piece in pieces], np.float64)
        np.add.at(pooled, [place for place, _ in pieces], rows * weights[:, None])
        unknown = len(places)  # the last row, of zeros
        order = [places.get(text[:_LONGEST], unknown) for text in texts]
        made: NDArray[np.float32] = _unit(pooled)[order].astype(np.float32)
        return made

    def cost(self, texts: Iterable[str]) -> Cost:
        """What it would take to embed some texts; asks nobody.

        Without a tokenizer, tokens are guessed: one for four ASCII signs, one for any other sign.
        """
        calls = held = size = characters = plain = 0
        for piece in (piece for text in _told(texts) for piece in _pieces(text)):
            if not calls or held == MOST_TEXTS or size + len(piece) > MOST_CHARACTERS:
                calls, held, size = calls + 1, 0, 0
            held, size = held + 1, size + len(piece)
            characters += len(piece)
            plain += len(piece.encode("ascii", "ignore"))
        return Cost(calls, characters, -(-plain // 4) + characters - plain)

    # asking ------------------------------------------------------------------------------------

    def _rows(self, pieces: Sequence[str]) -> NDArray[np.float64]:
        """A unit row a piece, or zeros: in as many requests as the endpoint wants."""
        import numpy as np

        rows: list[NDArray[np.float64]] = []
        at = 0
        while at < len(pieces):
            batch = self._batch(pieces, at)
            try:
                rows.append(self._asked_for(batch))
            except Refused as refusal:
                if len(batch) > 1:
                    self._most = len(batch) // 2
                    continue
                rows.append(self._alone(batch[0], refusal))
            at += len(batch)
        return np.concatenate(rows) if rows else np.zeros((0, self.dimensions))

    def _batch(self, pieces: Sequence[str], at: int) -> Sequence[str]:
        """The pieces of the next request; one at least."""
        last = min(len(pieces), at + min(self._most, self._brisk))
        end, size = at + 1, len(pieces[at])
        while end < last and size + len(pieces[end]) <= MOST_CHARACTERS:
            size += len(pieces[end])
            end += 1
        return pieces[at:end]

    def _asked_for(self, batch: Sequence[str]) -> NDArray[np.float64]:
        """The unit rows of one request.

        Raises:
            Refused: it is too much, or holds a text that the endpoint does not take.
        """
        question: dict[str, Any] = {"model": self.label, "input": list(batch)}
        if self._formats[0]:
            question["encoding_format"] = self._formats[0]
        if self._asked:
            question["dimensions"] = self._asked
        most = _FRAME + len(batch) * (self.dimensions or MOST_DIMENSIONS) * _NUMBER
        began = self._clock()
        try:
            reply = self._endpoint.post("/embeddings", question, most=most)
        except Refused as refusal:
            if self._formats[0] and "encoding_format" in refusal.told:
                del self._formats[0]
                return self._asked_for(batch)
            raise
        rows = embeddings(reply, count=len(batch), dimensions=self.dimensions)
        self.dimensions = rows.shape[1]
        self._lost, self._took = 0, True
        if self._clock() - began > _BRISK:
            self._brisk = max(len(batch) // 2, 1)
        elif len(batch) == self._brisk:
            self._brisk = min(2 * self._brisk, MOST_TEXTS)
        return _unit(rows)

    def _alone(self, piece: str, refusal: Refused) -> NDArray[np.float64]:
        """The row of a piece that is refused by itself: so the number of pieces was not too large.

        Raises:
            Unavailable: the endpoint seems to refuse everything.
        """
        import numpy as np

        self._most = MOST_TEXTS
        too_long = refusal.status == 413 or _TOO_LONG.search(refusal.told)
        if too_long and len(piece) > _SHORTEST:
            halves = _halves(piece)
            weights = np.array([[len(half) for half in halves]], np.float64)
            return _unit(weights @ self._rows(halves))
        self._lost += 1
        if not self._took or self._lost > _LOST:
            raise Unavailable(
                f"{self._endpoint.host} does not take these texts: {refusal}",
                "check the model, --base-url and --dimensions",
            ) from refusal
        _log.warning(
            "%s does not take one text: %s; it has no vector", self._endpoint.host, refusal
        )
        return np.zeros((1, self.dimensions))


def _told(texts: Iterable[str]) -> list[str]:
    """What is sent: texts that hold more than white space, once each, in their order."""
    return list(dict.fromkeys(text[:_LONGEST] for text in texts if text[:_LONGEST].strip()))


def _pieces(text: str) -> list[str]:
    """A text in parts that are sent one by one; most are one part."""
    if len(text) <= _WHOLE:
        return [text]
    return [piece for half in _halves(text) for piece in _pieces(half)]


def _halves(text: str) -> list[str]:
    """A text cut at the white space next to its middle, where there is some near it."""
    middle, near = len(text) // 2, len(text) // 4
    before = text.rfind(" ", middle - near, middle)
    cut = before + 1 if before >= 0 else middle
    return [half for half in (text[:cut], text[cut:]) if half.strip()]


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows brought to unit length; a row of zeros stays one."""
    import numpy as np

    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0)
    rows = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    np.divide(rows, lengths, out=rows, where=lengths > 0)
    return rows


def _version(*what: str | int) -> str:
    """Of what the vectors depend on, as far as it can be known; an endpoint may move."""
    return hashlib.sha256("\n".join([RECIPE, *map(str, what)]).encode()).hexdigest()[:12]
