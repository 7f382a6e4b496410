"""Locates a quote in a text: verbatim, or ignoring white space and variants of characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from tui_annotate.domain.spans import Span

_QUOTATION_MARKS: Final = str.maketrans(
    "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f", "''''\"\"\"\""
)
"""Curly and low quotation marks, which models and word processors exchange for straight ones."""

_FIRST_CJK: Final = "\u2e80"


def locate_quote(quote: str, text: str, *, near: int | None = None) -> Span | None:
    """Return the span of a quote in a text; None if the text lacks it or the quote is blank.

    A verbatim occurrence is preferred. Otherwise each sequence of white space equals one space, and
    characters are compared in compatibility form (NFKC): full-width digits, ligatures, composed
    accents. Curly quotation marks equal straight ones. Case and spelling must be equal. White space
    around the quote is ignored.

    `near`: code point that selects the nearest of several occurrences, the earlier one in a tie;
    None for the first occurrence. Where a quote must be clear, use `find_meant_spans`.
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


def find_meant_spans(
    quote: str, text: str, *, context: str = "", occurrence: int | None = None
) -> list[Span]:
    """Return the spans that a quote may mean: one if it is clear, several if it is ambiguous.

    The list is empty if the text does not contain the quote. Of several occurrences, those that
    are whole words are meant, if there are any: "15" is not a part of "2015".

    Args:
        context: a longer passage of the text; only occurrences inside it are meant.
        occurrence: number, from 1, of the occurrence that is meant of these.
    """
    places = list_occurrences(quote, text)
    if context.strip():
        around = list_occurrences(context, text)
        places = [
            place
            for place in places
            if any(each.start <= place.start and place.end <= each.end for each in around)
        ]
    places = [place for place in places if _is_whole_word(place, text)] or places
    if occurrence is None:
        return places
    return places[occurrence - 1 : occurrence] if occurrence >= 1 else []


def _is_whole_word(span: Span, text: str) -> bool:
    """Return whether a span neither begins nor ends inside a word or number.

    Scripts that are written without spaces have no such boundaries: there, each span is whole.
    """
    return not any(
        0 < at < len(text) and _is_spaced_letter(text[at - 1]) and _is_spaced_letter(text[at])
        for at in (span.start, span.end)
    )


def _is_spaced_letter(character: str) -> bool:
    return character.isalnum() and character < _FIRST_CJK


def _find_compatible(words: str, text: str) -> Iterator[Span]:
    plain, origins = _normalize(text)
    wanted = _normalize(words)[0].strip()
    if not wanted:
        return
    for match in re.finditer(f"(?={re.escape(wanted)})", plain):  # overlapping ones too
        at = match.start()
        first = origins[at]
        last = origins[at + len(wanted) - 1]
        begins = at == 0 or origins[at - 1] != first
        end = at + len(wanted)
        ends = end == len(origins) or origins[end] != last
        if begins and ends:  # a span must not begin or end inside a character such as a ligature
            yield Span(first[0], last[1])


def _normalize(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Normalize a text; also return the original (start, end) of each new code point."""
    made: list[str] = []
    origins: list[tuple[int, int]] = []
    for start, end in _split_clusters(text):
        plain = unicodedata.normalize("NFKC", text[start:end]).translate(_QUOTATION_MARKS)
        for character in plain:
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
