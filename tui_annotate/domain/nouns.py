"""A number of things in words, as people read them; knows no other grammar than one and more."""

from __future__ import annotations


def many(count: int, one: str, more: str = "") -> str:
    """A number of things, by the word for one of them, thousands parted by commas.

    Args:
        one: as "annotation", or "place is" where a verb follows.
        more: the word for several; empty for that of one with an s.
    """
    return f"{count:,} {one if count == 1 else more or f'{one}s'}"
