"""Texts as word pieces of a model: with their places, without prompt, in windows where long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

LONG = 200
"""Word pieces of a text that is encoded as a whole; above, in overlapping windows."""
WINDOW = 192
LONGEST = 20_000
"""Code points of a text that are looked at."""
LEAST_KNOWN = 0.9
"""Of a text's signs must have a word piece, or nothing is said of it."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """The word pieces of a text.

    Attributes:
        prompt: the pieces that stand before those of the text.
        ids: those of the text.
        spans: the code points of each, without white space at the edges.
        told: the indices of those whose vectors are kept: known, and with a letter or digit.
    """

    prompt: tuple[int, ...]
    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    told: tuple[int, ...]


NONE = Pieces((), (), (), ())


@dataclass(frozen=True, slots=True)
class Window:
    """The pieces `first` up to `last` of a text; from `own` up to `until` it knows best."""

    first: int
    last: int
    own: int
    until: int


def windows(count: int, *, long: int = LONG, size: int = WINDOW) -> list[Window]:
    """How a text of so many pieces is encoded; none for none.

    Each piece belongs to the window in which it stands farthest from a cut.
    """
    if count <= long:
        return [Window(0, count, 0, count)] if count else []
    starts = [*range(0, count - size, max(size // 2, 1)), count - size]
    cuts = [0, *((later + earlier + size) // 2 for earlier, later in pairwise(starts)), count]
    return [
        Window(start, start + size, own, until)
        for start, (own, until) in zip(starts, pairwise(cuts), strict=True)
    ]


class Cutter:
    """Cuts texts with a model's own rules.

    Args:
        rules: of the model, as a `tokenizers.Tokenizer` writes itself.
        prompt: stands before every text when it is encoded.
        unknown: the id of the piece for what has none; None where the model has no such.
    """

    def __init__(self, rules: str, *, prompt: str = "", unknown: int | None = None) -> None:
        from tokenizers import Tokenizer

        self._rules = Tokenizer.from_str(rules)
        self._rules.no_truncation()
        self._rules.no_padding()
        self._rules.encode_special_tokens = True  # "[SEP]" in a text is text
        self._prompt = prompt
        self._unknown = unknown
        self.before, self.after = self._frame()

    def _frame(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The ids that the model wants before and after every text."""
        framed = self._rules.encode("a")
        own = [index for index, special in enumerate(framed.special_tokens_mask) if not special]
        return tuple(framed.ids[: own[0]]), tuple(framed.ids[own[-1] + 1 :])

    def cut(self, texts: Sequence[str]) -> list[Pieces]:
        """The pieces of each text; NONE where too few of its signs have one."""
        some = [text[:LONGEST] for text in texts]
        found = self._rules.encode_batch(
            [self._prompt + text for text in some], add_special_tokens=False
        )
        return [self._of(text, each) for text, each in zip(some, found, strict=True)]

    def _of(self, text: str, encoded: Any) -> Pieces:
        ids, shift = encoded.ids, len(self._prompt)
        places = [(start - shift, end - shift) for start, end in encoded.offsets]
        head = next((at for at, (_, end) in enumerate(places) if end > 0), len(ids))
        spans = [_trimmed(text, max(start, 0), end) for start, end in places[head:]]
        kept = ids[head:]
        missing = sum(
            end - start
            for (start, end), own in zip(spans, kept, strict=True)
            if own == self._unknown
        )
        signs = len("".join(text.split()))
        if not signs or not kept or signs - missing < LEAST_KNOWN * signs:
            return NONE
        told = (
            index
            for index, ((start, end), own) in enumerate(zip(spans, kept, strict=True))
            if own != self._unknown and any(map(str.isalnum, text[start:end]))
        )
        return Pieces(tuple(ids[:head]), tuple(kept), tuple(spans), tuple(told))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Some tokenizers count the space before a word to it."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
