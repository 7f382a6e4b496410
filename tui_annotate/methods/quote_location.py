"""Locates a quote in a text: verbatim, or ignoring white space and Unicode compatibility forms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from tui_annotate.domain.spans import Span


def locate_quote(quote: str, text: str, *, near: int | None = None) -> Span | None:
    """Return the span of a quote in a text; None if the text lacks it or the quote is blank.

    A verbatim occurrence is preferred. Otherwise each sequence of white space equals one space, and
    characters are compared in compatibility form (NFKC): full-width digits, ligatures, composed
    accents. Case, spelling and quotation marks must be equal. White space around the quote is
    ignored.

    `near`: code point that selects the nearest of several occurrences, the earlier one in a tie;
    None
    for the first occurrence.
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


def list_occurrences(quote: str, text: str) -> list[Span]:
    """Return the spans of all occurrences of a quote, which `locate_quote` chooses from."""
    words = quote.strip()
    places: list[Span] = []
    at = text.find(words) if words else -1
    while at >= 0:
        places.append(Span(at, at + len(words)))
        at = text.find(words, at + 1)
    return places or (list(_find_compatible(words, text)) if words else [])


def _find_compatible(words: str, text: str) -> Iterator[Span]:
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
        if whole:  # a span must not begin or end inside a character such as a ligature
            yield Span(first[0], last[1])


def _normalize(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Normalize a text; also return the original (start, end) of each new code point."""
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
    """Split a text into characters with their combining marks, as (start, end)."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not unicodedata.combining(text[at]):
            yield start, at
            start = at
