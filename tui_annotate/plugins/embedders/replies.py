"""What an endpoint for embeddings replies: vectors, each checked.

A reply is a stranger's: what is not exactly an answer to the question is refused.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

from tui_annotate.domain.errors import Unavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_DIMENSIONS: Final = 16_384


def embeddings(reply: Any, *, count: int, dimensions: int) -> NDArray[np.float64]:
    """(count, dimensions): the vectors of a reply, each where its index puts it.

    Args:
        count: how many were asked for.
        dimensions: that they must have; 0 where that is not known yet.

    Raises:
        Unavailable: some are missing, there twice, of another size, or not made of numbers.
    """
    import numpy as np

    items = reply.get("data") if isinstance(reply, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _wrong("something that holds no embeddings")
    if len(items) != count:
        raise _wrong(f"{len(items):,} embeddings for {count:,} texts")
    rows: dict[int, NDArray[np.float64]] = {}
    for item in items:
        place = item.get("index")
        if type(place) is not int or not 0 <= place < count or place in rows:
            raise _wrong("embeddings whose indexes do not name each text once")
        rows[place] = _vector(item.get("embedding"))
    sizes = {len(row) for row in rows.values()}
    if sizes - {dimensions or min(sizes)}:
        wanted = f", not the {dimensions:,} of before" if dimensions else ""
        raise _wrong(f"embeddings of {', '.join(map(str, sorted(sizes)))} dimensions{wanted}")
    return np.stack([rows[place] for place in range(count)])


def _vector(value: Any) -> NDArray[np.float64]:
    """A list of numbers, or the base64 of 32-bit ones, little end first."""
    import numpy as np

    if isinstance(value, str):
        try:
            packed = base64.b64decode(value, validate=True)
            row = np.frombuffer(packed, "<f4").astype(np.float64)
        except ValueError as error:
            raise _wrong("an embedding that is no base64 of numbers") from error
    elif isinstance(value, list) and {*map(type, value)} <= {float, int}:
        try:
            row = np.array(value, np.float64)
        except OverflowError as error:
            raise _wrong("an embedding with a number beyond all bounds") from error
    else:
        raise _wrong("an embedding that is no list of numbers")
    if not 0 < len(row) <= MOST_DIMENSIONS or not np.isfinite(row).all():
        raise _wrong("an embedding that is empty, too long or not finite")
    return row


def _wrong(what: str) -> Unavailable:
    return Unavailable(
        f"the endpoint answers {what}", "is this the right --base-url, and an embedding model?"
    )
