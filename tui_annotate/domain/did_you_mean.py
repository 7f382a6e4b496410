"""The word that somebody meant who wrote another one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache


def find_nearest(word: str, known: Iterable[str]) -> str:
    """The most alike of the known words, whatever their case; empty where none is like it."""
    return _closest(word, tuple(known))


def suggest_word(word: str, known: Iterable[str]) -> str:
    """The nearest word as a question that a list can follow; empty where none is like it."""
    near = find_nearest(word, known)
    return f"did you mean {near!r}? " if near else ""


@lru_cache(64)  # a million records can lack the same column
def _closest(word: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # only where something is wrong

    by_case = {each.casefold(): each for each in known}
    found = get_close_matches(word.casefold(), by_case, n=1)
    return by_case[found[0]] if found else ""
