"""Finds the closest known word for a misspelled one ("did you mean")."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from tui_annotate.domain.errors import NotFound


def find_nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word most similar to `word`, ignoring case; empty if none is similar."""
    return _closest(word, tuple(known))


def suggest_word(word: str, known: Iterable[str]) -> str:
    """Return a question such as `did you mean 'news'? `, to be put before a hint; or ""."""
    near = find_nearest(word, known)
    return f"did you mean {near!r}? " if near else ""


def unknown_dataset(name: str, known: Iterable[str]) -> NotFound:
    """Return the error that no dataset has this name; its hint has the most similar known name."""
    hint = f"{suggest_word(name, known)}list all datasets with: tui-annotate datasets list"
    return NotFound(f"unknown dataset {name!r}", hint)


@lru_cache(64)  # a million records can lack the same column
def _closest(word: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # imported only on errors: start time

    by_case = {each.casefold(): each for each in known}
    found = get_close_matches(word.casefold(), by_case, n=1)
    return by_case[found[0]] if found else ""
