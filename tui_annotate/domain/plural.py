"""A number of things in words, as people read them; knows no other grammar than one and more."""

from __future__ import annotations


def format_count(count: int, one: str, more: str = "") -> str:
    """Format a count with its noun: 1,234 annotations; `more` is an irregular plural."""
    return f"{count:,} {one if count == 1 else more or f'{one}s'}"
