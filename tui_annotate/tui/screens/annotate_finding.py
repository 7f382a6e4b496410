"""What is found in a text: words that were typed, and words that the other side does not have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tui_annotate.domain.spans import Span, merge

MOST: Final = 10_000
"""Hits that are shown at most."""


def hits_of(text: str, query: str) -> tuple[Span, ...]:
    """Where a text holds the words as they stand, whatever their case, in order; none for none."""
    if not query:
        return ()
    found = re.compile(re.escape(query), re.IGNORECASE).finditer(text)
    return tuple(Span(*hit.span()) for hit, _ in zip(found, range(MOST), strict=False))


def lacking(text: str, others: Sequence[str]) -> tuple[Span, ...]:
    """Where a text has words that none of the others has, in order.

    Neighbouring signs of Chinese become one span. Takes a second a megabyte: not for a key press.
    """
    from tui_annotate.methods.lexical import words

    known = {word.text for other in others for word in words(other)}
    found = merge(Span(word.start, word.end) for word in words(text) if word.text not in known)
    return found[:MOST]
