"""Where a quote stands in a text: word for word, or but for white space and forms of characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from tui_annotate.domain.spans import Span


def locate_quote(quote: str, text: str, *, near: int | None = None) -> Span | None:
    """Where a text has the words of a quote; white space around these counts for nothing.

    Word for word first; where it does not stand so, with each run of white space for one space and
    characters in their compatible form (NFKC): full-width digits, ligatures, composed accents.
    Nothing else is forgiven: neither case nor spelling, nor other marks of quotation.

    Args:
        near: of several places, the one that starts nearest to this code point is meant, the
            earlier of two as near; None for the first.

    Returns:
        None where it does not stand in the text, or is white space alone.
    """
    words = quote.strip()
    if not words:
        return None
    at = max(near or 0, 0)
    around = (text.rfind(words, 0, at + len(words)), text.find(words, at))
    places = [Span(start, start + len(words)) for start in around if start >= 0]
    return min(
        places or _find_compatible(words, text),
        key=lambda place: (abs(place.start - at), place.start),
        default=None,
    )


def _find_compatible(words: str, text: str) -> Iterator[Span]:
    """The places in the text whose plain form is that of the words."""
    plain, origins = _normalize(text)
    wanted = _normalize(words)[0].strip()
    if not wanted:
        return
    for match in re.finditer(f"(?={re.escape(wanted)})", plain):  # overlapping ones too
        at = match.start()
        first, last = origins[at], origins[at + len(wanted) - 1]
        whole = (at == 0 or origins[at - 1] != first) and (
            at + len(wanted) == len(origins) or origins[at + len(wanted)] != last
        )
        if whole:  # no place begins or ends inside a character, as in half of a ligature
            yield Span(first[0], last[1])


def _normalize(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text in its plain form; and of each of its code points, from where to where it was made."""
    made: list[str] = []
    origins: list[tuple[int, int]] = []
    for start, end in _split_clusters(text):
        for character in unicodedata.normalize("NFKC", text[start:end]):
            if not character.isspace():
                made.append(character)
                origins.append((start, end))
            elif made and made[-1] == " ":
                origins[-1] = (origins[-1][0], end)
            else:
                made.append(" ")
                origins.append((start, end))
    return "".join(made), origins


def _split_clusters(text: str) -> Iterator[tuple[int, int]]:
    """The code points of a text, each with those behind it that combine with it."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not unicodedata.combining(text[at]):
            yield start, at
            start = at
