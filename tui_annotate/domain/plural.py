"""Formats a count with its singular or plural noun."""

from __future__ import annotations


def format_count(count: int, one: str, more: str = "") -> str:
    """Format a count with its noun, such as "1,234 annotations"; `more` is an irregular plural."""
    return f"{count:,} {one if count == 1 else more or f'{one}s'}"
