"""The orders of the queue by their names; refuses others."""

from __future__ import annotations

from typing import Final

from tui_annotate.domain.errors import InvalidInput

BY_SOURCE: Final = "by-source"
"""All summaries of one source together."""
INGESTED: Final = "ingested"
"""As they came."""
RANDOM: Final = "random:"
"""What a seed follows: any text; the same seed gives the same order."""


def checked_order(name: str) -> str:
    """The name of an order in full; `random` alone has seed 1.

    Raises:
        InvalidInput: there is no such order.
    """
    if name == "random":
        return f"{RANDOM}1"
    if name in (BY_SOURCE, INGESTED) or (name.startswith(RANDOM) and len(name) > len(RANDOM)):
        return name
    raise InvalidInput(f"no order {name!r}", "orders: by-source, ingested, random, random:SEED")
