"""What is found in a text by words that were typed."""

from __future__ import annotations

import re
from typing import Final

from tui_annotate.domain.spans import Span

MOST: Final = 10_000
"""Hits that are shown at most."""


def hits_of(text: str, query: str) -> tuple[Span, ...]:
    """Where a text holds the words as they stand, whatever their case, in order; none for none."""
    if not query:
        return ()
    found = re.compile(re.escape(query), re.IGNORECASE).finditer(text)
    return tuple(Span(*hit.span()) for hit, _ in zip(found, range(MOST), strict=False))
